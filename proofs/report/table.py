"""The table that people read: one line a claim, grouped by source, then a line for each that is still open or wrong.

An amendment that is proved stands in its claim's line, as what holds. `long_table` has a line for each statement.
Widths are columns of a terminal, of which wide letters take two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len

from .long_table import (
    COLOURS,
    FEW,
    LIMITS,
    WIDTH,
    caveats_before,
    counts,
    fault_or_no_mend,
    notes,
    short_verdict,
    shown_files,
)
from .standing import Blame, statements
from .words import (
    Record,
    as_expected,
    beside_verdict,
    caveats,
    cut,
    fault,
    is_mended,
    limited,
    mend,
    one_line,
    unmet,
)

GAP = "  "
HOLDS = "what holds"
SHOW = "scanproof show"
OPEN = ("unknown", "proved*")
"""Verdicts whose reasons end, after a semicolon, with what to do."""
LEAST = 20
"""Where fewer columns are left, the text has a line of its own."""


class Line(NamedTuple):
    """A claim in one line."""

    id: str
    verdict: str
    text: str
    starred: bool
    """Whether a star stands in it, which is explained below."""
    whole: str = ""
    """What to do: an edit of the user's text, or of what is expected. It has lines of its own and is not cut."""


def table(
    report: Record,
    blamed: Mapping[str, Blame],
    *,
    own: Collection[str] = (),
    files: Sequence[str] = (),
    colour: bool = False,
    width: int = WIDTH,
) -> str:
    """The report as text, each claim's line cut to `width` columns; ids are never cut.

    Args:
        report: what `scanproof.check` returned.
        blamed: what keeps the exit code from 0, as `standing.blames` gives it; it stands below.
        own: ids of the user's claims, of which it is told where they are written, and that they are proved at fixed
            sizes alone.
        files: the user's files, which `scanproof show` needs to know, too.
        colour: whether verdicts are coloured and headings bold, by the codes of terminals.
        width: columns.
    """
    blocks: list[list[str]] = []
    starred = False
    wrong: list[Line] = []
    for source, grouped in groupby(report["claims"], key=lambda claim: claim["source"]):
        claims = list(grouped)
        lines = [_line(claim) for claim in claims]
        title = cut(f"{source}: {one_line(report['sources'][source]['title'])}", width)
        several = len(claims) < len(report["claims"])
        blocks.append([f"\x1b[1m{title}\x1b[0m" if colour else title])
        blocks[-1] += _wrapped(counts(claims), width) if several else []
        blocks[-1] += [part for line in lines for part in _printed(line, lines, colour, width)]
        wrong += [line for claim in claims for line in _wrong(claim, blamed, own, files)]
        starred |= any(line.starred for line in lines)
    if wrong:
        below = [part for line in wrong for part in _told(line, wrong, colour, width)]
        blocks.append(["Open or wrong:", *below])
    starred |= any(line.starred for line in wrong)
    blocks.append(notes(report, fixed=starred, width=width, files=files))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _line(claim: Record) -> Line:
    statement = claim["as_stated"]
    verdict, said = short_verdict(statement), _said(claim)
    starred = verdict.endswith("*") or f"{HOLDS}*" in said.partition(":")[0]
    return Line(claim["id"], verdict, caveats_before(statement, said), starred)


def _said(claim: Record) -> str:
    """What holds; or what keeps the claim from being settled."""
    statement = claim["as_stated"]
    if statement["verdict"] == "proved" and (
        statement["scope"] == "all-sizes" or not statement["reason"]
    ):
        return ": ".join([*limited(statement), one_line(statement["statement"])])
    if statement["verdict"] == "refuted" and is_mended(claim):
        proved = [a for a in claim["amended"] if a["verdict"] == "proved"]
        star = "*" * short_verdict(proved[0]).endswith("*")
        one_of = f" (1 of {len(proved)})" if len(proved) > 1 else ""
        expected = "as expected; " * as_expected(statement)
        holds = " ".join([f"{expected}{HOLDS}{star}{one_of}", *limited(proved[0])])
        return f"{holds}: {one_line(proved[0]['statement'])}"
    return beside_verdict(fault_or_no_mend(claim, statement))


