"""Showing that a term is 0. Every rule keeps the value of a term wherever the facts given to it hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ..reading import labelling  # a search: nothing that it finds is believed unchecked
from .errors import IllTyped, NotProved, TooHard
from .index import Index, facts, variable
from .inequalities import contradictory, implied, negation
from .term import HOLE, NUMBER, Factor, Monomial, Term, collected, number

STEPS = 20_000
"""One equation may take this many steps: monomials rewritten, cases distinguished."""

Known = tuple[Index, ...]


class Budget:
    """Counts steps down; what takes too many is too hard."""

    def __init__(self) -> None:
        self.left = STEPS

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooHard(f"an equation of more than {STEPS} steps")


class Part(NamedTuple):
    """coefficient · monomial."""

    monomial: Monomial
    coefficient: Fraction


def simplified(term: Term) -> Term:
    """An equal term in normal form: like monomials collected, equations and needless guards eliminated."""
    parts = _parts(term)
    return Term(collected(_normal(parts, facts(term.scope), Budget())), term.scope)


def show_zero(term: Term, also: Iterable[Index] = ()) -> None:
    """Return if the term is 0 for all values of its scope, given also the facts `also`.

    Raises:
        NotProved: if the rules do not show it; what is left is named.
        TooHard: if a cap is exceeded.
    """
    _show_zero(_parts(term), (*facts(term.scope), *also), Budget())


def _parts(term: Term) -> list[Part]:
    return [Part(m, c) for m, c in term.monomials.items()]


def _show_zero(parts: Sequence[Part], known: Known, budget: Budget) -> None:
    budget.spend()
    if contradictory(known):
        return
    parts, known = _without_free_equations(parts, known)
    parts = _normal(parts, known, budget)
    for part in parts:
        for guard in sorted(part.monomial.guards, key=repr):
            if all(v > 0 for v in guard.variables()):  # decided by no bound index: two cases
                _show_zero(parts, (*known, guard), budget)
                _show_zero(parts, (*known, negation(guard)), budget)
                return
    parts = _normal(_times_denominators(parts, known), known, budget)
    if not parts:
        return
    most = max(p.monomial.bound for p in parts)
    groups: dict[tuple[Factor, ...], list[tuple[Fraction, Known]]] = {}
    for part in parts:
        if part.monomial.bound == most:
            same = _relabelled(part.monomial)
            for m in same:
                share = (part.coefficient / len(same), tuple(m.guards))
                groups.setdefault(m.factors, []).append(share)
    left = []
    for factors, shares in groups.items():
        for region, coefficient in _residues(shares, known, budget):
            guards = frozenset(region[len(known) :])
            left.append(Part(Monomial(most, guards, factors), coefficient))
    left = _normal(left, known, budget)
    stuck = [p for p in left if p.monomial.bound >= most]
    if stuck:
        raise NotProved(f"left over: {stuck[0].coefficient} · {stuck[0].monomial}")
    rest = [p for p in parts if p.monomial.bound < most]
    _show_zero([*rest, *left], known, budget)


def _residues(
    shares: list[tuple[Fraction, Known]], context: Known, budget: Budget
) -> list[tuple[Known, Fraction]]:
    """Σ coefficient · [guards] as a sum over disjoint regions, those with coefficient 0 left out."""
    budget.spend()
    live = []
    for coefficient, guards in shares:
        rest = tuple(g for g in guards if not implied(g, context))
        if not contradictory([*context, *rest]):
            live.append((coefficient, rest))
    undecided = sorted({g for _, rest in live for g in rest}, key=repr)
    if not undecided:
        coefficient = sum((c for c, _ in live), start=Fraction(0))
        return [(context, coefficient)] if coefficient else []
    guard = undecided[0]
    outside = _residues(live, (*context, negation(guard)), budget)
    return _residues(live, (*context, guard), budget) + outside


def _without_free_equations(parts: Sequence[Part], known: Known) -> tuple[list[Part], Known]:
    """Where the facts say that a free variable equals an index, that index is put for it."""
    for fact in known:
        solved = _solved(fact, lambda v: v > 0)
        if solved is not None and implied(fact * -1, known):
            images = dict([solved])
            rest = tuple(e for e in (k.put(images) for k in known) if e.terms)
            new = [Part(m.put(images, m.bound), c) for m, c in parts]
            return _without_free_equations(new, rest)
    return list(parts), known


def _solved(equation: Index, wanted: Callable[[int], bool]) -> tuple[int, Index] | None:
    """(v, e) such that equation = 0 says v = e, for a wanted variable v with coefficient ±1."""
    for v, c in equation.terms:
        if abs(c) == 1 and wanted(v):
            return v, variable(v) - equation * c
    return None


def _times_denominators(parts: Sequence[Part], known: Known) -> list[Part]:
    """All parts times the denominators 1/T that no bound index enters, T ≠ 0: the sum is 0 if it was 0 before."""
    most: dict[Term, int] = {}
    for m, _ in parts:
        for f in set(m.factors):
            if f.of is not None and all(v > 0 for v in f.variables()):
                most[f.of] = max(most.get(f.of, 0), m.factors.count(f))
    for of in most:
        _expect_nonzero(of, known)
    result = []
    for m, c in parts:
        kept = tuple(f for f in m.factors if f.of not in most)
        product = Term({m._replace(factors=kept): c})
        for of, power in most.items():
            for _ in range(power - sum(f.of == of for f in m.factors)):
                product = product * of
        result += _parts(product)
    return result


def _expect_nonzero(of: Term, known: Known) -> None:
    """An index's number must be nonzero by what is known; that any other denominator is, is a side condition."""
    index = of.as_index()
    if index is not None and not (implied(index - 1, known) or implied(index * -1 - 1, known)):
        raise NotProved(f"the denominator {index!r} may be 0")


