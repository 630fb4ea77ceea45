"""Small changes to a construction's parameters, or to a claimed right side, made by walking them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from ..language.statements import Equal, Statement
from .entries import as_array

Change = Callable[[Any], Any]
"""Of an array of scalars of any field, or of formulas."""


def changes(shape: tuple[int, ...], scales: dict[str, Any]) -> Iterator[tuple[str, Change]]:
    """Named changes of one array: sign, scale, transpose, shift, and one off in every entry."""
    for name, factor in scales.items():
        yield f"× {name}", lambda a, k=factor: scaled(a, k)
    if len(shape) == 2 and shape[0] == shape[1] > 1:
        yield "transposed", lambda a: a.T
    for axis, length in enumerate(shape):
        if length > 1:
            yield f"shifted along axis {axis}", lambda a, x=axis: np.roll(a, 1, axis=x)
    for index in np.ndindex(shape):
        yield f"{_at(index)} + 1", lambda a, i=index: _bumped(a, i)


def paths(parameters: Any, name: str = "") -> list[str]:
    """A name for each array of the parameters, in the order of `leaves`."""
    if isinstance(parameters, tuple):
        fields = getattr(parameters, "_fields", range(len(parameters)))
        found = []
        for field, branch in zip(fields, parameters, strict=True):
            found += paths(branch, f"{name}.{field}" if name else str(field))
        return found
    return [] if parameters is None or callable(parameters) else [name or "parameter"]


@dataclass(frozen=True)
class OnLeaf:
    """A mutation of parameters that changes the array with a path and leaves the others."""

    path: str
    change: Change


def on_right_side(change: Change) -> Callable[[Statement], Statement]:
    """A mutation of an equation's right side."""

    def mutate(statement: Statement) -> Statement:
        if isinstance(statement, Equal):
            return replace(statement, right=as_array(change(statement.right)))
        return statement

    return mutate


def scaled(array: Any, factor: Fraction | int) -> Any:
    """The array times a number; scalars of every field are multiplied with, and divided by, whole numbers."""
    return factor.numerator * array / factor.denominator


def _bumped(array: np.ndarray, index: tuple[int, ...]) -> np.ndarray:
    changed = array.copy()
    changed[index] = 1 + changed[index]
    return changed


def _at(index: tuple[int, ...]) -> str:
    return f"entry {list(index)}" if index else "value"
