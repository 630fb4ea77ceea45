"""Writing a problem down as JSON values: statements, and all that they speak of, down to the sizes.

`kernel.checker` reads it. The notation is that of `kernel.notation`. What a certificate says of its problem is compared
with this.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from ..inequalities.statements import Inequality
from ..kernel import index as declarations
from ..kernel.index import Index, declared, reach, variable
from ..kernel.recursion import Recursion
from ..kernel.term import INVERSE, LOG, Factor, Monomial, Term

Sides = tuple[Term, Term]


def index_to(e: Index) -> list[Any]:
    """An index as a JSON value."""
    return [e.const, [[v, c] for v, c in e.terms]]


def indices_to(every: Iterable[Index]) -> list[Any]:
    """Indices as a JSON value."""
    return [index_to(e) for e in every]


def guards_to(guards: Iterable[Index]) -> list[Any]:
    """Guards as a JSON value, in order."""
    return indices_to(sorted(guards))


def factor_to(f: Factor) -> list[Any]:
    """A factor as a JSON value."""
    return [f.name, indices_to(f.at)]


def pairs_to(pairs: Iterable[tuple[Monomial, Fraction]]) -> list[Any]:
    """Monomials with their coefficients, in the order given: it says how the kernel numbers them."""
    return [
        [str(c), m.bound, guards_to(m.guards), [factor_to(f) for f in m.factors]] for m, c in pairs
    ]


def term_to(term: Term) -> list[Any]:
    """A term as a JSON value."""
    return [sorted(term.scope), pairs_to(term.parts.items())]


def inequality_to(one: Inequality) -> list[Any]:
    """An inequality as a JSON value."""
    return [one.measure, list(one.ends), term_to(one.left), term_to(one.right)]


def position_to(v: int) -> list[Any]:
    """[number, name], [number, name, low] or [number, name, low, high]."""
    ends, name = declared(v), declarations.name(v)
    if not ends:
        return [v, name]
    low = index_to(variable(v) - ends[0])
    return [v, name, low] if len(ends) == 1 else [v, name, low, index_to(ends[1] + variable(v) + 1)]


class Declared:
    """Everything that terms speak of, down to the sizes, in the order in which it was declared."""

    def __init__(self) -> None:
        self.variables: set[int] = set()
        self.names: set[str] = set()
        self.recursions: list[Recursion] = []
        self._of = {s.name: r for r in declarations.current.recursions for s in r.states}
        self._waiting: list[str] = []

    def indices(self, every: Iterable[Index]) -> None:
        """Collect what indices mention."""
        self.variables |= reach(v for e in every for v, _ in e.terms if v > 0)

    def factor(self, f: Factor) -> None:
        """Collect what a factor mentions."""
        self.indices(f.at)
        self.name(f.name)

    def name(self, name: str) -> None:
        """Collect a function or a state, whose own definition is looked at later."""
        known = declarations.current
        if name not in self.names and (name in known.bodies or name in known.states):
            self.names.add(name)
            self._waiting.append(name)

    def term(self, term: Term) -> None:
        """Collect what a term mentions."""
        self.variables |= reach(term.scope)
        self.pairs(term.parts)

    def inequality(self, one: Inequality) -> None:
        """Collect what an inequality mentions."""
        self.indices(map(variable, one.ends))
        self.term(one.left)
        self.term(one.right)

    def pairs(self, monomials: Iterable[Monomial]) -> None:
        """Collect what monomials mention."""
        for m in monomials:
            self.indices(m.guards)
            for f in m.factors:
                self.factor(f)

    def close(self) -> None:
        """Add what the names are names of."""
        known = declarations.current
        while self._waiting:
            name = self._waiting.pop()
            if name in known.bodies:
                self.pairs(m for m, _ in known.bodies[name].body)
                continue
            made = self._of.get(name)
            if made is None:
                self._state(name)
            elif made not in self.recursions:
                self.recursions.append(made)
                self.indices([made.time])
                for state in made.states:
                    self.name(state.name)
                    self.indices((*state.at, *state.given))
                for term in (*made.first, *made.step):
                    self.term(term)

    def _state(self, name: str) -> None:
        state, _ = declarations.current.states[name]
        self.indices((*state.at, *state.given))

    def written(self, but: Declared | None = None) -> dict[str, Any]:
        """What is declared here and not in `but`, which was closed."""
        known = declarations.current
        variables = self.variables - known.sizes - (but.variables if but else set())
        names = self.names - (but.names if but else set())
        recursions = [r for r in self.recursions if but is None or r not in but.recursions]
        order = {id(r): n for n, r in enumerate(known.recursions)}
        recursions.sort(key=lambda r: order[id(r)])
        states = {s.name: s for r in self.recursions for s in r.states}
        states.update({n: s for n, (s, rests) in known.states.items() if rests is None})
        return {
            "positions": [position_to(v) for v in sorted(variables)],
            "states": [
                [n, indices_to(states[n].at), indices_to(states[n].given)]
                for n in known.states
                if n in names
            ],
            "functions": [function_to(n) for n in known.bodies if n in names],
            "recursions": [
                [
                    index_to(r.time),
                    [s.name for s in r.states],
                    [term_to(t) for t in r.first],
                    [term_to(t) for t in r.step],
                ]
                for r in recursions
            ],
        }


def function_to(name: str) -> list[Any]:
    """The definition of a function of a term as a JSON value."""
    function = declarations.current.bodies[name]
    pairs = sorted(pairs_to(function.body), key=str)
    return [name, function.name, function.arity, pairs]


def problem_to(
    statements: Sequence[Sides], names: Iterable[str] = (), bounds: Iterable[Inequality] = ()
) -> tuple[dict[str, Any], Declared]:
    """Sizes, all that the statements speak of, and the statements.

    Args:
        statements: equations.
        names: of functions of terms that it is about, too: what is divided by.
        bounds: inequalities that it is about, too.
    """
    spoken = Declared()
    for side in (side for sides in statements for side in sides):
        spoken.term(side)
    for one in bounds:
        spoken.inequality(one)
    for name in sorted(names):
        spoken.name(name)
    spoken.close()
    known = declarations.current
    places = [
        [name, *both]
        for name in known.places
        if name in spoken.names and known.bodies[name].name in (INVERSE, LOG)
        for both in known.places[name].values()
    ]
    for _, order, beside in places:
        spoken.indices((*order, *beside))
    sizes = [[v, known.names[v], -declared(v)[0].const] for v in sorted(known.sizes)]
    sides = statements_to(statements)
    taken = [[name, *map(indices_to, both if both[1] else both[:1])] for name, *both in places]
    return {"sizes": sizes, **spoken.written(), "places": taken, "statements": sides}, spoken


def statements_to(statements: Iterable[Sides]) -> list[Any]:
    """Equations as a JSON value."""
    return [[term_to(left), term_to(right)] for left, right in statements]
