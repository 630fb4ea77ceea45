"""Products over a range as two: Π_{lo ≤ r < hi} = Π_{lo ≤ r < mid} Π_{mid ≤ r < hi}, and γ^(a + b) = γ^a γ^b.

A product is split where it meets the inverse of one part, or where another monomial has it in more parts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from ..kernel.errors import KernelError
from ..kernel.index import Index, position
from ..kernel.induction import induction
from ..kernel.inequalities import implied
from ..kernel.rules import Goal, Rewriting
from ..kernel.term import INVERSE, INVERSE_NUMBER, Factor, Monomial, body, entry, function_of
from ..kernel.theorem import Theorem
from .session import Proving
from .steps import Step, at_constant_times, rewriting
from .zero import show_zero


def splitting(session: Proving) -> Step:
    """A step that splits a product of a monomial in two."""

    def step(work: Rewriting, k: int) -> bool:
        m, _ = work.parts[k]
        for place, f in enumerate(m.factors):
            if f.name not in session.recursions or not session.is_product(f.name):
                continue
            for count in _counts(work, m, f):
                if part(work, k, place, count, session):
                    return True
        return False

    return step


def part(work: Rewriting, k: int, place: int, count: Index, session: Proving) -> bool:
    """The product of the first `count` factors, times that of the rest; whether there are so many."""
    m, _ = work.parts[k]
    f = m.factors[place]
    rows = [*work.known, *m.guards]
    if not all(implied(e, rows) for e in (count, f.at[0] - count)):
        return False
    rule = _rule(f.name, session)
    if rule is None:
        return False
    left = cast(Factor, rule.left)
    first = left.at[0].terms[0][0]
    images = dict.fromkeys(rule.over, f.at[0] - count)  # the time and its end
    images[first] = count
    images |= {e.terms[0][0]: at for e, at in zip(left.at[1:], f.at[1:], strict=True)}
    work.rewrite(k, place, rule, images)
    return True


def _counts(work: Rewriting, m: Monomial, f: Factor) -> Iterator[Index]:
    """How many factors the first part may have: as many as one that the monomial divides by, or another's."""
    for g in m.factors:
        if function_of(g) == INVERSE and g.name != INVERSE_NUMBER:
            for n, _ in body(g, m.bound):
                yield from (h.at[0] for h in n.factors if _alike(f, h) and h != f)
    own = [g for g in m.factors if _alike(f, g)]
    for n, _ in work.parts.values():
        others = [g for g in n.factors if _alike(f, g)]
        if len(others) > len(own) and not (_sum(others) - _sum(own)).terms:
            yield from (g.at[0] for g in others if g not in own)


def _sum(factors: Iterable[Factor]) -> Index:
    return sum((f.at[0] for f in factors), start=Index(0))


def _alike(f: Factor, g: Factor) -> bool:
    """Whether two products differ in the number of their factors only."""
    return f.name == g.name and f.at[1:] == g.at[1:]


def _rule(name: str, session: Proving) -> Theorem | None:
    """P[a + n] = P[a] P[n], the second part beginning where the first ends; None where that was not shown."""
    if name not in session.parted:
        session.parted[name] = None  # while it is looked for
        with contextlib.suppress(KernelError):
            session.parted[name] = _shown(name, session)
    return session.parted[name]


def _shown(name: str, session: Proving) -> Theorem:
    """By induction over the length of the second part, of which one factor is taken."""
    recursion, which = session.recursions[name]
    given = recursion.states[which].given
    first, count = position("a", 0), position("m", 0)
    when = position("t", 0, count + 1)
    moved = (given[0] + first, *given[1:]) if name in session.ranged else given
    turn = session.definition(name)[1]

    def peeled(goal: Goal, rules: Sequence[Theorem]) -> None:
        for k, (m, _) in list(goal.parts.items()):
            for f in m.factors:
                if f.name == name and f.at[0].const > 0:
                    rewriting([turn], only=f)(goal, k)
        show_zero(goal, [at_constant_times(session), rewriting(rules)])

    two = entry(name, first, *given) * entry(name, when, *moved)
    (rule,) = induction(when, [(Factor(name, (first + when, *given)), two)], peeled)
    return rule
