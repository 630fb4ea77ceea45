"""Small changes of a claim, by name: sign, ½, 2, 1/N, N, transpose, and other values of its readings."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from scanproof.constructs.errors import UsageError

from ..exact.engines import FLINT, SYMPY, Engine, chosen, holds, small
from ..exact.mutation import Change, OnLeaf, on_right_side, scaled
from ..exact.scalar import NotPolynomial
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Equal, Statement
from .instances.at_random import may_hold
from .instances.evaluate import in_symbols, leaves

FACTORS = {
    "1": 1,
    "−1": -1,
    "2": 2,
    "½": Fraction(1, 2),
    "−2": -2,
    "−½": Fraction(-1, 2),
}
WRONG_FIT = (UsageError, ValueError, TypeError, IndexError, ArithmeticError)
"""What a change that does not fit the shapes, or the numbers, may raise."""


def is_mended(claim: Claim, name: str, fails: Sizes) -> bool:
    """Whether the change of this name makes every statement an identity, by the exact engine at chosen sizes.

    Random numbers must not contradict it where the claim itself fails: at the chosen sizes it may change nothing.
    """
    return any(
        n == name and is_identity(changed, make) and _may_hold(changed, make, fails)
        for n, changed, make in changes(claim)
    )


def _may_hold(changed: Claim, make: Make, sizes: Sizes) -> bool:
    try:
        return may_hold(changed, sizes, *make(sizes))
    except (NotPolynomial, *WRONG_FIT):
        return False


def is_identity(changed: Claim, make: Make) -> bool:
    """Whether every statement of a changed claim is an identity at chosen sizes."""
    try:
        return _is_identity(changed, make, FLINT, chosen(changed))
    except NotPolynomial:
        few = chosen(changed)
        try:
            return _is_identity(changed, make, SYMPY, small(few) or few[:1])
        except NotPolynomial:
            return False
    except WRONG_FIT:
        return False


def _is_identity(
    claim: Claim, make: Make, engine: Engine, every_size: list[dict[str, int]]
) -> bool:
    for sizes in every_size:
        mutate, finish = make(sizes)
        for statement in map(finish, in_symbols(engine, claim, sizes, mutate)):
            if not isinstance(statement, Equal) or not holds(statement):
                return False
    return True


Finish = Callable[[Statement], Statement]
Make = Callable[[Sizes], tuple[OnLeaf | None, Finish]]
Candidate = tuple[str, Claim, Make]


def _unchanged(statement: Statement) -> Statement:
    return statement


def changes(claim: Claim) -> Iterator[Candidate]:
    """Every small change of a claim by name, as the changed claim and what to do to its parameters and statements."""
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
        for path in leaves(claim, claim.every_size[0]):
            for name, change in _scalings(claim, by_size=(1,)):
                yield (
                    f"{path} {name}",
                    claim,
                    lambda sizes, p=path, c=change: (OnLeaf(p, _at(c, sizes)), _unchanged),
                )


SizedChange = Callable[[Any, Sizes], Any]


def _at(change: SizedChange, sizes: Sizes) -> Change:
    return lambda array: change(array, sizes)


def _scalings(
    claim: Claim, by_size: Container[Any] = tuple(FACTORS.values())
) -> Iterator[tuple[str, SizedChange]]:
    """Sign, scale and transpose of one array, and scales by a size, alone or with the factors `by_size`."""
    for text, factor in FACTORS.items():
        if factor != 1:
            yield f"× {text}", lambda a, _, k=factor: scaled(a, k)
    yield "transposed", lambda a, _: transposed(a)
    yield "transposed, × −1", lambda a, _: -transposed(a)
    for size in claim.ranges:
        for text, factor in FACTORS.items():
            if factor not in by_size:
                continue
            sign = text if text in ("1", "−1") else f"{text}·"
            yield (
                f"× {sign.replace('−1', '−').replace('1', '')}{size}",
                (lambda a, sizes, k=factor, n=size: scaled(a, k * sizes[n])),
            )
            yield (
                f"× {text}/{size}",
                lambda a, sizes, k=factor, n=size: scaled(a, Fraction(k, sizes[n])),
            )


def transposed(array: Any) -> Any:
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
