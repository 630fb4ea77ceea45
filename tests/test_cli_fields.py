"""Fields of a claim with a slip in them: refused when the claim is written down, in one line that says what to do."""

from typing import Any

import pytest
from command_line import Run, Write, one_line

from scanproof import Source, UsageError, equal
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.language.fields import ID

PRINTED: dict[str, Any] = {"says": "x = x", "given": {"x": "N"}}


def same(x, *, half=1):
    return equal(x, x)


def refusal(id: Any = "mine.same", body: Any = same, **fields: Any) -> str:
    """What is said of a claim with these fields."""
    with pytest.raises(UsageError) as caught:
        Source("mine", title="slips").claim(id, **{**PRINTED, **fields})(body)
    return str(caught.value)


@pytest.mark.parametrize(
    ("fields", "complaints"),
    [
        ({"givn": {"x": "N"}}, ["no field 'givn'", "nearest: given", "allowed: says, where"]),
        ({"options": {}}, ["no field 'options'"]),
        ({"given": {"x": 3}}, ["given= expects", "'N f', or '' for a scalar", "got {'x': 3}"]),
        ({"given": ["x"]}, ["given= expects symbols with their shapes", "got ['x']"]),
        ({"given": {"x": "N", "x_": "N"}}, ["the symbol 'x_'", "nearest: x", "take it out"]),
        ({"given": {"x": "N/2"}}, ["symbol 'x'", "'N/2'", "write 'N+1' or '2*f'"]),
        ({"given": {"x": "xp"}}, ["the size 'xp'", "not a free Python name"]),
        ({"given": {"x": "x"}}, ["the symbol 'x'", "a size too"]),
        ({"sizes": {"M": (1,)}}, ["sizes= has 'M'", "take it out"]),
        ({"sizes": {"N": (1,), "n": (1,)}}, ["sizes= has 'n'"]),
        ({"sizes": {"N": 3}}, ["sizes= expects", "{'N': (1, 2)}", "got {'N': 3}"]),
        ({"sizes": {"N": ()}}, ["sizes= expects", "got {'N': ()}"]),
        ({"sizes": {"N": "12"}}, ["sizes= expects", "got {'N': '12'}"]),
        ({"sizes": {"N": (1.0,)}}, ["whole numbers ≥ 0", "got {'N': (1.0,)}"]),
        ({"sizes": {"N": (-1,)}}, ["whole numbers ≥ 0", "got {'N': (-1,)}"]),
        ({"sizes": {"N": (True,)}}, ["whole numbers ≥ 0"]),
        ({"sizes": [1, 2]}, ["sizes= expects", "got [1, 2]"]),
        ({"assuming": lambda x: True}, ["assuming= expects conditions by their text"]),
        ({"assuming": {"x > 0": True}}, ["a function for every condition", "{'x > 0': True}"]),
        ({"assuming": {"y > 0": lambda y: True}}, ["the condition 'y > 0' asks for 'y'", "N, x"]),
        ({"parameters": {}}, ["parameters= expects a function", "got {}"]),
        ({"parameters": lambda eta: eta}, ["parameters= asks for 'eta'"]),
        ({"corrections": "sign"}, ["corrections= expects a tuple", "got 'sign'"]),
        ({"hypotheses": (1,)}, ["hypotheses= expects a tuple", "got (1,)"]),
        ({"reading": 3}, ["reading= expects text", "got 3"]),
        ({"says": None}, ["does not say what it claims; give says="]),
        ({"kind": "identiy"}, ["kind 'identiy'", "nearest: identity", "allowed: identity, c"]),
        ({"over_all_parameters": True}, ["over_all_parameters= expects a tuple", "got True"]),
        ({"over_all_parameters": ("y",)}, ["over_all_parameters= has no symbol 'y'", "allowed: x"]),
        ({"id": "mine.a b"}, ["'mine.a b'", "letters, digits and . - + _"]),
        ({"id": "mine.\x1b[31m"}, [r"'mine.\x1b[31m'", "letters, digits and . - + _"]),
        ({"id": "mine.*"}, ["'mine.*'", "letters, digits and . - + _"]),
        ({"id": 3}, ["claim id 3"]),
        ({"id": "mine."}, ["'mine.'", "must start with its source's name"]),
        ({"id": "yours.a"}, ["'yours.a'", "must start with its source's name: 'mine.…'"]),
        ({"body": 3}, ["the body is 3", "write a def or a lambda"]),
        ({"body": lambda x, y: x}, ["the body asks for 'y'", "known there: N, p, x, xp"]),
        ({"body": lambda x, *, N=1: x}, ["the reading 'N'", "name of a size"]),
    ],
)
def test_slip_in_a_field_is_named_with_what_to_do(fields: dict[str, Any], complaints: list[str]):
    message = refusal(**fields)
    assert all(complaint in message for complaint in complaints), message
    assert "mine" in message or "claim id" in message


