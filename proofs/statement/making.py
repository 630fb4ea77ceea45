"""Nodes made of nodes: shapes are worked out and compared, units left out (x + 0, x · 1), entries taken once.

Nothing else is simplified. A shape that fits at some sizes only is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from . import nodes
from .errors import IllFormed
from .nodes import Join, Map, Node, Shape, Take
from .order import nonnegative
from .whole import Axis, Whole, parts, spelled, substituted, whole
from .whole import Number as WholeNumber


def number(value: int | Fraction | Whole) -> nodes.Number:
    """An exact number, or a size as one."""
    if not isinstance(value, Whole) and value.denominator == 1:
        value = int(value)
    return nodes.Number(value)


def shown(shape: Iterable[Any]) -> str:
    """A shape as messages have it."""
    lengths = [spelled(length) for length in shape]
    return f"({', '.join(lengths)}{',' if len(lengths) == 1 else ''})"


def broadcast(*shapes: Shape) -> Shape:
    """The common shape; an axis of length 1, or none in front, stands for one of any length.

    Raises:
        IllFormed: if other lengths meet.
    """
    rank = max(map(len, shapes))
    result: list[WholeNumber] = [1] * rank
    for shape in shapes:
        for k, length in enumerate(shape, start=rank - len(shape)):
            if length == 1 or length is result[k] or length == result[k]:
                continue
            if result[k] != 1:
                raise IllFormed(f"arrays of shapes {' and '.join(map(shown, shapes))} do not fit")
            result[k] = length
    return tuple(result)


def entrywise(function: str, *arguments: Node) -> Node:
    """A function entry by entry."""
    shape = broadcast(*[a.shape for a in arguments])
    if function == "negative":
        value = constant(arguments[0])
        if value is not None:
            return full(number(-value), shape)
        if isinstance(arguments[0], Map) and arguments[0].function == "negative":
            return spread(arguments[0].arguments[0], shape)
    if len(arguments) == 2 and function in UNITS:
        left, right = arguments
        unit = UNITS[function]
        if constant(right) == unit:
            return spread(left, shape)
        if constant(left) == unit and function in ("add", "multiply"):
            return spread(right, shape)
    return Map(function, arguments, shape)


UNITS = {"add": 0, "subtract": 0, "multiply": 1, "divide": 1}
"""What a function's right operand is where its result is the left one."""


def constant(node: Node) -> Any:
    """The number that every entry is; None if none is seen."""
    if isinstance(node, Take) and not node.guards:
        node = node.of
    return node.value if isinstance(node, nodes.Number) else None


def places_of(shape: Shape) -> tuple[WholeNumber, ...]:
    """An array's positions, as its own."""
    return _axes(len(shape))


@lru_cache(maxsize=100)
def _axes(count: int) -> tuple[WholeNumber, ...]:
    return tuple(whole(Axis(k)) for k in range(count))


def spread(node: Node, shape: Shape) -> Node:
    """An array repeated along axes in front, and along those of length 1."""
    lacking = len(shape) - len(node.shape)
    places = [
        0 if length == 1 else whole(Axis(k)) for k, length in enumerate(node.shape, start=lacking)
    ]
    return take(node, places, shape)


def full(node: Node, shape: Shape) -> Node:
    """A number everywhere."""
    return take(node, (), shape)


def take(
    node: Node,
    places: Sequence[WholeNumber],
    shape: Shape,
    guards: Iterable[WholeNumber] = (),
) -> Node:
    """Entries elsewhere: see `nodes.Take`."""
    places, rows = tuple(places), frozenset(guards)
    if isinstance(node, Take):
        images = {Axis(k): place for k, place in enumerate(places)}
        rows |= {substituted(g, images) for g in node.guards}
        places = tuple(substituted(p, images) for p in node.places)
        node = node.of
    rows = frozenset(g for g in rows if isinstance(g, Whole) or g < 0)
    if isinstance(node, Join):
        part = _part_of(node, places[node.axis], shape, rows)
        if part is not None:
            inside, start = part
            places = (*places[: node.axis], places[node.axis] - start, *places[node.axis + 1 :])
            return take(inside, places, shape, rows)
    axes = tuple(0 if n == 1 else p for p, n in zip(places_of(shape), shape, strict=True))
    if not rows and node.shape == shape and axes == _at_ones(places, shape):
        return node
    return Take(node, places, rows, shape)


def _part_of(
    node: Join, place: WholeNumber, shape: Shape, guards: frozenset[WholeNumber]
) -> tuple[Node, WholeNumber] | None:
    """The part that holds all entries at such places, and where it begins; None where several do."""
    start: WholeNumber = 0
    for part in node.parts:
        end = start + part.shape[node.axis]
        if nonnegative(place - start, shape, guards) and nonnegative(
            end - 1 - place, shape, guards
        ):
            return part, start
        start = end
    return None


