"""What `scanproof reproduce` prints of a row: printed | exact expected | trained here | verdict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scanproof.proofs.check.measured import measured
from scanproof.proofs.expected.recorded import FOLDER, PRESETS, Results, results_of
from scanproof.proofs.expected.rows import EmpiricalRow, Figure, compared, measurement, trained

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
                {"says": one.says, "needs": list(one.needs), "holds": self._holds(one)}
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
                "printed": None if printed is None else compared(one)[1],
                "trained": trained(one, self.recorded)[1] if one.trained else None,
            },
        }

    def _holds(self, relation: Any) -> bool | None:
        if self.recorded is None or not set(relation.needs) <= set(self.recorded.figures):
            return None
        holds = relation.holds(self.recorded.figures)
        return None if not holds and self.recorded.preset == "quick" else holds


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