def _normal(parts: Iterable[Part], known: Known, budget: Budget) -> list[Part]:
    result: list[tuple[Monomial, Fraction]] = []
    waiting = list(parts)
    while waiting:
        budget.spend()
        part = waiting.pop()
        guards = _needed(part.monomial.guards, known)
        if guards is None:
            continue
        part = part._replace(monomial=part.monomial._replace(guards=guards))
        for rule in RULES:
            new = rule(part.monomial, known)
            if new is not None:
                waiting += [Part(m, part.coefficient * c) for m, c in new]
                break
        else:
            same = _relabelled(part.monomial)
            result.append((min(same, key=labelling.fences), part.coefficient))
    return [Part(m, c) for m, c in collected(result).items() if c]


def _needed(guards: Iterable[Index], known: Known) -> frozenset[Index] | None:
    """The guards that the facts and the other guards do not imply; None if they contradict one another."""
    rows = sorted({g.tight() for g in guards}, key=repr)
    if contradictory([*known, *rows]):
        return None
    for g in list(rows):
        others = [h for h in rows if h != g]
        if implied(g, [*known, *others]):
            rows = others
    return frozenset(rows)


Rewritten = list[Part] | None
"""What a rule makes of a monomial with coefficient 1; None where it does not apply."""


def _equation(m: Monomial, known: Known) -> Rewritten:
    """Σ_j [j = e] F(j) = F(e). Guards are kept, with e for j."""
    rows = [*known, *m.guards]
    for guard in sorted(m.guards, key=repr):
        solved = _solved(guard, lambda v: v < 0)
        if solved is not None and implied(guard * -1, rows):
            v, image = solved
            return [Part(_without(m.put({v: image}, m.bound), v), Fraction(1))]
    return None


def _without(m: Monomial, gone: int) -> Monomial:
    """The monomial with the last bound index renamed to the one that no longer occurs."""
    images = {} if gone == -m.bound else {-m.bound: variable(gone)}
    return m.put(images, m.bound - 1)


def _number(m: Monomial, known: Known) -> Rewritten:
    """The number of j + 2t + 1 is that of j, plus twice that of t, plus 1; also inside inverses."""
    for k, f in enumerate(m.factors):
        others = m._replace(factors=m.factors[:k] + m.factors[k + 1 :])
        if f.name == NUMBER and (f.at[0].const or [c for _, c in f.at[0].terms] != [1]):
            return _parts(Term({others: Fraction(1)}) * number(f.at[0]))
        if f.of is not None and not f.of.binds():
            flat = Term(collected(p for n, c in f.of.monomials.items() for p in _flat(n, c)))
            value = flat.as_number()
            if value == 0:
                raise IllTyped("division by 0")
            if value is not None:
                return [Part(others, 1 / value)]
            if flat != f.of:
                new = f._replace(of=Term(flat.monomials, f.of.scope))
                return [Part(m._replace(factors=(*others.factors, new)), Fraction(1))]
    return None


def _flat(m: Monomial, c: Fraction) -> list[Part]:
    new = _number(m, ())
    return [Part(m, c)] if new is None else [p for n, d in new for p in _flat(n, c * d)]


