"""What the search chose, in order: recorded while a proof is found, read back in place of search.

A tape is a list of lines. A line `[kind]` begins a rewriting, and the lines after it, `[case, rule, argument, …]`, are
the rules of the kernel that were applied. What was guessed stands on a line `[kind, counts, variables, field, …]`,
before the rewritings that prove it. What a guess declares that fails is skipped: `counts` says how many variables and
arrays there were, so that all that follow have the numbers that they had.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..kernel import index as declarations
from ..kernel.errors import KernelError
from ..kernel.index import Index, position, reach
from ..kernel.recursion import new_state
from ..kernel.rules import Rewriting
from ..kernel.term import apply, as_term
from ..kernel.theorem import Theorem
from . import encoding
from .encoding import Malformed, expect

MOST = 100_000
"""No more variables or arrays than this."""
T = TypeVar("T")
Line = list[Any]
Search = Callable[[Any], None]


class TapeError(Exception):
    """A line that does not fit what is read, and why."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line
        """Its number on the tape, from 0 on."""


# Writing.


@dataclass(frozen=True)
class Entry:
    """Lines that belong together; `lasting` ones stay on the tape when the search around them fails."""

    lines: list[Line]
    lasting: bool = False


class Watched:
    """A sum that is rewritten, for all that the search can tell; each use of a rule is written down first."""

    def __init__(self, work: Rewriting, note: Callable[..., None], case: int = 0) -> None:
        self._work, self._note, self._case = work, note, case
        self._cases: list[Watched] = []

    @property
    def __class__(self) -> type:  # type: ignore[override]  `isinstance` asks for this
        return type(self._work)

    @property
    def parts(self) -> Any:
        return self._work.parts

    @property
    def cases(self) -> list[Watched]:
        return self._cases

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._work, name)
        if name not in encoding.RULES:
            return found

        def use(*arguments: Any) -> Any:
            self._note(self, name, arguments)
            result = found(*arguments)
            if name == "split":
                self._cases = self._note.split(self._work.cases)  # type: ignore[attr-defined]
            return result

        return use


class _Notes:
    """The lines of one rewriting."""

    def __init__(self, kind: str, work: Rewriting, hypotheses: Sequence[Theorem]) -> None:
        self.lines: list[Line] = [[kind]]
        self.hypotheses, self.count = hypotheses, 1
        self.root = Watched(work, self)

    def __call__(self, at: Watched, name: str, arguments: tuple[Any, ...]) -> None:
        written = encoding.arguments_to(name, arguments, self.hypotheses)
        self.lines.append([at._case, name, *written])

    def split(self, cases: Sequence[Rewriting]) -> list[Watched]:
        first, self.count = self.count, self.count + len(cases)
        return [Watched(case, self, number) for number, case in enumerate(cases, start=first)]


@dataclass
class Recorder:
    """A tape while it is written."""

    entries: list[Entry] = field(default_factory=list)
    _heads: list[Line] = field(default_factory=list)
    """The lines of guesses since the choice began; variables are declared there."""
    _choices: int = 0
    _variables: int = 0
    """Variables below this are declared by the reading."""

    @property
    def lines(self) -> list[Line]:
        return [line for entry in self.entries for line in entry.lines]

    def run(self, kind: str, work: Rewriting, search: Search, rules: Sequence[Theorem]) -> None:
        mark, notes = len(self.entries), _Notes(kind, work, rules)
        try:
            search(notes.root)
        finally:
            self._forget(mark)
        self.entries.append(Entry(notes.lines))

    def choice(self, search: Callable[[], T], again: Callable[[list[Any]], T]) -> T:
        mark, around = len(self.entries), (self._heads, self._variables)
        self._heads, self._variables = [], counts()[0]
        self._choices += 1
        try:
            result = search()
        finally:
            self._heads, self._variables = around
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
        mark, head = len(self.entries), [kind, counts(), [], *fields]
        try:
            result = make()
        except BaseException:
            self._forget(mark)
            raise
        self._heads.append(head)
        for v in reach(variables):
            if v >= self._variables:
                self._list(v)
        lines = [line for entry in self.entries[mark:] for line in entry.lines]
        self.entries[mark:] = [Entry([head, *lines], lasting=True)]
        return result

    def _list(self, v: int) -> None:
        """Declare the variable on the first line that comes after it."""
        listed = next(head[2] for head in self._heads if v < head[1][0])
        if all(one[0] != v for one in listed):
            listed.append(encoding.declaration_to(v))
            listed.sort(key=lambda one: one[0])

    def _forget(self, mark: int) -> None:
        self.entries[mark:] = [entry for entry in self.entries[mark:] if entry.lasting]


# Reading.


