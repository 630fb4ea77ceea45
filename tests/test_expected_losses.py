"""Exact expected losses: against sums of all monomials, Monte Carlo, what is known by hand; false neighbours."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanproof.constructs.errors import UsageError
from scanproof.numeric.studies.reproduce.monte_carlo import (
    LEVEL,
    damped_newton,
    estimate,
    named,
    newton,
)
from scanproof.numeric.tasks.samplers import regression
from scanproof.proofs.expected import ablated
from scanproof.proofs.expected.expectation import RandomArrays
from scanproof.proofs.expected.formula import NotOfThatDegree, interpolated
from scanproof.proofs.expected.learners import (
    LEARNERS,
    ONE_PASS,
    ONE_STEP,
    TWO_STEPS,
    WITH_QUERY,
    ZERO,
)
from scanproof.proofs.expected.losses import (
    best_loss,
    best_one_pass,
    best_step_size,
    contraction,
    directly,
    expected_loss,
    least_squares,
    least_squares_noise,
    one_pass,
    smallest_loss,
    variance_of_loss,
)
from scanproof.proofs.expected.moments import Distribution, normal, uniform

INPUTS = [uniform(1), uniform(Fraction(1, 2)), normal(1), normal(Fraction(2, 3))]
ETA, V, S2 = Fraction(2, 7), Fraction(1, 3), Fraction(3, 4)
FORMULAS = [ZERO, ONE_STEP, WITH_QUERY, TWO_STEPS]


def exact(learner, inputs, N, f, eta, v, s2):
    if learner is ONE_PASS:
        return one_pass(inputs, N=N, f=f, eta=eta, v=v, s2=s2)
    return expected_loss(learner).at(inputs, N=N, f=f, eta=eta, v=v, s2=s2)


@pytest.mark.parametrize("inputs", INPUTS, ids=str)
def test_moments_are_those_of_the_samplers_distributions(inputs):
    x = regression(4, 1000, 10, sampler=inputs.sampler, input_scale=float(inputs.scale)).x
    for order in (1, 2, 3, 4):
        powers = x.ravel() ** order
        error = powers.std() / np.sqrt(powers.size)
        assert abs(powers.mean() - float(inputs.moment(order))) <= 5 * error


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=lambda one: one.name)
@pytest.mark.parametrize(("N", "f"), [(1, 1), (1, 2), (2, 1), (2, 2)])
def test_a_formula_is_the_sum_over_all_monomials_at_small_sizes(learner, N, f):
    summed = directly(learner, N, f, V, S2)
    for inputs in INPUTS:
        assert summed.at(inputs, eta=ETA) == exact(learner, inputs, N, f, ETA, V, S2)


@pytest.mark.long
@given(
    st.sampled_from(list(LEARNERS.values())),
    st.sampled_from(["uniform", "normal"]),
    st.sampled_from([Fraction(1, 2), Fraction(1)]),
    st.integers(1, 8),
    st.integers(1, 5),
    st.booleans(),
    st.integers(0, 10_000),
)
@settings(max_examples=12, deadline=None, derandomize=True)
def test_exact_values_lie_in_monte_carlo_s_confidence_interval(
    learner, sampler, scale, N, f, uniform_weights, seed
):
    eta, s2 = Fraction(1, 8), Fraction(1, 4)
    v = Fraction(1, 3) if uniform_weights else Fraction(1)
    value = exact(learner, Distribution(sampler, scale), N, f, eta, v, s2)
    found = estimate(
        named(learner.name, float(eta)),
        examples=N,
        features=f,
        sampler=sampler,
        scale=float(scale),
        noise=0.5,
        uniform_weights=uniform_weights,
        seed=seed,
    )
    assert found.agrees(float(value))


@pytest.mark.long
@pytest.mark.parametrize("factor", [2, 0.5, 1.1])
def test_monte_carlo_refuses_what_is_off_by_a_factor(factor):
    value = float(exact(ONE_STEP, normal(1), 5, 3, ETA, 1, 0))
    found = estimate(
        named("gd", float(ETA)), examples=5, features=3, sampler="normal", tasks=20_000
    )
    assert found.agrees(value) and not found.agrees(factor * value)


def test_the_predictor_0_has_half_the_variance_of_its_target():
    assert expected_loss(ZERO).at(uniform(Fraction(1, 2)), f=10) == Fraction(5, 12)
    assert expected_loss(ZERO).at(normal(1), f=10) == 5


@pytest.mark.parametrize(("N", "f"), [(1, 1), (10, 10), (3, 40)])
def test_one_step_at_the_best_rate_has_the_shares_that_are_known_by_hand(N, f):
    zero = expected_loss(ZERO)
    for inputs, beyond in ((uniform(1), Fraction(-1, 5)), (normal(2), Fraction(1))):
        share = best_loss().at(inputs, N=N, f=f) / zero.at(inputs, f=f)
        assert share == (f + beyond) / (N + f + beyond)


@pytest.mark.parametrize("learner", [ONE_STEP, WITH_QUERY], ids=lambda one: one.name)
def test_no_other_rate_is_better_than_the_best(learner):
    sizes = {"N": 4, "f": 3, "s2": Fraction(1, 2)}
    for inputs in INPUTS:
        best = best_step_size(learner).at(inputs, **sizes)
        least = best_loss(learner).at(inputs, **sizes)
        assert expected_loss(learner).at(inputs, eta=best, **sizes) == least
        for other in (best * Fraction(99, 100), best * Fraction(101, 100), Fraction(0)):
            assert expected_loss(learner).at(inputs, eta=other, **sizes) > least


def test_the_best_rate_of_two_steps_is_best_and_better_than_one_step():
    for inputs in INPUTS:
        least, eta = smallest_loss(TWO_STEPS, inputs, N=10, f=10)
        assert least < best_loss().at(inputs, N=10, f=10)
        for other in (eta * Fraction(999, 1000), eta * Fraction(1001, 1000)):
            assert expected_loss(TWO_STEPS).at(inputs, N=10, f=10, eta=other) > least
    one, eta = smallest_loss(ONE_STEP, normal(1), N=3, f=2)
    assert abs(eta - best_step_size().at(normal(1), N=3, f=2)) < Fraction(1, 2**38)
    assert 0 <= one - best_loss().at(normal(1), N=3, f=2) < Fraction(1, 2**70)


def test_one_step_of_sgd_on_one_example_is_one_step_of_gradient_descent():
    for inputs in INPUTS:
        assert exact(ONE_PASS, inputs, 1, 3, ETA, V, S2) == exact(
            ONE_STEP, inputs, 1, 3, ETA, V, S2
        )


def test_the_best_pass_of_sgd_is_at_the_rate_that_contracts_most():
    value, eta = best_one_pass(normal(1), N=40, f=10)
    assert eta == Fraction(1, 12) and value == 5 * Fraction(11, 12) ** 40
    assert contraction().at(normal(1), f=10, eta=eta) == Fraction(11, 12)


@pytest.mark.long
@pytest.mark.parametrize(("N", "f"), [(2, 5), (5, 5), (7, 3)])
def test_least_squares_without_noise_loses_what_no_example_spans(N, f):
    for inputs in (uniform(1), normal(1)):
        found = estimate(newton, examples=N, features=f, sampler=inputs.sampler, tasks=3000)
        value = least_squares(inputs, N=N, f=f)
        assert found.agrees(float(value)) or (value == 0 and found.mean < 1e-6)


@pytest.mark.short(2)
@pytest.mark.parametrize(("N", "f"), [(12, 3), (3, 12)])
def test_noise_in_least_squares_is_the_mean_of_an_inverse_wishart_matrix(N, f):
    value = least_squares(normal(1), N=N, f=f) + least_squares_noise(N=N, f=f, s2=Fraction(1, 4))
    found = estimate(newton, examples=N, features=f, sampler="normal", noise=0.5, tasks=6000)
    assert found.agrees(float(value))
    with pytest.raises(UsageError, match="infinite"):
        least_squares_noise(N=4, f=5, s2=1)


@pytest.mark.long
def test_damping_nothing_is_newton_s_step():
    sizes: dict[str, Any] = {"examples": 6, "features": 3, "tasks": 200}
    assert estimate(partial(damped_newton, 0.0), **sizes).mean < 1e-20
    assert estimate(partial(damped_newton, 0.1), **sizes).mean > 1e-4


@pytest.mark.long
@pytest.mark.parametrize("targets", [1, 4])
@pytest.mark.parametrize("learner", [ZERO, ONE_STEP], ids=lambda one: one.name)
def test_the_variance_of_a_loss_is_that_of_a_sample(learner, targets):
    N, f, tasks, inputs = 4, 3, 40_000, normal(1)
    rng = np.random.default_rng(5)
    x, w = rng.standard_normal((tasks, N, f)), rng.standard_normal((tasks, f, targets))
    q = rng.standard_normal((tasks, f))
    eta = 0.0 if learner is ZERO else float(ETA)
    learned = eta / N * np.einsum("hni,hnj,hjk->hik", x, x, w)
    losses = (np.einsum("hi,hik->hk", q, w - learned) ** 2).mean(1) / 2
    value = float(variance_of_loss(learner, inputs, N=N, f=f, eta=Fraction(eta), targets=targets))
    squares = (losses - losses.mean()) ** 2
    assert abs(losses.var() - value) <= LEVEL * squares.std() / np.sqrt(tasks)


def test_the_spread_of_other_losses_is_refused():
    with pytest.raises(UsageError, match="spread"):
        variance_of_loss(TWO_STEPS, normal(1), N=2, f=2, eta=1, targets=1)


def test_a_bound_on_the_degree_that_is_too_low_is_found_out():
    def squared(N, f):
        return {(0, 0, 0, 0, 0): N * N * f}

    assert interpolated(squared, 2, 1, [(5, 4)]).at(normal(1), N=7, f=3) == 147
    with pytest.raises(NotOfThatDegree, match="N = 5"):
        interpolated(squared, 1, 1, [(5, 4)])


def test_an_expectation_needs_a_polynomial_and_moments_that_are_there():
    random = RandomArrays({"x": (2,)})
    x = random.arrays["x"]
    assert random.expectation(x[0] * x[1]) == {}
    assert random.expectation((x[0] * x[0]) * (x[1] * x[1])) == {(2, 0, 0, 0): 1}
    with pytest.raises(ArithmeticError, match="no polynomial"):
        random.expectation(x[0] / x[1])
    with pytest.raises(ArithmeticError, match="order 10"):
        random.expectation(x[0] ** 10)


def test_terms_of_unlike_parity_are_rightly_left_out_of_a_product():
    random = RandomArrays({"x": (3,)}, ("eta",))
    x, eta, number = random.arrays["x"], random.field.generators["eta"], random.field.number
    left = (1 + x[0] * x[1] * eta + x[2] ** 3 - 2 * x[0]) * (x[1] + x[2])
    right = (x[1] - eta * x[0] * x[0] * x[2] + number(3)) * (x[2] - number(2))
    assert random.of_product(left, right) == random.expectation(left * right) != {}
    assert random.of_product(left, left) == random.expectation(left * left)


@pytest.mark.parametrize(("window", "readout"), [(False, True), (True, False), (False, False)])
@pytest.mark.parametrize("model", ablated.MODELS)
def test_the_output_of_an_ablated_model_does_not_go_along_with_the_target(model, window, readout):
    assert not ablated.goes_along(model, 2, 2, window=window, readout=readout)


@pytest.mark.parametrize("model", ablated.MODELS)
def test_the_output_of_the_whole_model_goes_along_with_the_target(model):
    assert ablated.goes_along(model, 2, 2, window=True, readout=True)


@pytest.mark.parametrize("of", [best_step_size, best_loss])
@pytest.mark.parametrize("learner", [ZERO, TWO_STEPS, ONE_PASS], ids=lambda one: one.name)
def test_a_best_rate_in_closed_form_is_that_of_one_step_alone(of, learner):
    with pytest.raises(UsageError, match="of one step"):
        of(learner)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: Distribution("cauchy"), "no such sampler; allowed: uniform, normal"),
        (lambda: uniform(0), "positive"),
        (lambda: expected_loss(ONE_PASS), "one_pass"),
        (lambda: named("adam", 0.1), "known: zero, gd"),
    ],
)
def test_what_is_not_there_is_refused_in_words(given, message):
    with pytest.raises(UsageError, match=message):
        given()
