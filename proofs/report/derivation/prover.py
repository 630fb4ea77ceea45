"""All that derivations ask of the kernel and of the search: what things are, normal forms, and how a goal goes to 0.

Nothing here proves. What is needed again (a normal form, the steps that a goal takes) is taken from the proof's
own session, while the registry that it was made in is still the kernel's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ...check.formulas import formulas
from ...interpret.evaluate import Evaluator, positions
from ...kernel import index
from ...kernel.index import Index, declared, facts, name, position, reach, variable
from ...kernel.inequalities import implied
from ...kernel.rules import Rewriting
from ...kernel.term import DEFINED, INVERSE, INVERSE_NUMBER, Factor, Monomial, Term, body, entry
from ...kernel.term import function_of as function_name
from ...kernel.theorem import Theorem
from ...language.claim import Claim
from ...search.normal import simplified, tidied, tidy
from ...search.proving import proving
from ...search.session import Lemma, Proving
from ...search.steps import rewriting
from ...search.unfolding import at_constant_times

Pairs = Iterable[tuple[Monomial, Fraction]]


# What is declared.


def is_size(v: int) -> bool:
    """Whether a variable is a size."""
    return v in index.current.sizes


def number_of(one: Index) -> int:
    """The number of a declared variable."""
    return next(v for v, _ in one.terms)


def ends(v: int) -> tuple[Index, Index | None]:
    """low and high of a declared position: low ≤ v < high; None if there is no high."""
    low = high = None
    for e in declared(v):
        if e.coefficient(v) == 1:
            low = variable(v) - e
        else:
            high = e + variable(v) + 1
    if low is None:
        raise ValueError(f"{name(v)} has no least value")
    return low, high


def is_equation(g: Index, guards: Sequence[Index]) -> bool:
    """Whether [g ≥ 0] among these guards says g = 0."""
    known = [*facts(v for h in guards for v in h.variables() if v > 0), *guards]
    return bool(g.terms) and implied(g * -1, known)


# What factors are.


def inverse_of(f: Factor, bound: int) -> Pairs | None:
    """What 1/(…) is taken of."""
    if function_name(f) != INVERSE and f.name != INVERSE_NUMBER:
        return None
    return body(f, bound)


def function_of(f: Factor, bound: int) -> tuple[str, Pairs] | None:
    """The name and the argument of a value of a function."""
    found = function_name(f)
    return None if found is None else (found, body(f, bound))


def meaning(f: Factor, bound: int, session: Proving) -> Pairs | None:
    """What a name for a term stands for; None for a factor that is none."""
    if function_name(f) == DEFINED:
        return body(f, bound)
    if f.name not in session.recursions:
        return None
    recursion, k = session.recursions[f.name]
    if recursion.first[k].parts != recursion.step[k].parts:
        return None
    state = recursion.states[k]
    images = {number_of(v): e for v, e in zip((*state.at, *state.given), f.at[1:], strict=True)}
    every = [(m.after(bound), c) for m, c in recursion.first[k].parts.items()]
    return [(m.substitute(images, m.bound), c) for m, c in every]


def opened(pairs: Pairs, session: Proving) -> list[tuple[Monomial, Fraction]]:
    """The monomials without names for terms, where they stand alone or for one monomial."""
    found = []
    for m, c in pairs:
        for f in m.factors:
            meant = meaning(f, m.bound, session)
            every = None if meant is None else list(meant)
            if every is not None and (len(every) < 2 or m.factors == (f,)):
                rest = m.divided(f)
                more = [
                    (Monomial(n.bound, m.guards | n.guards, rest.joined(n).factors), c * d)
                    for n, d in every
                ]
                found += opened(more, session)
                break
        else:
            found += _possible(m, c)
    return found


def _possible(m: Monomial, c: Fraction) -> list[tuple[Monomial, Fraction]]:
    """The monomial without guards that hold at all sizes; none if one holds at no size."""
    plain = [g for g in m.guards if all(map(is_size, g.variables()))]
    known = facts(v for g in plain for v in g.variables())
    if any(g.const < 0 and not g.terms for g in plain):
        return []
    return [(m._replace(guards=m.guards.difference(g for g in plain if implied(g, known))), c)]


def inverse_named(one: str) -> tuple[int, Pairs]:
    """How many positions the argument of an inverse mentions, and the argument at bound indices −1, −2, … for them."""
    arity = index.current.bodies[one].arity
    at = tuple(variable(-k) for k in range(1, arity + 1))
    return arity, body(Factor(one, at), arity)


def split_positions(session: Proving, f: Factor) -> tuple[Sequence[Index], Sequence[Index]]:
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


def product(session: Proving, f: Factor, bound: int) -> Running:
    """The product that a factor stands for; `running` is the bound index after `bound` others."""
    recursion, k = session.recursions[f.name]
    state, n = recursion.states[k], number_of(recursion.time)
    own = state.entry(recursion.time, state.at).parts
    (before,) = next(iter(own)).factors
    count, places = f.at[0], f.at[1:]
    images = {number_of(v): e for v, e in zip((*state.at, *state.given), places, strict=True)}
    turn = {m.divided(before): c for m, c in recursion.step[k].parts.items()}
    runs = any(n in m.variables() for m in turn)
    low, running = Index(0), None
    if runs:
        low, running = places[0], -bound - 1
        images[n] = variable(running) - low
    depth = bound + runs
    formula = []
    for m, c in turn.items():
        moved = m.after(depth)
        formula.append((moved.substitute(images, moved.bound), c))
    return Running(formula, running, low, low + count, count)


def is_closed_form(lemma: Lemma, session: Proving) -> bool:
    """Whether a lemma says what a whole state is; the interpretation has used it then wherever the state stood."""
    (factor, _), *others = lemma.claims
    recursion, k = session.recursions[factor.name]
    state = recursion.states[k]
    return not others and factor.at[1:] == (*state.at, *state.given)


def forwards(m: Monomial) -> Monomial:
    """The monomial with bound indices reflected that stand backwards more often than not: Σ_i x[t − 1 − i]."""
    for v in range(-1, -m.bound - 1, -1):
        signs = [e.coefficient(v) for f in m.factors for e in f.at if e.coefficient(v)]
        highs = [g for g in m.guards if g.coefficient(v) == -1]
        lows = [g for g in m.guards if g.coefficient(v) == 1]
        if sum(signs) < 0 and lows and highs:
            low, high = nearest(v, lows, highs)
            m = m.substitute({v: high - low + variable(v)}, m.bound)
    return m


def nearest(v: int, lows: Sequence[Index], highs: Sequence[Index]) -> tuple[Index, Index]:
    """The two guards that are said as the range of v: from a number, if from one of them, up to another index."""

    def free(g: Index) -> set[int]:
        return set(g.variables()) - {v}

    low = min(lows, key=lambda g: (any(map(is_size, free(g))), bool(free(g)), g))
    high = min(highs, key=lambda g: (all(map(is_size, free(g))), g))
    return low, high


def unfolded(factor: Factor, session: Proving) -> Term:
    """A state at time t + 1 by its definition, as written there."""
    work = Rewriting(entry(factor.name, *factor.at))
    rewriting([session.definition(factor.name)[1]])(work, 0)
    return _in_terms_of_states(work, session)


def states_in(term: Term, session: Proving) -> set[str]:
    """The states with a closed form that a term mentions, also by what its names and functions are of."""
    found: set[str] = set()
    waiting = [f.name for m in term.parts for f in m.factors]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in session.closed:
            found.add(name)
        elif name in index.current.bodies:
            pairs = index.current.bodies[name].body
            waiting += [f.name for m, _ in pairs for f in m.factors]
    return found


def as_defined(term: Term, session: Proving) -> Term:
    """A term in normal form, but for states, which stay what they are."""
    return _in_terms_of_states(Rewriting(term), session)


def _in_terms_of_states(work: Rewriting, session: Proving) -> Term:
    before = session.closed, session.reduced
    # Names of terms go by what states are at each time, too.
    session.closed, session.reduced = {}, session.stated
    try:
        tidy(work)
    finally:
        session.closed, session.reduced = before
    return work.term()


def by_rules(term: Term, rules: Sequence[Theorem], session: Proving) -> Term:
    """The term by these theorems wherever they apply; what a turn wrote stays, for it was made of what others wrote."""
    kept = [one for name in session.kept for one in session.definition(name)]
    used = [rule for rule in rules if rule not in kept]
    return tidied(term, [rewriting(used), at_constant_times(session)])


def rank(rule: Theorem) -> int:
    """Which of all theorems it is, in the order in which they were made."""
    return index.current.theorems.index(rule)


def before_last(when: Index) -> Index:
    """A time t with t + 1 in the range of `when`."""
    v = number_of(when)
    length = declared(v)[1] + when
    return position("t", 0, length)


def resting(used: Iterable[Any]) -> list[Theorem]:
    """The theorems among these, and all that they rest on, in the order in which they were made."""
    found: set[Theorem] = set()
    waiting = [one for one in used if isinstance(one, Theorem)]
    while waiting:
        rule = waiting.pop()
        if rule not in found:
            found.add(rule)
            waiting += [one for one in rule.used if isinstance(one, Theorem)]
    return sorted(found, key=rank)


def inverses(theorems: Iterable[Theorem], rules: Iterable[Theorem]) -> list[str]:
    """The names of the inverses 1/T that were taken for such."""
    found = {one for t in (*theorems, *rules) for one in t.used if isinstance(one, str)}
    return sorted(found, key=lambda one: list(index.current.bodies).index(one))


# Interpreting and proving.


@contextmanager
def interpreted(
    claim: Claim,
) -> Iterator[tuple[Proving, dict[str, Index], list[tuple[Term, Term]]]]:
    """The claim's sizes and equations with symbols for sizes, unproved; they mean something inside the `with` only.

    Raises:
        NotItself, Unreadable, KernelError, or what a body raises that cannot do with symbols.
    """
    with proving() as current:
        found = formulas(claim, current)
        equations = [
            (left.term, simplified(right.entry(left.at))) for left, right in found.equations
        ]
        yield current, found.sizes, equations


def is_nonzero(
    term: Term, session: Proving, sizes: Mapping[str, Index], example: Mapping[str, Any]
) -> bool:
    """Whether a term has another value than 0 somewhere, at a counterexample's sizes and inputs."""
    at = {number_of(e): example["sizes"][name] for name, e in sizes.items()}

    def entries(name: str, place: tuple[Any, ...]) -> Fraction:
        if name not in example["inputs"]:
            return (
                Fraction(1) + place[0] + place[0] ** 2
            )  # a function of which only its name is known
        value = example["inputs"][name]
        for n in place:
            value = value[n]
        return Fraction(value)

    evaluator = Evaluator(entries, session)
    mentioned = reach(v for m in term.parts for v in m.variables() if v > 0)
    free = sorted(mentioned - index.current.sizes)
    try:
        return any(evaluator.value(term, place) for place in positions(free, at))
    except (ArithmeticError, LookupError, ValueError):
        return False
