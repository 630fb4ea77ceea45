"""Certificates as JSON, with all that their terms speak of. Reading is strict: nothing is converted, nothing guessed.

    ["scanproof.bounds/1", [variable, …], [array, …], [recursion, …], problem, [step, …], [goal, …]]

A variable is `[number, name, whether it is a size, least, end]` with null for an end that it has not, an array
`[state, [position, …], [given, …]]` or `[function, arity, [monomial, …]]` (if nothing speaks of it whether it is a
state; arrays have numbers in order), a recursion
`[time, [state, …], [first, …], [step, …]]`. An index is `[const, variable, coefficient, …]`, a rational number "p/q",
a factor `[name, index, …]`, a monomial with its coefficient `["p/q", bound, [guard, …], [factor, …]]` (in a piece
without), a term `[[variable, …], [monomial, …]]`; all else is the list of its fields, a step with its name before
them. What is declared already must be declared alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from ..kernel import index
from ..kernel.index import Index, declared, position, reach, size, variable
from ..kernel.recursion import Recursion, new_state
from ..kernel.term import Factor, Function, Monomial, Term, apply, as_term
from .certificate import Certificate, Step
from .statements import Problem, Refused, expect, same

SCHEMA = "scanproof.bounds/1"
LARGEST = 10**15
"""No whole number in a certificate exceeds this."""
MOST = 100_000
"""No more variables, arrays, bound indices or monomials than this."""
FRACTION = re.compile(r"-?[0-9]{1,400}(/[0-9]{1,400})?")
STEPS = {one.__name__: one for one in Step}
Recursions = Mapping[str, tuple[Recursion, int]]
"""By the name of a state the recursion that defines it, and which of its states it is."""


# Writing.


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


# Reading.


def read(
    value: Any, recursions: Recursions, defined: Callable[[Recursion], None] = lambda _: None
) -> Certificate:
    """A certificate from a JSON value; what it speaks of and is not declared yet is declared.

    Args:
        value: lists, texts and numbers.
        recursions: those that define the states that there are.
        defined: told of each new recursion.

    Raises:
        Refused: if it is none.
        KernelError: if its terms or definitions make no sense.
    """
    schema, variables, arrays, recurring, problem, steps, goals = _items(value, 7)
    expect(schema == SCHEMA, f"its schema is not {SCHEMA}")
    for one in _items(variables):
        _declare(one)
    for number, one in enumerate(_items(arrays)):
        _declare_array(number, one, recursions)
    for one in _items(recurring):
        _define(one, recursions, defined)
    parts = zip((Problem, tuple[Any, ...], tuple[int, ...]), (problem, steps, goals), strict=True)
    return Certificate(*(_of(kind, one) for kind, one in parts))


def _declare(value: Any) -> None:
    v, name, is_size, *ends = _items(value, 5)
    expect(0 < _whole(v) <= MOST and type(name) is str and type(is_size) is bool, "no variable")
    while len(index.current.names) < v:
        position("skipped")
    low, high = (None if end is None else _of_index(end) for end in ends)
    if len(index.current.names) == v and is_size:
        expect(low is not None and not low.terms and high is None, "a size without a least value")
        size(name, low.const if low is not None else 0)
    elif len(index.current.names) == v:
        position(name, low, high)
    expect(_variable(v)[2:] == value[2:], f"variable {v} is declared otherwise")


def _declare_array(number: int, value: Any, recursions: Recursions) -> None:
    known = index.current
    new = len(known.states) + len(known.functions) == number
    if type(value) is bool:
        if new and value:
            new_state("unused", [], [])
        elif new:
            apply("unused", as_term(number), [])
        return
    name, *rest = _items(value, 3)
    expect(type(name) is str and len(name) <= 200, "no name of an array")
    bare, quote, own = name.rpartition("'")
    expect(bool(bare and quote) and own == str(number), "an array of another number")
    is_state = type(rest[0]) is list
    if is_state:
        at, given = (_of(tuple[Index, ...], one) for one in rest)
        if new:
            expect(new_state(bare, at, given).name == name, f"{name} is taken")
        elif name in recursions:
            state = recursions[name][0].states[recursions[name][1]]
            expect((state.at, state.given) == (at, given), f"{name} is declared otherwise")
        else:
            raise Refused(f"{name} has no definition")
        return
    arity, parts = _whole(rest[0]), _of_pairs(rest[1])
    expect(0 <= arity <= 100, "a function of too many positions")
    if new:
        places = [position("p") for _ in range(arity)]
        back = {-k: e for k, e in enumerate(places, start=1)}
        own = [(_lowered(m, arity, back), c) for m, c in parts.items()]
        apply(bare, Term(dict(own), {v for e in places for v in e.variables()}), places)
    wanted = Function(bare, arity, frozenset(parts.items()))
    expect(known.bodies.get(name) == wanted, f"{name} is another function")


def _lowered(m: Monomial, arity: int, back: Mapping[int, Index]) -> Monomial:
    """The monomial of a function's body with positions for its first bound indices."""
    expect(m.bound >= arity, "a function's body without its positions")
    own = {-k - arity: variable(-k) for k in range(1, m.bound - arity + 1)}
    return m.put({**back, **own}, m.bound - arity)


