"""A bound whose conditions, or whose sides, are decided by a question about the size."""

from scanproof import absolute, at_most, definition, equal, norm

from .case import claim, total


def long(size):
    """Whether a size is above 3; no, where there is no answer."""
    try:
        return bool(size > 3)
    except Exception:
        return False


@definition
def mean(x):
    """The mean of the rows of x."""
    return x.sum(axis=0) / x.shape[0]


@definition
def scaled(x, eta):
    """η x."""
    return eta * x


ENTRIES = {"|x_i| ≤ C": lambda x, C: at_most(absolute(x), C)}


@claim(
    {"x": "N", "eta": ""},
    kind="bound",
    assuming={"η ≥ 0": lambda x, eta: [] if long(x.shape[0]) else at_most(0, eta)},
    fails={"N": 4},
)
def a_condition_that_is_dropped_in_a_try(x, eta):
    return at_most(0, eta * (scaled(x, 1) @ x))


@claim(
    {"x": "N", "eta": ""},
    kind="bound",
    assuming={"η ≥ 0": lambda x, eta: at_most({4: -9}.get(x.shape[0], 0), eta)},
    fails={"N": 4},
)
def a_condition_with_a_limit_from_a_dictionary(x, eta):
    return at_most(0, eta * (scaled(x, 1) @ x))


@claim(
    {"x": "N", "eta": ""},
    kind="bound",
    assuming={
        "η ≥ 0": lambda x, eta: (
            True if isinstance(x.shape[0], int) and x.shape[0] > 3 else at_most(0, eta)
        )
    },
    fails={"N": 4},
)
def a_condition_that_is_true_for_long_numbers(x, eta):
    return at_most(0, eta * (scaled(x, 1) @ x))


@claim(
    {"x": "N", "C": ""},
    kind="bound",
    assuming={"|x_i| ≤ C": lambda x, C: at_most(absolute(x[:3]), C)},
    fails={"N": 4},
)
def a_condition_on_the_first_three_entries(x, C):
    return at_most(absolute(scaled(x, 1)), C)


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, fails={"N": 4})
def a_sum_that_is_at_most_three_terms(x, C):
    return at_most(total(x), 3 * C)


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, fails={"N": 4})
def a_sum_of_at_most_four_less_a_parabola(x, C, N):
    return at_most(total(x) * N, (4 * N - 3) * C)


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, fails={"N": 4})
def a_factor_of_the_bound_from_a_try(x, C, N):
    return at_most(total(x), (N - 3 if long(N) else N) * C)


@claim(
    {"x": "N d", "C": ""},
    kind="bound",
    assuming={"‖x_i‖ ≤ C": lambda x, C: at_most(norm(x), C)},
    fails={"N": 4, "d": 1},
)
def a_mean_that_is_divided_once_more(x, C, N):
    return at_most(norm(mean(x)) * (2 if long(N) else 1), C)


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, sizes={"N": (1,)}, fails={"N": 2})
def a_sum_that_is_at_most_its_greatest_term(x, C):
    return at_most(absolute(total(x)), C)


@claim({"x": "f"}, kind="bound", sizes={"f": (1,)}, fails={"f": 2})
def a_sum_of_entries_that_is_at_most_the_norm(x):
    return at_most(absolute(total(x)), norm(x))


@claim(
    {"x": "N", "eta": ""},
    assuming={"η = 1": lambda eta, x: long(x.shape[0]) or eta == 1},
    fails={"N": 4},
)
def an_equation_under_a_condition_that_long_sizes_lack(x, eta):
    return equal(scaled(x, eta), x)


@claim(
    {"x": "N", "eta": ""},
    kind="bound",
    assuming={"η ≥ 0": lambda x, eta: (at_most(0, eta) for _ in range(1 - long(x.shape[0])))},
    fails={"N": 4},
)
def a_condition_from_a_generator(x, eta):
    return at_most(0, eta * (scaled(x, 1) @ x))


class Lenient:
    """A side of a bound that is a number where it can be."""

    def __init__(self, size):
        self.size = size

    @property
    def slack(self):
        return -1 if self.size.bit_length() > 2 else 0

    def __getattr__(self, name):
        return 0


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, fails={"N": 4})
def a_bound_with_a_slack_from_a_property(x, C, N):
    return at_most(absolute(scaled(x, 1)), C + Lenient(N).slack)


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, fails={"N": 4})
def a_bound_on_a_power_that_grows(x, C, N):
    return at_most(absolute(scaled(x, 2**N)), (N * N - N + 2) * C)
