"""Python's loops over sizes, in JAX and in torch: what is read is read as Python runs it, and the rest is named."""

from pathlib import Path
from typing import Any

import pytest

from scanproof._main import run
from scanproof.proofs.decide.proving import prove

ROWS = "x: T d"
QKV = "q: T d, k: T d, v: T e"
CHUNKS = "q: 4*n d, k: 4*n d, v: 4*n e"
IN_TORCH = [
    ("last", "spec_last"),
    ("last_acc", "spec_sum2"),
    ("walrus_after", "spec_last"),
    ("starunpack", "spec_last"),
    ("var_num_after", "spec_mean"),
    ("int_state", "spec_mean"),
    ("els", "spec_sum2"),
    ("delname", "spec_sum"),
    ("tuple_state", "spec_sum"),
    ("none_state", "spec_sum"),
    ("parts_added", "spec_twice"),
    ("used_before", "spec_sum"),
    ("comp_sum", "spec_sum"),
    ("comp_sum_list", "spec_sum"),
    ("last_of_list", "spec_sum"),
    ("rev", "rev2"),
    ("rev", "rev3"),
    ("cond_write", "spec_rows_summed"),
    ("cont_cond", "decayed"),
    ("rows_apart", "spec_sum"),
    ("parts_made_before", "spec_sum"),
    ("state_in_a_list", "spec_sum"),
    ("normed", "spec_normed"),
]
OTHER_IN_TORCH = [
    ("last", "spec_sum2"),
    ("last_acc", "spec_last"),
    ("counted_from_one", "spec_mean"),
    ("first_left_out", "spec_sum"),
    ("cont_cond", "spec_sum"),
    ("rev", "spec_last"),
    ("alias_append", "spec_cumsum"),
    ("last_two_alias", "spec_last"),
    ("lastlist_alias", "spec_sum"),
    ("last_view_write", "spec_twice"),
    ("rows_apart", "spec_last"),
    ("parts_made_before", "spec_twice"),
]
NOT_READ_IN_TORCH = {
    "walrus_comp": ("spec_cumsum", "loops of walrus_comp are not followed"),
    "ret_in": ("spec_sum", "a loop over a size that may be left before its end at torch_loops.py:"),
    "gen": ("spec_twice", "a loop over a size that may be left before its end at torch_loops.py:"),
    "whil": ("spec_sum", "which depends on the sizes"),
    "preinit": ("spec_cumsum", "it asks for the number that T is at torch_loops.py:"),
    "mid_cond": ("mid_cond", "at torch_loops.py:283, which depends on the sizes"),
    "swallowed2": ("swallowed2", "mod at torch_loops.py:"),
    "counter_double": (
        "counter_double",
        "n, a whole number that turns change by different amounts",
    ),
    "tup_grow": ("tup_grow", "st, to which a turn gives another form, in a loop over a size"),
    "alias_view_append": ("alias_view_append", "a write into memory that arrays share"),
}
IN_JAX = [
    ("rec", "masked", QKV),
    ("rec_at", "masked", QKV),
    ("decay", "decay_masked", f"{QKV}, g: T"),
    ("chunked", "masked", CHUNKS),
    ("momentum", "momentum_scan", "x: T d, m:"),
    ("lstm_t", "lstm_s", "x: T d, W: d d"),
    ("double", "twice", ROWS),
    ("rev", "rev_s", ROWS),
    ("first", "first_s", ROWS),
    ("layers", "layers_s", "x: T d, W: L d d"),
]
OTHER_IN_JAX = [
    ("rec", "strictly", QKV),
    ("rec_at", "strictly", QKV),
    ("chunked", "strictly", CHUNKS),
    ("momentum_wrong", "momentum_scan", "x: T d, m:"),
    ("first", "rev_s", ROWS),
]
NOT_READ_IN_JAX = {
    "named": "writing an item of a dictionary in a loop over a size at jax_loops.py:",
    "in_the_middle": "a question about the number of a turn of a loop over a size at jax_loops.py:",
    "heard": "the program catches TypeError",
}
STOP = {
    ("middle", "middle"): "aten.median at programs_that_stop.py:",
    ("middle", "twice"): "refuted, in float",
    ("twice", "middle"): "refuted, in float",
    ("middle_of_many", "twice"): "refuted, in float",
    ("twice", "raises"): "KeyError: 'a' at programs_that_stop.py:",
    ("raises_at_two", "twice"): "in the case T = 2: for all sizes it is not read: it fails",
    ("twice", "leaves"): "SystemExit: 3",
    ("twice", "text"): "it returns a str; expected arrays",
    ("Sized", "twice"): "missing 1 required positional argument",
    ("Recurrent", "twice"): "cannot assign module before Module.__init__() call at",
}


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)


def decided(module: str, one: str, other: str, shapes: str = ROWS, **options: Any):
    return prove(f"{module}:{one}", shapes=shapes, equals=f"{module}:{other}", **options).result


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("case", IN_TORCH, ids="-".join)
def test_a_loop_for_torch_is_proved(case):
    found = decided("torch_loops", *case)
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("case", OTHER_IN_TORCH, ids="-".join)
def test_a_loop_for_torch_that_is_another_is_not_proved(case):
    assert decided("torch_loops", *case).verdict != "proved"


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", NOT_READ_IN_TORCH)
def test_a_loop_for_torch_that_is_not_read_is_named(name):
    other, why = NOT_READ_IN_TORCH[name]
    found = decided("torch_loops", name, other, sizes={"T": (1, 2), "d": (1,)})
    assert found.scope != "all-sizes"
    assert why in str(found.reason)


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("case", IN_JAX, ids=lambda case: case[0])
def test_a_loop_of_python_in_jax_is_proved(case):
    found = decided("jax_loops", *case)
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.long
def test_delta_rule_in_chunks_against_its_transpose_takes_little_memory():
    """At the listed sizes both were once multiplied out with every entry a symbol, which took 22 GB."""
    shapes = "q: 4*n d, k: 4*n d, v: 4*n e, beta: 4*n"
    one, other = (f"jax_loops:{name}" for name in ("delta_transposed", "delta"))
    found = prove(one, shapes=shapes, equals=other, memory_limit="1G").result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("case", OTHER_IN_JAX, ids=lambda case: case[0])
def test_a_loop_of_python_in_jax_that_is_another_is_refuted(case):
    assert decided("jax_loops", *case).verdict == "refuted"


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", NOT_READ_IN_JAX)
def test_a_loop_of_python_in_jax_that_is_not_read_is_named(name):
    found = decided("jax_loops", name, name)
    assert found.scope != "all-sizes"
    assert NOT_READ_IN_JAX[name] in str(found.reason)


@pytest.mark.long
@pytest.mark.parametrize("case", STOP, ids="-".join)
def test_a_program_that_stops_is_no_bug_of_scanproof(case, capsys):
    one, other = (f"programs_that_stop:{name}" for name in case)
    run(["prove", one, "--shapes", ROWS, "--equals", other])
    shown = "".join(capsys.readouterr())
    assert STOP[case] in shown
    assert "bug of scanproof" not in shown
