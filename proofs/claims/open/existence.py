"""What stacked layers can do where one layer of the sources does one step: several steps, to any accuracy."""

from __future__ import annotations

from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.reverse_sgd import (
    FULL_BATCHES,
    query_mask,
    weighted,
    with_masks,
)
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.learners.descent import gradient_descent, stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from ...language.statements import equal
from .source import open_questions


@open_questions.claim(
    "open.ssd-adjoint",
    says=(
        "a layer that moves the query alone, with weights −V_j, is a step of gradient descent seen from behind: "
        "⟨u, x′⟩ − y′ = ⟨u − Σ_j V_j (u·x_j − y_j) x_j, x⟩ − y at the query, for every u"
    ),
    given={"x": "n+1 d", "y": "n", "y_query": "", "u": "d", "V": "n"},
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    reading=(
        "The mask −nV_j in the query's column, 0 elsewhere, a limit of masks of decays (ssd.thm5.1+reverse-mask). So "
        "the layers of a stack do the steps in the reverse order, the last layer the first: ssd.thm5.1+reverse+sign."
    ),
)
def adjoint(x, y, y_query, u, V, xp, n, d):
    labels = xp.concat([y, y_query[None]], axis=0)
    Z = xp.concat([x, labels[:, None]], axis=1).T
    after = mamba2.layer(Z, query_mask(V), with_masks(xp, d, query_mask(V)).S)
    yield equal(after[:, :n], Z[:, :n], label="the examples stay")
    w = gradient_descent(weighted(V), u, x[:-1], y, 1)
    yield equal(u @ after[:d, n] - after[d, n], w @ x[n] - y_query, label="the query")


@open_questions.claim(
    "open.ssd-stack-any-accuracy",
    kind="existence",
    says=(
        "two or three SSD layers of Def. 3.2 come as near as is wanted to as many full steps of gradient descent on "
        "(1/n) Σ (w·x_i − y_i)²: −⟨w_l, x_{n+1}⟩ + O(ε) in the query's slot, for all data and n, d"
    ),
    given={"x": "n+1 d", "y": "n", "eta": ""},
    sizes={"n": (1, 2), "d": (1, 2)},
    construction=FULL_BATCHES,
    fixed=("eta",),
    reading=(
        "Remark 4.1 of ssd, that Theorem 4.1 cannot generalise to several steps since x changes, holds of exact steps: "
        "no stack does two (ssd.remark4.1-ssd). Of steps up to any ε it is false, though x changes. The layers at "
        "ε = 0, where a mask of decays (ssd.thm5.1+reverse-mask with t = n and η for 2η/n) has the weight −2η/n for "
        "every example in the query's column; the label is a polynomial in ε. For any number of layers: "
        "ssd.thm5.1+reverse+sign."
    ),
)
def any_accuracy(construction, p, x, y, eta):
    for layers in (1, 2, 3):
        found = construction.predictions(p, x, y, layers=layers)
        yield equal(found, construction.learned(x, y, eta, steps=layers), label=f"{layers} layers")


def two_examples(w, x_1, x_2, x_3, xp):
    """Two examples with labels w x_j and the query, d = 1, as columns: (2, 3)."""
    feature, label = xp.eye(2)[0], xp.eye(2)[1]
    places = xp.eye(3)
    examples = x_1 * places[0] + x_2 * places[1]
    return outer(feature, examples + x_3 * places[2]) + outer(label, w * examples)


def response(label, xp):
    """1 + ∂²label/∂w∂x_3 at w = x_3 = 0."""
    zero = xp.asarray(0)
    return 1 + gradient(lambda w: gradient(lambda q: label(w, q), zero), zero)


