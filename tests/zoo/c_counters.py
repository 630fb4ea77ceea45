"""A claim counts its turns or calls: in a closure, a class, a default, a module, an iterator, or a list.

Each is 1 three times and then another number, in a loop, in build, in scan and in iterate.
"""

import itertools
from contextvars import ContextVar, copy_context
from functools import partial

import numpy as np

from scanproof import build, definition, each, equal, iterate, scan

from .case import claim, counter, counters, twice

GIVEN = {"x": "N f", "y": "N", "w": "f", "eta": ""}
STATE = {"calls": 0}
CALLS = ContextVar("calls", default=0)


def threes():
    """1, 1, 1, and then 2 for ever."""
    yield from (1, 1, 1)
    while True:
        yield 2


def at_first(times):
    """A decorator after which a function is called `times` times, and then hands back 2."""

    def decorate(function):
        calls = []

        def limited():
            calls.append(0)
            return function() if len(calls) <= times else 2

        return limited

    return decorate


counters(
    a_generator=lambda: partial(next, threes()),
    a_next_value_of_a_table=lambda: partial(next, iter((1, 1, 1)), 2),
    a_chain_of_iterators=lambda: itertools.chain((1, 1, 1), itertools.repeat(2)).__next__,
    a_function_that_is_called_until_it_gives_an_end=lambda: partial(
        next, iter([3, 1, 1, 1].pop, 3), 2
    ),
    a_list_that_is_emptied=lambda: ([2] * 9 + [1] * 3).pop,
    a_bytearray_with_a_place_for_every_turn=lambda: partial(
        bytearray(b"\x01\x01\x01" + b"\x02" * 9).pop, 0
    ),
    a_decorator_that_lets_three_calls_through=lambda: at_first(3)(lambda: 1),
)


@counter
def a_number_of_calls_that_a_function_keeps():
    calls = 0

    def factor():
        nonlocal calls
        calls += 1
        return 1 if calls <= 3 else 2

    return factor


@counter
def a_list_as_a_default():
    def factor(seen=[]):
        seen.append(0)
        return 1 if len(seen) <= 3 else 2

    return factor


@counter
def a_list_that_grows():
    seen = []

    def factor():
        nonlocal seen
        seen += [0]
        return 1 if len(seen) <= 3 else 2

    return factor


@counter
def a_numpy_array_of_objects_that_is_changed():
    held = np.array([1, 0], dtype=object)

    def factor():
        held[1] += 1
        held[0] = 1 if held[1] <= 3 else 2
        return held[0]

    return factor


@counter
def a_name_of_the_module():
    STATE["calls"] = 0

    def factor():
        STATE["calls"] += 1
        return 1 if STATE["calls"] <= 3 else 2

    return factor


@counter
def a_variable_of_the_context():
    context = copy_context()

    def count():
        CALLS.set(CALLS.get() + 1)
        return CALLS.get()

    context.run(CALLS.set, 0)
    return lambda: 1 if context.run(count) <= 3 else 2


@counter
def an_object_that_is_called():
    class Row:
        left = 3

        def __call__(self):
            self.left -= 1
            return 1 if self.left >= 0 else 2

    return Row()


@counter
def a_truth_that_changes_with_the_calls():
    class Fresh:
        calls = 0

        def __bool__(self):
            self.calls += 1
            return self.calls <= 3

    fresh = Fresh()
    return lambda: 1 if fresh else 2


# What is counted elsewhere.


@definition
def twice_at_first(x):
    """Twice x at the first three calls, then x."""
    STATE["calls"] += 1
    return x + x if STATE["calls"] <= 3 else x


@claim({"x": "N"}, fails={"N": 4})
def a_definition_that_counts_its_calls(x, N):
    STATE["calls"] = 0
    for t in each(1, N):
        yield equal(twice_at_first(x[t - 1]), 2 * x[t - 1])


@claim({"x": "N f"}, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def a_numpy_array_that_is_changed_in_build(x, N, xp):
    held = np.zeros(1, dtype=object)

    def entry(i):
        held[0] += 1
        return int(held[0]) * x[i]

    return equal(twice(build(xp, N, entry)), 2 * x)


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_list_in_the_parameters_of_a_scan(x, w):
    def step(parameters, state, token):
        parameters.append(0)
        state = state + (token if len(parameters) <= 3 else -token)
        return state, state

    return equal(scan(step, [], w, x).final_state, w + x.sum())


@claim({"x": "N", "w": ""}, sizes={"N": (1, 2)}, fails={"N": 3})
def a_scan_whose_outputs_change_in_the_third_turn(x, w, N, xp):
    count = itertools.count(1)

    def step(parameters, state, token):
        state = state + token
        return state, state if next(count) < 3 else w

    outputs = scan(step, None, w, x).outputs
    return equal(outputs, build(xp, N, lambda i: w + x[: i + 1].sum()))


@claim({"x": "f", "w": "f"}, sizes={"L": (1, 2, 3), "f": (1, 2)}, fails={"L": 4, "f": 1})
def a_counter_in_iterate_over_layers(x, w, L):
    factors = threes()
    return equal(twice(iterate(lambda v: v + x * next(factors), w, L)), 2 * (w + L * x))
