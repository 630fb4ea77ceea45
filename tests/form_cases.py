"""The other forms of the layers and the discretisations, each beside its loops."""

from collections.abc import Callable
from typing import Any

import loops
import numpy as np
from agreement import Draw
from layer_cases import WIDTH, Case, discrete, selective, steps, transformer, two_head
from loops import WIDE

from scanproof.constructs.arrays import expansion
from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.arrays.inverse import inverse
from scanproof.constructs.layers import (
    delta_rule,
    fla_delta_net,
    fla_linear_attention,
    gd_ssm,
    gril,
    hybrid,
    hybrid_terms,
    linear_attention,
    linear_recurrence,
    linear_transformer,
    longhorn,
    lsa,
    mamba,
    multi_step,
    ssd,
    ssm,
    trajectories,
)

LAYERS = 2
ORDER = 3


def masks(length: int) -> tuple[Any, ...]:
    j, i = np.indices((length, length))
    return tuple(seen.astype(int) for seen in (j <= i, j >= i, j < length - 1))


def scaled_attention(Z, mask, P, Q):
    return loops.attention_layer(Z, mask, P, Q, WIDE.mpf(1) / (len(Z[0]) - 1))


def gap_to_columns(Z, mask, S):
    """Z (L ∘ (Zᵀ S Z)): the SSD layer without its residual and factor."""
    return loops.attention_layer(Z, mask, loops.identity(len(Z)), S, 1) - Z


def hybrid_layer(p, Z):
    half = scaled_attention(Z, p.ssd_mask, loops.identity(len(Z)), p.S)
    return scaled_attention(half, p.lsa_mask, p.P, p.Q)


