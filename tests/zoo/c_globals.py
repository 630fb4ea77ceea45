"""A claim keeps state in the module, set anew whenever the body begins."""

from scanproof import build, definition, each, equal, scan

from .case import claim

STATE = {"calls": 0}
SEEN = []
last = None


@definition
def twice(x):
    """Twice x."""
    return x + x


@definition
def twice_at_first(x):
    """Twice x at the first three calls, then x."""
    STATE["calls"] += 1
    return x + x if STATE["calls"] <= 3 else x


def summing(parameters, state, token):
    SEEN.append(0)
    state = state + (token if len(SEEN) <= 3 else 0 * token)
    return state, state


@claim({"x": "N"}, fails={"N": 4})
def a_definition_that_counts_its_calls(x, N):
    STATE["calls"] = 0
    for t in each(1, N):
        yield equal(twice_at_first(x[t - 1]), 2 * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_definition_that_counts_its_calls_in_build(x, N, xp):
    STATE["calls"] = 0
    return equal(build(xp, N, lambda i: twice_at_first(x[i])), 2 * x)


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_step_that_counts_its_calls(x, w):
    SEEN.clear()
    return equal(scan(summing, None, w, x).final_state, w + x.sum())


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_name_of_the_module_that_keeps_the_turn_before(x, N):
    global last
    last = None
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (2 if last is None else 3) * x[t - 1])
        last = t


@claim({"x": "N"}, fails={"N": 4})
def an_attribute_of_a_function(x, N):
    def factor():
        factor.calls += 1
        return 2 if factor.calls <= 3 else 3

    factor.calls = 0
    for t in each(1, N):
        yield equal(twice(x[t - 1]), factor() * x[t - 1])
