"""Programs run with the result of each operation moved as rounding may move it.

Inputs that move show what is unstable in the inputs; what a program loses beside them, as by adding 1e17 and taking it
away, shows only here. Selections, copies and small whole numbers are rounded by no format, and are not moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...doors.aten.formats import operations
from ...exact.residues import Meter
from ...language.libraries import jax as jax_for
from .points import Arrays
from .sides import Side, digits_of, greatest_root, least_normal

INEXACT = ("div", "mean", "pow", "exp", "log")
"""A compiler may multiply by the reciprocal, or take logarithms, so that a whole result is rounded too."""
ADDS = ("add", "sub", "rsub", "sum", "reduce_sum", "cum", "lerp", *INEXACT)
"""A result that is an operand's entry may be rounded: x + 1e17 is 1e17."""

SUMS = (
    *("reduce_sum", "cumsum", "dot_general", "conv_general_dilated"),
    *("sum", "mean", "mm", "bmm", "mv", "dot", "addmm", "addmv", "baddbmm", "convolution"),
)
"""JAX's and torch's sums of products: each term is rounded, however small the sum is."""
TRANSFORMS = ("fft", "_fft_r2c", "_fft_c2r", "_fft_c2c")
"""Each entry of a Fourier transform is a sum of all, rounded on the way, however small it is itself."""
NEVER_ZERO = ("exp", "exp2", "logistic", "sigmoid", "_softmax", "erfc")
"""What gives 0 only because the format has no smaller numbers."""
PRODUCTS = ("mul", "div", "pow", "integer_pow", "square")
"""What gives 0 where an operand is 0, and elsewhere for that reason too."""
EQUALITIES = {"eq": True, "ne": False}
"""What these give where both are equal."""
CALLS = ("jit", "closed_call", "checkpoint", "custom_jvp_call", "custom_vjp_call")
"""JAX's equations that are calls of a program."""


class Rounding:
    """Moves results by a number of units in the last place, up or down; equal ones of one operation alike.

    One below the least normal number may also become 0, as compiled code has it, and a 0 that it became that number.

    Args:
        seed: of the directions; None moves nothing.
        lost: binary digits by which a result may be off beside the rounding to the nearest.
        meter: counts operations.
        orders: what runs have seen that are moved in other directions: of each comparison the least and the greatest
            order, −1, 0 or 1.
    """

    def __init__(
        self,
        seed: int | None,
        lost: int,
        meter: Meter,
        orders: dict[int, tuple[np.ndarray, np.ndarray]],
    ) -> None:
        self._seed, self._lost, self._meter = seed, lost, meter
        self._orders, self._asked = orders, 0
        self.overflows = False
        """Whether an operation that rounds is of numbers whose squares its format does not hold, or gives such."""

    def shifts(
        self,
        name: str,
        operands: Sequence[np.ndarray],
        result: np.ndarray,
        form: Any,
        size: Callable[[], np.ndarray],
    ) -> np.ndarray | None:
        """What is added to a result of a format; None if it is exact.

        Args:
            name: the operation's.
            operands: its.
            result: of these; of complex numbers their parts, along a last axis.
            form: the result's format, or that of its parts.
            size: the result of the operands' absolute values; of a sum, the sum of its terms' sizes.

        Raises:
            TooLong: if no operations are left.
        """
        self._meter.spend(1)
        digits = digits_of(form)
        if digits is None or not operands:
            return None
        underflows = _underflows(name, operands, result)
        if not underflows.any() and _is_exact(name, operands, result, digits):
            return None
        every, root = (result, *operands), greatest_root(form)
        self.overflows |= any(np.any(np.isfinite(x) & (np.abs(x) >= root)) for x in every)
        if self._seed is None:
            return None
        of = size() if name in SUMS + TRANSFORMS else np.abs(result)
        if name in TRANSFORMS:
            of = np.full(result.shape, np.max(np.abs(of), initial=0))
        elif _is_of_parts(form):
            of = np.broadcast_to(np.hypot(of[..., :1], of[..., 1:]), result.shape)
        rng = np.random.default_rng([self._seed, *name.encode()])
        odd = 2 * rng.integers(2**62, dtype=np.uint64) + np.uint64(1)
        up = np.abs(result).view(np.uint64) * odd >> np.uint64(63)
        shifts = np.where(up, of, -of) * 2.0 ** (self._lost - digits)
        least = least_normal(form)
        shifts = np.where((np.abs(result) < least) & (up == 0), -result, shifts)
        return np.where(underflows & (self._seed % 2 == 1), least, shifts)

    def may_be_equal(self, operands: Sequence[np.ndarray]) -> np.ndarray:
        """Where two are equal as far as rounding can tell: in one run this was larger, and in another that."""
        order = np.sign(operands[0] - operands[1])
        low, high = self._orders.get(self._asked, (order, order))
        if low.shape == order.shape:
            low, high = np.fmin(low, order), np.fmax(high, order)
        self._orders[self._asked] = low, high
        self._asked += 1
        return (low < 0) & (high > 0) & np.isfinite(order)


