"""Reading a claim: its body run once on kernel arrays, with symbols for sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, size
from ..kernel.term import Term
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.conditions import as_bounds
from ..language.fields import call
from ..language.sizes import shape
from ..language.statements import Approached, AtMost, Determines, Equal, Statement, Undetermined
from ..search.session import Session
from .array import KernelArray, Namespace, array, comprehension, holds, symbol
from .measured import Measured
from .size import Size, Unreadable
from .size import index as as_index

FOR_NUMBERS = (
    *(Unreadable, KernelError, TypeError, ValueError, AttributeError, IndexError),
    *(ArithmeticError, RecursionError),
)
"""What a condition raises that branches on its numbers, where it is called with symbols."""


@dataclass(frozen=True)
class Part:
    """A statement, its two sides (or a statistic and a value) kernel arrays."""

    kind: type[Statement]
    left: KernelArray
    right: KernelArray
    shared: tuple[str, ...] = ()
    """The symbols that two inputs have in common, where there is a statistic."""
    measure: str = ""
    """What is taken of `left` before it is compared: "" nothing, else "norm", "absolute" or "operator" (a norm)."""
    condition: str = ""
    """For a condition its text."""


@dataclass(frozen=True)
class Reading:
    """A claim's statements with symbols for sizes."""

    sizes: dict[str, Index]
    parts: list[Part]
    session: Session
    conditions: list[Part] = field(default_factory=list)
    """The side conditions that are bounds. Those for plain numbers alone are not read: no proof uses them."""

    @property
    def equations(self) -> list[tuple[KernelArray, KernelArray]]:
        return [(part.left, part.right) for part in self.parts if part.kind is Equal]

    @property
    def has_bounds(self) -> bool:
        return any(part.kind is AtMost for part in (*self.parts, *self.conditions))

    @property
    def variables(self) -> dict[str, int]:
        """The kernel's variable for each size."""
        return {name: v for name, e in self.sizes.items() for v in e.variables()}

    def expect_turns(self, of: Theorem, axes: Sequence[Index] = ()) -> None:
        """A theorem in which a loop's variable stands says nothing at sizes where the loop has no turn.

        Raises:
            Unreadable: if there may be such sizes.
        """
        own = {v for e in (*axes, *self.sizes.values()) for v in e.variables()}
        for v in (cast(Term, of.left).scope | of.right.scope) - own:
            ends = declared(v)
            if len(ends) == 2 and not holds(ends[0] + ends[1]):
                raise Unreadable("a loop that may have no turn")


Given = Callable[[str, Sequence[Index]], KernelArray]
"""What an array of the claim is, from its name and lengths."""


def read(
    claim: Claim,
    current: Session,
    mutate: Callable[[Any], Any] | None = None,
    given: Given = symbol,
    sizes: dict[str, Index] | None = None,
) -> Reading:
    """The claim's body run once on kernel arrays.

    Args:
        claim: the claim.
        current: the session.
        mutate: a change of the construction's parameters.
        given: the claim's inputs, independent symbols if they are not numbers.
        sizes: those of an earlier reading in this session.

    Raises:
        Unreadable, KernelError, or what a body raises that cannot do with symbols.
    """
    if sizes is None:
        sizes = {name: size(name, min(values)) for name, values in claim.ranges.items()}
    known: Any = {name: Size(e) for name, e in sizes.items()}
    arrays = {
        name: given(name, [as_index(d) for d in shape(text, known)])
        for name, text in claim.given.items()
    }
    values = {**arrays, **known, "xp": Namespace()}
    parameters = claim.construct(values)
    if mutate is not None:
        parameters = mutate(parameters)
    statements = claim.statements(values, parameters)
    parts = [_part(s) for s in statements]
    return Reading(sizes, parts, current, _conditions(claim, values, current))


def _conditions(claim: Claim, values: Mapping[str, Any], current: Session) -> list[Part]:
    found: list[Part] = []
    for text, condition in claim.assuming.items():
        before = current.divided, set(current.partial), set(current.functions)
        loops = len(current.loops)
        try:
            bounds = list(as_bounds(call(condition, values)) or ())
            for turn in current.loops[loops:]:  # without a turn it would say nothing
                if not holds(_turns(turn) - 1):
                    raise Unreadable("a loop that may have no turn")
            found += [_bound(bound, text) for bound in bounds]
        except FOR_NUMBERS:
            current.divided, current.partial, current.functions = before
    return found


def _turns(turn: Index) -> Index:
    """How many values a loop's variable has."""
    (v,) = turn.variables()
    below, above = declared(v)
    return below + above + 1


def _part(statement: Statement) -> Part:
    if isinstance(statement, Determines | Undetermined):
        sides = _plain(statement.statistic), _plain(statement.value)
        return Part(type(statement), *sides, tuple(statement.shared))
    if isinstance(statement, AtMost):
        return _bound(statement)
    if isinstance(statement, Approached):
        raise Unreadable("what is said of limits")
    left, right = _plain(statement.left), _plain(statement.right)
    if left.dims != right.dims:
        raise Unreadable(f"the two sides have shapes {left.dims} and {right.dims}")
    return Part(type(statement), left, right)


def _bound(bound: AtMost, condition: str = "") -> Part:
    """left ≤ right; a number stands for all entries of the other side."""
    left, right = array(bound.left), _plain(bound.right)
    right = _spread(right, left.dims)
    if isinstance(left, Measured):
        part = Part(AtMost, left.of, right, measure=left.measure, condition=condition)
    else:
        left = _spread(left, right.dims)
        part = Part(AtMost, left, right, condition=condition)
    if left.dims != right.dims:
        raise Unreadable(f"the two sides have shapes {left.dims} and {right.dims}")
    return part


def _plain(value: Any) -> KernelArray:
    """An array of terms, with none of the kernel's own words for a norm."""
    found = array(value)
    return KernelArray(found.dims, found.at, found.term)


def _spread(one: KernelArray, dims: Sequence[Index]) -> KernelArray:
    return comprehension(dims, lambda *at: one.term) if dims and not one.dims else one
