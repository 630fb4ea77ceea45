"""A pair of programs that are equal, and the bugs that can be planted in them."""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable
from itertools import count
from typing import Any, NamedTuple

_numbers = count()


class Pair(NamedTuple):
    """Two programs that compute the same."""

    name: str
    shapes: str
    """The arguments as `scanproof prove --shapes` takes them."""
    left: Callable[..., Any]
    right: Callable[..., Any]
    bugs: tuple[tuple[str, str], ...]
    """(text, other text): the text stands once in the source of one of the two, and the other makes it wrong."""

    def broken(self, bug: tuple[str, str]) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """The pair with a bug planted.

        Raises:
            ValueError: if the text does not stand once in one of the two programs alone.
        """
        sources = [inspect.getsource(side) for side in (self.left, self.right)]
        counts = [source.count(bug[0]) for source in sources]
        if sorted(counts) != [0, 1]:
            raise ValueError(f"{self.name}: {bug[0]!r} stands {counts} times in the two programs.")
        which = counts.index(1)
        sides = [self.left, self.right]
        sides[which] = _compiled(sides[which], sources[which].replace(*bug))
        return sides[0], sides[1]


def _compiled(function: Callable[..., Any], source: str) -> Callable[..., Any]:
    """The function of another source, with the same globals."""
    name = f"<planted {next(_numbers)}: {function.__name__}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names = dict(vars(inspect.getmodule(function)))
    exec(compile(source, name, "exec"), names)
    return names[function.__name__]
