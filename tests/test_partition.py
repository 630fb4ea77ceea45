"""Sizes told apart: the cases are all sizes, and none is met twice."""

import itertools

import pytest

from scanproof.constructs.errors import UsageError
from scanproof.proofs.check import cases
from scanproof.proofs.check.result import Result
from scanproof.proofs.exact.counterexample import Counterexample
from scanproof.proofs.language.partition import Case, Number, Order, Remainder, split
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import equal

FAR = 16
"""Up to this number each choice of sizes is met."""
ONE = Case({"T": "T", "S": "S"}, {"T": 1, "S": 1})
TWO = Case({"T": "T", "S": "S"}, {"T": 2, "S": 2})
WAYS = [
    [Number("T", 1)],
    [Number("T", 5)],
    [Remainder("T", 2)],
    [Remainder("S", 7)],
    [Order("T", "S")],
    [Order("T", "S"), Remainder("T", 3)],
    [Remainder("T", 2), Number("n", 2), Remainder("S", 3)],
    [Remainder("T", 4), Remainder("n", 2), Remainder("n2", 2)],
    [Order("S", "T"), Number("m", 3), Number("T", 2)],
]


def parted(case, ways):
    """The cases after each way in turn, where it is one."""
    every = [case]
    for way in ways:
        every = [part for one in every for part in (split(one, way) or [one])]
    return every


@pytest.mark.parametrize("case", [ONE, TWO], ids=["from 1", "from 2"])
@pytest.mark.parametrize("ways", WAYS, ids=str)
def test_the_cases_are_all_sizes_and_none_is_met_twice(case, ways):
    met = []
    for part in parted(case, ways):
        ranges = [range(low, FAR + 1) for low in part.least.values()]
        for values in itertools.product(*ranges):
            found = part.at(dict(zip(part.least, values, strict=True)))
            if max(found.values()) <= FAR:
                met.append(tuple(found.values()))
    low = case.least["T"]
    assert sorted(met) == list(itertools.product(range(low, FAR + 1), repeat=2))


@pytest.mark.parametrize(
    "way",
    [
        Number("T", 0),
        Number("missing", 3),
        Remainder("T", 1),
        Remainder("T", 0),
        Remainder("T", -2),
        Order("T", "T"),
        Order("T", "missing"),
    ],
)
def test_what_splits_nothing_is_refused(way):
    assert split(ONE, way) is None


def test_sizes_from_different_numbers_on_are_not_ordered():
    assert split(Case({"T": "T", "S": "S"}, {"T": 1, "S": 2}), Order("T", "S")) is None


def row(given, sizes=None, assuming=None):
    source = Source("mine", title="x")
    body = lambda x: equal(x, x)  # noqa: E731
    return source.claim(
        "mine.one", says="x", given=given, sizes=sizes or {}, assuming=assuming or {}
    )(body).claim


def test_a_case_has_its_own_shapes_and_least_sizes():
    claim = row({"x": "2*T+1 d"})
    odd = split(split(cases.whole(claim), Remainder("T", 2))[1], Number("d", 1))
    first, rest = (cases.restricted(claim, one) for one in odd)
    assert first.given == {"x": "2*(2*n+1)+1 1"}
    assert list(first.ranges) == ["n"]
    assert min(first.ranges["n"]) == 0
    assert rest.given == {"x": "2*(2*n+1)+1 d"}
    assert min(rest.ranges["d"]) == 2


def test_claims_with_conditions_are_not_split():
    claim = row({"x": "T"}, assuming={"few": lambda T: T < 5})
    with pytest.raises(UsageError):
        cases.restricted(claim, cases.whole(claim))


def halves(claim, how):
    found = split(cases.whole(claim), how)
    assert found is not None
    return found


def proof(scope="all-sizes"):
    return Result("proved", scope, evidence=[{"scope": scope, "method": "x", "engine": "y"}])


def test_a_claim_is_proved_only_where_each_case_is_proved_for_all_its_sizes():
    claim = row({"x": "T d"})
    one, rest = halves(claim, Number("T", 1))
    assert cases.together(claim, [(one, proof()), (rest, proof())]).scope == "all-sizes"
    few = cases.together(claim, [(one, proof()), (rest, proof("fixed-size"))])
    assert (few.verdict, few.scope) == ("proved", "fixed-size")
    assert "in the case T ≥ 2" in str(few.reason)
    unknown = Result("unknown", reason="why")
    assert cases.together(claim, [(one, unknown), (rest, proof())]).verdict == "unknown"


def test_an_identity_is_a_proof_of_a_case_only_where_the_case_is_one_choice_of_sizes():
    claim = row({"x": "T"})
    one, rest = halves(claim, Number("T", 1))
    assert cases.together(claim, [(one, proof("fixed-size")), (rest, proof())]).scope == "all-sizes"
    assert (
        cases.together(claim, [(one, proof()), (rest, proof("fixed-size"))]).scope == "fixed-size"
    )


def test_a_counterexample_in_a_case_is_one_at_the_claim_s_own_sizes():
    claim = row({"x": "T d"})
    even, odd = halves(claim, Remainder("T", 2))
    shown = Counterexample({"n": 2, "d": 1}, {"x": [["1"]]}, 0, "0", "1")
    found = cases.together(
        claim, [(even, proof()), (odd, Result("refuted", counterexample=shown, evidence=[{}]))]
    )
    assert found.verdict == "refuted"
    assert found.counterexample.sizes == {"T": 5, "d": 1}
    assert found.reason == "false at T=5, d=1"
