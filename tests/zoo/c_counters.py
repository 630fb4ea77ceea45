"""A claim counts its calls inside build, scan, iterate, a gradient or a loop."""

from scanproof import build, definition, each, equal, gradient, iterate, iterates, scan
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


class Count:
    """A number that grows by one at each call."""

    def __init__(self):
        self.calls = 0

    def __call__(self):
        self.calls += 1
        return self.calls


@claim({"x": "N"}, fails={"N": 4})
def a_counter_in_build(x, N, xp):
    count = Count()
    return equal(build(xp, N, lambda i: twice(x[i]) if count() <= 3 else x[i]), 2 * x)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_counter_in_build_that_is_a_factor(x, N, xp):
    count = Count()
    return equal(twice(build(xp, N, lambda i: count() * x[i])), 2 * x)


@claim({"x": "N f", "w": "f"}, fails={"N": 4, "f": 1})
def a_counter_in_a_scan(x, w):
    count = Count()

    def step(parameters, state, token):
        state = state + (token if count() <= 3 else 2 * token)
        return state, state

    return equal(scan(step, None, w, x).final_state, w + x.sum(axis=0))


@claim({"x": "N", "w": ""}, sizes={"N": (1, 2)}, fails={"N": 3})
def a_scan_whose_outputs_change_in_the_third_turn(x, w, N, xp):
    count = Count()

    def step(parameters, state, token):
        state = state + token
        return state, state if count() < 3 else w

    outputs = scan(step, None, w, x).outputs
    return equal(outputs, build(xp, N, lambda i: w + x[: i + 1].sum()))


@claim({"x": "N", "w": ""}, fails={"N": 4})
def a_counter_in_iterate(x, w, N):
    count = Count()
    moved = iterate(lambda v: v + x[0] if count() <= 3 else v - x[0], w, N)
    return equal(twice(moved), 2 * (w + N * x[0]))


@claim({"x": "f", "w": "f"}, sizes={"L": (1, 2, 3), "f": (1, 2)}, fails={"L": 4, "f": 1})
def a_counter_in_iterate_over_layers(x, w, L):
    count = Count()
    moved = iterate(lambda v: v + x * (count() <= 3), w, L)
    return equal(twice(moved), 2 * (w + L * x))


@claim({"x": "N", "w": ""}, sizes={"N": (1, 2, 3)}, fails={"N": 5})
def a_counter_in_iterates(x, w, N, xp):
    count = Count()
    moved = iterates(lambda v: v + x[0] if count() <= 3 else w, w, N)
    return equal(twice(moved), 2 * build(xp, N, lambda i: w + i * x[0]))


@claim({"x": "N"}, fails={"N": 4})
def a_counter_in_a_loop(x, N):
    count = Count()
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (2 if count() <= 3 else 3) * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_counter_of_gradients(x, N):
    count = Count()
    for t in each(1, N):
        factor = 1 if count() <= 3 else 2
        slope = gradient(lambda v, f=factor: f * twice(v @ v), x)
        yield equal(slope[t - 1], 4 * x[t - 1])


GIVEN = {"x": "N f", "y": "N", "w": "f", "eta": ""}


@claim(GIVEN, sizes={"N": (1, 2), "f": (1,)}, fails={"N": 3, "f": 1})
def a_learner_whose_rate_changes_with_the_calls(x, y, w, eta, N):
    count = Count()

    def step(rate, state, token):
        row, target = token
        rate = rate if count() <= 2 else 2 * rate
        state = state - rate * (row @ state - target) * row
        return state, state

    def honest(rate, state, token):
        row, target = token
        state = state - rate * (row @ state - target) * row
        return state, state

    left, right = (scan(s, eta, w, (x, y)).final_state for s in (step, honest))
    return equal(left, right)


@claim(GIVEN, sizes={"N": (1, 2, 3), "f": (1,)}, fails={"N": 4, "f": 1})
def a_loss_that_counts_its_calls(x, y, w, eta, N):
    count = Count()

    def counted(v, rows, targets):
        factor = 1 if count() <= 3 else 2
        return factor * ((rows @ v - targets) * (rows @ v - targets)).sum() / 2

    for t in each(1, N):
        slope = gradient(lambda v, t=t: counted(v, x[:t], y[:t]), w)
        yield equal(w - eta * slope, gradient_descent(HALF_SUM, w, x[:t], y[:t], eta))
