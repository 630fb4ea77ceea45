"""Where a bound's proof stands: what is known there, and proofs with the steps that they took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..kernel.index import Index
from ..kernel.theorem import Theorem
from ..reading.claims import Part
from ..search.normal import simplified
from ..search.session import current
from . import majorant as schemas
from .absolute import plain
from .facts import Known
from .hypotheses import Difference, Goal, assumed, learned
from .signs import STATES, signs_of_states

INDUCTION = "induction on layers"
SERIES = "induction on the number of terms"
HYPOTHESIS = "induction hypothesis"
CANCELLED = "leading parts cancel"
SQUARE = "squares are ≥ 0"
BY_SQUARES = "‖v‖ ≤ C from v·v ≤ C² and C ≥ 0"
SCHEMAS = (
    INDUCTION,
    SERIES,
    CANCELLED,
    schemas.TRIANGLE,
    schemas.CAUCHY_SCHWARZ,
    schemas.SUBMULTIPLICATIVITY,
    schemas.ENTRY,
    schemas.TRACE,
    schemas.DIAGONAL,
    schemas.COUNT,
    BY_SQUARES,
    SQUARE,
    STATES,
)
"""The schemas by name, in the order in which they are said."""


@dataclass(frozen=True)
class Bound:
    """left ≤ right, for all sizes."""

    theorems: tuple[Theorem, ...]
    """That the left side is what its majorant was made of, and that right − majorant is the certificate's sum."""
    gap: str
    """right − majorant, or what is left of it, as a sum of what is ≥ 0."""
    steps: tuple[str, ...]
    """The schemas that were used, by name, and the hypotheses."""
    squares: bool = False
    """Whether squares were needed."""
    times: tuple[Index, ...] = ()
    """The times of inductions, which stand in the theorems."""
    exact: bool = False
    """Whether right − left is the gap, and not only at least as large."""

    @property
    def said(self) -> str:
        """What is shown of right − left."""
        if self.exact:
            return f"right − left = {self.gap} ≥ 0"
        return "right − left ≥ 0" if self.gap == "0" else f"right − left ≥ {self.gap} ≥ 0"

    @property
    def theorem(self) -> Theorem:
        """The last step: what is left is a sum of what is ≥ 0."""
        return self.theorems[-1]

    def then(self, step: Bound, schema: str = "", times: Sequence[Index] = ()) -> Bound:
        """This first part of a proof with the second."""
        return Bound(
            tuple(dict.fromkeys([*self.theorems, *step.theorems])),
            step.gap,
            ordered([*([schema] if schema else []), *self.steps, *step.steps]),
            self.squares or step.squares,
            (*self.times, *step.times, *times),
        )


def ordered(steps: Sequence[str]) -> tuple[str, ...]:
    """The schemas in their order, then the hypotheses; those of inductions are none of the claim's."""
    named = [step for step in dict.fromkeys(steps) if step not in (*SCHEMAS, HYPOTHESIS)]
    return (*(step for step in SCHEMAS if step in steps), *named)


@dataclass(frozen=True)
class Context:
    """What is known, and names for differences."""

    known: Known
    differences: tuple[Difference, ...] = ()
    lemmas: Mapping[str, Bound] = field(default_factory=dict)
    """Proofs of what is known besides hypotheses, by what it is called."""
    inside: bool = False
    """Whether this is within an induction on a size."""

    def knowing(self, goal: Goal, why: str, time: Index | None = None) -> Context:
        """With a bound; `time`, if given, is not any in its range."""
        known, more = learned(self.known, goal, why, time)
        return replace(self, known=in_one_form(known), differences=(*self.differences, *more))

    def proved(self, goal: Goal, proof: Bound) -> Context:
        """With a bound that is proved."""
        why = f"lemma {len(self.lemmas) + 1}"
        return replace(self.knowing(goal, why), lemmas={**self.lemmas, why: proof})


def begun(conditions: Sequence[Part]) -> Context:
    """What is known from conditions, with absolute values in one form."""
    known, differences = assumed(conditions)
    recursions = list(dict.fromkeys(r for r, _ in current().recursions.values()))
    known = signs_of_states(recursions, known)
    return Context(in_one_form(known), tuple(differences))


def in_one_form(known: Known) -> Known:
    bounds = [b._replace(right=simplified(plain(b.right, known))) for b in known.bounds]
    gaps = [g._replace(term=simplified(plain(g.term, known))) for g in known.gaps]
    squares = [g._replace(term=simplified(plain(g.term, known))) for g in known.squares]
    return Known().also(bounds, gaps, squares)
