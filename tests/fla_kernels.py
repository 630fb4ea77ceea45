"""Forward kernels of flash-linear-attention as they are installed, and the recurrences that they are to compute."""

import math

import torch
from fla.ops.delta_rule import fused_recurrent_delta_rule
from fla.ops.delta_rule.chunk import chunk_delta_rule_fwd
from fla.ops.gated_delta_rule import fused_recurrent_gated_delta_rule
from fla.ops.gated_delta_rule.chunk import chunk_gated_delta_rule_fwd
from fla.ops.linear_attn import fused_recurrent_linear_attn
from fla.ops.simple_gla import fused_recurrent_simple_gla
from fla.ops.simple_gla.chunk import chunk_simple_gla_fwd
from fla.ops.utils import chunk_local_cumsum
from fla.ops.utils.constant import RCP_LN2


def linear(q, k, v):
    return fused_recurrent_linear_attn(q, k, v, scale=1.0, normalize=False)[0]


def simple_gla(q, k, v, g):
    return fused_recurrent_simple_gla(q, k, v, g=g, scale=1.0)[0]


def delta(q, k, v, beta):
    return fused_recurrent_delta_rule(q, k, v, beta, scale=1.0)[0]


def gated_delta(q, k, v, g, beta):
    return fused_recurrent_gated_delta_rule(q, k, v, g, beta=beta, scale=1.0)[0]


def recurrence(q, k, v, g=None, beta=None):
    S = q.new_zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3])
    o = torch.zeros_like(v)
    for t in range(q.shape[1]):
        if g is not None:
            S = S * g[:, t, :, None, None].exp()
        w = v[:, t]
        if beta is not None:
            w = (w - torch.einsum("bhk,bhkv->bhv", k[:, t], S)) * beta[:, t, :, None]
        S = S + torch.einsum("bhk,bhv->bhkv", k[:, t], w)
        o[:, t] = torch.einsum("bhk,bhkv->bhv", q[:, t], S)
    return o


def linear_reference(q, k, v):
    return recurrence(q, k, v)


def simple_gla_reference(q, k, v, g):
    return recurrence(q, k, v, g)


def delta_reference(q, k, v, beta):
    return recurrence(q, k, v, beta=beta)


def forgetting_late(q, k, v, g, beta):
    """The gated delta rule, each decay a token late."""
    late = torch.cat([torch.zeros_like(g[:, :1]), g[:, :-1]], 1)
    return recurrence(q, k, v, late, beta)


def gated_delta_reference(q, k, v, g, beta):
    return recurrence(q, k, v, g, beta)


def chunked_gla(q, k, v, g):
    """Chunks of 16. The kernels take powers of 2: before, the library multiplies g by 1/ln 2, rounded."""
    return chunk_simple_gla_fwd(q, k, v, chunk_local_cumsum(g, 16), scale=1.0, chunk_size=16)[0]


def chunked_gla_reference(q, k, v, g):
    return recurrence(q, k, v, g * math.log(2))


def chunked_delta(q, k, v, beta):
    return chunk_delta_rule_fwd(q, k, v, beta, 1.0, None, False, chunk_size=16)[0]


chunked_delta_reference = delta_reference


def chunked_gated_delta(q, k, v, g, beta):
    return chunk_gated_delta_rule_fwd(q, k, v, g, beta, 1.0, None, False, chunk_size=16)[1]


def chunked_gated_delta_reference(q, k, v, g, beta):
    """The library takes powers of 2 of g times its rounded 1/ln 2."""
    return recurrence(q, k, v, g * RCP_LN2 * math.log(2), beta)


def chunked_linear(q, k, v):
    return chunk_simple_gla_fwd(q, k, v, scale=1.0, chunk_size=16)[0]


chunked_linear_reference = linear_reference
