"""The kernel against evaluators that share nothing with it: random identities, recursions, arrays, steps.

An accepted equation whose sides differ anywhere is a false accept; there must be none. `make fuzz` tries many more.
"""

import random
import tracemalloc
from collections import Counter
from itertools import product
from typing import Any, cast

import pytest
from fuzzing.counting import EVERY, RULES, counted
from fuzzing.hostile import putting, steps, values
from fuzzing.programs import programs
from fuzzing.recursions import recursions
from fuzzing.terms import PLACES, agree, equations

from scanproof.proofs.interpret.terms import (
    equal_indices,
    indicator,
    inverse,
    number,
    substitute,
    total,
)
from scanproof.proofs.kernel import inequalities, term
from scanproof.proofs.kernel.errors import IllTyped, NotProved, TooHard
from scanproof.proofs.kernel.index import Index, position, size, variable
from scanproof.proofs.kernel.inequalities import contradictory, implied
from scanproof.proofs.kernel.rules import Goal, Rewriting
from scanproof.proofs.kernel.term import as_term, entry
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.normal import simplified
from scanproof.proofs.search.proving import proving


def count(seen: Counter, true: bool, accepted: bool) -> int:
    """How many claims, of whatever kind, were true or false, accepted or not."""
    return sum(n for key, n in seen.items() if key[-2:] == (true, accepted))


