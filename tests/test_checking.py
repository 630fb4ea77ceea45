"""Certificates: each kind is written and read again, and one that was tampered with shows nothing."""

import json
import random
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import claims
import pytest
from claims import VECTORS, inner

from scanproof.constructs.learners.losses import sigmoid
from scanproof.proofs.check import certificates
from scanproof.proofs.check.certificate import (
    AllSizes,
    Argument,
    Collision,
    Counterexample,
    FixedSizes,
    Limits,
    Met,
    Refutation,
    Unsettled,
    Witness,
)
from scanproof.proofs.check.certificate_file import FORMAT, written
from scanproof.proofs.check.certificate_file import read as read_file
from scanproof.proofs.decide.find import find
from scanproof.proofs.exact.engines import ENGINES, FIXED
from scanproof.proofs.kernel.files import Unusable
from scanproof.proofs.language.statements import (
    approached,
    at_most,
    determines,
    differs,
    equal,
    undetermined,
)
from scanproof.proofs.refute.near_misses import near_misses
from scanproof.proofs.search.proving import proving

check = partial(certificates.check, session=proving)


def claim(id, body, given, **fields) -> Any:
    return claims.claim(body, given, id, **fields)


TRUE = claim("true", lambda u, v: equal(inner(u, v), inner(v, u)), VECTORS)
FALSE = claim("false", lambda u, v: equal(inner(u, v), -inner(v, u)), VECTORS)
LARGE = claim(
    "large", lambda u, v, n: equal(inner(u, v), (2 if n > 2 else 1) * inner(v, u)), VECTORS
)
BOUND = claim("bound", lambda u, v: at_most(inner(u, v), 1), VECTORS)
SAME = claim("same", lambda u, v: differs(inner(u, v), inner(v, u)), VECTORS)
APART = claim("apart", lambda u, v: differs(inner(u, v), inner(v, v)), VECTORS)
MAP = claim("map", lambda u, v: determines(inner(u, v), inner(u, u)), VECTORS)
NO_MAP = claim("no-map", lambda u, v: undetermined(inner(u, v), inner(u, u)), VECTORS)
EXP = claim("exp", lambda z: equal(sigmoid(z) + sigmoid(-z), 1 + 0 * z), {"z": "n"})
ABOVE = {"u·v > 2": lambda u, v: (u @ v) > 2}
CONDITIONED = claim(
    "above",
    lambda u, v: equal(inner(u, v), inner(v, u)),
    VECTORS,
    assuming=ABOVE,
    sizes={"n": (1, 2)},
)
UNDER = claim("under", lambda u, v: at_most(inner(u, v), 1), VECTORS, assuming=ABOVE)


def no_limit(facts):
    raise NotImplementedError


NEAR = claim(
    "near",
    lambda a, eta: approached({}, numbers=["eta"], data=[], refutation=no_limit),
    {"a": "", "eta": ""},
    kind="existence",
    over_all_parameters=("a",),
)

EXPECTED = {
    TRUE: ("proved", {FixedSizes}),
    FALSE: ("refuted", Counterexample),
    LARGE: ("refuted", Counterexample),
    BOUND: ("refuted", Counterexample),
    SAME: ("refuted", Counterexample),
    APART: ("proved", {FixedSizes, Witness}),
    MAP: ("refuted", Collision),
    NO_MAP: ("proved", {FixedSizes, Collision}),
    EXP: ("proved", {FixedSizes}),
    CONDITIONED: ("proved", {FixedSizes, Met}),
    UNDER: ("refuted", Counterexample),
}
CLAIMS = list(EXPECTED)


def found(one) -> Any:
    return find(one, FIXED)


def read(text: str, claim: str | None = None) -> Any:
    """The certificate in a file of this text, of the claim that it says it is of."""
    own = str(json.loads(text)["claim"]) if claim is None else claim
    with NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        return read_file(Path(file.name), own)


@pytest.mark.long_cases("test.true", "test.apart", "test.no-map", "test.exp", "test.above")
@pytest.mark.parametrize("one", CLAIMS, ids=lambda c: c.id)
def test_what_is_found_is_data_and_settles_the_claim_when_it_is_read_again(one):
    certificate = found(one)
    verdict, kinds = EXPECTED[one]
    by = certificate.by
    assert ({type(way) for way in by} if isinstance(by, tuple) else type(by)) == kinds
    assert read(written(certificate)) == certificate
    again = check(one, read(written(certificate)))
    assert again.verdict == verdict
    assert again == check(one, certificate)


