"""Layers that are linear recurrences, as the ops take them: H_t = a_t H_{t−1} + v_t ⊗ k_t, y_t = H_t q_t.

What a layer writes and reads follows from its parameters: C Q Cᵀ with Q = u vᵀ is (C u) ⊗ (C v). The factors are found
from the parameters and checked exactly. The step functions of `constructs` remain the definitions: they run on the
recurrent op, and the tests compare the two.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import gd_ssm, gril, linear_transformer, lsa, ssd

from ..jax_backend import jax, traced


class Writes(NamedTuple):
    """What a layer writes and reads at T tokens."""

    v: Any
    """(T, D)."""
    k: Any
    """(T, N)."""
    q: Any
    """(T, N)."""


@dataclass(frozen=True)
class LinearLayer:
    """How a step function is run by an op; all functions take the parameters and the T tokens of one head."""

    step: Callable[..., Any]
    """The definition."""
    writes: Callable[[Any, Any], Writes]
    finish: Callable[[Any, Any, Any], Any]
    """From the op's outputs y (T, D) to the outputs of the step function."""
    shape: Callable[[Any], tuple[int, int]]
    """(D, N) of the op's state."""
    start: Callable[[Any], tuple[int, ...]]
    """The shape of the step function's own state."""
    gate: Callable[[Any], Any] = lambda parameters: np.ones(())
    """The decays that the parameters fix: () or of the state's shape."""
    step_parameters: Callable[[Any], Any] = lambda parameters: parameters
    """The parameters as the step function takes them."""
    step_tokens: Callable[[Any, Any], Any] = lambda parameters, tokens: tokens
    """The tokens as the step function takes them."""
    step_finish: Callable[[Any, Any, Any], Any] = lambda parameters, tokens, outputs: outputs
    """The layer's outputs, from those of the step function."""


def rank_one(mixing: Any) -> tuple[np.ndarray, np.ndarray]:
    """u and v with Q = u vᵀ, exactly; Q has shape (w, w).

    Raises:
        UsageError: if Q has another rank, or no such factors are found in floating point.
    """
    Q = np.asarray(mixing, dtype=np.float64)
    wanted = _fractions(Q)
    for row, column in [
        *np.argwhere(Q),
        (0, 0),
    ]:  # a quotient may be exact for one pivot and not for another
        u, v = Q[:, column] / (Q[row, column] or 1.0), Q[row]
        if (np.outer(_fractions(u), _fractions(v)) == wanted).all():
            return u, v
    raise UsageError(
        "the mixing matrix Q is not a product u vᵀ, so a token writes more than one outer product; "
        "run it with --lane recurrent."
    )


def _fractions(array: np.ndarray) -> np.ndarray:
    """The same numbers as exact fractions."""
    return np.vectorize(lambda entry: Fraction(float(entry)), otypes=[object])(array)


def combined(windows: Any, weights: Any) -> Any:
    """C_t u for every window: (T, f, w) and (w,) -> (T, f), without the columns whose weight is 0."""
    weights = np.asarray(weights)
    terms = [_times(weights[j], windows[..., j]) for j in np.flatnonzero(weights)]
    return sum(terms[1:], terms[0]) if terms else 0 * windows[..., 0]


def mapped(matrix: Any, rows: Any) -> Any:
    """A z_t for every token: (m, n) and (T, n) -> (T, m); a matrix with one entry a row selects, slice by slice."""
    jnp = jax().numpy
    known = np.asarray(matrix, dtype=np.float64)
    runs = _runs(known)
    if runs is None or len(runs) > FEW:
        return jnp.matmul(rows, rounded(known, rows.dtype).T, precision="highest")
    pieces = []
    for place, entries in runs:
        if place is None:
            pieces.append(jnp.zeros((rows.shape[0], len(entries)), rows.dtype))
            continue
        piece = rows[:, place : place + len(entries)]
        pieces.append(piece if (entries == 1).all() else piece * rounded(entries, rows.dtype))
    return pieces[0] if len(pieces) == 1 else jnp.concatenate(pieces, axis=1)


FEW = 8
"""The most slices for which a selection is cheaper than a matrix product."""


def _runs(matrix: np.ndarray) -> list[tuple[int | None, np.ndarray]] | None:
    """Rows as runs (first column, entries) along a diagonal, column None for rows of zeros; None if a row has more."""
    if (np.count_nonzero(matrix, axis=1) > 1).any():
        return None
    places = np.abs(matrix).argmax(axis=1)
    entries = matrix[np.arange(len(matrix)), places]
    zero = entries == 0
    follows = np.where(zero[1:], zero[:-1], ~zero[:-1] & (np.diff(places) == 1))
    cuts = [0, *(np.flatnonzero(~follows) + 1).tolist(), len(matrix)]
    return [
        (None if zero[i] else int(places[i]), entries[i:j]) for i, j in itertools.pairwise(cuts)
    ]


