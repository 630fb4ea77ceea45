"""The kinds of nodes. A node is an array, of a shape in sizes and positions; what each kind means is said here, once.

Equal nodes are one object. Division, logarithms and roots mean something where every operand's entry allows it, also
of entries that are never looked at. An empty sum is 0, an empty product 1; a loop without turns leaves its start.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, TypeAlias

from .formats import REAL, Format
from .interned import Interning
from .whole import Number as WholeNumber
from .whole import Position, Whole, free

Shape: TypeAlias = tuple[WholeNumber, ...]

NAMED = (
    *("sin", "cos", "asin", "acos", "atan", "tanh", "asinh", "acosh", "atanh", "erf"),
    *("floor", "ceil", "relu", "step", "zero", "softplus"),
)
"""Functions of real numbers by their usual names. `relu` of x is the greater of x and 0, `step` is 1 where x > 0 and
`zero` 1 where x = 0, and else 0; `softplus` is log(1 + exp(x))."""
EXACT: dict[str, Callable[[Any], Any]] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "relu": lambda value: max(value, 0),
    "step": lambda value: int(value > 0),
    "zero": lambda value: int(value == 0),
}
"""Those whose values at exact numbers are exact numbers."""
FUNCTIONS = {
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "power"), 2),
    **dict.fromkeys(("negative", "exp", "log", "sqrt", "abs", "nonnegative", *NAMED), 1),
}
"""What `Map` knows, with the number of operands. `power` has whole exponents ≥ 0; `nonnegative` is 1 where its operand,
whole numbers that sizes and positions determine, is ≥ 0, and 0 elsewhere."""


@dataclass(frozen=True, eq=False)
class Node(metaclass=Interning):
    """An array."""

    shape: Shape = field(init=False, repr=False)
    free: frozenset[Any] = field(init=False, repr=False)
    """The positions and placeholders that it depends on, of binders around it."""
    height: int = field(init=False, repr=False)
    """How many binders stand inside one another in it."""

    operands: tuple[Node, ...] = field(init=False, repr=False)
    """The nodes that it is computed from, without those inside of its binder."""

    outside: ClassVar[tuple[str, ...]] = ()
    """The fields with nodes that are evaluated where this node is."""

    def _outside(self) -> tuple[Node, ...]:
        found: list[Node] = []
        for name in self.outside:
            value = getattr(self, name)
            found += value if isinstance(value, tuple) else (value,)
        return tuple(found)

    def _derive(self, shape: Shape, inside: Iterator[Any] | tuple[Any, ...] = (), binds: int = 0):
        """Set what follows from the fields; `inside` are further nodes and numbers that it speaks of."""
        object.__setattr__(self, "operands", self._outside())
        every = [*self.operands, *inside]
        found = frozenset[Any]().union(*[one.free for one in every], *map(free, shape))
        heights = [one.height for one in every if isinstance(one, Node)]
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "free", found)
        object.__setattr__(self, "height", max(heights, default=0) + binds)

    def _unbind(self, bound: frozenset[Any]) -> None:
        object.__setattr__(self, "free", self.free - bound)


def _wholes(*numbers: Any) -> tuple[Whole, ...]:
    return tuple(n for n in numbers if isinstance(n, Whole))


@dataclass(frozen=True, eq=False)
class Input(Node):
    """An array of independent symbols, each a number of its format."""

    name: str
    lengths: Shape
    format: Format
    defaults: ClassVar[tuple[Any, ...]] = ("", (), REAL)

    def __post_init__(self) -> None:
        self._derive(self.lengths)


@dataclass(frozen=True, eq=False)
class Parameter(Node):
    """A leaf of a construction's parameters, which is `of`; no equal node takes its place, so it can be changed."""

    path: str
    of: Node
    outside = ("of",)

    def __post_init__(self) -> None:
        self._derive(self.of.shape)


