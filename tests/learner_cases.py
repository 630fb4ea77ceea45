"""Losses, their gradients, learners and tokenisations, each beside its loops."""

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import learner_loops
import loops
import numpy as np
from agreement import Draw
from layer_cases import Case
from loops import WIDE

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.arrays.size import entries
from scanproof.constructs.learners import (
    accumulation,
    coefficients,
    descent,
    further,
    losses,
    moving_metric,
    operators,
    prefix,
)
from scanproof.constructs.learners.losses import (
    HALF_MEAN,
    HALF_SUM,
    MEAN,
    SUM,
    BinaryCrossEntropy,
    CrossEntropy,
    SquaredError,
)
from scanproof.constructs.tokens.exposure import exposures

STEPS = 3
HALF = WIDE.mpf(1) / 2
RIDGE = SquaredError(Fraction(1, 2), ridge=Fraction(1, 3))


def regression(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    """Weights W0 ≠ 0, inputs and targets of size k."""
    return d(f, k), d(N, f), d(N, k)


def scalar_regression(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    return d(f), d(N, f), d(N)


def prompt(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    """Weights, inputs with a query, targets and a step size."""
    return d(f, k), d(N + 1, f), d(N, k), d.small()


def recall(S, previous, k, v, beta):
    """Longhorn's objective."""
    change, residual = S - previous, S @ k - v
    return (change * change).sum() + beta * (residual * residual).sum()


def first_seen(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    """A prompt on which every step from 0 moves: the minimiser is on a line along the gradient."""
    return 0 * d(f, k), 1 + abs(d(N + 1, f)), 1 + abs(d(N, k)), 1 + abs(d.small())


def implicit(w, x, y, eta):
    """S ← S + Δ (v − S k) kᵀ, Δ = β/(1 + β‖k‖²), from S = wᵀ."""
    S = loops.columns(w)
    for k, v in zip(x, y, strict=False):
        strength = eta / (1 + eta * sum(a * a for a in k))
        wrong = [
            b - sum(s * a for s, a in zip(row, k, strict=True)) for row, b in zip(S, v, strict=True)
        ]
        S = [
            [s + strength * e * a for s, a in zip(row, k, strict=True)]
            for row, e in zip(S, wrong, strict=True)
        ]
    return S


def constants(loss: SquaredError, N: int) -> tuple[Any, ...]:
    """(scale, divisor, ridge) as the loops take them."""
    exact = (Fraction(loss.scale), Fraction(N if loss.mean else 1), Fraction(loss.ridge))
    return tuple(WIDE.mpf(c.numerator) / c.denominator for c in exact)


def squared(loss: SquaredError) -> Case:
    """The value and the gradient of a squared error, for vector targets."""

    def twin(w, x, y):
        known = constants(loss, len(x))
        return (
            learner_loops.squared_error(w, x, y, *known),
            learner_loops.squared_error_gradient(w, x, y, *known),
        )

    return Case(
        lambda w, x, y: (loss(w, x, y), descent.loss_gradient(loss, w, x, y)), twin, regression
    )


def linked(w, x, y):
    """½ Σ (z_i² − y_i)², z_i = w·x_i, and its gradient Σ 2 (z_i² − y_i) z_i x_i."""
    z = loops.summed("ia,a->i", x, w)
    misses = z * z - y
    return loops.dot(misses, misses) / 2, 2 * loops.summed("i,i,ia->a", misses, z, x)


LINKED = SquaredError(Fraction(1, 2), link=lambda z: z * z)


def value_and_gradient(loss: Any, mean: Any = None) -> Callable[..., Any]:
    def compute(w, x, y):
        found = loss(w, x, y), descent.loss_gradient(loss, w, x, y)
        return (*found, mean(w, x, y)) if mean is not None else found

    return compute


def newton_inputs(d: Draw, N: int, f: int, k: int) -> tuple[Any, ...]:
    return d(f), 0.3 * d(N, f), d(N)


def minimiser(w, x, y):
    """(Σ x xᵀ + 2λ I)⁻¹ Σ y x for ½ Σ (w·x − y)² + λ‖w‖²."""
    ridge = 2 * constants(RIDGE, 1)[2] * np.asarray(loops.identity(len(w)))
    return loops.solve(loops.summed("ia,ib->ab", x, x) + ridge, loops.summed("i,ia->a", y, x))


def everything(N: int) -> list[list[int]]:
    return [list(range(N))] * STEPS


LEARNER_CASES = {
    "half mean squared error": squared(HALF_MEAN),
    "half squared error": squared(HALF_SUM),
    "mean squared error": squared(MEAN),
    "squared error": squared(SUM),
    "ridge": squared(RIDGE),
    "squared error with a link": Case(value_and_gradient(LINKED), linked, scalar_regression),
    "squared error, one target": Case(
        lambda w, x, y: descent.loss_gradient(HALF_SUM, w, x, y),
        lambda w, x, y: learner_loops.squared_error_gradient(
            w[:, None], x, y[:, None], *constants(HALF_SUM, 1)
        )[:, 0],
        scalar_regression,
    ),
    "cross-entropy": Case(
        value_and_gradient(CrossEntropy(), CrossEntropy(mean=True)),
        lambda w, x, y: (
            learner_loops.cross_entropy(w, x, y),
            learner_loops.cross_entropy_gradient(w, x, y),
            learner_loops.cross_entropy(w, x, y) / len(x),
        ),
        lambda d, N, f, k: (d(f, k), d(N, f), d.classes(N, k)),
    ),
    "binary cross-entropy": Case(
        value_and_gradient(BinaryCrossEntropy(), BinaryCrossEntropy(mean=True)),
        lambda w, x, y: (
            learner_loops.binary_cross_entropy(w, x, y),
            learner_loops.binary_cross_entropy_gradient(w, x, y),
            learner_loops.binary_cross_entropy(w, x, y) / len(x),
        ),
        lambda d, N, f, k: (d(f), d(N, f), d.classes(N, 2)[:, 0]),
    ),
    "softmax": Case(losses.softmax, learner_loops.softmax, lambda d, N, f, k: (d(N, k),)),
    "sigmoid": Case(
        losses.sigmoid,
        lambda z: [1 / (1 + WIDE.exp(-entry)) for entry in z],
        lambda d, N, f, k: (d(N),),
    ),
    "unscaled gradient": Case(
        accumulation.unscaled_gradient,
        lambda w, x, y: learner_loops.squared_error_gradient(w, x, y, HALF, 1, 0),
        regression,
    ),
    "gradient descent": Case(
        lambda w, x, y, eta: descent.gradient_descent(HALF_MEAN, w, x[:-1], y, eta, STEPS),
        lambda w, x, y, eta: learner_loops.descend(
            w, x, y, eta, everything(len(y)), HALF, mean=True
        ),
        prompt,
    ),
    "stochastic gradient descent": Case(
        lambda w, x, y, eta: descent.stochastic_gradient_descent(
            HALF_SUM, w, x, y, eta, order(y.shape[0])
        ),
        lambda w, x, y, eta: learner_loops.descend(
            w, x, y, eta, [[i] for i in order(len(y))], HALF, mean=False
        ),
        prompt,
    ),
    "stochastic gradient descent, every example": Case(
        lambda w, x, y, eta: descent.stochastic_gradient_descent(HALF_SUM, w, x[:-1], y, eta),
        lambda w, x, y, eta: learner_loops.descend(
            w, x, y, eta, [[i] for i in range(len(y))], HALF, mean=False
        ),
        prompt,
    ),
    "implicit steps": Case(
        lambda w, x, y, eta: descent.implicit_steps(recall, w.T, x[:-1], y, eta),
        implicit,
        first_seen,
    ),
    "mini-batch gradient descent": Case(
        lambda w, x, y, eta: descent.minibatch_gradient_descent(
            MEAN, w, x, y, eta, batches(y.shape[0])
        ),
        lambda w, x, y, eta: learner_loops.descend(w, x, y, eta, batches(len(y)), 1, mean=True),
        prompt,
    ),
    "prefix predictions": Case(
        lambda w, x, y, eta: descent.prefix_predictions(HALF_MEAN, w, x, y, eta, 2),
        lambda w, x, y, eta: [
            loops.summed(
                "ak,a->k",
                learner_loops.descend(w, x, y, eta, [list(range(t))] * 2, HALF, mean=True),
                x[t],
            )
            for t in range(1, len(y) + 1)
        ],
        prompt,
    ),
    "Newton's step": Case(
        lambda w, x, y: descent.newton_step(RIDGE, w, x, y), minimiser, newton_inputs
    ),
    "heavy ball": Case(
        lambda w, x, y, eta: further.heavy_ball(w, x[:-1], y, eta, 3 * eta, STEPS),
        lambda w, x, y, eta: learner_loops.heavy_ball(w, x[:-1], y, eta, 3 * eta, STEPS),
        prompt,
    ),
    "forgetting gradient": Case(
        lambda w, x, y, decay: further.forgetting_gradient(w, x[:-1], y, decay),
        lambda w, x, y, decay: learner_loops.forgetting_gradient(w, x[:-1], y, decay),
        prompt,
    ),
    "GD++": Case(
        lambda w, x, y, eta: further.gd_plus_plus(w, x, y, [0 * eta, eta, 2 * eta], eta / 2),
        lambda w, x, y, eta: learner_loops.gd_plus_plus(w, x, y, [0, eta, 2 * eta], eta / 2),
        prompt,
    ),
    "damped Newton": Case(
        lambda w, x, y: further.damped_newton(w, x, y, 4),
        lambda w, x, y: learner_loops.ridge_regression(w, x, y, 4),
        lambda d, N, f, k: (d(f, k), 0.3 * d(N, f), d(N, k)),
    ),
    "delta rule on examples": Case(
        lambda w, x, y, rate: further.delta_rule(w, x[:-1], y, rate),
        lambda w, x, y, rate: learner_loops.descend(
            w, x, y, rate, [[i] for i in range(len(y))], HALF, mean=False
        ),
        prompt,
    ),
    "gradient of a stack": Case(
        lambda w, c: gradient(lambda v: (namespace(v).stack([c, v * v], axis=1) ** 2).sum(), w),
        lambda w, c: [4 * entry**3 for entry in w],
        lambda d, N, f, k: (d(f), d(f)),
    ),
    "descent in coefficients": Case(
        lambda x, y, eta: coefficients.weighted_sum(
            coefficients.coefficient_descent(x, y, eta, STEPS), x
        ),
        lambda x, y, eta: learner_loops.descend(
            0 * x[0][:, None], x, y[:, None], eta, everything(len(y)), HALF, mean=False
        )[:, 0],
        lambda d, N, f, k: (d(N, f), d(N), d.small()),
    ),
}


def moving_steps(x, y, eta, weights):
    """(w, A) after one step with each row of weights, from 0 and I."""
    data = moving_metric.Data(x, y, eta)
    state = moving_metric.start(namespace(x), x.shape[1])
    return tuple(scan(moving_metric.step, data, state, weights).final_state)


OPERATOR_CASES = {
    "operators of a batch": Case(
        lambda x: tuple(
            of(x, m)
            for of in (operators.batch_gram, operators.batch_operator)
            for m in (1, x.shape[0])
        ),
        lambda x: tuple(of(x, m) for of in (gram, batch_operator) for m in (1, len(x))),
        lambda d, N, f, k: (d(N, f),),
    ),
    "binomial coefficients": Case(
        lambda x: tuple(operators.binomials(namespace(x), n) for n in range(5)),
        lambda x: tuple([comb(n, s) for s in range(n + 1)] for n in range(5)),
        lambda d, N, f, k: (d(1),),
    ),
    "polynomial of several steps": Case(
        lambda R, eta: tuple(
            of(R, 2, eta, STEPS)
            for of in (operators.steps_polynomial, operators.printed_polynomial)
        ),
        lambda R, eta: (three_steps(R, eta / 2),) * 2,
        lambda d, N, f, k: (d(f, f), d()),
    ),
    "learners of prefixes": Case(
        prefix.prefix_step,
        learner_loops.prefix_step,
        lambda d, N, f, k: (d(N, f), d(N), d(N, f), d.small(), d(N, N)),
    ),
    "descent in a moving metric": Case(
        moving_steps,
        learner_loops.moving_steps,
        lambda d, N, f, k: (d(N, f), d(N), d.small(), d(STEPS, N)),
    ),
    "index of an example": Case(
        lambda x: namespace(x).asarray([operators.example_index(s, 3) for s in range(7)]),
        lambda x: [0, 1, 2, 0, 1, 2, 0],
        lambda d, N, f, k: (d(1),),
    ),
}


def gram(x, m):
    return loops.summed("ta,tb->ab", x[:m], x[:m])


def batch_operator(x, m):
    return [[loops.dot(row, x[t]) / m if t < m else 0 for t in range(len(x))] for row in x]


def three_steps(R, rate):
    """((I − rate R)³ − I) R⁻¹, multiplied out."""
    unit = np.asarray(loops.identity(len(R)))
    return -3 * rate * unit + 3 * rate**2 * R - rate**3 * loops.summed("ab,bc->ac", R, R)


def order(N: int) -> list[int]:
    """Every other example from the last one on, then the first one again."""
    return [*range(N - 1, -1, -2), 0]


def batches(N: int) -> list[list[int]]:
    return [list(range(N)), [N - 1], [0, N - 1]]


def counts(length: int) -> list[int]:
    return list(range(1, length + 1))


def all_windows(stream):
    widths = min(3, stream.shape[0])
    return tuple(
        tokens.windows(stream, width, stride) for width in range(1, widths + 1) for stride in (1, 2)
    )


def all_window_lists(stream):
    widths = min(3, len(stream))
    found = [
        learner_loops.window_list(stream, width, stride)
        for width in range(1, widths + 1)
        for stride in (1, 2)
    ]
    return tuple((windows, counts(len(windows))) for windows in found)


def exposed_by_five_tokens(x):
    """x_t is token 2t − 2 of 2N + 1; the windows start at the even tokens 0, 2, … and hold five."""
    starts = range(0, 2 * len(x) - 3, 2)
    return [sum(s <= 2 * t and 2 * t + 2 <= s + 4 for s in starts) for t in range(len(x))]


def padded_weights(W):
    """W in the first rows and last columns of a square of zeros."""
    k, l = len(W), len(W[0])
    return [*([*[0] * k, *row] for row in W), *([0] * (k + l) for _ in range(l))]


TOKEN_CASES = {
    "keyed tokens": Case(
        tokens.keyed,
        lambda x, y: (x[:-1], y, x[1:], [1] * len(y)),
        lambda d, N, f, k: (d(N + 1, f), d(N, k)),
    ),
    "embedded rows": Case(
        tokens.embedded,
        lambda x, y: (
            [[*row, *[0] * len(y[0])] for row in x],
            [[*[0] * len(x[0]), *row] for row in y],
        ),
        lambda d, N, f, k: (d(N + 1, f), d(N, k)),
    ),
    "embedded weights": Case(
        tokens.embedded_weights, padded_weights, lambda d, N, f, k: (d(f, k),)
    ),
    "concatenated tokens": Case(
        tokens.concatenated,
        lambda x, y: (
            [[*[a * y[i] for a in x[i]], *x[i + 1]] for i in range(len(y))],
            counts(len(y)),
        ),
        lambda d, N, f, k: (d(N + 1, f), d(N)),
    ),
    "interleaved stream": Case(
        tokens.interleaved, learner_loops.interleave, lambda d, N, f, k: (d(N + 1, f), d(N, f))
    ),
    "entries of arrays": Case(
        lambda x, y: namespace(x).asarray(entries((x, (y, None)))),
        lambda x, y: sum(1 for row in x for _ in row) + len(y),
        lambda d, N, f, k: (d(N, f), d(N)),
    ),
    "windows": Case(all_windows, all_window_lists, lambda d, N, f, k: (d(N, f),)),
    "first count of windows": Case(
        lambda stream: tokens.windows(stream, 1, 1, first=0).t,
        lambda stream: list(range(len(stream))),
        lambda d, N, f, k: (d(N, f),),
    ),
    "left-padded windows": Case(
        lambda stream: tokens.left_padded_windows(stream, 3),
        lambda stream: (
            [
                loops.columns(
                    [stream[i] if i >= 0 else [0] * len(stream[0]) for i in range(t - 2, t + 1)]
                )
                for t in range(len(stream))
            ],
            counts(len(stream)),
        ),
        lambda d, N, f, k: (d(N, f),),
    ),
    "exposed examples": Case(
        lambda x: exposures(namespace(x), x.shape[0], 3, 1),
        lambda x: [1] * len(x),
        lambda d, N, f, k: (d(N),),
    ),
    "exposed examples, wide windows": Case(
        lambda x: exposures(namespace(x), x.shape[0], 5, 2),
        exposed_by_five_tokens,
        lambda d, N, f, k: (d(N + 1),),
    ),
    "padded rows": Case(
        lambda rows: tokens.padded(rows, 2, 1),
        lambda rows: [[0, 0, *row, 0] for row in rows],
        lambda d, N, f, k: (d(N, f),),
    ),
    "labelled tokens": Case(
        tokens.labelled,
        lambda x, y: [[*row, label] for row, label in zip(x, [*y, 0], strict=True)],
        lambda d, N, f, k: (d(N + 1, f), d(N)),
    ),
}
