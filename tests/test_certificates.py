"""A written proof shows what its problem says, or it is refused: no change of one makes it show anything else."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import arena
import certificates
import pytest
from certificates import CLAIMS, VARIED, copy, of_a_false_problem, real, shows
from claims import claim

from scanproof.constructs.arrays.definition import definition
from scanproof.proofs.check.all_sizes import Proof, Stale
from scanproof.proofs.check.certificate import AllSizes
from scanproof.proofs.check.formulas import hash_of
from scanproof.proofs.check.instances.evaluate import in_symbols
from scanproof.proofs.check.traces import OtherProblem, shown
from scanproof.proofs.decide import workers
from scanproof.proofs.exact.engines import FLINT, holds
from scanproof.proofs.kernel.checker import Refused, check
from scanproof.proofs.language.statements import equal
from scanproof.proofs.search import all_sizes


@pytest.mark.parametrize("name", arena.refused_names())
def test_what_must_be_refused_is_refused(name: str):
    case = arena.refused(name)
    assert _differ(case.changed, case.original)
    check(case.original)
    with pytest.raises(Refused):
        check(case.changed)


def _differ(one: Any, other: Any) -> bool:
    try:
        return json.dumps(one) != json.dumps(other)
    except RecursionError:  # only what was changed is nested like that
        return True


@pytest.mark.short(3)
@pytest.mark.parametrize("name", arena.passing_names())
def test_what_must_pass_shows_its_statements(name: str):
    trace = arena.passing(name)
    assert shows(check(trace), trace)


FOUND_ANEW = (
    "ch9.conv",
    "ch9.eq9.8+index",
    "ch9.thm9.1-rescale+sign",
    "gd-ssm.prop1-construction+sign",
    "gril.a6-softmax+features",
    "ssd.thm4.1-sketch+loss",
    "ch9.eq9.8+first-order",
    "gril.a6-jacobian",
)


@pytest.mark.parametrize("id", FOUND_ANEW)
def test_what_is_recorded_is_what_is_found(id: str):
    found = all_sizes.find(CLAIMS[id])
    assert not isinstance(found, str), found
    assert json.loads(json.dumps(found.certificate.trace)) == real(id)


# A proof for another problem.


def proof_of(claim: Any, trace: Any) -> AllSizes:
    """What says that it is a proof of the claim's statement."""
    return AllSizes(trace, statement=hash_of(claim))


@pytest.mark.parametrize("id", VARIED)
def test_a_proof_is_refused_for_a_false_problem(id: str):
    false = of_a_false_problem(real(id))
    assert false is not None
    with pytest.raises(Refused):
        check(false)


@pytest.mark.long
@pytest.mark.parametrize("id", VARIED[::6])
def test_every_certificate_is_stale_for_every_other_claim(id: str):
    for other in VARIED:
        found = all_sizes.checked(CLAIMS[id], proof_of(CLAIMS[id], real(other)))
        same = real(other)["problem"] == real(id)["problem"]
        assert isinstance(found, Proof if same else Stale)


@pytest.mark.parametrize("trace", [None, [], {}, 7, "x", {"problem": None}, {"problem": {}}])
def test_what_is_no_proof_is_one_of_another_problem(trace: Any):
    with pytest.raises(OtherProblem):
        shown([], {}, trace)


@pytest.mark.parametrize("id", ["ssd.eq3", "gril.eq10"])
def test_a_certificate_without_a_proof_is_refused(id: str):
    found = all_sizes.checked(CLAIMS[id], proof_of(CLAIMS[id], None))
    assert isinstance(found, Stale)


@pytest.mark.parametrize("id", ["gril.eq10", "gd-ssm.prop4+vanishing", "ssd.thm4.1-sketch+loss"])
def test_a_false_claim_is_not_proved_by_the_proof_of_a_true_one_for_its_problem(id: str):
    """The false problem is put into the file: it is the claim's, and the proof does not show it."""
    false = of_a_false_problem(real(id))
    claim = CLAIMS[id]
    assert all(holds(s) for s in in_symbols(FLINT, claim, claim.every_size[0]))  # type: ignore[arg-type]
    assert isinstance(all_sizes.checked(claim, proof_of(claim, false)), Stale)


# Witnesses.

WITNESS, COLLISION = "ssd.remark4.1-ssd-x", "gd-ssm.prop4+needs-vanishing"


@pytest.mark.long
@pytest.mark.parametrize("id", [WITNESS, COLLISION])
def test_a_witness_that_is_left_out_is_missed(id: str):
    found = all_sizes.find(CLAIMS[id])
    assert not isinstance(found, str)
    assert isinstance(all_sizes.checked(CLAIMS[id], found.certificate), Proof)
    assert "does not show all" in str(all_sizes.checked(CLAIMS[id], proof_of(CLAIMS[id], None)))


