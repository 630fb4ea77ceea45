"""Non-linear regression from the linear statistic: Proposition A.2 and what A.4 says of it (gril)."""

from __future__ import annotations

from typing import Any, NamedTuple

from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.arrays.ranges import build, each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.gril import A1_NONLINEAR, PROP4_1
from scanproof.constructs.layers import linear_recurrence
from scanproof.constructs.layers.gril import cross_product
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.constructs.learners.descent import loss_gradient, prefix_predictions
from scanproof.constructs.learners.losses import HALF_MEAN, HALF_SUM
from scanproof.constructs.tokens import padded

from ...language.statements import equal, undetermined
from ..links import cubic, shifted_square, with_link
from .source import gril


class Maps(NamedTuple):
    """What a layer does with a window, and how it reads its state out at step t."""

    input: Any
    readout: Any


def maps_of_the_window(w0, eta, a, b, c, d):
    loss = with_link(HALF_SUM, cubic(a, b, c, d))
    return Maps(
        input=lambda x, y: loss_gradient(loss, w0, x, y),
        readout=lambda t, following: -(eta / t) * following,
    )


@gril.claim(
    "gril.propA.2",
    where="Prop. A.2",
    kind="existence",
    says=(
        "for data from h(w·x), a diagonal linear recurrent layer (window 3, stride 2) followed by an MLP can be "
        "constructed such that each step produces −(Δw)ᵀ x_{j+1}, Δw = η∇L"
    ),
    given={"x": "N+1 f", "y": "N", "w0": "f", "eta": "", "a": "", "b": "", "c": "", "d": ""},
    sizes={"N": (1, 2, 3), "f": (1, 2)},
    parameters=maps_of_the_window,
    fixed=("w0", "eta", "a", "b", "c", "d"),
    reading=(
        "The input map B of eq. 1 is any map of the window. Witness: B(C_t) = (h(w0·x_t) − y_t) h'(w0·x_t) x_t, "
        "readout "
        "−(η/t) x_{t+1}, and the identity for the MLP. h(z) = a + bz + cz² + dz³ stands for any h: a gradient at "
        "w0 sees "
        "h at the points w0·x_i through its value and its slope there. Arbitrary targets."
    ),
)
def propA_2(p, x, y, w0, eta, a, b, c, d, xp, N, f):
    maps = linear_recurrence.Token(
        transition=xp.ones((N, f)),
        input=build(xp, N, lambda i: p.input(x[i : i + 1], y[i : i + 1])),
        readout=build(xp, N, lambda i: p.readout(i + 1, x[i + 1])),
    )
    h = cubic(a, b, c, d)
    outputs = scan(linear_recurrence.step, None, xp.zeros((f,)), maps).outputs
    for t in each(1, N):
        step = -eta * loss_gradient(with_link(HALF_MEAN, h), w0, x[:t], y[:t])
        yield equal(outputs[t - 1], step @ x[t], ("t = ", t))


@propA_2.restate(
    "block",
    (
        "a GRIL block (Def. 4.2) followed by an MLP does not do it in general: for h(z) = (1 + z)² and w0 = 0 the "
        "windowed cross-products and the last window do not determine the prediction"
    ),
    given={"x": "N f", "w": "f", "query": "f", "eta": ""},
    sizes={"N": (2,), "f": (1,)},
    parameters=None,
    fixed=(),
    reading=(
        "Any A, Q and q, one block or several, on the tokens x_j and y_j alone: every such state is a function of the "
        "products of two entries of one window, which are compared; the MLP may be any map. Data from y = h(w·x)."
    ),
)
def propA_2_block(x, w, query, eta, xp, f):
    y = shifted_square(x @ w)
    inputs = xp.concat([x, query[None, :]], axis=0)
    contexts = PROP4_1.seen(inputs, padded(y[:, None], f - 1, 0)).window
    products = [
        cross_product(context, outer(unit(xp, 3, i), unit(xp, 3, j)))
        for context in contexts
        for i in range(3)
        for j in range(3)
    ]
    loss = with_link(HALF_MEAN, shifted_square)
    predictions = prefix_predictions(loss, xp.zeros((f,)), inputs, y, eta)
    known = [xp.reshape(xp.stack(products), (-1,)), xp.reshape(contexts[-1], (-1,))]
    return undetermined(xp.concat(known), predictions[-1], shared=("eta",))


@propA_2.restate(
    "vanishing",
    (
        "with the layer of eq. 12, w0 = 0 and any h with h(0) = 0, the MLP ρ(z) = h'(0) z: o_t = (η/t) ρ(z_t)ᵀ Θ c_t "
        "is −η ∇L(D_{1:t}; 0)·x_{t+1}"
    ),
    given={"x": "N+1 f", "y": "N", "eta": "", "b": "", "c": "", "d": ""},
    sizes={"N": (1, 2, 3), "f": (1, 2)},
    construction=A1_NONLINEAR,
    fixed=("eta",),
    corrections=("sign", "scale"),
    hypotheses=("h(0) = 0", "w0 = 0"),
    reading=(
        "h(z) = bz + cz² + dz³ stands for any such h: at w0 = 0 a gradient sees h through h(0) and h'(0) = b. "
        "So it is for the sine of App. B.4. Arbitrary targets."
    ),
)
def propA_2_vanishing(construction, p, x, y, eta, b, c, d):
    learned = construction.learned(x, y, eta, b=b, c=c, d=d)
    return equal(construction.predictions(p, x, y, b=b), learned)


@gril.claim(
    "gril.a4-inexact",
    where="A.4",
    kind="remark",
    says=(
        "the map ρ from Σ (w0·x_i − y_i) x_i to Σ (h(w0·x_i) − y_i) h'(w0·x_i) x_i cannot in general be represented "
        "exactly"
    ),
    given={"x": "N f", "w": "f", "w0": "f"},
    sizes={"N": (1, 2), "f": (1, 2)},
    reading=(
        "In general: for some h, here h(z) = (1 + z)², there is no such map at all. Both data sets come from "
        "y = h(w·x), each with its own w, and share w0, which ρ may know."
    ),
)
def a4_inexact(x, w, w0, N):
    y = shifted_square(x @ w)
    gradient = N * loss_gradient(with_link(HALF_MEAN, shifted_square), w0, x, y)
    return undetermined(unscaled_gradient(w0, x, y), gradient, shared=("w0",))
