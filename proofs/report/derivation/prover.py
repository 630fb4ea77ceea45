"""All that derivations ask of the kernel and of the search: what things are, normal forms, and how a goal goes to 0.

Nothing here proves anything. What is asked again (a normal form, the steps that a goal takes) is asked of the proof's
own session, while the registry that it was made in is still the kernel's.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ...evidence.all_sizes import Proof, prove, read
from ...kernel import index
from ...kernel.errors import KernelError
from ...kernel.index import Index, declared, facts, name, position, variable
from ...kernel.inequalities import implied
from ...kernel.rules import Goal, Rewriting
from ...kernel.term import (
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    Factor,
    Monomial,
    Term,
    body,
    entry,
    put,
)
from ...kernel.term import function_of as function_name
from ...kernel.theorem import Recursion, Rule, State, Theorem
from ...language.claim import Claim
from ...reading.size import Unreadable
from ...search.normal import Step, residues, rewriting, show_zero, tidy
from ...search.session import Lemma, Session, session
from ...search.unfolding import at_constant_times, later_ones, unfold_once

__all__ = [
    "Factor",
    "Index",
    "KernelError",
    "Lemma",
    "Monomial",
    "Proof",
    "Recursion",
    "Rule",
    "Session",
    "State",
    "Term",
    "Theorem",
    "Unreadable",
    "declared",
    "name",
    "prove",
    "put",
    "variable",
]

Pairs = Iterable[tuple[Monomial, Fraction]]
Share = tuple[tuple[Index, ...], Fraction]
"""Guards and a coefficient."""


# What is declared.


def is_size(v: int) -> bool:
    return v in index.current.sizes


def number_of(one: Index) -> int:
    """The number of a declared variable."""
    return one.terms[0][0]


def ends(v: int) -> tuple[Index, Index]:
    """low and high of a declared position: low ≤ v < high."""
    low = high = None
    for e in declared(v):
        if e.coefficient(v) == 1:
            low = variable(v) - e
        else:
            high = e + variable(v) + 1
    if low is None or high is None:
        raise ValueError(f"{name(v)} has no two ends")
    return low, high


def is_equation(g: Index, guards: Sequence[Index]) -> bool:
    """Whether [g ≥ 0] among these guards says g = 0."""
    known = [*facts(v for h in guards for v in h.variables() if v > 0), *guards]
    return bool(g.terms) and implied(g * -1, known)


# What factors are.


def is_number(f: Factor) -> bool:
    return f.name == NUMBER


def inverse_of(f: Factor, bound: int) -> Pairs | None:
    """What 1/(…) is taken of."""
    if function_name(f) != INVERSE and f.name != INVERSE_NUMBER:
        return None
    return body(f, bound)


def function_of(f: Factor, bound: int) -> tuple[str, Pairs] | None:
    """The name and the argument of a value of a function."""
    found = function_name(f)
    return None if found is None else (found, body(f, bound))


def inverse_named(one: str) -> tuple[int, Callable[[Sequence[Index]], Pairs]]:
    """Of the function with this name how many positions its body mentions, and the body at some positions."""
    function = index.current.bodies[one]
    return function.arity, lambda at: body(Factor(one, tuple(at)), 0)


def split_positions(session: Session, f: Factor) -> tuple[Sequence[Index], Sequence[Index]]:
    """A state's positions but for the time: those of its axes, and those that its recursion is given."""
    recursion, k = session.recursions[f.name]
    axes = len(recursion.states[k].at)
    return f.at[1 : axes + 1], f.at[axes + 1 :]


@dataclass(frozen=True)
class Running:
    """Π_{low ≤ running < high} formula, or formula^count where nothing runs."""

    formula: list[tuple[Monomial, Fraction]]
    running: int | None
    low: Index
    high: Index
    count: Index


def product(session: Session, f: Factor, bound: int) -> Running:
    """The product that a factor stands for; `running` is the bound index after `bound` others."""
    recursion, k = session.recursions[f.name]
    state, n = recursion.states[k], number_of(recursion.time)
    own = state.entry(recursion.time, state.at).parts
    (before,) = next(iter(own)).factors
    count, places = f.at[0], f.at[1:]
    images = {
        number_of(v): e for v, e in zip((*state.at, *state.given), places, strict=True)
    }
    runs = any(n in m.variables() for m in _without(recursion.step[k], before))
    low, running = Index(0), None
    if runs:
        low, running = places[0], -bound - 1
        images[n] = variable(running) - low
    depth = bound + runs
    formula = []
    for m, c in _without(recursion.step[k], before).items():
        moved = m.after(depth)
        formula.append((moved.put(images, moved.bound), c))
    return Running(formula, running, low, low + count, count)


