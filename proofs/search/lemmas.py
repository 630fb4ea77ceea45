"""Equations that normal forms do not show: lemmas about states are guessed, and proved by induction.

A goal that is stuck says what is missing. Where it reads c · S[T, a] R + rest = 0, and R divides every monomial of the
rest, then S[t, a] = −rest/(c R) at every time t is worth a try: so it is found that a layer's state is the learner's.
Where a step needs entries of a state that never change, that is tried first. The kernel checks what is guessed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from typing import Any

from ..kernel import index as declarations
from ..kernel.errors import KernelError, NotProved
from ..kernel.index import (
    Index,
    declared,
    facts,
    position,
    position_number,
    ranges,
    variable,
)
from ..kernel.inequalities import implied
from ..kernel.rules import Goal, Tactic, equation
from ..kernel.term import INVERSE_NUMBER, NUMBER, Factor, Monomial, Term, body, function_of
from ..kernel.theorem import Theorem
from .closed_forms import settle
from .dividing import dividing, one_by_one
from .exponents import exponential, is_exponential, negative
from .guards import ends_by
from .normal import deepened, forget, start_of
from .session import Proving, current, plainly
from .steps import RENAMED, sum_of
from .together import at_random, inner, spoken, together
from .unfolding import aligning, by_induction, parting, peeling, spelling, tactic, unrolling
from .values import equal_values
from .zero import Stuck

ROUNDS = 12
"""Lemmas that one equation may need."""
LONGEST = 4
"""A state is not solved for that stands with more factors than this."""
Claim = tuple[Index, Factor, Term]
"""when, S[when, …] and what it is."""
Pairs = list[tuple[Monomial, Fraction]]
"""Monomials of a sum, with their coefficients."""


def show(left: Term, right: Term, *more: Tactic) -> Theorem:
    """left = right, with lemmas where normal forms are not enough; `more` says what to try besides.

    Raises:
        NotProved, TooHard: if no guess leads there.
    """
    session = current()
    settle(session)
    try:
        return _search(left, right, session, more)
    except Stuck:
        with plainly(session):
            return _search(left, right, session, more)


def _search(left: Term, right: Term, session: Proving, more: Sequence[Tactic]) -> Theorem:
    tried: set[Any] = set()
    for _ in range(ROUNDS):
        try:
            return equation(left, right, tactic, session.lemmas)
        except Stuck as error:
            stuck = error
        session.stuck = stuck.goal
        goals = [stuck.goal]
        whole = [] if stuck.before is None else [stuck.before]
        for another in (
            aligning,
            peeling,
            dividing,
            one_by_one,
            parting,
            spelling,
            unrolling,
            *more,
        ):
            try:
                return equation(left, right, another, session.lemmas)
            except Stuck as error:
                goals.insert(0, error.goal)
                whole += [] if error.before is None else [error.before]
            except KernelError:
                pass
        if stuck.whole is not stuck.goal:
            goals.append(stuck.whole)
        kinds = (twins, pairs, constants, solutions, rows, matches)
        claims = (claim for kind in kinds for goal in goals for claim in kind(goal, session))
        if any(_try(claim, session, tried) for claim in claims):
            continue
        if equal_values([*whole, *goals], session):
            continue
        if not _in_step([*whole, *goals], session) and not deepened(session):
            raise stuck
    raise NotProved(f"more than {ROUNDS} lemmas")


def _try(claim: Claim, session: Proving, tried: set[Any], depth: int = 2, least: int = 1) -> bool:
    """Whether the claim is proved, and so a lemma from now on; not again what failed while as much was known."""
    when, factor, right = claim
    looks = _looks(claim)
    facts = len(session.lemmas), len(session.inductions), len(session.closed), session.opened
    known = looks, depth, facts
    recursion, _ = session.recursions[factor.name]
    own = {state.name for state in recursion.states}
    if depth < least or own & {f.name for m in right.parts for f in m.factors}:
        return False
    if not tried.isdisjoint((looks, known)):
        return False
    tried.add(known)
    if at_random(factor, right, session) is False:
        return False
    for _ in range(ROUNDS):
        try:
            with _apart(factor.name, session) as rules:
                by_induction(when, [(factor, right)], rules)
        except Stuck as error:
            more = [
                *((one, 1) for one in constants(error.goal, session)),
                *((one, 1) for one in others(claim, error.goal, session)),
                *((one, 1) for one in (matches(error.goal, session) if depth > 1 else ())),
                *((one, 0) for one in (constants(error.goal, session) if session.columns else ())),
            ]
            if any(_try(one, session, tried, depth - 1, least) for one, least in more):
                continue
            return False
        except KernelError:
            return False
        tried.add(looks)
        return True
    return False


def _looks(claim: Claim) -> Any:
    """The claim and the ranges of its positions, whatever these are called."""
    _, factor, right = claim
    free = factor.variables().union(*(m.variables() for m in right.parts))
    own = [v for v in sorted(free - declarations.current.sizes) if v > 0]
    names = {v: variable(RENAMED + n) for n, v in enumerate(own)}
    inside = tuple(e.substitute(names) for v in own for e in declared(v))
    parts = ((m.substitute(names, m.bound), c) for m, c in right.parts.items())
    return factor.substitute(names), frozenset(parts), inside


def _in_step(goals: Sequence[Goal], session: Proving) -> bool:
    """Whether something is proved of several states at once that the goals need."""
    every = (one for goal in goals for one in inner(goal, session))
    claims = (claim for goal in every for claim in guesses(goal, session))
    tried: set[Any] = set()
    for claim in claims:
        _, factor, right = claim
        looks = _looks(claim)
        if looks in tried or factor.name in spoken(right, session):  # that would never end
            continue
        tried.add(looks)
        if at_random(factor, right, session) and together(claim, guesses, session):
            return True
    return False


def guesses(goal: Goal, session: Proving) -> Iterator[Claim]:
    """What states are in terms of others, if the goal is to hold."""
    yield from pairs(goal, session)
    yield from solutions(goal, session)
    yield from solutions(goal, session, partly=True)


@contextmanager
def _apart(state: str, session: Proving) -> Iterator[Sequence[Theorem]]:
    """All lemmas but those that speak of this state's entries at other times than an hypothesis about it does."""
    if state not in session.kept:
        yield session.lemmas
        return
    own = session.kept.pop(state)
    forget([state], session)
    try:
        yield [rule for rule in session.lemmas if rule not in own]
    finally:
        session.kept[state] = own
        forget([state], session)


