"""Interpreting definitions: the same Python functions run on kernel arrays, whose sizes are symbols."""
