"""Errors that are the user's to mend: one clear line each, exit code 3, never a traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageError(Exception):
    """Says what was called, what was expected, what came, and what to do."""


def text_of(error: BaseException) -> str:
    """The words of an error of foreign code, which may raise another when it is asked for them."""
    try:
        return str(error)
    except Exception as other:
        return f"(its text raised {type(other).__name__})"


def nearest(name: str, allowed: Iterable[str]) -> str:
    """The end of a message on a name that is not among those allowed: "; nearest: ABC", or nothing if none is near."""
    near = difflib.get_close_matches(name, list(allowed), n=1, cutoff=0.5)
    return f"; nearest: {near[0]}" if near else ""
