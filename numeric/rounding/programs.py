"""The bound of a whole program: what a JAX function of arrays can get wrong, from its jaxpr."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..jax_backend import jax, x64
from ..precision import Precision
from ..precision import precision as precision_of
from .arithmetic import OUTWARD
from .enclosed import Enclosed, Value, Whole, error, magnitude
from .inputs import Magnitude, given
from .reading import Reader


class ErrorBound(NamedTuple):
    """An a priori bound of one array of results, known before the program runs."""

    bound: np.ndarray
    """|computed − exact| is at most this, entry by entry; infinite where there is no bound."""
    magnitude: np.ndarray
    """The exact result is at most this large in magnitude."""


class Traced:
    """A program traced for the shapes and dtypes of some values, which can be read any number of times.

    Args:
        program: a function of trees of arrays that JAX can trace.
        values: its arguments, trees of `Value`.
        wide: whether the program is traced with JAX's 64-bit types.
    """

    def __init__(self, program: Callable[..., Any], values: Any, *, wide: bool) -> None:
        j = jax("bounds")
        leaves, tree = j.tree.flatten(values, is_leaf=is_value)
        arguments = tree.unflatten([j.ShapeDtypeStruct(v.shape, v.dtype) for v in leaves])
        with x64(wide):
            self._jaxpr, out = j.make_jaxpr(program, return_shape=True)(*arguments)
        self._out = j.tree.structure(out)
        self._reader = Reader()

    def read(self, values: Any) -> Any:
        """The values that the program makes of values, as a tree."""
        j = jax("bounds")
        with x64(True), np.errstate(all="ignore"):
            leaves = j.tree.leaves(values, is_leaf=is_value)
            return j.tree.unflatten(self._out, self._reader.run(self._jaxpr, leaves))


def read(program: Callable[..., Any], values: Any, *, wide: bool) -> Any:
    """The values that a program makes of values, as a tree; the arguments are those of `Traced`."""
    return Traced(program, values, wide=wide).read(values)


def is_value(leaf: Any) -> bool:
    """Whether this is a leaf of a tree of values."""
    return isinstance(leaf, Enclosed | Whole)


def finished(value: Enclosed) -> ErrorBound:
    """The finished bound: outward by what its own computation may have lost, and of the array's shape."""
    with np.errstate(all="ignore"):
        bound = np.asarray(error(value)) * OUTWARD
        size = np.asarray(magnitude(np, value)) * OUTWARD
    bound = np.where(np.isnan(bound), np.inf, bound)
    return ErrorBound(np.broadcast_to(bound, value.shape), np.broadcast_to(size, value.shape))


def a_priori(program: Callable[..., Any], *inputs: Any, precision: Any = "float32") -> Any:
    """What `program(*inputs)` can get wrong in this precision, from its jaxpr and the magnitudes of its inputs.

    The exact result is that of the program in exact arithmetic on the inputs as they are here: that they are rounded
    to the precision's accumulation dtype is part of the bound. The program must be pure arithmetic: where it branches
    on computed numbers, the bound covers both branches.

    Args:
        program: a function of trees of arrays, as it runs: jitted or not.
        inputs: its arguments: trees of arrays, or of a `Magnitude` where the numbers are not known yet.
        precision: a name, dtype or `Precision`, whose `accumulate` is the dtype that floating-point inputs enter with.

    Returns:
        The program's tree of results, with an `ErrorBound` for each array of floating-point numbers.

    Raises:
        UsageError: if JAX is missing, or the program has an operation without a rule.
    """
    dtype = formats(precision)[2]

    def entering(array: Any) -> Value:
        if not isinstance(array, Magnitude) and np.asarray(array).dtype.kind in "iub":
            return given(array, np.asarray(array).dtype)
        return given(array, dtype, signed=True)

    tree = jax("bounds").tree.map(
        entering, inputs, is_leaf=lambda v: isinstance(v, Magnitude | Enclosed)
    )
    found = read(program, tree, wide=str(dtype) == "float64")
    return jax("bounds").tree.map(
        lambda v: finished(v) if isinstance(v, Enclosed) else v,
        found,
        is_leaf=lambda v: isinstance(v, Enclosed | Whole),
    )


def formats(precision: Any) -> tuple[Precision, np.dtype, np.dtype]:
    """The precision of a name or dtype, its input dtype and its accumulation dtype, whatever JAX's types are now."""
    with x64(True):
        numbers = precision_of(precision)
    inputs = np.dtype(jax("bounds").numpy.dtype(numbers.inputs))
    return numbers, inputs, np.dtype(numbers.accumulate)
