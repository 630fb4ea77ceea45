"""What is being done, in words: for whoever waits for it, and for the line that says where a limit was hit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .sizes import Sizes, by_name

Hear = Callable[[str], None]
_what = ""
_sizes: Sizes = {}
_hearing: list[Hear] = []


def begin(what: str) -> None:
    """Say what is done from now on."""
    _now(what, {})


def begin_unheard() -> None:
    """Nobody hears of this process any more, which is a copy, and nothing is done in it yet."""
    _hearing.clear()
    _now("", {})


def current() -> str:
    """What is being done, and the sizes at which it is."""
    return ", ".join(filter(None, (_what, by_name(_sizes))))


@contextmanager
def within(what: str) -> Iterator[None]:
    """Say what is done in this block."""
    with _for_a_while(what, {}):
        yield


@contextmanager
def at(sizes: Sizes) -> Iterator[None]:
    """Say that what is done is done at these sizes in this block."""
    with _for_a_while(_what, sizes):
        yield


@contextmanager
def _for_a_while(what: str, sizes: Sizes) -> Iterator[None]:
    around = _what, _sizes
    _now(what, sizes)
    try:
        yield
    except MemoryError as error:
        error.__dict__.setdefault("stage", current())
        raise
    finally:
        _now(*around)


def of(error: MemoryError) -> str:
    """At what memory ran out."""
    return error.__dict__.get("stage", current())


@contextmanager
def heard(hear: Hear) -> Iterator[None]:
    """Have it called with what is being done, whenever that changes."""
    _hearing.append(hear)
    try:
        yield
    finally:
        _hearing.remove(hear)


def _now(what: str, sizes: Sizes) -> None:
    global _what, _sizes
    _what, _sizes = what, sizes
    for hear in _hearing:
        hear(current())
