"""More kinds of JAX programs: functions of one array (m, n), or (m,), that keep its shape, for the generator to nest.

Each is there for a primitive, a cast or a rule of JAX's that a reader could get wrong.
"""

import itertools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def _rows(a: Any) -> Any:
    return jnp.arange(a.shape[0])


def _column(row: Any) -> Any:
    """A vector of integers beside rows."""
    return row[:, None] if row.ndim == 1 else row


def _written(a: Any) -> Any:
    return lax.fori_loop(0, a.shape[0], lambda i, made: made.at[i].set(2 * a[i]), jnp.zeros_like(a))


def _written_backwards(a: Any) -> Any:
    last = a.shape[0] - 1
    return lax.fori_loop(0, a.shape[0], lambda i, made: made.at[last - i].set(a[i]), a)


def _added(a: Any) -> Any:
    return lax.fori_loop(0, a.shape[0], lambda i, made: made.at[i].add(a[i]), a)


def _counted_down(a: Any) -> Any:
    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        count, total = carry
        return (count - 1, total + row * count), total

    return lax.scan(step, (a.shape[0], jnp.zeros(a.shape[1:])), a)[1]


def _nested(a: Any) -> Any:
    def outer(carry: Any, row: Any) -> tuple[Any, Any]:
        first, second = carry
        total, sums = lax.scan(lambda s, x: (s + x, s), first, row)
        return (second, total), sums + second

    return lax.scan(outer, (0.0, 1.0), a)[1]


def _vmapped_scan(a: Any) -> Any:
    def column(one: Any) -> Any:
        return lax.scan(lambda s, x: (s / 2 + x, s), 0.0, one, reverse=True)[1]

    return jax.vmap(column, in_axes=1, out_axes=1)(a)


def _two_states(a: Any) -> Any:
    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        one, other = carry
        return (other, one + row), one

    return lax.scan(step, (jnp.zeros(a.shape[1:]), jnp.ones(a.shape[1:])), a)[1]


@jax.custom_vjp
def _own_derivative(a: Any) -> Any:
    return 2 * a


_own_derivative.defvjp(lambda a: (2 * a, a), lambda kept, slope: (slope * kept,))


def _gradient(a: Any) -> Any:
    return jax.grad(lambda x: (_own_derivative(x) * jnp.flip(x, 0)).sum())(a)


def _slope_of_scan(a: Any) -> Any:
    def loss(x: Any) -> Any:
        return lax.scan(lambda s, row: (s / 2 + (row * row).sum(), None), 0.0, x)[0]

    return jax.grad(loss)(a)


def _in_pieces(a: Any) -> Any:
    first, second, third = jnp.split(
        jnp.concatenate([a, 2 * a, 3 * a]), [a.shape[0], 2 * a.shape[0]]
    )
    return first + second * third


def _unstacked(a: Any) -> Any:
    one, other = jnp.stack([a, 3 * a], axis=1).swapaxes(0, 1)
    return one - other


def _of_sizes(a: Any) -> Any:
    return a * jnp.where(jnp.asarray(a.shape[0]) * 1.0 > 0, 2.0, jnp.nan)


def _compared_reals(a: Any) -> Any:
    seen = jnp.tri(a.shape[0]) > 0.5
    return jnp.where(seen, 2.0, -1.0) @ a


def _integers_of_masks(a: Any) -> Any:
    late = (_rows(a) > 0).astype(int)
    return jnp.where(_column(late * 3 > 2) if a.ndim == 2 else late * 3 > 2, a, -a)


def _either(a: Any) -> Any:
    i = _rows(a)
    mask = ((i > 0) ^ (i < 2)) | ((i == 1) & (i != 3))
    return jnp.where(_column(mask) if a.ndim == 2 else mask, a, 0.0)


def _clamped(a: Any) -> Any:
    i = lax.clamp(0, _rows(a), a.shape[0])
    return a * (_column(i) if a.ndim == 2 else i)


def _padded(a: Any) -> Any:
    return lax.pad(a, 2.0, [(1, 2, 0)] + [(0, 0, 0)] * (a.ndim - 1))[1 : 1 + a.shape[0]]


