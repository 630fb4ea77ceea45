"""A function of arrays in exact scalars: it is recorded, as a claim's body is, and the record is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scanproof.constructs.arrays.protocols import within
from scanproof.constructs.arrays.scan import leaves, map_leaves

from ...exact.entries import arranged
from ...exact.field import Field
from ...readings.derivative import without_gradients
from ...readings.exact import Exact
from ...statement.nodes import Input
from ..refused import Refused
from .array import Recorded
from .namespace import Namespace
from .recording import Recording, recording


def exactly(field: Field, function: Callable[..., Any], *given: Any) -> Any:
    """What a function comes to in the scalars of a field: see `Record`, which is read once here."""
    return Record(function, *given)(field, *given)


class Record:
    """A function, recorded once, for arrays of some shapes.

    Args:
        function: written as definitions are, or with `scanproof.numpy`: of the arrays' namespace, and of what is given.
        given: arrays, and tuples that such are in; all else is handed on as it is.

    Raises:
        Exception: what the function raises.
    """

    def __init__(self, function: Callable[..., Any], *given: Any) -> None:
        shapes = iter(map(np.shape, _arrays(given)))
        numbers = iter(range(len(_arrays(given))))

        def held(leaf: Any) -> Any:
            if not isinstance(leaf, np.ndarray):
                return leaf
            return Recorded(Input(str(next(numbers)), next(shapes)))

        try:
            with recording(Recording(numbers=True)), within(xp := Namespace()):
                found = function(xp, *map_leaves(held, given))
        except Refused as error:
            raise error.__cause__ or error from None
        self._found = map_leaves(_written, found)

    def __call__(self, field: Field, *given: Any) -> Any:
        """What the function returns, with NumPy's arrays of scalars for its arrays.

        Args:
            field: of the scalars.
            given: the same with any numbers or scalars in the arrays.

        Raises:
            NotPolynomial: if the field lacks a function.
            DivisionByZero: where there is no value.
        """
        every = enumerate(_arrays(given))
        inputs = {str(k): arranged(map(field.number, one.flat), one.shape) for k, one in every}
        reading = Exact(field, {}, inputs)
        return map_leaves(
            lambda leaf: reading(leaf.node) if isinstance(leaf, Recorded) else leaf, self._found
        )


def _arrays(given: Any) -> list[np.ndarray]:
    return [leaf for leaf in leaves(given) if isinstance(leaf, np.ndarray)]


def _written(leaf: Any) -> Any:
    """An array with its gradients written out."""
    if isinstance(leaf, Recorded):
        leaf.node = without_gradients(leaf.node)
    return leaf
