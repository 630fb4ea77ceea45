"""What a proof asks of sizes is weighed, and said where the verdict is."""

import json

import jax.numpy as jnp
import pytest
from command_line import Run

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.report.words import all_sizes, conditions, verdict_said

PROGRAMS = """
import jax.numpy as jnp


def strided(x):
    return jnp.where(jnp.arange(x.shape[0]) * 70000 >= 0, x, 0)


def same(x):
    return x
"""


def shifted_by(most):
    def function(x):
        return x[(jnp.arange(x.shape[0]) + (2**31 - most)) - (2**31 - most)]

    return function


@pytest.mark.long
@pytest.mark.parametrize(("most", "verdict"), [(1, "unknown"), (300, "unknown"), (1000, "proved")])
def test_a_condition_that_leaves_a_handful_of_sizes_is_no_proof(most, verdict):
    result = prove(shifted_by(most), shapes="x: T", equals=lambda x: x).result
    assert result.verdict == verdict
    if verdict == "unknown":
        assert "leaves too few sizes: T is never 330" in result.reason


@pytest.mark.long
def test_each_size_has_to_go_far_while_the_others_are_least():
    def narrow(x):
        i, j = jnp.arange(x.shape[0]), jnp.arange(x.shape[1]) * 10**8
        return jnp.where((j >= 0)[None, :], x, 0.0) + 0 * i[:, None]

    result = prove(narrow, shapes="x: T d", equals=lambda x: x).result
    assert result.verdict == "unknown"
    assert "d is never 330, the other sizes at their least" in result.reason


@pytest.mark.long
def test_the_verdict_says_for_which_sizes_a_program_is_proved(run: Run, tmp_path, monkeypatch):
    (tmp_path / "strided.py").write_text(PROGRAMS)
    monkeypatch.chdir(tmp_path)
    call = ["prove", "strided:strided", "--equals", "strided:same", "--shapes", "x: T"]
    answer = run(*call)
    first, second, *_ = answer.out.splitlines()
    assert first.endswith("proved for all T with 70000·T − 70000 ≤ 2147483647")
    assert "all sizes" not in second
    found = json.loads(run(*call, "--format", "json").out)
    assert found["scope"] == "all-sizes"
    (condition,) = (one for e in found["evidence"] for one in e.get("conditions", ()))
    assert condition["sizes"] == {"T": 70000}
    assert (condition["plus"], condition["at_most"]) == (-70000, 2**31 - 1)


def within(plus=0, most=100, case=None, **sizes):
    one = {"conditions": [{"sizes": sizes, "plus": plus, "at_most": most, "place": "int32"}]}
    return one if case is None else {**one, "case": case}


def test_of_conditions_those_that_say_more_are_said():
    assert conditions([]) == ""
    assert all_sizes([]) == "all sizes"
    assert conditions([within(T=2), within(T=2), within(T=1)]) == "2·T ≤ 100"
    assert (
        conditions([within(T=2, plus=1), within(T=2), within(n=1)]) == "2·T + 1 ≤ 100 and n ≤ 100"
    )
    assert all_sizes([within(n=3, case="T = 2·n")]) == "all n with 3·n ≤ 100 (in the case T = 2·n)"


def test_a_claims_verdict_says_it_too():
    statement = {"verdict": "proved", "scope": "all-sizes", "evidence": [within(T=2)]}
    assert verdict_said(statement) == "proved for all T with 2·T ≤ 100"
    assert verdict_said({**statement, "evidence": []}) == "proved"
