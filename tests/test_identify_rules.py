"""The learning rules that `identify` names beside gradient descent, each with weights that do it and a near neighbour."""

from __future__ import annotations

from fractions import Fraction

import identify_cases as cases
import numpy as np
import pytest

from scanproof.constructs.layers.fla_linear_attention import Parameters
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import encoding
from scanproof.numeric.identify.linear import identify_linear
from scanproof.numeric.identify.report import DESCENT, MOMENTUM, NONE, PLUS_PLUS

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")


def of_polynomial(d: int, maps: list[float], parts: list[float]) -> Model:
    """Linear attention that predicts Σ_l c_l Sᵀ v_l, with v_0 the query and v_{l+1} = (I − a_l G) v_l.

    Layer l maps the query in its place and adds c_l Sᵀ v_l to the prediction; the examples are left as they are.
    """
    rows = np.eye(2 * d + 2)
    x, y, query, prediction = rows[:d], rows[d : d + 1], rows[d + 1 : -1], rows[-1:]
    layers = []
    for a, c in zip([*maps, 0.0], parts, strict=True):
        queries, keys = np.zeros((2, 4, len(rows))), np.zeros((2, 4, len(rows)))  # √4 is exact
        queries[0, :d], queries[1, :d], keys[:, :d] = 2 * query, 2 * c * query, x
        values, outputs = np.zeros((2, d, len(rows))), np.zeros((2, len(rows), d))
        values[0], outputs[0] = -a * x, query.T
        values[1, :1], outputs[1, :, :1] = y, prediction.T
        layers.append(Parameters(queries, keys, values, outputs))
    encode = rows[:, :-1]
    return Model("linear-attention", "concatenated", tuple(layers), encode, 0 * rows[0], prediction)


def read(model: Model):
    return identify_linear(cases.as_loaded(model))


def momentum_parts(eta: float, beta: float, steps: int) -> list[float]:
    """p of heavy ball as Σ c_l (1 − g)^l, from 0."""
    power, now, before = np.polynomial.Polynomial, np.polynomial.Polynomial([0.0]), None
    before = now
    g = power([0.0, 1.0])
    for _ in range(steps):
        now, before = now - eta * (g * now - 1) + beta * (now - before), now
    return now(power([1.0, -1.0])).coef.tolist()  # in u = 1 − g


@pytest.mark.parametrize("d", [1, 3])
def test_a_step_on_inputs_that_went_through_i_minus_gamma_xx_is_gd_plus_plus(d):
    eta, gamma = 0.25, 0.0625  # p(g) = η (1 − γ g)²
    report = read(of_polynomial(d, [gamma, gamma], [0.0, 0.0, eta]))
    assert (report.rule, report.exact, report.gamma) == (PLUS_PLUS, True, Fraction(1, 16))
    assert "GD++" in report.verdict and "η = (0, 1/4)" in report.verdict and "γ = 1/16" in report.verdict
    assert report.running is not None and report.running.relative < 1e-5


def test_two_steps_of_gd_plus_plus_are_named_with_both_step_sizes():
    first, second, gamma = 0.125, 0.25, 0.0625  # p(g) = η_1 + η_2 (1 − γ g)² (1 − η_1 g)
    report = read(of_polynomial(2, [gamma, gamma, first], [first, 0.0, 0.0, second]))
    assert (report.rule, report.exact, report.gamma) == (PLUS_PLUS, True, Fraction(1, 16))
    assert report.step_size is not None
    assert report.step_size.each == (Fraction(1, 8), Fraction(1, 4))


def test_two_unequal_maps_of_the_inputs_are_not_gd_plus_plus():
    report = read(of_polynomial(2, [0.0625, 0.03125], [0.0, 0.0, 0.25]))
    assert report.rule == NONE
    report = read(of_polynomial(2, [0.25], [0.0, 0.25]))  # one side alone: another polynomial of g
    assert report.rule != PLUS_PLUS


@pytest.mark.parametrize(("steps", "beta"), [(3, 0.5), (4, 0.25), (3, -0.25)])
def test_steps_with_momentum_are_named(steps, beta):
    parts = momentum_parts(0.25, beta, steps)
    report = read(of_polynomial(2, [1.0] * (steps - 1), parts))
    assert (report.rule, report.exact, report.steps) == (MOMENTUM, True, steps)
    assert report.momentum == Fraction(beta)
    assert f"gradient descent with momentum, η = 1/4 and β = {Fraction(beta)}," in report.verdict.replace(
        " constant in n", ""
    )


def test_a_neighbour_of_momentum_is_not_called_it():
    parts = momentum_parts(0.25, 0.5, 3)
    parts[0] += 0.03125
    assert read(of_polynomial(2, [1.0, 1.0], parts)).rule == NONE
    without = read(of_polynomial(2, [0.25, 0.25], [0.25, 0.25, 0.25]))
    assert (without.rule, without.momentum) == (DESCENT, None)
