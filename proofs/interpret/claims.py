"""A claim as formulas; that of one that calls a program is made by its body, run once on kernel arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, position_number, reach, size
from ..kernel.term import Term
from ..language.calls import call
from ..language.claim import Claim
from ..language.conditions import as_bounds
from ..language.sizes import shape
from ..language.statements import Approached, AtMost, Determines, Equal, Statement, Undetermined
from . import areas
from .array import KernelArray, comprehension, holds, symbol
from .measured import Measured
from .namespace import Namespace, array
from .questions import Unreadable, listening
from .session import Loop, Session
from .size import Size
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

    @property
    def variables(self) -> set[int]:
        """All that it speaks of."""
        found = self.left.shared.scope | self.right.shared.scope
        indices = [*self.left.dims, *self.right.dims, *self.left.at, *self.right.at]
        return reach(found.union(*(e.variables() for e in indices)))


@dataclass(frozen=True)
class Interpretation:
    """A claim's statements with symbols for sizes."""

    sizes: dict[str, Index]
    parts: list[Part]
    session: Session
    conditions: list[Part] = field(default_factory=list)
    """The side conditions that are bounds. Those for plain numbers alone are not read: no proof uses them."""

    @property
    def equations(self) -> list[tuple[KernelArray, KernelArray]]:
        """The two sides of each part that is an equation."""
        return [(part.left, part.right) for part in self.parts if part.kind is Equal]

    @property
    def has_bounds(self) -> bool:
        """Whether a part or a condition is an inequality."""
        return any(part.kind is AtMost for part in (*self.parts, *self.conditions))

    @property
    def variables(self) -> dict[str, int]:
        """The kernel's variable for each size."""
        return {name: v for name, e in self.sizes.items() for v in e.variables()}

    def one_turn(self) -> Interpretation:
        """The same with one turn of each loop; the others are there for comparison."""
        again = _later_turns(self.session.loops)
        kept = [
            [p for p in found if not p.variables & again] for found in (self.parts, self.conditions)
        ]
        return replace(self, parts=kept[0], conditions=kept[1])

    def expect_turns(self, left: Term, right: Term, axes: Sequence[Index] = ()) -> None:
        """An equation in which a loop's variable stands says nothing at sizes where the loop has no turn.

        Raises:
            Unreadable: if there may be such sizes.
        """
        own = {v for e in (*axes, *self.sizes.values()) for v in e.variables()}
        if not all(map(has_values, (left.scope | right.scope) - own)):
            raise Unreadable("a loop that may have no turn")


Given = Callable[[str, Sequence[Index]], KernelArray]
"""What an array of the claim is, from its name and lengths."""


def read(
    claim: Claim,
    current: Session,
    mutate: Callable[[Any], Any] | None = None,
    given: Given = symbol,
    sizes: dict[str, Index] | None = None,
) -> Interpretation:
    """The claim's body run once on kernel arrays.

    Args:
        claim: the claim.
        current: the session.
        mutate: a change of the construction's parameters.
        given: the claim's inputs, independent symbols if they are not numbers.
        sizes: those of an earlier interpretation in this session.

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
    before = len(current.loops)
    with listening():
        parameters = claim.construct(values)
        if mutate is not None:
            parameters = mutate(parameters)
        parts = [_part(s) for s in claim.statements(values, parameters)]
    _expect_apart(current.loops[before:], parts)
    return Interpretation(sizes, parts, current, _conditions(claim, values, current))


def _expect_apart(loops: Sequence[Loop], parts: Sequence[Part]) -> None:
    """What is said in one turn of a loop must not speak of another turn.

    Raises:
        Unreadable: if it does, if a loop was left before its end, or if it has no turn at any size.
    """
    for loop in loops:
        if not loop.ended:
            raise Unreadable("a loop over each(…) that is left before its end")
        below, above = declared(position_number(loop.turns[0]))
        if holds((below + above) * -1 - 1):
            raise Unreadable("a loop over each(…) without a turn at any size, which says nothing")
        own = {v for turn in loop.turns for v in turn.variables()}
        if any(len(part.variables & own) > 1 for part in parts):
            raise Unreadable(
                "a loop over each(…) that carries something from one turn to the next; use scan, or iterate"
            )


def _later_turns(loops: Sequence[Loop]) -> set[int]:
    return {v for loop in loops for turn in loop.turns[1:] for v in turn.variables()}


def _conditions(claim: Claim, values: Mapping[str, Any], current: Session) -> list[Part]:
    """The conditions that are bounds; one that asks for a size, or fails, is not a hypothesis."""
    found: list[Part] = []
    for text, condition in claim.assuming.items():
        before = set(current.partial), set(current.functions)
        loops = len(current.loops)
        try:
            with listening():
                bounds = [_bound(one, text) for one in as_bounds(call(condition, values)) or ()]
            own = current.loops[loops:]
            _expect_apart(own, bounds)
            if not all(has_values(position_number(loop.turns[0])) for loop in own):
                raise Unreadable("a loop that may have no turn")  # without one it would say nothing
            found += bounds
        except FOR_NUMBERS:
            current.partial, current.functions = before
    return found


def has_values(v: int) -> bool:
    """Whether a variable's range is never empty."""
    ends = declared(v)
    return len(ends) < 2 or holds(ends[0] + ends[1])


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
        raise Unreadable(
            f"the two sides have shapes {areas.shape(left.dims)} and {areas.shape(right.dims)}"
        )
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
        raise Unreadable(
            f"the two sides have shapes {areas.shape(left.dims)} and {areas.shape(right.dims)}"
        )
    return part


def _plain(value: Any) -> KernelArray:
    """An array of terms, with none of the kernel's own words for a norm."""
    found = array(value)
    return KernelArray(found.dims, found.at, found.shared)


def _spread(one: KernelArray, dims: Sequence[Index]) -> KernelArray:
    return comprehension(dims, lambda *at: one.shared) if dims and not one.dims else one