def _printed(line: Line, lines: Sequence[Line], colour: bool, width: int) -> Iterator[str]:
    """The claim in columns: what is longer than its column moves what comes after it."""
    ids, verdicts, room = _room(line, lines, LIMITS["id"], width)
    if not line.text or room < LEAST:
        yield _columns(line, ids, 0, colour)
        yield from [f"{GAP * 3}{cut(line.text, width - 3 * len(GAP))}"] if line.text else []
        return
    yield f"{_columns(line, ids, verdicts, colour)}{GAP}{cut(line.text, room)}"


def _room(line: Line, lines: Sequence[Line], most: int, width: int) -> tuple[int, int, int]:
    """How wide the columns of ids and verdicts are, and what they leave to the line's text."""
    ids = min(max(cell_len(one.id) for one in lines), most)
    verdicts = max(len(one.verdict) for one in lines)
    return ids, verdicts, width - 3 * len(GAP) - max(ids, cell_len(line.id)) - verdicts


def _columns(line: Line, ids: int, verdicts: int, colour: bool) -> str:
    """The id and the verdict, each as wide as its column."""
    code = COLOURS.get(line.verdict.rstrip("*")) if colour else None
    verdict = f"\x1b[{code}m{line.verdict}\x1b[0m" if code else line.verdict
    padding = " " * max(ids - cell_len(line.id), 0)
    return f"{GAP}{line.id}{padding}{GAP}{verdict}{' ' * (verdicts - len(line.verdict))}"


def _told(line: Line, lines: Sequence[Line], colour: bool, width: int) -> Iterator[str]:
    """What to run, and in the same line why as far as it fits; an edit that mends is not cut."""
    ids, verdicts, room = _room(line, lines, LIMITS["id"] + len(SHOW), width)
    begin = _columns(line, ids, verdicts, colour)
    yield f"{begin}{GAP}{cut(line.text, room)}" if room >= LEAST else begin.rstrip()
    yield from _wrapped(line.whole, min(width, WIDTH), GAP * 2) if line.whole else []


def _wrong(
    claim: Record, blamed: Mapping[str, Blame], own: Collection[str], files: Sequence[str]
) -> Iterator[Line]:
    """What is unknown, refuted without a mend, in error, doubtful or blamed; of one's own what is not for all sizes."""
    mine, mended = claim["id"] in own, is_mended(claim)
    for statement, amends in statements(claim):
        verdict, blame = short_verdict(statement), blamed.get(statement["id"])
        expected = as_expected(statement)
        settled = expected or statement["verdict"] in ("proved", "supported", "not-checkable")
        settled |= verdict == "refuted" and mended and not amends
        starred = mine and verdict == "proved*" and not expected and _speaks_of_sizes(statement)
        why = [] if settled and not starred else [beside_verdict(fault(statement))]
        mends = [] if settled else statement.get("mends", ())[:1]
        told = [*why, *caveats(statement)]
        if why and verdict == "refuted" and not mends:
            why = [fault_or_no_mend(claim, statement, amends=amends)]
        if blame is not None and not any(text and text in blame.why for text in told):
            why.append(blame.why)
        said = caveats_before(statement, "; ".join(text for text in why if text))
        if news := unmet(statement):  # what to do about it has a line of its own
            said = said.replace(news, news.partition("; ")[0])
        of_no_use = amends and mended and verdict == "unknown"  # another one holds
        if said and not of_no_use:
            place = (statement.get("written") or "") if mine else ""
            home = place.rpartition(":")[0]
            named = shown_files([home] if home in files or len(files) > FEW else files)
            redo = " ".join([SHOW, *named * mine, statement["id"]])
            text = f"{place}: {said}" if place else said
            whole = [f"mend: {mend(one)}" for one in mends] or [unmet(statement).partition("; ")[2]]
            if mine and verdict in OPEN and why == [said] and "; " in said:
                text, _, whole[0] = text.rpartition("; ")
            yield Line(redo, verdict, text, verdict.endswith("*"), whole[0])


def _speaks_of_sizes(statement: Record) -> bool:
    """Whether it is about sizes at all: where it is not, there are no more than it is proved at."""
    tried = [at for one in statement["evidence"] for at in one["sizes"] or ()]
    return any(tried) or not tried


def _wrapped(text: str, width: int, margin: str = GAP) -> list[str]:
    """Lines of whole words after a margin, all but the first indented once more."""
    lines = [margin]
    for word in text.split():
        if cell_len(lines[-1]) + cell_len(word) > width and lines[-1].strip():
            lines.append(margin + GAP)
        lines[-1] += f"{word} "
    return [line.rstrip() for line in lines]
