"""The maximum that a softmax subtracts: some number of which nothing is known, and which cancels.

exp(a − M) is read as exp(a) exp(−M), and exp(−M) cancels where it is a factor of a numerator and of every term of a
denominator. Where it does not, it stays in the result, and what is proved holds whatever the number M is.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from ..interpret.array import KernelArray, aligned, broadcast, comprehension, function, reciprocal
from ..interpret.session import current
from ..interpret.simplifying import simplified
from ..kernel import index as declarations
from ..kernel.index import Index, reach, variable
from ..kernel.term import EXP, Factor, Monomial, Term, body, entry, function_of
from .logarithms import of_logarithms

MAXIMUM = "maximum"


def maximum(dims: tuple[Index, ...], *arrays: KernelArray, of: tuple[Any, ...] = ()) -> KernelArray:
    """A new array of numbers of which nothing is known but that they depend on the same positions as these arrays.

    Inside a loop or a map it is another one for each turn: what the arrays speak of besides their own axes counts.

    Args:
        dims: its lengths.
        arrays: what it is computed from.
        of: the value, and axes, that it is the maximum of; of the same one it is the same.
    """
    known = current().maxima.get(key := (dims, *map(_same, of))) if of else None
    if known is not None:  # of the same array, as where a softmax is spelled out twice
        return known[0]
    name = _new_name()
    current().functions.add(name)
    spoken: set[int] = set()
    for one in arrays:
        own = {v for e in one.at for v in e.variables()}
        lengths = {v for d in one.dims for v in d.variables()}
        spoken |= (reach(one.term.scope | lengths) - own) - declarations.current.sizes
    others = [variable(v) for v in sorted(spoken)]
    found = comprehension(dims, lambda *at: entry(name, *at, *others))
    if of:
        current().maxima[key] = found, of  # which keeps them from giving their number to others
    return found


def _new_name() -> str:
    """A name that no array of the claim has."""
    taken = current().functions | current().symbols
    return next(f"{MAXIMUM}{n}" for n in itertools.count() if f"{MAXIMUM}{n}" not in taken)


def _is_maximum(name: str) -> bool:
    """Whether an array of this name is one; the claim's own may be called alike."""
    return name.startswith(MAXIMUM) and name in current().functions


def _is_scale(f: Factor) -> bool:
    """Whether the factor is exp(−M)."""
    parts = body(f, 0) if function_of(f) == EXP else []
    names = [g.name for m, _ in parts for g in m.factors]
    return [c for _, c in parts] == [-1] and len(names) == 1 and _is_maximum(names[0])


def _same(one: Any) -> Any:
    """What distinguishes one array from another: a value by its number, an axis by itself."""
    return one if isinstance(one, int) else id(one)


def exponential(of: KernelArray) -> KernelArray:
    """exp of each entry, with those of subtracted maxima as factors, and numbers whose logarithms it is of."""
    products = of_logarithms(of)
    if products is not None:
        product, rest = products
        return product * exponential(rest) if rest.term.parts else product
    kept: dict[Monomial, Fraction] = {}
    scales: dict[Monomial, Fraction] = {}
    for m, c in of.term.parts.items():
        if not any(_is_maximum(f.name) for f in m.factors):
            kept[m] = c
        elif c == -1 and not m.bound and not m.guards and len(m.factors) == 1:
            scales[m] = c
        else:
            return function(EXP, of)
    if not scales:
        return function(EXP, of)

    def part(parts: dict[Monomial, Fraction]) -> KernelArray:
        return function(EXP, KernelArray(of.dims, of.at, simplified(Term(parts, of.term.scope))))

    result = part(kept)
    for m, c in scales.items():
        result = result * part({m: c})
    return result


def divided(numerator: KernelArray, denominator: KernelArray) -> KernelArray:
    """The quotient; maxima's factors that all terms of both share are taken out."""
    if not any(_is_scale(f) for m in denominator.term.parts for f in m.factors):
        return numerator / denominator
    both = numerator, denominator

    def at(*place: Index) -> Term:
        above, below = (simplified(one.entry(aligned(one.dims, place))) for one in both)
        for factor in _common(below):
            if factor in _common(above):
                above, below = _without(above, factor), _without(below, factor)
        return above * reciprocal(below)

    return comprehension(broadcast(*(one.dims for one in both)), at)


def _common(term: Term) -> list[Factor]:
    """The factors exp(−M) that every monomial has."""
    monomials = list(term.parts)
    if not monomials:
        return []
    first = [f for f in monomials[0].factors if _is_scale(f)]
    free = [f for f in first if all(v > 0 for v in f.variables())]
    return [f for f in free if all(f in m.factors for m in monomials)]


def _without(term: Term, factor: Factor) -> Term:
    return Term({m.divided(factor): c for m, c in term.parts.items()}, term.scope)
