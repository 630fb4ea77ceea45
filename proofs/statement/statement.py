"""A statement: sizes, inputs, hypotheses, and relations between nodes. It is what is proved, shown and hashed."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from . import making, nodes
from .binding import renamed
from .errors import IllFormed
from .nodes import Input, Node, Parameter
from .whole import Number as WholeNumber
from .whole import Position, Size, free, moved, substituted, whole

RELATIONS = {
    "equal": "left = right in every entry",
    "at_most": "left ≤ right in every entry; an array of shape () stands for all entries",
    "differs": "at every size there are inputs for which left ≠ right in some entry",
    "determines": "inputs that agree in `shared` and in the left side agree in the right side",
    "undetermined": "there are inputs that agree in `shared` and in the left side, and not in the right",
}
"""What each relation says."""
Label: TypeAlias = tuple[Any, ...]
"""A name in pieces: text and whole numbers."""


@dataclass(frozen=True)
class Relation:
    """What is said of two nodes, for all values of the positions in `each`, of which later ones may need earlier."""

    kind: str
    left: Node
    right: Node
    each: tuple[Position, ...] = ()
    shared: tuple[str, ...] = ()
    label: Label = ()


@dataclass(frozen=True)
class Hypothesis:
    """A side condition with its text: bounds, or none where it is a predicate that stays Python's."""

    text: str
    bounds: tuple[Relation, ...] = ()
    code: str = ""
    """The predicate's text in Python."""


@dataclass(frozen=True)
class Fit:
    """A condition on the sizes: that a program's whole number fits its type."""

    number: WholeNumber
    most: int
    """It is no larger than this."""
    place: str
    """The type, and the operation that makes it, in words."""


@dataclass(frozen=True)
class Statement:
    """A claim as data."""

    id: str
    sizes: tuple[Size, ...]
    inputs: tuple[Input, ...]
    relations: tuple[Relation, ...]
    hypotheses: tuple[Hypothesis, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    """The leaves of the construction's parameters, in their order; where they occur in the relations they are these."""
    at: tuple[tuple[str, int], ...] = ()
    """The numbers that stand for sizes, where the claim exists at numbers alone."""
    assumed: tuple[str, ...] = ()
    """What doors took for granted of programs, in words, such as what their literals mean."""
    owed: tuple[Relation, ...] = ()
    """What has to be proved besides for nodes to be what programs compute, of inputs of its own: laws of operators."""
    fits: tuple[Fit, ...] = ()
    """What has to hold of the sizes for programs' whole numbers to fit their type."""
    steps: tuple[tuple[nodes.Recursion, Callable[..., Any]], ...] = field(
        default=(), compare=False, repr=False
    )
    """The functions that loops repeat, whose names for states people know; no reading of a relation looks at them."""

    @property
    def nodes(self) -> list[Node]:
        """The sides of all relations, hypotheses first."""
        bounds = [one for h in self.hypotheses for one in h.bounds]
        every = (*bounds, *self.relations, *self.owed)
        return [side for one in every for side in (one.left, one.right)]


OUTERMOST = 1_000_000
"""Marks from here on are those of positions that relations are said of: no binder in a relation has so great a one."""


def relation(
    kind: str,
    left: Node,
    right: Node,
    shared: Sequence[str] = (),
    label: Label = (),
    loops: Sequence[Position] = (),
) -> Relation:
    """A relation for all values of the positions that are left free in it.

    Args:
        kind: one of `RELATIONS`.
        left: a side; a statistic where there is one.
        right: the other side, or the value.
        shared: the names of inputs that two choices have in common.
        label: its name.
        loops: positions, such that those with the same place in it are those of one loop of the claim's text.

    Raises:
        IllFormed: if the shapes of its sides do not fit, or something else than positions is free.
    """
    shapes = f"{making.shown(left.shape)} and {making.shown(right.shape)}"
    if kind in ("equal", "differs") and left.shape != right.shape:
        raise IllFormed(f"the two sides have shapes {shapes}; both sides of an equation have one")
    if kind == "at_most" and left.shape and right.shape and left.shape != right.shape:
        raise IllFormed(f"a bound between shapes {shapes}; both have one, or one is a number")
    spoken = left.free | right.free
    for piece in label:
        spoken |= frozenset() if isinstance(piece, str) else free(piece)
    if not all(isinstance(one, Position) for one in spoken):
        raise IllFormed("an array from inside a step or a loss is used outside of it")
    order = sorted(spoken, key=lambda one: -one.mark)  # as they were made: ranges speak of earlier
    places = [loops.index(one) if one in loops else k for k, one in enumerate(order)]
    each: list[Position] = []
    for k, place in enumerate(places):
        position = order[k]
        final = Position(OUTERMOST + place, position.low, position.high)
        images = {position: whole(final)}
        left, right = renamed(left, images), renamed(right, images)
        label = tuple(one if isinstance(one, str) else substituted(one, images) for one in label)
        order[k + 1 :] = [moved(one, images) for one in order[k + 1 :]]
        each.append(final)
    return Relation(kind, left, right, tuple(each), tuple(shared), tuple(label))


@dataclass(frozen=True)
class Turns:
    """What is said for each value of a position, in the order of a claim's text."""

    position: Position
    inside: list[Relation | Turns]


def in_turns(every: Sequence[Relation], depth: int = 0) -> list[Relation | Turns]:
    """Relations as the loops of a body yield them: neighbours of one loop together, turn by turn."""
    found: list[Relation | Turns] = []
    for position, group in itertools.groupby(every, key=lambda one: one.each[depth : depth + 1]):
        same = list(group)
        found += [Turns(position[0], in_turns(same, depth + 1))] if position else same
    return found


def every_node(every: Iterable[Node]) -> list[Node]:
    """Every node that these are computed from, each once, operands first."""
    done: dict[Node, None] = {}
    pending = [(node, False) for node in reversed(list(every))]
    while pending:
        node, ready = pending.pop()
        if node in done:
            continue
        if ready:
            done[node] = None
        else:
            pending.append((node, True))
            pending += [(one, False) for one in reversed([*node.operands, *inside(node)])]
    return list(done)


def inputs_of(every: Iterable[Relation]) -> list[Input]:
    """The inputs that relations speak of, in the order in which they are first needed."""
    sides = [side for one in every for side in (one.left, one.right)]
    return [one for one in every_node(sides) if isinstance(one, Input)]


def inside(node: Node) -> tuple[Node, ...]:
    """The nodes inside of a node's binder."""
    match node:
        case nodes.Build():
            return (node.entry,)
        case nodes.Loop():
            return node.recursion.steps
        case nodes.Gradient():
            return (node.loss,)
    return ()
