"""A pair of programs that are equal, and the bugs that can be planted in them."""

from __future__ import annotations

import inspect
import linecache
import re
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
        sides[which] = planted(sides[which], *bug)
        return sides[0], sides[1]


def pairs(names: dict[str, Any], text: str) -> tuple[Pair, ...]:
    """The pairs of a text, a line each with lines of bugs below it, where ⏎ is the end of a line:

    running sum = cumulated | x: T d | summed_by_steps = cumulated
        S + row → S - row

    Args:
        names: the module's, among which the functions are.
        text: name | shapes | left = right, and below it the texts and what stands there instead.
    """
    found = []
    for block in re.split(r"\n(?=\S)", text.strip()):
        head, *bugs = re.sub(r"\n +\| ", " | ", block).split("\n    ")
        name, shapes, sides = head.split(" | ")
        left, right = (names[side] for side in sides.split(" = "))
        split = (bug.replace("⏎", "\n").split("→") for bug in bugs)
        found.append(Pair(name, shapes, left, right, tuple((a[:-1], b[1:]) for a, b in split)))
    return tuple(found)


def planted(function: Callable[..., Any], text: str, other: str) -> Callable[..., Any]:
    """The function with another text in its source, and the same globals.

    Raises:
        ValueError: if the text does not stand there once.
    """
    source = inspect.getsource(function)
    if source.count(text) != 1:
        raise ValueError(f"{function.__name__}: {text!r} stands there {source.count(text)} times.")
    source = source.replace(text, other)
    name = f"<planted {next(_numbers)}: {function.__name__}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names = dict(vars(inspect.getmodule(function)))
    exec(compile(source, name, "exec"), names)
    return names[function.__name__]
