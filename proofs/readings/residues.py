"""A statement modulo a prime, on whole arrays of NumPy's integers: equal rational functions are equal there.

Two different rational functions of degree d agree at a point that is drawn with a probability of at most d / prime, for
each prime, unless it divides all coefficients of their difference. The statement is written once as a program, as
`program` does it, with every result reduced; sizes and primes are given when that is run.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

import flint
import numpy as np

from ..exact.field import AT_ONE_PLACE
from ..exact.meter import Meter, TooLong
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..statement import making, nodes
from ..statement.conditions import is_whole
from ..statement.nodes import Node
from ..statement.solving import by_rows
from ..statement.statement import Statement
from ..statement.table import Table
from ..statement.whole import Axis, Whole
from ..statement.whole import Number as WholeNumber
from .derivative import prepared
from .functions import hashed
from .metered import Metered
from .program import SIGNS, compiled, functions
from .reading import Reading
from .slices import Expression, number_text

PRIMES = range(2**30, 2**31)
"""Where primes are drawn from: products of residues are NumPy's integers of 64 bits."""
HALF = 16
"""A residue is cut into its lower bits, so many, and the others, so that sums of 2¹⁶ products do not run over."""
LOWER = (1 << HALF) - 1


class _Writer(Metered):
    """Writes nodes without gradients modulo `np.prime`, where `np` is a `_Modulus`."""

    @property
    def table(self) -> Table[Any]:
        return WRITERS

    def number(self, node: nodes.Number) -> Expression:
        value = node.value
        if isinstance(value, Fraction):
            return f"{value.numerator} % np.prime * np.inverse({value.denominator}) % np.prime", 2
        text, binds = self.whole(value)
        if _is_small(value):
            return text, binds
        return f"({text}) % np.prime", 2  # which is done in Python's numbers, of any length

    def map(self, node: nodes.Map) -> Expression:
        function, arguments = node.function, node.arguments
        if function in ("add", "subtract"):
            sign = SIGNS[function]
            return (
                f"({self.within(arguments[0], 1)}{sign}{self.within(arguments[1], 2)}) % np.prime",
                2,
            )
        if function == "negative":
            return f"-{self.within(arguments[0], 3)} % np.prime", 2
        if function == "multiply":
            return f"{self.within(arguments[0], 2)} * {self.within(arguments[1], 3)} % np.prime", 2
        if function == "divide":
            inverse = f"np.inverse({self.text(arguments[1])[0]})"
            return f"{self.within(arguments[0], 2)} * {inverse} % np.prime", 2
        if function == "power":
            return f"np.power({self.text(arguments[0])[0]}, {self.wholes(arguments[1])})", 9
        if function == "nonnegative":
            return f"np.where({self.wholes(arguments[0])} >= 0, 1, 0)", 9
        if function in AT_ONE_PLACE:
            return f'np.known("{function}", {self.text(arguments[0])[0]})', 9
        raise NotPolynomial(function)

    def wholes(self, node: Node) -> str:
        """Whole numbers that depend on no input, which are not reduced."""
        number = making.entry_of(node)
        if number is None:
            raise NotPolynomial("whole numbers that are no polynomial of positions")
        names = [self.name("k") for _ in node.shape]
        if names:
            commas = f"{', '.join(names)}{',' if len(names) == 1 else ''}"
            self.line(f"{commas} = np.indices({self.shape(node.shape)})")
        text, _ = number_text(
            number, lambda one: names[one.number] if isinstance(one, Axis) else self.symbol(one)
        )
        return f"np.broadcast_to({text}, {self.shape(node.shape)})" if names else text

    def contract(self, node: nodes.Contract) -> Expression:
        text, binds = super().contract(node)
        if text.startswith("np.sum("):
            return f"{text} % np.prime", 2
        if binds == 2:
            return f"np.matmul({', '.join(self.text(one)[0] for one in node.factors)})", 9
        return text, binds

    def lookup(self, node: nodes.Lookup) -> Expression:
        if not is_whole(node.places):
            raise NotPolynomial("an entry at a place that is a symbol")
        return f"np.lookup({self.text(node.of)[0]}, {self.text(node.places)[0]})", 9

    def solve(self, node: nodes.Solve) -> Expression:
        return self.text(by_rows(node))

    def held(self, node: nodes.Held) -> Expression:
        if node.format.says:
            raise NotPolynomial(f"the format {node.format.name}")
        return self.text(node.of)

    def fold(self, node: nodes.Fold) -> Expression:
        if node.operation == "maximum":
            raise NotPolynomial("a maximum")
        return super().fold(node)

    def norm(self, node: nodes.Norm) -> Expression:
        raise NotPolynomial("a norm")


