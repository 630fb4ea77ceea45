"""Gradient descent in a metric that shrinks where it has been: what the SSD ∘ LSA layers of ssd Thm. 5.1 do."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..arrays.array_api import Array
from ..arrays.definition import definition


class Data(NamedTuple):
    """All examples, and the step size."""

    x: Array
    """(n, d)."""
    y: Array
    """(n,)."""
    step_size: Array
    """η."""


class State(NamedTuple):
    """The weights and the map that the features have been through."""

    w: Array
    """w_l, shape (d,)."""
    A: Array
    """A_l, shape (d, d); the metric is G_l = A_lᵀA_l."""


@definition
def start(xp: Any, d: int) -> State:
    """w_0 = 0 and A_0 = I."""
    return State(xp.zeros((d,)), xp.eye(d))


@definition
def step(data: Data, state: State, weights: Array) -> tuple[State, Array]:
    """w ← w − η G ∇L(w) and A ← (I − η A H Aᵀ) A, L(w) = ½ Σ_j v_j (w·x_j − y_j)², H = Σ_j v_j x_j x_jᵀ.

    So G ← G − 2η GHG + η² GHGHG, in which what has been learnt counts less afterwards, as in recursive least squares;
    v = e_t is one step on example t. The output is w.

    Args:
        data: the examples and η.
        state: w, A.
        weights: v, shape (n,).
    """
    w, A = state
    weighted = weights[:, None] * data.x
    gradient = weighted.T @ (data.x @ w - data.y)
    features = data.x @ A.T
    mapped = (weights[:, None] * features).T @ features  # A H Aᵀ
    moved = State(w - data.step_size * (A.T @ (A @ gradient)), A - data.step_size * (mapped @ A))
    return moved, moved.w
