"""The recurrent op: `jax.lax.scan` over a layer's definition, in float64, against `scan` on NumPy arrays."""

import functools
import sys

import jax
import numpy as np
import pytest
from agreement import Draw, assert_agrees, bounds
from layer_cases import LAYER_CASES

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import delta_rule, gril, ssm
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_MEAN
from scanproof.numeric.ops.recurrent import recurrent

TWO_ROUNDINGS = 2
"""Both runs lie within the rounding bound of the exact value, so within twice the bound of each other."""


@pytest.fixture(autouse=True)
def float64():
    """JAX computes in float64 during a test."""
    before = jax.config.read("jax_enable_x64")
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.mark.long
@pytest.mark.parametrize("name", LAYER_CASES)
def test_the_op_is_the_scan_of_the_same_definition(name: str):
    case = LAYER_CASES[name]
    inputs = case.inputs(Draw(0), 7, 3, 2)
    run = recurrent(case.step, *inputs)
    found = run.final_state, run.outputs
    assert {leaf.dtype for leaf in jax.tree.leaves(found)} == {np.dtype(np.float64)}
    assert_agrees(found, case.compute(*inputs), bounds(case.compute, inputs), TWO_ROUNDINGS)


def integers(*shape: int) -> np.ndarray:
    """Small whole numbers, with which float64 computes exactly."""
    return np.random.default_rng(0).integers(-3, 4, shape).astype(float)


@pytest.mark.long
def test_states_are_kept_on_request_only():
    parameters = ssm.Discrete(integers(2, 2), integers(2), integers(2))
    state, tokens = integers(2), integers(3)
    assert recurrent(ssm.step, parameters, state, tokens).states is None
    kept = recurrent(ssm.step, parameters, state, tokens, keep_states=True)
    wanted = scan(ssm.step, parameters, state, tokens)
    assert np.array_equal(kept.states, wanted.states)
    assert np.array_equal(kept.states[-1], kept.final_state)


@pytest.mark.long
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


def test_a_state_that_changes_its_dtype_is_refused():
    parameters = ssm.Discrete(integers(1, 1), integers(1), integers(1))
    with pytest.raises(UsageError, match=r"float32.*float64"):
        recurrent(ssm.step, parameters, np.zeros(1, dtype=np.float32), integers(2))


@pytest.mark.long
def test_a_state_that_changes_its_shape_is_refused():
    block = gril.Block(*map(np.asarray, (1.0, np.eye(3), np.eye(3)[2], 1.0, (0, 1))))
    window = gril.Window(integers(2, 2, 3), np.arange(1, 3))
    with pytest.raises(UsageError, match=r"expects a state that keeps its shapes"):
        recurrent(gril.step, block, np.asarray(0.0), window)


def test_without_jax_the_op_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(UsageError, match=r"pip install 'scanproof\[jax\]'"):
        recurrent(ssm.step, None, None, None)


@pytest.mark.long
def test_heads_and_sequences_run_as_if_alone():
    tokens = delta_rule.Token(
        integers(3, 2, 5, 2), integers(3, 2, 5, 1), integers(3, 2, 5, 2), integers(3, 2, 5)
    )
    state = integers(3, 2, 1, 2)
    found = recurrent(delta_rule.step, None, state, tokens, batch=2, keep_states=True, chunk=2)
    for at in np.ndindex(3, 2):
        one = delta_rule.Token(*(leaf[at] for leaf in tokens))
        alone = scan(delta_rule.step, None, state[at], one)
        for got, wanted in zip(found, alone, strict=True):
            assert np.array_equal(got[at], wanted)


@pytest.mark.long
def test_lists_are_arrays():
    tokens = delta_rule.Token(integers(4, 2), integers(4, 1), integers(4, 2), integers(4))
    lists = delta_rule.Token(*(leaf.tolist() for leaf in tokens))
    state = integers(1, 2)
    found, wanted = (
        recurrent(delta_rule.step, None, *given)
        for given in ((state.tolist(), lists), (state, tokens))
    )
    assert np.array_equal(found.outputs, wanted.outputs)


@pytest.mark.long
def test_each_head_has_parameters_of_its_own():
    heads, sequences, length = 3, 2, 4
    parameters = ssm.Discrete(integers(heads, 2, 2), integers(heads, 2), integers(heads, 2))
    state, tokens = integers(sequences, heads, 2), integers(sequences, heads, length)
    found = recurrent(ssm.step, parameters, state, tokens, batch=2, parameter_batch=1)
    for s, h in np.ndindex(sequences, heads):
        own = ssm.Discrete(*(leaf[h] for leaf in parameters))
        alone = scan(ssm.step, own, state[s, h], tokens[s, h])
        assert np.array_equal(found.outputs[s, h], alone.outputs)


