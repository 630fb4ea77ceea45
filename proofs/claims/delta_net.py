"""Rows of the source `delta-net`: the DeltaNet layer as released, and one pass of the delta rule by it."""

from __future__ import annotations

from scanproof.constructs.constructions import delta_net as construction
from scanproof.constructs.layers import delta_rule, fla_delta_net
from scanproof.constructs.layers.mamba2_block import rms_norm
from scanproof.constructs.learners.descent import stochastic_gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.constructs.tokens.separate import separate_layout

from ..language.learns import learns_from
from ..language.source import Source
from ..language.statements import equal

SOURCE = delta_net = Source(
    "delta-net",
    "The DeltaNet layer as released, and the delta rule on the examples of a context",
    own=True,
)

SIZES = {"n": (1, 2), "d": (1, 2), "k": (1, 2), "more": (0, 1)}
WIDE = "The sizes may be larger than needed by any number `more`: what is added is 0."
TOKENS = "tokens (x_j, y_j, 0, 0) for the examples and (0, 0, x, 1) for the query"


@delta_net.claim(
    "delta-net.l2-norm",
    where="qk_norm",
    says="the L2 norm divides a row u by a number r > 0 with r² = ‖u‖² + ε, the same for all rows of one norm",
    given={"u": "T m", "eps": ""},
    assuming={"ε > 0": lambda eps: eps > 0},
    sizes={"T": (1, 2), "m": (1, 2, 3)},
    reading="Rows of 0 stay 0, as r² is ε there.",
)
def l2_norm(u, eps, xp):
    square = (u * u).sum(axis=1) + eps
    found = fla_delta_net.unit(u, eps)
    yield equal(found * xp.sqrt(square)[:, None], u, label="times r")
    yield equal(fla_delta_net.unit(0 * u, eps), 0 * u, label="rows of 0")


@delta_net.claim(
    "delta-net.strength",
    where="b_proj",
    says="log(β/(2 − β)) makes the write strength β, and 0 makes it 1",
    given={"beta": ""},
    assuming={"β > 0": lambda beta: beta > 0, "2 − β > 0": lambda beta: 2 - beta > 0},
    reading="For allow_neg_eigval=True, which doubles the sigmoid.",
)
def strength(beta, xp):
    yield equal(fla_delta_net.strength(xp.log(beta / (2 - beta))), beta, label="β")
    yield equal(fla_delta_net.strength(xp.asarray(0)), xp.asarray(1), label="1")


@delta_net.claim(
    "delta-net.rms-norm",
    where="o_norm",
    says=(
        "with a constant channel C the norm of the outputs scales all other channels o by one number "
        "s = C/√(C² + ‖o‖² + pε), off from 1 by at most ½(‖o‖² + pε)/C²"
    ),
    given={"o": "d", "C": "", "eps": ""},
    assuming={"C > 0": lambda C: C > 0, "ε ≥ 0": lambda eps: eps >= 0},
    reading=(
        "For p = d + 1 channels and the weight C/√p. ½(‖o‖² + pε)/C² − (1 − s) is (1 − s)²(1 + 2s)/(2s²), which is not "
        "negative, as s is positive. mamba2.rms-norm is the case ε = 0."
    ),
)
def outputs_norm(o, C, eps, xp, d):
    rows = xp.concat([o, C * xp.ones((1,))], axis=0)[None, :]
    weight = C / xp.sqrt(xp.asarray(d + 1)) * xp.ones((d + 1,))
    normed = rms_norm(rows, weight, eps)[0]
    s, square = normed[d] / C, ((o * o).sum() + (d + 1) * eps) / (C * C)
    yield equal(normed[:d], s * o, label="one scale")
    yield equal(s * s * (1 + square), xp.asarray(1), label="the scale")
    yield equal(
        square / 2 - (1 - s), (1 - s) ** 2 * (1 + 2 * s) / (2 * s * s), label="distance from 1"
    )


delta_net.claim(
    "delta-net.one-pass",
    kind="construction",
    says=(
        f"one layer on {TOKENS} predicts Wᵀx for the query, W after one pass of the delta rule from W0: a step of η on "
        "½‖Wᵀx_j − y_j‖² for each of the n examples in turn"
    ),
    given={"x": "n+1 d", "y": "n k", "W0": "d k", "eta": "", "norm": "", "root": ""},
    assuming={"N ≠ 0": lambda norm: norm != 0, "√m ≠ 0": lambda root: root != 0},
    sizes=SIZES,
    construction=construction.ONE_PASS,
    reading=(
        "SiLU is the released one. For the others: L2 norms divide by one number N, as they do where all rows are of "
        "one norm (delta-net.l2-norm), the write strength is β = ηN² (delta-net.strength), and the norm of the outputs "
        "multiplies by its weight (delta-net.rms-norm). For rows of any norms: delta-net.any-norms. √m may be any "
        f"number that is not 0. {WIDE}"
    ),
    depends_on=(
        "mamba2.silu-pair",
        "delta-net.l2-norm",
        "delta-net.strength",
        "delta-net.rms-norm",
    ),
)(learns_from)


