"""Loops of Python over sizes, for each framework: their source is rewritten so that such a loop can be one node."""