@dataclass(frozen=True, eq=False)
class Number(Node):
    """An exact number, or a size or position as one; shape ()."""

    value: int | Fraction | Whole

    def __post_init__(self) -> None:
        self._derive((), _wholes(self.value))


@dataclass(frozen=True, eq=False)
class Positions(Node):
    """0, 1, …, length − 1."""

    length: WholeNumber

    def __post_init__(self) -> None:
        self._derive((self.length,))


@dataclass(frozen=True, eq=False)
class Map(Node):
    """A function entry by entry; axes of length 1, and those that lack in front, stand for any length."""

    function: str
    arguments: tuple[Node, ...]
    lengths: Shape
    outside = ("arguments",)

    def __post_init__(self) -> None:
        self._derive(self.lengths)


@dataclass(frozen=True, eq=False)
class Contract(Node):
    """The product of arrays, summed over the axes that the result has not: each axis has a number as its name."""

    factors: tuple[Node, ...]
    axes: tuple[tuple[int, ...], ...]
    result: tuple[int, ...]
    outside = ("factors",)

    def __post_init__(self) -> None:
        named = zip(self.axes, self.factors, strict=True)
        lengths = {k: n for names, one in named for k, n in zip(names, one.shape, strict=True)}
        self._derive(tuple(lengths[k] for k in self.result))


@dataclass(frozen=True, eq=False)
class Norm(Node):
    """The Euclidean norm along the last axis ("euclidean"), or the largest singular value of matrices ("operator")."""

    kind: str
    of: Node
    outside = ("of",)

    def __post_init__(self) -> None:
        self._derive(self.of.shape[: -1 if self.kind == "euclidean" else -2])


@dataclass(frozen=True, eq=False)
class Fold(Node):
    """The entries along the first axis, combined: "product", or "maximum", which a reading refuses of no entry."""

    operation: str
    of: Node
    outside = ("of",)

    def __post_init__(self) -> None:
        self._derive(self.of.shape[1:])


@dataclass(frozen=True, eq=False)
class Take(Node):
    """Entry (i, j, …) is that of `of` at `places`, which speak of i, j, … as `Axis`; 0 where a guard is below 0.

    Places lie within `of` wherever the guards hold. Transposes, slices, reversals, diagonals, triangles, broadcasts.
    """

    of: Node
    places: tuple[WholeNumber, ...]
    guards: frozenset[WholeNumber]
    lengths: Shape
    outside = ("of",)

    def __post_init__(self) -> None:
        self._derive(self.lengths, _wholes(*self.places, *self.guards))


@dataclass(frozen=True, eq=False)
class Lookup(Node):
    """Entries of `of` along its first axis at places that are data: Σ_j [places = j] of_j, 0 where that is no place."""

    of: Node
    places: Node
    outside = ("of", "places")

    def __post_init__(self) -> None:
        self._derive((*self.places.shape, *self.of.shape[1:]))


@dataclass(frozen=True, eq=False)
class Solve(Node):
    """X of L X = `right`, (…, n, n) and (…, n, m), where L is `matrix` on and below its diagonal and 0 above it.

    With `unit`, L has ones on its diagonal, whatever stands there; without, no entry of the diagonal is 0.
    """

    matrix: Node
    right: Node
    unit: bool
    outside = ("matrix", "right")

    def __post_init__(self) -> None:
        self._derive(self.right.shape, binds=1)  # as the loop over its rows (`solving`)


@dataclass(frozen=True, eq=False)
class Opaque(Node):
    """A function, entry by entry, of which only its name and laws are known: equal operands have equal results.

    Shapes are as those of `Map`.
    """

    name: str
    laws: frozenset[str]
    """Some of `LAWS`."""
    arguments: tuple[Node, ...]
    lengths: Shape
    outside = ("arguments",)

    def __post_init__(self) -> None:
        self._derive(self.lengths)


LAWS = {
    "odd": "f(−x) = −f(x)",
    "even": "f(−x) = f(x)",
    "vanishing": "f(0) = 0",
}
"""What may be known of an `Opaque` function, of its operands all at once."""


