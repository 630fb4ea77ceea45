"""`lax.associative_scan` over a symbolic length: a fold, once its operator is seen to be associative.

JAX combines the elements in a tree that depends on how many there are, and does not trace that with symbols. While a
program is traced for all sizes, one equation stands for the tree, with the operator's own jaxpr. It is read as the
fold y₀ = x₀, yₜ = op(yₜ₋₁, xₜ) where two things are shown, by rules of the kernel, for all values of the elements:
op(op(a, b), c) = op(a, op(b, c)), and that on arrays of any length along the scanned axis the operator takes entry i
of its results from entry i of its arguments alone. At numbers JAX's own tree is traced, and computed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from types import FunctionType
from typing import Any

from ...kernel.index import Index, position
from ...kernel.term import Term, entry
from ..array import KernelArray, comprehension, holds
from ..questions import Unreadable
from ..recursions import run_recursion
from ..session import current
from ..simplifying import simplified
from .joining import stacked
from .scan import UNROLLED
from .values import picked, reals

NAME = "associative_scan"
Length = Callable[[Any], Any]
"""From the length of a scanned axis to a length that stands for any; None where JAX's own tree is to be traced."""
_any_length: ContextVar[Length | None] = ContextVar("any_length", default=None)


# While a program is traced.


@contextmanager
def one_equation(any_length: Length) -> Iterator[None]:
    """`lax.associative_scan` leaves one equation in what is traced in the `with` block, where `any_length` says so."""
    jax = _jax()
    own = inspect.unwrap(jax.lax.associative_scan)
    before = own.__code__
    token = _any_length.set(any_length)
    _trees()
    own.__code__ = _instead.__code__
    try:
        with _apart()(NAME):  # what JAX keeps of a program that it has traced is kept apart
            yield
    finally:
        own.__code__ = before
        _any_length.reset(token)


