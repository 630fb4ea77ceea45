"""Sums, products, extremes, norms and what is made of them, along axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jax import lax
from jax import numpy as jnp

from . import modes
from .entrywise import clamped, expect_real, root
from .making import as_format
from .operators import multiplied
from .table import known
from .tensors import Refused, Tensor, kind, refuse


def axes(dim: Any) -> Any:
    """JAX's axes for torch's; none of them named means all."""
    found = tuple(dim) if isinstance(dim, list | tuple) else dim
    return None if found == () else found


def _in(array: Any, dtype: Any) -> Any:
    """The numbers as a sum takes them: in a format that is said, and truth values and whole numbers in int64."""
    if dtype is not None:
        return as_format(array, dtype)
    return array.astype(jnp.int64) if kind(array) in "bi" else array


@known("sum")
def _sum(input: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    return Tensor(jnp.sum(_in(input.array, dtype), axis=axes(dim), keepdims=keepdim))


@known("prod")
def _prod(input: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    return Tensor(jnp.prod(_in(input.array, dtype), axis=axes(dim), keepdims=keepdim))


@known("mean")
def _mean(input: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    array = expect_real("mean", input.array if dtype is None else as_format(input.array, dtype))
    return Tensor(jnp.mean(array, axis=axes(dim), keepdims=keepdim))


@known("logsumexp")
def _logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    if axes(dim) is None:
        raise refuse("logsumexp without an axis", "give dim=")
    array = expect_real("logsumexp", input.array)
    if modes.differentiating():
        most = lax.stop_gradient(jnp.max(array, axis=axes(dim), keepdims=True))
        found = jnp.log(jnp.exp(array - most).sum(axis=axes(dim), keepdims=True)) + most
        return Tensor(found if keepdim else jnp.squeeze(found, axes(dim)))
    return Tensor(jax.nn.logsumexp(array, axis=axes(dim), keepdims=keepdim))


@known("amax")
def _amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return Tensor(jnp.max(input.array, axis=axes(dim), keepdims=keepdim))


@known("amin")
def _amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return Tensor(jnp.min(input.array, axis=axes(dim), keepdims=keepdim))


class Extreme(NamedTuple):
    """What `x.max(dim)` returns."""

    values: Tensor
    indices: Refused = Refused("the place of a maximum or minimum")


def _extreme(name: str, of_two: Callable[..., Any], of_axis: Callable[..., Any]) -> None:
    @known(name)
    def run(input: Tensor, other: Any = None, dim: Any = None, keepdim: bool = False) -> Any:
        if other is not None:
            return Tensor(of_two(input.array, other.array))
        if dim is None:
            return Tensor(of_axis(input.array))
        if modes.differentiating():  # all of the slope is at the place that torch finds first
            raise refuse(f"the derivative of {name} along an axis", f"use a{name}")
        return Extreme(Tensor(of_axis(input.array, axis=dim, keepdims=keepdim)))


_extreme("max", jnp.maximum, jnp.max)
_extreme("min", jnp.minimum, jnp.min)


def _expect_axis(dim: Any) -> None:
    if dim is None:
        raise refuse("softmax without an axis", "give dim=")


@known("softmax")
def _softmax(input: Tensor, dim: Any, dtype: Any = None) -> Tensor:
    _expect_axis(dim)
    array = input.array if dtype is None else as_format(input.array, dtype)
    return Tensor(jax.nn.softmax(expect_real("softmax", array), axis=dim))


@known("log_softmax")
def _log_softmax(input: Tensor, dim: Any, dtype: Any = None) -> Tensor:
    _expect_axis(dim)
    array = input.array if dtype is None else as_format(input.array, dtype)
    return Tensor(jax.nn.log_softmax(expect_real("log_softmax", array), axis=dim))


@known("cumsum")
def _cumsum(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return Tensor(jnp.cumsum(_in(input.array, dtype), axis=dim))


@known("cumprod")
def _cumprod(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    return Tensor(jnp.cumprod(_in(input.array, dtype), axis=dim))


def _variance(input: Tensor, dim: Any, unbiased: bool, keepdim: bool, correction: Any) -> Any:
    less = int(unbiased) if correction is None else correction
    if type(less) is not int:
        raise refuse("var or std with a correction that is no whole number")
    if dim is not None and axes(dim) is None and modes.differentiating():  # torch's is infinite
        raise refuse("the derivative of var or std with no axes", "leave dim out")
    array = expect_real("var", input.array)
    return jnp.var(array, axis=axes(dim), keepdims=keepdim, ddof=less)


@known("var")
def _var(
    input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False,
    correction: Any = None,
) -> Tensor:  # fmt: skip
    return Tensor(_variance(input, dim, unbiased, keepdim, correction))


@known("std")
def _std(
    input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False,
    correction: Any = None,
) -> Tensor:  # fmt: skip
    return Tensor(root(_variance(input, dim, unbiased, keepdim, correction)))


def _euclidean(array: Any, dim: Any, keepdim: bool) -> Any:
    array = expect_real("norm", array)
    return root((array**2).sum(axis=axes(dim), keepdims=keepdim))


def _expect_two(p: Any) -> None:
    if isinstance(p, bool) or p not in (2, "fro"):
        raise refuse(f"norm with p = {p!r}")


@known("norm")
def _norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    _expect_two(p)
    return Tensor(_euclidean(input.array, dim, keepdim))


@known("linalg_vector_norm")
def _vector_norm(input: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    if ord != 2 or isinstance(ord, bool):
        raise refuse(f"linalg.vector_norm with ord = {ord!r}")
    return Tensor(_euclidean(input.array, dim, keepdim))


@known("linalg_norm")
def _linalg_norm(input: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Of a vector the Euclidean norm; of a matrix too where no order is said, and with 2 the spectral one."""
    taken = input.array.ndim if dim is None else len(dim) if isinstance(dim, list | tuple) else 1
    if not (ord is None or (ord == 2 and taken == 1) or (ord == "fro" and taken == 2)):
        raise refuse(f"linalg.norm with ord = {ord!r} of {taken} axes", "use linalg.vector_norm")
    return Tensor(_euclidean(input.array, dim, keepdim))


