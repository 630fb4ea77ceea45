"""Inside functions: tanh(W h) = tanh(W k) where h = k is a lemma, or the hypothesis of an induction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, position, variable
from ..kernel.inequalities import implied
from ..kernel.reduction import congruence
from ..kernel.rules import Rewriting
from ..kernel.term import EXP, Factor, Monomial, function_of
from ..kernel.theorem import HYPOTHESIS, Theorem
from .exponents import in_standard_order
from .guards import within
from .normal import in_order, tidy
from .session import current, spoken_of
from .steps import Step, is_function, matched, rewriting


def inside(rules: Sequence[Theorem]) -> Step:
    """A step that applies theorems, and closed forms, in what functions of states are taken of."""
    hypotheses = tuple(rule for rule in rules if rule.name == HYPOTHESIS)
    session = current()
    fixed = {v for h in hypotheses for v in cast(Factor, h.left).variables() - h.over}
    known, done = session.inside.setdefault(tuple(rules), ({}, set()))
    waiting: dict[Any, bool] = {}
    """The values whose arguments are being rewritten, and whether one was met in what is made of its own argument."""

    def step(work: Rewriting, k: int) -> bool:
        m, _ = work.parts[k]
        for place, f in enumerate(m.factors):
            if f.name in done or not is_function(f) or not spoken_of(f.name, session):
                continue
            left = _anywhere(f, m, work, fixed)
            key = None if left is None else (f.name, *map(_range_of, left.at))
            if key in waiting:  # rewriting it would go on without end: it stays what it is
                waiting[key] = True
                continue
            if key not in known:
                waiting[key] = False
                made = None if left is None else _found(left, hypotheses, again, fixed)
                known[key] = None if waiting.pop(key) else made
                if known[key] is not None:
                    done.update(g.name for n in known[key].right.parts for g in n.factors)
            rule = known[key]
            images = rule and matched(cast(Factor, rule.left), rule.over, f)
            if rule is None or images is None:
                continue
            try:
                work.rewrite(k, place, rule, images)
            except KernelError:  # outside the ranges that were looked at
                continue
            return work.parts.get(k, (None,))[0] != m
        return False

    also = [rewriting(rules), step]

    def again(work: Rewriting) -> None:
        tidy(work, also)

    return step


def _range_of(e: Index) -> Any:
    """What a position stands for: a variable of the hypothesis for itself, any other for its range."""
    (v,) = e.variables()
    ends = declared(v)
    return tuple(fact.substitute({v: Index(0)}) for fact in ends) if len(ends) == 2 else v


def _anywhere(f: Factor, m: Monomial, work: Rewriting, fixed: set[int]) -> Factor | None:
    """The factor at positions of its own, in the ranges that its indices have in the monomial."""
    at, made = [], dict[int, Index]()
    for e in f.at:
        v = e.terms[0][0] if is_shifted(e) else 0
        if v in fixed and not e.const:
            place = e
        elif v in made:
            place = None if e.const else made[v]
        else:
            place = position_in(e, m, work)
            if v and place is not None:
                made[v] = place
        if place is None:
            return None
        at.append(place)
    return Factor(f.name, tuple(at))


def position_in(e: Index, m: Monomial, work: Rewriting) -> Index | None:
    """A position in the range that an index has in a monomial; None where none is seen."""
    if not is_shifted(e):
        return _between_sizes(e, m, work)
    ((v, _),) = e.terms
    ends = within(v, m, sorted(work.known)) if v in m.variables() else None
    return None if ends is None else position("p", ends[0] + e.const, ends[1] + e.const)


def is_shifted(e: Index) -> bool:
    """Whether it is a variable and a number."""
    return len(e.terms) == 1 and e.terms[0][1] == 1


def _between_sizes(e: Index, m: Monomial, work: Rewriting) -> Index | None:
    """A position from 0 to a size, or from 1, where the index is seen to lie there."""
    rows = [*work.known, *m.guards]
    for size in map(variable, sorted(declarations.current.sizes)):
        for low in (1, 0):
            if implied(e - low, rows) and implied(size - 1 - e, rows):
                return position("p", low, size)
    return None


def _found(
    left: Factor, hypotheses: Sequence[Theorem], search: Any, fixed: set[int]
) -> Theorem | None:
    def make(at: Factor) -> Theorem:
        return congruence(at, search, hypotheses)

    try:
        if function_of(left) != EXP:
            return in_order(left, make, fixed)
        found = make(left)  # `exponents` puts the positions of exp in order
        return None if in_standard_order(found.right) == left else found
    except KernelError:
        return None
