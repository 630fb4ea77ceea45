"""Linear regression by gradient descent, and the layer that does it in context (ch9 §9.2.2)."""

from __future__ import annotations

from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.ch9 import ICL
from scanproof.constructs.layers import linear_transformer
from scanproof.constructs.learners.accumulation import Example, accumulation_step
from scanproof.constructs.learners.coefficients import coefficient_descent, weighted_sum
from scanproof.constructs.learners.descent import gradient_descent, loss_gradient
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import differs, equal
from .source import ch9

REGRESSION = {"x": "n d", "y": "n", "w": "d", "eta": ""}


@ch9.claim(
    "ch9.gradient",
    where="eqs. 9.22–9.24",
    says=(
        "the gradient of Σ ½(w·x_i − y_i)² is Σ (w·x_i − y_i) x_i, so the update rule is "
        "w^(ℓ+1) = w^(ℓ) − η Σ (w^(ℓ)·x_i − y_i) x_i"
    ),
    given=REGRESSION,
)
def gradient(x, y, w, eta, xp, d):
    total = scan(accumulation_step, w, xp.zeros((d,)), Example(x, y)).final_state
    yield equal(loss_gradient(HALF_SUM, w, x, y), total, "gradient")
    yield equal(gradient_descent(HALF_SUM, w, x, y, eta), w - eta * total, "update rule")


@ch9.claim(
    "ch9.span",
    where="§9.2.2",
    kind="remark",
    says="for linear regression (from w = 0) the weight vector is a weighted sum of the training inputs",
    given=REGRESSION,
    sizes={"n": (1, 2, 3), "d": (1, 2, 3), "L": (1, 2, 3)},
    reading=(
        "After L steps of gradient descent on eq. 9.22, with the weights of the sum exhibited: descent on the "
        "coefficients. From any w the sum is added to w, with y_i − w·x_i for y_i; alone it is then not enough, as "
        "zero inputs show, whose every weighted sum is 0."
    ),
)
def span(x, y, w, eta, xp, d, L):
    zero = xp.zeros((d,))
    c = coefficient_descent(x, y, eta, L)
    yield equal(gradient_descent(HALF_SUM, zero, x, y, eta, L), weighted_sum(c, x), "from w = 0")
    c = coefficient_descent(x, y - x @ w, eta, L)
    yield equal(gradient_descent(HALF_SUM, w, x, y, eta, L), w + weighted_sum(c, x), "from any w")
    empty = x - x
    yield differs(
        gradient_descent(HALF_SUM, w, empty, y, eta, L), zero, "from w ≠ 0, all inputs zero"
    )


@ch9.claim(
    "ch9.icl",
    where="eqs. 9.25–9.30",
    kind="construction",
    says=(
        "q = [w; −1], k = [x; y], v = [−ηx; 0; 0]: one causal linear-attention layer with residual is one step of GD "
        "on examples 0..i; L layers are L steps"
    ),
    given=REGRESSION,
    sizes={"n": (1, 2, 3), "d": (1, 2, 3), "L": (1, 2, 3)},
    construction=ICL,
    reading=(
        "At every token i: after L layers it holds the weights after L steps from w on the loss of eq. 9.22 over "
        "examples 0..i, and its x_i, y_i unchanged. The text's 'first i examples' are these i + 1."
    ),
)
def in_context(construction, p, x, y, w, eta, n, d, L):
    tokens = linear_transformer.weights_in_tokens(w, x, y)
    after = construction.layer.outputs(p, tokens, layers=L)
    for i in each(0, n - 1):
        learned = construction.learner.after(x[: i + 1], y[: i + 1], eta, w, L)
        yield equal(after[i, :d], learned, ("weights at token ", i))
    yield equal(after[:, d:], tokens[:, d:], "examples")
