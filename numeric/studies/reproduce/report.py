"""What `scanproof reproduce` prints of a row: printed | exact expected | trained here | verdict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scanproof.proofs.check.measured import measured
from scanproof.proofs.expected.recorded import FOLDER, PRESETS, Results, results_of
from scanproof.proofs.expected.rows import (
    EmpiricalRow,
    Figure,
    compared,
    measurement,
    related,
    trained,
)
from scanproof.proofs.language.measurement import Finding

SCHEMA = "scanproof.reproduce/1"


@dataclass(frozen=True)
class Report:
    """One row, beside what is recorded of it."""

    row: EmpiricalRow
    recorded: Results | None
    verdict: str
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "id": self.row.id,
            "where": self.row.where,
            "setting": self.row.setting,
            "verdict": self.verdict,
            "reason": self.reason,
            "recorded": None
            if self.recorded is None
            else {"preset": self.recorded.preset, "device": self.recorded.device},
            "figures": [self._figure(one) for one in self.row.figures()],
            "relations": [
                {
                    "says": one.says,
                    "needs": list(one.needs),
                    "holds": related(one, self.recorded).holds,
                }
                for one in self.row.relations
            ],
        }

    def _figure(self, one: Figure) -> dict[str, Any]:
        found = None if self.recorded is None else self.recorded.figures.get(one.name)
        printed = one.printed
        return {
            "name": one.name,
            "says": one.says,
            "printed": None
            if printed is None
            else {
                "loss": str(printed.loss),
                "spread": None if printed.spread is None else str(printed.spread),
            },
            "expected": {"loss": str(one.expected), "decimal": float(one.expected), "of": one.of},
            "sampling_error": one.error,
            "trained": None
            if found is None
            else {"mean": found.mean, "spread": found.spread, "seeds": found.seeds},
            "agrees": {
                "printed": None if printed is None else compared(one, printed).holds,
                "trained": trained(one, self.recorded).holds if one.trained else None,
            },
        }

    def words(self, one: Figure) -> tuple[str, str]:
        """What is found of its printed loss and of the trained one, in a word; — if there is none to have."""
        printed = "—" if one.printed is None else _word(compared(one, one.printed))
        return printed, _word(trained(one, self.recorded)) if one.trained else "—"

    def said(self) -> list[tuple[str, str]]:
        """What is found of each sentence about several models, in a word, and the sentence."""
        return [(_word(related(one, self.recorded)), one.says) for one in self.row.relations]


def _word(found: Finding) -> str:
    """Yes or no, as the answer to whether figures agree."""
    return {True: "yes", False: "no", None: found.word}[found.holds]


def report(
    row: EmpiricalRow, folder: Path | None = None, *, presets: tuple[str, ...] = PRESETS
) -> Report:
    """The row beside the results that are recorded in a folder, by default those that come with scanproof.

    The verdict is that of `scanproof check`; a quick run is shown where there is no full one, or by the presets' order.

    Raises:
        UsageError: for a record that cannot be read.
    """
    at = FOLDER if folder is None else folder
    found = measured(lambda: measurement(row.id, at, presets=presets))
    recorded = results_of(row.id, at, presets)
    return Report(row, recorded, found.verdict, found.reason or "")
