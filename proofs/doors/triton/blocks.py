"""Rules of operations on blocks: made of numbers, spread, turned, summed up, multiplied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...statement import along, choices, making
from ...statement.reshaping import reshaped
from ...statement.whole import Axis, Number, substituted, whole
from ..extremes import extreme
from ..infinities import moved
from .table import rule
from .text import Operation
from .values import Any_, Guards, Ints, Reals, mentions, reals, relocated


@rule("tt.get_program_id")
def _program(at: Any, one: Operation) -> Any_:
    axis = "xyz".index(one.text[0])
    return Ints(at.program(axis))


@rule("tt.get_num_programs")
def _programs(at: Any, one: Operation) -> Any_:
    return Ints(at.count("xyz".index(one.text[0])))


@rule("tt.make_range")
def _range(at: Any, one: Operation) -> Any_:
    return Ints(whole(Axis(0)) + one.number("start"), one.type.shape)


@rule("tt.splat")
def _splat(at: Any, one: Operation, a: Any_) -> Any_:
    return relocated(a, [], one.type.shape)


@rule("tt.unsplat")
def _unsplat(at: Any, one: Operation, a: Any_) -> Any_:
    return relocated(a, [0] * len(a.shape), ())


@rule("tt.expand_dims")
def _expanded(at: Any, one: Operation, a: Any_) -> Any_:
    axis = one.number("axis")
    axes = [whole(Axis(k if k < axis else k + 1)) for k in range(len(a.shape))]
    return relocated(a, axes, one.type.shape)


@rule("tt.broadcast")
def _broadcast(at: Any, one: Operation, a: Any_) -> Any_:
    return spread(a, one.type.shape)


def spread(a: Any_, shape: tuple[int, ...]) -> Any_:
    """A block repeated along its axes of length 1."""
    axes = [0 if n == 1 else whole(Axis(k)) for k, n in enumerate(a.shape)]
    return relocated(a, axes, shape)


@rule("tt.trans")
def _turned(at: Any, one: Operation, a: Any_) -> Any_:
    seen = re.search(r"array<i32: ([\d, ]+)>", one.text)
    if seen is None:
        raise at.refuse("an order of axes that is not read")
    order = [int(k) for k in seen[1].split(",")]
    axes: list[Number] = [0] * len(order)
    for k, axis in enumerate(order):
        axes[axis] = whole(Axis(k))
    return relocated(a, axes, one.type.shape)


@rule("tt.reshape")
def _reshaped(at: Any, one: Operation, a: Any_) -> Any_:
    shape = one.type.shape
    if "allow_reorder" in one.text:
        raise at.refuse("a reshape that may change the order of entries")
    if isinstance(a, Reals):
        at.expect_known(a, "a reshape")
        return Reals(moved(lambda node: reshaped(node, shape), [a.value]))
    kept = [k for k, n in enumerate(a.shape) if n != 1]
    wanted = [k for k, n in enumerate(shape) if n != 1]
    if [a.shape[k] for k in kept] == [shape[k] for k in wanted]:
        axes: list[Number] = [0] * len(a.shape)
        for k, axis in zip(kept, wanted, strict=True):
            axes[k] = whole(Axis(axis))
        return relocated(a, axes, shape)
    raise at.refuse("a reshape of whole numbers or truths")


# Sums and the like.


def _combined(at: Any, one: Operation) -> str:
    """The operation by which a reduction combines two entries."""
    (block,) = one.blocks
    if len(block.operations) != 2 or len(one.operands) != 1:
        raise at.refuse("entries combined by more than one operation")
    inner, last = block.operations
    if sorted(inner.operands) != sorted(block.arguments) or last.operands != inner.results:
        raise at.refuse("entries combined by something else than an operation of two")
    return inner.name


def _without(at: Any, known: Guards, axis: int, shape: Sequence[int], what: str) -> Guards:
    """The guards of entries combined along an axis, which none of them speaks of."""
    at.expect_known_along(known, axis, shape, what)
    kept = frozenset(g for g in known if not mentions(g, Axis(axis)))
    later = {Axis(k): whole(Axis(k - 1)) for k in range(axis + 1, len(shape))}
    return frozenset(substituted(g, later) for g in kept)


@rule("tt.reduce")
def _reduced(at: Any, one: Operation, a: Any) -> Any_:
    axis, name = one.number("axis"), _combined(at, one)
    a = at.reals(a)
    known = _without(at, a.known, axis, a.shape, "a reduction")
    if name == "arith.addf":
        return reals(along.total(a.node, [axis]), known)
    if name == "arith.mulf":
        return reals(along.product(a.node, [axis]), known)
    if name in ("arith.maxnumf", "arith.maximumf"):
        return Reals(extreme(a.value, [axis], True), known)
    if name in ("arith.minnumf", "arith.minimumf"):
        return Reals(extreme(a.value, [axis], False), known)
    raise at.refuse(f"entries combined by {name}")


@rule("tt.scan")
def _scanned(at: Any, one: Operation, a: Any) -> Any_:
    axis, name = one.number("axis"), _combined(at, one)
    backwards = "reverse = true" in one.text
    a = at.reals(a)
    at.expect_known_along(a.known, axis, a.shape, "a running sum")
    if name == "arith.addf":
        return reals(along.sums(a.node, axis, backwards), a.known)
    if name == "arith.mulf":
        return reals(along.products(a.node, axis, backwards), a.known)
    raise at.refuse(f"entries combined one after the other by {name}")


@rule("tt.dot")
def _dot(at: Any, one: Operation, a: Any, b: Any, start: Any) -> Any_:
    a, b, start = (at.reals(v) for v in (a, b, start))
    rank = len(a.shape)
    at.expect_known_along(a.known, rank - 1, a.shape, "a product of matrices")
    at.expect_known_along(b.known, rank - 2, b.shape, "a product of matrices")
    found = choices.add(making.product(a.node, b.node), start.node)
    known = {g for g in a.known if not mentions(g, Axis(rank - 1))}
    known |= {g for g in b.known if not mentions(g, Axis(rank - 2))}
    return reals(found, start.known | known)
