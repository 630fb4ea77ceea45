"""The Mamba-2 block as released: pre-norm, mixer and residual, with the parameters of its published modules.

The mixer projects a token to [z, x, B, C, dt], runs a depthwise causal convolution and SiLU over x, B and C, keeps one
SSD state a head, adds a skip term, normalises what is gated by SiLU(z), and projects back. Nothing is merged, split or
transposed beside what the modules of state-spaces/mamba and of transformers hold, so their tensors are these fields.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.scan import scan
from . import ssd
from .mamba import softplus


class Sizes(NamedTuple):
    """The whole numbers that do not follow from the shapes of the parameters."""

    heads: int
    """H."""
    groups: int
    """G, which divides H; head h takes B and C of group h // (H / G)."""
    head_dim: int
    """P; the inner width is I = H·P."""
    state: int
    """S, the coordinates of B and C in a group."""


class Parameters(NamedTuple):
    """One block on tokens of M coordinates, with a convolution of width W over E = I + 2·G·S channels."""

    norm: Array
    """Weight of the pre-norm, shape (M,)."""
    in_proj: Array
    """Rows in the order z (I), x (I), B (G·S), C (G·S), dt (H): shape (2I + 2GS + H, M)."""
    conv_weight: Array
    """Shape (E, W); the last column multiplies the token itself."""
    conv_bias: Array
    """Shape (E,)."""
    dt_bias: Array
    """Shape (H,)."""
    A_log: Array
    """Shape (H,): A = −exp(A_log)."""
    D: Array
    """Shape (H,)."""
    gated_norm: Array
    """Weight of the gated norm, shape (I,)."""
    out_proj: Array
    """Shape (M, I)."""


@definition
def silu(z: Array) -> Array:
    """z / (1 + exp(−z))."""
    return z / (1 + namespace(z).exp(-z))


@definition
def rms_norm(rows: Array, weight: Array, eps: Array) -> Array:
    """weight ⊙ u / √(mean(u²) + ε) for each row u: (T, M) -> (T, M)."""
    square = (rows * rows).sum(axis=1) / rows.shape[1]
    return rows / namespace(rows).sqrt(square + eps)[:, None] * weight


@definition
def convolution(rows: Array, weight: Array, bias: Array) -> Array:
    """Depthwise and causal: entry (t, e) is b_e + Σ_s w_{e,s} u_{t−W+1+s, e}, zeros before the start.

    Args:
        rows: (T, E).
        weight: (E, W), W a number.
        bias: (E,).
    """
    xp = namespace(rows)
    width, length = weight.shape[1], rows.shape[0]
    past = xp.concat([xp.zeros((width - 1, rows.shape[1])), rows], axis=0) if width > 1 else rows
    out = past[:length] * weight[:, 0]
    for tap in range(1, width):
        out = out + past[tap : tap + length] * weight[:, tap]
    return out + bias


@definition
def decay_at_rate(dt: Array, rate: Array) -> Array:
    """exp(−dt · rate)."""
    exponent = -dt * rate
    return namespace(exponent).exp(exponent)


@definition
def decay(dt: Array, A_log: Array) -> Array:
    """exp(dt · A) with A = −exp(A_log): dt (T,), A_log a scalar -> (T,)."""
    return decay_at_rate(dt, namespace(dt).exp(A_log))


class Parts(NamedTuple):
    """The functions of a block that are not polynomials; `RELEASED` has those of the modules."""

    activation: Callable[[Array], Array]
    """Of what leaves the convolution."""
    gate: Callable[[Array], Array]
    """Of z."""
    time_step: Callable[[Array], Array]
    """dt from its projection plus dt_bias."""
    decay: Callable[[Array, Array], Array]
    """(dt, A_log) -> the factor of the state."""
    norm: Callable[[Array, Array, Array], Array]
    """(rows, weight, ε) -> rows."""


RELEASED = Parts(silu, silu, softplus, decay, rms_norm)


class Projected(NamedTuple):
    """What a mixer makes of T tokens before its heads run."""

    z: Array
    """The gate before its activation, (T, I)."""
    x: Array
    """(T, I)."""
    B: Array
    """(T, G·S)."""
    C: Array
    """(T, G·S)."""
    dt: Array
    """(T, H)."""


