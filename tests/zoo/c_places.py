"""A claim asks about the number of a turn, an index of build, the length of a part, or two sizes at once."""

import itertools
import operator

from scanproof import build, definition, each, equal, gradient, scan

from .case import claim, twice
from .q_exceptions import an_order_in_a_try
from .q_identity import FOUR


def index_in_a_try(n):
    try:
        return 2 if operator.index(n) > 4 else 1
    except TypeError:
        return 1


QUESTIONS = {
    "a_key": lambda n: {5: 2}.get(n, 1),
    "an_order_in_a_try": an_order_in_a_try,
    "an_index_in_a_try": index_in_a_try,
    "a_text": lambda n: 2 if f"{n}" == "5" else 1,
    "an_int": lambda n: 2 if isinstance(n, int) and n > 4 else 1,
    "an_object": lambda n: 2 if n - 1 is FOUR else 1,
    "a_set": lambda n: 2 if n in {5, 6, 7} else 1,
    "a_count_in_a_list": lambda n: 1 + [5, 6].count(n),
}
"""Each is 1 up to 4, and 2 at 5."""


def of_a_turn(asked, x, N, xp):
    for t in each(1, N):
        yield equal(twice(x[t - 1]), 2 * asked(t) * x[t - 1])


def of_an_index_of_build(asked, x, N, xp):
    yield equal(twice(build(xp, N, lambda i: asked(i + 1) * x[i])), 2 * x)


def of_the_length_of_a_prefix(asked, x, N, xp):
    for t in each(1, N):
        yield equal(twice(x[t - 1]), 2 * asked(x[:t].shape[0]) * x[t - 1])


def of_the_length_of_a_token(asked, x, N, xp):
    def step(parameters, state, token):
        state = state + asked(token.shape[0]) * token
        return state, state

    rows = xp.stack([x, x], axis=0)
    yield equal(scan(step, None, 0 * x, rows).final_state, twice(x))


def of_the_length_of_the_weights(asked, x, N, xp):
    yield equal(gradient(lambda v: (twice(v) @ v) * asked(v.shape[0]), x), 4 * x)


PLACES = (
    of_a_turn,
    of_an_index_of_build,
    of_the_length_of_a_prefix,
    of_the_length_of_a_token,
    of_the_length_of_the_weights,
)


def _register(name, asked, place):
    @claim({"x": "N"}, fails={"N": 5}, name=f"c_places-{name}-{place.__name__}")
    def asking(x, N, xp):
        return place(asked, x, N, xp)


for (_name, _asked), _place in zip(QUESTIONS.items(), itertools.cycle(PLACES), strict=False):
    _register(_name, _asked, _place)


@claim({"x": "N f"}, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def two_sizes_in_order(x, N, f):
    try:
        wide = f >= N
    except Exception:
        wide = True
    return equal(twice(x), (2 if wide else 3) * x)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def two_turns_that_are_taken_for_one(x, N):
    for s in each(1, N):
        yield equal(twice(x[s - 1]), 2 * x[s - 1])
        for t in each(1, N):
            try:
                same = bool(s == t)
            except Exception:
                same = True
            if not same:
                yield equal(twice(x[s - 1]), 2 * x[t - 1])


@definition
def scaled(x, size):
    """Twice x, or three times x where the size is long."""
    return x + x + x if an_order_in_a_try(size) == 2 else x + x


@claim({"x": "N"}, fails={"N": 5})
def a_definition_that_asks_about_its_size(x):
    return equal(scaled(x, x.shape[0]), 2 * x)


# Where an operation on arrays fails.


@claim({"x": "N"}, fails={"N": 4})
def a_fourth_entry_in_a_try(x):
    try:
        more = x[3]
    except Exception:
        more = 0
    return equal(twice(x), 2 * x + more)


@claim({"x": "N"}, sizes={"N": (2, 3)}, fails={"N": 4})
def a_sum_with_four_ones_in_a_try(x, xp):
    try:
        more = x + xp.ones((4,))
    except Exception:
        more = 0 * x
    return equal(twice(x), 2 * x + more)


# Statements that are left out.


@claim({"x": "N"}, fails={"N": 4})
def a_statement_only_where_the_size_is_long(x, N):
    yield equal(twice(x), 2 * x)
    try:
        long = N > 3
    except Exception:
        return
    if long:
        yield equal(twice(x), x)