def _around(a: Any, low: int, high: int, between: int) -> Any:
    return lax.pad(a, 2.0, [(low, high, between)] + [(0, 0, 0)] * (a.ndim - 1))


def _every_third(a: Any) -> Any:
    longer = jnp.concatenate([a, 2 * a, 3 * a], axis=0)
    return lax.slice_in_dim(longer, 1, 3 * a.shape[0], 3)


def _moved(a: Any) -> Any:
    """Starts behind what is inside are moved."""
    longer = jnp.concatenate([a, 2 * a], axis=0)
    longer = lax.dynamic_update_slice_in_dim(longer, 3 * a, 2 * a.shape[0], 0)
    return lax.dynamic_slice_in_dim(longer, a.shape[0] + 1, a.shape[0], 0)


def _remainders(a: Any) -> Any:
    n, i = a.shape[0], _rows(a)
    found = lax.rem(i + 2 * n, jnp.full_like(i, n)) + lax.rem(4 * i, jnp.full_like(i, n + 1))
    return lax.rem(3 * a, jnp.full_like(a, 2)) * (_column(found) if a.ndim == 2 else found)


def _updated(a: Any) -> Any:
    longer = jnp.concatenate([a, a], axis=0)
    return lax.dynamic_update_slice_in_dim(longer, 3 * a, a.shape[0], 0)[a.shape[0] :]


def _dynamic(a: Any) -> Any:
    longer = jnp.concatenate([a, 2 * a], axis=0)
    return lax.dynamic_slice_in_dim(longer, a.shape[0], a.shape[0], 0)


def _merged_pairs(a: Any) -> Any:
    flat = jnp.stack([a, 5 * a], axis=0).reshape(2 * a.shape[0], *a.shape[1:])
    return flat.reshape(2, *a.shape)[1]


def _chosen(a: Any) -> Any:
    return lax.cond(
        True, lambda x: x + 1, lambda x: x - 1, lax.switch(1, [lambda x: x, jnp.negative], a)
    )


def _few_turns(a: Any) -> Any:
    return lax.scan(lambda s, k: (s + k * a, s), a, jnp.arange(3.0))[1][2]


def _small(a: Any) -> Any:
    """The same array, no entry of which is large."""
    return a / (1 + a * a)


def _functions(a: Any) -> Any:
    x = _small(a)
    return jnp.exp(x) * jnp.log1p(x * x) + jnp.sin(x) * jnp.cos(x) - lax.erf(x) * jnp.tanh(x)


def _more_functions(a: Any) -> Any:
    x = 1 + a * a
    return (
        jnp.sqrt(x) * lax.rsqrt(x + 1)
        + jnp.log(x) * jnp.log2(x)
        - jnp.expm1(1 / x)
        + jnp.exp2(1 / x) * jnp.abs(a)
    )


def _slopes_of_functions(a: Any) -> Any:
    return jax.vjp(lambda x: jnp.tanh(x) + jnp.log2(2 + x), _small(a))[1](a)[0]


def _gated(a: Any) -> Any:
    return jax.nn.silu(_small(a)) + jax.nn.sigmoid(-_small(a))


def _softmax(a: Any) -> Any:
    return jax.nn.softmax(_small(a), axis=0) * a


def _masked_softmax(a: Any) -> Any:
    i = _rows(a)
    scores = jnp.where(i[:, None] >= i[None], _small(a) @ _small(a).T, -jnp.inf)
    return jax.nn.softmax(scores, axis=-1) @ a


def _below(a: Any) -> Any:
    i = jnp.maximum(jnp.minimum(_rows(a), a.shape[0] + 3), -1)
    mask = ~(i < 1)
    return jnp.where(_column(mask) if a.ndim == 2 else mask, a, a * 2)


def _collected(a: Any) -> Any:
    return jax.vmap(lambda row: row - lax.psum(row, "rows"), axis_name="rows")(a)


def _vmapped_write(a: Any) -> Any:
    return jax.vmap(lambda i, row: row.at[0].set(1.0 * i))(_rows(a), a)


def _folded(a: Any) -> Any:
    def affine(left: Any, right: Any) -> Any:
        return left[0] * right[0], right[0] * left[1] + right[1]

    forwards = lax.associative_scan(affine, (a / 2, a))[1]
    return forwards - lax.associative_scan(affine, (a, 1 - a), reverse=True)[1]


