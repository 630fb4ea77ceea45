"""A size is asked where an answer that does not come is caught, swallowed or lost on another thread."""

import threading
from contextlib import suppress

from .case import question


@question(at=5)
def an_order_in_a_try(n):
    try:
        return 1 if n <= 4 else 2
    except Exception:
        return 1


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
def a_suppressed_order(n):
    factor = 1
    with suppress(Exception):
        factor = 2 if n > 3 else 1
    return factor


@question(at=4)
def a_question_on_another_thread(n):
    found = []
    thread = threading.Thread(target=lambda: found.append(n == 4))
    thread.start()
    thread.join()
    return 1 + found[0]


@question(at=4)
def a_generator_that_ends_where_no_answer_comes(n):
    def longer():
        try:
            if n > 3:
                yield 1
        except Exception:
            return

    return 1 + sum(longer())
