"""What the search has shown so far, by number, with the step that shows it; and the certificate that comes of it.

The steps are gone through as the check goes through them, but equations are believed here: they are proved at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

from ...inequalities.certificate import (
    Certificate,
    Given,
    Induction,
    Placed,
    Rewritten,
    Side,
    Sign,
    Timed,
)
from ...inequalities.check import Rules
from ...inequalities.numbers import renumbered, used
from ...inequalities.statements import Inequality, Problem, same
from ...kernel.index import Index, declared, reach, variable
from ...kernel.rules import has_values
from ...kernel.term import Term


@dataclass(frozen=True, eq=False)
class Supposed:
    """The hypotheses of one induction."""


@dataclass(frozen=True, eq=False)
class _Hypothesis:
    of: Supposed
    place: int


@dataclass(frozen=True, eq=False)
class _Conclusion:
    of: Supposed
    time: int
    claims: tuple[Timed, ...]
    start: tuple[int, ...]
    later: tuple[int, ...]
    place: int


def _unasked(one: Term, other: Term) -> NoReturn:
    raise AssertionError("the search needs no equations")


class Book(Rules):
    """All that is known, wherever: also within inductions that are tried."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem, _unasked)
        self.steps: list[Any] = []
        """For each number the step."""

    def equal(self, one: Term, other: Term) -> None:
        """Believed."""

    def add(self, step: Any) -> int:
        """The number of what a step shows."""
        self.take(step)
        self.steps.append(step)
        return len(self.steps) - 1

    def note(self, step: Any, shows: Inequality) -> int:
        """The same where it is known what the step shows."""
        self.facts.append(shows)
        self.rests.append(frozenset())
        self.steps.append(step)
        return len(self.steps) - 1

    def hypothesis(self, hypothesis: int) -> int:
        """Note a hypothesis of the problem; its number among what is known."""
        return self.note(Given(hypothesis), self.problem.hypotheses[hypothesis])

    def with_sides(
        self,
        fact: int,
        left: Side | None = None,
        right: Side | None = None,
        signs: Sequence[Sign] = (),
    ) -> int:
        """The number of a fact with other sides; its own if they are the same."""
        one = self.facts[fact]
        sides = (left, one.left), (right, one.right)
        if all(side is None or same(side.term, old) for side, old in sides):
            return fact
        return self.add(Rewritten(fact, left, right, tuple(signs)))

    def dropped(self, fact: int) -> int:
        """The same without the variables that it no longer speaks of, where these have values."""
        while True:
            one = self.facts[fact]
            spoken = {v for t in (one.left, one.right) for m in t.parts for v in m.variables()}
            spoken = reach([v for v in {*spoken, *one.ends} if v > 0])
            ranges = {v for w in one.variables for g in declared(w) for v in g.variables() - {w}}
            idle = [v for v in one.variables - spoken - ranges if has_values(v)]
            if not idle:
                return fact
            v = max(idle)
            low = variable(v) - declared(v)[0] if declared(v) else Index(0)
            fact = self.add(Placed(fact, ((v, low),)))

    def suppose(self, statements: Sequence[Inequality]) -> tuple[Supposed, list[int]]:
        """An induction's hypotheses."""
        of = Supposed()
        return of, [self.note(_Hypothesis(of, k), one) for k, one in enumerate(statements)]

    def conclude(
        self,
        of: Supposed,
        time: int,
        claims: Sequence[Timed],
        start: Sequence[int],
        later: Sequence[int],
    ) -> list[int]:
        """What an induction shows."""
        parts = of, time, tuple(claims), tuple(start), tuple(later)
        return [self.note(_Conclusion(*parts, k), one.statement) for k, one in enumerate(claims)]

    def certificate(self, goals: Sequence[int]) -> Certificate:
        """The steps that lead to the goals."""
        writer = _Writer(self)
        numbers = tuple(writer.number(goal) for goal in goals)
        return Certificate(self.problem, tuple(writer.frames[0].steps), numbers)


@dataclass
class _Frame:
    """A list of steps, of the certificate or within an induction."""

    of: Supposed | None
    count: int
    """How many facts are known at its end."""
    steps: list[Any]
    numbers: dict[Any, int]


class _Writer:
    def __init__(self, book: Book) -> None:
        self.book = book
        self.frames = [_Frame(None, 0, [], {})]
        self.open = cache(self._open)

    def _open(self, number: int) -> frozenset[Supposed]:
        """The inductions within which alone this is known."""
        made = self.book.steps[number]
        if isinstance(made, _Hypothesis):
            return frozenset([made.of])
        inner = frozenset().union(*map(self.open, used(made)))
        return inner - {made.of} if isinstance(made, _Conclusion) else inner

    def number(self, number: int) -> int:
        """What it is called in the certificate; the steps that show it are written there if they are not yet."""
        made = self.book.steps[number]
        key = (made.of, made.place) if isinstance(made, _Hypothesis | _Conclusion) else number
        for frame in self.frames:
            if key in frame.numbers:
                return frame.numbers[key]
        wanted = self.open(number)
        while self.frames[-1].of is not None and self.frames[-1].of not in wanted:
            raise AssertionError("what an induction needs from outside is written before it")
        if isinstance(made, _Conclusion):
            self._write_induction(made)
            return self.number(number)
        step = renumbered(made, self.number)
        return self._add(step, [key])

    def _add(self, step: Any, keys: Sequence[Any]) -> int:
        frame = self.frames[-1]
        frame.steps.append(step)
        for key in keys:
            frame.numbers[key] = frame.count
            frame.count += 1
        return frame.count - 1

    def _write_induction(self, made: _Conclusion) -> None:
        start = tuple(map(self.number, made.start))
        self._write_outer(made)
        outer = self.frames[-1]
        keys = [(made.of, k) for k in range(len(made.claims))]
        hypotheses = {key: outer.count + k for k, key in enumerate(keys)}
        inner = _Frame(made.of, outer.count + len(keys), [], hypotheses)
        self.frames.append(inner)
        later = tuple(map(self.number, made.later))
        self.frames.pop()
        step = Induction(made.time, made.claims, start, tuple(inner.steps), later)
        self._add(step, keys)

    def _write_outer(self, made: _Conclusion) -> None:
        """What the induction's steps need that is known without its hypotheses."""
        around = {frame.of for frame in self.frames}
        waiting, seen = list(made.later), set[int]()
        while waiting:
            n = waiting.pop()
            if n in seen:
                continue
            seen.add(n)
            if self.open(n) <= around:
                self.number(n)
            else:
                waiting += used(self.book.steps[n])
