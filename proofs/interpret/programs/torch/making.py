"""Tensors made of nothing, of numbers and of other formats."""

from __future__ import annotations

from typing import Any

from jax import lax
from jax import numpy as jnp

from . import formats, modes
from .formats import DTYPES
from .operators import array_or_number
from .sequences import Appended, joined_rows
from .table import known
from .tensors import Tensor, is_size, kind, refuse


def as_format(array: Any, dtype: Any) -> Any:
    """The numbers in another format, which no real number is cut off for."""
    wanted = formats.of_jax(dtype)
    letter = kind(jnp.empty((), wanted))
    if letter == "i" and kind(array) == "f":
        raise refuse("a cast of real numbers to whole ones")
    return array != 0 if letter == "b" and kind(array) != "b" else array.astype(wanted)


def _lengths(size: Any) -> tuple[Any, ...]:
    return tuple(size) if isinstance(size, list | tuple) else (size,)


def filled(size: Any, value: Any, format: Any) -> Tensor:
    """A tensor with the same number everywhere."""
    array = array_or_number(value)
    letter = kind(jnp.empty((), format))
    if letter != "f" and kind(jnp.asarray(array)) == "f":
        raise refuse("whole numbers or truth values made of a real number")
    return Tensor(jnp.full(_lengths(size), array, format))


def _making(name: str, value: Any) -> None:
    @known(name, own_format=True)
    def of_nothing(size: Any, dtype: Any = None) -> Tensor:
        return filled(size, value, formats.of_jax(dtype))

    @known(f"{name}_like", own_format=True)
    def like(input: Tensor, dtype: Any = None) -> Tensor:
        return filled(input.array.shape, value, formats.of_jax(dtype, input.array.dtype))

    @known(f"new_{name}", own_format=True)
    def new(input: Tensor, size: Any, dtype: Any = None) -> Tensor:
        return filled(size, value, formats.of_jax(dtype, input.array.dtype))


_making("zeros", 0)
_making("ones", 1)
# What is in it before it is written is anything: NaN, so that a proof never counts on it.
_making("empty", jnp.nan)


@known("full", own_format=True)
def _full(size: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    made = jnp.asarray(array_or_number(fill_value))
    own = formats.default() if kind(made) == "f" else made.dtype
    return filled(size, fill_value, formats.of_jax(dtype, own))


@known("full_like", own_format=True)
def _full_like(input: Tensor, fill_value: Any, dtype: Any = None) -> Tensor:
    return filled(input.array.shape, fill_value, formats.of_jax(dtype, input.array.dtype))


@known("new_full", own_format=True)
def _new_full(input: Tensor, size: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    return filled(size, fill_value, formats.of_jax(dtype, input.array.dtype))


@known("eye", own_format=True)
def _eye(n: Any, m: Any = None, dtype: Any = None) -> Tensor:
    return Tensor(jnp.eye(n, m, dtype=formats.of_jax(dtype)))


@known("arange", own_format=True)
def _arange(end: Any, start: Any = 0, step: Any = 1, dtype: Any = None) -> Tensor:
    if not all(map(is_size, (start, end, step))):
        raise refuse("arange of what are not whole numbers")
    plain = type(start) is int and start == 0 and type(step) is int and step == 1
    made = jnp.arange(end) if plain else jnp.arange(start, end, step)
    made = made.astype(jnp.int64)
    return Tensor(made if dtype is None else as_format(made, dtype))


def _made(data: Any) -> Any:
    """The array of a number, or of lists of numbers."""
    if isinstance(data, Tensor):
        raise refuse("a tensor made of a list of tensors", "use torch.stack")
    if isinstance(data, list | tuple):
        if isinstance(data, Appended) and data.rows is not None:
            raise refuse("a tensor made of a list of tensors", "use torch.stack")
        parts = [_made(one) for one in data]
        return jnp.stack([jnp.asarray(p) for p in parts]) if parts else jnp.zeros(0)
    return jnp.asarray(array_or_number(data))


def _of_data(data: Any, dtype: Any) -> Tensor:
    array = _made(data)
    if dtype is not None:
        return Tensor(as_format(array, dtype))
    return Tensor(array.astype(formats.default()) if kind(array) == "f" else array)


@known("tensor", own_format=True)
def _tensor(data: Any, dtype: Any = None) -> Tensor:
    if not isinstance(data, Tensor):
        return _of_data(data, dtype)
    array = lax.stop_gradient(data.array) if modes.LEVELS[1:] else data.array  # a constant
    return Tensor(array if dtype is None else as_format(array, dtype))


@known("as_tensor", own_format=True)
def _as_tensor(data: Any, dtype: Any = None) -> Tensor:
    if isinstance(data, Tensor):
        return data._view(data.array) if dtype is None else cast(data, dtype)
    return _of_data(data, dtype)


@known("scalar_tensor", own_format=True)
def _scalar_tensor(s: Any, dtype: Any = None) -> Tensor:
    return filled((), s, formats.of_jax(dtype))


# Casts and copies: what may be the same memory in torch is of one family.


def cast(input: Tensor, dtype: Any) -> Tensor:
    """The tensor in a format; itself, where it has it already."""
    array = as_format(input.array, dtype)
    one_kind = kind(array) == kind(input.array)
    return input._view(array) if one_kind else Tensor(array)


@known("to", own_format=True)
def _to(input: Tensor, dtype: Any = None, other: Any = None, copy: bool = False) -> Tensor:
    if other is not None:
        dtype = formats.of_tensor(other)
    found = input._view(input.array) if dtype is None else cast(input, dtype)
    return Tensor(found.array) if copy else found


for _name in ("float", "double", "half", "bfloat16", "long", "int", "short", "bool"):
    known(_name, own_format=True)(lambda input, _dtype=DTYPES[_name]: cast(input, _dtype))
known("type_as", own_format=True)(lambda input, other: cast(input, formats.of_tensor(other)))
known("clone")(lambda input: Tensor(input.array))
known("contiguous", "cpu", "cuda")(lambda input: input._view(input.array))
known("detach")(lambda input: input._view(lax.stop_gradient(input.array)))
known("is_floating_point")(lambda input: kind(input.array) == "f")
known("is_complex")(lambda input: kind(input.array) == "c")


# Joined and written


@known("stack")
def _stack(tensors: Any, dim: int = 0) -> Tensor:
    if isinstance(tensors, Appended) and tensors.rows is not None:
        return Tensor(jnp.moveaxis(tensors.stacked(), 0, dim))
    return Tensor(jnp.stack([t.array for t in tensors], axis=dim))


@known("cat", "concat", "concatenate")
def _cat(tensors: Any, dim: int = 0) -> Tensor:
    if isinstance(tensors, Appended) and tensors.rows is not None:
        return Tensor(joined_rows(tensors, dim))
    return Tensor(jnp.concatenate([t.array for t in tensors], axis=dim))


@known("copy_", own_format=True)
def _copy(input: Tensor, src: Tensor) -> Tensor:
    return input._write(jnp.broadcast_to(src.array, input.array.shape))


@known("zero_", own_format=True)
def _zero(input: Tensor) -> Tensor:
    return input._write(jnp.zeros_like(input.array))


@known("fill_", own_format=True)
def _fill(input: Tensor, value: Any) -> Tensor:
    return input._write(filled(input.array.shape, value, input.array.dtype).array)
