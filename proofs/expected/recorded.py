"""Recorded results of trained models: JSON that `scanproof reproduce ROW --quick` or `--full` writes, read as data.

    {"schema": "scanproof.trained/1", "row": "gril.table6", "preset": "full",
     "figures": {"gril": {"values": [0.2061, 0.2067, 0.2061], "mean": 0.2063, "spread": 0.0004, "steps": 4000,
                          "cosine": 0.999, "relative_l2": 0.03}},
     "device": "cpu"}

The mean and the spread are computed from the values, one for each seed; if they stand there too, they must be the same.
The names of figures whose training diverged stand with what it said under "diverged", if there are any.
The steps of training, the cosine to the explicit learner and the distance from it may be missing. Other fields may
stand beside these. A figure's name is that of the row in `rows`. Only a full run can speak against a row.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scanproof.constructs.errors import UsageError

from ..files.regular import contents
from ..files.strict_json import parse

SCHEMA = "scanproof.trained/1"
FOLDER = Path(__file__).resolve().parents[2] / "numeric" / "studies" / "reproduce" / "results"
"""Beside what trains, which this room does not import."""
PRESETS = ("full", "quick")
"""Best first."""
LARGEST = 2**20
"""Bytes of a record that is read."""
DIGITS = 1e-5
"""Of a stated mean or spread, relative to the largest value: records have six digits."""


@dataclass(frozen=True)
class Losses:
    """One figure of models that were trained alike but for the seed."""

    values: tuple[float, ...]
    """One for each seed."""
    steps: int | None = None
    """Of training, if they are recorded."""
    cosine: float | None = None
    """To the sensitivities of the explicit learner that it was compared with, if it was."""
    relative_l2: float | None = None
    """The distance of its predictions from that learner's, in units of the latter."""

    @property
    def seeds(self) -> int:
        """How many models were trained."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """Over seeds."""
        return statistics.fmean(self.values)

    @property
    def spread(self) -> float:
        """The standard deviation over seeds; 0 for one seed, which shows none."""
        return statistics.stdev(self.values) if self.seeds > 1 else 0.0

    def __str__(self) -> str:
        steps = "" if self.steps is None else f", {self.steps:,} step{'s'[: self.steps != 1]}"
        return (
            f"{self.mean:.4g} ± {self.spread:.2g}, {self.seeds} seed{'s'[: self.seeds != 1]}{steps}"
        )


@dataclass(frozen=True)
class Results:
    """What is recorded of one row."""

    preset: str
    device: str
    figures: dict[str, Losses]
    file: Path
    diverged: dict[str, str]
    """Of figures whose training ended in numbers that are not finite, what it said."""


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
    content = contents(file, LARGEST)
    try:
        found = parse(content)
        if (found["schema"], found["row"], found["preset"]) != (SCHEMA, row, preset):
            raise ValueError(f"it is no {SCHEMA} of {row}, preset {preset}")
        figures = {name: _figure(name, one) for name, one in found["figures"].items()}
        diverged = {name: _words(name, one) for name, one in found.get("diverged", {}).items()}
        if both := figures.keys() & diverged.keys():
            raise ValueError(f"figure {min(both)!r} both with losses and diverged")
        return Results(preset, str(found["device"]), figures, file, diverged)
    except KeyError as error:
        why: object = f"no field {error}"
    except (ValueError, TypeError, AttributeError, OverflowError) as error:
        why = error
    raise UsageError(
        f"{file.name}: expects the record of a training run, got {why}; run `scanproof reproduce {row}` again."
    )


def _words(name: str, one: Any) -> str:
    if not isinstance(one, str):
        raise ValueError(f"figure {name!r} diverged with what is no text")
    return one


def _figure(name: str, one: dict[str, Any]) -> Losses:
    values = one["values"]
    if not isinstance(values, list) or not values:
        raise ValueError(
            f"figure {name!r} with values that are no list of losses, one for each seed"
        )
    losses = tuple(_number(name, "values", value) for value in values)
    if min(losses) < 0:
        raise ValueError(f"figure {name!r} with a loss of {min(losses):g}: losses are squares")
    more = {
        field: _number(name, field, one[field])
        for field in ("cosine", "relative_l2")
        if one.get(field) is not None
    }
    steps = one.get("steps")
    if steps is not None and (isinstance(steps, bool) or not isinstance(steps, int) or steps < 0):
        raise ValueError(f"figure {name!r} with steps that are no number of steps")
    found = Losses(losses, steps, **more)
    for field, derived in (("mean", found.mean), ("spread", found.spread)):
        said = _number(name, field, one.get(field, derived))
        if abs(said - derived) > DIGITS * max(losses):
            raise ValueError(
                f"figure {name!r} with {field} {said:g}, and values of which it is {derived:g}"
            )
    return found


def _number(name: str, field: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"figure {name!r} with a number in {field!r} that is none")
    return float(value)
