"""How statements become verdicts: on small claims whose truth is known beforehand."""

from dataclasses import replace
from fractions import Fraction

import pytest
from claims import VECTORS, claim, decided, inner, verdict

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.errors import UsageError
from scanproof.constructs.learners.losses import SUM, sigmoid
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import BY_NAME, ENGINES, FIXED, SYMPY, Engines
from scanproof.proofs.exact.polynomials import FlintField
from scanproof.proofs.language.statements import (
    at_most,
    determines,
    differs,
    equal,
    undetermined,
)


@pytest.mark.long
def test_an_identity_is_proved_for_all_sizes_by_the_kernel_after_flint():
    result = decided(lambda u, v: equal(inner(u, v), inner(v, u)), VECTORS)
    assert (result.verdict, result.scope) == ("proved", "all-sizes")
    *shown, tried = result.evidence
    assert [(e["engine"], e["sizes"]) for e in shown] == [
        ("flint", [{"n": 2}]),
        ("kernel", None),
    ]
    assert (tried["method"], tried["engine"], tried["scope"]) == (
        "property-test",
        "modular",
        "sampled",
    )


@pytest.mark.long
def test_without_the_kernel_two_engines_prove_it_at_fixed_sizes():
    result = decide(claim(lambda u, v: equal(inner(u, v), inner(v, u)), VECTORS), FIXED)
    assert (result.verdict, result.scope) == ("proved", "fixed-size")
    assert [(e["engine"], e["sizes"]) for e in result.evidence if e["scope"] != "sampled"] == [
        ("flint", [{"n": 1}, {"n": 2}, {"n": 3}]),
        ("sympy", [{"n": 1}, {"n": 2}]),
    ]


def test_a_false_equation_is_refuted_at_its_smallest_size_by_small_integers():
    def body(u, v, n):
        return equal(inner(u, v), u[0] * v[0])

    result = decided(body, VECTORS)
    assert result.verdict == "refuted"
    assert result.counterexample is not None
    assert result.counterexample.as_json() == {
        "sizes": {"n": 2},
        "inputs": {"u": ["1", "2"], "v": ["3", "4"]},
        "claimed": "3",
        "actual": "11",
    }


def test_a_statement_that_appears_only_at_larger_sizes_is_checked_too():
    def body(u, v, n):
        yield equal(inner(u, v), inner(v, u))
        if n == 3:
            yield equal(inner(u, v), 0 * inner(u, v), "only at n = 3")

    result = decided(body, VECTORS)
    assert result.verdict == "refuted"
    assert result.reason == "false at n=3 (only at n = 3)"


def test_one_false_part_refutes_a_conjunction():
    def body(u, v):
        return [equal(inner(u, v), inner(v, u)), equal(inner(u, u), inner(v, v))]

    assert verdict(body, VECTORS) == "refuted"


@pytest.mark.long
@pytest.mark.parametrize("engine", ["all", "flint", "sympy"])
def test_every_engine_settles_a_claim_alone(engine):
    true = claim(lambda u, v: equal(inner(u + v, u - v), inner(u, u) - inner(v, v)), VECTORS)
    false = claim(lambda u, v: equal(inner(u + v, u + v), inner(u, u) + inner(v, v)), VECTORS)
    assert decide(true, ENGINES[engine]).verdict == "proved"
    assert decide(false, ENGINES[engine]).verdict == "refuted"


def test_engines_that_disagree_make_an_error(monkeypatch):
    liar = replace(SYMPY, name="liar", fields=(Liar,))
    monkeypatch.setitem(BY_NAME, "liar", liar)
    true = claim(lambda u, v: equal(inner(u, v), (u * v).sum()), VECTORS)
    result = decide(true, Engines((SYMPY, liar)))
    assert result.verdict == "error"
    assert "disagree" in (result.reason or "")


class Liar(FlintField):
    """Products of arrays are off by 1: a broken engine."""

    def matmul(self, left, right):
        return super().matmul(left, right) + self.number(1)


def test_a_body_that_raises_is_an_error_of_its_row():
    def body(u, v):
        return equal(inner(u, v), u[7])

    result = decided(body, VECTORS)
    assert result.verdict == "error"
    assert "IndexError" in (result.reason or "")


def test_sides_of_different_shapes_are_an_error_that_names_both_shapes():
    result = decided(lambda u, v: equal(inner(u, v), u), VECTORS)
    assert result.verdict == "error"
    assert "() and (1,)" in (result.reason or "")


@pytest.mark.long
def test_hypotheses_that_nothing_meets_are_an_error():
    result = decided(
        lambda u, v: equal(inner(u, v), inner(v, u)),
        VECTORS,
        assuming={"u·u < 0": lambda u: (u * u).sum() < 0},
    )
    assert result.verdict == "error"
    assert "u·u < 0" in (result.reason or "")


