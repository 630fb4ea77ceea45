"""Reading a claim: its body run once on kernel arrays, with symbols for sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..kernel.index import Index, declared, size
from ..kernel.term import Term
from ..kernel.theorem import Theorem
from ..language.claim import Claim
from ..language.sizes import shape
from ..language.statements import Determines, Equal, Statement, Undetermined
from ..search.session import Session
from .array import KernelArray, Namespace, array, holds, symbol
from .size import Size, Unreadable
from .size import index as as_index


@dataclass(frozen=True)
class Part:
    """A statement, its two sides (or a statistic and a value) kernel arrays."""

    kind: type[Statement]
    left: KernelArray
    right: KernelArray
    shared: tuple[str, ...] = ()
    """The symbols that two inputs have in common, where there is a statistic."""


@dataclass(frozen=True)
class Reading:
    """A claim's statements with symbols for sizes."""

    sizes: dict[str, Index]
    parts: list[Part]
    session: Session

    @property
    def equations(self) -> list[tuple[KernelArray, KernelArray]]:
        return [(part.left, part.right) for part in self.parts if part.kind is Equal]

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
    return Reading(sizes, [_part(s) for s in statements], current)


def _part(statement: Statement) -> Part:
    if isinstance(statement, Determines | Undetermined):
        sides = array(statement.statistic), array(statement.value)
        return Part(type(statement), *sides, tuple(statement.shared))
    left, right = array(statement.left), array(statement.right)
    if left.dims != right.dims:
        raise Unreadable(f"the two sides have shapes {left.dims} and {right.dims}")
    return Part(type(statement), left, right)