def _folded_rows(a: Any) -> Any:
    mixed = jnp.stack([a, 2 * a], axis=0)
    return lax.associative_scan(jnp.add, mixed, axis=1)[1] + lax.associative_scan(
        lambda x, y: y + 0 * x, a
    )


def _of_complex_numbers(a: Any) -> Any:
    z = (a + 1j * jnp.flip(a, 0)) / (2 - 1j * a)
    z = jnp.where(_column(_rows(a) > 0) if a.ndim == 2 else _rows(a) > 0, z**2, jnp.conj(z) * 1j)
    turned = jnp.concatenate([z, z * z]).at[0].set(z[-1])[: a.shape[0]]
    return turned.real - (z.sum(0) - jnp.cumsum(z, 0)).imag


def _carried_complex(a: Any) -> Any:
    def step(z: Any, row: Any) -> tuple[Any, Any]:
        z = (0.5 + 0.5j) * z + row
        return z, lax.complex(z.imag, row)

    last, rows = lax.scan(step, jnp.zeros(a.shape[1:], complex), a)
    return rows.real + rows.imag * last.real


def _folded_complex(a: Any) -> Any:
    return lax.associative_scan(jnp.multiply, a / 2 + 1j * a).imag


VECTORS: dict[str, Any] = {
    "folded": _folded,
    "folded rows": _folded_rows,
    "complex numbers": _of_complex_numbers,
    "carried complex": _carried_complex,
    "folded complex": _folded_complex,
    "written": _written,
    "backwards": _written_backwards,
    "added": _added,
    "down": _counted_down,
    "two states": _two_states,
    "slope": _gradient,
    "pieces": _in_pieces,
    "unstacked": _unstacked,
    "sizes": _of_sizes,
    "real masks": _compared_reals,
    "integer masks": _integers_of_masks,
    "either": _either,
    "clamped": _clamped,
    "padded": _padded,
    "spaced": lambda a: _around(a, 1, 2, 2)[: a.shape[0]],
    "cut off": lambda a: _around(a, -1, 1, 0),
    "every third": _every_third,
    "moved": _moved,
    "remainders": _remainders,
    "updated": _updated,
    "dynamic": _dynamic,
    "pairs": _merged_pairs,
    "chosen": _chosen,
    "few turns": _few_turns,
    "collected": _collected,
    "functions": _functions,
    "more functions": _more_functions,
    "slopes of functions": _slopes_of_functions,
    "gated": _gated,
    "softmax": _softmax,
    "below": _below,
    "copied": lambda a: lax.reduce_precision(jnp.array(a, copy=True), 11, 52),
    "rows": lambda a: sum(jnp.unstack(jnp.stack([a, 2 * a]))),
    "first set": lambda a: a.at[0].set(2 * a[0]),
    "last added": lambda a: a.at[-1].add(a[0]),
    "kept": lambda a: jax.checkpoint(lambda x: x * x)(a),
    "power": lambda a: (1 + a**2.0) ** -1 * a,
    "product": lambda a: jnp.prod(jnp.stack([a, a + 1, a - 1]), axis=0),
    "running product": lambda a: lax.cumprod(a * 0 + 2, reverse=True),
    "behind": lambda a: lax.cumsum(a, reverse=True) - a,
    "single": lambda a: jnp.ones(a.shape, jnp.float32).astype(a.dtype) + lax.stop_gradient(a),
    "barrier": lambda a: lax.optimization_barrier(a) + lax.square(a),
    "one-hot": lambda a: jax.nn.one_hot(_rows(a) - 0, a.shape[0]) @ a,
    "tiled": lambda a: jnp.tile(a, (2,) * (a.ndim > 5) + (1,) * a.ndim),
    "mapped": lambda a: lax.map(lambda row: 2 * row, a),
    "rolled": lambda a: jnp.roll(a, 1, axis=0),
    "length": lambda a: a / a.shape[0] + jnp.ones(a.shape).sum(),
    "masked nan": lambda a: jnp.where(jnp.ones(a.shape) > 0, a, jnp.inf),
    "reversed": lambda a: a[a.shape[0] - 1 - _rows(a)],
}
"""Of arrays (m,) and (m, n)."""


