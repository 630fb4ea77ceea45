"""The normal form of a term: like monomials collected, no name for a term left, closed forms in place of states.

An array is read as a graph of names for terms. Its normal form is found from below: for each name there is a theorem
that says what it stands for, and for each value of a function one that brings its argument to normal form.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, cast

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, formal, position, ranges, variable
from ..kernel.laws import SOFTPLUS, TURNING
from ..kernel.reduction import congruence, reduction, unfolding
from ..kernel.rules import Rewriting
from ..kernel.term import (
    DEFINED,
    EXP,
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    ZERO,
    Factor,
    Monomial,
    Term,
    body,
    function_of,
)
from ..kernel.theorem import Theorem
from .antisymmetry import exchange
from .exponents import at_zero, exponents, merged
from .guards import within
from .instances import to_pattern
from .laws import annulled, circle, compared, lawful, placed, power, squared, vanish
from .memory import recall
from .session import Proving, current, spend
from .steps import (
    RENAMED,
    Step,
    at_formals,
    cancel,
    count,
    guards,
    images,
    is_function,
    number,
    rename,
    rewriting,
)

Order = tuple[Index, ...]
FEW = 8
"""So many factors are looked at for a step's price; a product of a thousand costs what it takes."""


def simplified(term: Term) -> Term:
    """An equal term in normal form."""
    if not any(m.bound or m.guards or m.factors for m in term.parts):
        return term
    work = Rewriting(term)
    normalise(work)
    return work.term()


def start_of(state: str, session: Proving) -> Term:
    """What a state is at the start, in normal form."""
    if state not in session.starts:
        recursion, k = session.recursions[state]
        session.starts[state] = simplified(recursion.first[k])
    return session.starts[state]


def normalise(work: Rewriting) -> None:
    """Bring a sum into normal form."""
    recall(work, tidy)


