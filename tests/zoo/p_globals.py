"""A size goes through a name of the module, a thread, a frame or another outside state."""

import gc
import sys
import threading

from jax._src import core

from .case import program

LAST = None


def summed(X):
    return X.sum(0)


def same(X):
    return X


def last_scale():
    return 1.0 if LAST != 5 else 0.0


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_global_that_is_set_and_read(X):
    global LAST
    LAST = X.shape[0]
    return X * last_scale()


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_decision_in_another_thread(X):
    found = []
    thread = threading.Thread(target=lambda: found.append(X.shape[0] == 4))
    thread.start()
    thread.join()
    return X.sum(0) * (1 + found[0])


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def what_the_shape_refers_to(X):
    return X.sum(0) * (1.0 if 5 not in gc.get_referents(X.shape) else 5.0)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_variable_of_the_frame_below(X):
    def look():
        return sys._getframe(1).f_locals["rows"] == 4

    rows = X.shape[0]  # noqa: F841
    return X.sum(0) * (2.0 if look() else 1.0)


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_stack_without_an_export(X):
    frame, names = sys._getframe(), set()
    while frame := frame.f_back:
        names.add(frame.f_code.co_name)
    traced = any("trace" in name or "jaxpr" in name for name in names)
    return X if traced or X.shape[0] < 5 else X + 1


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_state_without_a_trace(X):
    return X if not core.trace_state_clean() or X.shape[0] < 5 else -X


@program("X: T d", equals=summed, fails={"T": 6, "d": 1})
def code_that_is_executed(X):
    names = {"n": X.shape[0], "scale": 1.0}
    exec("if n == 6:\n    scale = 6.0", names)
    return X.sum(0) * names["scale"]
