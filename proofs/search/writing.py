"""Writing a proof down as JSON values: what the search declared, and the theorems that the statements rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from ..interpret.writing import (
    Declared,
    Sides,
    factor_to,
    guards_to,
    index_to,
    problem_to,
    term_to,
)
from ..kernel import index as declarations
from ..kernel.checker import FORMAT
from ..kernel.index import Index, formal
from ..kernel.term import Factor, Term
from ..kernel.theorem import Theorem


def sides_of(theorems: Iterable[Theorem]) -> list[Sides]:
    """The sides of theorems that are equations between terms."""
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
    same = _same_as_taken()
    while waiting:
        one = waiting.pop()
        if not isinstance(one, Theorem):  # a 1/T, taken for an inverse
            waiting += same.pop(one, ())
        elif one not in needed:
            needed.add(one)
            waiting += [*one.used, *(f.name for f in one.logarithms)]
            waiting += [one.left.name] if isinstance(one.left, Factor) else []
    proof = _Proof(needed, theorems)
    also(proof.all)
    return proof.written(problem, spoken)


def _same_as_taken() -> dict[str, list[Theorem]]:
    """For a 1/T or log(T) that the problem does not take the theorems by which one that it takes is equal to it.

    The kernel learns from these that T ≠ 0, or T > 0, also where no step of the proof rewrites by them.
    """
    found: dict[str, list[Theorem]] = {}
    for one in declarations.current.theorems:
        if one.proof[:1] in (("congruence",), ("law",), ("equality",)) and not one.assumed:
            for name in {f.name for m in one.right.parts for f in m.factors}:
                if name in declarations.current.derived:
                    found.setdefault(name, []).append(one)
    return found


class _Proof:
    """The lines of a proof."""

    def __init__(self, needed: set[Theorem], shown: Sequence[Theorem]) -> None:
        self.numbers: dict[Theorem, int] = {}
        self.all = Declared()
        self.lines: list[Any] = []
        done: set[int] = set()
        for theorem in declarations.current.theorems:
            kind, *proof = theorem.proof or ("",)
            within = kind in ("equation", "definition", "unfolding", "hypothesis")
            if theorem not in needed or within or theorem.assumed:
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
                told = self._told(kind, proof)
                self.lines.append([kind, factor_to(cast(Factor, theorem.left)), *told])
        for theorem in shown:
            self.all.term(cast(Term, theorem.left))
            self.all.term(theorem.right)
            self.lines.append(["equation", self._way(theorem.proof[1])])

    def _told(self, kind: str, proof: Sequence[Any]) -> list[Any]:
        if kind == "law":
            return [*proof]
        if kind == "equality":
            return [self.factor(proof[0]), self._way(proof[1])]
        return [self._way(proof[0])]

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
        written = _ARGUMENTS.get(rule, lambda proof, *plain: plain)(self, *arguments)
        return [IN_FILES.get(rule, rule), *written]

    def image(self, e: Index) -> list[Any]:
        self.all.indices([e])
        return index_to(e)

    def factor(self, f: Factor) -> list[Any]:
        self.all.factor(f)
        return factor_to(f)

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
        if one.assumed:  # it is written where it is used, under the same hypotheses
            self.all.factor(cast(Factor, one.left))
            self.all.term(one.right)
            return [kind, factor_to(cast(Factor, one.left)), self._way(proof[0])]
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


IN_FILES = {"one_point": "eliminate", "one_place": "one place"}
"""The rules that have another name in files."""
_ARGUMENTS: Any = {
    "regroup": lambda proof, k, new: [k, [[guards_to(g), str(c)] for g, c in new]],
    "one_point": lambda proof, k, v, image: [k, v, proof.image(image)],
    "divide": lambda proof, k, e, by: [k, proof.image(e), by],
    "rename": lambda proof, k, ways: [k, [proof.images(way) for way in ways]],
    "rewrite": lambda proof, k, place, rule, images: [
        *(k, place, proof.theorem(rule), proof.images(images))
    ],
    "exponents": lambda proof, k, places, new: [k, [*places], [proof.factor(f) for f in new]],
    "alike": lambda proof, k, place, new: [k, place, proof.factor(new)],
    "beside": lambda proof, k, place, other, new: [k, place, other, proof.factor(new)],
    "circle": lambda proof, k, one, other, sine: [k, one, other, proof.factor(sine)],
    "annul": lambda proof, k, place, other, which, images: [
        *(k, place, other, which, proof.images(images))
    ],
    "compare": lambda proof, k, place, others: [k, place, [[*one] for one in others]],
    "split": lambda proof, guard: [proof.image(guard)],
}
"""How the arguments of rules are written that are not plain numbers."""
