"""The kernel against an evaluator that shares nothing with it: random identities, true and false, at small sizes.

A recipe is plain data. It is made into a kernel term by the kernel's functions, and evaluated by Python's own loops.
An accepted equation whose sides differ anywhere is a false accept; there must be none. Where a guard or a side
condition of the kernel is taken out, the same fuzzer must find one.
"""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from math import prod
from typing import Any, cast
from zlib import crc32

import pytest

from scanproof.proofs.kernel import normal, term, theorem
from scanproof.proofs.kernel.errors import IllTyped, KernelError, NotProved
from scanproof.proofs.kernel.index import Index, position, size, variable
from scanproof.proofs.kernel.term import (
    Factor,
    as_term,
    entry,
    equal_indices,
    indicator,
    inverse,
    number,
    product,
    put,
    total,
)
from scanproof.proofs.kernel.theorem import Recursion, equation, induction, moment, new_state
from scanproof.proofs.reading.evaluate import value

N, M = size("N", 1), size("M", 1)
T = position("t", 0, N + 1)
FREE = {"N": N, "M": M, "t": T}
PLACES = [{"N": n, "M": m, "t": t} for n in (1, 2, 3) for m in (1, 2, 3) for t in range(n + 1)]

# Linear expressions are pairs (constant, {name: coefficient}).


def lin(const=0, **terms):
    return const, {k: c for k, c in terms.items() if c}


def plus(e, const):
    return e[0] + const, e[1]


def replaced(e, name, by):
    c = e[1].get(name, 0)
    terms = {k: v for k, v in e[1].items() if k != name}
    for k, v in by[1].items():
        terms[k] = terms.get(k, 0) + c * v
    return e[0] + c * by[0], {k: v for k, v in terms.items() if v}


def at(e, place):
    return e[0] + sum(c * place[k] for k, c in e[1].items())


def as_kernel_index(e, known):
    result = Index(e[0])
    for name, c in e[1].items():
        result = result + known[name] * c
    return result


def some_lin(rng, names):
    terms = {}
    for _ in range(rng.choice((0, 1, 1, 2))):
        terms[rng.choice(names)] = rng.choice((1, 1, 1, -1, 2))
    return lin(rng.choice((0, 0, 0, 1, -1, 2)), **terms)


def recipe(rng, names, depth):
    kind = rng.choice(("entry", "entry", "number", "ge", "eq", "product", "constant"))
    if depth:
        kind = rng.choice(("add", "mul", "mul", "sum", "sum", "sum", "inverse", kind))
    if kind == "constant":
        return kind, Fraction(rng.choice((1, 2, -1, 3)), rng.choice((1, 1, 2)))
    if kind == "entry":
        name = rng.choice("XY")
        return kind, name, tuple(some_lin(rng, names) for _ in range(1 if name == "X" else 2))
    if kind in ("number", "ge"):
        return kind, some_lin(rng, names)
    if kind == "eq":
        return kind, some_lin(rng, names), some_lin(rng, names)
    if kind == "product":
        return kind, some_lin(rng, names), some_lin(rng, names), rng.choice((0, 1))
    if kind == "inverse":
        return (
            "mul",
            ("inverse", rng.choice((lin(0, N=1), lin(1, t=1)))),
            recipe(rng, names, depth - 1),
        )
    if kind in ("add", "mul"):
        return kind, recipe(rng, names, depth - 1), recipe(rng, names, depth - 1)
    new = f"j{rng.randrange(10**9)}"
    low = lin(rng.choice((0, 0, 1, -1)))
    high = rng.choice((lin(0, N=1), lin(0, M=1), lin(0, t=1), lin(1, t=1), some_lin(rng, names)))
    return "sum", new, low, high, recipe(rng, [*names, new, new], depth - 1)


def entries(name, spots):
    return Fraction(crc32(f"{name}{spots}".encode()) % 997 + 1, crc32(f"{spots}".encode()) % 5 + 1)


