"""What is known while a claim is proved, besides what interpretation gave: closed forms, lemmas, their origin."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from ..interpret import session
from ..interpret.session import Session
from ..kernel import index as declarations
from ..kernel.errors import TooHard
from ..kernel.index import Index
from ..kernel.term import Factor, Term
from ..kernel.theorem import Theorem

TOO_LONG = "the search for it takes too long"
TOO_LATE = f"{TOO_LONG}, its time is over"
EFFORT = 60_000
"""One claim's search may look at monomials of so much, 1 + the square of their bound indices each."""
_allowed: ContextVar[int] = ContextVar("allowed", default=EFFORT)
_until: ContextVar[float] = ContextVar("until", default=math.inf)


@contextmanager
def allowing(effort: int, seconds: float = math.inf) -> Iterator[None]:
    """Searches that begin inside the block may take this much instead, and all of them together so many seconds."""
    tokens = _allowed.set(effort), _until.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _allowed.reset(tokens[0])
        _until.reset(tokens[1])


@dataclass
class Lemma:
    """An induction that went through."""

    when: Index
    claims: list[tuple[Factor, Term]]
    rules: list[Theorem]


@dataclass
class Proving(Session):
    """One claim's proof."""

    seen: int = 0
    """The number of its recursions for which closed forms were looked for."""
    closed: dict[str, tuple[Theorem, tuple[int, ...]]] = field(default_factory=dict)
    """For a state what it is at every time; the theorem's variables besides those of the state stand for the time."""
    kept: dict[str, tuple[Theorem, ...]] = field(default_factory=dict)
    """For a state whose entries are written once what they are before and after that."""
    unequal: set[tuple[str, str, tuple[Index, ...]]] = field(default_factory=set)
    """Names of a function's values that were tried for one and the same, and how far apart they stood."""
    exchanged: dict[str, Theorem | None] = field(default_factory=dict)
    """For a function what it is by its values where two places are exchanged; None for those that have no such form."""
    symmetries: dict[str, Sequence[Sequence[int]]] = field(default_factory=dict)
    """For a function the other orders of its places in which it is the same."""
    lookups: bool = True
    """Whether f(Σ_v zero(v − label) A(v)) is Σ_v zero(v − label) f(A(v))."""
    opened: bool = False
    """Whether sums up to a position, in what functions are taken of, are parted."""
    reduced: dict[str, list[Theorem | None]] = field(default_factory=dict)
    """For a name of a term, or of a function's values, what it is in normal form; None if it is that itself."""
    learning: set[Any] = field(default_factory=set)
    """The values of functions whose normal form is being looked for, by name and ranges."""
    learned: dict[str, dict[Any, tuple[Index, ...]]] = field(default_factory=dict)
    """Where such values were looked for that laws speak of, by name and ranges: they stay in what is not opened yet."""
    somewhere: dict[tuple[Index, Index], list[Index]] = field(default_factory=dict)
    """Positions between two ends, that stand for bound indices."""
    stated: dict[str, list[Theorem | None]] = field(default_factory=dict)
    """The same where states stay what they are, as a derivation writes them."""
    kinds: dict[Any, Any] = field(default_factory=dict)
    """For values of exp what may be known of their positions that makes them simpler (see `exponents`)."""
    split: dict[Any, Theorem | None] = field(default_factory=dict)
    """For values of exp what they are products of; None for those that stay."""
    parted: dict[str, Theorem | None] = field(default_factory=dict)
    """For a product what it is in two parts; None where that was not shown (see `factors`)."""
    starts: dict[str, Term] = field(default_factory=dict)
    """What states are at the start, in normal form, of those of which it was asked."""
    instances: dict[Factor, Factor] = field(default_factory=dict)
    """Values of functions, by the patterns of what they are taken of (see `instances`)."""
    patterns: dict[str, Theorem | None] = field(default_factory=dict)
    """For a function what it is with those in its argument by their patterns; None for those that stay."""
    powers: dict[str, Theorem | None] = field(default_factory=dict)
    """For values of exp of a logarithm what they are (see `laws`)."""
    by_guards: bool = False
    """Whether what functions are of is told apart by guards, as exp of arrays that are joined."""
    by_cases: bool = False
    """Whether what functions are of is divided into the cases that comparisons of numbers make."""
    doubled: bool = True
    """Whether sines and cosines are said by those of half the angle, where both occur."""
    anywhere: dict[str, Theorem | None] = field(default_factory=dict)
    """For inverses and softplus what they are in normal form at all whole numbers, where these are in exponents."""
    in_exponents: bool = False
    """Whether sigmoids are written as values of exp, as where products of them are sums in an exponent."""
    lemmas: list[Theorem] = field(default_factory=list)
    inductions: list[Lemma] = field(default_factory=list)
    inside: dict[Any, Any] = field(default_factory=dict)
    """For the hypotheses of an induction what functions of states are under them (see `congruences`)."""
    numbers: Any = None
    """What evaluates terms at drawn numbers (see `together`)."""
    plain: bool = False
    """Whether the states of loops are left as they are, without their closed forms."""
    columns: bool = True
    """Whether columns of rows that stay 0 are looked for one lemma deeper than all else."""
    stuck: Any = None
    """What is left over of the equation that is being shown, where lemmas are looked for."""
    left: int = field(default_factory=lambda: _allowed.get())
    """What the search may still take."""


@contextmanager
def plainly(one: Proving) -> Iterator[None]:
    """The states of loops are left as they are inside the `with` block: programs in step have no need of more."""
    before, lemmas = (one.reduced, one.starts, one.inside), one.lemmas
    one.plain, one.reduced, one.starts, one.inside = True, {}, {}, {}
    forms = {rule for rule, _ in one.closed.values()}
    one.lemmas = [rule for rule in lemmas if rule not in forms]
    try:
        yield
    finally:
        one.plain = False
        one.reduced, one.starts, one.inside = before
        one.lemmas = lemmas + [rule for rule in one.lemmas if rule not in lemmas]


def current() -> Proving:
    """The session in which proofs are searched for at present."""
    found = session.current()
    if not isinstance(found, Proving):
        raise RuntimeError("proofs are searched for inside `with proving()`")
    return found


def spend(effort: int) -> None:
    """Count what the search takes.

    Raises:
        TooHard: if there were too many, or they took too many seconds.
    """
    found = current()
    found.left -= effort
    if found.left < 0:
        raise TooHard(TOO_LONG)
    if time.monotonic() > _until.get():
        raise TooHard(TOO_LATE)


def allowed() -> int:
    """What a search that begins here may take."""
    return _allowed.get()


def spent() -> int:
    """What the search has taken so far."""
    return EFFORT - current().left


@contextmanager
def resumed(one: Proving) -> Iterator[Proving]:
    """A session whose proof is done, while its registry is still the kernel's; the search may begin again."""
    one.left = EFFORT
    with session.within(one):
        yield one


def spoken_of(name: str, session: Proving) -> frozenset[str]:
    """The states that a function of a term is taken of, also inside other functions."""
    known, found = declarations.current.bodies, set[str]()
    waiting, seen = [name], {name}
    while waiting:
        for m, _ in known[waiting.pop()].body:
            for f in m.factors:
                if f.name in session.recursions:
                    found.add(f.name)
                elif f.name in known and f.name not in seen:
                    seen.add(f.name)
                    waiting.append(f.name)
    return frozenset(found)
