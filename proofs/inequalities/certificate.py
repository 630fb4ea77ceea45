"""Certificates: steps that each make one more inequality of some that are known. Plain data, nothing is done here.

Known inequalities have numbers, in the order in which the steps make them. Images substitute indices for variables.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..kernel.index import Index
from ..kernel.term import Factor, Monomial, Term
from .statements import Inequality, Problem

Images = tuple[tuple[int, Index], ...]


@dataclass(frozen=True)
class Use:
    """A known inequality, with indices for some of its variables."""

    fact: int
    images: Images = ()


@dataclass(frozen=True)
class Sign:
    """Why a factor is ≥ 0: an inequality 0 ≤ c · factor with c > 0, or for 1/T one that says 0 ≤ c · T."""

    factor: Factor
    use: Use


Signs = tuple[Sign, ...]


@dataclass(frozen=True)
class Given:
    """A hypothesis of the problem."""

    hypothesis: int


@dataclass(frozen=True)
class Itself:
    """|T| ≤ the factor that is the absolute value of the sum T."""

    factor: Factor


@dataclass(frozen=True)
class Read:
    """Of measure(l) ≤ r: "right", 0 ≤ r; "minus", 0 ≤ r − l; "plus", 0 ≤ r + l; "square", 0 ≤ r² − Σ l²."""

    fact: int
    how: str


@dataclass(frozen=True)
class Placed:
    """The same with indices substituted for variables."""

    fact: int
    images: Images


@dataclass(frozen=True)
class Scaled:
    """Both sides times a number."""

    fact: int
    by: Fraction


@dataclass(frozen=True)
class Side:
    """Another term for a side. Absolute values of both are opened: 0 none, 1 all, 2 X² = |X|², too."""

    term: Term
    was: int = 0
    opened: int = 0


@dataclass(frozen=True)
class Rewritten:
    """The same with equal sides; None is the side as it was."""

    fact: int
    left: Side | None
    right: Side | None
    signs: Signs = ()


@dataclass(frozen=True)
class Piece:
    """factor · Σ_bound [guards] factors · Π of known 0 ≤ T in this sum, times Π of squares of terms."""

    factor: Fraction
    monomial: Monomial
    uses: tuple[Use, ...] = ()
    squares: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Combined:
    """0 ≤ the sum of the pieces, where the variables of the scope are in range."""

    pieces: tuple[Piece, ...]
    scope: tuple[int, ...]
    signs: Signs = ()


@dataclass(frozen=True)
class Plan:
    """How one monomial is bounded; see `norms`."""

    diagonal: bool
    """Whether it is a diagonal matrix, at most its largest entry."""
    coordinates: tuple[int, ...]
    """The bound indices along which factors are contracted."""
    bounds: tuple[Use | None, ...]
    """For each factor a bound of its norm; without one it stays, as an absolute value."""
    region: tuple[Index, ...]
    """The guards that stay: sums over more than before, of what is ≥ 0."""
    dimensions: tuple[tuple[int, int], ...] = ()
    """For each cycle of factors one of them and an end of its bound: a trace is at most that dimension · norms."""


@dataclass(frozen=True)
class Majorised:
    """measure(left) ≤ the sum of what bounds each monomial; where nothing is measured None lets one stay."""

    measure: str
    ends: tuple[int, ...]
    left: Term
    plans: tuple[Plan | None, ...]
    signs: Signs = ()


@dataclass(frozen=True)
class Concluded:
    """measure(l) ≤ right, of measure(l) ≤ m and 0 ≤ g where right − m, opened, is equal to g."""

    most: int
    gap: int
    right: Term
    opened: int = 2
    signs: Signs = ()


@dataclass(frozen=True)
class Squared:
    """‖moving + b‖ ≤ ρ + m, of 0 ≤ ρ, of ‖b‖ ≤ m, and of 0 ≤ q where ρ² − Σ moving², opened, is equal to q."""

    root: int
    square: int
    rest: int
    moving: Term
    opened: int = 2
    signs: Signs = ()


@dataclass(frozen=True)
class Timed:
    """An inequality at any time `when`."""

    when: int
    statement: Inequality


@dataclass(frozen=True)
class Induction:
    """Inequalities at every time, all together: at 0, and from each time to the next.

    Within `steps` the inequalities at `time` are known, numbered on from those before; `later` are those at time + 1.
    """

    time: int
    claims: tuple[Timed, ...]
    start: tuple[int, ...]
    steps: tuple[Any, ...]
    later: tuple[int, ...]


Step = (
    *(Given, Itself, Read, Placed, Scaled, Rewritten, Combined, Majorised, Concluded, Squared),
    Induction,
)


@dataclass(frozen=True)
class Certificate:
    """A problem, the steps that show it, and for each goal which known inequality it is."""

    problem: Problem
    steps: tuple[Any, ...]
    goals: tuple[int, ...]
