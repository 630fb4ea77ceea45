"""What an SSD layer with a value projection V, as Mamba-2 blocks have it, does exactly."""

from __future__ import annotations

from typing import Any, NamedTuple

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.reverse_sgd import query_mask, reverse, weighted
from scanproof.constructs.constructions.value_projection import (
    Selection,
    label_value,
    opposed_value,
    selecting,
    selecting_decays,
    selections,
    unselected,
)
from scanproof.constructs.layers import lsa
from scanproof.constructs.layers.ssd import decay_mask
from scanproof.constructs.learners.descent import loss_gradient, stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.constructs.learners.prefix import prefix_step

from ...language.statements import equal
from .source import open_questions

# n = l + r examples; layer number t = 1, …, l takes a step on example t.
EPOCH = {"x": "l+r+1 d", "y": "l+r+1", "eta": ""}
"""Every token has a label; that of the query is 0 in eq. 1."""
SIZES = {"l": (1, 2, 3), "r": (0, 1), "d": (1, 2)}


def sgd(x, y, eta, xp):
    """w_l after a step on each of the examples from 0, L_t(w) = ½ (w·x_t − y_t)²."""
    return stochastic_gradient_descent(HALF_SUM, xp.zeros((x.shape[1],)), x, y, eta)


class Epoch(NamedTuple):
    """Layers 1, …, l: what they share, and which example each of them takes its step on."""

    value: Any
    chosen: Any


def of_an_epoch(xp, eta, l, r, d):
    """S = −ηn diag(I, 0), V = diag(0, …, 0, 1) and L_ji = [j = t < i] in layer t."""
    return Epoch(label_value(xp, d, -eta * (l + r)), selections(xp, l + r + 1, l))


def epoch(p, x, y, xp):
    """The tokens after all layers."""

    def layer(_, Z, chosen):
        Z = lsa.layer(Z, selecting(chosen), p.value.V, p.value.S)
        return Z, Z

    Z = xp.concat([x, y[:, None]], axis=1).T
    return scan(layer, None, Z, p.chosen).final_state


@open_questions.claim(
    "open.value-projection",
    kind="existence",
    says=(
        "for every l ≤ n and η there are l SSD layers with a value projection, "
        "z_i ← z_i + (1/n) Σ_j L_ji (z_jᵀ S z_i) V z_j, with masks that are limits of those of Def. 3.2, such that "
        "for all data the features stay and y_i^l = y_i − ⟨w_l, x_i⟩ at every token i > l, the query among them, w_l "
        "after l steps of SGD from 0, step t on example t of ½ (w·x_t − y_t)²"
    ),
    given=EPOCH,
    sizes=SIZES,
    parameters=of_an_epoch,
    fixed=("eta",),
    depends_on=("open.value-decays",),
    reading=(
        "Witness: V = diag(0, …, 0, 1), S = −ηn diag(I, 0), and in layer t L_ji = [j = t < i] (open.value-decays); "
        "none depends on the data. The query's label may be any number before. After the epoch the earlier examples "
        "hold residuals of shorter prefixes (+prefix), so that a second epoch would not be SGD."
    ),
)
def value_projection(p, x, y, eta, xp, l, r, d):
    Z = epoch(p, x, y, xp)
    w_l = sgd(x[:l], y[:l], eta, xp)
    yield equal(Z[:d], x.T, label="the features stay")
    yield equal(Z[d, l:], y[l:] - x[l:] @ w_l, label="the labels after example l")


