"""A body that is another one beyond the sizes that are listed: it raises there, or says something else."""

from scanproof import definition, differs, equal
from scanproof.proofs.language.statements import undetermined

from .case import claim, total, twice


@definition
def squared(x):
    """The square of each entry."""
    return x * x


def raising(error):
    """A claim whose body raises this from N = 5 on."""

    @claim({"x": "N"}, fails=None, name=f"c_late-raises-{error.__name__}")
    def raises_late(x, N):
        if N >= 5:
            raise error(N)
        return equal(total(x), x.sum())


for _error in (
    KeyError,
    ValueError,
    AssertionError,
    NotImplementedError,
    RuntimeError,
    MemoryError,
):
    raising(_error)


@claim({"x": "N"}, fails=None)
def another_shape_from_five_on(x, N):
    return equal(twice(x) if N < 5 else twice(x)[:2], 2 * x)


@claim({"x": "N"}, fails=None)
def no_value_from_five_on(x, N):
    below = x[0] if N < 5 else x[0] - x[0]
    return equal(twice(x) / below, 2 * x / below)


@claim({"x": "N"}, fails=None)
def an_assertion_on_a_length(x):
    assert x.shape[0] < 5
    return equal(twice(x), 2 * x)


@claim({"x": "N"}, fails=None)
def an_index_outside_from_five_on(x, N):
    names = "abcd"
    return equal(twice(x) * len(names[N - 1]), 2 * x) if N < 9 else equal(names[N], x)


@claim({"x": "N", "y": ""}, fails=None, sizes={"N": (1, 2)})
def a_map_that_there_is_from_three_on(x, y, N):
    return undetermined(squared(x) if N < 3 else x, x)


@claim({"x": "N"}, fails=None)
def a_difference_that_raises_from_five_on(x, xp, N):
    if N >= 5:
        raise IndexError(N)
    return differs(total(xp.exp(x)), xp.exp(total(x)))
