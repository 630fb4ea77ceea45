"""A size is asked where an answer that does not come is caught, swallowed or lost on another thread."""

import functools
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ContextDecorator, ExitStack, contextmanager, suppress

from .case import question, questions


@question(at=5)
def an_order_in_a_try(n):
    try:
        return 1 if n <= 4 else 2
    except Exception:
        return 1


@question(at=5)
def an_equality_in_a_try(n):
    try:
        return 1 + bool(n == 5)
    except Exception:
        return 1


@question(at=4)
def a_remainder_in_a_try(n):
    factor = 1
    try:
        if n % 4 == 0:
            factor = 2
    except Exception as reason:
        del reason
    return factor


@question(at=4)
def every_exception_is_caught(n):
    try:
        return 2 if n > 3 else 1
    except BaseException:
        return 1


@question(at=4)
def a_finally_that_returns(n):
    factor = 1
    try:
        if n > 3:
            factor = 2
    finally:
        return factor


@question(at=5)
def a_maximum_before_a_finally_that_returns(n):
    factor = 1
    try:
        factor = 1 + max(0, n - 4)
    finally:
        return factor


@question(at=4)
def a_finally_that_ends_the_loop(n):
    factor = 1
    while True:
        try:
            if n > 3:
                factor = 2
        finally:
            break
    return factor


@question(at=4)
def a_group_of_exceptions(n):
    factor = 1
    try:
        factor = 1 + (n > 3) * 1
    except* Exception:
        factor = 1
    return factor


@question(at=4)
def a_division_by_zero_at_one_size(n):
    try:
        1 // (n - 4)
    except ZeroDivisionError:
        return 2
    except Exception:
        return 1
    return 1


@question(at=4)
def an_assertion_about_the_size(n):
    try:
        assert not n > 3
    except AssertionError:
        return 2
    except Exception:
        return 1
    return 1


@question(at=4)
def a_suppressed_order(n):
    factor = 1
    with suppress(Exception):
        factor = 2 if n > 3 else 1
    return factor


class Calm(ContextDecorator):
    """A with that every exception ends quietly; a decorated function then returns None."""

    def __init__(self, n=0):
        self.n = n

    def __enter__(self):
        return 2 if self.n == 4 else 1

    def __exit__(self, *details):
        return True


@question(at=4)
def a_with_that_ends_quietly(n):
    factor = 1
    with Calm():
        if n >= 4:
            factor = 2
    return factor


@question(at=4)
def an_equality_on_the_way_into_a_with(n):
    with Calm(n) as factor:
        return factor


@question(at=4)
def a_decorator_that_ends_quietly(n):
    @Calm()
    def long():
        return n >= 4

    return 2 if long() else 1


@contextmanager
def quiet():
    try:
        yield
    except Exception:
        return


@question(at=4)
def a_generator_that_is_a_with(n):
    factors = [1]
    with quiet():
        factors += [2] if n > 3 else []
    return factors[-1]


@question(at=4)
def a_stack_of_exits(n):
    factor = 1
    with ExitStack() as stack:
        stack.push(lambda *details: True)
        factor += 1 if n > 3 else 0
    return factor


@question(at=5)
def a_stack_of_callbacks(n):
    found = []
    with ExitStack() as stack:
        stack.callback(lambda: found.append(n == 5))
    return 1 + found[0]


@question(at=4)
def a_question_in_a_pool_of_threads(n):
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(lambda: n > 3)
    return 2 if asked.exception() is None and asked.result() else 1


@question(at=4)
def a_question_on_another_thread(n):
    found = []
    thread = threading.Thread(target=lambda: found.append(n == 4))
    thread.start()
    thread.join()
    return 1 + found[0]


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


@quietly(False)
def is_long(n):
    return n > 3


questions(at=4, a_decorator_with_an_answer_of_its_own=lambda n: 2 if is_long(n) else 1)


@question(at=4)
def a_generator_that_ends_where_no_answer_comes(n):
    def longer():
        try:
            if n > 3:
                yield 1
        except Exception:
            return

    return 1 + sum(longer())


@question(at=6)
def an_exception_that_is_thrown_in(n):
    def judge():
        try:
            yield
        except LookupError as error:
            yield error.args[0] > 5

    steps = judge()
    next(steps)
    try:
        return 1 + steps.throw(LookupError(n))
    except Exception:
        return 1
