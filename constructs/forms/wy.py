"""The WY form of the delta rule (DeltaNet, arXiv 2406.06484): a chunk of C writes as one matrix of rank C.

The layer is `delta_rule.step`, S_t = S_{t−1} + β_t (v_t − S_{t−1} k_t) k_tᵀ, o_t = S_t q_t. With u_t the vector that it
writes at t, S_t = S_0 + Σ_{s≤t} u_s k_sᵀ, and the u_t solve a unit lower triangular system. A chunk is a
`delta_rule.Token` of arrays with a leading axis of length C ≥ 1: k and q (C, m), v (C, d), beta (C,).
"""

from __future__ import annotations

from typing import NamedTuple

from ..arrays.array_api import Array, namespace, outer
from ..arrays.definition import definition
from ..arrays.scan import Scan, scan
from ..layers import delta_rule


class Equation(NamedTuple):
    """One line of a unit lower triangular system."""

    coefficients: Array
    """Those of the earlier unknowns, shape (C,); the others must be 0."""
    place: Array
    """The unit vector that marks the line, shape (C,)."""
    right: Array
    """The right side, shape (d,)."""


class Factors(NamedTuple):
    """W and Y of a chunk, which do not depend on its initial state: the writes are Y − W S_0ᵀ."""

    W: Array
    """(C, m)."""
    Y: Array
    """(C, d)."""


@definition
def substitution_step(parameters: None, solved: Array, equation: Equation) -> tuple[Array, Array]:
    """u_t = r_t − Σ_{s<t} L_ts u_s, written into its row.

    Args:
        parameters: none.
        solved: u_1..u_{t−1} as rows, the others 0, shape (C, d).
        equation: line t.
    """
    u = equation.right - equation.coefficients @ solved
    return solved + outer(equation.place, u), u


@definition
def forward_substitution(L: Array, right: Array) -> Array:
    """U with (I + L) U = R: `L` strictly lower triangular (C, C), `right` (C, d) -> (C, d)."""
    xp = namespace(right)
    equations = Equation(L, xp.eye(right.shape[0]), right)
    return scan(substitution_step, None, xp.zeros(right.shape), equations).final_state


@definition
def coefficients(chunk: delta_rule.Token) -> Array:
    """L_ts = β_t (k_s·k_t) for s < t, else 0: (C, C)."""
    products = chunk.beta[:, None] * (chunk.k @ chunk.k.T)
    xp = namespace(products)
    return xp.tril(products) - products * xp.eye(chunk.k.shape[0])


@definition
def right_side(state: Array, chunk: delta_rule.Token) -> Array:
    """β_t (v_t − S_0 k_t) as rows: the writes if each token saw the initial state, (C, d)."""
    return chunk.beta[:, None] * (chunk.v - chunk.k @ state.T)


@definition
def writes(state: Array, chunk: delta_rule.Token) -> Array:
    """u_t = β_t (v_t − S_0 k_t − Σ_{s<t} (k_s·k_t) u_s) as rows, by forward substitution.

    Args:
        state: S_0, the state before the chunk, shape (d, m).
        chunk: C tokens.

    Returns:
        Shape (C, d).
    """
    return forward_substitution(coefficients(chunk), right_side(state, chunk))


@definition
def step(parameters: None, state: Array, chunk: delta_rule.Token) -> tuple[Array, Array]:
    """A whole chunk at once: o_t = S_0 q_t + Σ_{s≤t} (k_s·q_t) u_s.

    Args:
        parameters: none.
        state: S_0, shape (d, m).
        chunk: C tokens.

    Returns:
        The state after the chunk, S_0 + Σ_s u_s k_sᵀ, and the outputs, shape (C, d).
    """
    u = writes(state, chunk)
    weights = namespace(u).tril(chunk.q @ chunk.k.T)
    return state + u.T @ chunk.k, chunk.q @ state.T + weights @ u


@definition
def evaluate(state: Array, tokens: delta_rule.Token) -> Scan:
    """The delta rule over n·C tokens, chunk by chunk.

    Args:
        state: the state before the first token, shape (d, m).
        tokens: n chunks of C tokens, arrays of shape (n, C, …).

    Returns:
        The states after each chunk (n, d, m), the outputs (n, C, d), and the final state.
    """
    return scan(step, None, state, tokens)


@definition
def factors(chunk: delta_rule.Token) -> Factors:
    """(I + L) W = (β_t k_tᵀ)_t and (I + L) Y = (β_t v_tᵀ)_t: all that is sequential in a chunk, without its state.

    The transition of the chunk is Π_t (I − β_t k_t k_tᵀ) = I − Wᵀ K, the factor of the first token leftmost, K with
    rows k_tᵀ; and S_C = S_0 (I − Wᵀ K) + Yᵀ K.
    """
    L = coefficients(chunk)
    weights = chunk.beta[:, None]
    return Factors(
        forward_substitution(L, weights * chunk.k), forward_substitution(L, weights * chunk.v)
    )
