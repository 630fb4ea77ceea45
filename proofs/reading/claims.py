"""Reading a claim: its body run once on kernel arrays, with symbols for sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..kernel.index import Index, size
from ..language.claim import Claim
from ..language.sizes import shape
from ..language.statements import Equal, Statement
from ..search.session import Session
from .array import KernelArray, Namespace, array, symbol
from .size import Size, Unreadable
from .size import index as as_index


@dataclass(frozen=True)
class Reading:
    """A claim's statements with symbols for sizes."""

    sizes: dict[str, Index]
    equations: list[tuple[KernelArray, KernelArray]]
    session: Session


def read(
    claim: Claim, current: Session, mutate: Callable[[Any], Any] | None = None
) -> Reading:
    """The claim's body run once on kernel arrays.

    Raises:
        Unreadable, KernelError, or what a body raises that cannot do with symbols.
    """
    sizes = {name: size(name, min(values)) for name, values in claim.ranges.items()}
    known: Any = {name: Size(e) for name, e in sizes.items()}
    given = {
        name: symbol(name, [as_index(d) for d in shape(text, known)])
        for name, text in claim.given.items()
    }
    values = {**given, **known, "xp": Namespace()}
    parameters = claim.construct(values)
    if mutate is not None:
        parameters = mutate(parameters)
    statements = claim.statements(values, parameters)
    return Reading(sizes, [_sides(s) for s in statements], current)


def _sides(statement: Statement) -> tuple[KernelArray, KernelArray]:
    if not isinstance(statement, Equal):
        raise Unreadable("the kernel proves equations only, and it says more")
    left, right = array(statement.left), array(statement.right)
    if left.dims != right.dims:
        raise Unreadable(f"the two sides have shapes {left.dims} and {right.dims}")
    return left, right
