"""Gradients written out as nodes, backwards: how a loss moves with each node that it is computed from.

The adjoint of a node is the gradient of the loss in it. Each kind of node says what its adjoint adds to those of its
operands. Through a `Build` adjoints are added up over its position; through a loop they go turn by turn, from the last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from ..statement import binding, making, nodes
from ..statement.errors import IllFormed
from ..statement.nodes import Node
from ..statement.order import nonnegative
from ..statement.rewriting import Rewriting
from ..statement.statement import Statement, every_node
from ..statement.table import Table
from ..statement.whole import Axis, Whole, substituted, whole

Adjoints = dict[Node, Node]


_known: MutableMapping[Node, Node] = WeakKeyDictionary()
"""Nodes with what they are without gradients, as long as the nodes live: several readings ask for it."""


def prepared(statement: Statement) -> Statement:
    """The statement with its gradients written out.

    Raises:
        IllFormed: for a function without a derivative.
    """
    writing = _Written(_known)
    return replace(
        statement,
        relations=tuple(
            replace(one, left=writing.of(one.left), right=writing.of(one.right))
            for one in statement.relations
        ),
    )


def without_gradients(node: Node) -> Node:
    """The node with every gradient in it written out.

    Raises:
        IllFormed: for a function without a derivative.
    """
    return _Written(_known).of(node)


def gradient(point: nodes.Placeholder, loss: Node, at: Node) -> Node:
    """The gradient of a loss without gradients in a new placeholder, at an array."""
    found = _pulled({loss: making.number(1)}, frozenset({point}), frozenset()).get(point)
    if found is None:
        return making.full(making.number(0), at.shape)
    return binding.replaced(found, {point: at})


class _Written(Rewriting):
    kind = nodes.Gradient

    def gradient(self, point: nodes.Placeholder, loss: Node, at: Node) -> Node:
        return gradient(point, loss, at)


def _pulled(seeds: Mapping[Node, Node], moving: frozenset[Any], own: frozenset[Any]) -> Adjoints:
    """The adjoints of placeholders that move, and of nodes from outside of a binder.

    Args:
        seeds: nodes with their adjoints.
        moving: the placeholders in which derivatives are taken, here and in the binders around.
        own: what the binder binds; empty outside of all. What depends on none of it is from outside.
    """
    adjoints: Adjoints = {}
    _add(adjoints, seeds.items())
    order = [one for one in every_node(seeds) if not one.free.isdisjoint(moving)]
    first = {n.recursion: n for n in reversed(order) if isinstance(n, nodes.Loop)}
    for node in reversed(order):
        outside = bool(own) and node.free.isdisjoint(own)
        if outside or isinstance(node, nodes.Placeholder):
            continue
        if isinstance(node, nodes.Loop):
            if first[node.recursion] is node:  # all that reads one of its states was before
                _add(adjoints, _through_turns(node.recursion, adjoints, moving))
        elif node in adjoints:
            _add(adjoints, _through(node, adjoints.pop(node), moving))
    return {
        node: one
        for node, one in adjoints.items()
        if not node.free.isdisjoint(moving)
        and (isinstance(node, nodes.Placeholder) or node.free.isdisjoint(own))
    }


def _add(adjoints: Adjoints, more: Iterable[tuple[Node, Node]]) -> None:
    for node, one in more:
        known = adjoints.get(node)
        adjoints[node] = one if known is None else making.entrywise("add", known, one)


def _through(node: Node, adjoint: Node, moving: frozenset[Any]) -> Iterable[tuple[Node, Node]]:
    """What a node's adjoint adds to those of the nodes that it is computed from."""
    if isinstance(node, nodes.Build):
        position, entry = binding.opened(node)
        seeds = {entry: making.row(adjoint, whole(position))}
        found = _pulled(seeds, moving, frozenset({position}))
        return [(one, making.total(binding.build(position, a), 0)) for one, a in found.items()]
    added = RULES[type(node)](node, adjoint, moving)
    return [(one, a) for one, a in added if not one.free.isdisjoint(moving)]


