"""Parameters with which layers of linear attention do gradient descent on the examples of their context, exactly.

Every token carries a weight vector w_c for each target c, its input and its target. Head c of a step reads keys
[x_j; y_jc] with queries [w_c; −1] and adds the values −ηx_j, so that w_c moves by −η Σ_j (w_c·x_j − y_jc) x_j over the
tokens j up to its own. The query's token is no example, though a causal layer adds it too. In the first step its key
has a further entry, its flag, which meets −W0ᵀx in its query: its term is −η (W0ᵀx − W0ᵀx) x = 0. Besides, the first
layer takes x out of a copy of the inputs at the token with the flag, so that the values of later steps are 0 there. In
the last layer the flag is the value, and keys x with queries w_c give wᵀx of the query's token alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.iteration import iterate
from ..layers.fla_linear_attention import Parameters, layer
from ..layers.sequence import Network
from ..learners.learner import Descent
from ..learners.losses import HALF_SUM
from ..tokens.mamba2 import Layout, Raw, RawTokens, Slot, concatenated_layout, labelled_layout
from .construction import ANY, Construction
from .instance import Instance, Kind, maker

LAYOUTS = {"labelled": labelled_layout, "concatenated": concatenated_layout}
"""The tokenisations by name. An interleaved stream will not do: the layer has no convolution to see x_j beside y_j."""
SMALLEST = 16
"""The least size of a block in the released kernels."""


class Widths(NamedTuple):
    """The sizes of a model's tensors."""

    stream: Any
    """M, coordinates of the residual stream."""
    heads: Any
    """H."""
    keys: Any
    """m, of a head."""
    values: Any
    """p, of a head."""
    root: Any
    """√m."""


class Model(NamedTuple):
    """Tokens encode_weight u + encode_bias, the layer `first`, `step` L − 1 times, `last`, and a readout."""

    encode_weight: Array
    """Shape (M, r) for raw tokens of r numbers."""
    encode_bias: Array
    """Shape (M,)."""
    first: Parameters | None
    """The first step of gradient descent; none if the last layer does the only one."""
    step: Parameters | None
    """Each of the other steps."""
    last: Parameters
    """The prediction."""
    readout: Array
    """Shape (k, M)."""
    root: Array | None = None
    """Another number for √m."""


class Head(NamedTuple):
    """What a head reads and writes, as rows of M numbers each; missing rows are 0."""

    query: Array
    """Without the factor √m."""
    key: Array
    value: Array
    output: Array
    """Where the values go, as rows: shape (values, M)."""


@definition
def gradient_descent(xp: Any, layout: Layout, widths: Widths, eta: Array, W0: Array) -> Model:
    """L layers are L steps W ← W − η Σ_j x_j (Wᵀx_j − y_j)ᵀ from W0, one more predicts Wᵀx at the query.

    Args:
        xp: namespace of the arrays to build.
        layout: labelled tokens with weights.
        widths: sizes for k + 1 heads, d + 2 keys and d values.
        eta: the factor of the summed gradient: η for the loss ½ Σ, η/n for the mean over n examples.
        W0: the initial weights, shape (d, k).
    """
    slots, k = layout.slots, layout.slots.k
    rows = xp.eye(widths.stream)
    x, flag, one = (_pick(rows, slot) for slot in (layout.key, slots.flags, _one(layout)))
    example = _pick(rows, _example(layout))

    def step(c: int, *, first: bool) -> Head:
        w, y = _pick(rows, slots.weights(c)), _pick(rows, slots.target(c))
        query, key = [w, -one], [x, y]
        if first:
            query, key = [*query, -(W0[:, c][None] @ x)], [*key, flag]
        values = -eta * (x if first else example)
        return Head(xp.concat(query, axis=0), xp.concat(key, axis=0), values, output=w)

    def product(c: int) -> Head:
        w, prediction = _pick(rows, slots.weights(c)), _pick(rows, slots.prediction(c))
        return Head(query=w, key=x, value=flag, output=prediction)

    bias, targets = one[0], range(k)
    for c in targets:
        bias = bias + _pick(rows, slots.weights(c)).T @ W0[:, c]
    encoding = layout.encoding(xp, widths.stream)
    copy = example.T @ xp.eye(encoding.shape[1])[: slots.d]
    mask = Head(query=one, key=flag, value=-x, output=example)
    return Model(
        encode_weight=encoding + copy,
        encode_bias=bias,
        first=_layer(xp, widths, [*(step(c, first=True) for c in targets), mask]),
        step=_layer(xp, widths, [step(c, first=False) for c in targets]),
        last=_layer(xp, widths, [product(c) for c in targets]),
        readout=_pick(rows, slots.predictions),
    )


