"""Quotients and remainders of places by numbers: in which row of n places each lies, and where in it."""

from __future__ import annotations

from importlib.util import find_spec

import jax.numpy as jnp
import numpy as np
import pytest
from equations import equations
from jax.lax import scan

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement import choices, making, placing
from scanproof.proofs.statement.nodes import Input, Node, Positions
from scanproof.proofs.statement.whole import Axis, Number, Size, whole

SHAPE = (5, 4)
SIZE = Size("m", 1)
AT = 3
"""What the size is where numbers are computed."""


def places(like, axis=0):
    return jnp.arange(like.shape[axis])


def repeated(x, n):
    return jnp.repeat(x, n, 0)


def segments(x, n):
    """Sums of n rows at a time, by their numbers."""
    return jnp.zeros((x.shape[0] // n, *x.shape[1:])).at[places(x) // n].add(x)


def earlier(q, k, v):
    """Each token attends to all tokens of the chunks of four before its own."""
    c = places(q) // 4
    return (q @ k.T * (c[:, None] > c[None, :])) @ v


def earlier_by_states(q, k, v):
    one, other, third = (x.reshape(-1, 4, x.shape[1]) for x in (q, k, v))
    added = jnp.einsum("nik,nid->nkd", other, third)
    return jnp.einsum("nik,nkd->nid", one, jnp.cumsum(added, 0) - added).reshape(v.shape)


def summed_anew(x, n, held=False):
    """Sums that begin anew with every n-th entry; or these entries, held."""

    def turn(total, token):
        t, entry = token
        total = jnp.where(t % n == 0, entry, total if held else total + entry)
        return total, total

    return scan(turn, 0.0, (places(x), x))[1]


def since_the_copy(x):
    """What was added since a copy was made of the sum, before every fourth entry."""

    def turn(state, token):
        total, copy = state
        t, entry = token
        copy = jnp.where(t % 4 == 0, total, copy)
        return (total + entry, copy), total + entry - copy

    return scan(turn, (0.0, 0.0), (places(x), x))[1]


EQUATIONS = equations(
    globals(),
    """
each entry three times | x: n d | x[jnp.arange(3 * x.shape[0]) // 3] = repeated(x, 3)
remainders of differences | x: n | x @ ((places(x)[:, None] - places(x)) % 3 == 1)
    = x @ (places(x)[:, None] % 3 == (places(x) + 1) % 3)
even and odd places | x: n | (x * (places(x) % 2)).sum() + (x * ((places(x) + 1) % 2)).sum() = x.sum()
chunks before | q: 4*n d, k: 4*n d, v: 4*n e | earlier(q, k, v) = earlier_by_states(q, k, v)
sums of three | x: 3*n d | segments(x, 3) = x.reshape(-1, 3, x.shape[1]).sum(1)
a quotient of a float | x: 2*n | x * jnp.floor(places(x) / 2) = x * (places(x) // 2)
rounded up, and towards 0 | x: n | x * jnp.ceil(places(x) / 3) = x * jnp.trunc((places(x) + 2) / 3)
sums that begin anew | x: 4*n | summed_anew(x, 4) = jnp.cumsum(x.reshape(-1, 4), 1).reshape(-1)
entries that are held | x: 2*n | summed_anew(x, 2, True) = jnp.repeat(x[::2], 2)
a copy of every fourth sum | x: 4*n | since_the_copy(x) = summed_anew(x, 4)
sums of four that begin anew with every third | x: 12*n | summed_anew(x, 3) ≠ summed_anew(x, 4)
the last entry that is held for the first | x: 2*n | summed_anew(x, 2, True) ≠ jnp.repeat(x[1::2], 2)
chunks up to its own | q: 4*n d, k: 4*n d, v: 4*n e | earlier(q, k, v) ≠ earlier(q, k, v) + v
quotients of differences | x: n | x @ ((places(x)[:, None] - places(x)) // 2)
    ≠ x @ (places(x)[:, None] // 2 - places(x) // 2)
sums of two for three | x: 6*n d | segments(x, 3).sum(0) ≠ segments(x, 2)[:x.shape[0] // 3].sum(0)
""",
)


if find_spec("torch") is not None:
    import quotients_in_torch

    EQUATIONS |= quotients_in_torch.EQUATIONS


@pytest.mark.usefixtures("only_read")
@pytest.mark.short("sums of three", "quotients of differences")
@pytest.mark.parametrize("case", EQUATIONS)
def test_equations_of_rows_are_proved_and_false_ones_refuted(case):
    shapes, left, right, holds = EQUATIONS[case]
    found = prove(left, shapes=shapes, equals=right).result
    assert found.verdict == ("proved" if holds else "refuted"), found.reason


@pytest.mark.usefixtures("only_read")
def test_numbers_that_outgrow_their_format_before_they_are_divided_are_told():
    """i · 70000 begins anew at −2³¹ from i = 30679 on, and no remainder by 7 is 0 there."""
    found = prove(lambda x: x * ((places(x) * 70000) % 7), shapes="x: n", equals=lambda x: x * 0)
    assert "70000·n − 70000 ≤ 2147483647" in str(found)


def test_rows_are_no_fewer_than_places_need():
    """Of 2·a·b − a places two at a time: the greatest row was taken to be a·b − a."""
    a, b = whole(Size("a", 1)), whole(Size("b", 1))
    length = a * b * 2 - a
    row = choices.floored(choices.divide(Positions(length), making.number(2)))
    below = choices.at_least(choices.subtract(making.number(a * b - a), row))
    assert making.constant(below) != 1


def entry(rng: np.random.Generator) -> tuple[Number, np.ndarray]:
    """A whole number of places and a size, and what it is at all places."""
    a, b, c, d = (int(n) for n in rng.integers(-4, 5, 4))
    number = whole(Axis(0)) * a + whole(Axis(1)) * b + whole(SIZE) * c + d
    return number, a * np.arange(SHAPE[0])[:, None] + b * np.arange(SHAPE[1]) + c * AT + d


def computed(node: Node, **inputs: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.asarray(Floats({"m": AT}, inputs)(node)), node.shape)


@pytest.mark.parametrize("seed", range(60))
def test_rows_what_is_asked_of_them_and_what_stands_there_are_as_numbers_say(seed):
    rng = np.random.default_rng(seed)
    (one, ours), (other, theirs) = entry(rng), entry(rng)
    n, k = int(rng.integers(1, 5)), int(rng.integers(1, 5))
    left, right = (making.entries_as(number, SHAPE) for number in (one, other))
    row = choices.floored(choices.divide(left, making.number(n)))
    second = choices.floored(choices.divide(right, making.number(k)))
    gap = choices.subtract(row, second)
    at_numbers = ours // n - theirs // k
    np.testing.assert_array_equal(computed(row), ours // n)
    above = choices.ceiled(choices.divide(left, making.number(n)))
    np.testing.assert_array_equal(computed(above), -(-ours // n))
    np.testing.assert_array_equal(computed(choices.at_least(gap)), at_numbers >= 0)
    np.testing.assert_array_equal(computed(choices.above(gap)), at_numbers > 0)
    np.testing.assert_array_equal(computed(choices.vanishing(gap)), at_numbers == 0)
    rest = choices.subtract(left, choices.multiply(making.number(n), row))
    np.testing.assert_array_equal(computed(choices.vanishing(rest)), ours % n == 0)
    x = rng.integers(-9, 10, (n, 2))
    found = placing.looked_up(Input("x", x.shape), rest)
    np.testing.assert_array_equal(computed(found, x=x.astype(float)), x[ours % n])
