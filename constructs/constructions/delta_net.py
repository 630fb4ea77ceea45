"""Parameters with which one DeltaNet layer does one pass of the delta rule over the examples of its context.

The one head has the inputs x_j of examples for its keys, and for its values every coordinate of y_j − W0ᵀx_j twice,
with both signs, whose SiLUs differ by it (`mamba2.silu-pair`). Its L2 norm makes a step of strength β on keys of one
norm X one of η = β/(X² + ε). The query writes nothing that it reads as a prediction: its key is the norm X in a
coordinate in which no example has anything, and its value a constant K in a channel of its own. Read in the query, that
channel is so large beside all others that the norm of the outputs divides them by it: by one number that is known, up
to ½(‖o‖/C)² of it (`delta-net.rms-norm`). That number holds the norm of the query too, whatever it is.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..layers.fla_delta_net import RELEASED, Epsilons, Parameters, Parts, layer
from ..layers.mamba2_block import silu
from ..layers.sequence import Network
from ..learners.learner import Stochastic
from ..tokens.mamba2 import Layout, Raw, RawTokens, Slot
from ..tokens.separate import separate_layout
from .construction import ANY, Construction
from .instance import Instance

LAYOUTS = {"separate": separate_layout}
"""The tokenisations by name. In others the query's input stands where those of examples do, and would be a key."""
UNIT_EPSILON, NORM_EPSILON = Fraction(1, 10**6), Fraction(1, 10**5)
"""ε of the L2 norm in the released kernels, and of the outputs' norm by default."""
CHANNEL = 2**40
"""K of released layers: its square and that of what is beside it are far from the ends of float32."""
SMALLEST = 16
"""The least number of keys and values in released layers, as in those of linear attention."""


class Widths(NamedTuple):
    """The sizes of a model's tensors."""

    stream: Any
    """M, coordinates of the residual stream."""
    keys: Any
    """m, of the head."""
    values: Any
    """p, of the head."""
    root: Any
    """√m."""


class Constants(NamedTuple):
    """The numbers that a model is made with besides its sizes."""

    norm: Any
    """X, the norm of all examples, and of the query's key."""
    strength: Any
    """What the write strength is made of: β itself for ideal parts, its logit for the released ones."""
    channel: Any
    """K, the value of the constant channel."""
    weight: Any
    """Of the norm of the outputs."""


class Model(NamedTuple):
    """Tokens encode_weight u + encode_bias, the layer, and a readout."""

    encode_weight: Array
    """Shape (M, r) for raw tokens of r numbers."""
    encode_bias: Array
    """Shape (M,)."""
    layer: Parameters
    readout: Array
    """Shape (k, M)."""
    norm: Array | None = None
    """By what ideal parts divide queries and keys."""
    root: Array | None = None
    """Another number for √m."""


@definition
def one_pass(xp: Any, layout: Layout, widths: Widths, constants: Constants, W0: Array) -> Model:
    """One layer that predicts W0ᵀx + s(W − W0)ᵀx, W after a step on each example in turn, and s a number near 1.

    Args:
        xp: namespace of the arrays to build.
        layout: separate tokens.
        widths: sizes for d + 1 keys and 2k + 1 values.
        constants: see `Constants`.
        W0: the initial weights, shape (d, k); the readout adds W0ᵀx.
    """
    slots, rows = layout.slots, xp.eye(widths.stream)
    x, y, query, flag, predictions = (
        _pick(rows, slot)
        for slot in (layout.key, slots.targets, layout.input, slots.flags, slots.predictions)
    )
    one = _pick(rows, (slots.used, slots.used + 1))
    residual = y - W0.T @ x
    constant = constants.norm * flag
    return Model(
        encode_weight=layout.encoding(xp, widths.stream),
        encode_bias=one[0],
        layer=Parameters(
            query=_filled([query, constant], widths.keys)[None],
            key=_filled([x, constant], widths.keys)[None],
            value=_filled([residual, -residual, constants.channel * flag], widths.values)[None],
            strength=constants.strength * one,
            norm=constants.weight * xp.ones((widths.values,)),
            output=_filled([predictions, -predictions], widths.values).T[None],
        ),
        readout=predictions + W0.T @ query,
    )


