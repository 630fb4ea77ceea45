"""The exact engines: each decides an equation at fixed sizes with every entry a symbol."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from scanproof.constructs.errors import UsageError

from ..language.claim import Claim
from ..language.engines import ENGINES as NAMES
from ..language.statements import AtMost, Differs, Equal, Statement
from .expressions import ExpressionField, is_zero
from .field import as_constant
from .polynomials import FlintField, SympyField
from .scalar import Ratio

SMALL = 2
"""A second opinion is for sizes that do not exceed this."""
MOST_TERMS = 10_000
"""Nor is it queried for larger polynomials; plain numbers are one too."""


@dataclass(frozen=True)
class Engine:
    """A named way of deciding equations."""

    name: str
    fields: tuple[Callable[[list[str]], Any], ...]
    """Tried in order; the next one is taken when a claim is not polynomial."""


@dataclass(frozen=True)
class Engines:
    """The engines that a claim is decided by."""

    fixed: tuple[Engine, ...] = ()
    """The first that has what a claim needs decides it, the others are second opinions."""
    kernel: bool = False
    """Whether a proof for all sizes is looked for."""

    @classmethod
    def of(cls, names: Sequence[str]) -> Engines:
        """The engines with these names."""
        fixed = tuple(BY_NAME[name] for name in names if name in BY_NAME)
        return cls(fixed, kernel="kernel" in names)

    @property
    def names(self) -> list[str]:
        """The engines' names, as the report has them."""
        return [engine.name for engine in self.fixed] + ["kernel"] * self.kernel


SYMPY = Engine("sympy", (SympyField, ExpressionField))
FLINT = Engine("flint", (FlintField,))
BY_NAME = {engine.name: engine for engine in (FLINT, SYMPY)}
FIXED = Engines((FLINT, SYMPY))
ENGINES = {name: Engines.of(asked) for name, asked in NAMES.items()}


def chosen(claim: Claim) -> list[dict[str, int]]:
    """A few of the listed sizes: the smallest, the first in which no two are equal, the first with none below 2."""
    every = claim.every_size
    wanted: tuple[Callable[[dict[str, int]], bool], ...] = (
        lambda sizes: True,
        lambda sizes: len(set(sizes.values())) == len(sizes),
        lambda sizes: all(value >= SMALL for value in sizes.values()),
    )
    found = [next((s for s in every if one(s)), None) for one in wanted]
    return [sizes for sizes in every if sizes in found]


def most_informative(claim: Claim) -> list[dict[str, int]]:
    """One of the chosen sizes, the last: where there is a proof for all sizes, an engine's opinion is one more.

    At the other listed sizes the claim is run in residues.
    """
    return chosen(claim)[-1:]


def small(every: Sequence[dict[str, int]]) -> list[dict[str, int]]:
    """The first and the last of these sizes in which none exceeds `SMALL`: those of a second opinion."""
    few = [sizes for sizes in every if all(value <= SMALL for value in sizes.values())]
    return [*few[:1], *few[1:][-1:]]


def truth(statement: Statement) -> bool | None:
    """Whether the statement holds with every entry a symbol; None if symbols alone cannot decide.

    An equation is an identity or it is not. Sides that are said to differ must not be identical. An inequality is
    decided between plain numbers only.
    """
    if isinstance(statement, Equal):
        return holds(statement)
    if isinstance(statement, Differs):
        return not holds(statement)
    if isinstance(statement, AtMost):
        found = [*map(as_constant, gaps(statement))]
        return None if None in found else all(gap <= 0 for gap in found)  # type: ignore[operator]
    return None


def holds(statement: Equal | Differs) -> bool:
    """Whether the two sides are identical in every entry."""
    return all(map(_is_zero, gaps(statement)))


def gaps(statement: Equal | Differs | AtMost) -> Iterator[Any]:
    """left − right, entry by entry."""
    return map(operator.sub, statement.left.flat, statement.right.flat)


class UnequalShapes(UsageError):
    """The two sides of a statement are arrays of different shapes."""


def terms(statements: Sequence[Statement]) -> int:
    """How many terms the polynomials on the left sides have together."""
    entries = [e for s in statements if isinstance(s, Equal | Differs) for e in s.left.flat]
    return sum(len(entry.num) for entry in entries if isinstance(entry, Ratio))


def has_entries(statement: Statement) -> bool:
    """Whether a comparison compares anything."""
    if not isinstance(statement, Equal | Differs | AtMost):
        return True
    return statement.left.size > 0


def _is_zero(scalar: Any) -> bool:
    if isinstance(scalar, Ratio):
        return not scalar.num
    return scalar == 0 or (hasattr(scalar, "free_symbols") and is_zero(scalar))
