"""Why two sums are equal: the rules that take their difference to 0, counted, and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ...kernel.errors import KernelError
from ...kernel.index import Index
from ...kernel.rules import Goal
from ...kernel.term import Term
from ...kernel.theorem import Theorem
from ...search.session import Proving
from ...search.steps import Step, rewriting
from ...search.unfolding import at_constant_times, later_ones, unfold_once
from ...search.zero import show_zero
from .prover import rank

WORDS = (
    ("clear", "a denominator cleared", "{n} denominators cleared"),
    ("cancel", "a factor cancelled", "{n} factors cancelled"),
    ("exponents", "exponentials multiplied", "exponentials multiplied {n} times"),
    ("beside", "T is 0 beside [T = 0]", "T is 0 beside [T = 0], {n} times"),
    ("circle", "cos² + sin² = 1 used", "cos² + sin² = 1 used {n} times"),
    ("root", "√A √A = A used", "√A √A = A used {n} times"),
    ("one_place", "one of all places is that one", "one of all places is that one, {n} times"),
    (
        "annul",
        "a factor is 0 where a sum of squares, its own among them, is",
        "{n} factors are 0 where sums of squares, their own among them, are",
    ),
    ("one_point", "Σ_j [j = e] F(j) = F(e)", "Σ_j [j = e] F(j) = F(e), {n} times"),
    ("divide", "an index divided with remainder", "{n} indices divided with remainder"),
    ("count", "equal terms counted", "equal terms counted {n} times"),
    ("regroup", "a sum's range split or joined", "{n} ranges of sums split or joined"),
)
RULES = frozenset(rule for rule, _, _ in WORDS)


def because(steps: Steps | None, splits: bool = False) -> str:
    """One sentence: what is done to see it.

    Args:
        steps: how the difference of the two went to 0.
        splits: whether it is the step of an induction, where the sums of one side run one term further.
    """
    if steps is None:
        return "by the rules of sums, step by step in the certificate"
    done = []
    for rule, one, many in WORDS:
        n = steps.counts[rule]
        if n:
            done.append(one if n == 1 else many.format(n=n))
    if steps.cases > 1:
        done.append(f"{steps.cases} cases told apart")
    last = splits and steps.counts["one_point"]
    return ("the last terms of sums split off; " if last else "") + ": ".join(
        filter(None, ["normal form", ", ".join(done)])
    )


class Counted(Goal):
    """A goal that counts how often each rule is used, in its cases too."""

    counts: Counter[str]

    def __getattribute__(self, attribute: str) -> Any:
        if attribute in RULES:
            self.counts[attribute] += 1
        return super().__getattribute__(attribute)

    def split(self, guard: Index) -> None:
        """Split into cases that count rules together with this goal."""
        super().split(guard)
        for case in self.cases:
            case.__class__ = Counted
            case.counts = self.counts  # type: ignore[attr-defined]


@dataclass
class Steps:
    """How a difference went to 0: how often each rule was used, the cases, and what it rests on."""

    counts: Counter[str] = field(default_factory=Counter)
    cases: int = 1
    rests_on: list[Theorem] = field(default_factory=list)


def steps(left: Term, right: Term, session: Proving, times: set[int] | None = None) -> Steps | None:
    """The steps from left − right to 0; None if it goes another way than by those tried here.

    Args:
        times: in the step of an induction the variables of its time; states at a later one may be unfolded.
    """
    known: list[Step] = [at_constant_times(session)]
    if session.lemmas:
        known.append(rewriting(session.lemmas, divide=True))
    later = later_ones(session)
    ways: list[tuple[list[Step], bool]] = [(known, False), ([*known, later], False), (known, True)]
    for also, unfolds in ways:
        goal = Counted(left - right)
        goal.counts = Counter()
        try:
            if unfolds:
                unfold_once(goal, session, times or set())
            show_zero(goal, also)
        except KernelError:
            continue
        rules = sorted((one for one in goal.rests() if isinstance(one, Theorem)), key=rank)
        return Steps(goal.counts, _cases(goal), rules)
    return None


def _cases(goal: Goal) -> int:
    return sum(map(_cases, goal.cases)) if goal.cases else 1