def _without(term: Term, gone: Factor) -> dict[Monomial, Fraction]:
    result = {}
    for m, c in term.parts.items():
        factors = list(m.factors)
        factors.remove(gone)
        result[m._replace(factors=tuple(factors))] = c
    return result


def is_closed_form(lemma: Lemma, session: Session) -> bool:
    """Whether a lemma says what a whole state is; the reading has used it then wherever the state stood."""
    (factor, _), *others = lemma.claims
    recursion, k = session.recursions[factor.name]
    state = recursion.states[k]
    return not others and factor.at[1:] == (*state.at, *state.given)


def forwards(m: Monomial) -> Monomial:
    """The monomial with bound indices reflected that stand backwards more often than not: Σ_i x[t − 1 − i]."""
    for v in range(-1, -m.bound - 1, -1):
        signs = [e.coefficient(v) for f in m.factors for e in f.at if e.coefficient(v)]
        highs = [g + variable(v) for g in m.guards if g.coefficient(v) == -1]
        lows = [variable(v) - g for g in m.guards if g.coefficient(v) == 1]
        if sum(signs) < 0 and len(lows) == len(highs) == 1:
            m = m.put({v: lows[0] + highs[0] - variable(v)}, m.bound)
    return m


# Normal forms, and how a goal goes to 0.


def simplified(term: Term) -> Term:
    """An equal term without needless guards, nothing being known of states."""
    return _merged(_tidied(term, []))


def _lengthened(term: Term) -> Term:
    """F(n) + Σ_{i < n} F(i) is Σ_{i < n + 1} F(i)."""
    known = facts(term.scope)
    parts = dict(term.parts)
    found = True
    while found:
        found = False
        for m, c in list(parts.items()):
            for longer, last in _next(m, known) if m.bound else ():
                if parts.get(last) == c and m in parts:
                    del parts[m], parts[last]
                    parts[longer] = parts.get(longer, Fraction(0)) + c
                    found = True
                    break
            if found:
                break
    return Term(parts, term.scope)


def _next(m: Monomial, known: Sequence[Index]) -> Iterator[tuple[Monomial, Monomial]]:
    """The monomial with one more term of a sum, and that term: the one after the last, or before the first."""
    for v in range(-1, -m.bound - 1, -1):
        ends = [g for g in m.guards if g.coefficient(v)]
        if sorted(g.coefficient(v) for g in ends) != [-1, 1]:
            continue
        rest = m.guards - set(ends)
        for end, other in (ends, ends[::-1]):
            c = end.coefficient(v)
            past = (variable(v) * c - end - 1) * c  # the first index outside at this end
            inside = other.put({v: past})
            if not implied(inside, [*known, *rest]):
                continue
            one = Monomial(m.bound, rest, m.factors).put({v: past}, m.bound).without(v)
            scope = {w for w in one.variables() if w > 0} | {w for e in known for w in e.variables()}
            try:
                (last,) = _tidied(Term({one: Fraction(1)}, scope), []).parts
            except (KernelError, ValueError):
                continue
            yield m._replace(guards=rest | {other, end + 1}), last


def normal_form(term: Term, session: Session) -> Term:
    """An equal term in normal form; states are what the session's lemmas say."""
    also = [at_constant_times(session)]
    if session.lemmas:
        also.append(rewriting(session.lemmas))
    return _lengthened(_tidied(_merged(_tidied(term, also)), also))


def _tidied(term: Term, also: Sequence[Step]) -> Term:
    work = Rewriting(term)
    tidy(work, also)
    return work.term()


def _merged(term: Term) -> Term:
    """[t = e] F(t) is [t = e] F(e): used where a like monomial has F(e). Then the guards of like monomials join."""
    known = facts(term.scope)
    shapes = {(m.bound, m.factors) for m in term.parts}
    groups: dict[tuple, list[Share]] = {}
    for m, c in term.parts.items():
        shape = (m.bound, m.factors)
        for image in _images(m, known):
            moved = m.put(image, m.bound)
            if moved.factors != m.factors and (m.bound, moved.factors) in shapes:
                shape = (m.bound, moved.factors)
                break
        groups.setdefault(shape, []).append((tuple(m.guards), c))
    parts: dict[Monomial, Fraction] = {}
    for (bound, factors), shares in groups.items():
        for guards, c in _joined(shares, known):
            m = Monomial(bound, frozenset(guards), factors)
            parts[m] = parts.get(m, Fraction(0)) + c
    return Term(parts, term.scope)


