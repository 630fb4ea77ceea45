"""What is known while a claim is read and proved: recursions, products, lemmas, and how they were found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ..kernel import index
from ..kernel.errors import TooHard
from ..kernel.index import Index
from ..kernel.recursion import Recursion
from ..kernel.term import Factor, Term
from ..kernel.theorem import Theorem

EFFORT = 50_000
"""One claim's search may look at monomials of so much, 1 + the square of their bound indices each."""


@dataclass
class Lemma:
    """An induction that went through."""

    when: Index
    claims: list[tuple[Factor, Term]]
    rules: list[Theorem]


@dataclass
class Loop:
    """A loop that was read for all its turns."""

    turns: list[Index]
    """A variable for each turn that was read; each of them stands for all."""
    ended: bool = False
    """Whether the loop ran to its end."""


@dataclass
class Session:
    """One claim's proof."""

    recursions: dict[str, tuple[Recursion, int]] = field(default_factory=dict)
    """The recursion that a state's name belongs to, and which of its states it is."""
    origins: dict[str, Callable[..., Any]] = field(default_factory=dict)
    """For a state the function whose repetition its recursion is; derivations name it."""
    products: dict[Any, Any] = field(default_factory=dict)
    ranged: set[str] = field(default_factory=set)
    """Products over a range; their second position is where it begins, the first how many factors there are."""
    waiting: list[tuple[Recursion, Index | None]] = field(default_factory=list)
    """Recursions of which no closed form was looked for yet, with the number of turns of those that are loops."""
    closed: dict[str, tuple[Theorem, tuple[int, ...]]] = field(default_factory=dict)
    """For a state what it is at every time; the theorem's variables besides those of the state stand for the time."""
    reduced: dict[str, list[Theorem | None]] = field(default_factory=dict)
    """For a name of a term, or of a function's values, what it is in normal form; None if it is that itself."""
    starts: dict[str, Term] = field(default_factory=dict)
    """What states are at the start, in normal form, of those of which it was asked."""
    lemmas: list[Theorem] = field(default_factory=list)
    inductions: list[Lemma] = field(default_factory=list)
    left: int = EFFORT
    """What the search may still take."""
    loops: list[Loop] = field(default_factory=list)
    maxima: dict[Any, Any] = field(default_factory=dict)
    """Symbols for the maxima of programs' arrays, with these arrays, by which they are found again."""
    programs: list[Any] = field(default_factory=list)
    """The JAX programs that were read, with the shapes of their arrays."""
    fits: dict[str, None] = field(default_factory=dict)
    """What has to hold of the sizes for a program's whole numbers to fit their type, in words."""
    partial: set[str] = field(default_factory=set)
    """The names of all 1/T and log(T) as read: they mean something where T ≠ 0, or T > 0, only."""
    differentiated: bool = False
    """Whether a gradient was read."""
    symbols: set[str] = field(default_factory=set)
    """The names of the claim's own arrays."""
    functions: set[str] = field(default_factory=set)
    """Functions besides 1/T that the reading took."""

    def add(
        self,
        recursion: Recursion,
        step: Callable[..., Any] | None = None,
        turns: Index | None = None,
    ) -> None:
        """Remember a recursion, and the function that it repeats so many times, if it was read from one."""
        self.waiting.append((recursion, turns))
        for k, state in enumerate(recursion.states):
            self.recursions[state.name] = recursion, k
            if step is not None:
                self.origins[state.name] = step

    def is_product(self, name: str) -> bool:
        """Whether the state has no last time, as products and powers have none."""
        recursion, _ = self.recursions[name]
        return len(index.declared(recursion.time.terms[0][0])) == 1

    def definition(self, name: str) -> Sequence[Theorem]:
        """What a state is at 0, and at time + 1."""
        recursion, k = self.recursions[name]
        return recursion.definitions[k]


_current: ContextVar[Session | None] = ContextVar("session", default=None)


def current() -> Session:
    found = _current.get()
    if found is None:
        raise RuntimeError("claims are read inside `with session()`")
    return found


def spend(effort: int) -> None:
    """Count what the search takes.

    Raises:
        TooHard: if there were too many.
    """
    found = _current.get()
    if found is not None:
        found.left -= effort
        if found.left < 0:
            raise TooHard("the search for it takes too long")


def spent() -> int:
    """What the search has taken so far."""
    found = _current.get()
    return 0 if found is None else EFFORT - found.left


@contextmanager
def resumed(one: Session) -> Iterator[Session]:
    """A session whose proof is done, while its registry is still the kernel's; the search may begin again."""
    one.left = EFFORT
    token = _current.set(one)
    try:
        yield one
    finally:
        _current.reset(token)


@contextmanager
def session() -> Iterator[Session]:
    """A fresh registry of the kernel, and a session for one claim."""
    index.start_afresh()
    new = Session()
    token = _current.set(new)
    try:
        yield new
    finally:
        _current.reset(token)
