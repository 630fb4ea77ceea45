"""Statements as formulas for people, in the alphabets of terminals and of LaTeX."""
