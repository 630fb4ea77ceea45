"""Normal forms that were found before: terms that differ in their variables' numbers only are rewritten alike.

What is remembered is which rules were used. The kernel applies them again, and refuses what does not fit; then the
search goes on as if nothing were remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index
from ..kernel.rules import Rewriting
from ..kernel.term import Factor, function_of
from .guards import named
from .session import current, spend, spent

MOST = 50_000
"""The most terms that are remembered."""
Steps = list[tuple[Any, ...]]
known: dict[Any, tuple[list[int], int, Steps]] = {}
"""For a term with its variables numbered from 1 on: their numbers, what the search took, and the rules used."""


def recall(work: Rewriting, search: Callable[[Any], None]) -> None:
    """Rewrite as `search` does, by the rules that it used for a term like this one if there was one."""
    variables = sorted(work.scope.union(*(e.variables() for e in work.known)))
    key = (
        current().plain,
        current().in_exponents,
        _looks(work, {v: n for n, v in enumerate(variables, start=1)}),
    )
    found = known.get(key)
    if found is not None:
        numbers, effort, steps = found
        spend(effort)
        try:
            return _repeat(work, steps, dict(zip(numbers, variables, strict=True)))
        except KernelError:
            pass
    at_first, before = spent(), len(work.steps)
    search(work)
    if found is None:
        if len(known) >= MOST:
            known.clear()
        known[key] = variables, spent() - at_first, work.steps[before:]


def _looks(work: Rewriting, names: dict[int, int]) -> Any:
    """The term and what is known of its variables, by other names, and of which states more is known.

    Functions mean something in one registry only.
    """

    parts = []
    registry = None
    session, solved = current(), set()
    for m, c in work.parts.values():
        factors = [(f.name, tuple([named(e, names) for e in f.at])) for f in m.factors]
        solved.update(
            [f.name for f in m.factors if f.name in session.closed or f.name in session.kept]
        )
        guards = frozenset([named(g, names) for g in m.guards])
        parts.append((c.as_integer_ratio(), m.bound, guards, tuple(factors)))
        if registry is None and any(map(function_of, m.factors)):
            registry = declarations.current
    known = (
        len(session.closed),
        len(session.kept),
        session.opened,
        session.by_cases,
        session.by_guards,
        session.doubled,
    )
    found = registry and known, frozenset(solved)
    return registry, found, frozenset([named(e, names) for e in work.known]), tuple(parts)


def _repeat(work: Rewriting, steps: Steps, names: dict[int, int]) -> None:
    def index(e: Index) -> Index:
        return Index(e.const, {names.get(v, v): c for v, c in e.terms})

    def again(argument: Any) -> Any:
        if isinstance(argument, Index):
            return index(argument)
        if isinstance(argument, Factor):
            return Factor(argument.name, tuple(map(index, argument.at)))
        if isinstance(argument, dict):
            return {v: index(e) for v, e in argument.items()}
        if isinstance(argument, list | tuple | frozenset):
            return [again(one) for one in argument]
        return argument

    for name, *arguments in steps:
        getattr(work, name)(*map(again, arguments))
