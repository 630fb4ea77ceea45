"""The axes of tensors: cut, joined, exchanged and repeated; what is asked of them."""

from __future__ import annotations

import functools
from typing import Any

from jax import lax
from jax import numpy as jnp

from . import formats, modes
from .sequences import Items
from .table import PROPERTIES, known
from .tensors import Tensor, is_size, kind, refuse


def _shaped(input: Tensor, shape: tuple[Any, ...]) -> Tensor:
    return input._view(jnp.reshape(input.array, shape))


known("view")(lambda input, size: _shaped(input, tuple(size)))
known("reshape")(lambda input, shape: _shaped(input, tuple(shape)))
known("view_as", "reshape_as")(lambda input, other: _shaped(input, other.array.shape))
known("permute")(lambda input, dims: input._view(jnp.transpose(input.array, tuple(dims))))
known("transpose")(lambda input, dim0, dim1: input._view(jnp.swapaxes(input.array, dim0, dim1)))
known("swapaxes")(lambda input, axis0, axis1: input._view(jnp.swapaxes(input.array, axis0, axis1)))
known("movedim", "moveaxis")(
    lambda input, source, destination: input._view(jnp.moveaxis(input.array, source, destination))
)
known("unsqueeze")(lambda input, dim: input._view(jnp.expand_dims(input.array, dim)))
known("flip")(lambda input, dims: Tensor(jnp.flip(input.array, tuple(dims))))
known("expand_as")(
    lambda input, other: input.spread(jnp.broadcast_to(input.array, other.array.shape))
)
known("broadcast_to")(lambda input, size: input.spread(jnp.broadcast_to(input.array, tuple(size))))


@known("t")
def _t(input: Tensor) -> Tensor:
    if input.array.ndim > 2:
        raise refuse("t or T of a tensor with more than two axes", "use mT, or permute")
    return input._view(input.array.T)


@known("roll")
def _roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    if dims in ((), []):
        raise refuse("roll without axes", "give dims=")
    return Tensor(jnp.roll(input.array, shifts, dims))


@known("tril")
def _tril(input: Tensor, diagonal: Any = 0) -> Tensor:
    return Tensor(jnp.tril(input.array, diagonal))


@known("triu")
def _triu(input: Tensor, diagonal: Any = 0) -> Tensor:
    return Tensor(jnp.triu(input.array, diagonal))


@known("diag_embed")
def _diag_embed(input: Tensor) -> Tensor:
    array = input.array
    return Tensor(array[..., None] * jnp.eye(array.shape[-1], dtype=array.dtype))


@known("squeeze")
def _squeeze(input: Tensor, dim: Any = None) -> Tensor:
    if not isinstance(dim, int) or input.array.shape[dim] != 1:
        raise refuse("squeeze of axes that are not said to have length 1", "name the axis")
    return input._view(jnp.squeeze(input.array, dim))


@known("flatten")
def _flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    shape = list(input.array.shape)
    start, end = start_dim % len(shape), end_dim % len(shape)
    length: Any = 1
    for one in shape[start : end + 1]:
        length = length * one
    return _shaped(input, (*shape[:start], length, *shape[end + 1 :]))


@known("unflatten")
def _unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    shape = list(input.array.shape)
    dim %= len(shape)
    return _shaped(input, (*shape[:dim], *sizes, *shape[dim + 1 :]))


@known("expand")
def _expand(input: Tensor, size: Any) -> Tensor:
    wanted, own = list(size), input.array.shape
    for k in range(1, len(own) + 1):
        if isinstance(wanted[-k], int) and wanted[-k] == -1:
            wanted[-k] = own[-k]
    return input.spread(jnp.broadcast_to(input.array, tuple(wanted)))


@known("repeat")
def _repeat(input: Tensor, repeats: Any) -> Tensor:
    return Tensor(jnp.tile(input.array, tuple(repeats)))


@known("tile")
def _tile(input: Tensor, dims: Any) -> Tensor:
    return Tensor(jnp.tile(input.array, tuple(dims)))


