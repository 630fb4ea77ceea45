"""Where the targets of a claim come from: the task model of the paper, or anywhere."""

from __future__ import annotations

from scanproof.constructs.arrays.array_api import Array


def targets(x: Array, w: Array | None = None, y: Array | None = None) -> Array:
    """The targets y if they are given, else those of the linear model, wᵀx_i for every row but the query.

    The paper's data come from a linear model. What is refuted is refuted on such data; what is proved is
    proved for arbitrary targets.
    """
    return x[:-1] @ w if y is None else y
