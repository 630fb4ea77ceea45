"""A picture of any claim with a bound: both sides over each of its scalar symbols and sizes, from its own body."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.exact.instance import shapes
from scanproof.proofs.language.claim import Claim

from ..tightness.hypotheses import Hypotheses, Values, hypotheses
from ..tightness.report import with_bounds
from .panel import Line, Panel, Picture
from .values import Sides, sides

SCALARS = tuple(2.0**k for k in range(-8, 3))
"""The values of a scalar symbol, times its sign."""
REACH = 7
"""How far above its least value a size goes."""
MOST = 4
"""The most statements that are drawn; of more only the one whose bound is nearest."""
TRIES = 60
WIDTH = 80
"""Letters of a line below a panel."""
GREEK = {"eta": "η", "eps": "ε", "beta": "β", "alpha": "α", "lambda": "λ", "theta": "θ"}


def picture(claim: Claim, seed: int = 0) -> Picture:
    """Left and right sides of a claim's bounds at inputs drawn with a fixed seed.

    Raises:
        UsageError: if the claim has no bound, or no inputs were found that meet its conditions.
    """
    if not with_bounds(claim):
        raise UsageError(
            f"plot {claim.id}: this statement has nothing to plot: no bound left ≤ right that depends on numbers; "
            "`scanproof list` shows which rows are of the kind bound."
        )
    base = _base(claim)
    data = _Data(claim, seed)
    inputs = data.at(base)
    if inputs is None:
        raise UsageError(
            f"plot {claim.id}: no inputs were found that meet its conditions: {'; '.join(claim.assuming)}."
        )
    of = hypotheses(claim, base)
    scalars = [name for name in of.free if inputs[name].shape == ()]
    panels = [_over_scalar(of, name, inputs) for name in scalars]
    for name, values in claim.ranges.items():
        if len(values) > 1:
            panels.append(_over_size(claim, name, base, data))
    columns = min(2, len(panels))
    said = textwrap.fill(claim.says, WIDTH * columns)
    fixed = ", ".join(
        f"{_letter(n)} = {v:.3g}"
        for n, v in {**base, **{n: float(inputs[n]) for n in scalars}}.items()
    )
    return Picture(
        claim.id,
        claim.id,
        f"{said}\n"
        + textwrap.fill(
            f"Inputs drawn once; the entry where left/right is largest. {fixed}.", WIDTH * columns
        ),
        [panel for panel in panels if panel.lines],
    )


def _base(claim: Claim) -> dict[str, int]:
    """The largest sizes at which the claim is checked, but none above 3."""
    every = claim.every_size
    small = [s for s in every if all(v <= 3 for v in s.values())]
    return (small or every[:1])[-1]


class _Data:
    """Inputs for any sizes: those of smaller sizes are a part of those of larger ones."""

    def __init__(self, claim: Claim, seed: int) -> None:
        self.claim = claim
        self.seed = seed

    def at(
        self, sizes: Mapping[str, int], keep: Mapping[str, np.ndarray] | None = None
    ) -> Values | None:
        """Free symbols that meet the conditions, scalars being those of `keep`; None if there are none."""
        of = hypotheses(self.claim, sizes)
        for attempt in range(TRIES if of.tried else 1):
            drawn = {
                name: self._one(of, name, place, attempt) for place, name in enumerate(of.free)
            }
            drawn |= {n: a for n, a in (keep or {}).items() if n in drawn and a.shape == ()}
            fitted = of.fitted(drawn)
            if fitted is not None and of.holds(of.complete(fitted, np)):
                return fitted
        return None

    def _one(self, of: Hypotheses, name: str, place: int, attempt: int) -> np.ndarray:
        dims = shapes(self.claim, of.sizes)[name]
        rng = np.random.default_rng([self.seed, place, attempt])
        if not dims:
            size = np.asarray(rng.uniform(0.2, 0.5))
            return size if name in of.signs or attempt % 2 == 0 else -size
        # One number after the other along the first axis, so that a longer array begins with the shorter one.
        width = prod(dims[1:])
        rows = [
            np.random.default_rng([self.seed, place, attempt, i]).normal(size=width)
            for i in range(dims[0])
        ]
        return np.asarray(rows).reshape(dims) / 2


def _over_scalar(of: Hypotheses, name: str, inputs: Values) -> Panel:
    sign = float(np.sign(inputs[name])) or 1.0
    found = [sides(of, {**inputs, name: np.asarray(sign * value)}) for value in SCALARS]
    shown = _letter(name) if sign > 0 else f"−{_letter(name)}"
    return Panel(f"Over {_letter(name)}", shown, "left, right", _lines(SCALARS, found), x_log=True)


def _over_size(claim: Claim, name: str, base: Mapping[str, int], data: _Data) -> Panel:
    least = min(claim.ranges[name])
    ranges = {**{n: (v,) for n, v in base.items()}, name: range(least, least + REACH + 1)}
    keep = data.at(base)
    values, found = [], []
    for sizes in replace(claim, sizes=ranges).every_size:
        inputs = data.at(sizes, keep)
        values.append(sizes[name])
        found.append(None if inputs is None else sides(hypotheses(claim, sizes), inputs))
    return Panel(f"Over {_letter(name)}", _letter(name), "left, right", _lines(values, found))


def _lines(x: Sequence[float], found: Sequence[list[Sides] | None]) -> list[Line]:
    """A pair of lines for each statement; where the conditions fail there is no point."""
    most = max((len(s) for s in found if s is not None), default=0)
    if most == 0:
        return []
    if most > MOST:
        found = [s and [max(s, key=lambda one: one.ratio)] for s in found]
        most = 1
    lines: list[Line] = []
    for place in range(most):
        of = [s[place] if s is not None and len(s) > place else None for s in found]
        label = next((s.label for s in of if s is not None), "")
        name = f" ({label or place + 1})" if most > 1 else ""
        left = [np.nan if s is None else s.left for s in of]
        right = [np.nan if s is None else s.right for s in of]
        lines.append(Line(f"left{name}", x, left))
        lines.append(Line(f"right{name}", x, right, "bound", len(lines) - 1))
    return lines


def _letter(name: str) -> str:
    return GREEK.get(name, name)
