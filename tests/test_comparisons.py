"""Maxima, comparisons and stabilisers of real numbers, at all sizes."""

import pytest
from comparison_cases import CASES

from scanproof.proofs.decide.proving import prove
from scanproof.proofs.language.sizes import names, shapes_in

OPEN = {"flash", "mlstm_max", "wkv", "masked_maximum"}
"""Equations that are not proved yet; none may be refuted."""
AT_0 = {"unit_or_0_bad", "safe_div_bad", "elu_ge_bad"}
"""Bugs that show at 0 alone, which no number that is drawn is."""


def found(name):
    (_, pair, shapes, equal) = next(one for one in CASES if one[0] == name)
    program, specification = pair()
    return prove(program, shapes=shapes, equals=specification, sizes=few(shapes)).result, equal


def few(shapes):
    return dict.fromkeys(names(list(shapes_in(shapes).values())), (1, 2))


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", [n for n, *_, equal in CASES if equal and n not in OPEN])
def test_two_forms_are_proved_equal_at_all_sizes(name):
    result, _ = found(name)
    assert (result.verdict, result.scope) == ("proved", "all-sizes"), result.reason


@pytest.mark.sample(2)
@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", [n for n, *_, equal in CASES if not equal])
def test_a_planted_bug_is_refuted_or_where_it_shows_at_0_alone_not_proved(name):
    result, _ = found(name)
    told = ("refuted", "unknown") if name in AT_0 else ("refuted",)
    assert result.verdict in told, result.reason
