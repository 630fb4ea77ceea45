"""Theorem 5.1's two layers on a line through 0, for any parameters, and the argument that no parameters do two steps.

The examples are multiples of one vector v (s_j v, y_j). Where v is orthogonal to what mixes features and labels in the
seven ways of ssd.thm5.1+printed-line, four coordinates suffice: those along v, P_xx v and P_xy, and the label. There P
of the first layer is known but for ρ = P_yy, and of the second only the label's row counts, (0, 0, g, b).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from scanproof.constructs.arrays.array_api import Array, outer, unit
from scanproof.constructs.arrays.expansion import coefficient
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.layers import hybrid, lsa
from scanproof.constructs.learners.descent import stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import Part, approached

GIVEN = {
    "L": "l n+1 n+1",
    "S": "l 4 4",
    "Q": "l 4 4",
    "rho": "",
    "g": "",
    "b": "",
    "s": "n",
    "eta": "",
}
OF_TWO_LAYERS = {name: dims.replace("l ", "2 ") for name, dims in GIVEN.items() if name != "eta"}
PARAMETERS = ("L", "S", "Q", "rho", "g", "b")
MIXING = ("S_xy", "S_yx", "Q_xy", "Q_yx", "P_yx", "P'_yx", "P_xxᵀP'_yx")
"""What v is orthogonal to; P' is that of the second layer, the others are the first one's."""
PLACE = {"v": 0, "u": 1, "e": 2, "y": 3}


class Line(NamedTuple):
    """Parameters of two layers in the coordinates v, P_xx v, P_xy and label."""

    L: Array
    """Masks, (2, n + 1, n + 1); their entries j ≤ i count."""
    S: Array
    """(2, 4, 4); those of the first layer between v and the label count as 0."""
    Q: Array
    """Likewise."""
    rho: Array
    g: Array
    b: Array


def axis(xp: Any, name: str) -> Array:
    """A unit vector of the four."""
    return unit(xp, 4, PLACE[name])


def layers(p: Line, xp: Any, mask: Any = lsa.causal_mask) -> list[hybrid.Parameters]:
    """The layers; `mask` is that of the LSA sublayers."""
    v, u, e, y = (axis(xp, name) for name in "vuey")
    l, length = p.L.shape[0], p.L.shape[-1]
    apart = 1 - outer(v, y) - outer(y, v)
    inner, last = outer(u, v) + outer(e, y) + p.rho * outer(y, y), outer(y, p.g * e + p.b * y)
    return [
        hybrid.Parameters(
            ssd_mask=p.L[k] * lsa.causal_mask(xp, length),
            S=p.S[k] * apart if k == 0 else p.S[k],
            lsa_mask=mask(xp, length),
            P=last if k == l - 1 else inner,
            Q=p.Q[k] * apart if k == 0 else p.Q[k],
        )
        for k in range(l)
    ]


def columns(s: Array, y: Array, query: Array, xp: Any) -> Array:
    """The examples s_j v + y_j e_y and the query, (4,), as columns: (4, n + 1)."""
    n = s.shape[0]
    places = xp.eye(n + 1)
    examples = outer(axis(xp, "v"), s @ places[:n]) + outer(axis(xp, "y"), y @ places[:n])
    return examples + outer(query, places[n])


def response(p: Line, s: Array, y: Array, xp: Any, mask: Any = lsa.causal_mask) -> Array:
    """The label's part that is linear in the query's feature and in y, at (s, y)."""
    zero = xp.asarray(0)

    def label(t: Array, q: Array) -> Array:
        Z = columns(s, t * y, q * axis(xp, "v"), xp)
        for layer in layers(p, xp, mask):
            Z = hybrid.layer(layer, Z)
        return Z[3, s.shape[0]]

    return gradient(lambda t: gradient(lambda q: label(t, q), zero), zero)


def prediction(s: Array, y: Array, eta: Array, order: tuple[int, ...], xp: Any) -> Array:
    """⟨w_l, v⟩ for the steps on the examples in this order, linear in y, where ⟨v, v⟩ = 1."""
    start = xp.zeros((1,))
    return stochastic_gradient_descent(HALF_SUM, start, s[:, None], y, eta, order)[0]


def lowest(function: Any, j: int, n: int, xp: Any) -> Array:
    """The coefficient of y_j s_j in function(s, y)."""
    chosen = unit(xp, n, j)
    return gradient(lambda a: function(a * chosen, chosen), xp.asarray(0))


def mixed(function: Any, j: int, k: int, n: int, xp: Any) -> Array:
    """The coefficient of y_j s_j s_k²."""
    one, other = unit(xp, n, j), unit(xp, n, k)

    def curve(c: Array) -> Array:
        return gradient(lambda a: function(a * one + c * other, one), xp.asarray(0))

    return coefficient(xp, curve, 2)


def skew(function: Any, j: int, k: int, n: int, xp: Any) -> Array:
    """The coefficient of y_j s_j s_k² less that of y_k s_k s_j²."""
    return mixed(function, j, k, n, xp) - mixed(function, k, j, n, xp)


class Scalars(NamedTuple):
    """What the label's response depends on; entry j is that of example j."""

    alpha: list[Array]
    """Weight of example j for the query in the first SSD sublayer, along v."""
    delta: list[Array]
    """Of example j for itself there."""
    gamma: list[Array]
    """Entry of the second mask for the query."""
    nu: list[Array]
    """And for itself."""
    beta: Array
    """Weight of the labels in the first LSA sublayer."""
    B: tuple[Array, Array, Array]
    """S of the second layer on v, between v and what the first LSA sublayer adds to it, on that."""
    C: tuple[Array, Array, Array]
    """Likewise Q/n."""
    b: Array
    g: Array


