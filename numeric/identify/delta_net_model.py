"""A folder's DeltaNet layer as its definition runs it, and the construction that its tensors are nearest to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.constructions import delta_net
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import fla_delta_net as definition
from scanproof.constructs.layouts import fla_delta_net
from scanproof.constructs.layouts.neutral import ENCODING
from scanproof.constructs.tokens.encoding import TOKENISATIONS

from ..export.loading import Loaded
from ..rounding.arithmetic import FORMATS
from ..rounding.in_format import in_format
from .entries import Comparison, compared
from .fitting import Predictor
from .mamba2_construction import ALIKE, ROUNDINGS, simple

TOKENS = ("separate", "labelled", "concatenated")
"""The tokenisations that are tried, in turn; constructions take the first."""


class Model(NamedTuple):
    """A layer with what leads into it and out of it."""

    layer: definition.Parameters
    norm_eps: float
    encode_weight: np.ndarray
    """(M, r)."""
    encode_bias: np.ndarray
    """(M,)."""
    readout: np.ndarray
    """(k, M)."""
    tokens: str
    """A name in `TOKENISATIONS`."""

    @property
    def sizes(self) -> tuple[int, int]:
        """(d, k)."""
        k = len(self.readout)
        return TOKENISATIONS[self.tokens].features(self.encode_weight.shape[1], k) or 0, k


def models(
    settings: Mapping[str, Any],
    tensors: Mapping[str, np.ndarray],
    encoding: Mapping[str, np.ndarray],
) -> dict[str, Model]:
    """The model for every tokenisation that its encoding's width allows, by name, in float64."""
    wide = {name: np.asarray(array, dtype=np.float64) for name, array in tensors.items()}
    layer = fla_delta_net.layer(settings, wide)
    weight, bias, readout = (np.asarray(encoding[name], dtype=np.float64) for name in ENCODING)
    columns, k = weight.shape[1], len(readout)
    return {
        name: Model(layer, settings["norm_eps"], weight, bias, readout, name)
        for name in TOKENS
        if TOKENISATIONS[name].features(columns, k) is not None
    }


def model_of(loaded: Loaded, asked: str | None = None) -> Model:
    """The model on the tokens that are asked for, or on the first that fit.

    Raises:
        UsageError: if there are none.
    """
    known = models(loaded.settings or {}, loaded.tensors, loaded.encoding)
    if asked in (None, *known) and known:
        return known[asked or next(iter(known))]
    option = f" --tokens {asked}" if asked else ""
    raise UsageError(
        f"identify {loaded.folder}{option}: tokens of {loaded.encoding['encode.weight'].shape[1]} numbers are asked "
        f"for by encode.weight; those that fit: {', '.join(known) or 'none'}."
    )


def predictor(model: Model, dtype: str = "float64") -> Predictor:
    """The model as a function of tasks, all of it computed in a format."""
    to = np.dtype(dtype).type
    layer = definition.Parameters(*(in_format(a, to) for a in model.layer))
    weight, bias, readout = (
        in_format(a, to) for a in (model.encode_weight, model.encode_bias, model.readout)
    )
    eps = definition.Epsilons(to(delta_net.UNIT_EPSILON), to(model.norm_eps))
    tokens = TOKENISATIONS[model.tokens].tokens

    @np.errstate(all="ignore")
    def predict(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        rows = (in_format(tokens(*task), to) @ weight.T + bias for task in zip(x, y, strict=True))
        found = [definition.layer(layer, each, eps)[-1] @ readout.T for each in rows]
        return np.stack([np.asarray(each, dtype=np.float64) for each in found])

    return predict


class Near(NamedTuple):
    """An instance of the construction, beside tensors that look like it."""

    instance: Instance
    step_size: Fraction | None
    """η as the simple number that the weights round, if it is one."""
    stored: float
    """As they have it."""
    entries: Comparison


def nearest(loaded: Loaded, model: Model) -> Near | None:
    """The construction that the fewest bits lead from to the weights; None if they are not laid out as one.

    The norm X stands in the key of the query and in the query, η in the strength and in the norm of outputs, W0 in the
    readout: whichever of them was edited, another still has it.
    """
    d, k = model.sizes
    if model.tokens not in delta_net.LAYOUTS or len(model.layer.query) != 1:
        return None
    found = [
        near
        for norm, (eta, unit) in itertools.product(_norms(model, d, k), _steps(model))
        for near in [_beside(loaded, model, d, norm, eta(norm), unit)]
        if near is not None
    ]
    best = min(found, key=lambda near: near.entries.bits, default=None)
    return best if best and best.entries.alike > ALIKE else None


def _norms(model: Model, d: int, k: int) -> Iterator[Fraction]:
    """X², as the simple numbers that its roundings are of, where there are some."""
    flag = delta_net.LAYOUTS[model.tokens](d, k).slots.flags[0]
    unit = FORMATS["float32"].unit
    for field in (model.layer.key, model.layer.query):
        if d < field.shape[1] and flag < field.shape[2]:
            square = float(field[0, d, flag]) ** 2
            if 0 < square < math.inf:
                yield simple(square, 8 * unit) or Fraction(square)


def _steps(model: Model) -> Iterator[tuple[Any, float]]:
    """η from X², and within which relative distance it is known."""
    layer, unit = model.layer, FORMATS["float32"].unit
    logits, weights = layer.strength[0], layer.norm
    logit = float(logits[np.abs(logits).argmax()])
    weight = float(np.median(weights)) * math.sqrt(len(weights)) / delta_net.CHANNEL
    if abs(logit) < 700:
        beta = 2 / (1 + math.exp(-logit))
        yield (
            lambda square: beta / float(square + delta_net.UNIT_EPSILON),
            8 * unit * (1 + abs(logit)),
        )
    if 0 < weight < math.inf:
        yield lambda square: weight / float(square), 8 * unit


def _beside(
    loaded: Loaded, model: Model, d: int, square: Fraction, stored: float, unit: float
) -> Near | None:
    """The folder's arrays beside those of an instance; None if there is none, or it has other shapes."""
    exact = simple(stored, unit) if stored else None
    slots = delta_net.LAYOUTS[model.tokens](d, len(model.readout)).slots
    start, stop = slots.input(1)
    if stop > model.readout.shape[1]:
        return None
    try:
        made = delta_net.instance(
            np, exact or Fraction(stored), model.readout[:, start:stop].T, square
        )
    except (ValueError, OverflowError):
        return None
    encoding = made.model.encode_weight, made.model.encode_bias, made.model.readout
    wanted = {
        **fla_delta_net.tensors(made.model.layer),
        **dict(zip(ENCODING, encoding, strict=True)),
    }
    arrays = {**loaded.tensors, **loaded.encoding}
    if {n: a.shape for n, a in arrays.items()} != {n: a.shape for n, a in wanted.items()}:
        return None
    close = {
        name: 2 * ROUNDINGS * FORMATS[loaded.dtypes.get(name, "float64")].unit for name in arrays
    }
    if not exact:  # what was read of a rounded logit is as far off as that
        close = {name: max(each, 2 * unit) for name, each in close.items()}
    return Near(made, exact, stored, compared(arrays, wanted, close))
