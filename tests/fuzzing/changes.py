"""Recipes rearranged, which keeps what they are worth, and changed, which mostly does not."""

import random
from fractions import Fraction

from .recipes import Recipe, added, fresh, lin, plus, put_in, rebuilt, recipe, renamed


def rearranged(r: Recipe, rng: random.Random) -> Recipe:
    """A recipe with the same value, by one law of sums, products, indicators and fractions."""
    kind = r[0]
    if kind in DEEPER and rng.random() < 0.5:
        chosen = rng.randrange(2 if kind in ("add", "mul") else 1)
        numbered = iter(range(2))

        def change(p: Recipe) -> Recipe:
            return rearranged(p, rng) if next(numbered) == chosen else p

        return rebuilt(r, change)
    return LAWS.get(kind, _of_any)(r, rng)


DEEPER = ("add", "mul", "sum", "product", "function", "quotient")


def _of_any(r: Recipe, rng: random.Random) -> Recipe:
    """r = r + s − s, r = 1 · r, and r where a guard holds plus r where it does not."""
    choice = rng.randrange(3)
    if choice == 0:
        s = recipe(rng, ["N", "M", "t"], 0)
        return "add", ("add", r, s), ("mul", ("constant", Fraction(-1)), s)
    if choice == 1:
        return "mul", ("mul", ("inverse", lin(1, t=1)), ("number", lin(1, t=1))), r
    e = lin(rng.choice((0, 1, -1)), t=1, N=-1, M=rng.choice((0, 1)))
    less = ("ge", added(lin(-1), e, -1))
    return "add", ("mul", ("ge", e), r), ("mul", less, renamed(r))


def _of_sums(r: Recipe, rng: random.Random) -> Recipe:
    _, a, b = r
    if a[0] == b[0] == "mul" and a[1] == b[1]:
        return "mul", a[1], ("add", a[2], b[2])
    if a[0] == "add":
        return "add", a[1], ("add", a[2], b)
    return "add", b, a


def _of_products(r: Recipe, rng: random.Random) -> Recipe:
    _, a, b = r
    if b[0] == "add":
        return "add", ("mul", a, b[1]), ("mul", renamed(a), b[2])
    if b[0] == "sum":
        _, name, low, high, body = b
        return "sum", name, low, high, ("mul", a, body)
    if a[0] == "mul":
        return "mul", a[1], ("mul", a[2], b)
    return "mul", b, a


def _of_totals(r: Recipe, rng: random.Random) -> Recipe:
    kind, name, low, high, body = r
    one = lin(0, **{name: 1})
    choice = rng.randrange(8)
    if choice == 0:  # the last term apart
        some = ("ge", plus(added(high, low, -1), -1))
        last = "mul", some, put_in(renamed(body), name, plus(high, -1))
        return "add", (kind, name, low, plus(high, -1), body), last
    if choice == 1:  # the range shifted
        by = rng.choice((1, -1, 2))
        return kind, name, plus(low, by), plus(high, by), put_in(body, name, plus(one, -by))
    if choice == 2:  # the range reflected
        turned = added(plus(added(low, high), -1), one, -1)
        return kind, name, low, high, put_in(body, name, turned)
    if choice == 3:  # a detour over another index
        new = fresh()
        detour = ("eq", lin(0, **{new: 1}), one), put_in(body, name, lin(0, **{new: 1}))
        return kind, name, low, high, ("sum", new, low, high, ("mul", *detour))
    if choice == 4 and body[0] == "add":
        other = renamed((kind, name, low, high, body[2]))
        return "add", (kind, name, low, high, body[1]), other
    if choice == 5 and body[0] == "sum" and name not in {**body[2][1], **body[3][1]}:
        _, second, low2, high2, core = body
        return kind, second, low2, high2, (kind, name, low, high, core)
    if choice == 6:  # the first term apart
        some = ("ge", plus(added(high, low, -1), -1))
        first = "mul", some, put_in(renamed(body), name, low)
        return "add", first, (kind, name, plus(low, 1), high, body)
    if choice == 7:  # even and odd positions apart: two axes merged into one
        half, new = fresh(), fresh()
        merged = lin(0, **{half: 2, new: 1})
        below = ("ge", plus(added(added(high, low, -1), merged, -1), -1))
        moved = put_in(body, name, added(low, merged))
        rows = lin(0), added(added(high, low, -1), lin(2))  # more rows than there are; guarded
        pair = "sum", new, lin(0), lin(2), ("mul", below, moved)
        return "sum", half, *rows, pair
    return renamed(r)