def evaluated(r, place):
    kind, *parts = r
    if kind == "constant":
        return parts[0]
    if kind == "entry":
        return entries(parts[0], tuple(at(e, place) for e in parts[1]))
    if kind == "number":
        return Fraction(at(parts[0], place))
    if kind == "inverse":
        return 1 / Fraction(at(parts[0], place))
    if kind == "ge":
        return Fraction(at(parts[0], place) >= 0)
    if kind == "eq":
        return Fraction(at(parts[0], place) == at(parts[1], place))
    if kind == "product":
        low, high, moving = parts
        run = range(at(low, place), at(high, place))
        return prod((entries("X", (n * moving,)) for n in run), start=Fraction(1))
    if kind == "add":
        return evaluated(parts[0], place) + evaluated(parts[1], place)
    if kind == "mul":
        left = evaluated(parts[0], place)
        return left and left * evaluated(parts[1], place)
    name, low, high, body = parts
    run = range(at(low, place), at(high, place))
    return sum((evaluated(body, {**place, name: n}) for n in run), start=Fraction(0))


def kernel_term(r, known, tidy):
    kind, *parts = r

    def index(e):
        return as_kernel_index(e, known)

    if kind == "constant":
        made = as_term(parts[0])
    elif kind == "entry":
        made = entry(parts[0], *map(index, parts[1]))
    elif kind == "number":
        made = number(index(parts[0]))
    elif kind == "inverse":
        made = inverse(number(index(parts[0])))
    elif kind == "ge":
        made = indicator(index(parts[0]))
    elif kind == "eq":
        made = equal_indices(index(parts[0]), index(parts[1]))
    elif kind == "product":
        low, high = index(parts[0]), index(parts[1])
        running = position("r", low, high)
        made = product("X", [running * parts[2]], running, low, high)
    elif kind in ("add", "mul"):
        left, right = (kernel_term(p, known, tidy) for p in parts)
        made = left + right if kind == "add" else left * right
    else:
        name, low, high, body = parts
        new = position(name, index(low), index(high))
        made = total(kernel_term(body, {**known, name: new}, tidy), new)
    return normal.simplified(made) if tidy else made


def put_in(r, name, by):
    """The recipe with a linear expression for a name."""
    kind, *parts = r
    if kind == "sum":
        new, low, high, body = parts
        return kind, new, replaced(low, name, by), replaced(high, name, by), put_in(body, name, by)
    if kind in ("add", "mul"):
        return (kind, *(put_in(p, name, by) for p in parts))
    if kind == "entry":
        return kind, parts[0], tuple(replaced(e, name, by) for e in parts[1])
    if kind == "product":
        return kind, replaced(parts[0], name, by), replaced(parts[1], name, by), parts[2]
    return (kind, *(replaced(p, name, by) if kind != "constant" else p for p in parts))


def renamed(r, rng):
    if r[0] == "sum":
        _, name, low, high, body = r
        new = f"j{rng.randrange(10**9)}"
        return "sum", new, low, high, renamed(put_in(body, name, lin(0, **{new: 1})), rng)
    if r[0] in ("add", "mul"):
        return (r[0], *(renamed(p, rng) for p in r[1:]))
    return r


def rearranged(r, rng):
    """A recipe with the same value, by one rule that holds of sums, products and indicators."""
    kind, *parts = r
    deeper = rng.random() < 0.5
    if kind in ("add", "mul"):
        if deeper:
            k = rng.randrange(2)
            new = list(parts)
            new[k] = rearranged(parts[k], rng)
            return (kind, *new)
        if kind == "mul" and parts[1][0] == "add":
            a, (_, b, c) = parts
            return "add", ("mul", a, b), ("mul", renamed(a, rng), c)
        return kind, parts[1], parts[0]
    if kind == "sum":
        name, low, high, body = parts
        if deeper:
            return kind, name, low, high, rearranged(body, rng)
        one = lin(0, **{name: 1})
        choice = rng.randrange(5)
        if choice == 0:  # the last term apart
            gap = plus(replaced(lin(0, h=1, l=-1), "h", high), -1)
            last = (
                "mul",
                ("ge", replaced(gap, "l", low)),
                put_in(renamed(body, rng), name, plus(high, -1)),
            )
            return "add", ("sum", name, low, plus(high, -1), body), last
        if choice == 1:  # the range shifted
            return kind, name, plus(low, 1), plus(high, 1), put_in(body, name, plus(one, -1))
        if choice == 2 and body[0] == "add":
            other = renamed((kind, name, low, high, body[2]), rng)
            return "add", (kind, name, low, high, body[1]), other
        if choice == 3:  # a detour over another index
            new = f"j{rng.randrange(10**9)}"
            detour = (
                "mul",
                ("eq", lin(0, **{new: 1}), one),
                put_in(body, name, lin(0, **{new: 1})),
            )
            return kind, name, low, high, ("sum", new, low, high, detour)
        if choice == 4 and body[0] == "sum" and name not in {**body[2][1], **body[3][1]}:
            _, inner, low2, high2, core = body
            return kind, inner, low2, high2, (kind, name, low, high, core)
        return renamed(r, rng)
    if kind == "ge":
        return "add", ("ge", plus(parts[0], -1)), ("eq", parts[0], lin(0))
    if kind == "product":
        low, high, moving = parts
        empty = ("ge", replaced(replaced(lin(0, l=1, h=-1), "l", low), "h", high))
        some = ("ge", plus(replaced(replaced(lin(0, h=1, l=-1), "l", low), "h", high), -1))
        last = plus(high, -1) if moving else lin(0)
        longer = ("mul", ("entry", "X", (last,)), (kind, low, plus(high, -1), moving))
        return "add", empty, ("mul", some, longer)
    return r


