"""Errors that are the user's to mend: one clear line each, exit code 3, never a traceback."""

from __future__ import annotations


class UsageError(Exception):
    """Says what was called, what was expected, what came, and what to do."""


def text_of(error: BaseException) -> str:
    """The words of an error of foreign code, which may raise another when it is asked for them."""
    try:
        return str(error)
    except Exception as other:
        return f"(its text raised {type(other).__name__})"
