"""Functions of what stays itself, or changes its sign, where places are exchanged: |x[i] − x[j]| is |x[j] − x[i]|."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from ..kernel.errors import KernelError
from ..kernel.index import Index
from ..kernel.inequalities import implied
from ..kernel.laws import law
from ..kernel.reduction import reduction
from ..kernel.rules import Rewriting
from ..kernel.term import Factor, Monomial, body, function_of, made
from ..kernel.theorem import Theorem
from .instances import ORDERED, by_pattern
from .laws import SIGNED
from .session import Proving, current
from .steps import at_formals, images, is_function


def exchange(work: Rewriting, k: int, session: Proving) -> bool:
    """|x[i] − x[j]| by |x[j] − x[i]|, where i > j: of what is odd or even in two places, the lesser comes first."""
    m, _ = work.parts[k]
    for place, f in enumerate(m.factors):
        if function_of(f) not in SIGNED:
            continue
        if f.name not in session.exchanged:
            session.exchanged[f.name] = _exchanged(f)
        rule = session.exchanged[f.name]
        if rule is None:
            continue
        at = images(rule, f)
        (other,) = {g for n in rule.right.parts for g in n.factors if g.name == f.name}
        gaps = [e - o.substitute(at) for e, o in zip(f.at, other.at, strict=True)]
        gap = next((e for e in gaps if e.terms or e.const), Index(0))
        rows = work.known | m.guards
        if implied(gap, rows) and not implied(gap * -1, rows):
            work.rewrite(k, place, rule, at)
            return True
    return False


def _exchanged(f: Factor) -> Theorem | None:
    """f(T) by f(−T), where T becomes −T when its places are exchanged."""
    left = at_formals(f.name, len(f.at))
    try:
        mirrored = law(left, "mirror")
    except KernelError:
        return None
    inside = {g for m, _ in body(left, 0) for g in m.factors}
    every = {g for m in mirrored.right.parts for g in m.factors} - inside
    other = next(g for g in sorted(every) if function_of(g) == function_of(f))
    new = by_pattern(other)
    if new.name != f.name or new.at == left.at:
        return None

    def search(work: Rewriting) -> None:
        work.rewrite(0, 0, mirrored, images(mirrored, left))
        for k, (m, _) in [*work.parts.items()]:
            for place, g in enumerate(m.factors):
                if g == other:
                    work.alike(k, place, new)

    return reduction(left, search)


def exchanged(m: Monomial) -> Iterator[Monomial]:
    """The same product, by the same value of a function at places that are exchanged."""
    session = current()
    for f in dict.fromkeys(m.factors):
        if not is_function(f):
            continue
        if f.name not in session.symmetries:
            session.symmetries[f.name] = _symmetries(f)
        for order in session.symmetries[f.name]:
            new = Factor(f.name, tuple(f.at[n] for n in order))
            if new != f:
                others = [new if g == f else g for g in m.factors]
                yield m._replace(factors=tuple(sorted(others)))


def _symmetries(f: Factor) -> Sequence[Sequence[int]]:
    """The orders of its places in which a function is of the same."""
    every = range(len(f.at))
    if len(every) > ORDERED:
        return []
    left = at_formals(f.name, len(f.at))
    orders = itertools.permutations(every)
    return [
        o for o in orders if _parts(Factor(f.name, tuple(left.at[n] for n in o))) == _parts(left)
    ][1:]


def _parts(f: Factor) -> Mapping[Monomial, Fraction]:
    return made(body(f, 0), frozenset(f.variables())).parts
