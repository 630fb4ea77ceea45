"""The layers that are step functions, each beside its loops and with inputs of any size."""

from collections.abc import Callable
from typing import Any, NamedTuple

import learner_loops
import loops
import numpy as np
from agreement import Draw

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import (
    delta_rule,
    gd_ssm,
    gril,
    linear_attention,
    linear_recurrence,
    linear_transformer,
    longhorn,
    lsa,
    mamba,
    ssd,
    ssm,
)
from scanproof.constructs.learners import accumulation

WIDTH = 3


class Case(NamedTuple):
    """A computation by definitions, its twin in loops, and its inputs at sizes N, f, k ≥ 1."""

    compute: Callable[..., Any]
    twin: Callable[..., Any]
    inputs: Callable[[Draw, int, int, int], tuple[Any, ...]]
    step: Any = None
    """The step function of a layer; its inputs are (parameters, state, tokens)."""


def layer(
    step: Callable[..., Any],
    twin: Callable[..., Any],
    inputs: Callable[[Draw, int, int, int], tuple[Any, ...]],
) -> Case:
    """A step function, scanned over N tokens: the last state and the outputs."""

    def compute(parameters: Any, state: Any, tokens: Any) -> tuple[Any, Any]:
        run = scan(step, parameters, state, tokens)
        return run.final_state, run.outputs

    return Case(compute, twin, inputs, step)


def steps(N: int) -> np.ndarray:
    return np.arange(1, N + 1)


def block(d: Draw, f: int) -> gril.Block:
    return gril.Block(d(f, f), d(WIDTH, WIDTH), d(WIDTH), d(), np.asarray((2, 1)))


def two_head(d: Draw) -> gril.TwoHead:
    return gril.TwoHead(d(WIDTH, WIDTH), d(WIDTH, WIDTH), d(WIDTH), d(), np.asarray((1, 3)), d())


def two_head_inputs(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    tokens = gril.WeightedWindow(d(N, f, WIDTH), steps(N), d(N, f, f))
    return two_head(d), (d(f, f), d(f, f)), tokens


def associations(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    tokens = delta_rule.Token(d(N, f), d(N, k), d(N, f), d.positive(N))
    return None, d(k, f), tokens


def discrete(d: Draw, f: int) -> ssm.Discrete:
    return ssm.Discrete(d(f, f), d(f), d(f))


def transformer(d: Draw, f: int) -> linear_transformer.Parameters:
    size = 2 * f + 1
    return linear_transformer.Parameters(d(f + 1, size), d(f + 1), d(f + 1, size), d(size, size))


def selective(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    return mamba.Parameters(d(f), d(f, k), d(f, k), d(k)), d(f), mamba.Token(d(N), d(N, k))


LAYER_CASES = {
    "delta rule": layer(delta_rule.step, loops.delta_rule, associations),
    "longhorn": layer(longhorn.step, loops.longhorn, associations),
    "gd_ssm": layer(
        gd_ssm.step,
        loops.gd_ssm,
        lambda d, N, f, k: (
            gd_ssm.Scalar(d(k, 2 * f), d(k, 2 * f), d(), np.asarray((0, 1))),
            d(k),
            gd_ssm.Token(d(N, 2 * f), steps(N)),
        ),
    ),
    "gd_ssm two heads": layer(gd_ssm.two_head_step, loops.two_heads(True), two_head_inputs),
    "gril": layer(
        gril.step,
        loops.gril,
        lambda d, N, f, k: (block(d, f), d(f, f), gril.Window(d(N, f, WIDTH), steps(N))),
    ),
    "gril two heads": layer(gril.two_head_step, loops.two_heads(False), two_head_inputs),
    "linear attention": layer(
        linear_attention.step,
        loops.linear_attention,
        lambda d, N, f, k: (None, d(k, f), linear_attention.Token(d(N, f), d(N, f), d(N, k))),
    ),
    "normalised linear attention": layer(
        linear_attention.normalised_step,
        loops.normalised_layer,
        lambda d, N, f, k: (
            None,
            (d(f, k), d.positive(f)),
            linear_attention.Token(d.positive(N, f), d.positive(N, f), d(N, k)),
        ),
    ),
    "linear recurrence": layer(
        linear_recurrence.step,
        loops.linear_recurrence,
        lambda d, N, f, k: (
            None,
            d(k, f),
            linear_recurrence.Token(d(N, k, f), d(N, k, f), d(N, f)),
        ),
    ),
    "matrix recurrence": layer(
        linear_recurrence.matrix_step,
        loops.matrix_recurrence,
        lambda d, N, f, k: (
            d(k, k),
            d(k, f),
            linear_recurrence.Token(d(N, k, f), d(N, k, f), d(N, f)),
        ),
    ),
    "linear transformer": layer(
        linear_transformer.step,
        loops.linear_transformer,
        lambda d, N, f, k: (transformer(d, f), d(2 * f + 1, f + 1), d(N, 2 * f + 1)),
    ),
    "linear self-attention": layer(
        lsa.step,
        loops.lsa_recurrence,
        lambda d, N, f, k: (lsa.Parameters(d(f, f), d(f, f), d()), d(f, f), d(N, f)),
    ),
    "mamba": layer(mamba.step, loops.mamba, selective),
    "ssd": layer(
        ssd.step,
        loops.ssd,
        lambda d, N, f, k: (None, d(f, k), ssd.Token(d(N, f), d(N), d(N, k), d(N, k))),
    ),
    "ssm": layer(ssm.step, loops.ssm, lambda d, N, f, k: (discrete(d, f), d(f), d(N))),
    "lagged ssm": layer(
        ssm.lagged_step, loops.lagged_ssm, lambda d, N, f, k: (discrete(d, f), (d(f), d()), d(N))
    ),
    "Euler's step": layer(
        ssm.euler_step,
        lambda p, h, x: (loops.euler_steps(*p, h=h, x=x)[-1], loops.euler_steps(*p, h=h, x=x)),
        lambda d, N, f, k: (ssm.Sampled(d(f, f), d(f), d()), d(f), d(N)),
    ),
    "gradient accumulation, one target": layer(
        accumulation.accumulation_step,
        lambda w, g, data: one_target(accumulated, w, g, *data),
        lambda d, N, f, k: (d(f), d(f), accumulation.Example(d(N, f), d(N))),
    ),
    "gradient accumulation": layer(
        accumulation.accumulation_step,
        lambda w, g, data: accumulated(w, g, *data),
        lambda d, N, f, k: (d(f, k), d(f, k), accumulation.Example(d(N, f), d(N, k))),
    ),
}


def accumulated(w, g, x, y):
    """g_0 plus half the gradient of Σ ‖·‖² over each prefix."""
    prefixes = [
        learner_loops.squared_error_gradient(w, x[: t + 1], y[: t + 1], loops.WIDE.mpf(1) / 2, 1, 0)
        for t in range(len(x))
    ]
    sums = [g + prefix for prefix in prefixes]
    return sums[-1], sums


def one_target(twin, *arrays):
    """A twin for (f, K) weights and (N, K) targets, used for (f,) and (N,): the first array is the weights."""
    w, *others, x, y = arrays
    found = twin(w[:, None], *(o[:, None] for o in others), x, y[:, None])
    return tuple(np.asarray(part, dtype=object)[..., 0] for part in found)