def pairs(goal: Goal, session: Proving) -> Iterator[Claim]:
    """Two states that would cancel if they were equal, or if one were the other times values of exp."""
    parts = list(goal.parts.values())
    for place, (one, c) in enumerate(parts):
        for other, d in parts[place + 1 :]:
            if c != -d or one.bound != other.bound:
                continue
            m, n = sorted((one, other), key=lambda m: len(m.factors))
            for f in m.factors:
                if f.name not in session.recursions or f.name in {g.name for g in n.factors}:
                    continue
                pattern = _generalised(f, m, goal, session)
                if pattern is None:
                    continue
                when, factor, images = pattern
                divided = _divided(n, m.divided(f).factors, images)
                if divided is not None and sum(not is_exponential(g) for g in divided.factors) == 1:
                    moved = _at_every_time([(divided, Fraction(1))], f.at[0], when)
                    yield when, factor, sum_of(moved, factor.variables())


def twins(goal: Goal, session: Proving) -> Iterator[Claim]:
    """Two states of loops alike that start alike."""
    names = sorted(
        {f.name for m, _ in goal.parts.values() for f in m.factors if f.name in session.recursions}
    )
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            (recursion, k), (another, l) = session.recursions[one], session.recursions[other]
            state, twin = recursion.states[k], another.states[l]
            own, its = (*state.at, *state.given), (*twin.at, *twin.given)
            times = declared(position_number(recursion.time))
            if recursion is another or session.is_product(one) or session.is_product(other):
                continue
            if ranges((recursion.time, *own)) != ranges((another.time, *its)):
                continue
            images = {position_number(i): e for i, e in zip(its, own, strict=True)}
            if start_of(other, session).substitute(images).parts != start_of(one, session).parts:
                continue
            when = position("t", 0, times[1] + recursion.time + 2)
            twin_entry = Monomial(0, frozenset(), (Factor(other, (when, *own)),))
            factor = Factor(one, (when, *own))
            yield when, factor, sum_of([(twin_entry, Fraction(1))], factor.variables())


