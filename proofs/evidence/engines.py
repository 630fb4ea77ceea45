"""The exact engines: each decides an equation at fixed sizes with every entry a symbol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.array import ExactArray
from ..exact.expressions import ExpressionField, is_zero
from ..exact.polynomials import FlintField, SympyField
from ..exact.scalar import NotPolynomial, Ratio
from ..language.claim import Claim
from ..language.errors import UsageError
from ..language.sizes import Sizes
from ..language.statements import AtMost, Differs, Equal, Statement
from .instance import entry_names, evaluate, symbols

SMALL = 2
"""sympy runs the sizes in which no size exceeds this; flint runs all of them."""


@dataclass(frozen=True)
class Engine:
    """A named way of deciding equations."""

    name: str
    fields: tuple[Callable[[list[str]], Any], ...]
    """Tried in order; the next one is taken when a claim is not polynomial."""
    small: bool
    """Whether only small sizes are run."""

    def sizes(self, claim: Claim, everywhere: bool = False) -> list[dict[str, int]]:
        """The sizes at which this engine checks the claim: all of them, or the small ones; the kernel's are none."""
        if not self.fields:
            return []
        every = claim.every_size
        if everywhere or not self.small:
            return every
        few = [sizes for sizes in every if all(v <= SMALL for v in sizes.values())]
        return few or every[:1]

    def statements(
        self, claim: Claim, sizes: Sizes, mutate: Callable[[Any], Any] | None = None
    ) -> list[Statement]:
        """The claim's statements with every entry a symbol.

        Raises:
            NotPolynomial: if the claim needs exp or log and this engine has none.
        """
        names = entry_names(claim, sizes)
        for make in self.fields[:-1]:
            field = make(names)
            try:
                return evaluate(claim, field, sizes, symbols(claim, field, sizes), mutate)
            except NotPolynomial:
                continue
        field = self.fields[-1](names)
        return evaluate(claim, field, sizes, symbols(claim, field, sizes), mutate)


SYMPY = Engine("sympy", (SympyField, ExpressionField), small=True)
FLINT = Engine("flint", (FlintField,), small=False)
KERNEL = Engine("kernel", (), small=False)
"""Runs at no fixed size: it proves for all sizes (`all_sizes.prove`), after another engine where there is one."""
ENGINES = {
    "sympy": (SYMPY,),
    "flint": (FLINT,),
    "kernel": (KERNEL,),
    "all": (FLINT, SYMPY, KERNEL),
}


def truth(statement: Statement) -> bool | None:
    """Whether the statement holds with every entry a symbol; None if symbols alone cannot tell.

    An equation is an identity or it is not. Sides that are said to differ must not be identical. An inequality is
    decided between plain numbers only.

    Raises:
        UsageError: if the two sides have different shapes.
    """
    if isinstance(statement, Equal):
        return holds(statement)
    if isinstance(statement, Differs):
        return not holds(statement)
    if isinstance(statement, AtMost):
        left, right = sides(statement)
        gaps = [as_constant(right.entries[i] - left.entries[i]) for i in np.ndindex(left.shape)]
        return None if None in gaps else all(gap >= 0 for gap in gaps)  # type: ignore[operator]
    return None


def holds(statement: Equal | Differs) -> bool:
    """Whether the two sides are identical in every entry."""
    left, right = sides(statement)
    return all(
        _is_zero(left.entries[index] - right.entries[index]) for index in np.ndindex(left.shape)
    )


def as_constant(scalar: Any) -> Fraction | None:
    """The number that a scalar is, or None if it has a symbol in it."""
    if isinstance(scalar, Ratio):
        parts = [Fraction(1) if p is None else _number(str(p)) for p in (scalar.num, scalar.den)]
        return None if None in parts else parts[0] / parts[1]  # type: ignore[operator]
    return _number(str(scalar))


def _number(text: str) -> Fraction | None:
    try:
        return Fraction(text)
    except ValueError:
        return None


class UnequalShapes(UsageError):
    """The two sides of a statement are arrays of different shapes."""


def sides(statement: Any) -> tuple[ExactArray, ExactArray]:
    """Both sides as exact arrays of one shape; a plain number stands for an array of shape ()."""
    left, right = statement.left, statement.right
    arrays = [s for s in (left, right) if isinstance(s, ExactArray)]
    if not arrays:
        from ..exact.array import Namespace
        from ..exact.polynomials import RationalField

        xp: Any = Namespace(RationalField())
    else:
        xp = arrays[0].__array_namespace__()
    left, right = xp.asarray(left), xp.asarray(right)
    if isinstance(statement, AtMost):  # a number bounds every entry
        left, right = (
            xp.zeros(other.shape) + one if one.shape == () else one
            for one, other in ((left, right), (right, left))
        )
    if left.shape != right.shape:
        name = f" ({statement.label})" if statement.label else ""
        raise UnequalShapes(
            f"the two sides{name} have shapes {left.shape} and {right.shape}; an equation needs equal shapes."
        )
    return left, right


def _is_zero(scalar: Any) -> bool:
    if isinstance(scalar, Ratio):
        return not scalar.num
    return scalar == 0 or (hasattr(scalar, "free_symbols") and is_zero(scalar))
