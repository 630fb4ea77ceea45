"""Checking a written proof: what is declared, and the theorems in order, each by the rules that it was shown by.

The file says which problem is solved: sizes, positions, names for terms, functions, recursions and statements. What it
declares besides can say nothing of these: every name must be new. Nothing in a file is believed: each line is a rule
of the kernel, which does it or refuses.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from . import index as declarations
from .errors import KernelError
from .files import Malformed, expect, fields_of, items
from .index import declared, pass_over, position, position_number, size, variable
from .induction import induction
from .laws import law
from .notation import (
    NUMBERED,
    factor_of,
    identifier_of,
    images_of,
    index_of,
    indices_of,
    made_name,
    name_of,
    natural,
    pairs_of,
    several,
    share_of,
    term_of,
    variable_of,
)
from .recursion import Recursion, State, new_state
from .reduction import congruence, equality, reduction, unfolding
from .rules import Goal, Rewriting, equation
from .term import Term, apply
from .theorem import Theorem

FORMAT = "scanproof.trace/1"
FAULTS = (
    Malformed,
    KernelError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
    MemoryError,
)
"""What a file raises that proves nothing."""


class Refused(Exception):
    """The proof does not show what it says, and why."""


class Proved(NamedTuple):
    """What a proof shows."""

    statements: tuple[Theorem, ...]
    """An equation for each statement of the problem, for all sizes."""
    theorems: tuple[Theorem, ...]
    """What was shown on the way."""
    divisors: frozenset[str]
    """The names of the 1/T that were taken for such: T ≠ 0 is a condition."""


def check(written: Any) -> Proved:
    """The theorems of a written proof, one for each statement of its problem.

    Args:
        written: JSON values.

    Raises:
        Refused: if it does not show them.
    """
    declarations.start_afresh()
    try:
        return _Reader().proved(written)
    except FAULTS as error:
        kind = "" if isinstance(error, Malformed | KernelError) else f"{type(error).__name__}: "
        raise Refused(f"{kind}{error}") from error


class _Reader:
    """What is known while a proof is read."""

    def __init__(self) -> None:
        self.theorems: list[Theorem] = []
        self.sizes: set[str] = set()
        self.recursions: dict[str, tuple[Recursion, int]] = {}
        self.unfolded: dict[str, Theorem] = {}

    def proved(self, written: Any) -> Proved:
        form, problem, more, lines = fields_of(written, "format", "problem", "declared", "theorems")
        expect(f"the format {FORMAT}", form == FORMAT, form)
        sizes, *own, places, statements = fields_of(
            problem,
            *("sizes", "positions", "states", "functions", "recursions", "places", "statements"),
        )
        *others, formals = fields_of(
            more, "positions", "states", "functions", "recursions", "formals"
        )
        for one in items(sizes, "sizes"):
            self._size(one)
        both = [*items(own[0], "positions"), *items(others[0], "positions")]
        for one in sorted(both, key=_number):
            self._position(one)
        for v in items(formals, "positions of definitions"):
            expect("a position without a range", not declared(variable_of(v)), v)
            expect("different positions", variable(v) not in declarations.current.formals, v)
            declarations.current.formals.append(variable(v))
        for kind, declare in enumerate((self._state, self._function, self._recursion), start=1):
            for one in (*items(own[kind], "declarations"), *items(others[kind], "declarations")):
                declare(one)
        states = {one[0] for one in own[1]}
        for one in others[3]:
            expect("states of the proof's own", states.isdisjoint(one[1]), one[1])
        for one in items(places, "where something is divided"):
            name, at, *beside = items(one, "a function and its positions", 2, 3)
            declarations.place(name_of(name), indices_of(at), *map(indices_of, beside))
        sides = several(_sides, "statements")(statements)
        shown: list[Theorem] = []
        for k, line in enumerate(items(lines, "theorems")):
            try:
                self._theorem(line, sides, shown)
            except FAULTS as error:
                raise Refused(f"theorem {k}: {error}") from error
        if len(shown) != len(sides):
            raise Refused(f"{len(shown)} of {len(sides)} statements are shown")
        return Proved(tuple(shown), tuple(self.theorems), _divisors(shown))

    # What is declared.

    def _size(self, one: Any) -> None:
        number, name, least = items(one, "a size", 3)
        self._ahead(number)
        expect("a size of another name", identifier_of(name) not in self.sizes, name)
        self.sizes.add(name)
        size(name, natural(least))

    def _position(self, one: Any) -> None:
        number, name, *ends = one
        self._ahead(number)
        position(identifier_of(name), *indices_of(ends))

    def _ahead(self, number: Any) -> None:
        expect("the number of a variable, in order", natural(number) < NUMBERED // 10, number)
        if number < len(declarations.current.names):
            raise Malformed(f"variable {number} is declared twice, or out of order")
        pass_over(number)

    def _state(self, one: Any) -> None:
        name, at, given = items(one, "a state", 3)
        new_state(made_name(name), indices_of(at), indices_of(given), name)

    def _function(self, one: Any) -> None:
        name, function, arity, pairs = items(one, "a function of a term", 4)
        order = declarations.current.formals[: natural(arity)]
        expect("as many positions for definitions", len(order) == arity, arity)
        images = {-k: e for k, e in enumerate(order, start=1)}
        parts = {}
        for m, c in pairs_of(pairs).items():
            own = m.bound - arity
            expect("positions and bound indices", own >= 0, m.bound)
            table = {**images, **{-k - arity: variable(-k) for k in range(1, own + 1)}}
            parts[m.substitute(table, own)] = c
        scope = {v for m in parts for v in m.variables() if v > 0} | {
            position_number(e) for e in order
        }
        expect("different monomials", len(parts) == len(items(pairs, "monomials")), pairs)
        kind = name_of(function)
        expect(f"a name of values of {kind}", made_name(name) == kind, name)
        apply(kind, Term(parts, scope), order, name)

    def _recursion(self, one: Any) -> None:
        time, names, first, step = items(one, "a recursion", 4)
        known = declarations.current.states
        states = [known.get(name_of(n), (None, None))[0] for n in items(names, "states")]
        expect("states without a recursion", all(isinstance(s, State) for s in states), names)
        terms = several(term_of, "terms")
        made = Recursion(index_of(time), states, terms(first), terms(step))
        expect("a term for each state", len(made.definitions) == len(states), names)
        for k, state in enumerate(made.states):
            self.recursions[state.name] = made, k

    # What is proved.

    def _theorem(self, line: Any, sides: Sequence[tuple[Term, Term]], shown: list[Theorem]) -> None:
        kind, *rest = items(line, "a theorem")
        if kind == "equation":
            (way,) = items(rest, "how it is shown", 1)
            expect("as many statements", len(shown) < len(sides), kind)
            left, right = sides[len(shown)]
            shown.append(equation(left, right, lambda goal, rules: self._walk(way, goal, rules)))
        elif kind == "induction":
            when, time, claims, ways = items(rest, "an induction", 4)
            made = [
                (factor_of(f), term_of(right))
                for f, right in (items(c, "a claim", 2) for c in items(claims, "claims"))
            ]
            expect("two ways for each claim", len(items(ways, "ways")) == len(made), ways)
            turns = iter([way for pair in ways for way in items(pair, "ways", 2)])
            self.theorems += induction(
                index_of(when),
                made,
                lambda goal, rules: self._walk(next(turns), goal, rules),
                time=index_of(time),
            )
        elif kind == "law":
            factor, which, place = items(rest, "a factor, a law and a place", 3)
            self.theorems.append(law(factor_of(factor), name_of(which), natural(place)))
        elif kind == "equality":
            one, other, way = items(rest, "two factors and how they are shown to be equal", 3)
            walk = lambda goal, rules: self._walk(way, goal, rules)  # noqa: E731
            self.theorems.append(equality(factor_of(one), factor_of(other), walk))
        else:
            expect("a kind of theorem", kind in ("reduction", "congruence"), kind)
            factor, way = items(rest, "a factor and how it is rewritten", 2)
            make = reduction if kind == "reduction" else congruence
            self.theorems.append(make(factor_of(factor), lambda work: self._walk(way, work, ())))

    def _walk(self, way: Any, work: Rewriting, hypotheses: Sequence[Theorem]) -> None:
        for step in items(way, "steps"):
            rule, *arguments = items(step, "a step")
            if rule == "split" and isinstance(work, Goal):
                guard, *ways = items(arguments, "a guard and two ways", 3)
                work.split(index_of(guard))
                for case, further in zip(work.cases, ways, strict=True):
                    self._walk(further, case, hypotheses)
            elif rule == "rewrite":
                k, place, theorem, images = items(arguments, "arguments of rewrite", 4)
                found = self._named(theorem, hypotheses)
                work.rewrite(natural(k), natural(place), found, images_of(images))
            else:
                known = type(rule) is str and rule in RULES
                expect(
                    "the name of a rule",
                    known and (rule != "clear" or isinstance(work, Goal)),
                    rule,
                )
                method, *read = RULES[rule]
                given = items(arguments, f"arguments of {rule}", len(read))
                getattr(work, method)(*(r(a) for r, a in zip(read, given, strict=True)))

    def _named(self, one: Any, hypotheses: Sequence[Theorem]) -> Theorem:
        """A theorem by its number, a definition by its name, a hypothesis by its place."""
        if type(one) is int:
            expect("the number of a theorem before", 0 <= one < len(self.theorems), one)
            return self.theorems[one]
        kind, which, *more = items(one, "a theorem", 2, 3)
        expect("a theorem's name", (len(more) == 1) == (kind in ("definition", "congruence")), one)
        if kind == "congruence":
            inside = partial(self._walk, more[0], hypotheses=hypotheses)
            return congruence(factor_of(which), inside, hypotheses)
        if kind == "hypothesis":
            expect("a hypothesis of this induction", natural(which) < len(hypotheses), which)
            return hypotheses[which]
        if kind == "unfolding":
            if name_of(which) not in self.unfolded:
                self.unfolded[which] = unfolding(which)
            return self.unfolded[which]
        expect(
            "a definition", kind == "definition" and type(more[0]) is int and more[0] in (0, 1), one
        )
        expect("a state that is defined", name_of(which) in self.recursions, which)
        recursion, k = self.recursions[which]
        return recursion.definitions[k][more[0]]


def signed_of(value: Any) -> tuple[int, int]:
    """A place and a sign."""
    place, sign = items(value, "a place with its sign", 2)
    expect("a sign", type(sign) is int and sign in (1, -1), sign)
    return natural(place), sign


RULES: dict[str, tuple[Any, ...]] = {
    "regroup": ("regroup", natural, several(share_of, "regions")),
    "eliminate": ("one_point", natural, variable_of, index_of),
    "divide": ("divide", natural, index_of, natural),
    "rename": ("rename", natural, several(images_of, "renamings")),
    "number": ("number", natural, natural),
    "count": ("count", natural, variable_of),
    "cancel": ("cancel", natural, natural, natural),
    "exponents": ("exponents", natural, several(natural, "places"), several(factor_of, "factors")),
    "alike": ("alike", natural, natural, factor_of),
    "beside": ("beside", natural, natural, natural, factor_of),
    "circle": ("circle", natural, natural, natural, factor_of),
    "root": ("root", natural, natural),
    "one place": ("one_place", natural, natural, variable_of),
    "annul": ("annul", natural, natural, natural, natural, images_of),
    "clear": ("clear", natural, natural),
    "compare": ("compare", natural, natural, several(signed_of, "places with signs")),
    "cover": ("cover", natural, natural, natural),
    "vanish": ("vanish", natural, natural, natural),
}
"""The rules but `split` and `rewrite`, by their names in files: the method, and what reads its arguments."""


def _number(one: Any) -> int:
    return natural(items(one, "a position with its range", 2, 3, 4)[0])


def _sides(value: Any) -> tuple[Term, Term]:
    left, right = items(value, "two sides", 2)
    return term_of(left), term_of(right)


def _divisors(shown: Sequence[Theorem]) -> frozenset[str]:
    """The divisors of all that the theorems rest on."""
    found: set[str] = set()
    seen: set[Theorem] = set()
    waiting: list[Any] = [one for theorem in shown for one in theorem.used]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            found.add(one)
        elif one not in seen:
            seen.add(one)
            waiting += one.used
    return frozenset(found)
