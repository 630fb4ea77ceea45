"""Rows of the source `linear-attention`: layers as flash-linear-attention has them, and gradient descent by stacks."""

from __future__ import annotations

from scanproof.constructs.arrays.ranges import build
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions import linear_attention as construction
from scanproof.constructs.layers import fla_linear_attention as multi_head
from scanproof.constructs.layers import linear_attention, lsa
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.constructs.tokens.mamba2 import labelled_tokens

from ..language.learns import learns, learns_from, learns_in_steps
from ..language.source import Source
from ..language.statements import equal

SOURCE = linear = Source(
    "linear-attention",
    "Linear attention as released, and gradient descent by layers of it",
    own=True,
)

DATA = {"x": "n+1 d", "y": "n k", "eta": "", "root": ""}
SIZES = {"n": (1, 2), "d": (1, 2), "k": (1, 2), "more": (0, 1)}
ROOT = {"√m ≠ 0": lambda root: root != 0}
WIDE = (
    "The layers are those of linear-attention.layer with residual connections, and √m may be any number that is not 0. "
    "The sizes may be larger than needed by any number `more`: what is added is 0."
)


@linear.claim(
    "linear-attention.layer",
    says="the recurrent form of every head is causally masked attention: o_t = Σ_h W_o Σ_{s ≤ t} (q_t·k_s / √m) v_s",
    given={
        "rows": "T M",
        "W_q": "H m M",
        "W_k": "H m M",
        "W_v": "H r M",
        "W_o": "H M r",
        "root": "",
    },
    assuming=ROOT,
    sizes={"T": (1, 2, 3), "M": (1, 2), "H": (1, 2), "m": (1, 2), "r": (1,)},
    reading="√m may be any number that is not 0.",
)
def recurrence(rows, W_q, W_k, W_v, W_o, root, xp, H):
    p = multi_head.Parameters(W_q, W_k, W_v, W_o)

    def masked(h):
        seen = lsa.causally_projected(rows, W_q[h].T, W_k[h].T, W_v[h].T)
        return seen @ W_o[h].T / root

    return equal(multi_head.attention(p, rows, root), build(xp, H, masked).sum(axis=0))


linear.claim(
    "linear-attention.one-step",
    kind="construction",
    says=(
        "one layer on tokens (x_j, y_j, is_query) predicts for the query after one step of gradient descent from W = 0 "
        "on the n examples before it"
    ),
    given=DATA,
    assuming=ROOT,
    sizes=SIZES,
    construction=construction.LABELLED_STEP,
    reading=f"The query's token is added too, with the value 0. {WIDE}",
)(learns)


linear.claim(
    "linear-attention.one-step-concatenated",
    kind="construction",
    says="one layer on tokens (x_t, y_t, x_{t+1}) predicts at every t for x_{t+1} after one step from W0 on t examples",
    given={**DATA, "W0": "d k"},
    assuming=ROOT,
    sizes=SIZES,
    construction=construction.CONCATENATED_STEP,
    reading=WIDE,
)(learns_from)


@linear.claim(
    "linear-attention.state",
    kind="construction",
    says=(
        "the state of the layer of linear-attention.one-step-concatenated is minus the gradient of "
        "½ Σ ‖W0ᵀx_j − y_j‖² accumulated so far, transposed"
    ),
    given={**DATA, "W0": "d k"},
    assuming=ROOT,
    sizes=SIZES,
    parameters=construction.CONCATENATED_STEP.parameters,
    reading=f"The first k rows and d columns of it. {WIDE}",
)
def state(p, x, y, W0, root, xp, d, k, n, more):
    raw = construction.CONCATENATED_STEP.seen(x, y)
    widths = construction.widened(raw.layout, more, root)
    stream = raw.rows @ p.encode_weight.T + p.encode_bias
    tokens = multi_head.head(p.last, 0, stream, root)
    empty = xp.zeros((widths.values, widths.keys))
    final = scan(linear_attention.step, None, empty, tokens).final_state
    return equal(final[:k, :d], -unscaled_gradient(W0, x[:n], y).T)


