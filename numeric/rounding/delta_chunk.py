"""What one chunk of the delta op adds to the error of its incoming state, from known keys and strengths.

For a row s of the state as it comes in, the op makes (`constructs.forms.wy`, `ops.delta`)

    r = B (v − K s),  X = (I + L)⁻¹,  u = X r,  s' = s + Kᵀ u,  o_t = q_t·s + Σ_{i≤t} (q_t·k_i) u_i,

B = diag β, L the strict lower triangle of B K Kᵀ, read with its error from `wy.coefficients`. Bounds are linear in ‖s‖:
their last axis has one column to be multiplied by ‖s‖, then those that are added. All is counted in the coordinates
‖k_t‖ u_t, with unit keys K̄ and X̄ = diag ‖k‖ X diag ‖k‖⁻¹. With ε the roundings that the lines above name:

- The solve returns X̂ with (I + L̂) X̂ = I + F, |F_ti| ≤ γ_{t−i} (|L̂| |X̂|)_ti: substitution with any order of sums
  (Higham, 2nd ed., Thm. 8.5; line t has t − i terms that are not 0). So X̂ = X (I + R) with |R| ≤ |F| + |L̂ − L| |X̂|, and
  X̂ r is X of r + R r. On a CPU the op substitutes line after line. Elsewhere that it is substitution is assumed:
  XLA's and cuBLAS's blocked solves invert blocks of the diagonal, for chunks within a block.
- Errors of r are errors of v divided by β; `Energy.states` tells what states they make, with the exact X. No entry of
  |X| comes into this.
- Errors of u itself (rounding of X̂ and û to the input format, of sums) change the state by K̄ᵀ δū, with ‖K̄‖₂.
- ŝ rounded to the input format is wrong by δ with ‖δ‖ ≤ ε ‖s‖, which (M_t − I) takes over, ‖M_t‖ ≤ growth.

X is computed in float64; (I + L) X = I + R' tells ‖X_exact − X‖_F ≤ ‖X‖_F ‖R'‖_F / (1 − ‖R'‖_F).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .arithmetic import CHOPPED, OWN, format_of, gamma
from .delta_energy import ROOM, Energy, norm
from .delta_norms import frobenius, spectral_norm, substituted
from .enclosed import Enclosed, error, low


class Rounding(NamedTuple):
    """The formats of a run."""

    unit: float
    """u of the accumulation dtype."""
    tiny: float
    """ν, the larger of both dtypes', in the unit of values and states."""
    largest: float
    """The largest number, in that unit."""
    least: float
    """ν as it is."""
    most: float
    """The largest number as it is."""
    entering: float
    """The unit roundoff of a factor that is rounded to the input dtype; 0 where it is that of the sums."""
    chopped: int
    """Unit roundoffs of an addition in a product."""


def rounding(inputs: np.dtype, accumulate: np.dtype, *, mixed: bool = True) -> Rounding:
    """That of an op; `mixed` False: its products are in the accumulation dtype too, as those of single tokens."""
    own, other = format_of(accumulate), format_of(inputs)
    mixed = mixed and own != other
    tiny = max(own.tiny, other.tiny)
    largest = min(own.largest, other.largest)
    return Rounding(
        own.unit,
        tiny,
        largest,
        tiny,
        largest,
        other.unit if mixed else 0.0,
        CHOPPED if mixed else 1,
    )


class Inverse(NamedTuple):
    """X̄, its distance from the exact one in ‖·‖_F, and what the residual of the solve is made of."""

    X: np.ndarray
    """(n, C, C)."""
    wrong: np.ndarray
    """(n,)."""
    size: np.ndarray
    """|L̂|, in the same coordinates."""
    error: np.ndarray
    """|L̂ − L|."""
    ratio: np.ndarray
    """‖k_t‖ / ‖k_i‖, 0 where one of them is 0 and t ≠ i, 1 on the diagonal."""


