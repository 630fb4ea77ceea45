"""Two layers of ssd eq. 5: no two exact steps of gradient descent, but two steps in the limit."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.constructions.reverse_sgd import query_mask, with_masks
from scanproof.constructs.layers import ssd
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import MEAN

from ...language.statements import equal
from ..ssd.single_example import example_and_query, steps_at_the_query
from .odd_coefficients import POINTS, coefficient
from .source import open_questions

LAYERS = {"a": "2 2", "S": "2 2 2"}
"""Decays and S of two layers, for n = d = 1."""


def responses(output, xp):
    """c_0, …, c_3 of ∂²output/∂y_1∂x_2 = c_0 x_1 + c_1 x_1³ + c_2 x_1⁵ + c_3 x_1⁷ at y_1 = x_2 = 0."""
    zero = xp.asarray(0)
    values = {
        k: gradient(lambda y, k=k: gradient(lambda q: output(k, y, q), zero), zero) for k in POINTS
    }
    return [coefficient(values, power) for power in (1, 3, 5, 7)]


def layers_responses(a, S, xp):
    """Those of two layers, and the factors of c_2 and c_3 in c_1³ = b²(2 + a_2)² (2A c_2 − 3c_3)."""
    one = xp.ones((1,))

    def output(x_1, y_1, x_2):
        Z = example_and_query(x_1 * one, y_1, x_2 * one, xp, 1)
        for layer in range(2):
            Z = ssd.layer(Z, ssd.decay_mask(a[layer]), S[layer])
        return Z[1, 1]

    square = (a[1, 1] * S[1, 0, 0] * (2 + a[0, 1])) ** 2
    return responses(output, xp), (2 * square * S[0, 0, 0], -3 * square)


def steps_responses(rate, xp):
    """Those of two steps at the rate 2η/n = ρ, whose prediction is linear in y_1 and x_2."""
    one = xp.ones((1,))
    values = {
        k: steps_at_the_query(
            example_and_query(k * one, xp.asarray(1), one, xp, 1), rate / 2, xp, 2
        )
        for k in POINTS
    }
    return [coefficient(values, power) for power in (1, 3, 5, 7)]


@open_questions.claim(
    "open.eq5-two-layers",
    kind="existence",
    says=(
        "for some n and d there are two layers of ssd eq. 5 (any S_1, S_2, any masks of decays) with y_{n+1} = ⟨w_2, "
        "x_{n+1}⟩ or a fixed nonzero multiple of it for all linear data, w_2 after two steps of gradient descent on "
        "(1/n) Σ (w·x_i − y_i)² from 0, η ≠ 0"
    ),
    given={**LAYERS, "sigma": "", "rate": ""},
    sizes={},
    assuming={"σ ≠ 0, ρ ≠ 0": lambda sigma, rate: sigma * rate != 0},
    over_all_parameters=("a", "S", "sigma", "rate"),
    depends_on=("open.thm5.2-context-free+padding",),
    reading=(
        "S_l and the decays do not depend on the data. All tokens are 0 but the last example and the query, on a line: "
        "that is the case n = d = 1 with other S and the rate ρ = 2η/n (open.thm5.2-context-free+padding). With A = "
        "(S_1)_11, b = a′_2 (S_2)_11 and c_i as in +none all parameters have c_1³ = b²(2 + a_2)²(2A c_2 − 3c_3); two "
        "steps have c_1 ≠ 0 and c_2 = c_3 = 0 (σ³ρ⁶ is divided out). Exactly, that is: A and b are factors in it, and "
        "a limit does it (+limit). Deeper stacks: ssd.remark4.1-ssd."
    ),
)
def two_layers(a, S, sigma, rate, xp):
    (_, c_1, c_2, c_3), (u, v) = layers_responses(a, S, xp)
    yield equal(c_1**3, u * c_2 + v * c_3, label="the layers")
    _, c_1, c_2, c_3 = (sigma * c for c in steps_responses(rate, xp))
    scale = sigma**3 * rate**6
    yield equal(c_1**3 / scale, (u * c_2 + v * c_3) / scale, label="two steps")


@two_layers.restate(
    "none",
    (
        "no two layers do: with n = d = 1 the response ∂²y_2/∂y_1∂x_2 at y_1 = x_2 = 0 is Σ c_i x_1^{2i+1} with "
        "c_1³ = b²(2 + a_2)²(2A c_2 − 3c_3), A = (S_1)_11, b = a′_2 (S_2)_11, a and a′ the decays; for two steps it is "
        "2ρx_1 − ρ²x_1³"
    ),
    assuming={},
    given={**LAYERS, "rate": ""},
    kind="remark",
)
def no_two_layers(a, S, rate, xp):
    (_, c_1, c_2, c_3), (u, v) = layers_responses(a, S, xp)
    yield equal(c_1**3, u * c_2 + v * c_3, label="the layers")
    claimed = xp.stack([2 * rate, -(rate**2), 0 * rate, 0 * rate])
    yield equal(xp.stack(steps_responses(rate, xp)), claimed, label="two steps")


@two_layers.restate(
    "limit",
    (
        "two layers with the weights −c_l of all examples in the query's column and 0 elsewhere, a limit of masks of "
        "decays, give −⟨(c_1 + c_2)v − c_1c_2 Rv, x_{n+1}⟩, v = Σ y_j x_j, R = Σ x_j x_jᵀ, and two steps at the rate "
        "ρ = 2η/n give ⟨2ρv − ρ²Rv, x_{n+1}⟩"
    ),
    assuming={},
    given={"x": "n+1 d", "y": "n", "c": "2", "eta": ""},
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    depends_on=("ssd.thm5.1+reverse-mask",),
    kind="identity",
    reading=(
        "So c_1 = c_2 = ρ puts −⟨w_2, x_{n+1}⟩ into the query's slot, and c = −ρ(1 ± √2) puts ⟨w_2, x_{n+1}⟩ there: "
        "two layers of eq. 5 come as near to two steps as is wanted. For more layers: open.ssd-stack-any-accuracy."
    ),
)
def limit(x, y, c, eta, xp, n, d):
    Z = tokens.labelled(x, y).T
    for layer in range(2):
        p = with_masks(xp, d, query_mask(c[layer] * xp.ones((n,))))
        Z = ssd.layer(Z, p.ssd_mask, p.S)
    v = y @ x[:-1]
    Rv = (x[:-1] @ v) @ x[:-1]
    yield equal(Z[d, n], (c[0] * c[1] * Rv - (c[0] + c[1]) * v) @ x[n], label="two layers")
    rate = 2 * eta / n
    w_2 = gradient_descent(MEAN, xp.zeros((d,)), x[:-1], y, eta, 2)
    yield equal(w_2, 2 * rate * v - rate**2 * Rv, label="two steps")
