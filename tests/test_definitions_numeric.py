"""The tester tested: on NumPy arrays every generic definition does what plain loops over single numbers do.

The tolerance of every entry is the running bound of float64's rounding in the definition itself (`numeric.rounding`).
"""

import importlib
import pkgutil

import numpy as np
import pytest
from agreement import Draw, assert_agrees, bounds, wide
from family_cases import FAMILY_CASES
from form_cases import DISCRETISATION_CASES, FORM_CASES
from hypothesis import given, settings
from hypothesis import strategies as st
from lane_cases import LANE_CASES
from layer_cases import LAYER_CASES
from learner_cases import LEARNER_CASES, OPERATOR_CASES, TOKEN_CASES
from mamba2_loops import MAMBA2_CASES

import scanproof.constructs
from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.arrays.definition import recording
from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.layers import linear_attention
from scanproof.constructs.tokens import windows

GROUPS = (
    LAYER_CASES,
    FORM_CASES,
    FAMILY_CASES,
    LANE_CASES,
    DISCRETISATION_CASES,
    LEARNER_CASES,
    OPERATOR_CASES,
    TOKEN_CASES,
    MAMBA2_CASES,
)
CASES = {name: case for group in GROUPS for name, case in group.items()}
SPECIAL = (
    "constructions.",
    "tokens.mamba2",
    "tokens.separate",
    "arrays.definition",
    "arrays.protocols",
    "layers.s5",
)
"""Parameters of propositions, printed tables, decorators, what answers NumPy: nothing to compute in another way; and
complex numbers, of which these bounds know nothing: `test_training` has S5 beside the convolution with its poles."""


@pytest.mark.short(
    "DeltaNet layer", "products of decays", "evolution", "polynomial curve", "entries of arrays"
)
@pytest.mark.parametrize("name", CASES)
@settings(max_examples=6)
@given(
    seed=st.integers(0, 2**32 - 1),
    N=st.integers(1, 5),
    f=st.integers(1, 4),
    k=st.integers(1, 3),
)
def test_definition_equals_its_loops(name: str, seed: int, N: int, f: int, k: int):
    case = CASES[name]
    inputs = case.inputs(Draw(seed), N, f, k)
    exact = case.twin(*map_leaves(wide, inputs))
    assert_agrees(case.compute(*inputs), exact, bounds(case.compute, inputs))


def test_every_generic_definition_takes_part_in_a_comparison():
    with recording() as ran:
        for case in CASES.values():
            case.compute(*case.inputs(Draw(0), 2, 2, 2))
    assert not {f"{f.__module__}.{f.__qualname__}" for f in generic_definitions() - ran}


def test_scan_refuses_tokens_of_two_lengths():
    with pytest.raises(ValueError, match=r"scan\(step\) expects .* got lengths \[2, 3\]"):
        scan(linear_attention.step, None, np.zeros((1, 1)), (np.zeros((3, 1)), np.zeros((2, 1))))


def test_windows_refuse_a_width_beyond_the_stream():
    with pytest.raises(ValueError, match=r"windows\(width=4, stride=1\) expects 1 ≤ width ≤ 3"):
        windows(np.zeros((3, 1)), 4, 1)


def test_a_number_without_a_namespace_is_refused():
    with pytest.raises(TypeError, match=r"expects at least one array .* got int, float"):
        namespace(1, 2.0)


def generic_definitions():
    """The functions under `@definition` that are not special."""
    package = scanproof.constructs
    prefix = f"{package.__name__}."
    modules = [
        importlib.import_module(info.name)
        for info in pkgutil.walk_packages(package.__path__, prefix)
        if not info.name.removeprefix(prefix).startswith(SPECIAL)
    ]
    return {
        value.__wrapped__
        for module in modules
        for value in vars(module).values()
        if getattr(value, "__module__", None) == module.__name__ and hasattr(value, "__wrapped__")
    }
