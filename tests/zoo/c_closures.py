"""A claim keeps what it decides, or what a turn leaves behind, in functions inside functions."""

from scanproof import build, definition, each, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def the_first_of_the_functions_made_in_the_turns(x, N):
    functions = []
    for t in each(1, N):
        functions.append(lambda t=t: x[t - 1])
        yield equal(twice(functions[0]()), 2 * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def functions_that_are_called_after_the_loop(x, N):
    functions = []
    for t in each(1, N):
        functions.append(lambda: x[t - 1])  # noqa: B023
    for s in each(1, N):
        yield equal(twice(functions[0]()), 2 * x[s - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_number_of_calls_that_a_function_keeps(x, N):
    def counting():
        calls = 0

        def factor():
            nonlocal calls
            calls += 1
            return 2 if calls <= 3 else 3

        return factor

    factor = counting()
    for t in each(1, N):
        yield equal(twice(x[t - 1]), factor() * x[t - 1])


@claim({"x": "N"}, fails={"N": 4})
def a_function_chosen_by_the_size(x, N):
    def same(z):
        return z

    def chosen():
        try:
            return twice if N > 3 else same
        except Exception:
            return same

    return equal(twice(x), 2 * chosen()(x))


@claim({"x": "N"}, fails={"N": 4})
def a_function_that_replaces_itself(x, N, xp):
    def entry(i, left=3):
        nonlocal current
        current = lambda i: entry(i, left - 1)  # noqa: E731
        return x[i] if left > 0 else 0 * x[i]

    current = entry
    return equal(twice(x), 2 * build(xp, N, lambda i: current(i)))


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_variable_of_the_loop_that_outlives_it(x, N):
    for t in each(1, N):
        kept = x[t - 1]
    yield equal(twice(kept), 2 * x[0])
    for s in each(1, N):
        yield equal(twice(kept), 2 * x[s - 1])


@claim({"x": "N"}, fails={"N": 5})
def a_cell_that_is_read_from_outside(x, N):
    def asks():
        return N

    size = asks.__closure__[0].cell_contents
    return equal(twice(x), (3 if size.__eq__(5) is True else 2) * x)