def _of_running_products(r: Recipe, rng: random.Random) -> Recipe:
    kind, name, low, high, body = r
    if rng.random() < 0.5:  # the last factor apart
        empty = "mul", ("eq", low, high), ("constant", Fraction(1))
        some = ("ge", plus(added(high, low, -1), -1))
        last = put_in(renamed(body), name, plus(high, -1))
        return "add", empty, ("mul", some, ("mul", last, (kind, name, low, plus(high, -1), body)))
    moved = put_in(body, name, lin(-1, **{name: 1}))
    return kind, name, plus(low, 1), plus(high, 1), moved


def _of_guards(r: Recipe, rng: random.Random) -> Recipe:
    return "add", ("ge", plus(r[1], -1)), ("eq", r[1], lin(0))


def _of_equations(r: Recipe, rng: random.Random) -> Recipe:
    gap = added(r[1], r[2], -1)
    return "mul", ("ge", gap), ("ge", added(lin(0), gap, -1))


def _of_numbers(r: Recipe, rng: random.Random) -> Recipe:
    e = some = r[1]
    for name, c in e[1].items():
        some = added(e, lin(0, **{name: c}), -1)
        part = "mul", ("constant", Fraction(c)), ("number", lin(0, **{name: 1}))
        return "add", ("number", some), part
    return "constant", Fraction(e[0])


def _of_quotients(r: Recipe, rng: random.Random) -> Recipe:
    """1/T = T/T², 1/T = 2/(2T), 1/(S T) = 1/S · 1/T."""
    below = r[1]
    if below[0] == "mul" and rng.random() < 0.5:
        return "mul", ("quotient", below[1]), ("quotient", below[2])
    if rng.random() < 0.5:
        twice = "mul", ("constant", Fraction(2)), below
        return "mul", ("constant", Fraction(2)), ("quotient", twice)
    return "mul", ("mul", renamed(below), r), r


LAWS = {
    "add": _of_sums,
    "mul": _of_products,
    "sum": _of_totals,
    "product": _of_running_products,
    "ge": _of_guards,
    "eq": _of_equations,
    "number": _of_numbers,
    "quotient": _of_quotients,
}


def changed(r: Recipe, rng: random.Random) -> Recipe:
    """A small change somewhere."""
    kind, *parts = r
    by = rng.choice((1, -1))
    if kind in ("add", "mul"):
        chosen = rng.randrange(2)
        return (kind, *(changed(p, rng) if n == chosen else p for n, p in enumerate(parts)))
    if kind in ("sum", "product"):
        name, low, high, body = parts
        choice = rng.randrange(4)
        if choice == 0:
            return kind, name, plus(low, by), high, body
        if choice == 1:
            return kind, name, low, plus(high, by), body
        return kind, name, low, high, changed(body, rng)
    if kind == "constant":
        return kind, parts[0] + by
    if kind == "entry":
        name, places = parts
        if not places:
            return "mul", r, r
        k = rng.randrange(len(places))
        if len(places) == 2 and rng.random() < 0.3:
            return kind, name, places[::-1]
        return kind, name, tuple(plus(e, by) if n == k else e for n, e in enumerate(places))
    if kind in ("quotient", "function"):
        return (kind, *parts[:-1], changed(parts[-1], rng))
    if kind == "inverse":
        return kind, plus(parts[0], 1)
    return (kind, plus(parts[0], by), *parts[1:])