def constants(goal: Goal, session: Proving) -> Iterator[Claim]:
    """Entries that stay what they were at the start, those of rows that are summed over too."""
    for _, _, (when, factor, _) in _entries(goal, session, summed=True):
        yield when, factor, sum_of(_start(factor, session), factor.variables())


def others(claim: Claim, goal: Goal, session: Proving) -> Iterator[Claim]:
    """What a claim about one entry says of others that its step needs: the same change since the start."""
    _, wanted, right = claim
    for _, f, (when, factor, _) in _entries(goal, session):
        if f.name != wanted.name:
            continue
        table = {
            old.terms[0][0]: new
            for old, new in zip(wanted.at[1:], factor.at[1:], strict=True)
            if old != new and len(old.terms) == 1 and not old.const and old.terms[0][1] == 1
        }
        time = wanted.at[0].terms[0][0]
        now = _substituted(right.parts.items(), {**table, time: when})
        yield when, factor, sum_of(_since(now, when, factor, session), factor.variables())


def _since(body: Pairs, when: Index, factor: Factor, session: Proving) -> Pairs:
    """What a state is that starts as it does and changes as the body does."""
    before = _substituted(body, {when.terms[0][0]: Index(0)})
    return [*body, *((n, -c) for n, c in before), *_start(factor, session)]


def _start(factor: Factor, session: Proving) -> Pairs:
    """What the state is at the start, at these positions."""
    recursion, k = session.recursions[factor.name]
    state = recursion.states[k]
    at = zip((*state.at, *state.given), factor.at[1:], strict=True)
    return _substituted(
        start_of(factor.name, session).parts.items(), {v.terms[0][0]: e for v, e in at}
    )


def solutions(goal: Goal, session: Proving, partly: bool = False) -> Iterator[Claim]:
    """What a state must be at every time if the goal is to hold at its own.

    Partly: if what is multiplied by the same as the state is to cancel by itself.
    """
    for f, (when, factor, images), rest, others in _beside(
        list(goal.parts.values()), goal, session
    ):
        body = []
        for n, d in others:
            divided = _divided(n, rest, images)
            if divided is not None:
                body.append((divided, d))
            elif not partly:
                break
        else:
            with suppress(KernelError):
                yield when, factor, sum_of(_at_every_time(body, f.at[0], when), factor.variables())


def rows(goal: Goal, session: Proving) -> Iterator[Claim]:
    """What an entry that is written once must be if the goal is to hold: that from its turn on, the start before."""
    parts = list(goal.parts.values())
    for f, (when, factor, images), rest, others in _beside(parts, goal, session, written=True):
        divided = [(_divided(n, rest, images), d) for n, d in others]
        turn = f.at[0].substitute(images) - 1
        start = [
            (n._replace(guards=n.guards | {turn - when}), d) for n, d in _start(factor, session)
        ]
        found = [
            (n._replace(guards=n.guards | {when - 1 - turn}), d)
            for n, d in divided
            if n is not None
        ]
        if len(found) == len(divided):
            with suppress(KernelError):
                yield when, factor, sum_of([*start, *found], factor.variables())


def matches(goal: Goal, session: Proving) -> Iterator[Claim]:
    """What a state must be if its monomial is to cancel with others, whatever else is left over.

    These are all that do not speak of its time, but as of an end of sums and products; or any single one. Values of a
    function count as the same: what they are taken of may be equal by the same lemma.
    """
    plain = list(goal.parts.values())
    for parts in (plain, [(_by_function(m), c) for m, c in plain]):
        for f, (when, factor, images), rest, others in _beside(parts, goal, session):
            singles = []
            for n, d in others:
                divided = _divided(n, rest, images, True)
                if divided is not None and not any(_UNNAMED in g.name for g in divided.factors):
                    singles.append((divided, d))
            before = [one for one in singles if not _speaks_of(one[0], f.at[0], session)]
            several = [before] if len(before) > 1 else []
            for one in (*several, *([single] for single in singles)):
                with suppress(KernelError):
                    for moved in _at_any_time(one, f.at[0], when, session):
                        yield when, factor, sum_of(moved, factor.variables())
                        yield (
                            when,
                            factor,
                            sum_of(_since(moved, when, factor, session), factor.variables()),
                        )


