"""Rounding in a stack of `constructions.linear_attention`; see `stacked`.

Of the weights in the tokens only those at the query matter to the prediction: keys and values are made of the data
alone. In the first layer the query's own term comes in twice, with opposite signs. From then on its copy of its input
is 0 without any rounding, and so is its value.
"""

from __future__ import annotations

import numpy as np

from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.constructions import linear_attention as construction
from scanproof.constructs.constructions.linear_attention import LAYOUTS
from scanproof.constructs.layers.fla_linear_attention import Parameters, layer
from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.layouts.neutral import Model

from .counted import Counted
from .domain import Domain, Reading
from .stacked import Known, descent, passed_on


def known(model: Model, examples: int) -> Known | None:
    """What a stack does with any number of examples; None if it is not one of the construction."""
    if model.family != "linear-attention" or model.tokens != "labelled" or len(model.layers) < 2:
        return None
    d, k = neutral.sizes(model)
    slots, value = LAYOUTS["labelled"](d, k).slots, model.layers[0].value
    if model.encode_bias.shape[0] < slots.used:
        return None
    eta = -float(value[0, 0, slots.input(0)[0]])
    W0 = np.asarray(model.encode_bias[: d * k], dtype=np.float64).reshape(k, d).T
    if not 0 < eta < np.inf or not np.isfinite(W0).all():
        return None
    made = construction.instance(np, d, len(model.layers) - 1, eta, W0)
    if not _same(model, fla_linear_attention.neutral_model(made)):
        return None
    return Known(W0, eta, made.steps)


def _same(model: Model, made: Model) -> bool:
    """Whether a model has these arrays, once its numbers are rounded to float64."""
    found, wanted = (
        [*neutral.tensors(each).values(), *neutral.encoding(each).values()]
        for each in (model, made)
    )
    return len(found) == len(wanted) and all(
        a.shape == b.shape and (np.asarray(a).astype(np.float64) == b).all()
        for a, b in zip(found, wanted, strict=True)
    )


def read(
    known: Known, model: Model, embeddings: Counted, x: np.ndarray, y: np.ndarray, domain: Domain
) -> Reading:
    """The prediction of a known stack.

    Args:
        known: what it does.
        model: the stack, counted.
        embeddings: (n + 1, M), counted.
        x: magnitudes of the inputs and the query, (n + 1, d).
        y: of the targets, (n, k).
        domain: curvature and weights, where they are known.
    """
    steps, (d, k) = descent(known, x, y, domain), known.W0.shape
    copy = LAYOUTS["labelled"](d, k).slots.used + 1

    def at_query(parameters: Parameters, size: float, *, first: bool = False) -> Counted:
        """The query's token after a layer, from weights whose entries have this magnitude."""
        magnitude = embeddings.magnitude.copy()
        magnitude[:, : d * k] = size
        if not first:
            magnitude[-1, copy : copy + d] = 0
        low = np.where(magnitude > 0, embeddings.low, 0.0)
        rows = Counted(embeddings.form, magnitude, embeddings.count, low)
        return layer(parameters, rows)[-1]

    def weights(parameters: Parameters, size: float, *, first: bool = False) -> Counted:
        moved = at_query(parameters, size, first=first)[: d * k]
        return namespace(moved).reshape(moved, (k, d))

    first, following, last = model.layers[0], model.layers[1], model.layers[-1]
    error = passed_on(0.0, steps.sizes[:1], 0.0, lambda size: weights(first, size, first=True))
    error = passed_on(error, steps.sizes[1:-1], steps.growth, lambda size: weights(following, size))
    outputs = at_query(last, steps.sizes[-1] + error)
    predicted = outputs @ model.readout.T
    read_alone = Counted(
        embeddings.form,
        np.full(predicted.shape, (steps.sizes[-1] + error) * steps.query),
        predicted.count,
        predicted.low,
        peak=predicted.peak,
    )
    return Reading(
        read_alone.error + error * steps.query,
        np.full(predicted.shape, steps.sizes[-1] * steps.query),
    )
