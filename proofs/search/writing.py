"""Writing a proof down: the problem, what the search declared, and the theorems that it rests on, as JSON values.

`kernel.checker` reads it. The notation is that of `kernel.notation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

from ..inequalities.statements import Inequality
from ..kernel import index as declarations
from ..kernel.checker import FORMAT
from ..kernel.index import Index, declared, formal, reach, variable
from ..kernel.recursion import Recursion
from ..kernel.term import INVERSE, Factor, Monomial, Term
from ..kernel.theorem import Theorem

Sides = tuple[Term, Term]


def index_to(e: Index) -> list[Any]:
    return [e.const, [[v, c] for v, c in e.terms]]


def indices_to(every: Iterable[Index]) -> list[Any]:
    return [index_to(e) for e in every]


def guards_to(guards: Iterable[Index]) -> list[Any]:
    return indices_to(sorted(guards))


def images_to(images: Mapping[int, Index]) -> list[Any]:
    return [[v, index_to(images[v])] for v in sorted(images)]


def factor_to(f: Factor) -> list[Any]:
    return [f.name, indices_to(f.at)]


def pairs_to(pairs: Iterable[tuple[Monomial, Fraction]]) -> list[Any]:
    """Monomials with their coefficients, in the order given: it says how the kernel numbers them."""
    return [
        [str(c), m.bound, guards_to(m.guards), [factor_to(f) for f in m.factors]] for m, c in pairs
    ]


def term_to(term: Term) -> list[Any]:
    return [sorted(term.scope), pairs_to(term.parts.items())]


def inequality_to(one: Inequality) -> list[Any]:
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
        self.variables |= reach(v for e in every for v, _ in e.terms if v > 0)

    def factor(self, f: Factor) -> None:
        self.indices(f.at)
        self.name(f.name)

    def name(self, name: str) -> None:
        known = declarations.current
        if name not in self.names and (name in known.bodies or name in known.states):
            self.names.add(name)
            self._waiting.append(name)

    def term(self, term: Term) -> None:
        self.variables |= reach(term.scope)
        self.pairs(term.parts)

    def inequality(self, one: Inequality) -> None:
        self.indices(map(variable, one.ends))
        self.term(one.left)
        self.term(one.right)

    def pairs(self, monomials: Iterable[Monomial]) -> None:
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
        [name, order]
        for name in known.places
        if name in spoken.names and known.bodies[name].name == INVERSE
        for order in known.places[name].values()
    ]
    for _, order in places:
        spoken.indices(order)
    sizes = [[v, known.names[v], -declared(v)[0].const] for v in sorted(known.sizes)]
    sides = statements_to(statements)
    taken = [[name, indices_to(order)] for name, order in places]
    return {"sizes": sizes, **spoken.written(), "places": taken, "statements": sides}, spoken


def statements_to(statements: Iterable[Sides]) -> list[Any]:
    return [[term_to(left), term_to(right)] for left, right in statements]


def sides_of(theorems: Iterable[Theorem]) -> list[Sides]:
    """Of theorems that are equations between terms."""
    return [(cast(Term, one.left), one.right) for one in theorems]


def proof_to(
    theorems: Sequence[Theorem], more: Iterable[Theorem] = (), names: Iterable[str] = ()
) -> dict[str, Any]:
    """The proof of these equations, of which nothing but what they, and `more`, rest on is written."""
    problem, spoken = problem_to(sides_of(theorems), names)
    return lines_to(problem, spoken, theorems, more)


def lines_to(
    problem: dict[str, Any],
    spoken: Declared,
    theorems: Sequence[Theorem],
    more: Iterable[Theorem],
    also: Callable[[Declared], None] = lambda _: None,
) -> dict[str, Any]:
    """The proof of a problem whose statements are these theorems; `also` says what is to be declared besides."""
    needed: set[Theorem] = set()
    waiting: list[Any] = [*theorems, *more]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Theorem) and one not in needed:
            needed.add(one)
            waiting += one.used
    proof = _Proof(needed, theorems)
    also(proof.all)
    return proof.written(problem, spoken)


class _Proof:
    """The lines of a proof."""

    def __init__(self, needed: set[Theorem], shown: Sequence[Theorem]) -> None:
        self.numbers: dict[Theorem, int] = {}
        self.all = Declared()
        self.lines: list[Any] = []
        done: set[int] = set()
        for theorem in declarations.current.theorems:
            kind, *proof = theorem.proof or ("",)
            if theorem not in needed or kind in (
                "equation",
                "definition",
                "unfolding",
                "hypothesis",
            ):
                continue
            if kind == "induction":
                made = proof[0]
                if id(made) not in done:
                    done.add(id(made))
                    self._induction(*made)
                self.numbers[theorem] = self.count - len(made[2]) + proof[1]
            else:
                self.numbers[theorem] = self.count
                self.count += 1
                self.all.factor(cast(Factor, theorem.left))
                self.all.term(theorem.right)
                self.lines.append(
                    [kind, factor_to(cast(Factor, theorem.left)), self._way(proof[0])]
                )
        for theorem in shown:
            self.all.term(cast(Term, theorem.left))
            self.all.term(theorem.right)
            self.lines.append(["equation", self._way(theorem.proof[1])])

    count = 0
    """How many theorems there are that are referred to by number."""

    def _induction(self, when: Index, time: Index, claims: Any, ways: Any) -> None:
        for factor, right in claims:
            self.all.factor(factor)
            self.all.term(right)
        self.all.indices([when, time])
        self.count += len(claims)
        self.lines.append(
            [
                "induction",
                index_to(when),
                index_to(time),
                [[factor_to(factor), term_to(right)] for factor, right in claims],
                [[self._way(way) for way in pair] for pair in ways],
            ]
        )

    def _way(self, way: Any) -> list[Any]:
        steps, cases = way
        found = [self._step(*step) for step in steps]
        if cases:
            found[-1] += [self._way(case) for case in cases]
        return found

    def _step(self, rule: str, *arguments: Any) -> list[Any]:
        return [rule, *_ARGUMENTS.get(rule, lambda proof, *plain: plain)(self, *arguments)]

    def image(self, e: Index) -> list[Any]:
        self.all.indices([e])
        return index_to(e)

    def images(self, images: Mapping[int, Index]) -> list[Any]:
        return [[v, self.image(images[v])] for v in sorted(images)]

    def theorem(self, one: Theorem) -> Any:
        kind, *proof = one.proof
        if kind == "unfolding":
            self.all.name(proof[0])
        if kind in ("unfolding", "definition", "hypothesis"):
            if kind == "definition":
                self.all.name(proof[0])
            return [kind, *proof]
        return self.numbers[one]

    def written(self, problem: Any, spoken: Declared) -> dict[str, Any]:
        self.all.close()
        bodies = declarations.current.bodies
        named = (self.all.names | spoken.names) & bodies.keys()
        most = max((bodies[name].arity for name in named), default=0)
        formals = [formal(k) for k in range(most)]
        self.all.indices(formals)
        more = {**self.all.written(spoken), "formals": [e.terms[0][0] for e in formals]}
        return {"format": FORMAT, "problem": problem, "declared": more, "theorems": self.lines}


_ARGUMENTS: Any = {
    "regroup": lambda proof, k, new: [k, [[guards_to(g), str(c)] for g, c in new]],
    "eliminate": lambda proof, k, v, image: [k, v, proof.image(image)],
    "rename": lambda proof, k, ways: [k, [proof.images(way) for way in ways]],
    "rewrite": lambda proof, k, place, rule, images: [
        *(k, place, proof.theorem(rule), proof.images(images))
    ],
    "split": lambda proof, guard: [proof.image(guard)],
}
"""How the arguments of rules are written that are no plain numbers."""