@value_projection.restate(
    "prefix",
    (
        "at every token y_i^l = y_i − ⟨w_i^l, x_i⟩, w_i^{t+1} = w_i^t + η[t < i](y_t − ⟨w_t^t, x_t⟩)x_t and w_i^0 = 0: "
        "SGD on the examples up to l that stand before i"
    ),
    given=EPOCH,
    sizes=SIZES,
    depends_on=(),
    kind="identity",
    reading="Token i skips the steps t ≥ i, which the causal mask hides from it.",
)
def prefix(p, x, y, eta, xp, l, r, d):
    Z = epoch(p, x, y, xp)

    def learn(_, W, chosen):
        W = prefix_step(x, y, W, eta, selecting(chosen))
        return W, W

    start = xp.zeros((l + r + 1, d))
    W = scan(learn, None, start, selections(xp, l + r + 1, l)).final_state
    yield equal(Z[:d], x.T, label="the features stay")
    yield equal(Z[d], y - (W * x).sum(axis=1), label="the labels")


@value_projection.restate(
    "layer",
    (
        "layer t is a step of SGD for the tokens after t: where y_i = v_i − ⟨w, x_i⟩ for i ≥ t before it, "
        "y_i = v_i − ⟨w′, x_i⟩ for i > t after it, w′ = w − η∇½(w·x_t − v_t)²; labels before t may be any numbers"
    ),
    given={"x": "before+1+after d", "u": "before", "v": "1+after", "w": "d", "eta": ""},
    sizes={"before": (0, 1), "after": (1, 2), "d": (1, 2)},
    parameters=None,
    depends_on=(),
    kind="identity",
    reading="From w = 0 and v = y the layers 1, …, l do the l steps, for all l ≤ n: this is the step of the induction.",
)
def one_layer(x, u, v, w, eta, xp, before, after, d):
    length = before + 1 + after
    y = xp.concat([u, v - x[before:] @ w], axis=0)
    p = label_value(xp, d, -eta * (length - 1))
    every = selections(xp, length, length)
    chosen = Selection(every.example[before], every.later[before])
    Z = lsa.layer(xp.concat([x, y[:, None]], axis=1).T, selecting(chosen), p.V, p.S)
    step = w - eta * loss_gradient(HALF_SUM, w, x[before : before + 1], v[:1])
    yield equal(Z[:d], x.T, label="the features stay")
    yield equal(Z[d, before + 1 :], v[1:] - x[before + 1 :] @ step, label="the labels after t")


@open_questions.claim(
    "open.value-decays",
    kind="remark",
    says=(
        "for every t ≤ n and every ε ≠ 0 the mask L of the decays a_t = ε, a_{t+1} = 1/ε and 1 elsewhere (Def. 3.2) "
        "has ε L_ji = [j = t < i] + ε R_ji, where R is 1 for j ≤ i but 0 for j = t < i and ε for j < t = i"
    ),
    given={"eps": ""},
    sizes={"t": (1, 2, 3), "after": (1, 2, 3)},
    reading=(
        "T = t + after tokens. So the weights [j = t < i] are the limit for ε → 0 of masks of decays, with εS for S; "
        "for t = 1 the decay a_1 takes no part. Decays larger than 1 grow."
    ),
)
def value_decays(eps, xp, t, after):
    mask = eps * decay_mask(selecting_decays(xp, t, after, eps))
    length = t + after
    eye = xp.eye(length)
    seen = lsa.causal_mask(xp, length)
    wanted = outer(eye[t - 1], seen[t - 1] - eye[t - 1])
    return equal(mask, wanted + eps * unselected(xp, t, after, eps))


@value_decays.restate(
    "layer",
    (
        "one layer with V = diag(0, …, 0, 1) and S = −ηnε diag(I, 0) under that mask takes the step on example t, "
        "y_i − η[t < i]⟨x_t, x_i⟩y_t, and besides adds −ηε Σ_j R_ji ⟨x_j, x_i⟩ y_j; the features stay"
    ),
    given={"x": "t+after d", "y": "t+after-1", "eta": "", "eps": ""},
    sizes={"t": (1, 2), "after": (1, 2), "d": (1, 2)},
    kind="identity",
    reading="For every ε ≠ 0, exactly: what remains is of the order ε for bounded data, |R_ji| ≤ 1 if |ε| ≤ 1.",
)
def value_layer(x, y, eta, eps, xp, t, after, d):
    n = t + after - 1
    p = label_value(xp, d, -eta * n * eps)
    mask = decay_mask(selecting_decays(xp, t, after, eps))
    Z = lsa.layer(tokens.labelled(x, y).T, mask, p.V, p.S)
    before = xp.concat([y, xp.zeros((1,))], axis=0)
    gram = x @ x.T
    later = lsa.causal_mask(xp, n + 1)[t - 1] - xp.eye(n + 1)[t - 1]
    step = before[t - 1] * gram[t - 1] * later
    rest = before @ (unselected(xp, t, after, eps) * gram)
    yield equal(Z[:d], x.T, label="the features stay")
    yield equal(Z[d], before - eta * step - eta * eps * rest, label="the labels")


