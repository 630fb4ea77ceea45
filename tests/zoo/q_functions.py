"""A size goes through a closure, a default, a cache, a generator, a frame or a name of the module."""

import functools
import gc
import sys

from .case import question, question_of_an_array, twice

MEMO = {4: 2}
LAST = None


def remembered(n):
    if n not in MEMO:
        return 1
    return MEMO[n]


question(at=4)(remembered)


@question(at=4)
@functools.cache
def cached(n):
    return 2 if n == 4 else 1


@question(at=4)
def a_number_of_misses(n):
    @functools.cache
    def touch(size):
        return None

    touch(n), touch(4)
    return touch.cache_info().misses - 1


@question(at=4)
def a_global_that_is_set_and_read(n):
    global LAST
    LAST = n
    return last_scale()


def last_scale():
    return 1 if LAST != 4 else 0


@question(at=4)
def a_variable_of_the_frame_below(n):
    def look():
        return sys._getframe(1).f_locals["n"] == 4

    return 2 if look() else 1


@question_of_an_array(at=5)
def what_the_shape_refers_to(x):
    return 2 if 5 in gc.get_referents(x.shape) else 1


@question(at=4)
def a_function_chosen_by_the_size(n):
    def one(size):
        return 1

    def chosen():
        try:
            return twice if n > 3 else one
        except Exception:
            return one

    return chosen()(n) if chosen() is one else 2


@question(at=5)
def a_cell_that_is_read_from_outside(n):
    def asks():
        return n

    return 2 if asks.__closure__[0].cell_contents.__eq__(5) is True else 1


@question(at=5)
def a_default_that_is_computed(n):
    def factor(capped=(n == 5)):
        return 1 + capped

    return factor()


@question(at=6)
def a_loop_variable_that_is_bound_late(n):
    tests = [lambda size: size == k for k in (4, 5, 6)]
    return 1 + tests[0](n)


@question(at=4)
def an_attribute_of_the_wrapped_function(n):
    def factor(size):
        return 1

    factor.limit = 3

    @functools.wraps(factor)
    def limited(size):
        return factor(size) + (limited.__wrapped__.limit + 1 == size)

    return limited(n)


class Specialised:
    """A function with exceptions for some arguments."""

    def __init__(self, function):
        self.function, self.others = function, {}
        functools.update_wrapper(self, function)

    def at(self, n):
        return lambda other: self.others.setdefault(n, other)

    def __call__(self, n):
        return self.others.get(n, self.function)(n)


@Specialised
def special_at_four(n):
    return 1


special_at_four.at(4)(lambda n: 2)
question(at=4)(special_at_four)


def scales():
    n = yield
    while True:
        n = yield (2 if n == 5 else 1)


@question(at=5)
def a_value_that_is_sent(n):
    scale = scales()
    next(scale)
    return scale.send(n)


async def decided(n):
    return n == 4


@question(at=4)
def a_coroutine_run_by_hand(n):
    try:
        decided(n).send(None)
    except StopIteration as stop:
        return 1 + stop.value
