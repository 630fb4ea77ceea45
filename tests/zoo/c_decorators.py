"""A claim hides a question or a state in a decorator."""

import functools

from scanproof import build, definition, each, equal, scan

from .case import claim


def quietly(otherwise):
    """A decorator after which a function that raises returns `otherwise`."""

    def decorate(function):
        @functools.wraps(function)
        def tried(*args):
            try:
                return function(*args)
            except Exception:
                return otherwise

        return tried

    return decorate


def once(function):
    """A decorator after which a function returns what it returned at its first call."""
    kept = []

    def first(*args):
        if not kept:
            kept.append(function(*args))
        return kept[0]

    return first


def at_first(times):
    """A decorator after which a function is called `times` times, and then returns its argument."""

    def decorate(function):
        calls = []

        def limited(*args):
            calls.append(0)
            return function(*args) if len(calls) <= times else args[-1]

        return limited

    return decorate


@quietly(False)
def is_long(size):
    return size > 3


@definition
def twice(x):
    """Twice x."""
    return x + x


@definition
def scaled(x, size):
    """Twice x, or three times x where the size is long."""
    return x + x + x if is_long(size) else x + x


@claim({"x": "N"}, fails={"N": 4})
def a_decorator_with_an_answer_of_its_own(x, N):
    return equal(twice(x), (3 if is_long(N) else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_definition_that_asks_about_its_size(x):
    return equal(scaled(x, x.shape[0]), 2 * x)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_decorator_that_keeps_the_first_answer(x, N, xp):
    entry = once(lambda i: x[i])
    return equal(twice(build(xp, N, entry)), 2 * x)


@claim({"x": "N"}, fails={"N": 4})
def a_decorator_that_lets_three_calls_through(x, N):
    limited = at_first(3)(twice)
    for t in each(1, N):
        yield equal(limited(x[t - 1]), 2 * x[t - 1])


@claim({"x": "N", "w": ""}, sizes={"N": (1,)}, fails={"N": 2})
def a_step_that_keeps_its_first_token(x, w):
    first = once(lambda token: token)

    def step(parameters, state, token):
        state = state + first(token)
        return state, state

    return equal(scan(step, None, w, x).final_state, w + x.sum())
