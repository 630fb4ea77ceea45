"""Parameters of Theorems 5.1 and 5.2 of ssd (SSD ∘ LSA layers), as printed and with named corrections.

Tokens are columns z_i = [x_i; y_i] (ssd eq. 1). The proof writes the SSD sublayer with −⟨B x_i, x_j⟩, that is
S = −diag(B, 0), and the LSA sublayer with −(1/n) Σ P ⟨A x_i, x_j⟩ (·)_j and A = −B, that is Q = diag(B, 0).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..arrays.array_api import Array, namespace, outer, unit
from ..arrays.definition import definition
from ..arrays.scan import Scan, scan
from ..layers import hybrid, lsa
from ..layers.hybrid import Parameters
from ..layers.hybrid_terms import half_step_term
from ..layers.sequence import Masked
from ..layers.ssd import decay_mask
from ..learners.learner import Descent
from ..learners.losses import HALF_SUM, MEAN
from ..learners.operators import batch_gram, steps_polynomial
from .ssd import THEOREM4_1


@definition
def selecting_mask(
    xp: Any, length: int, start: int, stop: int, entry: Array, others: Array = 1
) -> Array:
    """The causal mask with `entry` for 1 in the rows start ≤ j < stop, `others` elsewhere: (length, length).

    Args:
        xp: namespace of the array to build.
        length: tokens.
        start: the first of these rows, counted from 0.
        stop: the first row after them.
        entry: a scalar.
        others: a scalar.
    """
    return row_mask(xp.eye(length)[start:stop].sum(axis=0), entry, others)


@definition
def row_mask(chosen: Array, entry: Array, others: Array = 1) -> Array:
    """The causal mask with `entry` for 1 in the chosen rows and `others` elsewhere: (T, T).

    Args:
        chosen: 1 for a row that is chosen, else 0, shape (T,).
        entry: a scalar.
        others: a scalar.
    """
    factors = others + (entry - others) * chosen
    return factors[:, None] * lsa.causal_mask(namespace(chosen), chosen.shape[0])


@definition
def on_features(xp: Any, B: Array) -> Array:
    """diag(B, 0): the (d, d) matrix B on the features of tokens of d + 1 coordinates."""
    d = B.shape[0]
    features = xp.eye(d + 1)[:d]
    return features.T @ B @ features


@definition
def theorem5_1(
    xp: Any,
    n: int,
    d: int,
    eta: Array,
    eps: Array = 1,
    B: Array | None = None,
    t: int = 1,
    corrections: Collection[str] = (),
    chosen: Array | None = None,
) -> Parameters:
    """Thm. 5.1 (App. A): L_ti = 1 + ηn and 1 elsewhere, A_l = −B_l, P_X = I, P_Y = −1, with B_l = εB.

    Args:
        xp: namespace of the arrays to build.
        n: examples.
        d: features.
        eta: step size η.
        eps: ε.
        B: (d, d); the identity if not given.
        t: the example of the step, counted from 1.
        corrections: "sign" takes P_Y = +1, so that the two sublayers cancel for labels too. "scale" takes
            L_ti = 1 + ηn/ε, against the ε in B_l; the mask is then given times ε and S divided by it, which is the
            same layer and makes sense for ε = 0.
        chosen: e_t, shape (n + 1,), in place of t.
    """
    feature_matrix = on_features(xp, xp.eye(d) if B is None else B)
    if chosen is None:
        chosen = unit(xp, n + 1, t - 1)
    if "scale" in corrections:
        mask = row_mask(chosen, eps + eta * n, others=eps)
        S = feature_matrix
    else:
        mask = row_mask(chosen, 1 + eta * n)
        S = eps * feature_matrix
    return _cancelling(xp, mask, S, eps * feature_matrix, corrections)


@definition
def theorem5_1_layers(
    Z: Array,
    chosen: Array,
    eta: Array,
    eps: Array = 1,
    corrections: Collection[str] = (),
    *,
    causal: bool = True,
) -> Scan:
    """Layers of Thm. 5.1 one above the other, layer l on the example that row l chooses.

    Args:
        Z: tokens as columns, shape (d + 1, T).
        chosen: rows e_t, shape (l, T), l ≥ 1.
        eta: step size η.
        eps: ε.
        corrections: those of `theorem5_1`.
        causal: whether a token sees only those before it and itself; else it sees all, in both sublayers.

    Returns:
        The tokens after each layer: states and outputs of shape (l, d + 1, T).
    """
    xp = namespace(Z)
    d, n = Z.shape[0] - 1, Z.shape[1] - 1

    def one_layer(step_size: Array, tokens: Array, row: Array) -> tuple[Array, Array]:
        p = theorem5_1(xp, n, d, step_size, eps, corrections=corrections, chosen=row)
        if not causal:
            everything = xp.ones((n + 1, n + 1))
            p = p._replace(ssd_mask=p.ssd_mask[:, -1:] * everything, lsa_mask=everything)
        tokens = hybrid.layer(p, tokens)
        return tokens, tokens

    return scan(one_layer, eta, Z, chosen)


@definition
def theorem5_1_drift(xp: Any, n: int, d: int, eps: Array, B: Array, t: int = 1) -> Parameters:
    """The choice with which the proof bounds the features' drift: one entry L_ti = 1 − nε, and B_l = εB."""
    S = eps * on_features(xp, B)
    mask = selecting_mask(xp, n + 1, t - 1, t, 1 - n * eps)
    return _cancelling(xp, mask, S, S, ())


