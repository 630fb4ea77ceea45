"""Masks of decay products: which weights they can have, with decays of any sign and with decays in (0, 1]."""

from __future__ import annotations

from scanproof.constructs.arrays.norms import absolute
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.constructions.hybrid import decays_of_column, selecting_mask
from scanproof.constructs.layers.ssd import decay_mask

from ...language.statements import at_most, equal
from .source import open_questions

# The selecting mask has L_ti = 1 + ηn for all tokens i ≥ t that see example t, and 1 elsewhere; n = t + r examples.
AT_MOST_1 = {"|a_i| ≤ 1": lambda a: at_most(absolute(a), 1)}


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
        "for some t with 2 ≤ t ≤ n and η ≠ 0 some decays have the mask with L_ti = 1 + ηn for i > t and 1 in the other "
        "entries above the diagonal"
    ),
    given={"a": "t+r+1", "eta": ""},
    sizes={"t": (2, 3), "r": (0, 1)},
    assuming={"η ≠ 0": lambda eta: eta != 0},
    over_all_parameters=("a", "eta"),
    reading=(
        "The mask that selects example t of n = t + r. For all decays L_{t−1,t} L_{t,n+1} = L_{t−1,n+1} (first part); "
        "in the mask that is wanted the two sides differ by ηn (second part, divided by η). So no decays have it, and "
        "no sequence of decays tends to it. It is the mask itself, not a multiple, which S could undo: for n = t = 2 "
        "the decays a_3 = 1, a_2 = 1/(1 + 2η) have the wanted entries above the diagonal but for a factor 1 + 2η."
    ),
)
def mask_product(a, eta, xp, t, r):
    n = t + r
    found = defect(decay_mask(a), t - 2, t - 1, n)
    wanted = defect(selecting(xp, t, r, eta), t - 2, t - 1, n)
    yield equal(found, 0 * eta, label="decays")
    yield equal(found / eta, wanted / eta, label="the mask that is wanted")


@mask_product.restate(
    "column",
    (
        "some decays have the last column c, for any numbers c_1, …, c_n that are not 0 and c_{n+1} = 1: "
        "a_{j+1} = c_j/c_{j+1}; the whole mask then is L_ji = c_j/c_i"
    ),
    kind="identity",
    assuming={},
    given={"c": "n"},
    sizes={"n": (1, 2, 3)},
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
    kind="bound",
    says=(
        "no decays in [−1, 1], and so none in (0, 1], let a token weigh example t more than a later one, or than "
        "itself: |L_ti| = |L_tj L_ji| ≤ |L_ji| for t ≤ j ≤ i"
    ),
    given={"a": "t+gap+r+1"},
    sizes={"t": (1, 2), "gap": (0, 1, 2), "r": (0, 1)},
    assuming=AT_MOST_1,
    reading=(
        "j = t + gap and i = j + r. The bound is proved for the product L_tj L_ji; that L_ti is this product is "
        "+order, at the sizes listed there, and Def. 3.2. So the query cannot weigh example t < n by L_{t,n+1} = (1 + "
        "ηn) L_{t+1,n+1}, η > 0, as the selecting mask does, unless both weights are 0; S may scale all weights by one "
        "number, so that their quotients matter. As η is fixed, no sequence of decays tends to what is wanted either."
    ),
)
def at_most_one(a, t, gap, r):
    mask = decay_mask(a)
    j, i = t + gap - 1, t + gap - 1 + r
    return at_most(absolute(mask[t - 1, j] * mask[j, i]), absolute(mask[j, i]))


@at_most_one.restate(
    "order",
    "L_ti = L_tj L_ji for all decays and t ≤ j ≤ i",
    kind="identity",
    assuming={},
)
def ordered(a, t, gap, r):
    mask = decay_mask(a)
    j, i = t + gap - 1, t + gap - 1 + r
    return equal(mask[t - 1, i], mask[t - 1, j] * mask[j, i])


@at_most_one.restate(
    "last",
    (
        "with decays in [0, 1] the last example can be selected, with the query: a_n = ε, others 1, L_{j,n+1} = ε for "
        "j < n; exactly, for ε = 0"
    ),
    kind="identity",
    given={"eps": ""},
    sizes={"n": (2, 3, 4)},
    assuming={},
    reading="L_{n,n+1} = L_{n+1,n+1} = 1. The query's own weight is no less than that of any example.",
)
def last_example(eps, xp, n):
    first = xp.concat([xp.ones((n - 1,)), eps[None]], axis=0)
    column = decay_mask(xp.concat([first, xp.ones((1,))], axis=0))[:, n]
    yield equal(column[: n - 1], eps * xp.ones((n - 1,)), label="j < n")
    yield equal(column[n - 1 :], xp.ones((2,)), label="the last example and the query")
