"""Whether a verdict comes as its author expects: `expect="refuted"` says of a claim that it is known to be false.

What is expected changes no verdict; a verdict is computed, and then compared with it. One that comes as expected fails
nothing, and any other one is news and fails, a proof too. Every report, the lock file and pytest ask here.
"""

from __future__ import annotations

from typing import Any

from scanproof.constructs.errors import UsageError

ALLOWED = ("proved", "refuted", "unknown")
"""What may be expected; "proved" is for all sizes."""


def look_at(called: str, expect: Any) -> None:
    """Refuse what cannot be expected of a verdict.

    Raises:
        UsageError: unless it is one of `ALLOWED`, or None.
    """
    if expect is not None and (not isinstance(expect, str) or expect not in ALLOWED):
        known = ", ".join(ALLOWED)
        raise UsageError(f"{called} is no verdict to expect; allowed: {known}.")


def is_met(expect: str | None, words: str) -> bool:
    """Whether something is expected, and the verdict, in words as reports have it, is that."""
    return expect is not None and expect == words


def unmet(expect: str | None, words: str, written: str = 'expect="{}"') -> str:
    """In what a verdict is not as expected, and what to do; "" if it is, or nothing was expected.

    Args:
        expect: the verdict that is expected, or None.
        words: the verdict in words, "proved at fixed sizes" where it is not for all.
        written: how an expectation is written down, with {} for the verdict.
    """
    if expect is None or expect == words:
        return ""
    known = words in ALLOWED and words != "proved"
    change = f"write {written.format(words)}" if known else f"take out {written.format(expect)}"
    return f"expected {expect}, came {words}; if that is right, {change}"


def beside(expect: str | None, words: str) -> str:
    """The verdict in words with what was expected: "refuted, as expected", "proved, expected refuted"."""
    if expect is None:
        return words
    return f"{words}, as expected" if expect == words else f"{words}, expected {expect}"