def _beside(
    parts: Pairs, goal: Goal, session: Proving, written: bool = False
) -> Iterator[tuple[Factor, Pattern, Sequence[Factor], Pairs]]:
    """Each entry of a state at any time, what it is multiplied by, and what the others of `parts` make of both.

    Args:
        parts: the goal's monomials, or others in their place.
        goal: what is to be shown.
        session: where.
        written: whether the entries are those that are written once.
    """
    for place, f, pattern in _entries(goal, session, written):
        m, c = parts[place]
        rest = m.divided(f).factors
        if written or len(rest) <= LONGEST:
            yield f, pattern, rest, [(n, -d / c) for n, d in parts[:place] + parts[place + 1 :]]


def _speaks_of(m: Monomial, time: Index, session: Proving) -> bool:
    """Whether factors that are no products speak of a time's variables, other than as of an end of a sum in exp."""
    times = time.variables() - declarations.current.sizes
    plain = (f for f in m.factors if f.name not in session.ranged)
    return any(
        times & g.variables()
        for f in plain
        for g in ([h for n, _ in body(f, m.bound) for h in n.factors] if is_exponential(f) else [f])
    )


_UNNAMED = "f()"


def _by_function(m: Monomial) -> Monomial:
    """The monomial with one name for all values of a function."""
    factors = []
    for f in m.factors:
        name = function_of(f)
        plain = name is None or f.name == INVERSE_NUMBER
        factors.append(f if plain else Factor(f"{name}{_UNNAMED}", f.at))
    return m._replace(factors=tuple(sorted(factors)))


Pattern = tuple[Index, Factor, dict[int, Index]]
"""A time, a state's entry at it, and the positions that stand for bound indices."""


def _entries(
    goal: Goal, session: Proving, written: bool = False, summed: bool = False
) -> Iterator[tuple[int, Factor, Pattern]]:
    """The states' entries in a goal that can be taken at any time: the monomial's place, the entry, and that.

    Args:
        goal: what is to be shown.
        session: where.
        written: whether those are meant that are written once, in all places.
        summed: whether also those are meant that are written once, in the places that are summed over.
    """
    known = session.kept if written else session.recursions
    for place, (m, _) in enumerate(goal.parts.values()):
        for f in m.factors:
            if f.name not in known:
                continue
            rows = summed and f.name in session.kept
            pattern = _generalised(f, m, goal, session, written, rows)
            if pattern is not None:
                yield place, f, pattern


def _generalised(
    f: Factor,
    m: Monomial,
    goal: Goal,
    session: Proving,
    written: bool = False,
    summed: bool = False,
) -> Pattern | None:
    """The factor at any time, with positions for the bound indices of its monomial."""
    recursion, _ = session.recursions[f.name]
    facts = declared(recursion.time.terms[0][0])
    if len(facts) != 2 or not f.at[0].terms:
        return None
    if not (written or summed) and any(v < 0 for v in f.at[0].variables()):
        return None
    length = facts[1] + recursion.time + 1
    state = recursion.states[session.recursions[f.name][1]]
    at = dict(zip((*state.at, *state.given), f.at[1:], strict=True))
    length = length.substitute({v.terms[0][0]: e for v, e in at.items()})
    if any(v < 0 for v in length.variables()):
        return None
    if f.at[0].variables() <= declarations.current.sizes:
        length = f.at[0]  # no later time is needed, and other states may end there
    images: dict[int, Index] = {}
    for v in sorted({v for e in f.at[1:] for v in e.variables() if v > 0}):
        if v not in declarations.current.sizes and v not in length.variables():
            narrower = _narrowed(v, goal)
            if narrower is not None:
                images[v] = narrower
    for v in sorted({v for e in f.at for v in e.variables() if v < 0}, reverse=True):
        ends = _everywhere(v, at) if written else _ends(v, m)
        if ends is None:
            return None
        images[v] = position("p", *(end.substitute(images) for end in ends))
    when = position("t", 0, length + 1)
    return when, Factor(f.name, (when, *(e.substitute(images) for e in f.at[1:]))), images


