"""JSON from a file that may be anything: lengths are looked at before anything is made of it.

What it holds is read strictly: nothing is converted, nothing is guessed.
"""

from __future__ import annotations

import json
import re
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any

LIMIT = 32 * 2**20
"""No file is as large as this many bytes."""
LISTS = 2_000_000
"""No file has more lists than this."""
DEPTH = 100
"""Nor are they nested deeper."""
DIGITS = 400
"""Nor is a number longer."""
FRACTION = re.compile(rf"-?[0-9]{{1,{DIGITS}}}(/[0-9]{{1,{DIGITS}}})?")
_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)')
_LONG = re.compile(rf"[0-9]{{{DIGITS + 1}}}")
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_OTHERS = bytes(set(range(256)) - _STEPS.keys())


class Unusable(Exception):
    """A file of which nothing is made, and why."""


def json_of(path: Path) -> Any:
    """The value that the file holds: whole numbers, texts, lists and objects.

    Raises:
        Unusable: if it is missing, too large, or no such file.
    """
    text = _text(path)
    _measure(text)
    try:
        return json.loads(text, object_pairs_hook=_once, parse_float=_none, parse_constant=_none)
    except json.JSONDecodeError as error:
        raise Unusable(f"not JSON: {error.msg} (line {error.lineno})") from error
    except (ValueError, RecursionError) as error:
        raise Unusable(f"not JSON: {error}") from error


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise Unusable("it is not a file")
        with path.open("rb") as file:
            content = file.read(LIMIT + 1)
    except OSError as error:
        raise Unusable(f"cannot be read: {error.strerror or error}") from error
    if len(content) > LIMIT:
        raise Unusable(f"more than {LIMIT} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unusable("it is not text") from error


def _measure(text: str) -> None:
    bare = without_texts(text)
    if _LONG.search(bare):
        raise Unusable(f"a number of more than {DIGITS} digits")
    if bare.count("[") + bare.count("{") > LISTS:
        raise Unusable(f"more than {LISTS} lists")
    if depth(bare) > DEPTH:
        raise Unusable(f"lists are nested more than {DEPTH} deep")


def without_texts(text: str) -> str:
    """JSON with a quote for each text in it; what stands around a text does not come together."""
    return _TEXTS.sub('"', text)


def depth(bare: str) -> int:
    """How deep lists and objects are nested in JSON without texts."""
    brackets = bare.encode().translate(None, _OTHERS)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _none(text: str) -> Any:
    raise ValueError(f"{text} is not a whole number")


# Values.


class Malformed(Exception):
    """A value that is not what it should be."""


def expect(what: str, held: bool, got: Any) -> None:
    """Refuse a value that is not what is expected there."""
    if not held:
        raise Malformed(f"expected {what}, got {brief(got)}")


def brief(value: Any) -> str:
    """The value as Python shows it, cut short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def items(value: Any, what: str, *counts: int) -> list[Any]:
    """A list, of one of these lengths if any are given."""
    if type(value) is not list or (counts and len(value) not in counts):
        expect(what, False, value)
    return value


def fields_of(value: Any, *names: str) -> list[Any]:
    """The values of an object that has these names and no others."""
    held = type(value) is dict and set(value) == set(names)
    expect(f"an object with {', '.join(names)}", held, value)
    return [value[name] for name in names]


def fraction_of(value: Any) -> Fraction:
    """A rational number from its JSON text."""
    expect("a rational number 'p/q'", type(value) is str, value)
    return _fraction(value)


@lru_cache(maxsize=10_000)
def _fraction(value: str) -> Fraction:
    expect("a rational number 'p/q'", FRACTION.fullmatch(value) is not None, value)
    try:
        found = Fraction(value)
    except ZeroDivisionError:
        raise Malformed(f"the denominator of {value[:60]} is 0") from None
    expect("a rational number in lowest terms", str(found) == value, value)
    return found
