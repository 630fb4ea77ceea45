"""Whole numbers by cases: a sum of them along axes is that of their numbers, and one case holds at every place."""

import itertools

import numpy as np
import pytest

from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement import along, choices, making
from scanproof.proofs.statement.cases import cases_of
from scanproof.proofs.statement.nodes import Positions
from scanproof.proofs.statement.whole import Axis, Size, at, whole

T = Size("T", 1)
LENGTH = whole(T)


def places(axis, shift=0):
    """Numbers of the places along an axis of three."""
    node = making.take(Positions(LENGTH), [whole(Axis(axis))], (LENGTH,) * 3)
    return choices.add(node, making.number(shift))


def drawn(rng):
    """1, a number or a place, where several comparisons of places hold."""
    found = [making.full(making.number(2), (LENGTH,) * 3), places(0)][rng.integers(2)]
    for _ in range(rng.integers(1, 4)):
        one, other = (places(int(k), int(rng.integers(-1, 2))) for k in rng.choice(3, 2, False))
        compared = ("at_least", "above", "vanishing")[rng.integers(3)]
        mask = getattr(choices, compared)(choices.subtract(one, other))
        found = choices.multiply(found, mask if rng.random() < 0.7 else choices.inverse(mask))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_a_sum_of_whole_numbers_has_one_case_at_every_place_with_its_number(seed):
    rng = np.random.default_rng(seed)
    node = along.total(drawn(rng), [2] if rng.random() < 0.7 else [1, 2])
    found = cases_of(node)
    if found is None:
        return
    for length in (1, 2, 4):
        values = Floats({"T": length}, {})(node)
        for place in itertools.product(range(length), repeat=len(node.shape)):

            def number(symbol, length=length, place=place):
                return length if symbol is T else place[symbol.number]

            held = [e for guards, e in found if all(at(g, number) >= 0 for g in guards)]
            assert [at(e, number) for e in held] == [values[place]]


def test_a_running_sum_of_ones_behind_the_first_place_is_the_place():
    behind = choices.at_least(choices.subtract(Positions(LENGTH), making.number(1)))
    assert cases_of(along.sums(behind, 0)) == [(frozenset(), whole(Axis(0)))]