def changed(r, rng):
    """A small change somewhere, which mostly changes the value."""
    kind, *parts = r
    if kind in ("add", "mul"):
        k = rng.randrange(2)
        return (kind, *(changed(p, rng) if n == k else p for n, p in enumerate(parts)))
    if kind == "sum":
        name, low, high, body = parts
        choice = rng.randrange(4)
        if choice == 0:
            return kind, name, plus(low, rng.choice((1, -1))), high, body
        if choice == 1:
            return kind, name, low, plus(high, rng.choice((1, -1))), body
        return kind, name, low, high, changed(body, rng)
    if kind == "constant":
        return kind, parts[0] + rng.choice((1, -1))
    if kind == "entry":
        k = rng.randrange(len(parts[1]))
        moved = [plus(e, rng.choice((1, -1))) if n == k else e for n, e in enumerate(parts[1])]
        return kind, parts[0], tuple(moved)
    if kind == "inverse":
        return kind, plus(parts[0], 1)
    return (kind, plus(parts[0], rng.choice((1, -1))), *parts[1:])


def same_everywhere(a, b):
    return all(evaluated(a, p) == evaluated(b, p) for p in PLACES)


def accepts(a, b, tidy):
    """Whether the kernel proves the equation; a refusal is no proof."""
    try:
        equation(kernel_term(a, FREE, tidy), kernel_term(b, FREE, tidy))
    except KernelError:
        return False
    return True


def pairs(rng, count):
    for _ in range(count):
        a = recipe(rng, ["N", "M", "t", "t"], rng.choice((1, 2, 3)))
        b = a
        for _ in range(rng.choice((1, 2, 3))):
            b = rearranged(b, rng)
        yield a, renamed(b if rng.random() < 0.5 else changed(b, rng), rng)


def fuzz(seed, count):
    """How many equations were true or false, accepted or not, and one false accept if there is any."""
    rng, seen, wrong = random.Random(seed), Counter(), None
    for a, b in pairs(rng, count):
        true, accepted = same_everywhere(a, b), accepts(a, b, rng.random() < 0.5)
        seen[true, accepted] += 1
        if accepted and not true:
            wrong = (a, b)
    return seen, wrong


@pytest.mark.parametrize("seed", range(4))
def test_no_false_equation_is_accepted(seed):
    seen, wrong = fuzz(seed, 600)
    assert wrong is None
    assert seen[True, True] > 150 and seen[False, False] > 100
    assert seen[True, True] > 3 * seen[True, False]


def test_the_normal_form_of_a_term_has_its_value():
    rng = random.Random(10)
    for _ in range(500):
        r = recipe(rng, ["N", "M", "t"], 3)
        try:
            plain, tidy = kernel_term(r, FREE, False), kernel_term(r, FREE, True)
        except KernelError:
            continue
        for place in rng.sample(PLACES, 3):
            values = {FREE[name].terms[0][0]: n for name, n in place.items()}
            expected = evaluated(r, place)
            assert value(plain, values, entries) == expected
            assert value(tidy, values, entries) == expected


