"""What is told of a claim beside its verdict: the functions that ran, and that it says nothing."""

import json
from pathlib import Path

import jsonschema
import pytest
from command_line import Run, Write

from scanproof import Layer, Source, definition, equal, iterate
from scanproof.proofs import report as reports
from scanproof.proofs.decide import substance as looking
from scanproof.proofs.decide.budget import Stopped
from scanproof.proofs.decide.substance import substance, told
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.report.words import one_line

SCHEMA = json.loads(Path(reports.__path__[0], "report.schema.json").read_text("utf-8"))
HERE = Path(__file__).name
VECTORS = {"u": "n", "v": "n"}


def twice(x):
    return x + x


@definition
def marked(x):
    return twice(x)


def claim(body, given=VECTORS, **fields):
    return Claim("s.c", "s", "", "identity", "says", body, given, **fields)


def vacuous(body, given=VECTORS, **fields):
    return substance(claim(body, given, **fields)).vacuous


def decided(body):
    stated = claim(body)
    return told(stated, decide(stated, ENGINES["flint"]))


def line(function) -> str:
    return f"{HERE}:{function.__code__.co_firstlineno}"


def test_a_claim_that_calls_no_function_is_decided_and_its_body_is_what_ran():
    body = lambda u, v: equal(u + v, v + u)  # noqa: E731
    result = decided(body)
    assert (result.verdict, result.definitions) == ("proved", [line(body)])
    assert result.vacuous == ""


def test_functions_of_the_user_are_told_whether_or_not_they_are_marked():
    body = lambda u, v: equal(marked(u), 2 * u)  # noqa: E731
    result = decided(body)
    assert result.definitions == sorted({line(twice), line(marked.__wrapped__)})


def test_an_unmarked_definition_refutes_as_a_marked_one_does():
    result = decided(lambda u, v: equal(twice(u), 3 * u))
    assert (result.verdict, result.definitions) == ("refuted", [line(twice)])


def by_names(u, v):
    left = twice(u)
    other = left + v
    return equal(other, twice(u) + v)


def rebound(u, v):
    left = twice(u)
    u = u + v
    return equal(left, twice(u))


def renamed(u, v):
    v = twice(u)
    return equal(v, twice(u))


def in_a_loop(u, v):
    for _ in range(2):
        yield equal(twice(u), twice(u), "turn")


def row_by_row(u, v, n, xp):
    left = []
    right = []
    for i in range(int(n)):
        left.append(u[i] + v[i])
        right.append(v[i] + u[i])
    return equal(xp.stack(left), xp.stack(right))


def filled(u, v, xp):
    left = [xp.ones(()), u[0]]
    right = [xp.ones(()), u[0]]
    left[0] = v[0]
    return equal(xp.stack(left), xp.stack(right))


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (row_by_row, ""),
        (filled, ""),
        (lambda u, v: equal(twice(u), twice(u)), "twice(u)"),
        (by_names, "twice(u) + v"),
        (in_a_loop, "twice(u)"),
        (lambda u, v: equal(twice(u), u + u), ""),
        (lambda u, v: twice(equal(u, u).left) is not None and equal(u + v, v + u), "u"),
        (rebound, ""),
        (renamed, ""),
    ],
)
def test_an_expression_that_is_compared_with_itself_is_told(body, told):
    found = vacuous(body)
    assert found == (f"it compares an expression with itself, {told}" if told else "")


@pytest.mark.parametrize(
    ("body", "says_nothing"),
    [
        (lambda u, v, xp: equal(xp.ones((2,)) * 2, xp.ones((2,)) + 1), True),
        (lambda u, v: equal(0 * u, 0 * v), True),
        (lambda u, v: equal(u - u, 0 * u), False),
        (lambda u, v, n: equal(iterate(twice, u, n - 1) * (n - 1), u * (n - 1)), False),
        (lambda u, v, n: equal(0 * u, 0 * (u if n < 2 else u.no_such_thing)), False),
    ],
)
def test_sides_in_which_no_input_stands_at_any_size_are_told(body, says_nothing):
    assert vacuous(body) == ("neither side depends on u, v" if says_nothing else "")


def test_a_limit_that_is_hit_while_the_body_is_looked_at_costs_no_verdict(monkeypatch):
    def out_of_time(claim):
        raise Stopped

    stated = claim(lambda u, v: equal(u + v, v + u))
    result = decide(stated, ENGINES["flint"])
    monkeypatch.setattr(looking, "substance", out_of_time)
    assert told(stated, result).verdict == "proved"


def test_a_claim_about_numbers_has_no_inputs_to_depend_on():
    assert vacuous(lambda xp: equal(xp.ones((2,)) * 2, xp.ones((2,)) + 1), given={}) == ""


def test_a_law_of_a_layer_that_does_nothing_is_no_comparison_with_itself():
    layer = Layer(lambda _, state, token: (state, token), state="d", token="d")
    source = Source("s", title="S")
    row = source.law("s.padding", layer.ignores(0))
    assert decide(row.claim, ENGINES["flint"]).verdict == "proved"
    assert substance(row.claim).vacuous == ""


def test_what_cannot_be_recorded_is_not_called_vacuous():
    def body(u, v):
        raise ValueError("not on these arrays")

    assert substance(claim(body)).vacuous == ""


@pytest.mark.long
def test_the_verdict_stands_and_the_table_says_that_the_claim_says_nothing(run: Run, write: Write):
    file = write(
        """
        @paper.claim("mine.itself", says="a sum is itself", given={{"x": "N"}})
        def itself(x):
            return equal(total(x), total(x))
        """
    )
    answer = run("check", file, "--also", "json=report.json")
    assert answer.code == 0
    told = "it compares an expression with itself, total(x)"
    assert f"says nothing: {told}" in one_line(answer.out)
    assert "scanproof show mine.py mine.itself proved" in one_line(answer.out)
    report = json.loads(Path("report.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(report)
    assert report["claims"][0]["as_stated"]["vacuous"] == told


@pytest.mark.long
def test_show_says_that_nothing_but_the_body_ran(run: Run, write: Write):
    file = write(
        """
        @paper.claim("mine.plain", says="addition commutes", given={{"x": "N", "y": "N"}})
        def plain(x, y):
            return equal(x + y, y + x)
        """,
        """
        from scanproof import Layer

        layer = Layer(lambda _, s, x: (s + x, s), state="d", token="d")
        paper.law("mine.law", layer.ignores(0))
        """,
    )
    said = "the claim's body, and no function that it calls"
    assert said in run("show", "mine.plain", file).out
    assert said not in run("show", "mine.law", file).out
