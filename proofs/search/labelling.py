"""Names for bound indices: colour refinement, then every choice inside the classes that stay alike.

Monomials that differ in the names of their bound indices only are to become the same one.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..interpret.products import PRODUCT
from ..kernel.errors import TooHard
from ..kernel.index import Index, variable
from ..kernel.term import EXP, NUMBER, Monomial

CHOICES = 150
"""More ways to number the bound indices than this are too hard."""

GROWN = (f"{EXP}'", f"{PRODUCT}'")
"""What powers and products of exponentials are called: where they stand is left to what they are multiplied by."""
APART = 10**9
"""Free variables with numbers above this stand for bound indices that are distinguished."""
Label = dict[int, int]
Way = dict[int, Index]


@lru_cache(maxsize=50_000)
def ways(m: Monomial) -> tuple[Way, ...]:
    """Renamings of the bound indices that make the factors, as written, least: one for each symmetry.

    Each index is shifted or reflected first, so that the least entry with it alone has it bare.
    """
    if not m.bound:
        return ()
    shifts = _anchors(m)
    moved = m.substitute(shifts, m.bound) if shifts else m
    found: list[Way] = []
    for order in _orders(moved):
        names = {v: variable(-k) for k, v in enumerate(order, start=1)}
        found.append({v: shifts.get(v, variable(v)).substitute(names) for v in names})
    if len(found) > 1:  # their guards order monomials that differ in nothing else
        found.sort(key=lambda way: sorted(m.substitute(way, m.bound).guards))
    return tuple(found)


def _orders(m: Monomial) -> list[list[int]]:
    if m.bound == 1:
        return [[-1]]
    complete: list[list[int]] = []
    _number(m, dict.fromkeys(range(-1, -m.bound - 1, -1), 0), complete)
    if len(complete) == 1:
        return complete
    best, found = None, []
    for order in complete:
        images = {v: variable(-k) for k, v in enumerate(order, start=1)}
        body = m.substitute(images, m.bound).factors
        if best is None or body < best:
            best, found = body, []
        if body == best:
            found.append(order)
    return found


def _anchors(m: Monomial) -> Way:
    """Shifts and reflections, all at once: the least entry with one bound index alone has it bare."""
    found: Way = {}
    for v in range(-1, -m.bound - 1, -1):
        places = []
        for f in m.factors:
            for place, e in enumerate(f.at):
                own = [(w, c) for w, c in e.terms if w < 0]
                if len(own) == 1 and own[0][0] == v and abs(own[0][1]) == 1 and f.name != NUMBER:
                    rest = Index(e.const, {w: c for w, c in e.terms if w != v})
                    last = f.name.startswith(GROWN)
                    places.append(((last, f.name, place, -own[0][1], rest), rest, own[0][1]))
        if places:
            _, rest, sign = min(places, key=lambda found: found[0])
            if rest.const or rest.terms or sign < 0:
                found[v] = (variable(v) - rest) * sign
    return found


def _number(m: Monomial, colours: Label, complete: list[list[int]]) -> None:
    colours = _refined(m, colours)
    classes: dict[int, list[int]] = {}
    for v, colour in colours.items():
        classes.setdefault(colour, []).append(v)
    alike = [c for c in sorted(classes) if len(classes[c]) > 1]
    if not alike:
        complete.append([classes[c][0] for c in sorted(classes)])
        if len(complete) > CHOICES:
            raise TooHard(f"more than {CHOICES} ways to number the bound indices of a term")
        return
    singled = {c[0]: colour for colour, c in classes.items() if len(c) == 1}
    for v in _different(m, classes[alike[0]], singled):
        # Doubled, so that there is room for the chosen one before the others of its class.
        split = {w: 2 * c + (w != v and c == alike[0]) for w, c in colours.items()}
        _number(m, split, complete)


def _different(m: Monomial, alike: list[int], singled: Label) -> list[int]:
    """One of those that stand in the same way in parts of the monomial that are equal and share no index.

    Indices that are distinguished already, by the colours `singled`, link nothing: they are as good as free.
    """
    named = m.substitute({v: variable(APART + colour) for v, colour in singled.items()}, m.bound)
    found: dict[Any, int] = {}
    for v in alike:
        part = _connected(named, v)
        whole = len(part) == m.bound - len(singled)
        found.setdefault(v if whole else _signature(named, v, part), v)
    return list(found.values())


def _connected(m: Monomial, v: int) -> set[int]:
    """The bound indices that factors and guards link to this one."""
    part, waiting = {v}, [v]
    links = [{w for w in one.variables() if w < 0} for one in (*m.factors, *m.guards)]
    while waiting:
        w = waiting.pop()
        new = {u for link in links if w in link for u in link} - part
        part |= new
        waiting += new
    return part


def _signature(m: Monomial, v: int, part: set[int]) -> tuple:
    """What the part looks like from v, whatever its indices are called."""
    names = {w: variable(-k) for k, w in enumerate([v, *sorted(part - {v})], start=1)}
    guards = frozenset(g.substitute(names) for g in m.guards if part & g.variables())
    factors = [f.substitute(names) for f in m.factors if part & f.variables()]
    alone = Monomial(len(part), guards, tuple(sorted(factors)))
    complete: list[list[int]] = []
    _number(alone, {w: int(w != -1) for w in range(-len(part), 0)}, complete)
    looks = []
    for order in complete:
        images = {w: variable(-k) for k, w in enumerate(order, start=1)}
        moved = alone.substitute(images, alone.bound)
        looks.append((moved.factors, tuple(sorted(moved.guards))))
    return min(looks)


def _refined(m: Monomial, colours: Label) -> Label:
    if len(colours) == 1:
        return dict.fromkeys(colours, 0)
    mentions = {v: [f for f in m.factors if v in f.variables()] for v in colours}
    fences = {v: [g for g in m.guards if g.coefficient(v)] for v in colours if not mentions[v]}
    count = len(set(colours.values()))
    while True:
        seen = {}
        for v in colours:
            around = sorted(
                (f.name, [_seen_index(e, v, colours) for e in f.at]) for f in mentions[v]
            )
            # Guards count for indices which occur in guards only, so that they are distinguished where they can be.
            guards = sorted(_seen_index(g, v, colours) for g in fences.get(v, ()))
            seen[v] = (colours[v], around, guards)
        ranks: Label = {}
        ordered = sorted(seen, key=lambda v: seen[v])
        rank = -1
        for n, v in enumerate(ordered):
            if not n or seen[v] != seen[ordered[n - 1]]:
                rank += 1
            ranks[v] = rank
        if rank + 1 == count:
            return ranks
        colours, count = ranks, rank + 1


def _seen_index(e: Index, v: int, colours: Label) -> tuple:
    return e.const, sorted(
        (w if w > 0 else -1 if w == v else -2 - colours[w], c) for w, c in e.terms
    )
