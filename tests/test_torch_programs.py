"""Programs for torch are proved, planted mistakes are not, and what is not read is named; torch is not needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanproof.proofs.decide.proving import prove

QKV = "q: T d, k: T d, v: T e"
GRADIENTS = "x: T d, m:, r:"
HEADS = "q: B H n*C d, k: B H n*C d, v: B H n*C e, beta: B H n*C, g: B H n*C, w: C"
EQUAL = [
    ("linear", "masked", QKV),
    ("Attention", "linear", QKV),
    ("gated_in_place", "gated", f"{QKV}, g: T"),
    ("forgetting", "forgetting_in_log_space", f"{QKV}, f: T"),
    pytest.param(("forgetting", "forgetting_by_softplus", f"{QKV}, f: T"), marks=pytest.mark.long),
    ("delta", "delta_in_place", f"{QKV}, b: T"),
    ("momentum", "momentum_anew", GRADIENTS),
    pytest.param(("row_by_row", "solved", "A: C C"), marks=pytest.mark.long),
    pytest.param(("gated_delta", "gated_delta_by_rows", HEADS), marks=pytest.mark.long),
]
OTHER = [
    ("linear", "strictly_masked", QKV),
    ("gated_too_late", "gated", f"{QKV}, g: T"),
    ("forgetting", "forgetting_the_other_way", f"{QKV}, f: T"),
    ("momentum_shared", "momentum_anew", GRADIENTS),
    ("row_by_row_with_itself", "solved", "A: C C"),
    ("gated_delta", "gated_delta_without_the_decay_of_keys", HEADS),
]
NOT_READ = {
    "number_of_a_turn": ("x: T d, m:, r:", "last after a loop over a size"),
    "prefix_written_meanwhile": ("A: C C", "share memory with one that was written in place"),
    "prefix_of_a_function": ("A: C C", "a slice whose length depends on the turn"),
}


@pytest.fixture(autouse=True)
def here(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)


def decided(one: str, other: str, shapes: str):
    return prove(f"torch_programs:{one}", shapes=shapes, equals=f"torch_programs:{other}").result


@pytest.mark.parametrize("case", EQUAL, ids=lambda case: case[0])
def test_two_forms_are_proved_equal(case):
    found = decided(*case)
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.parametrize("case", OTHER, ids=lambda case: case[0])
def test_a_planted_mistake_is_refuted(case):
    assert decided(*case).verdict == "refuted"


def test_what_is_not_read_is_named():
    found = decided("largest", "momentum", GRADIENTS)
    assert found.verdict == "unknown"
    assert "torch.argmax (torch_programs.py:" in str(found.reason)


@pytest.mark.parametrize("name", NOT_READ)
def test_what_turns_decide_is_read_as_it_is_or_not_at_all(name):
    shapes, why = NOT_READ[name]
    found = decided(name, name, shapes)
    assert found.scope != "all-sizes"
    assert why in str(found.reason)
