"""The summary of a job, in Markdown: what was and is, the smallest size at which it fails, and what holds instead."""

from __future__ import annotations

from collections.abc import Sequence

from .findings import LEVELS, Finding, Spot, spot
from .long_table import summary_line
from .markdown import code, escaped, grid
from .words import Record, at_sizes

LIMIT = 100
"""Findings in the table: GitHub takes a mebibyte."""
ROOM = 600
"""Characters of a cell."""
MARKS = {"error": "❌", "warning": "⚠️", "note": "✅"}


def job_summary(
    report: Record,
    found: Sequence[Finding],
    problems: Sequence[str] = (),
    prefix: str = "",
    *,
    compared: bool = False,
) -> str:
    """The summary.

    Args:
        report: that of a check, as data.
        found: what is to be said, as `findings` gives it.
        problems: what went wrong beside the claims.
        prefix: the folder in which the check ran, named from the root of the repository.
        compared: whether there is a baseline, so that `found` says what changed.
    """
    lines = ["## scanproof", "", escaped(summary_line(report)), ""]
    lines += [f"- {MARKS['error']} {escaped(text)}" for text in problems] + [""] * bool(problems)
    changed = [one for one in found if one.change is not None]
    same = [one for one in found if one.change is None]
    if compared:
        lines += ["### Changed verdicts", ""] if changed else ["No verdict has changed.", ""]
        lines += _table(changed, prefix)
    if same:
        lines += ["### Still open or wrong" if compared else "### Open or wrong", ""]
        lines += _table(same, prefix)
    return "\n".join(lines).rstrip("\n") + "\n"


def _table(found: Sequence[Finding], prefix: str) -> list[str]:
    if not found:
        return []
    ordered = sorted(found, key=lambda one: LEVELS.index(one.level))
    rows = [_row(one, spot(one.written, prefix)) for one in ordered[:LIMIT]]
    rest = len(ordered) - LIMIT
    headers = ["", "claim", "was → now", "smallest failing size", "what fails", "mend"]
    return [*grid(headers, rows), "", *([f"… and {rest} more.", ""] if rest > 0 else [])]


def _row(one: Finding, place: Spot | None) -> list[str]:
    example = one.statement["counterexample"] if one.statement is not None else None
    was = f"{one.change.was or 'new'} → " if one.change else ""
    said = "; ".join(one.mends)
    return [
        MARKS[one.level],
        code(one.id) + (f" ({code(f'{place.path}:{place.line}')})" if place else ""),
        f"{was}{one.verdict}",
        escaped(at_sizes(example["sizes"])) if example else "",
        escaped(_short(one.why)),
        escaped(_short(said)),
    ]


def _short(text: str) -> str:
    return text if len(text) <= ROOM else f"{text[: ROOM - 1]}…"
