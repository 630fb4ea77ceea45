"""Looking for a certificate: non-negative multiples of what is ≥ 0 that add up to a term.

Monomials that stand in the way, because they are negative or may be, are each compared with what is known: a bound
h = right − left ≥ 0 times whatever makes one of its monomials the one in the way is a candidate, and so is a sum over
fewer values, or a number #[e] with e ≥ 0. Which multiples of candidates do it is a linear program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ...inequalities.certificate import Piece, Use
from ...inequalities.signs import value
from ...kernel import index as declarations
from ...kernel.errors import KernelError
from ...kernel.index import Index, declared, facts, variable
from ...kernel.inequalities import contradictory, implied, negation
from ...kernel.term import INVERSE, NUMBER, Factor, Monomial, Term, body, function_of
from ..normal import simplified
from .facts import AtLeast0, Known
from .signs import Looking, is_product
from .simplex import solution
from .squares import as_square

ROUNDS = 8
CASES = 6
"""How often cases are distinguished."""
CANDIDATES = 600
"""No more candidates than this are tried for one term."""
Sum = dict[Monomial, Fraction]


def certificate(term: Term, known: Known, squares: bool = False) -> list[Piece] | None:
    """Pieces whose sum the term is; None if none are found.

    Args:
        term: in normal form.
        known: what is known to be ≥ 0.
        squares: whether squares of norms and of sums are to be looked at.
    """
    return _in_case(term, known, squares, frozenset(), CASES)


def _in_case(
    term: Term, known: Known, squares: bool, case: frozenset[Index], left: int
) -> list[Piece] | None:
    """A certificate where the case's guards hold; where free guards decide, one for each of two cases."""
    rows = facts(term.scope) | case
    parts: Sum = {}
    for m, c in term.parts.items():
        guards = frozenset([g for g in m.guards if not implied(g, rows)])
        if not contradictory(rows | guards):
            n = m._replace(guards=guards)
            parts[n] = parts.get(n, Fraction(0)) + c
    free = sorted({g for m in parts for g in m.guards if all(v > 0 for v in g.variables())})
    if free and left:
        halves = []
        for g in (free[0], negation(free[0])):
            half = _in_case(term, known, squares, case | {g}, left - 1)
            if half is None:
                return None
            halves += half
        return halves
    search = _Search(Term(parts, term.scope), known, squares, case)
    for _ in range(ROUNDS):
        found = search.solved()
        if found is not None:
            return found
        if not search.more():
            return None
    return search.solved()


