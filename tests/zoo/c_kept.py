"""A claim keeps a value of its first turn: in a list, a cache, a closure, a default, a class or a generator."""

from contextlib import ExitStack
from functools import cache, cached_property

from scanproof import build, each, equal, iterate, scan

from .case import claim, twice

last = None


def first_kept(keeps):
    """A claim that is true of one turn, and false of two where a function hands back what it had first.

    Args:
        keeps: a function that makes such a function of a turn's number.
    """

    @claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2}, name=f"c_kept-{keeps.__name__}-each")
    def in_a_loop(x, N):
        kept = keeps()
        for t in each(1, N):
            yield equal(twice(x[kept(t) - 1]), 2 * x[t - 1])

    @claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2}, name=f"c_kept-{keeps.__name__}-build")
    def in_build(x, N, xp):
        kept = keeps()
        return equal(twice(build(xp, N, lambda i: x[kept(i)])), 2 * x)

    @claim(
        {"x": "N", "w": ""}, sizes={"N": (1,)}, fails={"N": 2}, name=f"c_kept-{keeps.__name__}-scan"
    )
    def in_scan(x, w):
        kept = keeps()

        def step(parameters, state, token):
            state = state + kept(token)
            return state, state

        return equal(scan(step, None, w, x).final_state, w + x.sum())

    return keeps


@first_kept
def a_dictionary_as_a_default():
    def first(t, kept={}):
        return kept.setdefault("turn", t)

    return first


@first_kept
def a_decorator_that_keeps_the_first_answer():
    def once(function):
        kept = []

        def first(*args):
            if not kept:
                kept.append(function(*args))
            return kept[0]

        return first

    return once(lambda t: t)


@first_kept
def a_cached_function_without_arguments():
    places = []

    @cache
    def turn():
        return places[-1]

    return lambda t: (places.append(t), turn())[1]


@first_kept
def a_cached_property():
    class Reader:
        @cached_property
        def entry(self):
            return self.turn

    reader = Reader()

    def first(t):
        reader.turn = t
        return reader.entry

    return first


@first_kept
def the_first_of_the_functions_made_in_the_turns():
    functions = []

    def first(t):
        functions.append(lambda: t)
        return functions[0]()

    return first


@first_kept
def a_dictionary_that_knows_only_the_first():
    known = {}

    def first(t):
        if "turn" not in known:
            known["turn"] = t
        return known["turn"]

    return first


@first_kept
def a_list_that_repeats_one_list():
    rows = [[]] * 2

    def first(t):
        rows[0].append(t)
        return rows[1][0]

    return first


@first_kept
def a_generator_that_is_sent_each_turn():
    def before():
        kept = yield
        sent = yield kept
        while True:
            sent = yield kept
            kept = sent

    turns = before()
    next(turns)
    return turns.send


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def functions_that_are_called_after_the_loop(x, N):
    functions = []
    for t in each(1, N):
        functions.append(lambda: x[t - 1])
    for s in each(1, N):
        yield equal(twice(functions[0]()), 2 * x[s - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_variable_of_the_loop_that_outlives_it(x, N):
    for t in each(1, N):
        kept = x[t - 1]
    yield equal(twice(kept), 2 * x[0])
    for s in each(1, N):
        yield equal(twice(kept), 2 * x[s - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_name_of_the_module_that_keeps_the_turn_before(x, N):
    global last
    last = None
    for t in each(1, N):
        yield equal(twice(x[t - 1]), (2 if last is None else 3) * x[t - 1])
        last = t


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def an_exit_that_runs_after_the_first_turn(x, N):
    held = []
    for t in each(1, N):
        with ExitStack() as stack:
            stack.callback(held.append, t)
            yield equal(twice(x[t - 1]), (2 + len(held)) * x[t - 1])


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