@pytest.mark.long
def test_a_function_that_only_larger_sizes_need_is_left_to_another_engine():
    def body(z, n):
        return equal(
            inner(z, z) + (sigmoid(z)[0] if n > 1 else 0), inner(z, z) + (n > 1) * sigmoid(z)[0]
        )

    result = check(later := claim("later", body, {"z": "n"}, sizes={"n": (1, 2)}), found(later))
    assert result.verdict == "proved"
    assert {e["engine"] for e in result.evidence} == {"sympy", "balls"}


@pytest.mark.long
def test_a_proof_for_all_sizes_is_written_and_read_again():
    certificate = find(TRUE, ENGINES["all"])
    assert isinstance(certificate, Argument) and isinstance(certificate.by[-1], AllSizes)
    assert read(written(certificate)) == certificate
    assert check(TRUE, certificate).scope == "all-sizes"


def test_why_nothing_was_found_is_told_and_is_nothing_that_a_file_may_say():
    certificate = Unsettled(TRUE.id, "no engine ran\nand no point was tried")
    assert check(TRUE, certificate).reason == certificate.why
    text = {"format": FORMAT, "is": "unsettled", "claim": TRUE.id, "why": certificate.why}
    with pytest.raises(Unusable, match="expected one of refutation, argument"):
        read(json.dumps(text))


def test_limits_are_written_and_read_again():
    certificate = Refutation(NEAR.id, Limits((("n", 2),), 0), ())
    assert read(written(certificate)) == certificate


def at(n):
    return (("n", n),)


def inputs(u, v):
    return (("u", u), ("v", v))


def refutation(one, by, *near_misses) -> Refutation:
    return Refutation(one.id, by, near_misses)


def argument(one, *by) -> Argument:
    return Argument(one.id, by)


def fixed(*sizes, engine="flint") -> FixedSizes:
    return FixedSizes(engine, tuple(map(at, sizes)))