@dataclass
class Player:
    """A tape while it is read."""

    lines: Sequence[Line]
    """Lists that are not empty."""
    at: int = 0
    """The line to be read next."""
    failed: TapeError | None = None
    """Once a line is refused nothing more is read, whoever catches the error."""

    def run(self, kind: str, work: Rewriting, search: Search, rules: Sequence[Theorem]) -> None:
        with self._clear():
            head = self._next()
            expect(f"the line {[kind]}", head == [kind], head)
            cases = [work]
            while self._more() and type(self.lines[self.at][0]) is int:
                encoding.apply_step(self._next(), cases, rules)

    def choice(self, search: Callable[[], T], again: Callable[[list[Any]], T]) -> T:
        with self._clear():
            found: list[Any] = []
            while True:
                kind, fields = self._guess()
                if kind in ("goal", "done"):
                    expect(f"nothing more after {kind}", not fields, fields)
                    return again(found)
                made = _REDONE[kind](*fields)
                found += [] if made is None else [made]

    def lasting(
        self, kind: str, make: Callable[[], T], fields: Sequence[Any], variables: Iterable[int]
    ) -> T:
        return make()

    def check(self) -> None:
        """Raise TapeError if a line is none that a search would ever write."""
        known = ("goal", "done", *_REDONE)
        for number, line in enumerate(self.lines):
            try:
                if type(line[0]) is int:
                    encoding.check_step(line)
                elif len(line) > 1:
                    expect(f"one of {', '.join(known)}", line[0] in known, line[0])
            except (Malformed, TypeError) as error:
                raise TapeError(number, str(error)) from error

    def finish(self) -> None:
        """Raise TapeError unless all was read, and nothing refused."""
        if self.failed is not None:
            raise self.failed
        if self._more():
            raise TapeError(self.at, "the proof is complete before this line")

    def _guess(self) -> tuple[str, list[Any]]:
        line = self._next()
        expect("the line of a guess", len(line) >= 3 and type(line[0]) is str, line)
        kind, before, variables, *fields = line
        want = encoding.items(before, "counts", len(counts()))
        for one in encoding.items(variables, "declarations"):
            _declare(one)
        for have, number, skip in zip(counts(), want, _SKIP, strict=True):
            encoding.natural(number)
            expect(f"counts from {counts()} on", have <= number <= MOST, before)
            for n in range(have, number):
                skip(n)
        return kind, fields

    def _more(self) -> bool:
        return self.at < len(self.lines)

    def _next(self) -> Line:
        self.at += 1
        if self.at > len(self.lines):
            raise Malformed("the proof ends before this line")
        return self.lines[self.at - 1]

    @contextmanager
    def _clear(self) -> Iterator[None]:
        if self.failed is not None:
            raise self.failed
        try:
            yield
        except _FAULTS as error:
            kind = "" if isinstance(error, Malformed) else f"{type(error).__name__}: "
            self.failed = TapeError(self.at - 1, f"{kind}{error}")
            raise self.failed from error


_FAULTS = (
    *(Malformed, KernelError, ArithmeticError, LookupError),
    *(TypeError, ValueError, AttributeError, RecursionError),
)
"""What a line raises that does not fit."""
_REDONE: dict[str, Callable[..., Any]] = {}
_current: ContextVar[Recorder | Player | None] = ContextVar("tape", default=None)


def counts() -> list[int]:
    """How many variables and arrays are declared."""
    known = declarations.current
    return [len(known.names), len(known.states), len(known.functions)]


_SKIP: tuple[Callable[[int], Any], ...] = (
    lambda n: position("skipped"),
    lambda n: new_state("skipped", [], []),
    lambda n: apply("skipped", as_term(n), []),
)


def _declare(line: Any) -> None:
    """A variable with its number, name and range; those before it are skipped."""
    number, name, *ends = encoding.items(line, "a variable with its range", 2, 3, 4)
    have = counts()[0]
    ahead = type(number) is int and have <= number <= MOST
    expect(f"a variable's number from {have} on", ahead, number)
    for n in range(have, number):
        _SKIP[0](n)
    name, ends = encoding.name_of(name), encoding.indices_of(ends)
    if not ends:
        position(name)
    elif len(ends) == 2:
        position(name, *ends)
    else:
        expect("a lower end 0", ends == [Index(0)], line)
        position(name, 0)


# For the search.


def run(kind: str, work: Rewriting, search: Search, rules: Sequence[Theorem] = ()) -> None:
    """Rewrite by `search`, which is given the work; where a tape is read, by the rules on it instead.

    Args:
        kind: what is done, in words.
        work: what is rewritten.
        search: uses rules of the kernel on what it is given.
        rules: hypotheses that may be used.
    """
    tape = _current.get()
    search(work) if tape is None else tape.run(kind, work, search, rules)


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
