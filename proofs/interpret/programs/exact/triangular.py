"""`triangular_solve` by substitution, row after row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _triangular_solve(reader: Any, params: Any, a: Any, b: Any) -> Any:
    computer = reader.computer
    a, b = computer.reals(np.asarray(a)), computer.reals(np.asarray(b))
    matrix = np.swapaxes(a, -1, -2) if params["transpose_a"] else a
    lower = params["lower"] != params["transpose_a"]
    order = list(range(a.shape[-1]))
    if lower != params["left_side"]:  # the system of x A = b is that of Aᵀ
        order.reverse()
    computer.spend(b.size * a.shape[-1])
    out = np.empty(b.shape, dtype=object)
    for batch in np.ndindex(*b.shape[:-2]):
        system, right, solved = matrix[batch], b[batch], out[batch]
        if not params["left_side"]:
            system, right, solved = system.T, right.T, solved.T
        done: list[int] = []
        for i in order:
            found = right[i]
            for j in done:
                product = computer.combined(np.multiply, system[i, j], solved[j])
                found = computer.combined(np.subtract, found, product)
            if not params["unit_diagonal"]:
                found = computer.combined(np.true_divide, found, system[i, i])
            solved[i] = found
            done.append(i)
    return out


RULES: dict[str, Callable[..., Any]] = {"triangular_solve": _triangular_solve}
