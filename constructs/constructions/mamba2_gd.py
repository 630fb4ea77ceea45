"""Parameters with which stacked Mamba-2 blocks do gradient descent on the examples of their context.

Every token carries a weight vector w_c for each target c, its input and its target. In a step the heads read keys
[x_j; y_jc], queries [w_c; −1] and values −ηx_j, so that w_c moves by −η Σ_j (w_c·x_j − y_jc) x_j over the examples j
that the token sees; one more block multiplies w_c·x within a token and writes the prediction.

What the block cannot do exactly: its norms scale by 1 − ½(‖u‖/K)² + … and not by 1, where u is the token without its
constant channel; exp(−e^A_log dt) is neither 1 nor 0, softplus never 0, and silu(κ) not κ, all by less than float64
can tell from these. `numeric.export.certificates.mamba2` bounds what comes of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.iteration import iterate
from ..layers.mamba2_block import RELEASED, Parameters, Parts, block
from ..layers.sequence import Network
from ..learners.learner import Descent
from ..learners.losses import HALF_SUM
from ..tokens.mamba2 import (
    LAYOUTS,
    Layout,
    Raw,
    RawTokens,
    concatenated_layout,
    interleaved_layout,
    labelled_layout,
)
from . import mamba2_sizes
from .construction import ANY, Construction
from .instance import Kind, maker
from .mamba2_pairs import Head, Rows, Writer
from .mamba2_sizes import Constants, Widths


class Model(NamedTuple):
    """Tokens encode_weight u + encode_bias, the block `step` L times, the block `last`, a norm, and a readout."""

    encode_weight: Array
    """Shape (M, r) for raw tokens of r numbers."""
    encode_bias: Array
    """Shape (M,)."""
    step: Parameters | None
    """One step of gradient descent; none if the last block does the only one."""
    last: Parameters
    """The prediction."""
    norm: Array
    """Weight of the final norm, shape (M,)."""
    readout: Array
    """Shape (k, M)."""


@definition
def gradient_descent(
    xp: Any, layout: Layout, widths: Widths, constants: Constants, eta: Array, W0: Array
) -> Model:
    """L blocks `step` are L steps W ← W − η Σ_j x_j (Wᵀx_j − y_j)ᵀ from W0; `last` predicts Wᵀx.

    Args:
        xp: namespace of the arrays to build.
        layout: the tokenisation, for tokens with weights.
        widths: sizes for k queries, d values and d + 1 keys.
        constants: those of `widths`.
        eta: the factor of the summed gradient: η for the loss ½ Σ, η/n for the mean over n examples.
        W0: the initial weights, shape (d, k).
    """
    slots = layout.slots
    write = Writer(xp, layout, widths, constants)
    targets = range(slots.k)
    weights = [write.pick(slots.weights(c)) for c in targets]
    steps = [
        Head(
            values=[Rows(-eta / constants.time_step * write.pick(layout.key), layout.key_tap)],
            keys=[
                Rows(write.pick(layout.key), layout.key_tap),
                Rows(write.pick(slots.target(c)), layout.target_tap),
            ],
            queries=[Rows(weights[c]), Rows(-write.one())],
            output=weights[c].T,
        )
        for c in targets
    ]
    products = [
        Head(
            values=[Rows(write.one() / constants.time_step)],
            keys=[Rows(write.pick(layout.input))],
            queries=[Rows(weights[c])],
            output=write.pick(slots.prediction(c)).T,
        )
        for c in targets
    ]
    bias = write.constant_channels()
    for c in targets:
        bias = bias + weights[c].T @ W0[:, c]
    return Model(
        encode_weight=layout.encoding(xp, widths.stream),
        encode_bias=bias,
        step=write.block(steps, constants.keep, closed=bool(slots.flag)),
        last=write.block(products, constants.forget, closed=False),
        norm=write.norm_weight(),
        readout=write.pick(slots.predictions),
    )


@definition
def one_step(
    xp: Any, layout: Layout, widths: Widths, constants: Constants, eta: Array, W0: Array
) -> Model:
    """One block that predicts W0ᵀx + η Σ_j (y_j − W0ᵀx_j) (x_j·x); its state is −η times the gradient at W0.

    Args:
        xp: namespace of the arrays to build.
        layout: the tokenisation, for tokens without weights.
        widths: sizes for one query, 2k values and d keys.
        constants: those of `widths`.
        eta: as for `gradient_descent`.
        W0: the initial weights, shape (d, k); the readout adds W0ᵀx.
    """
    slots = layout.slots
    write = Writer(xp, layout, widths, constants)
    scale = eta / constants.time_step
    predictions, key = write.pick(slots.predictions), write.pick(layout.key)
    only = Head(
        values=[
            Rows(scale * write.pick(slots.targets), layout.target_tap),
            Rows(-scale * (W0.T @ key), layout.key_tap),
        ],
        keys=[Rows(key, layout.key_tap)],
        queries=[Rows(write.pick(layout.input))],
        output=xp.concat([predictions.T, predictions.T], axis=1),
    )
    return Model(
        encode_weight=layout.encoding(xp, widths.stream),
        encode_bias=write.constant_channels(),
        step=None,
        last=write.block([only], constants.keep, closed=bool(slots.flag)),
        norm=write.norm_weight(),
        readout=predictions + W0.T @ write.pick(layout.input),
    )


@definition
def predictions(
    model: Model, widths: Widths, raw: Array, steps: int, eps: Array, parts: Parts = RELEASED
) -> Array:
    """The readout at every token, after L blocks `step` and the block `last`: (T, r) -> (T, k).

    Args:
        model: see `Model`.
        widths: its sizes.
        raw: raw tokens, shape (T, r).
        steps: L ≥ 0, 0 for a model without `step`.
        eps: ε of every norm.
        parts: the block's functions; `ideal` makes limits of them.
    """
    sizes, step = widths.heads, model.step
    stream = raw @ model.encode_weight.T + model.encode_bias
    if step is not None:
        stream = iterate(lambda rows: block(step, sizes, rows, eps, parts), stream, steps)
    stream = block(model.last, sizes, stream, eps, parts)
    return parts.norm(stream, model.norm, eps) @ model.readout.T


def ideal(even: Callable[[Array], Array]) -> Parts:
    """Norms of scale 1, gates, dt and decays as given, and the activation ½z + even(z²), for the constants `IDEAL`.

    Args:
        even: what an activation a with a(z) − a(−z) = z has beside ½z; z² ↦ ½z tanh(½z) for SiLU.
    """
    return Parts(
        activation=lambda z: z / 2 + even(z * z),
        gate=lambda z: z,
        time_step=lambda z: z,
        decay=lambda dt, A_log: A_log + dt - dt,
        norm=lambda rows, weight, eps: rows * weight,
    )


def shape(layout: Layout, *, in_one_block: bool = False) -> dict[str, Any]:
    """What `mamba2_sizes.minimal` and `released` ask for beside the layout."""
    d, k = layout.slots.d, layout.slots.k
    if in_one_block:
        return {"queries": 1, "values": 2 * k, "keys": d}
    return {"queries": k, "values": d, "keys": d + 1}


def _released(
    layout: Layout, in_one_block: bool, channel: float = 2**24
) -> tuple[Widths, Constants]:
    """Sizes and constants of the released modules; `channel` is K, the constant channel."""
    return mamba2_sizes.released(
        layout, **shape(layout, in_one_block=in_one_block), channel=channel
    )


instance = maker(Kind(LAYOUTS, _released, gradient_descent, one_step))
"""Models of the released Mamba-2 blocks: `instance.instance`, with the option `channel`."""


def least(layout: Layout) -> Widths:
    """The least sizes of a model on such tokens, for ideal blocks."""
    return mamba2_sizes.minimal(layout, **shape(layout, in_one_block=not layout.slots.vectors))


HALF = ideal(lambda u: u - u)
"""The functions of ideal blocks whose activation is ½z."""


@definition
def ideal_predictions(model: Model, raw: Raw, steps: Any = None) -> Array:
    """The readout of ideal blocks at the tokens that predict: (N, k), or (1, k) for the query alone."""
    eps = namespace(raw.rows).asarray(0)
    found = predictions(model, least(raw.layout), raw.rows, steps or 0, eps, HALF)
    return found[raw.layout.read]


def _parameters(tokens: RawTokens) -> Callable[..., Model]:
    """Parameters of ideal blocks, with a block for each step where tokens carry weights."""
    make = gradient_descent if tokens.weights else one_step

    def parameters(xp: Any, W0: Array, eta: Array) -> Model:
        layout = tokens.layout(*W0.shape, weights=tokens.weights)
        return make(xp, layout, least(layout), mamba2_sizes.IDEAL, eta, W0)

    return parameters


NETWORK = Network(ideal_predictions)


def _construction(does: str, tokens: RawTokens, *, every: bool) -> Construction:
    return Construction(
        does,
        _parameters(tokens),
        tokens,
        NETWORK,
        Descent(HALF_SUM),
        targets=1 if tokens.weights else ANY,
        every=every,
        several=tokens.weights,
        stacked=tokens.weights,
    )


LABELLED, CONCATENATED, INTERLEAVED = (
    _construction(
        f"{what} after L steps from W0 by L + 1 ideal Mamba-2 blocks",
        RawTokens(layout),
        every=layout is not labelled_layout,
    )
    for what, layout in (
        ("prediction for the query", labelled_layout),
        ("predictions for x_{t+1}", concatenated_layout),
        ("predictions for x_{t+1}, from a stream x_1, y_1, x_2, …,", interleaved_layout),
    )
)
"""A block for each step, on tokens that carry the weights."""
TWO_TARGETS = LABELLED._replace(targets=2)
ONE_STEP, ONE_STEP_INTERLEAVED = (
    _construction(
        f"predictions for x_{{t+1}}{stream} after one step from W0 by one ideal Mamba-2 block",
        RawTokens(layout, weights=False),
        every=True,
    )
    for stream, layout in (
        ("", concatenated_layout),
        (", from a stream x_1, y_1, x_2, …,", interleaved_layout),
    )
)
"""The only step in one block."""