@pytest.mark.long
@pytest.mark.parametrize("id", [WITNESS, COLLISION])
def test_a_witness_that_stands_twice_is_refused(id: str):
    found = all_sizes.find(CLAIMS[id])
    assert not isinstance(found, str)
    twice = replace(found.certificate, witnesses=found.certificate.witnesses * 2)
    assert isinstance(all_sizes.checked(CLAIMS[id], twice), str)


# What is divided by.


@pytest.mark.long
def test_a_lemma_that_holds_nowhere_does_not_make_a_denominator_one_that_is_never_0():
    """1/T[t] = 0 for every t, and every e with 0 ≤ e < 0: so it says nothing of 1/T."""
    body = lambda x, y: equal(itself(x) + 0 * (1 / (y * y + y)), x)  # noqa: E731
    one = claim(body, {"x": "n", "y": "n"})
    proved = all_sizes.find(one)
    assert not isinstance(proved, str) and proved.certificate.trace is not None
    trace = copy(proved.certificate.trace)
    assert "no denominator is 0" in _assumed(one, trace)
    (place,) = [k for k, line in enumerate(trace["theorems"]) if line[0] == "congruence"]
    name = trace["theorems"][place][1][0]
    size = next(s[0] for s in trace["problem"]["sizes"] if s[1] == "n")
    n = 1 + max(p[0] for p in trace["declared"]["positions"] + trace["problem"]["positions"])
    length = [0, [[size, 1]]]
    trace["declared"]["positions"] += [
        [n, "t", [0, []], length],
        [n + 1, "t", [0, []], [-1, [[size, 1]]]],
        [n + 2, "e", [0, []], [0, []]],
    ]
    claims = [[[name, [[0, [[n, 1]]]]], [[size, n, n + 2], []]]]
    gone = [["regroup", 0, []]]
    changed = copy(trace)
    changed["theorems"][place] = [
        "induction",
        [0, [[n, 1]]],
        [0, [[n + 1, 1]]],
        claims,
        [[gone, gone]],
    ]
    found = all_sizes.checked(one, proof_of(one, changed))
    assert isinstance(found, str) or "no denominator is 0" in found.evidence[0]["assumes"]


@pytest.mark.long
def test_what_vanishes_with_its_denominator_is_divided_by_all_the_same():
    """The statements no longer speak of 1/(y² + y); a file must not say that it is 1/n instead."""
    body = lambda x, y: equal(itself(x) + 0 * (1 / (y * y + y)), x)  # noqa: E731
    one = claim(body, {"x": "n", "y": ""})
    found = all_sizes.find(one)
    assert not isinstance(found, str) and found.certificate.trace is not None
    trace = copy(found.certificate.trace)
    assert _assumed(one, trace) == ["no denominator is 0"]
    ((name, order),) = trace["problem"]["places"]
    number = ["1", 0, [], [["#", [[0, [[1, 1]]]]]]]
    own = copy(trace)
    own["problem"]["places"] = []
    own["problem"]["functions"] = []
    own["declared"]["functions"] = [[name, "1/", 0, [number]]]
    own["theorems"] = [["congruence", [name, order], []], trace["theorems"][-1]]
    assert check(own).statements  # it is a proof, of another problem
    assert isinstance(all_sizes.checked(one, proof_of(one, own)), Stale)
    other = {**copy(trace), "declared": own["declared"]}
    assert "not a new name" in str(all_sizes.checked(one, proof_of(one, other)))


@definition
def itself(x: Any) -> Any:
    return x


def _assumed(claim: Any, trace: Any) -> list[str]:
    found = all_sizes.checked(claim, proof_of(claim, trace))
    assert isinstance(found, Proof)
    return found.evidence[0]["assumes"]


@pytest.mark.short("ssd.eq3", "ch9.thm9.1-rescale+sign")
@pytest.mark.parametrize("id", VARIED)
def test_no_list_of_a_proof_may_be_longer_than_its_kind_says(id: str):
    for kind in {kind for kind, _ in _lists(real(id))}:
        trace = real(id)
        next(each for other, each in _lists(trace) if other == kind).append(None)
        with pytest.raises(Refused):
            check(trace)


def _lists(value: Any, kind: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], list[Any]]]:
    """The lists in a proof, each with the words that lead to it, and with its length."""
    if type(value) is dict:
        for name, inner in value.items():
            yield from _lists(inner, (*kind, name))
    elif type(value) is list:
        kind += tuple(word for word in value[:1] if type(word) is str and len(word) > 3)
        yield (*kind, len(value)), value
        for inner in value:
            yield from _lists(inner, kind)


# At random.


@pytest.mark.long
def test_changed_proofs_are_refused_or_show_the_same():
    assert certificates.batch("a few", 600) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_two_thousand_changed_proofs_are_refused_or_show_the_same(seed: int):
    (answer,) = workers.run([partial(certificates.batch, str(seed), 1000)], time_limit=1200)
    assert answer.value == []
