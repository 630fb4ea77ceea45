"""A claim at given sizes: its statement is read where it is recorded and the body's own; else it is said why not."""

import numpy as np
import pytest
from claims import claim

from scanproof import equal, gradient, program
from scanproof.proofs.check.instances.at_random import agree, residues
from scanproof.proofs.check.instances.evaluate import evaluate, in_symbols
from scanproof.proofs.check.instances.stated import stated
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES, FLINT, SYMPY, holds
from scanproof.proofs.exact.instance import ones, scalars
from scanproof.proofs.exact.mutation import OnLeaf
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.exact.scalar import NotPolynomial

SIZES = {"N": 2, "f": 3}


def test_each_engine_has_the_gradient_of_a_recorded_loss():
    def slopes(x, w):
        return equal(gradient(lambda v: ((x @ v) ** 2).sum(), w), 2 * (x.T @ (x @ w)))

    one = claim(slopes, {"x": "N f", "w": "f"})
    assert stated(one) is not None
    for engine in (FLINT, SYMPY):
        assert all(holds(s) for s in in_symbols(engine, one, SIZES))
    assert all(agree(s) for s in residues(one, SIZES))


def test_a_body_that_counts_its_calls_is_not_read_and_said_to_be_another():
    calls = []

    def counting(x):
        calls.append(0)
        return equal(x * (len(calls) % 2), x)

    one = claim(counting, {"x": "N f"})
    assert stated(one) is None and stated(one, SIZES) is None
    with pytest.raises(NotPolynomial, match=r"is not the claim's own: .* is not what the body"):
        residues(one, SIZES)
    assert decide(one, ENGINES["all"]).verdict == "unknown"


def told_apart(x):
    return equal(x, x) if type(x).__name__ != "Recorded" else equal(x, 2 * x)


POSITIVE = {"x > 0": lambda x: bool((x > 0).all())}


@pytest.mark.parametrize("assuming", [{}, POSITIVE], ids=["anywhere", "where x > 0"])
@pytest.mark.parametrize("engine", ["all", "flint", "kernel"])
def test_a_claim_whose_record_is_not_its_own_is_unknown_and_says_so(engine, assuming):
    result = decide(claim(told_apart, {"x": "N"}, assuming=assuming), ENGINES[engine])
    assert result.verdict == "unknown"
    assert "recorded of the claim is not the claim's own" in str(result.reason)


@pytest.mark.parametrize(("factor", "verdict"), [(1, "unknown"), (2, "refuted")])
def test_where_a_claim_has_no_statement_at_one_size_the_others_may_refute_it(factor, verdict):
    lax = pytest.importorskip("jax").lax
    greatest = program(lambda x: lax.top_k(x, 1)[0])

    def body(x, N):
        return equal(greatest(x) if N == 1 else factor * x, x)

    result = decide(claim(body, {"x": "N"}), ENGINES["all"])
    assert result.verdict == verdict
    if result.counterexample is None:
        assert "top_k" in str(result.reason)
    else:
        assert result.counterexample.sizes == {"N": 2}


def test_a_change_of_a_parameter_into_another_shape_is_refused():
    one = claim(lambda x, p: equal(p, x), {"x": "N f"}, parameters=lambda x: x)
    field = RationalField()
    arrays = scalars(one, field, ones(one, SIZES))
    (same,) = evaluate(one, field, SIZES, arrays, OnLeaf("parameter", lambda a: a * 2))
    assert np.all(same.left == 2)
    with pytest.raises(ValueError, match=r"a change of parameter from shape \(2, 3\) to \(3, 2\)"):
        evaluate(one, field, SIZES, arrays, OnLeaf("parameter", lambda a: a.T))
