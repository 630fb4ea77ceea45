"""Programs run as people run them: what rounding explains is no difference, and everything else is one."""

import os
import time

import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.core import Tracer
from run_cases import EQUAL, OTHER

from scanproof.proofs.decide import workers
from scanproof.proofs.decide.as_it_runs.answer import _told_apart
from scanproof.proofs.decide.as_it_runs.comparing import SHORT, Comparison
from scanproof.proofs.decide.as_it_runs.each_operation import Rounding
from scanproof.proofs.decide.as_it_runs.points import Points, many, small_sizes
from scanproof.proofs.decide.as_it_runs.process import Beside
from scanproof.proofs.decide.as_it_runs.sides import Side
from scanproof.proofs.decide.budget import Budget
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.exact.residues import Meter


def runs(one, other, read=True, seconds=SHORT):
    sides = [Side(side, read=side if read else None) for side in (one, other)]
    return Comparison(sides, ["T"], {"T": (1,)}).run(seconds)


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("read", [True, False], ids=["read", "not read"])
@pytest.mark.parametrize("name", EQUAL)
def test_what_rounding_or_a_domain_explains_is_no_difference(name, read):
    one, other = EQUAL[name]
    assert runs(one, other, read).different is None


@pytest.mark.sample(2)
@pytest.mark.short("of NumPy's arrays", "in one format", "in shapes")
@pytest.mark.parametrize("name", OTHER)
def test_programs_that_give_other_results_are_different(name):
    one, other, how = OTHER[name]
    found = runs(one, other, seconds=60.0).different
    assert found is not None
    assert found.how == how or not how


@pytest.mark.long
def test_a_format_that_a_program_does_not_take_is_left_out_and_named():
    def narrow(x):
        assert x.dtype == jnp.float32, "single precision"
        return x

    found = runs(narrow, lambda x: x)
    assert {form for _, form in found.held} == {"float32"}
    assert any(note.startswith("float64 is left out") for note in found.notes)


@pytest.mark.long
def test_a_program_that_raises_at_one_size_is_named_with_it():
    def at_five(x):
        if len(x) == 5 and not isinstance(x, Tracer):
            raise ValueError("five")
        return x

    (found,) = runs(at_five, lambda x: x, seconds=60.0).raised
    assert found.sizes == {"T": 5}
    assert "five" in str(found)
    result = prove(at_five, shapes="x: T", equals=lambda x: x).result
    assert result.verdict == "unknown"
    assert "T = 5" in str(result.reason)


@pytest.mark.long
def test_inputs_at_which_both_raise_are_left_out_and_the_others_compared():
    def positive(x):
        if not isinstance(x, Tracer) and x.sum() == 0:
            raise ValueError("no mean")
        return x

    found = runs(positive, lambda x: jnp.where(positive(x) > 1.9, 2 * x, x), seconds=60.0)
    assert found.different is not None
    found = runs(positive, lambda x: 1 * positive(x))
    assert found.different is None and not found.raised and not found.notes


@pytest.mark.long
def test_a_program_that_raises_at_some_inputs_only_is_compared_and_named():
    def positive(x):
        if not isinstance(x, Tracer) and x.sum() == 0:
            raise ValueError("no mean")
        return x

    found = runs(positive, lambda x: x, seconds=5.0)
    assert found.held and "no mean" in str(found.raised[0])
    assert runs(positive, lambda x: jnp.where(x < 0, 0, x), seconds=60.0).different is not None


@pytest.mark.long
def test_a_value_that_is_lost_behind_another_one_is_no_difference_where_nothing_is_whole():
    """Roots that have no value at the second place carry this on in one of the two, at inputs that neither is for."""

    def roots(x):
        return jnp.sqrt(x * x + 1 - 99 * (jnp.arange(x.shape[0]) == 1))

    def carried(x):
        return roots(x) + 0 * jnp.cumsum(roots(x))

    assert runs(roots, carried).different is None
    assert runs(lambda x: jnp.abs(x), lambda x: jnp.abs(x) + 0 * jnp.sqrt(-1 - x * x)).different


@pytest.mark.long
def test_a_program_without_a_value_at_one_size_is_refuted_at_the_next():
    result = prove(lambda x: jnp.var(x, ddof=1), shapes="x: T", equals=jnp.var).result
    assert (result.verdict, result.counterexample.sizes) == ("refuted", {"T": 2})


@pytest.mark.parametrize(
    ("claimed", "actual", "shown"),
    [
        (np.array([1.0]), np.array([1.00000002]), (["1"], ["1.00000002"])),
        (np.array(0.1), np.array(float(np.float32(0.1))), ("0.1", "0.100000001")),
        (np.array([2.0]), np.array([0.5]), (["2"], ["0.5"])),
        (np.zeros(0), np.zeros((0, 2)), ([], [])),
    ],
)
def test_results_that_differ_late_are_shown_with_the_digits_that_differ(claimed, actual, shown):
    assert _told_apart(claimed, actual) == shown


