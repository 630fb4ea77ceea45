"""The rules: each takes a sum of monomials to one of the same value, wherever what is known holds.

A rule is told what to do, and does it only if its side condition is seen to hold. Monomials are named by numbers that
they get when they enter the sum. `Goal` has, besides, rules that show a sum to be 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import wraps
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from . import index
from .errors import IllTyped, KernelError, NotProved, TooHard
from .index import Index, as_index, facts, variable
from .inequalities import contradictory, implied, negation
from .term import (
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    Factor,
    Monomial,
    Term,
    body,
    finite,
    function_of,
    made,
    monomial,
)

if TYPE_CHECKING:
    from .theorem import Rule

STEPS = 20_000
"""A sum may be rewritten this many times, and its guards may be told apart in this many cases."""
HYPOTHESIS = "induction hypothesis"
fired: Counter[str] = Counter()
"""How often each rule was applied."""
Pairs = Iterable[tuple[Monomial, Fraction]]


def _rule(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def counted(self: Rewriting, *args: Any) -> Any:
        self.spend()
        try:
            result = method(self, *args)
        except KernelError:
            raise
        except (
            BaseException
        ):  # it may have broken off half-way: nothing is shown by this sum any more
            self._registry = None
            raise
        fired[method.__name__] += 1
        if self.log is not None:
            self.log.append((self.serial, method.__name__, args))
        return result

    return counted


class Rewriting:
    """A sum of monomials whose value stays what the term's is."""

    serial = 0
    log: list[tuple[int, str, tuple[Any, ...]]] | None = None

    def __init__(self, term: Term) -> None:
        self._scope = frozenset(term.scope)
        self._known = facts(term.scope)
        self._registry: index.Registry | None = index.current
        self._used: set[Any] = set()
        self._allowed: frozenset[Rule] = frozenset()
        self._parts: dict[int, tuple[Monomial, Fraction]] = {}
        self._serials: dict[Monomial, int] = {}
        self._next = 0
        self._left = STEPS
        self._add(term.parts.items())

    def spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TooHard(f"more than {STEPS} steps for one equation")
        if self._registry is not index.current:
            raise IllTyped("a sum is rewritten where its variables are not declared")

    @property
    def parts(self) -> Mapping[int, tuple[Monomial, Fraction]]:
        return MappingProxyType(self._parts)

    @property
    def known(self) -> tuple[Index, ...]:
        """What is ≥ 0."""
        return self._known

    @property
    def scope(self) -> frozenset[int]:
        return self._scope

    @property
    def used(self) -> frozenset[Any]:
        """Theorems, and inverses that were taken for what they are the inverse of."""
        return frozenset(self._used)

    def term(self) -> Term:
        self.spend()
        return made(dict(self._parts.values()), self._scope)

    def _add(self, pairs: Pairs) -> None:
        for m, c in pairs:
            k = self._serials.get(m)
            if k is None:
                k = self._serials[m] = self._next
                self._next += 1
                self._parts[k] = (m, Fraction(0))
            self._parts[k] = (m, self._parts[k][1] + c)
            if not self._parts[k][1]:
                del self._parts[k], self._serials[m]

    def _take(self, k: int) -> tuple[Monomial, Fraction]:
        if k not in self._parts:
            raise IllTyped(f"there is no monomial {k}")
        return self._parts[k]

    def _exchange(self, k: int, new: Pairs) -> None:
        m, c = self._parts.pop(k)
        del self._serials[m]
        self._add((n, c * d) for n, d in new)

    @_rule
    def regroup(self, ks: Sequence[int], new: Sequence[tuple[Iterable[Index], Fraction]]) -> None:
        """Σ c [guards] F, one F, with other guards: the two sums of guards agree in every case."""
        new = [(frozenset(map(as_index, guards)), c) for guards, c in new]
        old = [self._take(k) for k in ks]
        first = old[0][0]
        if len(set(ks)) != len(ks) or any(m[::2] != first[::2] for m, _ in old):
            raise IllTyped("guards are regrouped among monomials that differ in nothing else")
        if any(type(c) not in (int, Fraction) for _, c in new):
            raise IllTyped("coefficients are rational numbers")
        images = [(first._replace(guards=guards), c) for guards, c in new]
        if not {v for m, _ in images for v in m.variables()} <= self._names(first):
            raise IllTyped("a guard speaks of a variable outside the scope")
        if not all(finite(m) for m, _ in images):
            raise IllTyped("a bound index without a lower and an upper end")
        shares = [(m.guards, c) for m, c in old] + [(m.guards, -c) for m, c in images]
        if not self._vanish(shares, self._known):
            raise NotProved("the guards do not add up to the same")
        for k in ks:
            self._exchange(k, [])
        self._add(images)

    def _vanish(
        self, shares: Sequence[tuple[Iterable[Index], Fraction]], known: Sequence[Index]
    ) -> bool:
        """Whether Σ c [guards] is 0 in every case."""
        self.spend()
        if len(shares) == 2 and shares[0][1] == -shares[1][1]:  # the same under two names?
            one, other = ([*known, *guards] for guards, _ in shares)
            if all(implied(g, other) for g in one) and all(implied(g, one) for g in other):
                return True
        live = []
        for guards, c in shares:
            rest = [g for g in guards if not implied(g, known)]
            if not contradictory([*known, *rest]):
                live.append((rest, c))
        undecided = [g for rest, _ in live for g in rest]
        if not undecided:
            return sum(c for _, c in live) == 0
        g = min(undecided, key=lambda one: one.key)
        return self._vanish(live, (*known, g)) and self._vanish(live, (*known, negation(g)))

    @_rule
    def eliminate(self, k: int, v: int, image: Index) -> None:
        """e for v where v = e is known; Σ_v [v = e] F(v) = F(e), too, guards being kept with e for v."""
        m, _ = self._take(k)
        gap = variable(v) - image
        rows = [*self._known, *(m.guards if v < 0 else ())]
        if v in image.variables() or not {v, *image.variables()} <= self._names(m):
            raise IllTyped("a variable is put away for an index without it")
        if not implied(gap, rows) or not implied(gap * -1, rows):
            raise NotProved("the guards do not say what the variable is")
        new = m.put({v: image}, m.bound)
        self._exchange(k, [(new if v > 0 else new.without(v), Fraction(1))])

    @_rule
    def rename(self, k: int, ways: Sequence[Mapping[int, Index]]) -> None:
        """The monomial with other names for its bound indices, each ± a new one plus what is free; equal shares."""
        m, _ = self._take(k)
        if not ways:
            raise IllTyped("a renaming has at least one way")
        for images in ways:
            names = []
            for e in images.values():
                own = [(v, c) for v, c in e.terms if v < 0]
                if (
                    len(own) != 1
                    or abs(own[0][1]) != 1
                    or not e.variables() - {own[0][0]} <= self._scope
                ):
                    raise IllTyped(
                        "a bound index is shifted, reflected or renamed, and nothing else"
                    )
                names.append(own[0][0])
            if not set(images) == set(names) == set(range(-m.bound, 0)) or len(names) != m.bound:
                raise IllTyped("a renaming names each bound index once")
        self._exchange(k, [(m.put(images, m.bound), Fraction(1, len(ways))) for images in ways])

    @_rule
    def number(self, k: int, place: int) -> None:
        """The number of j + 2t + 1 is that of j, plus twice that of t, plus 1; an inverse of 3 is ⅓."""
        m, _ = self._take(k)
        f, others = self._split(m, place)
        if f.name == INVERSE_NUMBER and not f.at[0].terms and f.at[0].const:
            self._exchange(k, [(others, Fraction(1, f.at[0].const))])
            return
        if f.name != NUMBER:
            raise IllTyped("expected the number of an index")
        e = f.at[0]
        new = [(others.times(_one(NUMBER, variable(v))), Fraction(c)) for v, c in e.terms]
        self._exchange(k, [*new, (others, Fraction(e.const))])

    @_rule
    def count(self, k: int, v: int) -> None:
        """Σ_v [lo ≤ v ≤ hi] 1 = [hi − lo + 1 ≥ 0] (hi − lo + 1), for an index v that no factor mentions."""
        m, _ = self._take(k)
        fences = sorted((g for g in m.guards if g.coefficient(v)), key=lambda g: g.coefficient(v))
        if not 0 > v >= -m.bound or any(v in f.variables() for f in m.factors):
            raise IllTyped("a bound index is counted that no factor mentions")
        if [g.coefficient(v) for g in fences] != [-1, 1]:
            raise IllTyped("a bound index is counted between two ends")
        length = fences[0] + fences[1] + 1
        ranged = m._replace(guards=m.guards - set(fences) | {length})
        numbers = [(ranged.times(_one(NUMBER, variable(w))), Fraction(c)) for w, c in length.terms]
        new = [*numbers, (ranged, Fraction(length.const))]
        self._exchange(k, [(n.without(v), c) for n, c in new])

    @_rule
    def rewrite(self, k: int, place: int, rule: Rule, images: Mapping[int, Index]) -> None:
        """A factor by a theorem about it, with indices for the theorem's variables, each in its range."""
        m, _ = self._take(k)
        f, others = self._split(m, place)
        if rule.name == HYPOTHESIS and rule not in self._allowed:
            raise IllTyped("an induction hypothesis is used outside its induction")
        new = [(_joined(others, n), c) for n, c in rule.instance(f, images, m, self)]
        self._scope |= rule.brings
        self._exchange(k, new)
        self._used.add(rule)

    @_rule
    def cancel(self, k: int, one: int, other: int) -> None:
        """T · (1/T) = 1 for a T that is c · another factor of the monomial."""
        m, _ = self._take(k)
        f, g = self._split(m, one)[0], self._split(m, other)[0]
        if function_of(f) != INVERSE or one == other:
            raise IllTyped("expected an inverse")
        inside = [(*t, c) for t, c in body(f, m.bound)]
        if [t[:3] for t in inside] != [(m.bound, frozenset(), (g,))]:
            raise NotProved("the factor is not what the other is the inverse of")
        self._take_for_nonzero(f, [*self._known, *m.guards])
        rest = [h for n, h in enumerate(m.factors) if n not in (one, other)]
        self._exchange(k, [(m._replace(factors=tuple(rest)), 1 / inside[0][3])])

    def _take_for_nonzero(self, f: Factor, rows: Sequence[Index]) -> None:
        """A number is seen not to be 0 where the rows hold; for any other T of 1/T that is a condition."""
        if f.name != INVERSE_NUMBER:
            self._used.add(f.name)
        elif not implied(f.at[0] - 1, rows) and not implied(f.at[0] * -1 - 1, rows):
            raise NotProved("the denominator may be 0")

    def _names(self, m: Monomial) -> set[int]:
        """The variables that a monomial may speak of."""
        return self._scope | set(range(-m.bound, 0))

    def _split(self, m: Monomial, place: int) -> tuple[Factor, Monomial]:
        if not 0 <= place < len(m.factors):
            raise IllTyped(f"there is no factor {place}")
        others = m.factors[:place] + m.factors[place + 1 :]
        return m.factors[place], m._replace(factors=others)