def putting(seed, count):
    """Terms in a variable, simplified within its range, then put at another index: a case with a wrong value."""
    rng = random.Random(seed)
    done = 0
    for _ in range(count):
        free = position("v", rng.choice((0, 1)), N + rng.choice((0, 1)))
        r = recipe(rng, ["N", "t", "v", "v"], 2)
        to, fence = some_lin(rng, ["N", "t"]), some_lin(rng, ["N", "t"])
        try:
            made = kernel_term(r, {**FREE, "v": free}, True)
            moved = put(made, {free: as_kernel_index(to, FREE)}, [as_kernel_index(fence, FREE)])
            moved = normal.simplified(moved)
        except KernelError:
            continue
        done += 1
        for place in PLACES:
            values = {FREE[name].terms[0][0]: n for name, n in place.items()}
            values[free.terms[0][0]] = 5  # gone, unless something keeps it
            inside = at(fence, place) >= 0
            expected = evaluated(r, {**place, "v": at(to, place)}) if inside else 0
            try:
                if value(moved, values, entries) != expected:
                    return done, (r, to, fence, place)
            except ZeroDivisionError:
                return done, (r, to, fence, place)
    return done, None


def test_an_index_is_put_for_a_variable_only_within_its_range():
    done, wrong = putting(3, 600)
    assert wrong is None
    assert done > 100


def test_without_the_range_check_of_putting_the_fuzzer_finds_a_wrong_value(monkeypatch):
    monkeypatch.setattr(term, "implied", lambda e, known: True)
    assert putting(3, 600)[1] is not None


def test_without_the_guard_that_an_eliminated_index_leaves_the_fuzzer_finds_a_false_accept(
    monkeypatch,
):
    def unguarded(m, known):
        found = kept(m, known)
        if found is None:
            return None
        ((new, c),) = found
        mentioned = [
            g for g in new.guards if g in m.guards
        ]  # guards with the index in them are lost
        return [normal.Part(new._replace(guards=frozenset(mentioned)), c)]

    kept = normal._equation
    monkeypatch.setattr(normal, "RULES", (unguarded, *normal.RULES[1:]))
    assert any(fuzz(seed, 400)[1] for seed in range(5))


def test_with_indices_for_scalars_the_fuzzer_finds_a_false_accept(monkeypatch):
    """An index's number that is a scalar of its own stays behind when the index is replaced."""
    own = Factor.put

    def scalar(self, images):
        return self if self.name == term.NUMBER else own(self, images)

    monkeypatch.setattr(Factor, "put", scalar)
    found = putting(3, 600)[1] is not None or any(fuzz(seed, 300)[1] for seed in range(5))
    assert found


def test_indices_terms_and_numbers_do_not_mix():
    one: Any = number(N)  # a scalar, where an index is wanted
    index: Any = N
    for wrong in (
        lambda: entry("X", one),
        lambda: number(one),
        lambda: as_term(index),  # an index for a scalar
        lambda: entry("X", 0) * index,
        lambda: index * index,
        lambda: indicator(one),
        lambda: entry("X", True),
        lambda: as_term(cast(Any, 0.5)),
    ):
        with pytest.raises(IllTyped):
            wrong()


def test_what_may_be_zero_is_no_denominator():
    with pytest.raises(IllTyped, match="may be 0"):
        inverse(number(T))
    with pytest.raises(IllTyped, match="division by 0"):
        inverse(as_term(0))
    assert equation(number(N) * inverse(number(N)), as_term(1)).conditions == frozenset()
    beta = entry("beta")
    assert equation(beta * inverse(1 + beta), 1 - inverse(1 + beta)).conditions == {1 + beta}


def test_a_guard_at_a_negative_offset_stays():
    """Σ_j [j + 1 = t] X[j] is X[t − 1] for t ≥ 1 only."""
    j = position("j", 0, N)
    shifted = total(equal_indices(j + 1, T) * entry("X", j), j)
    assert equation(shifted, indicator(T - 1) * entry("X", T - 1))
    with pytest.raises(NotProved):
        equation(shifted, entry("X", T - 1))


def test_the_count_of_an_empty_range_is_0():
    j = position("j", 0, N - 2)
    assert equation(total(as_term(1), j), indicator(N - 2) * (number(N) - 2))
    with pytest.raises(NotProved):
        equation(total(as_term(1), j), number(N) - 2)


