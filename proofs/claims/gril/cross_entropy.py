"""Classification: gradients of cross-entropies, and a block that accumulates them (gril §4.4, A.6)."""

from __future__ import annotations

from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.constructions.gril_classification import (
    BINARY,
    MEAN,
    SUMMED,
    ZERO_MEAN,
    ZERO_SUMMED,
    classes,
)
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import (
    BinaryCrossEntropy,
    CrossEntropy,
    sigmoid,
    softmax,
)

from ...language.statements import differs, equal
from .source import gril

SMALL = (1, 2)
CLASSES = (
    "K = J + 1 classes. Of a label only Σ_k y_k = 1 is used: J entries are free, one-hot or not."
)


def labels(free, xp):
    """Rows that sum to one: (N, J) -> (N, J + 1)."""
    return xp.concat([free, 1 - free.sum(axis=1)[:, None]], axis=1)


def one_hot(free):
    """Whether the labels with these free entries are one-hot."""
    return all(v in (0, 1) for v in free.flat) and all(row.sum() <= 1 for row in free)


@gril.claim(
    "gril.eq11",
    where="eq. 11",
    says="∇_W Σ −y_iᵀ log softmax(Wφ(x_i)) = Σ (p_i − y_i) φ(x_i)ᵀ",
    given={"W": "J+1 d", "phi": "N d", "free": "N J"},
    sizes={"N": SMALL, "d": SMALL, "J": SMALL},
    reading=CLASSES,
)
def eq11(W, phi, free, xp):
    y = labels(free, xp)
    slope = gradient(lambda V: CrossEntropy()(V.T, phi, y), W)
    return equal(slope, (softmax(phi @ W.T) - y).T @ phi)


@eq11.restate(
    "any-labels",
    "for labels that need not sum to one it is Σ ((Σ_k y_ik) p_i − y_i) φ(x_i)ᵀ, and eq. 11 fails",
    given={"W": "K d", "phi": "N d", "y": "N K"},
    sizes={"N": SMALL, "d": SMALL, "K": SMALL},
)
def eq11_any_labels(W, phi, y):
    slope = gradient(lambda V: CrossEntropy()(V.T, phi, y), W)
    p = softmax(phi @ W.T)
    yield equal(slope, (y.sum(axis=1)[:, None] * p - y).T @ phi)
    yield differs(slope, (p - y).T @ phi, "eq. 11")


LOGITS = {"W": "J+1 d", "phi": "N+1 d", "free": "N J", "eta": ""}
LOGIT_SIZES = {"N": SMALL, "d": (1,), "J": (1,)}
FROM_ZERO_SIZES = {"N": SMALL, "d": SMALL, "J": (1,)}


@gril.claim(
    "gril.prop4.3",
    where="Prop. 4.3",
    kind="construction",
    says=(
        "the window holds φ(x_t), r_t = p_t − y_t, φ(x_{t+1}); Z_t = Σ r_i φ(x_i)ᵀ; "
        "ẑ_{t+1} = −(η/t) Z_t φ(x_{t+1}) are the updated next-query logits "
        "after one step of rate η on the summed cross-entropy"
    ),
    given=LOGITS,
    sizes=LOGIT_SIZES,
    parameters=classes,
    assuming={"one-hot labels": one_hot, "η > 0": lambda eta: eta > 0},
    reading=(
        "W is any initial classifier, as in eq. 11 (from W = 0 all r_t would be known beforehand), and p_t is taken at "
        "W. K = J + 1 classes. The state is right; the logits lack Wφ(x_{t+1}), and η/t belongs to a mean, not to "
        "the sum that eq. 11 differentiates."
    ),
)
def prop4_3_claim(p, W, phi, free, eta, xp, N, *, initial_logits=False, mean=False):
    y, K = labels(free, xp), W.shape[0]
    block = MEAN if mean else SUMMED
    run = block.run(p, phi, y, W.T)
    Z, logits = run.states[:, :K, K:], run.outputs[:, :K]
    for t in each(1, N):
        slope = loss_gradient(CrossEntropy(), W.T, phi[:t], y[:t])
        yield equal(Z[t - 1], slope.T, ("state, t = ", t))
    updated = block.learned(phi, y, eta, W.T)
    start = phi[1:] @ W.T if initial_logits else 0
    yield equal(start + logits, updated, "logits")