@dataclass(frozen=True, eq=False)
class Held(Node):
    """The same entries, held in a format: what does not fit it has no value."""

    of: Node
    format: Format
    outside = ("of",)

    def __post_init__(self) -> None:
        self._derive(self.of.shape)


@dataclass(frozen=True, eq=False)
class Reshape(Node):
    """The same entries in the same order, in another shape."""

    of: Node
    lengths: Shape
    outside = ("of",)

    def __post_init__(self) -> None:
        self._derive(self.lengths)


@dataclass(frozen=True, eq=False)
class Join(Node):
    """Arrays one after the other along an axis."""

    parts: tuple[Node, ...]
    axis: int
    outside = ("parts",)

    def __post_init__(self) -> None:
        first, k = self.parts[0].shape, self.axis
        total: Any = sum(part.shape[k] for part in self.parts)
        self._derive((*first[:k], total, *first[k + 1 :]))


@dataclass(frozen=True, eq=False)
class Build(Node):
    """The array whose entry at each value of a position is a node that speaks of the position."""

    position: Position
    entry: Node

    def __post_init__(self) -> None:
        position = self.position
        self._derive((position.length, *self.entry.shape), (self.entry,), binds=1)
        self._unbind(frozenset({position}))


@dataclass(frozen=True, eq=False)
class Placeholder(Node):
    """An array that a binder gives a value: a state before a turn, or where a gradient is taken."""

    mark: int
    number: int
    lengths: Shape

    def __post_init__(self) -> None:
        self._derive(self.lengths)
        object.__setattr__(self, "free", self.free | {self})


@dataclass(frozen=True, eq=False)
class Recursion(metaclass=Interning):
    """States that go through turns: `steps` are the states after a turn, in `states` before it and its `time`."""

    time: Position
    states: tuple[Placeholder, ...]
    start: tuple[Node, ...]
    steps: tuple[Node, ...]

    @property
    def turns(self) -> WholeNumber:
        """How many turns there are."""
        return self.time.length


@dataclass(frozen=True, eq=False)
class Loop(Node):
    """One state of a recursion at all times: at the start, after 1 turn, …, after all, along a first axis."""

    recursion: Recursion
    number: int

    def __post_init__(self) -> None:
        r = self.recursion
        self._derive((r.turns + 1, *r.start[self.number].shape), (*r.start, *r.steps), binds=1)
        self._unbind(frozenset({r.time, *r.states}))

    def _outside(self) -> tuple[Node, ...]:
        return self.recursion.start


@dataclass(frozen=True, eq=False)
class Gradient(Node):
    """The gradient of a number, `loss`, in a placeholder, at the array `at`; of the shape of `at`."""

    point: Placeholder
    loss: Node
    at: Node
    outside = ("at",)

    def __post_init__(self) -> None:
        self._derive(self.at.shape, (self.loss,), binds=1)
        self._unbind(frozenset({self.point}))


KINDS: tuple[type[Node], ...] = (
    *(Input, Parameter, Number, Positions, Map, Opaque, Contract, Norm, Fold, Take, Lookup),
    *(Solve, Held, Reshape, Join, Build, Placeholder, Loop, Gradient),
)
"""Every kind of node."""


def operands_first(node: Node, wanted: Callable[[Node], bool]) -> Iterator[Node]:
    """A node and what it is computed from outside of binders, each once and after its operands, where `wanted`.

    What is made without a loop of ours is deep: functions that call themselves for operands go through this first.
    """
    done: set[Node] = set()
    pending = [(node, False)]
    while pending:
        one, ready = pending.pop()
        if ready:
            yield one
        elif one not in done and wanted(one):
            done.add(one)
            pending.append((one, True))
            pending += [(operand, False) for operand in reversed(one.operands)]


def arguments(value: Any) -> list[Any]:
    """The values that a node or a recursion is made of, in the order of its fields."""
    return [getattr(value, name) for name in _names(type(value))]


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind) if f.init)