@pytest.fixture(scope="module", params=[16, pytest.param(4, marks=pytest.mark.long)])
def runs(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Claims of all kinds, a quarter of some thousands or fewer; a false accept is an exception."""
    rng = random.Random(7)
    share = request.param
    with counted() as fired:
        return {
            "equations": equations(rng, 2500 // share),
            "recursions": recursions(rng, 700 // share),
            "programs": programs(rng, 200 // share),
            "steps": steps(rng, 250 // share),
            "putting": putting(rng, 600 // share),
            "values": values(rng, 400 // share),
            "share": share,
            "fired": fired,
        }


@pytest.mark.short("16-programs")
@pytest.mark.parametrize("what", ["equations", "recursions", "programs"])
def test_nothing_false_is_accepted_and_most_of_what_is_true_is(runs, what):
    seen = runs[what]
    assert not count(seen, False, True)
    assert count(seen, True, True) > 5 * count(seen, True, False)
    assert count(seen, False, False) > 50 // runs["share"]


RARE = {"annul", "beside", "circle", "compare", "cover", "one_place", "root", "vanish"}
"""Rules about comparisons, places, roots and cosines: the attacks and `test_laws` use them, random equations do not."""


def test_every_rule_fires(runs):
    assert {name for name in EVERY if not runs["fired"][name]} <= RARE


def test_every_rule_is_counted():
    """A rule is what changes a sum and is open to a tactic."""
    open_ones = {
        name
        for kind in (Rewriting, Goal)
        for name, found in vars(kind).items()
        if callable(found) and not name.startswith("_")
    }
    assert open_ones - {"term", "closed", "rests", "spend"} == set(RULES)


def test_random_steps_keep_the_value_of_a_sum(runs):
    assert runs["steps"]["taken"] > 500 // runs["share"]


def test_an_index_is_put_for_a_variable_only_within_its_range(runs):
    seen, few = runs["putting"], 100 // runs["share"]
    assert seen["put"] >= few and seen["refused"] >= few


def test_a_term_and_its_normal_form_have_the_value_of_their_recipe(runs):
    assert runs["values"]["compared"] > 500 // runs["share"]


@pytest.mark.long
def test_what_is_said_of_inequalities_is_so_in_a_box():
    count = 1500
    rng = random.Random(3)
    with proving():
        names = [size("N", 0).terms[0][0], size("M", 0).terms[0][0], size("L", 0).terms[0][0]]
        box = [dict(zip(names, at, strict=True)) for at in product(range(-4, 5), repeat=3)]
        said = 0
        for _ in range(count):
            rows = [
                Index(rng.randint(-4, 4), {v: rng.choice((0, 0, 1, -1, 2, -3)) for v in names})
                for _ in range(rng.choice((2, 3, 4, 5)))
            ]
            inside = [p for p in box if all(_at(e, p) >= 0 for e in rows)]
            one, *known = rows
            if contradictory(rows):
                said += 1
                assert not inside
            if implied(one, known):
                said += 1
                assert all(_at(one, p) >= 0 for p in box if all(_at(e, p) >= 0 for e in known))
        assert said > count // 15


@pytest.mark.long
def test_elimination_decides_systems_of_differences():
    """Their numbers exist unless w ≤ v + const, around a cycle, has a sum below 0; few are tried one by one besides."""
    rng = random.Random(4)
    ends = [0, 1, 2, 3]  # 0 stands for the number 0
    box = [(0, *at) for at in product(range(-9, 10), repeat=3)]
    said = Counter()
    for n in range(4000):
        own = ends if n % 8 == 0 else [*ends, 4, 5, 6]
        rows = {}
        for _ in range(rng.randint(2, 4 if n % 8 == 0 else 14)):
            v, w = rng.sample(own, 2)
            rows[v, w] = rng.randint(-2, 2) if n % 8 == 0 else rng.randint(-3, 6)
        every = [Index(c, {u: d for u, d in ((v, 1), (w, -1)) if u}) for (v, w), c in rows.items()]
        found = contradictory(every)
        assert found == _has_a_cycle_below_0(rows)
        if n % 8 == 0:  # the least sums along paths are at most 3 · 2 from 0
            inside = any(all(_at(e, dict(enumerate(p))) >= 0 for e in every) for p in box)
            assert found == (not inside)
        said[found] += 1
    assert min(said.values()) > 500


def _has_a_cycle_below_0(rows: dict[tuple[int, int], int]) -> bool:
    """Bellman and Ford's: whether sums along paths become less and less."""
    least = {end: 0 for both in rows for end in both}
    for _ in least:
        before = dict(least)
        for (v, w), const in rows.items():
            least[w] = min(least[w], least[v] + const)
        if least == before:
            return False
    return True


def _at(e: Index, place: dict[int, int]) -> int:
    return e.const + sum(c * place[v] for v, c in e.terms)


def test_the_fuzzer_knows_true_from_false():
    t = ("number", (0, {"t": 1}))
    more = ("add", t, ("ge", (-5, {"N": 1})))  # differs for N = 5 only
    assert agree(t, t, PLACES) and agree(t, more, PLACES) is False


# By hand.


def proved(left: Any, right: Any) -> bool:
    try:
        show(left, right)
    except NotProved:
        return False
    return True


def test_indices_terms_and_numbers_do_not_mix():
    with proving():
        n = size("N", 1)
        one: Any = number(n)  # a scalar, where an index is wanted
        index: Any = n
        for wrong in (
            lambda: entry("X", one),
            lambda: number(one),
            lambda: as_term(index),  # an index for a scalar
            lambda: entry("X", 0) * index,
            lambda: index * index,
            lambda: indicator(one),
            lambda: entry("X", cast(Any, True)),
            lambda: as_term(cast(Any, 0.5)),
        ):
            with pytest.raises(IllTyped):
                wrong()


def test_what_may_be_zero_is_no_denominator():
    with proving():
        n, t = size("N", 1), position("t", 0, size("M", 1))
        with pytest.raises(IllTyped, match="may be 0"):
            inverse(number(t), ())
        assert proved(number(n) * inverse(number(n), ()), as_term(1))
        beta = entry("beta")
        assert show(beta * inverse(1 + beta, ()), as_term(1) - inverse(1 + beta, ())).used


@pytest.mark.long
def test_a_guard_at_a_negative_offset_stays():
    """Σ_j [j + 1 = t] X[j] is X[t − 1] for t ≥ 1 only."""
    with proving():
        n = size("N", 1)
        t, j = position("t", 0, n + 1), position("j", 0, n)
        shifted = total(equal_indices(j + 1, t) * entry("X", j), j)
        assert proved(shifted, indicator(t - 1) * entry("X", t - 1))
        assert not proved(shifted, entry("X", t - 1))


def test_the_count_of_an_empty_range_is_0():
    with proving():
        n = size("N", 1)
        counting = total(as_term(1), position("j", 0, n - 2))
        assert proved(counting, indicator(n - 2) * (number(n) - 2))
        assert not proved(counting, number(n) - 2)


def test_a_range_used_and_forgotten_is_remembered():
    """j < t says t ≥ 1; a term simplified with that is not read at t = 0 after j has gone."""
    with proving():
        i = position("i", 0, size("N", 1))
        j = position("j", 0, i)
        made = simplified(indicator(i - 1) * entry("X", i) + entry("Y", j, j)) - entry("Y", j, j)
        with pytest.raises(IllTyped, match="range of an index that stays"):
            substitute(made, {i: 0})
        with pytest.raises(IllTyped):
            substitute(made, {i: 0, j: 0})


@pytest.mark.long
def test_many_alike_indices_are_no_hang():
    """Π of eight (Σ_j X[j] + Y[j, j]) has nine monomials; naming their indices by trial takes 8! of them each."""
    with proving():
        n = size("N", 1)
        alike = [position("j", 0, n) for _ in range(8)]
        made = as_term(1)
        for j in alike:
            made = made * (entry("X", j) + entry("Y", j, j))
        for j in alike:
            made = total(made, j)
        assert len(simplified(made).parts) == 9


def test_a_variable_must_be_declared():
    with proving(), pytest.raises(IllTyped):
        substitute(entry("X", size("N", 1)), {variable(-1): 0})


HARD = (
    (((2, ((6, -1),)), (4, ((5, 5), (6, 5))), (3, ((3, -4), (5, -4), (6, 5))), (2, ((4, 3),)))),
    (((5, ((4, 5), (6, -3))), (3, ((6, -2),)), (-3, ((3, 1), (4, -4), (5, 5))))),
    (((6, ((5, -3),)), (-1, ((3, 3), (5, -4))), (3, ((4, -2), (5, -1))), (4, ((3, -2), (6, 1))))),
)
"""Rows whose elimination rounds one way or the other, as the order has it."""


def test_a_place_before_the_first_chunk_is_in_no_chunk_of_a_token():
    """Tokens i ≥ 0 are in chunk c where i ≤ 16c + 15: c ≥ 0, and no place 16c + j is below 0."""
    i, c, j = range(1, 4)
    rows = [Index(0, {i: 1}), Index(15, {c: 16, i: -1}), Index(0, {j: 1})]
    assert contradictory([*rows, Index(-1, {c: -16, j: -1})])
    assert not contradictory([*rows, Index(0, {c: -16, j: -1})])


@pytest.mark.long
def test_an_answer_depends_on_neither_the_order_of_rows_nor_what_was_asked_before():
    rng, rows = random.Random(0), [row for part in HARD for row in part]
    answers = set()
    for _ in range(200):
        away = rng.randrange(40)
        rng.shuffle(rows)
        if rng.random() < 0.5:
            inequalities._unsatisfiable.cache_clear()
        moved = [Index(c, {v + away: k for v, k in terms}) for c, terms in rows]
        answers.add(contradictory(moved))
    assert len(answers) == 1


def test_a_sum_without_as_many_guards_as_indices_is_refused_before_any_table_is_made():
    tracemalloc.start()
    try:
        assert not term._finite(10**6, frozenset())
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()


def test_more_known_inequalities_than_a_proof_has_are_too_hard():
    every = [Index(0, {v: 1}) for v in range(1, inequalities.KNOWN + 2)]
    with pytest.raises(TooHard, match="are known"):
        contradictory([Index(-1, {1: -1})], frozenset(every))


@pytest.mark.parametrize("by", [2, 3])
def test_no_whole_number_is_a_half_or_a_third(by):
    x = Index(0, {1: by})
    assert contradictory([x - 1, -x + 1])
    assert not contradictory([x - by, -x + by])