@delta_net.claim(
    "delta-net.any-norms",
    kind="construction",
    says=(
        "whatever numbers a_j, b and c the norms multiply the keys of the examples, the query and what is read there "
        f"by, the layer on {TOKENS} predicts W0ᵀx + (bc/√m) Dᵀx, D after one pass of the delta rule of step β from 0 "
        "over the inputs a_j x_j and the targets y_j − W0ᵀx_j"
    ),
    given={
        **{"x": "n+1 d", "y": "n k", "W0": "d k", "beta": "", "key": "", "channel": ""},
        **{"keys": "n+1", "queries": "n+1", "outputs": "n+1", "root": ""},
    },
    assuming={"√m ≠ 0": lambda root: root != 0},
    sizes=SIZES,
    reading=(
        "With SiLU as released, any write strength β, any number X in the query's key and any K in its value. So "
        "inputs of unequal norms are learned from as inputs over their norms, with the targets as they are: of the "
        f"delta rule that is one step size only for inputs of one norm. {WIDE}"
    ),
    depends_on=("mamba2.silu-pair",),
)
def any_norms(x, y, W0, beta, key, channel, keys, queries, outputs, root, xp, n, d, k, more):
    layout = separate_layout(d, k)
    constants = construction.Constants(key, beta, channel, xp.asarray(1))
    made = construction.one_pass(
        xp, layout, construction.widened(layout, more, root), constants, W0
    )
    parts = construction.ideal(xp.asarray(1))._replace(
        keys=lambda rows, eps: rows * keys[:, None],
        queries=lambda rows, eps: rows * queries[:, None],
        norm=lambda rows, weight, eps: rows * outputs[:, None] * weight,
    )
    eps = fla_delta_net.Epsilons(xp.asarray(0), xp.asarray(0))
    found = construction.predictions(made._replace(root=root), layout.tokens(x, y), eps, parts)
    D = stochastic_gradient_descent(
        HALF_SUM, xp.zeros((d, k)), x[:n] * keys[:n, None], y - x[:n] @ W0, beta
    )
    return equal(found[n], x[n] @ W0 + outputs[n] * queries[n] / root * (x[n] @ D))


@delta_net.claim(
    "delta-net.unit-examples",
    says=(
        "one pass of the delta rule of step ηN² from 0 over x_j/N and y_j − W0ᵀx_j arrives at N(W − W0), for W after "
        "one pass of step η from W0 over x_j and y_j"
    ),
    given={"x": "n d", "y": "n k", "W0": "d k", "eta": "", "N": ""},
    assuming={"N ≠ 0": lambda N: N != 0},
    sizes={"n": (1, 2), "d": (1, 2), "k": (1, 2)},
    reading="So delta-net.any-norms is delta-net.one-pass where all a_j are 1/N.",
)
def unit_examples(x, y, W0, eta, N):
    unit = stochastic_gradient_descent(HALF_SUM, 0 * W0, x / N, y - x @ W0, eta * N * N)
    return equal(unit, N * (stochastic_gradient_descent(HALF_SUM, W0, x, y, eta) - W0))


@delta_net.claim(
    "delta-net.query-writes-nothing",
    kind="construction",
    says=(
        "the key of the query is orthogonal to those of all examples: its token changes no row of the state that is "
        "read as a prediction"
    ),
    given={"state": "r d", "q": "d", "norm": "", "channel": "", "beta": "", "query": ""},
    sizes={"r": (1, 2), "d": (1, 2)},
    reading=(
        "The state of the examples has a column of zeros, where no example has a key, and a row of zeros, where none "
        "has a value. After the query's token that row is βKX in that column: the constant channel."
    ),
)
def query(state, q, norm, channel, beta, query, xp, r, d):
    one = xp.ones((1,))
    beside = xp.concat([state, xp.zeros((r, 1))], axis=1)
    token = delta_rule.Token(
        k=xp.concat([xp.zeros((d,)), norm * one], axis=0),
        v=xp.concat([xp.zeros((r,)), channel * one], axis=0),
        q=xp.concat([q, query * one], axis=0),
        beta=beta,
    )
    before = xp.concat([beside, xp.zeros((1, d + 1))], axis=0)
    after, read = delta_rule.step(None, before, token)
    yield equal(after[:r], beside, label="rows that are read as predictions")
    yield equal(read[:r], state @ q, label="what is read")
    yield equal(read[r], beta * channel * norm * query, label="the constant channel")
