"""What the search chose, in order: recorded while a proof is found, read back in place of search.

A tape is a list of lines. A line `[kind]` begins a rewriting, and the lines after it, `[case, rule, argument, …]`, are
the rules of the kernel that were applied. What is guessed stands on a line `[kind, counts, variables, field, …]` of its
own, before the rewritings that prove it. Whatever a guess that fails declares is skipped: `counts` says how many
variables, states and rules there were, so that all that follow have the numbers that they had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import anything, natural, position, reach
from ..kernel.rules import Rewriting
from ..kernel.term import Term, apply
from ..kernel.theorem import Rule, new_state
from . import encoding
from .encoding import Malformed

SKIPPED = 100_000
"""No more than this is skipped at a time."""
T = TypeVar("T")
Line = list[Any]


class TapeError(Exception):
    """A tape that does not fit what is read: which line, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        """Its number on the tape, from 0 on."""


@dataclass(frozen=True)
class Entry:
    """Lines that belong together; `lasting` ones stay on the tape when the search around them fails."""

    lines: list[Line]
    lasting: bool = False


def counts() -> list[int]:
    """How many variables, states and rules are declared."""
    known = declarations.current
    return [len(known.names), len(known.states), len(known.rules)]


@dataclass
class Recorder:
    """A tape while it is written."""

    entries: list[Entry] = field(default_factory=list)
    _heads: list[Line] = field(default_factory=list)
    """The lines of guesses since the outermost choice began: there its variables are declared."""
    _choices: int = 0
    _variables: int = 0
    _functions: int = 0
    """Variables and functions below these are made by the reading, or stand on the tape."""
    _numbers: dict[Rule, int] = field(default_factory=dict)

    @property
    def lines(self) -> list[Line]:
        return [line for entry in self.entries for line in entry.lines]

    def run(self, kind: str, work: Rewriting, search: Callable[[], None]) -> None:
        mark = len(self.entries)
        work.log = []
        try:
            search()
        finally:
            self._forget(mark)
        for rule in declarations.current.rules[len(self._numbers) :]:
            self._numbers[rule] = len(self._numbers)
        steps = [encoding.step_to(*step, self._numbers) for step in work.log]
        self.entries.append(Entry([[kind], *steps]))
        work.log = None

    def choice(self, search: Callable[[], T], again: Callable[[list[Any]], T]) -> T:
        mark = len(self.entries)
        if not self._choices:
            self._heads.clear()
            self._variables, self._functions = counts()[0], len(declarations.current.functions)
        self._choices += 1
        try:
            result = search()
        finally:
            self._choices -= 1
            self._forget(mark)
        if not self.entries[mark:] or self.entries[-1].lines[0][0] != "goal":
            self.entries.append(Entry([["done", counts(), []]]))
        return result

    def lasting(
        self, kind: str, make: Callable[[], T], fields: Sequence[Any], variables: Iterable[int]
    ) -> T:
        if not self._choices:
            return make()
        self._list_functions()
        mark, head = len(self.entries), [kind, counts(), [], *fields]
        try:
            result = make()
        except BaseException:
            self._forget(mark)
            raise
        self._heads.append(head)
        self._list_variables(variables)
        lines = [line for entry in self.entries[mark:] for line in entry.lines]
        self.entries[mark:] = [Entry([head, *lines], lasting=True)]
        return result

    def _list_variables(self, variables: Iterable[int]) -> None:
        """Each on the first line before which it was declared."""
        for v in reach(variables):
            if v >= self._variables:
                listed = next(head[2] for head in self._heads if v < head[1][0])
                if all(one[0] != v for one in listed):
                    listed.append(encoding.declaration_to(v))
                    listed.sort(key=lambda one: one[0])

    def _list_functions(self) -> None:
        """Functions of terms that a guess took stay, so that later ones have the numbers that they had."""
        known = list(declarations.current.functions)
        for f in known[self._functions :]:
            head = ["function", counts(), [], f.name, f.arity, encoding.pairs_to(f.body)]
            self._heads.append(head)
            self.entries.append(Entry([head], lasting=True))
        self._functions = len(known)

    def _forget(self, mark: int) -> None:
        self.entries[mark:] = [entry for entry in self.entries[mark:] if entry.lasting]


