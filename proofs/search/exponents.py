"""Products of values of exp in one form: exp of one monomial each, sums over ranges as differences of sums from 0 on.

exp(Σ_{s<r≤t} g[r]) becomes exp(Σ_{r<t} g[r]) exp(g[t]) exp(−Σ_{r<s} g[r]) exp(−g[s]), where 0 ≤ s ≤ t is known. Then
whatever range the decays of a scan, a mask or a chunk run over, equal products look the same. The kernel knows one
law, exp(A) exp(B) = exp(A + B); what a sum is split into is shown by rewriting it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, facts, formal, position, variable
from ..kernel.inequalities import implied, negation
from ..kernel.laws import guards_of, law
from ..kernel.reduction import congruence, reduction
from ..kernel.rules import Rewriting, is_taken
from ..kernel.signs import RELU, ROOT
from ..kernel.term import (
    EXP,
    INVERSE,
    INVERSE_NUMBER,
    STEP,
    ZERO,
    Factor,
    Monomial,
    Pairs,
    Term,
    apply,
    as_index_number,
    body,
    function_of,
)
from ..kernel.theorem import Theorem
from .guards import tight
from .laws import first_of
from .session import current
from .steps import Step, at_formals, images, sum_of, summed

APART = 8
"""The ends of ranges are moved by at most this many places."""
ORDERED = 5
"""Of more positions than this not every order is tried."""
Tidy = Callable[[Rewriting, Sequence[Step]], None]
"""Brings a sum into normal form, by these steps besides."""
Conditions = frozenset[Index]
"""Indices ≥ 0, in a function's positions −1, −2, …"""


def is_exponential(f: Factor) -> bool:
    """Whether the factor is a value of exp."""
    return function_of(f) == EXP


def exponents(work: Rewriting, k: int, tidy: Tidy) -> bool:
    """One step towards values of exp of single monomials, each of which stands once; whether there was one."""
    m, _ = work.parts[k]
    places = [place for place, f in enumerate(m.factors) if is_exponential(f)]
    if not places:
        return inverted(work, k)
    return (
        inverted(work, k)
        or any(_at_zero(work, k, m, place) for place in places)
        or (current().by_guards and any(_told_apart(work, k, m, place) for place in places))
        or (current().by_guards and _from_zero(work, k, m))
        or any(_taken_apart(work, k, m, place, tidy) for place in places)
        or _gathered(work, k, m, places)
    )


def _told_apart(work: Rewriting, k: int, m: Monomial, place: int) -> bool:
    """exp([e ≥ 0] A) = [e ≥ 0] exp(A) + [e < 0], where no guard of the monomial says which it is."""
    f = m.factors[place]
    left = at_formals(f.name, len(f.at))
    rows, at = work.known | m.guards, dict(zip((e.terms[0][0] for e in left.at), f.at, strict=True))
    for n, e in enumerate(guards_of(body(left, 0))):
        guard = e.substitute(at)
        if guard.terms and not implied(guard, rows) and not implied(negation(guard), rows):
            work.rewrite(k, place, law(left, "guards", n), at)
            return True
    return False


def _from_zero(work: Rewriting, k: int, m: Monomial) -> bool:
    """Σ_j [a ≤ j] exp(x[j − a]) is a sum over 0 ≤ j: where values of exp alone speak of an index, it begins with 0."""
    for v in range(-1, -m.bound - 1, -1):
        spoken = [f for f in m.factors if v in f.variables()]
        if not spoken or not all(map(is_exponential, spoken)):
            continue
        ends = [variable(v) - g for g in sorted(m.guards) if g.coefficient(v) == 1]
        low = [e for e in ends if e != Index(0) and min(e.variables(), default=1) > 0]
        if len(ends) == len(low) == 1:
            same = {w: variable(w) for w in range(-1, -m.bound - 1, -1)}
            work.rename(k, [{**same, v: variable(v) + low[0]}])
            return True
    return False


def _taken_apart(work: Rewriting, k: int, m: Monomial, place: int, tidy: Tidy) -> bool:
    f = m.factors[place]
    own = [e.terms[0][0] if _is_variable(e) else 0 for e in f.at]
    if 0 in own or len(set(own)) < len(own) or declarations.current.sizes.intersection(own):
        work.exponents(k, [place], [exponential(body(f, m.bound), m.bound)])
        return True
    rule = _rule(f.name, len(f.at), frozenset(), tidy) or _narrowed(work, m, f, tidy)
    if rule is None:
        return False
    work.rewrite(k, place, rule, images(rule, f))
    return True


