"""A claim keeps state in the default value of an argument."""
# ruff: noqa: B006

from scanproof import build, definition, each, equal, iterate, scan

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, fails={"N": 4})
def a_list_of_turns_as_a_default(x, N):
    def factor(t, seen=[]):
        seen.append(t)
        return 2 if len(seen) <= 3 else 3

    for t in each(1, N):
        yield equal(twice(x[t - 1]), factor(t) * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_dictionary_that_keeps_the_first_turn(x, N):
    def first(t, kept={}):
        return kept.setdefault("turn", t)

    for t in each(1, N):
        yield equal(twice(x[first(t) - 1]), 2 * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_default_of_a_function_for_build(x, N, xp):
    def entry(i, calls=[]):
        calls.append(0)
        return x[i] * (len(calls) <= 3)

    return equal(twice(build(xp, N, entry)), 2 * x)


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_default_of_a_step_for_scan(x, w):
    def step(parameters, state, token, calls=[]):
        calls.append(0)
        state = state + token * (1 if len(calls) <= 3 else 2)
        return state, state

    return equal(scan(step, None, w, x).final_state, w + x.sum())


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_default_of_a_step_for_iterate(x, w, N):
    def step(state, calls=[]):
        calls.append(0)
        return state + x[0] * (1 if len(calls) <= 3 else 2)

    return equal(twice(iterate(step, w, N)), 2 * w + 2 * N * x[0])
