"""What rewritten code calls: loops of Python over sizes, each as one `scan` of PyTorch's graph.

A loop is first run as it is, at example sizes, to see what its turns do with names and tensors from before: which are
given other values, and which are written in place. Where its number of turns is a symbol, these are the loop's states.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from typing import Any

from ...interpret.questions import place
from ..loops.items import UNBOUND, Items, Listed, collecting, last_of, value_of
from .observing import Seen, Snapshot, key_of
from .refusal import beside
from .tensors import TENSORS, is_symbol, real, root, whole
from .turns import APART, SizedLoop, kept_before, running


def loop(
    given: Any,
    body: Callable[..., Any],
    names: tuple[str, ...],
    values: tuple[Callable[[], Any], ...],
    first: tuple[str, ...],
    later: tuple[str, ...],
) -> tuple[Any, ...]:
    """A `for` statement: the values of the names after it.

    Args:
        given: what it goes through.
        body: one turn, of its item and the values of the names.
        names: those that the body speaks of.
        values: what they stand for before.
        first: those that each turn gives a value before it reads them.
        later: those that are read outside of the loop.
    """
    before = tuple(map(value_of, values))
    now = running()
    items = TENSORS.items_of(given) if now.tracing else None
    if items is None or not is_symbol(items.length):
        turns = given if items is None else _each(items)
        if not now.tracing:
            for one in now.running:
                now.seen[one].around = True
            now.seen.setdefault(key_of(body), Seen())
            now.running.append(key_of(body))
        for k, item in enumerate(turns):
            start = kept = None
            if not now.tracing:
                start = Snapshot(names, before)
                lists = [one for one in before if isinstance(one, list)]
                kept = kept_before(body, names, before, lists)
            after = body(item, *before)
            if start is not None and kept is not None:
                seen = now.seen[key_of(body)]
                start.note(seen, after)
                seen.changed = seen.changed or start.change(seen, kept, place(beside()), k < APART)
            before = after
        if not now.tracing:
            now.running.pop()
        return before
    return SizedLoop(now, items, body, names, before, first, later).run()


def _each(items: Items) -> Iterator[Any]:
    return (items.item(k, items.parts) for k in builtins.range(int(items.length)))


NAMES = {
    "loop": loop,
    "each": collecting(loop),
    "unbound": UNBOUND,
    "listed": Listed,
    "last": last_of,
    "root": root,
    "float": real,
    "int": whole,
    **TENSORS.functions,
}
"""What rewritten code calls."""
