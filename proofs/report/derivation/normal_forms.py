"""Normal forms as they are printed.

Beyond the search's own normal form sums are joined here, so that a reader sees Σ_{i ≤ t} and not a sum and its last
term. Nothing rests on this: the equations shown are the kernel's theorems already.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from fractions import Fraction

from ...kernel.errors import KernelError
from ...kernel.index import Index, facts, variable
from ...kernel.inequalities import implied, regions
from ...kernel.term import Monomial, Term
from ...search.normal import tidied
from ...search.session import Proving
from ...search.steps import rewriting
from ...search.unfolding import at_constant_times

Share = tuple[tuple[Index, ...], Fraction]
"""Guards and a coefficient."""


def simplified(term: Term) -> Term:
    """An equal term without needless guards, nothing being known of states."""
    return _merged(tidied(term, []))


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


def _next(m: Monomial, known: Collection[Index]) -> Iterator[tuple[Monomial, Monomial]]:
    """The monomial with one more term of a sum, and that term: the one after the last, or before the first."""
    for v in range(-1, -m.bound - 1, -1):
        ends = [g for g in m.guards if g.coefficient(v)]
        if sorted(g.coefficient(v) for g in ends) != [-1, 1]:
            continue
        rest = m.guards - set(ends)
        for end, other in (ends, ends[::-1]):
            c = end.coefficient(v)
            past = (variable(v) * c - end - 1) * c  # the first index outside at this end
            inside = other.substitute({v: past})
            if not implied(inside, [*known, *rest]):
                continue
            one = Monomial(m.bound, rest, m.factors).substitute({v: past}, m.bound).without(v)
            scope = {w for w in one.variables() if w > 0} | {
                w for e in known for w in e.variables()
            }
            try:
                (last,) = tidied(Term({one: Fraction(1)}, scope), []).parts
            except (KernelError, ValueError):
                continue
            yield m._replace(guards=rest | {other, end + 1}), last


def normal_form(term: Term, session: Proving) -> Term:
    """An equal term in normal form; states are what the session's lemmas say."""
    also = [at_constant_times(session)]
    if session.lemmas:
        also.append(rewriting(session.lemmas))
    return _lengthened(tidied(_merged(tidied(term, also)), also))


def _merged(term: Term) -> Term:
    """[t = e] F(t) is [t = e] F(e): used where a like monomial has F(e). Then the guards of like monomials join."""
    known = facts(term.scope)
    shapes = {(m.bound, m.factors) for m in term.parts}
    groups: dict[tuple, list[Share]] = {}
    for m, c in term.parts.items():
        shape = (m.bound, m.factors)
        for image in _images(m, known):
            moved = m.substitute(image, m.bound)
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


def _joined(shares: list[Share], known: Collection[Index]) -> list[Share]:
    """[p] [q] + [p] [not q] is [p]."""
    for n, (one, c) in enumerate(shares):
        for k, (other, d) in enumerate(shares[:n]):
            common = tuple(g for g in one if g in other)
            split = regions([(one, c), (other, c), (common, -c)], frozenset(known))
            if c == d and not any(sum(values) for _, values in split):
                rest = [s for place, s in enumerate(shares) if place not in (n, k)]
                return _joined([*rest, (common, c)], known)
    return shares


def _images(m: Monomial, known: Collection[Index]) -> Iterable[dict[int, Index]]:
    """What the monomial's guards say that free variables are."""
    rows = [*known, *m.guards]
    for g in sorted(m.guards):
        if g.terms and all(v > 0 for v in g.variables()) and implied(g * -1, rows):
            yield from ({v: variable(v) - g * c} for v, c in g.terms if abs(c) == 1)