class _Search:
    def __init__(self, term: Term, known: Known, squares: bool, case: frozenset[Index]) -> None:
        self.scope, self.known, self.squares, self.case = term.scope, known, squares, case
        self.rows = facts(term.scope) | case
        self.inverses = _inverses(term)
        self.wanted = self._written(term)
        self.spoken = list(dict.fromkeys(f for m in self.wanted for f in m.factors))
        self.pieces: list[tuple[Piece, ...]] = []
        self.columns: list[Sum] = []
        self._seen: set[Any] = set()
        self._known: set[frozenset[tuple[Monomial, Fraction]]] = set()
        self._asked: set[tuple[Monomial, bool]] = set()
        self._patterns = [
            (gap, n, c < 0, Counter(f.name for f in n.factors).items())
            for gap in (*known.gaps, *(known.squares if squares else ()))
            for n, c in gap.term.parts.items()
        ]
        """The monomials of what is known, whether each is negative, and how often it has entries of each array."""

    def _written(self, term: Term) -> Sum:
        """The term in numbers #[n − least], with the inverses that the wanted one has in every monomial."""
        found: Sum = {}
        for m, c in term.parts.items():
            pairs = [(m._replace(guards=self._guards(m)), c)]
            for f, most in self.inverses.items():
                for _ in range(most - m.factors.count(f)):
                    pairs = [
                        (_joined(n, (f, *t.factors)), d * e)
                        for n, d in pairs
                        for t, e in body(f, 0)
                    ]
            for n, d in pairs:
                for k, e in _shifts(n, d):
                    found[k] = found.get(k, Fraction(0)) + e
        return {m: c for m, c in found.items() if c}

    def _guards(self, m: Monomial) -> frozenset[Index]:
        return (
            frozenset([g for g in m.guards if not implied(g, self.rows)]) if self.case else m.guards
        )

    def never_negative(self, m: Monomial) -> bool:
        return is_product(m, self.rows, self.known)

    def solved(self) -> list[Piece] | None:
        """A certificate from the candidates so far."""
        reached = {(m, c < 0) for column in self.columns for m, c in column.items()}
        for m, c in self.wanted.items():
            if (c < 0 or not self.never_negative(m)) and (m, c < 0) not in reached:
                return None
        monomials = list(dict.fromkeys([*self.wanted, *(m for c in self.columns for m in c)]))
        number = {m: r for r, m in enumerate(monomials)}
        own = [m for m in monomials if self.never_negative(m)]
        columns = [{number[m]: c for m, c in column.items()} for column in self.columns]
        columns += [{number[m]: Fraction(1)} for m in own]
        found = solution(columns, [self.wanted.get(m, Fraction(0)) for m in monomials])
        if found is None:
            return None
        every = [*self.pieces, *((Piece(Fraction(1), m),) for m in own)]
        return [
            replace(self._in_case(piece), factor=c * piece.factor)
            for k, c in sorted(found.items())
            for piece in every[k]
        ]

    def more(self) -> bool:
        """Whether there are new candidates."""
        count = len(self.pieces)
        sums = [self.wanted, *({m: -c for m, c in column.items()} for column in self.columns)]
        for m, c in [pair for one in sums for pair in one.items()]:
            negative = c < 0
            if (not negative and self.never_negative(m)) or (m, negative) in self._asked:
                continue
            self._asked.add((m, negative))
            for piece in self._candidates(m, negative):
                self._add(piece)
                if len(self.pieces) >= CANDIDATES:
                    return len(self.pieces) > count
        return len(self.pieces) > count

    def _add(self, piece: Piece) -> None:
        piece_in_case = self._in_case(piece)
        squares = tuple(frozenset(square.parts.items()) for square in piece.squares)
        looks = replace(piece_in_case, squares=()), squares
        if looks in self._seen:
            return
        self._seen.add(looks)
        term = self._worth(piece_in_case, (*looks, self.scope))
        if term is None:
            return
        column = self._written(term)
        looks = frozenset(column.items())
        if column and looks not in self._known:
            self._known.add(looks)
            self.pieces.append((piece,))
            self.columns.append(column)

    def _worth(self, piece: Piece, looks: Any) -> Term | None:
        """What a piece, which looks so, comes to; None where that is not found."""
        known = self.known.worth
        if looks not in known:
            known[looks] = None
            with suppress(KernelError):
                known[looks] = simplified(value([piece], self.scope, Looking(self.known)))
        return known[looks]

    def _in_case(self, piece: Piece) -> Piece:
        m = piece.monomial
        return replace(piece, monomial=m._replace(guards=m.guards | self.case))

    def _candidates(self, m: Monomial, negative: bool) -> Iterator[Piece]:
        plain = _bare(m)
        if negative:
            self._sums(m)
            yield from self._numbers(m)
        elif self.squares:
            yield from self._times(plain)
        here = Counter(f.name for f in plain.factors)
        for gap, n, is_negative, names in self._patterns:
            if is_negative == negative and all(here[name] >= count for name, count in names):
                for q, images in quotients(plain, n, gap, self.rows, self.spoken):
                    use = Use(gap.number, tuple(sorted(images.items())))
                    yield from self._times(q, use)

    def _times(self, q: Monomial, *uses: Use) -> Iterator[Piece]:
        if is_product(q, self.rows, self.known):
            yield Piece(Fraction(1), q, uses)
        elif self.squares and not any(
            v < 0 for use in uses for _, e in use.images for v in e.variables()
        ):
            found = as_square(q, lambda rest: is_product(rest, self.rows, self.known), self.scope)
            if found is not None:
                rest, square = found
                yield Piece(Fraction(1), rest, uses, (square,))

    def _numbers(self, m: Monomial) -> Iterator[Piece]:
        """#[v] q with e for v, where e ≥ 0 has −v in it: the sum is at most count · max."""
        rows = sorted(self.rows | m.guards)
        for f in dict.fromkeys(m.factors):
            if f.name != NUMBER:
                continue
            for e in rows:
                if any(e.coefficient(v) < 0 < f.at[0].coefficient(v) for v in e.variables()):
                    factors = (*m.divided(f).factors, Factor(NUMBER, (e,)))
                    yield Piece(Fraction(1), m._replace(factors=tuple(sorted(factors))))

    def _sums(self, m: Monomial) -> None:
        """A sum over more values less the sum over these: what is between them."""
        for n, c in self.wanted.items():
            if c <= 0 or n == m or not self.never_negative(n):
                continue
            if n.bound == m.bound and n.factors == m.factors:
                self._between(n, sorted(m.guards - n.guards), m)
            elif n.bound == m.bound + 1:
                for gap in self._places(n, m):
                    self._between(n, [gap, -gap], m)

    def _between(self, n: Monomial, region: Sequence[Index], m: Monomial) -> None:
        """n = m + the rest, if m is n where the guards of the region hold too."""
        if len(region) > CASES:
            return
        narrowed = n._replace(guards=n.guards.union(region))
        try:
            term = Term({narrowed: Fraction(1)}, self.scope)
            if self._written(simplified(term)) != {m: Fraction(1)}:
                return
        except KernelError:
            return
        here, rest = n.guards, []
        for g in region:
            if not contradictory(self.rows | here | {negation(g)}):
                rest.append(Piece(Fraction(1), n._replace(guards=here | {negation(g)})))
            here = here | {g}
        self.pieces.append(tuple(rest))
        self.columns.append({n: Fraction(1), m: Fraction(-1)})

    def _places(self, n: Monomial, m: Monomial) -> Iterator[Index]:
        """For each bound index of n, what is 0 where that index turns n into m, which has one index fewer."""
        moved = n.after(m.bound)
        own = frozenset(range(-moved.bound, -m.bound))
        for left, images in _divisions(list(m.factors), list(moved.factors), own, {}):
            if left or set(images) != own:
                continue
            names: dict[Index, int] = {}
            for w in range(-1, -n.bound - 1, -1):
                e = images[w - m.bound]
                if e in names or not any(v < 0 for v in e.variables()):
                    yield variable(w) - (variable(names[e]) if e in names else e)
                    break
                names[e] = w


