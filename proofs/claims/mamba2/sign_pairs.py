"""Sign pairs: four signed heads of the block, SiLU and all, are one head of linear attention."""

from __future__ import annotations

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import ssd
from scanproof.constructs.layers.mamba2_block import silu

from ...language.statements import equal
from .source import mamba2


@mamba2.claim(
    "mamba2.sign-pairs",
    where="activation",
    says=(
        "heads with values silu(±v), keys [silu(b); silu(−b)] and queries [silu(c); silu(−c)] or crossed "
        "[silu(−c); silu(c)] add up, with signs, to the head with values v, keys b and queries c; so do their states"
    ),
    given={"v": "T m", "b": "T s", "c": "T s", "decay": "T"},
    sizes={"T": (1, 2), "m": (1,), "s": (1, 2)},
    reading=(
        "With silu(u) − silu(−u) for v, b and c on the right, which is u by mamba2.silu-pair; any decays. The proof "
        "takes SiLU for a function of which nothing is known."
    ),
    depends_on=("mamba2.silu-pair",),
)
def sign_pairs(v, b, c, decay, xp):
    def run(values, keys, queries):
        state = xp.zeros((values.shape[1], keys.shape[1]))
        return scan(ssd.step, None, state, ssd.Token(values, decay, keys, queries))

    def pair(u, sign=1):
        return xp.concat([silu(sign * u), silu(-sign * u)], axis=1)

    def odd(u):
        return silu(u) - silu(-u)

    s = b.shape[1]
    same, crossed = (
        [run(silu(sign * v), pair(b), pair(c, order)) for sign in (1, -1)] for order in (1, -1)
    )
    whole = run(odd(v), odd(b), odd(c))
    outputs = same[0].outputs - same[1].outputs - (crossed[0].outputs - crossed[1].outputs)
    yield equal(outputs, whole.outputs, label="outputs")
    signed = same[0].final_state - same[1].final_state
    yield equal(signed[:, :s] - signed[:, s:], whole.final_state, label="states")
