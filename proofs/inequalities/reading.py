"""Certificates from JSON, with all that their terms speak of. Reading is strict: nothing is converted, nothing guessed.

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
from collections.abc import Callable, Mapping
from dataclasses import fields
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from ..kernel import index
from ..kernel.index import Index, declared, position, size, variable
from ..kernel.recursion import Recursion, new_state
from ..kernel.term import Factor, Function, Monomial, Term, apply, as_term
from .certificate import Certificate, Step
from .statements import MALFORMED, Problem, Refused, expect, same

SCHEMA = "scanproof.bounds/1"
LARGEST = 10**15
"""No whole number in a certificate exceeds this."""
MOST = 100_000
"""No more variables or arrays than this."""
BOUND = 1000
"""No more bound indices in a monomial than this."""
FRACTION = re.compile(r"-?[0-9]{1,400}(/[0-9]{1,400})?")
STEPS = {one.__name__: one for one in Step}
Recursions = Mapping[str, tuple[Recursion, int]]
"""By the name of a state the recursion that defines it, and which of its states it is."""


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
    try:
        return _read(value, recursions, defined)
    except MALFORMED as error:
        raise Refused(f"no certificate: {type(error).__name__}: {error}") from error


def _read(value: Any, recursions: Recursions, defined: Callable[[Recursion], None]) -> Certificate:
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
    alike = (v in index.current.sizes) == is_size
    own = {e.coefficient(v): e for e in declared(v)}
    alike = alike and low == (variable(v) - own[1] if 1 in own else None)
    alike = alike and high == (own[-1] + variable(v) + 1 if -1 in own else None)
    expect(alike, f"variable {v} is declared otherwise")


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
    places: list[Index] = []
    if new:
        places = [position("p") for _ in range(arity)]
        back = {-k: e for k, e in enumerate(places, start=1)}
        own = [(_lowered(m, arity, back), c) for m, c in parts.items()]
        free = {v for m, _ in own for v in m.variables() if v > 0}
        apply(bare, Term(dict(own), free.union(*(e.variables() for e in places))), places)
    wanted = Function(bare, arity, frozenset(parts.items()))
    expect(known.bodies.get(name) == wanted, f"{name} is another function")
    if new:  # that it is not 0 where it is an inverse is a condition of the whole certificate
        index.place(name, places)


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
    expect(0 <= _whole(bound) <= BOUND, "no number of bound indices")
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
