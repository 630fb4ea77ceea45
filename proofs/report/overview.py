"""The overview for people: one line a claim, grouped by source, then what is still open or wrong, in full.

An amendment that is proved stands in its claim's line, as what holds. `table` has a line for each statement.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

from .standing import Blame, statements
from .table import COLOURS, WIDTH, caveats_before, counts, fault_or_no_mend, notes, short_verdict
from .words import Record, is_mended, one_line

GAP = "  "
LEAST = 4
"""Fewer letters than these say nothing."""


class Line(NamedTuple):
    """A claim in one line."""

    id: str
    verdict: str
    text: str


def overview(
    report: Record,
    blamed: Mapping[str, Blame],
    *,
    colour: bool = False,
    width: int = WIDTH,
) -> str:
    """The report as text, each claim's line cut to `width` columns.

    Args:
        report: what `scanproof.check` returned.
        blamed: what keeps the exit code from 0, as `standing.blames` gives it; it stands below, in full.
        colour: whether verdicts are coloured and headings bold, by the codes of terminals.
        width: columns.
    """
    blocks, wrong = [], []
    for source, grouped in groupby(report["claims"], key=lambda claim: claim["source"]):
        claims = list(grouped)
        lines = [_line(claim) for claim in claims]
        title = _cut(f"{source}: {one_line(report['sources'][source]['title'])}", width)
        heading = f"\x1b[1m{title}\x1b[0m" if colour else title
        room = width - len(_columns(Line("", "", ""), lines, colour=False))
        shown = [_columns(line, lines, colour) + _cut(line.text, room) for line in lines]
        several = len(claims) < len(report["claims"])
        counted = _wrapped(counts(claims), width) if several else []
        blocks.append([heading, *counted, *(line.rstrip() for line in shown)])
        for claim, line in zip(claims, lines, strict=True):
            told = line.text if len(line.text) <= room else ""
            wrong += _wrong(claim, told, blamed)
    if wrong:
        blocks.append(
            ["Open or wrong:", *(part for text in wrong for part in _wrapped(text, width))]
        )
    verdicts = [short_verdict(s) for claim in report["claims"] for s, _ in statements(claim)]
    blocks.append(notes(report, fixed="proved*" in verdicts, width=width))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _line(claim: Record) -> Line:
    statement = claim["as_stated"]
    return Line(claim["id"], short_verdict(statement), caveats_before(statement, _said(claim)))


def _said(claim: Record) -> str:
    """What holds; or what keeps the claim from being settled."""
    statement = claim["as_stated"]
    if statement["verdict"] == "proved":
        return one_line(statement["statement"])
    if statement["verdict"] == "refuted" and is_mended(claim):
        first, *more = [a for a in claim["amended"] if a["verdict"] == "proved"]
        also = f" (and {len(more)} more)" if more else ""
        star = "*" * short_verdict(first).endswith("*")
        return f"holds{star}{also}: {one_line(first['statement'])}"
    return fault_or_no_mend(claim, statement)


def _columns(line: Line, lines: list[Line], colour: bool) -> str:
    """The columns before the text, as wide as they have to be for all these lines."""
    ids, verdicts = (max(len(one[k]) for one in lines) for k in (0, 1))
    verdict = f"{line.verdict:{verdicts}}"
    code = COLOURS.get(line.verdict.rstrip("*")) if colour else None
    verdict = f"\x1b[{code}m{verdict}\x1b[0m" if code else verdict
    return f"{GAP}{line.id:{ids}}{GAP}{verdict}{GAP}"


def _wrong(claim: Record, told: str, blamed: Mapping[str, Blame]) -> Iterator[str]:
    """In full: what is unknown, refuted without a mend, in error, doubtful or blamed, and was not told yet."""
    for statement, amends in statements(claim):
        verdict, blame = statement["verdict"], blamed.get(statement["id"])
        mended = not amends and is_mended(claim)
        settled = verdict in ("proved", "not-checkable") or (verdict == "refuted" and mended)
        of_no_use = amends and verdict == "unknown"  # an amendment that was tried
        said = "" if settled else fault_or_no_mend(claim, statement, amends=amends)
        if blame is not None and settled:
            said = blame.why
        said = caveats_before(statement, said)
        if said and not of_no_use and (amends or said not in told):
            yield f"{statement['id']} ({short_verdict(statement)}): {said}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(
        text,
        min(width, WIDTH),
        initial_indent=GAP,
        subsequent_indent=GAP * 2,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _cut(text: str, room: int) -> str:
    """The text, or its beginning; nothing where there is no room to say anything."""
    if len(text) <= room:
        return text
    return f"{text[: room - 1].rstrip()}…" if room > LEAST else ""