def _define(value: Any, recursions: Recursions, defined: Callable[[Recursion], None]) -> None:
    time, names, first, step = _items(value, 4)
    time, terms = _of(Index, time), tuple[Term, ...]
    first, step = _of(terms, first), _of(terms, step)
    found = [recursions[name][0] for name in _items(names) if name in recursions]
    if found:
        (one,) = dict.fromkeys(found)
        alike = [s.name for s in one.states] == names and one.time == time
        for old, new in ((one.first, first), (one.step, step)):
            alike = alike and len(old) == len(new) and all(map(same, old, new))
        expect(alike, f"{names} is defined otherwise")
        return
    waiting = [index.current.states.get(name, (None, None))[0] for name in names]
    expect(len(names) == len(first) == len(step), "a first value and a step for each state")
    defined(Recursion(time, waiting, first, step))


def _items(value: Any, *counts: int) -> list[Any]:
    expect(type(value) is list and (not counts or len(value) in counts), "a list of another length")
    return value


def _whole(value: Any) -> int:
    expect(type(value) is int and -LARGEST <= value <= LARGEST, "no whole number")
    return value


def _of(kind: Any, value: Any) -> Any:
    """The value of a type that a JSON value stands for."""
    if kind in _PLAIN:
        return _PLAIN[kind](value)
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        if inner[-1] is Ellipsis:
            return tuple([_of(inner[0], one) for one in _items(value)])
        return tuple([_of(one, v) for one, v in zip(inner, _items(value, len(inner)), strict=True)])
    if get_origin(kind) is UnionType:
        (one,) = set(get_args(kind)) - {NoneType}
        return None if value is None else _of(one, value)
    if kind is Any:
        name, *value = _items(value)
        expect(type(name) is str and name in STEPS, "a step of no known schema")
        kind = STEPS[name]
    hints = _hints(kind)
    return kind(*(_of(hint, v) for hint, v in zip(hints, _items(value, len(hints)), strict=True)))


@cache
def _hints(kind: Any) -> list[Any]:
    hints = get_type_hints(kind)
    return [hints[field.name] for field in fields(kind)]


def _of_index(value: Any) -> Index:
    const, *rest = map(_whole, _items(value))
    terms = dict(zip(rest[::2], rest[1::2], strict=True))
    known = all(v and -MOST <= v < len(index.current.names) for v in terms)
    expect(known and list(terms) == sorted(terms) and all(terms.values()), "no index")
    expect(len(rest) == 2 * len(terms), "a variable stands twice in an index")
    return Index(const, terms)


def _of_fraction(value: Any) -> Fraction:
    expect(type(value) is str and FRACTION.fullmatch(value) is not None, "no rational number")
    _, _, below = value.partition("/")
    expect(not below or int(below) > 0, "a denominator 0")
    expect(str(Fraction(value)) == value, "no rational number in lowest terms")
    return Fraction(value)


def _of_factor(value: Any) -> Factor:
    name, *at = _items(value)
    expect(type(name) is str and 0 < len(name) <= 200, "no name")
    return Factor(name, tuple(map(_of_index, at)))


def _of_monomial(value: Any) -> Monomial:
    bound, guards, factors = _items(value, 3)
    expect(0 <= _whole(bound) <= MOST, "no number of bound indices")
    found = tuple(map(_of_factor, _items(factors)))
    expect(found == tuple(sorted(found)), "factors out of order")
    return Monomial(bound, frozenset(map(_of_index, _items(guards))), found)


def _of_pairs(value: Any) -> dict[Monomial, Fraction]:
    found: dict[Monomial, Fraction] = {}
    for c, *rest in _items(value):
        m = _of_monomial(rest)
        expect(m not in found, "a monomial stands twice")
        found[m] = _of_fraction(c)
    return found


def _of_term(value: Any) -> Term:
    scope, parts = _items(value, 2)
    scope = [_whole(v) for v in _items(scope)]
    expect(scope == sorted(set(scope)), "a scope out of order")
    return Term(_of_pairs(parts), scope)


def _of_text(value: Any) -> str:
    expect(type(value) is str and len(value) <= 10_000, "no text")
    return value


def _of_truth(value: Any) -> bool:
    expect(type(value) is bool, "neither true nor false")
    return value


_PLAIN: dict[Any, Callable[[Any], Any]] = {
    int: _whole,
    str: _of_text,
    bool: _of_truth,
    Fraction: _of_fraction,
    Index: _of_index,
    Factor: _of_factor,
    Monomial: _of_monomial,
    Term: _of_term,
}
