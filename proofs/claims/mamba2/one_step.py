"""One ideal block does one step, and its recurrent state is the accumulated gradient."""

from __future__ import annotations

from scanproof.constructs.constructions import mamba2_gd
from scanproof.constructs.constructions.mamba2_pairs import accumulated
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.learners.accumulation import unscaled_gradient

from ...language.learns import learns_from
from ...language.statements import equal
from .gradient_descent import DEPENDS, IDEAL
from .source import mamba2

GIVEN = {"x": "n+1 d", "y": "n k", "W0": "d k", "eta": ""}
SIZES = {"n": (1, 2), "d": (1, 2), "k": (1, 2)}


mamba2.claim(
    "mamba2.one-step",
    kind="construction",
    says="one block on tokens (x_t, y_t, x_{t+1}) predicts at every t for x_{t+1} after one step from W0 on t examples",
    given=GIVEN,
    sizes=SIZES,
    construction=mamba2_gd.ONE_STEP,
    reading=IDEAL,
    depends_on=DEPENDS,
)(learns_from)


mamba2.claim(
    "mamba2.one-step-interleaved",
    kind="construction",
    says="one block on the stream x_1, y_1, x_2, …, x_{n+1} predicts at every x_{t+1} after one step from W0",
    given=GIVEN,
    sizes=SIZES,
    construction=mamba2_gd.ONE_STEP_INTERLEAVED,
    reading=IDEAL,
    depends_on=(*DEPENDS, "mamba2.convolution"),
)(learns_from)


@mamba2.claim(
    "mamba2.state",
    kind="construction",
    says="the block's recurrent state is −η times the gradient of ½ Σ ‖W0ᵀx_j − y_j‖² accumulated so far, transposed",
    given=GIVEN,
    sizes=SIZES,
    parameters=mamba2_gd.ONE_STEP.parameters,
    reading=(
        "The signed sum of the parts of the state, by values and by keys, as in mamba2.sign-pairs; the rows for y and "
        f"for −W0ᵀx add up. {IDEAL}"
    ),
    depends_on=DEPENDS,
)
def state(p, x, y, W0, eta, n, d, k):
    raw = mamba2_gd.ONE_STEP.seen(x, y)
    heads = mamba2_gd.least(raw.layout).heads
    stream = raw.rows @ p.encode_weight.T + p.encode_bias
    projected = mamba2_block.project(p.last, heads, stream, mamba2_gd.HALF)
    states, _ = mamba2_block.head(p.last, heads, 0, projected, mamba2_gd.HALF)
    signed = accumulated(states[n - 1], 2 * k, d)
    gradient = unscaled_gradient(W0, x[:n], y)
    return equal(signed[:k] + signed[k:], -eta * gradient.T)
