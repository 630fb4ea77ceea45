"""Steps with arguments drawn at random: whatever step the kernel takes, the sum must keep its value.

Values are found by enumeration. A state outside the range of its recursion is any number at all.
"""

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any, cast

from scanproof.proofs.interpret.array import reciprocal
from scanproof.proofs.interpret.evaluate import Evaluator, at_index, positions
from scanproof.proofs.interpret.terms import inverse, number, positions_in, substitute, total
from scanproof.proofs.kernel import index as declarations
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import Index, position, size, variable
from scanproof.proofs.kernel.inequalities import negation
from scanproof.proofs.kernel.recursion import Recursion, new_state
from scanproof.proofs.kernel.rules import Goal
from scanproof.proofs.kernel.term import (
    EXP,
    INVERSE,
    Factor,
    Monomial,
    Term,
    apply,
    body,
    entry,
    function_of,
)
from scanproof.proofs.kernel.theorem import Theorem
from scanproof.proofs.search.exponents import exponential
from scanproof.proofs.search.instances import by_pattern
from scanproof.proofs.search.normal import simplified
from scanproof.proofs.search.proving import proving
from scanproof.proofs.search.session import current
from scanproof.proofs.search.steps import matched

from .recipes import at, entries, evaluated, function, recipe, some_lin
from .terms import PLACES, REFUSALS, FalseAccept, declared, index, kernel_term

