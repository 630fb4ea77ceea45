"""Theorem 4.1: one layer of Mamba-2 performs one step of gradient descent (ssd §4.1, App. A)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.ranges import build, each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.ssd import (
    APPENDIX,
    APPENDIX_HALVED,
    HALVED,
    THEOREM4_1,
    theorem4_1,
)
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.constructs.learners.descent import gradient_descent, loss_gradient
from scanproof.constructs.learners.losses import HALF_SUM, MEAN, SUM

from ...language.learns import learns
from ...language.statements import equal
from .duality import decay
from .source import ssd

LINEAR = {"x": "n+1 d", "w": "d", "eta": ""}
"""The theorem's data: labels y_i = w·x_i."""
ANY_LABELS = {"x": "n+1 d", "y": "n", "eta": ""}
"""What is true of every data set is proved for every data set."""


def labels(x, w, y):
    """The labels of the n examples: y if they are given, else w·x_i."""
    return x[:-1] @ w if y is None else y


def after_one_step(loss, x, y, eta, xp):
    """w_1, one step of gradient descent from w_0 = 0 on the n examples."""
    return gradient_descent(loss, xp.zeros((x.shape[1],)), x[:-1], y, eta)


theorem = ssd.claim(
    "ssd.thm4.1",
    where="Thm. 4.1",
    kind="existence",
    says=(
        "there are SSD parameters θ = (L, S_B, S_C) such that entry (d+1, n+1) of the layer's output is "
        "⟨w_1, x_{n+1}⟩, w_1 = w_0 − η∇L(w_0), w_0 = 0, L(w) = (1/n) Σ_{i≤n} (w·x_i − y_i)²"
    ),
    given=ANY_LABELS,
    construction=THEOREM4_1,
    fixed=("eta",),
    corrections=("factor",),
    reading=(
        "The layer of Def. 3.2, with its residual and 1/n, on the tokens of eq. 1. The witness is the proof's "
        "with 2η for η and 0 for every *. The labels need not be linear."
    ),
)(learns)


@ssd.claim(
    "ssd.thm4.1-construction",
    where="App. A, in Def. 3.2",
    kind="construction",
    says=(
        "S_C = diag(I, 0), S_Bᵀ = [[ηI, *], [*, *]] and unit decays yield ⟨w_1, x_{n+1}⟩ in entry (d+1, n+1), with the "
        "layer of Def. 3.2 and the loss (1/n) Σ (w·x_i − y_i)² of the theorem"
    ),
    given=LINEAR,
    construction=THEOREM4_1,
    reading="Every * is 0 here; ssd.thm4.1-stars asks which of them are free.",
)
def printed(p, x, eta, w=None, y=None, *, half=False):
    y, layer = labels(x, w, y), HALVED if half else THEOREM4_1
    return equal(layer.predictions(p, x, y), layer.learned(x, y, eta))


printed.amend(
    "factor",
    "S_Bᵀ = [[2ηI, 0], [0, 0]] yields it",
    given=ANY_LABELS,
    corrections=("factor",),
)
printed.amend(
    "loss",
    "the printed parameters yield it for the loss (1/2n) Σ (w·x_i − y_i)²",
    given=ANY_LABELS,
    construction=HALVED,
    half=True,
)


@ssd.claim(
    "ssd.thm4.1-appendix",
    where="App. A, end of the proof",
    kind="construction",
    says=(
        "with the same parameters in Y = X (L ∘ (BᵀC)) the output is η Σ_i y_i x_i·x_T = w_1·x_T, w_1 the output of "
        "one step of GD with learning rate η from w_0 = 0, for the appendix's loss Σ_i ‖w·x_i − y_i‖²"
    ),
    given=LINEAR,
    construction=APPENDIX,
    reading="Every * is 0; the tokens are those of eq. 1, T = n + 1, so the query's label is 0.",
)
def appendix(p, x, eta, w=None, y=None, *, half=False):
    y, layer = labels(x, w, y), APPENDIX_HALVED if half else APPENDIX
    output = layer.predictions(p, x, y)
    yield equal(output, eta * (y @ (x[:-1] @ x[-1])), label="the output")
    yield equal(output, layer.learned(x, y, eta), label="one step of GD")


appendix.amend(
    "loss",
    "it is that for the loss ½ Σ_i ‖w·x_i − y_i‖²",
    given=ANY_LABELS,
    construction=APPENDIX_HALVED,
    half=True,
)