def _at_ones(places: Sequence[WholeNumber], shape: Shape) -> tuple[WholeNumber, ...]:
    return tuple(0 if n == 1 else p for p, n in zip(places, shape, strict=True))


def permuted(node: Node, order: Sequence[int]) -> Node:
    """The array with its axes in another order."""
    places: list[Any] = [None] * len(order)
    for k, axis in enumerate(order):
        places[axis] = whole(Axis(k))
    return take(node, places, tuple(node.shape[k] for k in order))


def row(node: Node, place: WholeNumber) -> Node:
    """Entry `place` of the first axis."""
    axes = [whole(Axis(k)) for k in range(len(node.shape) - 1)]
    return take(node, (place, *axes), node.shape[1:])


def rows(node: Node, start: WholeNumber, length: WholeNumber) -> Node:
    """Entries start, …, start + length − 1 of the first axis."""
    axes = [whole(Axis(k)) for k in range(1, len(node.shape))]
    return take(node, (whole(Axis(0)) + start, *axes), (length, *node.shape[1:]))


def expanded(node: Node, axis: int) -> Node:
    """The array with a new axis of length 1."""
    places = [whole(Axis(k if k < axis else k + 1)) for k in range(len(node.shape))]
    return take(node, places, (*node.shape[:axis], 1, *node.shape[axis:]))


def joined(parts: Sequence[Node], axis: int) -> Node:
    """Arrays one after the other along an axis."""
    for part in parts[1:]:
        own, first = list(part.shape), list(parts[0].shape)
        if len(own) == len(first):
            own[axis] = first[axis] = 0
        if own != first:
            shapes = " and ".join(shown(p.shape) for p in (parts[0], part))
            raise IllFormed(f"arrays of shapes {shapes} are joined along axis {axis}")
    return parts[0] if len(parts) == 1 else Join(tuple(parts), axis)


def stacked(parts: Sequence[Node], axis: int = 0) -> Node:
    """Arrays of one shape side by side along a new axis."""
    return joined([expanded(part, axis) for part in parts], axis)


def product(left: Node, right: Node) -> Node:
    """The matrix product; a vector is a row on the left and a column on the right."""
    if not left.shape or not right.shape:
        raise IllFormed("a matrix product with a number; write *")
    ends = left.shape[-1], right.shape[-2 if len(right.shape) > 1 else -1]
    if ends[0] != ends[1]:
        raise IllFormed(f"a matrix product of shapes {shown(left.shape)} and {shown(right.shape)}")
    batch = broadcast(left.shape[:-2], right.shape[:-2])
    one, other = (_without_ones(n, batch) for n in (left, right))
    return nodes.Contract((one[0], other[0]), *matrix_axes(one[1], other[1], len(batch)))


def _without_ones(node: Node, batch: Shape) -> tuple[Node, list[int | None]]:
    """The operand without axes of length 1 that stand for longer ones; its axes in the batch, and its own two."""
    count = len(node.shape)
    lacking = len(batch) - max(count - 2, 0)
    kept: list[int | None] = []
    places: list[WholeNumber] = []
    shape: list[WholeNumber] = []
    for k, length in enumerate(node.shape):
        inside = k >= count - 2
        if not inside and length == 1 and batch[lacking + k] != 1:
            places.append(0)
            continue
        places.append(whole(Axis(len(shape))))
        shape.append(length)
        kept.append(None if inside else lacking + k)
    return take(node, places, tuple(shape)), kept


def matrix_axes(
    left: Sequence[int | None], right: Sequence[int | None], batch: int
) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], tuple[int, ...]]:
    """The names of the axes of a matrix product: of both operands, and of the result.

    Args:
        left, right: for each axis of the operand its number among those of the batch, or None.
        batch: how many these are.
    """
    k, i, j = batch, batch + 1, batch + 2
    ours = [i, k] if left.count(None) == 2 else [k]
    theirs = [k, j] if right.count(None) == 2 else [k]
    own = [iter(names) for names in (ours, theirs)]
    one, other = (
        tuple(next(names) if a is None else a for a in axes)
        for axes, names in zip((left, right), own, strict=True)
    )
    ends = [name for name in (*ours, *theirs) if name != k]
    return (one, other), (*range(batch), *ends)


def total(node: Node, axis: int | None = None) -> Node:
    """The sum along an axis, or of all entries."""
    axes = tuple(range(len(node.shape)))
    if not axes:
        return node
    kept = () if axis is None else tuple(k for k in axes if k != axis % len(axes))
    return nodes.Contract((node,), (axes,), kept)


