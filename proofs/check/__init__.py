"""Checking certificates: the only road to a verdict. Nothing is searched for here."""