def _joined(one: Monomial, other: Monomial) -> Monomial:
    """one · other, which has the bound indices of `one` besides its own."""
    return monomial(other.bound, one.guards | other.guards, one.factors + other.factors)


def _one(name: str, *at: Index) -> Monomial:
    return Monomial(0, frozenset(), (Factor(name, at),))


class Goal(Rewriting):
    """A sum that is to be 0 for all values of its scope; what is known may grow from case to case."""

    def __init__(self, term: Term, hypotheses: Iterable[Rule] = ()) -> None:
        super().__init__(term)
        self._allowed = frozenset(hypotheses)
        self._cases: list[Goal] = []

    @property
    def cases(self) -> tuple[Goal, ...]:
        return tuple(self._cases)

    def closed(self) -> bool:
        done = all(g.closed() for g in self._cases) if self._cases else not self._parts
        return done and self._registry is index.current

    @_rule
    def split(self, guard: Index) -> None:
        """Two cases: the guard, which speaks of no bound index, holds or does not."""
        if not as_index(guard).variables() <= self._scope or self._cases:
            raise IllTyped("a case is told by the scope's own variables, once")
        whole = self.term()
        for row in (guard, negation(guard)):
            case = Goal(whole, self._allowed)
            case._known = (*self._known, row)
            case.log, case.serial = self.log, 2 * self.serial + 1 + len(self._cases)
            case._left, case._used = self._left // 2, self._used
            self._cases.append(case)

    @_rule
    def clear(self, k: int, place: int) -> None:
        """All of it times T, for an inverse 1/T without bound indices: T ≠ 0, so it is 0 if it is 0 then."""
        m, _ = self._take(k)
        f, _ = self._split(m, place)
        if function_of(f) != INVERSE or any(v < 0 for v in f.variables()):
            raise IllTyped("expected an inverse without bound indices")
        self._take_for_nonzero(f, self._known)
        inside = body(f, 0)
        pairs: list[tuple[Monomial, Fraction]] = []
        for n, c in self._parts.values():
            if f in n.factors:
                pairs.append((self._split(n, n.factors.index(f))[1], c))
            else:
                pairs += [(n.times(t), c * d) for t, d in inside]
        self._parts, self._serials = {}, {}
        self._add(pairs)
