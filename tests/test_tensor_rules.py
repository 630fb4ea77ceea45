"""The rewrite rules of XLA as pairs of JAX functions: none is refuted, no false variant is proved."""

from __future__ import annotations

import pytest
from tensor_rules.answers import BY_NAME, answer

OPEN = (
    *("mul/09", "mul/10", "not/01", "logical/", "max/", "clamp/", "select/01", "select/04"),
    *("conv/", "generalize"),
)
"""Rules of which not all are proved, by how their names begin."""
SHORT = (
    *("[add/01]", "[divmod/05]", "[divmod/07]", "[broadcast/05]", "[concat/06]", "[iota/01]"),
    *("[pad/02]", "[pad/04]", "[reverse/03]", "[select/02]", "[slice/04]", "[slice/12]"),
    *("[dyslice/02]", "[dyupslice/01]", "[dot/03]", "[dot/05]", "[reduce/02]"),
)
rules = pytest.mark.parametrize("name", BY_NAME)


@pytest.mark.short(*SHORT)
@rules
def test_a_rule_is_proved_for_all_sizes(name):
    rule = BY_NAME[name]
    found = answer(rule, rule.right)
    assert found.verdict == "proved" or (name.startswith(OPEN) and found.verdict != "refuted"), (
        found.reason
    )


@pytest.mark.short(*SHORT)
@rules
def test_a_false_variant_is_not(name):
    rule = BY_NAME[name]
    found = answer(rule, rule.false)
    assert found.verdict == "refuted" or (name.startswith(OPEN) and found.verdict == "unknown"), (
        found.reason
    )


def test_the_rules_are_those_that_tensorright_verifies():
    assert sum(rule.verified for rule in BY_NAME.values()) == 118