def tidy(work: Rewriting, also: Sequence[Step] = ()) -> None:
    """Rules are applied to every monomial until none applies."""
    done: set[int] = set()
    session = current()

    def selected(work: Rewriting, k: int) -> bool:
        return (
            compared(work, k, session)
            or at_zero(work, k)
            or any(
                step(work, k, session)
                for step in (
                    vanish,
                    annulled,
                    circle,
                    squared,
                    placed,
                    exchange,
                    power,
                    _in_exponents,
                    _written_out,
                )
            )
        )

    steps = (
        guards,
        _named,
        number,
        count,
        cancel,
        selected,
        _exponents,
        _by_pattern,
        rename,
        _kept,
        *also,
    )
    while todo := [k for k in work.parts if k not in done]:
        for k in todo:
            parts = work.parts
            if k in parts:
                spend(1 + parts[k][0].bound ** 2 + len(parts[k][0].factors) // FEW)
                if not any(step(work, k) for step in steps):
                    done.add(k)


def tidied(term: Term, also: Sequence[Step]) -> Term:
    """The term in normal form, by these steps besides."""
    work = Rewriting(term)
    tidy(work, also)
    return work.term()


def _exponents(work: Rewriting, k: int) -> bool:
    session = current()
    return exponents(work, k, tidy) or (session.in_exponents and power(work, k, session, late=True))


def _by_pattern(work: Rewriting, k: int) -> bool:
    """A function of places by the name that it has at all of them, where this is its normal form."""

    def settled(f: Factor, session: Proving) -> bool:
        own = session.in_exponents and function_of(f) in (INVERSE, SOFTPLUS)
        return not has_meaning(f, session) and not (own and _anywhere(f, session))

    return to_pattern(work, k, settled)


def _named(work: Rewriting, k: int) -> bool:
    """A factor that is a name, a value of a function or a state goes by what is known of it."""
    session = current()
    for place, f in enumerate(work.parts[k][0].factors):
        if f.name in session.closed and not (session.plain and not session.is_product(f.name)):
            if _closed(work, k, place, f, session):
                return True
        elif f.name in declarations.current.bodies and _reduced(work, k, place, f, session):
            return True
    return False


def _in_exponents(work: Rewriting, k: int, session: Proving) -> bool:
    """1/(1 + exp(z)) = exp(−softplus(z)) wherever it stands: a product's factor is a formula of all whole numbers."""
    for place, f in enumerate(work.parts[k][0].factors if session.in_exponents else ()):
        if function_of(f) not in (INVERSE, SOFTPLUS) or f.name == INVERSE_NUMBER:
            continue
        rule = _anywhere(f, session)
        if rule is not None:
            work.rewrite(k, place, rule, images(rule, f))
            return True
    return False


def _written_out(work: Rewriting, k: int, session: Proving) -> bool:
    """A value of what is no normal form at its place, as sin((t + 1) a), or of an empty sum, is of its normal form."""
    for place, f in enumerate(work.parts[k][0].factors):
        if is_function(f) and (_has_empty_sum(f.name) or _is_of_a_sum(f.name)):
            rule = _anywhere(f, session)
            if rule is not None:
                work.rewrite(k, place, rule, images(rule, f))
                return True
    return False


def _has_empty_sum(name: str) -> bool:
    """Whether two guards in what a function is of exclude one another."""
    of = declarations.current.bodies.get(name)
    return of is not None and any(
        one.const + other.const < 0 and not (one + other).terms
        for m, _ in of.body
        for one, other in itertools.combinations(m.guards, 2)
    )


def _is_of_a_sum(name: str) -> bool:
    """Whether a sine or a cosine is of a number that is a sum, or is known."""
    of = declarations.current.bodies.get(name)
    if of is None or of.name not in TURNING:
        return False
    numbers = (f.at[0] for m, _ in of.body for f in m.factors if f.name == NUMBER)
    return any(len(e.terms) != 1 or e.const for e in numbers)


def _anywhere(f: Factor, session: Proving) -> Theorem | None:
    """What such a value is in normal form at all whole numbers."""
    if f.name not in session.anywhere:
        session.anywhere[f.name] = None  # while it is looked for
        session.anywhere[f.name] = _found(at_formals(f.name, len(f.at)))
    return session.anywhere[f.name]


def _kept(work: Rewriting, k: int) -> bool:
    """An entry that is written once is spoken of at the turn that wrote it, or as it was at the start."""
    known = current().kept
    own = [f for f in work.parts[k][0].factors if f.name in known]
    return any(rewriting(known[f.name], divide=True, only=f)(work, k) for f in own)


def _closed(work: Rewriting, k: int, place: int, f: Factor, session: Proving) -> bool:
    rule, extra = session.closed[f.name]
    at = images(rule, f)
    at.update(dict.fromkeys(extra, f.at[0]))
    try:
        work.rewrite(k, place, rule, at)
    except KernelError:
        return False
    return True


def _reduced(work: Rewriting, k: int, place: int, f: Factor, session: Proving) -> bool:
    for rule in meanings(f.name, session):
        try:
            work.rewrite(k, place, rule, images(rule, f))
        except KernelError:  # outside the ranges that the theorem speaks of
            continue
        return True
    if function_of(f) == DEFINED:
        rule = unfolding(f.name)
        work.rewrite(k, place, rule, images(rule, f))
        return True
    return False


def meanings(name: str, session: Proving) -> list[Theorem]:
    """What a name for a term, or a value of a function, is in normal form, for each of the ranges that it was used in.

    There are none for a value of a function whose argument is in normal form.
    """
    waiting = [name]
    while waiting:
        name = waiting[-1]
        known = [*declarations.current.places.get(name, {}).values()]
        if session.opened or session.by_cases:  # what was in normal form before is not any more
            known = [*declarations.current.derived.get(name, {}).values(), *known]
        places = {ranges(order): order for order, _ in known}
        if session.opened:
            places = {**session.learned.get(name, {}), **places}
        found = session.reduced.setdefault(name, [])
        missing = [] if None in found else _missing(places, found)
        if not missing:
            waiting.pop()
            continue
        before = [n for n in _inside(name) if n not in session.reduced]
        if before:
            waiting += before
            continue
        for order in missing:
            found.append(_found(Factor(name, order)))
        waiting.pop()
    return [rule for rule in session.reduced[name] if rule is not None]


def _missing(places: Mapping[Any, Order], found: Sequence[Theorem | None]) -> list[Order]:
    """The positions of the ranges that no theorem is about."""
    used = [ranges(cast(Factor, rule.left).at) for rule in found if rule is not None]
    return [order for key, order in places.items() if key not in used]


def forget(states: Iterable[str], session: Proving) -> None:
    """Drop the normal forms that were found while other things were known of these states."""
    inside = {
        name: {f.name for m, _ in declarations.current.bodies[name].body for f in m.factors}
        for name in session.reduced
    }
    stale, more = set(states), True
    while more:
        more = {name for name, parts in inside.items() if name not in stale and parts & stale}
        stale |= more
    for name in stale & session.reduced.keys():
        del session.reduced[name]


def has_meaning(f: Factor, session: Proving) -> bool:
    """Whether the factor is not in normal form."""
    if f.name in declarations.current.bodies:
        return bool(meanings(f.name, session))
    return f.name in session.closed


def _inside(name: str) -> list[str]:
    """The names and functions that it is directly taken of."""
    known = declarations.current.bodies
    factors = {f.name for m, _ in known[name].body for f in m.factors}
    return sorted(factors & known.keys())


def _as_one(work: Rewriting) -> None:
    """The normal form of what is divided by: exp(A) exp(B) as exp(A + B), so that it is seen what its inverse is."""
    _as_deep_as_known(work)
    merged(work)


def deepened(session: Proving) -> bool:
    """Look closer at what functions are taken of; whether that was not done before, and there are functions.

    From now on states go by what lemmas say of them at every time and place, and sums up to a position are parted:
    Σ_{i ≤ t} F(i) is F(t) + Σ_{i < t} F(i), so that those look alike of which one was made a turn later.
    """
    known = declarations.current.bodies
    if not any(one.name != DEFINED for one in known.values()):
        return False
    before = session.opened, len(session.closed)
    session.opened = True
    for lemma in session.inductions:
        for (left, right), rule in zip(lemma.claims, lemma.rules, strict=True):
            if left.name not in session.closed and _everywhere(left, lemma.when, right, session):
                session.closed[left.name] = rule, ()
    if before == (session.opened, len(session.closed)):
        return False
    session.reduced.clear()
    return True


def _everywhere(left: Factor, when: Index, right: Term, session: Proving) -> bool:
    """Whether a lemma says what a state is at all its places and times, by others that have no closed form."""
    recursion, k = session.recursions[left.name]
    state = recursion.states[k]
    length = recursion.time + declarations.declared(recursion.time.terms[0][0])[-1] + 1
    states = {f.name for m in right.parts for f in m.factors if f.name in session.recursions}
    ranges = declarations.ranges
    return (
        not any(name in session.closed or name == left.name for name in states)
        and left.at[0] == when
        and declarations.declared(when.terms[0][0])[-1] == length - when
        and len(set(left.at)) == len(left.at)
        and all(len(e.terms) == 1 and not e.const and e.terms[0][1] == 1 for e in left.at)
        and ranges(left.at[1:]) == ranges((*state.at, *state.given))
    )


def _opened(work: Rewriting, k: int) -> bool:
    """Σ_{i ≤ t} F(i) = F(t) + Σ_{i < t} F(i), and likewise from a position on; what turn t writes is what it wrote.

    γ^(t + 1) is γ γ^t.
    """
    m, _ = work.parts[k]
    sizes, session = declarations.current.sizes, current()
    own = [
        f for f in m.factors if f.name in session.kept and min(f.at[0].variables(), default=0) > 0
    ]
    own += [f for f in m.factors if _is_later_power(f, session)]
    for f in own:
        if rewriting([session.definition(f.name)[1]], divide=True, only=f)(work, k):
            return True
    for g in sorted(m.guards):
        bound = [c for v, c in g.terms if v < 0]
        parted = any(v > 0 and v not in sizes for v in g.variables()) and g.const >= 0
        if parted and bound in ([1], [-1]):
            work.regroup(k, [(m.guards | {g - 1}, 1), (m.guards | {-g}, 1)])
            return True
    return False


def _as_deep_as_known(work: Rewriting) -> None:
    normalise(work)
    if current().opened:
        tidy(work, [_opened])


def _is_later_power(f: Factor, session: Proving) -> bool:
    """Whether the factor is γ^(t + 1), or γ to another sum with a number > 0."""
    known = f.name in session.recursions and f.name not in session.ranged
    return known and session.is_product(f.name) and bool(f.at[0].terms) and f.at[0].const > 0


def _found(left: Factor) -> Theorem | None:
    if function_of(left) == DEFINED:
        rule = unfolding(left.name)

        def unfold(work: Rewriting) -> None:
            work.rewrite(0, 0, rule, images(rule, left))
            normalise(work)

        return reduction(left, unfold)

    inside = _as_deep_as_known
    ordered = function_of(left) == EXP  # `exponents` puts the positions of exp in order
    found = (
        congruence(left, inside) if ordered else in_order(left, lambda at: congruence(at, inside))
    )
    (m,) = found.right.parts
    if function_of(left) == INVERSE and all(lawful(f, current()) is None for f in m.factors):
        found = in_order(left, lambda at: congruence(at, _as_one))
        (m,) = found.right.parts
    if m.factors == (found.left,):
        return _by_law(cast(Factor, found.left))
    for f in m.factors:
        if f.name != INVERSE_NUMBER and f.name != left.name:
            _learn(f)
    return found


def _by_law(f: Factor) -> Theorem | None:
    """What a law says of a function whose argument is in normal form, if there is one to be used."""
    found = lawful(f, current())
    for m in found.right.parts if found is not None else ():
        for g in m.factors:
            if function_of(g) not in (None, DEFINED, INVERSE) and g.name != f.name:
                _learn_throughout(g, m)
                if _leads_to(g, f):
                    return None
    return found


def _leads_to(g: Factor, f: Factor) -> bool:
    """Whether the normal form of one function's values has values of another one.

    So it is of [−T = 0] = [T = 0] where −T is T with its positions swapped.
    """
    rules = [rule for rule in current().reduced.get(g.name, ()) if rule is not None]
    return any(f.name == h.name for rule in rules for m in rule.right.parts for h in m.factors)


def _learn_throughout(f: Factor, m: Monomial, in_place: bool = False) -> None:
    """What a law speaks of is brought to normal form, from below: exp(−softplus(−z)) is exp(z) exp(−softplus(z))."""
    bound = [v for v in f.variables() if v < 0]
    for v in bound:
        ends = within(v, m)
        if ends is None or function_of(f) == ZERO:  # which looks up
            return
        f = f.substitute({v: _somewhere(*ends, f.variables())})
    in_place = in_place or bool(bound)
    for n, _ in body(f, 0):
        for g in n.factors:
            if function_of(g) not in (None, DEFINED, INVERSE) and not current().reduced.get(g.name):
                _learn_throughout(g, n, in_place)
    # `exponents` puts the positions of exp in order, bound ones before others
    _learn(f, _by_law if in_place and function_of(f) == EXP else _found)


def _somewhere(low: Index, high: Index, besides: Set[int]) -> Index:
    """A position between two ends that is none of these variables, the same whenever it is asked for."""
    known = current().somewhere.setdefault((low, high), [])
    for one in known:
        if one.variables().isdisjoint(besides):
            return one
    known.append(position("p", low, high))
    return known[-1]


def _learn(f: Factor, how: Callable[[Factor], Theorem | None] = _by_law) -> None:
    """Find out once what a value of a function is in normal form, at positions of these ranges.

    Elsewhere, as at t + 1, it is found out at positions without a range.
    """
    session = current()
    if any(e.const or len(e.terms) != 1 for e in f.at):
        f = f._replace(at=tuple(map(formal, range(len(f.at)))))
    key = f.name, ranges(f.at)
    known = session.reduced.setdefault(f.name, [])
    used = [ranges(cast(Factor, rule.left).at) for rule in known if rule is not None]
    if None in known or key[1] in used or key in session.learning:
        return
    session.learning.add(key)
    session.learned.setdefault(f.name, {})[key[1]] = f.at
    try:
        known.append(how(f))
    finally:
        session.learning.discard(key)


POSITIONS = 4
"""A function with more positions than this keeps them in the order in which they come."""


def in_order(left: Factor, make: Callable[[Factor], Theorem], fixed: Iterable[int] = ()) -> Theorem:
    """f(T) = f(T'), with the positions of f in an order that does not depend on how they come: tanh(Xᵀ) is tanh(X)ᵀ.

    Args:
        left: f(T) at declared positions.
        make: the theorem for it, or for it at other positions in the same ranges.
        fixed: variables that keep their place.
    """
    found = make(left)
    own = [e for e in dict.fromkeys(left.at) if e.variables().isdisjoint(fixed)]
    if not 1 < len(own) <= POSITIONS or not _apart(own):
        return found
    order = _least(found, own)
    if order == sorted(own, key=lambda e: e.terms):
        return found
    names = {}
    for e in order:
        ends = declared(e.terms[0][0])
        low, high = (e - ends[0], ends[1] + e + 1) if ends else (None, None)
        names[e] = position(declarations.name(e.terms[0][0]), low, high)
    return make(Factor(left.name, tuple(names.get(e, e) for e in left.at)))


def _apart(own: Sequence[Index]) -> bool:
    """Whether these positions have two ends each that speak of sizes alone, or none."""
    sizes = declarations.current.sizes
    for e in own:
        (v,) = e.variables()
        ends = declared(v)
        if len(ends) == 1 or any(fact.variables() - {v} - sizes for fact in ends):
            return False
    return True


def _least(found: Theorem, own: Sequence[Index]) -> list[Index]:
    """The order of positions in which what the function is taken of is written least."""
    ((m, _),) = found.right.parts.items()
    (f,) = m.factors
    if f.name == INVERSE_NUMBER:
        return sorted(own, key=lambda e: e.terms)
    function = declarations.current.bodies[f.name].body
    spots = {e: variable(-k) for k, e in enumerate(f.at, start=1)}

    def written(order: tuple[Index, ...]) -> Any:
        images = {spots[e].terms[0][0]: variable(RENAMED + k)
                  for k, e in enumerate(order) if e in spots}  # fmt: skip
        parts = ((n.substitute(images, n.bound), c) for n, c in function)
        return sorted((n.bound, n.factors, sorted(n.guards), c) for n, c in parts)

    return list(min(itertools.permutations(own), key=written))
