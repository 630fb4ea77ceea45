"""What attacks are made of: steps asked for by hand, and the two sides that they get called equal."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, cast

from scanproof.proofs.interpret.terms import indicator, number, substitute
from scanproof.proofs.kernel import index
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import Index, position, size, variable
from scanproof.proofs.kernel.recursion import Recursion, State, new_state
from scanproof.proofs.kernel.rules import Goal, Rewriting, equation
from scanproof.proofs.kernel.term import Factor, Monomial, Term, as_term
from scanproof.proofs.kernel.theorem import Theorem
from scanproof.proofs.search.proving import proving
from scanproof.proofs.search.session import current

from ..hostile import Values

Sides = tuple[Any, Any]
Attack = Callable[[], Sides]
ATTACKS: dict[str, Attack] = {}
"""By the name of the check that stops it."""


def succeeds(attack: Attack) -> bool:
    """Whether the attack gets two different values called equal."""
    with proving():
        try:
            left, right = attack()
        except KernelError:
            return False
        return left != right


def stopped_by(*names: str) -> Callable[[Attack], Attack]:
    def note(attack: Attack) -> Attack:
        ATTACKS.update(dict.fromkeys(names, attack))
        return attack

    return note


def at(*pairs: tuple[Index, int]) -> dict[int, int]:
    return {e.terms[0][0]: n for e, n in pairs}


def valued(left: Term, right: Term, place: dict[int, int]) -> Sides:
    values = Values()
    return values.value(left, place), values.value(right, place)


def shown(
    left: Term | int, right: Term | int, place: dict[int, int], *steps: Callable[[Goal], Any]
) -> Sides:
    """The values of two sides that these steps show to be equal."""

    def all_steps(goal: Goal, _: Sequence[Theorem]) -> None:
        for step in steps:
            step(goal)

    theorem = equation(as_term(left), as_term(right), all_steps)
    return valued(cast(Term, theorem.left), theorem.right, place)


def monomial_with(goal: Rewriting, *names: str) -> int:
    """The number of the first monomial with all of these among its factors' names."""
    for k, (m, _) in goal.parts.items():
        if set(names) <= {f.name for f in m.factors}:
            return k
    raise LookupError(names)


def emptied(goal: Goal) -> None:
    """All monomials whose guards contradict one another go, and needless guards too."""
    for k in list(goal.parts):
        for new in ([], [((), 1)]):
            try:
                goal.regroup(k, new)
                break
            except KernelError:
                continue


def regrouped(goal: Goal, ks: Sequence[int], new: Sequence[tuple[Any, Any]]) -> None:
    """Monomials that differ in guards only become others."""
    _, whole = goal.parts[ks[0]]
    rest = [(goal.parts[k][0].guards, -goal.parts[k][1]) for k in ks[1:]]
    goal.regroup(ks[0], [(guards, c / whole) for guards, c in (*new, *rest)])


def over(
    *ends: tuple[int, Index], factors: Sequence[Factor] = (), scope: Sequence[Index] = ()
) -> Term:
    """Σ over bound indices 0 ≤ b < end, for the ends in turn, of factors."""
    guards = [g for v, end in ends for g in (variable(v), end - 1 - variable(v))]
    names = {v for e in (*scope, *(end for _, end in ends)) for v in e.variables()}
    return Term({Monomial(len(ends), frozenset(guards), tuple(factors)): Fraction(1)}, names)


B1, B2 = variable(-1), variable(-2)


def X(e: Index) -> Factor:
    return Factor("X", (e,))


def Y(e: Index) -> Factor:
    return Factor("Y", (e,))


ONCE: list[Attack] = []


def once(attack: Attack) -> Attack:
    ONCE.append(attack)
    return attack


def split_at(half: Any) -> Sides:
    """t ≥ ½ or t ≤ −½: t = 0 is in neither case."""
    t = position("t", 0)

    def halves(goal: Goal) -> None:
        goal.split(t - half)
        for case in goal.cases:
            emptied(case)

    return shown(indicator(t * -1), 0, at((t, 0)), halves)


def zero_and_one(term: Term, apart: int = 0) -> Sides:
    """A sum without end, and the same from the next index on, which is taken from it."""

    def shifted(goal: Goal) -> None:
        (k,) = [k for k, (_, c) in goal.parts.items() if c < 0]
        goal.rename(k, [{-1: B1 + 1}])

    def told_apart(goal: Goal) -> None:
        ks = [k for k, (m, _) in goal.parts.items() if m.bound]
        regrouped(goal, ks, [([B1 - apart, B1 * -1 + apart], Fraction(1))])
        goal.one_point(monomial_of(goal, 1), -1, Index(apart))
        emptied(goal)

    equation(term, as_term(0), lambda goal, _: shifted(goal))
    equation(term, as_term(1), lambda goal, _: told_apart(goal))
    return 0, 1


def product_of_inverses(i: Index, inverted: Term) -> Sides:
    """i · (1/i) is 1 for all i, and 0 for i = 0."""

    def cancelled(goal: Goal) -> None:
        k = monomial_with(goal, "#")
        names = [f.name for f in goal.parts[k][0].factors]
        goal.cancel(k, names.index("1/#"), names.index("#"))

    def counted(goal: Goal) -> None:
        k = monomial_with(goal, "#")
        goal.number(k, [f.name for f in goal.parts[k][0].factors].index("#"))

    term = number(i) * inverted
    equation(term, as_term(1), lambda goal, _: cancelled(goal))
    equation(substitute(term, {i: Index(0)}), as_term(0), lambda goal, _: counted(goal))
    return 1, 0


def monomial_of(goal: Rewriting, bound: int) -> int:
    return next(k for k, (m, _) in goal.parts.items() if m.bound == bound)


def defined(first: Term, step: Callable[[State, Index], Term] | None = None, **given: Any) -> Any:
    """A recursion with one state over 0 ≤ t < N."""
    time = given["time"] if "time" in given else position("t", 0, size("N", 1))
    state = given["state"] if "state" in given else new_state("S", [], [])
    after = state.entry(time, list(state.at)) if step is None else step(state, time)
    made = Recursion(time, [state], [first], [after])
    current().add(made)
    return made


def by(rule: Theorem, **images: Index) -> Callable[[Goal], None]:
    """A rule applied once to its factor, with the same index for all variables unless told otherwise."""

    def step(goal: Goal) -> None:
        name = cast(Factor, rule.left).name
        k = monomial_with(goal, name)
        place = [f.name for f in goal.parts[k][0].factors].index(name)
        table = {v: images.get(index.name(v), Index(0)) for v in rule.over}
        goal.rewrite(k, place, rule, table)

    return step
