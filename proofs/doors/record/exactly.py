"""A function of arrays in exact scalars: it is recorded, as a claim's body is, and the record is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scanproof.constructs.arrays.scan import map_leaves

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
    """What a function comes to in the scalars of a field.

    Args:
        field: of its scalars.
        function: written as definitions are: of the arrays' namespace, and of what is given.
        given: arrays of numbers or of scalars, and tuples that such are in; all else is handed on as it is.

    Returns:
        What the function returns, with NumPy's arrays of scalars for its arrays.

    Raises:
        NotPolynomial: if the field lacks a function.
        DivisionByZero: where there is no value.
        Exception: what the function raises.
    """
    inputs: dict[str, np.ndarray] = {}

    def held(leaf: Any) -> Any:
        if not isinstance(leaf, np.ndarray):
            return leaf
        name = str(len(inputs))
        inputs[name] = arranged(map(field.number, leaf.flat), leaf.shape)
        return Recorded(Input(name, leaf.shape))

    try:
        with recording(Recording(numbers=True)):
            found = function(Namespace(), *map_leaves(held, given))
    except Refused as error:
        raise error.__cause__ or error from None
    reading = Exact(field, {}, inputs)

    def read(leaf: Any) -> Any:
        return reading(without_gradients(leaf.node)) if isinstance(leaf, Recorded) else leaf

    return map_leaves(read, found)