SMALL = ((1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (2, 3))

WIDE = 6
"""Where an index has no ends because no value of it counts, it is seen that none up to this one does."""


class Values(Evaluator):
    """An evaluator for which what is not defined is any number."""

    def __init__(self) -> None:
        super().__init__(self._entry, current())

    def _entry(self, name: str, spots: tuple[Any, ...]) -> Any:
        known = all(isinstance(n, int) for n in spots)
        return Fraction(entries(name, spots) if known else function(name, spots[0]))

    def _sum(self, pairs: Any, at: dict[int, int], bound: int = 0) -> Any:
        """Guards may contradict one another where nothing else holds an index; then there is nothing to sum."""
        result = Fraction(0)
        for m, c in pairs:
            try:
                result = result + super()._sum([(m, c)], at, bound)
            except ValueError:
                fences = [
                    Index(WIDE, {-k: s}) for k in range(bound + 1, m.bound + 1) for s in (1, -1)
                ]
                fenced = m._replace(guards=m.guards | set(fences))
                result = result + super()._sum([(fenced, c)], at, bound)
        return result

    def _state(self, name: str, spots: tuple[int, ...], place: dict[int, int]) -> Any:
        recursion, k = self.recursions[name]
        state = recursion.states[k]
        time = recursion.time.terms[0][0]
        names = [v.terms[0][0] for v in (*state.at, *state.given)]
        here = {**place, **dict(zip(names, spots[1:], strict=True)), time: max(spots[0] - 1, 0)}
        facts = [
            e for v in (*names, *([time] if spots[0] else [])) for e in declarations.declared(v)
        ]
        if spots[0] < 0 or any(at_index(e, here) < 0 for e in facts):
            return self._entry(name, spots)
        return super()._state(name, spots, place)


def grown(of: Term) -> Term:
    return apply(EXP, of, positions_in(of))


class Trial:
    """A random sum, and what it is worth where."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        n, m = size("N", 1), size("M", 1)
        t = position("t", 0, n + 1)
        self.known: dict[str, Any] = {"N": n, "M": m, "t": t}
        self.rules = self._recursion(t)
        parts = [self._summand() for _ in range(rng.choice((1, 2)))]
        self.goal = Goal(sum(parts[1:], start=parts[0]))
        numbers = [e.terms[0][0] for e in (n, m)]
        free = sorted(self.goal.scope | {t.terms[0][0]} - set(numbers))
        free = [v for v in free if v not in numbers]
        places = [
            place
            for pair in SMALL
            for place in positions(free, dict(zip(numbers, pair, strict=True)))
        ]
        self.places = rng.sample(places, min(5, len(places)))

    def _recursion(self, t: Index) -> list[Theorem]:
        """S[0, i] = X[i], S[s + 1, i] = Y[s, i] S[s, i] + X[s] for s < N, i < M."""
        self.s, self.i = position("s", 0, self.known["N"]), position("i", 0, self.known["M"])
        state = new_state("S", [self.i], [])
        self.known["S"] = state
        step = entry("Y", self.s, self.i) * state.entry(self.s, [self.i]) + entry("X", self.s)
        made = Recursion(self.s, [state], [entry("X", self.i)], [step])
        current().add(made)
        return list(made.definitions[0])

    def _summand(self) -> Term:
        rng, known = self.rng, self.known
        made = kernel_term(recipe(rng, ["N", "M", "t", "t"], rng.choice((1, 2, 2))), known, False)
        if (
            rng.random() < 0.6
        ):  # sums over alike and unlike indices, with states, numbers and fractions
            j = position("j", rng.choice((0, 1)), rng.choice((known["N"], known["M"], known["t"])))
            k = position("k", 0, rng.choice((known["N"], known["M"], j)))
            at = lambda e: e * rng.choice((1, 1, -1)) + rng.choice((0, 0, 1))  # noqa: E731
            body = rng.choice(
                (
                    entry("Y", at(j), at(k)),
                    known["S"].entry(at(rng.choice((j, known["t"]))), [at(k)]),
                    entry("X", at(j)),
                    number(at(j)),
                    inverse(number(j + 1), ()) * entry("X", at(k)) * number(j + 1),
                    entry("X", at(j)) * reciprocal(entry("X", at(j))) * entry("Y", at(k), at(j)),
                    grown(entry("X", at(j))) * grown(entry("X", at(k)) - entry("X", at(j))),
                )
            )
            for one in (k, j) if rng.random() < 0.7 else (k,):
                body = total(body, one)
            made = made * body if rng.random() < 0.3 else made + body
        if rng.random() < 0.5:
            made = made * known["S"].entry(rng.choice((0, known["t"], known["t"] + 1)), [0])
        if rng.random() < 0.3:
            made = made * reciprocal(rng.choice((entry("X", known["t"]), 1 + entry("Z"))))
        return made

    # Arguments.

    def _monomial(self) -> tuple[int, Monomial]:
        k = self.rng.choice(list(self.goal.parts))
        return k, self.goal.parts[k][0]

    def _variable(self, m: Monomial) -> int:
        return self.rng.choice([*range(-1, -m.bound - 1, -1), *m.variables(), -m.bound - 1, 1])

    def _index(self, m: Monomial) -> Index:
        result = Index(self.rng.choice((0, 0, 1, -1)))
        for _ in range(self.rng.choice((0, 1, 1, 2))):
            result = result + variable(self._variable(m)) * self.rng.choice((1, 1, -1, 2))
        return result

    def _guard(self, m: Monomial) -> Index:
        """One of its guards, or nearly."""
        if m.guards and self.rng.random() < 0.7:
            return self.rng.choice(list(m.guards)) + self.rng.choice((0, 0, 1, -1))
        return self._index(m)

    def step(self) -> None:
        """One step; the sum is compared with what it was.

        Raises:
            KernelError: if the kernel does not take the step.
            FalseAccept: if it does, and a value has changed.
        """
        name, old = self.rng.choice(STEPS), self.goal.term()
        factor = getattr(self, f"_{name}")()
        if self.goal.cases:
            for place in self.places:
                if _known(self.goal, place) and not any(_known(g, place) for g in self.goal.cases):
                    raise FalseAccept(f"{name}: {place} is in no case")
            self.goal = self.rng.choice(self.goal.cases)
        new = self.goal.term()
        before, after = Values(), Values()
        for place in self.places:
            if not _known(self.goal, place):
                continue
            try:
                times = factor(place) if factor else 1
                if after.value(new, place) != before.value(old, place) * times:
                    raise FalseAccept(f"{name} at {place}: {old.parts}\n -> {new.parts}")
            except ZeroDivisionError:
                continue

    def _regroup(self) -> None:
        k, m = self._monomial()
        alike = [
            (other.guards, c / self.goal.parts[k][1])
            for other, c in self.goal.parts.values()
            if other[::2] == m[::2]
        ]
        guard = self._guard(m)
        less = m.guards - {self.rng.choice([*m.guards, guard])}
        new = self.rng.choice(
            (
                [],
                [(less, 1)],
                [(less | {guard}, 1)],
                [(m.guards | {guard}, 1), (m.guards | {negation(guard)}, 1)],
                [(m.guards | {guard}, 1), (m.guards | {guard * -1}, 1)],
                [(m.guards | {guard}, 1)],
                [(m.guards, 1), (m.guards | {guard}, 1), (m.guards | {guard}, -1)],
                [(guards, -c) for guards, c in alike if guards != m.guards],
                [(m.guards, 2), (less, -1)],
            )
        )
        self.goal.regroup(k, new)

    def _one_point(self) -> None:
        k, m = self._monomial()
        v = self._variable(m)
        image = self._index(m)
        guard = self._guard(m)
        c = guard.coefficient(v)
        if abs(c) == 1 and self.rng.random() < 0.7:
            image = variable(v) - guard * c
        self.goal.one_point(k, v, image)

    def _divide(self) -> None:
        k, m = self._monomial()
        if m.bound < 4:
            self.goal.divide(k, self._index(m), self.rng.choice((1, 2, 2, 3, 4, 0, -2)))

    def _rename(self) -> None:
        k, m = self._monomial()
        ways = []
        for _ in range(self.rng.choice((0, 1, 1, 1, 2, 3))):
            own = list(range(-1, -m.bound - 1, -1))
            names = self.rng.sample(own, len(own))
            if self.rng.random() < 0.2 and own:
                names[0] = self.rng.choice([*own, -m.bound - 1])
            images = {}
            for v, w in zip(own, names, strict=True):
                sign = self.rng.choice((1, 1, -1, 2 if self.rng.random() < 0.2 else 1))
                images[v] = variable(w) * sign
                if self.rng.random() < 0.4:
                    images[v] = images[v] + self._index(m)
            if self.rng.random() < 0.1 and images:
                images.popitem()
            ways.append(images)
        self.goal.rename(k, ways)

    def _place(self, m: Monomial) -> int:
        return self.rng.randrange(-1, len(m.factors) + 1)

    def _number(self) -> None:
        k, m = self._monomial()
        self.goal.number(k, self._place(m))

    def _count(self) -> None:
        k, m = self._monomial()
        self.goal.count(k, self._variable(m))

    def _rewrite(self) -> None:
        k, m = self._monomial()
        place = self._place(m)
        pool = [*self.rules, *(r for n in current().recursions for r in current().definition(n))]
        if self.rng.random() < 0.8 and m.factors:
            place = self.rng.randrange(len(m.factors))
            name = m.factors[place].name
            pool = [r for r in pool if cast(Factor, r.left).name == name] or pool
        rule = self.rng.choice(pool)
        images = None
        if 0 <= place < len(m.factors) and self.rng.random() < 0.8:
            images = matched(cast(Factor, rule.left), rule.over, m.factors[place])
        if images is None:
            images = {v: self._index(m) for v in rule.over}
        self.goal.rewrite(k, place, rule, images)

    def _cancel(self) -> None:
        k, m = self._monomial()
        places = range(-len(m.factors), len(m.factors) + 1)
        one, other = self.rng.choice(places), self.rng.choice(places)
        inverses = [n for n, f in enumerate(m.factors) if function_of(f) == INVERSE]
        if inverses and self.rng.random() < 0.9:
            one = self.rng.choice(inverses)
            inside = {f for t, _ in body(m.factors[one], m.bound) for f in t.factors}
            alike = [n for n, f in enumerate(m.factors) if f in inside]
            if alike and self.rng.random() < 0.7:
                other = self.rng.choice(alike) - self.rng.choice((0, 0, len(m.factors)))
        self.goal.cancel(k, one, other)

    def _exponents(self) -> None:
        """Values of exp for others: what they are taken of is dealt out anew, at times not quite."""
        k, m = self._monomial()
        places = [n for n, f in enumerate(m.factors) if function_of(f) == EXP]
        places = [n for n in places if self.rng.random() < 0.8]
        if self.rng.random() < 0.2:
            places.append(self._place(m))
        of = [pair for n in places for pair in self._argument(m, n)]
        if self.rng.random() < 0.2:
            extra = self._argument(m, 0) or [(m._replace(guards=frozenset()), 1)]
            of += [(n, c * self.rng.choice((1, -1, 2))) for n, c in extra]
        if self.rng.random() < 0.2 and of:
            of.pop()
        shares: list[Any] = [[] for _ in range(self.rng.choice((0, 1, 1, 2)))]
        for pair in of if shares else ():
            self.rng.choice(shares).append(pair)
        self.goal.exponents(k, places, [exponential(one, m.bound) for one in shares])

    def _alike(self) -> None:
        """A value of a function by its pattern, which is at times that of another value, or stands elsewhere."""
        k, m = self._monomial()
        every = [f for n, _ in self.goal.parts.values() for f in n.factors if _is_value(f)]
        own = [n for n, f in enumerate(m.factors) if _is_value(f)]
        place = self.rng.choice(own) if own and self.rng.random() < 0.9 else self._place(m)
        of = m.factors[place] if place in own and self.rng.random() < 0.7 else None
        new = by_pattern(of or self.rng.choice(every))
        if new.at and self.rng.random() < 0.2:
            new = new._replace(at=(new.at[0] + self.rng.choice((-1, 1)), *new.at[1:]))
        self.goal.alike(k, place, new)

    def _argument(self, m: Monomial, n: int) -> list[Any]:
        inside = 0 <= n < len(m.factors) and function_of(m.factors[n]) is not None
        return list(body(m.factors[n], m.bound)) if inside else []

    def _split(self) -> None:
        _, m = self._monomial()
        self.goal.split(self._guard(m))

    def _clear(self) -> Callable[[dict[int, int]], Any]:
        k, m = self._monomial()
        place = self.rng.randrange(max(1, len(m.factors)))
        factor = m.factors[place]
        self.goal.clear(k, place)
        values = Values()
        return lambda place: 1 / values._factor(factor, place, 0)


def _is_value(f: Factor) -> bool:
    return function_of(f) is not None and f.name in declarations.current.bodies


def _known(goal: Goal, place: dict[int, int]) -> bool:
    return all(at_index(e, place) >= 0 for e in goal.known)


STEPS = ("regroup",) * 4 + (
    "one_point",
    "one_point",
    "divide",
    "rename",
    "number",
    "count",
    "count",
    "rewrite",
    "rewrite",
    "cancel",
    "exponents",
    "alike",
    "split",
    "clear",
)


def steps(rng: random.Random, sums: int, each: int = 25) -> Counter:
    """How many steps were tried on random sums.

    Raises:
        FalseAccept: if one of them changed a value.
    """
    seen: Counter = Counter()
    for _ in range(sums):
        with proving():
            try:
                trial = Trial(rng)
            except (KernelError, ZeroDivisionError):
                continue
            for _ in range(each):
                if not trial.goal.parts:
                    break
                try:
                    trial.step()
                    seen["taken"] += 1
                except (KernelError, LookupError):
                    seen["refused"] += 1
    return seen


def putting(rng: random.Random, count: int) -> Counter:
    """How many terms, simplified within the range of a variable, were then read at another index, or refused.

    Raises:
        FalseAccept: if one of them has another value there than its recipe.
    """
    seen: Counter = Counter()
    for _ in range(count):
        r = recipe(rng, ["N", "t", "v", "v"], 2)
        to, fence = some_lin(rng, ["N", "t"]), some_lin(rng, ["N", "t"])
        low, more = rng.choice((0, 1)), rng.choice((0, 1))
        with proving():
            known = declared()
            free = position("v", low, known["N"] + more)
            try:
                made = kernel_term(r, {**known, "v": free}, True)
                where = [index(fence, known)]
                moved = simplified(substitute(made, {free: index(to, known)}, where))
            except REFUSALS:
                seen["refused"] += 1
                continue
            seen["put"] += 1
            values = Values()
            for place in PLACES:
                here = {known[name].terms[0][0]: n for name, n in place.items()}
                inside = at(fence, place) >= 0
                try:
                    expected = evaluated(r, {**place, "v": at(to, place)}) if inside else 0
                except ZeroDivisionError:
                    continue
                if values.value(moved, here) != expected:
                    raise FalseAccept(f"{r} with {to} for v where {fence} ≥ 0, at {place}")
    return seen


def values(rng: random.Random, count: int) -> Counter:
    """How many terms have the value of their recipe, as they are made and in normal form.

    Raises:
        FalseAccept: if one has another.
    """
    seen: Counter = Counter()
    for _ in range(count):
        r = recipe(rng, ["N", "M", "t"], 3)
        with proving():
            known = declared()
            try:
                forms = [kernel_term(r, known, tidy) for tidy in (False, True)]
            except REFUSALS:
                continue
            evaluator = Values()
            for place in rng.sample(PLACES, 3):
                here = {known[name].terms[0][0]: n for name, n in place.items()}
                try:
                    expected = evaluated(r, place)
                    seen["compared"] += 1
                    if any(evaluator.value(form, here) != expected for form in forms):
                        raise FalseAccept(f"{r} has another value at {place}")
                except ZeroDivisionError:
                    continue
    return seen
