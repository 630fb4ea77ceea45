"""How near bounds come: known ratios are found, false bounds are caught and certified, and the ledger's bounds hold."""

from __future__ import annotations

import functools
import math
from dataclasses import replace

import flint
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tightness_cases import CLAIMS, moved

from scanproof import at_most, norm
from scanproof.constructs.errors import UsageError
from scanproof.numeric.jax_backend import jax, x64
from scanproof.numeric.studies.tightness.drawing import KINDS, draw
from scanproof.numeric.studies.tightness.exact import BITS, certify, point
from scanproof.numeric.studies.tightness.hypotheses import hypotheses
from scanproof.numeric.studies.tightness.report import (
    TOLERANCE,
    Line,
    as_text,
    grid,
    measure,
    with_bounds,
)
from scanproof.numeric.studies.tightness.search import ratios, search
from scanproof.proofs.check.instances.enclosed import enclosed
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.language.claim import Claim

STEP, FALSE, OPERATOR = (CLAIMS[f"tight.{name}"] for name in ("step", "contraction", "operator"))
SMALL = {"n": 2, "d": 2}


def test_caps_are_the_largest_norms_and_signs_are_kept():
    of = hypotheses(STEP, SMALL)
    assert (set(of.caps), of.signs, of.others) == ({"C"}, {"eta"}, ())
    x, u, eta = np.asarray([[3.0, 4.0], [1.0, 0.0]]), np.asarray([0.0, 6.0]), np.asarray(0.5)
    assert of.complete({"x": x, "u": u, "eta": eta}, np)["C"] == 6


def test_inequalities_between_caps_are_met_by_scaling_what_is_behind_them():
    of = hypotheses(OPERATOR, {"d": 2})
    assert (set(of.caps), of.scaled, len(of.others)) == ({"b", "C"}, {"x", "B"}, 2)
    drawn = of.fitted({"x": np.asarray([3.0, 4.0]), "B": np.eye(2)})
    assert drawn is not None
    values = of.complete(drawn, np)
    assert of.holds(values)
    assert max(values["b"] * values["C"], values["C"] / 2) == pytest.approx(1, rel=1e-6)


@pytest.mark.short(
    "[tight.contraction-orthogonal]",
    "[tight.contraction-whole]",
    "[tight.step-equal]",
    "[tight.step-normal]",
)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("claim", [STEP, FALSE, OPERATOR], ids=lambda claim: claim.id)
def test_draws_meet_the_conditions(claim: Claim, kind: str):
    of = hypotheses(claim, dict.fromkeys(claim.ranges, 3))
    for seed in range(5):
        drawn = draw(np.random.default_rng(seed), of, kind)
        assert drawn is not None
        assert of.holds(of.complete(drawn, np))
        assert certify(of, of.complete(drawn, np)) is not None  # the exact numbers meet them too


@pytest.mark.long
def test_the_ascent_finds_how_tight_a_bound_is():
    total, change = search(STEP, SMALL, starts=10, steps=100)
    assert 0.99 < total.ratio <= 1 + TOLERANCE
    assert 0.999 < change.ratio <= 1 + TOLERANCE


@pytest.mark.long
def test_a_false_bound_is_caught_certified_and_told():
    (line,) = measure(FALSE, "unknown", count=1, starts=5, steps=40, seed=0)
    assert line.ratio == pytest.approx(2, rel=0.05)  # at u = 0, where nothing moves
    assert line.violated and line.wrong
    assert "VIOLATED" in as_text([line]) and "1 violated" in as_text([line])
    assert not Line(line.id, "", "refuted", 1, line.ratio, line.sizes, False).wrong


@pytest.mark.long
def test_a_constant_a_tenth_too_small_is_found_out_from_normal_inputs_alone(monkeypatch):
    def smaller(x, u, eta, C):
        return at_most(norm(moved(x, u, eta) - x), 9 * eta * C**3 / 10)

    monkeypatch.setattr("scanproof.numeric.studies.tightness.search.KINDS", ("normal",))
    (found,) = search(replace(STEP, body=smaller), {"n": 2, "d": 3}, starts=5, steps=100)
    assert found.ratio == pytest.approx(10 / 9, rel=1e-3)


@pytest.mark.long
def test_a_bound_that_nothing_comes_near_is_called_loose():
    tight, loose = measure(OPERATOR, "proved", count=1, starts=5, steps=40, seed=0)
    assert tight.ratio == pytest.approx(1, abs=1e-6) and tight.note == ""
    assert loose.ratio == pytest.approx(1 / 5000, rel=1e-5) and loose.note == "loose"


