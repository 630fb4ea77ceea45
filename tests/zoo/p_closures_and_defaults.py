"""A decision on a size stands in a closure, or in the default of an argument."""

from .case import program


def summed(X):
    return X.sum(0)


def mean(X):
    return X.mean(0)


@program("X: T d", equals=mean, fails={"T": 5, "d": 1})
def a_default_that_is_computed_from_the_shape(X):
    def divisor(n=X.shape[0], capped=(X.shape[0] == 5)):
        return n - capped

    return X.sum(0) / divisor()


@program("X: T d", equals=summed, fails={"T": 6, "d": 1})
def a_loop_variable_that_is_bound_late(X):
    tests = [lambda n: n == k for k in (4, 5, 6)]  # noqa: B023
    return X.sum(0) + tests[0](X.shape[0])


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def a_keyword_named_after_the_size(X):
    def scale(**named):
        return named.get("rows_4", 1.0)

    return X.sum(0) * scale(**{f"rows_{X.shape[0]}": 2.0})


@program("X: T d", equals=summed, fails={"T": 5, "d": 1})
def the_contents_of_a_cell(X):
    n = X.shape[0]

    def peek():
        return n

    return X.sum(0) * (1.0 if peek.__closure__[0].cell_contents != 5 else 5.0)


@program("X: T d", equals=summed, fails={"T": 4, "d": 1})
def an_argument_for_every_row(X):
    def add(first, second=0.0, third=0.0, *rest):
        return first + second + third

    try:
        rows = [*X]
    except Exception:
        return X.sum(0)
    return add(*rows)
