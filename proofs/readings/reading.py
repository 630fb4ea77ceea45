"""What readings that compute have in common: nodes are evaluated once for each turn of the binders that they stand in.

A `Reading` has one method for each kind of node. It works on any arrays with NumPy's operators and a namespace `xp`;
a kind of arrays overrides what it does in another way. Sizes and positions are whatever `sizes` gives, numbers here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.norms import absolute, norm, operator_norm
from scanproof.constructs.arrays.ranges import product

from ..exact.scalar import NotPolynomial
from ..statement import making, nodes
from ..statement.errors import IllFormed
from ..statement.nodes import NAMED, Node
from ..statement.solving import by_rows
from ..statement.statement import every_node
from ..statement.table import Table
from ..statement.whole import Axis, Position, Size, Symbol, Whole, at
from ..statement.whole import Number as WholeNumber
from .derivative import without_gradients
from .taking import affine, taken


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
        self._methods = Table(
            METHODS.reading, {k: getattr(self, name) for k, name in METHODS.items()}
        )
        self._bound: dict[Any, tuple[int, Any]] = {}
        """The depth of each position and placeholder that has a value, and the value."""

    def __call__(self, node: Node) -> Any:
        """The array that a node is."""
        return self.array(self.value(node))

    # How nodes are evaluated.

    def value(self, node: Node) -> Any:
        """A node's value as its method gives it: Python's number, an array, or a `Trajectory`."""
        known = self._known(node)
        if node in known:
            return known[node]
        if all(a in self._known(a) for a in node.operands):
            found = known[node] = self._methods[type(node)](node)
            return found
        pending = [node]  # not by calls of one another: what is recorded at numbers is deep
        while pending:
            one = pending[-1]
            lacking = [a for a in one.operands if a not in self._known(a)]
            if lacking:
                pending += lacking
                continue
            pending.pop()
            if one not in self._known(one):
                self._known(one)[one] = self._methods[type(one)](one)
        return known[node]

    def _known(self, node: Node) -> dict[Any, Any]:
        """The values of what depends on the same binders as a node."""
        if not node.free:
            return self._values[0]
        depth = 0
        for one in node.free:
            depth = max(depth, self._bound[one][0])
        return self._values[depth]

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
        if type(value) is np.ndarray:
            return value
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
        if number is None:
            raise NotPolynomial("whole numbers that are no polynomial of positions")
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
            values[0] = self.array(values[0])
        if node.function in NAMED:
            return self.named(node.function, self.array(values[0]))
        return getattr(self, f"map_{node.function}")(*values)

    def named(self, function: str, array: Any) -> Any:
        """One of `nodes.NAMED` of every entry."""
        raise IllFormed(f"{function} is not known to a {type(array).__name__}")

    def opaque(self, node: nodes.Opaque) -> Any:
        return self.any_function(node)(*map(self, node.arguments))

    def any_function(self, node: nodes.Opaque) -> Callable[..., Any]:
        """What stands for a function of which only its name and laws are known."""
        raise NotPolynomial(f"{node.name}, of which only laws are known")

    def held(self, node: nodes.Held) -> Any:
        array = self(node.of)
        if not node.format.says:
            return array
        raise IllFormed(f"the format {node.format.name} is not known to a {type(array).__name__}")

    def lookup(self, node: nodes.Lookup) -> Any:
        of, ones = self(node.of), self.at_places(node)
        places, rest = len(node.places.shape), len(node.of.shape) - 1
        letters = [_letter(k) for k in range(places + 1 + rest)]
        left, right = "".join(letters[: places + 1]), "".join(letters[places:])
        found = left[:-1] + right[1:]
        return self.xp_of(of).einsum(f"{left},{right}->{found}", ones, of)

    def at_places(self, node: nodes.Lookup) -> Any:
        """1 at the place that is looked up, along a new last axis, and 0 elsewhere."""
        raise IllFormed("entries are looked up at places that are not known to be numbers")

    def solve(self, node: nodes.Solve) -> Any:
        return self(by_rows(node))

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
        if is_matrix_product(node):
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
        array = self(node.of)
        if node.operation == "maximum":
            return self.greatest(array)
        return product(array) if array.shape[0] else self.xp.ones(self.shape(node.shape))

    def greatest(self, array: Any) -> Any:
        """The greatest entries along the first axis."""
        raise IllFormed(f"maxima are not known to a {type(array).__name__}")

    def take(self, node: nodes.Take) -> Any:
        shape = self.shape(node.lengths)
        of, places = self.taken_from(node)
        truths = None if not node.guards else self.guarded(node.guards, shape)
        return taken(self.mask, of, places, shape, truths)

    def taken_from(self, node: nodes.Take) -> tuple[Any, list[tuple[Any, dict[int, Any]]]]:
        """The array, and the places in it: of a loop's states, one state where the same is taken everywhere."""
        of, places = self.value(node.of), [self.affine(p) for p in node.places]
        if isinstance(of, Trajectory):
            if not places[0][1]:
                of, places = of.states[places[0][0]], places[1:]
            else:
                of = of.whole
        return self.array(of), places

    def affine(self, place: WholeNumber) -> tuple[Any, dict[int, Any]]:
        """A place as a number, and the coefficient of each axis's position."""
        start, steps = affine(place)
        return self.whole(start), {k: self.whole(c) for k, c in steps.items()}

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
        known = self._known(node)
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
        if any(map(_has_no_dual, every_node([node.loss]))):
            return self(without_gradients(node))

        def loss(point: Any) -> Any:
            with self.bound({node.point: point}):
                return self(node.loss)

        return gradient(loss, self(node.at))


METHODS: Table[str] = Table(
    "method in readings of arrays",
    {
        nodes.Input: "input",
        nodes.Parameter: "parameter",
        nodes.Number: "constant",
        nodes.Positions: "arange",
        nodes.Map: "map",
        nodes.Opaque: "opaque",
        nodes.Contract: "contract",
        nodes.Norm: "norm",
        nodes.Fold: "fold",
        nodes.Take: "take",
        nodes.Lookup: "lookup",
        nodes.Solve: "solve",
        nodes.Held: "held",
        nodes.Reshape: "reshape",
        nodes.Join: "join",
        nodes.Build: "build",
        nodes.Placeholder: "placeholder",
        nodes.Loop: "loop",
        nodes.Gradient: "gradient",
    },
)
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


def _has_no_dual(node: Node) -> bool:
    """Whether dual numbers do not know a node, so that gradients through it are written out."""
    kinds = nodes.Opaque, nodes.Lookup, nodes.Held
    return isinstance(node, kinds) or (isinstance(node, nodes.Map) and node.function in NAMED)


def _held(value: Any) -> Any:
    return value.whole if isinstance(value, Trajectory) else value


def _letter(k: int) -> str:
    return chr(ord("a") + k)


@lru_cache(maxsize=50_000)
def is_matrix_product(node: nodes.Contract) -> bool:
    """Whether the axes are those of a matrix product of two arrays of such ranks."""
    batch = len(node.result) - sum(min(len(names), 2) - 1 for names in node.axes)
    if len(node.factors) != 2 or batch < 0:
        return False
    sides = []
    for names in node.axes:
        own = min(len(names), 2)
        sides.append([*range(batch - len(names) + own, batch), *(None,) * own])
    return (node.axes, node.result) == making.matrix_axes(sides[0], sides[1], batch)