def _narrowed(work: Rewriting, m: Monomial, f: Factor, tidy: Tidy) -> Theorem | None:
    """What the value is a product of where the guards of its monomial hold."""
    key = f.name, _closed_in(f.name)
    if key not in current().kinds:
        current().kinds[key] = _wanted(f.name, len(f.at))
    every = current().kinds[key]
    if not every:
        return None
    rows = [*work.known, *m.guards]
    images = {-n: e for n, e in enumerate(f.at, start=1)}
    met = [w for w in every if all(implied(e.substitute(images), rows) for e in w)]
    together = [frozenset().union(*met)] if len(met) > 1 else []
    for conditions in (*together, *met):
        rule = _rule(f.name, len(f.at), conditions, tidy)
        if rule is not None:
            return rule
    return None


def at_zero(work: Rewriting, k: int) -> bool:
    """zero(j − S) zero(k − S) = zero(j − S) zero(k − j) = zero(j − S) [k = j], the same of step; relu(x − x) = 0."""
    m, _ = work.parts[k]
    for place, f in enumerate(m.factors):
        if function_of(f) not in (STEP, ZERO, RELU, ROOT):
            continue
        inside = body(f, m.bound)
        if _is_valued(f, inside, m.bound):
            plain = valued(cast(str, function_of(f)), inside, m.bound)
            if plain != f:  # as where two positions are one
                work.alike(k, place, plain)
                return True
            with suppress(KernelError):  # √2 has no other value
                rule = law(at_formals(f.name, len(f.at)), "value")
                work.rewrite(k, place, rule, images(rule, f))
                return True
        for other, t in _zeros(m, but=place):
            left = _beside(m, place, other, t)
            if left is not None and _is_numbered(left, m.bound):
                work.beside(k, place, other, valued(cast(str, function_of(f)), left, m.bound))
                return True
    return False


def _is_valued(f: Factor, inside: Pairs, bound: int) -> bool:
    """Whether a value is of a number, as √2, or one that is compared with 0, of an index's number."""
    if function_of(f) in (STEP, ZERO):
        return _is_numbered(inside, bound)
    return all(m == Monomial(bound, frozenset(), ()) for m, _ in inside)


def _is_numbered(pairs: Pairs, bound: int) -> bool:
    """Whether a sum is a multiple of the number of an index."""
    return as_index_number(_at_formals(pairs, bound)[0]) is not None


def _at_zero(work: Rewriting, k: int, m: Monomial, place: int) -> bool:
    """zero(T) exp(A + T) = zero(T) exp(A): the first monomial of T is none of an exponent."""
    for other, t in _zeros(m, but=place):
        of = body(m.factors[other], m.bound)
        left = _beside(m, place, other, t) if t == of[first_of(of, current())[0]][0] else None
        if left is not None:
            work.beside(k, place, other, exponential(left, m.bound))
            return True
    return False


def _zeros(m: Monomial, but: int) -> Iterator[tuple[int, Monomial]]:
    """The places of factors zero(T), each with the monomials of T that have factors."""
    for other, p in enumerate(m.factors):
        of = body(p, m.bound) if function_of(p) == ZERO and other != but else []
        if not any(t.guards or t.bound != m.bound for t, _ in of):
            yield from ((other, t) for t, _ in of if t.factors)


def _beside(m: Monomial, place: int, other: int, t: Monomial) -> Pairs | None:
    """What a function is of, less the multiple of T that has this monomial; None if that is not in it."""
    inside, of = (dict(body(m.factors[n], m.bound)) for n in (place, other))
    if t not in inside:
        return None
    share = -inside[t] / of[t]
    left = summed([*inside.items(), *((n, c * share) for n, c in of.items())])
    return [*left.items()]