WRITERS: Table[Any] = Table(
    "text modulo a prime",
    {
        nodes.Input: _Writer.input,
        nodes.Parameter: _Writer.parameter,
        nodes.Number: _Writer.number,
        nodes.Positions: _Writer.positions,
        nodes.Map: _Writer.map,
        nodes.Opaque: _Writer.opaque,
        nodes.Lookup: _Writer.lookup,
        nodes.Solve: _Writer.solve,
        nodes.Held: _Writer.held,
        nodes.Contract: _Writer.contract,
        nodes.Norm: _Writer.norm,
        nodes.Fold: _Writer.fold,
        nodes.Take: _Writer.take,
        nodes.Reshape: _Writer.reshape,
        nodes.Join: _Writer.join,
        nodes.Build: _Writer.build,
        nodes.Placeholder: _Writer.placeholder,
        nodes.Loop: _Writer.loop,
    },
)
"""How each kind of node is written; the others are refused."""


def _is_small(value: WholeNumber) -> bool:
    """Whether it is below a prime at all sizes that are tried, so that it need not be reduced."""
    parts = value.parts if isinstance(value, Whole) else (((), value),)
    return all(len(m) < 2 and abs(c) <= LOWER >> 2 * len(m) for m, c in parts)


class _Modulus:
    """What programs need of NumPy's namespace, modulo a prime: arrays are of integers of 64 bits."""

    arange = staticmethod(np.arange)
    indices = staticmethod(np.indices)
    clip = staticmethod(np.clip)
    broadcast_to = staticmethod(np.broadcast_to)
    stack = staticmethod(np.stack)
    concatenate = staticmethod(np.concatenate)
    pad = staticmethod(np.pad)
    sum = staticmethod(np.sum)

    def __init__(self, prime: int, meter: Meter | None) -> None:
        self.prime, self.meter = prime, meter

    def spend(self, operations: int) -> None:
        """Raises TooLong if they are more than there are left."""
        if self.meter is not None:
            self.meter.spend(operations)

    def array(self, value: Any) -> Any:
        return np.array(value, dtype=np.int64)

    def zeros(self, shape: Any) -> Any:
        return np.zeros(shape, dtype=np.int64)

    def ones(self, shape: Any) -> Any:
        return np.ones(shape, dtype=np.int64)

    def eye(self, size: int) -> Any:
        return np.eye(size, dtype=np.int64)

    def full(self, shape: Any, value: Any) -> Any:
        return np.full(shape, value, dtype=np.int64)

    def where(self, truths: Any, one: Any, other: float) -> Any:
        return np.where(truths, int(one) if isinstance(one, float) else one, int(other))

    def inverse(self, value: Any) -> Any:
        """1 / value.

        Raises:
            DivisionByZero: if an entry is 0.
        """
        value = np.asarray(np.asarray(value) % self.prime, np.int64)  # numbers may have any length
        if not value.all():
            raise DivisionByZero("a residue is divided by 0")
        return self.power(value, -1)

    def power(self, base: Any, exponent: Any) -> Any:
        """base ** exponent."""
        base, exponent = np.broadcast_arrays(base, exponent)
        pairs = zip(base.ravel().tolist(), exponent.ravel().tolist(), strict=True)
        powers = [pow(b, k, self.prime) for b, k in pairs]
        return np.array(powers, dtype=np.int64).reshape(base.shape)

    def known(self, function: str, value: Any) -> Any:
        """A function where it is known.

        Raises:
            NotPolynomial: if an entry is elsewhere.
        """
        place, there = AT_ONE_PLACE[function]
        if np.any((np.asarray(value) - place) % self.prime):
            raise NotPolynomial(function)
        return self.full(np.shape(value), there)

    def prod(self, array: Any, axis: int) -> Any:
        ones = self.ones(np.shape(array)[1:])
        return reduce(lambda a, b: a * b % self.prime, np.moveaxis(array, axis, 0), ones)

    def lookup(self, of: Any, places: Any) -> Any:
        """The entries at places; 0 where there is none."""
        of, places = np.asarray(of), np.asarray(places)
        length = len(of)
        if not length:
            return self.zeros((*places.shape, *of.shape[1:]))
        inside = (places < length).reshape((*places.shape, *(1,) * (of.ndim - 1)))
        return np.where(inside, of[np.minimum(places, length - 1)], 0)

    def matmul(self, a: Any, b: Any) -> Any:
        a, b = np.asarray(a), np.asarray(b)
        if a.shape[-1] > LOWER:
            raise TooLong
        return (((a >> HALF) @ b % self.prime << HALF) + (a & LOWER) @ b) % self.prime

    def einsum(self, subscripts: str, *factors: Any) -> Any:
        left, _, result = subscripts.partition("->")
        first, *others = left.split(",")
        factors = tuple(map(np.asarray, factors))
        lengths = {
            name: n
            for names, one in zip((first, *others), factors, strict=True)
            for name, n in zip(names, one.shape, strict=True)
        }
        if math.prod(n for name, n in lengths.items() if name not in result) > LOWER:
            raise TooLong
        array, *more = factors
        for k, (names, factor) in enumerate(zip(others, more, strict=True), start=1):
            if k == len(others):
                parts = [
                    np.einsum(f"{first},{names}->{result}", part, factor)
                    for part in (array >> HALF, array & LOWER)
                ]
                return ((parts[0] % self.prime << HALF) + parts[1]) % self.prime
            both = "".join(dict.fromkeys(first + names))
            array = np.einsum(f"{first},{names}->{both}", array, factor) % self.prime
            first = both
        return np.einsum(f"{first}->{result}", array) % self.prime


