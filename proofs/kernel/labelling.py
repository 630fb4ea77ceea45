"""Bound indices renamed −1, −2, …: colour refinement, then every choice inside the classes that stay alike."""

from __future__ import annotations

from .errors import TooHard
from .index import Index, variable
from .term import Factor, Monomial, Term

CHOICES = 150
"""More ways to number the bound indices than this are too hard."""

Label = dict[int, str]


def labellings(m: Monomial) -> list[Monomial]:
    """The monomial under the numberings that make its factors, as written, least: one for each symmetry of them."""
    if not m.bound:
        return [m._replace(factors=tuple(sorted(m.factors, key=lambda f: _written(f, {}))))]
    bound = [-k for k in range(1, m.bound + 1)]
    complete: list[list[int]] = []
    _number(m, dict.fromkeys(bound, ""), complete)
    best, found = None, []
    for order in complete:
        images = {v: variable(-k) for k, v in enumerate(order, start=1)}
        new = m.put(images, m.bound)
        written = sorted((_written(f, {}), f) for f in new.factors)
        body = [w for w, _ in written]
        if best is None or body < best:
            best, found = body, []
        if body == best:
            found.append(new._replace(factors=tuple(f for _, f in written)))
    return found


def canonical(m: Monomial) -> Monomial:
    """One of the labellings, the same for every renaming of the bound indices."""
    return min(labellings(m), key=lambda n: sorted(_index(g, {}) for g in n.guards))


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
