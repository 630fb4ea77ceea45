"""Rounding in a stack of two-head layers; see `stacked`."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.families import STRIDE, WINDOW, two_head_layer
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens import windows
from scanproof.constructs.tokens.encoding import encoding

from .counted import Counted, entering
from .domain import Domain, Reading
from .stacked import Known, descent, passed_on


def known(model: Model, examples: int) -> Known | None:
    """What a stack of two-head layers does with that many examples; None if it is not such a stack."""
    if model.family != "two-head":
        return None
    first, (d, k) = model.layers[0], neutral.sizes(model)
    x, y, query = (unit(np, WINDOW, place) for place in range(WINDOW))
    f = first.weights.shape[0]
    if f not in (d, d + k) or (f == d != k):
        return None
    weight, readout = encoding(np, model.tokens, d, k, apart=f != d)
    rows, columns = slice(0, d), slice(f - k, f)
    elsewhere = np.array(first.weights)
    elsewhere[rows, columns] = 0
    same = [
        (model.encode_weight, weight),
        (model.encode_bias, 0),
        (model.readout, readout),
        (elsewhere, 0),
        *((layer.weights, 0) for layer in model.layers[1:]),
    ]
    for layer in model.layers:
        same += [(layer.mixing, outer(x, y)), (layer.cross_mixing, outer(x, x))]
        same += [(layer.query, query), (layer.ridge, 0)]
        same += [(layer.beta, first.beta), (layer.count, first.count)]
    divisor = first.count[0] + first.count[1] * examples
    if not all(np.equal(*pair).all() for pair in same) or divisor <= 0 or first.beta <= 0:
        return None
    eta = float(Fraction(first.beta.item()) / Fraction(divisor))
    return Known(first.weights[rows, columns].astype(np.float64), eta, len(model.layers))


def read(
    known: Known, model: Model, embeddings: Counted, x: np.ndarray, y: np.ndarray, domain: Domain
) -> Reading:
    """The prediction of a known stack.

    Args:
        known: what it does.
        model: the stack, counted.
        embeddings: (2n + 1, f), counted.
        x: magnitudes of the inputs and the query, (n + 1, d).
        y: of the targets, (n, k).
        domain: curvature and weights, where they are known.
    """
    steps, form = descent(known, x, y, domain), embeddings.form
    n, f = y.shape[0], embeddings.shape[1]
    start, seen = model.layers[0].weights, windows(embeddings, WINDOW, STRIDE)
    layer = model.layers[0]._replace(weights=entering(np.zeros((f, f)), form))

    def one_layer(size: float) -> tuple[Counted, Counted]:
        """The weights and the outputs of a layer at the last token."""
        below = np.broadcast_to(size, (n, f, f))
        found, outputs = two_head_layer(layer, seen, Counted(form, below, 0))
        return found[-1], outputs[-1]

    error = float(np.linalg.norm(start.error, axis=0).max())
    error = passed_on(error, steps.sizes[:-1], steps.growth, lambda size: one_layer(size)[0].T)
    moved, outputs = one_layer(steps.sizes[-1] + error)
    predicted = outputs @ model.readout.T
    read_alone = Counted(
        form,
        np.full(predicted.shape, (steps.sizes[-1] + error) * steps.query),
        predicted.count - moved.count,
        predicted.low,
        peak=predicted.peak,
    )
    return Reading(
        read_alone.error + error * steps.query,
        np.full(predicted.shape, steps.sizes[-1] * steps.query),
    )
