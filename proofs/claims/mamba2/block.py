"""What the parts of the released block do at the constants of the constructions."""

from __future__ import annotations

from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.layers import mamba2_block, trajectories
from scanproof.constructs.layers.mamba import softplus

from ...language.statements import equal
from .source import mamba2


@mamba2.claim(
    "mamba2.silu-pair",
    where="activation",
    says="silu(z) − silu(−z) = z",
    given={"z": ""},
)
def silu_pair(z):
    return equal(mamba2_block.silu(z) - mamba2_block.silu(-z), z)


@mamba2.claim(
    "mamba2.softplus",
    where="time step",
    says="dt_bias = log(e^c − 1) makes dt = c, and log(e − 1) makes dt = 1, where the projection is 0",
    given={"c": ""},
    assuming={"c > 0": lambda c: c > 0},
)
def time_step(c, xp):
    one = xp.asarray(1)
    yield equal(softplus(xp.log(xp.exp(c) - 1)), c, label="c")
    yield equal(softplus(xp.log(xp.exp(one) - 1)), one, label="1")


@mamba2.claim(
    "mamba2.decay",
    where="decay",
    says=(
        "the decay exp(−dt e^A_log) tends to 1 for A_log → −∞, to first order as 1 − dt e^A_log, and to 0 for "
        "A_log → ∞"
    ),
    given={"dt": "T", "rate": "", "A_log": ""},
    reading=(
        "In the rate a = e^A_log, which goes to 0 and to ∞: with log a for A_log the decay is exp(−dt a). That is 1 at "
        "a = 0 and has the derivative −dt there; m times the rate makes the m-th power, which for a decay below 1 goes "
        "to 0. No finite A_log makes it 1 or 0."
    ),
    assuming={"a > 0": lambda rate: rate > 0},
    sizes={"T": (1, 2), "m": (1, 2, 3)},
)
def decay(dt, rate, A_log, xp, T, m):
    def at(a):
        return mamba2_block.decay_at_rate(dt, a)

    zero = xp.asarray(0)
    yield equal(mamba2_block.decay(dt, A_log), at(xp.exp(A_log)), label="rate e^A_log")
    yield equal(mamba2_block.decay(dt, xp.log(rate)), at(rate), label="A_log = log a")
    yield equal(at(zero), xp.ones((T,)), label="value at rate 0")
    yield equal(trajectories.velocity(at, zero), -dt, label="derivative at rate 0")
    yield equal(at(m * rate), at(rate) ** m, label="m times the rate")


@mamba2.claim(
    "mamba2.rms-norm",
    where="norms",
    says=(
        "with a constant channel K the norm scales all other channels y by one number s = K/√(K² + ‖y‖²), off from 1 "
        "by at most ½(‖y‖/K)²"
    ),
    given={"y": "d", "K": ""},
    assuming={"K > 0": lambda K: K > 0},
    reading=(
        "For the weight K/√(d + 1) and ε = 0. ½(‖y‖/K)² − (1 − s) is (1 − s)²(1 + 2s)/(2s²), which is not negative, "
        "as s is positive."
    ),
)
def rms_norm(y, K, xp, d):
    rows = xp.concat([y, K * xp.ones((1,))], axis=0)[None, :]
    weight = K / xp.sqrt(xp.asarray(d + 1)) * xp.ones((d + 1,))
    normed = mamba2_block.rms_norm(rows, weight, xp.asarray(0))[0]
    s, square = normed[d] / K, (y * y).sum() / (K * K)
    yield equal(normed[:d], s * y, label="one scale")
    yield equal(s * s * (1 + square), xp.asarray(1), label="the scale")
    yield equal(
        square / 2 - (1 - s), (1 - s) ** 2 * (1 + 2 * s) / (2 * s * s), label="distance from 1"
    )


@mamba2.claim(
    "mamba2.convolution",
    where="convolution",
    says="the causal convolution is a sliding window: with the weight e_s a channel is itself W − 1 − s tokens ago",
    given={"u": "T E", "w": "E 4", "b": "E"},
    sizes={"T": (1, 2, 3, 4), "E": (1, 2)},
    reading=(
        "For W = 4, the modules' default: entry t is the product of the weights with (u_{t−3}, …, u_t), zeros before "
        "the start, plus the bias; with a unit vector for the weights it is the channel's shift."
    ),
)
def convolution(u, w, b, xp, T, E):
    padded = xp.concat([xp.zeros((3, E)), u], axis=0)
    convolved = mamba2_block.convolution(u, w, b)
    for t in each(0, T - 1):
        window = [w[:, tap] * padded[t + tap] for tap in range(4)]
        yield equal(convolved[t], sum(window[1:], start=window[0]) + b, label=("window ", t))
    for tap in range(4):
        unit = xp.ones((E, 1)) * xp.eye(4)[tap]
        shifted = padded[tap : tap + T] + b
        yield equal(mamba2_block.convolution(u, unit, b), shifted, label=f"weight {tap}")
