"""Gates are told apart by their values, when an op is built."""

import jax
import numpy as np
import pytest

from scanproof.constructs.errors import UsageError
from scanproof.numeric.ops.gates import GENERIC, PER_TOKEN, SCALAR, UNIT, classify, log_decays

pytestmark = pytest.mark.deeper  # in `make test` JAX optimizes little

DECAYS = np.asarray([0.5, 0.0, 1.0])


@pytest.mark.parametrize(
    "gate, token_axes, kind",
    [
        (1.0, 0, UNIT),
        (np.ones((3, 3)), 0, UNIT),
        (np.ones((5, 3, 3)), 1, UNIT),
        (0.5, 0, SCALAR),
        (np.full((3, 3), 0.5), 0, SCALAR),
        (np.full((2, 5), 0.5), 2, SCALAR),
        (np.full((3, 3), 2), 0, SCALAR),
        (DECAYS, 1, PER_TOKEN),
        (np.broadcast_to(DECAYS[:, None, None], (3, 2, 2)), 1, PER_TOKEN),
        (np.zeros(3), 1, PER_TOKEN),
        (DECAYS, 0, GENERIC),
        (np.asarray([[0.5, 0.5], [0.5, 0.25]]), 0, GENERIC),
        (np.asarray([[0.5], [0.25]]), 0, GENERIC),
        (np.stack([np.ones((2, 2)), np.eye(2)]), 1, GENERIC),
        (-0.5, 0, GENERIC),
        (np.asarray([0.5, -0.5]), 1, GENERIC),
        (0.0, 0, GENERIC),
    ],
)
def test_a_gate_is_of_its_kind_and_says_why(gate, token_axes: int, kind: str):
    found = classify(gate, token_axes=token_axes)
    assert found.kind == kind
    assert found.reason
    assert found.has_matrix_form == (kind != GENERIC)


@pytest.mark.parametrize(
    "gate, token_axes",
    [(0.5, 0), (np.full((3, 3), 3.0), 0), (DECAYS, 1), (np.zeros(4), 1)],
)
def test_log_decay_and_reset_give_the_decays_back(gate, token_axes: int):
    found = classify(gate, token_axes=token_axes)
    reset = False if found.reset is None else found.reset
    assert found.log_decay is not None
    decays = np.where(reset, 0, np.exp(found.log_decay))
    wanted = np.asarray(gate).reshape(*np.shape(gate)[:token_axes], -1)[..., 0]
    assert decays.shape == wanted.shape
    # exp and log are off by one unit in the last place each.
    assert (
        np.abs(decays - wanted)
        <= 2 * np.finfo(float).eps * (1 + np.abs(np.log(wanted + (wanted == 0)))) * wanted
    ).all()


def test_a_reset_is_only_there_where_a_decay_is_zero():
    assert log_decays(np.asarray([0.5, 1.0]))[1] is None
    log, reset = log_decays(DECAYS)
    assert reset is not None and reset.tolist() == [False, True, False]
    assert np.isfinite(log).all()


@pytest.mark.parametrize(
    "gate, token_axes, message",
    [
        (np.asarray([0.5, np.nan]), 0, "finite real numbers"),
        (np.asarray(1j), 0, "got dtype complex128"),
        (np.ones((2, 2, 2)), 0, "at most 2 state axes"),
        (0.5, 1, "expects 1 token axes"),
        (np.ones((0, 2)), 0, "at least one entry"),
        ([[1.0], [1.0, 2.0]], 0, "finite real numbers"),
    ],
)
def test_what_is_no_gate_is_refused(gate, token_axes: int, message: str):
    with pytest.raises(UsageError, match=message):
        classify(gate, token_axes=token_axes)


def test_a_gate_that_is_not_known_yet_is_refused():
    with pytest.raises(UsageError, match="computed inside jit must be classified before"):
        jax.jit(lambda gate: classify(gate).log_decay)(0.5)


@pytest.mark.parametrize("decays", [[-0.5], [np.inf], [np.nan]])
def test_what_is_no_decay_is_refused(decays):
    with pytest.raises(UsageError, match=r"finite decays ≥ 0"):
        log_decays(decays)
