"""Reasons of the report in words for readers: what stopped a proof for all sizes, and what was taken for granted.

The report says these for who writes claims, with the place in a program and what it raised.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scanproof.proofs.report.markdown import SPECIAL, code
from scanproof.proofs.report.words import one_line

from .gathered import Ledger
from .typeset import typeset

ID = re.compile(r"[a-z0-9-]+(?:\.[A-Za-z0-9-]+)+(?:\+[\w+-]+)?|(?<![\w)])\+[a-z][\w+-]*")

NOT_READ = r"for all sizes it is not read(?: \(\w+\))?: "
NOT_FOUND = r"for all sizes no proof was found: "
ASKED = r", which depends on the sizes, was asked.*"

WHY: tuple[tuple[str, str], ...] = (
    (
        NOT_READ + r"a product of sizes or positions, .*",
        "its program multiplies two sizes, and a proof for all sizes reads only sums and multiples of them",
    ),
    (
        NOT_READ + r"a proof for all sizes has no function '(\w+)'",
        r"its program takes \1 of a number, which a proof for all sizes does not read",
    ),
    (
        NOT_READ + r"the number that (\w+) is" + ASKED,
        r"its program needs the number that \1 is, and so is another formula for each",
    ),
    (
        NOT_READ + r"whether (.+?)" + ASKED,
        r"its program asks whether \1, and so is one formula where that is so and another where it is not",
    ),
    (
        NOT_READ + r"the quotient and remainder of (\w+) by (\w+)" + ASKED,
        r"its program takes the quotient and remainder of \1 by \2, which are not read with letters for them",
    ),
    (
        NOT_FOUND + r"the search for it takes too long",
        "a proof for all sizes was looked for, and none was found in the time that a search has",
    ),
    (
        NOT_FOUND
        + r"(?:normal forms and guessed lemmas leave something over|an equation is left to show): (?P<rest>.+)",
        "a proof for all sizes was looked for, and none was found: with all the closed forms that were guessed, the "
        "two sides still look different",
    ),
    (
        NOT_FOUND
        + r"no zeros and ones were found for which the sides differ by one multiple of the sizes",
        "a difference at every size would be shown by one pattern of zeros and ones, and none was found",
    ),
)
"""What stopped a proof for all sizes: how the report says it, and how a page does."""

TAKEN: tuple[tuple[str, str], ...] = (
    (
        r"it could not be run at (.+): a map, or sides that differ",
        r"nothing was tried beyond the evidence (at \1): that there is a map, or that sides differ, is not tried with "
        "numbers",
    ),
    (
        r"it could not be run at (.+?): \w+: .*",
        r"it was not tried at \1: the text of its claim is for the sizes of the evidence, and cannot be run there",
    ),
    (
        r"(.+ ≤ \d+) \((\w+), .*?\((?:[\w.<>]*\.)?(\w+)\)\)",
        r"\1, the largest number of type \2, in which the program \3 counts",
    ),
    (r"there is no value (\(.*?\)) (at .*)", r"it was not tried \2: there is no value there \1"),
)
"""What evidence takes for granted, in the same way."""


class Why(NamedTuple):
    """A reason in words, and what a search was left with."""

    words: str
    rest: str = ""


def why(reason: str) -> Why:
    """What stopped a proof for all sizes, in words; the report's own words where there are no better ones."""
    for pattern, words in WHY:
        found = re.fullmatch(pattern, reason, re.DOTALL)
        if found:
            return Why(found.expand(words), found.groupdict().get("rest") or "")
    return Why(reason)


def taken(text: str) -> str:
    """What is taken for granted, in words."""
    for pattern, words in TAKEN:
        found = re.fullmatch(pattern, text, re.DOTALL)
        if found:
            return found.expand(words)
    return text


def said(ledger: Ledger, text: object) -> str:
    """Words of the ledger: formulas typeset, and ids of claims, or "+sign" of a page's own, as links."""
    line, parts, end = one_line(text), list[str](), 0
    for found in ID.finditer(line):
        id = found[0].rstrip("-")
        if id in ledger.ids or id in ledger.suffixes:
            parts += [_typeset(line[end : found.start()]), code(id)]
            end = found.start() + len(id)
    return "".join([*parts, _typeset(line[end:])])


def _typeset(text: str) -> str:
    return typeset(text, lambda words: words.translate(SPECIAL))
