"""What is drawn, whatever draws it: lines with labels, in panels, with the words that a reader needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

DIGITS = 6
"""Significant digits of what is drawn, so that rounding in the last place does not change a picture."""
NOTHING = 1e-14
"""What is smaller is rounding, and is left out of an axis of logarithms."""


class Line(NamedTuple):
    """One curve."""

    label: str
    """What the legend calls it; nothing if empty."""
    x: Sequence[float]
    y: Sequence[float]
    role: str = "measured"
    """"measured", "bound" (dashed), "beside" (dash-dotted) or "guide" (thin, grey and dotted)."""
    like: int | None = None
    """The place of the line whose colour it has; a colour of its own if not given."""


@dataclass(frozen=True)
class Panel:
    """One set of axes."""

    title: str
    x: str
    y: str
    lines: Sequence[Line]
    x_log: bool = False
    y_log: bool = True
    marks: Sequence[tuple[float, str]] = ()
    """Upright lines with what they mean."""


@dataclass(frozen=True)
class Maps:
    """Matrices side by side as heat maps, with one scale of colours, which is 0 in the middle."""

    title: str
    matrices: Sequence[tuple[str, np.ndarray]]
    """What each is called, and its entries."""


@dataclass(frozen=True)
class Picture:
    """Panels in reading order, with a title and a sentence that says what data they show."""

    id: str
    title: str
    note: str
    panels: Sequence[Panel | Maps]


def shown(values: Sequence[float], log: bool) -> np.ndarray:
    """Numbers rounded to `DIGITS`; what an axis of logarithms cannot show is NaN."""
    found = [float(f"{value:.{DIGITS}g}") for value in values]
    array = np.asarray(found, dtype=float)
    return np.where(array > NOTHING, array, np.nan) if log else array