@known("repeat_interleave")
def _repeat_interleave(input: Tensor, repeats: Any, dim: Any = None) -> Tensor:
    if isinstance(repeats, Tensor) or dim is None:
        raise refuse("repeat_interleave by a tensor, or without an axis", "give dim=")
    return Tensor(jnp.repeat(input.array, repeats, axis=dim))


@known("chunk")
def _chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    if input.array.shape[dim] % chunks != 0:
        raise refuse("chunk of an axis that is not a multiple")
    return tuple(input._view(part) for part in jnp.split(input.array, chunks, axis=dim))


@known("split")
def _split(
    input: Tensor, split_size: Any = None, dim: int = 0, split_size_or_sections: Any = None
) -> tuple[Tensor, ...]:
    """The size of parts, or those of each; the method and the function call it differently."""
    sizes = split_size_or_sections if split_size is None else split_size
    if not isinstance(sizes, list | tuple):
        count = input.array.shape[dim] // sizes
        if not isinstance(count, int) or count * sizes != input.array.shape[dim]:
            raise refuse("split of an axis that is not a known multiple")
        sizes = [sizes] * count
    found, start = [], 0
    for size in sizes:
        found.append(input._view(lax.slice_in_dim(input.array, start, start + size, axis=dim)))
        start = start + size
    if not start == input.array.shape[dim]:
        raise refuse("split into parts that are not all of an axis")
    return tuple(found)


@known("unbind")
def _unbind(input: Tensor, dim: int = 0) -> Any:
    rows = jnp.moveaxis(input.array, dim, 0)
    items = Items(rows.shape[0], input._view(rows).__getitem__)
    return items if not isinstance(rows.shape[0], int) else tuple(items)


@known("select")
def _select(input: Tensor, dim: int, index: Any) -> Tensor:
    return input[(slice(None),) * (dim % input.array.ndim) + (index,)]


@known("narrow")
def _narrow(input: Tensor, dim: int, start: Any, length: Any) -> Tensor:
    if isinstance(start, Tensor):
        raise refuse("narrow from a place that is a tensor")
    return input[(slice(None),) * (dim % input.array.ndim) + (slice(start, start + length),)]


@known("pad")
def _pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    if (
        mode != "constant"
        or not all(map(is_size, pad))
        or any(isinstance(n, int) and n < 0 for n in pad)
    ):
        raise refuse(f"pad with mode {mode!r}, or by less than 0")
    widths: list[Any] = [(0, 0)] * input.array.ndim
    for k in range(len(pad) // 2):
        widths[-1 - k] = (pad[2 * k], pad[2 * k + 1])
    filling = 0 if value is None else value
    if isinstance(filling, float) and kind(input.array) != "f":
        raise refuse("pad of whole numbers or truth values with a real number")
    return Tensor(jnp.pad(input.array, widths, constant_values=filling))


# Questions

known("dim", "ndimension")(lambda input: input.array.ndim)


@known("numel")
def _numel(input: Tensor) -> Any:
    return functools.reduce(lambda a, b: a * b, input.array.shape, 1)


@known("size")
def _size(input: Tensor, dim: Any = None) -> Any:
    return input.array.shape if dim is None else input.array.shape[dim]


@known("dropout")
def _dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    if p and training:
        raise refuse("dropout", "give p = 0 or training=False")
    return input


def _data(tensor: Tensor) -> Tensor:
    if len(modes.LEVELS) > 2:
        raise refuse(".data in a derivative of a derivative", "use detach()")
    stop = len(modes.LEVELS) > 1
    return tensor._view(lax.stop_gradient(tensor.array) if stop else tensor.array)


PROPERTIES.update(
    {
        "shape": lambda t: t.array.shape,
        "dtype": formats.of_tensor,
        "ndim": lambda t: t.array.ndim,
        "device": lambda t: formats.CPU,
        "is_cuda": lambda t: False,
        "T": _t,
        "mT": lambda t: t._view(jnp.swapaxes(t.array, -1, -2)),
        "data": _data,
    }
)
