"""A claim keeps state in a generator."""

from scanproof import definition, each, equal

from .case import claim


@definition
def twice(x):
    """Twice x."""
    return x + x


def threes():
    """2, 2, 2, and then 3 for ever."""
    yield from (2, 2, 2)
    while True:
        yield 3


@claim({"x": "N"}, fails={"N": 4})
def a_generator_that_is_asked_in_each_turn(x, N):
    factors = threes()
    for t in each(1, N):
        yield equal(twice(x[t - 1]), next(factors) * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_generator_that_is_sent_each_turn(x, N):
    def before():
        sent = yield
        while True:
            kept = sent
            sent = yield kept

    turns = before()
    next(turns)
    previous = None
    for t in each(1, N):
        now = turns.send(t)
        yield equal(twice(x[(previous or now) - 1]), 2 * x[now - 1])
        previous = now


@claim({"x": "N"}, fails={"N": 4})
def statements_from_another_generator(x, N):
    factors = threes()

    def said():
        for t in each(1, N):
            yield equal(twice(x[t - 1]), next(factors) * x[t - 1])

    yield from said()


@claim({"x": "N"}, fails={"N": 4})
def a_generator_that_ends_where_no_answer_comes(x, N):
    def longer():
        try:
            if N > 3:
                yield 1
        except Exception:
            return

    return equal(twice(x), (2 + sum(longer())) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_generator_of_factors_of_one_expression(x, N):
    factors = (2 if place < 3 else 3 for place, _ in enumerate(each(1, N)))
    for t, factor in zip(each(1, N), factors, strict=True):
        yield equal(twice(x[t - 1]), factor * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_generator_that_is_thrown_an_exception(x, N):
    def signs():
        sign = 1
        while True:
            try:
                yield sign
            except ValueError:
                sign = -sign

    sign = signs()
    now = next(sign)
    for t in each(1, N):
        yield equal(twice(x[t - 1]), 2 * now * x[t - 1])
        now = sign.throw(ValueError)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def statements_in_a_list_whose_loop_carries_a_sum(x, N):
    total = 0
    return [equal(twice(total := total + x[t - 1]), 2 * x[t - 1]) for t in each(1, N)]
