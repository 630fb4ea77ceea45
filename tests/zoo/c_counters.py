"""A claim counts its turns or calls: in a closure, a class, a default, a module, an iterator, or a list.

Each is 1 three times and then another number, in a loop, in build, in scan and in iterate.
"""

import itertools
from collections import deque
from contextvars import ContextVar, copy_context
from functools import lru_cache, partial

import numpy as np

from scanproof import build, definition, each, equal, gradient, iterate, iterates, scan
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

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
def a_function_that_replaces_itself():
    def count(left):
        nonlocal current
        current = partial(count, left - 1)
        return 1 if left > 0 else 2

    current = partial(count, 3)
    return lambda: current()


@counter
def a_list_as_a_default():
    def factor(seen=[]):
        seen.append(0)
        return 1 if len(seen) <= 3 else 2

    return factor


@counter
def a_partial_function_whose_list_grows():
    def factor(seen):
        seen.append(0)
        return 2 if len(seen) > 3 else 1

    return partial(factor, [])


@counter
def a_list_that_grows():
    seen = []

    def factor():
        nonlocal seen
        seen += [0]
        return 1 if len(seen) <= 3 else 2

    return factor


@counter
def a_dictionary_that_grows():
    seen = {}

    def factor():
        seen[len(seen)] = 0
        return 1 if len(seen) <= 3 else 2

    return factor


@counter
def two_names_for_one_list():
    held = [2, 1, 1, 1] + [2] * 9
    shown = held

    def factor():
        del held[0]
        return shown[0]

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
def a_queue_that_is_turned():
    factors = deque((2, 1, 1, 1))

    def factor():
        factors.rotate(-1)
        return factors[0]

    return factor


@counter
def a_name_of_the_module():
    STATE["calls"] = 0

    def factor():
        STATE["calls"] += 1
        return 1 if STATE["calls"] <= 3 else 2

    return factor


@counter
def an_attribute_of_a_function():
    def factor():
        factor.calls += 1
        return 1 if factor.calls <= 3 else 2

    factor.calls = 0
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
def a_number_of_misses_of_a_cache():
    @lru_cache(maxsize=2)
    def same(key):
        return key

    def factor():
        same(object())
        return 1 if same.cache_info().misses <= 3 else 2

    return factor


@counter
def an_object_that_is_called():
    class Row:
        left = 3

        def __call__(self):
            self.left -= 1
            return 1 if self.left >= 0 else 2

    return Row()


@counter
def a_descriptor_that_counts():
    class Count:
        calls = 0

        def __get__(self, one, owner):
            self.calls += 1
            return 1 if self.calls <= 3 else 2

    class Holder:
        factor = Count()

    return lambda: Holder.factor


@counter
def an_attribute_of_a_class_that_counts_instances():
    class Turn:
        made = 0

        def __init__(self):
            type(self).made += 1

    def factor():
        Turn()
        return 1 if Turn.made <= 3 else 2

    return factor


@counter
def a_truth_that_changes_with_the_calls():
    class Fresh:
        calls = 0

        def __bool__(self):
            self.calls += 1
            return self.calls <= 3

    fresh = Fresh()
    return lambda: 1 if fresh else 2


@counter
def a_sum_that_changes_with_the_calls():
    class Factor:
        calls = 0

        def __add__(self, other):
            self.calls += 1
            return other + (0 if self.calls <= 3 else 1)

    factor = Factor()
    return lambda: factor + 1


@counter
def an_attribute_that_is_made_when_first_missed():
    class Kept:
        def __getattr__(self, name):
            self.factor = 2
            return 1

    kept, left = Kept(), [0] * 3

    def factor():
        if left:
            left.pop()
            return 1
        kept.factor
        return kept.factor

    return factor


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


@claim({"x": "N"}, fails={"N": 4})
def a_definition_that_counts_its_calls_in_build(x, N, xp):
    STATE["calls"] = 0
    return equal(build(xp, N, lambda i: twice_at_first(x[i])), 2 * x)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_counter_that_is_itself_a_factor(x, N, xp):
    count = itertools.count(1)
    return equal(twice(build(xp, N, lambda i: next(count) * x[i])), 2 * x)


@claim({"x": "N f"}, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def a_numpy_array_that_is_changed_in_build(x, N, xp):
    held = np.zeros(1, dtype=object)

    def entry(i):
        held[0] += 1
        return int(held[0]) * x[i]

    return equal(twice(build(xp, N, entry)), 2 * x)


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_method_that_is_the_step_of_a_scan(x, w):
    class Layer:
        left = 3

        def step(self, parameters, state, token):
            self.left -= 1
            state = state + (token if self.left >= 0 else 2 * token)
            return state, state

    return equal(scan(Layer().step, None, w, x).final_state, w + x.sum())


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_list_in_the_parameters_of_a_scan(x, w):
    def step(parameters, state, token):
        parameters.append(0)
        state = state + (token if len(parameters) <= 3 else -token)
        return state, state

    return equal(scan(step, [], w, x).final_state, w + x.sum())


@claim({"x": "N", "w": ""}, fails={"N": 4})
def an_iterator_in_the_parameters_of_a_scan(x, w):
    def step(parameters, state, token):
        state = state + token * next(parameters)
        return state, state

    return equal(scan(step, threes(), w, x).final_state, w + x.sum())


@claim({"x": "N f", "w": "f"}, fails={"N": 4, "f": 1})
def a_counter_in_a_scan_of_rows(x, w):
    factors = threes()

    def step(parameters, state, token):
        state = state + next(factors) * token
        return state, state

    return equal(scan(step, None, w, x).final_state, w + x.sum(axis=0))


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


@claim({"x": "N", "w": ""}, sizes={"N": (1, 2, 3)}, fails={"N": 5})
def a_counter_in_iterates(x, w, N, xp):
    factors = threes()
    moved = iterates(lambda v: v + x[0] * next(factors), w, N)
    return equal(twice(moved), 2 * build(xp, N, lambda i: w + i * x[0]))


@claim({"x": "N"}, fails={"N": 4})
def a_counter_of_gradients(x, N):
    factors = threes()
    for t in each(1, N):
        slope = gradient(lambda v, f=next(factors): f * twice(v @ v), x)
        yield equal(slope[t - 1], 4 * x[t - 1])


@claim(GIVEN, sizes={"N": (1, 2, 3), "f": (1,)}, fails={"N": 4, "f": 1})
def a_learner_whose_rate_changes_with_the_calls(x, y, w, eta):
    def learner(factors):
        def step(rate, state, token):
            row, target = token
            state = state - next(factors) * rate * (row @ state - target) * row
            return state, state

        return scan(step, eta, w, (x, y)).final_state

    return equal(learner(threes()), learner(itertools.repeat(1)))


@claim(GIVEN, sizes={"N": (1, 2, 3), "f": (1,)}, fails={"N": 4, "f": 1})
def a_loss_that_counts_its_calls(x, y, w, eta, N):
    factors = threes()

    def counted(v, rows, targets):
        return next(factors) * ((rows @ v - targets) * (rows @ v - targets)).sum() / 2

    for t in each(1, N):
        slope = gradient(lambda v, t=t: counted(v, x[:t], y[:t]), w)
        yield equal(w - eta * slope, gradient_descent(HALF_SUM, w, x[:t], y[:t], eta))