def _gathered(work: Rewriting, k: int, m: Monomial, places: Sequence[int]) -> bool:
    """exp(c M) exp(d M) = exp((c + d) M), and nothing if that is exp(0)."""
    found: dict[Monomial, list[tuple[int, Fraction]]] = {}
    for place in places:
        inside = body(m.factors[place], m.bound)
        if len(inside) != 1:  # it was not taken apart
            continue
        ((n, c),) = inside
        order = _order(n, tuple(_spoken([(n, c)], m.bound)), m.bound)
        if m.factors[place].at != tuple(map(variable, order)):  # some of them change places
            work.exponents(k, [place], [_atom(n, c, m.bound)])
            return True
        found.setdefault(n, []).append((place, c))
    for n, several in found.items():
        if len(several) > 1:
            c = sum((c for _, c in several), start=Fraction(0))
            new = [_atom(n, c, m.bound)] if c else []
            work.exponents(k, [place for place, _ in several], new)
            return True
    return False


def in_standard_order(term: Term) -> Factor | None:
    """For a value of exp of one monomial the same with its positions in the standard order."""
    ((m, c),) = term.parts.items() if len(term.parts) == 1 else ((None, 0),)
    if m is None or c != 1 or m.bound or m.guards or len(m.factors) != 1:
        return None
    inside = body(m.factors[0], 0) if is_exponential(m.factors[0]) else []
    return _atom(*inside[0]) if len(inside) == 1 else None


def inverted(work: Rewriting, k: int) -> bool:
    """1/exp(A) = exp(A) exp(−A)/exp(A) = exp(−A); whether there was one."""
    m, _ = work.parts[k]
    for f in m.factors:
        if function_of(f) != INVERSE or f.name == INVERSE_NUMBER:
            continue
        inside = body(f, m.bound)
        if len(inside) != 1 or inside[0][0][:2] != (m.bound, frozenset()):
            continue
        grown = inside[0][0].factors
        if len(grown) != 1 or not is_exponential(grown[0]):
            continue
        if not is_taken(f, work.known | m.guards):
            continue
        before = set(work.parts)
        work.exponents(k, [], [grown[0], negative(grown[0], m.bound)])
        for new in set(work.parts) - before:
            factors = work.parts[new][0].factors
            work.cancel(new, factors.index(f), factors.index(grown[0]))
        return True
    return False


def negative(f: Factor, bound: int) -> Factor:
    """exp(−A) for exp(A)."""
    return exponential([(n, -c) for n, c in body(f, bound)], bound)


def merged(work: Rewriting) -> None:
    """A product of values of exp and nothing else as one of them."""
    for k, (m, _) in list(work.parts.items()):
        if len(m.factors) > 1 and all(map(is_exponential, m.factors)) and len(work.parts) == 1:
            pairs = [pair for f in m.factors for pair in body(f, m.bound)]
            work.exponents(k, range(len(m.factors)), [exponential(pairs, m.bound)])


def exponential(pairs: Pairs, bound: int) -> Factor:
    """exp of a sum, as a function of the variables that it mentions."""
    return valued(EXP, pairs, bound)


def valued(function: str, pairs: Pairs, bound: int) -> Factor:
    """A function's value of a sum, as a function of the variables that it mentions."""
    of, spoken = _at_formals(pairs, bound)
    return Factor(
        _apply(of, list(map(formal, range(len(spoken)))), function), tuple(map(variable, spoken))
    )


def _at_formals(pairs: Pairs, bound: int) -> tuple[Term, list[int]]:
    """A sum with formal positions for the variables that it mentions, and these."""
    spoken = _spoken(pairs, bound)
    return moved(pairs, bound, {v: formal(n) for n, v in enumerate(spoken)}), spoken


def _is_variable(e: Index) -> bool:
    return not e.const and len(e.terms) == 1 and e.terms[0][1] == 1


def _spoken(pairs: Pairs, bound: int) -> list[int]:
    """The positions, and the first `bound` bound indices, that monomials mention."""
    found = {v for m, _ in pairs for v in m.variables() if v >= -bound}
    return sorted(found - declarations.current.sizes)


def moved(pairs: Pairs, bound: int, images: dict[int, Index]) -> Term:
    """A sum with free positions for these variables, the first `bound` bound indices among them."""

    def one(m: Monomial) -> Monomial:
        own = {-n: variable(-n + bound) for n in range(bound + 1, m.bound + 1)}
        return m.substitute({**images, **own}, m.bound - bound)

    return sum_of((one(m), c) for m, c in pairs)


def _apply(term: Term, order: Sequence[Index], function: str = EXP) -> str:
    """The name of a function's value of the term as a function of these positions."""
    ((m, _),) = apply(function, term, order).parts.items()
    return m.factors[0].name


