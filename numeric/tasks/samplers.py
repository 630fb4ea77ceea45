"""The sources' tasks: linear regression with one or several targets, and classification.

gril B.1–B.2 and gd-ssm A.5–A.6 draw inputs from U(−1, 1)^f and one weight vector for each target from N(0, I), with
targets wᵀx and as many targets as features; von Oswald et al. draw inputs from U(−½, ½)^f; ssd §4.2 draws both from
N(0, I). `input_scale` is the half-width of the uniform distribution or the standard deviation of the normal one.
gril B.5 takes the class with the largest logit for the label.

The losses, with their factors ½, are those of `constructs.learners.losses`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.language.sizes import whole

SAMPLERS = ("uniform", "normal")


class Task(NamedTuple):
    """H independent tasks of N examples and a query, in float64."""

    x: np.ndarray
    """Inputs, the query last: (H, N + 1, f)."""
    y: np.ndarray
    """Targets of the examples: (H, N), (H, N, k), or one-hot rows (H, N, K)."""
    w: np.ndarray
    """The weights that the targets come from: (H, f) or (H, f, k)."""


def regression(
    heads: int,
    examples: int,
    features: int,
    targets: int | None = None,
    *,
    sampler: str = "uniform",
    input_scale: float = 1.0,
    seed: int = 0,
) -> Task:
    """Tasks y = wᵀx with w from N(0, I); `targets` None stands for one target without an axis of its own.

    The data of a head depend on the seed and the head alone, not on the number of heads.

    Raises:
        UsageError: for an unknown sampler, a size below 1 or a scale that is not a positive number.
    """
    _check(heads, examples, features, targets or 1, sampler, input_scale, seed)
    drawn = [
        _head(
            np.random.default_rng((seed, head)), examples, features, targets, sampler, input_scale
        )
        for head in range(heads)
    ]
    x, w = (np.stack(arrays) for arrays in zip(*drawn, strict=True))
    y = np.stack([inputs[:-1] @ weights for inputs, weights in zip(x, w, strict=True)])
    return Task(x, y, w)


def classification(
    heads: int,
    examples: int,
    features: int,
    classes: int,
    *,
    sampler: str = "uniform",
    input_scale: float = 1.0,
    seed: int = 0,
) -> Task:
    """Tasks whose label is the largest of K logits wᵀx, as one-hot rows; 0 or 1 by the sign of one logit for K = 1.

    Raises:
        UsageError: as `regression` does.
    """
    logits = regression(
        heads, examples, features, classes, sampler=sampler, input_scale=input_scale, seed=seed
    )
    if classes == 1:
        return logits._replace(y=(logits.y[..., 0] > 0).astype(float), w=logits.w[..., 0])
    return logits._replace(y=np.eye(classes)[logits.y.argmax(axis=-1)])


def rng_of(seed: int, purpose: int) -> np.random.Generator:
    """A stream of its own for what is drawn beside the tasks."""
    return np.random.default_rng((seed, purpose, 1))


def _head(rng, examples: int, features: int, targets: int | None, sampler: str, scale: float):
    w = rng.standard_normal((features,) if targets is None else (features, targets))
    shape = (examples + 1, features)
    x = rng.uniform(-1, 1, shape) if sampler == "uniform" else rng.standard_normal(shape)
    return scale * x, w


def _check(
    heads: int, examples: int, features: int, targets: int, sampler: str, scale: float, seed: int
) -> None:
    sizes = {"heads": heads, "examples": examples, "features": features, "targets": targets}
    for name, size in sizes.items():
        whole(f"{name}={size!r}", size)
    if sampler not in SAMPLERS:
        raise UsageError(f"sampler={sampler!r}: no such sampler; allowed: {', '.join(SAMPLERS)}.")
    if not (np.isfinite(scale) and scale > 0):
        raise UsageError(f"input_scale={scale!r}: give a positive number, such as 1 or 0.5.")
    whole(f"seed={seed!r}", seed, least=0)
