"""Other ways to write a term: sums over disjoint regions, and numbers as products of those whose signs are known.

If m ≤ i, Σ_{j ≤ i} X_j − n Σ_{j < m} X_j is −(n − 1) Σ_{j < m} X_j + Σ_{m ≤ j ≤ i} X_j, of smaller size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm

from ...inequalities.statements import summed
from ...kernel.index import Index, facts, variable
from ...kernel.inequalities import implied, regions
from ...kernel.term import NUMBER, Factor, Monomial, Term

Numbers = dict[tuple[Factor, ...], Fraction]
"""A polynomial in numbers of indices."""
REGIONS = 64
"""No sum is divided into more regions."""


def in_regions(term: Term) -> Term | None:
    """The term, normal, as sums over disjoint regions; None if that is no other way to write it."""
    groups: dict[tuple[int, tuple[Factor, ...]], dict[frozenset[Index], Numbers]] = {}
    for m, c in term.parts.items():
        numbers = tuple(f for f in m.factors if f.name == NUMBER)
        others = tuple(f for f in m.factors if f.name != NUMBER)
        group = groups.setdefault((m.bound, others), {})
        group.setdefault(m.guards, {})[numbers] = c
    pairs = []
    known = facts(term.scope)
    for (bound, others), shares in groups.items():
        if sum(len(numbers) for numbers in shares.values()) == 1:
            ((guards, numbers),) = shares.items()
            divided = [(guards, numbers)]
        else:
            common = frozenset.intersection(*shares)
            live = [(guards - common, numbers) for guards, numbers in shares.items()]
            found = [
                (common.union(region), _total(every))
                for region, every in regions(live, known | common)
            ]
            divided = [one for one in found if one[1]]
            if len(divided) > REGIONS:
                return None
        for guards, numbers in divided:
            for c, factors in _products(numbers, known | guards):
                m = Monomial(bound, guards, tuple(sorted([*others, *factors])))
                pairs.append((m, c))
    found = Term(summed(pairs), term.scope)
    return None if dict(found.parts) == dict(term.parts) else found


def _total(every: Iterable[Numbers]) -> Numbers:
    """The sum of polynomials."""
    found = summed(pair for numbers in every for pair in numbers.items())
    return {factors: c for factors, c in found.items() if c}


def _products(
    numbers: Numbers, rows: frozenset[Index]
) -> list[tuple[Fraction, tuple[Factor, ...]]]:
    """The polynomial as one product of numbers ≥ 0, or else its monomials."""
    if len(numbers) > 1:
        found = _factored(numbers)
        if found is not None:
            c, indices = found
            factors = []
            for e in indices:
                if implied(-e, rows):
                    c, e = -c, -e
                elif not implied(e, rows):
                    break
                factors.append(Factor(NUMBER, (e,)))
            else:
                return [(c, tuple(factors))]
    return [(c, factors) for factors, c in numbers.items()]


def _factored(
    numbers: Mapping[tuple[Factor, ...], Fraction],
) -> tuple[Fraction, list[Index]] | None:
    """c and indices whose numbers multiply to the polynomial; None if it has a factor that is not linear."""
    from flint import Ordering, fmpq, fmpq_mpoly_ctx

    spoken = sorted({v for factors in numbers for f in factors for v in f.variables()})
    if any(f.at[0].const or len(f.at[0].terms) != 1 for fs in numbers for f in fs):
        return None
    ctx = fmpq_mpoly_ctx.get([f"v{k}" for k in range(len(spoken))], Ordering.lex)
    terms = {}
    for factors, c in numbers.items():
        powers = [0] * len(spoken)
        for f in factors:
            ((v, times),) = f.at[0].terms
            powers[spoken.index(v)] += 1
            c = c * times
        terms[tuple(powers)] = fmpq(c.numerator, c.denominator)
    content, found = ctx.from_dict(terms).factor()
    c = Fraction(int(content.p), int(content.q))
    indices: list[Index] = []
    for polynomial, times in found:
        parts = {tuple(int(p) for p in powers): x for powers, x in polynomial.to_dict().items()}
        if any(sum(powers) > 1 for powers in parts):
            return None
        values = {powers: Fraction(int(x.p), int(x.q)) for powers, x in parts.items()}
        scale = lcm(*(x.denominator for x in values.values()))
        e = Index(0)
        for powers, x in values.items():
            at = [variable(spoken[k]) for k, p in enumerate(powers) if p]
            e = e + (at[0] if at else Index(1)) * int(x * scale)
        c = c / scale**times
        indices += [e] * times
    return c, sorted(indices)
