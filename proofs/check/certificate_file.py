"""The file of a certificate: JSON, each declaration and each theorem of its proofs on a line of its own.

    {
    "format": "scanproof.certificate/2",
    "is": "argument",
    "claim": "gril.eq10",
    "by": [
    {"is":"fixed-sizes","engine":"flint","every_size":[{"N":1},{"N":2}]},
    {
    "is": "all-sizes",
    "statement": "9f86d0…",
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
    ],
    "why": ""
    }

or {"is": "refutation", "claim": …, "by": {"is": "counterexample", "sizes": …, "part": 0, "inputs": {"x": ["0","1/2"]}},
"near_misses": [] }. Nothing in it is believed. Lengths are looked at before anything is made of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..kernel.files import (
    Malformed,
    Unusable,
    brief,
    expect,
    fields_of,
    fraction_of,
    items,
    json_of,
)
from . import witness_family
from .certificate import (
    AllSizes,
    Argument,
    Collision,
    Counterexample,
    FixedSizes,
    Limits,
    Met,
    Named,
    Refutation,
    Witness,
)
from .families import EVERY, FIRST, LAST, SAME, Family, Pattern
from .witness_family import Apart

FORMAT = "scanproof.certificate/2"
AXES = 8
"""No array has more axes."""
MOST = 1000
"""No list of sizes, of near misses, or of what settles a claim is longer."""
LARGEST = 10**4
"""No size, or number of a part, is larger."""
_KINDS: dict[str, type] = {
    "counterexample": Counterexample,
    "collision": Collision,
    "limits": Limits,
    "met": Met,
    "fixed-sizes": FixedSizes,
    "witness": Witness,
    "all-sizes": AllSizes,
    "refutation": Refutation,
    "argument": Argument,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


# Writing.


def written(certificate: Refutation | Argument) -> str:
    """The text of the file."""
    return f"{_spread({'format': FORMAT, **_as_json(certificate)})}\n"


def _as_json(value: Any) -> Any:
    if isinstance(value, AllSizes):
        return {"is": _NAMES[AllSizes], **_of_all_sizes(value)}
    if type(value) in _NAMES:
        own = {one.name: _of_field(one.name, getattr(value, one.name)) for one in fields(value)}
        return {"is": _NAMES[type(value)], **own}
    return list(map(_as_json, value)) if isinstance(value, tuple) else value


def _of_field(name: str, value: Any) -> Any:
    if name in ("sizes", "inputs", "first", "second"):
        return {n: _as_json(v) for n, v in value}
    return [dict(one) for one in value] if name == "every_size" else _as_json(value)


def _of_all_sizes(one: AllSizes) -> dict[str, Any]:
    witnesses = [_witness_to(w) for w in one.witnesses]
    return {
        "statement": one.statement,
        "equations": one.trace,
        "bounds": one.bounds,
        "witnesses": witnesses,
        **({} if one.general is None else {"general": one.general}),
        **({"apart": True} if one.apart else {}),
    }


def _witness_to(one: witness_family.Witness) -> dict[str, Any]:
    families, gaps = list(map(_family_to, one.families)), list(map(_gap_to, one.gaps))
    if one.statement is None:
        return {"inputs": families[0], "gaps": gaps, "trace": one.trace}
    first, second = families
    both = {"first": first, "second": second}
    return {"statement": one.statement, **both, "gap": gaps[0], "trace": one.trace}


def _gap_to(one: Apart) -> list[Any]:
    return [one.corner, list(one.powers), str(one.value)]


def _family_to(one: Family) -> dict[str, Any]:
    return {name: [str(pattern.value), *pattern.places] for name, pattern in one.items()}


def _spread(value: Any) -> str:
    """JSON with one line for each field of an object that holds proofs, and for each item of the lists in it."""
    if type(value) is dict and not _is_short(value):
        lines = [f"{_compact(k)}: {_spread(v)}" for k, v in value.items()]
        return "{\n" + ",\n".join(lines) + "\n}"
    if type(value) is list and value and type(value[0]) in (list, dict):
        items = [_spread(one) if type(one) is dict else _compact(one) for one in value]
        return "[\n" + ",\n".join(items) + "\n]"
    return _compact(value)


def _is_short(value: dict[str, Any]) -> bool:
    short = value.get("is", "all-sizes") not in ("all-sizes", "refutation", "argument")
    return short or not any(type(one) in (list, dict) for one in value.values())


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# Reading.


def read(path: Path, claim: str) -> Refutation | Argument:
    """The certificate of this claim.

    Raises:
        Unusable: if it is missing, too large, or no such file.
    """
    found = json_of(path)
    form = found.pop("format", None) if type(found) is dict else found
    if form != FORMAT:
        raise Unusable(f"its format is {brief(form)}, not {FORMAT!r}")
    try:
        certificate = _of_kind(found, (Refutation, Argument))
    except Malformed as error:
        raise Unusable(str(error)) from error
    if certificate.claim != claim:
        raise Unusable(f"it is the certificate of {brief(certificate.claim)}, not of {claim!r}")
    return certificate


def _of_kind(value: Any, kinds: tuple[type, ...]) -> Any:
    name = value.pop("is", None) if type(value) is dict else None
    kind = _KINDS.get(name) if type(name) is str else None
    expect(f"one of {', '.join(_NAMES[k] for k in kinds)}", kind in kinds, name)
    if kind is AllSizes:
        return _all_sizes_of(value)
    names = [one.name for one in fields(kind)]  # type: ignore[arg-type]
    readers = _READERS if kind is not Refutation else {**_READERS, "by": _refuting}
    found = zip(names, fields_of(value, *names), strict=True)
    return kind(**{field: readers[field](one) for field, one in found})  # type: ignore[misc]


def _text(value: Any) -> str:
    expect("a text of one line", type(value) is str and value.isprintable(), value)
    return value


def _words(value: Any) -> str:
    """A reason, which may go over several lines."""
    plain = type(value) is str and value.replace("\n", "").isprintable()
    expect("plain text", plain, value)
    return value


def _whole(value: Any) -> int:
    fits = type(value) is int and 0 <= value <= LARGEST
    expect(f"a whole number from 0 to {LARGEST}", fits, value)
    return value


def _array(value: Any, axes: int = AXES) -> Any:
    if type(value) is list and axes:
        return tuple(_array(one, axes - 1) for one in value)
    fraction_of(value)
    return value


def _list(value: Any, of: Callable[[Any], Any]) -> tuple[Any, ...]:
    expect(f"at most {MOST} items", len(items(value, "a list")) <= MOST, len(value))
    return tuple(map(of, value))


def _set(value: Any, of: Callable[[Any], Any]) -> tuple[Any, ...]:
    found = _list(value, of)
    expect("no item twice", all(one not in found[:k] for k, one in enumerate(found)), value)
    return found


def _by_name(value: Any, of: Callable[[Any], Any]) -> Named:
    expect("an object", type(value) is dict, value)
    return tuple((_text(name), of(one)) for name, one in value.items())


def _sizes(value: Any) -> Named:
    return _by_name(value, _whole)


def _inputs(value: Any) -> Named:
    return _by_name(value, _array)


def _refuting(value: Any) -> Any:
    return _of_kind(value, (Counterexample, Collision, Limits))


def _showing(value: Any) -> Any:
    return _of_kind(value, (Met, FixedSizes, Witness, Collision, AllSizes))


_READERS: dict[str, Callable[[Any], Any]] = {
    "claim": _text,
    "why": _words,
    "engine": _text,
    "near_misses": lambda value: _set(value, _text),
    "part": _whole,
    "sizes": _sizes,
    "every_size": lambda value: _set(value, _sizes),
    "inputs": _inputs,
    "first": _inputs,
    "second": _inputs,
    "by": lambda value: _set(value, _showing),
}


def _all_sizes_of(value: Any) -> AllSizes:
    if type(value) is dict:
        # Not all versions write these, and `apart` is written where it is true.
        value = {"statement": "", "general": None, "apart": False, **value}
    statement, trace, bounds, witnesses, general, apart = fields_of(
        value, "statement", "equations", "bounds", "witnesses", "general", "apart"
    )
    general = None if general is None else _whole(general)
    for one in (trace, bounds):
        expect("an object, or null", one is None or type(one) is dict, one)
    expect("true or false", type(apart) is bool, apart)
    found = _list(witnesses, _witness_of)
    return AllSizes(trace, found, bounds, _text(statement), general, apart)


def _witness_of(value: Any) -> witness_family.Witness:
    expect("a witness", type(value) is dict, value)
    if "inputs" in value:
        inputs, gaps, trace = fields_of(value, "inputs", "gaps", "trace")
        return witness_family.Witness((_family_of(inputs),), _list(gaps, _gap_of), trace)
    statement, *both, gap, trace = fields_of(value, "statement", "first", "second", "gap", "trace")
    families = tuple(map(_family_of, both))
    return witness_family.Witness(families, (_gap_of(gap),), trace, _whole(statement))


def _gap_of(value: Any) -> Apart:
    corner, powers, number = items(value, "a difference", 3)
    held = all(type(p) is int and -9 <= p <= 9 for p in items(powers, "a list"))
    expect("powers from -9 to 9", held, powers)
    return Apart(_whole(corner), tuple(powers), fraction_of(number))


def _family_of(value: Any) -> Family:
    return dict(_by_name(value, _pattern_of))


def _pattern_of(value: Any) -> Pattern:
    number, *places = items(value, "a number and places") or [None]
    known = all(type(place) is str for place in places)
    known = known and ({*places} <= {EVERY, FIRST, LAST} or places == [EVERY, SAME])
    expect("places, of which only the second of two is that of the first", known, value)
    return Pattern(fraction_of(number), tuple(places))