@ssd.claim(
    "ssd.thm4.1-gradient",
    where="App. A",
    says="for L(w) = Σ_i ‖w·x_i − y_i‖² the gradient is Σ_i (w·x_i − y_i) x_i",
    given={"x": "t d", "w": "d", "w_data": "d"},
    reading="The labels are linear, y_i = w_data·x_i, and w is any weight vector.",
)
def gradient(x, w, w_data=None, y=None, *, factor=1, half=False):
    y = x @ w_data if y is None else y
    loss = HALF_SUM if half else SUM
    return equal(loss_gradient(loss, w, x, y), factor * unscaled_gradient(w, x, y))


ANY_TARGETS = {"x": "t d", "w": "d", "y": "t"}
gradient.amend("factor", "it is 2 Σ_i (w·x_i − y_i) x_i", given=ANY_TARGETS, factor=2)
gradient.amend("loss", "it is that of ½ Σ_i ‖w·x_i − y_i‖²", given=ANY_TARGETS, half=True)


@ssd.claim(
    "ssd.thm4.1-sketch",
    where="§4.1, proof sketch",
    says=(
        "w_1 = η Σ_{i≤n} y_i x_i is exactly the result of one step of gradient descent from the origin on the loss of "
        "the theorem, (1/n) Σ (w·x_i − y_i)²"
    ),
    given=LINEAR,
)
def sketch(x, eta, xp, n, w=None, y=None, *, factor=1, mean=False, half_sum=False):
    y = labels(x, w, y)
    w_1 = factor * eta * (x[:-1].T @ y)
    loss = HALF_SUM if half_sum else MEAN
    return equal(after_one_step(loss, x, y, eta, xp), w_1 / n if mean else w_1)


sketch.amend("factor+scale", "it is w_1 = (2η/n) Σ y_i x_i", given=ANY_LABELS, factor=2, mean=True)
sketch.amend(
    "loss",
    "w_1 = η Σ y_i x_i is that step on the loss ½ Σ (w·x_i − y_i)²",
    given=ANY_LABELS,
    half_sum=True,
)


@ssd.claim(
    "ssd.thm4.1-sketch-sign",
    where="§4.1, proof sketch",
    says="with w_0 = 0 the term −η (w·x_i − y_i) x_i simplifies to −η y_i x_i",
    given=LINEAR,
)
def sketch_sign(x, eta, xp, n, d, w=None, y=None, *, sign=-1):
    y = labels(x, w, y)
    for i in each(0, n - 1):
        term = -eta * unscaled_gradient(xp.zeros((d,)), x[i : i + 1], y[i : i + 1])
        yield equal(term, sign * eta * y[i] * x[i], label=("i = ", i + 1))


sketch_sign.amend("sign", "it simplifies to +η y_i x_i", given=ANY_LABELS, sign=1)


def contributions(a, S_B, S_C, u, xp):
    """Σ_{i≤t} a_{t:i} u_i u_iᵀ S_Bᵀ S_C u_t as row t, tokens u as columns: (D, T) -> (T, D)."""

    def row(t):
        query = S_B.T @ (S_C @ u[:, t])
        seen = build(xp, t + 1, lambda i: decay(a, t, i) * u[:, i] * (u[:, i] @ query))
        return seen.sum(axis=0)

    return build(xp, u.shape[1], row)


@ssd.claim(
    "ssd.thm4.1-eq4",
    where="§4.1, proof sketch",
    says="by eq. 4 the output at position t is Σ_{i≤t} a_{t:i} (u_i u_iᵀ) S_Bᵀ S_C u_t, u_t = [x_t; y_t]",
    given={"x": "n+1 d", "w": "d", "a": "n+1", "S_B": "N d+1", "S_C": "N d+1"},
    sizes={"n": (1, 2), "d": (1, 2), "N": (1, 2, 3)},
    reading="y_t of the sketch is the whole output token; eq. 4 is the layer with its residual and 1/n.",
)
def eq4(x, w, a, S_B, S_C, xp, n):
    Z = tokens.labelled(x, x[:-1] @ w).T
    output = mamba2.mamba2(mamba2.Parameters(a, S_B, S_C), Z)
    return equal(output.T, contributions(a, S_B, S_C, Z, xp))


ANY_TOKENS = {"Z": "D n+1", "a": "n+1", "S_B": "N D", "S_C": "N D"}
FEW = {"n": (1, 2, 3), "D": (1, 2), "N": (1, 2, 3)}


@eq4.restate(
    "residual+scale",
    "by eq. 4 it is u_t + (1/n) Σ_{i≤t} a_{t:i} (u_i u_iᵀ) S_Bᵀ S_C u_t",
    given=ANY_TOKENS,
    sizes=FEW,
)
def eq4_layer(Z, a, S_B, S_C, xp, n):
    output = mamba2.mamba2(mamba2.Parameters(a, S_B, S_C), Z)
    return equal(output, Z + contributions(a, S_B, S_C, Z, xp).T / n)