@dataclass
class Player:
    """A tape while it is read."""

    lines: Sequence[Line]
    at: int = 0
    """The line to be read next."""
    failed: TapeError | None = None
    """Once a line is refused nothing more is read, whoever caught the error."""

    def run(self, kind: str, work: Rewriting, search: Callable[[], None]) -> None:
        with self._clear():
            head = self._next()
            encoding.expect(f"the line {[kind]}", head == [kind], head)
            cases = {0: work}
            while self._more() and self.lines[self.at] and type(self.lines[self.at][0]) is int:
                encoding.apply_step(self._next(), cases)

    def choice(self, search: Callable[[], T], again: Callable[[list[Any]], T]) -> T:
        with self._clear():
            found: list[Any] = []
            while True:
                kind, fields = self._head()
                if kind in ("goal", "done"):
                    encoding.expect(f"nothing more after {kind}", not fields, fields)
                    return again(found)
                made = _REDONE[kind](*fields)
                if made is not None:
                    found.append(made)

    def lasting(
        self, kind: str, make: Callable[[], T], fields: Sequence[Any], variables: Iterable[int]
    ) -> T:
        return make()

    def finish(self) -> None:
        """Raise TapeError unless all was read, and nothing refused."""
        if self.failed is not None:
            raise self.failed
        if self._more():
            raise TapeError(self.at, "the proof is complete before this line")

    def _head(self) -> tuple[str, list[Any]]:
        line = self._next()
        encoding.expect("the line of a guess", len(line) >= 3 and type(line[0]) is str, line)
        kind, before, variables, *fields = line
        known = ("goal", "done", *_REDONE)
        encoding.expect(f"one of {', '.join(known)}", kind in known, kind)
        want = encoding.items(before, "three counts", 3)
        for variable in encoding.items(variables, "declarations"):
            _declare(variable)
        for have, number, skip in zip(counts(), want, _SKIP, strict=True):
            missing = encoding.natural(number) - have
            encoding.expect(f"counts from {counts()} on", 0 <= missing <= SKIPPED, before)
            for _ in range(missing):
                skip()
        return kind, fields

    def _more(self) -> bool:
        return self.at < len(self.lines)

    def _next(self) -> Line:
        if not self._more():
            self.at = len(self.lines) + 1
            raise Malformed("the proof ends before this line")
        self.at += 1
        return encoding.items(self.lines[self.at - 1], "a line that is a list")

    @contextmanager
    def _clear(self) -> Iterator[None]:
        if self.failed is not None:
            raise self.failed
        try:
            yield
        except TapeError:
            raise
        except _FAULTS as error:
            kind = "" if isinstance(error, Malformed) else f"{type(error).__name__}: "
            self.failed = TapeError(self.at - 1, f"{kind}{error}")
            raise self.failed from error


_FAULTS = (
    *(Malformed, KernelError, ArithmeticError, LookupError),
    *(TypeError, ValueError, AttributeError, RecursionError),
)
"""What a line can raise that does not fit."""
_REDONE: dict[str, Callable[..., Any]] = {}
_current: ContextVar[Recorder | Player | None] = ContextVar("tape", default=None)


def run(kind: str, work: Rewriting, search: Callable[[], None]) -> None:
    """Rewrite by `search`; where a tape is read, by the rules on it instead."""
    tape = _current.get()
    search() if tape is None else tape.run(kind, work, search)


def choice(search: Callable[[], T], again: Callable[[list[Any]], T]) -> T:
    """What `search` finds by guesses; where a tape is read, what `again` makes of those that are on it."""
    tape = _current.get()
    return search() if tape is None else tape.choice(search, again)


def lasting(
    kind: str, make: Callable[[], T], fields: Sequence[Any] = (), variables: Iterable[int] = ()
) -> T:
    """What `make` makes or proves for a guess; it is on the tape only if `make` does not raise.

    Where a tape is read, the function that is `redone` for its kind makes it again.

    Args:
        kind: what is made; "goal" for what the choice itself is about.
        make: makes it.
        fields: what says which one, as JSON values.
        variables: the free variables that the fields speak of.
    """
    tape = _current.get()
    return make() if tape is None else tape.lasting(kind, make, fields, variables)


def redone(kind: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorates the function that makes a guess of this kind again, from its fields as they stand on the tape."""

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        _REDONE[kind] = function
        return function

    return decorate


@contextmanager
def using(tape: Recorder | Player) -> Iterator[None]:
    """Write, or read, this tape."""
    token = _current.set(tape)
    try:
        yield
    finally:
        _current.reset(token)


def _declare(line: Any) -> None:
    """A variable with its number, name and range; those before it are skipped."""
    number, name, *ends = encoding.items(line, "a variable with its range", 2, 3, 4)
    have = counts()[0]
    in_reach = type(number) is int and 0 <= number - have <= SKIPPED
    encoding.expect(f"a variable's number from {have} on", in_reach, number)
    for _ in range(number - have):
        _SKIP[0]()
    name, ends = encoding.name_of(name), [encoding.index_of(e) for e in ends]
    if not ends:
        anything(name)
    elif len(ends) == 2:
        position(name, *ends)
    else:
        encoding.expect("a lower end 0", ends[0] == declarations.Index(0), line)
        natural(name)


_SKIP: tuple[Callable[[], Any], ...] = (
    lambda: anything("skipped"),
    lambda: new_state("skipped", [], []),
    lambda: declarations.current.rules.append(None),
)


@redone("function")
def _function(name: Any, arity: Any, body: Any) -> None:
    """A function of a term whose positions are written as bound indices."""
    free = [v for v in range(1, counts()[0]) if v not in declarations.current.sizes]
    count = encoding.natural(arity)
    encoding.expect("no more positions than variables", count <= len(free), arity)
    order = [declarations.variable(v) for v in free[:count]]
    names = {-k: e for k, e in enumerate(order, start=1)}
    pairs = {}
    for m, c in encoding.pairs_of(body).items():
        own = {-k: declarations.variable(count - k) for k in range(count + 1, m.bound + 1)}
        pairs[m.put({**names, **own}, m.bound - count)] = c
    apply(encoding.name_of(name), Term(pairs, {*free[:count], *declarations.current.sizes}), order)
