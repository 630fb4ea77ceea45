"""Certificates as JSON, with all that their terms speak of; `inequalities.reading` says how, and reads them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from ...inequalities.certificate import Certificate, Step
from ...inequalities.reading import SCHEMA, Recursions
from ...kernel import index
from ...kernel.index import Index, declared, reach, variable
from ...kernel.recursion import Recursion
from ...kernel.term import Factor, Monomial, Term


def written(certificate: Certificate, recursions: Recursions) -> list[Any]:
    """The certificate as a JSON value, with the definitions of all states that it speaks of."""
    inside = certificate.problem, certificate.steps
    numbers, names = set[int](), list(index.current.bodies)  # also those that the check will meet
    _spoken(inside, numbers, names)
    defined: dict[Recursion, None] = {}
    for name in names:  # it grows
        function = index.current.bodies.get(name)
        if function is not None:
            _spoken([m for m, _ in function.body], numbers, names)
        elif name in recursions and recursions[name][0] not in defined:
            one = recursions[name][0]
            defined[one] = None
            parts = one.time, [(s.at, s.given) for s in one.states], one.first, one.step
            _spoken(parts, numbers, names)
            names += [s.name for s in one.states if s.name not in names]
    needed = {n for n in names if "'" in n}
    every = sorted([*index.current.states, *index.current.functions.values()], key=_number)
    arrays = every[: max(map(_number, needed), default=-1) + 1]
    free = sorted(reach(v for v in numbers if v > 0))
    order = [one for one in dict.fromkeys(r for r, _ in recursions.values()) if one in defined]
    return [
        SCHEMA,
        [_variable(v) for v in free],
        [_array(name, recursions) if name in needed else _is_state(name) for name in arrays],
        [_to([r.time, [s.name for s in r.states], r.first, r.step]) for r in order],
        *(_to(part) for part in (certificate.problem, certificate.steps, certificate.goals)),
    ]


def _spoken(value: Any, numbers: set[int], names: list[str]) -> None:
    """Add the variables and the names of arrays that stand in a value."""
    if isinstance(value, Index):
        numbers |= value.variables()
    elif isinstance(value, Factor):
        _spoken(value.at, numbers, names)
        if value.name not in names:
            names.append(value.name)
    elif isinstance(value, Term):
        numbers |= value.scope
        _spoken(list(value.parts), numbers, names)
    elif isinstance(value, Iterable) and not isinstance(value, str):
        for one in value:
            _spoken(one, numbers, names)
    elif is_dataclass(value):
        for field in fields(value):
            _spoken(getattr(value, field.name), numbers, names)
            if field.name in ("ends", "when", "time", "scope", "images"):
                whole = getattr(value, field.name)
                whole = whole if isinstance(whole, tuple) else (whole,)
                numbers |= {one[0] if isinstance(one, tuple) else one for one in whole}
            if field.name == "dimensions":
                numbers |= {end for _, end in getattr(value, field.name)}


def _number(name: str) -> int:
    return int(name.rsplit("'", 1)[1])


def _is_state(name: str) -> bool:
    return name in index.current.states


def _variable(v: int) -> list[Any]:
    """A variable with the least number of its range and the one after the last, where it has such ends."""
    own = {e.coefficient(v): e for e in declared(v)}
    low = _to(variable(v) - own[1]) if 1 in own else None
    high = _to(own[-1] + variable(v) + 1) if -1 in own else None
    return [v, index.name(v), v in index.current.sizes, low, high]


def _array(name: str, recursions: Recursions) -> list[Any]:
    function = index.current.bodies.get(name)
    if function is not None:
        return [name, function.arity, _pairs(sorted(function.body, key=_order))]
    recursion, k = recursions[name]
    return [name, _to(recursion.states[k].at), _to(recursion.states[k].given)]


def _order(pair: tuple[Monomial, Fraction]) -> Any:
    return pair[0].bound, sorted(pair[0].guards), pair[0].factors


def _pairs(pairs: Iterable[tuple[Monomial, Fraction]]) -> list[Any]:
    return [[str(c), *_to(m)] for m, c in pairs]


def _to(value: Any) -> Any:
    if isinstance(value, Index):
        return [value.const, *(n for pair in value.terms for n in pair)]
    if isinstance(value, Factor):
        return [value.name, *_to(value.at)]
    if isinstance(value, Monomial):
        return [value.bound, _to(tuple(sorted(value.guards))), _to(value.factors)]
    if isinstance(value, Term):
        return [sorted(value.scope), _pairs(value.parts.items())]
    if isinstance(value, Fraction):
        return str(value)
    if is_dataclass(value):
        name = [type(value).__name__] if type(value) in Step else []
        return [*name, *(_to(getattr(value, field.name)) for field in fields(value))]
    return [_to(one) for one in value] if isinstance(value, tuple | list) else value