@pytest.mark.long
@pytest.mark.parametrize("chunk", [3, 100])
def test_backward_pass_keeps_one_state_per_chunk_and_its_gradient_is_that_of_one_loop(chunk: int):
    length, size = 7, 4
    parameters = ssm.Discrete(integers(size, size), integers(size), integers(size))

    def run(*arrays, chunk=chunk):
        return recurrent(ssm.step, *arrays, chunk=chunk).outputs.sum()

    given = parameters, integers(size), integers(length)
    gradient = jax.grad(run, argnums=(0, 1, 2))(*given)
    # Integers, of which float64 makes no error.
    for got, wanted in zip(
        jax.tree.leaves(gradient),
        jax.tree.leaves(jax.grad(functools.partial(run, chunk=1), argnums=(0, 1, 2))(*given)),
        strict=True,
    ):
        assert np.array_equal(got, wanted)
    _, pull = jax.vjp(run, *given)
    kept = sum(leaf.size for leaf in jax.tree.leaves(pull))
    own = sum(leaf.size for leaf in jax.tree.leaves(given))
    chunks = -(-length // chunk)
    assert kept <= 2 * own + (chunks + 1) * size


@pytest.mark.long
def test_precision_rounds_what_comes_in_and_sums_in_its_accumulator():
    parameters = ssm.Discrete(np.eye(1), np.ones(1), np.ones(1))
    third = np.asarray([1 / 3])
    for name, rounded in (("float32", np.float32(1 / 3)), ("bfloat16", 0.333984375)):
        found = recurrent(ssm.step, parameters, np.zeros(1), third, precision=name)
        assert found.outputs.dtype == np.float32
        assert found.outputs[0] == rounded
    steps = delta_rule.Token(np.ones((1, 1)), np.ones((1, 1)), np.ones((1, 1)), np.asarray([257]))
    run = recurrent(delta_rule.step, None, np.zeros((1, 1)), steps, precision="bfloat16")
    assert run.outputs[0, 0] == 257  # whole numbers are no measurements: they stay


WRONG = {
    "NaN": ({"tokens": np.full(3, np.nan)}, r"recurrent\(tokens=...\) expects finite numbers"),
    "two lengths": (
        {"tokens": (integers(3), integers(2))},
        r"recurrent\(step\) .* got shapes \(3,\), \(2,",
    ),
    "zero tokens": ({"tokens": integers(0, 2)}, "one common length T ≥ 1"),
    "a scalar": ({"tokens": np.asarray(1.0)}, "one common length T ≥ 1"),
    "no tokens": ({"tokens": ()}, "one common length T ≥ 1"),
    "batch": ({"batch": 1}, r"along axis 1, after 1 batch axes"),
    "negative batch": ({"batch": -1}, r"whole numbers .* batch=-1\."),
    "batch 1.0": ({"batch": 1.0}, r"whole numbers .* batch=1\.0\."),
    "state's batch": (
        {"batch": 1, "tokens": integers(3, 2)},
        r"expects state with leading axes \(3,\).*got shape \(1,\)",
    ),
    "parameters' batch": ({"parameter_batch": 1}, r"parameter_batch ≤ batch"),
    "chunk": ({"chunk": 0}, r"recurrent\(chunk=0\) expects a whole number ≥ 1"),
    "precision": ({"precision": "float16"}, r"precision='float16': no such precision"),
}


@pytest.mark.parametrize("name", WRONG)
def test_bad_input_is_refused(name: str):
    wrong, message = WRONG[name]
    given = {"state": integers(1), "tokens": integers(3)} | wrong
    with pytest.raises(UsageError, match=message):
        recurrent(ssm.step, ssm.Discrete(*(integers(1, 1)[0],) * 3), **given)


def test_states_that_do_not_fit_are_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("scanproof.numeric.ops.inputs.free_memory", lambda: 2**20)
    parameters = ssm.Discrete(np.eye(64), np.ones(64), np.ones(64))
    with pytest.raises(UsageError, match=r"needs 4\.\d MiB.*1\.0 MiB are free.*keep_states off"):
        recurrent(ssm.step, parameters, np.zeros(64), np.zeros(8192), keep_states=True)


@pytest.mark.long
def test_gradients_are_derived_on_jax_arrays_too():
    w, x, y = Draw(0)(3, 2), Draw(1)(4, 3), Draw(2)(4, 2)

    def compute(*arrays):
        return loss_gradient(HALF_MEAN, *arrays)

    found = jax.jit(compute)(w, x, y)
    assert_agrees(found, compute(w, x, y), bounds(compute, (w, x, y)), TWO_ROUNDINGS)