def responses(S, a, x_1, x_2, eta, xp):
    """The layers' response and its product, the steps' and its polynomial."""

    def layer(_, state, own):
        """The next Z, and the product of the factors by which the layers multiply the response."""
        (Z, product), (decays, S) = state, own
        mask = mamba2.decay_mask(decays)
        weights = mask[:2, 2] * S[0, 0] / 2
        factor = 1 + (weights * Z[0, :2] * Z[0, :2]).sum()
        return (mamba2.layer(Z, mask, S), product * factor), factor

    def after(Z):
        return scan(layer, None, (Z, xp.asarray(1)), (a, S)).final_state

    found = response(lambda w, q: after(two_examples(w, x_1, x_2, q, xp))[0][1, 2], xp)
    zero = xp.asarray(0)
    _, product = after(two_examples(zero, x_1, x_2, zero, xp))

    def two_steps(w, q):
        x = two_examples(w, x_1, x_2, q, xp)
        w_2 = stochastic_gradient_descent(HALF_SUM, xp.zeros((1,)), x[:1, :2].T, x[1, :2], eta)
        return w_2[0] * q

    squares = x_1 * x_1, x_2 * x_2
    p = 1 + eta * squares[0] + eta * squares[1] - eta * eta * squares[0] * squares[1]
    return found, product, response(two_steps, xp), p


@open_questions.claim(
    "open.ssd-printed-sign",
    kind="existence",
    says=(
        "for some L and every ε > 0 there are L layers SSD ∘ LSA whose LSA sublayers do nothing, with "
        "y^L_{n+1} = +⟨w_2, x_{n+1}⟩ up to ε for bounded data, w_2 after two steps of SGD on two examples from 0, η > 0"
    ),
    given={"S": "L 2 2", "a": "L 3", "x_1": "", "x_2": "", "eta": ""},
    sizes={"L": (1, 2)},
    over_all_parameters=("S", "a"),
    depends_on=("ssd.value-matrix",),
    reading=(
        "Any S, any decays a, n = 2 and d = 1: other examples and features may be 0. r = 1 + ∂²y/∂w∂x_3 at w = x_3 = 0 "
        "is Π_k F_k, F_k = 1 + c_1k u_k² + c_2k v_k², with u_k, v_k the examples' features before layer k at w = 0 and "
        "c_jk = L_j3 S_11/n (first part, at the L listed; in words: labels follow features). The steps have "
        "p = 1 + ηx_1² + ηx_2² − η²x_1²x_2² (second part). That r tends to p for no sequence of parameters is this "
        "argument. The F_k have constant term 1 and bounded degree, so that their Mahler measures are at least 1, and "
        "bounded if their product tends to p: a subsequence of each tends to a factor of p. As a polynomial in x_1², "
        "x_2² p is irreducible, and in x_1, x_2 too, since −η(1 + ηx_2²)(1 − ηx_2²) is no square: one F_k tends to p. "
        "At x_2 = 0 that says c_1k u_k² → ηx_1², so c_2k v_k² → ηx_2²(1 − ηx_1²), which is positive for x_1 = 0 and "
        "negative for ηx_1² > 1; but c_2k does not depend on the data. With LSA sublayers two layers do it: "
        "ssd.thm5.1+two-examples."
    ),
)
def printed_sign(S, a, x_1, x_2, eta, xp):
    found, product, steps, p = responses(S, a, x_1, x_2, eta, xp)
    yield equal(found, product, label="the layers")
    yield equal(steps, p, label="the steps")
    yield equal(found, p, label="the layers are the steps")


@printed_sign.restate(
    "factors",
    (
        "for all S and decays the response of L such layers, 1 + ∂²y/∂w∂x_3 at w = x_3 = 0, is a product of L factors "
        "1 + c_1k u_k² + c_2k v_k²; that of the steps is 1 + ηx_1² + ηx_2² − η²x_1²x_2²"
    ),
    kind="identity",
    given={"S": "L 2 2", "a": "L 3", "x_1": "", "x_2": "", "eta": ""},
    reading="The argument about limits rests on it. With the sign − the steps have (1 − ηx_1²)(1 − ηx_2²), a product.",
)
def factors(S, a, x_1, x_2, eta, xp):
    found, product, steps, p = responses(S, a, x_1, x_2, eta, xp)
    yield equal(found, product, label="the layers")
    yield equal(steps, p, label="the steps")
    negative = (1 - eta * x_1 * x_1) * (1 - eta * x_2 * x_2)
    yield equal(2 - steps, negative, label="the steps with the sign −")
