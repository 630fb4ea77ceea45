"""The file of a certificate: JSON, each declaration and each theorem of its proofs on a line of its own.

    {
    "format": "scanproof.certificate/1",
    "claim": "gril.eq10",
    "equations": {
      "format": "scanproof.trace/1",
      "problem": {"sizes": [[1,"N",1], …], "positions": […], …, "statements": […]},
      "declared": {…},
      "theorems": [
        ["reduction",["='5",[…]],[["rewrite",0,0,["unfolding","='5"],[…]],…]],
        …
      ]
    },
    "bounds": null,
    "witnesses": []
    }

Nothing in it is believed. Lengths are looked at before anything is made of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..kernel.files import DIGITS, Unusable, json_of
from .all_sizes import Certificate
from .collision_family import Collision
from .families import EVERY, FIRST, LAST, SAME, Family, Pattern
from .witness_family import Apart, Witness

FORMAT = "scanproof.certificate/1"
_NUMBER = re.compile(rf"-?[0-9]{{1,{DIGITS}}}(/[1-9][0-9]{{0,{DIGITS - 1}}})?")


# Writing.


def written(claim: str, one: Certificate) -> str:
    """The text of the file."""
    fields = {
        "format": FORMAT,
        "claim": claim,
        "equations": one.trace,
        "bounds": one.bounds,
        "witnesses": [_witness_to(w) for w in one.witnesses],
    }
    return f"{_spread(fields)}\n"


def _witness_to(one: Witness | Collision) -> dict[str, Any]:
    if isinstance(one, Witness):
        gaps = [_gap_to(gap) for gap in one.gaps]
        return {"inputs": _family_to(one.family), "gaps": gaps, "trace": one.trace}
    return {
        "statement": one.which,
        "first": _family_to(one.first),
        "second": _family_to(one.second),
        "gap": _gap_to(one.value),
        "trace": one.trace,
    }


def _gap_to(one: Apart) -> list[Any]:
    return [one.corner, list(one.powers), str(one.value)]


def _family_to(one: Family) -> dict[str, Any]:
    return {name: [str(pattern.value), *pattern.places] for name, pattern in one.items()}


def _spread(value: Any, indent: str = "") -> str:
    """JSON with one line for each field, and for each item of the lists in it."""
    if type(value) is dict and value:
        lines = [f"{indent}{_compact(k)}: {_spread(v, indent)}" for k, v in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if type(value) is list and value and type(value[0]) in (list, dict):
        items = [_spread(one) if type(one) is dict else _compact(one) for one in value]
        return "[\n" + ",\n".join(items) + "\n]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Reading.


def read(path: Path, claim: str) -> Certificate:
    """The certificate of this claim.

    Raises:
        Unusable: if it is missing, too large, or no such file.
    """
    found = json_of(path)
    form = found.get("format") if type(found) is dict else found
    if type(found) is not dict or form != FORMAT:
        raise Unusable(f"its format is {_brief(form)}, not {FORMAT!r}")
    names = "format", "claim", "equations", "bounds", "witnesses"
    _, id, trace, bounds, witnesses = _fields(found, *names)
    if id != claim:
        raise Unusable(f"it is the certificate of {_brief(id)}, not of {claim!r}")
    for one in (trace, bounds):
        _expect("an object, or null", one is None or type(one) is dict, one)
    _expect("a list of witnesses", type(witnesses) is list, witnesses)
    return Certificate(trace, tuple(_witness_of(one) for one in witnesses), bounds)


def _witness_of(value: Any) -> Witness | Collision:
    _expect("a witness", type(value) is dict, value)
    if "inputs" in value:
        inputs, gaps, trace = _fields(value, "inputs", "gaps", "trace")
        _expect("a list of differences", type(gaps) is list, gaps)
        return Witness(_family_of(inputs), tuple(map(_gap_of, gaps)), trace)
    which, first, second, gap, trace = _fields(
        value, "statement", "first", "second", "gap", "trace"
    )
    _expect("the number of a statement", type(which) is int, which)
    return Collision(which, _family_of(first), _family_of(second), _gap_of(gap), trace)


def _gap_of(value: Any) -> Apart:
    _expect("a difference", type(value) is list and len(value) == 3, value)
    corner: Any = value[0]
    powers: Any = value[1]
    whole = type(powers) is list and {*map(type, powers)} <= {int}
    _expect("powers from -9 to 9", whole and all(-9 <= p <= 9 for p in powers), powers)
    _expect("the number of an entry", type(corner) is int and corner >= 0, corner)
    return Apart(corner, tuple(powers), _number(value[2]))


def _family_of(value: Any) -> Family:
    _expect("inputs by name", type(value) is dict, value)
    return {name: _pattern_of(one) for name, one in value.items()}


def _pattern_of(value: Any) -> Pattern:
    known = type(value) is list and {*map(str, value[1:])} <= {EVERY, FIRST, LAST, SAME}
    _expect("a number and places", known and len(value) > 0, value)
    return Pattern(_number(value[0]), tuple(value[1:]))


def _number(value: Any) -> Fraction:
    _expect("a number 'p/q'", type(value) is str and _NUMBER.fullmatch(value) is not None, value)
    return Fraction(value)


def _fields(value: Mapping[str, Any], *names: str) -> list[Any]:
    _expect(f"the fields {', '.join(names)}", set(value) == set(names), sorted(value))
    return [value[name] for name in names]


def _expect(what: str, held: bool, got: Any) -> None:
    if not held:
        raise Unusable(f"expected {what}, got {_brief(got)}")


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
