"""Whole numbers have the ends of their formats, and truths are 0 or 1, in programs of both frameworks."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import pytest
from jax import lax

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.statement import choices, making
from scanproof.proofs.statement.conditions import is_whole, whole_states
from scanproof.proofs.statement.formats import WHOLE
from scanproof.proofs.statement.nodes import Input, Placeholder, Positions, Recursion
from scanproof.proofs.statement.whole import Position, Size, whole

HERE = "tests/whole_number_cases.py"
TWO = "x: T, y: T"


def of_torch(program, meant, shapes):
    return prove(f"{HERE}:{program}", equals=f"{HERE}:{meant}", shapes=shapes).result


def conditions(result):
    return [one for entry in result.evidence for one in entry.get("conditions", ())]


WITHIN = {
    ("flat_places", "flat_places_meant"): {"sizes": {"T·T": 1, "T": -1}, "at_most": 2**31 - 1},
    ("long_places", "long_places_meant"): {"sizes": {"T·T·T": 1, "T·T": -1}, "at_most": 2**63 - 1},
    ("short_places", "same"): {"sizes": {"T": 1}, "plus": -1, "at_most": 2**15 - 1},
    ("short_length", "length"): {"sizes": {"T": 1}, "at_most": 2**15 - 1},
}


@pytest.mark.long_cases("flat", "long_places", "short_places", "short_length")
@pytest.mark.parametrize(("program", "meant"), WITHIN)
def test_numbers_of_positions_and_sizes_fit_their_format_where_sizes_let_them(program, meant):
    result = of_torch(program, meant, "x: T")
    assert (result.verdict, result.scope) == ("proved", "all-sizes")
    assert WITHIN[program, meant].items() <= conditions(result)[0].items()


OTHERS = [
    ("truths_added", "numbers_added"),
    ("truths_summed", "numbers_summed"),
    ("half_in_whole_numbers", "half_in_numbers"),
]


@pytest.mark.long_cases("summed", "half", "added")
@pytest.mark.parametrize(("program", "meant"), OTHERS)
def test_truths_are_0_or_1_and_whole_numbers_hold_no_fraction(program, meant):
    assert of_torch(program, meant, TWO).verdict != "proved"


@pytest.mark.long
def test_a_program_that_overflows_where_its_equation_is_of_small_numbers_is_not_proved():
    result = of_torch("raised_and_lowered", "same", "x: T")
    assert result.verdict == "unknown"
    assert "the body does not run at T = " in result.reason


@pytest.mark.parametrize("made", [choices.above, choices.at_least, choices.vanishing])
def test_what_compares_is_a_truth_as_it_stands(made):
    node = made(Input("x", (whole(Size("n", 1)),)))
    assert choices.truth(node) is node


@pytest.mark.long
def test_a_number_that_fills_whole_numbers_is_cut():
    assert of_torch("halves_of_ones", "twos", "x: T").scope == "all-sizes"


def on_curve(x, y):
    return x * y - 7.25 * x - 5.75 * y + 3.375


@pytest.mark.long
def test_a_product_of_truths_is_whether_some_are_both_true():
    def truths(x, y):
        a = on_curve(x, y) == 0
        return x * jnp.dot(a, a).astype(x.dtype)

    def numbers(x, y):
        a = (on_curve(x, y) == 0).astype(x.dtype)
        return x * jnp.dot(a, a)

    assert prove(truths, equals=numbers, shapes=TWO).result.verdict != "proved"


@pytest.mark.long
def test_the_place_of_the_greatest_fits_its_format():
    short = lambda x: lax.argmax(x, 0, jnp.int16).astype(x.dtype)  # noqa: E731
    found = prove(short, equals=lambda x: jnp.argmax(x).astype(x.dtype), shapes="x: T").result
    assert conditions(found)[0]["at_most"] == 2**15 - 1


@pytest.mark.long
def test_states_that_turns_keep_whole_are_whole_numbers_of_their_format():
    def counted(x):
        def step(n, one):
            return n + one, n + one

        return lax.scan(step, 0, (x > 0).astype(jnp.int32))[1]

    result = prove(
        counted, shapes="x: T", equals=lambda x: jnp.cumsum((x > 0).astype(jnp.int32))
    ).result
    assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason
    assert "no whole number runs over int32" in str(result.evidence)


def test_a_power_is_whole_where_its_exponent_is_not_below_0():
    k = Input("k", (), WHOLE)
    positions = Positions(whole(Size("T", 1)))
    two = making.number(2)
    assert not is_whole(making.entrywise("power", two, k))
    assert is_whole(making.entrywise("power", two, positions))


def test_states_that_a_turn_may_halve_are_not_seen_whole():
    before, start = Placeholder(0, 0, ()), making.number(0)
    half = making.entrywise("multiply", before, making.number(Fraction(1, 2)))
    more = making.entrywise("add", before, making.number(1))
    for step, kept in ((half, frozenset()), (more, {before})):
        time = Position(0, 0, whole(Size("T", 1)))
        assert whole_states(Recursion(time, (before,), (start,), (step,))) == kept


@pytest.mark.long
def test_whole_powers_that_outgrow_their_format_are_not_read_and_a_users_function_is_not_jaxs():
    def doubled(x):
        return x * 2 ** jnp.arange(x.shape[0])

    @jax.jit
    def _pow_int_int(base, exponent):
        return base + exponent

    def named_alike(x):
        return x * _pow_int_int(jnp.full(x.shape, 2), jnp.arange(x.shape[0]))

    found = prove(doubled, equals=lambda x: x * 2.0 ** jnp.arange(x.shape[0]), shapes="x: n").result
    assert found.scope != "all-sizes" and "outgrows its format" in found.reason
    found = prove(named_alike, equals=lambda x: x * (2 + jnp.arange(x.shape[0])), shapes="x: n")
    assert (found.result.verdict, found.result.scope) == ("proved", "all-sizes")
