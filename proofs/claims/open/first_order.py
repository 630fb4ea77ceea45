"""One SSD ∘ LSA layer to first order: it cannot select an example for y and leave x unchanged."""

from __future__ import annotations

from scanproof.constructs import tokens
from scanproof.constructs.arrays.array_api import outer, unit
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.ranges import build
from scanproof.constructs.constructions.reverse_sgd import query_mask, with_masks
from scanproof.constructs.layers import hybrid, lsa

from ...language.statements import equal
from .source import open_questions

# n = t + gap + 1 + after examples and the query; example t is to be selected, example k = t + gap + 1 is another one.
SIZES = {"t": (1, 2), "gap": (0, 1), "after": (0, 1), "d": (1, 2)}
LENGTH = "t+gap+after+2"
PARAMETERS = {"L": f"{LENGTH} {LENGTH}", "S": "d+1 d+1", "P": "d+1 d+1", "Q": "d+1 d+1"}
DATA = {"z": "d+1", "x_q": "d"}


def first_order(L, S, P, Q, z, x_q, token, xp):
    """The query's first-order change, where `token` is z and all others but the query are 0.

    It is the derivative at τ = 0 of the query after a layer with τS and τQ: (d + 1,).
    """
    length, d = L.shape[0], x_q.shape[0]
    query = xp.concat([x_q, xp.zeros((1,))], axis=0)
    Z = outer(z, unit(xp, length, token)) + outer(query, unit(xp, length, length - 1))
    mask = lsa.causal_mask(xp, length)

    def entry(a):
        def after(tau):
            p = hybrid.Parameters(ssd_mask=L, S=tau * S, lsa_mask=mask, P=P, Q=tau * Q)
            return hybrid.layer(p, Z)[a, length - 1]

        return gradient(after, xp.asarray(0))

    return build(xp, d + 1, entry)


def preference(change, z):
    """y Δx − x Δy for the difference of two changes, (d,): 0 if it is a multiple of z = (x, y)."""
    d = z.shape[0] - 1
    return z[d] * change[:d] - change[d] * z[:d]


@open_questions.claim(
    "open.first-order-select",
    kind="existence",
    says=(
        "for some n ≥ 2, t ≤ n and κ ≠ 0 there is one layer SSD ∘ LSA (any mask L, any S, P, Q, M causal) that to "
        "first order in (S, Q) changes the query's label by κ⟨x_t, x_{n+1}⟩y_t and its features not at all, for all "
        "data"
    ),
    given={**PARAMETERS, **DATA, "kappa": ""},
    sizes=SIZES,
    assuming={"κ ≠ 0": lambda kappa: kappa != 0},
    over_all_parameters=("L", "S", "P", "Q", "kappa"),
    reading=(
        "To first order: the derivative at τ = 0 of the layer with τS and τQ; L, S, P and Q do not depend on the data. "
        "Δ_j is the query's change where token j is z = (x, y) and the other examples are 0. For all parameters and j "
        "= t, k the difference Δ_t − Δ_k is a multiple of z, so that y(Δ_t − Δ_k)_x − x(Δ_t − Δ_k)_y = 0 (first part); "
        "what is wanted has −κy⟨x, x_{n+1}⟩x (second part, divided by κ). k > t here; for t = n exchange the two. No "
        "parameter is a factor in it, so that a sequence of parameters does not tend to what is wanted either."
    ),
)
def select(L, S, P, Q, z, x_q, kappa, xp, t, gap, d):
    selected, other = (first_order(L, S, P, Q, z, x_q, j, xp) for j in (t - 1, t + gap))
    found = preference(selected - other, z)
    yield equal(found, 0 * kappa * z[:d], label="the layer")
    label = kappa * (z[:d] @ x_q) * z[d]
    wanted = label * unit(xp, d + 1, d)
    yield equal(found / kappa, preference(wanted, z) / kappa, label="what is wanted")


@select.restate(
    "weights",
    (
        "for all parameters the first-order changes by a token z in the places t and k differ by "
        "((L_{t,n+1} − L_{k,n+1})/n)(zᵀSz_{n+1}) z: what selects, moves features and label alike"
    ),
    assuming={},
    given={**PARAMETERS, **DATA},
    kind="identity",
    reading="The LSA sublayer treats all examples alike: its mask M has one weight for all of them.",
)
def weights(L, S, P, Q, z, x_q, xp, t, gap, after, d):
    n = t + gap + 1 + after
    selected, other = (first_order(L, S, P, Q, z, x_q, j, xp) for j in (t - 1, t + gap))
    weight = (L[t - 1, n] - L[t + gap, n]) / n
    claimed = weight * (z @ (S[:, :d] @ x_q)) * z
    yield equal(selected - other, claimed)


@select.restate(
    "features-follow",
    (
        "a layer can select if the features follow: L_{t,n+1} = −ηn and 0 elsewhere, S = diag(I, 0) and P = 0 give "
        "z_{n+1} − η⟨x_t, x_{n+1}⟩z_t, exactly, and leave the examples as they are"
    ),
    assuming={},
    given={"x": f"{LENGTH} d", "y": "t+gap+after+1", "eta": ""},
    kind="construction",
    reading=(
        "L is no mask of decays, but a limit of those. That the features follow is what makes l such layers do l steps "
        "of SGD, in the reverse order of the examples."
    ),
)
def features_follow(x, y, eta, xp, t, gap, after, d):
    n = t + gap + 1 + after
    Z = tokens.labelled(x, y).T
    p = with_masks(xp, d, query_mask(eta * unit(xp, n, t - 1)))
    moved = outer(Z[:, t - 1], unit(xp, n + 1, n))
    yield equal(hybrid.layer(p, Z), Z - eta * (x[t - 1] @ x[n]) * moved)
