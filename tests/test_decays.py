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


AT_SIZES = ("input_gated_by_a_mask",)
"""Proved at sizes alone: that exp(A)² under a root is exp(2 A) is not seen beside a state."""


@pytest.mark.long
@pytest.mark.parametrize("form", EVERY, ids=lambda form: form.__name__)
def test_the_parallel_form_is_the_recurrence(form):
    result = found(form, EQUAL)
    scope = "fixed-size" if form.__name__ in AT_SIZES else "all-sizes"
    assert (result.verdict, result.scope) == ("proved", scope), result.reason


@pytest.mark.long
@pytest.mark.parametrize("form", FALSE, ids=lambda form: form.__name__)
def test_a_planted_bug_is_refuted(form):
    assert found(form, FALSE).verdict == "refuted"