def hybrid_inputs(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    size = N + 1
    parameters = hybrid.Parameters(d(size, size), d(f, f), d(size, size), d(f, f), d(f, f))
    return parameters, d(f, size), d(f, f)


def split_increment(p, Z, S):
    """The terms of `hybrid_terms`, token by token, the last one without the first example."""
    n = len(Z[0]) - 1
    half = scaled_attention(Z, p.ssd_mask, loops.identity(len(Z)), p.S)
    difference = p.lsa_mask - p.ssd_mask
    others = [0 * difference[0], *difference[1:]]
    return (
        half,
        hybrid_layer(p, Z) - Z,
        (gap_to_columns(half, p.lsa_mask, S) - gap_to_columns(Z, p.lsa_mask, S)) / n,
        gap_to_columns(Z, difference, S) / n,
        gap_to_columns(Z, others, S) / n,
    )


def theta(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    return ssd.Parameters(d(N + 1), d(k, f), d(k, f)), d(f, N + 1)


def stacked(step: Callable[..., Any], transposed: bool, runner: Any = multi_step.stack) -> Case:
    def compute(parameters, windows, W0):
        run = runner(step, parameters, windows, W0, LAYERS)
        return run.final_state, run.outputs

    def twin(parameters, windows, W0):
        looped = runner is multi_step.loop
        return loops.two_head_stack(
            parameters, windows.window, windows.t, W0, LAYERS, transposed, looped
        )

    return Case(
        compute,
        twin,
        lambda d, N, f, k: (two_head(d), gril.Window(d(N, f, WIDTH), steps(N)), d(f, f)),
    )


def heads(d: Draw, f: int, k: int) -> fla_linear_attention.Parameters:
    """Two heads of k keys and of one value, for tokens of f numbers."""
    return fla_linear_attention.Parameters(d(2, k, f), d(2, k, f), d(2, 1, f), d(2, f, 1))


def delta_heads(d: Draw, f: int, k: int) -> fla_delta_net.Parameters:
    """Two heads of k keys and of two values, for tokens of f numbers."""
    projections = d(2, k, f), d(2, k, f), d(2, 2, f)
    return fla_delta_net.Parameters(*projections, d(2, f), d(2), d(2, f, 2))


def two_layers(p, rows):
    """Both with residual connections."""
    for _ in range(2):
        rows = rows + np.asarray(loops.multi_head(p, rows))
    return rows


FORM_CASES = {
    "cross product": Case(
        gril.cross_product,
        loops.cross_product,
        lambda d, N, f, k: (d(f, N), d(N, N)),
    ),
    "hybrid layer": Case(
        lambda p, Z, S: hybrid.layer(p, Z), lambda p, Z, S: hybrid_layer(p, Z), hybrid_inputs
    ),
    "terms of a hybrid layer": Case(
        lambda p, Z, S: (
            hybrid_terms.half_step(p, Z),
            hybrid_terms.increment(p, Z),
            hybrid_terms.half_step_term(p, Z, S),
            hybrid_terms.mask_term(p, Z, S),
            hybrid_terms.other_examples_term(p, Z, S, 0, 1),
        ),
        split_increment,
        hybrid_inputs,
    ),
    "contribution of a token": Case(
        hybrid_terms.contribution,
        lambda B, u, v, w: loops.summed("a,ab,b,c->c", v, B, u, w),
        lambda d, N, f, k: (d(f, f), d(f), d(f), d(k)),
    ),
    "multi-head linear attention": Case(
        lambda p, rows: (
            fla_linear_attention.attention(p, rows),
            fla_linear_attention.stack([p, p], rows),
        ),
        lambda p, rows: (loops.multi_head(p, rows), two_layers(p, rows)),
        lambda d, N, f, k: (heads(d, f, k), d(N, f)),
    ),
    "DeltaNet layer": Case(
        lambda p, rows, eps: fla_delta_net.layer(p, rows, fla_delta_net.Epsilons(*eps)),
        lambda p, rows, eps: rows + np.asarray(loops.delta_net(p, rows, *eps)),
        lambda d, N, f, k: (delta_heads(d, f, k), d(N, f), d.positive(2)),
    ),
    "normalised attention": Case(
        linear_attention.normalised,
        lambda t: loops.normalised_attention(*t),
        lambda d, N, f, k: (linear_attention.Token(d.positive(N, f), d.positive(N, f), d(N, k)),),
    ),
    "Taylor features": Case(
        linear_attention.taylor_features,
        lambda x: loops.taylor(x, WIDE.mpf(1) / 2),
        lambda d, N, f, k: (d(f),),
    ),
    "quadratic features": Case(
        linear_attention.quadratic_features, loops.taylor, lambda d, N, f, k: (d(f), d())
    ),
    "gated output": Case(
        linear_recurrence.gated_output,
        lambda o, U: o * loops.summed("ab,b->a", U, o),
        lambda d, N, f, k: (d(f), d(f, f)),
    ),
    "stack of linear transformers": Case(
        lambda p, h: linear_transformer.LAYER.outputs(p, h, layers=LAYERS),
        lambda p, h: loops.linear_transformer_stack(p, h, LAYERS),
        lambda d, N, f, k: (transformer(d, f), d(N, 2 * f + 1)),
    ),
    "weights in tokens": Case(
        linear_transformer.weights_in_tokens,
        lambda w, x, y: [[*w, *row, target] for row, target in zip(x, y, strict=True)],
        lambda d, N, f, k: (d(f), d(N, f), d(N)),
    ),
    "Longhorn's objective": Case(
        longhorn.objective,
        loops.longhorn_objective,
        lambda d, N, f, k: (d(k, f), d(k, f), delta_rule.Token(d(f), d(k), d(f), d.positive())),
    ),
    "masked self-attention": Case(
        lsa.layer,
        scaled_attention,
        lambda d, N, f, k: (d(f, N + 1), d(N + 1, N + 1), d(f, f), d(f, f)),
    ),
    "masks of self-attention": Case(
        lambda x: tuple(
            mask(x.__array_namespace__(), x.shape[0])
            for mask in (lsa.causal_mask, lsa.printed_mask, lsa.examples_mask)
        ),
        lambda x: masks(len(x)),
        lambda d, N, f, k: (d(N),),
    ),
    "projected attention": Case(
        lambda *arrays: (lsa.projected(*arrays), lsa.causally_projected(*arrays)),
        lambda S, W_Q, W_K, W_V: tuple(
            loops.attention_rows(S, W_Q, W_K, W_V, causal) for causal in (False, True)
        ),
        lambda d, N, f, k: (d(N, f), d(f, 2), d(f, 2), d(f, k)),
    ),
    "softplus": Case(
        mamba.softplus,
        lambda z: [WIDE.log(1 + WIDE.exp(entry)) for entry in z],
        lambda d, N, f, k: (d(N),),
    ),
    "unrolled mamba": Case(
        lambda p, state, t: mamba.unrolled(p, t),
        lambda p, state, t: loops.mamba(p, [0] * len(state), t)[1],
        selective,
    ),
    "stack of gril layers": stacked(gril.two_head_step, False),
    "stack of gd_ssm layers": stacked(gd_ssm.two_head_step, True),
    "looped gril layer": stacked(gril.two_head_step, False, multi_step.loop),
    "looped gd_ssm layer": stacked(gd_ssm.two_head_step, True, multi_step.loop),
    "tokens of ssd": Case(
        ssd.tokens,
        lambda Z, decays, S_B, S_C: (
            loops.columns(Z),
            decays,
            loops.summed("ab,bi->ia", S_B, Z),
            loops.summed("ab,bi->ia", S_C, Z),
        ),
        lambda d, N, f, k: (d(f, N), d(N), d(k, f), d(k, f)),
    ),
    "decay mask": Case(ssd.decay_mask, loops.decay_mask, lambda d, N, f, k: (d(N),)),
    "masked mixing": Case(
        ssd.masked_mixing,
        gap_to_columns,
        lambda d, N, f, k: (d(f, N), d(N, N), d(f, f)),
    ),
    "ssd layer": Case(
        ssd.layer,
        lambda Z, mask, S: scaled_attention(Z, mask, loops.identity(len(Z)), S),
        lambda d, N, f, k: (d(f, N + 1), d(N + 1, N + 1), d(f, f)),
    ),
    "mixing by decays": Case(
        ssd.mixing,
        lambda p, Z: gap_to_columns(
            Z, loops.decay_mask(p.decays), loops.summed("ca,cb->ab", p.S_B, p.S_C)
        ),
        theta,
    ),
    "mamba-2 layer": Case(
        ssd.mamba2,
        lambda p, Z: scaled_attention(
            Z,
            loops.decay_mask(p.decays),
            loops.identity(len(Z)),
            loops.summed("ca,cb->ab", p.S_B, p.S_C),
        ),
        theta,
    ),
}


def slope(A, B, h, x):
    return loops.summed("ab,b->a", A, h) + B * x


def unit(B):
    return np.asarray(loops.identity(len(B)))


def held(A, B, delta, length=40):
    """exp(ΔA) and ∫_0^Δ exp(sA) ds B, by long Taylor series."""
    transition = term = unit(B)
    gain, drive = 0 * B, B
    for n in range(1, length + 1):
        gain = gain + delta * drive / n
        term, drive = (
            delta / n * loops.summed("ab,bc->ac", term, A),
            delta / n * loops.summed("ab,b->a", A, drive),
        )
        transition = transition + term
    return transition, gain


def diagonal_hold(a, b, delta):
    transition, gain = held(np.diag(a), b, delta, 60)
    return np.diag(transition), gain


def tustin(A, B, delta):
    """Columns of (I − ½ΔA)⁻¹(I + ½ΔA) and (I − ½ΔA)⁻¹ ΔB by solving the systems."""
    backward, forward = unit(B) - delta * A / 2, unit(B) + delta * A / 2
    solved = [loops.solve(backward, column) for column in loops.columns(forward)]
    return loops.columns(solved), loops.solve(backward, delta * B)


def polynomial(c, t):
    return sum(row * t**n for n, row in enumerate(c))


DISCRETISATION_CASES = {
    "evolution": Case(ssm.evolution, slope, lambda d, N, f, k: (d(f, f), d(f), d(f), d())),
    "Euler's method": Case(
        ssm.forward_euler,
        loops.euler_steps,
        lambda d, N, f, k: (d(f, f), d(f), d(), d(f), d(N)),
    ),
    "Euler's matrices": Case(
        ssm.euler,
        lambda A, B, delta: (unit(B) + delta * A, delta * B),
        lambda d, N, f, k: (d(f, f), d(f), d()),
    ),
    "bilinear": Case(ssm.bilinear, tustin, lambda d, N, f, k: (d(f, f), d(f), d.small())),
    "zero-order hold": Case(
        ssm.zero_order_hold,
        diagonal_hold,
        lambda d, N, f, k: (-d.positive(f), d(f), d.positive()),
    ),
    "zero-order hold, series": Case(
        lambda A, B, delta: ssm.zero_order_hold_series(A, B, delta, ORDER),
        lambda A, B, delta: held(A, B, delta, ORDER),
        lambda d, N, f, k: (d(f, f), d(f), d()),
    ),
    "matrix power": Case(
        lambda A: tuple(ssm.power(A, n) for n in range(4)),
        lambda A: (
            loops.identity(len(A)),
            A,
            loops.product(A, A),
            loops.product(loops.product(A, A), A),
        ),
        lambda d, N, f, k: (d(f, f),),
    ),
    "convolution": Case(
        ssm.convolution, loops.ssm_impulses, lambda d, N, f, k: (discrete(d, f), d(N))
    ),
    "polynomial curve": Case(
        lambda c, t: (trajectories.value(c, t), trajectories.integral(c, t)),
        lambda c, t: (
            polynomial(c, t),
            t * polynomial([row / (n + 1) for n, row in enumerate(c)], t),
        ),
        lambda d, N, f, k: (d(N, f), d()),
    ),
    "velocity": Case(
        lambda c, t: trajectories.velocity(lambda time: trajectories.value(c, time), t),
        lambda c, t: polynomial([n * row for n, row in enumerate(c)][1:], t) + 0 * c[0],
        lambda d, N, f, k: (d(N, f), d()),
    ),
    "coefficients of a curve": Case(
        lambda c, t: tuple(
            expansion.coefficient(namespace(c), lambda time: trajectories.value(c, time), n)
            for n in range(3)
        ),
        lambda c, t: tuple(c[n] if n < len(c) else [0] * len(c[0]) for n in range(3)),
        lambda d, N, f, k: (d(N, f), d()),
    ),
    "inverse": Case(
        lambda A: inverse(A),
        loops.inverse,
        lambda d, N, f, k: (np.eye(f) + d.small(f, f),),
    ),
}