def _atom(m: Monomial, c: Fraction, bound: int = 0) -> Factor:
    """exp(c m), its positions in the standard order."""
    order = _order(m, tuple(_spoken([(m, c)], bound)), bound)
    places = [formal(n) for n in range(len(order))]
    images = dict(zip(order, places, strict=True))
    return Factor(_apply(moved([(m, c)], bound, images), places), tuple(map(variable, order)))


@lru_cache(maxsize=20_000)
def _order(m: Monomial, spoken: tuple[int, ...], bound: int) -> tuple[int, ...]:
    """These variables in the order that makes the monomial least."""
    if len(spoken) < 2 or len(spoken) > ORDERED:
        return spoken

    def looks(order: Sequence[int]) -> Any:
        own = {-n: variable(-n - len(order) - 1) for n in range(bound + 1, m.bound + 1)}
        images = {v: variable(-n) for n, v in enumerate(order, start=1)}
        moved = m.substitute({**own, **images}, m.bound)
        return moved.factors, sorted(moved.guards)

    return min(itertools.permutations(spoken), key=looks)


def _wanted(name: str, arity: int) -> tuple[Conditions, ...]:
    """What may be known of the positions and lets a sum in the argument be written more simply."""
    inside = body(Factor(name, tuple(variable(-n) for n in range(1, arity + 1))), arity)
    if len(inside) != 1:  # it was not taken apart
        return ()
    ((m, _),) = inside
    own = range(-arity - 1, -m.bound - 1, -1)
    free = [g for g in m.guards if not any(g.coefficient(v) for v in own)]
    found: list[list[Index]] = [[one] for g in free for one in (g, negation(g))]
    for f in m.factors:
        if f.name in current().closed and not f.variables() & set(own):
            found.append(_times_of(f))
    for v in own:
        fences = [g for g in m.guards if g.coefficient(v) and not g.variables() & (set(own) - {v})]
        for g, h in itertools.permutations(fences, 2):
            c, d = g.coefficient(v), h.coefficient(v)
            if c == d:
                found.append([g - h])
            elif (c, d) == (1, -1):
                found.append([negation(g + h)])
        ends = _ends(m, v, arity)
        if ends is None:
            continue
        low, end = ends
        if low.terms or low.const > 0:
            found.append([low, end - low])
        elif not low.const and end.const and abs(end.const) <= APART:
            found.append([end, end - end.const])
    # A range with an end has a beginning: what lies before a size lies after 0.
    begun = [[*rows, *_above(rows, arity)] for rows in found]
    every = (frozenset(map(tight, rows)) for rows in [*found, *begun])
    return tuple(dict.fromkeys(every))


def _above(rows: Sequence[Index], arity: int) -> list[Index]:
    """That positions are ≥ 0, of those that only have an upper end."""
    ends = {v: min(e.coefficient(v) for e in rows) for e in rows for v, _ in e.terms}
    return [variable(v) for v, least in ends.items() if -arity <= v < 0 and least < 0]


def _times_of(f: Factor) -> list[Index]:
    """Where the closed form of a state is known."""
    rule, more = current().closed[f.name]
    at = {**images(rule, f), **dict.fromkeys(more, f.at[0])}
    return [fact.substitute(at) for v in rule.over for fact in declared(v)]


def _ends(m: Monomial, v: int, outer: int = 0) -> tuple[Index, Index] | None:
    """lo and hi of a bound index lo ≤ v < hi, if it has two ends, which speak of no other."""
    fences = [g for g in m.guards if g.coefficient(v)]
    if sorted(g.coefficient(v) for g in fences) != [-1, 1]:
        return None
    if any(w < -outer and w != v for g in fences for w, _ in g.terms):
        return None
    low = next(variable(v) - g for g in fences if g.coefficient(v) == 1)
    high = next(g + variable(v) + 1 for g in fences if g.coefficient(v) == -1)
    return low, high


