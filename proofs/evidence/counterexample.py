"""Smallest exact counterexamples and witnesses: smallest sizes first, then the simplest rationals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..language.claim import Claim
from ..language.errors import UsageError
from ..language.numbers import is_nonzero
from ..language.sizes import Sizes
from ..language.statements import AtMost, Determines, Equal, Statement, Undetermined
from .engines import sides
from .instance import Point
from .points import (
    TRIES,
    candidates,
    difference_index,
    find,
    inputs_as_text,
    nested,
    simplest,
    statements_at,
)

PAIR_TRIES = 400


@dataclass(frozen=True)
class Counterexample:
    """Sizes and inputs at which a statement fails, with the exact values of both sides."""

    sizes: dict[str, int]
    inputs: dict[str, Any]
    part: int
    """Which of the claim's statements at these sizes fails."""
    claimed: Any
    actual: Any
    label: str = ""
    """The name of the failing part, if it has one."""
    collision: bool = False
    """Whether `inputs` are two inputs that no map of a statistic can serve."""
    lines: tuple[str, ...] = ()
    """Of an argument about limits, which is one about all parameters: the numbers in it, as a Python program."""

    def as_json(self) -> dict[str, Any]:
        """The counterexample as the report has it."""
        found = {
            "sizes": self.sizes,
            "inputs": self.inputs,
            "claimed": self.claimed,
            "actual": self.actual,
        }
        return {**found, "part": self.label} if self.label else found


def violation(
    claim: Claim, every_size: Iterable[Sizes], tries: int = TRIES
) -> Counterexample | None:
    """Inputs at which some equation or inequality of the claim is false, at the first size that has any."""

    def failing(found: list[Statement]) -> int | None:
        for part, statement in enumerate(found):
            if isinstance(statement, Equal | AtMost) and difference_index(statement) is not None:
                return part
        return None

    def shows(found: list[Statement]) -> bool:
        return failing(found) is not None

    for sizes in every_size:
        point = find(claim, sizes, shows, tries=tries)
        if point is None:
            continue
        point = simplest(claim, sizes, point, shows)
        found = statements_at(claim, sizes, point) or []
        part = failing(found)
        if part is None:
            raise UsageError(_unsteady(claim, sizes))
        statement = found[part]
        actual, claimed = sides(statement)
        relation = "≤ " if isinstance(statement, AtMost) else ""
        return Counterexample(
            dict(sizes),
            inputs_as_text(point),
            part,
            nested(claimed.entries, relation),
            nested(actual.entries),
            str(statement.label),
        )
    return None


def _unsteady(claim: Claim, sizes: Sizes) -> str:
    at = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    return (
        f"claim {claim.id} gives other results each time it is run at {at or 'one point'}; its body must depend on its "
        "arguments alone."
    )


def agreement(claim: Claim, sizes: Sizes, part: int) -> Counterexample | None:
    """For two sides that are said to differ and are identical: an input, with the value both of them have."""
    for point in candidates(claim, sizes):
        found = statements_at(claim, sizes, point)
        if found is not None and difference_index(found[part]) is None:
            actual, _ = sides(found[part])
            value = nested(actual.entries)
            return Counterexample(
                dict(sizes),
                inputs_as_text(point),
                part,
                "another value, for some input of these sizes",
                value,
                str(found[part].label),
            )
    return None


def difference(claim: Claim, sizes: Sizes, part: int) -> Point | None:
    """The simplest inputs of these sizes at which the two sides of statement number `part` differ."""

    def shows(found: list[Statement]) -> bool:
        return difference_index(found[part]) is not None

    point = find(claim, sizes, shows)
    return None if point is None else simplest(claim, sizes, point, shows)


def collision(claim: Claim, every_size: Iterable[Sizes], part: int) -> Counterexample | None:
    """Two inputs with the same statistic (and shared symbols) whose values differ."""
    for sizes in every_size:
        seen: dict[Any, list[tuple[Point, np.ndarray]]] = {}
        for point, statement in _determinations(claim, sizes, part):
            statistic, value = _entries(statement.statistic), _entries(statement.value)
            both = {*statement.shared, *claim.over_all_parameters}
            shared = inputs_as_text({n: point[n] for n in sorted(both)})
            key = str((shared, nested(statistic)))
            for earlier, other in seen.setdefault(key, []):
                if any(is_nonzero(a - b) for a, b in zip(value.flat, other.flat, strict=True)):
                    return Counterexample(
                        dict(sizes),
                        {"first": inputs_as_text(earlier), "second": inputs_as_text(point)},
                        part,
                        f"equal values, since both give the statistic {nested(statistic)}",
                        [nested(other), nested(value)],
                        str(statement.label),
                        collision=True,
                    )
            seen[key].append((point, value))
    return None


def _determinations(
    claim: Claim, sizes: Sizes, part: int
) -> Iterator[tuple[Point, Determines | Undetermined]]:
    for point in candidates(claim, sizes, PAIR_TRIES):
        found = statements_at(claim, sizes, point)
        if found is not None and part < len(found):
            statement = found[part]
            if isinstance(statement, Determines | Undetermined):
                yield point, statement


def _entries(value: Any) -> np.ndarray:
    return value.entries if hasattr(value, "entries") else np.asarray(value, dtype=object)
