"""The GRIL block and the shapes that it takes: footnote 1, §4.2 and Definition 4.2 (gril)."""

from __future__ import annotations

import itertools

from scanproof.constructs import tokens
from scanproof.constructs.arrays.ranges import build, each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.gril import EMBEDDED, PROP4_1
from scanproof.constructs.layers import gril as layer
from scanproof.constructs.learners.descent import gradient_descent, prefix_predictions
from scanproof.constructs.learners.losses import HALF_MEAN

from ...language.statements import differs, equal
from .linear_model import targets
from .source import gril


@gril.claim(
    "gril.embed",
    where="footnote 1",
    kind="remark",
    says=(
        "dimensions k and l can be embedded into k + l = f by concatenating zero vectors: "
        "this preserves the GD prediction"
    ),
    given={"x": "N+1 k", "y": "N l", "W0": "k l", "eta": ""},
    sizes={"N": (1, 2), "k": (1, 2), "l": (1, 2)},
    construction=EMBEDDED,
    reading=(
        "Zeros before or after x, before or after y. A step of GD on the padded data from the padded W0 "
        "must end at the padded weights (and so must any number of steps), and the block of Prop. 4.1 "
        "(W0 = 0) must give at every t the prediction in the places of y, 0 elsewhere."
    ),
)
def embed(p, x, y, W0, eta, xp, N, k, l):
    weights = gradient_descent(HALF_MEAN, W0, x[:N], y, eta)
    predictions = prefix_predictions(HALF_MEAN, xp.zeros((k, l)), x, y, eta)
    for before_x, before_y in itertools.product((0, l), (0, k)):
        in_x, in_y = (before_x, l - before_x), (before_y, k - before_y)
        where = (before_x, " zeros before x, ", before_y, " before y")
        wide_x, wide_y = tokens.padded(x, *in_x), tokens.padded(y, *in_y)
        wide_W0, expected = (
            tokens.padded(tokens.padded(W, *in_y).T, *in_x).T for W in (W0, weights)
        )
        descended = gradient_descent(HALF_MEAN, wide_W0, wide_x[:N], wide_y, eta)
        yield equal(descended, expected, ("GD, ", *where))
        outputs = PROP4_1.outputs(p, wide_x, wide_y)
        yield equal(outputs, tokens.padded(predictions, *in_y), ("block, ", *where))


@gril.claim(
    "gril.coupled",
    where="§4.2",
    kind="remark",
    says=(
        "the vector-valued system can be viewed as f coupled scalar regression problems, one for each "
        "coordinate of y"
    ),
    given={"x": "N+1 f", "w": "f f", "v": "f f", "W0": "f f", "eta": ""},
    sizes={"N": (1, 2), "f": (2, 3)},
    reading=(
        "Coupled: what the other coordinates of y are makes a difference to the prediction for this one "
        "(here: the task weights w of coordinates 2..f are replaced by those of v). The problems share "
        "the inputs x_i, and nothing else."
    ),
)
def coupled(x, w, v, W0, eta, xp):
    other = xp.concat([w[:, :1], v[:, 1:]], axis=1)
    one = prefix_predictions(HALF_MEAN, W0, x, targets(x, w), eta)
    two = prefix_predictions(HALF_MEAN, W0, x, targets(x, other), eta)
    return differs(one[:, 0], two[:, 0], "the prediction for coordinate 1")


@coupled.restate(
    "independent",
    (
        "it is k independent scalar regression problems on the same inputs: each coordinate's predictions are "
        "those of scalar GD on that coordinate's targets alone, after any number of steps (here 1 and 2)"
    ),
    given={"x": "N+1 f", "y": "N k", "W0": "f k", "eta": ""},
    sizes={"N": (1, 2), "f": (1, 2), "k": (1, 2, 3)},
)
def independent(x, y, W0, eta, k):
    for steps in (1, 2):
        together = prefix_predictions(HALF_MEAN, W0, x, y, eta, steps)
        for i in each(0, k - 1):
            alone = prefix_predictions(HALF_MEAN, W0[:, i], x, y[:, i], eta, steps)
            yield equal(together[:, i], alone, ("coordinate ", i + 1, ", ", steps, " steps"))


@gril.claim(
    "gril.def4.2",
    where="Def. 4.2",
    kind="definition",
    says=(
        "the block Z_t = A ⊙ Z_{t−1} + C_t Q C_tᵀ, o_t = β Z_t C_t q has the closed form "
        "Z_t = A^{⊙t} ⊙ Z_0 + Σ_{s≤t} A^{⊙(t−s)} ⊙ C_s Q C_sᵀ, for any Z_0 and A"
    ),
    given={"A": "f f", "Q": "w w", "q": "w", "beta": "", "C": "T f w", "Z0": "f f"},
    sizes={"T": (1, 2, 3), "f": (1, 2), "w": (1, 2, 3)},
    parameters=lambda xp, A, Q, q, beta: layer.Block(A, Q, q, beta, xp.asarray((1, 0))),
    reading="The definition prints no closed form; A^{⊙n} is the n-th elementwise power of the gate.",
)
def def4_2(p, A, Q, q, beta, C, Z0, xp, T):
    windows = layer.Window(C, tokens.steps(xp, T))
    run = scan(layer.step, p, Z0, windows)
    for t in each(1, T):

        def added(s, t=t):
            return A ** (t - 1 - s) * layer.cross_product(C[s], Q)

        Z = A**t * Z0 + build(xp, t, added).sum(axis=0)
        yield equal(run.states[t - 1], Z, ("state, t = ", t))
        yield equal(run.outputs[t - 1], beta * (Z @ (C[t - 1] @ q)), ("output, t = ", t))
