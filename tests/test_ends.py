"""Between which numbers entries are seen to lie."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement import along, choices, making
from scanproof.proofs.statement.ends import ends_of
from scanproof.proofs.statement.making import entrywise, full, number
from scanproof.proofs.statement.nodes import Input, Node, Positions
from scanproof.proofs.statement.turns import turned
from scanproof.proofs.statement.whole import Size, whole

LENGTH = 3
OF_TWO = (choices.greater, choices.smaller, choices.add, choices.subtract)
OF_ARRAYS = (
    *OF_TWO,
    choices.multiply,
    lambda a, b: full(
        along.total(making.spread(choices.multiply(a, b), (LENGTH,)), [0]), (LENGTH,)
    ),
    lambda a, b: choices.divide(a, choices.add(number(1), entrywise("abs", b))),
)
NAMED = ("tanh", "exp", "relu", "step", "zero", "abs", "negative", "sin", "softplus")


def drawn(rng: np.random.Generator, depth: int) -> Node:
    """A node of numbers, places and an input, as programs are made of."""
    shape, kind = (LENGTH,), rng.integers(6) if depth else rng.integers(3)
    if kind == 0:
        return full(number(Fraction(int(rng.integers(-4, 5)), 2)), shape)
    if kind == 1:
        return Positions(LENGTH)
    if kind == 2:
        return Input("x", shape)
    one = drawn(rng, depth - 1)
    if kind == 3:
        return entrywise(str(rng.choice(NAMED)), one)
    if kind == 4:
        return full(along.place_of_greatest(one, 0), shape)
    other = drawn(rng, depth - 1)
    if rng.integers(3) == 0:
        return choices.select(choices.above(drawn(rng, depth - 1)), one, other)
    return OF_ARRAYS[rng.integers(len(OF_ARRAYS))](one, other)


@pytest.mark.parametrize("seed", range(150))
def test_no_entry_lies_beyond_the_ends_that_are_seen(seed):
    rng = np.random.default_rng(seed)
    node = drawn(rng, 4)
    low, high = ends_of(node)
    entries = np.asarray(Floats({}, {"x": rng.integers(-3, 4, LENGTH) / 2.0})(node))
    assert low is None or entries.min() >= float(low) - 1e-12
    assert high is None or entries.max() <= float(high) + 1e-12


def test_ends_are_seen_of_a_clip_and_of_the_place_of_the_greatest_entry():
    x = Input("x", (LENGTH,))
    assert ends_of(choices.smaller(choices.greater(x, number(-1)), number(2))) == (-1, 2)
    assert ends_of(along.place_of_greatest(x, 0)) == (0, LENGTH - 1)


def test_weights_of_a_softmax_and_squares_are_not_negative_and_products_may_be():
    x, y = Input("x", (LENGTH,)), Input("y", (LENGTH,))
    weights = entrywise("exp", x)
    assert ends_of(choices.divide(weights, along.total(weights, [0], False)))[0] == 0
    assert ends_of(along.total(choices.multiply(x, x), [0], False))[0] == 0
    assert ends_of(along.total(choices.multiply(x, y), [0], False)) == (None, None)
    assert ends_of(choices.divide(weights, x)) == (None, None)


def test_a_clip_between_numbers_further_apart_leaves_what_is_clipped_and_a_nearer_one_does_not():
    inner = choices.smaller(choices.greater(Input("x", (LENGTH,)), number(-1)), number(2))
    assert choices.smaller(choices.greater(inner, number(-2)), number(3)) is inner
    assert choices.greater(inner, number(0)) is not inner


ZERO = number(0)


def state(step, start: Node = ZERO) -> Node:
    """The states of a loop whose turn number t puts `step(state, t)` in the state's place."""
    turns = whole(Size("n", 1))
    return turned(lambda t, before: ([step(before[0], number(t))], []), [start], turns).states[0]


def drawn_step(rng: np.random.Generator, before: Node, time: Node, depth: int) -> Node:
    """What a turn makes of a state, of its number and of constants."""
    kind = rng.integers(5) if depth else rng.integers(3)
    if kind == 0:
        return number(Fraction(int(rng.integers(-4, 5)), 2))
    if kind < 3:
        return (before, time)[kind - 1]
    one, other = (drawn_step(rng, before, time, depth - 1) for _ in range(2))
    if kind == 3:
        return entrywise(str(rng.choice(NAMED)), one)
    return OF_TWO[rng.integers(len(OF_TWO))](one, other)


@pytest.mark.parametrize("seed", range(150))
def test_no_state_of_a_loop_lies_beyond_the_ends_that_are_seen(seed):
    rng = np.random.default_rng(seed)
    node = state(lambda s, t: drawn_step(rng, s, t, 3), number(int(rng.integers(-2, 3))))
    with np.errstate(all="ignore"):
        reading = Floats({"n": 7}, {})
        states, (low, high) = np.asarray(reading(node)), map(reading.whole, ends_of(node))
    assert low is None or not np.any(states < float(low) - 1e-12)
    assert high is None or not np.any(states > float(high) + 1e-12)


def test_an_end_of_a_state_rests_on_no_end_that_fails():
    away = state(lambda s, t: choices.subtract(choices.subtract(number(1), s), s))
    assert ends_of(away) == (None, None)  # 0, 1, −1, 3, −5, …
    assert ends_of(state(lambda s, t: choices.smaller(s, number(1)))) == (0, 0)
    greatest = state(choices.greater)
    assert ends_of(greatest)[0] == 0 and ends_of(greatest)[1] is not None


def test_ends_of_what_is_computed_of_itself_again_and_again_take_no_time():
    one, other = Input("x", (LENGTH,)), Input("y", (LENGTH,))
    for _ in range(60):
        other = choices.subtract(other, one)
        one = choices.add(one, other)
    assert ends_of(one) == (None, None)
