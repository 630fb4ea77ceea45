"""Certificates: what settles a claim, as plain data that anybody may have written.

A certificate says no more than where to look: sizes, inputs, engines, a proof step by step. What is found there, and so
the verdict, is for `check.certificates` to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from . import witness_family
from .bounds import Written
from .traces import Trace

Named = tuple[tuple[str, Any], ...]
"""Sizes, or arrays as nested tuples of exact numbers in strings, by their names."""


@dataclass(frozen=True)
class Place:
    """Sizes, and which of the claim's statements at them."""

    sizes: Named
    part: int


@dataclass(frozen=True)
class Counterexample(Place):
    """Inputs at which a statement fails; if it is one that sides differ, the two are identical at these sizes."""

    inputs: Named


@dataclass(frozen=True)
class Witness(Place):
    """Inputs at which two sides differ that are said to differ."""

    inputs: Named


@dataclass(frozen=True)
class Collision(Place):
    """Two inputs with one statistic and two values."""

    first: Named
    second: Named


@dataclass(frozen=True)
class Limits(Place):
    """The claim's own argument that no choice of parameters comes near."""


@dataclass(frozen=True)
class Met:
    """Inputs that meet the claim's conditions, so that it says something."""

    sizes: Named
    inputs: Named


@dataclass(frozen=True)
class FixedSizes:
    """Sizes at which a named engine finds every equation to be an identity."""

    engine: str
    every_size: tuple[Named, ...]


@dataclass(frozen=True)
class AllSizes:
    """Why it holds at every size: proofs that were written down, which the kernel checks."""

    trace: Trace | None
    """The proof of its equations; None if it says none."""
    witnesses: tuple[witness_family.Witness, ...] = ()
    """Where it says that sides differ, or that a statistic does not determine a value."""
    bounds: Written | None = None
    """The proof of its inequalities; None if it says none."""
    statement: str = ""
    """The hash of the statement that is proved; "" for a claim that has none."""
    general: int | None = None
    """The number in whose place a size is in the proof's statement; None if it is the claim's own."""
    apart: bool = False
    """Whether the proof's statement is of entries, along axes of a few places."""


@dataclass(frozen=True)
class Refutation:
    """Why a claim is false, and small changes that make it true."""

    claim: str
    by: Counterexample | Collision | Limits
    near_misses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Argument:
    """All that together shows a claim."""

    claim: str
    by: tuple[Met | FixedSizes | Witness | Collision | AllSizes, ...]
    why: str = ""
    """Why it is not one for all sizes."""


@dataclass(frozen=True)
class Unsettled:
    """Nothing was found, and why."""

    claim: str
    why: str
    doubtful: bool = False
    """Whether that makes what holds at a few sizes doubtful at others."""


Certificate = Refutation | Argument | Unsettled


def named(values: Mapping[str, Any]) -> Named:
    """Sizes or nested lists by name, as a certificate holds them."""
    return tuple((name, _frozen(value)) for name, value in values.items())


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
