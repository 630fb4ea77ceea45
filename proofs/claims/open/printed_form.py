"""Two layers SSD ∘ LSA of the form in the proof of ssd Theorem 5.1, and two steps of SGD with the printed sign."""

from __future__ import annotations

from typing import NamedTuple

from scanproof.constructs.arrays.array_api import Array, outer
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.layers import hybrid, lsa, ssd
from scanproof.constructs.layers.hybrid import Parameters
from scanproof.constructs.learners.descent import stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import equal
from .existence import two_examples
from .source import open_questions

# Two examples and the query, d = 1, as columns. S_l = diag(B_l, 0), Q_l = diag(A_l, 0), P_l = diag(P_X, P_Y), M causal,
# and L any causal mask. Only L B, P_X A and P_Y A matter, so that A_l = B_l = n = 2 stand for all; labels are linear in
# w, so that w = 1 stands for all.
GIVEN = {"L": "2 3 3", "P_X": "2", "P_Y": "2", "x_1": "", "x_2": "", "eta": ""}


class Layers(NamedTuple):
    """The parameters of two layers, each with a leading axis of length 2."""

    L: Array
    """(2, 3, 3)."""
    P_X: Array
    P_Y: Array


def layers(p, xp):
    """The two layers' parameters."""
    feature, label = xp.eye(2)[0], xp.eye(2)[1]
    only, own, causal = outer(feature, feature), outer(label, label), lsa.causal_mask(xp, 3)
    return [
        Parameters(p.L[k] * causal, 2 * only, causal, p.P_X[k] * only + p.P_Y[k] * own, 2 * only)
        for k in range(2)
    ]


def response(p, x_1, x_2, xp):
    """r_0 = 1 + ∂y_3/∂x_3 at x_3 = 0 where the first SSD sublayer leaves the query as it is."""
    first, second = layers(p, xp)
    others = 1 - outer(xp.ones((3,)), xp.eye(3)[2])
    first = first._replace(ssd_mask=others * first.ssd_mask)

    def label(q):
        Z = two_examples(1, x_1, x_2, q, xp)
        return hybrid.layer(second, hybrid.layer(first, Z))[1, 2]

    return 1 + gradient(label, xp.asarray(0))


def steps_response(x_1, x_2, eta, xp):
    """1 + ∂⟨w_2, x_3⟩/∂x_3, w_2 after two steps of SGD on the two examples."""
    Z = two_examples(1, x_1, x_2, 0 * x_1, xp)
    start = xp.zeros((1,))
    return 1 + stochastic_gradient_descent(HALF_SUM, start, Z[:1, :2].T, Z[1, :2], eta)[0]


def slope(function, xp):
    """The coefficient of x²."""
    return gradient(lambda x: gradient(function, x), xp.asarray(0)) / 2


class Pieces(NamedTuple):
    """What r_0 is where one example is 0, and its coefficient of x_2²."""

    first: Array
    second: Array
    both: Array


def pieces(p, x_1, x_2):
    """The three by their formulas, in the words of the reading."""
    c, c_2, a, b, b_2 = p.L[0], p.L[1], p.P_X[0], p.P_Y[0], p.P_Y[1]

    def grown(j, x):
        U = x * x * (1 + c[j, j] * x * x) ** 2
        return U, U * (1 + a * U) ** 2

    def alone(j, x):
        U, X = grown(j, x)
        return (1 + b * U) * (1 + c_2[j, 2] * X) * (1 + b_2 * X * (1 + c_2[j, j] * X) ** 2)

    U, X = grown(0, x_1)
    m, l, own, nu = 1 + a * U, 1 + b * U, 1 + c_2[0, 2] * X, 1 + c[0, 1] * x_1 * x_1
    D = b + c_2[1, 2] * m * m * l + b_2 * m * m * l * own * (1 + c_2[0, 1] * X) ** 2
    last = b_2 * (1 + c_2[0, 0] * X) ** 2 * (a * own + c_2[1, 2] * m**3)
    D = D + U * m * l * (a * c_2[0, 2] + last)
    return Pieces(alone(0, x_1), alone(1, x_2), nu * nu * D)


def found_pieces(p, x_1, x_2, xp):
    """The three of the layers."""
    zero = xp.asarray(0)
    both = slope(lambda x: response(p, x_1, x, xp), xp)
    return Pieces(response(p, x_1, zero, xp), response(p, zero, x_2, xp), both)


def compared(found, claimed, of):
    """The three equations."""
    yield equal(found.first, claimed.first, label=f"{of}: x_2 = 0")
    yield equal(found.second, claimed.second, label=f"{of}: x_1 = 0")
    yield equal(found.both, claimed.both, label=f"{of}: coefficient of x_2²")


def wanted(x_1, x_2, eta):
    """The three of p = 1 + ηx_1² + ηx_2² − η²x_1²x_2²."""
    first = eta * x_1 * x_1
    return Pieces(1 + first, 1 + eta * x_2 * x_2, eta * (1 - first))


