"""Derivations as plain text (Unicode), for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from .document import Derivation, Formula, Line
from .expression import Addition, Function, single
from .printing import TEXT, opening

WIDTH = 96
MARGIN = 6
ROOM = WIDTH - MARGIN
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
    said = [part for f in line.formulas for part in formula(f)]
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


def formula(f: Formula) -> list[str]:
    """A chain of equations, broken before its signs; the ranges of its letters at the end."""
    parts = [TEXT.addition(part) for part in f.parts]
    over = f"   ({'; '.join(map(TEXT.quantifier, f.over))})" if f.over else ""
    whole = f" {f.sign} ".join(parts)
    if len(whole) + len(over) <= ROOM:
        return [whole + over]
    lines = _first(f.parts[0])
    for part in f.parts[1:]:
        lines += _broken(f.sign, part)
    return [*lines, over.strip()] if over else lines


def _first(part: Addition) -> list[str]:
    """The first part, broken before + and − where it is long, also within | |."""
    whole = TEXT.addition(part)
    if len(whole) <= ROOM:
        return [whole]
    measured = part.pieces[0].over[-1] if part.pieces[0].over else None
    if isinstance(measured, Function) and part == single(measured):
        before, after = TEXT.function(measured.name, "\n").split("\n")
        return [before, *_terms(measured.of, 2), after]
    return _terms(part, 0)


def _broken(sign: str, part: Addition) -> list[str]:
    """sign part, over as many lines as it takes: broken before + and −, and inside a last bracket."""
    lead = f"  {sign}"
    whole = TEXT.addition(part)
    opened = opening(part)
    if len(lead) + 1 + len(whole) <= ROOM or (len(part.pieces) < 2 and opened is None):
        return [f"{lead} {whole}"]
    if opened is not None:
        head, inside = opened
        mark, text = TEXT.terms(head)[0]
        return [f"{lead} {mark}{text} (", *_terms(inside, 6), "    )"]
    return _terms(part, 2, f"{sign} ")


def _terms(part: Addition, indent: int, start: str = "") -> list[str]:
    lines = []
    for n, piece in enumerate(part.pieces):
        ((mark, text),) = TEXT.terms(Addition((piece,)))
        gap = " " if lines else ""
        mark = mark or ("+" if n else "")
        lead = " " * indent + (start if n == 0 else " " * len(start)) + mark + (gap if mark else "")
        opened = opening(Addition((piece,)))
        if len(lead) + len(text) > ROOM and opened is not None:
            ((_, head),) = TEXT.terms(opened[0])
            inside = _terms(opened[1], indent + len(start) + 4)
            lines += [f"{lead}{head} (", *inside, " " * (indent + len(start) + 2) + ")"]
        else:
            lines.append(lead + text)
    return lines