@definition
def theorem5_2(
    x: Array, m: int, eta: Array, K: int, corrections: Collection[str] = ()
) -> Parameters:
    """Thm. 5.2 (App. A): B = Q, the polynomial of eq. 11 in R = Σ_{t∈S} x_t x_tᵀ, and L_ji = 1 − n·1[j ∈ S].

    Args:
        x: inputs and the query, shape (n + 1, d): the printed parameters depend on them.
        m: S is the set of the first m examples.
        eta: step size η.
        K: steps.
        corrections: "sign" takes P_Y = +1; "scale" takes 2η for η, the step of the loss (1/m) Σ (w·x_t − y_t)².
    """
    xp = namespace(x)
    n = x.shape[0] - 1
    step_size = 2 * eta if "scale" in corrections else eta
    S = on_features(xp, steps_polynomial(batch_gram(x, m), m, step_size, K))
    mask = selecting_mask(xp, n + 1, 0, m, 1 - n)
    return _cancelling(xp, mask, S, S, corrections)


@definition
def decays_of_column(column: Array) -> Array:
    """The decays a_1 = 1, a_{j+1} = c_j / c_{j+1} whose mask has the last column c, if c ends in 1: (T,) -> (T,).

    Entries beyond the first must not be 0.
    """
    xp = namespace(column)
    return xp.concat([xp.ones((1,)), column[:-1] / column[1:]], axis=0)


@definition
def one_step(xp: Any, d: int, weights: Array) -> Parameters:
    """A layer that puts Σ_j v_j y_j ⟨x_j, x_{n+1}⟩ into the query's slot, with a mask of decays (ssd Def. 3.2).

    S = diag(I, 0), the mask's last column is n v_1, …, n v_n, 1, and the LSA sublayer does nothing (P = 0).

    Args:
        xp: namespace of the arrays to build.
        d: features.
        weights: v, shape (n,), entries not 0.
    """
    n = weights.shape[0]
    column = xp.concat([n * weights, xp.ones((1,))], axis=0)
    return Parameters(
        ssd_mask=decay_mask(decays_of_column(column)),
        S=on_features(xp, xp.eye(d)),
        lsa_mask=lsa.causal_mask(xp, n + 1),
        P=xp.zeros((d + 1, d + 1)),
        Q=xp.zeros((d + 1, d + 1)),
    )


