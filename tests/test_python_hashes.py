"""What stays Python is hashed with all that it refers to: predicates on numbers, limits, options."""

from dataclasses import replace
from functools import partial
from types import ModuleType

import pytest
from claims import claim

from scanproof import equal
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.doors.record import python
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.doors.record.python import as_python, written_out
from scanproof.proofs.doors.record.recording import Limits
from scanproof.proofs.statement.text import fingerprint

HELPERS = ModuleType("helpers")
EDITS = {
    "another bound": ("lambda x: (x > 1).all()", "lambda x: (x > 2).all()"),
    "a function that it calls": (
        "def few(x):\n    return len(x) < 3\nlambda x: few(x)",
        "def few(x):\n    return len(x) < 4\nlambda x: few(x)",
    ),
    "a function of a function": (
        "limit = lambda: 3\ndef few(x):\n    return len(x) < limit()\nlambda x: few(x)",
        "limit = lambda: 4\ndef few(x):\n    return len(x) < limit()\nlambda x: few(x)",
    ),
    "a number of the module": (
        "LIMIT = 3\nlambda x: len(x) < LIMIT",
        "LIMIT = 4\nlambda x: len(x) < LIMIT",
    ),
    "a table of the module": (
        "LIMITS = {'x': [3]}\nlambda x: len(x) < LIMITS['x'][0]",
        "LIMITS = {'x': [4]}\nlambda x: len(x) < LIMITS['x'][0]",
    ),
    "a number in a closure": (
        "(lambda limit: lambda x: len(x) < limit)(3)",
        "(lambda limit: lambda x: len(x) < limit)(4)",
    ),
    "a default": ("lambda x, limit=3: len(x) < limit", "lambda x, limit=4: len(x) < limit"),
    "a method": (
        "class Few:\n    def __init__(self): self.limit = 3\n    def holds(self, x): return len(x) < 3\nFew().holds",
        "class Few:\n    def __init__(self): self.limit = 4\n    def holds(self, x): return len(x) < 3\nFew().holds",
    ),
    "a function of a module": (
        "def few(x):\n    return len(x) < 3\nHELPERS.few = few\nlambda x: HELPERS.few(x)",
        "def few(x):\n    return len(x) < 4\nHELPERS.few = few\nlambda x: HELPERS.few(x)",
    ),
    "arguments that are kept": (
        "from functools import partial\ndef few(limit, x):\n    return len(x) < limit\npartial(few, 3)",
        "from functools import partial\ndef few(limit, x):\n    return len(x) < limit\npartial(few, 4)",
    ),
}


def made(text: str):
    """What the last line of a text is, the lines before it run as a module."""
    *before, last = text.split("\n")
    names = {"HELPERS": HELPERS, "__name__": "mine"}
    exec("\n".join(before), names)
    return eval(last, names)


@pytest.mark.parametrize("name", EDITS)
def test_the_hash_of_a_predicate_covers_what_it_refers_to(name: str):
    prints = []
    for text in (*EDITS[name], EDITS[name][0]):
        condition = made(text)
        called = (lambda f: lambda x: f(x))(condition)
        one = claim(lambda x: equal(x, x), {"x": "N"}, assuming={"few": called})
        statement = record(one)
        assert statement.hypotheses[0].bounds == () and statement.hypotheses[0].code
        prints.append(fingerprint(statement))
    assert prints[0] != prints[1] and prints[0] == prints[2]


def test_options_readings_and_corrections_are_in_the_hash_by_what_they_change():
    def body(x, *, sign=1):
        return equal(x, sign * x)

    one = claim(body, {"x": "N"})
    other = replace(one, options={"sign": -1})
    assert fingerprint(record(one)) != fingerprint(record(other))
    assert as_python(one) != as_python(other)


def limits():
    (row,) = (row for row in built_in().rows if row.claim.id == "ssd.thm5.1")
    return row.claim


def test_the_text_of_a_claim_about_limits_has_every_function_that_it_leads_to():
    with pytest.raises(Limits):
        record(limits(), limits().every_size[0])
    said = as_python(limits())
    for function in ("def theorem(", "def approaches(", "def scalars(", "def alone("):
        assert function in said, function
    assert said == as_python(limits()) and " at 0x" not in said


@pytest.mark.long
def test_another_function_behind_a_limit_is_another_text(monkeypatch: pytest.MonkeyPatch):
    from scanproof.proofs.claims.ssd import printed_sign

    before = as_python(limits())
    own = printed_sign.alone
    monkeypatch.setattr(printed_sign, "alone", lambda c, j, s: own(c, j, 2 * s))
    assert as_python(limits()) != before
    monkeypatch.undo()
    monkeypatch.setattr(printed_sign, "MIXING", printed_sign.MIXING[:-1])
    assert as_python(limits()) != before


def test_a_function_without_text_is_known_by_its_instructions():
    one, other = (eval(f"lambda x: x + {k}") for k in (1, 2))
    assert written_out([one]) != written_out([other]) == written_out([eval("lambda x: x + 2")])
    nested = [eval(f"lambda x: [y + {k} for y in x]") for k in (1, 1, 2)]
    assert written_out([nested[0]]) == written_out([nested[1]]) != written_out([nested[2]])
    assert python._value(partial) == "functools.partial"
