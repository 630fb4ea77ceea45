"""Masks of decay products: which weights they can have, with decays of any sign and with decays in (0, 1]."""

from __future__ import annotations

from scanproof.constructs.constructions.hybrid import decays_of_column, selecting_mask
from scanproof.constructs.layers.ssd import decay_mask
from scanproof.constructs.ranges import each, product

from ...language.statements import equal
from .source import open_questions

# The selecting mask has L_ti = 1 + ηn for all tokens i ≥ t that see example t, and 1 elsewhere; n = t + r examples.
SIZES = {"t": (1, 2), "r": (0, 1)}
IN_UNIT_INTERVAL = {
    "0 < a_i ≤ 1": lambda a: all(0 < entry <= 1 for entry in a.flat),
    "η > 0": lambda eta: eta > 0,
}


def selecting(xp, t, r, eta):
    n = t + r
    return selecting_mask(xp, n + 1, t - 1, t, 1 + eta * n)


def defect(mask, i, j, k):
    """L_ij L_jk − L_ik, which is 0 for a mask of decays: a_{k:i} = a_{k:j} a_{j:i}."""
    return mask[i, j] * mask[j, k] - mask[i, k]


@open_questions.claim(
    "open.mask-product",
    where="ssd App. A",
    kind="existence",
    says=(
        "for t ≥ 2 some decays have the mask with L_ti = 1 + ηn for i > t and 1 in the other entries above the diagonal"
    ),
    given={"a": "t+r+2", "eta": ""},
    sizes=SIZES,
    over_all_parameters=True,
    reading=(
        "The mask that selects example t + 1 of n = t + r + 1. For all decays L_{t,t+1} L_{t+1,n+1} = L_{t,n+1} (first "
        "part); in the mask that is wanted the two sides differ by ηn (second part). So no decays have it, and no "
        "sequence of decays tends to it."
    ),
)
def mask_product(a, eta, xp, t, r):
    n = t + r + 1
    found = defect(decay_mask(a), t - 1, t, n)
    wanted = selecting(xp, t + 1, r, eta)
    yield equal(found, 0 * eta, label="decays")
    yield equal(found, defect(wanted, t - 1, t, n), label="the mask that is wanted")


@mask_product.restate(
    "column",
    (
        "some decays have the last column c, for any numbers c_1, …, c_n that are not 0 and c_{n+1} = 1: "
        "a_{j+1} = c_j/c_{j+1}; the whole mask then is L_ji = c_j/c_i"
    ),
    kind="identity",
    given={"c": "n"},
    sizes={"n": (1, 2, 3)},
    over_all_parameters=False,
    reading="So the query can be given any weights, those of the selecting mask among them; the others' follow.",
)
def any_column(c, xp, n):
    column = xp.concat([c, xp.ones((1,))], axis=0)
    mask = decay_mask(decays_of_column(column))
    yield equal(mask[:, n], column, label="the query's column")
    for i in each(0, n):
        yield equal(mask[: i + 1, i] * column[i], column[: i + 1], label="the others")


@open_questions.claim(
    "open.mask-decays-at-most-1",
    kind="existence",
    says=(
        "for t < n some decays in (0, 1] let the query weigh example t more than example t + 1, as the selecting mask "
        "does: L_{t,n+1} = (1 + ηn) L_{t+1,n+1}, η > 0"
    ),
    given={"a": "t+r+2", "eta": ""},
    sizes=SIZES,
    assuming=IN_UNIT_INTERVAL,
    over_all_parameters=True,
    reading=(
        "n = t + r + 1; S may scale all weights by one number, so that their quotients matter. For all decays "
        "L_{t,n+1} = a_{t+1} L_{t+1,n+1} (first part). With L_{t+1,n+1} > 0 and a_{t+1} ≤ 1 < 1 + ηn the second part "
        "is false for all decays in (0, 1]; as η is fixed, no sequence of them tends to what is wanted."
    ),
)
def at_most_one(a, eta, xp, t, r):
    n = t + r + 1
    mask = decay_mask(a)
    yield equal(mask[t - 1, n], a[t] * mask[t, n], label="decays")
    yield equal(mask[t - 1, n], (1 + eta * n) * mask[t, n], label="the mask that is wanted")


@at_most_one.restate(
    "order",
    (
        "for all decays L_ji − L_ti = (1 − a_{t+1} ⋯ a_j) L_ji for t ≤ j ≤ i; with decays in [0, 1] this is ≥ 0: no "
        "token weighs more than a later one, or than i itself"
    ),
    kind="identity",
    given={"a": "t+gap+r"},
    sizes={"t": (1, 2), "gap": (0, 1, 2), "r": (1, 2)},
    assuming={},
    over_all_parameters=False,
    reading="t, j = t + gap, i ≥ j; with decays in [0, 1] both factors are ≥ 0.",
)
def ordered(a, t, gap, r):
    mask = decay_mask(a)
    between = product(a[t : t + gap])
    for i in each(t + gap - 1, t + gap + r - 1):
        later, earlier = mask[t + gap - 1, i], mask[t - 1, i]
        yield equal(later - earlier, (1 - between) * later)


@at_most_one.restate(
    "last",
    "with decays in (0, 1] the last example can be selected, with the query: a_n = ε, others 1, L_{j,n+1} = ε for j < n",
    kind="identity",
    given={"eps": ""},
    sizes={"n": (2, 3, 4)},
    assuming={},
    over_all_parameters=False,
    reading="L_{n,n+1} = L_{n+1,n+1} = 1. The query's own weight is no less than that of any example.",
)
def last_example(eps, xp, n):
    first = xp.concat([xp.ones((n - 1,)), eps[None]], axis=0)
    column = decay_mask(xp.concat([first, xp.ones((1,))], axis=0))[:, n]
    yield equal(column[: n - 1], eps * xp.ones((n - 1,)), label="j < n")
    yield equal(column[n - 1 :], xp.ones((2,)), label="the last example and the query")