@definition
def project(
    parameters: Parameters, sizes: Sizes, rows: Array, parts: Parts = RELEASED
) -> Projected:
    """in_proj split in the order z, x, B, C, dt; convolution and activation over x, B and C; dt.

    Args:
        parameters: see `Parameters`.
        sizes: see `Sizes`.
        rows: normalised tokens, (T, M).
        parts: the functions that are not polynomials.
    """
    inner = sizes.heads * sizes.head_dim
    state = sizes.groups * sizes.state
    ends = (inner, 2 * inner + 2 * state)
    projected = rows @ parameters.in_proj.T
    convolved = convolution(
        projected[:, ends[0] : ends[1]], parameters.conv_weight, parameters.conv_bias
    )
    convolved = parts.activation(convolved)
    return Projected(
        z=projected[:, :inner],
        x=convolved[:, :inner],
        B=convolved[:, inner : inner + state],
        C=convolved[:, inner + state : inner + 2 * state],
        dt=parts.time_step(projected[:, ends[1] :] + parameters.dt_bias),
    )


@definition
def head(
    parameters: Parameters,
    sizes: Sizes,
    which: int,
    projected: Projected,
    parts: Parts = RELEASED,
    *,
    group: int | None = None,
) -> tuple[Array, Array]:
    """Head h as an SSD recurrence: H_t = exp(dt_t A) H_{t−1} + dt_t x_t ⊗ B_t, y_t = H_t C_t + D x_t.

    Args:
        parameters: see `Parameters`.
        sizes: see `Sizes`.
        which: h, counted from 0.
        projected: of T tokens.
        parts: the functions that are not polynomials.
        group: that of the head, where h is a letter and h // (H / G) cannot be asked for.

    Returns:
        The states (T, P, S) and the outputs (T, P).
    """
    P, S = sizes.head_dim, sizes.state
    if group is None:
        group = which // (sizes.heads // sizes.groups)
    x = projected.x[:, which * P : (which + 1) * P]
    dt = projected.dt[:, which]
    tokens = ssd.Token(
        v=dt[:, None] * x,
        decay=parts.decay(dt, parameters.A_log[which]),
        k=projected.B[:, group * S : (group + 1) * S],
        q=projected.C[:, group * S : (group + 1) * S],
    )
    run = scan(ssd.step, None, namespace(x).zeros((P, S)), tokens)
    return run.states, run.outputs + parameters.D[which] * x


@definition
def gated_norm(
    parameters: Parameters,
    sizes: Sizes,
    heads: Sequence[Array],
    z: Array,
    eps: Array,
    parts: Parts = RELEASED,
    *,
    per_group: bool = True,
) -> Array:
    """norm(y ⊙ SiLU(z)) over the channels of each group, or over all of them at once: -> (T, I).

    Args:
        parameters: see `Parameters`.
        sizes: see `Sizes`.
        heads: the outputs of the heads, H arrays (T, P).
        z: (T, I).
        eps: ε.
        parts: the functions that are not polynomials.
        per_group: releases differ in this.
    """
    xp = namespace(z)
    gated = xp.concat(heads, axis=1) * parts.gate(z)
    if not per_group:
        return parts.norm(gated, parameters.gated_norm, eps)
    width = sizes.heads // sizes.groups * sizes.head_dim
    spans = [slice(g * width, (g + 1) * width) for g in range(sizes.groups)]
    normed = [parts.norm(gated[:, s], parameters.gated_norm[s], eps) for s in spans]
    return xp.concat(normed, axis=1)


@definition
def mixer(
    parameters: Parameters,
    sizes: Sizes,
    rows: Array,
    eps: Array,
    parts: Parts = RELEASED,
    *,
    per_group: bool = True,
) -> Array:
    """out_proj of the normalised, gated heads: (T, M) -> (T, M); arguments as for `block`."""
    projected = project(parameters, sizes, rows, parts)
    outputs = [head(parameters, sizes, h, projected, parts)[1] for h in range(sizes.heads)]
    normed = gated_norm(parameters, sizes, outputs, projected.z, eps, parts, per_group=per_group)
    return normed @ parameters.out_proj.T


@definition
def block(
    parameters: Parameters,
    sizes: Sizes,
    rows: Array,
    eps: Array,
    parts: Parts = RELEASED,
    *,
    per_group: bool = True,
) -> Array:
    """u + mixer(norm(u)) for T tokens u as rows: (T, M) -> (T, M).

    Args:
        parameters: see `Parameters`.
        sizes: see `Sizes`.
        rows: the residual stream, (T, M).
        eps: ε of both norms.
        parts: the functions that are not polynomials.
        per_group: whether the gated norm runs over each group of channels or over all of them.
    """
    normed = parts.norm(rows, parameters.norm, eps)
    return rows + mixer(parameters, sizes, normed, eps, parts, per_group=per_group)
