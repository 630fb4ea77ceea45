"""Quotients whose denominators are 0 at every large size, and quotients that hide a size.

Where a denominator is 0 an equation says nothing, so that plain numbers show nothing either.
"""

from scanproof import build, equal, iterate
from scanproof.constructs.arrays.ranges import product

from .case import claim, twice


@claim({"x": "N"}, fails=None)
def a_product_that_is_zero_from_four_on(x, N, xp):
    """Over one denominator the numerators differ from N = 4 on: 2^N is N² − N + 2 at N = 1, 2, 3 only."""
    zero = product(build(xp, N, lambda i: xp.asarray(1) * (i - 3)))
    return equal(twice(x) / zero * (N * N - N + 2), 2**N * 2 * x / zero)


@claim({"x": "N"}, fails=None)
def a_state_that_loses_one_in_every_step(x, N):
    """The state is 3 · 2 · 1 · 0 from N = 4 on. The numerators differ there."""
    zero = iterate(lambda s: (s[0] * s[1], s[1] - 1), (1 + 0 * x[0], 3 + 0 * x[0]), N)[0]
    return equal(twice(x) / zero, 2 * min(N, 3) * x / (zero * N))


@claim({"x": "N", "z": ""}, assuming={"z ≠ 0": lambda z: z != 0}, fails={"N": 4})
def a_quotient_that_is_asked_in_a_try(x, z, N):
    try:
        factor = 1 / (N - 4)
    except ZeroDivisionError:
        factor = 0
    except Exception:
        factor = None
    return equal(twice(x) / z, 2 * x / z if factor != 0 else 3 * x / z)


@claim({"x": "N"}, fails={"N": 4})
def a_ratio_of_two_counts(x, N):
    return equal(twice(x) * (N * N * N + 11 * N) / N, 2 * x * (6 * N * N + 6) / N)


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_mean_that_is_divided_twice(x, N):
    return equal(twice(x).sum() / N, 2 * x.sum() / (N * N))


@claim({"x": "N"}, sizes={"N": (1,)}, fails={"N": 2})
def a_mean_of_the_inverses(x):
    return equal(twice((1 / x).sum()), 2 / x.sum())
