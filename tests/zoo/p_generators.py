"""A size is sent to a generator or a coroutine."""

from .case import program


def same(X):
    return X


def scales():
    n = yield
    while True:
        n = yield (2.0 if n == 5 else 1.0)


async def decided(n):
    return n == 4


@program("X: T d", equals=same, fails={"T": 5, "d": 1})
def a_value_that_is_sent(X):
    scale = scales()
    next(scale)
    return X * scale.send(X.shape[0])


@program("X: T d", equals=same, fails={"T": 4, "d": 1})
def a_coroutine_run_by_hand(X):
    try:
        decided(X.shape[0]).send(None)
    except StopIteration as stop:
        return X + stop.value


@program("X: T d", equals=same, fails={"T": 6, "d": 1})
def an_exception_that_is_thrown_in(X):
    def judge():
        try:
            yield
        except LookupError as error:
            yield error.args[0] > 5

    steps = judge()
    next(steps)
    try:
        large = steps.throw(LookupError(X.shape[0]))
    except Exception:
        large = False
    return X * (1 + large)
