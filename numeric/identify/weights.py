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

from ..export.loading import Loaded
from ..export.loading import load as loaded
from .families import family_of


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
        self._family = family_of(found.target)
        known = self._family.models(found)
        if tokens not in (None, *known) or not known:
            shape = found.encoding["encode.weight"].shape
            raise UsageError(
                f"{found.folder}: tokens {tokens!r} do not fit encode.weight of shape {shape}; those that do: "
                f"{', '.join(known) or 'none'}."
            )
        self.tokens = tokens or next(iter(known))
        self.model: Any = known[self.tokens]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.tensors[name]

    def __iter__(self) -> Any:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    @property
    def layers(self) -> tuple[Any, ...]:
        """The parameters of each layer as its definition takes them: a pytree of NumPy arrays."""
        return tuple(self.model.layers)

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
        rows = self._family.predictor(self.model)(*tasks)
        return rows if x.ndim == 3 else rows[0]

    @property
    def sizes(self) -> tuple[int, int]:
        """(d, k): features and targets."""
        return self._family.sizes(self.model)

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
