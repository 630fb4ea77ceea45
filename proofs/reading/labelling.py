"""Names for bound indices: colour refinement, then every choice inside the classes that stay alike.

The kernel asks for numberings and shifts, and checks that each is one; which ones it gets decides only what it finds.
"""

from __future__ import annotations

from ..kernel.errors import TooHard
from ..kernel.index import Index, variable
from ..kernel.term import HOLE, NUMBER, Factor, Monomial, Term

CHOICES = 150
"""More ways to number the bound indices than this are too hard."""

Label = dict[int, str]


def orders(m: Monomial) -> list[list[int]]:
    """The bound indices in the orders whose numbering makes the factors, as written, least: one a symmetry."""
    complete: list[list[int]] = []
    _number(m, {-k: "" for k in range(1, m.bound + 1)}, complete)
    best, found = None, []
    for order in complete:
        images = {v: variable(-k) for k, v in enumerate(order, start=1)}
        body = sorted(written(f.put(images)) for f in m.factors)
        if best is None or body < best:
            best, found = body, []
        if body == best:
            found.append(order)
    return found


def fences(m: Monomial) -> list[str]:
    """Its guards, to order monomials that differ in nothing else."""
    return sorted(_index(g, {}) for g in m.guards)


def anchors(m: Monomial) -> list[tuple[int, Index]]:
    """Shifts and reflections of bound indices, one after the other: the least entry with one alone has it bare."""
    free = sorted({v for f in m.factors for e in f.at for v in e.variables() if v > 0})
    found = []
    for v in range(-1, -m.bound - 1, -1):
        places = []
        for f in m.factors:
            for position, e in enumerate(f.at):
                alone = [w for w in e.variables() if w < 0 or w == HOLE] == [v]
                if alone and f.name != NUMBER and abs(e.coefficient(v)) == 1:
                    rest = e - variable(v) * e.coefficient(v)
                    order = [rest.coefficient(w) for w in free]
                    places.append((f.name, position, -e.coefficient(v), order, rest.const, e))
        if places:
            *_, least = min(places, key=lambda place: place[:-1])
            sign = least.coefficient(v)
            rest = least - variable(v) * sign
            found.append((v, (variable(v) - rest) * sign))
    return found


def written(f: Factor) -> str:
    """A factor as text."""
    return _written(f, {})


def _number(m: Monomial, colours: Label, complete: list[list[int]]) -> None:
    colours = _refined(m, colours)
    classes: dict[str, list[int]] = {}
    for v in sorted(colours):
        classes.setdefault(colours[v], []).append(v)
    alike = [c for c in sorted(classes) if len(classes[c]) > 1]
    if not alike:
        complete.append([classes[c][0] for c in sorted(classes)])
        if len(complete) > CHOICES:
            raise TooHard(f"more than {CHOICES} ways to number the bound indices of a term")
        return
    for v in classes[alike[0]]:
        _number(m, {**colours, v: colours[v] + "!"}, complete)


def _refined(m: Monomial, colours: Label) -> Label:
    while True:
        seen = {}
        for v in colours:
            marked = {**colours, v: "*"}
            around = sorted(_written(f, marked) for f in m.factors if v in f.variables())
            # Guards count too, so that indices which occur in guards only are told apart where they can be.
            fences = sorted(_index(g, marked) for g in m.guards if g.coefficient(v))
            seen[v] = f"{colours[v]};{around};{fences if not around else ''}"
        ranks = {text: f"{rank:03d}" for rank, text in enumerate(sorted(set(seen.values())))}
        if len(ranks) == len(set(colours.values())):
            return {v: ranks[text] for v, text in seen.items()}
        colours = {v: ranks[text] for v, text in seen.items()}


def _index(e: Index, label: Label) -> str:
    return ",".join([str(e.const), *sorted(f"{c}*{label.get(v, v)}" for v, c in e.terms)])


def _written(f: Factor, label: Label) -> str:
    places = [_index(e, label) for e in (*f.at, *(f.span or ()))]
    inner = "" if f.of is None else _term(f.of, label)
    return f"{f.name}{'~' if f.span else ''}{places}{inner}"


def _term(t: Term, label: Label) -> str:
    written = []
    for m, c in t.monomials.items():
        outside = {} if m.bound else label
        guards = sorted(_index(g, outside) for g in m.guards)
        written.append(f"{c}:{m.bound}{guards}{sorted(_written(f, outside) for f in m.factors)}")
    return f"<{sorted(written)}>"
