"""Decays in log space: sums in exponents, products over ranges and powers, at all sizes."""

from __future__ import annotations

import pytest
from decay_cases import EQUAL, FALSE

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.language.sizes import shapes_in

QUICK = 9
"""How many of the equations are proved where tests are to be short."""


def found(form, cases):
    recurrence, shapes = cases[form]
    return prove(form, shapes=shapes_in(shapes), equals=recurrence).result


EVERY = [
    form if n < QUICK else pytest.param(form, marks=pytest.mark.long)
    for n, form in enumerate(sorted(EQUAL, key=lambda form: len(EQUAL[form][1])))
]


@pytest.mark.long
@pytest.mark.parametrize("form", EVERY, ids=lambda form: form.__name__)
def test_the_parallel_form_is_the_recurrence(form):
    result = found(form, EQUAL)
    assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason


@pytest.mark.long
@pytest.mark.parametrize("form", FALSE, ids=lambda form: form.__name__)
def test_a_planted_bug_is_refuted(form):
    assert found(form, FALSE).verdict == "refuted"