def moved(side: Side, arrays: Arrays, form: str, rounding: Rounding) -> Arrays:
    """What the program returns, run eagerly, each of its operations rounded so.

    Raises:
        BaseException: what the program raises.
        TooLong: if no operations are left.
    """
    if not side.is_for_torch:
        return side.run(arrays, form, around=lambda function: _in_jax(function, rounding))
    with _in_torch(rounding):
        return side.run(arrays, form)


def _parts(array: np.ndarray) -> np.ndarray:
    """In float64; complex numbers as their parts, along a last axis."""
    if np.iscomplexobj(array):
        array = np.stack([np.real(array), np.imag(array)], -1)
    return np.asarray(array, float)


def _whole(parts: np.ndarray, form: Any) -> np.ndarray:
    """The numbers of these parts where the format is of complex ones."""
    return parts[..., 0] + 1j * parts[..., 1] if _is_of_parts(form) else parts


def _is_of_parts(form: Any) -> bool:
    return "complex" in str(form)


def _is_exact(name: str, operands: Sequence[np.ndarray], result: np.ndarray, digits: int) -> bool:
    """Whether the result consists of the operands' entries, or is of whole numbers that no format rounds."""
    few = 2.0 ** (digits / 2)
    if not name.startswith(INEXACT) and all(
        np.all((array == np.round(array)) & (np.abs(array) < few)) for array in (*operands, result)
    ):
        return True
    if name.startswith(ADDS):
        return False
    known = np.concatenate([[0.0, 1.0], *(np.abs(array).ravel() for array in operands)])
    return bool(np.all(np.isin(np.abs(result), known)))


def _underflows(name: str, operands: Sequence[np.ndarray], result: np.ndarray) -> np.ndarray:
    """Where a result is 0 that is none in exact numbers."""
    if name in NEVER_ZERO:
        return result == 0
    if name in PRODUCTS and all(array.shape in ((), result.shape) for array in operands):
        nonzero = [array != 0 for array in operands]
        return (result == 0) & np.logical_and.reduce(np.broadcast_arrays(*nonzero))
    return np.zeros(result.shape, bool)


def _in_torch(rounding: Rounding) -> Any:
    """A block in which torch rounds so."""
    import torch
    from torch.utils._pytree import tree_leaves, tree_map

    def is_rounded(value: Any) -> bool:
        return torch.is_tensor(value) and (value.is_floating_point() or value.is_complex())

    def absolute(value: Any) -> Any:
        return value.abs().to(value.dtype) if is_rounded(value) else value

    def plain(value: Any) -> np.ndarray:
        if torch.is_tensor(value):
            value = value.detach().resolve_conj().resolve_neg()
            value = value.numpy() if value.is_complex() else value.double().numpy()
        return _parts(np.asarray(value))

    def call(func: Any, args: Any, kwargs: Any) -> Any:
        given = [one for one in tree_leaves((args, kwargs)) if not isinstance(one, bool | str)]
        tensors = [one for one in given if torch.is_tensor(one)]
        numbers = [one for one in given if isinstance(one, int | float)]
        before = [plain(one) for one in (*tensors, *numbers)] if tensors else []
        name = func._opname

        def size() -> np.ndarray:
            return plain(func(*tree_map(absolute, args), **kwargs))

        out = func(*args, **kwargs)
        if name in EQUALITIES and len(before) == 2:
            out[torch.as_tensor(rounding.may_be_equal(before))] = EQUALITIES[name]
        for one in out if isinstance(out, tuple | list) else (out,):
            if is_rounded(one) and not func.is_view:
                parts = plain(one)
                shifts = rounding.shifts(name, before, parts, one.dtype, size)
                if shifts is not None:
                    one.copy_(torch.as_tensor(_whole(parts + shifts, one.dtype)))
        return out

    return operations(call)