def _instead(fn: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    from scanproof.proofs.interpret.programs.associative import combined

    return combined(fn, elems, reverse, axis)


def combined(fn: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    """`lax.associative_scan` as one equation."""
    jax = _jax()
    leaves, tree = jax.tree.flatten(elems)
    any_length = _any_length.get()
    axis = axis % leaves[0].ndim if leaves else 0
    length = None if any_length is None or not leaves else any_length(leaves[0].shape[axis])
    if length is None:
        return _trees()(fn, elems, reverse, axis)

    def first(x: Any) -> Any:
        return jax.numpy.moveaxis(x, axis, 0)

    def operator(*both: Any) -> Any:
        sides = [jax.numpy.moveaxis(x, 0, axis) for x in both]
        found = fn(
            jax.tree.unflatten(tree, sides[: len(leaves)]),
            jax.tree.unflatten(tree, sides[len(leaves) :]),
        )
        return [first(x) for x in jax.tree.leaves(found)]

    arrays = [first(x) for x in leaves]
    arrays = [jax.lax.rev(x, [0]) for x in arrays] if reverse else arrays
    found = _bound(operator, [], arrays, length)
    found = [jax.lax.rev(x, [0]) for x in found] if reverse else found
    return jax.tree.unflatten(tree, [jax.numpy.moveaxis(x, 0, axis) for x in found])


def _bound(operator: Any, consts: Sequence[Any], arrays: Sequence[Any], length: Any) -> list[Any]:
    """The equation, with the operator traced on elements one by one, and on any number of them at once."""
    jax = _jax()
    from jax._src.interpreters.partial_eval import convert_constvars_jaxpr

    own = [jax.typeof(x) for x in consts]
    ways, given = [], []
    for count in (1, length):
        rows = [jax.ShapeDtypeStruct((count, *x.shape[1:]), x.dtype) for x in arrays]
        closed = jax.make_jaxpr(operator)(*own, *rows, *rows)
        made = [(x.shape, x.dtype) for x in closed.out_avals]
        if made != [(x.shape, x.dtype) for x in rows]:
            raise TypeError(
                "the operator of an associative_scan returns arrays of other shapes or formats "
                f"than its elements have: {made}"
            )
        ways.append(convert_constvars_jaxpr(closed.jaxpr))
        given.append([*closed.consts, *consts])
    counts = tuple(map(len, given))
    inputs = [*given[0], *given[1], *arrays]
    return _primitive().bind(*inputs, one=ways[0], many=ways[1], counts=counts)


@cache
def _primitive() -> Any:
    """What stands in a jaxpr; it has no meaning but for its reader."""
    from jax.extend.core import ClosedJaxpr, Primitive, jaxpr_as_fun
    from jax.interpreters import batching

    jax = _jax()
    with suppress(ImportError, AttributeError):  # lines are the user's, and not this file's
        from jax._src.source_info_util import register_exclusion

        register_exclusion(__file__)
    made = Primitive(NAME)
    made.multiple_results = True

    def shapes(*inputs: Any, counts: Any, **_: Any) -> Any:
        return [one.update(weak_type=False) for one in inputs[sum(counts) :]]

    def batched(inputs: Any, axes: Any, *, one: Any, many: Any, counts: Any) -> Any:
        """Under `vmap` the elements have one more axis, behind the scanned one."""
        (size,) = {x.shape[k] for x, k in zip(inputs, axes, strict=True) if k is not None}
        moved = [
            x if k is None else jax.numpy.moveaxis(x, k, n >= sum(counts))
            for n, (x, k) in enumerate(zip(inputs, axes, strict=True))
        ]
        along = [None if k is None else 0 for k in axes[: sum(counts)]]
        elems = [
            jax.numpy.broadcast_to(x[:, None], (x.shape[0], size, *x.shape[1:])) if k is None else x
            for x, k in zip(moved[sum(counts) :], axes[sum(counts) :], strict=True)
        ]
        ends, ways = (0, counts[0], sum(counts)), []
        for way, low, high in zip((one, many), ends, ends[1:], strict=False):
            run = jaxpr_as_fun(ClosedJaxpr(way, ()))
            rank = [*along[low:high], *[1] * (2 * len(elems))]
            every = jax.vmap(run, in_axes=tuple(rank), out_axes=1)
            count = way.invars[-1].aval.shape[0]
            rows = [jax.ShapeDtypeStruct((count, *x.shape[1:]), x.dtype) for x in elems]
            own = [jax.typeof(x) for x in moved[low:high]]
            ways.append(jax.make_jaxpr(every)(*own, *rows, *rows))
        if any(way.consts for way in ways):
            raise NotImplementedError("vmap of an associative_scan with constants of its own")
        inner = {"one": ways[0].jaxpr, "many": ways[1].jaxpr, "counts": counts}
        found = made.bind(*moved[: sum(counts)], *elems, **inner)
        return found, [1] * len(found)

    made.def_abstract_eval(shapes)
    batching.primitive_batchers[made] = batched
    return made


@cache
def _trees() -> Any:
    """JAX's own function, whose code is out of the way at times."""
    own = inspect.unwrap(_jax().lax.associative_scan)
    return FunctionType(own.__code__, own.__globals__, own.__name__, own.__defaults__)


@cache
def _apart() -> Any:
    return _jax().make_user_context()


def _jax() -> Any:
    import jax

    return jax


# While it is read.


def _associative_scan(reader: Any, params: Any, *inputs: Any) -> list[Any]:
    first, second = params["counts"]
    elems = list(inputs[first + second :])
    if not all(isinstance(x, KernelArray) for x in elems):
        raise Unreadable("an associative scan of what is not real numbers")
    length = elems[0].dims[0]
    if any(x.dims[0] != length for x in elems):
        raise Unreadable("an associative scan of arrays of different lengths")
    if not holds(length - 1):
        raise Unreadable("an associative scan of what may be empty")
    shapes = [x.dims[1:] for x in elems]
    ways = (
        (params["one"], inputs[:first]),
        (params["many"], inputs[first : first + second]),
    )

    def operator(way: int, left: Sequence[Any], right: Sequence[Any]) -> list[KernelArray]:
        jaxpr, consts = ways[way]
        return [reals(x) for x in reader.run_open(jaxpr, [], [*consts, *left, *right])]

    count = reader.dimensions.index(params["many"].invars[-1].aval.shape[0])
    before = set(current().partial)
    _expect_by_entries(operator, shapes, count)
    _expect_associative(operator, shapes)
    if current().partial != before:
        raise Unreadable("an associative scan whose operator divides")

    def row(x: KernelArray, i: Index) -> KernelArray:
        return picked(x, (Index(1), *x.dims[1:]), lambda at: [i, *at[1:]])

    if not length.terms and length.const <= UNROLLED:
        found = [[row(x, Index(0)) for x in elems]]
        for i in range(1, length.const):
            found.append(operator(0, found[-1], [row(x, Index(i)) for x in elems]))
        return [stacked([_only(x) for x in parts]) for parts in zip(*found, strict=True)]

    def turn(time: Index, state: Sequence[KernelArray]) -> Any:
        left = [_with_units(x, dims) for x, dims in zip(state, shapes, strict=True)]
        after = operator(0, left, [row(x, time + 1) for x in elems])
        return tuple(map(_without_units, after)), ()

    start = tuple(_without_units(row(x, Index(0))) for x in elems)
    run_recursion(turn, start, length - 1, elems, _associative_scan)
    states = current().made[-1][0].states
    return [
        comprehension((length, *dims), lambda i, *at, s=s, d=dims: s.entry(i, _places(at, d)))
        for s, dims in zip(states, shapes, strict=True)
    ]


Operator = Callable[[int, Sequence[Any], Sequence[Any]], list[KernelArray]]


def _expect_by_entries(operator: Operator, shapes: Sequence[Any], count: Index) -> None:
    """Along an axis of any length the operator combines entries with those at the same place alone.

    Raises:
        Unreadable: if that is not seen.
    """
    i = position("i", 0, count)
    several = [
        [
            comprehension((count, *dims), lambda *at, n=n: entry(n, *at))
            for n, dims in zip(_operands(side, shapes), shapes, strict=True)
        ]
        for side in "ab"
    ]
    single = [
        [
            comprehension((Index(1), *dims), lambda _, *at, n=n: entry(n, i, *at))
            for n, dims in zip(_operands(side, shapes), shapes, strict=True)
        ]
        for side in "ab"
    ]
    for all_at_once, alone in zip(operator(1, *several), operator(0, *single), strict=True):
        places = [position("j", 0, d) for d in alone.dims[1:]]
        gap = all_at_once.entry([i, *places]) - alone.entry([Index(0), *places])
        if not _vanishes(gap):
            raise Unreadable(
                "the operator of an associative scan may look at other places along the scanned axis"
            )


def _expect_associative(operator: Operator, shapes: Sequence[Any]) -> None:
    """op(op(a, b), c) = op(a, op(b, c)).

    Raises:
        Unreadable: if that is not seen.
    """
    a, b, c = (
        [
            comprehension((Index(1), *dims), lambda _, *at, n=n: entry(n, *at))
            for n, dims in zip(_operands(side, shapes), shapes, strict=True)
        ]
        for side in "abc"
    )
    left, right = operator(0, operator(0, a, b), c), operator(0, a, operator(0, b, c))
    for one, other in zip(left, right, strict=True):
        places = [Index(0), *(position("j", 0, d) for d in one.dims[1:])]
        if not _vanishes(one.entry(places) - other.entry(places)):
            raise Unreadable(
                "the operator of an associative scan is not seen to be associative, so that its result depends on "
                "how the elements are combined"
            )


def _operands(side: str, shapes: Sequence[Any]) -> list[str]:
    """Names that no array of the claim has."""
    names = [f"operand_{side}_{k}" for k in range(len(shapes))]
    while current().symbols.intersection(names):
        names = [f"{name}_" for name in names]
    return names


def _vanishes(term: Term) -> bool:
    return not simplified(term).parts


def _only(x: KernelArray) -> KernelArray:
    return picked(x, x.dims[1:], lambda at: [Index(0), *at])


def _without_units(x: KernelArray) -> KernelArray:
    """The element without its axes of length 1, along which a state has no place of its own."""
    dims = tuple(d for d in x.dims if d != Index(1))

    def places(at: Sequence[Index]) -> list[Index]:
        rest = iter(at)
        return [Index(0) if d == Index(1) else next(rest) for d in x.dims]

    return picked(x, dims, places)


def _with_units(x: KernelArray, dims: Sequence[Index]) -> KernelArray:
    return picked(x, (Index(1), *dims), lambda at: _places(at[1:], dims))


def _places(at: Sequence[Index], dims: Sequence[Index]) -> list[Index]:
    return [i for i, d in zip(at, dims, strict=True) if d != Index(1)]


RULES: dict[str, Callable[..., Any]] = {NAME: _associative_scan}