def _joined(shares: list[Share], known: Sequence[Index]) -> list[Share]:
    """[p] [q] + [p] [not q] is [p]."""
    for n, (one, c) in enumerate(shares):
        for k, (other, d) in enumerate(shares[:n]):
            common = tuple(g for g in one if g in other)
            if c == d and not residues([(one, c), (other, c), (common, -c)], known):
                rest = [s for place, s in enumerate(shares) if place not in (n, k)]
                return _joined([*rest, (common, c)], known)
    return shares


def _images(m: Monomial, known: Sequence[Index]) -> Iterable[dict[int, Index]]:
    """What the monomial's guards say that free variables are."""
    rows = [*known, *m.guards]
    for g in sorted(m.guards, key=lambda g: g.key):
        if g.terms and all(v > 0 for v in g.variables()) and implied(g * -1, rows):
            yield from ({v: variable(v) - g * c} for v, c in g.terms if abs(c) == 1)


class Counted(Goal):
    """A goal that counts how often each rule is used, in its cases too."""

    counts: Counter[str]

    def __getattribute__(self, attribute: str) -> Any:
        if attribute in RULES:
            self.counts[attribute] += 1
        return super().__getattribute__(attribute)

    def split(self, guard: Index) -> None:
        super().split(guard)
        for case in self.cases:
            case.__class__ = Counted
            case.counts = self.counts  # type: ignore[attr-defined]


RULES = frozenset(["regroup", "eliminate", "count", "rewrite", "cancel", "clear"])


@dataclass
class Steps:
    """How a difference went to 0: how often each rule was used, the cases, and what it rests on."""

    counts: Counter[str] = field(default_factory=Counter)
    cases: int = 1
    rests_on: list[Rule] = field(default_factory=list)


def steps(
    left: Term, right: Term, session: Session, times: set[int] | None = None
) -> Steps | None:
    """The steps from left − right to 0; None if it goes another way than by those tried here.

    Args:
        times: in the step of an induction the variables of its time.
    """
    known: list[Step] = [at_constant_times(session)]
    if session.lemmas:
        known.append(rewriting(session.lemmas, divide=True))
    later = later_ones(session)
    ways: list[tuple[list[Step], bool]] = [(known, False), ([*known, later], False), (known, True)]
    if times is not None:
        ways = [(known, True)]
    for also, unfolds in ways:
        goal = Counted(left - right)
        goal.counts = Counter()
        try:
            if unfolds:
                unfold_once(goal, session, times or set())
            show_zero(goal, also)
        except KernelError:
            continue
        rules = sorted((one for one in goal.used if isinstance(one, Rule)), key=_rank)
        return Steps(goal.counts, _cases(goal), rules)
    return None


def _rank(rule: Rule) -> int:
    return index.current.rules.index(rule)


def _cases(goal: Goal) -> int:
    return sum(map(_cases, goal.cases)) if goal.cases else 1


def unfolded(factor: Factor, session: Session) -> Term:
    """A state at time t + 1 by its definition, as written there."""
    work = Rewriting(entry(factor.name, *factor.at))
    rewriting([session.definition(factor.name)[1]])(work, 0)
    tidy(work)
    return work.term()


def by_rules(term: Term, rules: Sequence[Rule], session: Session) -> Term:
    """The term by these theorems wherever they apply."""
    work = Rewriting(term)
    tidy(work, [rewriting(rules), at_constant_times(session)])
    return work.term()


def before_last(when: Index) -> Index:
    """A time t with t + 1 in the range of `when`."""
    v = number_of(when)
    length = declared(v)[1] + when
    return position("t", 0, length)


def resting(used: Iterable[Any]) -> list[Rule]:
    """The theorems among these, and all that they rest on, in the order in which they were made."""
    found: set[Rule] = set()
    waiting = [one for one in used if isinstance(one, Rule)]
    while waiting:
        rule = waiting.pop()
        if rule not in found:
            found.add(rule)
            waiting += [one for one in rule.used if isinstance(one, Rule)]
    return sorted(found, key=_rank)


def inverses(theorems: Iterable[Theorem], rules: Iterable[Rule]) -> list[str]:
    """The names of the inverses 1/T that were taken for such."""
    found = {one for t in (*theorems, *rules) for one in t.used if isinstance(one, str)}
    return sorted(found, key=lambda one: list(index.current.bodies).index(one))


def plain(function: Any) -> Any:
    """The function that decorators wrap."""
    return inspect.unwrap(function)


# Reading and proving.


@contextmanager
def reading(claim: Claim) -> Iterator[tuple[Session, list[tuple[Term, Term]]]]:
    """The claim's equations with symbols for sizes, unproved; they mean something inside the `with` only.

    Raises:
        Unreadable, KernelError, or what a body raises that cannot do with symbols.
    """
    with session() as current:
        found = read(claim, current)
        yield current, [(left.term, right.entry(left.at)) for left, right in found.equations]