@definition
def one_step(xp: Any, layout: Layout, widths: Widths, eta: Array, W0: Array) -> Model:
    """One layer that predicts W0ᵀx + η Σ_j (y_j − W0ᵀx_j) (x_j·x); its state is minus the gradient at W0.

    A labelled query is then an example with the target 0, which adds nothing for W0 = 0 only.

    Args:
        xp: namespace of the arrays to build.
        layout: tokens without weights.
        widths: sizes for one head, d keys and k values.
        eta: as for `gradient_descent`.
        W0: the initial weights, shape (d, k); the readout adds W0ᵀx.
    """
    slots, rows = layout.slots, xp.eye(widths.stream)
    predictions, key, x = (
        _pick(rows, slot) for slot in (slots.predictions, layout.key, layout.input)
    )
    only = Head(
        query=eta * x,
        key=key,
        value=_pick(rows, slots.targets) - W0.T @ key,
        output=predictions,
    )
    return Model(
        encode_weight=layout.encoding(xp, widths.stream),
        encode_bias=xp.zeros((widths.stream,)),
        first=None,
        step=None,
        last=_layer(xp, widths, [only]),
        readout=predictions + W0.T @ x,
    )


@definition
def predictions(model: Model, raw: Array, steps: int) -> Array:
    """The readout at every token, after L steps in layers of their own and the last layer: (T, r) -> (T, k).

    Args:
        model: see `Model`.
        raw: raw tokens, shape (T, r).
        steps: L ≥ 1; of no account for a model without `step`.
    """
    stream = raw @ model.encode_weight.T + model.encode_bias
    first, step, root = model.first, model.step, model.root
    if first is not None and step is not None:
        stream = layer(first, stream, root)
        stream = iterate(lambda rows: layer(step, rows, root), stream, steps - 1)
    return layer(model.last, stream, root) @ model.readout.T


def _pick(rows: Array, slot: Slot) -> Array:
    """The rows (stop − start, M) of the identity that read a slot."""
    return rows[slot[0] : slot[1]]


def _one(layout: Layout) -> Slot:
    """The constant 1."""
    return layout.slots.used, layout.slots.used + 1


def _example(layout: Layout) -> Slot:
    """A copy of the input, which is 0 at the query from the first layer on."""
    start = layout.slots.used + 1
    return start, start + layout.slots.d


def _layer(xp: Any, widths: Widths, heads: list[Head]) -> Parameters:
    """The layer of these heads, with heads of zeros after them."""

    def field(name: str, size: Any) -> Array:
        none = xp.zeros((size, widths.stream))
        parts = [_filled(getattr(head, name), size) for head in heads]
        return xp.stack([*parts, *[none] * (widths.heads - len(heads))], axis=0)

    return Parameters(
        query=widths.root * field("query", widths.keys),
        key=field("key", widths.keys),
        value=field("value", widths.values),
        output=field("output", widths.values).mT,
    )


def _filled(rows: Array, length: Any) -> Array:
    """The rows with rows of zeros after them, `length` in all."""
    xp = namespace(rows)
    return xp.concat([rows, xp.zeros((length - rows.shape[0], rows.shape[1]))], axis=0)


def least(layout: Layout, *, in_one_layer: bool = False, root: Any = 1) -> Widths:
    """The least sizes, for any number that takes the place of √m."""
    slots = layout.slots
    if in_one_layer:
        return Widths(slots.used, 1, slots.d, slots.k, root)
    return Widths(_example(layout)[1], slots.k + 1, slots.d + 2, slots.d, root)


def released(layout: Layout, *, in_one_layer: bool = False) -> Widths:
    """Sizes that suit the released kernels: powers of two from 16 on, and for m of four, so that √m is exact."""
    widths = least(layout, in_one_layer=in_one_layer)
    bits = max(widths.keys - 1, SMALLEST - 1).bit_length()
    root = 1 << (bits + 1) // 2
    return Widths(
        _power_of_two(widths.stream), widths.heads, root**2, _power_of_two(widths.values), root
    )


