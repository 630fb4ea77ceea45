"""How a report stands: the exit code, and which statements are to blame for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from .words import Record, as_expected, fault, is_mended, one_line, unmet

CLEAN, FAILED, UNSETTLED, ERROR = 0, 1, 2, 3
"""Exit codes. Where several apply, an error counts before a failure, and that before what is unsettled."""


class Blame(NamedTuple):
    """Why a statement keeps the exit code from 0."""

    code: int
    why: str


def blames(
    report: Record,
    *,
    own: Collection[str] = (),
    strict: bool = False,
    worse: Mapping[str, str] | None = None,
    changed: Collection[str] | None = None,
) -> dict[str, Blame]:
    """The statements that keep the exit code from 0, by id.

    Args:
        report: what `scanproof.check` returned.
        own: ids of claims that a user's file asserts; a refuted one is a failure, as a refuted amendment is.
        strict: whether what is unknown, or refuted without a proved amendment, counts too.
        worse: ids that stand worse than in a former report, with the change in words.
        changed: ids whose verdict is not that of a former report, or None without one: what is as it was there is
            forgiven, but for errors and verdicts that are not as expected.
    """
    found: dict[str, Blame] = {}
    for claim in report["claims"]:
        for statement, amends in statements(claim):
            blame = _blame(claim, statement, amends or claim["id"] in own, strict)
            known = changed is not None and statement["id"] not in changed
            forgiven = known and not unmet(statement)
            if blame is not None and (blame.code == ERROR or not forgiven):
                found[statement["id"]] = blame
    for id, change in (worse or {}).items():
        if id not in found or found[id].code == UNSETTLED:
            found[id] = Blame(FAILED, change)
    return found


def statements(claim: Record) -> Iterator[tuple[Record, bool]]:
    """A claim's statements, each with whether it is an amendment."""
    yield claim["as_stated"], False
    for amendment in claim["amended"]:
        yield amendment, True


def _blame(claim: Record, statement: Record, asserted: bool, strict: bool) -> Blame | None:
    verdict = statement["verdict"]
    if verdict == "error":
        return Blame(ERROR, one_line(statement["reason"]))
    if unmet(statement):
        return Blame(FAILED, unmet(statement))
    if as_expected(statement):
        return None
    if verdict == "refuted" and asserted:
        return Blame(FAILED, fault(statement))
    if strict and verdict == "unknown":
        return Blame(UNSETTLED, f"unknown: {one_line(statement['reason'])}")
    if strict and verdict == "refuted" and not is_mended(claim):
        return Blame(UNSETTLED, f"refuted, and no amendment is proved: {fault(statement)}")
    return None


def exit_code(found: Mapping[str, Blame]) -> int:
    """The exit code that these blames call for."""
    codes = {blame.code for blame in found.values()}
    return next((code for code in (ERROR, FAILED, UNSETTLED) if code in codes), CLEAN)