def _narrowed(v: int, goal: Goal) -> Index | None:
    """A position for a free one of which the case at hand knows more than its declaration says."""
    sizes = declarations.current.sizes
    rows = [g for g in sorted(goal.known) if v in g.variables() and g.variables() - {v} <= sizes]
    if set(rows) <= set(declared(v)) or any(abs(g.coefficient(v)) != 1 for g in rows):
        return None
    lows = [variable(v) - g for g in rows if g.coefficient(v) == 1]
    highs = [g + variable(v) for g in rows if g.coefficient(v) == -1]
    low = next((a for a in lows if all(implied(a - b, facts(sizes)) for b in lows)), None)
    high = next((a for a in highs if all(implied(b - a, facts(sizes)) for b in highs)), None)
    return None if low is None or high is None else position("p", low, high + 1)


def _everywhere(v: int, at: Mapping[Index, Index]) -> tuple[Index, Index] | None:
    """lo and hi of the bound index, from the range of the position that it stands in."""
    for place, e in at.items():
        ranges = declared(place.terms[0][0])
        if e.coefficient(v) == 1 and len(ranges) == 2:
            shift = variable(v) - e
            ends = place - ranges[0] + shift, ranges[1] + place + 1 + shift
            return None if any(w < 0 for end in ends for w in end.variables()) else ends
    return None


def _ends(v: int, m: Monomial) -> tuple[Index, Index] | None:
    """lo and hi of the bound index, from guards with no other bound index."""
    bound = set(range(-m.bound, 0))
    return ends_by(v, (g for g in m.guards if g.variables() & bound == {v}))


def _divided(
    n: Monomial, rest: Sequence[Factor], images: dict[int, Index], narrower: bool = False
) -> Monomial | None:
    """n / rest, with these images for the bound indices of `rest`, to which those of n are matched.

    Their guards in n are left out, if they are not to be kept as far as they say more than the images' ranges. Then an
    index that n has in place of one may also be its only value: Σ_j R[j] X[j, i] = R[i] says what X is as [j = i].
    """
    single = images.keys() if narrower else ()

    def match(left: list[Factor], factors: list[Factor], known: Names):
        if not left:
            return factors, known
        first = left[0]
        if first.name == NUMBER and first not in factors and min(first.variables(), default=1) > 0:
            return match(left[1:], [*factors, Factor(INVERSE_NUMBER, first.at)], known)
        for place, g in enumerate(factors):
            if g.name != first.name or len(g.at) != len(first.at):
                continue
            more = _matched(first, g, known, single)
            if more is not None:
                found = match(left[1:], factors[:place] + factors[place + 1 :], more)
                if found is not None:
                    return found
        if is_exponential(first) and min(first.variables(), default=1) > 0:
            return match(left[1:], [*factors, negative(first, n.bound)], known)
        return None

    found = match(list(rest), list(n.factors), {})
    if found is None:
        return None
    factors, every = found
    names = {v: w for v, w in every.items() if isinstance(w, int)}
    table = {w: images[v] for v, w in names.items() if v in images}
    shared = set(names.values())  # summed over in both, with what both are multiplied by
    own = [w for w in range(-1, -n.bound - 1, -1) if w not in shared]
    if any(f.variables() & (shared - set(table)) for f in factors):
        return None
    for place, w in enumerate(own, start=1):
        table[w] = variable(-place)
    table |= {v: e for v, e in images.items() if v > 0}
    guards = [
        g for g in n.guards if narrower or g.variables() & set(own) or not g.variables() & shared
    ]
    guards = [g for g in guards if not g.variables() & (shared - set(table))]
    if narrower:
        guards = [g for g in guards if not _is_declared(g.substitute(table))]
    only = [images[v] - e.substitute(table) for v, e in every.items() if isinstance(e, Index)]
    guards, factors = (
        {*(g.substitute(table) for g in guards), *only, *(-gap for gap in only)},
        sorted(f.substitute(table) for f in factors),
    )
    return Monomial(len(own), frozenset(guards), tuple(factors))


