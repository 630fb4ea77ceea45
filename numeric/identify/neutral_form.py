"""From the tensors of a folder to models of the neutral form, what these predict, and back to the names there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.layouts.neutral import Model

from ..export.exporting import HALVES
from ..export.loading import Loaded
from ..rounding.batch import ROUNDINGS, Batch, to_float32
from .tasks import Predictor

FLA = fla_linear_attention.MODEL_TYPE
NARROW, WIDE = Fraction(1, 2**20), Fraction(1, 2**44)
"""Relative, for models with float32 arrays, and for those with float64 arrays alone: a few products and sums."""
WORKSPACE = 2**22
"""Numbers in the states of the tasks that run at once."""


def models(loaded: Loaded) -> list[Model]:
    """The models that a folder may hold: one for each tokenisation that has the encoding's width.

    Arrays are in their own formats.

    Raises:
        LayoutError: if there is none, which `load` has made sure of.
    """
    tensors = _neutral(loaded, loaded.tensors)
    family = neutral.from_tensors(tensors, loaded.encoding).family
    weight, _, readout = (loaded.encoding[name].shape for name in neutral.ENCODING)
    return [
        neutral.from_tensors(tensors, loaded.encoding, tokens)
        for tokens in neutral.fitting(family, weight[1], readout[0])
    ]


def _neutral(loaded: Loaded, tensors: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    """Tensors under their neutral names."""
    if loaded.target != FLA or loaded.settings is None:
        return tensors
    layers = fla_linear_attention.layers(loaded.settings, dict(tensors))
    return {
        f"layers.{i}.{field}": np.asarray(array)
        for i, layer in enumerate(layers)
        for field, array in layer._asdict().items()
    }


def arrays(model: Model, target: str = "") -> dict[str, np.ndarray]:
    """A model's arrays by their neutral names, or under the names that a target's folder has for them."""
    layers = fla_linear_attention.tensors(model) if target == FLA else neutral.tensors(model)
    return {key: np.asarray(array) for key, array in {**layers, **neutral.encoding(model)}.items()}


def rounding(model: Model) -> Fraction:
    """The relative deviation that is put down to rounding of a model's arrays: the coarsest format decides."""
    wide = all(array.dtype == np.float64 for array in arrays(model).values())
    return WIDE if wide else NARROW


def predictor(model: Model, dtype: str = "float64", *, wide: bool = False) -> Predictor:
    """The model, each operation in a format, on a batch of tasks: (tasks, n + 1, d), (tasks, n, k) -> (tasks, k).

    Args:
        model: in floats.
        dtype: the format.
        wide: whether 16 bits are only what layers store, and operations in float32.
    """
    own = rounding = ROUNDINGS[dtype]
    cast = neutral.mapped(lambda array: own(np.asarray(array, dtype=np.float64)), model)
    stored: tuple[Callable[[Any], Any], ...] = ()
    if wide and dtype in HALVES:
        rounding = to_float32
        stored = (lambda array: array.to(own).to(to_float32),)
        cast = cast._replace(encode_weight=model.encode_weight, encode_bias=model.encode_bias)

    @np.errstate(all="ignore")
    def predict(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        at_once = max(1, WORKSPACE // (x.shape[1] * len(model.encode_bias) ** 2))
        parts = []
        for i in range(0, len(x), at_once):
            data = Batch(x[i : i + at_once], rounding), Batch(y[i : i + at_once], rounding)
            parts.append(neutral.predict(cast, *data, *stored))
        return np.concatenate([part.data for part in parts]).astype(np.float64)

    return predict
