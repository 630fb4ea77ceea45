"""What JAX's trace of a function computes at numbers, by StableHLO's reference interpreter: nothing is compiled for it.

XLA takes a tenth of a second to compile what runs once, at sizes that never come again.
"""

from __future__ import annotations

import functools
import itertools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from ...language.libraries import jax as jax_for

MOST = 20_000
"""Entries of the inputs, all together, up to which interpreting is the faster way."""
OPERATIONS = frozenset(
    (
        *("abs", "add", "and", "atan2", "broadcast_in_dim", "case", "cbrt", "ceil", "clamp"),
        *("compare", "complex", "concatenate", "constant", "convert", "convolution", "cosine"),
        *("count_leading_zeros", "divide", "dot_general", "dynamic_slice"),
        *("dynamic_update_slice", "exponential", "exponential_minus_one", "floor", "gather"),
        *("if", "imag", "iota", "is_finite", "log", "log_plus_one", "logistic", "maximum"),
        *("minimum", "multiply", "negate", "not", "optimization_barrier", "or", "pad"),
        *("popcnt", "power", "real", "reduce", "reduce_precision", "reduce_window"),
        *("remainder", "reshape", "return", "reverse", "round_nearest_afz"),
        *("round_nearest_even", "rsqrt", "scatter", "select", "select_and_scatter"),
        *("shift_left", "shift_right_arithmetic", "shift_right_logical", "sign", "sine"),
        *("slice", "sort", "sqrt", "subtract", "tan", "tanh", "transpose", "while", "xor"),
    )
)
"""Operations of StableHLO that the interpreter has; it ends the process where it meets another one."""
AROUND = ("builtin.module", "func.func", "func.call", "func.return")


def interpreted(
    function: Callable[..., Any],
    arrays: Sequence[Any],
    look: Callable[[Any], object] = lambda jaxpr: None,
) -> Any | None:
    """What the function computes of arrays, in its own containers; None where it has to be compiled instead.

    Args:
        function: takes JAX's arrays as positional arguments, and returns arrays in containers.
        arrays: its arguments, in the formats that it takes.
        look: learns its jaxpr, where it is traced.
    """
    if sum(np.size(one) for one in arrays) > MOST:
        return None
    try:
        from jax.extend.mlir import ir
        from jax.extend.mlir.dialects import stablehlo
    except ImportError:  # in another version of JAX
        return None
    jax = jax_for("a program")
    trees: list[Any] = []

    def in_parts(*given: Any) -> Any:
        leaves, tree = jax.tree.flatten(function(*given))
        trees.append(tree)
        complex_one = jax.numpy.iscomplexobj
        return [(a.real, a.imag) if complex_one(a) else (jax.numpy.asarray(a),) for a in leaves]

    traced = jax.jit(in_parts, keep_unused=True).trace(*arrays)
    look(traced.jaxpr)
    known = jax.tree.leaves(traced.out_info)
    if not any(math.prod(one.shape) for one in known):
        empty = [np.empty(one.shape, one.dtype) for one in known]
        return _in_containers(trees[0], empty, traced.out_info)
    constants = sum(getattr(one, "nbytes", 0) for one in traced.jaxpr.consts)
    with _shared_context() if constants < LARGE else nullcontext():
        lowered = traced.lower()
    module = lowered.compiler_ir("stablehlo")
    with module.context:
        if not _is_known(module, ir, stablehlo):
            return None
        try:
            made: Any = ir.DenseElementsAttr.get
            given = [made(np.asarray(one, order="C")) for one in arrays]
            results = [np.array(one) for one in stablehlo.eval_module(module, given)]
        except (ValueError, TypeError, RuntimeError):  # formats that NumPy does not have
            return None
    return _in_containers(trees[0], results, lowered.out_info)


SHARING = 64
"""How many programs share one of MLIR's contexts, which keeps the constant arrays of all of them until it goes."""
LARGE = 2**20
"""Programs with more bytes of constants than this get a context of their own."""
_lowered = itertools.count()