def _through_turns(
    r: nodes.Recursion, adjoints: Adjoints, moving: frozenset[Any]
) -> list[tuple[Node, Node]]:
    """The same of a loop: adjoints of its states go from the last turn to the first."""
    states = [nodes.Loop(r, k) for k in range(len(r.states))]
    given = [adjoints.pop(one, None) for one in states]
    if all(one is None for one in given):
        return []
    time, inner, steps = binding.opened_turns(r)
    after = binding.placeholders([one.shape for one in inner])
    seeds: Adjoints = {}
    _add(seeds, zip(steps, after, strict=True))
    found = _pulled(seeds, moving | set(inner), frozenset({time, *inner}))
    turns = r.turns

    def at(one: Node, turn: Any, more: Mapping[Node, Node]) -> Node:
        before = {s: making.row(loop, turn) for s, loop in zip(inner, states, strict=True)}
        return binding.replaced(one, {time: turn, **before, **more})

    def read(k: int, place: Any) -> Node:
        one = given[k]
        return _zeros(inner[k]) if one is None else making.row(one, place)

    back = binding.fresh(0, turns)
    turn = turns - 1 - whole(back)
    through = [_zeros(s) if s not in found else at(found[s], turn, {}) for s in inner]
    backwards = binding.recursion(
        back,
        after,
        [read(k, turns) for k in range(len(inner))],
        [making.entrywise("add", read(k, turn), one) for k, one in enumerate(through)],
    )
    loops = [nodes.Loop(backwards, k) for k in range(len(inner))]
    result = [(one, making.row(loop, turns)) for one, loop in zip(r.start, loops, strict=True)]
    place = binding.fresh(0, turns)
    later: Adjoints = {
        a: making.row(loop, turns - 1 - whole(place)) for a, loop in zip(after, loops, strict=True)
    }
    for one, a in found.items():
        if one not in inner:
            every = binding.build(place, at(a, whole(place), later))
            result.append((one, making.total(every, 0)))
    return [(one, a) for one, a in result if not one.free.isdisjoint(moving)]


def _zeros(like: Node) -> Node:
    return making.full(making.number(0), like.shape)


Sums = Iterable[tuple[Node, Node]]


def _of_map(node: nodes.Map, adjoint: Node, moving: frozenset[Any]) -> Sums:
    rule = SLOPES.get(node.function)
    if rule is None:
        raise IllFormed(f"{node.function} has no derivative here")
    for k, one in enumerate(node.arguments):
        if not one.free.isdisjoint(moving):
            yield one, _summed_to(one, rule(k, adjoint, node))


def _summed_to(one: Node, adjoint: Node) -> Node:
    """An adjoint in the shape of an operand that was repeated along axes."""
    adjoint = making.spread(adjoint, making.broadcast(adjoint.shape, one.shape))
    lacking = len(adjoint.shape) - len(one.shape)
    for k in reversed(range(len(adjoint.shape))):
        if k < lacking:
            adjoint = making.total(adjoint, k)
        elif one.shape[k - lacking] == 1 and adjoint.shape[k] != 1:
            adjoint = making.expanded(making.total(adjoint, k), k)
    return adjoint


def _of_contract(node: nodes.Contract, adjoint: Node, moving: frozenset[Any]) -> Sums:
    for k, one in enumerate(node.factors):
        if one.free.isdisjoint(moving):
            continue
        others = [j for j in range(len(node.factors)) if j != k]
        axes = [node.result, *(node.axes[j] for j in others)]
        kept = tuple(name for name in node.axes[k] if any(name in names for names in axes))
        factors = [adjoint, *(node.factors[j] for j in others)]
        found = making.contracted(factors, axes, kept)
        places = [whole(Axis(node.axes[k].index(name))) for name in kept]
        yield one, making.take(found, places, one.shape)


def _of_norm(node: nodes.Norm, adjoint: Node, moving: frozenset[Any]) -> Sums:
    if node.kind != "euclidean":
        raise IllFormed("the operator norm has no derivative here")
    scaled = _map("divide", adjoint, node)
    yield node.of, _map("multiply", making.expanded(scaled, len(scaled.shape)), node.of)


def _of_fold(node: nodes.Fold, adjoint: Node, moving: frozenset[Any]) -> Sums:
    if node.operation == "maximum":
        raise IllFormed("a maximum has no derivative where two entries are the greatest")
    place = binding.fresh(0, node.of.shape[0])
    gap = whole(Axis(0)) - whole(place)
    here = making.take(making.number(1), (), node.of.shape, [gap, -gap])
    left = _map("multiply", node.of, _map("subtract", making.number(1), here))
    rest = nodes.Fold(node.operation, _map("add", left, here))
    yield node.of, _map("multiply", adjoint, binding.build(place, rest))


