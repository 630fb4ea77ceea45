"""What can be wrong with nodes."""

from __future__ import annotations


class IllFormed(Exception):
    """Arrays that do not fit together, or that are seen to fit at some sizes only."""
