"""Products over tokens beside products over chunks: Π_i a[4i] a[4i + 1] a[4i + 2] a[4i + 3] is Π_t a[t].

What a product over chunks is as one over tokens is shown by induction; products over tokens are cut where chunks meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from ..interpret.products import running_product
from ..kernel.errors import KernelError
from ..kernel.index import Index, position, position_number, variable
from ..kernel.inequalities import contradictory, implied, negation
from ..kernel.rules import Goal, Rewriting, Tactic
from ..kernel.term import ONE, Factor, Term, as_term, entry
from ..kernel.theorem import Theorem
from .factors import part
from .normal import simplified
from .session import Proving, current
from .steps import Step, at_constant_times, rewriting
from .unfolding import by_induction
from .zero import show_zero

Group = dict[Factor, list[int]]
"""For each pattern of a factor the places in a chunk at which it stands."""


def stretch(names: Iterable[str], by: int) -> None:
    """What products over chunks of this length are as products over tokens, as closed forms from now on."""
    session = current()
    for name in names:
        if name in session.closed or not is_product(name):
            continue
        count = position("m", 0)
        when = position("t", 0, count + 1)
        try:
            right = _over_tokens(name, by, when, session)
            if right is None:
                continue
            recursion, k = session.recursions[name]
            claim = Factor(name, (when, *recursion.states[k].given))
            (rule,) = by_induction(when, [(claim, right)], (), _counting(name, by)).rules
        except KernelError:
            continue
        session.closed[name] = rule, (position_number(count),)


def _counting(name: str, by: int) -> Tactic:
    """The tactic of an induction in whose step a product takes a chunk."""
    turn = rewriting([current().definition(name)[1]])

    def tactic(goal: Goal, rules: Sequence[Theorem]) -> None:
        hypotheses = rewriting(rules, divide=True)
        show_zero(goal, [at_constant_times(current()), turn, parting(by), hypotheses])

    return tactic


def _over_tokens(name: str, by: int, when: Index, session: Proving) -> Term | None:
    """Π over `when` chunks as a product over tokens; None if its formula is not that of whole chunks."""
    recursion, k = session.recursions[name]
    state, time = recursion.states[k], recursion.time
    parts = simplified(recursion.step[k]).parts
    m = next(iter(parts), ONE)
    if len(parts) != 1 or parts[m] != 1 or m.bound or m.guards:
        return None
    factors = m.divided(Factor(name, (time, *state.given))).factors
    if name not in session.ranged:
        return _power(factors, by, when, session)
    low = state.given[0]
    running = position("r")
    found = as_term(1)
    groups: Group = {}
    for f in factors:
        at = _reading(f, time, low, by)
        if at is None:
            return None
        if _whole_chunk(f, by) and at[0] == 1:
            found = found * entry(f.name, when * by, low * by + at[1], *f.at[2:])
            continue
        places = [
            (running + (e.const - at[1])) if e.coefficient(position_number(time)) else e
            for e in f.at
        ]
        groups.setdefault(Factor(f.name, tuple(places)), []).append(at[1])
    for pattern, places in groups.items():
        first = min(places)
        if sorted(places) != list(range(first, first + by)):
            return None
        term = entry(pattern.name, *pattern.at)
        begin = low * by + first
        found = found * running_product(term, running, begin, begin + when * by)
    return found


def _reading(f: Factor, time: Index, low: Index, by: int) -> tuple[int, int] | None:
    """The first axis at which the factor of chunk low + time is read at by · (low + time) + c, and that c."""
    n, first = position_number(time), None
    for axis, e in enumerate(f.at):
        if not e.coefficient(n):
            continue
        if not (e - (time + low) * by).terms:
            first = (axis, e.const) if first is None else first
        else:
            return None
    return first


def _whole_chunk(f: Factor, by: int) -> bool:
    """Whether it is the product over a chunk."""
    return is_product(f.name) and f.at[0] == Index(by)


def _power(factors: tuple[Factor, ...], by: int, when: Index, session: Proving) -> Term | None:
    found = as_term(1)
    for f in dict.fromkeys(factors):
        times, rest = divmod(factors.count(f), by)
        if _whole_chunk(f, by):
            found = found * entry(f.name, when * by, *f.at[1:])
        elif rest:
            return None
        else:
            for _ in range(times):
                found = found * running_product(entry(f.name, *f.at), None, Index(0), when * by)
    return found


def parting(by: int) -> Step:
    """A product over e + by tokens is one over e times one over a chunk."""
    session = current()

    def step(work: Rewriting, k: int) -> bool:
        m, _ = work.parts[k]
        rows = [*work.known, *m.guards]
        for place, f in enumerate(m.factors):
            if not is_product(f.name):
                continue
            rest = f.at[0] - by
            whole = rest.terms and rest.const >= 0 and implied(rest, rows)
            if whole and part(work, k, place, rest, session):
                return True
        return False

    return step


def cutting(by: int) -> Step:
    """A product over tokens of several chunks is cut where the first of them ends, and where the last begins."""

    def step(work: Rewriting, k: int) -> bool:
        session = current()
        m, _ = work.parts[k]
        rows = [*work.known, *m.guards]
        for place, f in enumerate(m.factors):
            if not is_product(f.name) or not f.at[0].terms:
                continue
            if f.name not in session.ranged:
                if _shortened(work, k, place, by):
                    return True
                continue
            low, high = f.at[1], f.at[1] + f.at[0]
            up, down = _next(low, by, rows), _last(high, by, rows)
            if up is None or down is None or (up == low and down == high):
                continue
            gap = down - up
            if implied(gap, rows):
                at = up if up != low else down
                if at in (low, high) or not part(work, k, place, at - low, session):
                    continue
                return True
            if not contradictory([*rows, gap]):
                cases = [m.guards | {gap}, m.guards | {negation(gap)}]
                work.regroup(k, [(guards, 1) for guards in cases])
                return True
        return False

    return step


def _shortened(work: Rewriting, k: int, place: int, by: int) -> bool:
    """A power by as many chunks as lie between two places of the monomial is one by the chunks that lie within."""
    m, _ = work.parts[k]
    rows = [*work.known, *m.guards]
    e = m.factors[place].at[0]
    begins = {_start(at, by) for f in m.factors if not is_product(f.name) for at in f.at}
    for one, other in permutations(sorted(begins), 2):
        within = one - other - by
        more = e - within
        if more.terms or more.const <= 0:
            continue
        if implied(within, rows):
            return part(work, k, place, within, current())
        if not contradictory([*rows, within]):
            cases = [m.guards | {within}, m.guards | {negation(within)}]
            work.regroup(k, [(guards, 1) for guards in cases])
            return True
    return False


def _start(e: Index, by: int) -> Index:
    begin, within = _in_chunk(e, by)
    return begin if within.terms else begin + within.const // by * by


def _next(e: Index, by: int, rows: list[Index]) -> Index | None:
    """The first place from e on where a chunk begins, as far as it is seen; for the first of a chunk the next one."""
    begin, within = _in_chunk(e, by)
    if not within.terms:
        return begin + by * -(-within.const // by)
    begin = _begin(begin, within, by, rows)
    return None if begin is None else begin + by


def _last(e: Index, by: int, rows: list[Index]) -> Index | None:
    """The last place up to e where a chunk begins; for the end of a chunk where that one begins."""
    begin, within = _in_chunk(e, by)
    if not within.terms:
        return begin + by * (within.const // by)
    return _begin(begin, within, by, rows)


def _in_chunk(e: Index, by: int) -> tuple[Index, Index]:
    """The part of e that is a number of chunks, and the rest."""
    begin = Index(0, {v: c for v, c in e.terms if c % by == 0})
    return begin, e - begin


def _begin(begin: Index, within: Index, by: int, rows: list[Index]) -> Index | None:
    """Where the chunk begins, at most a chunk before `begin` + `within`."""
    chunks = {v for row in rows for v, c in row.terms if c % by == 0}
    others = [variable(v) * by for v in sorted(chunks)]
    for other in (Index(within.const // by * by), *others):
        for one in (other, other + by, other - by):
            rest = within - one
            if implied(rest, rows) and implied(rest * -1 + by, rows) and rest.terms:
                return begin + one
    return None


def is_product(name: str) -> bool:
    """Whether it is a product over a range, or a power."""
    session = current()
    return name in session.recursions and session.is_product(name)


def products_in(goal: Goal) -> list[str]:
    """The products that a goal speaks of."""
    names = {f.name: None for m, _ in goal.parts.values() for f in m.factors}
    return [n for n in names if is_product(n)]