def quotients(
    m: Monomial, n: Monomial, gap: AtLeast0, rows: frozenset[Index], spoken: Sequence[Factor]
) -> Iterator[tuple[Monomial, dict[int, Index]]]:
    """What a gap is to be multiplied by for its monomial n to become m, with indices for its variables."""
    moved = n.after(m.bound)
    own = frozenset(range(-moved.bound, -m.bound))
    for left, images in _divisions(list(m.factors), list(moved.factors), own | gap.over, {}):
        gone = {v for w in own if w in images for v in images[w].variables()}
        if any(not own.isdisjoint(e.variables()) for e in images.values()) or len(gone) != len(own):
            continue
        if any(v > 0 for v in gone) or any(gone & f.variables() for f in left):
            continue
        places = {v: e for v, e in images.items() if v > 0}
        if any(gone & e.variables() for e in places.values()):
            continue
        guards = frozenset([g for g in m.guards if not gone & g.variables()])
        kept = [v for v in range(-1, -m.bound - 1, -1) if v not in gone]
        names = {v: variable(-k) for k, v in enumerate(kept, start=1)}
        q = Monomial(m.bound, guards, tuple(sorted(left))).substitute(names, len(kept))
        places = {v: e.substitute(names) for v, e in places.items()}
        for more in _rest(gap, places, q, rows, spoken):
            yield q, more


