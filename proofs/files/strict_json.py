"""Strict reading of JSON from elsewhere: no repeated key, no NaN, limited nesting and length of numbers."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from ..kernel.files import depth, without_texts

DEEPEST = 32
"""The deepest nesting of lists and objects that is read; an export has a handful of levels."""
LONGEST_NUMBER = 64
"""The most characters of an integer; Python's time to read one grows with their square."""


class NotStrict(ValueError):
    """Raised for a text that is not strict JSON; says what is wrong with it."""


def parse(data: bytes, *, infinite: bool = False) -> Any:
    """The value of a JSON text in UTF-8.

    Args:
        data: its bytes.
        infinite: take Infinity and −Infinity too, which Python writes.

    Raises:
        NotStrict: for anything that is not JSON by RFC 8259, a key that occurs twice in an object, a number that is not
            finite, or nesting deeper than `DEEPEST`.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotStrict(f"it is not UTF-8: {error.reason} at byte {error.start}") from None
    if depth(without_texts(text)) > DEEPEST:  # before it is parsed, since the parser recurses
        raise NotStrict(f"lists and objects are nested deeper than {DEEPEST}")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_once,
            parse_constant=_infinity if infinite else _no_constant,
            parse_int=_integer,
            parse_float=_real,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        raise NotStrict(f"it is not JSON: {error.msg}, {where}") from None
    if "\\u" in text:
        _check_surrogates(value)
    return value


def _check_surrogates(value: Any) -> None:
    """Refuse half a surrogate pair, which is text that cannot be written."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise NotStrict("a text has a lone surrogate") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NotStrict(f"the key {shown(twice)} occurs twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise NotStrict(f"{name} is not a JSON number")


def _infinity(name: str) -> float:
    return _no_constant(name) if name == "NaN" else float(name)


def _integer(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise NotStrict(f"an integer of {len(text)} digits, {text[:12]}…")
    return int(text)


def _real(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise NotStrict(f"{text[:24]} is too large for a number")
    return number


def shown(value: object, width: int = 60) -> str:
    """A value of a file as it may be printed: quoted, without control characters, shortened."""
    text = ascii(value) if not isinstance(value, str) else repr(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"
