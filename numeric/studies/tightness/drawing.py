"""Inputs to begin from: normal or small whole numbers, and aligned ones, where triangle inequalities are sharp."""

from __future__ import annotations

import numpy as np

from scanproof.proofs.exact.instance import shapes

from .hypotheses import Hypotheses, Values

SCALARS = (1e-3, 10.0)
"""The least and the largest absolute value of a scalar symbol, so that no ratio is that of rounding errors."""
ENTRIES = 4.0
"""The largest absolute value of an array's entry."""
KINDS = ("normal", "whole", "aligned", "equal", "orthogonal")
TRIES = 200
"""Draws of one start, where conditions can only be tried."""


def draw(rng: np.random.Generator, of: Hypotheses, kind: str) -> Values | None:
    """The free symbols as float64 arrays that meet the conditions; None where no draw was found that does.

    Args:
        rng: where they come from.
        of: the claim's conditions at its sizes.
        kind: "normal"; "whole" numbers from −2 to 2; "aligned": all vectors of one length are multiples of one of them
            and matrices are of rank one; "equal": rows are equal; "orthogonal": rows are unit vectors in turn.
    """
    for _ in range(TRIES if of.tried else 1):
        drawn = of.fitted(_drawn(rng, of, kind))
        if drawn is not None and of.holds(of.complete(drawn, np)):
            return drawn
    return None


def _drawn(rng: np.random.Generator, of: Hypotheses, kind: str) -> Values:
    dims = shapes(of.claim, of.sizes)
    directions = {n: rng.normal(size=n) for d in dims.values() for n in d}
    scale = 10.0 ** rng.uniform(-0.5, 0.5)
    found: Values = {}
    for name in of.free:
        if dims[name]:
            entries = scale * _entries(rng, dims[name], kind, directions)
            found[name] = np.clip(entries, -ENTRIES, ENTRIES)
        else:
            found[name] = np.asarray(_scalar(rng, kind, name in of.signs))
    return found


def _scalar(rng: np.random.Generator, kind: str, positive: bool) -> float:
    sign = 1.0 if positive else rng.choice([-1.0, 1.0])
    size = float(rng.integers(1, 4)) if kind == "whole" else 10.0 ** rng.uniform(-2, 0.5)
    return float(sign * size)


def _entries(
    rng: np.random.Generator,
    dims: tuple[int, ...],
    kind: str,
    directions: dict[int, np.ndarray],
) -> np.ndarray:
    if kind == "whole":
        return rng.integers(-2, 3, dims).astype(float)
    if kind == "aligned":
        last = directions[dims[-1]] / max(np.linalg.norm(directions[dims[-1]]), 1e-9)
        square = len(dims) > 1 and dims[-1] == dims[-2]
        if square:
            return rng.choice([-1.0, 1.0]) * np.broadcast_to(np.outer(last, last), dims)
        signs = rng.choice([-1.0, 1.0], dims[:-1]) if rng.random() < 0.5 else np.ones(dims[:-1])
        return signs[..., None] * last if len(dims) > 1 else rng.choice([-1.0, 1.0], dims)
    if kind == "equal":
        return np.broadcast_to(rng.normal(size=dims[-1:]), dims).copy()
    if kind == "orthogonal" and len(dims) > 1:
        return np.broadcast_to(np.eye(dims[-1])[np.arange(dims[-2]) % dims[-1]], dims).copy()
    return rng.normal(size=dims)
