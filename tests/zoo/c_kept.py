"""A claim keeps a value of its first turn: in a list, a cache, a closure, a default, a class or a generator."""

from functools import cache

from scanproof import build, each, equal, scan

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
def a_cached_function_without_arguments():
    places = []

    @cache
    def turn():
        return places[-1]

    return lambda t: (places.append(t), turn())[1]


@first_kept
def the_first_of_the_functions_made_in_the_turns():
    functions = []

    def first(t):
        functions.append(lambda: t)
        return functions[0]()

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
def a_variable_of_the_loop_that_outlives_it(x, N):
    for t in each(1, N):
        kept = x[t - 1]
    yield equal(twice(kept), 2 * x[0])
    for s in each(1, N):
        yield equal(twice(kept), 2 * x[s - 1])


@claim({"x": "N f", "w": "f"}, sizes={"N": (1,), "f": (1, 2)}, fails={"N": 2, "f": 1})
def a_list_whose_first_entry_is_every_output(x, w):
    kept = []

    def step(parameters, state, token):
        kept.append(token)
        return state + token, kept[0]

    return equal(scan(step, None, w, x).outputs, x)
