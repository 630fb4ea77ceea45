"""Near misses: which small change of a refuted claim makes it true, found by trying them all."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..exact.array import ExactArray
from ..exact.scalar import NotPolynomial
from ..language.claim import Claim
from ..language.errors import UsageError
from ..language.sizes import Sizes
from ..language.statements import Equal, Statement
from .engines import FLINT, SYMPY, Engine, holds
from .mutation import Change, on_leaf, on_right_side, paths
from .points import candidates, difference_index, statements_at

LIMIT = 4
PROBED_SIZES = 8
PROBES = 3
FACTORS = {
    "1": 1,
    "−1": -1,
    "2": 2,
    "½": Fraction(1, 2),
    "−2": -2,
    "−½": Fraction(-1, 2),
}


def near_misses(claim: Claim) -> list[str]:
    """The changes (sign, ½, 2, 1/N, N, transpose, a reading's other values) that make every statement an identity.

    Each is screened at a few points and then decided at every size by the exact engine.
    """
    found: list[str] = []
    probes = _Probes(claim)
    for name, changed, make in _changes(claim):
        if len(found) == LIMIT:
            break
        if probes.survives(changed, make) and _is_identity(changed, make):
            found.append(name)
    return found


Finish = Callable[[Statement], Statement]
Make = Callable[[Sizes], tuple[Callable[[Any], Any] | None, Finish]]
Candidate = tuple[str, Claim, Make]


def _unchanged(statement: Statement) -> Statement:
    return statement


def _changes(claim: Claim) -> Iterator[Candidate]:
    for name, change in _scalings(claim):
        yield (
            f"right side {name}",
            claim,
            lambda sizes, c=change: (None, on_right_side(_at(c, sizes))),
        )
    for option, value in claim.options.items():
        for other in _other_readings(value):
            changed = replace(claim, options={**claim.options, option: other})
            yield (
                f"{option} = {other} instead of {value}",
                changed,
                lambda sizes: (None, _unchanged),
            )
    if claim.parameters is not None:
        for position, path in enumerate(_paths(claim)):
            for name, change in _scalings(claim, by_size=(1,)):
                yield (
                    f"{path} {name}",
                    claim,
                    lambda sizes, p=position, c=change: (on_leaf(p, _at(c, sizes)), _unchanged),
                )


SizedChange = Callable[[ExactArray, Sizes], ExactArray]


def _at(change: SizedChange, sizes: Sizes) -> Change:
    return lambda array: change(array, sizes)


def _scalings(
    claim: Claim, by_size: Container[Any] = tuple(FACTORS.values())
) -> Iterator[tuple[str, SizedChange]]:
    """Sign, scale and transpose of one array, and scales by a size, alone or with the factors `by_size`."""
    for text, factor in FACTORS.items():
        if factor != 1:
            yield f"× {text}", lambda a, _, k=factor: a * k
    yield "transposed", lambda a, _: transposed(a)
    yield "transposed, × −1", lambda a, _: -transposed(a)
    for size in claim.ranges:
        for text, factor in FACTORS.items():
            if factor not in by_size:
                continue
            sign = text if text in ("1", "−1") else f"{text}·"
            yield (
                f"× {sign.replace('−1', '−').replace('1', '')}{size}",
                (lambda a, sizes, k=factor, n=size: a * (k * sizes[n])),
            )
            yield f"× {text}/{size}", lambda a, sizes, k=factor, n=size: a * k / sizes[n]


def transposed(array: ExactArray) -> ExactArray:
    """The transpose of a matrix larger than 1 × 1 along some axis; no other array has one worth naming."""
    if array.ndim != 2:
        raise ValueError("only a matrix has a transpose")
    return array.T


def _other_readings(value: Any) -> tuple[Any, ...]:
    if isinstance(value, bool):
        return (not value,)
    if not isinstance(value, int):
        return ()
    others = (-value, 2 * value, Fraction(value, 2), value + 1, value - 1)
    return tuple(v for i, v in enumerate(others) if v != value and v not in others[:i])


def _paths(claim: Claim) -> list[str]:
    seen: list[str] = []

    def look(parameters: Any) -> Any:
        seen.extend(paths(parameters))
        return parameters

    sizes = claim.every_size[0]
    for point in candidates(claim, sizes, 1):
        if statements_at(claim, sizes, point, look) is not None:
            break
        seen.clear()
    return seen


WRONG_FIT = (UsageError, ValueError, TypeError, IndexError, ArithmeticError)
"""What a change that does not fit the shapes, or the numbers, may raise."""


class _Probes:
    """The claim's statements at a few points, evaluated once for all changes of its right sides."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._points = [
            (sizes, point)
            for sizes in claim.every_size[:PROBED_SIZES]
            for point in itertools.islice(candidates(claim, sizes, 1), PROBES)
        ]
        self._unchanged: dict[int, list[Statement] | None] = {}

    def survives(self, claim: Claim, make: Make) -> bool:
        """Whether no probe shows a difference; a change that does not fit the shapes does not survive."""
        for number, (sizes, point) in enumerate(self._points):
            try:
                mutate, finish = make(sizes)
                if mutate is None and claim is self._claim:
                    if number not in self._unchanged:
                        self._unchanged[number] = statements_at(claim, sizes, point)
                    found = self._unchanged[number]
                else:
                    found = statements_at(claim, sizes, point, mutate)
                if found is not None and not all(
                    isinstance(s, Equal) and difference_index(finish(s)) is None for s in found
                ):
                    return False
            except WRONG_FIT:
                return False
        return True


def _is_identity(claim: Claim, make: Make, engine: Engine = FLINT) -> bool:
    try:
        for sizes in engine.sizes(claim):
            mutate, finish = make(sizes)
            statements = [finish(s) for s in engine.statements(claim, sizes, mutate)]
            if not all(isinstance(s, Equal) and holds(s) for s in statements):
                return False
    except NotPolynomial:
        return engine is FLINT and _is_identity(claim, make, SYMPY)
    except WRONG_FIT:
        return False
    return True
