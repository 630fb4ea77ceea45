"""A statement modulo a prime, on whole arrays of NumPy's integers: equal rational functions are equal there.

Two different rational functions of degree d agree at a point that is drawn with a probability of at most d / prime, for
each prime, unless it divides all coefficients of their difference. Gradients are written out first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np

from ..exact.scalar import DivisionByZero, NotPolynomial
from ..statement import nodes
from ..statement.conditions import is_whole
from ..statement.statement import Statement
from .derivative import without_gradients
from .functions import hashed
from .reading import Reading
from .run import of

PRIMES = (2**31 - 1, 2**31 - 19)
"""Two primes below 2³¹: products of residues are NumPy's integers of 64 bits."""
HALF = 16
"""A residue is cut into its lower bits, so many, and the others, so that sums of 2¹⁶ products do not run over."""
POLYNOMIAL = ("add", "subtract", "multiply", "divide", "negative", "power")


class Residues(Reading):
    """Nodes without gradients as NumPy's integers modulo a prime."""

    def __init__(
        self, prime: int, sizes: Mapping[str, int], inputs: Mapping[str, np.ndarray]
    ) -> None:
        super().__init__(np, sizes, inputs)
        self.prime = prime

    def array(self, value: Any) -> Any:
        if type(value) is np.ndarray:
            return value
        return np.asarray(super().array(self._residue(value)))

    def mask(self, truths: np.ndarray) -> Any:
        return truths.astype(np.int64)

    def _residue(self, value: Any) -> Any:
        if not isinstance(value, int | Fraction):
            return value
        return value.numerator * pow(value.denominator, -1, self.prime) % self.prime

    def map(self, node: nodes.Map) -> Any:
        if node.function in POLYNOMIAL:
            exponent = node.arguments[-1]
            if node.function == "power" and not isinstance(exponent, nodes.Number):
                return self._powers(self(node.arguments[0]), self.wholes(exponent))
            return super().map(node)
        if node.function != "nonnegative":
            raise NotPolynomial(node.function)
        return super().map(node)

    def map_add(self, a: Any, b: Any) -> Any:
        return (self.array(a) + self.array(b)) % self.prime

    def map_subtract(self, a: Any, b: Any) -> Any:
        return (self.array(a) - self.array(b)) % self.prime

    def map_multiply(self, a: Any, b: Any) -> Any:
        return self.array(a) * self.array(b) % self.prime

    def map_negative(self, a: Any) -> Any:
        return -self.array(a) % self.prime

    def map_divide(self, a: Any, b: Any) -> Any:
        b = self.array(b)
        if not b.all():
            raise DivisionByZero("a residue is divided by 0")
        return self.array(a) * self._powers(b, np.asarray(self.prime - 2)) % self.prime

    def map_power(self, a: Any, exponent: Any) -> Any:
        return self._powers(self.array(a), np.asarray(exponent))

    def _powers(self, base: Any, exponents: np.ndarray) -> Any:
        """base ** exponents, by squares."""
        base, left = np.broadcast_arrays(base, exponents)
        found = np.ones(base.shape, dtype=np.int64)
        while left.any():
            found = np.where(left & 1, found * base % self.prime, found)
            base, left = base * base % self.prime, left >> 1
        return found

    def contract(self, node: nodes.Contract) -> Any:
        factors = [self(one) for one in node.factors]
        if len(factors) == 2:
            high, low = factors[0] >> HALF, factors[0] & ((1 << HALF) - 1)
            upper, lower = (_summed(node, [part, factors[1]]) for part in (high, low))
            return ((upper % self.prime << HALF) + lower) % self.prime
        names = sorted({name for axes in node.axes for name in axes})
        aligned = [_aligned(one, axes, names) for one, axes in zip(factors, node.axes, strict=True)]
        products = reduce(lambda a, b: a * b % self.prime, aligned)
        gone = tuple(k for k, name in enumerate(names) if name not in node.result)
        kept = [name for name in names if name in node.result]
        return products.sum(axis=gone).transpose([kept.index(n) for n in node.result]) % self.prime

    def any_function(self, node: nodes.Opaque) -> Callable[..., Any]:
        return hashed(node.name, self.prime, node.laws)

    def held(self, node: nodes.Held) -> Any:
        if node.format.says:
            raise NotPolynomial(f"the format {node.format.name}")
        return self(node.of)

    def lookup(self, node: nodes.Lookup) -> Any:
        if not is_whole(node.places):
            raise NotPolynomial("an entry at a place that is a symbol")
        of, places = self(node.of), self(node.places)
        length = len(of)
        inside = (places < length).reshape((*places.shape, *(1,) * (of.ndim - 1)))
        if not length:
            return np.zeros((*places.shape, *of.shape[1:]), dtype=np.int64)
        return np.where(inside, of[np.minimum(places, length - 1)], 0)

    def norm(self, node: nodes.Norm) -> Any:
        raise NotPolynomial("a norm")

    def fold(self, node: nodes.Fold) -> Any:
        return reduce(self.map_multiply, self(node.of), np.asarray(1))


def _summed(node: nodes.Contract, factors: list[np.ndarray]) -> np.ndarray:
    operands = [x for pair in zip(factors, map(list, node.axes), strict=True) for x in pair]
    return np.einsum(*operands, list(node.result))


def _aligned(one: np.ndarray, axes: tuple[int, ...], names: list[int]) -> np.ndarray:
    """An array with an axis for each name, of length 1 for those that it has not."""
    order = sorted(range(len(axes)), key=lambda k: axes[k])
    return one.transpose(order)[tuple(slice(None) if n in axes else None for n in names)]


def prepared(statement: Statement) -> Statement:
    """The statement with its gradients written out."""
    known: dict[Any, Any] = {}

    def written(one: Any) -> Any:
        left, right = (without_gradients(side, known) for side in (one.left, one.right))
        return replace(one, left=left, right=right)

    return replace(statement, relations=tuple(map(written, statement.relations)))


def identical(statement: Statement, sizes: Mapping[str, int], rng: random.Random) -> bool:
    """Whether both sides of every equation agree at residues that are drawn, modulo both primes.

    Args:
        statement: a `prepared` one.
        sizes: a number for each size.
        rng: draws the inputs.

    Raises:
        NotPolynomial: if something besides + − · / is needed.
        DivisionByZero: where there is no value.
    """
    length: Callable[[Any], int] = Reading(np, sizes, {}).whole
    for prime in PRIMES:
        draw = np.random.default_rng(rng.randrange(2**32))
        inputs = {
            one.name: one.format.drawn(draw, tuple(map(length, one.lengths)), prime)
            for one in statement.inputs
        }
        reading = Residues(prime, sizes, inputs)
        for relation, left, right in of(statement, reading):
            if relation.kind == "equal" and not np.array_equal(left, right):
                return False
    return True