def contracted(
    factors: Sequence[Node], axes: Sequence[Sequence[int]], result: Sequence[int]
) -> Node:
    """A product of arrays summed over the axes that the result has not: a matrix product where it is one."""
    for one, other in ((0, 1), (1, 0)) if len(factors) == 2 else ():
        ours, theirs = axes[one], axes[other]
        summed = [name for name in ours if name in theirs]
        rest = [name for name in (*ours, *theirs) if name not in summed]
        fits = len(summed) == 1 and 0 < len(ours) < 3 and 0 < len(theirs) < 3
        if fits and rest == list(result):
            left, right = factors[one], factors[other]
            left = left if ours[-1] == summed[0] else permuted(left, (1, 0))
            return product(left, right if theirs[0] == summed[0] else permuted(right, (1, 0)))
    if len(factors) == 1 and set(axes[0]) == set(result):
        return permuted(factors[0], [list(axes[0]).index(name) for name in result])
    names = {name: k for k, name in enumerate(dict.fromkeys(n for part in axes for n in part))}
    named = tuple(tuple(names[name] for name in part) for part in axes)
    return nodes.Contract(tuple(factors), named, tuple(names[name] for name in result))


def opaque(name: str, laws: Iterable[str], *arguments: Node) -> Node:
    """A function of which only a name and laws are known, entry by entry.

    Raises:
        IllFormed: if the name is that of a function with a meaning, or there is no such law.
    """
    if name in nodes.FUNCTIONS:
        raise IllFormed(
            f"{name} has a meaning; a function of which nothing is known needs another name"
        )
    if unknown := sorted(set(laws) - set(nodes.LAWS)):
        raise IllFormed(f"there is no law {unknown[0]!r}; there are {', '.join(nodes.LAWS)}")
    shape = broadcast(*[a.shape for a in arguments])
    return nodes.Opaque(name, frozenset(laws), arguments, shape)


def lookup(of: Node, places: Node) -> Node:
    """Entries along the first axis at places that are data: see `nodes.Lookup`."""
    if not of.shape:
        raise IllFormed("entries of a number are looked up; it has no axis")
    return nodes.Lookup(of, places)


def solved(matrix: Node, right: Node, lower: bool = True, unit: bool = False) -> Node:
    """X of a triangular system, (…, n, n) and (…, n, m), or (n,) on the right: see `nodes.Solve`.

    Raises:
        IllFormed: if the matrix is not square, or the right side has another length.
    """
    if len(right.shape) == 1:
        return take(
            solved(matrix, expanded(right, 1), lower, unit), (whole(Axis(0)), 0), right.shape
        )
    if len(matrix.shape) < 2 or {*matrix.shape[-2:], right.shape[-2]} != {matrix.shape[-1]}:
        raise IllFormed(
            f"a system with shapes {shown(matrix.shape)} and {shown(right.shape)}; (…, n, n) and (…, n, m) are expected"
        )
    batch = broadcast(matrix.shape[:-2], right.shape[:-2])
    matrix = spread(matrix, (*batch, *matrix.shape[-2:]))
    right = spread(right, (*batch, *right.shape[-2:]))
    if 1 in batch:  # a row of the solution is then at no place along an axis that has one
        kept = [k for k in range(len(right.shape)) if k >= len(batch) or batch[k] != 1]
        one, other = (_without(n, batch) for n in (matrix, right))
        found = solved(one, other, lower, unit)
        return take(found, [whole(Axis(k)) for k in kept], right.shape)
    if lower:
        return nodes.Solve(matrix, right, unit)
    rows, both = (len(batch),), (len(batch), len(batch) + 1)  # backwards it is a lower one
    return reversed_along(
        nodes.Solve(reversed_along(matrix, both), reversed_along(right, rows), unit), rows
    )


def _without(node: Node, batch: Shape) -> Node:
    """The array without those axes of its batch whose length is 1."""
    gone = [n == 1 for n in batch] + [False] * (len(node.shape) - len(batch))
    shape = tuple(n for n, is_gone in zip(node.shape, gone, strict=True) if not is_gone)
    axes = iter(places_of(shape))
    return take(node, [0 if is_gone else next(axes) for is_gone in gone], shape)


def reversed_along(node: Node, axes: Iterable[int]) -> Node:
    """The array with entries in reverse order along axes."""
    places = [
        node.shape[k] - 1 - place if k in tuple(axes) else place
        for k, place in enumerate(places_of(node.shape))
    ]
    return take(node, places, node.shape)


def diagonal(matrix: Node) -> Node:
    """The entries on the diagonal: (…, n, n) -> (…, n)."""
    axes = places_of(matrix.shape)[:-1]
    return take(matrix, (*axes, axes[-1]), matrix.shape[:-1])