def test_a_range_used_and_forgotten_is_remembered():
    """j < t says t ≥ 1; a term simplified with that is not read at t = 0 after j has gone."""
    i = position("i", 0, N)
    j = position("j", 0, i)
    forgotten = normal.simplified(indicator(i - 1) * entry("X", i) + entry("Y", j, j))
    forgotten = forgotten - entry("Y", j, j)
    with pytest.raises(IllTyped, match="range of an index that stays"):
        put(forgotten, {i: 0})
    with pytest.raises(IllTyped):
        put(forgotten, {i: 0, j: 0})


def recursion(step, first):
    time = position("time", 0, N)
    state = new_state("S", [], [N])
    made = Recursion(time, N, [state], [first], [step(state, time)])
    return made, moment(made)


def solved(step, first, closed):
    made, when = recursion(step, first)
    return induction(made, when, [closed(when)])


def test_induction_needs_a_right_start_and_a_right_step():
    def step(state, time):
        return state.entry(time, []) + entry("X", time)

    def closed(when, low=0, offset=0):
        s = position("s", low, when + offset)
        return total(entry("X", s), s)

    assert solved(step, as_term(0), closed)
    for first, low, offset in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1)):
        with pytest.raises(NotProved):
            solved(step, as_term(first), lambda when, k=low, n=offset: closed(when, k, n))


def test_random_recursions_have_the_values_of_their_closed_forms():
    rng = random.Random(5)
    accepted = 0
    for _ in range(60):
        gate = rng.choice((None, entry("a"), "moving"))
        shift, extra = rng.choice((0, 0, 1)), rng.choice((0, 0, 1))

        def step(state, time, gate=gate):
            factor = as_term(1) if gate is None else gate
            factor = entry("X", time) if gate == "moving" else factor
            return factor * state.entry(time, []) + entry("Y", time, time)

        def closed(when, gate=gate, shift=shift, extra=extra):
            def decay(low):
                r = position("r", low, when)
                if gate is None:
                    return as_term(1)
                name, where = ("X", [r]) if gate == "moving" else ("a", [])
                return product(name, where, r, low, when)

            s = position("s", 0, when)
            weight = decay(s + 1 - shift) if gate is not None else as_term(1)
            return decay(Index(0)) * entry("Z0") + total(weight * entry("Y", s, s), s) + extra

        made, when = recursion(step, entry("Z0"))
        try:
            induction(made, when, [closed(when)])
        except NotProved:
            continue
        accepted += 1
        state = entries("Z0", ())
        for n in range(4):
            at_n = value(closed(when), {when.terms[0][0]: n, N.terms[0][0]: 4}, entries)
            assert at_n == state
            factor = {None: 1, "moving": entries("X", (n,))}.get(
                gate if not hasattr(gate, "scope") else 0
            )
            factor = entries("a", ()) if factor is None else factor
            state = factor * state + entries("Y", (n, n))
    assert 10 < accepted < 60


def test_theorems_and_solutions_are_made_by_the_kernel_only():
    with pytest.raises(IllTyped):
        theorem.Theorem(as_term(0), as_term(1))
    made, when = recursion(lambda s, t: s.entry(t, []), as_term(0))
    with pytest.raises(IllTyped):
        theorem.Solved(made, when, [as_term(1)], None)


def test_a_recursion_that_speaks_of_another_time_is_refused():
    with pytest.raises(IllTyped, match="another time"):
        recursion(lambda s, t: s.entry(t + 1, []), as_term(0))
    with pytest.raises(IllTyped, match="not given"):
        recursion(lambda s, t: s.entry(t, []) + entry("X", M), as_term(0))


def test_many_alike_indices_are_too_hard_and_not_a_hang():
    alike = [position("j", 0, N) for _ in range(8)]
    body = as_term(1)
    for j in alike:
        body = body * (entry("X", j) + entry("Y", j, j))
    with pytest.raises(KernelError):
        made = body
        for j in alike:
            made = total(made, j)
        normal.simplified(made)


def test_a_variable_must_be_declared():
    with pytest.raises(IllTyped):
        put(entry("X", N), {variable(-1): 0})
