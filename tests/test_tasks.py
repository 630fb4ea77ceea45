"""Tasks, learners, step sizes and metrics in JAX, against the definitions on NumPy arrays."""

import jax
import numpy as np
import pytest
from agreement import Draw, assert_agrees, bounds

from scanproof.constructs.errors import UsageError
from scanproof.constructs.learners import descent
from scanproof.constructs.learners.losses import HALF_MEAN, HALF_SUM, CrossEntropy, SquaredError
from scanproof.numeric import x64
from scanproof.numeric.tasks import learners, metrics, samplers
from scanproof.numeric.tasks.step_size import BITS, curvature, largest_step_size

TWO_ROUNDINGS = 2
"""JAX and NumPy lie within the rounding bound of the exact value each."""
N, F, K = 5, 3, 2


@pytest.fixture(autouse=True)
def float64():
    with x64():
        yield


def data(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    d = Draw(seed)
    return d(F, K), d(N, F), d(N, K)


@pytest.mark.long
@pytest.mark.parametrize(
    "loss", [HALF_MEAN, HALF_SUM, SquaredError(1, True, 1)], ids=["½/N", "½", "ridge"]
)
def test_gradient_descent_is_the_definition(loss):
    inputs, rate = data(), 0.125

    def compute(w, x, y):
        return descent.gradient_descent(loss, w, x, y, rate, 3)

    found = learners.gradient_descent(loss, *inputs, rate, 3)
    assert_agrees(found, compute(*inputs), bounds(compute, inputs), TWO_ROUNDINGS)


@pytest.mark.long
def test_descent_on_a_cross_entropy_is_the_definition():
    d = Draw(1)
    inputs = d(F, K), d(N, F), d.classes(N, K)

    def compute(w, x, y):
        return descent.gradient_descent(CrossEntropy(), w, x, y, 0.25, 2)

    found = learners.gradient_descent(CrossEntropy(), *inputs, 0.25, 2)
    assert_agrees(found, compute(*inputs), bounds(compute, inputs), TWO_ROUNDINGS)


def test_stochastic_gradient_descent_is_the_definition():
    inputs = data(2)

    def compute(w, x, y):
        return descent.stochastic_gradient_descent(HALF_SUM, w, x, y, 0.25)

    found = learners.stochastic_gradient_descent(HALF_SUM, *inputs, 0.25)
    assert_agrees(found, compute(*inputs), bounds(compute, inputs), TWO_ROUNDINGS)
    every = learners.stochastic_gradient_descent(HALF_SUM, *inputs, 0.25, keep=True)
    assert every.shape == (N, F, K) and np.array_equal(every[-1], found)


@pytest.mark.long
def test_newton_finds_the_least_squares_solution_in_one_step():
    w, x, y = data(3)
    exact = np.linalg.lstsq(x, y)[0]
    room = 64 * np.finfo(float).eps * np.linalg.cond(x) ** 2 * np.abs(exact).max()
    step = jax.jit(lambda *arrays: learners.newton_step(HALF_MEAN, *arrays))
    assert np.abs(step(w, x, y) - exact).max() <= room
    single = step(w[:, 0], x, y[:, 0])
    assert np.abs(single - descent.newton_step(HALF_MEAN, w[:, 0], x, y[:, 0])).max() <= room


def test_gd_plus_plus_without_curvature_correction_is_gradient_descent():
    w, x, y = data(4)
    query = Draw(5)(F)

    def compute(w, x, y):
        return query @ descent.gradient_descent(HALF_SUM, w, x, y, 0.125, 3)

    found = learners.gd_plus_plus(HALF_SUM, w, x, y, query, 0.125, 0.0, 3)
    # Residuals are updated instead of weights: as many products again, of the same numbers.
    assert_agrees(found, compute(w, x, y), bounds(compute, (w, x, y)), 4 * TWO_ROUNDINGS)
    changed = learners.gd_plus_plus(HALF_SUM, w, x, y, query, 0.125, 0.0625, 3)
    assert np.abs(changed - found).max() > 1e-3


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_curvature_is_the_spectral_norm_of_the_gram_matrix(seed: int):
    w, x, y = data(seed)
    exact = np.linalg.eigvalsh(x.T @ x / N)[-1]
    found = float(curvature(HALF_MEAN, w[:, :1], x, y[:, :1]))
    room = 64 * np.finfo(float).eps * exact
    assert exact / 2 < found <= exact + room
    eta = largest_step_size([found])
    assert 1 / exact / (1 + 2.0 ** (1 - BITS)) <= eta * (1 + room) and eta < 2 / exact
    assert eta * 2.0**60 % 1 == 0 and np.frexp(eta)[0] * 2**BITS % 1 == 0


def test_data_without_curvature_have_a_step_size_too():
    assert largest_step_size([0.0, 0.0]) == 1.0


def test_a_head_draws_the_same_whatever_the_others_do():
    few, many = (samplers.regression(heads, 4, 3, 2, seed=7) for heads in (1, 3))
    assert np.array_equal(few.x[0], many.x[0]) and np.array_equal(few.y[0], many.y[0])
    assert not np.array_equal(many.x[0], many.x[1])
    other = samplers.regression(1, 4, 3, 2, seed=8)
    assert not np.array_equal(few.x, other.x)


def test_targets_are_those_of_the_linear_model():
    task = samplers.regression(2, 6, 3, 2)
    for x, y, w in zip(task.x, task.y, task.w, strict=True):
        assert np.array_equal(y, x[:-1] @ w)
    assert samplers.regression(2, 6, 3).y.shape == (2, 6)


def test_the_half_width_bounds_uniform_inputs_and_scales_normal_ones():
    uniform = samplers.regression(1, 500, 4, input_scale=0.5).x
    assert 0.49 < np.abs(uniform).max() <= 0.5
    one, two = (
        samplers.regression(1, 500, 4, sampler="normal", input_scale=s).x for s in (1.0, 2.0)
    )
    assert np.array_equal(2 * one, two)


def test_labels_are_the_largest_logit():
    task = samplers.classification(1, 20, 3, 4)
    assert np.array_equal((task.x[0, :-1] @ task.w[0]).argmax(axis=1), task.y[0].argmax(axis=1))
    assert np.array_equal(task.y.sum(axis=-1), np.ones((1, 20)))
    binary = samplers.classification(1, 20, 3, 1)
    assert np.array_equal(binary.y[0] == 1, binary.x[0, :-1] @ binary.w[0] > 0)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"sampler": "cauchy"}, "allowed: uniform, normal"),
        ({"input_scale": 0.0}, "positive number"),
        ({"input_scale": float("nan")}, "positive number"),
        ({"seed": -1}, "whole number ≥ 0"),
        ({"features": 0}, "features=0"),
        ({"heads": True}, "heads=True"),
    ],
)
def test_a_wrong_task_is_refused(change: dict, complaint: str):
    with pytest.raises(UsageError, match=complaint):
        samplers.regression(**{"heads": 1, "examples": 2, "features": 3, **change})


@pytest.mark.long
def test_metrics_of_two_linear_predictors_are_those_of_their_weights():
    A, B, query = Draw(6)(F, K), Draw(7)(F, K), Draw(8)(F)
    found = metrics.compare(lambda q: q @ A, lambda q: q @ B, query)
    cosine = (A * B).sum() / np.sqrt((A * A).sum() * (B * B).sum())
    room = 64 * np.finfo(float).eps
    assert (
        abs(found.prediction_l2 - np.linalg.norm(query @ (A - B))) <= room * np.abs(query).sum() * 8
    )
    assert abs(found.sensitivity_cosine - cosine) <= room
    assert abs(found.sensitivity_l2 - np.linalg.norm(A - B)) <= room * 8


def test_the_loss_carries_its_half():
    assert float(metrics.squared_loss(np.zeros((2, 3)), np.ones((2, 3)))) == 1.5
