"""The rules: each takes a sum of monomials to one of the same value, wherever what is known holds.

A rule is given its arguments, and applies only if its side condition is seen to hold. Monomials are named by numbers
that they get when they enter the sum. `Goal` has, besides, rules that show a sum to be 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from types import MappingProxyType
from typing import Any

from . import index
from .errors import IllTyped, NotProved, TooHard
from .index import (
    Index,
    as_index,
    declared,
    facts,
    position_number,
    ranges,
    substitution,
    variable,
)
from .inequalities import implied, negation, regions
from .signs import ROOT, seen_sign
from .term import (
    DEFINED,
    EXP,
    INVERSE,
    INVERSE_NUMBER,
    LOG,
    NUMBER,
    STEP,
    ZERO,
    Factor,
    Monomial,
    Pairs,
    Term,
    beyond,
    body,
    check,
    function_of,
    made,
    one_factor,
    rational,
    times,
)
from .theorem import BY_THE_KERNEL, Theorem

STEPS = 20_000
"""A sum may be rewritten this many times, and its guards may be split into this many cases."""


SPELLED = 100
"""A sum without names for terms may have so many monomials."""
OTHERS = 3
"""The most positions, beside those of a function, that its ranges may mention."""
Parts = dict[int, tuple[Monomial, Fraction]]
Way = tuple[list[tuple[Any, ...]], list["Way"]]
"""Rules that were used, in order, and then the ways of the two cases of a split."""


def _rule(method: Callable[..., Pairs]) -> Callable[..., None]:
    """A rule that replaces a monomial by what it is equal to."""

    @wraps(method)
    def rule(self: Rewriting, k: int, *args: Any) -> None:
        self._exchange(k, method, args)

    return rule


class Rewriting:
    """A sum of monomials whose value stays what the term's is. Its attributes are to be read only."""

    def __init__(self, term: Term, hypotheses: Iterable[Theorem] = ()) -> None:
        self.scope, self.known = frozenset(term.scope), facts(term.scope)
        """The variables that it may speak of, and what is ≥ 0."""
        self.used: frozenset[Any] = frozenset()
        """Theorems, and inverses that were taken for what they are the inverse of."""
        self._registry, self._left = index.current, STEPS
        self._allowed = frozenset(hypotheses)
        self.steps: list[tuple[Any, ...]] = []
        """The rules that were used, with their arguments: how it was rewritten."""
        self._numbers: dict[Monomial, int] = {}
        self._parts = self._sum(term.parts.items(), {})

    @property
    def parts(self) -> Mapping[int, tuple[Monomial, Fraction]]:
        """The monomials with their coefficients, by number; nobody else may change them."""
        return MappingProxyType(self._parts)

    def spend(self) -> None:
        """Count one step; too many are refused, and so are steps where other variables are declared."""
        self._left -= 1
        if self._left < 0:
            raise TooHard(f"more than {STEPS} steps for one equation")
        if self._registry is not index.current:
            raise IllTyped("a sum is rewritten where its variables are not declared")

    def term(self) -> Term:
        """The sum that it has become."""
        self.spend()
        return made(self._parts.values(), self.scope)

    def _exchange(self, k: int, method: Callable[..., Pairs], args: tuple[Any, ...]) -> None:
        self.spend()
        try:
            parts = dict(self._parts)  # a step within this one comes to nothing
            m, c = parts.pop(k)
            new = [(n, times(c, rational(d))) for n, d in method(self, m, *args)]
        except (LookupError, ValueError, ArithmeticError) as error:
            raise IllTyped(f"{method.__name__} of what is not there: {error}") from error
        for n, _ in new:
            # What stood in the sum before was looked at then, and the scope only grows.
            if n not in self._numbers:
                check(n, self.scope)
        self._parts = self._sum(new, parts)
        self.steps.append((method.__name__, k, *args))

    def _sum(self, pairs: Pairs, parts: Parts) -> Parts:
        """`parts` and more; a step that breaks off leaves the sum as it was."""
        for m, c in pairs:
            k = self._numbers.setdefault(m, len(self._numbers))
            if k in parts:
                c += parts.pop(k)[1]
            if c:
                parts[k] = m, c
        return parts

    @_rule
    def regroup(self, m: Monomial, new: Iterable[tuple[Iterable[Index], Fraction]]) -> Pairs:
        """[guards] F = Σ c [other guards] F: both sides count F as often in every case."""
        shares = [(frozenset(map(as_index, guards)), rational(c)) for guards, c in new]
        if not self._vanish([(m.guards, Fraction(-1)), *shares]):
            raise NotProved("the guards do not add up to the same")
        return [(Monomial(m.bound, guards, m.factors), c) for guards, c in shares]

    def _vanish(self, shares: Sequence[tuple[frozenset[Index], Fraction]]) -> bool:
        """Whether Σ c [guards] is 0 in every case."""
        if len(shares) == 2 and shares[0][1] == -shares[1][1]:  # the same under two names?
            one, other = (self.known.union(guards) for guards, _ in shares)
            if all(implied(g, other) for g in one - other) and all(
                implied(g, one) for g in other - one
            ):
                return True
        return not any(sum(values) for _, values in regions(shares, self.known, self.spend))

    @_rule
    def one_point(self, m: Monomial, v: int, image: Index) -> Pairs:
        """The one-point rule: Σ_v [v = e] F(v) = F(e), guards being kept with e for v; [v = e] F(e) for a free v."""
        rows = self.known | m.guards
        if v in image.variables():
            raise IllTyped("a variable is replaced by an index without it")
        if not implied(variable(v) - image, rows) or not implied(image - variable(v), rows):
            raise NotProved("the guards do not say what the variable is")
        new = m.substitute({v: image}, m.bound)
        if v < 0:
            return [(new.without(v), Fraction(1))]
        gap = variable(v) - image
        unknown = {g for g in (gap, -gap) if not implied(g, self.known)}
        return [(new._replace(guards=new.guards | unknown), Fraction(1))]

    @_rule
    def divide(self, m: Monomial, e: Index, by: int) -> Pairs:
        """Division with remainder: e = by·q + r and 0 ≤ r < by for one q and one r, two new bound indices."""
        q, r = (variable(-m.bound - k) for k in (1, 2))
        if by < 1:
            raise IllTyped("an index is divided by a number ≥ 1")
        if not e.variables() <= self.scope.union(range(-m.bound, 0)):
            raise IllTyped("an index that is divided speaks of a variable outside the scope")
        gap = e - q * by - r
        new = m.guards | {gap, -gap, r, -r + (by - 1)}
        return [(Monomial(m.bound + 2, new, m.factors), Fraction(1))]

    @_rule
    def rename(self, m: Monomial, ways: Sequence[Mapping[int, Index]]) -> Pairs:
        """The monomial with other names for its bound indices, each ± a new one plus what is free; equal shares."""
        ways = [dict(images) for images in ways]
        own, share = range(-m.bound, 0), Fraction(1, len(ways))
        for images in ways:
            new = [[(w, abs(c)) for w, c in e.terms if w < 0] for e in images.values()]
            if images.keys() != set(own) or sorted(new) != [[(w, 1)] for w in own]:
                raise IllTyped("each bound index is shifted, reflected or renamed once")
        return [(m.substitute(images, m.bound), share) for images in ways]

    @_rule
    def number(self, m: Monomial, place: int) -> Pairs:
        """The number of j + 2t + 1 is that of j, plus twice that of t, plus 1; an inverse of 3 is ⅓."""
        f = m.factors[place]
        (e,), others = f.at, m.divided(f)
        if f.name == INVERSE_NUMBER and not e.terms:
            return [(others, Fraction(1, e.const))]
        if f.name != NUMBER:
            raise IllTyped("expected the number of an index")
        return _times_number(others, e)

    @_rule
    def count(self, m: Monomial, v: int) -> Pairs:
        """Σ_v [lo ≤ c v ≤ hi] 1 = [n ≥ 0] n, for c n = hi − lo + 1 and an index v that no factor mentions."""
        fences = sorted((g for g in m.guards if g.coefficient(v)), key=lambda g: g.coefficient(v))
        if not 0 > v >= -m.bound or any(v in f.variables() for f in m.factors):
            raise IllTyped("a bound index is counted that no factor mentions")
        c = fences[-1].coefficient(v) if fences else 0
        if [g.coefficient(v) for g in fences] != [-c, c]:
            raise IllTyped("a bound index is counted between two ends")
        numbers = fences[0] + fences[1] + 1
        length = Index(numbers.const // c, {w: d // c for w, d in numbers.terms})
        if length * c != numbers:
            raise NotProved("so many numbers in a row may have more or fewer multiples")
        ranged = m._replace(guards=m.guards - set(fences) | {length})
        return [(n.without(v), c) for n, c in _times_number(ranged, length)]

    @_rule
    def rewrite(
        self, m: Monomial, place: int, theorem: Theorem, images: Mapping[int, Index]
    ) -> Pairs:
        """A factor by a theorem about it, with indices for the theorem's variables, each in its range."""
        f, images = m.factors[place], dict(images)
        if type(theorem) is not Theorem or theorem.registry is not index.current:
            raise IllTyped("expected a theorem about what is declared now")
        if not theorem.under <= self._allowed:
            raise IllTyped("an induction hypothesis is used outside its induction")
        if images.keys() != theorem.over or theorem.left.substitute(images) != f:
            raise IllTyped(f"the {theorem.name} does not speak of {f}")
        own = {v for e in images.values() for v, _ in e.terms}
        if not own <= self.scope.union(range(-m.bound, 0)):
            raise IllTyped("an index speaks of a variable outside the scope")
        rows, to = self.known | m.guards, substitution(images)
        if not all(implied(to[fact], rows) for v in theorem.over for fact in declared(v)):
            raise IllTyped(f"the {theorem.name} is used outside the range of its variables")
        if not all(is_taken(one.substitute(images), rows) for one in theorem.logarithms):
            raise NotProved(
                "that a logarithm is of a number > 0 is known where the problem takes it"
            )
        self.scope |= theorem.right.scope - theorem.over
        self.used |= {theorem}
        rest, new = m.divided(f), beyond(theorem.right.parts.items(), m.bound, images)
        return [(rest.joined(n), c) for n, c in new]

    @_rule
    def cancel(self, m: Monomial, one: int, other: int) -> Pairs:
        """T · (1/T) = 1 for a T that is c · another factor of the monomial."""
        f, g = m.factors[one], m.factors[other]
        ((inside, c),) = self._inverted(f, m.bound, self.known | m.guards)
        if inside != one_factor(g.name, *g.at)._replace(bound=m.bound):
            raise NotProved("the factor is not what the other is the inverse of")
        return [(m.divided(f).divided(g), 1 / c)]

    @_rule
    def compare(self, m: Monomial, place: int, others: Sequence[tuple[int, int]]) -> Pairs:
        """step(U) or zero(U) is 1 or 0 by other factors: U = Σ ± T + R, each T being 0, or > 0 by the sign of R."""
        f, kinds = m.factors[place], {STEP, ZERO}
        every = [m.factors[n] for n, _ in others]
        above = {s for g, (_, s) in zip(every, others, strict=True) if function_of(g) == STEP}
        if not {*map(function_of, (f, *every))} <= kinds or min([place, *dict(others)]) < 0:
            raise IllTyped("expected factors that are 0 or 1")
        if place in dict(others):
            raise IllTyped("a factor does not say what it is itself")
        if len(above) > 1:
            raise IllTyped("numbers above 0 are added, or are subtracted")
        gap = body(f, m.bound)
        for g, (_, sign) in zip(every, others, strict=True):
            gap += [(n, c * -sign) for n, c in body(g, m.bound)]
        up, rest = sum(above), self._sign(made(gap, self.scope).parts, m)
        if rest is None or rest * up < 0 or (up, abs(rest)) == (0, 1):
            raise NotProved("the other factors do not say what it is")
        sign = up or rest
        held = sign > 0 if function_of(f) == STEP else not sign
        return [(m.divided(f), Fraction(1))] if held else []

    @_rule
    def cover(self, m: Monomial, one: int, other: int) -> Pairs:
        """step(A) step(B) = step(A) + step(B) − 1 where A + B > 0: one of them is > 0."""
        f, g = m.factors[one], m.factors[other]
        if f == g or {function_of(f), function_of(g)} != {STEP}:
            raise IllTyped("expected two factors that say of two numbers that they are > 0")
        if self._sign(made([*body(f, m.bound), *body(g, m.bound)], self.scope).parts, m) != 2:
            raise NotProved("both numbers may be no greater than 0")
        rest = m.divided(f).divided(g)
        alone = [Monomial(m.bound, frozenset(), (h,)) for h in (f, g)]
        return [*((rest.joined(h), Fraction(1)) for h in alone), (rest, Fraction(-1))]

    def _sign(self, parts: Mapping[Monomial, Fraction], m: Monomial) -> int | None:
        """2 if a sum is seen to be > 0 beside a monomial, 1 if it is ≥ 0, 0 if it is 0; below 0 likewise, or None."""
        if not parts:
            return 0
        rows = self.known | m.guards
        above = seen_sign(parts.items(), m.bound, rows)
        return above or -seen_sign([(n, -c) for n, c in parts.items()], m.bound, rows) or None

    @_rule
    def vanish(self, m: Monomial, place: int, which: int) -> Pairs:
        """zero(T) · T = 0: beside zero(T) a term of T, without indices of its own, is − the others."""
        f = m.factors[place]
        if function_of(f) != ZERO:
            raise IllTyped("expected a factor that is 0 where T is not")
        others = body(f, m.bound)
        t, c = others.pop(which)
        if t != Monomial(m.bound, frozenset(), t.factors):
            raise IllTyped("expected a term without indices of its own and guards")
        rest = m.divided(f)
        for g in t.factors:
            rest = rest.divided(g)
        rest = rest.joined(Monomial(m.bound, frozenset(), (f,)))
        return [(rest.joined(n), -d / c) for n, d in others]

    @_rule
    def annul(
        self, m: Monomial, place: int, other: int, which: int, images: Mapping[int, Index]
    ) -> Pairs:
        """zero(Σ h² + R) · g = 0, for R ≥ 0 and a g that is one of the h."""
        f, g, images = m.factors[place], m.factors[other], dict(images)
        if function_of(f) != ZERO:
            raise IllTyped("expected a factor that is 0 where a sum is not")
        rest, rows = body(f, m.bound), self.known | m.guards
        squares, c = rest.pop(which)
        if c <= 0 or squares.factors != 2 * squares.factors[:1]:
            raise IllTyped("expected a term that is a square")
        if not seen_sign(rest, m.bound, rows):
            raise NotProved("the other terms may be below 0")
        if images.keys() != {-n for n in range(m.bound + 1, squares.bound + 1)}:
            raise IllTyped("expected an index for each that the squares are summed over")
        if squares.factors[0].substitute(images) != g:
            raise NotProved("the factor is none of those whose squares are summed")
        to = substitution(images)
        if not all(implied(to[guard], rows) for guard in squares.guards):
            raise NotProved("the factor lies outside of the sum")
        return []

    @_rule
    def exponents(self, m: Monomial, places: Sequence[int], new: Sequence[Factor]) -> Pairs:
        """exp(A) exp(B) = exp(C) where A + B = C, of any number of them on each side: exp(0) = 1, of none."""
        old, rest = [m.factors[place] for place in places], m
        if any(function_of(f) != EXP for f in (*old, *new)):
            raise IllTyped("expected values of exp")
        for f in old:
            rest = rest.divided(f)
        gap = [(n, c) for f in old for n, c in body(f, m.bound)]
        gap += [(n, -c) for f in new for n, c in body(f, m.bound)]
        if made(gap, self.scope).parts:
            raise NotProved("the exponents do not add up to the same")
        return [(rest._replace(factors=tuple(sorted((*rest.factors, *new)))), Fraction(1))]

    @_rule
    def alike(self, m: Monomial, place: int, new: Factor) -> Pairs:
        """f(A) = f(B) where A = B as written: a value of any function, under another name or at other positions."""
        old, rest = m.factors[place], Monomial(m.bound, frozenset(), (new,))
        if function_of(old) is None or function_of(old) != function_of(new):
            raise IllTyped("expected two values of one function")
        gap = [*body(old, m.bound), *((n, -c) for n, c in body(new, m.bound))]
        if made(gap, self.scope).parts:
            raise NotProved("the values are not of the same")
        return [(m.divided(old).joined(rest), Fraction(1))]

    @_rule
    def beside(self, m: Monomial, place: int, other: int, new: Factor) -> Pairs:
        """zero(T) f(A) = zero(T) f(B), where A − B is a multiple of T: T is 0 where the product is not."""
        old, p = m.factors[place], m.factors[other]
        if min(place, other) < 0 or place == other or function_of(p) != ZERO:
            raise IllTyped("expected another factor that is 0 where T is not")
        if function_of(old) is None or function_of(old) != function_of(new):
            raise IllTyped("expected two values of one function")
        gap = [*body(old, m.bound), *((n, -c) for n, c in body(new, m.bound))]
        left, of = dict(made(gap, self.scope).parts), dict(body(p, m.bound))
        (t, *_) = of
        share = left.get(t, Fraction(0)) / of[t]
        if left != {n: c * share for n, c in of.items()}:
            raise NotProved("the two are not of the same where the other factor is not 0")
        rest = Monomial(m.bound, frozenset(), (new,))
        return [(m.divided(old).joined(rest), Fraction(1))]

    @_rule
    def circle(self, m: Monomial, one: int, other: int, sine: Factor) -> Pairs:
        """cos(T) cos(T) = 1 − sin(T) sin(T)."""
        f, g = m.factors[one], m.factors[other]
        if [*map(function_of, (f, g, sine))] != ["cos", "cos", "sin"]:
            raise IllTyped("expected two cosines and a sine")
        for value in (g, sine):
            gap = [*body(f, m.bound), *((n, -c) for n, c in body(value, m.bound))]
            if made(gap, self.scope).parts:
                raise NotProved("the values are not of the same")
        rest, squared = m.divided(f).divided(g), Monomial(m.bound, frozenset(), (sine, sine))
        return [(rest, Fraction(1)), (rest.joined(squared), Fraction(-1))]

    @_rule
    def root(self, m: Monomial, place: int) -> Pairs:
        """√T √T = T, for a T that is seen to be ≥ 0."""
        f = m.factors[place]
        if function_of(f) != ROOT:
            raise IllTyped("expected a square root")
        inside = body(f, m.bound)
        if not seen_sign(inside, m.bound, self.known | m.guards):
            raise NotProved("what the root is of may be below 0")
        rest = m.divided(f).divided(f)
        return [(rest.joined(n), c) for n, c in inside]

    @_rule
    def one_place(self, m: Monomial, place: int, v: int) -> Pairs:
        """Σ_v [0 ≤ v < n] zero(v − S[n]) = 1 for n ≥ 1, S being a state that is a place: see `is_place`."""
        f = m.factors[place]
        if not 0 > v >= -m.bound:
            raise IllTyped("expected a bound index")
        n = end_of_places(f, v, m.bound, self.known | m.guards)
        # It lies between ends: where no other guard speaks of it, it is between both of these.
        rest = m.divided(f)._replace(guards=m.guards - {variable(v), n - variable(v) - 1})
        if v in rest.variables():
            raise NotProved("the bound index has other ends, or is spoken of elsewhere")
        return [(rest.without(v), Fraction(1))]

    def _inverted(self, f: Factor, bound: int, rows: frozenset[Index]) -> list:
        """The T of f = 1/T; a number is seen not to be 0 where the rows hold, any other T ≠ 0 is a condition."""
        if function_of(f) != INVERSE:
            raise IllTyped("expected an inverse")
        if f.name != INVERSE_NUMBER:
            if not is_taken(f, rows):
                raise NotProved(
                    "that a denominator is not 0 is known where the problem divides by it"
                )
            self.used |= {f.name}
        elif not implied(f.at[0] - 1, rows) and not implied(-f.at[0] - 1, rows):
            raise NotProved("the denominator may be 0")
        return body(f, bound)


def is_taken(f: Factor, rows: frozenset[Index]) -> bool:
    """Whether, where the rows hold, a problem takes this value of a function, or one that is equal to it."""
    known = index.current
    taken, derived = known.places.get(f.name, {}), known.derived.get(f.name, {})
    every = (*taken.values(), *derived.values())
    if any(_lies_in(f.at, order, rows, beside) for order, beside in every):
        return True
    of = known.bodies.get(f.name)
    if of is None or of.name != INVERSE:
        return False
    log = known.functions.get(of._replace(name=LOG))  # T > 0 where log(T) is taken
    return log is not None and is_taken(Factor(log, f.at), rows)


def taken_too(f: Factor, over: Iterable[int]) -> None:
    """Note that a problem takes what is equal to this value of a function, for all values of these variables.

    Of those that the value does not mention there has to be some value, or nothing is taken.
    """
    beside = {v for v in over if not has_values(v)} - index.current.sizes
    more = tuple([variable(v) for v in sorted(beside - {position_number(e) for e in f.at})])
    known = index.current.derived.setdefault(f.name, {})
    known.setdefault(ranges((*f.at, *more)), (f.at, more))


def has_values(v: int, known: Iterable[Index] = ()) -> bool:
    """Whether a variable has a value for all values of those that its range speaks of, where e ≥ 0 is known."""
    ends = declared(v)
    if len(ends) < 2:
        return True
    gap = ends[0] + ends[1]
    return implied(gap, facts(gap.variables()).union(known))


def end_of_places(f: Factor, v: int, bound: int, rows: frozenset[Index]) -> Index:
    """n where a factor is zero(v − S[n]), S being a state that is a place, and is defined at all times up to n there.

    Of the `bound` bound indices v is one.
    """
    if function_of(f) != ZERO:
        raise IllTyped("expected a factor that is 0 where T is not")
    number, inside = one_factor(NUMBER, variable(v))._replace(bound=bound), dict(body(f, bound))
    c = inside.pop(number, None)
    if c is None or [len(m.factors) for m in inside] != [1]:
        raise NotProved("it is not a number that is compared with another")
    ((of, d),) = inside.items()
    (state,) = of.factors
    if c != -d or of != number._replace(factors=(state,)) or v in state.variables():
        raise NotProved("the comparison is not of the index with a state")
    if state.name not in index.current.states or not is_place(state.name):
        raise NotProved("the state may be another number than that of a turn before")
    (n, *at), order = state.at, index.current.states[state.name][0]
    rows = frozenset(g for g in rows if not g.coefficient(v))  # there may be no v below n
    for when in (Index(0), n - 1):  # and so between them
        to = substitution(dict(zip(order, (when, *at), strict=True)))
        if not all(implied(to[fact], rows) for w in order for fact in declared(w)):
            raise NotProved("the state is used outside the range of its recursion")
    return n


def is_place(name: str) -> bool:
    """Whether a state begins with 0, and is t · p + (1 − p) · what it was after turn t, for a p that is 0 or 1."""
    begin, go = definitions_of(name)
    now = Monomial(
        0, frozenset(), (Factor(name, tuple(map(variable, index.current.states[name][0]))),)
    )
    turn = one_factor(NUMBER, now.factors[0].at[0])
    after = without_names(go.right.parts.items())
    return not without_names(begin.right.parts.items()) and any(
        after == {turn.times(p): 1, now: 1, now.times(p): -1}
        for p in {Monomial(0, frozenset(), (f,)) for m in after for f in m.factors}
        if function_of(p.factors[0]) in (STEP, ZERO)
    )


def definitions_of(name: str) -> tuple[Theorem, Theorem]:
    """What a state is at 0, and what it is at time + 1."""
    every = [both for made in index.current.recursions for both in made.definitions]
    (found,) = (both for both in every if both[0].left.name == name)
    return found


def without_names(pairs: Pairs) -> dict[Monomial, Fraction]:
    """The monomials of a sum with what names for terms stand for in their place.

    Raises:
        TooHard: if there are many.
    """
    parts, waiting = dict[Monomial, Fraction](), [*pairs]
    while waiting:
        if len(parts) + len(waiting) > SPELLED:
            raise TooHard(f"more than {SPELLED} monomials without names for terms")
        m, c = waiting.pop()
        name = next((f for f in m.factors if function_of(f) == DEFINED), None)
        if name is None:
            parts[m] = parts.get(m, Fraction(0)) + c
        else:
            rest = m.divided(name)
            waiting += [(rest.joined(n), c * d) for n, d in body(name, m.bound)]
    return {m: c for m, c in parts.items() if c}


def _lies_in(
    at: Sequence[Index],
    order: Sequence[Index],
    rows: frozenset[Index],
    beside: Sequence[Index] = (),
) -> bool:
    """Whether indices lie in the ranges of these positions, for some values of those beside and others in the ranges.

    Of those the ends are tried.
    """
    images: dict[int, Index] = {}
    if any(images.setdefault(e.terms[0][0], i) != i for e, i in zip(order, at, strict=True)):
        return False  # positions that are one there are two here
    spoken = index.reach([*images, *[e.terms[0][0] for e in beside]])
    others = sorted(spoken - images.keys() - index.current.sizes)
    for ends in itertools.product((1, 0), repeat=len(others)) if len(others) <= OTHERS else ():
        table = dict(images)
        for v, end in zip(others, ends, strict=True):
            facts = declared(v)
            if len(facts) == 2:
                table[v] = (facts[1] + variable(v) if end else variable(v) - facts[0]).substitute(
                    table
                )
        needed = [fact.substitute(table) for v in (*images, *others) for fact in declared(v)]
        if all(implied(fact, rows) for fact in needed):
            return True
    return False


def _times_number(m: Monomial, e: Index) -> Pairs:
    """m times the number of an index."""
    numbers = [(m.times(one_factor(NUMBER, variable(v))), Fraction(c)) for v, c in e.terms]
    return [*numbers, (m, Fraction(e.const))]


class Goal(Rewriting):
    """A sum that is to be 0 for all values of its scope; what is known may grow from case to case."""

    def __init__(self, term: Term, hypotheses: Iterable[Theorem] = ()) -> None:
        super().__init__(term, hypotheses)
        self.cases: tuple[Goal, ...] = ()

    def closed(self) -> bool:
        """Whether nothing is left to show, in each case."""
        done = all(g.closed() for g in self.cases) if self.cases else not self._parts
        return done and self._registry is index.current

    def rests(self) -> frozenset[Any]:
        """What was used, in all cases."""
        return self.used.union(*(case.rests() for case in self.cases))

    def split(self, guard: Index) -> None:
        """Two cases: the guard, which speaks of no bound index, holds or does not."""
        whole = self.term()
        if not as_index(guard).variables() <= self.scope:
            raise IllTyped("a case is split by the scope's own variables")
        self.cases = Goal(whole, self._allowed), Goal(whole, self._allowed)
        for case, row in zip(self.cases, (guard, negation(guard)), strict=True):
            case.known, case._left = self.known | {row}, self._left // 2
        self.steps.append(("split", guard))

    def clear(self, k: int, place: int) -> None:
        """All of it times T, for an inverse 1/T without bound indices: T ≠ 0, so it is 0 if it is 0 then."""
        self.spend()
        f = self._parts[k][0].factors[place]
        if any(v < 0 for v in f.variables()):
            raise IllTyped("expected an inverse without bound indices")
        inside, pairs = self._inverted(f, 0, self.known), []
        for n, c in self._parts.values():
            held = f in n.factors
            pairs += [(n.divided(f), c)] if held else [(n.times(t), c * d) for t, d in inside]
        self._parts = self._sum(pairs, {})
        self.steps.append(("clear", k, place))


Tactic = Callable[[Goal, Sequence[Theorem]], None]
"""Rewrites a goal until nothing is left; what it leaves over is not proved."""


def equation(left: Term, right: Term, tactic: Tactic, theorems: Sequence[Theorem] = ()) -> Theorem:
    """left = right, shown by rewriting the difference to 0.

    Raises:
        NotProved, TooHard: if that does not show it.
    """
    used, way = shown(left - right, tactic, theorems)
    over = left.scope | right.scope
    return Theorem("equation", left, right, over, used, BY_THE_KERNEL, ("equation", way))


def shown(
    term: Term, tactic: Tactic, theorems: Iterable[Theorem], hypotheses: Iterable[Theorem] = ()
) -> tuple[frozenset[Any], Way]:
    """What term = 0 rests on, and how it was shown."""
    goal = Goal(term, hypotheses)
    tactic(goal, [*theorems, *hypotheses])
    if not goal.closed():
        raise NotProved("something is left over")
    return goal.rests(), _way(goal)


def _way(goal: Goal) -> Way:
    return goal.steps, [_way(case) for case in goal.cases]
