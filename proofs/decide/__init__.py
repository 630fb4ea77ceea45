"""Deciding: find, check, and report; rows, their workers, and what this machine remembers."""
