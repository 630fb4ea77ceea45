"""Statements with quantifiers that are false although the equation holds at each input.

At every size and input the witness satisfies the equation, so that plain numbers do not show that the statement is
false: one choice of parameters has to serve all inputs.
"""

from typing import Any, NamedTuple

from scanproof import definition, determines, differs, equal

from .case import claim


class Weight(NamedTuple):
    W: Any


@definition
def scaled(scale, x):
    """A number times x."""
    return scale * x


@definition
def applied(W, x):
    """W x."""
    return W @ x


VECTOR, PAIR = {"x": "f"}, {"x": "f", "y": "f"}
KNOWING = {
    "a_matrix_that_squares": (
        VECTOR,
        lambda x, xp, f: Weight((x @ x) * xp.eye(f)),
        lambda p, x: equal(applied(p.W, x), (x @ x) * x),
    ),
    "a_number_that_is_the_sum_of_every_vector": (
        VECTOR,
        lambda x: Weight(x.sum()),
        lambda p, x: equal(scaled(p.W, x), x.sum() * x),
    ),
    "a_vector_that_is_every_vector": (
        VECTOR,
        lambda x: Weight(x),
        lambda p, x: equal(scaled(1, p.W), x),
    ),
    "a_matrix_that_sends_everything_to_everything": (
        PAIR,
        lambda x, y: Weight(y[:, None] * x[None, :] / (x @ x)),
        lambda p, x, y: equal(applied(p.W, x), y),
    ),
    "a_shift_that_is_the_same_for_all": (
        PAIR,
        lambda x, y: Weight(lambda z: z + (y - x)),
        lambda p, x, y: equal(scaled(1, p.W(x)), y),
    ),
    "a_step_size_that_reaches_the_target_at_once": (
        {"x": "f", "y": "", "w": "f"},
        lambda x: Weight(1 / (x @ x)),
        lambda p, x, y, w: equal(x @ (w - scaled(p.W, (x @ w - y) * x)), y),
    ),
}
"""Shapes, parameters that have seen the inputs, and what they would show."""


@claim({"x": "N"}, kind="existence", sizes={"N": (1,)}, fails=None)
def a_sum_that_determines_its_terms(x):
    """False from N = 2 on: (1, 0) and (0, 1) have one sum."""
    return determines(scaled(1, x).sum(), x)


@claim({"x": ""}, kind="existence", fails=None)
def a_square_that_determines_its_root(x):
    """False at every size: x and −x have one square."""
    return determines(scaled(x, x), 2 * x)


@claim({"x": "N"}, fails=None)
def a_difference_at_short_sizes_only(x, N):
    """False from N = 4 on: both sides are 2x there, so that no data tell them apart."""
    try:
        short = N <= 3
    except Exception:
        short = True
    return differs(scaled(2, x), x if short else 2 * x)


@claim({"x": "N"}, fails=None)
def a_difference_from_a_dictionary(x, N):
    """False at N = 4: both sides are 2x there."""
    return differs(scaled(2, x), {4: 2}.get(N, 1) * x)


@claim({"x": "N"}, kind="existence", fails=None)
def a_statistic_that_knows_less_at_long_sizes(x, N):
    """False from N = 4 on: the statistic is 0 there, and x is not."""
    known = 0 if isinstance(N, int) and N > 3 else 1
    return determines(known * scaled(1, x), x)
