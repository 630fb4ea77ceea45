"""Recipes as kernel terms, and what is asked of the kernel about them."""

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from scanproof.proofs.interpret.array import reciprocal
from scanproof.proofs.interpret.products import running_product
from scanproof.proofs.interpret.terms import (
    equal_indices,
    indicator,
    inverse,
    number,
    positions_in,
    total,
)
from scanproof.proofs.kernel.errors import KernelError
from scanproof.proofs.kernel.index import Index, position, size
from scanproof.proofs.kernel.term import Term, apply, as_term, entry
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.normal import simplified
from scanproof.proofs.search.proving import proving

from .changes import changed, rearranged
from .recipes import Lin, Recipe, evaluated, recipe, renamed

REFUSALS = (KernelError, ZeroDivisionError)
"""What is no proof."""
PLACES = [{"N": n, "M": m, "t": t} for n in (1, 2, 3) for m in (1, 2, 3) for t in range(n + 1)]
PLACES += [{"N": 5, "M": 2, "t": t} for t in (0, 4, 5)]


class FalseAccept(Exception):
    """The kernel proved what is false."""


def declared() -> dict[str, Index]:
    """The names of all recipes: sizes N, M ≥ 1 and a position 0 ≤ t ≤ N."""
    n, m = size("N", 1), size("M", 1)
    return {"N": n, "M": m, "t": position("t", 0, n + 1)}


def index(e: Lin, known: Mapping[str, Any]) -> Index:
    result = Index(e[0])
    for name, c in e[1].items():
        result = result + known[name] * c
    return result


def kernel_term(r: Recipe, known: Mapping[str, Any], tidy: bool) -> Term:
    """The recipe as a term, with every part in normal form if `tidy`.

    Args:
        r: the recipe.
        known: indices for its names, and states for the names of those of its arrays that are states.
        tidy: whether terms are simplified while they are made.
    """
    made = _term(r, known, tidy)
    return simplified(made) if tidy else made


def _term(r: Recipe, known: Mapping[str, Any], tidy: bool) -> Term:
    kind, *parts = r
    if kind == "constant":
        return as_term(parts[0])
    if kind == "entry":
        state = known.get(parts[0])
        name = parts[0] if state is None else state.name
        return entry(name, *(index(e, known) for e in parts[1]))
    if kind == "number":
        return number(index(parts[0], known))
    if kind == "inverse":
        return inverse(number(index(parts[0], known)), ())
    if kind == "ge":
        return indicator(index(parts[0], known))
    if kind == "eq":
        return equal_indices(index(parts[0], known), index(parts[1], known))
    if kind == "add":
        return kernel_term(parts[0], known, tidy) + kernel_term(parts[1], known, tidy)
    if kind == "mul":
        return kernel_term(parts[0], known, tidy) * kernel_term(parts[1], known, tidy)
    if kind == "quotient":
        return reciprocal(kernel_term(parts[0], known, tidy))
    if kind == "function":
        of = simplified(kernel_term(parts[1], known, tidy))
        return apply(parts[0], of, positions_in(of))
    name, low, high = parts[0], index(parts[1], known), index(parts[2], known)
    own = position(name, low, high)
    body = kernel_term(parts[3], {**known, name: own}, tidy)
    if kind == "product":
        return indicator(high - low) * running_product(body, own, low, high)
    return total(body, own)


def proves(a: Recipe, b: Recipe, tidy: bool) -> bool:
    """Whether the kernel proves the equation; a refusal of any kind is no proof."""
    with proving():
        known = declared()
        try:
            show(kernel_term(a, known, tidy), kernel_term(b, known, tidy))
        except REFUSALS:
            return False
        return True


def agree(a: Recipe, b: Recipe, places: list[dict[str, int]]) -> bool | None:
    """Whether the two have one value wherever no denominator is 0; None if there is no such place."""
    seen = False
    for place in places:
        try:
            if evaluated(a, place) != evaluated(b, place):
                return False
            seen = True
        except ZeroDivisionError:
            continue
    return True if seen else None


def pairs(rng: random.Random, count: int) -> Iterator[tuple[Recipe, Recipe]]:
    """Equations of which about half are true."""
    for _ in range(count):
        a = b = recipe(rng, ["N", "M", "t", "t"], rng.choice((1, 2, 3, 3, 4)))
        for _ in range(rng.choice((1, 2, 3))):
            b = rearranged(b, rng)
        yield a, renamed(b if rng.random() < 0.5 else changed(b, rng))


def equations(rng: random.Random, count: int) -> Counter:
    """How many equations were true or false, accepted or not.

    Raises:
        FalseAccept: if one that is false was accepted.
    """
    seen: Counter = Counter()
    for a, b in pairs(rng, count):
        accepted = proves(a, b, rng.random() < 0.5)
        true = agree(a, b, PLACES if accepted else rng.sample(PLACES, 6))
        if true is None:
            seen["no value"] += 1
            continue
        if accepted and not true:
            raise FalseAccept(f"{a}\n  = {b}")
        seen[true, accepted] += 1
    return seen
