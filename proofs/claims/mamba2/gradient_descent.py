"""Stacks of ideal blocks do gradient descent, step by step, from weights that the tokens carry."""

from __future__ import annotations

from scanproof.constructs.constructions import mamba2_gd
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.tokens import mamba2 as mamba2_tokens

from ...language.learns import learns_in_steps
from ...language.statements import equal
from .source import mamba2

GIVEN = {"x": "n+1 d", "y": "n 1", "W0": "d 1", "eta": ""}
SIZES = {"n": (1, 2), "d": (1, 2), "L": (1, 2)}
IDEAL = (
    "Ideal blocks have the limits of mamba2.decay and mamba2.rms-norm: norms multiply by their weight, dt is its "
    "projection plus dt_bias, the decay is A_log; the gate is 1 and the activation ½z. What else an activation a with "
    "a(z) − a(−z) = z has cancels by mamba2.silu-blocks."
)
DEPENDS = ("mamba2.silu-blocks", "mamba2.decay", "mamba2.rms-norm")


@mamba2.claim(
    "mamba2.silu-blocks",
    kind="construction",
    says="a block of mamba2.gd, the step as the prediction, is the same with SiLU as with ½z, whatever its tokens",
    given={"rows": "2 6", "eta": "", "W0": "1 1"},
    parameters=mamba2_gd.LABELLED.parameters,
    reading=(
        "Two tokens with one feature, all else as in mamba2.gd; for any numbers of both mamba2.sign-pairs shows it of "
        "the heads."
    ),
    depends_on=("mamba2.silu-pair", "mamba2.sign-pairs"),
)
def silu_blocks(p, rows, xp):
    heads = mamba2_gd.least(mamba2_tokens.labelled_layout(1)).heads
    half = mamba2_gd.HALF
    for block, label in ((p.step, "step"), (p.last, "prediction")):
        released, ideal = (
            mamba2_block.block(block, heads, rows, xp.asarray(0), parts)
            for parts in (half._replace(activation=mamba2_block.silu), half)
        )
        yield equal(released, ideal, label=label)


mamba2.claim(
    "mamba2.gd",
    kind="construction",
    says=(
        "L + 1 blocks on tokens (x_j, y_j, is_query) predict Wᵀx for the query, W after L steps of gradient descent "
        "from W0 on the n examples before it"
    ),
    given=GIVEN,
    sizes=SIZES,
    construction=mamba2_gd.LABELLED,
    reading=f"{IDEAL} The query is no example: its flag makes dt 0.",
    depends_on=DEPENDS,
)(learns_in_steps)


mamba2.claim(
    "mamba2.gd-concatenated",
    kind="construction",
    says=(
        "L + 1 blocks on tokens (x_t, y_t, x_{t+1}) predict at every t for x_{t+1} after L steps from W0 on the first "
        "t examples"
    ),
    given=GIVEN,
    sizes=SIZES,
    construction=mamba2_gd.CONCATENATED,
    reading=IDEAL,
    depends_on=DEPENDS,
)(learns_in_steps)


mamba2.claim(
    "mamba2.gd-interleaved",
    kind="construction",
    says=(
        "L + 1 blocks on the stream x_1, y_1, x_2, …, x_{n+1}, whose convolutions hold the last three tokens, predict "
        "at every x_{t+1} after L steps from W0 on the first t examples"
    ),
    given=GIVEN,
    sizes=SIZES,
    construction=mamba2_gd.INTERLEAVED,
    reading=IDEAL,
    depends_on=(*DEPENDS, "mamba2.convolution"),
)(learns_in_steps)


mamba2.claim(
    "mamba2.gd-vector",
    kind="construction",
    says="with two targets, tokens carry two weight vectors and a block has twice the groups: mamba2.gd for each",
    given={"x": "n+1 d", "y": "n 2", "W0": "d 2", "eta": ""},
    sizes={"n": (1, 2), "d": (1, 2), "L": (2,)},
    construction=mamba2_gd.TWO_TARGETS,
    reading=IDEAL,
    depends_on=DEPENDS,
)(learns_in_steps)
