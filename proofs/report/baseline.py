"""Comparing a report with a former one: which verdicts changed, and which statements stand worse than they did."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scanproof.constructs.errors import UsageError

from .standing import statements
from .words import Record, as_expected, verdict_words

SCHEMA = "scanproof.report/1"
LIMIT = 64 * 2**20
"""No report is as large as this many bytes; a larger file is something else."""
RANKS = {
    "error": 0,
    "refuted": 1,
    "unknown": 2,
    "not-checkable": 2,
    "supported": 3,
    "proved at fixed sizes": 4,
    "proved": 5,
}

Selected = Callable[[str, str], bool]
"""Whether a claim with this id, of this source, was to be checked this time."""


def read(path: Path) -> dict[str, Any]:
    """A former report, looked at closely enough to be compared.

    Raises:
        UsageError: if the file is missing, unreadable, too large, not JSON or not such a report.
    """
    try:
        size = path.stat().st_size
        if size > LIMIT:
            raise UsageError(f"--baseline {path}: {size} bytes; a report has at most {LIMIT}.")
        report = json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(f"--baseline {path}: {error.strerror or error}; {_HELP}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--baseline {path}: not JSON ({error}); {_HELP}") from error
    problem = _problem(report)
    if problem:
        raise UsageError(f"--baseline {path}: {problem}; {_HELP}")
    return report


_HELP = "give a report that `scanproof check --format json` wrote."


def _problem(report: Any) -> str | None:
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        got = report.get("schema") if isinstance(report, dict) else type(report).__name__
        return f"its schema is {got!r}, not {SCHEMA!r}"
    if not isinstance(report.get("claims"), list):
        return "it has no list of claims"
    for number, claim in enumerate(report["claims"]):
        if not isinstance(claim, dict) or not all(
            isinstance(claim.get(k), str) for k in ("id", "source")
        ):
            return f"claims[{number}] has no id and source"
        amended = claim.get("amended")
        if not isinstance(amended, list):
            return f"claim {claim['id']} has no list of amendments"
        for statement in (claim.get("as_stated"), *amended):
            if not isinstance(statement, dict) or not isinstance(statement.get("id"), str):
                return f"claim {claim['id']} has a statement without an id"
            if "scope" not in statement or verdict_words_of(statement) not in RANKS:
                return f"{statement['id']} has the verdict {statement.get('verdict')!r}"
        written = [s.get("written") for s in (claim["as_stated"], *amended)]
        if not all(one is None or isinstance(one, str) for one in written):
            return f"claim {claim['id']} is written down at no file and line"
    return None


def verdict_words_of(statement: dict[str, Any]) -> str | None:
    """The verdict in words, or None where there is none."""
    return verdict_words(statement) if isinstance(statement.get("verdict"), str) else None


class Change(NamedTuple):
    """A statement's verdict in a former report and now; None where it is not there."""

    was: str | None
    now: str | None
    written: str | None = None
    """Where it was written down, of one that is missing now."""
    as_expected: bool = False
    """Whether its author expects what it is now."""

    @property
    def worse(self) -> bool:
        """Whether it stands worse than it did; what is missing does, but for what failed.

        What is new does not, nor what is as expected.
        """
        if self.was is None or self.as_expected:
            return False
        if self.now is None:
            return RANKS[self.was] > RANKS["refuted"]
        return RANKS[self.now] < RANKS[self.was]

    def __str__(self) -> str:
        if self.was is None:
            return f"is new: {self.now}"
        return f"was {self.was}, is {self.now or 'missing'}"


def changes(former: Record, report: Record, selected: Selected) -> dict[str, Change]:
    """The ids whose verdict is another one than in `former`, what is new and what is missing, in the reports' order.

    Only claims that were `selected` this time are compared.
    """
    now = {s["id"]: s for claim in report["claims"] for s, _ in statements(claim)}
    before: dict[str, Record] = {
        s["id"]: s
        for claim in former["claims"]
        if selected(claim["id"], claim["source"])
        for s, _ in statements(claim)
    }
    found = {}
    for id, statement in now.items():
        verdict = verdict_words(statement)
        was = verdict_words(before[id]) if id in before else None
        if was != verdict:
            found[id] = Change(was, verdict, as_expected=as_expected(statement))
    for id, statement in before.items():
        if id not in now:
            written = statement.get("written")
            found[id] = Change(verdict_words(statement), None, written)
    return found


def worse(found: Mapping[str, Change]) -> dict[str, str]:
    """The ids that stand worse, with the change in words."""
    return {id: str(change) for id, change in found.items() if change.worse}
