"""Statements about some inputs at every size: what is shown by a family of inputs, and that nothing false is."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.ranges import each
from scanproof.proofs import report
from scanproof.proofs.check import all_sizes
from scanproof.proofs.check.all_sizes import Proof
from scanproof.proofs.check.families import EVERY, FIRST, LAST, SAME, Pattern, patterns
from scanproof.proofs.check.formulas import hash_of
from scanproof.proofs.check.instances.at_point import difference_index, statements_at
from scanproof.proofs.check.witness_family import Witness
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.interpret.evaluate import Evaluator, positions
from scanproof.proofs.interpret.session import session
from scanproof.proofs.kernel.index import size
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import (
    AtMost,
    Differs,
    Undetermined,
    at_most,
    determines,
    differs,
    equal,
    undetermined,
)
from scanproof.proofs.search.all_sizes import Found, find, prove
from scanproof.proofs.search.proving import proving

CLAIMS = {c.id: c for row in built_in().rows for c in (row.claim, *row.amendments)}
NAMED = (Differs, Undetermined, AtMost)


def claim_of(body, given, **fields) -> Claim:
    source = Source("p", title="P")
    return source.claim("p.a", says="", given=given, **fields)(body).claim


def proved(body, given, **fields) -> bool:
    return isinstance(prove(claim_of(body, given, **fields)), Proof)


@definition
def squared(x):
    return x * x


@definition
def exponential(x):
    return namespace(x).exp(x)


@definition
def count(x):
    return namespace(x).ones(x.shape).sum()


# Sides that differ.


@pytest.mark.long
def test_a_true_difference_is_proved_and_its_inputs_are_named():
    claim = claim_of(lambda u, v: differs(squared(u + v), u * u + v * v), {"u": "n", "v": "n"})
    result = decide(claim, ENGINES["kernel"])
    assert (result.verdict, result.scope) == ("proved", "all-sizes")
    entry, tried = result.evidence
    assert tried["method"] == "property-test"
    assert (entry["method"], entry["scope"], entry["sizes"]) == ("witness", "all-sizes", None)
    assert set(entry["inputs"]) == {"u", "v"}


@pytest.mark.long
def test_equations_beside_it_are_proved_with_symbols():
    def body(u, v):
        yield equal(squared(u + v), u * u + 2 * u * v + v * v)
        yield differs(squared(u + v), u * u + v * v)

    proof = prove(claim_of(body, {"u": "n", "v": "n"}))
    assert isinstance(proof, Proof)
    assert [entry["method"] for entry in proof.entries()] == ["normal-form", "witness"]

    def false_beside(u, v):
        yield equal(squared(u + v), u * u + v * v)
        yield differs(squared(u + v), u * u + v * v)

    assert not proved(false_beside, {"u": "n", "v": "n"})


@pytest.mark.long
@pytest.mark.parametrize(
    "body",
    [
        lambda u: differs(squared(u), u * u),
        lambda u: differs((squared(u)).sum(), u @ u),
        lambda u, n: differs(squared(u) * n / n, u * u),
        lambda u: differs(squared(u)[:1], u[:1] * u[:1]),
    ],
)
def test_sides_that_are_the_same_are_never_shown_to_differ(body):
    assert not proved(body, {"u": "n"})


@pytest.mark.long
@pytest.mark.parametrize(
    "body",
    [
        lambda u, n: differs((n - 1) * squared(u), 0 * u),
        lambda u, n: differs((n - 2) * squared(u), 0 * u),
        lambda u, n: differs((n - 7) * squared(u), 0 * u),  # 7 is beyond all that is tried
        lambda u: differs(squared(u).sum(), squared(u[0])),
        lambda u: differs(squared(u)[-1] - squared(u)[0], 0),
    ],
)
def test_sides_that_agree_at_one_size_are_not_shown_to_differ_at_every_size(body):
    assert not proved(body, {"u": "n"}, sizes={"n": (1, 2, 3)})


@pytest.mark.parametrize(
    "body",
    [
        lambda u: differs(squared(u).sum(), squared(u[0])),
        lambda u: differs(squared(u)[-1] - squared(u)[0], 0),
        lambda u, n: differs((n - 1) * squared(u), 0 * u),
    ],
)
def test_they_are_from_the_size_on_at_which_they_do(body):
    assert proved(body, {"u": "n"}, sizes={"n": (2, 3)})


@pytest.mark.long
def test_what_is_divided_by_is_not_0_at_the_inputs_found():
    assert proved(lambda u, n: differs(squared(u) / n, u), {"u": "n"})
    assert not proved(lambda u: differs(squared(u) / u, u), {"u": "n"})
    assert not proved(lambda u: differs(u / squared(u[0] - u[-1]), u + 1), {"u": "n"})


def test_a_denominator_that_is_0_at_a_size_that_is_not_tried():
    def body(u):
        hole = count(u) * count(u) - 100  # the same in both readings, of symbols and of numbers
        return differs(squared(u), u + 1 + (u - u + 1) / hole - 1 / hole)

    assert not proved(body, {"u": "n"})


@pytest.mark.long
def test_sums_of_exp_may_be_divided_by_and_at_0_no_axiom_is_needed():
    def body(u):
        e = exponential(u)
        return differs(e / e.sum(), 2 * e / e.sum())

    proof = prove(claim_of(body, {"u": "n"}))
    assert isinstance(proof, Proof)
    (entry,) = proof.entries()
    assert (entry["inputs"], entry["axioms"]) == ({"u": "0"}, [])  # exp(0) = 1

    def difference(u):
        e = exponential(u)
        return differs(1 / (e[0] - e[-1]), 0)

    assert not proved(difference, {"u": "n"}, sizes={"n": (2, 3)})


def test_side_conditions_are_met_or_there_is_no_proof():
    body = lambda u, beta: differs(beta * squared(u), beta * u)  # noqa: E731
    given = {"u": "n", "beta": ""}
    proof = prove(claim_of(body, given, assuming={"β < 0": lambda beta: beta < 0}))
    assert isinstance(proof, Proof)
    assert proof.entries()[0]["inputs"]["beta"] == "-1"
    assert not proved(body, given, assuming={"β > 5": lambda beta: beta > 5})
    found = prove(claim_of(body, given, assuming={"u > 0": lambda u: (u > 0).all()}))
    assert isinstance(found, str)
    assert "u > 0" in found
    growing = {"β ≥ n": lambda beta, n: beta >= n}  # met at the sizes tried, and at no others
    assert not proved(body, given, sizes={"n": (1,)}, assuming=growing)


@pytest.mark.long
def test_a_loop_differs_at_every_turn_and_has_one():
    def every(u, n):
        for i in each(0, n - 1):
            yield differs(squared(u[i]), u[i])

    def some(u, n):
        yield equal(squared(u), u * u)
        for i in each(1, n - 1):
            yield differs(squared(u[i]), u[i])

    def all_but_the_first(u, n):
        for i in each(0, n - 1):
            yield differs(i * squared(u[i]), i * u[i])

    assert proved(every, {"u": "n"})
    assert not proved(some, {"u": "n"})
    assert proved(some, {"u": "n"}, sizes={"n": (2, 3)})
    assert not proved(all_but_the_first, {"u": "n"})


@pytest.mark.long
def test_a_factor_of_sizes_is_found():
    def body(u, n):
        grown = (n + 1) * squared(u).sum()
        return differs((n + 1) * grown / n / n / n, 0)

    proof = prove(claim_of(body, {"u": "n"}))
    assert isinstance(proof, Proof)


# A statistic that does not determine a value.


def test_two_inputs_with_one_statistic_and_two_values():
    def body(u):
        return undetermined(squared(u).sum(), u.sum())

    proof = prove(claim_of(body, {"u": "n"}))
    assert isinstance(proof, Proof)
    assert set(proof.entries()[0]["inputs"]) == {"first", "second"}
    assert not proved(lambda u: undetermined(u, squared(u)), {"u": "n"})
    assert not proved(lambda u: undetermined(squared(u).sum(), 2 * (u @ u)), {"u": "n"})


@pytest.mark.long
def test_what_is_shared_is_the_same_in_both():
    body = lambda u, v: undetermined(squared(u), v * u, shared=("v",))  # noqa: E731
    proof = prove(claim_of(body, {"u": "n", "v": "n"}))
    assert isinstance(proof, Proof)
    inputs = proof.entries()[0]["inputs"]
    assert inputs["first"]["v"] == inputs["second"]["v"]
    same = lambda u, v: undetermined(squared(u), v, shared=("v",))  # noqa: E731
    assert not proved(same, {"u": "n", "v": "n"})


@pytest.mark.long
def test_a_collision_from_two_numbers_on_is_none_at_one():
    body = lambda u: undetermined(squared(u).sum(), squared(u[0]))  # noqa: E731
    assert not proved(body, {"u": "n"})
    assert not proved(lambda u: undetermined(u[0], u.sum()), {"u": "n"})
    assert proved(
        lambda u: undetermined(u[0] + 0 * squared(u[0]), u.sum()), {"u": "n"}, sizes={"n": (2, 3)}
    )


# Bounds between numbers.


@pytest.mark.parametrize(
    ("bound", "least", "holds"),
    [
        (lambda x, n: at_most(count(x), 2 * count(x)), 0, True),
        (lambda x, n: at_most(2 * count(x) + 15, 17 * count(x)), 1, True),
        (lambda x, n: at_most(2 * count(x) + 15, 17 * count(x)), 0, False),
        (lambda x, n: at_most(count(x), count(x) - 1), 1, False),
        (lambda x, n: at_most(100 * count(x), count(x) * count(x)), 100, True),
        (lambda x, n: at_most(100 * count(x), count(x) * count(x)), 99, False),
        (lambda x, n: at_most(x.sum() - x.sum(), count(x)), 1, True),
        (lambda x, n: at_most(x.sum(), count(x) + x.sum() * x.sum()), 1, False),
    ],
)
def test_bounds_between_polynomials_in_sizes(bound, least, holds):
    assert proved(bound, {"x": "n"}, sizes={"n": (least,)}) == holds


# Families.


@pytest.mark.short(4)
@pytest.mark.parametrize("axes", [0, 1, 2, 3])
def test_a_pattern_is_the_same_in_numbers_and_in_symbols(axes):
    for pattern in patterns(axes):
        with proving():
            lengths = [size(name, 1) for name in "nmk"[:axes]]
            read = pattern.terms(lengths)
            for dims in np.ndindex(*(3,) * axes):
                dims = tuple(d + 1 for d in dims)
                place = {e.terms[0][0]: d for e, d in zip(lengths, dims, strict=True)}
                spots = [e.terms[0][0] for e in read.at]
                numbers = pattern.numbers(dims)
                evaluator = Evaluator(lambda *_: Fraction(0))
                for at in positions(spots, place):
                    index = tuple(at[v] for v in spots)
                    assert evaluator.value(read.term, at) == numbers[index], (str(pattern), dims)


def test_patterns_in_words():
    assert str(Pattern(Fraction(0), (EVERY, EVERY))) == "0"
    assert str(Pattern(Fraction(-1), (EVERY, FIRST))) == "-1 at [:, 0], 0 elsewhere"
    assert str(Pattern(Fraction(1), (EVERY, SAME))) == "1 at [i, i], 0 elsewhere"
    assert str(Pattern(Fraction(2), (LAST,))) == "2 at [-1], 0 elsewhere"
    assert str(Pattern(Fraction(1, 2), ())) == "1/2"


# The rows.

ROWS = (
    "gd-ssm.prop4+needs-vanishing",
    "gril.eq5-z0+separate",
    "gril.a4-inexact",
    "gril.eq11+any-labels",
    "gril.w3-minimal-gd",
    "gril.params",
    "ssd.remark4.1-ssd-x",
    "ssd.thm5.2-eq12+P_Y",
    "ch9.integral",
    "ch9.span",
)


@pytest.mark.long
@pytest.mark.parametrize("id", ROWS)
def test_rows_that_say_more_than_equations_are_proved_for_all_sizes(id):
    proof = prove(CLAIMS[id])
    assert isinstance(proof, Proof), proof
    assert {entry["method"] for entry in proof.entries()} & {"witness", "bound-chain"}
    schema = json.loads((Path(report.__file__).parent / "report.schema.json").read_text())
    for entry in proof.entries():
        jsonschema.validate(entry, {**schema, **schema["$defs"]["evidence"]})


@pytest.mark.long
def test_the_inputs_found_do_it_at_sizes_that_were_not_tried():
    claim = CLAIMS["ssd.thm5.2-eq12+P_Y"]
    found = find(claim)
    assert isinstance(found, Found), found
    (witness,) = found.certificate.witnesses
    assert isinstance(witness, Witness)
    for sizes in ({"n": 6, "d": 4}, {"n": 5, "d": 1}, {"n": 1, "d": 5}):
        dims = {"x": (sizes["n"] + 1, sizes["d"]), "w": (sizes["d"],)}
        dims |= {"B": (sizes["d"],) * 2, "a": (sizes["n"] + 1,)}
        point = {name: witness.families[0][name].numbers(dims[name]) for name in claim.given}
        statements = statements_at(claim, sizes, point)
        assert statements is not None
        (statement,) = statements
        assert difference_index(statement) is not None


# What stands before the inputs, and what inputs have to meet.


def scaled(x, eta):
    return eta * squared(x)


def test_inputs_of_a_proof_must_meet_the_conditions_on_numbers():
    """At η = 0 nothing differs: a proof with η = 1, of the claim without the condition, is refused."""

    def body(x, eta):
        return differs(scaled(x, eta), 0 * x)

    given = {"x": "N", "eta": ""}
    found = find(claim_of(body, given))
    assert isinstance(found, Found)
    conditioned = claim_of(body, given, assuming={"η = 0": lambda eta: eta == 0})
    other = replace(found.certificate, statement=hash_of(conditioned))
    refused = all_sizes.check(conditioned, other, session)
    assert isinstance(refused, str) and "do not meet the claim's conditions" in refused
    assert isinstance(all_sizes.check(claim_of(body, given), found.certificate, session), Proof)


EXISTENCE = {"kind": "existence", "fixed": ("eta",), "parameters": lambda eta: eta}


@pytest.mark.long
@pytest.mark.parametrize(
    "body",
    [
        lambda x, p: undetermined(squared(x).sum() * 0, p + squared(x).sum() * 0),
        lambda x, p: differs(p * squared(x), 0 * x),
    ],
    ids=["no map", "differs"],
)
def test_one_value_of_a_symbol_does_not_show_what_is_said_for_every_value(body):
    claim = claim_of(body, {"x": "N", "eta": ""}, **EXISTENCE)
    assert decide(claim, ENGINES["all"]).verdict == "unknown"


@pytest.mark.long
def test_two_inputs_share_the_symbols_that_are_fixed_before_them():
    """For every η there is a map to η, the constant one."""

    def body(x, eta):
        return determines(squared(x), eta + 0 * squared(x).sum())

    claim = claim_of(body, {"x": "N", "eta": ""}, kind="existence", fixed=("eta",))
    assert decide(claim, ENGINES["all"]).verdict != "refuted"


def test_an_existence_claim_whose_body_asks_for_no_parameters_is_not_proved():
    def body(x, eta):
        return equal(squared(x), x * x)

    claim = claim_of(body, {"x": "N", "eta": ""}, **EXISTENCE)
    found = decide(claim, ENGINES["all"])
    assert found.verdict == "unknown" and "parameters that the body itself makes" in str(
        found.reason
    )
