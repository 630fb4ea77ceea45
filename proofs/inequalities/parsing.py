"""Steps of certificates, and inequalities, from JSON. Parsing is strict: nothing is converted, nothing guessed.

Indices, factors, terms and rational numbers are written as in a trace (`kernel.notation`), a monomial as there without
its coefficient; all else is the list of its fields, a step with its name before them. All that terms speak of must be
declared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from ..kernel.files import expect, fraction_of, items
from ..kernel.index import Index
from ..kernel.notation import (
    factor_of,
    index_of,
    indices_of,
    natural,
    several,
    term_of,
    variable_of,
    whole,
)
from ..kernel.term import Factor, Monomial, Term
from .certificate import Step
from .statements import ENDS, Inequality

BOUND = 1000
"""No more bound indices in a monomial than this."""
TEXT = 10_000
"""No name of a hypothesis is longer."""
STEPS = {one.__name__: one for one in Step}


def inequality_of(value: Any) -> Inequality:
    """An inequality from its JSON value."""
    measure, ends, left, right = items(value, "an inequality", 4)
    expect("a measure", type(measure) is str and measure in ENDS, measure)
    numbers = several(variable_of, "ends")(ends)
    return Inequality(measure, tuple(numbers), term_of(left), term_of(right))


def hypothesis_of(value: Any) -> tuple[str, Inequality]:
    """A hypothesis and its name from their JSON value."""
    name, *one = items(value, "a hypothesis with its name", 5)
    return text_of(name), inequality_of(one)


def step_of(value: Any) -> Any:
    """A step of a certificate from its JSON value."""
    name, *rest = items(value, "a step")
    expect("a step of a known schema", type(name) is str and name in STEPS, name)
    return _of(STEPS[name], rest)


def text_of(value: Any) -> str:
    """A text that may be printed, and is not too long."""
    held = type(value) is str and len(value) <= TEXT and value.isprintable()
    expect("a text of one line", held, value)
    return value


def _of(kind: Any, value: Any) -> Any:
    """The value of a type that a JSON value stands for."""
    if kind in _PLAIN:
        return _PLAIN[kind](value)
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        if inner[-1] is Ellipsis:
            return tuple([_of(inner[0], one) for one in items(value, "a list")])
        every = items(value, "a list of another length", len(inner))
        return tuple([_of(one, v) for one, v in zip(inner, every, strict=True)])
    if get_origin(kind) is UnionType:
        (one,) = set(get_args(kind)) - {NoneType}
        return None if value is None else _of(one, value)
    hints = _hints(kind)
    every = items(value, f"the {len(hints)} fields of {kind.__name__}", len(hints))
    return kind(*(_of(hint, v) for hint, v in zip(hints, every, strict=True)))


@cache
def _hints(kind: Any) -> list[Any]:
    hints = get_type_hints(kind)
    return [hints[field.name] for field in fields(kind)]


def _monomial(value: Any) -> Monomial:
    bound, guards, factors = items(value, "a monomial", 3)
    expect(f"at most {BOUND} bound indices", natural(bound) <= BOUND, bound)
    inside = tuple(several(factor_of, "factors")(factors))
    expect("factors in order", inside == tuple(sorted(inside)), value)
    return Monomial(bound, frozenset(indices_of(guards)), inside)


def _truth(value: Any) -> bool:
    expect("true or false", type(value) is bool, value)
    return value


_PLAIN: dict[Any, Callable[[Any], Any]] = {
    int: whole,
    str: text_of,
    bool: _truth,
    Fraction: fraction_of,
    Index: index_of,
    Factor: factor_of,
    Monomial: _monomial,
    Term: term_of,
    Inequality: inequality_of,
    Any: step_of,
}
