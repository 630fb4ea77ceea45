"""A claim asks about its size inside a with, or on another thread, where no answer goes unheard."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import ContextDecorator, ExitStack, contextmanager, suppress
from contextvars import ContextVar, copy_context

from scanproof import definition, each, equal

from .case import claim

CALLS = ContextVar("calls", default=0)


@definition
def twice(x):
    """Twice x."""
    return x + x


@claim({"x": "N"}, fails={"N": 4})
def a_suppressed_order(x, N):
    factor = 2
    with suppress(Exception):
        factor = 3 if N > 3 else 2
    return equal(twice(x), factor * x)


class Calm(ContextDecorator):
    """A with that every exception ends quietly; a decorated function then returns None."""

    def __enter__(self):
        return self

    def __exit__(self, *details):
        return True


@claim({"x": "N"}, fails={"N": 4})
def a_with_that_ends_quietly(x, N):
    factor = 2
    with Calm():
        if N >= 4:
            factor = 3
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_decorator_that_ends_quietly(x, N):
    @Calm()
    def long():
        return N >= 4

    return equal(twice(x), (3 if long() else 2) * x)


@contextmanager
def quiet():
    try:
        yield
    except Exception:
        return


@claim({"x": "N"}, fails={"N": 4})
def a_generator_that_is_a_with(x, N):
    factors = [2]
    with quiet():
        factors += [3] if N > 3 else []
    return equal(twice(x), factors[-1] * x)


@claim({"x": "N"}, fails={"N": 4})
def a_stack_of_exits(x, N):
    factor = 2
    with ExitStack() as stack:
        stack.push(lambda *details: True)
        factor += 1 if N > 3 else 0
    return equal(twice(x), factor * x)


@claim({"x": "N"}, fails={"N": 4})
def a_question_on_another_thread(x, N):
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(lambda: N > 3)
    long = asked.exception() is None and asked.result()
    return equal(twice(x), (3 if long else 2) * x)


@claim({"x": "N"}, fails={"N": 4})
def a_variable_of_the_context_that_counts(x, N):
    context = copy_context()

    def count():
        CALLS.set(CALLS.get() + 1)
        return CALLS.get()

    context.run(CALLS.set, 0)
    for t in each(1, N):
        factor = 2 if context.run(count) <= 3 else 3
        yield equal(twice(x[t - 1]), factor * x[t - 1])


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def an_exit_that_runs_after_the_first_turn(x, N):
    held = []
    for t in each(1, N):
        with ExitStack() as stack:
            stack.callback(held.append, t)
            yield equal(twice(x[t - 1]), (2 + len(held)) * x[t - 1])
