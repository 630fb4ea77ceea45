"""Recipes: expressions as plain data, and what they are worth, by Python's own loops. The kernel has no part in it.

A linear expression is a pair (constant, {name: coefficient}). A recipe is a tuple whose first item says what it is:

    ("constant", c)  ("number", e)  ("ge", e)  ("eq", e, f)  ("entry", name, (e, …))  ("inverse", e)
    ("add", r, s)  ("mul", r, s)  ("sum", j, low, high, r)  ("product", j, low, high, r)
    ("quotient", r)  ("function", name, r)

`sum` runs over low ≤ j < high; `product` is 0 where high < low; `inverse` is 1/e and `quotient` 1/r.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import count
from typing import Any
from zlib import crc32

Lin = tuple[int, dict[str, int]]
Recipe = tuple[Any, ...]
Place = Mapping[str, int]
_fresh = count()


def lin(const: int = 0, **terms: int) -> Lin:
    return const, {k: c for k, c in terms.items() if c}


def added(one: Lin, other: Lin, times: int = 1) -> Lin:
    terms = dict(one[1])
    for name, c in other[1].items():
        terms[name] = terms.get(name, 0) + times * c
    return one[0] + times * other[0], {k: c for k, c in terms.items() if c}


def plus(e: Lin, const: int) -> Lin:
    return e[0] + const, e[1]


def replaced(e: Lin, name: str, by: Lin) -> Lin:
    """The expression with another for a name."""
    c = e[1].get(name, 0)
    return added((e[0], {k: v for k, v in e[1].items() if k != name}), by, c) if c else e


def at(e: Lin, place: Place) -> int:
    return e[0] + sum(c * place[k] for k, c in e[1].items())


def fresh(letter: str = "j") -> str:
    return f"{letter}{next(_fresh)}"


# Drawing.


def some_lin(rng: random.Random, names: list[str]) -> Lin:
    terms = {}
    for _ in range(rng.choice((0, 1, 1, 2))):
        terms[rng.choice(names)] = rng.choice((1, 1, 1, -1, 2))
    return lin(rng.choice((0, 0, 0, 1, -1, 2)), **terms)


LEAVES = ("entry", "entry", "entry", "number", "ge", "eq", "constant")
NODES = ("add", "mul", "mul", "sum", "sum", "sum", "inverse", "product", "quotient", "function")


def recipe(rng: random.Random, names: list[str], depth: int) -> Recipe:
    """A random recipe in these names, of which N ≥ 1, M ≥ 1 and 0 ≤ t ≤ N are known."""
    kind = rng.choice((*NODES, *LEAVES) if depth else LEAVES)
    if kind == "constant":
        return kind, Fraction(rng.choice((1, 2, -1, 3)), rng.choice((1, 1, 2)))
    if kind == "entry":
        name = rng.choice("XXYYZ")
        return kind, name, tuple(some_lin(rng, names) for _ in range("ZXY".index(name)))
    if kind in ("number", "ge"):
        return kind, some_lin(rng, names)
    if kind == "eq":
        return kind, some_lin(rng, names), some_lin(rng, names)
    if kind == "inverse":
        below = rng.choice((lin(0, N=1), lin(1, t=1), lin(3), lin(1, t=1, M=1)))
        return "mul", ("inverse", below), recipe(rng, names, depth - 1)
    if kind in ("add", "mul"):
        return kind, recipe(rng, names, depth - 1), recipe(rng, names, depth - 1)
    if kind == "quotient":
        below = recipe(rng, names, rng.choice((0, 1)))
        return "mul", (kind, ("add", ("entry", "Z", ()), below)), recipe(rng, names, depth - 1)
    if kind == "function":
        return kind, "exp" if depth % 2 else "f", recipe(rng, names, depth - 1)
    new = fresh()
    if kind == "product":
        low = rng.choice((lin(0), lin(0), lin(1), lin(0, t=1)))
        high = rng.choice((lin(0, N=1), lin(0, t=1), lin(1, t=1), lin(2, N=1)))
        body = ("entry", "X", (lin(rng.choice((0, 0, 1)), **{new: 1}),))
        if rng.random() < 0.5:
            body = rng.choice(
                (
                    ("entry", "Z", ()),
                    ("add", body, ("entry", "Z", ())),
                    ("entry", "Y", (lin(0, **{new: 1}), lin(0, t=1))),
                )
            )
        return kind, new, low, high, body
    low = lin(rng.choice((0, 0, 1, -1)))
    ends = (lin(0, N=1), lin(0, M=1), lin(0, t=1), lin(1, t=1), lin(4), some_lin(rng, names))
    return "sum", new, low, rng.choice(ends), recipe(rng, [*names, new, new], depth - 1)


# What a recipe is worth.


def entries(name: str, spots: tuple[int, ...]) -> int:
    """The entry of an array, anywhere: no two entries have anything to do with each other."""
    return crc32(f"{name}{spots}".encode()) % 9973 + 1


LARGEST = 30_000
"""What exp is not taken beyond."""


def function(name: str, value: Any) -> Any:
    """The value of a function of which nothing is known, or 2ⁿ for exp, which takes sums to products.

    Raises:
        ZeroDivisionError: where the power of 2 is no fraction, or too large.
    """
    if name == "exp":
        if Fraction(value).denominator != 1 or abs(value) > LARGEST:
            raise ZeroDivisionError("a power of 2 that is no fraction")
        return Fraction(2) ** int(value)
    return crc32(f"{name} of {Fraction(value)}".encode()) % 9973 + 1


Entries = Callable[[str, tuple[int, ...]], Any]


def evaluated(r: Recipe, place: Place, entries: Entries = entries) -> Any:
    """Its value, exactly.

    Raises:
        ZeroDivisionError: where a denominator is 0.
    """

    def value(part: Recipe, place: Place = place) -> Any:
        return evaluated(part, place, entries)

    kind, *parts = r
    if kind == "constant":
        return parts[0]
    if kind == "entry":
        return entries(parts[0], tuple([at(e, place) for e in parts[1]]))
    if kind == "number":
        return at(parts[0], place)
    if kind == "ge":
        return int(at(parts[0], place) >= 0)
    if kind == "eq":
        return int(at(parts[0], place) == at(parts[1], place))
    if kind == "add":
        return value(parts[0], place) + value(parts[1], place)
    if kind == "mul":
        return value(parts[0], place) * value(parts[1], place)
    if kind == "inverse":
        return 1 / Fraction(at(parts[0], place))
    if kind == "quotient":
        return 1 / Fraction(value(parts[0], place))
    if kind == "function":
        return function(parts[0], value(parts[1], place))
    name, low, high, body = parts
    first, end = at(low, place), at(high, place)
    if kind == "product":
        result: Any = int(first <= end)
        for n in range(first, end):
            result = result * value(body, {**place, name: n})
        return result
    return sum(value(body, {**place, name: n}) for n in range(first, end))


# Parts, and what is put for names.


def rebuilt(r: Recipe, change: Any, linear: Any = lambda e: e) -> Recipe:
    """The recipe with its recipes changed by one function and its linear expressions by another."""
    kind, *parts = r
    if kind == "constant":
        return r
    if kind == "entry":
        return kind, parts[0], tuple(linear(e) for e in parts[1])
    if kind in ("number", "ge", "eq", "inverse"):
        return (kind, *(linear(e) for e in parts))
    if kind in ("add", "mul", "quotient"):
        return (kind, *(change(p) for p in parts))
    if kind == "function":
        return kind, parts[0], change(parts[1])
    name, low, high, body = parts
    return kind, name, linear(low), linear(high), change(body)


def put_in(r: Recipe, name: str, by: Lin) -> Recipe:
    """The recipe with a linear expression for a name that nothing in it binds."""
    return rebuilt(r, lambda p: put_in(p, name, by), lambda e: replaced(e, name, by))


def renamed(r: Recipe) -> Recipe:
    """The recipe with new names for what it sums over."""
    if r[0] in ("sum", "product"):
        kind, name, low, high, body = r
        new = fresh()
        return kind, new, low, high, renamed(put_in(body, name, lin(0, **{new: 1})))
    return rebuilt(r, renamed)


def inner(r: Recipe) -> Iterator[Recipe]:
    """The recipe and all in it."""
    yield r
    found: list[Recipe] = []
    rebuilt(r, lambda p: found.append(p) or p)
    for p in found:
        yield from inner(p)
