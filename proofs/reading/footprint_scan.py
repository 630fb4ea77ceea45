"""A scan over arrays of footprints. Only what adds to its state, or forgets it, has a footprint of bounded size.

The step is run on states of which only their name is kept. A state that comes out as itself plus what has no state in
it is the sum of what was added; one that comes out without any state in it is what it was given last. Then the step is
run again with these, for the states that depend on them, and for the outputs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from scanproof.constructs.scan import Scan, leaves, map_leaves

from .affine import Affine, NotUniform, Size, of
from .footprint import Footprint, Term, add, guarded, put, total
from .footprint_array import FootprintArray
from .footprint_cells import Cell, run
from .footprint_namespace import stacked


def scan(step: Any, parameters: Any, state: Any, tokens: Any, length: Affine) -> Scan:
    """`constructs.scan.scan` on footprints.

    Raises:
        NotUniform: if a state is neither added to nor replaced.
    """
    start = [leaf.fresh() for leaf in leaves(state)]
    cell = run(length)
    time = of(cell.at)
    solved: dict[int, tuple[FootprintArray, bool]] = {}

    def run_once(before: list[FootprintArray]) -> tuple[list[FootprintArray], Any]:
        token = map_leaves(lambda leaf: leaf[Size(time)], tokens)
        held = iter(before)
        after, output = step(parameters, map_leaves(lambda _: next(held), state), token)
        return leaves(after), output

    def held(k: int, moment: Affine) -> FootprintArray:
        return _held(start[k], *solved[k], cell, moment)

    while len(solved) < len(start):
        before = [held(k, time) if k in solved else _named(s, k) for k, s in enumerate(start)]
        after, _ = run_once(before)
        found = {k: _change(start[k], a, k) for k, a in enumerate(after) if k not in solved}
        new = {k: change for k, change in found.items() if change is not None}
        if not new:
            raise NotUniform("a scan whose state is neither added to nor replaced")
        solved |= new
    _, output = run_once([held(k, time) for k in range(len(start))])
    every = range(len(start))
    through = iter([stacked(held(k, time + 1), cell) for k in every])
    last = iter([held(k, length) for k in every])
    return Scan(
        map_leaves(lambda _: next(through), state),
        map_leaves(lambda leaf: stacked(leaf, cell), output),
        map_leaves(lambda _: next(last), state),
    )


def _named(start: FootprintArray, k: int) -> FootprintArray:
    """The state itself, with its name in every entry."""
    entries: Any = np.empty(start.entries.shape, dtype=object)
    for place in np.ndindex(entries.shape):
        cells = [a[j] for a, j in zip(start.axes, place, strict=True)]
        own = tuple(c.at for c in cells if c.at is not None)
        entries[place] = Footprint(frozenset([Term(carry=(k, place, own))]))
    return FootprintArray(start.axes, entries)


def _change(
    start: FootprintArray, after: FootprintArray, k: int
) -> tuple[FootprintArray, bool] | None:
    """What is added to the state (True), or what it is replaced by (False); None if it is neither."""
    if [[c[:2] for c in a] for a in after.axes] != [[c[:2] for c in a] for a in start.axes]:
        raise NotUniform("a step that changes the shape of its state")
    after = after.fresh()
    for j, axis in enumerate(start.axes):
        after = after.at(j, axis)
    entries: Any = np.empty(after.entries.shape, dtype=object)
    kinds = set()
    for place in np.ndindex(entries.shape):
        cells = [a[j] for a, j in zip(start.axes, place, strict=True)]
        own = Term(carry=(k, place, tuple(c.at for c in cells if c.at is not None)))
        e = after.entries[place]
        rest = e.terms - {own}
        if any(t.carry is not None for t in rest):
            return None
        kinds.add(own in e.terms)
        entries[place] = replace(e, terms=rest, number=e.number if own not in e.terms else None)
        if not rest:
            entries[place] = Footprint(number=Affine(0))
    if len(kinds) != 1:
        return None
    return FootprintArray(start.axes, entries), kinds.pop()


def _held(
    start: FootprintArray, change: FootprintArray, added: bool, cell: Cell, moment: Affine
) -> FootprintArray:
    """The state before the token at `moment`, 0 ≤ moment ≤ length."""
    entries: Any = np.empty(start.entries.shape, dtype=object)
    for place in np.ndindex(entries.shape):
        first, more = start.entries[place], change.entries[place]
        if added:
            earlier = run(moment)
            entries[place] = add(
                first, total(put(more, cell.at, of(earlier.at)), earlier.at, moment)
            )
        else:
            late = guarded(put(more, cell.at, moment - 1), moment - 1)
            entries[place] = add(guarded(first, moment * -1), late)
    return FootprintArray(start.axes, entries)
