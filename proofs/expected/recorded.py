"""Recorded results of trained models: JSON that `scanproof reproduce ROW --quick` or `--full` writes, read as data.

    {"schema": "scanproof.trained/1", "row": "gril.table6", "preset": "full", "seeds": [0, 1, 2],
     "figures": {"gril": {"mean": 0.2063, "spread": 0.0004, "values": [0.2061, 0.2067, 0.2061]}},
     "device": "cpu", "versions": {"jax": "0.10.0"}}

Other fields may stand beside these. A figure's name is that of the row in `rows`. Only a full run can speak
against a row.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scanproof.constructs.errors import UsageError

SCHEMA = "scanproof.trained/1"
FOLDER = Path(__file__).resolve().parents[2] / "numeric" / "reproduce" / "results"
"""Beside what trains, which this room does not import."""
PRESETS = ("full", "quick")
"""Best first."""


@dataclass(frozen=True)
class Trained:
    """One figure of models that were trained: a mean over seeds."""

    mean: float
    spread: float
    seeds: int

    def __str__(self) -> str:
        return f"{self.mean:.4g} ± {self.spread:.2g}, {self.seeds} seed{'s'[: self.seeds != 1]}"


@dataclass(frozen=True)
class Results:
    """What is recorded of one row."""

    preset: str
    device: str
    figures: dict[str, Trained]
    file: Path


def file_of(row: str, preset: str, folder: Path = FOLDER) -> Path:
    """Where results of a row are recorded."""
    return folder / f"{row}.{preset}.json"


def results_of(
    row: str, folder: Path = FOLDER, presets: tuple[str, ...] = PRESETS
) -> Results | None:
    """The results of the best preset that is recorded, or None.

    Raises:
        UsageError: for a file that is not such a record, or of another row.
    """
    for preset in presets:
        file = file_of(row, preset, folder)
        if file.is_file():
            return _read(file, row, preset)
    return None


def _read(file: Path, row: str, preset: str) -> Results:
    try:
        found = json.loads(file.read_text("utf-8"))
        if (found["schema"], found["row"], found["preset"]) != (SCHEMA, row, preset):
            raise ValueError(f"it is no {SCHEMA} of {row}, preset {preset}")
        figures = {name: _figure(one) for name, one in found["figures"].items()}
        return Results(preset, str(found["device"]), figures, file)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        why = f"no field {error}" if isinstance(error, KeyError) else error
        raise UsageError(
            f"{file.name}: expects the record of a training run, got {why}; run `scanproof reproduce {row}` again."
        ) from error


def _figure(one: dict[str, Any]) -> Trained:
    mean, spread, values = float(one["mean"]), float(one["spread"]), one["values"]
    if not (math.isfinite(mean) and math.isfinite(spread) and spread >= 0 and values):
        raise ValueError(f"mean {mean}, spread {spread}, {len(values)} values")
    return Trained(mean, spread, len(values))
