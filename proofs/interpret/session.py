"""What is known of a claim while it is read: recursions, products, programs, and what is to be taken for granted.

What is found while it is proved is not here: trusted code does not look at it (`search.session`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ..kernel import index
from ..kernel.index import Index
from ..kernel.recursion import Recursion
from ..kernel.rules import Rewriting, has_values
from ..kernel.theorem import Theorem

Simplifier = Callable[[Rewriting, bool], None]
"""Brings a sum nearer to a normal form, with closed forms for states if these are wanted.

It is handed in by whoever reads, and not trusted: see `simplifying`.
"""


@dataclass
class Session:
    """What is known while one claim is interpreted."""

    simplifier: Simplifier = lambda work, closed: None

    recursions: dict[str, tuple[Recursion, int]] = field(default_factory=dict)
    """The recursion that a state's name belongs to, and which of its states it is."""
    origins: dict[str, Callable[..., Any]] = field(default_factory=dict)
    """For a state the function whose repetition its recursion is; derivations name it."""
    products: dict[Any, Any] = field(default_factory=dict)
    ranged: set[str] = field(default_factory=set)
    """Products over a range; their second position is where it begins, the first how many factors there are."""
    made: list[tuple[Recursion, Index | None]] = field(default_factory=list)
    """All recursions in the order of their definition, with the number of turns of those that are loops."""
    maxima: dict[Any, Any] = field(default_factory=dict)
    """Symbols for the maxima of programs' arrays, with these arrays, by which they are found again."""
    programs: list[Any] = field(default_factory=list)
    """The programs that a claim's body called, as they were recorded (`doors.jaxpr.programs.Lowered`)."""
    fits: dict[Any, None] = field(default_factory=dict)
    """What has to hold of the sizes for programs' whole numbers to fit their type (`statement.statement.Fit`)."""
    taken: dict[str, None] = field(default_factory=dict)
    """What else is taken for granted of programs, in words."""
    partial: set[str] = field(default_factory=set)
    """The names of all 1/T and log(T) as read: they mean something where T ≠ 0, or T > 0, only."""
    differentiated: bool = False
    """Whether a gradient was read."""
    symbols: set[str] = field(default_factory=set)
    """The names of the claim's own arrays."""
    functions: set[str] = field(default_factory=set)
    """Functions besides 1/T that the interpretation took."""
    around: tuple[Index, ...] = ()
    """Positions around what is being read of which there may be none: along axes of its array, in loops around it."""
    depth: int = 0
    """Of how many recursions a step is being read, one inside the other."""

    def add(
        self,
        recursion: Recursion,
        step: Callable[..., Any] | None = None,
        turns: Index | None = None,
    ) -> None:
        """Remember a recursion, and the function that it repeats with the number of times, if it was read from one."""
        self.made.append((recursion, turns))
        for k, state in enumerate(recursion.states):
            self.recursions[state.name] = recursion, k
            if step is not None:
                self.origins[state.name] = step

    @contextmanager
    def among(self, *positions: Index) -> Iterator[None]:
        """What is read inside the block is there for values of these positions alone."""
        before = self.around
        self.around += tuple(e for e in positions if not has_values(e.terms[0][0]))
        try:
            yield
        finally:
            self.around = before

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
    """The session in which claims are interpreted at present."""
    found = _current.get()
    if found is None:
        raise RuntimeError("claims are read inside `with session()`")
    return found


@contextmanager
def within(one: Session) -> Iterator[None]:
    """Reading goes on in this session; its registry must be the kernel's."""
    token = _current.set(one)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def session(new: Session | None = None) -> Iterator[Session]:
    """A fresh registry of the kernel, and a session for one claim."""
    index.start_afresh()
    new = Session() if new is None else new
    with within(new):
        yield new


Sessions = Callable[[], AbstractContextManager[Session]]
"""Opens a session: that in which proofs are searched for reads more programs than one without a simplifier."""