@contextmanager
def _shared_context() -> Iterator[None]:
    """Inside the `with` block what JAX lowers shares a context of MLIR with what was lowered before.

    To make one takes longer than to lower a small program, and `lower` takes none as an argument.
    """
    lowering: Any = sys.modules.get("jax._src.interpreters.mlir")
    make = getattr(lowering, "make_ir_context", None)
    if make is None:  # in another version of JAX
        yield
        return
    context = _context(make, next(_lowered) // SHARING)
    try:
        lowering.make_ir_context = lambda: context
        yield
    finally:
        lowering.make_ir_context = make


@functools.lru_cache(maxsize=1)
def _context(make: Callable[[], Any], _: int) -> Any:
    return make()


def _in_containers(tree: Any, results: Sequence[np.ndarray], known: Any) -> Any:
    """The results in the program's containers, complex ones of two parts."""
    of = iter(results)
    parts = [[next(of) for _ in one] for one in known]
    every = [a[0] if len(a) == 1 else a[0] + 1j * a[1] for a in parts]
    return jax_for("a program").tree.unflatten(tree, every)


def _is_known(module: Any, ir: Any, stablehlo: Any) -> bool:
    """Whether every operation is one that the interpreter has.

    Where the answer is yes, what would end the process is written otherwise: a whole number that is divided by 0, and
    a sum of no products. A convolution of no numbers would, too.
    """
    known, quotients, scatters, products = True, [], [], []

    def is_empty(value: Any) -> bool:
        kind = value.type
        return isinstance(kind, ir.RankedTensorType) and 0 in kind.shape

    def look(operation: Any) -> Any:
        nonlocal known
        dialect, _, name = operation.name.partition(".")
        known = operation.name in AROUND or (dialect == "stablehlo" and name in OPERATIONS)
        of_none = any(map(is_empty, operation.operands))
        known = known and not (of_none and (name == "convolution" or _is_large(operation)))
        if name == "dot_general" and of_none:
            products.append(operation)
        if name in ("divide", "remainder"):
            quotients.append(operation)
        if name == "scatter":
            scatters.append(operation)
        return ir.WalkResult.ADVANCE if known else ir.WalkResult.INTERRUPT

    module.operation.walk(look)
    for one in quotients if known else ():
        _divide_by_none(one, ir, stablehlo)
    for one in scatters if known else ():
        _write_into_copies(one, ir, stablehlo)
    for one in products if known else ():
        _add_nothing(one, ir, stablehlo)
    return known


def _write_into_copies(scatter: Any, ir: Any, stablehlo: Any) -> None:
    """The interpreter writes into the arrays that a scatter is of, which others may be computed of as well."""
    count = len(scatter.results)
    with ir.InsertionPoint(scatter), ir.Location.unknown():
        for k, array in enumerate([*scatter.operands][:count]):
            scatter.operands[k] = stablehlo.convert(array.type, array)


def _is_large(operation: Any) -> bool:
    """Whether it makes more entries of none than are interpreted."""
    return any(
        math.prod(one.type.shape) > MOST for one in operation.results if hasattr(one.type, "shape")
    )


def _add_nothing(product: Any, ir: Any, stablehlo: Any) -> None:
    """A product of empty arrays has entries without a term, which are 0; or none."""
    kind = ir.RankedTensorType(product.results[0].type)
    if 0 in kind.shape:
        return
    with ir.InsertionPoint(product), ir.Location.unknown():
        zeros = stablehlo.constant(ir.DenseElementsAttr.get(np.zeros(kind.shape)))
        product.results[0].replace_all_uses_with(stablehlo.convert(kind, zeros))
    product.erase()


def _divide_by_none(quotient: Any, ir: Any, stablehlo: Any) -> None:
    """Where a whole number is divided by 0, which has no value, it is divided by 1: the process would end."""
    divisor = quotient.operands[1]
    kind = ir.RankedTensorType(divisor.type).element_type
    if not isinstance(kind, ir.IntegerType):
        return
    with ir.InsertionPoint(quotient), ir.Location.unknown():
        zero, one = (
            stablehlo.constant(
                ir.DenseElementsAttr.get_splat(divisor.type, ir.IntegerAttr.get(kind, n))
            )
            for n in (0, 1)
        )
        equal = ir.Attribute.parse("#stablehlo<comparison_direction EQ>")
        is_zero = stablehlo.compare(divisor, zero, equal)
        quotient.operands[1] = stablehlo.select(is_zero, one, divisor)