def from_zero(work: Rewriting, k: int) -> bool:
    """Σ_{lo ≤ r < hi} as Σ_{r<hi} − Σ_{r<lo}, and Σ_{r<e+1} as Σ_{r<e} and the summand at e."""
    m, _ = work.parts[k]
    for v in range(-1, -m.bound - 1, -1):
        ends = _ends(m, v)
        if ends is None:
            continue
        low, end = ends
        others = frozenset(g for g in m.guards if not g.coefficient(v))
        rows = [*work.known, *others]

        def upto(e: Index, v: int = v, others: Any = others) -> frozenset[Index]:
            return others | {variable(v), e - 1 - variable(v)}

        def only(e: Index, v: int = v, others: Any = others) -> frozenset[Index]:
            return others | {variable(v) - e, e - variable(v)}

        if low.terms or low.const > 0:
            if implied(low, rows) and implied(end - low, rows):
                work.regroup(k, [(upto(end), 1), (upto(low), -1)])
                return True
        elif not low.const and end.const and abs(end.const) <= APART:
            plain = end - end.const
            if not (implied(plain, rows) and implied(end, rows)):
                continue
            sign = 1 if end.const > 0 else -1
            apart = range(end.const) if sign > 0 else range(end.const, 0)
            points = [(only(plain + n), sign) for n in apart]
            first = [(upto(plain), 1)] if plain.terms else []
            work.regroup(k, [*first, *points])
            return True
    return False


def _rule(name: str, arity: int, met: Conditions, tidy: Tidy) -> Theorem | None:
    """What the function is a product of, where these conditions on its positions hold."""
    found, key = current().split, (name, met, _closed_in(name))
    if key not in found:
        found[key] = None  # while it is looked for
        order = _positions(arity, met)
        found[key] = None if order is None else _product(Factor(name, order), tidy)
    return found[key]


def _closed_in(name: str) -> frozenset[str]:
    """The states in the argument of a function that have a closed form by now."""
    inside = {f.name for m, _ in declarations.current.bodies[name].body for f in m.factors}
    return frozenset(current().closed.keys() & inside)


def _positions(arity: int, met: Conditions) -> tuple[Index, ...] | None:
    """Positions whose ranges say that the conditions hold, or None if ranges cannot say so."""
    if not met:
        return tuple(formal(n) for n in range(arity))
    for order in itertools.permutations(range(-1, -arity - 1, -1)):
        found = _declared(order, met)
        if found is not None:
            return found
    return None


def _declared(order: Sequence[int], met: Conditions) -> tuple[Index, ...] | None:
    """The same, positions being declared in this order."""
    rank = {v: n for n, v in enumerate(order)}
    ends: dict[tuple[int, int], Index] = {}
    sizes = facts(())
    for e in sorted(met, key=lambda e: (len([v for v, _ in e.terms if v < 0]), e)):
        own = [(rank[v], v, c) for v, c in e.terms if v < 0]
        rows = [*sizes, *ends.values()]
        if implied(e, rows):
            continue
        if not own:
            return None
        _, v, c = max(own)
        if abs(c) != 1:
            return None
        others = [g for at, g in ends.items() if at != (v, c)]
        if (v, c) in ends and not implied(ends[v, c], [*sizes, e, *others]):
            return None
        ends[v, c] = e
    images: dict[int, Index] = {}
    for v in order:
        low, high = ends.get((v, 1)), ends.get((v, -1))
        below = None if low is None else (variable(v) - low).substitute(images)
        above = None if high is None else (high + variable(v) + 1).substitute(images)
        if below is None and above is not None:
            return None
        images[v] = position("q", below, above)
    return tuple(images[-n] for n in range(1, len(order) + 1))


def _product(left: Factor, tidy: Tidy) -> Theorem | None:
    """What the value of exp is, its argument brought to normal form and taken apart; None if it stays."""

    def search(work: Rewriting) -> None:
        rule = congruence(left, lambda inner: tidy(inner, [from_zero]))
        work.rewrite(0, 0, rule, images(rule, left))
        ((k, (m, _)),) = work.parts.items()
        (f,) = m.factors
        work.exponents(k, [0], [_atom(n, c) for n, c in body(f, 0)])

    try:
        found = reduction(left, search)
    except KernelError:
        return None
    return None if found.right.parts == {Monomial(0, frozenset(), (left,)): 1} else found


def common(monomials: Iterable[Monomial]) -> list[Factor]:
    """The values of exp that are factors of each monomial, without bound indices."""
    first, *others = [*monomials] or [Monomial(0, frozenset(), ())]
    found = [f for f in first.factors if is_exponential(f) and min(f.variables(), default=1) > 0]
    return [f for f in found if all(f in m.factors for m in others)]