def rounded(value: Any, dtype: Any) -> Any:
    """A parameter in the format of the layer; inside `jit` the rounding is a part of the program, and of its bound."""
    known = value if traced(value) else np.asarray(value, dtype=np.float64)
    return jax().numpy.asarray(known).astype(dtype)


def _times(weight: Any, column: Any) -> Any:
    return column if weight == 1 else column * rounded(weight, column.dtype)


def _scaled(parameters: Any, tokens: Any, outputs: Any) -> Any:
    """β/t times the outputs."""
    own = parameters._replace(
        beta=rounded(parameters.beta, outputs.dtype), count=rounded(parameters.count, outputs.dtype)
    )
    return gril.read_scale(own, tokens.t)[:, None] * outputs


def _block_writes(parameters: gril.Block, tokens: gril.Window) -> Writes:
    u, v = rank_one(parameters.mixing)
    C = tokens.window
    return Writes(combined(C, u), combined(C, v), combined(C, parameters.query))


def _square(parameters: Any) -> tuple[int, int]:
    return np.shape(parameters.gate)[0], np.shape(parameters.gate)[1]


GRIL = LinearLayer(
    gril.step, _block_writes, _scaled, _square, start=_square, gate=lambda p: np.asarray(p.gate)
)
"""Z += C Q Cᵀ, o = β Z C q."""

GD_SSM = LinearLayer(
    gd_ssm.step,
    writes=lambda p, tokens: Writes(
        jax().numpy.ones((tokens.c.shape[0], 1), tokens.c.dtype),
        mapped(p.Psi, tokens.c),
        mapped(p.Theta, tokens.c),
    ),
    finish=lambda p, tokens, outputs: _scaled(p, tokens, outputs)[:, 0],
    shape=lambda p: (1, np.shape(p.Psi)[0]),
    start=lambda p: (np.shape(p.Psi)[0],),
)
"""z += Ψ c, o = β zᵀ Θ c: a state of one row."""


class Mamba2(NamedTuple):
    """Parameters of an SSD layer (ssd Def. 3.2) but for its decays, which come with the tokens."""

    S_B: Any
    S_C: Any
    n: int
    """Examples: the layer divides by n."""
    residual: bool = True
    """Whether it is the layer of Def. 3.2, or `ssd.mixing`, without residual and 1/n."""


class Row(NamedTuple):
    """A token of an SSD layer."""

    z: Any
    """(D,)."""
    decay: Any
    """a_t."""


def _with_residual(parameters: Mamba2, tokens: Row, outputs: Any) -> Any:
    return tokens.z + outputs / parameters.n if parameters.residual else outputs


SSD = LinearLayer(
    ssd.step,
    writes=lambda p, tokens: Writes(tokens.z, mapped(p.S_B, tokens.z), mapped(p.S_C, tokens.z)),
    finish=_with_residual,
    shape=lambda p: (np.shape(p.S_B)[1], np.shape(p.S_B)[0]),
    start=lambda p: (np.shape(p.S_B)[1], np.shape(p.S_B)[0]),
    step_parameters=lambda p: None,
    step_tokens=lambda p, tokens: ssd.tokens(
        tokens.z.T, tokens.decay, *(rounded(S, tokens.z.dtype) for S in (p.S_B, p.S_C))
    ),
    step_finish=_with_residual,
)
"""Z + (1/n) Z (L ∘ (Zᵀ S_Bᵀ S_C Z)) for a mask of decays, token by token."""

LSA = LinearLayer(
    lsa.step,
    writes=lambda p, tokens: Writes(tokens, tokens, mapped(p.Q, tokens)),
    finish=lambda p, tokens, outputs: (
        tokens + rounded(p.scale, tokens.dtype) * mapped(p.P, outputs)
    ),
    shape=lambda p: np.shape(p.P),  # type: ignore[return-value]
    start=lambda p: np.shape(p.P),
)
"""H += z ⊗ z, output z + scale · P H Q z."""

LINEAR_TRANSFORMER = LinearLayer(
    linear_transformer.step,
    writes=lambda p, tokens: Writes(
        mapped(p.value, tokens),
        mapped(p.key, tokens),
        mapped(p.query, tokens) + rounded(p.query_bias, tokens.dtype),
    ),
    finish=lambda p, tokens, outputs: tokens + outputs,
    shape=lambda p: (np.shape(p.value)[0], np.shape(p.key)[0]),
    start=lambda p: (np.shape(p.value)[0], np.shape(p.key)[0]),
)
"""S += v ⊗ k, output h + S q."""
