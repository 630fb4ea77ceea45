"""Programs for torch are proved, planted mistakes are not, and what is not read is named; torch is not needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scanproof.proofs.decide.proving import prove

QKV = "q: T d, k: T d, v: T e"
GRADIENTS = "x: T d, m:, r:"
EQUAL = [
    ("linear", "masked", QKV),
    ("Attention", "linear", QKV),
    ("gated_in_place", "gated", f"{QKV}, g: T"),
    ("delta", "delta_in_place", f"{QKV}, b: T"),
    ("momentum", "momentum_anew", GRADIENTS),
]
OTHER = [
    ("linear", "strictly_masked", QKV),
    ("gated_too_late", "gated", f"{QKV}, g: T"),
    ("momentum_shared", "momentum_anew", GRADIENTS),
]


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
    assert "torch.argmax (torch_programs.py:" in found.reason
