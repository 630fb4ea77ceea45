"""Measured orders are those of known powers, and of the rows that say O(·)."""

import math
from fractions import Fraction

import pytest

from scanproof.proofs.exact.orders import Quantity
from scanproof.proofs.orders import measure, orders, quantities


@pytest.mark.parametrize("power", [0, 1, 2, 3])
def test_the_order_of_a_power_is_its_exponent(power: int):
    found = measure(Quantity("x", "a power", "ε", lambda xp, eps: (xp.ones((2,)) * eps) ** power))
    assert found.order == pytest.approx(power)


def test_a_quantity_that_vanishes_has_every_order():
    found = measure(Quantity("x", "nothing", "ε", lambda xp, eps: xp.zeros((2,)) * eps))
    assert found.order == math.inf and "0 throughout" in str(found)


def test_a_quantity_that_vanishes_at_places_has_none():
    here = Fraction(1, 16)
    with pytest.raises(ArithmeticError, match="0 at some values"):
        measure(Quantity("x", "a zero", "ε", lambda xp, eps: xp.ones((1,)) * (eps - here)))


EXPECTED = {
    "ssd.thm5.1": [2, 2],
    "ssd.thm5.1-drift": [2, 1, 0],  # as proved, as used, as the label update needs
    "ssd.thm5.1-e2": [1, 0],  # in ε as claimed; in n there is no 1/n
    "ssd.thm5.1-step": [0, 1],
    "ssd.thm5.2": [2],
    "ssd.thm5.2-residual": [2, 2],  # as large as what several steps add
}


@pytest.mark.parametrize("id", EXPECTED)
def test_the_orders_of_a_row(id: str):
    assert [round(found.order, 1) for found in orders(id)] == EXPECTED[id]


def test_every_quantity_belongs_to_a_row():
    from scanproof.proofs.decide.ledger import built_in

    assert {q.row for q in quantities()} <= {row.claim.id for row in built_in().rows}