def scalars(p: Line) -> Scalars:
    """Those of two layers."""
    n = p.L.shape[-1] - 1
    q = p.Q[0, 0, 0] / n

    def on_pair(matrix: Array) -> tuple[Array, Array, Array]:
        return matrix[0, 0], q * (matrix[0, 1] + matrix[1, 0]), q * q * matrix[1, 1]

    own = p.S[0, 0, 0] / n
    return Scalars(
        alpha=[p.L[0, j, n] * own for j in range(n)],
        delta=[p.L[0, j, j] * own for j in range(n)],
        gamma=[p.L[-1, j, n] / n for j in range(n)],
        nu=[p.L[-1, j, j] / n for j in range(n)],
        beta=q * p.rho,
        B=on_pair(p.S[-1]),
        C=on_pair(p.Q[-1] / n),
        b=p.b,
        g=q * p.g,
    )


def alone(c: Scalars, j: int, s: Array) -> tuple[Array, Array, Array]:
    """The three factors of 1 + response where only example j is not 0, with y_j = s_j = s: Q, F and E."""
    X = s * s
    U = X * (1 + c.delta[j] * X) ** 2
    form = c.B[0] + c.B[1] * U + c.B[2] * U * U
    V = U * (1 + c.nu[j] * U * form) ** 2
    last = c.b * (1 + c.beta * U) + c.g * U
    E = 1 + c.beta * U + V * (c.C[0] + c.C[1] * U + c.C[2] * U * U) * last
    return 1 + c.alpha[j] * X, 1 + c.gamma[j] * U * form, E


