"""Exact expected losses: learners of `constructs` run on symbols, whose moments are then put in."""
