"""Errors that are the user's to mend: one clear line each, exit code 3, never a traceback."""

from __future__ import annotations


class UsageError(Exception):
    """Says what was called, what was expected, what came, and what to do."""
