"""Rounding over several layers that do a step each: errors pass on as a step of gradient descent lets them.

Read as a whole, a stack lets errors grow by 1 + ηΣ|x||x|ᵀ a layer. A step of gradient descent lets them grow by
ρ = max(1, ηλ − 1) in norm, with λ the curvature, and ‖W_l‖ is that of gradient descent, which the stack is (see
`largest.weights`), so that for every column of the weights

    ‖E_l‖ ≤ ρ ‖E_{l−1}‖ + γ (‖A‖ ‖Ŵ_{l−1}‖ + ‖b‖) + low,   ‖W_l‖ ≤ ρ ‖W_{l−1}‖ + η Σ_j ‖x_j‖ |y_j|,

where A|W| + b are the magnitudes in one layer that is read from weights W, which they are affine in, and γ and `low`
are what its roundings and underflows make. A = I + ηΣ|x||x|ᵀ is symmetric: its norm is at most its largest row sum.

Layers that move labels hold the residuals r_l of the examples instead, and −⟨w_l, x⟩ in the query's label. With the
examples' inputs as rows of X they are r_{l+1} = (I − ηXXᵀ)r_l and q_{l+1} = q_l − η⟨Xx, r_l⟩, so that residuals pass
errors on as weights do, with A = I + η|X||X|ᵀ. What a layer's roundings make of residuals, ε, the P layers after it
learn as if it were targets: in q it becomes ‖x‖‖ε‖ max_g |1 − (1 − ηg)^P|/√g at most (`largest.weights`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.array_api import namespace, outer, unit
from scanproof.constructs.constructions import linear_attention
from scanproof.constructs.constructions.linear_attention import LAYOUTS
from scanproof.constructs.constructions.ssd import label_attention
from scanproof.constructs.layers.fla_linear_attention import Parameters, layer
from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.layouts.families import (
    STRIDE,
    WINDOW,
    AttentionToExamples,
    TwoHeadLayer,
    attention_stack,
    two_head_layer,
)
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens import windows
from scanproof.constructs.tokens.encoding import encoding

from ...rounding.arithmetic import gamma
from .counted import Counted, entering
from .domain import MARGIN, Domain, growth
from .largest import weights


class Reading(NamedTuple):
    """Bounds of a prediction, for each target."""

    error: np.ndarray
    """(k,), of the computed one."""
    magnitude: np.ndarray
    """(k,), of the exact one."""


class Stack(NamedTuple):
    """A stack that in exact numbers is L steps of gradient descent."""

    W0: np.ndarray
    """(d, k), in float64."""
    eta: float
    """The factor of the summed gradient, rounded to float64."""
    steps: int
    """L."""


class Layers(NamedTuple):
    """The layers of a stack, as functions of a magnitude that no entry of the weights below exceeds."""

    start: float
    """‖E‖ of the weights before the first of them."""
    steps: tuple[tuple[slice, Callable[[float], Counted]], ...]
    """The layers that do the same step, and the weights (…, d), or residuals (n,), that one of them makes."""
    last: Callable[[float], Counted]
    """The prediction (k,), with the roundings of its reading alone."""


def recognised(model: Model, examples: int) -> Stack | None:
    """A model as such a stack for that many examples; None if it cannot be read layer by layer."""
    known = FAMILIES.get(model.family)
    return known and known.recognised(model, examples)


def read(
    stack: Stack, model: Model, embeddings: Counted, x: np.ndarray, y: np.ndarray, domain: Domain
) -> Reading:
    """The prediction of a stack.

    Args:
        stack: what it does.
        model: the stack itself, counted.
        embeddings: (T, M), counted.
        x: magnitudes of the inputs and the query, (n + 1, d).
        y: of the targets, (n, k).
        domain: curvature and weights, where they are known.
    """
    family = FAMILIES[model.family]
    layers = family.layers(stack, model, embeddings, y.shape[0])
    return family.read(descent(stack, x, y, domain), layers)


class Descent(NamedTuple):
    """Sizes of what gradient descent goes through on data of a domain."""

    eta: float
    rho: float
    """The most by which a step multiplies the norm of an error."""
    query: float
    """‖x‖."""
    weights: list[float]
    """‖W_l‖ of the largest column, for l = 0, …, L."""
    targets: float
    """‖y‖ of the largest target."""
    inputs: float
    """√Σ‖x_j‖²."""
    learned: Callable[[float, int], float]
    """(‖y‖, steps) -> ‖w‖ after so many steps from 0 on such targets."""
    curvature: float
    """Of Σ_j x_j x_jᵀ."""
    norm: float
    """The largest ‖x_j‖."""


def descent(stack: Stack, x: np.ndarray, y: np.ndarray, domain: Any) -> Descent:
    """Sizes for data of these magnitudes, with the curvature and weights of a domain."""
    n, norms, eta = y.shape[0], np.linalg.norm(x, axis=1) * MARGIN, stack.eta * MARGIN
    total = min(float((norms[:-1] ** 2).sum()), x.shape[1] * domain.curvature) * MARGIN
    rho = growth(eta, min(domain.curvature, total))
    added = eta * float((norms[:-1] @ y).max()) * MARGIN
    norm, target = float(norms[:-1].max()), float(y.max()) * MARGIN
    sizes = [float(np.linalg.norm(stack.W0, axis=0).max()) * MARGIN]
    for step in range(1, stack.steps + 1):
        known = weights(n, norm, target, domain.curvature, eta, step, sizes[0])
        sizes.append(min(rho * sizes[-1] + added, domain.weights, known))

    def learned(targets: float, steps: int) -> float:
        return weights(n, norm, targets / math.sqrt(n), domain.curvature, eta, steps) * MARGIN

    targets = float(np.linalg.norm(y, axis=0).max()) * MARGIN
    curvature = min(domain.curvature, total)
    return Descent(
        eta, rho, float(norms[-1]), sizes, targets, math.sqrt(total), learned, curvature, norm
    )


def _by_weights(descent: Descent, layers: Layers) -> Reading:
    """The prediction of layers that hold the weights."""
    sizes, query, error = descent.weights, descent.query, layers.start
    for alike, step in layers.steps:
        error = _passed_on(error, sizes[:-1][alike], descent.rho, step)
    predicted = layers.last(sizes[-1] + error)
    own = _of_size(predicted, (sizes[-1] + error) * query)
    return Reading(own + error * query, np.full(predicted.shape, sizes[-1] * query))


def _by_residuals(descent: Descent, layers: Layers) -> Reading:
    """The prediction of equal layers that hold the residuals, and the prediction's negative in the query's label."""
    ((_, step),) = layers.steps
    *sizes, last = (size * descent.query for size in descent.weights)
    residuals = [descent.targets * descent.rho**passed for passed in range(len(sizes))]
    most = 2 * max(*residuals, *sizes, last) or 1.0
    own, at_query = roundings(most, step), layers.last(most)
    reached = descent.eta * descent.query * descent.inputs
    # of the residuals, of the prediction, and that as a sum of what each layer made of it
    error = off = read = 0.0
    for above, size, residual in zip(reversed(range(len(sizes))), sizes, residuals, strict=True):
        rounded = float(_of_size(at_query, size + off + reached * (residual + error)).max())
        made = own.at(residual + error)
        read += rounded + descent.query * descent.learned(made, above)
        off, error = off + reached * error + rounded, descent.rho * error + made
    least = min(off, read)
    fits = max(off, error) <= most / 2 and own.fits and np.isfinite(at_query.error).all()
    shape = at_query.shape
    return Reading(np.full(shape, least if fits else np.inf), np.full(shape, last))


def _of_size(predicted: Counted, size: float) -> np.ndarray:
    """What the roundings that are counted make of a prediction of that magnitude."""
    magnitude = np.full(predicted.shape, size)
    return Counted(
        predicted.form, magnitude, predicted.count, predicted.low, peak=predicted.peak
    ).error


class Roundings(NamedTuple):
    """What the roundings of a layer make of weights or residuals, by their norm before it."""

    slope: float
    base: float
    fits: bool
    """Whether no number overflows."""

    def at(self, size: float) -> float:
        """The norm of what they make."""
        return self.slope * size + self.base


def roundings(most: float, step: Callable[[float], Counted]) -> Roundings:
    """Those of a layer on numbers of which none is larger than `most`."""
    moved, from_none = step(most), step(0.0).magnitude
    rounding = gamma(moved.count, moved.form.unit)
    slope = float(((moved.magnitude - from_none) / most).max()) * MARGIN
    base = float(np.linalg.norm(from_none, axis=-1).max()) * MARGIN
    low = float(np.linalg.norm(np.broadcast_to(moved.low, moved.shape), axis=-1).max()) * MARGIN
    return Roundings(rounding * slope, rounding * base + low, bool(np.isfinite(moved.error).all()))


def _passed_on(
    error: float, sizes: list[float], rho: float, step: Callable[[float], Counted]
) -> float:
    """‖E‖ after a layer for each ‖W‖ before it, with `error` before them all; infinite where it may exceed weights."""
    if not sizes:
        return error
    most = 2 * max(sizes) or 1.0  # a layer that starts from 0 rounds what it makes of the data
    own = roundings(most, step)
    for size in sizes:
        error = rho * error + own.at(size + error)
    return error if error <= most / 2 and own.fits else math.inf


def _same(model: Model, made: Model) -> bool:
    """Whether a model has these arrays."""
    found, wanted = ({**neutral.tensors(each), **neutral.encoding(each)} for each in (model, made))
    return found.keys() == wanted.keys() and all(
        np.array_equal(array, wanted[name]) for name, array in found.items()
    )


def _two_heads(model: Model, examples: int) -> Stack | None:
    first, (d, k) = model.layers[0], neutral.sizes(model)
    x, y, query = (unit(np, WINDOW, place) for place in range(WINDOW))
    f = first.weights.shape[0]
    if f not in (d, d + k) or (f == d != k):
        return None
    W0 = first.weights[:d, f - k :]
    start = 0 * first.weights
    start[:d, f - k :] = W0
    weight, readout = encoding(np, model.tokens, d, k, apart=f != d)
    own = (outer(x, y), outer(x, x), query, first.beta, first.count, np.zeros(()))
    layers = [
        TwoHeadLayer(*own, weights=0 * start if i else start) for i in range(len(model.layers))
    ]
    bias = np.zeros(len(weight))
    made = model._replace(
        layers=tuple(layers), encode_weight=weight, encode_bias=bias, readout=readout
    )
    divisor = first.count[0] + first.count[1] * examples
    if not _same(model, made) or divisor <= 0 or first.beta <= 0:
        return None
    eta = float(Fraction(first.beta.item()) / Fraction(divisor))
    return Stack(W0.astype(np.float64), eta, len(model.layers))


def _two_head_layers(stack: Stack, model: Model, embeddings: Counted, examples: int) -> Layers:
    form, f = embeddings.form, embeddings.shape[1]
    start, seen = model.layers[0].weights, windows(embeddings, WINDOW, STRIDE)
    one = model.layers[0]._replace(weights=entering(np.zeros((f, f)), form))

    def last_token(size: float) -> tuple[Counted, Counted]:
        """The weights and the outputs of a layer at the last token."""
        below = np.broadcast_to(size, (examples, f, f))
        found, outputs = two_head_layer(one, seen, Counted(form, below, 0))
        return found[-1], outputs[-1]

    def weights(size: float) -> Counted:
        return last_token(size)[0].T

    def predicted(size: float) -> Counted:
        moved, outputs = last_token(size)
        found = outputs @ model.readout.T
        found.count -= moved.count
        return found

    error = float(np.linalg.norm(start.error, axis=0).max())
    return Layers(error, ((slice(None), weights),), predicted)


def _attention(model: Model, examples: int) -> Stack | None:
    if model.tokens != "labelled" or len(model.layers) < 2:
        return None
    d, k = neutral.sizes(model)
    slots, value = LAYOUTS["labelled"](d, k).slots, model.layers[0].value
    if model.encode_bias.shape[0] < slots.used:
        return None
    eta = -float(value[0, 0, slots.input(0)[0]])
    W0 = np.asarray(model.encode_bias[: d * k], dtype=np.float64).reshape(k, d).T
    if not 0 < eta < np.inf or not np.isfinite(W0).all():
        return None
    made = linear_attention.instance(np, d, len(model.layers) - 1, eta, W0)
    rounded = neutral.mapped(lambda array: np.asarray(array).astype(np.float64), model)
    same = _same(rounded, fla_linear_attention.neutral_model(made))
    return Stack(W0, eta, made.steps) if same else None


def _attention_layers(stack: Stack, model: Model, embeddings: Counted, examples: int) -> Layers:
    """At the query's token alone: the others' weights do not matter, for keys and values are made of the data.

    In the first layer the query's own term comes in twice, with opposite signs. From then on its copy of its input is 0
    without any rounding, and so is its value.
    """
    d, k = stack.W0.shape
    copy = LAYOUTS["labelled"](d, k).slots.used + 1
    first, following, last = model.layers[0], model.layers[1], model.layers[-1]

    def at_query(parameters: Parameters, size: float) -> Counted:
        magnitude = embeddings.magnitude.copy()
        magnitude[:, : d * k] = size
        if parameters is not first:
            magnitude[-1, copy : copy + d] = 0
        low = np.where(magnitude > 0, embeddings.low, 0.0)
        rows = Counted(embeddings.form, magnitude, embeddings.count, low)
        return layer(parameters, rows)[-1]

    def weights(parameters: Parameters, size: float) -> Counted:
        moved = at_query(parameters, size)[: d * k]
        return namespace(moved).reshape(moved, (k, d))

    return Layers(
        0.0,
        (
            (slice(1), lambda size: weights(first, size)),
            (slice(1, None), lambda size: weights(following, size)),
        ),
        lambda size: at_query(last, size) @ model.readout.T,
    )


def _labels(model: Model, examples: int) -> Stack | None:
    first, (d, k), steps = model.layers[0], neutral.sizes(model), len(model.layers)
    if steps < 2 or k != 1 or first.KQ.shape[0] != d + 1:
        return None
    keys = first.KQ[0, 0]
    eta = -float(keys)
    if not 0 < eta < np.inf:
        return None
    value, features = (matrix.astype(int).astype(object) for matrix in label_attention(np, d, -0.5))
    weight, readout = encoding(np, model.tokens, d, k)
    layer = AttentionToExamples(value, features * keys)
    bias = np.zeros(d + 1)
    made = model._replace(
        layers=(layer,) * steps, encode_weight=weight, encode_bias=bias, readout=-readout
    )
    return Stack(np.zeros((d, k)), eta, steps) if _same(model, made) else None


def _label_layers(stack: Stack, model: Model, embeddings: Counted, examples: int) -> Layers:
    """Inputs stay as they are, without any rounding, in every layer."""

    def moved(size: float) -> Counted:
        """The tokens after a layer on labels of that size."""
        magnitude = embeddings.magnitude.copy()
        magnitude[:, -1] = size
        low = np.where(magnitude > 0, embeddings.low, 0.0)
        return attention_stack(
            model.layers[:1], Counted(embeddings.form, magnitude, embeddings.count, low)
        )

    return Layers(
        0.0,
        ((slice(None), lambda size: moved(size)[:-1, -1]),),
        lambda size: moved(size)[-1] @ model.readout.T,
    )


class Family(NamedTuple):
    """How stacks of a family are recognised and read."""

    recognised: Callable[[Model, int], Stack | None]
    layers: Callable[[Stack, Any, Counted, int], Layers]
    read: Callable[[Descent, Layers], Reading] = _by_weights


FAMILIES: Mapping[str, Family] = {
    "two-head": Family(_two_heads, _two_head_layers),
    "linear-attention": Family(_attention, _attention_layers),
    "attention-to-examples": Family(_labels, _label_layers, _by_residuals),
}
