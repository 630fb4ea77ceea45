"""Several layers against several steps of gradient descent (ssd Remark 4.1, §4.2, §5)."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.constructions.ssd import (
    LABELS,
    ONE_FEATURE,
    TWO_STEPS,
    label_attention,
    theorem4_1,
)
from scanproof.constructs.layers import lsa
from scanproof.constructs.layers import ssd as mamba2
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import MEAN

from ...language.learns import learns
from ...language.statements import differs, equal
from .single_example import (
    example_and_query,
    exchanged,
    response,
    single_example,
    steps_at_the_query,
    steps_exchanged,
    unexcited,
)
from .source import ssd
from .theorem41 import ANY_LABELS, LINEAR, labels

LSA_SIZES = {"n": (1, 2, 3), "d": (1, 2), "L": (2, 3)}


def steps(x, y, eta, xp, L):
    """⟨w_L, x_{n+1}⟩ after L steps from 0 on the loss of Theorem 4.1."""
    w = gradient_descent(MEAN, xp.zeros((x.shape[1],)), x[:-1], y, eta, L)
    return x[-1] @ w


@ssd.claim(
    "ssd.remark4.1-ssd",
    where="Remark 4.1",
    kind="remark",
    says=(
        "the result of Theorem 4.1 cannot generalise to multi-step gradient descent, since after the first layer the "
        "input x would change"
    ),
    given={
        "x_1": "",
        "eta": "",
        "S_before": "before d+1 d+1",
        "S": "d+1 d+1",
        "S_after": "after d+1 d+1",
        "a": "before+1+after n+1",
    },
    sizes={"before": (0, 1), "after": (0, 1), "n": (1, 2), "d": (1, 2)},
    reading=(
        "Multi-step: already two steps. No stack of SSD layers (Def. 3.2: any S, any decays, L_ii = 1) has ⟨w_2, "
        "x_{n+1}⟩ "
        "(or a fixed nonzero multiple) in entry (d+1, n+1) for all data, if η ≠ 0, exactly; up to any ε they do: "
        "open.ssd-stack-any-accuracy (sign −), open.eq5-two-layers+limit (sign +, two steps). More steps are not "
        "treated. The machine proves the "
        "four identities for the numbers of layers listed; that they rule out every stack is this argument. Take "
        "example n = (x_1 e_1, y_1), the query x_q e_1 and 0 elsewhere; M = "
        "∂²/∂y_1∂x_q of the output at y_1 = x_q = 0 is a polynomial in x_1. If S_11 = 0 in every layer then M = 0. "
        "Otherwise let the first layer with S_11 ≠ 0 erase the example, x_1² = −n/S_11: there x_1 M' − M = 0, whatever "
        "comes after. Two steps have M = 2αx_1 − α²x_1³ and x_1 M' − M = −2α²x_1³, α = 2η/n, neither of which is 0."
    ),
)
def no_stack(x_1, eta, S_before, S, S_after, a, xp, n, d):
    corner = outer(unit(xp, d + 1, 0), unit(xp, d + 1, 0))

    def layer(_, Z, own):
        decays, S = own
        Z = mamba2.layer(Z, mamba2.decay_mask(decays), S)
        return Z, Z[d, n]

    def label(layers):
        def output(x, y, q):
            return scan(layer, None, single_example(x, y, q, xp, n, d), (a, layers)).final_state[
                d, n
            ]

        return output

    def without_corner(layers):
        """The layers with S_11 = 0."""
        return layers - layers[:, :1, :1] * corner

    def two_steps(x, y, q):
        return steps_at_the_query(single_example(x, y, q, xp, n, d), eta, xp, 2)

    erasing = S - (S[0, 0] + n / (x_1 * x_1)) * corner
    layers = xp.concat([without_corner(S_before), erasing[None], S_after], axis=0)
    _, bent = response(label(layers), x_1, xp)
    yield equal(bent, 0, label="x_1 M' − M of the layers")

    M, _ = response(label(without_corner(layers)), x_1, xp)
    yield equal(M, 0, label="M of layers with S_11 = 0")

    alpha = 2 * eta / n
    M, bent = response(two_steps, x_1, xp)
    yield equal(M, 2 * alpha * x_1 - alpha**2 * x_1**3, label="M of two steps")
    yield equal(bent, -2 * alpha**2 * x_1**3, label="x_1 M' − M of two steps")


no_stack.amend(
    "free-mask",
    (
        "it can for two steps if L need not be a matrix of decay products (the proofs of Theorems 5.1 and 5.2 take "
        "such L): with L_{j,n+1} = 1 for j ≤ n, 0 elsewhere, and S = 2η(1 ± √2) diag(I, 0) two layers do two steps"
    ),
    given=ANY_LABELS,
    sizes={"n": (1, 2), "d": (1, 2)},
    construction=TWO_STEPS,
    reading=(
        "Exactly, with that mask. Masks of decays do it up to any ε: open.ssd-stack-any-accuracy (sign −), "
        "open.eq5-two-layers+limit (sign +, two steps)."
    ),
    body=learns,
)


@ssd.claim(
    "ssd.remark4.1-ssd-x",
    where="Remark 4.1",
    kind="remark",
    says="after the first layer, the input x would change",
    given=LINEAR,
    parameters=theorem4_1,
    corrections=("factor",),
    sizes={"n": (1, 2), "d": (1, 2)},
    reading="For the parameters of Theorem 4.1 (with 2η) there are such data, at every n and d.",
)
def input_changes(p, x, w, d):
    output = mamba2.mamba2(p, tokens.labelled(x, x[:-1] @ w).T)
    return differs(output[:d], x.T)


@ssd.claim(
    "ssd.value-matrix",
    where="§5",
    kind="remark",
    says=(
        "the Mamba-2 block lacks a flexible value parameter matrix: it cannot directly perform the corrective update "
        "on the label y while keeping the features x unchanged"
    ),
    given={"x": "n+1 d", "w": "d", "y_query": "", "S": "d+1 d+1", "a": "n+1"},
    sizes={"n": (1, 2, 3), "d": (1, 2)},
    reading=(
        "Whatever S and the decays, on linear data y_i = w·x_i the labels move as the features do, Δy_i = w·Δx_i, so "
        "after any number of layers the examples are still labelled by the same w; and the query's error w·x − y is "
        "only scaled, by 1 + zᵀSz/n with its own z: with x unchanged, no example takes part in its label's change."
    ),
)
def labels_follow(x, w, y_query, S, a, xp, n, d):
    label = xp.concat([x[:-1] @ w, y_query[None]], axis=0)
    Z = xp.concat([x, label[:, None]], axis=1).T
    changed = mamba2.layer(Z, mamba2.decay_mask(a), S)
    yield equal(changed[d, :n], w @ changed[:d, :n], label="the examples")
    query = Z[:, n]
    error = w @ changed[:d, n] - changed[d, n]
    own = 1 + query @ (S @ query) / n
    yield equal(error, own * (w @ x[n] - y_query), label="the query's error")


# Two layers of attention whose value matrices change only the label, P_l = e_{d+1} p_lᵀ with any p_l, and any Q_l.
TWO_LAYERS = {"value": "2 d+1", "Q": "2 d+1 d+1"}
PLACES = {"n": (1, 2), "d": (2, 3)}


@ssd.claim(
    "ssd.remark4.1-lsa",
    where="Remark 4.1",
    kind="existence",
    says=(
        "in an LSA multi-step gradient descent is possible, since the value matrix P can ensure that only the labels y "
        "change: a layer a step, M the causal mask (Def. 3.1)"
    ),
    given={**TWO_LAYERS, "z": "d+1", "x": "d", "alpha": "", "gamma": "", "sigma": "", "eta": ""},
    sizes=PLACES,
    assuming={"σ ≠ 0, η ≠ 0": lambda sigma, eta: sigma * eta != 0},
    over_all_parameters=("value", "Q", "sigma", "eta"),
    reading=(
        "Multi-step: already two steps, one layer a step. For d ≥ 2, η ≠ 0 and σ ≠ 0 no real P_l = e_{d+1} p_lᵀ and "
        "Q_l, l = 1, 2, put σ⟨w_2, x_{n+1}⟩ into the query's slot for all linear data. Suppose that some do. All "
        "tokens but one example z = (x_1, y_1) and the query are 0. (a) If p_1 ⟂ z, then after the first layer no "
        "label has changed but for a cubic in x_{n+1}, so that the output's part linear in x_{n+1} is quadratic in z; "
        "that of two steps is not if y_1 ≠ 0 and x_1 ≠ 0. So p_1 is orthogonal to no such z, which for d ≥ 2 leaves "
        "p_1 = (0, π). (b) Hence some x ≠ 0 has p_1 and p_2 orthogonal to (x, 0). On the line of x the output's slope "
        "at y_1 = 0 does not change when example and query are exchanged; that of two steps does. The identities: "
        "+two-features, for all n and d; ση² is divided out. For d ≥ 3 limits are excluded too; for d = 2 they are "
        "not, since (a) is not closed. For d = 1 it is possible: +one-feature. More layers than steps: +deeper. A P "
        "that moves features as well is not treated."
    ),
)
def lsa_existence(value, Q, z, x, alpha, gamma, sigma, eta, xp, n):
    doubled, single = unexcited(value, Q, z, z[:-1], xp, n)
    yield equal(doubled - 4 * single, 0 * eta, label="(a)")
    there, back = exchanged(value, Q, x, alpha, gamma, xp, n)
    yield equal(there - back, 0 * eta, label="(b)")
    to, fro = steps_exchanged(x, alpha, gamma, eta, xp, n, 2)
    scale = sigma * eta**2
    yield equal((there - back) / scale, sigma * (to - fro) / scale, label="(b) for two steps")


@lsa_existence.restate(
    "two-features",
    (
        "no two layers of it do two steps if d ≥ 2: (a) for p_1 ⟂ z = (x_1, y_1) the part linear in x_{n+1} is 4 times "
        "as large for 2z, and that of ⟨w_2, x_{n+1}⟩ exceeds 4 times by −12(2η/n)² y_1‖x_1‖²⟨x_1, x_{n+1}⟩; (b) for "
        "p_1, p_2 ⟂ (x, 0) the slope at y_1 = 0 is the same for (x_1, x_{n+1}) = (αx, γx) and (γx, αx), and that of "
        "⟨w_2, x_{n+1}⟩ differs by −(2η/n)² αγ(α² − γ²)‖x‖⁴"
    ),
    assuming={},
    given={**TWO_LAYERS, "z": "d+1", "x": "d", "x_q": "d", "alpha": "", "gamma": "", "eta": ""},
    reading=(
        "All other parameters are arbitrary. That (a) and (b) leave none is the argument of ssd.remark4.1-lsa. For "
        "d ≥ 3, where some x is orthogonal to any p_1 and p_2, (b) alone suffices, and excludes a sequence of layers "
        "whose outputs tend to those of two steps too, since no parameter is a factor in it."
    ),
    kind="remark",
)
def two_features(value, Q, z, x, x_q, alpha, gamma, eta, xp, n, d):
    step_size = 2 * eta / n
    doubled, single = unexcited(value, Q, z, x_q, xp, n)
    yield equal(doubled, 4 * single, label="(a), two layers")
    x_1, y_1 = z[:d], z[d]
    wrong = 0
    for factor, t in ((1, 2), (-4, 1)):
        Z = example_and_query(t * x_1, t * y_1, x_q, xp, n)
        wrong = wrong + factor * steps_at_the_query(Z, eta, xp, 2)
    claimed = -12 * step_size**2 * y_1 * (x_1 @ x_1) * (x_1 @ x_q)
    yield equal(wrong, claimed, label="(a), two steps")
    there, back = exchanged(value, Q, x, alpha, gamma, xp, n)
    yield equal(there, back, label="(b), two layers")
    to, fro = steps_exchanged(x, alpha, gamma, eta, xp, n, 2)
    claimed = -(step_size**2) * alpha * gamma * (alpha**2 - gamma**2) * (x @ x) ** 2
    yield equal(to - fro, claimed, label="(b), two steps")


@lsa_existence.restate(
    "deeper",
    (
        "L layers of it do K ≥ 2 steps for no L < d, nor as a limit: some x ≠ 0 is orthogonal to the features of all "
        "p_l, and for such x the slope at y_1 = 0 does not change when example and query are exchanged on its line, "
        "as that of K steps does"
    ),
    assuming={},
    given={"value": "L d+1", "Q": "L d+1 d+1", "x": "d", "alpha": "", "gamma": "", "eta": ""},
    sizes={"L": (1, 2, 3), "K": (2, 3), "n": (1, 2), "d": (2,)},
    reading=(
        "Checked for L ≤ 3, K = 2, 3, n ≤ 2 and d = 2, the p_l being orthogonal to (x, 0); for all L and K: to first "
        "order in y_1 only xᵀQ_l x counts, so that the labels are multiplied by commuting matrices "
        "I + c_l[[α², 0], [αγ, γ²]]. With f(t) = Π (1 + c_l t) the off-diagonal entry of their product is "
        "αγ(f(α²) − f(γ²))/(α² − γ²), symmetric in α and γ (‖x‖ = 1). For K steps it is αγ(1 − (1 − ρα²)^K)/α², "
        "ρ = 2η/n, not symmetric for K ≥ 2. What L ≥ d layers can do in more layers than steps is not treated."
    ),
    kind="remark",
)
def deeper(value, Q, x, alpha, gamma, eta, xp, n, K):
    yield equal(*exchanged(value, Q, x, alpha, gamma, xp, n), label="L layers")
    yield differs(*steps_exchanged(x, alpha, gamma, eta, xp, n, K), label="K steps")


@ssd.claim(
    "ssd.remark4.1-lsa-construction",
    where="Remark 4.1",
    kind="construction",
    says=(
        "L layers with P = diag(0, …, 0, 1), which lets only the labels change, and Q = −2η diag(I, 0) do L steps of "
        "gradient descent; M is the causal mask (Def. 3.1)"
    ),
    given=LINEAR,
    sizes=LSA_SIZES,
    parameters=label_attention,
    reading=(
        "The construction of the works that the source cites, with −⟨w_L, x_{n+1}⟩ in the query's slot; token i "
        "sees the "
        "tokens j ≤ i, itself among them."
    ),
)
def lsa_construction(p, x, eta, n, d, L, w=None, y=None, *, causal=True):
    y = labels(x, w, y)
    layers = LABELS._replace(layer=ONE_FEATURE.layer) if causal else LABELS
    Z = layers.outputs(p, x, y, layers=L)
    yield equal(Z[:d], x.T, label="the features stay")
    yield equal(Z[d, n], layers.learned(x, y, eta, steps=L), label="the query")


lsa_construction.amend(
    "mask",
    "they do if every token sees all n examples and none sees the query",
    given=ANY_LABELS,
    construction=LABELS,
    causal=False,
)


@lsa_construction.restate(
    "causal",
    (
        "with M causal two layers P = diag(0, …, 0, 1), Q = c_l diag(I, 0) give σ⟨w_2, x_{n+1}⟩ for no c_1, c_2 and no "
        "σ ≠ 0 (η ≠ 0), even if the query does not see itself"
    ),
    given={"c": "2", "sigma": "", "eta": ""},
    sizes={},
    parameters=None,
    reading=(
        "d = 1 and w = 1. If the outputs were right for all data, the two sums of errors would be 0; they are "
        "multiples of ση². (a) is n = 1, (b) is n = 2 with the query blind to itself."
    ),
)
def no_step_sizes(c, sigma, eta, xp):
    def error(values, mask):
        x = xp.asarray(values)[:, None]
        y = x[:-1] @ xp.ones((1,))
        Z = tokens.labelled(x, y).T
        P = xp.asarray([[0, 0], [0, 1]])
        for layer in range(2):
            Z = lsa.layer(Z, mask, P, c[layer] * xp.asarray([[1, 0], [0, 0]]))
        return Z[1, -1] - sigma * steps(x, y, eta, xp, 2)

    causal = lsa.causal_mask(xp, 2)
    sum_a = error([2, 1], causal) - 2 * error([1, 2], causal)
    yield equal(sum_a, 48 * sigma * eta**2, label="(a)")

    blind = lsa.causal_mask(xp, 3) * lsa.examples_mask(xp, 3)
    sum_b = 12 * error([1, 1, 1], blind) - 20 * error([1, 0, 1], blind) - error([2, 0, 1], blind)
    yield equal(sum_b, 12 * sigma * eta**2, label="(b)")


@lsa_existence.restate(
    "one-feature",
    (
        "for d = 1 and linear labels, L layers with M causal, P = e_2 e_1ᵀ and Q = −2η (e_1 e_2ᵀ − e_2 e_1ᵀ) hold "
        "⟨w_L, x_{n+1}⟩ in the query's slot"
    ),
    assuming={},
    given={"x": "n+1 1", "w": "1", "eta": ""},
    sizes={"n": (1, 2, 3), "L": (1, 2, 3)},
    construction=ONE_FEATURE,
    fixed=("eta",),
)
def lsa_one_feature(construction, p, x, w, eta, n, L):
    y = x[:-1] @ w
    Z = construction.outputs(p, x, y, layers=L)
    yield equal(Z[:1, :], x.T, label="the features stay")
    yield equal(Z[1, :n], y, label="the examples' labels stay")
    yield equal(Z[1, n], construction.learned(x, y, eta, steps=L), label="the query")


@ssd.claim(
    "ssd.depth",
    where="§4.2",
    kind="remark",
    says="multi-layer Mamba-2 may not perform multi-step gradient descent",
    given=LINEAR,
    sizes={"n": (1, 2), "d": (1, 2), "L": (2, 3)},
    parameters=theorem4_1,
    corrections=("factor",),
    depends_on=("ssd.remark4.1-ssd",),
    reading=(
        "L layers, each with the parameters of Theorem 4.1 (with 2η), differ from L steps for some data, at every n, d "
        "and L. That for two steps no parameters and no depth do it exactly is ssd.remark4.1-ssd; up to any ε they do: "
        "open.ssd-stack-any-accuracy (sign −), open.eq5-two-layers+limit (sign +, two steps)."
    ),
)
def depth(p, x, w, eta, xp, n, d, L):
    y = x[:-1] @ w
    Z = mamba2.LAYER.outputs(p, tokens.labelled(x, y).T, layers=L)
    return differs(Z[d, n], steps(x, y, eta, xp, L))