def _in_jax(function: Callable[..., Any], rounding: Rounding) -> Callable[..., Any]:
    jax = jax_for("prove")

    def run(*arrays: Any) -> Any:
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*arrays)
        out = _evaluated(closed.jaxpr, closed.consts, jax.tree.leaves(arrays), rounding)
        return jax.tree.unflatten(jax.tree.structure(shape), out)

    return run


def _evaluated(
    jaxpr: Any, consts: Sequence[Any], arrays: Sequence[Any], rounding: Rounding
) -> list[Any]:
    jnp = jax_for("prove").numpy
    known = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *arrays), strict=True))

    def read(one: Any) -> Any:
        return one.val if hasattr(one, "val") else known[one]

    for equation in jaxpr.eqns:
        given = [read(one) for one in equation.invars]
        out = _inner(equation, given, rounding)
        if out is None:
            out = _rounded(jnp, equation, given, rounding)
        known.update(zip(equation.outvars, out, strict=True))
    return [read(one) for one in jaxpr.outvars]


def _rounded(jnp: Any, equation: Any, given: list[Any], rounding: Rounding) -> list[Any]:
    """The results of an equation that is one operation, moved."""
    primitive, name = equation.primitive, equation.primitive.name

    def absolute(value: Any) -> Any:
        return jnp.abs(value).astype(jnp.result_type(value))

    def size() -> np.ndarray:
        return _parts(np.asarray(primitive.bind(*map(absolute, given), **equation.params)))

    out = primitive.bind(*given, **equation.params)
    out = list(out) if primitive.multiple_results else [out]
    before = [_parts(np.asarray(x)) for x in given if jnp.result_type(x).kind in "biufcV"]
    if name in EQUALITIES and len(before) == 2:
        return [jnp.where(rounding.may_be_equal(before), EQUALITIES[name], out[0])]
    for k, one in enumerate(out):
        if jnp.issubdtype(one.dtype, jnp.inexact):
            parts = _parts(np.asarray(one))
            shifts = rounding.shifts(name, before, parts, one.dtype, size)
            if shifts is not None:
                out[k] = jnp.asarray(_whole(parts + shifts, one.dtype), one.dtype)
    return out


def _inner(equation: Any, given: list[Any], rounding: Rounding) -> list[Any] | None:
    """The results of an equation that runs programs of its own, turn by turn; None of any other."""
    params = equation.params

    def call(closed: Any, arrays: Sequence[Any]) -> list[Any]:
        if hasattr(closed, "jaxpr"):
            return _evaluated(closed.jaxpr, closed.consts, arrays, rounding)
        return _evaluated(closed, (), arrays, rounding)

    match equation.primitive.name:
        case "scan":
            return _scanned(call, params, given)
        case "while":
            first = params["cond_nconsts"]
            last = first + params["body_nconsts"]
            state = given[last:]
            while call(params["cond_jaxpr"], [*given[:first], *state])[0]:
                state = call(params["body_jaxpr"], [*given[first:last], *state])
            return state
        case "cond":
            return call(params["branches"][int(given[0])], given[1:])
    if equation.primitive.name not in CALLS:
        return None
    return call(params["jaxpr" if "jaxpr" in params else "call_jaxpr"], given)


def _scanned(call: Callable[..., list[Any]], params: Any, given: list[Any]) -> list[Any]:
    jnp = jax_for("prove").numpy
    first = params["num_consts"]
    last = first + params["num_carry"]
    state, turns = given[first:last], range(params["length"])
    rows: list[list[Any]] = []
    for t in reversed(turns) if params["reverse"] else turns:
        out = call(params["jaxpr"], [*given[:first], *state, *(x[t] for x in given[last:])])
        state = out[: last - first]
        rows.append(out[last - first :])
    if params["reverse"]:
        rows.reverse()
    outer = params["jaxpr"].out_avals[last - first :]
    made = [
        jnp.stack([row[k] for row in rows]) if rows else jnp.zeros((0, *one.shape), one.dtype)
        for k, one in enumerate(outer)
    ]
    return [*state, *made]
