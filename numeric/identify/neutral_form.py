"""From the tensors of a folder to models of the neutral form, and back to the names that they have there."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.layouts.neutral import Model

from ..export.loading import Loaded

FLA = fla_linear_attention.MODEL_TYPE
NARROW, WIDE = Fraction(1, 2**20), Fraction(1, 2**44)
"""Relative, for models with float32 arrays, and for those with float64 arrays alone: a few products and sums."""


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


def of_arrays(loaded: Loaded, tensors: Mapping[str, np.ndarray], tokens: str) -> Model:
    """A model of other tensors of a folder, encoding among them, under the names that `arrays` has for its target."""
    layers = {name: array for name, array in tensors.items() if name not in neutral.ENCODING}
    encoding = {name: tensors[name] for name in neutral.ENCODING}
    return neutral.from_tensors(_neutral(loaded, layers), encoding, tokens)


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