def test_a_counterexample_meets_the_hypotheses():
    row = claim(
        lambda u, v: equal(inner(u, v), 0 * inner(u, v)),
        {"u": "1", "v": "1"},
        assuming={"u > 1": lambda u: u[0] > 1},
    )
    found = decide(row, ENGINES["all"]).counterexample
    assert found is not None
    assert Fraction(found.inputs["u"][0]) > 1


@pytest.mark.long
def test_an_existence_claim_is_proved_by_its_witness_and_not_refuted_by_one_that_fails():
    def scaled(p, u, v):
        return equal(inner(u, v), p * inner(u, v))

    for number, expected in ((1, "proved"), (2, "unknown")):
        witness = lambda xp, number=number: xp.asarray(number)  # noqa: E731
        assert verdict(scaled, VECTORS, kind="existence", parameters=witness) == expected


@pytest.mark.long
def test_two_inputs_with_one_statistic_refute_a_map():
    result = decided(lambda u: determines(u.sum(), inner(u, u)), {"u": "n"})
    assert result.verdict == "refuted"
    assert result.counterexample is not None
    assert set(result.counterexample.inputs) == {"first", "second"}


@pytest.mark.long
def test_two_inputs_with_one_statistic_prove_that_no_map_exists():
    body = lambda u: undetermined(u.sum(), inner(u, u))  # noqa: E731
    assert verdict(body, {"u": "n"}, sizes={"n": (2, 3)}) == "proved"
    assert verdict(body, {"u": "n"}) == "unknown"  # at n = 1 there is one


@pytest.mark.long
def test_a_map_that_may_exist_is_unknown_not_proved():
    assert verdict(lambda u: determines(inner(u, u), 2 * inner(u, u)), {"u": "n"}) == "unknown"


@pytest.mark.long
def test_sides_that_differ_somewhere_at_every_size_are_proved_different():
    assert verdict(lambda u, v: differs(inner(u, u), inner(v, v)), VECTORS) == "proved"


def test_identical_sides_refute_that_they_differ():
    assert verdict(lambda u, v: differs(inner(u, v), inner(v, u)), VECTORS) == "refuted"


@pytest.mark.long
def test_an_inequality_of_symbols_is_refuted_by_numbers_or_unknown():
    assert verdict(lambda u, v: at_most(inner(u, v), inner(u, u)), VECTORS) == "refuted"
    true = lambda u, v: at_most(2 * inner(u, v), inner(u, u) + inner(v, v))  # noqa: E731
    assert verdict(true, VECTORS) == "unknown"


def test_an_inequality_of_plain_numbers_is_decided():
    @definition
    def printed():
        return Fraction(1, 3)

    assert verdict(lambda: at_most(printed(), Fraction(1, 2)), {}) == "proved"
    assert verdict(lambda: at_most(Fraction(1, 2), printed()), {}) == "refuted"


@pytest.mark.long
def test_exponentials_go_through_sympy_and_not_through_flint():
    row = claim(
        lambda z: equal(sigmoid(z) + sigmoid(-z), 1 + 0 * z), {"z": "n"}, sizes={"n": (1, 2)}
    )
    result = decide(row, ENGINES["all"])
    assert result.verdict == "proved"
    assert {e["engine"] for e in result.evidence} == {"kernel", "sympy", "balls"}
    assert decide(row, ENGINES["flint"]).verdict == "unknown"


def test_a_false_claim_about_exponentials_has_a_counterexample():
    assert verdict(lambda z: equal(sigmoid(z) + sigmoid(z), 1 + 0 * z), {"z": "1"}) == "refuted"


@pytest.mark.long
def test_definitions_that_ran_are_named_by_file_and_line():
    def body(x, y, w):
        return equal(SUM(w, x, y), SUM(w, x, y) + 0)

    result = decided(body, {"x": "n", "y": "", "w": "n"})
    assert any(d.startswith("constructs/learners/losses.py:") for d in result.definitions)


def test_the_near_miss_that_helps_is_named():
    result = decided(lambda u, v: equal(2 * inner(u, v), -inner(u, v)), VECTORS)
    assert "right side × −2" in result.near_misses


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"kind": "rumour"}, "kind 'rumour'"),
        ({"sizes": {"n": ()}}, "sizes are whole numbers"),
        ({"sizes": {"n": (-1,)}}, "sizes are whole numbers"),
        ({"given": {"u": "n+", "v": "n"}}, "dimension 'n+'"),
    ],
)
def test_a_claim_that_makes_no_sense_is_refused_where_it_is_written(fields, complaint):
    fields = {"given": VECTORS, **fields}
    with pytest.raises(UsageError, match=complaint.replace("+", r"\+")):
        claim(lambda u, v: equal(inner(u, v), 0), fields.pop("given"), **fields)


def test_a_body_that_asks_for_an_unknown_symbol_is_refused():
    with pytest.raises(UsageError, match="asks for 'w'"):
        claim(lambda u, w: equal(inner(u, w), 0), VECTORS)
