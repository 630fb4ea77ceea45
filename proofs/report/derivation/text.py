"""Derivations as plain text (Unicode), for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from .document import Derivation, Formula, Line
from .expression import Addition
from .printing import TEXT, opening

WIDTH = 96
MARGIN = 6
CONVENTION = (
    "Indices count from 0, also where the source counts from 1. A sum without a start runs from 0, one without a "
    "range over all whole numbers. […] is 1 where the condition in it holds, else 0; an entry that does not exist "
    "stands beside a factor 0 only."
)


def as_text(derivation: Derivation) -> str:
    """The derivation for a terminal."""
    lines = [f"Derivation of {derivation.id}", *textwrap.wrap(CONVENTION, WIDTH)]
    for section in derivation.sections:
        lines += ["", section.heading]
        for line in section.lines:
            lines += one(line)
    return "\n".join(lines) + "\n"


def one(line: Line) -> list[str]:
    """One line, broken where it is long."""
    head = f"{line.number:>4}. "
    first = line.words or ""
    said = [part for f in line.formulas for part in formula(f, WIDTH - MARGIN)]
    reason = line.reason
    if line.rests_on:
        reason += f" ({numbers(line.rests_on)})"
    if line.places:
        reason += f": {', '.join(line.places)}"
    if first:
        said = [*textwrap.wrap(first, WIDTH - MARGIN), *said]
    wrapped = textwrap.wrap(f"— {reason}", WIDTH - MARGIN - 4, subsequent_indent="  ")
    said += [" " * 4 + part for part in wrapped]
    return [head + said[0], *(" " * MARGIN + one for one in said[1:])]


def numbers(numbers: Iterable[int]) -> str:
    """Line numbers, with commas."""
    return ", ".join(map(str, numbers))


def formula(f: Formula, width: int) -> list[str]:
    """A chain of equations, broken before its signs; the ranges of its letters at the end."""
    parts = [TEXT.addition(part) for part in f.parts]
    over = f"   ({'; '.join(map(TEXT.quantifier, f.over))})" if f.over else ""
    whole = f" {f.sign} ".join(parts)
    if len(whole) + len(over) <= width:
        return [whole + over]
    lines = [parts[0]]
    for part in f.parts[1:]:
        lines += _broken(f.sign, part, width)
    return [*lines, over.strip()] if over else lines


def _broken(sign: str, part: Addition, width: int, indent: int = 2) -> list[str]:
    """sign part, over as many lines as it takes: broken before + and −, and inside a last bracket."""
    lead = " " * indent + sign
    whole = TEXT.addition(part)
    opened = opening(part)
    if len(lead) + 1 + len(whole) <= width or (len(part.pieces) < 2 and opened is None):
        return [f"{lead} {whole}"]
    if opened is not None:
        head, inside = opened
        mark, text = TEXT.terms(head)[0]
        return [f"{lead} {mark}{text} (", *_terms(inside, width, indent + 4), " " * indent + "  )"]
    return _terms(part, width, indent, f"{sign} ")


def _terms(part: Addition, width: int, indent: int, start: str = "") -> list[str]:
    lines = []
    for n, piece in enumerate(part.pieces):
        ((mark, text),) = TEXT.terms(Addition((piece,)))
        gap = " " if lines else ""
        mark = mark or ("+" if n else "")
        lead = " " * indent + (start if n == 0 else " " * len(start)) + mark + (gap if mark else "")
        opened = opening(Addition((piece,)))
        if len(lead) + len(text) > width and opened is not None:
            ((_, head),) = TEXT.terms(opened[0])
            inside = _terms(opened[1], width, indent + len(start) + 4)
            lines += [f"{lead}{head} (", *inside, " " * (indent + len(start) + 2) + ")"]
        else:
            lines.append(lead + text)
    return lines
