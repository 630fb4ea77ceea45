"""The recurrent lane: `jax.lax.scan` over a layer's definition, in float64, against `scan` on NumPy arrays."""

from __future__ import annotations

import sys

import jax
import numpy as np
import pytest
from agreement import Draw, assert_agrees, bounds
from layer_cases import LAYER_CASES

from scanproof.constructs.layers import delta_rule, gril, ssm
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN
from scanproof.constructs.scan import scan
from scanproof.numeric.recurrent import recurrent
from scanproof.proofs.language.errors import UsageError

TWO_ROUNDINGS = 2
"""Both runs lie within the rounding bound of the exact value, so within twice the bound of each other."""


@pytest.fixture(autouse=True)
def float64():
    """JAX computes in float64 during a test."""
    before = jax.config.read("jax_enable_x64")
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (7, 3, 2)], ids=["one token", "seven tokens"])
@pytest.mark.parametrize("name", LAYER_CASES)
def test_lane_equals_the_scan_of_the_same_definition(name: str, sizes: tuple[int, int, int]):
    case = LAYER_CASES[name]
    inputs = case.inputs(Draw(0), *sizes)
    run = recurrent(case.step, *inputs)
    found = run.final_state, run.outputs
    assert {leaf.dtype for leaf in jax.tree.leaves(found)} == {np.dtype(np.float64)}
    assert_agrees(found, case.compute(*inputs), bounds(case.compute, inputs), TWO_ROUNDINGS)


def integers(*shape: int) -> np.ndarray:
    """Small whole numbers, with which float64 computes exactly."""
    return np.random.default_rng(0).integers(-3, 4, shape).astype(float)


def test_states_are_kept_on_request_only():
    parameters = ssm.Discrete(integers(2, 2), integers(2), integers(2))
    state, tokens = integers(2), integers(3)
    assert recurrent(ssm.step, parameters, state, tokens).states is None
    kept = recurrent(ssm.step, parameters, state, tokens, keep_states=True)
    wanted = scan(ssm.step, parameters, state, tokens)
    assert np.array_equal(kept.states, wanted.states)
    assert np.array_equal(kept.states[-1], kept.final_state)


def test_a_second_run_of_the_same_shapes_traces_nothing():
    traced = []

    def step(parameters, state, token):
        traced.append(token)
        return ssm.step(parameters, state, token)

    parameters = ssm.Discrete(integers(2, 2), integers(2), integers(2))
    recurrent(step, parameters, integers(2), integers(5))
    calls = len(traced)
    recurrent(step, parameters, integers(2), 2 * integers(5))
    assert len(traced) == calls > 0


def test_tokens_of_two_lengths_are_refused():
    tokens = delta_rule.Token(integers(3, 2), integers(3, 1), integers(3, 2), integers(2))
    with pytest.raises(UsageError, match=r"recurrent\(step\) expects .* got shapes \(3, 2\), \(3,"):
        recurrent(delta_rule.step, None, integers(1, 2), tokens)


@pytest.mark.parametrize(
    "tokens", [integers(0, 2), np.asarray(1.0), ()], ids=["0", "scalar", "none"]
)
def test_no_tokens_are_refused(tokens):
    with pytest.raises(UsageError, match="one common length T ≥ 1"):
        recurrent(ssm.step, ssm.Discrete(*(integers(1, 1),) * 3), integers(1), tokens)


def test_a_state_that_changes_its_dtype_is_refused():
    parameters = ssm.Discrete(integers(1, 1), integers(1), integers(1))
    with pytest.raises(UsageError, match=r"float32.*float64"):
        recurrent(ssm.step, parameters, np.zeros(1, dtype=np.float32), integers(2))


def test_a_state_that_changes_its_shape_is_refused():
    block = gril.Block(*map(np.asarray, (1.0, np.eye(3), np.eye(3)[2], 1.0, (0, 1))))
    window = gril.Window(integers(2, 2, 3), np.arange(1, 3))
    with pytest.raises(UsageError, match=r"expects a state that keeps its shapes"):
        recurrent(gril.step, block, np.asarray(0.0), window)


def test_without_jax_the_lane_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(UsageError, match=r"pip install 'scanproof\[jax\]'"):
        recurrent(ssm.step, None, None, None)


def test_gradients_are_derived_on_jax_arrays_too():
    w, x, y = Draw(0)(3, 2), Draw(1)(4, 3), Draw(2)(4, 2)

    def compute(*arrays):
        return loss_gradient(HALF_MEAN, *arrays)

    found = jax.jit(compute)(w, x, y)
    assert_agrees(found, compute(w, x, y), bounds(compute, (w, x, y)), TWO_ROUNDINGS)