@pytest.mark.long
def test_results_with_more_digits_than_python_writes_are_shown_as_decimals():
    def powers(x, last):
        for _ in range(14):
            x = x * x / 3 + 1 / 7
        return x + last

    result = prove(lambda x: powers(x, 0), shapes="x: T", equals=lambda x: powers(x, 1)).result
    assert result.verdict == "refuted"


@pytest.mark.long
def test_a_program_that_draws_numbers_is_no_other_than_itself():
    rng = np.random.default_rng(0)

    def drawing(x):
        return x + rng.normal()

    assert runs(drawing, drawing).different is None


@pytest.mark.long
def test_what_overflows_at_large_inputs_alone_is_reported_without_a_verdict():
    found = runs(lambda x: jnp.log1p(jnp.exp(x)), lambda x: jnp.logaddexp(x, 0.0))
    assert found.different is None
    assert any("NaN or infinity" in note for note in found.notes)


@pytest.mark.long
@given(st.integers(1, 4), st.integers(1, 4))
def test_inputs_are_exact_in_single_precision_and_the_same_each_time(n, d):
    shapes, sizes = ["n d", "d", ""], {"n": n, "d": d}
    one, other = (list(many(Points(shapes, sizes))) for _ in range(2))
    for first, second in zip(one, other, strict=True):
        for a, b in zip(first, second, strict=True):
            assert np.array_equal(a, b)
            assert np.array_equal(a, a.astype(np.float32))


@pytest.mark.long
def test_complex_results_that_differ_are_told_apart_beside_real_ones():
    found = runs(lambda x: (x + 1j * x, x), lambda x: (x + 2j * x, x)).different
    assert found is not None and found.part == 0


def test_tensors_are_contiguous_as_those_of_a_user_are():
    torch = pytest.importorskip("torch")
    side = Side(lambda x: x.view(-1), is_for_torch=True)
    (found,) = side.run([np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])], "float32")
    assert torch.equal(torch.as_tensor(found), torch.tensor([1.0, 2.0, 3.0, 4.0]))


def test_small_sizes_begin_with_ones_and_keep_to_the_least():
    assert next(iter(small_sizes({"T": (1, 2), "d": (1,)}))) == {"T": 1, "d": 1}
    assert all(sizes["T"] >= 3 for sizes in small_sizes({"T": (3, 4), "d": (1,)}))


@pytest.mark.long
def test_a_task_beside_that_never_ends_is_ended(monkeypatch):
    monkeypatch.setattr("scanproof.proofs.decide.as_it_runs.process.has_threads", lambda: False)
    beside = Beside(lambda seconds: time.sleep(600), 1.0, Budget())
    assert "time limit" in beside.answer(0.2, 1.0).missing


def test_a_task_beside_that_leaves_python_says_how(monkeypatch):
    monkeypatch.setattr("scanproof.proofs.decide.as_it_runs.process.has_threads", lambda: False)
    assert (
        Beside(lambda seconds: os._exit(7), 1.0, Budget()).answer(5.0, 1.0).ended == "exit code 7"
    )
    assert workers.can_fork()


@pytest.mark.long
def test_a_refutation_of_what_was_read_has_to_stand_as_it_runs(monkeypatch):
    """A reading that is wrong refutes nothing."""
    from scanproof.proofs.doors.jaxpr import programs

    wrong = {**programs.RULES, "neg": lambda at, a: a}
    monkeypatch.setattr(programs, "RULES", wrong)
    monkeypatch.setattr("scanproof.proofs.check.instances.stated.disagreement", lambda *given: None)
    result = prove(lambda x: -x, shapes="x: T", equals=lambda x: 0 - x).result
    assert result.verdict == "unknown", result
    assert "as they run they do not" in str(result.reason)


@pytest.mark.long
def test_a_specification_for_any_arrays_is_run_on_numbers():
    def product(x, y):
        assert not isinstance(x, jnp.ndarray)
        return (x * y).sum()

    product.any_arrays = True
    result = prove(jnp.dot, shapes="x: T, y: T", equals=product).result
    assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason


SMALLEST = 2.0**-126
"""The least number that float32 holds with all its digits."""


@pytest.mark.parametrize(
    ("name", "operands", "result", "moved"),
    [
        ("exp", [[-200.0]], [0.0], {SMALLEST}),
        ("mul", [[1e-30], [1e-30]], [0.0], {SMALLEST}),
        ("mul", [[0.0], [1e-30]], [0.0], set()),
        ("sub", [[2.5], [2.5]], [0.0], set()),
        ("exp", [[-95.0]], [5.5e-42], {0.0}),
    ],
)
def test_a_number_that_a_format_does_not_hold_may_be_0_and_a_0_it_and_no_other_is(
    name, operands, result, moved
):
    arrays, held = [np.array(one) for one in operands], np.array(result)
    reached = set()
    for seed in range(16):
        rounding = Rounding(seed, 1, Meter(100), {})
        shifts = rounding.shifts(name, arrays, held, "float32", lambda: np.abs(held))
        reached |= set() if shifts is None else set(held + shifts)
    assert {one for one in reached if (one == 0) != (held[0] == 0)} == moved