def _is_declared(e: Index) -> bool:
    return min(e.variables(), default=1) > 0 and implied(e, facts(e.variables()))


Names = dict[int, int | Index]
"""For bound indices of one monomial those of another that they are, or their only value there."""


def _matched(first: Factor, g: Factor, known: Names, single: Iterable[int]) -> Names | None:
    """The names with those by which the first factor is the other; these variables may have a single value."""
    more = dict(known)
    for a, b in zip(first.at, g.at, strict=True):
        bound_a = [(v, c) for v, c in a.terms if v < 0]
        bound_b = [(v, c) for v, c in b.terms if v < 0]
        if len(bound_a) == 1 and not bound_b and bound_a[0][0] in single:
            ((v, c),) = bound_a
            e = (b - (a - variable(v) * c)) * c
            if abs(c) != 1 or more.get(v, e) != e:
                return None
            more[v] = e
            continue
        if len(bound_a) != len(bound_b) or len(bound_a) > 1:
            return None
        if a - Index(0, dict(bound_a)) != b - Index(0, dict(bound_b)):
            return None
        if bound_a:
            (v, c), (w, d) = bound_a[0], bound_b[0]
            if c != d or more.get(v, w) != w or any(x == w and u != v for u, x in more.items()):
                return None
            more[v] = w
    return more


def _at_any_time(body: Pairs, time: Index, when: Index, session: Proving) -> list[Pairs]:
    """What the terms may be with `when` for `time`, where that is a size: of all, or of turns and decays alone."""
    found: list[Pairs] = []
    for one in (_decayed(body, time, when), body):
        turns = _at_every_turn(one, time, when, session)
        found += [_at_every_time(one, time, when)] + [turns] * (turns != one)
    return [one for k, one in enumerate(found) if one not in found[:k]]


def _at_every_time(body: Pairs, time: Index, when: Index) -> Pairs:
    """The terms with `when` for `time`: for its last variable, that is, what makes the two equal."""
    images = _images(time, when)
    return _substituted(body, images) if images else body


def _images(time: Index, when: Index) -> dict[int, Index]:
    v, c = time.terms[-1]
    return {} if abs(c) != 1 else {v: (when - (time - variable(v) * c)) * c}


def _decayed(pairs: Pairs, time: Index, when: Index) -> Pairs:
    """The terms with decays, values of exp of sums, up to `when` in place of a time that is a size."""
    images = _images(time, when)
    if images.keys().isdisjoint(declarations.current.sizes):
        return pairs
    found = []
    for m, c in pairs:
        factors = [_up_to(f, images, m.bound) if is_exponential(f) else f for f in m.factors]
        found.append((m._replace(factors=tuple(sorted(factors))), c))
    return found


def _up_to(f: Factor, images: dict[int, Index], bound: int) -> Factor:
    inside = body(f, bound)
    if not any(n.variables() & images.keys() for n, _ in inside):
        return f
    return exponential([(n.substitute(images, n.bound), c) for n, c in inside], bound)


def _at_every_turn(body: Pairs, time: Index, when: Index, session: Proving) -> Pairs:
    """The same where the time, a length, ends other sums as well: of those over turns, and of states' times, alone.

    Where nothing is written once, every sum is taken to be over turns.
    """
    if not time.terms or not time.variables() <= declarations.current.sizes:
        return body
    found = []
    for m, c in body:
        written = {v for f in m.factors if f.name in session.kept for v in f.at[0].variables()}
        turns = {v for v in written if v < 0}
        guards = [
            _at_every_time([(Monomial(0, frozenset([g]), ()), c)], time, when)[0][0].guards
            if g.variables() & turns or not written
            else {g}
            for g in m.guards
        ]
        factors = [
            f._replace(at=(when, *f.at[1:]))
            if f.name in session.recursions and f.at[0] == time
            else f
            for f in m.factors
        ]
        new = Monomial(m.bound, frozenset().union(*guards), tuple(sorted(factors)))
        found.append((new, c))
    return found


def _substituted(pairs: Iterable[tuple[Monomial, Fraction]], images: dict[int, Index]) -> Pairs:
    return [(m.substitute(images, m.bound), c) for m, c in pairs]
