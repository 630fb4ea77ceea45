"""What stacked layers can do where one layer of the sources does one step: several steps, to any accuracy."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.constructions.reverse_sgd import (
    query_mask,
    weighted,
    with_masks,
)
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import MEAN

from ...language.statements import equal
from .source import open_questions


def full_batches(xp, n, d, eta):
    """The layer of a full step of gradient descent on the mean of squares."""
    return with_masks(xp, d, query_mask(2 * eta / n * xp.ones((n,))))


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
    parameters=full_batches,
    reading=(
        "Remark 4.1 of ssd, that Theorem 4.1 cannot generalise to several steps since x changes, holds of exact steps: "
        "no stack does two (ssd.remark4.1-ssd). Of steps up to any ε it is false, though x changes. The layers at "
        "ε = 0, where a mask of decays (ssd.thm5.1+reverse-mask with t = n and η for 2η/n) has the weight −2η/n for "
        "every example in the query's column; the label is a polynomial in ε. For any number of layers: "
        "ssd.thm5.1+reverse+sign."
    ),
)
def any_accuracy(p, x, y, eta, xp, n, d):
    Z, w = tokens.labelled(x, y).T, xp.zeros((d,))
    for layers in (1, 2, 3):
        Z = mamba2.layer(Z, p.ssd_mask, p.S)
        w = gradient_descent(MEAN, w, x[:-1], y, eta)
        yield equal(Z[d, n], -(w @ x[n]), label=f"{layers} layers")