def _power_of_two(size: int) -> int:
    """The least power of two that is at least so large."""
    return 1 << (max(size, SMALLEST) - 1).bit_length()


def _check(tokens: str, in_one_block: bool, W0: Any) -> None:
    """Refuse one step in one layer on labelled tokens from W0 ≠ 0, and steps in layers of their own without a flag."""
    if in_one_block and tokens == "labelled" and (W0 != 0).any():
        raise ValueError(
            "instance(in_one_block=True, tokens='labelled') expects W0 = 0: one layer counts the query as an example "
            "with the target 0. Take tokens='concatenated', or two layers."
        )
    if not in_one_block and tokens != "labelled":
        raise ValueError(
            f"instance(tokens={tokens!r}) expects in_one_block=True: tokens without a flag have nothing to tell the "
            "query by. Take tokens='labelled'."
        )


def _released(layout: Layout, in_one_block: bool) -> tuple[Widths]:
    return (released(layout, in_one_layer=in_one_block),)


instance = maker(Kind(LAYOUTS, _released, gradient_descent, one_step, _check))
"""Models of the released layers: `instance.instance`."""


def layers(made: Instance) -> tuple[Parameters, ...]:
    """The layers of such a model, from the first on."""
    first, step, last = made.model.first, made.model.step, made.model.last
    if first is None or step is None:
        return (last,)
    return (first, *[step] * (made.steps - 1), last)


@definition
def read_predictions(model: Model, raw: Raw, steps: Any = None) -> Array:
    """The readout at the tokens that predict: (N, k), or (1, k) for the query alone."""
    return predictions(model, raw.rows, steps or 1)[raw.layout.read]


def widened(layout: Layout, more: Any, root: Any) -> Widths:
    """The least sizes with `more` coordinates in the stream, in every key and in every value."""
    least_sizes = least(layout, in_one_layer=not layout.slots.vectors, root=root)
    stream, heads, keys, values, _ = least_sizes
    return Widths(stream + more, heads, keys + more, values + more, root)


def _parameters(tokens: RawTokens) -> Callable[..., Model]:
    """Parameters with a layer for each step where tokens carry weights, `more` coordinates wider than they need be."""
    make = gradient_descent if tokens.weights else one_step

    def parameters(xp: Any, W0: Array, eta: Array, more: Any, root: Any) -> Model:
        layout = tokens.layout(*W0.shape, weights=tokens.weights)
        made = make(xp, layout, widened(layout, more, root), eta, W0)
        return made._replace(root=root)

    return parameters


ONCE = RawTokens(labelled_layout, weights=False)


def from_zero(xp: Any, d: Any, k: Any, eta: Array, more: Any, root: Any) -> Model:
    """The parameters of `LABELLED_STEP`: those for one step from W0 = 0."""
    return _parameters(ONCE)(xp, xp.zeros((d, k)), eta, more, root)


NETWORK = Network(read_predictions)
STEPS = Construction(
    "prediction for the query after L steps from W0 by L + 1 layers of linear attention",
    _parameters(RawTokens(labelled_layout)),
    RawTokens(labelled_layout),
    NETWORK,
    Descent(HALF_SUM),
    targets=ANY,
    every=False,
    several=True,
    stacked=True,
)
"""A layer for each step, on tokens that carry the weights."""
ONE_TARGET, TWO_TARGETS = STEPS._replace(targets=1), STEPS._replace(targets=2)
LABELLED_STEP = STEPS._replace(
    does="prediction for the query after one step from 0 by one layer of linear attention",
    parameters=from_zero,
    tokens=ONCE,
    learner=Descent(HALF_SUM, from_zero=True),
    several=False,
    stacked=False,
)
"""The only step in one layer."""
CONCATENATED_STEP = LABELLED_STEP._replace(
    does="predictions for x_{t+1} after one step from W0 by one layer of linear attention",
    parameters=_parameters(RawTokens(concatenated_layout, weights=False)),
    tokens=RawTokens(concatenated_layout, weights=False),
    learner=STEPS.learner,
    every=True,
)
"""The same at every token."""
