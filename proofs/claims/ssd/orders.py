"""What the proofs of Theorems 5.1 and 5.2 say is O(·), as quantities to be measured in exact numbers."""

from __future__ import annotations

from fractions import Fraction

from scanproof.constructs import tokens
from scanproof.constructs.constructions.hybrid import (
    on_features,
    theorem5_1,
    theorem5_1_drift,
    theorem5_2,
)
from scanproof.constructs.layers import hybrid
from scanproof.constructs.layers.hybrid_terms import half_step, half_step_term, increment
from scanproof.constructs.learners.descent import gradient_descent, stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM, MEAN
from scanproof.constructs.learners.operators import batch_gram, steps_polynomial

from ...exact.orders import Quantity

ETA = Fraction(1, 2)
X = ((1, 2), (-1, 1), (2, -1), (1, 1))
"""Three examples and the query, in two dimensions, none orthogonal to another."""
Y = (2, -1, 1)
N, D, M = len(Y), len(X[0]), 2
COUNTS = tuple(2**k for k in range(1, 7))
"""Numbers of examples."""
MENDED = ("scale", "sign")


def context(xp, count=N):
    """The tokens of the first examples and the query, as columns."""
    return tokens.labelled(xp.asarray(X[:count] + X[-1:]), xp.asarray(Y[:count])).T


def half_eta(xp):
    return xp.asarray(ETA)


def feature_move(parameters):
    """Δx_i of one layer whose parameters are a function of a namespace and ε."""

    def at(xp, eps):
        return increment(parameters(xp, eps), context(xp))[:D]

    return at


def proved_mask(xp, eps):
    return theorem5_1_drift(xp, N, D, eps, xp.eye(D))


def used_mask(xp, eps):
    return theorem5_1(xp, N, D, half_eta(xp), eps)


def scaled_mask(xp, eps):
    return theorem5_1(xp, N, D, half_eta(xp), eps, corrections=MENDED)


def e2(xp, eps):
    """The query's E_2 for the printed parameters."""
    return half_step_term(used_mask(xp, eps), context(xp), on_features(xp, xp.eye(D)))[D, N:]


def e2_of_equals(xp, n):
    """The query's E_2 for n examples x = 1, y = 1 and the query x = 1, at ε = 1/1024."""
    Z = tokens.labelled(xp.ones((n + 1, 1)), xp.ones((n,))).T
    p = theorem5_1(xp, n, 1, half_eta(xp), xp.asarray(Fraction(1, 1024)))
    return half_step_term(p, Z, on_features(xp, xp.eye(1)))[1, n:]


def step_error(parameters):
    """y_i^1 − y_i^0 + η⟨x_i, x_1⟩y_1 for all tokens i."""

    def at(xp, eps):
        x, Z = xp.asarray(X), context(xp)
        return increment(parameters(xp, eps), Z)[D] + half_eta(xp) * (x @ x[0]) * Y[0]

    return at


def sgd_error(layers):
    """−y^l_{n+1} − ⟨w_l, x_{n+1}⟩ as ε → 0, after layers for the examples 1, …, l."""

    def at(xp, eta):
        x, y, Z = xp.asarray(X), xp.asarray(Y), context(xp)
        for t in range(1, layers + 1):
            Z = hybrid.layer(theorem5_1(xp, N, D, eta, 0, t=t, corrections=MENDED), Z)
        w = stochastic_gradient_descent(HALF_SUM, xp.zeros((D,)), x[:layers], y[:layers], eta)
        return -Z[D, N:] - x[N:] @ w

    return at


def batch_layer(xp, eta, K):
    return theorem5_2(xp.asarray(X), M, eta, K, MENDED)


def move_of_batch_layer(xp, eta):
    """x_i^½ − x_i for the layer of Theorem 5.2 with K = 2, in which ‖B‖ is of the order of η."""
    Z = context(xp)
    return (half_step(batch_layer(xp, eta, 2), Z) - Z)[:D]


def e2_of_batch_layer(xp, eta):
    return half_step_term(batch_layer(xp, eta, 2), context(xp), on_features(xp, xp.eye(D)))[D]


def batch_error(K):
    """−y_{n+1} − ⟨w^(K), x_{n+1}⟩ after the mended layer."""

    def at(xp, eta):
        x, y = xp.asarray(X), xp.asarray(Y)
        w = gradient_descent(MEAN, xp.zeros((D,)), x[:M], y[:M], eta, K)
        return -hybrid.layer(batch_layer(xp, eta, K), context(xp))[D, N:] - x[N:] @ w

    return at


def later_steps(K):
    """What K steps differ by from one of size Kη, at the query."""

    def at(xp, eta):
        x, y = xp.asarray(X), xp.asarray(Y)
        several = gradient_descent(MEAN, xp.zeros((D,)), x[:M], y[:M], eta, K)
        return x[N:] @ (several - gradient_descent(MEAN, xp.zeros((D,)), x[:M], y[:M], K * eta))

    return at


def size_of_Q(xp, eta):
    return steps_polynomial(batch_gram(xp.asarray(X), M), M, eta, 3)


MENDED_ERROR = "error of the mended construction against SGD"
ORDERS = (
    *(
        Quantity("ssd.thm5.1", f"{MENDED_ERROR} after {k} layers, ε → 0", "η", sgd_error(k))
        for k in (2, 3)
    ),
    Quantity("ssd.thm5.1-drift", "Δx_i, entry 1 − nε (a)", "ε", feature_move(proved_mask), 2),
    Quantity("ssd.thm5.1-drift", "Δx_i, entry 1 + ηn (b)", "ε", feature_move(used_mask), 2),
    Quantity("ssd.thm5.1-drift", "Δx_i, entry 1 + ηn/ε", "ε", feature_move(scaled_mask)),
    Quantity("ssd.thm5.1-e2", "E_2 of the query", "ε", e2, 1),
    Quantity("ssd.thm5.1-e2", "E_2 of equal examples", "n", e2_of_equals, -1, COUNTS),
    Quantity("ssd.thm5.1-vanish", "E_2 of equal examples", "n", e2_of_equals, -1, COUNTS),
    Quantity("ssd.thm5.1-step", "what is left of the step", "ε", step_error(used_mask), 1),
    Quantity("ssd.thm5.1-step", "what is left with 1 + ηn/ε", "ε", step_error(scaled_mask)),
    Quantity("ssd.thm5.2", "error against 2 steps", "η", batch_error(2)),
    Quantity("ssd.thm5.2-dx", "x_i^½ − x_i, ‖B‖ ~ η", "η", move_of_batch_layer, 1),
    Quantity("ssd.thm5.2-e2", "E_2, ‖B‖ ~ η", "η", e2_of_batch_layer, 1),
    Quantity("ssd.thm5.2-qsmall", "‖Q‖ for K = 3", "η", size_of_Q, 1),
    Quantity("ssd.thm5.2-residual", "residual for K = 2", "η", batch_error(2), 1),
    Quantity("ssd.thm5.2-residual", "2 steps − one of size 2η", "η", later_steps(2)),
)
