"""Discrete Fourier transforms in PyTorch: each is kept as the array that was transformed, as in JAX's door.

The transform is linear, a product of two is the transform of the circular convolution of their arrays, and the inverse
gives the array back. What asks for more has sums of cosines and sines. All that is here is said in PyTorch, and traced
in place of the transforms.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

from ..infinities import Value
from ..transforms import circular
from .refusal import Refused, torch
from .table import rule

TRANSFORMS = ("_fft_r2c.default", "_fft_c2r.default", "_fft_c2c.default")
"""PyTorch's operations: of real numbers, to real numbers, of complex ones."""
LAST = 2**63 - 1
"""Where PyTorch has a slice end that has no end."""
CONVOLUTION = "circular_convolution.default"
"""What a trace has for a product of transforms."""


@functools.cache
def kind() -> type:
    """The class of transforms: tensors without memory."""
    t = torch()

    class Transform(t.Tensor):
        """The transform of an array along an axis.

        Attributes:
            of: the array, real or complex.
            axis: the axis.
            half: whether the half of it is left out that is the conjugate of the other, the array being real.
        """

        @staticmethod
        def __new__(cls: type, of: Any, axis: int, half: bool) -> Any:
            lengths, n = list(of.shape), of.shape[axis]
            lengths[axis] = n // 2 + 1 if half else n
            dtype = of.dtype if of.dtype.is_complex else of.dtype.to_complex()
            made = t.Tensor._make_wrapper_subclass(cls, lengths, dtype=dtype, device=of.device)
            made.of, made.axis, made.half = of, axis, half
            return made

        def __init__(self, *args: Any) -> None:
            super().__init__()

        @classmethod
        def __torch_dispatch__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            raise Refused(f"{_name(func)} of a Fourier transform")

    return Transform


def concerns(func: Any, values: Sequence[Any]) -> bool:
    """Whether an operation makes a Fourier transform, or is given one."""
    return f"{_name(func)}.default" in TRANSFORMS or any(isinstance(x, kind()) for x in values)