class Layers(NamedTuple):
    """What layers share, and their masks."""

    value: Any
    masks: Any


@open_questions.claim(
    "open.value-sign",
    kind="existence",
    says=(
        "for every n, l and η there are l SSD layers with a value projection that change the query alone, with masks "
        "that are limits of those of Def. 3.2, such that for all data the query's slot holds +⟨w_l, x_{n+1}⟩, w_l "
        "after l steps of SGD from 0, each on any of the examples, the same one as often as wanted"
    ),
    given={"x": "n+1 d", "y": "n", "chosen": "l n", "eta": ""},
    sizes={"l": (1, 2, 3), "n": (1, 2), "d": (1, 2)},
    parameters=lambda xp, d, chosen, eta: Layers(
        opposed_value(xp, d, 1), reverse(xp, d, eta * chosen).ssd_mask
    ),
    fixed=("chosen", "eta"),
    depends_on=("ssd.thm5.1+reverse-mask",),
    reading=(
        "Witness: V = diag(I, −1), S = diag(I, 0), and the weights −η chosen_k in the query's column, the last step in "
        "the first layer; none depends on the data. Row k of `chosen` is 1 for the example of step k and 0 elsewhere; "
        "the identity holds for all numbers, the step then being one on ½ Σ_t chosen_kt (w·x_t − y_t)². Without V, "
        "that is with V = I, the slot holds −⟨w_l, x_{n+1}⟩."
    ),
)
def value_sign(p, x, y, chosen, eta, xp, n, d):
    def layer(_, Z, mask):
        Z = lsa.layer(Z, mask, p.value.V, p.value.S)
        return Z, Z

    def learn(_, w, weights):
        w = w - loss_gradient(weighted(weights), w, x[:-1], y)
        return w, w

    Z = scan(layer, None, tokens.labelled(x, y).T, p.masks).final_state
    w_l = scan(learn, None, xp.zeros((d,)), eta * chosen).final_state
    yield equal(Z[:, :n], tokens.labelled(x, y).T[:, :n], label="the examples stay")
    yield equal(Z[d, n], x[n] @ w_l, label="the query")


@value_sign.restate(
    "layer",
    (
        "each of these layers is a step seen from behind: with weights −V_j it has ⟨u, x′⟩ + y′ = ⟨u′, x⟩ + y at the "
        "query for every u, u′ = u − Σ_j V_j (u·x_j − y_j) x_j, and leaves the examples as they are"
    ),
    given={"x": "n+1 d", "y": "n+1", "u": "d", "V": "n"},
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    parameters=None,
    depends_on=(),
    kind="identity",
    reading=(
        "(x, y) is the query before, (x′, y′) after the layer. From u = w_0 = 0 the layers, taken from the last one "
        "back, give ⟨w_l, x⟩ + y before the first."
    ),
)
def behind(x, y, u, V, xp, n, d):
    p = opposed_value(xp, d, 1)
    Z = xp.concat([x, y[:, None]], axis=1).T
    after = lsa.layer(Z, query_mask(V), p.V, p.S)
    yield equal(after[:, :n], Z[:, :n], label="the examples stay")
    step = u - loss_gradient(weighted(V), u, x[:-1], y[:-1])
    yield equal(u @ after[:d, n] + after[d, n], step @ x[n] + y[n], label="the query")