def parts(
    p: Line, s: Array, eta: Array, xp: Any, order: tuple[int, ...], sign: int, mask: Any
) -> dict[str, Callable[[], Part]]:
    """What the layers' response is to come near to: its lowest coefficients, and itself on one example."""
    n, c = s.shape[0], scalars(p)

    def found(s: Array, y: Array) -> Array:
        return response(p, s, y, xp, mask)

    def wanted(s: Array, y: Array) -> Array:
        return sign * prediction(s, y, eta, order, xp)

    def coefficient_of(j: int) -> Part:
        return Part(*(lowest(f, j, n, xp) for f in (found, wanted)))

    def on_one(j: int) -> Part:
        one = s[j] * unit(xp, n, j)
        return Part(1 + found(one, one), 1 + wanted(one, one), alone(c, j, s[j]))

    def turned() -> Part:
        return Part(*(skew(f, 0, 1, n, xp) - skew(f, 0, 2, n, xp) for f in (found, wanted)))

    def on_all() -> Part:
        Q = 1 + sum((c.alpha[j] * s[j] * s[j] for j in range(n)), xp.asarray(0))
        return Part(Q, 1 + wanted(s, s), times_another=3 ** (2 * p.L.shape[0]))

    every: dict[str, Callable[[], Part]] = {"all examples": on_all}
    for j in range(n):
        every[f"[y_{j + 1} s_{j + 1}]"] = partial(coefficient_of, j)
        every[f"example {j + 1} alone"] = partial(on_one, j)
    return {**every, "D_12 - D_13": turned} if n > 2 else every


def refutation(facts: Any, c: Scalars, s: Array, eta: Array, order: tuple[int, ...]) -> Any:
    """No parameters come near two steps on the examples of `order`, of which one is the first of three."""
    used, n = set(order), len(c.alpha)
    given = [facts.near(f"[y_{j + 1} s_{j + 1}]") for j in range(n)]
    unused = next((j for j in range(n) if j not in used), None)
    if unused is None or len(used) < 2 or 0 not in used:
        return None  # one step, or two on two examples: there are parameters that come near

    def at(powers: dict[int, int]) -> tuple[int, ...]:
        return tuple(powers.get(j, 0) for j in range(n))

    one = 1 + 0 * eta
    both = at({order[0]: 1, order[1]: 1})
    Q = facts.is_one("all examples", 0, both, 0, (f"s[{order[1]}]", eta, one))
    alpha = [facts.named(Q(at({j: 1})), f"α_{j + 1}") for j in range(n)]
    grown = [given[j] - alpha[j] for j in range(n)]
    F = facts.all_one(f"example {unused + 1} alone")
    gamma_B = {unused: F(1, at({unused: 1}))}
    kappa = facts.named(grown[unused] - gamma_B[unused], "β + b C_00")
    for j in used:
        gamma_B[j] = facts.named(grown[j] - kappa, f"γ_{j + 1} B_00")
    moved = facts.near("D_12 - D_13")
    for j, sign in ((1, 1), (2, -1)):
        moved = moved - (alpha[j] * grown[0] - alpha[0] * grown[j]) * (sign * one)
    apart = gamma_B[1] - gamma_B[2]
    turned = kappa * apart - moved
    turned = facts.named(turned, "(γ_2 − γ_3) (B_01 + B_10)")
    x = c.gamma[0] * c.B[1]
    turned = facts.named(facts.quotient(x, turned * gamma_B[0], apart), "γ_1 (B_01 + B_10)")
    F = facts.is_whole("example 1 alone", 1, at({0: 1}), gamma_B[0], ("s[0]", one, 0 * eta))
    twice = F(at({0: 2})) - turned
    delta = facts.named(facts.quotient(c.delta[0], twice, gamma_B[0] * (2 * one)), "δ_1")
    sixth = delta * delta * delta * delta * delta * delta
    last = facts.quotient(c.gamma[0] * c.B[2], F(at({0: 9})), sixth)
    last = facts.named(last, "γ_1 B_11")
    third = gamma_B[0] * delta * delta + delta * turned * (4 * one) + last
    return facts.contradiction("[X_1^3] of F_1", F(at({0: 3})), third)


def approaches(
    p: Line,
    s: Array,
    eta: Array,
    xp: Any,
    order: tuple[int, ...] = (0, 1),
    sign: int = 1,
    mask: Any = lsa.causal_mask,
) -> Any:
    """Some parameters bring the response as near as is wanted to that of the steps, times `sign`."""
    return approached(
        parts(p, s, eta, xp, order, sign, mask),
        numbers=("eta",),
        data=("s",),
        refutation=lambda facts: refutation(facts, scalars(p), s, eta, order),
        label="the response as ε → 0",
    )