def transformed(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What an operation that makes or takes transforms returns.

    Raises:
        Refused: if it needs an entry of a transform.
    """
    from torch.utils._pytree import tree_map

    rule = OF_TRANSFORMS.get(_name(func))
    if rule is not None:
        try:
            inspect.signature(rule).bind(func, *args, **kwargs)
            return rule(func, *args, **kwargs)
        except (TypeError, Refused):
            if f"{_name(func)}.default" in TRANSFORMS:
                raise
    return func(*tree_map(_written_out, args), **tree_map(_written_out, kwargs))


def _written_out(x: Any) -> Any:
    """A transform as the sums that its entries are, Σ_j a[j] exp(−2πi jk/n); anything else as it is."""
    if not isinstance(x, kind()):
        return x
    return _turned(x.of.movedim(x.axis, -1), x.shape[x.axis], -1).movedim(-1, x.axis)


def _turned(a: Any, count: Any, sign: int) -> Any:
    """Σ_j a[j] exp(± 2πi jk/n) along the last axis, for so many k."""
    t, n = torch(), a.shape[-1]
    dtype = a.real.dtype if a.dtype.is_complex else a.dtype
    angle = 2 * math.pi * (t.arange(n)[:, None] * t.arange(count)).to(dtype) / n
    cosine, sine = angle.cos(), sign * angle.sin()
    if not a.dtype.is_complex:
        return t.complex(a @ cosine, a @ sine)
    real, imag = a.real, a.imag
    return t.complex(real @ cosine - imag @ sine, real @ sine + imag @ cosine)


def _name(func: Any) -> str:
    return func.overloadpacket.__name__


def _forward(of: Any, dim: Sequence[int], normalization: int, half: bool) -> Any:
    *others, last = dim
    for one in others:
        of = _forward(of, [one], normalization, False)
    of, axis = _written_out(of), last % of.dim()
    of = of.clone()  # what is written into the array after that is not transformed
    if normalization:
        of = of / _root_or_number(of, axis, normalization)
    return kind()(of, axis, half)


def _backward(x: Any, dim: Sequence[int], normalization: int, half: bool, length: Any) -> Any:
    whole = len(dim) == 1 and isinstance(x, kind()) and (x.axis, x.half) == (dim[0] % x.dim(), half)
    if not whole or x.of.shape[x.axis] != length:
        return _from_entries(_written_out(x), dim, normalization, half)
    if normalization == 2:
        return x.of.clone()
    return x.of * _root_or_number(x.of, x.axis, normalization)


def _from_entries(x: Any, dim: Sequence[int], normalization: int, half: bool) -> Any:
    """The sums that an inverse transform is, of complex numbers."""
    if half:
        raise Refused("a real inverse Fourier transform of other numbers than a transform's")
    for axis in (k % x.dim() for k in dim):
        scale = _root_or_number(x, axis, normalization) if normalization else 1
        x = _turned(x.movedim(axis, -1), x.shape[axis], 1).movedim(-1, axis) / scale
    return x


def _root_or_number(of: Any, axis: int, normalization: int) -> Any:
    """√n or n, of n entries, by PyTorch's number of the way in which transforms are scaled."""
    dtype = of.real.dtype if of.dtype.is_complex else of.dtype
    number = torch().scalar_tensor(of.shape[axis], dtype=dtype)
    return number.sqrt() if normalization == 1 else number


def _of_real(func: Any, x: Any, dim: Any, normalization: int, onesided: bool) -> Any:
    return _forward(x, dim, normalization, onesided)


def _to_real(func: Any, x: Any, dim: Any, normalization: int, last_dim_size: Any) -> Any:
    return _backward(x, dim, normalization, True, last_dim_size)


def _of_complex(func: Any, x: Any, dim: Any, normalization: int, forward: bool) -> Any:
    if forward:
        return _forward(x, dim, normalization, False)
    return _as_complex(_backward(x, dim, normalization, False, x.shape[dim[0]]))


def _as_complex(x: Any) -> Any:
    t = torch()
    return x if x.dtype.is_complex else t.complex(x, t.zeros_like(x))


def _aligned(*operands: Any) -> list[Any]:
    """The operands, transforms among them with as many axes as the operand that has the most.

    Raises:
        Refused: if two transforms are not of one kind, axis and length.
    """
    rank = max(x.dim() for x in operands if isinstance(x, torch().Tensor))
    aligned = []
    for x in operands:
        if isinstance(x, kind()) and x.dim() < rank:
            more = rank - x.dim()
            x = kind()(x.of[(None,) * more], x.axis + more, x.half)
        aligned.append(x)
    first, *others = [x for x in aligned if isinstance(x, kind())]
    for x in others:
        alike = (x.axis, x.half) == (first.axis, first.half)
        if not alike or x.of.shape[x.axis] != first.of.shape[first.axis]:
            raise Refused("Fourier transforms of several kinds, axes or lengths")
    return aligned


def _product(func: Any, x: Any, y: Any) -> Any:
    x, y = _aligned(x, y)
    if not isinstance(x, kind()):
        return _scaled(func, y, x)
    if not isinstance(y, kind()):
        return _scaled(func, x, y)
    return kind()(_circular(x, y), x.axis, x.half)


def _circular(x: Any, y: Any) -> Any:
    """The circular convolution of the arrays, part by part."""
    t, axis, of = torch(), x.axis, convolution()
    a, b = t.broadcast_tensors(x.of.movedim(axis, -1), y.of.movedim(axis, -1))
    if a.dtype.is_complex or b.dtype.is_complex:
        a, b = _as_complex(a), _as_complex(b)
        real = of(a.real, b.real) - of(a.imag, b.imag)
        return t.complex(real, of(a.real, b.imag) + of(a.imag, b.real)).movedim(-1, axis)
    return of(a, b).movedim(-1, axis)


@functools.cache
def convolution() -> Any:
    """The operation Σ_j a[j] b[(i − j) mod n] along the last axis, which a trace keeps."""
    t = torch()
    schema = "(Tensor a, Tensor b) -> Tensor"

    @t.library.custom_op("scanproof::circular_convolution", mutates_args=(), schema=schema)
    def circular_convolution(a: Any, b: Any) -> Any:
        i = t.arange(a.shape[-1])
        return (a[..., None, :] * b[..., i[:, None] - i]).sum(-1)

    circular_convolution.register_fake(lambda a, b: t.empty_like(a))
    return circular_convolution


@rule(CONVOLUTION)
def _as_circular_convolution(at: Any, a: Value, b: Value) -> Value:
    return circular(a, b, len(a.shape) - 1)


def _quotient(func: Any, x: Any, y: Any) -> Any:
    x, y = _aligned(x, y)
    if isinstance(y, kind()):
        raise Refused("a quotient by a Fourier transform")
    return _scaled(func, x, y)


def _scaled(func: Any, x: Any, by: Any) -> Any:
    """Times or over numbers that are the same all along the axis."""
    t = torch()
    array = isinstance(by, t.Tensor)
    back = x.axis - x.dim()
    repeated = array and (
        by.dim() < -back or (isinstance(by.shape[back], int) and by.shape[back] == 1)
    )
    if array and not repeated:
        raise Refused("a Fourier transform times what differs along it")
    if x.half and (by.dtype.is_complex if array else isinstance(by, complex)):
        raise Refused("the transform of a real array times complex numbers")
    return kind()(func(x.of, by), x.axis, x.half)


def _sum(func: Any, x: Any, y: Any, *, alpha: Any = 1) -> Any:
    x, y = _aligned(x, y)
    if not (isinstance(x, kind()) and isinstance(y, kind())):
        raise Refused("a Fourier transform beside what is none")
    return kind()(func(x.of, y.of, alpha=alpha), x.axis, x.half)


def _linear(func: Any, x: Any) -> Any:
    return kind()(func(x.of), x.axis, x.half)


def _conjugate(func: Any, x: Any) -> Any:
    """That of the conjugate array from its first entry backwards."""
    of = x.of.conj().resolve_conj() if x.of.dtype.is_complex else x.of
    first, rest = of.narrow(x.axis, 0, 1), of.narrow(x.axis, 1, of.shape[x.axis] - 1)
    return kind()(torch().cat([first, rest.flip(x.axis)], x.axis), x.axis, x.half)


def _expanded(func: Any, x: Any, size: Sequence[Any], *, implicit: bool = False) -> Any:
    more = len(size) - x.dim()
    lengths = [*size]
    axis = x.axis + more
    if lengths[axis] not in (-1, x.shape[x.axis]):
        raise Refused("a Fourier transform that is repeated along itself")
    lengths[axis] = -1
    return kind()(func(x.of, lengths), axis, x.half)


def _unsqueezed(func: Any, x: Any, dim: int) -> Any:
    dim %= x.dim() + 1
    return kind()(func(x.of, dim), x.axis + (dim <= x.axis), x.half)


def _squeezed(func: Any, x: Any, dim: Any = None) -> Any:
    if dim is None:
        dim = [k for k in range(x.dim()) if k != x.axis]
    dims = [k % x.dim() for k in ([dim] if isinstance(dim, int) else dim)]
    if x.axis in dims:
        raise Refused("a Fourier transform of one entry")
    before = sum(k < x.axis for k in dims if x.of.shape[k] == 1)
    return kind()(x.of.squeeze(tuple(dims)), x.axis - before, x.half)


def _permuted(func: Any, x: Any, dims: Sequence[int]) -> Any:
    order = [k % x.dim() for k in dims]
    return kind()(func(x.of, order), order.index(x.axis), x.half)


def _swapped(func: Any, x: Any, dim0: int, dim1: int) -> Any:
    order = list(range(x.dim()))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _permuted(torch().ops.aten.permute.default, x, order)


def _summed(func: Any, x: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    if dtype is not None and not dtype.is_complex:
        raise Refused("a part of the sum of Fourier transforms")
    dims = [k % x.dim() for k in dim or range(x.dim())]
    if x.axis in dims:
        raise Refused("a sum along a Fourier transform")
    before = 0 if keepdim else sum(k < x.axis for k in dims)
    return kind()(func(x.of, dims, keepdim), x.axis - before, x.half)


def _selected(func: Any, x: Any, dim: int, index: Any) -> Any:
    dim %= x.dim()
    if dim == x.axis:
        raise Refused("an entry of a Fourier transform")
    return kind()(func(x.of, dim, index), x.axis - (dim < x.axis), x.half)


def _sliced(
    func: Any, x: Any, dim: int = 0, start: Any = None, end: Any = None, step: Any = 1
) -> Any:
    dim %= x.dim()
    if dim != x.axis:
        return kind()(func(x.of, dim, start, end, step), x.axis, x.half)
    to_the_end = end is None or (isinstance(end, int) and end >= LAST)
    if start in (0, None) and step == 1 and (to_the_end or end >= x.shape[dim]):
        return _same(func, x)
    raise Refused("a part of a Fourier transform")


def _padded(func: Any, x: Any, pad: Sequence[Any], value: Any = 0) -> Any:
    if any(n != 0 for n in pad):
        raise Refused("a longer Fourier transform, or a part of one")
    return _same(func, x)


def _same(func: Any, x: Any, *, memory_format: Any = None) -> Any:
    return kind()(x.of, x.axis, x.half)


OF_TRANSFORMS: dict[str, Callable[..., Any]] = {
    "_fft_r2c": _of_real,
    "_fft_c2r": _to_real,
    "_fft_c2c": _of_complex,
    "mul": _product,
    "div": _quotient,
    **dict.fromkeys(("add", "sub"), _sum),
    "neg": _linear,
    **dict.fromkeys(("_conj", "_conj_physical"), _conjugate),
    "expand": _expanded,
    "unsqueeze": _unsqueezed,
    "squeeze": _squeezed,
    "permute": _permuted,
    "transpose": _swapped,
    "sum": _summed,
    "select": _selected,
    "slice": _sliced,
    "constant_pad_nd": _padded,
    **dict.fromkeys(("alias", "clone", "contiguous", "detach", "resolve_conj"), _same),
}
"""What is linear along the axis, a product, or moves other axes, by PyTorch's name."""