def _of_take(node: nodes.Take, adjoint: Node, moving: frozenset[Any]) -> Sums:
    """The sum of the adjoint's entries that are taken from a place."""
    axes = making.places_of(adjoint.shape)
    adjoint = making.take(adjoint, axes, adjoint.shape, node.guards)
    shape = node.of.shape
    where: dict[int, Any] = {}  # an axis of the adjoint, in the positions of the array
    guards: list[Any] = []
    for k, place in enumerate(node.places):
        used = [a for a in _axes(place) if a not in where]
        step = place - whole(Axis(used[0])) if len(used) == 1 else None
        turned = place + whole(Axis(used[0])) if len(used) == 1 else None
        if step is not None and used[0] not in _axes(step):
            where[used[0]] = whole(Axis(k + OWN)) - step
        elif turned is not None and used[0] not in _axes(turned):
            where[used[0]] = turned - whole(Axis(k + OWN))
        elif used:
            yield node.of, _scattered(node, adjoint)
            return
        else:
            guards.append(place - whole(Axis(k + OWN)))
    images = {Axis(a): place for a, place in where.items()}
    while any(_axes(p) for p in where.values()):  # a place that speaks of another axis
        where = {a: substituted(p, images) for a, p in where.items()}
    images = {Axis(a): place for a, place in where.items()}
    own = {Axis(k + OWN): whole(Axis(k)) for k in range(len(shape))}

    def named(number: Any) -> Any:
        return substituted(substituted(number, images), own)

    for a in reversed(range(len(adjoint.shape))):
        if a not in where:
            adjoint = making.total(adjoint, a)
    rows = [one for gap in guards for one in (named(gap), named(-gap))]
    for a in where:
        place = named(whole(Axis(a)))
        rows += [place, node.lengths[a] - 1 - place]
    rows = [one for one in rows if not nonnegative(one, shape)]
    places = [named(whole(Axis(a))) for a in sorted(where)]
    yield node.of, making.take(adjoint, places, shape, rows)


OWN = 1_000
"""From here on an `Axis` is one of the array that was taken from, while places of both arrays are compared."""


def _axes(place: Any) -> list[int]:
    found = place.symbols if isinstance(place, Whole) else []
    return [s.number for s in found if isinstance(s, Axis) and s.number < OWN]


def _scattered(node: nodes.Take, adjoint: Node) -> Node:
    """The same for places of any kind, by ones where a place is taken from."""
    count = len(adjoint.shape)
    gaps = [place - whole(Axis(count + k)) for k, place in enumerate(node.places)]
    rows = [one for gap in gaps for one in (gap, -gap)]
    ones = making.take(making.number(1), (), (*adjoint.shape, *node.of.shape), rows)
    names = tuple(range(count + len(node.of.shape)))
    return making.contracted([adjoint, ones], [names[:count], names], names[count:])


def _of_lookup(node: nodes.Lookup, adjoint: Node, moving: frozenset[Any]) -> Sums:
    if not node.places.free.isdisjoint(moving):
        raise IllFormed("the place at which an entry is looked up has no derivative")
    length, count = node.of.shape[0], len(node.places.shape)
    ones = making.lookup(making.identity(length), node.places)
    names = tuple(range(count + len(node.of.shape)))
    axes = [names[: count + 1], (*names[:count], *names[count + 1 :])]
    yield node.of, making.contracted([ones, adjoint], axes, names[count:])


def _of_solve(node: nodes.Solve, adjoint: Node, moving: frozenset[Any]) -> Sums:
    """B gets G, the solution of Lᵀ G = adjoint, and L gets −G Xᵀ where it is not 0."""
    *batch, i, column = range(len(node.shape))
    turned = making.permuted(node.matrix, (*batch, column, i))
    back = making.solved(turned, adjoint, lower=False, unit=node.unit)
    yield node.right, back
    j = column + 1
    found = making.contracted(
        [back, node], [(*batch, i, column), (*batch, j, column)], (*batch, i, j)
    )
    below = whole(Axis(i)) - whole(Axis(column)) - (1 if node.unit else 0)
    lower = making.take(found, making.places_of(found.shape), found.shape, [below])
    yield node.matrix, _map("negative", lower)


