"""Certificates: what settles a claim, as plain data that anybody may have written.

A certificate says no more than where to look: sizes, inputs, engines. What is found there, and so the verdict, is for
`check.certificates` to say. As JSON:

    {"schema": "scanproof.certificate/1", "claim": "gril.eq10", "is": "refutation",
     "by": {"is": "counterexample", "sizes": {"N": 1}, "part": 0, "inputs": {"x": ["0", "1/2"]}}, "near_misses": []}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

SCHEMA = "scanproof.certificate/1"
LIMIT = 2**22
"""No certificate is as long as this many characters."""
AXES = 8
"""No array has more axes."""
LARGEST = 10**9
"""No size, or number of a part, is larger."""
_NUMBER = re.compile(r"-?[0-9]{1,400}(/[0-9]{1,400})?")

Named = tuple[tuple[str, Any], ...]
"""Sizes, or arrays as nested tuples of exact numbers in strings, by their names."""


class Damaged(ValueError):
    """A text that is no certificate."""


@dataclass(frozen=True)
class Counterexample:
    """Inputs at which a statement fails; if it is one that sides differ, the two are identical at these sizes."""

    sizes: Named
    part: int
    """Which of the claim's statements at these sizes."""
    inputs: Named


@dataclass(frozen=True)
class Collision:
    """Two inputs with one statistic and two values."""

    sizes: Named
    part: int
    first: Named
    second: Named


@dataclass(frozen=True)
class Limits:
    """The claim's own argument that no choice of parameters comes near."""

    sizes: Named
    part: int


@dataclass(frozen=True)
class Met:
    """Inputs that meet the claim's conditions, so that it says something."""

    sizes: Named
    inputs: Named


@dataclass(frozen=True)
class FixedSizes:
    """Sizes at which a named engine finds every equation to be an identity."""

    engine: str
    every_size: tuple[Named, ...]


@dataclass(frozen=True)
class Witness:
    """Inputs at which two sides differ that are said to differ."""

    sizes: Named
    part: int
    inputs: Named


@dataclass(frozen=True)
class AllSizes:
    """The kernel's proof, which is no data yet."""

    proof: Any


@dataclass(frozen=True)
class Refutation:
    """Why a claim is false, and small changes that make it true."""

    claim: str
    by: Counterexample | Collision | Limits
    near_misses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Argument:
    """All that together shows a claim."""

    claim: str
    by: tuple[Met | FixedSizes | Witness | Collision | AllSizes, ...]
    why: str = ""
    """Why it is not one for all sizes."""


@dataclass(frozen=True)
class Unsettled:
    """Nothing was found, and why."""

    claim: str
    why: str


Certificate = Refutation | Argument | Unsettled
_KINDS: dict[str, type] = {
    "counterexample": Counterexample,
    "collision": Collision,
    "limits": Limits,
    "met": Met,
    "fixed-sizes": FixedSizes,
    "witness": Witness,
    "refutation": Refutation,
    "argument": Argument,
    "unsettled": Unsettled,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def named(values: Mapping[str, Any]) -> Named:
    """Sizes or nested lists by name, as a certificate holds them."""
    return tuple((name, _frozen(value)) for name, value in values.items())


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def written(certificate: Certificate) -> str:
    """The certificate as JSON.

    Raises:
        TypeError: if the kernel's proof is in it.
    """
    return json.dumps({"schema": SCHEMA, **_as_json(certificate)}, ensure_ascii=False)


def _as_json(value: Any) -> Any:
    if isinstance(value, AllSizes):
        raise TypeError("the kernel's proof is no plain data yet: it cannot be written down")
    if type(value) in _NAMES:
        own = {one.name: _of_field(one.name, getattr(value, one.name)) for one in fields(value)}
        return {"is": _NAMES[type(value)], **own}
    return list(map(_as_json, value)) if isinstance(value, tuple) else value


def _of_field(name: str, value: Any) -> Any:
    if name in ("sizes", "inputs", "first", "second"):
        return {n: _as_json(v) for n, v in value}
    return [dict(one) for one in value] if name == "every_size" else _as_json(value)


def read(text: str) -> Certificate:
    """The certificate that `written` made this text of. Nothing in it is believed, or evaluated.

    Raises:
        Damaged: if it is no such text.
    """
    if len(text) > LIMIT:
        raise Damaged(f"the certificate is longer than {LIMIT} characters")
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
        if not isinstance(found, dict) or found.pop("schema", None) != SCHEMA:
            raise Damaged(f"its schema is not {SCHEMA}")
        return _of_kind(found, (Refutation, Argument, Unsettled))
    except Damaged as error:
        raise Damaged(f"this is no certificate: {error}") from None
    except (ValueError, RecursionError) as error:
        raise Damaged(f"this is no certificate: it is not JSON ({error})") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Damaged("a name stands twice in one object")
    return found


def _refused(text: str) -> Any:
    raise Damaged(f"{text} is no number")


def _of_kind(value: Any, kinds: tuple[type, ...]) -> Any:
    name = value.pop("is", None) if isinstance(value, dict) else None
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind not in kinds:
        raise Damaged(f"{name!r} is none of {', '.join(_NAMES[k] for k in kinds)}")
    wanted = [one.name for one in fields(kind)]
    if set(value) != set(wanted):
        raise Damaged(f"a {name} has {', '.join(wanted)}, not {', '.join(map(repr, value))}")
    read_by = _READERS if kind is not Refutation else {**_READERS, "by": _refuting}
    return kind(**{field: read_by[field](value[field]) for field in wanted})


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise Damaged(f"{value!r} is no text of one line")
    return value


def _words(value: Any) -> str:
    """A reason, which may go over several lines."""
    if not isinstance(value, str) or not value.replace("\n", "").isprintable():
        raise Damaged("a reason that is no plain text")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= LARGEST:
        raise Damaged(f"{value!r} is no whole number from 0 to {LARGEST}")
    return value


def _array(value: Any, axes: int = AXES) -> Any:
    if isinstance(value, list) and axes:
        return tuple(_array(one, axes - 1) for one in value)
    if not isinstance(value, str) or _NUMBER.fullmatch(value) is None:
        raise Damaged(f"{value!r} is no exact number in a string")
    return value


def _list(value: Any, of: Callable[[Any], Any]) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise Damaged(f"{value!r} is no list")
    return tuple(map(of, value))


def _by_name(value: Any, of: Callable[[Any], Any]) -> Named:
    if not isinstance(value, dict):
        raise Damaged(f"{value!r} is no object")
    return tuple((_text(name), of(one)) for name, one in value.items())


def _sizes(value: Any) -> Named:
    return _by_name(value, _whole)


def _inputs(value: Any) -> Named:
    return _by_name(value, _array)


def _refuting(value: Any) -> Any:
    return _of_kind(value, (Counterexample, Collision, Limits))


_READERS: dict[str, Callable[[Any], Any]] = {
    "claim": _text,
    "why": _words,
    "engine": _text,
    "near_misses": lambda value: _list(value, _text),
    "part": _whole,
    "sizes": _sizes,
    "every_size": lambda value: _list(value, _sizes),
    "inputs": _inputs,
    "first": _inputs,
    "second": _inputs,
    "by": lambda value: _list(
        value, lambda one: _of_kind(one, (Met, FixedSizes, Witness, Collision))
    ),
}
