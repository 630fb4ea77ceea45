"""What all kinds of arrays have in common: operators, namespaces, and what they refuse."""

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from running_error import bounded

from scanproof.constructs.arrays.operators import Operators
from scanproof.numeric.export.certificates.counted import entering
from scanproof.numeric.jax_arrays import JaxArray
from scanproof.numeric.precision import FLOAT32
from scanproof.numeric.rounding.arithmetic import OWN
from scanproof.proofs.doors.record.namespace import Namespace
from scanproof.proofs.doors.record.recording import Recording, recording
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.interpret import areas
from scanproof.proofs.interpret.namespace import array
from scanproof.proofs.interpret.questions import Unreadable, listening
from scanproof.proofs.interpret.session import session
from scanproof.proofs.interpret.size import Size, index
from scanproof.proofs.kernel.index import Index, size

ROWS = [[1, 2], [3, 4]]


@pytest.fixture
def interpretation() -> Iterator[None]:
    with session():
        yield


@pytest.fixture
def recorded() -> Iterator[None]:
    with contextlib.suppress(Refused), recording(Recording(numbers=True)):
        yield


def of(kind: str) -> Any:
    """The matrix ROWS, as an array of this kind."""
    if kind == "kernel":
        return array(ROWS)
    if kind == "JAX":
        return JaxArray(np.array(ROWS, dtype=np.float32), FLOAT32)
    return {
        "recorded": lambda: Namespace().asarray(ROWS),
        "bounded": lambda: bounded(ROWS),
        "counted": lambda: entering(ROWS, OWN),
    }[kind]()


KINDS = ("recorded", "kernel", "bounded", "counted", "JAX")


@pytest.mark.usefixtures("interpretation", "recorded")
@pytest.mark.parametrize("kind", KINDS)
def test_an_array_has_no_truth_value_and_is_not_compared(kind):
    one = of(kind)
    assert isinstance(one, Operators)
    with pytest.raises(TypeError, match="has no truth value"):
        bool(one)
    with pytest.raises(TypeError, match="not with =="):
        one == one  # noqa: B015
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


@pytest.mark.usefixtures("interpretation", "recorded")
@pytest.mark.parametrize("kind", KINDS)
def test_numbers_stand_on_either_side(kind):
    one = of(kind)
    for found in (2 - one, 2 + one, 2 * one, one - 2, 2 / one, one**3, -one, one @ one, one.T):
        assert type(found) is type(one)
        assert tuple(found.shape) == (2, 2)


@pytest.mark.parametrize("kind", ["bounded", "counted"])
def test_a_function_that_arrays_do_not_have_is_told_with_those_that_they_have(kind):
    xp = of(kind).__array_namespace__()
    with pytest.raises(AttributeError, match=r"have no function 'arcsin'; known: .*reshape.*zeros"):
        _ = xp.arcsin
    assert getattr(xp, "build", None) is None


@pytest.mark.usefixtures("recorded")
@pytest.mark.parametrize(
    ("one", "words"), [("recorded", "of another kind"), ("counted", "unsupported operand")]
)
def test_of_two_kinds_of_arrays_neither_is_taken_for_numbers(one, words):
    with pytest.raises((TypeError, Refused), match=words):
        of(one) + of("bounded")


@pytest.mark.usefixtures("interpretation")
@pytest.mark.parametrize(
    "ask",
    [bool, lambda one: one == one, lambda one: one**-1, lambda one: one @ 2, len],
    ids=["truth", "equality", "a negative power", "a product with a number", "length"],
)
def test_an_error_of_an_operator_is_noted_though_it_is_caught(ask):
    one = array(ROWS) if ask is not len else array(2)
    with pytest.raises(Unreadable), listening(), contextlib.suppress(Exception):
        ask(one)


@pytest.mark.long
@pytest.mark.usefixtures("interpretation")
@given(data=st.data())
def test_a_quotient_of_sizes_is_right_at_every_size(data):
    n, c = size("n", 1), size("c", 2)
    whole = st.integers(-9, 9)
    left = n * data.draw(whole) + c * data.draw(whole) + data.draw(whole)
    right = data.draw(st.sampled_from([Index(k) for k in range(-2, 7)] + [n, c, c + 1]))
    found = areas.divided(left, right)
    at = [{n.terms[0][0]: Index(a), c.terms[0][0]: Index(b)} for a in (1, 2, 7) for b in (2, 3, 8)]
    for images in at if found else ():
        numbers = (index(one).substitute(images).const for one in (left, right, *found))
        a, b, quotient, rest = numbers
        assert (quotient, rest) == divmod(a, b)


@pytest.mark.long
@pytest.mark.usefixtures("interpretation")
@given(b=st.integers(-300, 300), d=st.integers(1, 9), k=st.integers(-9, 9))
def test_a_quotient_by_a_number_that_divides_all_coefficients_is_found(b, d, k):
    n = size("n", 1)
    whole, rest = divmod(Size(n * (k * d or d) + b), d)
    assert rest == b % d
    assert index(whole) == n * (k or 1) + b // d


@pytest.mark.usefixtures("interpretation")
def test_products_of_lengths_are_cut_again_where_they_were_put_together():
    n, chunk, rest = size("n", 1), size("C", 1), size("r", 0)
    tokens = areas.add(areas.times(n, chunk), rest)
    assert areas.divided(areas.times(n, chunk), chunk) == (n, Index(0))
    assert areas.divided(tokens, chunk) is None  # r < C is not declared
    assert areas.times(n, Index(3)) == n * 3
    assert areas.product([n, chunk, rest]) == areas.times(rest, areas.times(chunk, n))
