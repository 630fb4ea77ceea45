"""Formats of numbers as programs for torch name them, and what is known of a tensor's.

Rounding is not looked at, so that real numbers have one format, and casts between real formats change nothing. A
program that asks for a format, as in `x.dtype == torch.float32`, is read once more on inputs of float32, torch's
default; there each tensor has the format that torch gives it.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
from jax import numpy as jnp

from ...questions import asks_for_a_format
from .tensors import Tensor, refuse

DEFAULT = "float32"
"""That of the tensors that torch makes of nothing."""
FOLLOWED: list[bool] = [False]
"""Whether tensors have the formats that torch gives them; if not, the real ones are all alike."""


class Dtype:
    """A format: its kind is a letter of NumPy's."""

    def __init__(self, name: str, any_real: bool = False) -> None:
        self.name, self.any_real = name, any_real
        """Its name in torch, and whether it stands for whichever real format a tensor has."""
        whole = name.startswith(("int", "uint"))
        self.kind = "b" if name == "bool" else "i" if whole else "f"
        self.is_floating_point, self.is_complex = self.kind == "f", False

    def _ask(self, other: Any = None) -> None:
        one_kind = getattr(other, "kind", "f") == self.kind
        if one_kind and (self.any_real or getattr(other, "any_real", False)):
            raise _asked()

    def __eq__(self, other: Any) -> bool:
        if isinstance(other, Dtype):
            self._ask(other)
            return self.name == other.name
        return False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise refuse(f"{name} of a format")

    def __hash__(self) -> int:
        self._ask()
        return hash(self.name)

    def __repr__(self) -> str:
        self._ask()
        return f"torch.{self.name}"

    @property
    def itemsize(self) -> int:
        """How many bytes a number takes."""
        self._ask()
        return getattr(importlib.import_module("torch"), self.name).itemsize


def _asked() -> Exception:
    asks_for_a_format()
    return refuse("a question about a format")


NAMES = {
    **{name: name for name in ("float16", "bfloat16", "float32", "float64")},
    **{name: name for name in ("uint8", "int8", "int16", "int32", "int64", "bool")},
    **{"half": "float16", "float": "float32", "double": "float64"},
    **{"short": "int16", "int": "int32", "long": "int64"},
}
_ONCE = {name: Dtype(name) for name in NAMES.values()}
DTYPES = {name: _ONCE[full] for name, full in NAMES.items()}
"""By every name that torch has for it: one object each, as in torch."""
_PYTHONS = {bool: "bool", int: "int64", float: "float64"}


class Device:
    """Where a tensor lies: on a CPU."""

    type, index = "cpu", None


CPU = Device()


def is_same(one: Any, other: Any) -> bool:
    """`one is other`, which asks for a format where it is one, and for memory where it is a tensor's."""
    if one is not other and isinstance(one, Dtype) and isinstance(other, Dtype):
        return one == other
    if isinstance(one, Tensor) and isinstance(other, Tensor) and one is not other:
        if one._family is not other._family:
            return False
        raise refuse("whether two names stand for one tensor", "compare numbers")
    return one is other


@contextmanager
def following(arrays: Sequence[Any]) -> Iterator[None]:
    """Tensors have torch's formats where the inputs are of another format than float64."""
    kinds = {str(one.dtype) for one in arrays if getattr(one, "dtype", None) is not None}
    FOLLOWED.append(any("float" in one and one != "float64" for one in kinds))
    if FOLLOWED[-1] and not jax.config.read("jax_enable_x64"):
        raise refuse("formats of 64 bits", "let JAX have them")
    try:
        yield
    finally:
        FOLLOWED.pop()


def default() -> Any:
    """JAX's format of real numbers that torch makes of nothing."""
    return jnp.dtype(DEFAULT if FOLLOWED[-1] else "float64")


def of_jax(dtype: Any, otherwise: Any = None) -> Any:
    """JAX's format for one of torch's, or of Python's types."""
    if dtype is None:
        return default() if otherwise is None else otherwise
    found = dtype if isinstance(dtype, Dtype) else DTYPES[_PYTHONS[dtype]]
    if found.kind == "f" and not FOLLOWED[-1]:
        return default()
    return jnp.dtype(found.name)


def of_tensor(tensor: Tensor) -> Dtype:
    """`x.dtype`."""
    dtype = jnp.dtype(tensor.array.dtype)
    if jnp.issubdtype(dtype, jnp.floating) and not FOLLOWED[-1]:
        return Dtype("float64", any_real=True)
    if dtype.name not in DTYPES:
        raise refuse(f"a tensor of the format {dtype.name}")
    return DTYPES[dtype.name]


def of_nothing() -> Dtype:
    """`torch.get_default_dtype()`."""
    return DTYPES[DEFAULT] if FOLLOWED[-1] else Dtype("float64", any_real=True)


def limits(dtype: Any = None) -> Any:
    """`torch.finfo(dtype)`."""
    found = of_nothing() if dtype is None else dtype
    if not isinstance(found, Dtype) or found.kind != "f":
        raise refuse("finfo of what is no format of real numbers")
    found._ask()
    torch = importlib.import_module("torch")
    return torch.finfo(getattr(torch, found.name))


def settled(result: Any, operands: Sequence[Any]) -> Any:
    """What torch gives for these operands, in the format that it gives it; only where formats are followed."""
    if not FOLLOWED[-1]:
        return result
    if isinstance(result, Tensor):
        array = result._array
        if jnp.issubdtype(array.dtype, jnp.floating):
            wanted = _promoted(tuple(_key(one) for one in _flat(operands)))
            result._array = array.astype(wanted)
        return result
    if isinstance(result, tuple) and type(result) is not tuple:  # of a maximum, and its place
        return type(result)(*(settled(one, operands) for one in result))
    return tuple(settled(one, operands) for one in result) if type(result) is tuple else result


def _flat(values: Any) -> Iterator[Any]:
    for one in values:
        if isinstance(one, list | tuple):
            yield from _flat(one)
        elif isinstance(one, Tensor | bool | int | float) or hasattr(one, "dtype"):
            yield one


def _key(one: Any) -> Any:
    """A tensor's format and whether it has axes, which is all that torch's promotion asks; None for a number."""
    return (one._array.dtype.name, one._array.ndim > 0) if isinstance(one, Tensor) else None


@functools.cache
def _promoted(keys: tuple[Any, ...]) -> Any:
    """The format of torch's result, by its own rule."""
    torch = importlib.import_module("torch")
    tensors = [torch.empty([1] * key[1], dtype=getattr(torch, key[0])) for key in keys if key]

    def together(one: Any, other: Any) -> Any:
        dims = max(one.ndim, other.ndim)
        return torch.empty([1] * dims, dtype=torch.result_type(one, other))

    found = functools.reduce(together, tensors).dtype if tensors else torch.bool
    return jnp.dtype(str(found).removeprefix("torch.") if found.is_floating_point else DEFAULT)