prop4_3_claim.amend(
    "logits+scale",
    "Wφ(x_{t+1}) − η Z_t φ(x_{t+1}) are the updated logits at every t, for any initial W",
    assuming={},
    construction=SUMMED,
    corrections=("scale",),
    initial_logits=True,
    reading=CLASSES,
)
prop4_3_claim.amend(
    "logits+mean",
    "Wφ(x_{t+1}) − (η/t) Z_t φ(x_{t+1}) are those after one step on the mean cross-entropy",
    assuming={},
    construction=MEAN,
    initial_logits=True,
    mean=True,
    reading=CLASSES,
)


@prop4_3_claim.restate(
    "start+scale",
    "from W = 0, −η Z_t φ(x_{t+1}) are the updated logits; −(η/t) Z_t φ(x_{t+1}) are not, for t ≥ 2",
    given={"phi": "N+1 d", "free": "N J", "eta": ""},
    sizes=FROM_ZERO_SIZES,
    construction=ZERO_SUMMED,
    corrections=("scale",),
    assuming={},
    reading=CLASSES,
)
def from_zero(construction, p, phi, free, eta, xp, N, d, J):
    y = labels(free, xp)
    updated = construction.learned(phi, y, eta)
    yield equal(construction.predictions(p, phi, y), updated)
    if N > 1:
        as_printed = construction.predictions(classes(xp, J, d, eta), phi, y)
        yield differs(as_printed[-1], updated[-1], "with η/t")


@prop4_3_claim.restate(
    "start+mean",
    "from W = 0, −(η/t) Z_t φ(x_{t+1}) are the logits after one step on the mean cross-entropy",
    given={"phi": "N+1 d", "free": "N J", "eta": ""},
    sizes=FROM_ZERO_SIZES,
    construction=ZERO_MEAN,
    assuming={},
    reading=CLASSES,
)
def from_zero_on_the_mean(construction, p, phi, free, eta, xp):
    y = labels(free, xp)
    return equal(construction.predictions(p, phi, y), construction.learned(phi, y, eta))


@prop4_3_claim.restate(
    "binary+logits+scale",
    "with r_t = σ(w·φ(x_t)) − y_t the same block gives the updated binary logit w·φ(x_{t+1}) − η Z_t φ(x_{t+1})",
    given={"w": "d", "phi": "N+1 d", "y": "N", "eta": ""},
    sizes={"N": SMALL, "d": SMALL},
    construction=BINARY,
    corrections=("scale",),
    assuming={},
)
def binary(construction, p, w, phi, y, eta):
    return equal(construction.predictions(p, phi, y, w), construction.learned(phi, y, eta, w))


@gril.claim(
    "gril.a6-jacobian",
    where="A.6",
    says="∂p_k/∂z_j = p_k (δ_kj − p_j); the logit gradient is p − y",
    given={"z": "J+1", "free": "1 J"},
    sizes={"J": (1, 2)},
    reading=CLASSES,
)
def a6_jacobian(z, free, xp, J):
    p, y = softmax(z[None, :])[0], labels(free, xp)
    for k in each(0, J):
        row = gradient(lambda v, k=k: softmax(v[None, :])[0, k], z)
        yield equal(row, p[k] * (unit(xp, J + 1, k) - p), ("k = ", k + 1))
    one = xp.ones((1, 1))  # the logits are the weights of a single feature that is 1
    yield equal(loss_gradient(CrossEntropy(), z[None, :], one, y), p[None, :] - y, "logit gradient")