def _rest(
    gap: AtLeast0,
    images: dict[int, Index],
    q: Monomial,
    rows: frozenset[Index],
    spoken: Sequence[Factor],
) -> Iterator[dict[int, Index]]:
    """Indices for variables that did not stand in the monomial: those of q in their range, or of like entries."""
    waiting = sorted(gap.over - set(images))
    if not waiting:
        yield images
        return
    v = waiting[0]
    known = rows | q.guards
    found = [variable(w) for w in sorted(q.variables() - declarations.current.sizes)]
    for own in sorted({f for n in gap.term.parts for f in n.factors if v in f.variables()}):
        for f in spoken:
            more = unified(own, f, {v}, images)
            if more is not None and not any(w < 0 for w in more[v].variables()):
                found.append(more[v])
    for e in dict.fromkeys(found):
        ends = [fact.substitute({**images, v: e}) for fact in declared(v)]
        if all(implied(end, known) for end in ends):
            yield from _rest(gap, {**images, v: e}, q, rows, spoken)


def _divisions(
    factors: list[Factor], patterns: list[Factor], unknown: frozenset[int], images: dict[int, Index]
) -> Iterator[tuple[list[Factor], dict[int, Index]]]:
    """The factors that are left over when each pattern takes one, with what its unknowns are."""
    if not patterns:
        yield factors, images
        return
    first, *rest = patterns
    for place, f in enumerate(factors):
        if place and f == factors[place - 1]:
            continue
        more = unified(first, f, unknown, images)
        if more is not None:
            yield from _divisions([*factors[:place], *factors[place + 1 :]], rest, unknown, more)


def unified(
    pattern: Factor, f: Factor, unknown: Iterable[int], images: dict[int, Index]
) -> dict[int, Index] | None:
    """The images and more, that make the pattern the factor."""
    if pattern.name != f.name or len(pattern.at) != len(f.at):
        return None
    images = dict(images)
    for a, e in zip(pattern.at, f.at, strict=True):
        rest = a.substitute(images)
        open_ = [(v, c) for v, c in a.terms if v in unknown and v not in images]
        if not open_:
            if rest != e:
                return None
            continue
        if len(open_) > 1 or abs(open_[0][1]) != 1:
            return None
        v, c = open_[0]
        images[v] = (e - (rest - variable(v) * c)) * c
    return images


def _inverses(term: Term) -> dict[Factor, int]:
    """Inverses of sums without bound indices, each with its highest power."""
    found: dict[Factor, int] = {}
    for m in term.parts:
        for f in m.factors:
            if function_of(f) == INVERSE and all(v > 0 for v in f.variables()):
                inside = body(f, 0)
                if not any(n.bound or n.guards for n, _ in inside):
                    found[f] = max(found.get(f, 0), m.factors.count(f))
    return found


def _joined(m: Monomial, factors: tuple[Factor, ...]) -> Monomial:
    """m times factors without bound indices, the numbers among them one by one."""
    return m._replace(factors=tuple(sorted((*m.factors, *factors))))


def _shifts(m: Monomial, c: Fraction) -> Iterator[tuple[Monomial, Fraction]]:
    """The numbers of sums as sums of numbers, and #[n] as #[n − least] + least."""
    for f in m.factors:
        if f.name != NUMBER:
            continue
        (e,) = f.at
        shift = sum(least(v) * d for v, d in e.terms)
        if len(e.terms) == 1 and e.terms[0][1] == 1 and e.const == -shift:
            continue
        rest = m.divided(f)
        if e.const + shift:
            yield from _shifts(rest, c * (e.const + shift))
        for v, d in e.terms:
            yield from _shifts(_joined(rest, (Factor(NUMBER, (variable(v) - least(v),)),)), c * d)
        return
    yield m, c


def least(v: int) -> int:
    """The least value of a free variable, where that is a number > 0."""
    lows = [-e.const for e in declared(v) if e.terms == ((v, 1),)] if v > 0 else []
    return max([0, *lows])


def _bare(m: Monomial) -> Monomial:
    """#[n − 1] as #[n]: what is divided is compared as it is written."""
    factors = [
        Factor(NUMBER, (Index(0, dict(f.at[0].terms)),)) if f.name == NUMBER else f
        for f in m.factors
    ]
    return m._replace(factors=tuple(sorted(factors)))