def _product(m: Monomial, known: Known) -> Rewritten:
    """Empty products are 1, single factors are entries, and neighbours join: X[lo−1] Π_{lo ≤ r < hi} X[r] X[hi]."""
    rows = [*known, *m.guards]
    for k, f in enumerate(m.factors):
        if f.span is None:
            continue
        rest = m.factors[:k] + m.factors[k + 1 :]
        low, high = f.span
        still = all(HOLE not in e.variables() for e in f.at)
        if implied(low - high, rows):
            return [Part(m._replace(factors=rest), Fraction(1))]
        if still and low != Index(0):
            new = f._replace(span=(Index(0), high - low))
            return [Part(m._replace(factors=(*rest, new)), Fraction(1))]
        ahead = [e - variable(HOLE) for e in f.at if e.coefficient(HOLE) == 1]
        if ahead and ahead[0] != Index(
            0
        ):  # Π_{lo ≤ r < hi} X[r + e] = Π_{lo + e ≤ r < hi + e} X[r]
            at = tuple(e.put({HOLE: variable(HOLE) - ahead[0]}) for e in f.at)
            new = f._replace(at=at, span=(low + ahead[0], high + ahead[0]))
            return [Part(m._replace(factors=(*rest, new)), Fraction(1))]
        if (high - low).terms == () and (high - low).const <= 3:
            single = tuple(_entry(f, low + n) for n in range((high - low).const))
            return [Part(m._replace(factors=rest + single), Fraction(1))]
        if not implied(high - low, rows):
            continue
        for n, g in enumerate(rest):
            others = rest[:n] + rest[n + 1 :]
            span = None
            if g == _entry(f, high):
                span = (low, high + 1)
            elif g == _entry(f, low - 1):
                span = (low - 1, high)
            elif g.span is not None and (g.name, g.at) == (f.name, f.at):
                if still and implied(g.span[1] - g.span[0], rows):
                    span = (low, high + g.span[1] - g.span[0])
                elif g.span[0] == high and implied(g.span[1] - g.span[0], rows):
                    span = (low, g.span[1])
            if span is not None:
                new = f._replace(span=span)
                return [Part(m._replace(factors=(*others, new)), Fraction(1))]
    return None


def _entry(f: Factor, at: Index) -> Factor:
    return Factor(f.name, tuple(e.put({HOLE: at}) for e in f.at))


def _count(m: Monomial, known: Known) -> Rewritten:
    """Σ_j [lo ≤ j ≤ hi] 1 = [hi − lo + 1 ≥ 0] (hi − lo + 1), for an index j that no factor mentions."""
    used = {v for f in m.factors for v in f.variables()}
    for v in range(-1, -m.bound - 1, -1):
        fences = sorted((g for g in m.guards if g.coefficient(v)), key=repr)
        if v in used or any(abs(g.coefficient(v)) != 1 for g in fences):
            continue
        for sign in (1, -1):
            one_side = [g for g in fences if g.coefficient(v) == sign]
            if len(one_side) > 1:  # which of two ends on one side is the nearer one?
                gap = one_side[0] - one_side[1]
                return [
                    Part(m._replace(guards=m.guards - {one_side[0]} | {gap}), Fraction(1)),
                    Part(
                        m._replace(guards=m.guards - {one_side[1]} | {negation(gap)}), Fraction(1)
                    ),
                ]
        if len(fences) == 2:
            length = fences[0] + fences[1] + 1
            rest = _without(m._replace(guards=m.guards - set(fences) | {length}), v)
            length = length.put({-m.bound: variable(v)})
            return _parts(Term({rest: Fraction(1)}) * number(length))
    return None


RULES = (_equation, _number, _product, _count)


def _relabelled(m: Monomial) -> list[Monomial]:
    """The monomial with other names for its bound indices, as found outside: shifts first, then numberings."""
    for v, image in labelling.anchors(m):
        if (
            v >= 0
            or abs(image.coefficient(v)) != 1
            or any(w < 0 for w in (image.variables() - {v}))
        ):
            raise IllTyped("a bound index is shifted or reflected, and nothing else")
        m = m.put({v: image}, m.bound)
    found = []
    for order in labelling.orders(m):
        if sorted(order) != list(range(-m.bound, 0)):
            raise IllTyped("a numbering names each bound index once")
        new = m.put({v: variable(-k) for k, v in enumerate(order, start=1)}, m.bound)
        found.append(new._replace(factors=tuple(sorted(new.factors, key=labelling.written))))
    return found