@gril.claim(
    "gril.a6-softmax",
    where="A.6",
    says="with logits Wᵀφ(x_i) the weight gradient is Σ x_i (p_i − y_i)ᵀ",
    given={"W": "f J+1", "x": "N f", "phi": "N f", "free": "N J"},
    sizes={"N": SMALL, "f": SMALL, "J": (1,)},
    assuming={"one-hot labels": one_hot},
    reading=(
        "φ(x_i) stands for the values of any feature map; d = f here, since for d ≠ f even the shapes of the two sides "
        "differ. The printed gradient has x_i where the logits have φ(x_i)."
    ),
)
def a6_softmax(W, x, phi, free, xp):
    y = labels(free, xp)
    return equal(loss_gradient(CrossEntropy(), W, phi, y), x.T @ (softmax(phi @ W) - y))


@a6_softmax.restate(
    "features",
    "with logits Wᵀφ(x_i) it is Σ φ(x_i) (p_i − y_i)ᵀ",
    given={"W": "d J+1", "phi": "N d", "free": "N J"},
    sizes={"N": SMALL, "d": SMALL, "J": (1,)},
    assuming={},
    reading=CLASSES,
)
def a6_softmax_features(W, phi, free, xp):
    y = labels(free, xp)
    return equal(loss_gradient(CrossEntropy(), W, phi, y), phi.T @ (softmax(phi @ W) - y))


@a6_softmax.restate(
    "identity",
    "with logits Wᵀx_i, that is φ(x) = x, it is Σ x_i (p_i − y_i)ᵀ",
    given={"W": "f J+1", "x": "N f", "free": "N J"},
    sizes={"N": SMALL, "f": SMALL, "J": (1,)},
    assuming={},
    reading=CLASSES,
)
def a6_softmax_identity(W, x, free, xp):
    y = labels(free, xp)
    return equal(loss_gradient(CrossEntropy(), W, x, y), x.T @ (softmax(x @ W) - y))


@gril.claim(
    "gril.a6-binary",
    where="A.6",
    says=(
        "the binary cross-entropy gradient is Σ (p_i − y_i) x_i, p_i = σ(w·x_i), and on D_{1:t} it is that on "
        "D_{1:t−1} plus (p_t − y_t) x_t"
    ),
    given={"w": "f", "x": "N f", "y": "N"},
    sizes={"N": SMALL, "f": SMALL},
    reading="For arbitrary y_i, of which 0 and 1 are special cases.",
)
def a6_binary(w, x, y, N):
    p = sigmoid(x @ w)
    for t in each(1, N):
        slope, before = (loss_gradient(BinaryCrossEntropy(), w, x[:n], y[:n]) for n in (t, t - 1))
        yield equal(slope, (p[:t] - y[:t]) @ x[:t], ("sum, t = ", t))
        yield equal(slope, before + (p[t - 1] - y[t - 1]) * x[t - 1], ("recursion, t = ", t))


@gril.claim(
    "gril.a6-recursion",
    where="A.6",
    says=(
        "∇L(D_{1:t}; W) = ∇L(D_{1:t−1}; W) + x_t (p_t − y_t)ᵀ, where p_t = softmax(Wᵀx_t), W fixed"
    ),
    given={"W": "f J+1", "x": "N f", "free": "N J"},
    sizes={"N": SMALL, "f": SMALL, "J": (1,)},
    reading=(
        f"{CLASSES} With the logits Wᵀx_t that this line prints, the gradient on no example being 0."
    ),
)
def a6_recursion(W, x, free, xp, N):
    y = labels(free, xp)
    p = softmax(x @ W)
    for t in each(1, N):
        slope, before = (loss_gradient(CrossEntropy(), W, x[:n], y[:n]) for n in (t, t - 1))
        yield equal(slope, before + outer(x[t - 1], p[t - 1] - y[t - 1]), ("t = ", t))