@known("normalize")
def _normalize(input: Tensor, p: Any = 2, dim: Any = 1, eps: float = 1e-12) -> Tensor:
    _expect_two(p)
    return Tensor(input.array / clamped(_euclidean(input.array, dim, True), eps))


def _last_axes(input: Tensor, shape: Any) -> tuple[int, ...]:
    lengths = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    own = input.array.shape[-len(lengths) :]
    if tuple(own) != lengths:
        raise refuse(f"normalized_shape {lengths} of a tensor whose last axes are {own}")
    return tuple(range(-len(lengths), 0))


@known("layer_norm")
def _layer_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Tensor:
    last = _last_axes(input, normalized_shape)
    array = expect_real("layer_norm", input.array)
    away = array - array.mean(axis=last, keepdims=True)
    found = away / jnp.sqrt((away**2).mean(axis=last, keepdims=True) + eps)
    found = found if weight is None else found * weight.array
    return Tensor(found if bias is None else found + bias.array)


@known("rms_norm")
def _rms_norm(
    input: Tensor, normalized_shape: Any, weight: Any = None, eps: float | None = None
) -> Tensor:
    if eps is None:
        raise refuse("rms_norm without eps", "give eps=")
    last = _last_axes(input, normalized_shape)
    array = expect_real("rms_norm", input.array)
    found = array / jnp.sqrt((array**2).mean(axis=last, keepdims=True) + eps)
    return Tensor(found if weight is None else found * weight.array)


@known("mse_loss")
def _mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    ways: dict[str, Any] = {"mean": jnp.mean, "sum": jnp.sum, "none": lambda a: a}
    if reduction not in ways:
        raise refuse(f"mse_loss with reduction={reduction!r}")
    away = expect_real("mse_loss", input.array) - expect_real("mse_loss", target.array)
    return Tensor(ways[reduction](away**2))


@known("scaled_dot_product_attention")
def _attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: Any = None,
) -> Tensor:  # fmt: skip
    if dropout_p:
        raise refuse("dropout", "give dropout_p = 0")
    if is_causal and attn_mask is not None:
        raise refuse("scaled_dot_product_attention with is_causal and attn_mask")
    q, k, v = query.array, key.array, value.array
    by = 1 / jnp.sqrt(jnp.asarray(q.shape[-1], q.dtype)) if scale is None else scale
    scores = multiplied(q, jnp.swapaxes(k, -1, -2)) * by
    if is_causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    if attn_mask is not None:
        mask = attn_mask.array
        scores = jnp.where(mask, scores, -jnp.inf) if kind(mask) == "b" else scores + mask
    return Tensor(multiplied(jax.nn.softmax(scores, axis=-1), v))


@known("linalg_solve_triangular")
def _solve_triangular(
    input: Tensor, B: Tensor, upper: bool, left: bool = True, unitriangular: bool = False
) -> Tensor:
    if not left:
        raise refuse("solve_triangular with left=False")
    return Tensor(
        lax.linalg.triangular_solve(
            input.array, B.array, left_side=True, lower=not upper, unit_diagonal=unitriangular
        )
    )
