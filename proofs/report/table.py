"""The table that people read: one line a claim, grouped by source, then what is still open or wrong, in full.

An amendment that is proved stands in its claim's line, as what holds. `long_table` has a line for each statement.
Widths are columns of a terminal, of which wide letters take two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len

from .long_table import (
    COLOURS,
    LIMITS,
    WIDTH,
    caveats_before,
    counts,
    fault_or_no_mend,
    notes,
    short_verdict,
)
from .standing import Blame, statements
from .words import Record, all_sizes, conditions, cut, fault, is_mended, one_line

GAP = "  "
HOLDS = "what holds"
LEAST = 20
"""Where fewer columns are left, the text has a line of its own."""


class Line(NamedTuple):
    """A claim in one line."""

    id: str
    verdict: str
    text: str
    starred: bool
    """Whether a star stands in it, which is explained below."""


def table(
    report: Record,
    blamed: Mapping[str, Blame],
    *,
    files: Sequence[str] = (),
    colour: bool = False,
    width: int = WIDTH,
) -> str:
    """The report as text, each claim's line cut to `width` columns; ids are never cut.

    Args:
        report: what `scanproof.check` returned.
        blamed: what keeps the exit code from 0, as `standing.blames` gives it; it stands below, in full.
        files: the user's files, which `scanproof show` needs to know, too.
        colour: whether verdicts are coloured and headings bold, by the codes of terminals.
        width: columns.
    """
    blocks: list[list[str]] = []
    wrong: list[str] = []
    starred = False
    for source, grouped in groupby(report["claims"], key=lambda claim: claim["source"]):
        claims = list(grouped)
        lines = [_line(claim) for claim in claims]
        title = cut(f"{source}: {one_line(report['sources'][source]['title'])}", width)
        several = len(claims) < len(report["claims"])
        blocks.append([f"\x1b[1m{title}\x1b[0m" if colour else title])
        blocks[-1] += _wrapped(counts(claims), width) if several else []
        blocks[-1] += [part for line in lines for part in _printed(line, lines, colour, width)]
        wrong += [text for claim in claims for text in _wrong(claim, blamed)]
        starred |= any(line.starred for line in lines)
    if wrong:
        below = [part for text in wrong for part in _wrapped(text, min(width, WIDTH))]
        blocks.append(["Open or wrong:", *below])
    starred |= any("(proved*)" in text for text in wrong)
    blocks.append(notes(report, fixed=starred, width=width, files=files))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _line(claim: Record) -> Line:
    statement = claim["as_stated"]
    verdict, said = short_verdict(statement), _said(claim)
    starred = verdict.endswith("*") or said.startswith(f"{HOLDS}*")
    return Line(claim["id"], verdict, caveats_before(statement, said), starred)


def _said(claim: Record) -> str:
    """What holds; or what keeps the claim from being settled."""
    statement = claim["as_stated"]
    if statement["verdict"] == "proved":
        asked = conditions(statement["evidence"])
        where = f"for {all_sizes(statement['evidence'])}: " if asked else ""
        return f"{where}{one_line(statement['statement'])}"
    if statement["verdict"] == "refuted" and is_mended(claim):
        proved = [a for a in claim["amended"] if a["verdict"] == "proved"]
        star = "*" * short_verdict(proved[0]).endswith("*")
        one_of = f" (1 of {len(proved)})" if len(proved) > 1 else ""
        return f"{HOLDS}{star}{one_of}: {one_line(proved[0]['statement'])}"
    return fault_or_no_mend(claim, statement)


def _printed(line: Line, lines: Sequence[Line], colour: bool, width: int) -> Iterator[str]:
    """The claim in columns: what is longer than its column moves what comes after it."""
    ids = min(max(cell_len(one.id) for one in lines), LIMITS["id"])
    verdicts = max(len(one.verdict) for one in lines)
    code = COLOURS.get(line.verdict.rstrip("*")) if colour else None
    verdict = f"\x1b[{code}m{line.verdict}\x1b[0m" if code else line.verdict
    padding = " " * max(ids - cell_len(line.id), 0)
    room = width - 3 * len(GAP) - max(ids, cell_len(line.id)) - verdicts
    begin = f"{GAP}{line.id}{padding}{GAP}{verdict}"
    if not line.text or room < LEAST:
        yield begin
        yield from [f"{GAP * 3}{cut(line.text, width - 3 * len(GAP))}"] if line.text else []
        return
    yield f"{begin}{' ' * (verdicts - len(line.verdict))}{GAP}{cut(line.text, room)}"


def _wrong(claim: Record, blamed: Mapping[str, Blame]) -> Iterator[str]:
    """In full: what is unknown, refuted without a mend, in error, doubtful or blamed."""
    for statement, amends in statements(claim):
        verdict, blame = statement["verdict"], blamed.get(statement["id"])
        mended = is_mended(claim)
        settled = verdict in ("proved", "supported", "not-checkable") or (
            verdict == "refuted" and mended and not amends
        )
        said = "" if settled else fault_or_no_mend(claim, statement, amends=amends)
        if blame is not None and (settled or fault(statement) not in blame.why):
            said = "; ".join([*([said] if said else []), blame.why])
        said = caveats_before(statement, said)
        of_no_use = amends and mended and verdict == "unknown"  # another one holds
        if said and not of_no_use:
            yield f"{statement['id']} ({short_verdict(statement)}): {said}"


def _wrapped(text: str, width: int) -> list[str]:
    """Lines of whole words, all but the first indented twice."""
    lines = [GAP]
    for word in text.split():
        if cell_len(lines[-1]) + cell_len(word) > width and lines[-1].strip():
            lines.append(GAP * 2)
        lines[-1] += f"{word} "
    return [line.rstrip() for line in lines]