def inverse(L: Enclosed, norms: np.ndarray) -> Inverse:
    """Of I + L; infinite errors where L is not known well enough."""
    C = norms.shape[1]
    known = np.where(norms > 0, norms, 1.0)
    ratio = (
        np.where(norms > 0, known, 0.0)[..., :, None]
        * np.where(norms > 0, 1 / known, 0.0)[..., None, :]
    )
    ratio = np.tril(ratio, -1) + np.eye(C)

    def strict(field: np.ndarray) -> np.ndarray:
        return np.tril(np.broadcast_to(field, L.shape).reshape(ratio.shape), -1) * ratio

    upper, lower, lost = strict(L.upper), strict(low(L)), strict(np.asarray(error(L)) + 0 * L.upper)
    middle, radius = (upper + lower) / 2, (upper - lower) / 2 + 2 * OWN.unit * np.abs(upper)
    fine = np.asarray((np.abs(middle) + lost < 2.0**100).all(axis=(-2, -1)))
    matrix = np.eye(C) + np.where(fine[:, None, None], middle, 0.0)
    X = substituted(matrix)
    fine &= np.isfinite(X).all(axis=(-2, -1))
    X = np.where(fine[:, None, None], X, np.eye(C))
    size = np.abs(matrix)
    residual = np.abs(matrix @ X - np.eye(C)) + (gamma(C + 4, OWN.unit) * size + radius) @ np.abs(X)
    share = frobenius(residual) * ROOM
    wrong = np.where(
        fine & (share < 1), frobenius(X) * share / np.where(share < 1, 1 - share, 1.0), np.inf
    )
    return Inverse(X, wrong, np.abs(middle) + radius + lost, lost, ratio)


def transition(K: np.ndarray, energy: Energy, found: Inverse) -> tuple[np.ndarray, np.ndarray]:
    """I − Kᵀ X B K of each chunk, acting on columns, (n, N, N), and how far it is from the exact one, (n,)."""
    unit = unit_keys(K, energy.norms)
    scaled = energy.middle[..., None] * unit
    M = np.eye(K.shape[-1]) - np.swapaxes(unit, -1, -2) @ (found.X @ scaled)
    sizes = frobenius(unit), frobenius(scaled), frobenius(found.X) + found.wrong
    lost = gamma(2 * sum(K.shape[1:]) + 16, OWN.unit)
    radius = np.sqrt(np.square(energy.radius).sum(axis=1))
    return M, ROOM * (
        sizes[0] * (found.wrong * sizes[1] + sizes[2] * radius)
        + lost * (sizes[0] * sizes[1] * sizes[2] + 1)
    )


