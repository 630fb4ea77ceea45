"""What readings that compute have in common: nodes are evaluated once for each turn of the binders that they stand in.

A `Reading` has one method for each kind of node. It works on any arrays with NumPy's operators and a namespace `xp`;
a kind of arrays overrides what it does in another way. Sizes and positions are whatever `sizes` gives, numbers here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.norms import absolute, norm, operator_norm
from scanproof.constructs.arrays.ranges import product

from ..statement import making, nodes
from ..statement.nodes import Node
from ..statement.whole import Axis, Position, Size, Symbol, Whole, at
from ..statement.whole import Number as WholeNumber


class Trajectory:
    """The states of a loop at all times, which are put into one array only where that is asked for."""

    def __init__(self, states: Sequence[Any], stack: Callable[[Sequence[Any]], Any]) -> None:
        self.states, self._stack = states, stack
        self._whole: Any = None

    @property
    def whole(self) -> Any:
        """All states along a first axis."""
        if self._whole is None:
            self._whole = self._stack(self.states)
        return self._whole


class Reading:
    """Nodes as arrays of one kind, at given sizes and inputs."""

    def __init__(
        self,
        xp: Any,
        sizes: Mapping[str, Any],
        inputs: Mapping[str, Any],
        parameters: Mapping[str, Callable[[Any], Any]] | None = None,
    ) -> None:
        """
        Args:
            xp: the namespace of the arrays.
            sizes: each size by name.
            inputs: each input by name.
            parameters: changes of parameters, by their paths.
        """
        self.xp, self.sizes, self.inputs = xp, sizes, inputs
        self.changes = parameters or {}
        self._values: list[dict[Any, Any]] = [{}]
        """For each binder that is entered, and for the outside, the values of what depends on it and on none inside."""
        self._bound: dict[Any, tuple[int, Any]] = {}
        """The depth of each position and placeholder that has a value, and the value."""

    def __call__(self, node: Node) -> Any:
        """The array that a node is."""
        return self.array(self.value(node))

    # How nodes are evaluated.

    def value(self, node: Node) -> Any:
        """A node's value as its method gives it: Python's number, an array, or a `Trajectory`."""
        pending = [node]
        while pending:
            one = pending[-1]
            known = self._values[self._depth(one)]
            if one in known:
                pending.pop()
                continue
            lacking = [a for a in one.operands if a not in self._values[self._depth(a)]]
            if lacking:
                pending += lacking
                continue
            known[one] = METHODS[type(one)](self, one)
            pending.pop()
        return self._values[self._depth(node)][node]

    def _depth(self, node: Node) -> int:
        return max([self._bound[one][0] for one in node.free], default=0)

    @contextmanager
    def bound(self, values: Mapping[Any, Any]) -> Iterator[None]:
        """Positions and placeholders have these values inside the block."""
        depth = len(self._values)
        before = {one: self._bound.get(one) for one in values}
        self._values.append({})
        self._bound.update((one, (depth, value)) for one, value in values.items())
        try:
            yield
        finally:
            self._values.pop()
            for one, known in before.items():
                if known is None:
                    del self._bound[one]
                else:
                    self._bound[one] = known

    def whole(self, number: WholeNumber) -> Any:
        """What a whole number comes to."""
        return at(number, self.symbol) if isinstance(number, Whole) else number

    def symbol(self, symbol: Symbol) -> Any:
        """What a size or position comes to."""
        return self.sizes[symbol.name] if isinstance(symbol, Size) else self._bound[symbol][1]

    def shape(self, shape: nodes.Shape) -> tuple[Any, ...]:
        """What the lengths of a shape come to."""
        return tuple(map(self.whole, shape))

    def positions(self, position: Position) -> range:
        """The values of a position."""
        return range(self.whole(position.low), self.whole(position.high))

    # What kinds of arrays differ in.

    def number(self, value: int | Fraction) -> Any:
        """An exact number as what meets arrays; it is not yet one of them."""
        return value

    def array(self, value: Any) -> Any:
        """A value as an array."""
        if isinstance(value, Trajectory):
            return value.whole
        return value if hasattr(value, "__array_namespace__") else self.xp.asarray(value)

    def mask(self, truths: np.ndarray) -> Any:
        """Ones and zeros."""
        return self.xp.asarray(truths.astype(int))

    def wholes(self, node: Node) -> np.ndarray:
        """The whole numbers that the entries are which depend on no input."""
        shape = self.shape(node.shape)
        grid = np.indices(shape, sparse=True)
        number = making.entry_of(node)
        if number is None:  # a door makes no such node
            raise TypeError("what is compared is not known to be whole numbers")
        found = at(number, lambda s: grid[s.number] if isinstance(s, Axis) else self.symbol(s))
        return np.broadcast_to(found, shape)

    # One method for each kind of node.

    def input(self, node: nodes.Input) -> Any:
        return self.inputs[node.name]

    def parameter(self, node: nodes.Parameter) -> Any:
        change = self.changes.get(node.path)
        return self.value(node.of) if change is None else change(self(node.of))

    def constant(self, node: nodes.Number) -> Any:
        value = node.value
        return self.number(self.whole(value) if isinstance(value, int | Whole) else value)

    def arange(self, node: nodes.Positions) -> Any:
        return self.xp.arange(self.whole(node.length))

    def placeholder(self, node: nodes.Placeholder) -> Any:
        return self._bound[node][1]

    def map(self, node: nodes.Map) -> Any:
        if node.function == "nonnegative":
            return self.mask(self.wholes(node.arguments[0]) >= 0)
        values = [_held(self.value(a)) for a in node.arguments]
        if all(isinstance(v, int | float | Fraction) for v in values):
            if node.function in OF_NUMBERS:
                return self.number(OF_NUMBERS[node.function](*values))
            values[0] = self.xp.asarray(values[0])
        return getattr(self, f"map_{node.function}")(*values)

    def map_add(self, a: Any, b: Any) -> Any:
        return a + b

    def map_subtract(self, a: Any, b: Any) -> Any:
        return a - b

    def map_multiply(self, a: Any, b: Any) -> Any:
        return a * b

    def map_divide(self, a: Any, b: Any) -> Any:
        return a / b

    def map_negative(self, a: Any) -> Any:
        return -a

    def map_power(self, a: Any, exponent: Any) -> Any:
        return a**exponent

    def map_exp(self, a: Any) -> Any:
        return self.xp_of(a).exp(a)

    def map_log(self, a: Any) -> Any:
        return self.xp_of(a).log(a)

    def map_sqrt(self, a: Any) -> Any:
        return self.xp_of(a).sqrt(a)

    def map_abs(self, a: Any) -> Any:
        return absolute(a)

    def xp_of(self, array: Any) -> Any:
        """The namespace of an array, which is another one inside of a gradient."""
        return array.__array_namespace__()

    def contract(self, node: nodes.Contract) -> Any:
        factors = [self(one) for one in node.factors]
        if len(factors) == 1:
            return self._total(factors[0], node)
        batch = len(node.result) - sum(min(len(names), 2) - 1 for names in node.axes)
        if len(factors) == 2 and batch >= 0 and (node.axes, node.result) == _matrices(node, batch):
            return factors[0] @ factors[1]
        names = [[_letter(k) for k in axes] for axes in (*node.axes, node.result)]
        *left, right = ("".join(letters) for letters in names)
        speaker = next((f for f in factors if type(f) is not type(factors[0])), factors[0])
        return self.xp_of(speaker).einsum(f"{','.join(left)}->{right}", *factors)

    def _total(self, array: Any, node: nodes.Contract) -> Any:
        (axes,) = node.axes
        if not node.result:
            return array.sum()
        for k in reversed(range(len(axes))):
            if axes[k] not in node.result:
                array = array.sum(axis=k)
        kept = [k for k in axes if k in node.result]
        return (
            array
            if kept == list(node.result)
            else array.transpose([kept.index(k) for k in node.result])
        )

    def norm(self, node: nodes.Norm) -> Any:
        return (norm if node.kind == "euclidean" else operator_norm)(self(node.of))

    def fold(self, node: nodes.Fold) -> Any:
        return product(self(node.of))

    def take(self, node: nodes.Take) -> Any:
        of, shape = self.value(node.of), self.shape(node.lengths)
        places = [self.affine(p) for p in node.places]
        if isinstance(of, Trajectory):
            if not places[0][1]:
                of, places = of.states[places[0][0]], places[1:]
            else:
                of = of.whole
        truths = None if not node.guards else self.guarded(node.guards, shape)
        return taken(self, self.array(of), places, shape, truths)

    def affine(self, place: WholeNumber) -> tuple[Any, dict[int, int]]:
        """A place as a number, and the coefficient of each axis's position."""
        start: Any = 0
        steps: dict[int, int] = {}
        for m, c in place.parts if isinstance(place, Whole) else (((), place),):
            axes = [s for s in m if isinstance(s, Axis)]
            others = Whole(((tuple(s for s in m if not isinstance(s, Axis)), c),))
            amount = self.whole(others) if len(axes) < len(m) else c
            if axes:
                steps[axes[0].number] = steps.get(axes[0].number, 0) + amount
            else:
                start = start + amount
        return start, {k: c for k, c in steps.items() if c}

    def guarded(self, guards: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Where all guards hold, over the positions of an array."""
        grid = np.indices(shape, sparse=True)
        found = np.ones(shape, dtype=bool)
        for guard in guards:
            start, steps = self.affine(guard)
            found &= np.asarray(start + sum(c * grid[k] for k, c in steps.items())) >= 0
        return found

    def reshape(self, node: nodes.Reshape) -> Any:
        array = self(node.of)
        return self.xp_of(array).reshape(array, self.shape(node.lengths))

    def join(self, node: nodes.Join) -> Any:
        parts = [self(part) for part in node.parts]
        return self.joined("concat", parts, node.axis)

    def joined(self, how: str, parts: Sequence[Any], axis: int = 0) -> Any:
        """`concat` or `stack` of arrays, some of which may be inside of a gradient."""
        speaker = max(parts, key=lambda part: getattr(part, "precedence", -1))
        return getattr(self.xp_of(speaker), how)(parts, axis=axis)

    def build(self, node: nodes.Build) -> Any:
        rows = []
        for value in self.positions(node.position):
            with self.bound({node.position: value}):
                rows.append(self(node.entry))
        return self.joined("stack", rows) if rows else self.xp.zeros(self.shape(node.shape))

    def loop(self, node: nodes.Loop) -> Any:
        known = self._values[self._depth(node)]
        if node.recursion not in known:
            known[node.recursion] = self._turns(node.recursion)
        return Trajectory(
            [states[node.number] for states in known[node.recursion]],
            lambda states: self.joined("stack", states),
        )

    def _turns(self, recursion: nodes.Recursion) -> list[list[Any]]:
        every = [[self(one) for one in recursion.start]]
        for time in self.positions(recursion.time):
            before = dict(zip(recursion.states, every[-1], strict=True))
            with self.bound({recursion.time: time, **before}):
                every.append([self(one) for one in recursion.steps])
        return every

    def gradient(self, node: nodes.Gradient) -> Any:
        def loss(point: Any) -> Any:
            with self.bound({node.point: point}):
                return self(node.loss)

        return gradient(loss, self(node.at))


METHODS: dict[type[Node], Callable[[Any, Any], Any]] = {
    nodes.Input: lambda r, n: r.input(n),
    nodes.Parameter: lambda r, n: r.parameter(n),
    nodes.Number: lambda r, n: r.constant(n),
    nodes.Positions: lambda r, n: r.arange(n),
    nodes.Map: lambda r, n: r.map(n),
    nodes.Contract: lambda r, n: r.contract(n),
    nodes.Norm: lambda r, n: r.norm(n),
    nodes.Fold: lambda r, n: r.fold(n),
    nodes.Take: lambda r, n: r.take(n),
    nodes.Reshape: lambda r, n: r.reshape(n),
    nodes.Join: lambda r, n: r.join(n),
    nodes.Build: lambda r, n: r.build(n),
    nodes.Placeholder: lambda r, n: r.placeholder(n),
    nodes.Loop: lambda r, n: r.loop(n),
    nodes.Gradient: lambda r, n: r.gradient(n),
}
"""The method for each kind of node."""

OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b if isinstance(a, float) else Fraction(a) / b,
    "negative": lambda a: -a,
    "power": lambda a, k: a**k,
}
"""What becomes of Python's own numbers, exactly."""


def _held(value: Any) -> Any:
    return value.whole if isinstance(value, Trajectory) else value


def _letter(k: int) -> str:
    return chr(ord("a") + k)


def _matrices(node: nodes.Contract, batch: int) -> Any:
    """The axes that a matrix product of operands with so many axes would have."""
    sides = []
    for names in node.axes:
        own = min(len(names), 2)
        lacking = batch - (len(names) - own)
        sides.append([*range(lacking, batch), *(None,) * own])
    return making.matrix_axes(sides[0], sides[1], batch)


def taken(
    reading: Reading,
    of: Any,
    places: Sequence[tuple[Any, Mapping[int, int]]],
    shape: tuple[int, ...],
    truths: np.ndarray | None,
) -> Any:
    """The entries of an array at places that are affine in the result's positions, times ones and zeros.

    By slices, transposes and new axes where every axis of the result is used once at most, and by arrays of indices
    elsewhere.
    """
    moves = [next(iter(steps.items()), None) for _, steps in places]
    used = [move[0] for move in moves if move is not None]
    plain = all(len(steps) < 2 for _, steps in places) and len(set(used)) == len(used)
    ends = zip(places, of.shape, strict=True)
    inside = all(0 <= end < length for place, length in ends for end in _ends(place, shape))
    if not (plain and inside) and 0 not in shape:
        return _gathered(reading, of, places, shape, truths)
    index: list[Any] = []
    for (start, _), move in zip(places, moves, strict=True):
        index.append(int(start) if move is None else _slice(start, move[1], shape[move[0]]))
    if index and not all(isinstance(k, slice) and k == slice(None) for k in index):
        of = of[tuple(index)]
    order = sorted(range(len(used)), key=lambda n: used[n])
    if order != list(range(len(used))):
        of = of.transpose(order)
    present = set(used)
    if len(present) < len(shape) and of.shape:
        of = of[tuple(slice(None) if k in present else None for k in range(len(shape)))]
    wide = any(k not in present and shape[k] != 1 for k in range(len(shape)))
    if truths is not None:
        return of * reading.mask(truths)
    if wide or (shape and not present):
        return of * reading.mask(np.ones(shape, dtype=bool))
    return of


def _ends(place: tuple[int, Mapping[int, int]], shape: tuple[int, ...]) -> tuple[int, int]:
    """The least and the greatest place; the start where there is none."""
    start, steps = place
    ways = [c * (shape[k] - 1) for k, c in steps.items() if shape[k]]
    return start + sum(min(0, way) for way in ways), start + sum(max(0, way) for way in ways)


def _slice(start: int, step: int, count: int) -> slice:
    stop = start + step * count
    if count == 0:
        return slice(0, 0)
    return slice(start, None if stop < 0 else stop, None if step == 1 else step)


def _gathered(
    reading: Reading,
    of: Any,
    places: Sequence[tuple[Any, Mapping[int, int]]],
    shape: tuple[int, ...],
    truths: np.ndarray | None,
) -> Any:
    grid = np.indices(shape, sparse=True)
    index = []
    for (start, steps), length in zip(places, of.shape, strict=True):
        place = np.asarray(start + sum(c * grid[k] for k, c in steps.items()))
        if truths is None and ((place < 0).any() or (place >= length).any()):
            raise IndexError(f"places {place.min()} to {place.max()} of an axis of length {length}")
        index.append(np.broadcast_to(np.clip(place, 0, length - 1), shape))
    found = of[tuple(index)]
    return found if truths is None else found * reading.mask(truths)
