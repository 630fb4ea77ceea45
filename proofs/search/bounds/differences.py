"""Other ways to write a term, with names for differences: S = x + F, so that what S and x have in common cancels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...inequalities.statements import instance_beside
from ...interpret.session import current
from ...kernel.errors import KernelError
from ...kernel.index import Index, facts
from ...kernel.term import NUMBER, Factor, Monomial, Term
from ..normal import simplified
from ..steps import matched, sum_of
from .facts import within
from .hypotheses import Difference

Pairs = list[tuple[Monomial, Fraction]]


class Rule(NamedTuple):
    """lead = (F − rest)/c, F the name of a difference; `rest` and `named` are sums to be substituted for the lead."""

    lead: Factor
    over: frozenset[int]
    named: Pairs
    rest: Pairs


def ways(term: Term, differences: Sequence[Difference]) -> Iterator[Term]:
    """Terms that are equal to this one, itself first."""
    yield term
    seen = [dict(term.parts)]
    for later in (False, True):
        rules = [rule for one in differences for rule in _rules(one, later)[:1]]
        if not rules:
            return
        for rewrite in (_telescoped, _everywhere):
            try:
                found = rewrite(term, rules)
            except KernelError:
                continue
            if dict(found.parts) not in seen:
                seen.append(dict(found.parts))
                yield found


def _rules(one: Difference, later: bool) -> list[Rule]:
    """What the difference says of the entries in it; those of states first, then those with sign + (or −, if later)."""
    found = []
    for m, c in one.term.parts.items():
        if m.bound or m.guards or len(m.factors) != 1 or m.factors[0].name == NUMBER:
            continue
        (f,) = m.factors
        rest = [(n, -d / c) for n, d in one.term.parts.items() if n != m]
        others = {g.name for n, _ in rest for g in n.factors}
        images = matched(f, one.over, f)
        if f.name in others or images is None:
            continue
        named = [(Monomial(0, frozenset(), (one.here,)), 1 / c)]
        state = f.name in current().recursions
        found.append(((state == later, (c < 0) != later, f), Rule(f, one.over, named, rest)))
    return [rule for _, rule in sorted(found, key=lambda pair: pair[0])]


def _everywhere(term: Term, rules: Sequence[Rule]) -> Term:
    pairs = [(n, c) for m, c in term.parts.items() for n, c in _expanded(m, c, term, rules, True)]
    return _sum(pairs, term)


def _telescoped(term: Term, rules: Sequence[Rule]) -> Term:
    """u v − x y as F v + x G where u = x + F and v = y + G, for each two monomials that differ so."""
    pairs: Pairs = []
    left: dict[tuple[int, tuple[Factor, ...]], set[bool]] = {}
    for m, c in term.parts.items():
        left.setdefault((m.bound, m.factors), set()).add(c > 0)
    for m, c in term.parts.items():
        expanded = _expanded(m, c, term, rules, False)
        if len(expanded) > 1:
            names = {n.name for rule in rules for p, _ in rule.named for n in p.factors}
            base = [(n, d) for n, d in expanded if not names & {f.name for f in n.factors}]
            for n, d in _sum(base, term).parts.items():
                if (d < 0) in left.get((n.bound, n.factors), ()):
                    pairs += expanded
                    break
            else:
                pairs.append((m, c))
        else:
            pairs.append((m, c))
    return _sum(pairs, term)


def _expanded(m: Monomial, c: Fraction, term: Term, rules: Sequence[Rule], both: bool) -> Pairs:
    """The monomial with every lead replaced; unless `both`, no more than one of them by its difference."""
    for f in m.factors:
        for rule in rules:
            images = _fits(rule, f, m, term)
            if images is None:
                continue
            others = m.divided(f)
            named, rest = (
                [(others.joined(instance_beside(n, m, images)), c * d) for n, d in pairs]
                for pairs in (rule.named, rule.rest)
            )
            result = named
            if both:
                result = [p for n, d in named for p in _expanded(n, d, term, rules, both)]
            return [*result, *(p for n, d in rest for p in _expanded(n, d, term, rules, both))]
    return [(m, c)]


def _fits(rule: Rule, f: Factor, m: Monomial, term: Term) -> dict[int, Index] | None:
    images = matched(rule.lead, rule.over, f)
    rows = facts(term.scope) | m.guards
    return images if images is not None and within(rule.over, images, rows) else None


def _sum(pairs: Pairs, term: Term) -> Term:
    return simplified(sum_of(pairs, term.scope))
