"""What torch's functions and the methods of its tensors compute, each said once in JAX; others are refused by name.

Formats of real numbers are not told apart: casts between them change nothing, as in every program that `prove` reads.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jax import lax
from jax import numpy as jnp

from .sequences import Appended, Items, joined_rows
from .tensors import OPERATORS, Refused, Tensor, entries, is_size, refuse

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""By name: from tensors to a tensor. The first argument of a method is the tensor."""
ONLY_FUNCTIONS = set[str]()
"""Those that are no methods."""


class Dtype(str):
    """A format of numbers by its name: its kind is a letter of NumPy's."""

    @property
    def kind(self) -> str:
        """f for real numbers, i for whole ones, b for truth values."""
        if "float" in self or self in ("double", "half"):
            return "f"
        return "b" if self == "bool" else "i"


REALS = ("float", "float16", "float32", "float64", "bfloat16", "double", "half")
DTYPES = {name: Dtype(name) for name in (*REALS, "int", "int32", "int64", "long", "bool")}


def known(*names: str, method: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function in the table."""

    def put(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            FUNCTIONS[name] = checked(name, function)
            if not method:
                ONLY_FUNCTIONS.add(name)
        return function

    return put


IGNORED = (
    "device",
    "layout",
    "pin_memory",
    "requires_grad",
    "memory_format",
    "non_blocking",
    "copy",
)
"""Arguments that say where numbers lie."""


def checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, by torch's names of arguments, with an error that names what it is not read with."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def run(*given: Any, **named: Any) -> Any:
        named = {("dim" if k == "axis" else k): v for k, v in named.items() if k not in IGNORED}
        try:
            bound = signature.bind(*given, **named)
        except TypeError as error:
            raise refuse(f"{name} with these arguments ({error})") from None
        return function(*bound.args, **bound.kwargs)

    return run


def method(tensor: Tensor, name: str) -> Any:
    """`tensor.name`.

    Raises:
        Unreadable: if it is not known.
    """
    if name.startswith("__"):
        raise AttributeError(name)
    if name in PROPERTIES:
        return PROPERTIES[name](tensor)
    if name in FUNCTIONS and name not in ONLY_FUNCTIONS:
        return functools.partial(FUNCTIONS[name], tensor)
    plain = name[:-1]
    if name.endswith("_") and plain in FUNCTIONS and plain not in ONLY_FUNCTIONS:
        return lambda *given, **named: tensor._write(
            FUNCTIONS[plain](tensor, *given, **named).array
        )
    raise refuse(f"Tensor.{name}", "write it with functions that docs/prove.md names")


def _elementwise(name: str, function: Callable[[Any], Any]) -> None:
    def run(input: Any) -> Tensor:
        return Tensor(function(_real(entries(input))))

    known(name)(run)


def _real(array: Any) -> Any:
    """Whole numbers become real ones under functions of real numbers."""
    array = jnp.asarray(array)
    return array if array.dtype.kind in "fc" else array.astype(float)


for _name, _function in {
    **{
        n: getattr(jnp, n)
        for n in (
            "exp",
            "log",
            "log1p",
            "expm1",
            "exp2",
            "sqrt",
            "sin",
            "cos",
            "tanh",
            "sinh",
            "cosh",
        )
    },
    "rsqrt": lax.rsqrt,
    "reciprocal": lambda a: 1 / a,
    "erf": jax.scipy.special.erf,
    "sigmoid": jax.nn.sigmoid,
    "logsigmoid": jax.nn.log_sigmoid,
    "silu": jax.nn.silu,
    "relu": lambda a: jnp.maximum(a, 0),
    "abs": jnp.abs,
    "square": jnp.square,
    "neg": jnp.negative,
}.items():
    _elementwise(_name, _function)
for _names, _operator in {
    "mul multiply": jnp.multiply,
    "div divide true_divide": jnp.true_divide,
    "pow": OPERATORS["pow"],
    "matmul mm bmm mv dot": jnp.matmul,
    "maximum": jnp.maximum,
    "minimum": jnp.minimum,
    "logaddexp": jnp.logaddexp,
}.items():
    known(*_names.split())(
        lambda input, other, _f=_operator: Tensor(_f(entries(input), entries(other)))
    )


@known("add")
def _add(input: Any, other: Any, alpha: Any = 1) -> Tensor:
    return Tensor(entries(input) + entries(alpha) * entries(other))


@known("sub")
def _sub(input: Any, other: Any, alpha: Any = 1) -> Tensor:
    return Tensor(entries(input) - entries(alpha) * entries(other))


@known("softplus")
def _softplus(input: Tensor, beta: Any = 1) -> Tensor:
    """log(1 + exp βx)/β for all x, where torch takes x itself for βx > 20."""
    return Tensor(jax.nn.softplus(beta * _real(input.array)) / beta)


@known("leaky_relu")
def _leaky_relu(input: Tensor, negative_slope: Any = 0.01) -> Tensor:
    return Tensor(jnp.where(input.array > 0, input.array, negative_slope * input.array))


@known("gelu")
def _gelu(input: Tensor, approximate: str = "none") -> Tensor:
    return Tensor(jax.nn.gelu(_real(input.array), approximate=approximate == "tanh"))


@known("clamp", "clip")
def _clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    found = input.array
    found = found if min is None else jnp.maximum(found, entries(min))
    return Tensor(found if max is None else jnp.minimum(found, entries(max)))


@known("clamp_min")
def _clamp_min(input: Tensor, min: Any) -> Tensor:
    return _clamp(input, min)


@known("max")
def _max(input: Tensor, other: Any = None, dim: Any = None, keepdim: bool = False) -> Any:
    return _extreme("max", jnp.maximum, jnp.max, input, other, dim, keepdim)


@known("min")
def _min(input: Tensor, other: Any = None, dim: Any = None, keepdim: bool = False) -> Any:
    return _extreme("min", jnp.minimum, jnp.min, input, other, dim, keepdim)


class Extreme(NamedTuple):
    """What `x.max(dim)` returns."""

    values: Tensor
    indices: Refused = Refused("the place of a maximum or minimum")


def _extreme(
    name: str, of_two: Any, of_axis: Any, input: Tensor, other: Any, dim: Any, keepdim: bool
) -> Any:
    if isinstance(other, Tensor):
        return Tensor(of_two(input.array, other.array))
    dim = other if dim is None else dim
    if dim is None:
        return Tensor(of_axis(input.array))
    return Extreme(Tensor(of_axis(input.array, axis=dim, keepdims=keepdim)))


@known("where", method=False)
def _where(condition: Tensor, input: Any, other: Any) -> Tensor:
    return Tensor(jnp.where(condition.array, entries(input), entries(other)))


@known("masked_fill")
def _masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    return Tensor(jnp.where(mask.array, entries(value), input.array))


@known("lerp")
def _lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    return Tensor(input.array + entries(weight) * (end.array - input.array))


@known("addcmul")
def _addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    return Tensor(input.array + value * tensor1.array * tensor2.array)


@known("addcdiv")
def _addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Any = 1) -> Tensor:
    return Tensor(input.array + value * tensor1.array / tensor2.array)


known("logical_not")(lambda input: Tensor(jnp.logical_not(input.array)))


@known("baddbmm", "addmm")
def _add_product(
    input: Tensor, one: Tensor, other: Tensor, beta: Any = 1, alpha: Any = 1
) -> Tensor:
    return Tensor(beta * input.array + alpha * (one.array @ other.array))


@known("outer", "ger")
def _outer(input: Tensor, vec2: Tensor) -> Tensor:
    return Tensor(input.array[:, None] * vec2.array[None, :])


@known("einsum", method=False)
def _einsum(equation: str, *operands: Any) -> Tensor:
    given = (
        operands[0] if len(operands) == 1 and isinstance(operands[0], list | tuple) else operands
    )
    return Tensor(jnp.einsum(equation, *map(entries, given)))


@known("linear", method=False)
def _linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    found = input.array @ weight.array.T
    return Tensor(found if bias is None else found + bias.array)


# Sums and other reductions


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, list | tuple) else dim


def _reduction(name: str, function: Callable[..., Any], real: bool) -> None:
    def run(input: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
        array = input.array
        if array.dtype.kind == "b":
            array = array.astype(int)
        if real and array.dtype.kind != "f":
            raise refuse(f"{name} of whole numbers", "use .float()")
        return Tensor(function(array, axis=_axes(dim), keepdims=keepdim))

    known(name)(run)


_reduction("sum", jnp.sum, real=False)
_reduction("prod", jnp.prod, real=False)
_reduction("mean", jnp.mean, real=True)
_reduction("amax", jnp.max, real=False)
_reduction("amin", jnp.min, real=False)
_reduction(
    "logsumexp",
    lambda a, axis, keepdims: jax.nn.logsumexp(a, axis=axis, keepdims=keepdims),
    real=True,
)


def _expect_axis(dim: Any) -> None:
    if dim is None:
        raise refuse("softmax without an axis", "give dim=")


@known("softmax")
def _softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    _expect_axis(dim)
    return Tensor(jax.nn.softmax(_real(input.array), axis=dim))


@known("log_softmax")
def _log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    _expect_axis(dim)
    return Tensor(jax.nn.log_softmax(_real(input.array), axis=dim))


@known("cumsum")
def _cumsum(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return Tensor(jnp.cumsum(input.array, axis=dim))


@known("cumprod")
def _cumprod(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return Tensor(jnp.cumprod(input.array, axis=dim))


@known("var")
def _var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool = True,
    keepdim: bool = False,
    correction: int | None = None,
) -> Tensor:
    degrees = int(unbiased) if correction is None else correction
    return Tensor(jnp.var(_real(input.array), axis=_axes(dim), keepdims=keepdim, ddof=degrees))


@known("std")
def _std(input: Tensor, *given: Any, **named: Any) -> Tensor:
    return Tensor(jnp.sqrt(_var(input, *given, **named).array))


@known("norm")
def _norm(input: Tensor, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    if p != 2:
        raise refuse(f"norm with p = {p!r}")
    return Tensor(jnp.sqrt((input.array**2).sum(axis=_axes(dim), keepdims=keepdim)))


@known("normalize", method=False)
def _normalize(input: Tensor, p: Any = 2, dim: int = 1, eps: float = 1e-12) -> Tensor:
    return Tensor(input.array / jnp.maximum(_norm(input, p, dim, keepdim=True).array, eps))


@known("layer_norm", method=False)
def _layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    axes = tuple(range(-len(tuple(normalized_shape)), 0))
    array = _real(input.array)
    away = array - array.mean(axis=axes, keepdims=True)
    found = away / jnp.sqrt((away**2).mean(axis=axes, keepdims=True) + eps)
    found = found if weight is None else found * weight.array
    return Tensor(found if bias is None else found + bias.array)


@known("rms_norm", method=False)
def _rms_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Tensor:
    if eps is None:
        raise refuse("rms_norm without eps", "give eps=")
    axes = tuple(range(-len(tuple(normalized_shape)), 0))
    found = input.array / jnp.sqrt((input.array**2).mean(axis=axes, keepdims=True) + eps)
    return Tensor(found if weight is None else found * weight.array)


@known("mse_loss", method=False)
def _mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    square = (input.array - target.array) ** 2
    return Tensor({"mean": jnp.mean, "sum": jnp.sum, "none": lambda a: a}[reduction](square))


@known("scaled_dot_product_attention", method=False)
def _attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: Any = None,
) -> Tensor:  # fmt: skip
    if dropout_p:
        raise refuse("dropout", "give dropout_p = 0")
    q, k, v = query.array, key.array, value.array
    scores = q @ jnp.swapaxes(k, -1, -2) * (1 / jnp.sqrt(q.shape[-1]) if scale is None else scale)
    if is_causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    if attn_mask is not None:
        mask = attn_mask.array
        scores = jnp.where(mask, scores, -jnp.inf) if mask.dtype == bool else scores + mask
    return Tensor(jax.nn.softmax(scores, axis=-1) @ v)


@known("solve_triangular", method=False)
def _solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    if not left:
        raise refuse("solve_triangular with left=False")
    return Tensor(
        lax.linalg.triangular_solve(
            A.array, B.array, left_side=True, lower=not upper, unit_diagonal=unitriangular
        )
    )


# Making tensors


def _lengths(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], list | tuple) else given


def _format(dtype: Any, default: Any = float) -> Any:
    """What JAX makes of a format of torch's."""
    if dtype is None:
        return default
    if dtype in (bool, int, float):
        return dtype
    if not isinstance(dtype, Dtype):
        raise refuse(f"the format {dtype!r}")
    return {"f": float, "i": int, "b": bool}[dtype.kind]


def _making(name: str, fill: Any) -> None:
    known(name, method=False)(
        lambda *size, dtype=None: Tensor(jnp.full(_lengths(size), fill, _format(dtype)))
    )
    known(f"{name}_like")(
        lambda input, dtype=None: Tensor(
            jnp.full(input.array.shape, fill, _format(dtype, input.array.dtype))
        )
    )
    known(f"new_{name}")(
        lambda input, *size, dtype=None: Tensor(
            jnp.full(_lengths(size), fill, _format(dtype, input.array.dtype))
        )
    )


_making("zeros", 0)
_making("ones", 1)
# What is in it before it is written is anything: NaN, so that a proof never counts on it.
_making("empty", jnp.nan)


@known("full", method=False)
def _full(size: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    default = float if isinstance(fill_value, float) else None
    return Tensor(jnp.full(tuple(size), entries(fill_value), _format(dtype, default)))


@known("full_like")
def _full_like(input: Tensor, fill_value: Any, dtype: Any = None) -> Tensor:
    return Tensor(
        jnp.full(input.array.shape, entries(fill_value), _format(dtype, input.array.dtype))
    )


@known("eye", method=False)
def _eye(n: Any, m: Any = None, dtype: Any = None) -> Tensor:
    return Tensor(jnp.eye(n, m, dtype=_format(dtype)))


@known("arange", method=False)
def _arange(*ends: Any, dtype: Any = None) -> Tensor:
    if not all(map(is_size, ends)):
        raise refuse("arange of what are not whole numbers")
    found = jnp.arange(*ends)
    return Tensor(found if dtype is None else found.astype(_format(dtype)))


@known("as_tensor", method=False)
def _as_tensor(data: Any, dtype: Any = None) -> Tensor:
    if isinstance(data, Tensor):
        return data._view(data.array) if dtype is None else _cast(data, dtype)
    return _tensor(data, dtype)


@known("tensor", "scalar_tensor", method=False)
def _tensor(data: Any, dtype: Any = None) -> Tensor:
    array = jnp.asarray(entries(data))
    return Tensor(array if dtype is None else array.astype(_format(dtype)))


@known("tril")
def _tril(input: Tensor, diagonal: int = 0) -> Tensor:
    return Tensor(jnp.tril(input.array, diagonal))


@known("triu")
def _triu(input: Tensor, diagonal: int = 0) -> Tensor:
    return Tensor(jnp.triu(input.array, diagonal))


@known("diag_embed")
def _diag_embed(input: Tensor) -> Tensor:
    return Tensor(input.array[..., None] * jnp.eye(input.array.shape[-1]))


@known("stack", method=False)
def _stack(tensors: Any, dim: int = 0) -> Tensor:
    if isinstance(tensors, Appended) and tensors.rows is not None:
        return Tensor(jnp.moveaxis(tensors.stacked(), 0, dim))
    return Tensor(jnp.stack([t.array for t in tensors], axis=dim))


@known("cat", "concat", method=False)
def _cat(tensors: Any, dim: int = 0) -> Tensor:
    if isinstance(tensors, Appended) and tensors.rows is not None:
        return Tensor(joined_rows(tensors, dim))
    return Tensor(jnp.concatenate([t.array for t in tensors], axis=dim))


# Casts and copies: what may be the same memory in torch is of one family.


@known("to")
def _to(input: Tensor, *given: Any, dtype: Any = None) -> Tensor:
    kinds = [one for one in (*given, dtype) if isinstance(one, Dtype)]
    kinds += [_dtype_of(one) for one in given if isinstance(one, Tensor)]
    return _cast(input, kinds[0]) if kinds else input._view(input.array)


def _cast(input: Tensor, dtype: Dtype) -> Tensor:
    array = input.array
    if dtype.kind == array.dtype.kind:
        return input._view(array)
    if dtype.kind == "i" and array.dtype.kind == "f":
        raise refuse("a cast of real numbers to whole ones")
    return Tensor(array != 0 if dtype.kind == "b" else array.astype(_format(dtype)))


for _name, _dtype in DTYPES.items():
    known(_name)(lambda input, _dtype=_dtype: _cast(input, _dtype))
known("type_as")(lambda input, other: _cast(input, _dtype_of(other)))
known("clone")(lambda input: Tensor(input.array))
for _name in ("contiguous", "detach", "cpu", "cuda"):
    known(_name)(lambda input, *_: input._view(input.array))


# Shapes


def _shaped(input: Tensor, shape: tuple[Any, ...]) -> Tensor:
    return input._view(jnp.reshape(input.array, shape))


known("view", "reshape")(lambda input, *shape: _shaped(input, _lengths(shape)))
known("view_as", "reshape_as")(lambda input, other: _shaped(input, other.array.shape))
known("permute")(lambda input, *dims: input._view(jnp.transpose(input.array, _lengths(dims))))
known("transpose", "swapaxes")(
    lambda input, dim0, dim1: input._view(jnp.swapaxes(input.array, dim0, dim1))
)
known("movedim", "moveaxis")(
    lambda input, source, destination: input._view(jnp.moveaxis(input.array, source, destination))
)
known("t")(lambda input: input._view(input.array.T))
known("unsqueeze")(lambda input, dim: input._view(jnp.expand_dims(input.array, dim)))
known("flip")(lambda input, *dims: Tensor(jnp.flip(input.array, _lengths(dims))))
known("roll")(lambda input, shifts, dims: Tensor(jnp.roll(input.array, shifts, dims)))
known("expand_as")(
    lambda input, other: input._view(jnp.broadcast_to(input.array, other.array.shape))
)
known("broadcast_to")(lambda input, size: input._view(jnp.broadcast_to(input.array, tuple(size))))


@known("squeeze")
def _squeeze(input: Tensor, dim: Any = None) -> Tensor:
    if dim is None or input.array.shape[dim] != 1:
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
def _expand(input: Tensor, *size: Any) -> Tensor:
    wanted, own = list(_lengths(size)), input.array.shape
    for k in range(1, len(own) + 1):
        if isinstance(wanted[-k], int) and wanted[-k] == -1:
            wanted[-k] = own[-k]
    return input._view(jnp.broadcast_to(input.array, tuple(wanted)))


@known("repeat")
def _repeat(input: Tensor, *repeats: Any) -> Tensor:
    return Tensor(jnp.tile(input.array, _lengths(repeats)))


@known("repeat_interleave")
def _repeat_interleave(input: Tensor, repeats: int, dim: int) -> Tensor:
    return Tensor(jnp.repeat(input.array, repeats, axis=dim))


@known("chunk")
def _chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    if input.array.shape[dim] % chunks != 0:
        raise refuse("chunk of an axis that is not a multiple")
    return tuple(input._view(part) for part in jnp.split(input.array, chunks, axis=dim))


@known("split")
def _split(input: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    sizes = split_size_or_sections
    if not isinstance(sizes, list | tuple):
        count = input.array.shape[dim] // sizes
        if not isinstance(count, int) or count * sizes != input.array.shape[dim]:
            raise refuse("split of an axis that is not a known multiple")
        sizes = [sizes] * count
    found, start = [], 0
    for size in sizes:
        found.append(input._view(lax.slice_in_dim(input.array, start, start + size, axis=dim)))
        start = start + size
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
    return input[(slice(None),) * (dim % input.array.ndim) + (slice(start, start + length),)]


@known("pad", method=False)
def _pad(input: Tensor, pad: Any, mode: str = "constant", value: Any = None) -> Tensor:
    if mode != "constant" or any(isinstance(n, int) and n < 0 for n in pad):
        raise refuse(f"pad with mode {mode!r}, or by less than 0")
    widths = [(0, 0)] * input.array.ndim
    for k in range(len(pad) // 2):
        widths[-1 - k] = (pad[2 * k], pad[2 * k + 1])
    return Tensor(jnp.pad(input.array, widths, constant_values=0 if value is None else value))


@known("copy_")
def _copy(input: Tensor, src: Tensor) -> Tensor:
    return input._write(jnp.broadcast_to(src.array, input.array.shape))


@known("zero_")
def _zero(input: Tensor) -> Tensor:
    return input._write(jnp.zeros_like(input.array))


@known("fill_")
def _fill(input: Tensor, value: Any) -> Tensor:
    return input._write(jnp.full_like(input.array, entries(value)))


@known("dim", "ndimension")
def _dim(input: Tensor) -> int:
    return input.array.ndim


@known("numel")
def _numel(input: Tensor) -> Any:
    return functools.reduce(lambda a, b: a * b, input.array.shape, 1)


@known("size")
def _size(input: Tensor, dim: int | None = None) -> Any:
    return input.array.shape if dim is None else input.array.shape[dim]


@known("dropout", method=False)
def _dropout(input: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    if p and training:
        raise refuse("dropout", "give p = 0 or training=False")
    return input


def _dtype_of(tensor: Tensor) -> Dtype:
    return DTYPES[{"f": "float64", "i": "int64", "b": "bool"}[tensor.array.dtype.kind]]


PROPERTIES: dict[str, Callable[[Tensor], Any]] = {
    "shape": lambda t: t.array.shape,
    "dtype": _dtype_of,
    "ndim": lambda t: t.array.ndim,
    "device": lambda t: "cpu",
    "requires_grad": lambda t: False,
    "is_cuda": lambda t: False,
    "T": lambda t: t._view(t.array.T),
    "mT": lambda t: t._view(jnp.swapaxes(t.array, -1, -2)),
    "data": lambda t: t._view(t.array),
}


def differentiated(function: Callable[..., Any], argnums: Any = 0) -> Callable[..., Any]:
    """`torch.func.grad`: the gradient of a function of tensors, by JAX."""

    def gradient(*given: Any) -> Any:
        arrays = [entries(one) for one in given]
        found = jax.grad(lambda *a: function(*map(Tensor, a)).array, argnums=argnums)(*arrays)
        return jax.tree.map(Tensor, found)

    return gradient


Tensor.__getattr__ = method  # type: ignore[attr-defined]
