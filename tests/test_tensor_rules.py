"""The rewrite rules of XLA as pairs of JAX functions: none is refuted, no false variant is proved."""

from pathlib import Path

import pytest
from tensor_rules.answers import BY_NAME, answer

OPEN = {"logical/09", "clamp/02"}
"""TensorRight's rules that are not proved."""


@pytest.mark.long
@pytest.mark.parametrize("name", list(BY_NAME)[::3])  # `make tensor-rules` proves every one
def test_a_rule_is_proved_for_all_sizes(name):
    rule = BY_NAME[name]
    found = answer(rule, rule.right)
    assert found.verdict == "proved" or (name in OPEN and found.verdict != "refuted"), found.reason


@pytest.mark.long
@pytest.mark.parametrize("name", list(BY_NAME)[1::6])
def test_a_false_variant_is_not(name):
    rule = BY_NAME[name]
    found = answer(rule, rule.false)
    assert found.verdict == "refuted" or (name in OPEN and found.verdict == "unknown"), found.reason


def test_the_page_says_how_many_of_the_rules_that_tensorright_verifies_are_proved():
    every = sum(rule.verified for rule in BY_NAME.values())
    assert every == 118
    page = (Path(__file__).parents[1] / "docs/prove.md").read_text(encoding="utf-8")
    assert f"{every - len(OPEN)} of {every} proved for all sizes" in page