@definition
def predictions(model: Model, raw: Array, eps: Epsilons, parts: Parts = RELEASED) -> Array:
    """The readout at every token: (T, r) -> (T, k).

    Args:
        model: see `Model`.
        raw: raw tokens, shape (T, r).
        eps: of the layer's norms.
        parts: the functions that are not polynomials.
    """
    stream = raw @ model.encode_weight.T + model.encode_bias
    return layer(model.layer, stream, eps, parts, model.root) @ model.readout.T


def ideal(norm: Array) -> Parts:
    """SiLU as it is, L2 norms that divide by one number, strengths as given, and outputs times their weight."""
    return Parts(
        keys=lambda rows, eps: rows / norm,
        queries=lambda rows, eps: rows / norm,
        activation=silu,
        strength=lambda z: z,
        norm=lambda rows, weight, eps: rows * weight,
    )


def _pick(rows: Array, slot: Slot) -> Array:
    """The rows (stop − start, M) of the identity that read a slot."""
    return rows[slot[0] : slot[1]]


def _filled(parts: list[Array], length: Any) -> Array:
    """The rows one below the other, with rows of zeros after them, `length` in all."""
    xp = namespace(parts[0])
    rows = xp.concat(parts, axis=0)
    return xp.concat([rows, xp.zeros((length - rows.shape[0], rows.shape[1]))], axis=0)


def widened(layout: Layout, more: Any, root: Any) -> Widths:
    """The least sizes with `more` coordinates in the stream, in keys and in values."""
    slots = layout.slots
    return Widths(slots.used + 1 + more, slots.d + 1 + more, 2 * slots.k + 1 + more, root)


def released(layout: Layout) -> Widths:
    """Sizes that suit the released kernels: powers of two, and for m of four, so that √m is exact."""
    least = widened(layout, 0, 1)
    bits = (max(least.keys, SMALLEST) - 1).bit_length()
    root = 1 << (bits + 1) // 2
    stream, values = (
        1 << (max(size, SMALLEST) - 1).bit_length() for size in (least.stream, least.values)
    )
    return Widths(stream, root**2, values, root)


def write_strength(eta: Fraction, square: Fraction) -> Fraction:
    """β = η(X² + ε), with which a step on inputs of the norm X is one of η; `square` is X²."""
    return eta * (square + UNIT_EPSILON)


def instance(xp: Any, eta: Fraction, W0: Any, square: Fraction) -> Instance:
    """The model for the released layer with its sizes and constants, in float64.

    Args:
        xp: namespace of the arrays to build.
        eta: η > 0.
        W0: the initial weights, shape (d, k).
        square: X², the squared norm of all examples.

    Raises:
        ValueError: for η that no write strength of the layer makes on inputs of that norm.
    """
    beta = write_strength(eta, square)
    if not 0 < beta < 2:
        raise ValueError(
            f"instance(eta={eta}, square={square}) expects η(X² + 10⁻⁶) between 0 and 2, the write strengths of the "
            f"layer; it is {float(beta):.6g}."
        )
    layout = separate_layout(*W0.shape)
    sizes = released(layout)
    constants = Constants(
        norm=math.sqrt(square),
        strength=math.log(beta / (2 - beta)),
        channel=float(CHANNEL),
        weight=float(eta * square * CHANNEL) / math.sqrt(sizes.values),
    )
    model = one_pass(xp, layout, sizes, constants, xp.asarray(W0))
    return Instance(layout, sizes, 0, eta, W0, model, constants)


def _parameters(xp: Any, W0: Array, eta: Array, norm: Array, more: Any, root: Any) -> Model:
    """Parameters for ideal parts: η = β/N² for keys over N."""
    layout = separate_layout(*W0.shape)
    constants = Constants(norm, eta * norm * norm, norm, root)
    made = one_pass(xp, layout, widened(layout, more, root), constants, W0)
    return made._replace(norm=norm, root=root)


@definition
def ideal_predictions(model: Model, raw: Raw, steps: Any = None) -> Array:
    """The readout of the layer with ideal parts at the query: (1, k)."""
    zero = namespace(raw.rows).asarray(0)
    eps, parts = Epsilons(zero, zero), ideal(model.norm)
    return predictions(model, raw.rows, eps, parts)[raw.layout.read]


NETWORK = Network(ideal_predictions)
ONE_PASS = Construction(
    "prediction for the query after one pass of the delta rule from W0 by one DeltaNet layer",
    _parameters,
    RawTokens(separate_layout, weights=False),
    NETWORK,
    Stochastic(),
    targets=ANY,
    every=False,
)
