"""Checking a written certificate of bounds, which needs nothing else: what is said, equations with their proof, steps.

    {"format": "scanproof.bounds/2",
     "hypotheses": [[name, measure, ends, left, right], …], "goals": [[measure, ends, left, right], …],
     "equations": a proof, "steps": [step, …], "shown": [number, …]}

The proof is one of the kernel's (`kernel.checker`). Its problem declares what the hypotheses and goals speak of; its
statements are equations that the steps use, which may speak of what the proof declares besides. Where two terms are to
be equal, that is looked up among them: nothing is proved here. `shown` says for each goal which step shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..kernel import checker
from ..kernel.checker import FAULTS, Proved
from ..kernel.errors import KernelError
from ..kernel.files import Malformed, expect, items
from ..kernel.notation import natural
from ..kernel.term import Term
from ..kernel.theorem import Theorem
from .certificate import Certificate
from .check import Shown, check
from .parsing import hypothesis_of, inequality_of, step_of
from .statements import Problem, Refused

FORMAT = "scanproof.bounds/2"
FIELDS = ("format", "hypotheses", "goals", "equations", "steps", "shown")


class Bounds(NamedTuple):
    """What a written certificate shows."""

    shown: Shown
    """Its inequalities."""
    equations: Proved
    """What the equations' proof shows."""


def check_written(value: Any) -> Bounds:
    """The inequalities of a written certificate.

    Args:
        value: JSON values.

    Raises:
        kernel.checker.Refused: if it does not show them.
    """
    fields = set(value) if type(value) is dict else None
    if fields != set(FIELDS) or value["format"] != FORMAT:
        raise checker.Refused(f"no certificate of bounds in the format {FORMAT}")
    proved = checker.check(value["equations"])
    try:
        return Bounds(_shown(value, proved), proved)
    except FAULTS as error:
        kind = "" if isinstance(error, Malformed | KernelError) else f"{type(error).__name__}: "
        raise checker.Refused(f"bounds: {kind}{error}") from error


def _shown(value: Any, proved: Proved) -> Shown:
    given = [hypothesis_of(one) for one in items(value["hypotheses"], "hypotheses")]
    goals = tuple(inequality_of(one) for one in items(value["goals"], "goals"))
    problem = Problem(tuple(one for _, one in given), tuple(name for name, _ in given), goals)
    steps = tuple(step_of(one) for one in items(value["steps"], "steps"))
    numbers = tuple(natural(one) for one in items(value["shown"], "a step for each goal"))
    expect("goals", bool(goals), goals)
    return check(problem, Certificate(problem, steps, numbers), _Listed(proved.statements))


class _Listed:
    """Equations that are proved, by their sides."""

    def __init__(self, theorems: Iterable[Theorem]) -> None:
        self.by_sides: dict[Any, list[Theorem]] = {}
        for one in theorems:
            self.by_sides.setdefault(_sides(one.left, one.right), []).append(one)

    def __call__(self, one: Term, other: Term) -> Theorem:
        scope = one.scope | other.scope
        found = self.by_sides.get(_sides(one, other), [])
        if not found:
            raise Refused("a step needs an equation that is not among those that are proved")
        return next((t for t in found if _scope(t) <= scope), found[0])


def _sides(one: Any, other: Any) -> Any:
    return frozenset(one.parts.items()), frozenset(other.parts.items())


def _scope(one: Theorem) -> frozenset[int]:
    left = one.left
    return left.scope | one.right.scope if isinstance(left, Term) else one.right.scope
