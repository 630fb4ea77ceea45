"""The `DeltaNet` layer of flash-linear-attention without convolutions, gate or activation of queries and keys.

Each head runs the delta rule (`delta_rule.step`) on keys W_k h and queries W_q h over their L2 norms, on values
silu(W_v h) and write strengths 2σ(w_β h); what it puts out goes through an RMSNorm, and W_o adds the heads up. Source:
fla/layers/delta_net.py, fla/ops/delta_rule/fused_recurrent.py and fla/modules/l2norm.py of release 0.6.0, with
use_short_conv=False, qk_activation="identity", qk_norm="l2", use_beta=True and allow_neg_eigval=True.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.ranges import build
from ..arrays.scan import scan
from . import delta_rule
from .fla_linear_attention import root
from .mamba2_block import rms_norm, silu


class Parameters(NamedTuple):
    """The projections of H heads with m keys and p values each, and the weight of the norm that they share."""

    query: Array
    """W_q, shape (H, m, M)."""
    key: Array
    """W_k, shape (H, m, M)."""
    value: Array
    """W_v, shape (H, p, M)."""
    strength: Array
    """w_β, shape (H, M)."""
    norm: Array
    """Shape (p,)."""
    output: Array
    """W_o, shape (H, M, p)."""


class Epsilons(NamedTuple):
    """What is added under the roots."""

    unit: Array
    """In the L2 norm of queries and keys: 10⁻⁶ in the kernels."""
    norm: Array
    """In the RMSNorm of outputs: `norm_eps` of the layer."""


class Parts(NamedTuple):
    """The functions of the layer that are not polynomials; `RELEASED` has those of the module."""

    keys: Callable[[Array, Array], Array]
    """(rows, ε) -> rows: the L2 norm of keys."""
    queries: Callable[[Array, Array], Array]
    """The same of queries."""
    activation: Callable[[Array], Array]
    """Of values."""
    strength: Callable[[Array], Array]
    """β from its projection."""
    norm: Callable[[Array, Array, Array], Array]
    """(rows, weight, ε) -> rows, of what a head puts out."""


@definition
def unit(rows: Array, eps: Array) -> Array:
    """u / √(‖u‖² + ε) for each row u: (T, m) -> (T, m)."""
    return rows / namespace(rows).sqrt((rows * rows).sum(axis=1) + eps)[:, None]


@definition
def strength(logits: Array) -> Array:
    """2σ(z), between 0 and 2 (allow_neg_eigval)."""
    return 2 / (1 + namespace(logits).exp(-logits))


RELEASED = Parts(unit, unit, silu, strength, rms_norm)


@definition
def head(
    parameters: Parameters,
    h: int,
    rows: Array,
    eps: Epsilons,
    parts: Parts = RELEASED,
    root_m: Array | None = None,
) -> delta_rule.Token:
    """What head number h takes: (T, M) -> keys (T, m), values (T, p), queries (T, m) and strengths (T,).

    Args:
        parameters: see `Parameters`.
        h: 0, …, H − 1.
        rows: tokens, shape (T, M).
        eps: see `Epsilons`.
        parts: the functions that are not polynomials.
        root_m: another number for √m, by which queries are divided.
    """
    if root_m is None:
        root_m = root(namespace(rows), parameters.key.shape[1])
    return delta_rule.Token(
        k=parts.keys(rows @ parameters.key[h].T, eps.unit),
        v=parts.activation(rows @ parameters.value[h].T),
        q=parts.queries(rows @ parameters.query[h].T, eps.unit) / root_m,
        beta=parts.strength(rows @ parameters.strength[h]),
    )


@definition
def mixer(
    parameters: Parameters,
    rows: Array,
    eps: Epsilons,
    parts: Parts = RELEASED,
    root_m: Array | None = None,
) -> Array:
    """Σ_h W_o norm(S_t q_t), every head from an empty state: (T, M) -> (T, M); arguments as for `head`."""
    xp = namespace(rows)
    empty = xp.zeros((parameters.value.shape[1], parameters.key.shape[1]))

    def outputs(h: int) -> Array:
        tokens = head(parameters, h, rows, eps, parts, root_m)
        read = scan(delta_rule.step, None, empty, tokens).outputs
        return parts.norm(read, parameters.norm, eps.norm) @ parameters.output[h].T

    return build(xp, parameters.query.shape[0], outputs).sum(axis=0)


@definition
def layer(
    parameters: Parameters,
    rows: Array,
    eps: Epsilons,
    parts: Parts = RELEASED,
    root_m: Array | None = None,
) -> Array:
    """h + o: the layer with a residual connection, (T, M) -> (T, M); arguments as for `head`."""
    return rows + mixer(parameters, rows, eps, parts, root_m)