def _cancelling(
    xp: Any, mask: Array, S: Array, Q: Array, corrections: Collection[str]
) -> Parameters:
    """−S in the SSD sublayer and Q in the LSA sublayer, which undoes it on the features (P_X = I)."""
    size = S.shape[0]
    label = unit(xp, size, size - 1)
    P = xp.eye(size)
    if "sign" not in corrections:
        P = P - 2 * outer(label, label)
    return Parameters(ssd_mask=mask, S=-S, lsa_mask=lsa.causal_mask(xp, mask.shape[0]), P=P, Q=Q)


@definition
def example_weights(xp: Any, t: int, r: int, eta: Array, eps: Array) -> Array:
    """η for example t and ε for the others, since decays are not 0: (t + r,)."""
    return xp.concat([eps * xp.ones((t - 1,)), eta[None], eps * xp.ones((r,))], axis=0)


@definition
def batch_weights(xp: Any, m: int, r: int, eta: Array, eps: Array) -> Array:
    """2η/m for the first m examples and ε for the others: (m + r,)."""
    return xp.concat([2 * eta / m * xp.ones((m,)), eps * xp.ones((r,))], axis=0)


@definition
def one_example(xp: Any, t: int, r: int, d: int, eta: Array, eps: Array) -> Parameters:
    """`one_step` for a step on example t of t + r."""
    return one_step(xp, d, example_weights(xp, t, r, eta, eps))


@definition
def one_batch(xp: Any, m: int, r: int, d: int, eta: Array, eps: Array) -> Parameters:
    """`one_step` for a step on the first m of m + r examples."""
    return one_step(xp, d, batch_weights(xp, m, r, eta, eps))


@definition
def theorem5_1_limit(
    xp: Any, t: int, r: int, d: int, eta: Array, corrections: Collection[str]
) -> Parameters:
    """`theorem5_1` as ε → 0."""
    return theorem5_1(xp, t + r, d, eta, eps=0, t=t, corrections=corrections)


@definition
def leading(parameters: Parameters, Z: Array) -> Array:
    """The layer without the residual E (ssd Thm. 5.2): Z (D, T) -> (D, T)."""
    return hybrid.layer(parameters, Z) - half_step_term(parameters, Z, parameters.Q)


def example(t: int, **symbols: Any) -> tuple[int, int]:
    """Example t alone, counted from 1."""
    return t - 1, t


def batch(m: int, **symbols: Any) -> tuple[None, int]:
    """The first m examples."""
    return None, m


ON_EXAMPLE = THEOREM4_1._replace(
    does="prediction for x_{n+1} in the query's label, by SSD ∘ LSA with a mask of decays",
    parameters=one_example,
    layer=Masked(hybrid.layer),
    learner=Descent(HALF_SUM, from_zero=True, steps=1, part=example, others=True),
)
"""One step on example t, with a mask of decays."""
ON_BATCH = ON_EXAMPLE._replace(
    parameters=one_batch,
    learner=Descent(MEAN, from_zero=True, steps=1, part=batch, others=True),
)
"""One step on the first m examples, with a mask of decays."""
THEOREM5_1 = ON_EXAMPLE._replace(
    does="minus the prediction for x_{n+1} after one step on example t, ε = 0",
    parameters=theorem5_1_limit,
    learner=Descent(HALF_SUM, from_zero=True, sign=-1, steps=1, part=example),
)
"""The printed parameters of Thm. 5.1 in the limit."""
THEOREM5_2 = THEOREM5_1._replace(
    does="minus the prediction for x_{n+1} after K = L steps on the first m examples, without E",
    parameters=theorem5_2,
    layer=Masked(leading),
    learner=Descent(MEAN, from_zero=True, sign=-1, part=batch),
    several=True,
)
"""The printed parameters of Thm. 5.2."""