@pytest.mark.long
def test_two_searches_find_the_same():
    first, second = (search(OPERATOR, {"d": 1}, starts=5, steps=8, seed=3) for _ in range(2))
    assert [f.ratio for f in first] == [f.ratio for f in second]


def test_sizes_go_beyond_those_checked_but_single_ones_stay():
    assert grid(STEP, 3, seed=0)[:2] == [{"n": 1, "d": 1}, {"n": 3, "d": 3}]
    assert any(max(sizes.values()) > 3 for sizes in grid(STEP, 10, seed=0))


def test_conditions_that_nothing_meets_are_named():
    with pytest.raises(UsageError, match=r"no inputs of claim tight.impossible .* meet its cond"):
        search(CLAIMS["tight.impossible"], {}, starts=2, steps=4)


def test_a_body_that_raises_is_named():
    with pytest.raises(UsageError, match=r"the body of claim tight\.raises raised Val"):
        with_bounds(CLAIMS["tight.raises"])


# The ledger's bounds.

LEDGER = {claim.id: claim for row in built_in().rows for claim in (row.claim, *row.amendments)}
IDS = """
gril.params ssd.thm5.1+mask-error ssd.thm5.1+step-error ssd.thm5.1+drift ssd.thm5.1+error
ssd.thm5.1+epochs ssd.thm5.1-eq6 ssd.thm5.1-eq6+sum ssd.thm5.1-i1 ssd.thm5.1-i1+count
ssd.thm5.1-i2 ssd.thm5.1-e2+bound ssd.thm5.2-dx ssd.thm5.2-e2 ssd.thm5.2-e2+with-B
ssd.thm5.2-qnorm ssd.thm5.2-qsmall+uniform rounding.recurrent-unit-gate
rounding.recurrent-scalar-decay rounding.chunked-unit-gate rounding.decay-products
rounding.readout rounding.delta-rule rounding.gamma open.mask-decays-at-most-1
"""
BOUNDS = {id: LEDGER[id] for id in IDS.split()}


@pytest.mark.long
def test_every_claim_with_a_bound_is_tried():
    assert [id for id, claim in LEDGER.items() if with_bounds(claim)] == list(BOUNDS)


@functools.cache
def program(id: str):
    """The conditions of a claim at its largest checked sizes, and its largest left/right as a compiled JAX program."""
    claim = BOUNDS[id]
    sizes = claim.every_size[-1]
    of = hypotheses(claim, sizes)
    j = jax("test")
    return of, j.jit(lambda values: ratios(claim, sizes, values, j.numpy))


@functools.cache
def is_refuted(id: str) -> bool:
    return decide(BOUNDS[id], ENGINES["all"]).verdict == "refuted"


RUN = [*BOUNDS][::3]
"""Those that JAX runs; the others are enclosed, which needs no compiler."""


@pytest.mark.short("gril.params")
@pytest.mark.parametrize("id", RUN)
@settings(max_examples=12)
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from(KINDS))
def test_a_bound_holds_where_jax_runs_it(id: str, seed: int, kind: str):
    with x64():
        of, run = program(id)
        drawn = draw(np.random.default_rng(seed), of, kind)
        if drawn is None:
            return
        values = of.complete(drawn, np)
        found = np.asarray(run(values))
    if np.any(found > 1 + TOLERANCE):
        sure = certify(of, values)  # floats alone do not refute
        violated = sure is not None and any(one.holds is False for one in sure)
        assert not violated or is_refuted(id), (found, values)


@pytest.mark.short(7)
@pytest.mark.parametrize("id", [id for id in BOUNDS if id not in RUN])
def test_a_bound_holds_in_certified_enclosures_that_are_narrow(id: str):
    claim = BOUNDS[id]
    compared = 0
    for sizes in (claim.every_size[0], claim.every_size[-1]):
        of = hypotheses(claim, sizes)
        for kind in KINDS[:3]:
            drawn = draw(np.random.default_rng(7), of, kind)
            if drawn is None or certify(of, of.complete(drawn, np)) is None:
                continue
            for found in enclosed(claim, sizes, point(of, of.complete(drawn, np)), BITS):
                compared += 1
                assert found.holds is not False or is_refuted(id)
                for ball in (*found.left.flat, *found.right.flat):
                    assert float(ball.rad()) < 1e-20 * max(1e-15, math.fabs(float(ball.mid())))
    assert compared
    assert flint.ctx.prec == 53  # left as it was
