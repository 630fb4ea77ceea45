"""The file of a recorded proof: JSON, with one line of the tape on each line.

    {
    "schema": "scanproof.proof/1",
    "claim": "gril.eq10",
    "sizes": {"N":1},
    "terms": "…",
    "kernel": "…",
    "axioms": [],
    "checksum": "…",
    "tape": [
    ["normal form"],
    [0,"eliminate",0,-1,[0,[[1,1]]]],
    …
    ]
    }

`sizes` says from which value on each size was any whole number; `terms` is a hash of the terms that the definitions
produced, `kernel` one of the kernel's sources, `checksum` one of all the rest of the file: they tell a proof of other
definitions from a damaged file, and prove nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA = "scanproof.proof/1"
LIMIT = 32 * 2**20
"""No proof is as large as this many bytes."""
LISTS = 2_000_000
"""No proof has more lists than this."""
DEPTH = 20
"""Nor are they nested deeper."""
DIGITS = 400
"""Nor is a number longer."""
_PARTS = re.compile(rf'"(?:[^"\\]|\\.)*"|[][{{}}]|[0-9]{{{DIGITS + 1}}}')
_HASH = re.compile("[0-9a-f]{64}")


class Unusable(Exception):
    """A file that is no recorded proof of this claim: why, and from which line on."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


class Recorded(NamedTuple):
    """What a file says."""

    claim: str
    sizes: dict[str, int]
    terms: str
    kernel: str
    axioms: list[str]
    tape: list[list[Any]]


@dataclass(frozen=True)
class File:
    """A file that was read."""

    record: Recorded
    is_whole: bool
    """Whether it is as it was written."""
    text: str

    def line_of(self, field: str) -> int:
        return _line(self.text, field)

    def line(self, number: int) -> int:
        """The line of the file on which a line of the tape begins; the one where the tape ends for those after it."""
        start = re.search(r'"tape"\s*:\s*\[', self.text)
        place, decode = start.end() if start else 0, json.JSONDecoder().raw_decode
        for count in range(number + 1):
            place += len(self.text[place:]) - len(self.text[place:].lstrip(" \t\r\n,"))
            if count == number or self.text[place] == "]":
                break
            _, place = decode(self.text, place)
        return self.text.count("\n", 0, place) + 1


def written(record: Recorded) -> str:
    """The text of the file."""
    head = {"schema": SCHEMA, **record._asdict()}
    lines = ",\n".join(map(_compact, head.pop("tape")))
    head["checksum"] = _checksum(record)
    fields = "".join(f'"{name}": {_compact(value)},\n' for name, value in head.items())
    return f'{{\n{fields}"tape": [\n{lines}\n]\n}}\n'


def read(path: Path, claim: str) -> File:
    """The recorded proof of this claim.

    Raises:
        Unusable: if it is missing, too large, or no such file.
    """
    text = _text(path)
    _measure(text)
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise Unusable(error.lineno, f"not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Unusable(1, f"not JSON: {error}") from error
    _check(found, text, claim)
    record = Recorded(**{name: found[name] for name in Recorded._fields})
    return File(record, found["checksum"] == _checksum(record), text)


def _text(path: Path) -> str:
    try:
        if not path.is_file():
            raise Unusable(1, "it is no file")
        with path.open("rb") as file:
            content = file.read(LIMIT + 1)
    except OSError as error:
        raise Unusable(1, f"cannot be read: {error.strerror or error}") from error
    if len(content) > LIMIT:
        raise Unusable(1, f"more than {LIMIT} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unusable(content.count(b"\n", 0, error.start) + 1, "it is not text") from error


def _measure(text: str) -> None:
    """Look at lengths before anything is made of them."""
    depth = lists = 0
    for found in _PARTS.finditer(text):
        kind = found[0][0]
        if kind in "[{":
            depth, lists = depth + 1, lists + 1
        elif kind in "]}":
            depth -= 1
        problem = (
            f"lists are nested more than {DEPTH} deep"
            if depth > DEPTH
            else f"more than {LISTS} lists"
            if lists > LISTS
            else f"a number of more than {DIGITS} digits"
            if kind.isdigit()
            else None
        )
        if problem is not None:
            raise Unusable(text.count("\n", 0, found.start()) + 1, problem)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _check(found: Any, text: str, claim: str) -> None:
    """Refuse what is not made like a recorded proof; what the tape's lines say is seen when they are used."""
    if type(found) is not dict or found.get("schema") != SCHEMA:
        got = found.get("schema") if type(found) is dict else found
        raise Unusable(1, f"its schema is {_brief(got)}, not {SCHEMA!r}")
    is_hash = lambda value: type(value) is str and _HASH.fullmatch(value) is not None  # noqa: E731
    fields = {
        "schema": ("the schema", lambda value: True),
        "claim": (f"{claim!r}, of which this is to be a proof", lambda value: value == claim),
        "sizes": ("the least value of each size", _is_sizes),
        "terms": ("a hash", is_hash),
        "kernel": ("a hash", is_hash),
        "axioms": ("texts", lambda value: type(value) is list and {*map(type, value)} <= {str}),
        "checksum": ("a hash", is_hash),
        "tape": ("lists that are not empty", _is_tape),
    }
    for name in [*fields, *found]:
        if name not in found or name not in fields:
            raise Unusable(
                _line(text, name), f"it has {'no' if name in fields else 'a'} field {name!r}"
            )
        expected, holds = fields[name]
        if not holds(found[name]):
            raise Unusable(
                _line(text, name), f"{name}: expected {expected}, got {_brief(found[name])}"
            )


def _is_sizes(value: Any) -> bool:
    return type(value) is dict and all(type(n) is int and n >= 0 for n in value.values())


def _is_tape(value: Any) -> bool:
    return type(value) is list and all(type(line) is list and line for line in value)


def _line(text: str, name: str) -> int:
    return text.count("\n", 0, max(text.find(json.dumps(name, ensure_ascii=False)), 0)) + 1


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _checksum(record: Recorded) -> str:
    return hashlib.sha256(_compact([SCHEMA, *record]).encode("utf-8", "surrogatepass")).hexdigest()


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
