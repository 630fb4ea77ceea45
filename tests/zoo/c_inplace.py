"""A claim changes lists, dictionaries and NumPy arrays in place, or names one of them twice."""

from collections import deque

import numpy as np

from scanproof import build, definition, each, equal, iterate, scan

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N f", "w": "f"}, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def a_list_whose_first_entry_is_every_output(x, w):
    kept = []

    def step(parameters, state, token):
        kept.append(token)
        return state + token, kept[0]

    return equal(scan(step, None, w, x).outputs, x)


@claim({"x": "N f", "w": "f"}, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def a_list_whose_first_state_is_moved_every_time(x, w, N):
    kept = []

    def step(state):
        kept.append(state)
        return kept[0] + x[0]

    return equal(twice(iterate(step, w, N)), 2 * (w + N * x[0]))


@claim({"x": "N f"}, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def a_numpy_array_that_is_changed_in_build(x, N, xp):
    held = np.zeros(1, dtype=object)

    def entry(i):
        held[0] += 1
        return int(held[0]) * x[i]

    return equal(twice(build(xp, N, entry)), 2 * x)


@claim({"x": "N"}, fails={"N": 4})
def a_list_that_grows(x, N):
    seen = []
    for t in each(1, N):
        seen += [t]
        yield equal(twice(x[t - 1]), (2 if len(seen) <= 3 else 3) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_dictionary_that_grows(x, N):
    seen = {}
    for t in each(1, N):
        seen[t] = t
        yield equal(twice(x[t - 1]), (2 if len(seen) <= 3 else 3) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def two_names_for_one_list(x, N):
    held = [2, 2, 2, 3]
    shown = held
    for t in each(1, N):
        yield equal(twice(x[t - 1]), shown[0] * x[t - 1])
        del held[0]


@claim({"x": "N"}, fails={"N": 4})
def a_numpy_array_of_objects_that_is_changed(x, N):
    held = np.array([2, 0], dtype=object)
    for t in each(1, N):
        yield equal(twice(x[t - 1]), held[0] * x[t - 1])
        held[1] += 1
        if held[1] == 3:
            held[0] = 3


@claim({"x": "N"}, fails={"N": 4})
def a_queue_that_is_turned(x, N):
    factors = deque((2, 2, 2, 3))
    for t in each(1, N):
        yield equal(twice(x[t - 1]), factors[0] * x[t - 1])
        factors.rotate(-1)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_list_that_repeats_one_list(x, N):
    rows = [[]] * 2
    for t in each(1, N):
        rows[0].append(x[t - 1])
        yield equal(twice(rows[1][0]), 2 * x[t - 1])


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_list_in_the_parameters_of_a_scan(x, w):
    def step(parameters, state, token):
        parameters.append(0)
        state = state + (token if len(parameters) <= 3 else -token)
        return state, state

    return equal(scan(step, [], w, x).final_state, w + x.sum())


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_list_that_is_turned_round_in_each_turn(x, N):
    pair = [3, 2]
    for t in each(1, N):
        pair.reverse()
        yield equal(twice(x[t - 1]), pair[0] * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_bytearray_with_a_place_for_every_turn(x, N):
    places = bytearray(b"\x02\x02\x02\x03")
    for t in each(1, N):
        yield equal(twice(x[t - 1]), places.pop(0) * x[t - 1])
