"""A bound whose conditions, or whose sides, are decided by a question about the size."""

from itertools import cycle

from scanproof import absolute, at_most, definition, equal, norm

from .c_places import QUESTIONS
from .case import claim, total
from .q_objects import Lenient


@definition
def mean(x):
    """The mean of the rows of x."""
    return x.sum(axis=0) / x.shape[0]


@definition
def scaled(x, eta):
    """η x."""
    return eta * x


ENTRIES = {"|x_i| ≤ C": lambda x, C: at_most(absolute(x), C)}


DROPPED = {
    "and_is_none": lambda long, eta: [] if long else at_most(0, eta),
    "and_is_true": lambda long, eta: long or at_most(0, eta),
    "and_has_another_limit": lambda long, eta: at_most(-9 if long else 0, eta),
    "and_is_a_generator": lambda long, eta: (at_most(0, eta) for _ in range(1 - long)),
}
"""What a condition η ≥ 0 may become at long sizes."""


def _conditional(name, asked, how, dropped):
    @claim(
        {"x": "N", "eta": ""},
        kind="bound",
        assuming={"η ≥ 0": lambda x, eta: dropped(asked(x.shape[0]) == 2, eta)},
        fails={"N": 5},
        name=f"c_side_conditions-{name}-{how}",
    )
    def under_a_condition_that_asks(x, eta):
        return at_most(0, eta * (scaled(x, 1) @ x))


for (_name, _asked), (_how, _dropped) in zip(
    QUESTIONS.items(), cycle(DROPPED.items()), strict=False
):
    _conditional(_name, _asked, _how, _dropped)


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
    return at_most(total(x), (N - 3 if Lenient(N).long else N) * C)


@claim(
    {"x": "N d", "C": ""},
    kind="bound",
    assuming={"‖x_i‖ ≤ C": lambda x, C: at_most(norm(x), C)},
    fails={"N": 4, "d": 1},
)
def a_mean_that_is_divided_once_more(x, C, N):
    return at_most(norm(mean(x)) * (2 if Lenient(N).long else 1), C)


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, sizes={"N": (1,)}, fails={"N": 2})
def a_sum_that_is_at_most_its_greatest_term(x, C):
    return at_most(absolute(total(x)), C)


@claim({"x": "f"}, kind="bound", sizes={"f": (1,)}, fails={"f": 2})
def a_sum_of_entries_that_is_at_most_the_norm(x):
    return at_most(absolute(total(x)), norm(x))


@claim(
    {"x": "N", "eta": ""},
    assuming={"η = 1": lambda eta, x: Lenient(x.shape[0]).long or eta == 1},
    fails={"N": 4},
)
def an_equation_under_a_condition_that_long_sizes_lack(x, eta):
    return equal(scaled(x, eta), x)


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, fails={"N": 4})
def a_bound_with_a_slack_from_a_property(x, C, N):
    return at_most(absolute(scaled(x, 1)), C - Lenient(N).long)


@claim({"x": "N", "C": ""}, kind="bound", assuming=ENTRIES, fails={"N": 4})
def a_bound_on_a_power_that_grows(x, C, N):
    return at_most(absolute(scaled(x, 2**N)), (N * N - N + 2) * C)