ONE, TWO = inputs(("1",), ("1",)), inputs(("2",), ("1",))
EVERY = fixed(1, 2, 3)
TAMPERED = {
    "a counterexample to a true claim": (TRUE, refutation(TRUE, Counterexample(at(1), 0, ONE))),
    "inputs at which the claim holds": (
        FALSE,
        refutation(FALSE, Counterexample(at(1), 0, inputs(("0",), ("1",)))),
    ),
    "inputs of another shape": (
        FALSE,
        refutation(FALSE, Counterexample(at(1), 0, inputs(("1", "1"), ("1",)))),
    ),
    "inputs without one symbol": (
        FALSE,
        refutation(FALSE, Counterexample(at(1), 0, (("u", ("1",)),))),
    ),
    "a symbol twice": (
        FALSE,
        refutation(FALSE, Counterexample(at(1), 0, (*ONE, ("u", ("1",))))),
    ),
    "a division by 0": (
        FALSE,
        refutation(FALSE, Counterexample(at(1), 0, inputs(("1/0",), ("1",)))),
    ),
    "another part": (FALSE, refutation(FALSE, Counterexample(at(1), 1, ONE))),
    "a part before the first": (FALSE, refutation(FALSE, Counterexample(at(1), -1, ONE))),
    "a size that the claim does not speak of": (
        FALSE,
        refutation(FALSE, Counterexample(at(0), 0, inputs((), ()))),
    ),
    "a size of another name": (FALSE, refutation(FALSE, Counterexample((("m", 1),), 0, ONE))),
    "inputs that do not meet the conditions": (
        UNDER,
        refutation(UNDER, Counterexample(at(1), 0, TWO)),
    ),
    "sides that differ somewhere": (APART, refutation(APART, Counterexample(at(1), 0, ONE))),
    "a near miss that does not hold": (
        FALSE,
        refutation(FALSE, Counterexample(at(1), 0, ONE), "right side × 2"),
    ),
    "a near miss that there is not": (
        FALSE,
        refutation(FALSE, Counterexample(at(1), 0, ONE), "left side × −1"),
    ),
    "a collision of other statistics": (
        MAP,
        refutation(MAP, Collision(at(1), 0, inputs(("1",), ("1",)), inputs(("2",), ("1",)))),
    ),
    "a collision of the same value": (
        MAP,
        refutation(MAP, Collision(at(1), 0, inputs(("1",), ("0",)), inputs(("-1",), ("0",)))),
    ),
    "a collision where there is said to be no map": (
        NO_MAP,
        refutation(NO_MAP, Collision(at(1), 0, inputs(("1",), ("0",)), inputs(("2",), ("0",)))),
    ),
    "a collision about an equation": (FALSE, refutation(FALSE, Collision(at(1), 0, ONE, ONE))),
    "limits of a claim that nothing comes near": (TRUE, refutation(TRUE, Limits(at(1), 0))),
    "identities at sizes at which a claim still holds": (LARGE, argument(LARGE, fixed(1, 2))),
    "identities of a false claim": (FALSE, argument(FALSE, EVERY)),
    "identities of a claim that fails at the last size": (LARGE, argument(LARGE, EVERY)),
    "identities at no sizes": (TRUE, argument(TRUE, fixed())),
    "identities at some sizes": (TRUE, argument(TRUE, fixed(1))),
    "identities at sizes that are not listed": (TRUE, argument(TRUE, fixed(1, 2, 3, 4))),
    "an engine that there is not": (TRUE, argument(TRUE, fixed(1, 2, 3, engine="kernel"))),
    "an engine without exp": (EXP, argument(EXP, EVERY)),
    "an identity where two sides are said to differ": (APART, argument(APART, EVERY)),
    "a witness at one size of three": (APART, argument(APART, EVERY, Witness(at(1), 0, TWO))),
    "a map that is said to be one": (MAP, argument(MAP, EVERY)),
    "no map without two inputs": (NO_MAP, argument(NO_MAP, EVERY)),
    "a bound at fixed sizes": (BOUND, argument(BOUND, EVERY)),
    "conditions that nothing meets": (CONDITIONED, argument(CONDITIONED, fixed(1, 2))),
    "conditions that these inputs do not meet": (
        CONDITIONED,
        argument(CONDITIONED, fixed(1, 2), Met(at(1), TWO)),
    ),
    "nothing at all": (TRUE, argument(TRUE)),
    "a proof that is none": (TRUE, argument(TRUE, AllSizes({"believe": "me"}))),
    "inputs for nothing": (TRUE, argument(TRUE, EVERY, Witness(at(1), 0, TWO))),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_tampered_certificate_shows_nothing(name):
    one, certificate = TAMPERED[name]
    result = check(one, certificate)
    assert result.verdict == "unknown"
    assert result.reason


@pytest.mark.parametrize("one", CLAIMS, ids=lambda c: c.id)
def test_a_certificate_of_another_claim_shows_nothing(one):
    certificate = found(one)
    assert check(replace(one, id="test.other"), certificate).verdict == "unknown"
    others = [c for c in CLAIMS if c is not one and EXPECTED[c][0] != EXPECTED[one][0]]
    for other in others:  # even if it says that it is one of the other
        assert check(other, replace(certificate, claim=other.id)).verdict in (
            "unknown",
            EXPECTED[other][0],
        )


def test_near_misses_are_checked_before_they_are_told():
    certificate = found(FALSE)
    assert certificate.near_misses == ("right side × −1",)
    assert check(FALSE, certificate).near_misses == ["right side × −1"]


def test_a_near_miss_holds_where_the_claim_fails():
    """At the one size that is chosen, × n changes nothing."""
    one = claim("first", lambda u, v: equal(u.sum(), u[0]), VECTORS, sizes={"n": (1,)})
    assert near_misses(one, {"n": 2}) == ()
    by = Counterexample(at(2), 0, inputs(("1", "1"), ("1", "1")))
    assert check(one, refutation(one, by)).verdict == "refuted"
    assert check(one, refutation(one, by, "right side × n")).verdict == "unknown"


DAMAGED = {
    "nothing": "",
    "no JSON": "{'claim': 1}",
    "a list": "[]",
    "another schema": '{"format": "scanproof.certificate/1", "is": "unsettled", "claim": "a", "why": ""}',
    "no kind": '{"format": "scanproof.certificate/2", "claim": "a", "why": ""}',
    "a kind that is a list": '{"format": "scanproof.certificate/2", "is": [], "claim": "a"}',
    "a part alone": '{"format": "scanproof.certificate/2", "is": "met", "sizes": {}, "inputs": {}}',
    "a name twice": '{"format": "scanproof.certificate/2", "is": "unsettled", "claim": "a", "claim": "b", "why": ""}',
    "a name too many": (
        '{"format": "scanproof.certificate/2", "is": "unsettled", "claim": "a", "why": "", "verdict": 1}'
    ),
    "depth": "[" * 100_000,
    "length": " " * 2**26,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_text_that_is_no_certificate_raises_one_clear_error(name):
    with pytest.raises(Unusable) as caught:
        read(DAMAGED[name], "a")
    assert "\n" not in str(caught.value)


WRONG: dict[str, list[Any]] = {
    "sizes": [[], {"n": "1"}, {"n": 1.0}, {"n": True}, {"n": -1}, {"n": 10**30}, {"n": None}],
    "part": ["0", -1, 0.0, True, 10**30],
    "inputs": [None, {"u": 1}, {"u": "1.5"}, {"u": "x"}, {"u": "1" * 500}, {"u": [[["1"] * 2, 1]]}],
}


@pytest.mark.parametrize("field", WRONG)
def test_fields_are_read_strictly(field):
    text = json.loads(written(found(FALSE)))
    for value in WRONG[field]:
        with pytest.raises(Unusable):
            read(json.dumps({**text, "by": {**text["by"], field: value}}))


@pytest.mark.parametrize("places", [["x"], [":", "1"], ["i"], ["i", ":"], ["0", "i"], [":", 0]])
def test_a_witness_of_all_sizes_has_its_entries_at_places_that_are_known(places):
    file = Path(certificates.__file__).parents[1] / "claims/ch9/certificates/ch9.span.json"
    text = json.loads(file.read_text("utf-8"))
    (family,) = [one["witnesses"][0]["inputs"] for one in text["by"] if "witnesses" in one]
    assert read(json.dumps(text))
    family["x"] = ["1", *places]
    with pytest.raises(Unusable, match="places, of which only the second"):
        read(json.dumps(text))


@pytest.mark.parametrize("powers", [[10], [-10], [0, True], ["1"]])
def test_a_difference_of_all_sizes_has_powers_from_minus_9_to_9(powers):
    file = Path(certificates.__file__).parents[1] / "claims/gril/certificates/gril.a4-inexact.json"
    text = json.loads(file.read_text("utf-8"))
    (gap,) = [one["witnesses"][0]["gap"] for one in text["by"] if "witnesses" in one]
    for power in (9, -9):
        gap[1] = [power]
        assert read(json.dumps(text))
    gap[1] = powers
    with pytest.raises(Unusable, match="powers from -9 to 9"):
        read(json.dumps(text))


def _changed(value: Any, rng: random.Random) -> Any:
    """JSON with one thing in it changed."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(sorted(value))
        return {**value, key: _changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        place = rng.randrange(len(value))
        kept = [*value[:place], _changed(value[place], rng), *value[place + 1 :]]
        return rng.choice([kept, kept, kept, value[1:], [*value, value[0]]])
    if isinstance(value, int):
        return rng.choice([0, 1, 2, 3, 4, 7, "1"])
    return rng.choice(
        [value, "0", "1", "-1", "5/2", [], {}, "sympy", str(Fraction(rng.randint(0, 9), 7))]
    )


@pytest.mark.long
@pytest.mark.parametrize("one", CLAIMS, ids=lambda c: c.id)
def test_no_change_of_a_certificate_turns_the_verdict_around(one):
    """A true claim is never refuted, a false one never proved, whatever is written down."""
    rng = random.Random(one.id)
    text = json.loads(written(found(one)))
    verdicts = {EXPECTED[one][0], "unknown"}
    for _ in range(60):
        try:
            certificate = read(json.dumps(_changed(text, rng)), one.id)
        except Unusable:
            continue
        assert check(one, certificate).verdict in verdicts
