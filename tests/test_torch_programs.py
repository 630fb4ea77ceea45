"""Programs for torch are proved, planted mistakes are not, and what is not read is named."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from scanproof import UsageError
from scanproof.proofs.decide.proving import prove

QKV = "q: T d, k: T d, v: T e"
GRADIENTS = "x: T d, m:, r:"
HEADS = "q: B H n*C d, k: B H n*C d, v: B H n*C e, beta: B H n*C, g: B H n*C, w: C"
EQUAL = [
    ("linear", "masked", QKV),
    ("Attention", "linear", QKV),
    ("gated_in_place", "gated", f"{QKV}, g: T"),
    ("alike", "alike_by_places", "x: T d, labels: T"),
    ("forgetting", "forgetting_in_log_space", f"{QKV}, f: T"),
    ("forgetting", "forgetting_by_softplus", f"{QKV}, f: T"),
    ("delta", "delta_in_place", f"{QKV}, b: T"),
    ("momentum", "momentum_anew", GRADIENTS),
    ("row_by_row", "solved", "A: C C"),
    ("gated_delta", "gated_delta_by_rows", HEADS),
    ("counted_in_inference", "counted", "q: T d, k: T d"),
]
OTHER = [
    ("linear", "strictly_masked", QKV),
    ("gated_too_late", "gated", f"{QKV}, g: T"),
    ("forgetting", "forgetting_the_other_way", f"{QKV}, f: T"),
    ("momentum_shared", "momentum_anew", GRADIENTS),
    ("row_by_row_with_itself", "solved", "A: C C"),
    ("counted_in_inference", "counted_once", "q: T d, k: T d"),
    ("gated_delta", "gated_delta_without_the_decay_of_keys", HEADS),
]
NOT_READ = {
    "number_of_a_turn": ("x: T d, m:, r:", "the number of a turn is used after its loop"),
    "prefix_written_meanwhile": (
        "A: C C",
        "T and row, which share memory that is written in place",
    ),
}
DELTA = "q: T d, k: T d, v: T e, beta: T"
AS_TORCH_HAS_IT = [
    ("sum_of_no_axes", "total"),
    ("biased_variance", "mean_of_squares"),
    ("scaled_sum", "thrice"),
    ("gradient_at_the_first", "one_at_the_first"),
    ("mean_of_mask", "same"),
    ("straight_through", "ones"),
    ("no_grad_block", "same"),
    ("no_grad_function", "same"),
    ("recorded_again", "twice"),
    ("by_data", "same"),
    ("relu_gradient", "step"),
    ("abs_gradient", "sign"),
    ("clamp_gradient", "between"),
    ("maximum_gradient", "half_at_zero"),
    ("bound_early", "thrice"),
    ("sees_its_turn", "total"),
    ("called_at_once_in_a_list", "total"),
    ("squared_by_steps", "total"),
    ("written_unrecorded", "thrice"),
    ("asks_for_a_gradient", "same"),
    ("backward", "twice"),
    ("expanded_then_written", "ones"),
    ("rounded", "floor"),
    ("is_the_same", "twice"),
]
"""Each proved."""
AS_TORCH_HAS_IT_NOT = [
    ("sum_of_no_axes", "same"),
    ("biased_variance", "of_one_more"),
    ("scaled_sum", "twice"),
    ("floor_of_whole", "same"),
    ("straight_through", "half_at_zero"),
    ("straight_through", "step"),
    ("no_grad_block", "twice"),
    ("recorded_again", "same"),
    ("by_data", "twice"),
    ("relu_gradient", "half_at_zero"),
    ("abs_gradient", "step"),
    ("clamp_gradient", "strictly_between"),
    ("maximum_gradient", "step"),
    ("only_single", "same"),
    ("only_single_is", "same"),
    ("only_single_caught", "same"),
    ("promoted", "same"),
    ("by_its_precision", "same"),
    ("written_unrecorded", "twice"),
    ("backward", "same"),
    ("expanded_then_written", "same"),
    ("is_the_same", "same"),
]
"""None proved."""
IN_SINGLE = ["only_single", "only_single_is", "only_single_caught", "promoted", "by_its_precision"]
NOT_BOUND = {
    "spectral": "aten._linalg_svd at torch_doors.py:",
    "late": "loops of late are not followed",
    "late_in_a_list": "loops of late_in_a_list are not followed",
    "sees_the_loop": "loops of sees_the_loop are not followed",
}
"""What is refused, each with its reason."""


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)


def decided(one: str, other: str, shapes: str):
    return prove(f"torch_programs:{one}", shapes=shapes, equals=f"torch_programs:{other}").result


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("case", EQUAL, ids=lambda case: case[0])
def test_two_forms_are_proved_equal(case):
    found = decided(*case)
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("case", OTHER, ids=lambda case: case[0])
def test_a_planted_mistake_is_refuted(case):
    assert decided(*case).verdict == "refuted"


@pytest.mark.long
def test_what_is_not_read_is_named():
    found = decided("largest", "largest", GRADIENTS)
    assert found.verdict == "unknown"
    assert "aten.median at torch_programs.py:" in str(found.reason)


@pytest.mark.long
@pytest.mark.parametrize("name", NOT_READ)
def test_what_turns_decide_is_read_as_it_is_or_not_at_all(name):
    shapes, why = NOT_READ[name]
    found = decided(name, name, shapes)
    assert found.scope != "all-sizes"
    assert why in str(found.reason)


def behind_a_door(one: str, other: str, shapes: str = "x: T"):
    return prove(f"torch_doors:{one}", shapes=shapes, equals=f"torch_doors:{other}").result


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("case", AS_TORCH_HAS_IT, ids="-".join)
def test_arguments_and_derivatives_are_what_torch_makes_of_them(case):
    found = behind_a_door(*case)
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.usefixtures("only_read")
@pytest.mark.short("sum_of_no_axes-same", "floor_of_whole-same")
@pytest.mark.parametrize("case", AS_TORCH_HAS_IT_NOT, ids="-".join)
def test_and_nothing_else(case):
    try:
        assert behind_a_door(*case).verdict in ("refuted", "unknown")
    except UsageError as error:
        assert "shapes" in str(error)


@pytest.mark.short("by_its_precision")
@pytest.mark.parametrize("name", IN_SINGLE)
def test_a_program_that_asks_for_a_format_is_proved_for_torchs_default_and_says_so(name):
    found = behind_a_door(name, "twice")
    assert (found.verdict, found.scope) == ("proved", "all-sizes")
    assert "inputs are of the format float32, torch's default" in str(found.evidence)


@pytest.mark.long
def test_casts_between_real_formats_change_nothing():
    found = behind_a_door("cast_delta", "cast_delta_transposed", DELTA)
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason
    assert "format" not in str(found.evidence)


@pytest.mark.short("spectral")
@pytest.mark.parametrize("name", NOT_BOUND)
def test_what_is_not_read_is_refused_with_its_reason(name):
    found = behind_a_door(name, name)
    assert found.scope != "all-sizes"
    assert NOT_BOUND[name] in str(found.reason)


@pytest.mark.short("backwards")
@pytest.mark.parametrize("name", ["backwards", "written_leaf"])
def test_what_torch_does_not_run_is_told_in_a_line(name):
    with pytest.raises(UsageError, match=r"\(T = 3\) as torch runs it: .* at torch_doors\.py:"):
        behind_a_door(name, "same")


def test_without_torch_there_is_no_verdict(monkeypatch):
    plain = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *a: None if name == "torch" else plain(name, *a)
    )
    with pytest.raises(
        UsageError, match=r"torch_doors\.py is written for torch.*pip install torch"
    ):
        behind_a_door("same", "same")


def _at(places):
    """A program that reads a square array at places made of the numbers of its rows."""

    def program(A):
        import torch

        return places(A, torch.arange(A.shape[0]))

    return program


AT_PLACES = {
    "rows before, as columns": (lambda A, i: A[i - 1, i[:, None]], lambda A, i: A.roll(1, 0).T),
    "columns before": (lambda A, i: A[i[:, None], i - 1], lambda A, i: A.roll(1, 1)),
    "three axes": (
        lambda A, i: A[i - 1, (i - 1)[:, None, None]],
        lambda A, i: A.roll(1, 0).roll(1, 1).T[:, None],
    ),
    "the first at the least": (
        lambda A, i: A[(i - 1).clamp(min=0)],
        lambda A, i: __import__("torch").cat([A[:1], A[:-1]]),
    ),
    "rows apart": (
        lambda A, i: A[:, (i[:, None] - i).abs()][0],
        lambda A, i: A[0][(i - i[:, None]).abs()],
    ),
}


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
@pytest.mark.parametrize("name", AT_PLACES)
def test_places_that_positions_determine_case_by_case_are_read(name):
    program, specification = map(_at, AT_PLACES[name])
    found = prove(program, shapes="A: T T", equals=specification, framework="torch").result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
@pytest.mark.parametrize(("first", "verdict"), [(1, "proved"), (2, "refuted")])
def test_scores_that_are_filled_above_the_diagonal_are_causal_attention(first, verdict):
    import torch

    def filled(q, k, v):
        later = torch.triu(torch.ones(len(q), len(q), dtype=torch.bool), diagonal=first)
        return torch.softmax((q @ k.T).masked_fill(later, float("-inf")), -1) @ v

    def causal(q, k, v):
        one = torch.nn.functional.scaled_dot_product_attention
        return one(q[None], k[None], v[None], is_causal=True, scale=1.0)[0]

    found = prove(filled, shapes=QKV, equals=causal, framework="torch").result
    assert found.verdict == verdict, found.reason
    assert verdict == "refuted" or found.scope == "all-sizes"


def _empty(write):
    """A program that writes entries of memory to which nothing was written before."""

    def program(x, c, s):
        import torch

        out = torch.empty(len(x), 2 * x.shape[1])
        write(out, x, c, s)
        return out

    return program


def _turns(out, x, c, s):
    for t in range(len(x)):
        out[t, : len(c)] = x[t] * c
        out[t, len(c) :] = x[t] * s


def _numbers(out, x, c, s):
    pairs = out.view(len(x), 2, len(c))
    for k in range(2):
        for j in range(1):
            pairs[:, k + j] = x * (s if k else c)


def _every_second(out, x, c, s):
    out[:, 0::2], out[:, 1::2] = x * c, x * s


def _halves(x, c, s):
    import torch

    return torch.cat([x * c, x * s], 1)


def _pairs(x, c, s):
    import torch

    return torch.stack([x * c, x * s], -1).flatten(1)


FILLED = [
    (_turns, _halves, "proved"),
    (_numbers, _halves, "proved"),
    (_every_second, _pairs, "proved"),
    (_every_second, lambda x, c, s: _pairs(x, s, c), "refuted"),
    (_every_second, _halves, "refuted"),
]


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
@pytest.mark.parametrize(("write", "specification", "verdict"), FILLED)
def test_memory_that_is_filled_part_by_part_is_what_was_written(write, specification, verdict):
    shapes = "x: T d, c: d, s: d"
    found = prove(_empty(write), shapes=shapes, equals=specification, framework="torch").result
    assert found.verdict == verdict, found.reason
    assert verdict == "refuted" or found.scope == "all-sizes"


@pytest.mark.usefixtures("only_read")
def test_every_second_entry_of_an_axis_of_any_length_is_refused_with_what_to_give():
    def written(x):
        x = x * 1.0
        x[::2] = 0
        return x

    found = prove(written, shapes="x: n", equals=written, framework="torch").result
    assert "such as 2*n" in str(found.reason)


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
def test_entries_written_outside_of_an_axis_are_refused_by_name():
    def written(k):
        import torch

        k = k * 1.0
        k[torch.arange(len(k)) - 1] = 2 * k
        return k

    found = prove(written, shapes="k: T", equals=written, framework="torch").result
    assert "places that are not seen to lie in their axis" in str(found.reason)


@pytest.mark.long
@pytest.mark.usefixtures("only_read")
def test_places_along_other_axes_are_others():
    program, specification = _at(lambda A, i: A[i - 1, i[:, None]]), _at(lambda A, i: A.roll(1, 0))
    found = prove(program, shapes="A: T T", equals=specification, framework="torch").result
    assert found.verdict == "refuted", found.reason
