"""Prompts whose answers are known: data of the domain of an export's bound, and what its learner predicts on them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.constructs.tokens.mamba2 import LAYOUTS

from ..export.standalone import learned, task

COUNT = 6
"""Prompts of one set."""


class Prompts(NamedTuple):
    """Inputs of a model with the predictions that its learner makes on them."""

    embeddings: list[np.ndarray]
    """For each prompt (T, M); T may differ."""
    expected: np.ndarray
    """(prompts, k)."""

    @property
    def lengths(self) -> list[int]:
        """T of each."""
        return [len(rows) for rows in self.embeddings]


def drawn(manifest: dict[str, Any], encoding: dict[str, np.ndarray], lengths: list[int]) -> Prompts:
    """Prompts of these numbers of examples, drawn with a fixed seed.

    Args:
        manifest: of the export.
        encoding: `encode.weight` (M, r) and `encode.bias` (M,).
        lengths: examples of each prompt.
    """
    name, sizes = manifest["tokens"]["name"], manifest["sizes"]
    if manifest["family"] == "mamba2":
        tokens = LAYOUTS[name](sizes["features"], sizes["targets"]).tokens
    else:
        tokens = TOKENISATIONS[name].tokens
    rng = np.random.default_rng(0)
    tasks = [task(manifest, rng, n) for n in lengths]
    raw = [tokens(x, y) for x, y in tasks]
    embeddings = [rows @ encoding["encode.weight"].T + encoding["encode.bias"] for rows in raw]
    return Prompts(embeddings, np.stack([learned(manifest["learner"], x, y) for x, y in tasks]))
