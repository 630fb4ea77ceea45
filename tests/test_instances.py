"""A claim at given sizes: its statement is read where it is recorded and the body's own, else the body is run."""

from __future__ import annotations

import numpy as np
import pytest
from claims import claim

from scanproof import equal, gradient
from scanproof.proofs.check.instances.at_random import agree, residues
from scanproof.proofs.check.instances.evaluate import evaluate, in_symbols
from scanproof.proofs.check.instances.stated import stated
from scanproof.proofs.exact.engines import FLINT, SYMPY, holds
from scanproof.proofs.exact.instance import ones, scalars
from scanproof.proofs.exact.mutation import OnLeaf
from scanproof.proofs.exact.polynomials import RationalField

SIZES = {"N": 2, "f": 3}


def test_each_engine_has_the_gradient_of_a_recorded_loss():
    def slopes(x, w):
        return equal(gradient(lambda v: ((x @ v) ** 2).sum(), w), 2 * (x.T @ (x @ w)))

    one = claim(slopes, {"x": "N f", "w": "f"})
    assert stated(one) is not None
    for engine in (FLINT, SYMPY):
        assert all(holds(s) for s in in_symbols(engine, one, SIZES))
    assert all(agree(s) for s in residues(one, SIZES))


def test_a_body_that_counts_its_calls_is_run_and_not_read():
    calls = []

    def counting(x):
        calls.append(0)
        return equal(x * (len(calls) % 2), x)

    one = claim(counting, {"x": "N f"})
    assert stated(one) is None and stated(one, SIZES) is None
    before = len(calls)
    residues(one, SIZES)
    assert len(calls) == before + 1


def test_a_change_of_a_parameter_into_another_shape_is_refused():
    one = claim(lambda x, p: equal(p, x), {"x": "N f"}, parameters=lambda x: x)
    field = RationalField()
    arrays = scalars(one, field, ones(one, SIZES))
    (same,) = evaluate(one, field, SIZES, arrays, OnLeaf("parameter", lambda a: a * 2))
    assert np.all(same.left == 2)
    with pytest.raises(ValueError, match=r"a change of parameter from shape \(2, 3\) to \(3, 2\)"):
        evaluate(one, field, SIZES, arrays, OnLeaf("parameter", lambda a: a.T))