def _of_held(node: nodes.Held, adjoint: Node, moving: frozenset[Any]) -> Sums:
    if node.format.says:
        raise IllFormed(f"an array of the format {node.format.name} has no derivative")
    yield node.of, adjoint


def _of_join(node: nodes.Join, adjoint: Node, moving: frozenset[Any]) -> Sums:
    start: Any = 0
    for part in node.parts:
        places = list(making.places_of(part.shape))
        places[node.axis] = places[node.axis] + start
        yield part, making.take(adjoint, places, part.shape)
        start = start + part.shape[node.axis]


RULES: Table[Callable[[Any, Node, frozenset[Any]], Sums]] = Table(
    "derivative",
    {
        nodes.Parameter: lambda node, adjoint, moving: [(node.of, adjoint)],
        nodes.Map: _of_map,
        nodes.Contract: _of_contract,
        nodes.Norm: _of_norm,
        nodes.Fold: _of_fold,
        nodes.Take: _of_take,
        nodes.Lookup: _of_lookup,
        nodes.Solve: _of_solve,
        nodes.Held: _of_held,
        nodes.Reshape: lambda node, adjoint, moving: [
            (node.of, making.reshaped(adjoint, node.of.shape))
        ],
        nodes.Join: _of_join,
    },
)
"""For each kind of node what its adjoint adds to those of its operands; `Build` and `Loop` have functions above."""

_map = making.entrywise


def _of_quotient(k: int, adjoint: Node, node: nodes.Map) -> Node:
    found = _map("divide", adjoint, node.arguments[1])
    return _map("negative", _map("multiply", found, node)) if k else found


def _of_power(k: int, adjoint: Node, node: nodes.Map) -> Node:
    base, exponent = node.arguments
    if not k and making.constant(exponent) == 0:
        return _zeros(node)
    times = making.entry_of(exponent)
    if k or times is None or not nonnegative(times - 1, exponent.shape):
        raise IllFormed("a power whose exponent may be 0 has no derivative here")
    if isinstance(exponent, nodes.Number):
        lower: Node = making.number(times - 1)
    else:
        lower = _map("subtract", exponent, making.number(1))
    smaller = base if lower is making.number(1) else _map("power", base, lower)
    return _map("multiply", adjoint, _map("multiply", exponent, smaller))


_ONE = making.number(1)


def _squared(node: Node) -> Node:
    return _map("multiply", node, node)


def _of_product(k: int, adjoint: Node, node: nodes.Map) -> Node:
    one, other = node.arguments
    return _map("multiply", adjoint, one if k else other)


SLOPES: dict[str, Callable[[int, Node, nodes.Map], Node]] = {
    "add": lambda k, adjoint, node: adjoint,
    "subtract": lambda k, adjoint, node: _map("negative", adjoint) if k else adjoint,
    "negative": lambda k, adjoint, node: _map("negative", adjoint),
    "multiply": _of_product,
    "divide": _of_quotient,
    "power": _of_power,
    "exp": lambda k, adjoint, node: _map("multiply", adjoint, node),
    "log": lambda k, adjoint, node: _map("divide", adjoint, node.arguments[0]),
    "sin": lambda k, adjoint, node: _map("multiply", adjoint, _map("cos", node.arguments[0])),
    "cos": lambda k, adjoint, node: _map(
        "negative", _map("multiply", adjoint, _map("sin", node.arguments[0]))
    ),
    "tanh": lambda k, adjoint, node: _map(
        "multiply", adjoint, _map("subtract", _ONE, _squared(node))
    ),
    "atan": lambda k, adjoint, node: _map(
        "divide", adjoint, _map("add", _ONE, _squared(node.arguments[0]))
    ),
    "atanh": lambda k, adjoint, node: _map(
        "divide", adjoint, _map("subtract", _ONE, _squared(node.arguments[0]))
    ),
    "softplus": lambda k, adjoint, node: _map(
        "divide", adjoint, _map("add", _ONE, _map("exp", _map("negative", node.arguments[0])))
    ),
    "sqrt": lambda k, adjoint, node: _map(
        "divide", adjoint, _map("multiply", making.number(2), node)
    ),
}
"""The adjoint times the slope of a function of entries in its argument number k."""
