"""A monomial as a square of a sum, times the rest of it: Σ_κ Σ_λ u_κ v_κ u_λ v_λ = (Σ_κ u_κ v_κ)²."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from ...inequalities.norms import linked
from ...kernel.index import Index, variable
from ...kernel.term import Factor, Monomial, Term
from ..normal import simplified


def as_square(
    q: Monomial, is_product: Callable[[Monomial], bool], scope: frozenset[int]
) -> tuple[Monomial, Term] | None:
    """(r, t) with q = r t² and r ≥ 0, where there is one."""
    groups = _groups(q)
    loose = [(vs, fs) for vs, fs in groups if not vs]
    sums = [(vs, fs) for vs, fs in groups if vs]
    taken: list[Monomial] = []
    rest = list(sums)
    half: list[tuple[frozenset[int], list[Factor]]] = []
    terms = [_own(q, vs, fs) for vs, fs in sums]
    forms = [simplified(Term({m: Fraction(1)}, scope)).parts for m in terms]
    used: set[int] = set()
    for a in range(len(sums)):
        for b in range(a + 1, len(sums)):
            if a not in used and b not in used and dict(forms[a]) == dict(forms[b]):
                used |= {a, b}
                taken.append(terms[a])
                half.append(sums[a])
                break
    if not taken:
        return None
    rest = [one for k, one in enumerate(sums) if k not in used]
    remaining = [f for _, fs in (*loose, *rest) for f in fs]
    r = _own(q, frozenset(v for vs, _ in rest for v in vs), remaining, free=True)
    # A factor of its own that is not ≥ 0 may belong to the square.
    if not is_product(r):
        return None
    square = Monomial(0, frozenset(), ())
    for one in taken:
        square = square.times(one)
    return r, Term({square: Fraction(1)}, scope)


def _groups(q: Monomial) -> list[tuple[frozenset[int], list[Factor]]]:
    """Factors that hang together by bound indices."""
    own = [{v for v in f.variables() if v < 0} for f in q.factors]
    return [(frozenset(inside), [q.factors[k] for k in ks]) for inside, ks in linked(own)]


def _own(
    q: Monomial, vs: frozenset[int], factors: Sequence[Factor], free: bool = False
) -> Monomial:
    """The part of a monomial with these bound indices; the guards without any go with the rest."""
    bound = frozenset(range(-q.bound, 0))
    guards = [
        g
        for g in q.guards
        if (g.variables() & bound and g.variables() & bound <= vs)
        or (free and not g.variables() & bound)
    ]
    names: dict[int, Index] = {
        v: variable(-k) for k, v in enumerate(sorted(vs, reverse=True), start=1)
    }
    m = Monomial(q.bound, frozenset(guards), tuple(sorted(factors)))
    return m.substitute(names, len(vs)) if names else m._replace(bound=0)
