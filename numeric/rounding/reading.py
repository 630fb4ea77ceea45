"""Reading a JAX program on magnitudes and errors: the bound is made by the very program that will run.

`Reader.run` goes through the equations of a jaxpr, what JAX made of an op or of another program, and applies to each
the rule of its primitive. Loops are run through; a long one is compiled by JAX, over the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from . import compressed, devices, triangular  # noqa: F401  (each registers its rules)
from .control_flow import CONTROL
from .data_movement import MOVES
from .enclosed import Enclosed, Value, Whole, point
from .rules import RULES, is_point

_COMPARISONS: dict[str, Callable[..., Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_WHOLE: dict[str, str] = {
    **{name: function.__name__ for name, function in _COMPARISONS.items()},
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "max": "maximum",
    "min": "minimum",
    "neg": "negative",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "not": "bitwise_not",
    "xor": "bitwise_xor",
    "sign": "sign",
    "abs": "abs",
}


class Reader:
    """Reads programs whose fields are arrays of one namespace: NumPy, or `jax.numpy` inside a compiled loop."""

    def __init__(self, xp: Any = np) -> None:
        self.xp = xp
        self.mesh: devices.Mesh | None = None
        """The devices that run the program that is being read; None if it is one."""
        self.programs: dict[Any, Any] = {}
        """Compiled loops; the jaxprs that they belong to must stay alive, which they do while the reader runs."""

    def inside(self, xp: Any) -> Reader:
        """A reader of a loop's body, for fields of another namespace."""
        reader = Reader(xp)
        reader.mesh = self.mesh
        return reader

    def run(self, closed: Any, values: Sequence[Any]) -> list[Any]:
        """The values of a closed jaxpr's results.

        Raises:
            UsageError: if there is no rule for one of its primitives.
        """
        jaxpr = closed.jaxpr
        known: dict[Any, Any] = {}
        known.update(zip(jaxpr.constvars, map(_constant, closed.consts), strict=True))
        known.update(zip(jaxpr.invars, values, strict=True))

        def read(atom: Any) -> Any:
            return _constant(atom.val) if hasattr(atom, "val") else known[atom]

        for equation in jaxpr.eqns:
            results = self.apply(equation, [read(atom) for atom in equation.invars])
            known.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.outvars]

    def apply(self, equation: Any, values: list[Any]) -> Sequence[Any]:
        """The results of one equation."""
        name, params = equation.primitive.name, equation.params
        if self.mesh is not None and (
            name in devices.COLLECTIVES or any(isinstance(v, devices.Shards) for v in values)
        ):
            return devices.apply(self, equation, values)
        if name in CONTROL:
            return CONTROL[name](self, equation, values)
        out = equation.outvars[0].aval
        if any(v is None for v in values) and name != "select_n":  # made of an unknown truth value
            return [None for _ in equation.outvars]
        if name in MOVES:
            found = MOVES[name](self.xp, params, out.shape, *values)
            return found if isinstance(found, list) else [found]
        if name in _COMPARISONS and any(isinstance(v, Enclosed) for v in values):
            return [self._compared(_COMPARISONS[name], out, *values)]
        whole = out.dtype == bool or np.issubdtype(out.dtype, np.integer)
        if whole and all(isinstance(v, Whole) for v in values):
            return [self._whole(equation, out, values)]
        if name == "gather":
            return [self._gathered(equation, out, *values)]
        if name not in RULES:
            raise UsageError(
                f"a bound needs a rule for every operation of the program, and there is none for {name!r}; "
                f"those known are {', '.join(sorted({*RULES, *MOVES, *CONTROL}))}."
            )
        return [RULES[name](self.xp, {**params, "name": name}, out.shape, out.dtype, *values)]

    def _gathered(self, equation: Any, out: Any, array: Value, indices: Whole) -> Value:
        """Entries at indices that are known, moved by XLA itself."""
        where = self.xp.broadcast_to(indices.value, indices.shape)

        def moved(field: Any) -> Any:
            whole = self.xp.broadcast_to(field, array.shape)
            found = equation.primitive.bind(_device(whole), _device(where), **equation.params)
            return np.asarray(found) if self.xp is np else found

        return compressed.fields(moved, array, out.shape)

    def _whole(self, equation: Any, out: Any, values: list[Any]) -> Whole:
        """Integers and truth values, which are computed as they are."""
        name, params, xp = equation.primitive.name, equation.params, self.xp
        arrays = [v.value for v in values]
        if name in _WHOLE:
            found = getattr(xp, _WHOLE[name])(*arrays)
        elif name == "convert_element_type":
            found = arrays[0]
        elif name == "select_n":
            return RULES["select_n"](xp, params, out.shape, out.dtype, *values)  # type: ignore[return-value]
        elif name == "cumsum":
            found = xp.cumsum(xp.broadcast_to(arrays[0], values[0].shape), axis=params["axis"])
            if params["reverse"]:
                raise UsageError("a bound has no rule for a reversed cumsum of integers.")
        else:
            whole = [xp.broadcast_to(a, v.shape) for a, v in zip(arrays, values, strict=True)]
            found = equation.primitive.bind(*whole, **params)
            found = np.asarray(found) if xp is np else found
        return Whole(out.shape, out.dtype, xp.asarray(found).astype(out.dtype))

    def _compared(self, compare: Callable[..., Any], out: Any, a: Value, b: Value) -> Any:
        """A comparison of computed numbers: known if they are, else None."""
        fields = []
        for value in (a, b):
            known = True if isinstance(value, Whole) else is_point(value)
            if not isinstance(known, bool | np.ndarray | np.generic) or not np.all(known):
                return None
            fields.append(value.value if isinstance(value, Whole) else value.upper)
        return Whole(out.shape, out.dtype, np.asarray(compare(*fields)))


def _device(array: Any) -> Any:
    import jax.numpy

    return jax.numpy.asarray(array)


def _constant(value: Any) -> Value:
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        dtype = np.asarray(value).dtype
    array = np.asarray(value)
    if array.dtype != bool and not np.issubdtype(array.dtype, np.integer):
        array = array.astype(np.float64)
    return point(array, np.dtype(dtype))
