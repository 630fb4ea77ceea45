"""One ideal block does one step, and its recurrent state is the accumulated gradient."""

from __future__ import annotations

from scanproof.constructs.constructions import mamba2_gd, mamba2_sizes
from scanproof.constructs.constructions.mamba2_pairs import accumulated
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.constructs.learners.descent import prefix_predictions
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.constructs.tokens import mamba2 as mamba2_tokens

from ...language.statements import equal
from .gradient_descent import DEPENDS, IDEAL
from .source import mamba2

GIVEN = {"x": "n+1 d", "y": "n k", "W0": "d k", "eta": ""}
SIZES = {"n": (1, 2), "d": (1, 2), "k": (1, 2)}


def _parameters(tokens):
    def parameters(xp, d, k, eta, W0):
        layout, widths = _ideal(tokens, d, k)
        return mamba2_gd.one_step(xp, layout, widths, mamba2_sizes.IDEAL, eta, W0)

    return parameters


def _ideal(tokens, d, k):
    layout = mamba2_tokens.LAYOUTS[tokens](d, k, weights=False)
    return layout, mamba2_sizes.minimal(layout, **mamba2_gd.shape(layout, in_one_block=True))


def _outputs(p, tokens, x, y, xp, d, k):
    layout, widths = _ideal(tokens, d, k)
    parts = mamba2_gd.ideal(lambda u: u - u)
    raw = layout.tokens(x, y)
    return mamba2_gd.predictions(p, widths, raw, 0, xp.asarray(0), parts)[layout.read]


@mamba2.claim(
    "mamba2.one-step",
    kind="construction",
    says="one block on tokens (x_t, y_t, x_{t+1}) predicts at every t for x_{t+1} after one step from W0 on t examples",
    given=GIVEN,
    sizes=SIZES,
    parameters=_parameters("concatenated"),
    reading=IDEAL,
    depends_on=DEPENDS,
)
def concatenated(p, x, y, W0, eta, xp, d, k):
    learned = prefix_predictions(HALF_SUM, W0, x, y, eta)
    return equal(_outputs(p, "concatenated", x, y, xp, d, k), learned)


@mamba2.claim(
    "mamba2.one-step-interleaved",
    kind="construction",
    says="one block on the stream x_1, y_1, x_2, …, x_{n+1} predicts at every x_{t+1} after one step from W0",
    given=GIVEN,
    sizes=SIZES,
    parameters=_parameters("interleaved"),
    reading=IDEAL,
    depends_on=(*DEPENDS, "mamba2.convolution"),
)
def interleaved(p, x, y, W0, eta, xp, d, k):
    learned = prefix_predictions(HALF_SUM, W0, x, y, eta)
    return equal(_outputs(p, "interleaved", x, y, xp, d, k), learned)


@mamba2.claim(
    "mamba2.state",
    kind="construction",
    says="the block's recurrent state is −η times the gradient of ½ Σ ‖W0ᵀx_j − y_j‖² accumulated so far, transposed",
    given=GIVEN,
    sizes=SIZES,
    parameters=_parameters("concatenated"),
    reading=(
        "The signed sum of the parts of the state, by values and by keys, as in mamba2.sign-pairs; the rows for y and "
        f"for −W0ᵀx add up. {IDEAL}"
    ),
    depends_on=DEPENDS,
)
def state(p, x, y, W0, eta, xp, n, d, k):
    layout, widths = _ideal("concatenated", d, k)
    parts = mamba2_gd.ideal(lambda u: u - u)
    stream = layout.tokens(x, y) @ p.encode_weight.T + p.encode_bias
    projected = mamba2_block.project(p.last, widths.heads, stream, parts)
    states, _ = mamba2_block.head(p.last, widths.heads, 0, projected, parts)
    signed = accumulated(states[n - 1], 2 * k, d)
    gradient = unscaled_gradient(W0, x[:n], y)
    return equal(signed[:k] + signed[k:], -eta * gradient.T)
