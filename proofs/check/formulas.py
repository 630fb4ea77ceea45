"""A claim as formulas of the kernel, with symbols for its sizes: its statement read, or its body where that is a program's.

What the door refuses is not read, with the door's reason. A body that calls `program(…)` is run on kernel arrays, and
what comes out is compared with the claim's own numbers: no statement holds it yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..exact.mutation import OnLeaf
from ..interpret.array import symbol
from ..interpret.claims import Given, Interpretation
from ..interpret.claims import read as read_body
from ..interpret.session import Session
from ..kernel.index import Index
from ..language.claim import Claim
from ..readings.problem import problem
from .instances.stated import stated

Mutation = Callable[[Any], Any] | None


def formulas(
    claim: Claim,
    current: Session,
    mutate: Mutation = None,
    given: Given = symbol,
    sizes: dict[str, Index] | None = None,
) -> Interpretation:
    found = stated(claim)
    if found is None or not (mutate is None or isinstance(mutate, OnLeaf)):
        return read_body(claim, current, mutate, given, sizes)
    changes = {} if mutate is None else {mutate.path: mutate.change}
    return problem(found.statement, current, given, sizes, changes)
