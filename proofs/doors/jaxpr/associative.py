"""`lax.associative_scan` over a symbolic length: a fold, where its operator is associative.

JAX combines the elements in a tree that depends on how many there are, and does not trace that with symbols. While a
program is traced with symbols, the name `associative_scan` stands for one equation with the operator's jaxpr, on single
elements and on any number of them at once. It is lowered to the fold y₀ = x₀, yₜ = op(yₜ₋₁, xₜ), which is the tree's
result where op(op(a, b), c) = op(a, op(b, c)) for all elements, and where op on several elements at once is op on each:
both are relations of their own, which are proved with the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from ...language.libraries import jax as jax_for
from ...statement import binding, choices, making
from ...statement.formats import REAL, Format
from ...statement.masks import is_mask
from ...statement.nodes import Input
from ...statement.order import nonnegative
from ...statement.whole import Number, Position, whole
from ..infinities import Value, moved
from ..refused import Refused
from .stand_ins import modules
from .values import Array, Complex, kind_of, part_by_part, parts

NAME = "associative_scan"
Length = Callable[[Any], Any]
"""From the length of a scanned axis to one that stands for any, or None."""


@cache
def expect_users_lines() -> None:
    """An equation's line is the user's, and none of this folder."""
    with suppress(ImportError):
        from jax._src.source_info_util import register_exclusion

        register_exclusion(os.path.dirname(__file__))


@contextmanager
def one_equation(function: Callable[..., Any], any_length: Length) -> Iterator[None]:
    """In the block `lax.associative_scan` leaves one equation.

    Args:
        function: the program; the name in its own package's modules counts too.
        any_length: makes the length that stands for any; None where the scan is to be JAX's own.
    """
    jax = jax_for("a program")
    own = jax.lax.associative_scan
    expect_users_lines()

    def associative_scan(fn: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
        leaves = jax.tree.leaves(elems)
        of_any = any_length(leaves[0].shape[axis]) if leaves else None
        if of_any is None:
            return own(fn, elems, reverse, axis)
        return _combined(jax, fn, elems, reverse, axis % leaves[0].ndim, of_any)

    holders = [vars(jax.lax), *modules(function)]
    held = [(names, name) for names in holders for name, one in list(names.items()) if one is own]
    for names, name in held:
        names[name] = associative_scan
    try:
        yield
    finally:
        for names, name in held:
            names[name] = own


def _combined(jax: Any, fn: Any, elems: Any, reverse: bool, axis: int, length: Any) -> Any:
    leaves, tree = jax.tree.flatten(elems)

    def operator(*both: Any) -> Any:
        sides = [jax.numpy.moveaxis(x, 0, axis) for x in both]
        pair = (
            jax.tree.unflatten(tree, side) for side in (sides[: len(leaves)], sides[len(leaves) :])
        )
        return [jax.numpy.moveaxis(x, axis, 0) for x in jax.tree.leaves(fn(*pair))]

    arrays = [jax.numpy.moveaxis(x, axis, 0) for x in leaves]
    arrays = [jax.lax.rev(x, [0]) for x in arrays] if reverse else arrays
    found = _bound(jax, operator, arrays, length)
    found = [jax.lax.rev(x, [0]) for x in found] if reverse else found
    return jax.tree.unflatten(tree, [jax.numpy.moveaxis(x, 0, axis) for x in found])


def _bound(jax: Any, operator: Any, arrays: Sequence[Any], length: Any) -> list[Any]:
    """The equation, with the operator traced on elements one by one, and on any number of them at once."""
    from jax.extend.core import Jaxpr

    ways, given = [], []
    for count in (1, length):
        rows = [jax.ShapeDtypeStruct((count, *x.shape[1:]), x.dtype) for x in arrays]
        closed = jax.make_jaxpr(operator)(*rows, *rows)
        made = [(x.shape, x.dtype) for x in closed.out_avals]
        if made != [(x.shape, x.dtype) for x in rows]:
            raise TypeError(
                "the operator of an associative_scan returns arrays of other shapes or formats "
                f"than its elements have: {made}"
            )
        inner = closed.jaxpr
        invars = [*inner.constvars, *inner.invars]
        ways.append(Jaxpr((), invars, inner.outvars, inner.eqns, inner.effects, inner.debug_info))
        given.append(closed.consts)
    counts = tuple(map(len, given))
    return _primitive().bind(
        *given[0], *given[1], *arrays, one=ways[0], many=ways[1], counts=counts
    )


@cache
def _primitive() -> Any:
    """What stands in a jaxpr; it has no meaning but for its rule."""
    from jax.extend.core import ClosedJaxpr, Primitive, jaxpr_as_fun
    from jax.interpreters import batching

    jax = jax_for("a program")
    made = Primitive(NAME)
    made.multiple_results = True

    def shapes(*inputs: Any, counts: Any, **_: Any) -> Any:
        return [one.update(weak_type=False) for one in inputs[sum(counts) :]]

    def batched(inputs: Any, axes: Any, *, one: Any, many: Any, counts: Any) -> Any:
        """Under `vmap` the elements have one more axis, behind the scanned one."""
        (size,) = {x.shape[k] for x, k in zip(inputs, axes, strict=True) if k is not None}
        count = sum(counts)
        moved = [
            x if k is None else jax.numpy.moveaxis(x, k, int(n >= count))
            for n, (x, k) in enumerate(zip(inputs, axes, strict=True))
        ]
        along = [None if k is None else 0 for k in axes[:count]]
        elems = [
            jax.numpy.broadcast_to(x[:, None], (x.shape[0], size, *x.shape[1:])) if k is None else x
            for x, k in zip(moved[count:], axes[count:], strict=True)
        ]
        ends, ways, given = (0, counts[0], count), [], []
        for way, low, high in zip((one, many), ends, ends[1:], strict=False):
            run = jaxpr_as_fun(ClosedJaxpr(way, ()))
            rank = [*along[low:high], *[1] * (2 * len(elems))]
            every = jax.vmap(run, in_axes=tuple(rank), out_axes=1)
            length = way.invars[-1].aval.shape[0]
            rows = [jax.ShapeDtypeStruct((length, *x.shape[1:]), x.dtype) for x in elems]
            own = [jax.typeof(x) for x in moved[low:high]]
            closed = jax.make_jaxpr(every)(*own, *rows, *rows)
            if closed.consts:
                raise NotImplementedError("vmap of an associative_scan with constants of its own")
            ways.append(closed.jaxpr)
            given += moved[low:high]
        found = made.bind(*given, *elems, one=ways[0], many=ways[1], counts=counts)
        return found, [1] * len(found)

    made.def_abstract_eval(shapes)
    batching.primitive_batchers[made] = batched
    return made


# Its rule, which `control` has beside the other loops.


def element(one: Array, place: Number) -> Array:
    """One element, with an axis of length 1 in front."""
    return part_by_part(lambda x: moved(lambda n: making.rows(n, place, 1), [x]), one)


def with_first(first: Array, rows: Any) -> Array:
    """The first element and those of all turns, each with an axis of length 1 behind that of the turns."""

    def both(one: Value, others: Value) -> Value:
        return moved(lambda *parts: making.joined(parts, 0), [one, without_second(others)])

    return first if rows is None else part_by_part(both, first, rows)


def without_second(rows: Array) -> Any:
    """The array without its second axis, of length 1."""

    def move(node: Any) -> Any:
        axes = making.places_of(node.shape)
        return making.take(node, [axes[0], 0, *axes[1:-1]], (node.shape[0], *node.shape[2:]))

    return part_by_part(lambda x: moved(move, [x]), rows)


def oblige(
    at: Any, one: Any, many: Any, consts: list[Any], others: list[Any], elements: list[Any]
) -> None:
    """Note that the operator has to be associative, and one of each element.

    Elements that are flags, 0 or 1 in any format, are said to be flags, where the operator makes flags of them.

    Raises:
        Refused: if it uses what a loop around carries.
    """
    length = elements[0].shape[0]
    if not nonnegative(length - 1):
        raise Refused("an associative scan of elements of which there may be none")
    n = len(at.obligations)

    def operator(left: list[Any], right: list[Any]) -> list[Any]:
        return at.run(one, [*consts, *left, *right])

    flags = list(map(_is_flag, elements))

    def any_elements(sides: str, length: Number, name: str) -> list[list[Any]]:
        return [
            [_any_like(x, length, f"{name}_{n}{side}{k}", flags[k]) for k, x in enumerate(elements)]
            for side in sides
        ]

    a, b, c = any_elements("abc", 1, "element")
    while not all(_is_flag(x) for k, x in enumerate(operator(a, b)) if flags[k]):
        flags = [False] * len(flags)  # what it makes of flags are none
        a, b, c = any_elements("abc", 1, "element")
    where = f"the operator of associative_scan{at.where()}"
    _note(at, operator(operator(a, b), c), operator(a, operator(b, c)), f"{where} is associative")
    left, right = any_elements("ab", length, "elements")
    at.dimensions.numbers[str(many.invars[-1].aval.shape[0])] = length
    together = at.run(many, [*others, *left, *right])
    position = binding.fresh(0, length)
    place = whole(position)
    rows = operator([element(x, place) for x in left], [element(x, place) for x in right])
    apart = [_built(position, x) for x in rows]
    _note(at, together, apart, f"{where} is that of each element")


def _is_flag(one: Array) -> bool:
    return isinstance(one, Value) and one.odd is None and is_mask(one.node)


def _built(position: Position, one: Array) -> Array:
    def built(node: Any) -> Any:
        return binding.build(position, making.row(node, 0))

    return part_by_part(lambda x: moved(built, [x]), one)


def _any_like(one: Array, length: Number, name: str, flag: bool) -> Array:
    """An array of which nothing is known but its format, or that it is of flags, of as many elements."""
    if isinstance(one, Complex):
        names = (f"{name}{side}" for side in "ri")
        return Complex(*(_any(x, length, n, flag) for x, n in zip(one, names, strict=True)))
    return _any(one, length, name, flag)


def _any(one: Value, length: Number, name: str, flag: bool) -> Value:
    kind = kind_of(one.dtype)
    node = Input(name, (length, *one.shape[1:]), Format("int") if kind == "i" else REAL)
    return Value(choices.truth(node) if flag or kind == "b" else node, one.dtype)


def _note(at: Any, left: list[Any], right: list[Any], what: str) -> None:
    for one, other in zip(parts(left), parts(right), strict=True):
        if any(not isinstance(x, Position) for x in one.real.free | other.real.free):
            raise Refused("an associative scan whose operator uses what a loop around it carries")
        at.obligations.append((one.real, other.real, what))