def identity(length: WholeNumber) -> Node:
    """Ones on the diagonal of a square matrix, zeros elsewhere."""
    gap = whole(Axis(0)) - whole(Axis(1))
    return take(number(1), (), (length, length), [gap, -gap])


def reshaped(node: Node, shape: Sequence[WholeNumber]) -> Node:
    """The same entries in order in another shape; one length may be −1.

    Raises:
        IllFormed: if the number of entries is not seen to be the same.
    """
    lengths = list(shape)
    count = area(node.shape)
    if lengths.count(-1) == 1:
        k = lengths.index(-1)
        lengths[k] = _left(node.shape, [n for n in lengths if n != -1])
    if area(lengths) != count:
        raise IllFormed(f"a reshape of {shown(node.shape)} to {shown(lengths)}")
    if isinstance(node, nodes.Reshape):
        node = node.of
    return node if node.shape == tuple(lengths) else nodes.Reshape(node, tuple(lengths))


def _left(shape: Shape, known: Sequence[WholeNumber]) -> WholeNumber:
    """The length that −1 stands for: the product of what is left of a shape's lengths, or a quotient of numbers."""
    rest = list(shape)
    for n in known:
        if n in rest:
            rest.remove(n)
        elif n != 1:
            whole_part = _quotient(area(rest), n)
            if whole_part is None:
                raise IllFormed(f"which length −1 is in a reshape of {shown(shape)}")
            rest = [whole_part]
    return area(rest)


def _quotient(count: WholeNumber, by: WholeNumber) -> WholeNumber | None:
    if not isinstance(by, int) or by < 1:
        return None
    pieces = [(m, c) for m, c in (count.parts if isinstance(count, Whole) else (((), count),))]
    if any(c % by for _, c in pieces):
        return None
    return sum((Whole(((m, c // by),)) if m else c // by for m, c in pieces), start=0)


def area(shape: Iterable[WholeNumber]) -> WholeNumber:
    """How many entries an array of this shape has."""
    found: WholeNumber = 1
    for length in shape:
        found = found * length
    return found


def entry_of(node: Node) -> WholeNumber | None:
    """The whole number that an entry is, in the positions of the array's axes; None where it depends on inputs."""
    match node:
        case nodes.Parameter():
            return entry_of(node.of)
        case nodes.Number():
            return node.value if isinstance(node.value, int | Whole) else None
        case nodes.Positions():
            return whole(Axis(0))
        case Take() if not node.guards:
            found = entry_of(node.of)
            images = {Axis(k): place for k, place in enumerate(node.places)}
            return None if found is None else substituted(found, images)
        case nodes.Build():
            found, low = entry_of(node.entry), node.position.low
            images: dict[Any, Any] = {
                Axis(k): whole(Axis(k + 1)) for k in range(len(node.entry.shape))
            }
            images[node.position] = whole(Axis(0)) + low
            return None if found is None else substituted(found, images)
        case Map(function="add" | "subtract" | "multiply" | "negative"):
            every: list[WholeNumber] = []
            for a in node.arguments:  # the first that is none ends it: sums of sums have many parts
                one = _aligned(a, node.shape)
                if one is None:
                    return None
                every.append(one)
            return OF_ENTRIES[node.function](*every)
    return None


OF_ENTRIES: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "negative": lambda a: -a,
}


def entries_as(entry: WholeNumber, shape: nodes.Shape) -> Node:
    """The array whose entry at a place is a whole number in it."""
    found: Node = full(number(0), shape)
    for m, c in parts(entry):
        axes = [one.number for one in m if isinstance(one, Axis)]
        rest = tuple(one for one in m if not isinstance(one, Axis))
        term: Node = full(number(Whole(((rest, c),)) if rest else c), shape)
        for k in axes:
            here = take(nodes.Positions(shape[k]), [whole(Axis(k))], shape)
            term = here if constant(term) == 1 else entrywise("multiply", term, here)
        found = term if constant(found) == 0 else entrywise("add", found, term)
    return found


def _aligned(node: Node, shape: Shape) -> WholeNumber | None:
    found = entry_of(node)
    if found is None:
        return None
    lacking = len(shape) - len(node.shape)
    images = {Axis(k): 0 if n == 1 else whole(Axis(lacking + k)) for k, n in enumerate(node.shape)}
    return substituted(found, images)


def lies_within(place: WholeNumber, length: WholeNumber, shape: Shape = ()) -> bool:
    """Whether 0 ≤ place < length at all sizes and positions."""
    return nonnegative(place, shape) and nonnegative(length - 1 - place, shape)
