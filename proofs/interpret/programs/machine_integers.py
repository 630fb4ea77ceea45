"""Whole numbers of a machine: a program's integer arithmetic is exact while its results fit their type.

They are read as whole numbers of any size. That is right where they fit 32 bits, which JAX computes with unless it is
told otherwise, at all sizes up to `LIMIT`; where that is not seen, the proof says up to which sizes it holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...kernel import index as declarations
from ...kernel.index import Index, declared, facts, variable
from ...kernel.inequalities import implied
from ..questions import Unreadable
from ..session import Fit, current

LIMIT = 2**31 - 1
"""The greatest size that is looked at, and the greatest number of 32 bits."""


class RunsOver(Unreadable):
    """Integer arithmetic that is not seen to fit its type: at other sizes it may be another program."""

    unsafe = True


def wide(dtype: Any) -> None:
    """Refuse a type in which few places or a difference would run over.

    Raises:
        RunsOver: unless it has a sign and 32 bits or more.
    """
    if np.dtype(dtype).kind == "u" or np.dtype(dtype).itemsize < 4:
        raise RunsOver(f"arithmetic of {dtype}, which runs over")


def fitting(reader: Any) -> Callable[[Index], Index]:
    """Takes each number that the present equation makes, where it is used, and notes what it needs to fit."""
    dtype = reader.dtype()
    wide(dtype)
    where = reader.where()

    def checked(number: Index) -> Index:
        for side in (number, -number):
            if not _is_small(side):
                _note(side, f"int32{where}")
        return number

    return checked


def unmeasured(reader: Any) -> None:
    """Note that the present equation's whole numbers, which are read as real ones, are taken to fit."""
    wide(reader.dtype())
    current().taken.setdefault(f"no whole number runs over{reader.where()}")


def _is_small(number: Index) -> bool:
    """Whether number ≤ LIMIT at all sizes up to it, and at all positions."""
    known = facts(number.variables())
    largest = frozenset(Index(LIMIT) - variable(v) for v in declarations.current.sizes)
    return implied(Index(LIMIT) - number, known | largest)


def _note(number: Index, what: str) -> None:
    """Say of the sizes alone how large the number may become: positions take their ends, the newest first."""
    while inner := sorted(number.variables() - declarations.current.sizes):
        v = inner[-1]
        c, ends = number.coefficient(v), declared(v)
        end = (
            ends[1] + variable(v)
            if c > 0 and len(ends) == 2
            else variable(v) - ends[0]
            if ends
            else None
        )
        if end is None or (c > 0 and len(ends) < 2):
            raise RunsOver(f"whole numbers without a bound ({what})")
        number = number.substitute({v: end})
    current().fits.setdefault(Fit(number, LIMIT, what))


__all__ = ["LIMIT", "RunsOver", "fitting", "unmeasured", "wide"]