@pytest.mark.parametrize(
    ("suffix", "changes", "complaint"),
    [
        ("one", {"haf": 2}, "no field or reading 'haf'; nearest: half"),
        ("one", {"corection": ("sign",)}, "no field or reading 'corection'; nearest: corrections"),
        ("one", {"id": "mine.other"}, "no field or reading 'id'"),
        ("one", {"x": 3}, "the reading 'x' has the name of a symbol"),
        ("one", {"given": {"x": "N", "z": ""}}, "the symbol 'z'"),
        ("one", {"sizes": {"f": (1,)}}, "sizes= has 'f'"),
        ("one two", {}, "'mine.same+one two' is not made of letters"),
        ("sign", {}, "amendment mine.same+sign is defined twice"),
    ],
)
def test_slip_in_an_amendment_is_named(suffix: str, changes: dict[str, Any], complaint: str):
    row = Source("mine", title="slips").claim("mine.same", **PRINTED)(same).amend("sign", "…")
    with pytest.raises(UsageError) as caught:
        row.amend(suffix, "…", **changes)
    assert complaint in str(caught.value)
    assert len(row.amendments) == 1


def test_amendment_may_leave_names_unused_that_it_inherits():
    row = Source("mine", title="t").claim("mine.same", sizes={"N": (1, 2)}, **PRINTED)(same)
    row.restate("scalar", "y = y", given={"y": ""})(lambda y: equal(y, y))
    assert row.amendments[0].sizes == {"N": (1, 2)}


def test_unchecked_row_takes_the_same_fields():
    with pytest.raises(UsageError, match="no field 'readin'; nearest: reading"):
        Source("mine", title="t").unchecked("mine.open", says="…", missing="…", readin="…")


def test_source_s_name_is_made_of_what_ids_are_made_of():
    with pytest.raises(UsageError, match="the source's name 'my paper'"):
        Source("my paper", title="t")


def test_every_id_of_the_house_is_made_of_what_ids_are_made_of():
    every = [c.id for row in built_in().rows for c in (row.claim, *row.amendments)]
    assert [id for id in every if not ID.fullmatch(id)] == []


@pytest.mark.long
def test_shape_that_is_negative_at_some_size_says_so(run: Run, write: Write):
    answer = run("check", write(NEGATIVE))
    assert answer.code == 3
    complaint = "the shape 'N-2' is (-1,) at N = 1; give sizes= at which it is not negative."
    assert answer.err == f"scanproof: mine.late: {complaint}\n"


NEGATIVE = """
    @paper.claim("{name}.late", says="x", given={{"x": "N-2"}})
    def late(x):
        return equal(total(x), total(x))
"""
MISTYPED = """
    @paper.claim("{name}.slip", says="x", givn={{"x": "N"}})
    def slip(x):
        return equal(total(x), total(x))
"""


@pytest.mark.long
def test_slip_in_a_file_is_one_line_with_its_place(run: Run, write: Write):
    line = one_line(run("check", write(MISTYPED)))
    assert "mine.py line 10: claim mine.slip has no field 'givn'; nearest: given;" in line