class Residues:
    """A statement's program modulo a prime, which is run at any sizes and inputs.

    Raises:
        NotPolynomial: if something besides + − · / and functions of which only laws are known is needed.
        IllFormed: for a gradient of what has no derivative.
    """

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        written = prepared(statement)
        self._functions = functions(written.relations)
        self._run = compiled(written, _Writer)

    def relations(
        self,
        prime: int,
        sizes: Mapping[str, int],
        inputs: Mapping[str, np.ndarray],
        meter: Meter | None = None,
    ) -> Iterator[tuple[str, Any, Any]]:
        """The kind and the sides of each relation, once for all values of the positions that it is said of.

        Raises:
            DivisionByZero: where there is no value.
            TooLong: if the meter has fewer operations left than it takes, or if a sum has over 2¹⁶ products.
        """
        own = {one.name: sizes[one.name] for one in self.statement.sizes}
        random_ones = {n: hashed(n, prime, one.laws) for n, one in self._functions.items()}
        self._run.__globals__["np"] = _Modulus(prime, meter)
        return self._run(**own, **inputs, **random_ones)

    def drawn(self, prime: int, sizes: Mapping[str, int], rng: random.Random) -> dict[str, Any]:
        """Inputs of which every entry is any residue that is of the input's format."""
        draw = np.random.default_rng(rng.randrange(2**32))
        length = Reading(np, sizes, {}).whole
        return {
            one.name: one.format.drawn(draw, tuple(map(length, one.lengths)), prime)
            for one in self.statement.inputs
        }


def drawn_prime(rng: random.Random) -> int:
    """A prime that nobody knows who writes a statement: it may have numbers that are 0 modulo a known one."""
    while True:
        found = rng.choice(PRIMES)
        if flint.fmpz(found).is_prime():
            return found


def identical(
    residues: Residues,
    sizes: Mapping[str, int],
    rng: random.Random,
    meter: Meter | None = None,
    primes: int = 2,
) -> bool:
    """Whether both sides of every equation agree at residues that are drawn, modulo primes that are.

    Args:
        residues: the statement.
        sizes: a number for each size.
        rng: draws the primes and the inputs.
        meter: counts the operations modulo one prime.
        primes: how many there are.

    Raises:
        DivisionByZero: where there is no value.
        TooLong: as `Residues.relations`.
    """
    for counting in (meter, *(None,) * (primes - 1)):
        prime = drawn_prime(rng)
        inputs = residues.drawn(prime, sizes, rng)
        for kind, left, right in residues.relations(prime, sizes, inputs, counting):
            if kind == "equal" and (np.subtract(left, right) % prime).any():
                return False
    return True
