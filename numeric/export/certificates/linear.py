"""How far a model of the neutral form, computed in a format, may be from the learner: rounding alone.

In exact numbers the model is gradient descent: that is what its statement proves. What is left is that parameters and
data are rounded to the format, and every operation too. The model's own definition is read once on magnitudes and
counts of roundings (`counted`), for all data of a domain or for given data; sums may be added up in any order.

Released layers that compute in float32 and round what they store to bfloat16 are read with `WIDE["bfloat16"]`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import TOKENISATIONS

from ...rounding.arithmetic import FORMATS, OUTWARD, OWN, Format
from . import stacks
from .counted import Counted, entering, stored
from .domain import Bound, Domain, curvature_and_weights
from .stacks import Reading
from .stored import read_attention

LARGEST = 2**24
"""The most numbers in the states of all tokens for which a bound is derived, in some seconds; beyond, none is."""


def domain_of(x: Any, y: Any, W0: Any = None, eta: Any = 0, steps: int = 0) -> Domain:
    """The least domain with these data, and with the weights that gradient descent goes through, if η is given.

    Args:
        x: inputs and the query, (n + 1, d), or with leading axes of tasks.
        y: targets, (n, k) with the same leading axes.
        W0: the initial weights, (d, k); 0 if not given.
        eta: the factor of the summed gradient.
        steps: L.
    """
    x, y = (np.asarray(a, dtype=np.float64) for a in (x, y))
    start = 0.0 if W0 is None else W0
    curvature, weights = curvature_and_weights(x, y, start, float(eta), steps, every=False)
    return Domain(
        y.shape[-2],
        float(np.abs(x).max()),
        float(np.abs(y).max(initial=0.0)),
        curvature,
        weights if steps else math.inf,
    )


def bound(model: Model, domain: Domain, dtype: str | Format = "float32") -> Bound:
    """The bound for all data of a domain.

    Args:
        model: in exact numbers, as `export.statements` makes it, or in floats, which are then taken as exact. In
            exact arithmetic it must be gradient descent on these data, which no bound can check.
        domain: bounds of the data.
        dtype: the format in which the model is computed, by name or as it is. Raw tokens and embeddings are made in
            it too, or in float64 and then rounded to it; the data are float64. Of `WIDE`, they are made in float32 or
            float64, and embeddings rounded to what is stored.
    """
    d, k = neutral.sizes(model)
    x = np.broadcast_to(domain.entry, (domain.examples + 1, d))
    y = np.broadcast_to(domain.target, (domain.examples, k))
    found = _read(model, x, y, domain, dtype)
    return Bound(float(found.error.max()) * OUTWARD, float(found.magnitude.max()) * OUTWARD)


def bound_at(
    model: Model, x: np.ndarray, y: np.ndarray, dtype: str | Format = "float32"
) -> np.ndarray:
    """The bound for given data, target by target, shape (k,): x (n + 1, d) with the query last, y (n, k)."""
    stack = stacks.recognised(model, x.shape[0] - 1)
    domain = domain_of(x, y, *stack) if stack else domain_of(x, y)
    return _read(model, np.abs(x), np.abs(y), domain, dtype).error * OUTWARD


def _read(
    model: Model, x: np.ndarray, y: np.ndarray, domain: Domain, dtype: str | Format
) -> Reading:
    """The model on data of these magnitudes."""
    form = FORMATS[dtype] if isinstance(dtype, str) else dtype
    model = neutral.mapped(_exact, model)
    k, width = model.readout.shape[0], model.encode_bias.shape[0]
    if TOKENISATIONS[model.tokens].length(y.shape[0]) * width**2 > LARGEST:
        return Reading(np.full(k, np.inf), np.full(k, np.inf))
    with np.errstate(all="ignore"):
        stack, wide = stacks.recognised(model, y.shape[0]), form.operation < 1
        if wide and not _held(model, form):
            stack = None  # its numbers are rounded, too
        inside = FORMATS["float32"] if stack is not None and wide else form
        counted = neutral.mapped(lambda array: entering(array, inside), model)
        counted = counted._replace(
            encode_weight=entering(model.encode_weight, inside, wide=True),
            encode_bias=entering(model.encode_bias, inside, wide=True),
        )
        raw = TOKENISATIONS[model.tokens].tokens(_data(x, inside), _data(y, inside))
        if stack is not None:
            embeddings = neutral.embeddings(counted, raw)
            if wide:
                layers = stacks.FAMILIES[model.family].layers(
                    stack, counted, embeddings, y.shape[0]
                )
                return read_attention(stack, layers, x, y, domain, stack.eta)
            return stacks.read(stack, counted, embeddings, x, y, domain)
        predicted = neutral.read(counted, raw, *((stored,) if wide else ()))
        return Reading(predicted.error, predicted.magnitude)


def _held(model: Model, form: Format) -> bool:
    """Whether a format holds the numbers of the layers."""
    arrays = [array for layer in model.layers for array in layer]
    return all(entering(array, form).held for array in {id(a): a for a in arrays}.values())


def _exact(array: Any) -> np.ndarray:
    """Exact numbers as they are, floats in float64."""
    array = np.asarray(array)
    return array if array.dtype.hasobject else array.astype(np.float64)


def _data(sizes: np.ndarray, form: Format) -> Counted:
    """Data of float64, rounded to the format; tokens made in float64 and rounded then are not farther off."""
    count = form.operation if form != OWN else 0
    return Counted(form, sizes, count, form.tiny * (sizes > 0))
