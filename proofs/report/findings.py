"""What a pull request is told: each verdict that changed, else what is open or wrong; where, why, and what holds.

SARIF, GitHub's annotations and the job's summary say these in their own forms.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Literal, NamedTuple

from .baseline import Change
from .standing import Blame, statements
from .words import (
    Record,
    as_expected,
    caveats,
    fault,
    is_mended,
    mend,
    one_line,
    suffix,
    unmet,
    verdict_beside,
    verdict_said,
    verdict_words,
)

Level = Literal["error", "warning", "note"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")


class Spot(NamedTuple):
    """A line of a file, named from the root of the repository."""

    path: str
    line: int


class Finding(NamedTuple):
    """A statement of which something is to be said; without claim and statement where it is missing now."""

    id: str
    claim: Record | None
    statement: Record | None
    change: Change | None
    blame: Blame | None
    known: bool = False
    """Whether it is as it was in the baseline, and no cause to fail."""

    @property
    def verdict(self) -> str:
        """Its verdict in words, or that it is missing."""
        return "missing" if self.statement is None else verdict_words(self.statement)

    @property
    def level(self) -> Level:
        """An error is what keeps the exit code from 0; a note is what stands well, or better than before."""
        if self.blame is not None:
            return "error"
        doubtful = self.statement is not None and caveats(self.statement)
        well = self.as_expected or (self.change and self.better)
        if self.verdict in ("refuted", "unknown") and not well:
            return "warning"
        return "warning" if doubtful else "note"

    @property
    def as_expected(self) -> bool:
        """Whether its author expects this verdict, so that it is no news."""
        return self.statement is not None and as_expected(self.statement)

    @property
    def unexpected(self) -> bool:
        """Whether its author expects another verdict."""
        return self.statement is not None and bool(unmet(self.statement))

    @property
    def better(self) -> bool:
        """Whether it stood worse before."""
        return self.change is not None and self.change.was is not None and not self.change.worse

    @property
    def headline(self) -> str:
        """One line: "mypaper.eq1 was proved, is refuted"."""
        words = self.verdict if self.statement is None else verdict_beside(self.statement)
        said = f"{self.change or f'is {self.verdict}'}{words.removeprefix(self.verdict)}"
        return f"{self.id} {said}"

    @property
    def why(self) -> str:
        """What keeps it from being proved; nothing where it is."""
        said = [fault(self.statement), *caveats(self.statement)] if self.statement else []
        return "; ".join(text for text in said if text)

    @property
    def mends(self) -> list[str]:
        """For what is refuted: the amendments that are proved, else the first mend, else near misses."""
        if self.statement is None or self.claim is None or self.verdict != "refuted":
            return []
        if self.statement is self.claim["as_stated"] and is_mended(self.claim):
            proved = [a for a in self.claim["amended"] if a["verdict"] == "proved"]
            return [
                f"what holds ({suffix(a, self.claim)}, {verdict_said(a)}): {one_line(a['statement'])}"
                for a in proved
            ]
        found = [f"mend: {mend(one)}" for one in self.statement.get("mends", ())[:1]]
        return found or [f"near miss: {one_line(text)}" for text in self.statement["near_misses"]]

    @property
    def written(self) -> str | None:
        """Where the statement is, or was, written down, as the report has it."""
        if self.statement is None:
            return self.change.written if self.change else None
        return self.statement.get("written")


def findings(
    report: Record, blamed: Mapping[str, Blame], changes: Mapping[str, Change] | None
) -> list[Finding]:
    """The statements of which something is to be said, in the report's order.

    Args:
        report: what `scanproof.check` returned.
        blamed: what keeps the exit code from 0, as `standing.blames` gives it.
        changes: against a baseline, as `baseline.changes` gives them; None where there is none. With one, what is open
            or wrong as it was is `known`.
    """
    found = []
    known = set()
    for claim in report["claims"]:
        for statement, amends in statements(claim):
            id = statement["id"]
            known.add(id)
            change, blame = (changes or {}).get(id), blamed.get(id)
            if change or blame or _open(claim, statement, amends):
                known_before = changes is not None and not change and not blame
                found.append(Finding(id, claim, statement, change, blame, known_before))
    gone = {id: change for id, change in (changes or {}).items() if id not in known}
    return found + [Finding(id, None, None, c, blamed.get(id)) for id, c in gone.items()]


def _open(claim: Record, statement: Record, amends: bool) -> bool:
    if is_mended(claim) and (amends or statement["verdict"] == "refuted"):
        return False
    news = statement["verdict"] in ("refuted", "unknown") and not as_expected(statement)
    return news or bool(caveats(statement))


def spot(written: str | None, prefix: str = "") -> Spot | None:
    """The file and line that a report names.

    Args:
        written: file and line, the file named from the folder in which the check ran.
        prefix: that folder, named from the root of the repository: "" or "some/folder".
    """
    path, _, line = (written or "").rpartition(":")
    if not path or not line.isdecimal():
        return None
    return Spot(posixpath.normpath(posixpath.join(prefix, path)), max(int(line), 1))
