"""A size goes through a closure, a default, a cache, a generator, a frame or a name of the module."""

import functools
import gc
import sys

from .case import question, question_of_an_array

LAST = None


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


@question(at=5)
def a_cell_that_is_read_from_outside(n):
    def asks():
        return n

    return 2 if asks.__closure__[0].cell_contents.__eq__(5) is True else 1


async def decided(n):
    return n == 4


@question(at=4)
def a_coroutine_run_by_hand(n):
    try:
        decided(n).send(None)
    except StopIteration as stop:
        return 1 + stop.value
