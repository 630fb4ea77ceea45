"""The largest prediction of gradient descent over a domain: one that is attained, and one that none exceeds.

After L steps of η on ½ Σ_j ‖Wᵀx_j − y_j‖² the prediction for a query x is xᵀ(q(G)W0 + p(G)S), with q(g) = (1 − ηg)^L,
g p(g) = 1 − q(g) and G = AᵀA, S = Aᵀy for the examples' inputs A. Because ‖p(G)Aᵀ‖ is the largest √g p(g), for t = ηg,

    |prediction| ≤ ‖x‖ (max_t |1 − t|^L ‖w‖ + √(nη) Y max_t |1 − (1 − t)^L| / √t),   0 ≤ t ≤ η min(λ, n‖x_j‖²).

Examples that are all alike, with the query in their direction and all targets Y, attain it for W0 = 0: also targets
that are linear in x.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

POINTS, SMALLEST = 2**14, 2.0**-20
"""Values of t that are tried, from that part of 1/L² on."""
INWARD, OUTWARD = 1 - 2.0**-20, 1 + 2.0**-20
"""For rounding: (1 − t)^L is computed to within far less for any L that a model has."""


class Largest(NamedTuple):
    """What is known of the largest |prediction|."""

    attained: float
    """Some data of the domain have this prediction, or a larger one."""
    proved: float
    """No data of the domain have a larger one; infinite where steps may grow beyond all numbers."""


@np.errstate(all="ignore")
def largest(
    examples: int,
    norm: float,
    target: float,
    curvature: float,
    eta: float,
    steps: int,
    along: float = 0.0,
    start: float = 0.0,
) -> Largest:
    """The largest prediction of a target.

    Args:
        examples: n.
        norm: of the query and every example, at most; examples that are all alike may have it, and the query too.
        target: Y ≥ |y_j|.
        curvature: at least the largest eigenvalue of Σ_j x_j x_jᵀ.
        eta: the factor of the summed gradient.
        steps: L.
        along: the part of W0 in the direction in which examples and query may have that norm.
        start: ‖W0‖.
    """
    end = eta * min(curvature, examples * norm * norm)
    if not 0 < end < math.inf:
        return Largest(0.0, math.inf)
    t = _curvatures(end, steps)
    scale = math.sqrt(examples * eta) * target
    inside = t * INWARD**2
    found = norm * (
        np.abs(1 - inside) ** steps * along
        + scale * np.abs(1 - (1 - inside) ** steps) / np.sqrt(inside)
    )
    attained = float(found[np.isfinite(found)].max(initial=norm * along)) * INWARD
    proved = norm * weights(examples, norm, target, curvature, eta, steps, start)
    return Largest(min(attained, proved), proved)


@np.errstate(all="ignore")
def weights(
    examples: int,
    norm: float,
    target: float,
    curvature: float,
    eta: float,
    steps: int,
    start: float = 0.0,
) -> float:
    """What ‖w‖ of a target is at most after L ≥ 0 steps on any data of the domain; arguments as for `largest`."""
    end = eta * min(curvature, examples * norm * norm)
    if not 0 < end < math.inf or not steps:
        return math.inf if steps else start * OUTWARD
    t, scale = _curvatures(end, steps), math.sqrt(examples * eta) * target
    left, learned = np.abs(1 - t) ** steps, np.abs(1 - (1 - t) ** steps)
    # Between two t the numerator is monotone except at 1, where it is 1, and below the first t it is at most L t.
    most = np.maximum(np.maximum(learned[:-1], learned[1:]), 1.0 * ((t[:-1] < 1) & (t[1:] > 1)))
    steep = max(steps * math.sqrt(t[0]), float((most / np.sqrt(t[:-1])).max()))
    found = max(1.0, float(left.max())) * start + scale * steep
    return found * OUTWARD if not math.isnan(found) else math.inf


def _curvatures(end: float, steps: int) -> np.ndarray:
    """Values of t = ηg up to the largest."""
    return np.geomspace(min(end, SMALLEST / steps**2), end, POINTS)
