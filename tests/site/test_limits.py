"""An argument about limits is written line by line, its letters as letters."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def limits():
    """The module that does it."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        yield importlib.import_module("_site.limits")
    finally:
        sys.path.remove(str(ROOT / "docs"))


def test_every_limit_has_a_line_with_its_letters(limits):
    steps = ["alpha_1 → 0", "[X_1^3] of F_1 → 0 and → -7/4*eta^3"]
    lines = list(limits.argument({"evidence": [{"method": "limit", "steps": steps}]}, "##"))
    assert lines[0] == "## Why nothing comes near it"
    numbered = [line for line in lines if line[:1].isdigit()]
    assert len(numbered) == 2 and r"\alpha_{1}" in numbered[0]
    assert r"F_{1} \to 0" in numbered[1] and r"\eta^{3}" in numbered[1]


def test_a_counterexample_in_numbers_has_none(limits):
    statement = {"evidence": [{"method": "counterexample"}]}
    assert list(limits.argument(statement, "##")) == []
    assert limits.shown_by(statement) == "The numbers below show it."