@eq4.restate(
    "recurrence",
    "by eq. 3, without residual and 1/n, the output at position t is Σ_{i≤t} a_{t:i} (u_i u_iᵀ) S_Bᵀ S_C u_t",
    given=ANY_TOKENS,
    sizes=FEW,
)
def eq4_recurrence(Z, a, S_B, S_C, xp, D, N):
    run = scan(mamba2.step, None, xp.zeros((D, N)), mamba2.tokens(Z, a, S_B, S_C))
    return equal(run.outputs, contributions(a, S_B, S_C, Z, xp))


STARS = {**LINEAR, "upper_right": "d k", "lower_left": "d", "lower_right": "k"}
HARMLESS = {**ANY_LABELS, "upper_right": "d k", "lower_right": "k"}
STAR_SIZES = {"n": (1, 2, 3), "d": (1, 2, 3), "k": (1, 2)}


@ssd.claim(
    "ssd.thm4.1-stars",
    where="App. A",
    kind="remark",
    says=(
        "S_Bᵀ = [[ηI, *], [*, *]] yields the desired result, the last output's label η Σ_i y_i x_i·x_{n+1}, whatever "
        "the entries marked * are"
    ),
    given=STARS,
    sizes=STAR_SIZES,
    parameters=theorem4_1,
    reading=(
        "The appendix's own form, so that neither the factor 2 nor 1/n matters; the state has size N = d + k, "
        "N = D for k = 1."
    ),
)
def stars(p, x, eta, w=None, y=None):
    y = labels(x, w, y)
    return equal(APPENDIX.predictions(p, x, y), eta * (y @ (x[:-1] @ x[-1])))


stars.amend(
    "lower-left",
    "the stars beside and below the corner 0 of S_C are free, the one below ηI is 0",
    given=HARMLESS,
    construction=APPENDIX_HALVED,
)


@stars.restate(
    "excess",
    (
        "with the star ℓ below ηI the output exceeds the desired result by Σ_i y_i² ℓ·x_{n+1}, so ℓ must be 0, and the "
        "other stars are free"
    ),
    given={**HARMLESS, "lower_left": "d"},
    sizes=STAR_SIZES,
)
def stars_excess(p, x, y, eta, lower_left):
    desired = eta * (y @ (x[:-1] @ x[-1]))
    return equal(APPENDIX.predictions(p, x, y), desired + (y @ y) * (lower_left @ x[-1]))


@ssd.claim(
    "ssd.thm4.1-features",
    where="App. A (“we hope”)",
    says=(
        "under that choice token t is updated by Δu_t = Σ_{i≤t} u_i u_iᵀ S_Bᵀ S_C u_t = "
        "[0; −η Σ_{i≤t} (w_0·x_i − y_i) x_i·x_t] with w_0 = 0: the feature block stays"
    ),
    given=LINEAR,
    parameters=theorem4_1,
    reading="The appendix's own form, without residual and 1/n; the tokens are those of eq. 1, t = 1..n+1.",
)
def features(p, x, eta, xp, d, w=None, y=None, *, both_blocks=False):
    Z = tokens.labelled(x, labels(x, w, y)).T
    return equal(mamba2.mixing(p, Z), updates(x, Z[d], eta, xp, both_blocks))


def updates(x, y, eta, xp, both_blocks):
    """[0 or η Σ_{i≤t} x_i x_i·x_t; −η Σ_{i≤t} (w_0·x_i − y_i) x_i·x_t], w_0 = 0, as columns t; y has n + 1 labels."""
    w_0 = xp.zeros((x.shape[1],))

    def column(t):
        seen = x[: t + 1]
        moved = eta * (seen.T @ (seen @ x[t]))
        label = -eta * (unscaled_gradient(w_0, seen, y[: t + 1]) @ x[t])
        return xp.concat([moved if both_blocks else w_0, label[None]], axis=0)

    return build(xp, x.shape[0], column).T


features.amend(
    "both-blocks",
    "each update is [η Σ_{i≤t} x_i x_i·x_t; η Σ_{i≤t} y_i x_i·x_t]: the feature block moves as the label does",
    given=ANY_LABELS,
    both_blocks=True,
)


@features.restate(
    "layer",
    "in Def. 3.2 token t becomes [x_t + (η/n) Σ_{i≤t} x_i x_i·x_t; y_t + (η/n) Σ_{i≤t} y_i x_i·x_t]",
    given=ANY_LABELS,
)
def features_layer(p, x, y, eta, xp, n, d):
    Z = tokens.labelled(x, y).T
    return equal(mamba2.mamba2(p, Z), Z + updates(x, Z[d], eta, xp, True) / n)