@open_questions.claim(
    "open.thm5.1-form",
    kind="existence",
    says=(
        "for every ε > 0 there are two layers of the form in the proof of ssd Thm. 5.1, S_l = diag(B_l, 0), "
        "Q_l = diag(A_l, 0), P_l = diag(P_X, P_Y), with any A_l, B_l, P_X, P_Y and any causal masks L, that have "
        "y^2_{n+1} = +⟨w_2, x_{n+1}⟩ up to ε for bounded data, n = 2, d = 1, η > 0"
    ),
    given=GIVEN,
    sizes={},
    over_all_parameters=("L", "P_X", "P_Y"),
    reading=(
        "r = 1 + ∂y_3/∂x_3 at w = 1, x_3 = 0 is a polynomial in x_1, x_2; for the steps it is p = 1 + ηx_1² + ηx_2² − "
        "η²x_1²x_2², irreducible. Let r → p for some parameters. By +pieces (its notation) r = Q_1 r_0. Factors with "
        "constant term 1 stay bounded if their product does (Mahler measures) and tend to factors of p: Q_1 → 1, as "
        "it has no x_1²x_2², and r_0 → p. Where x_2 = 0, one of the three factors of r_0 tends to 1 + ηx_1² and the "
        "others to 1; where x_1 = 0 alike, with the same b and b'. So bU, or b'X(1 + s'X)², or both α'_jX tend to "
        "ηx_j². In the second case D → η(1 + μ'x_1²)²; in the others D → η + (1 + ηx_1²) lim b'm²(1 + μ'X)², b' → 0. "
        "ν²D has to tend to η(1 − ηx_1²), which is negative for large x_1²: so b' < 0, and −b'm²(1 + μ'X)² tends to a "
        "square g². Then ν is constant, 1, and (1 + ηx_1²)g² = η²x_1², which no g solves. Other examples may be 0: so "
        "for every n ≥ 2. With parameters that mix features and labels two layers do it: ssd.thm5.1+two-examples."
    ),
)
def proof_form(L, P_X, P_Y, x_1, x_2, eta, xp):
    found = found_pieces(Layers(L, P_X, P_Y), x_1, x_2, xp)
    yield from compared(found, pieces(Layers(L, P_X, P_Y), x_1, x_2), "layers")
    yield from compared(found, wanted(x_1, x_2, eta), "layers and steps")


@proof_form.restate(
    "pieces",
    (
        "for all of these parameters r = Q_1 r_0; r_0 is (1 + bU)(1 + α'_jX)(1 + b'X(1 + s'X)²) where only example j "
        "is not 0, and its coefficient of x_2² is ν²D"
    ),
    kind="identity",
    given={**GIVEN, "y_3": ""},
    reading=(
        "c_ji = L_ji B_1/n, c'_ji = L'_ji B_2/n; s = c_jj, α_j = c_j3, μ = c_12, likewise s', α'_j, μ'; a = P_X A_1/n, "
        "b = P_Y A_1/n, b' = P'_Y A_2/n; U = x_j²(1 + sx_j²)², m = 1 + aU, X = Um², ν = 1 + μx_1², Q_1 = 1 + α_1x_1² + "
        "α_2x_2², D = b + α'_2m²(1 + bU) + Um(1 + bU)(aα'_1 + b'(1 + s'X)²(a(1 + α'_1X) + α'_2m³)) + b'm²(1 + bU)"
        "(1 + α'_1X)(1 + μ'X)². r = Q_1 r_0: to first order in x_3 the first SSD sublayer takes the query to "
        "(Q_1 x_3, (Q_1 − 1) x_3), and a query (0, y_3) stays as it is."
    ),
)
def all_pieces(L, P_X, P_Y, x_1, x_2, eta, y_3, xp):
    p = Layers(L, P_X, P_Y)
    first, second = layers(p, xp)
    moved = L[0, 0, 2] * x_1 * x_1 + L[0, 1, 2] * x_2 * x_2

    def half(row):
        def entry(q):
            Z = two_examples(1, x_1, x_2, q, xp)
            return ssd.layer(Z, first.ssd_mask, first.S)[row, 2]

        return gradient(entry, xp.asarray(0))

    yield equal(half(0), 1 + moved, label="Q_1, features")
    yield equal(half(1), moved, label="Q_1, labels")
    Z = two_examples(1, x_1, x_2, 0 * x_1, xp) + y_3 * outer(xp.eye(2)[1], xp.eye(3)[2])
    for layer in (first, second):
        yield equal(hybrid.layer(layer, Z)[:, 2], Z[:, 2], label="a query without features")
    yield from compared(found_pieces(p, x_1, x_2, xp), pieces(p, x_1, x_2), "layers")
    zero = xp.asarray(0)
    steps = Pieces(
        steps_response(x_1, zero, eta, xp),
        steps_response(zero, x_2, eta, xp),
        slope(lambda x: steps_response(x_1, x, eta, xp), xp),
    )
    yield from compared(steps, wanted(x_1, x_2, eta), "steps")
