"""`scanproof.construct`: the parameters of a row as named arrays."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

import scanproof
from scanproof.constructs import tokens
from scanproof.constructs.layers import gril


def test_a_row_is_answered_with_its_strongest_proved_parameters():
    found = scanproof.construct("gd-ssm.prop1", features=2, examples=4, step_size=0.5)
    assert found.id == "gd-ssm.prop1"
    assert found["beta"] == 0.125
    assert {name: array.shape for name, array in found.items()} == {
        "Psi": (2, 4),
        "Theta": (2, 4),
        "beta": (),
        "count": (2,),
    }


def test_the_printed_parameters_are_had_on_request():
    found = scanproof.construct(
        "gd-ssm.prop1-construction", features=2, examples=4, step_size=0.5, as_stated=True
    )
    assert found["beta"] == -0.125


def test_as_sympy_is_exact():
    exact = scanproof.construct("gril.prop4.1", features=2, step_size=Fraction(1, 3)).as_sympy()
    assert exact["mixing"] == sympy.Matrix([[0, 0, 0], [1, 0, 0], [0, 0, 0]])
    assert exact["beta"] == sympy.Rational(1, 3)


def test_constructed_numpy_arrays_run_in_the_layer_and_do_a_step_of_gradient_descent():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(6, 3)), rng.normal(size=(5, 3))
    found = scanproof.construct("gril.prop4.1", features=3, step_size=0.25)
    windows = tokens.windows(tokens.interleaved(x, y), 3, 2)
    outputs = scanproof.scan(gril.step, found.parameters, np.zeros((3, 3)), windows).outputs
    weights = 0.25 / 5 * x[:5].T @ y
    scale = np.abs(x).max() ** 2 * np.abs(y).max() * 15
    np.testing.assert_allclose(outputs[-1], x[5] @ weights, atol=64 * np.finfo(float).eps * scale)


@pytest.mark.parametrize(
    ("id", "values", "complaint"),
    [
        ("gril.prop4.2", {}, "no claim matches"),
        ("gd-ssm.eq9", {}, "has no parameters"),
        ("gd-ssm.prop1", {"features": 2}, "missing"),
        ("gd-ssm.prop1", {"features": 0, "examples": 1, "step_size": 1}, "whole number ≥ 1"),
        (
            "gd-ssm.prop1",
            {"features": 2, "examples": 1, "step_size": 1, "heads": 2},
            "unknown: heads",
        ),
        ("gd-ssm.prop1", {"features": 2, "examples": 1, "step_size": [1]}, "eta of shape"),
    ],
)
def test_a_wrong_request_is_answered_in_one_clear_line(id, values, complaint):
    with pytest.raises(scanproof.UsageError, match=complaint):
        scanproof.construct(id, **values)
