"""Arrays whose operations round, each in a way of its own: the standard model of floating-point arithmetic.

fl(x ∘ y) = (x ∘ y)(1 + δ) + ε, where δ is what rounding does and ε what underflow does, any numbers that a claim
bounds by |δ| ≤ u and |ε| ≤ η. `rounded(step)` runs a layer's own definition so, with a δ and an ε for every entry of
every operation, in the order in which it does them: nothing is written down a second time.

A product of matrices adds up its terms one by one, from 0 on. Moving entries rounds nothing.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .array_api import Array, namespace
from .definition import definition
from .operators import Namespace as Functions
from .operators import Operators
from .scan import map_leaves, scan


class Rounding(NamedTuple):
    """What one operation rounds: two arrays of the result's shape.

    For a product of matrices their shape is (terms, 2, …): for each term first its product, then its addition.
    """

    relative: Array
    """δ."""
    absolute: Array
    """ε."""


@definition
def growth(u: Array, count: Any) -> Array:
    """(1 + u)^count, what as many roundings multiply a number by at most where |δ| ≤ u for each."""
    return (1 + u) ** count


class Rounded(Operators):
    """An array of any backend, and the roundings that are left for operations to come."""

    __slots__ = ("held", "left")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: Array, left: list[Rounding]) -> None:
        self.held, self.left = held, left

    def __array_namespace__(self, api_version: str | None = None) -> Namespace:
        return Namespace(self)

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of the array."""
        return self.held.shape

    def _moved(self, move: Callable[[Any], Any]) -> Rounded:
        return Rounded(move(self.held), self.left)

    def _permuted(self, order: Sequence[int]) -> Rounded:
        return self._moved(lambda held: namespace(held).permute_dims(held, tuple(order)))

    def _combined(
        self, operation: Callable[[Any, Any], Any], left: Rounded, right: Rounded
    ) -> Rounded:
        if operation is operator.matmul:
            return Rounded(_product(left.held, right.held, self._next("a product")), self.left)
        result = operation(left.held, right.held)
        one = self._next(operation.__name__)
        if tuple(one.relative.shape) != tuple(result.shape):
            raise TypeError(
                f"rounded(step) expects for the operation {operation.__name__} a rounding of its result's shape "
                f"{tuple(result.shape)}, got {tuple(one.relative.shape)}; give them in the order of the operations."
            )
        return Rounded(_fl(result, one), self.left)

    def _next(self, name: str) -> Rounding:
        if not self.left:
            raise TypeError(
                f"rounded(step) expects a Rounding for every operation of the step, and none is left for {name}; "
                "give one more."
            )
        return self.left.pop(0)


class Namespace(Functions):
    """Constructors for the arrays of one run, which share their roundings."""

    arrays = "arrays that round"

    def __init__(self, of: Rounded) -> None:
        self.library, self.of = namespace(of.held), of

    def asarray(self, value: Any) -> Rounded:
        """Numbers, or an array, without a rounding."""
        own = value.held if isinstance(value, Rounded) else self.library.asarray(value)
        return Rounded(own, self.of.left)

    def _joined(self, join: Callable[[list[Any]], Any], arrays: Sequence[Any]) -> Rounded:
        return Rounded(join([self.asarray(one).held for one in arrays]), self.of.left)

    def tril(self, array: Any, k: int = 0) -> Rounded:
        """The entries of a matrix at and below its diagonal number k, zeros above it."""
        return array._moved(lambda held: self.library.tril(held, k=k))


def rounded(step: Callable[..., Any]) -> Callable[..., Any]:
    """A step function that rounds: (parameters, state, (token, roundings)) -> (state, output).

    Args:
        step: a layer's definition, `(parameters, state, token) -> (state, output)`.

    Returns:
        The same with a tuple of `Rounding`s beside its token, one for each operation in the order of the step. It
        raises TypeError if there are too few or too many, or one is of another shape than its operation's result.
    """

    @functools.wraps(getattr(step, "__wrapped__", step))
    def run(parameters: Any, state: Any, given: tuple[Any, Sequence[Rounding]]) -> tuple[Any, Any]:
        token, roundings = given
        left = list(roundings)
        inside = [map_leaves(lambda leaf: Rounded(leaf, left), one) for one in (state, token)]
        found = step(parameters, *inside)
        if left:
            raise TypeError(
                f"rounded({step.__name__}) expects a Rounding for every operation of the step; "
                f"{len(left)} of {len(roundings)} are left over."
            )
        return map_leaves(lambda leaf: leaf.held, found)

    run.__wrapped__ = getattr(step, "__wrapped__", step)  # type: ignore[attr-defined]
    return run


def _fl(exact: Array, one: Rounding) -> Array:
    return exact * (1 + one.relative) + one.absolute


def _product(left: Array, right: Array, one: Rounding) -> Array:
    """left @ right, one term after the other: (m, n) or (n,) times (n, p) or (n,)."""
    first = left.T if left.ndim == 2 else left
    shape = (*first.shape[1:], *right.shape[1:])
    terms, expected = first.shape[0], (first.shape[0], 2, *shape)
    if tuple(one.relative.shape) != expected:
        raise TypeError(
            f"rounded(step) expects for a product of {terms} terms and the shape {shape} a rounding of the shape "
            f"{expected}, got {tuple(one.relative.shape)}; give them in the order of the operations."
        )
    start = namespace(left).zeros(shape)
    return scan(accumulate, None, start, (first, right, *one)).final_state


def accumulate(parameters: None, total: Array, term: tuple[Array, ...]) -> tuple[Array, None]:
    """fl(total + fl(a b)), with a b the outer product where both are vectors."""
    a, b, relative, absolute = term
    exact = a[:, None] * b[None, :] if a.ndim and b.ndim else a * b
    product = _fl(exact, Rounding(relative[0], absolute[0]))
    return _fl(total + product, Rounding(relative[1], absolute[1])), None
