"""The steps of a certificate as JSON, with the proof of the equations that they use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

from ...inequalities.certificate import Step
from ...inequalities.check import Shown
from ...interpret.writing import (
    Declared,
    factor_to,
    guards_to,
    index_to,
    statements_to,
    term_to,
)
from ...kernel.index import Index, variable
from ...kernel.term import Factor, Monomial, Term
from ...kernel.theorem import Theorem
from ..writing import lines_to, sides_of

NUMBERS = ("ends", "when", "time", "scope", "coordinates")
"""The fields that are numbers of variables; images and dimensions are pairs with such."""


def steps_to(shown: Shown) -> list[Any]:
    """The steps of a certificate as a JSON value."""
    return [_to(step) for step in shown.certificate.steps]


def equations_to(
    problem: dict[str, Any], spoken: Declared, shown: Shown, conditional: Iterable[Theorem]
) -> dict[str, Any]:
    """The proof of the equations that a certificate uses.

    Args:
        problem: what the problem of the certificate speaks of, as `problem_to` writes it.
        spoken: the same.
        shown: what the certificate shows.
        conditional: theorems about what is divided by.
    """
    sides = sides_of(shown.equations)
    distinct = {str(statements_to([two])): k for k, two in reversed([*enumerate(sides)])}
    equations = [shown.equations[k] for k in sorted(distinct.values())]
    problem = {**problem, "statements": statements_to(sides_of(equations))}

    def steps(declared: Declared) -> None:
        _spoken(shown.certificate.steps, declared)

    return lines_to(problem, spoken, equations, conditional, steps)


def _spoken(value: Any, declared: Declared) -> None:
    """Declare what a value speaks of."""
    if isinstance(value, Index):
        declared.indices([value])
    elif isinstance(value, Factor):
        declared.factor(value)
    elif isinstance(value, Monomial):
        declared.pairs([value])
    elif isinstance(value, Term):
        declared.term(value)
    elif isinstance(value, tuple):
        for one in value:
            _spoken(one, declared)
    elif is_dataclass(value):
        for field in fields(value):
            own = getattr(value, field.name)
            _spoken(own, declared)
            if field.name in NUMBERS:
                _declare(own if isinstance(own, tuple) else (own,), declared)
            if field.name == "images":
                _declare((v for v, _ in own), declared)
            if field.name == "dimensions":
                _declare((end for _, end in own), declared)


def _declare(numbers: Iterable[int], declared: Declared) -> None:
    declared.indices([variable(v) for v in numbers])


def _to(value: Any) -> Any:
    if isinstance(value, Index):
        return index_to(value)
    if isinstance(value, Factor):
        return factor_to(value)
    if isinstance(value, Monomial):
        return [value.bound, guards_to(value.guards), [factor_to(f) for f in value.factors]]
    if isinstance(value, Term):
        return term_to(value)
    if isinstance(value, Fraction):
        return str(value)
    if is_dataclass(value):
        name = [type(value).__name__] if type(value) in Step else []
        return [*name, *(_to(getattr(value, field.name)) for field in fields(value))]
    return [_to(one) for one in value] if isinstance(value, tuple | list) else value
