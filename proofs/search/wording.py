"""Formulas in a program's own names: what was read of it, and what a proof leaves over.

The kernel's own words (`kernel.words`) print every declaration as it stands. Here functions stand with what they are
taken of, sums with their ranges, and letters without numbers: a few lines for whoever wrote the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction

from ..interpret.questions import Unreadable
from ..kernel import index as declarations
from ..kernel.errors import KernelError, TooHard
from ..kernel.index import Index, declared, name, variable
from ..kernel.inequalities import implied
from ..kernel.rules import Goal, definitions_of, is_place, without_names
from ..kernel.signs import RELU
from ..kernel.term import (
    DEFINED,
    INVERSE,
    INVERSE_NUMBER,
    NUMBER,
    STEP,
    Factor,
    Monomial,
    Pairs,
    Term,
    body,
    function_of,
    one_factor,
)
from ..kernel.theorem import Theorem
from ..kernel.words import linear
from ..language.partition import Split

LETTERS = "jklmnprsuvwabchixyz"
"""For summation indices, as far as nothing else is called so."""
WIDTH, LINES = 150, 6
"""A line, and the lines of one answer, are cut there."""
DEEP = 6
"""So deep functions of functions are written out."""


@dataclass
class Written:
    """What was written while somebody listened."""

    leftover: list[str] = field(default_factory=list)
    """The equation that the last search did not show, and what its names stand for."""
    proved: list[str] = field(default_factory=list)
    """What the last search proved, likewise."""
    split: Split | None = None
    """The sizes that the last search would have had to tell apart."""


_listening: ContextVar[Written | None] = ContextVar("wording", default=None)


@contextmanager
def listening() -> Iterator[Written]:
    """Searches inside the block write down what they prove, or what they leave over."""
    token = _listening.set(Written())
    try:
        yield _listening.get()  # type: ignore[misc]
    finally:
        _listening.reset(token)


def note_leftover(goal: Goal, arrays: Iterable[str]) -> str:
    """Write down what is left over for whoever listens; where nobody does, it is the answer.

    The registry is still that of the goal.
    """
    found = _listening.get()
    writer = Wording(arrays)
    sides = writer.apart(list(goal.parts.values()))
    also = sorted(goal.known - {e for v in goal.scope for e in declared(v)})
    where = ", ".join(f"{writer.index(e)} ≥ 0" for e in also)
    equation = _cut(f"{sides}{f', where {where}' if where else ''}")
    if found is None:
        states = ", ".join(line.strip().removeprefix("where ") for line in writer.about())
        return f"{equation}, where {states}" if states else equation
    found.leftover = [equation, *writer.about()]
    return ""


def note_split(error: Unreadable) -> None:
    """Write down which sizes would have to be told apart for a claim to be read."""
    found = _listening.get()
    if found is not None:
        found.split = error.split


def note_proved(
    theorems: Sequence[Theorem], arrays: Iterable[str], general: int | None = None
) -> None:
    """Write down what was proved, if somebody listens; with the last size in place of a number, where one is."""
    found = _listening.get()
    if found is not None:
        writer = Wording(arrays)
        said = [line for one in theorems for line in writer.statement(one)]
        known = declarations.current
        size = "" if general is None else known.names[max(known.sizes)]
        place = [f"for all {size} ≥ {general}, in place of {general}"] if size else []
        found.proved = [*said[:LINES], *writer.about(), *place]


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"


class Wording:
    """Formulas of the present registry, and the letters and names that they have used."""

    def __init__(self, arrays: Iterable[str]) -> None:
        known = declarations.current
        self.taken = {*arrays, *(known.names[v] for v in known.sizes)}
        self.letters: dict[int, str] = {}
        self.states: dict[str, str] = {}
        self.bound: list[str] = []

    def statement(self, theorem: Theorem) -> list[str]:
        """left = right, with the ranges of its positions; in two lines where one is too short."""
        if not isinstance(theorem.left, Term):
            return []
        free = (theorem.left.scope | theorem.right.scope) - declarations.current.sizes
        spoken = {v for t in (theorem.left, theorem.right) for m in t.parts for v in m.variables()}
        self._name(sorted(free))
        left, right = (bare(self.sum(t.parts.items(), 0)) for t in (theorem.left, theorem.right))
        where = self._ranges(sorted(free & spoken))
        if len(left) + len(right) + len(where) <= WIDTH:
            return [f"{left} = {right}{where}"]
        return [_cut(left), f"= {_cut(right)}{where}"]

    def apart(self, pairs: Pairs) -> str:
        """A sum that is to be 0 as an equation: what is added on the left, what is subtracted on the right."""
        self._name(sorted({v for m, _ in pairs for v in m.variables() if v > 0}))
        plus = [(m, c) for m, c in pairs if c > 0]
        minus = [(m, -c) for m, c in pairs if c < 0]
        return f"{self.sum(plus, 0)} = {self.sum(minus, 0)}"

    def about(self) -> list[str]:
        """What the states that were named are: their recursions."""
        found: list[str] = []
        done: set[str] = set()
        while (todo := [s for s in self.states if s not in done]) and len(found) < LINES:
            done.add(todo[0])
            found += self._recursion(todo[0])
        return found[:LINES]

    def _recursion(self, state: str) -> list[str]:
        for made in declarations.current.recursions:
            for k, one in enumerate(made.states):
                if one.name == state:
                    return [_cut(f"where {self._rule(rule)}") for rule in made.definitions[k]]
        return []

    def _rule(self, rule: Theorem) -> str:
        self._name(sorted(rule.over))
        left = self.factor(rule.left, 0) if isinstance(rule.left, Factor) else "?"
        return f"{left} = {bare(self.sum(rule.right.parts.items(), 0))}"

    def _name(self, free: Iterable[int]) -> None:
        for v in free:
            if v not in declarations.current.sizes and v not in self.letters:
                self.letters[v] = self._fresh(name(v))

    def _fresh(self, base: str, letters: str = LETTERS) -> str:
        choices = [base, *letters, *(f"{base}{k}" for k in range(2, 100))]
        found = next(c for c in choices if c not in self.taken)
        self.taken.add(found)
        return found

    def _letter(self, v: int) -> str:
        if v in declarations.current.sizes:
            return name(v)
        if v > 0:
            self._name([v])
            return self.letters[v]
        while len(self.bound) < -v:
            self.bound.append(self._fresh("j"))
        return self.bound[-v - 1]

    def index(self, e: Index) -> str:
        """An index, such as T − 1."""
        return linear(e, self._letter, "·")

    def _ranges(self, variables: Sequence[int]) -> str:
        found = []
        for v in variables:
            ends = declared(v)
            if len(ends) == 2:
                low, high = variable(v) - ends[0], ends[1] + variable(v) + 1
                low_text = "" if low == Index(0) else f"{self.index(low)} ≤ "
                found.append(f"{low_text}{self._letter(v)} < {self.index(high)}")
        return f"   ({', '.join(found)})" if found else ""

    def sum(self, pairs: Pairs, outer: int, deep: int = 0) -> str:
        """A sum of products."""
        text = ""
        for m, c in pairs:
            negative = (c < 0) ^ (sum(_is_negative(f, m.bound, deep) for f in m.factors) % 2 == 1)
            sign = "−" if negative else "+" if text else ""
            text += f" {sign} " if text else sign
            text += self._monomial(m, abs(c), outer, deep)
        return text or "0"

    def _monomial(self, m: Monomial, c: Fraction, outer: int, deep: int) -> str:
        front, rest = self._front(m, outer)
        above = [self.factor(f, m.bound, deep) for f in m.factors if not _is_below(f)]
        below = [self._inside(f, m.bound, deep) for f in m.factors if _is_below(f)]
        below = [text for text in below if text != "1"]
        shown = " ".join(above)
        if c.numerator != 1 or not shown:
            shown = f"{c.numerator} {shown}".strip()
        if c.denominator != 1:
            below.insert(0, str(c.denominator))
        if below:
            shown += f"/{below[0]}" if len(below) == 1 else f"/({' '.join(below)})"
        conditions = "".join(f"[{self._condition(g)}] " for g in rest)
        return f"{front}{conditions}{shown}"

    def _front(self, m: Monomial, outer: int) -> tuple[str, list[Index]]:
        """Σ with a range for each summation index that has one, and the conditions that are left."""
        left, text = _needed(m), []
        waiting = list(range(-outer - 1, -m.bound - 1, -1))
        while waiting:
            for v in waiting:
                alone = [
                    g for g in left if v in g.variables() and not g.variables() & {*waiting} - {v}
                ]
                low = next((g for g in alone if g.coefficient(v) == 1), None)
                high = next((g for g in alone if g.coefficient(v) == -1), None)
                if low is not None and high is not None:
                    first, last = variable(v) - low, high + variable(v)
                    from_first = "" if first == Index(0) else f"{self.index(first)} ≤ "
                    text.append(f"{from_first}{self._letter(v)}{self._up_to(last)}")
                    left = [g for g in left if g not in (low, high)]
                    waiting.remove(v)
                    break
            else:
                text += [self._letter(v) for v in waiting]
                break
        return (f"Σ[{', '.join(text)}] " if text else ""), left

    def _up_to(self, last: Index) -> str:
        """That something is at most this, as a strict inequality where that is shorter."""
        return f" < {self.index(last + 1)}" if last.const < 0 else f" ≤ {self.index(last)}"

    def _condition(self, guard: Index) -> str:
        """guard ≥ 0 with what is subtracted on the left."""
        right = Index(0, {v: c for v, c in guard.terms if c > 0})
        left = right + guard.const - guard
        if not left.terms:
            return f"{self.index(right)} ≥ {-guard.const}"
        return f"{self.index(left)}{self._up_to(right + guard.const)}"

    def factor(self, f: Factor, bound: int, deep: int = 0) -> str:
        """An entry of an array or state, a number, a function of a sum."""
        places = ", ".join(map(self.index, f.at))
        if f.name == NUMBER:
            (place,) = f.at
            alone = len(place.terms) == 1 and not place.const and place.terms[0][1] > 0
            return self.index(place) if alone else f"({places})"
        function = function_of(f)
        if function is not None and f.name in declarations.current.bodies:
            if deep >= DEEP:
                return f"{'' if function == DEFINED else function}(…)"
            inside = body(f, bound)
            if _is_negative(f, bound, deep):  # the sign stands before the product
                inside = [(m, -c) for m, c in inside]
            text = self.sum(inside, bound, deep + 1)
            if function == DEFINED:
                return text if len(inside) == 1 and not text.startswith("−") else f"({text})"
            return f"{function}({text})"
        if greatest := self._greatest(f):
            return greatest
        if "'" in f.name and f.name not in self.states:
            self.states[f.name] = self._fresh(f.name.partition("'")[0], letters="")
        shown = self.states.get(f.name, f.name)
        return f"{shown}[{places}]" if f.at else shown

    def _greatest(self, f: Factor) -> str:
        """argmax[t < n] X[i, t] for a state that is the place of a greatest entry; else nothing."""
        try:
            order, of = _rows(f.name)
        except (KernelError, LookupError, ValueError):
            return ""
        time, *others = order
        there = of.substitute(dict(zip(others, f.at[1:], strict=True)))
        return f"argmax[{self._letter(time)} < {self.index(f.at[0])}] {self.factor(there, 0)}"

    def _inside(self, f: Factor, bound: int, deep: int) -> str:
        """What a factor divides by."""
        if f.name == INVERSE_NUMBER:
            text = self.index(f.at[0])
        else:
            text = "…" if deep >= DEEP else self.sum(body(f, bound), bound, deep + 1)
        return text if text.replace("_", "").isalnum() else f"({text})"


def _rows(name: str) -> tuple[Sequence[int], Factor]:
    """The positions of a state that is the place of a greatest entry, time first, and the entry that it looks at then.

    Raises:
        KernelError, LookupError, ValueError: if it is none, or its entries are no array's.
    """
    order = declarations.current.states[name][0]
    now = Factor(name, tuple(map(variable, order)))
    after = without_names(definitions_of(name)[1].right.parts.items())
    (p,) = {f for m in after for f in m.factors} - {now, Factor(NUMBER, now.at[:1])}
    gap = without_names(body(p, 0))
    (of,), (best,) = ([m.factors for m, c in gap.items() if c == sign] for sign in (1, -1))
    (entry,), (greatest,) = of, best
    own = dict(zip(declarations.current.states[greatest.name][0], greatest.at, strict=True))
    begin, go = (one.right.substitute(own) for one in definitions_of(greatest.name))
    there = {m.factors: c for m, c in without_names(go.parts.items()).items()}
    more = next(fs for fs in there if function_of(fs[0]) == RELU)
    first = one_factor(entry.name, *entry.substitute({order[0]: Index(0)}).at)
    larger = {m.factors: c for m, c in without_names(body(*more, 0)).items()}
    if (
        not is_place(name)
        or function_of(p) != STEP
        or len(gap) != 2
        or without_names(begin.parts.items()) != {first: 1}
        or larger not in ({of: 1, best: -1}, {of: -1, best: 1})
        or there != {more: 1, (best if larger[of] == 1 else of): 1}
    ):
        raise ValueError(name)
    return order, entry


def bare(text: str) -> str:
    """The text, whose brackets are balanced, without brackets around all of it."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if not depth and place < len(text) - 1:
            return text
    return text[1:-1] if text.startswith("(") else text


def _needed(m: Monomial) -> list[Index]:
    """The guards that follow neither from the others nor from the ranges of free variables."""
    known = {e for v in m.variables() if v > 0 for e in declared(v)}
    left = sorted(m.guards)
    for g in sorted(m.guards):
        with suppress(TooHard):  # then it is said
            if implied(g, known.union(left) - {g}):
                left.remove(g)
    return left


def _is_negative(f: Factor, bound: int, deep: int) -> bool:
    """Whether it is written out as a product with a factor below 0."""
    if deep >= DEEP or function_of(f) != DEFINED or f.name not in declarations.current.bodies:
        return False
    inside = body(f, bound)
    return len(inside) == 1 and inside[0][1] < 0


def _is_below(f: Factor) -> bool:
    return f.name == INVERSE_NUMBER or function_of(f) == INVERSE
