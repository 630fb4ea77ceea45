"""`scanproof.load`: the weights of an export, or of a folder that others made, ready to predict in float64 NumPy.

    weights = scanproof.load("DIR")
    weights.predict(x, y)  # x (n + 1, d), the query last; y (n, k) -> (k,)

Nothing but arrays is read from the folder, and no target's package is needed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral

from ..export.loading import Loaded
from ..export.loading import load as loaded
from . import delta_net_model, linear_tasks, mamba2_model, neutral_form
from .identifying import STACKS


class Weights(Mapping[str, np.ndarray]):
    """Named arrays of a model under its target's names, with the map from raw tokens and to the prediction.

    `manifest` (None without one), `settings` (config.json), `target`, `encoding` and `tensors` are what `folder` holds;
    `tokens` is the tokenisation by name.
    """

    def __init__(self, found: Loaded, tokens: str | None) -> None:
        self.folder: Path = found.folder
        self.manifest = found.manifest
        self.settings = found.settings
        self.target = found.target
        self.tensors = found.tensors
        self.encoding = found.encoding
        shape = found.encoding["encode.weight"].shape
        self._layout: Any = None
        known: dict[str, Any]
        if found.target == "fla-delta-net":
            known = delta_net_model.models(found.settings or {}, found.tensors, found.encoding)
        elif found.target in STACKS:
            targets = found.encoding["readout.weight"].shape[0]
            known = {layout.name: layout for layout in mamba2_model.layouts(shape[1], targets)}
        else:
            known = {model.tokens: model for model in neutral_form.models(found)}
        if tokens not in (None, *known) or not known:
            raise UsageError(
                f"{found.folder}: tokens {tokens!r} do not fit encode.weight of shape {shape}; those that do: "
                f"{', '.join(known) or 'none'}."
            )
        self.tokens = tokens or next(iter(known))
        self.model: Any = known[self.tokens]
        if found.target in STACKS:
            self._layout = known[self.tokens]
            named = mamba2_model.for_transformers(found)
            self.model = mamba2_model.model_of(named.settings or {}, named.tensors, named.encoding)

    def __getitem__(self, name: str) -> np.ndarray:
        return self.tensors[name]

    def __iter__(self) -> Any:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    @property
    def layers(self) -> tuple[Any, ...]:
        """The parameters of each layer as its definition takes them: a pytree of NumPy arrays."""
        if isinstance(self.model, delta_net_model.Model):
            return (self.model.layer,)
        return tuple(self.model.blocks if self._layout is not None else self.model.layers)

    def predict(self, x: Any, y: Any) -> np.ndarray:
        """The prediction for the query, by the definition in float64.

        Args:
            x: inputs, the query last: (n + 1, d), or (tasks, n + 1, d).
            y: targets, (n, k), or (tasks, n, k).

        Returns:
            Shape (k,), or (tasks, k).

        Raises:
            UsageError: for other shapes.
        """
        x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        d, k = self.sizes
        if (
            x.ndim not in (2, 3)
            or y.ndim != x.ndim
            or (x.shape[-1], y.shape[-1]) != (d, k)
            or x.shape[:-2] != y.shape[:-2]
            or x.shape[-2] != y.shape[-2] + 1
            or y.shape[-2] < 1
        ):
            raise UsageError(
                f"predict(x, y) expects x (n + 1, {d}) with the query last and y (n, {k}), n ≥ 1, or both with an axis "
                f"of tasks before; got {x.shape} and {y.shape}."
            )
        tasks = (x, y) if x.ndim == 3 else (x[None], y[None])
        if self._layout is not None:
            rows = mamba2_model.predictions(self.model, self._layout, *tasks)
        elif isinstance(self.model, delta_net_model.Model):
            rows = delta_net_model.predictor(self.model)(*tasks)
        else:
            rows = linear_tasks.predictor(self.model)(*tasks)
        return rows if x.ndim == 3 else rows[0]

    @property
    def sizes(self) -> tuple[int, int]:
        """(d, k): features and targets."""
        if self._layout is not None:
            return self._layout.slots.d, self._layout.slots.k
        if isinstance(self.model, delta_net_model.Model):
            return self.model.sizes
        return neutral.sizes(self.model)

    def __repr__(self) -> str:
        d, k = self.sizes
        return (
            f"Weights({str(self.folder)!r}: {self.target}, d = {d}, k = {k}, {self.tokens} tokens)"
        )


def load(folder: str | os.PathLike[str], *, tokens: str | None = None) -> Weights:
    """The weights of a folder, checked; see `numeric.export.loading.load`.

    Args:
        folder: an export, or weights that others made with an `encoding.safetensors` beside them.
        tokens: the tokenisation by name; the manifest's if not given, else the first that the encoding's width fits.

    Raises:
        UsageError: for a folder that is not a complete model, or tokens that do not fit it.
    """
    found = loaded(folder)
    named = found.manifest["tokens"]["name"] if found.manifest and tokens is None else tokens
    return Weights(found, named)
