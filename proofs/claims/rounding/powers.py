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
        "rounding.chunked-first-order has less for the power of rounding.chunked-unit-gate. Without the second "
        "condition (1 + u)^M (1 − Mu) ≤ 1, so (1 + u)^M − 1 ≤ Mu/(1 − Mu) where Mu < 1."
    ),
)
def gamma(u, M):
    grown = growth(u, M)
    yield at_most(grown * (1 - M * u), 1, label="(1 + u)^M (1 − Mu) ≤ 1")
    yield at_most(grown, 2, label="(1 + u)^M ≤ 2")
    yield at_most(grown - 1, 2 * M * u, label="the bound")


@rounding.claim(
    "rounding.chunked-first-order",
    kind="bound",
    says=(
        "the state of linear attention after T = nC tokens in n chunks of C, off by ((1 + u)^{C+T/C+1} − 1) A + L as "
        "rounding.chunked-unit-gate says, A = Σ_s |v_s| ⊗ |k_s|, is off by at most (C + T/C + 2) u A + L, for all "
        "T and C with 2 (C + T/C + 1)² u ≤ 1"
    ),
    given={"off": "", "A": "", "L": "", "u": ""},
    sizes={"C": (1, 2), "n": (1, 2)},
    assuming={
        "u ≥ 0": lambda u: at_most(0, u),
        "A ≥ 0": lambda A: at_most(0, A),
        "2 (C + n + 1)² u ≤ 1": lambda u, C, n: at_most(2 * (C + n + 1) * u * (C + n + 1), 1),
        "|Ŝ − S| ≤ ((1 + u)^{C+n+1} − 1) A + L": lambda off, A, L, u, C, n: at_most(
            off, (growth(u, C) * growth(u, 1) * growth(u, n) - 1) * A + L
        ),
    },
    reading=(
        "Of one entry: `off` stands for |Ŝ − S|, and A may be any number ≥ 0. L is what underflow takes, "
        "(2C (1 + u)^C + 1) n (1 + u)^n η there. In float32 the condition on u allows C + T/C ≤ 2895, so two million "
        "tokens in chunks of 1448, in bfloat16 C + T/C ≤ 10. The third statement needs no such condition: the power is "
        "at most 1/(1 − (C + T/C + 1) u) where that is > 0."
    ),
)
def chunked_first_order(off, A, L, u, C, n, *, more=1):
    M, in_chunk, grown = C + n + 1, growth(u, C), growth(u, n)
    yield at_most(grown * (1 - n * u), 1, label="(1 + u)^n (1 − nu) ≤ 1")
    yield at_most(in_chunk * grown * (1 - (C + n) * u), 1, label="the same for C + n")
    power = in_chunk * grown * growth(u, 1)
    yield at_most(power * (1 - M * u), 1, label="and for M = C + n + 1")
    yield at_most(2 * M * u, 1, label="2Mu ≤ 1")
    yield at_most(power, 2, label="(1 + u)^M ≤ 2")
    yield at_most(power - 1, (M + more) * u, label="(1 + u)^M − 1 ≤ (M + 1) u")
    yield at_most(off, (M + more) * u * A + L, label="the bound")
