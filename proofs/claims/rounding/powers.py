"""What powers of 1 + u come to where few roundings are made."""

from __future__ import annotations

from scanproof.constructs.arrays.rounded import growth

from ...language.statements import at_most
from .source import rounding


@rounding.claim(
    "rounding.gamma",
    kind="bound",
    says="M roundings come to at most 2Mu: (1 + u)^M − 1 ≤ 2Mu for all M with 2Mu ≤ 1",
    given={"u": ""},
    sizes={"M": (1, 2, 3)},
    assuming={
        "u ≥ 0": lambda u: at_most(0, u),
        "2Mu ≤ 1": lambda u, M: at_most(2 * M * u, 1),
    },
    reading=(
        "So in rounding.chunked-unit-gate the states are off by at most 2 (C + T/C + 1) u Σ |v_s| ⊗ |k_s| and "
        "underflow. Without the second condition (1 + u)^M (1 − Mu) ≤ 1, so (1 + u)^M − 1 ≤ Mu/(1 − Mu) where Mu < 1."
    ),
)
def gamma(u, M):
    grown = growth(u, M)
    yield at_most(grown * (1 - M * u), 1, label="(1 + u)^M (1 − Mu) ≤ 1")
    yield at_most(grown, 2, label="(1 + u)^M ≤ 2")
    yield at_most(grown - 1, 2 * M * u, label="the bound")