def _solved(**how: Any) -> Callable[[Any], Any]:
    """Systems whose other triangle holds numbers, too, and whose diagonal is not 0."""

    def kind(a: Any) -> Any:
        system = a @ a.T + jnp.eye(a.shape[0]) + 7 * jnp.triu(jnp.ones((a.shape[0],) * 2), 1)
        right = a if how.get("left_side", True) else a.T
        found = lax.linalg.triangular_solve(system, right, **{"left_side": True, **how})
        return found if how.get("left_side", True) else found.T

    return kind


def _name(left: bool, lower: bool, turned: bool, unit: bool) -> str:
    side, half = "left" if left else "right", "lower" if lower else "upper"
    return " ".join(["solved", side, half, *["transposed"] * turned, *["unit"] * unit])


SYSTEMS: dict[str, Any] = {
    _name(left, lower, turned, unit): _solved(
        left_side=left, lower=lower, transpose_a=turned, unit_diagonal=unit
    )
    for left, lower, turned, unit in itertools.product((True, False), repeat=4)
}


def _convolved(a: Any) -> Any:
    """Depthwise, three taps of which one reads ahead."""
    w = jnp.stack([a[0], a.sum(0), a[-1]])[:, None]
    numbers, depth = ("NWC", "WIO", "NWC"), a.shape[1]
    return lax.conv_general_dilated(
        a[None], w, (1,), [(1, 1)], (1,), (1,), numbers, feature_group_count=depth
    )[0]


def _convolved_densely(a: Any) -> Any:
    """All features with all, two taps that are apart, channels first."""
    w = jnp.stack([a.T @ a, a.T @ (a * a)], -1)
    return lax.conv_general_dilated(a.T[None], w, (1,), [(2, 0)], rhs_dilation=(2,))[0].T


MATRICES: dict[str, Any] = {
    **VECTORS,
    **SYSTEMS,
    "convolved": _convolved,
    "convolved densely": _convolved_densely,
    "nested": _nested,
    "masked softmax": _masked_softmax,
    "columns": _vmapped_scan,
    "slope of a scan": _slope_of_scan,
    "vmapped write": _vmapped_write,
    "folded columns": jax.vmap(_folded, in_axes=1, out_axes=1),
    "variance": lambda a: a - a.var(axis=0),
    "signs": lambda a: jnp.sign(a) + jnp.abs(a) * (a >= 1) - jnp.where(a == 0, 2, a) * (a != 2),
    "clipped": lambda a: jnp.clip(a, -1.5, 2) + jnp.minimum(a, 1) * (a < 0) + (a <= 1) + (a > 2),
    "so far": lambda a: lax.cummax(a) - lax.cummin(a, reverse=True) + lax.cumlogsumexp(a, 1),
    "finite": lambda a: jnp.where(jnp.isfinite(a), jnp.nan_to_num(a), 7) + jax.nn.softplus(a),
    "least": lambda a: jnp.exp(a - a.min(0)) / jnp.exp(a - a.min(0)).sum(0),
    "hyperbolic": lambda a: jnp.sinh(a) + jnp.cosh(a) + lax.erfc(a) + jnp.arcsinh(a) + jnp.tan(a),
    "inverse": lambda a: jnp.arcsin(a / 9) - jnp.arccos(a / 9) + jnp.arctan(a) + jnp.arctanh(a / 9),
    "whole": lambda a: (
        jnp.floor(a / 2) + jnp.ceil(a / 3) + jnp.round(a / 2) + jnp.arccosh(1 + a**2)
    ),
    "normalised": lambda a: a / (1 + (a * a).sum(axis=1, keepdims=True)),
    "column set": lambda a: a.at[:, 0].set(a[:, -1]),
    "grid": lambda a: jnp.where(_rows(a)[:, None] >= jnp.arange(a.shape[1])[None], a, -a),
    "diagonal": lambda a: a * jnp.eye(a.shape[0], a.shape[1], k=1),
    "three": lambda a: jnp.einsum("ti,si,sj->tj", a, a, a),
    "swapped": lambda a: jnp.einsum("bij->bji", jnp.stack([a, 2 * a]))[1].T,
}
"""Of arrays (m, n)."""
