"""A claim asks about the number of a turn, an index of build, or two sizes at once."""

import operator

from scanproof import build, definition, each, equal, gradient, scan

from .case import claim

FOUR = 4


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, fails={"N": 4})
def a_turn_as_a_key(x, N):
    for t in each(1, N):
        yield equal(twice(x[t - 1]), {4: 3}.get(t, 2) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def an_order_of_a_turn_in_a_try(x, N):
    for t in each(1, N):
        try:
            late = t > 3
        except Exception:
            late = False
        yield equal(twice(x[t - 1]), (3 if late else 2) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_turn_as_text(x, N):
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (3 if f"{t}" == "4" else 2) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_turn_that_is_an_int(x, N):
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (3 if isinstance(t, int) and t > 3 else 2) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_turn_that_is_four(x, N):
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (3 if t is FOUR else 2) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_turn_that_is_skipped(x, N):
    for t in each(1, N):
        if t not in {4, 5, 6}:
            yield equal(twice(x[t - 1]), 2 * x[t - 1])
            continue
        yield equal(twice(x[t - 1]), x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def an_index_of_build_as_a_key(x, N, xp):
    return equal(twice(build(xp, N, lambda i: {3: 2}.get(i, 1) * x[i])), 2 * x)


@claim({"x": "N"}, fails={"N": 4})
def an_index_of_build_as_a_number(x, N, xp):
    def entry(i):
        try:
            late = operator.index(i) > 2
        except TypeError:
            late = False
        return 0 * x[i] if late else x[i]

    return equal(twice(build(xp, N, entry)), 2 * x)


@claim({"x": "N"}, fails={"N": 4})
def an_index_of_build_in_a_list(x, N, xp):
    return equal(twice(build(xp, N, lambda i: x[i] if [3, 4].count(i) == 0 else x[0])), 2 * x)


@claim({"x": "N"}, fails={"N": 4})
def a_length_of_a_prefix(x, N):
    for t in each(1, N):
        late = {4: True}.get(x[:t].shape[0], False)
        yield equal(twice(x[t - 1]), (3 if late else 2) * x[t - 1])


@claim({"x": "N f", "w": "f"}, fails={"N": 1, "f": 4})
def a_step_that_asks_how_wide_its_token_is(x, w):
    def step(parameters, state, token):
        try:
            wide = token.shape[0] > 3
        except Exception:
            wide = False
        state = state + (2 * token if wide else token)
        return state, state

    return equal(scan(step, None, w, x).final_state, w + x.sum(axis=0))


@claim({"x": "f"}, fails={"f": 4})
def a_loss_that_asks_how_wide_its_weights_are(x):
    def loss(v):
        try:
            wide = v.shape[0] >= 4
        except Exception:
            wide = False
        return (twice(v) @ v) * (2 if wide else 1)

    return equal(gradient(loss, x), 4 * x)


@claim({"x": "N f"}, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def two_sizes_in_order(x, N, f):
    try:
        wide = f >= N
    except Exception:
        wide = True
    return equal(twice(x), (2 if wide else 3) * x)


@claim({"x": "N f"}, sizes={"N": (1, 2), "f": (3,)}, fails={"N": 3, "f": 3})
def two_sizes_of_which_one_is_a_key(x, N, f):
    return equal(twice(x), {N: 3}.get(f, 2) * x)


@claim({"x": "N f"}, sizes={"N": (1, 2), "f": (3,)}, fails={"N": 3, "f": 3})
def two_sizes_in_a_set(x, N, f):
    return equal(twice(x), len({N, f}) * x)


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


@claim({"x": "N"}, fails={"N": 4})
def a_last_turn_that_is_not_the_fourth(x, N):
    for t in each(1, N):
        fourth = (t, N) == (4, 4)
        yield equal(twice(x[t - 1]), (3 if fourth else 2) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_sum_of_sizes_as_a_key(x, N):
    return equal(twice(x), {9: 3}.get(N + N + 1, 2) * x)