@linear.claim(
    "linear-attention.one-step-anywhere",
    kind="existence",
    says=(
        "for every W0 and η some layer on tokens (x_j, y_j, is_query), with any number of heads, predicts for the "
        "query after one step from W0 on the n examples before it"
    ),
    given={
        "E": "M d+2",
        "b": "M",
        "W_q": "H m M",
        "W_k": "H m M",
        "W_v": "H r M",
        "W_o": "H M r",
        "R": "1 M",
        "root": "",
        "W0": "d 1",
        "eta": "",
    },
    assuming={**ROOT, "η ≠ 0": lambda eta: eta != 0, "W0 ≠ 0": lambda W0: (W0 * W0).sum() != 0},
    sizes={"d": (1, 2), "M": (1, 2), "H": (1, 2), "m": (1,), "r": (1,)},
    over_all_parameters=("E", "b", "W_q", "W_k", "W_v", "W_o", "R"),
    reading=(
        "The layer has a residual connection, tokens are encoded by any affine map and the output is read by any "
        "linear one. A causal layer adds the query's token as it adds an example, so that what is cubic in the query "
        "goes with what is linear in the query and quadratic in an example. A combination of the errors on eight data "
        "sets with n = 1, inputs multiples of W0 and targets 0, is 6η‖W0‖⁴ for all parameters (first part), so that "
        "the errors are not all 0 (second part, divided by it). Two layers can do it: linear-attention.gd; so can one "
        "from W0 = 0 (linear-attention.one-step), or where the query is no token of its own (linear-attention.one-"
        "step-concatenated)."
    ),
)
def anywhere(E, b, W_q, W_k, W_v, W_o, R, root, W0, eta, xp, d):
    combination, found = _errors(E, b, W_q, W_k, W_v, W_o, R, root, W0, eta, xp, d)
    yield equal(combination, found, label="the errors")
    yield equal(combination / found, 0 * eta, label="if all errors are 0")


@anywhere.restate(
    "none",
    (
        "none does it for W0 ≠ 0 and η ≠ 0: whatever the layer, 6η‖W0‖⁴ is a combination of its errors on eight data "
        "sets with one example"
    ),
    kind="remark",
    assuming=ROOT,
)
def nowhere(E, b, W_q, W_k, W_v, W_o, R, root, W0, eta, xp, d):
    return equal(*_errors(E, b, W_q, W_k, W_v, W_o, R, root, W0, eta, xp, d))


def _errors(E, b, W_q, W_k, W_v, W_o, R, root, W0, eta, xp, d):
    """The combination of errors of one layer, and what it is for all parameters."""
    p = multi_head.Parameters(W_q, W_k, W_v, W_o)

    def error(query, example):
        """The output minus the prediction for query · W0, when the only example is (example · W0, 0)."""
        x, y = xp.stack([example * W0[:, 0], query * W0[:, 0]], axis=0), xp.zeros((1, 1))
        output = multi_head.layer(p, labelled_tokens(x, y) @ E.T + b, root)[1] @ R.T
        return (output - x[1] @ gradient_descent(HALF_SUM, W0, x[:1], y, eta))[0]

    # Differences: the coefficients of query³ and of query · example² in the layer's output are equal.
    cubed = error(3, 0) - 3 * error(2, 0) + 3 * error(1, 0) - error(0, 0)
    mixed = sum(
        sign * (error(query, 2) - 2 * error(query, 1) + error(query, 0))
        for query, sign in ((1, 1), (0, -1))
    )
    square = (W0 * W0).sum()
    return 3 * mixed - cubed, 6 * eta * square * square


WITH_WEIGHTS = {"x": "n+1 d", "y": "n 1", "W0": "d 1", "eta": "", "root": ""}
WEIGHTS_SIZES = {"n": (1, 2), "d": (1, 2), "L": (1, 2), "more": (0,)}


linear.claim(
    "linear-attention.gd",
    kind="construction",
    says=(
        "L + 1 layers on tokens (x_j, y_j, is_query) predict Wᵀx for the query, W after L steps of gradient descent "
        "from W0 on the n examples before it"
    ),
    given=WITH_WEIGHTS,
    assuming=ROOT,
    sizes=WEIGHTS_SIZES,
    construction=construction.ONE_TARGET,
    reading=f"{WIDE} For several targets: linear-attention.gd-vector.",
)(learns_in_steps)


linear.claim(
    "linear-attention.gd-vector",
    kind="construction",
    says="with two targets, tokens carry two weight vectors and a layer has a head for each: linear-attention.gd",
    given={**WITH_WEIGHTS, "y": "n 2", "W0": "d 2"},
    assuming=ROOT,
    sizes={**WEIGHTS_SIZES, "L": (2,)},
    construction=construction.TWO_TARGETS,
    reading=WIDE,
)(learns_in_steps)


@linear.claim(
    "linear-attention.gd-alike",
    kind="construction",
    says="the same if all L layers are alike, that is if the first does not treat the query's token in its own way",
    given=WITH_WEIGHTS,
    assuming=ROOT,
    sizes=WEIGHTS_SIZES,
    parameters=construction.STEPS.parameters,
    reading=(
        "The first of the L layers is then like the others, and the query's token is an example with the target 0: its "
        "term −η(w·x)x is not taken back."
    ),
)
def alike(p, x, y, W0, eta, xp, n, L, *, query_is_example=False):
    predicted = construction.STEPS.outputs(p._replace(first=p.step), x, y, layers=L)
    inputs, targets = x[:n], y
    if query_is_example:
        inputs, targets = x, xp.concat([y, xp.zeros((1, 1))], axis=0)
    return equal(predicted[-1], x[n] @ gradient_descent(HALF_SUM, W0, inputs, targets, eta, L))


alike.amend(
    "query",
    "L steps on n + 1 examples, the query with the target 0 among them",
    query_is_example=True,
    reading=WIDE,
)