def unit_keys(K: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Keys divided by their norms, zeros as they are: (n, C, N), (n, C) -> (n, C, N)."""
    return K / np.where(norms > 0, norms, 1.0)[..., None]


class Added(NamedTuple):
    """Bounds that are linear in the incoming row: their last axis is (× ‖s‖, then one or D added)."""

    state: np.ndarray
    """Of the error of the outgoing row, (n, cols)."""
    outputs: np.ndarray
    """Of those of o_t, to be multiplied by ‖q_t‖, (n, C, cols)."""
    plain: np.ndarray
    """Of those that underflow makes of o_t, (n, cols)."""
    reached: np.ndarray
    """Of all values and sums on the way, divided by 1 + ‖q_t‖, (n, cols)."""
    states: np.ndarray
    """Of ‖s_t‖ itself, (n, C, cols)."""
    fits: np.ndarray
    """Whether the numbers of the system stay within their format, (n,)."""


def start(values: np.ndarray) -> np.ndarray:
    """1 in the first column, for a row of norm 1: (n, C, w) -> (n, 1 + w)."""
    column = np.zeros((values.shape[0], 1 + values.shape[-1]))
    column[:, 0] = 1.0
    return column


def known(first: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Columns `first` (n, C) and `values` (n, C, w), or a number for all of those."""
    return np.concatenate([first[..., None], values], axis=-1)


def added(
    K: np.ndarray,
    values: np.ndarray,
    strengths: Enclosed,
    energy: Energy,
    found: Inverse,
    own: Rounding,
) -> Added:
    """What rounding and underflow add in chunks that are computed side by side.

    Args:
        K: keys, (n, C, N).
        values: |v|, (n, C, w), w = 1 or D.
        strengths: β and its error as computed, (n, C).
        energy: of these keys and strengths.
        found: of the chunks' systems.
        own: the formats.
    """
    n, C, N = K.shape
    u, tiny, e = own.unit, own.tiny, own.entering
    g_N, g_C = gamma(own.chopped * N, u), gamma(own.chopped * C, u)
    norms, one = energy.norms, start(values)
    nothing = np.zeros_like(values)

    def small(times: np.ndarray | float) -> np.ndarray:
        """Underflows, in all but the first column: (…) -> (…, cols)."""
        sizes = np.asarray(times, dtype=float)[..., None] * tiny
        return np.concatenate([0 * sizes, np.repeat(sizes, values.shape[-1], axis=-1)], axis=-1)

    each = np.ones((n, C))
    every = np.ones(n)
    unit = unit_keys(K, norms)
    keys = np.fmin(spectral_norm(unit), np.sqrt(C))[:, None]

    # r: errors of w = v − K s and of the factor β, relative where β's is; what is left is an error of r itself
    b_error = np.broadcast_to(np.asarray(error(strengths)), strengths.shape).reshape(n, C)
    least = np.minimum(np.abs(strengths.upper), np.abs(low(strengths)))
    least = np.broadcast_to(least, strengths.shape).reshape(n, C)
    relative = (b_error <= least / 2) & (least * norms > 0)
    share = np.where(relative, b_error / np.where(relative, least, 1.0), 0.0)
    w = known(norms * (1 + e), values)
    w_error = known(norms * g_N * (1 + e), nothing) + small(4.0 * (N + 2) * each)
    times = (1 + u) ** 2 * (1 + share[..., None]) * (1 + e) - 1
    r_error = np.where(relative, 0.0, b_error * (1 + e) * (1 + u))[..., None] * (w + w_error)
    r_error = norms[..., None] * (r_error + small(4.0 * each))
    scale = (energy.strengths * norms)[..., None]
    r = norm(scale * w)
    r[:, 0] = np.fmin(r[:, 0], ROOM * (1 + e) * energy.theta_size.max(axis=1) * keys[:, 0])
    most = times.max(axis=1)
    r = (r + norm(scale * w_error)) * (1 + most) + norm(r_error)
    raw = (
        (energy.strengths + np.where(relative, 0.0, b_error))[..., None]
        * (w + w_error)
        * (1 + times)
    )
    raw = raw + small(4.0 * each)

    # the residual of the solve, an error of r as well
    ratio_most = found.ratio.max(axis=(-2, -1))
    underflow = 4.0 * (C + 2) * own.least * ratio_most
    H = frobenius(gamma(C, u) * found.size + found.error)
    X_size = frobenius(found.X) + found.wrong
    inside = X_size * H * ROOM
    fits = inside < 1
    moved = X_size * (H * X_size + C * underflow) / np.where(fits, 1 - inside, 1.0)
    moved = np.where(fits, moved + found.wrong, np.inf)[:, None, None]
    below = np.tril(np.ones((C, C)), -1)
    X = np.abs(found.X) + np.where(below > 0, moved, 0.0)  # bounds |X̂|, whose diagonal is 1
    places = np.arange(C)
    terms = np.maximum(places[:, None] - places, 0)
    F = terms * u / (1 - C * u) * (found.size @ X) if C * u < 1 else np.inf * X
    F, wrong_L = (norm(rows, axis=2) * ROOM for rows in (F, found.error))
    usable = energy.strengths * norms > 0
    usable &= relative | (b_error == 0)
    divided = np.where(usable, 1 / np.where(usable, scale[..., 0], 1.0), 0.0)
    of_values = w_error * (1 + times) + (F * divided)[..., None] * r[:, None]
    r_error = (
        r_error + (np.where(usable, 0.0, F) + (C * underflow)[:, None])[..., None] * r[:, None]
    )
    # the part of the error that is relative to w: its column of ‖s‖ by a spectral norm where that is known
    weighted = np.fmin(
        spectral_norm(np.sqrt(energy.weights)[..., None] * K),
        np.sqrt((energy.weights * norms**2).sum(axis=1)),
    )
    gentle = np.asarray(energy.gentle.all(axis=1))
    of_w = times * known(np.where(gentle[:, None], 0.0, w[..., 0]), w[..., 1:])
    lost_states = energy.states(0 * one, of_values + of_w)
    lost_writes = energy.writes(0 * one, of_values + of_w, lost_states)
    extra = np.where(gentle, most[:, 0] * (1 + e) * weighted * ROOM, 0.0)
    lost_states[..., 0] += extra[:, None]
    lost_writes[:, 0] += np.where(gentle, 3 * extra / (2 - energy.most) * np.sqrt(energy.most), 0.0)

    # (L̂ − L) X̂ r is at most |L̂ − L| times ‖X̂ r‖, which is at most what it is otherwise, plus `again` times itself
    states = energy.states(one, known(0 * norms, values))
    writes = energy.writes(one, known(0 * norms, values), states)
    solved = writes + lost_writes + X_size[:, None] * norm(r_error)
    of_L = (wrong_L * divided)[..., None]
    states_of_L = energy.states(np.zeros((n, 1)), of_L)
    again = energy.writes(np.zeros((n, 1)), of_L, states_of_L)
    again = again + (X_size * norm(np.where(usable, 0.0, wrong_L)))[:, None]
    solved = solved / np.where(again < 1, 1 - again, 0.0)
    lost_states = lost_states + states_of_L * solved[:, None]
    r_error = r_error + np.where(usable, 0.0, wrong_L)[..., None] * solved[:, None]

    # u: rounding of X̂, of sums, of û
    strictly = np.where(below > 0, X, 0.0)
    largest = np.fmin(frobenius(strictly) * ROOM, spectral_norm(strictly))[:, None]
    size = norm(norms)[:, None]
    u_error = (e * largest + g_C * (1 + e) ** 2 * (1 + largest)) * r
    u_error = u_error + X_size[:, None] * norm(r_error)
    u_error = u_error + size * (small(4.0 * (C + 2) * every) + own.least * raw.sum(axis=1))
    total = solved + u_error
    u_error = u_error + e * total + size * small(2.0 * every)
    sums = np.sqrt(C) * (solved + u_error)  # Σ ‖k_t‖ |ũ_t|

    # s and o
    entered = e * one + small(2.0 * np.sqrt(N) * every)
    carried = (1 + energy.growth[:, None]) * entered + keys * u_error
    if C == 1:  # the step may take w kᵀ first, and then β
        carried = carried + small(4.0 * np.sqrt(N) * energy.strengths[:, 0])
    inexact = lost_states + carried[:, None]
    last = g_C * sums + small(4.0 * (C + 2) * np.sqrt(N) * every)
    state = (inexact[:, -1] + last) * (1 + u) + u * states[:, -1]
    read = ((1 + g_N) * (1 + e) * (1 + g_C) - 1) * sums + g_N * (1 + e) * one + entered
    outputs = (inexact + read[:, None]) * (1 + u) + u * states
    reach = np.where(found.ratio > 0, 1 / np.where(found.ratio > 0, found.ratio, 1.0), 0.0)
    u_raw = ((X * reach) @ raw).max(axis=1) * 2  # a line of X̂ r with absolute values
    plain = small(8.0 * (N + C + 4) * every) + 4.0 * (N + 2) * own.least * C * u_raw
    reached = one + sums + u_raw + raw.max(axis=1)
    reached = reached + ((w + w_error) * np.maximum(1.0, norms)[..., None]).max(axis=1)
    matrices = np.maximum(norms.max(axis=1) ** 2, (X * reach).max(axis=(-2, -1)))
    fits = (matrices < own.most / 4) & (found.size.max(axis=(-2, -1)) < own.most / 4)
    roomy = [a * ROOM for a in (state, outputs, plain, reached, states)]
    return Added(*roomy, fits=fits)
