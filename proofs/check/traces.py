"""Written proofs of equations, checked against what a claim says now.

What is written holds its own problem: declarations, definitions, recursions and statements. It is checked by the
kernel alone, and counts for a claim only if interpreting the claim gives the very same problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..interpret.writing import problem_to
from ..kernel import index as declarations
from ..kernel.checker import Refused, check
from ..kernel.errors import NotProved
from ..kernel.index import Index, facts, ranges
from ..kernel.inequalities import implied
from ..kernel.signs import seen_sign
from ..kernel.term import EXP, INVERSE, INVERSE_NUMBER, LOG, Factor, Term, function_of
from ..kernel.theorem import Theorem

Trace = dict[str, Any]
"""A written proof, as JSON values."""
Places = Mapping[str, tuple[str, frozenset[Any]]]
"""For the name of each 1/T and log(T) which function it is of, and the ranges that it is used in."""


class OtherProblem(Refused):
    """A proof of other statements."""


class Shown(NamedTuple):
    """What a written proof shows of a claim's statements."""

    equations: tuple[Theorem, ...]
    conditional: Mapping[str, str]
    """The 1/T and log(T) that mean something under a condition only, and which function each is of."""
    divisors: frozenset[str]
    """The 1/T that were taken for inverses: T ≠ 0."""
    by_induction: bool

    logarithms: bool = False
    """Whether it takes logarithms of what is not seen to be > 0."""

    @property
    def divided(self) -> bool:
        """Whether the proof divides by something."""
        return bool(self.divisors) or INVERSE in self.conditional.values()


def places_of(names: Iterable[str]) -> Places:
    """What is noted of functions of a term, such as 1/T, by name: which function each is, and its places."""
    known = declarations.current
    return {
        name: (
            known.bodies[name].name,
            frozenset(ranges(order) for order, _ in known.places[name].values()),
        )
        for name in names
    }


def shown(statements: Sequence[tuple[Term, Term]], places: Places, trace: Any) -> Shown:
    """What a written proof shows of these statements. The kernel forgets all else that is declared.

    Raises:
        Refused: if it is about another problem, or does not show it.
        NotProved: if something is divided by 0.
    """
    problem, _ = problem_to(statements, places)
    if type(trace) is not dict or trace.get("problem") != problem:
        raise OtherProblem("it is of another problem; the claim, or its definitions, have changed")
    proved = check(trace)
    taken = conditional(places, proved.theorems)
    bodies = declarations.current.bodies
    logarithms = {n for n in proved.divisors if n in bodies and bodies[n].name == LOG}
    divisors = proved.divisors - logarithms
    return Shown(
        proved.statements,
        taken,
        frozenset(name for name in divisors if not _is_never_0(name)),
        any(theorem.proof[0] == "induction" for theorem in proved.theorems),
        not all(map(_is_of_a_positive, logarithms | {n for n in taken if taken[n] == LOG})),
    )


def _is_of_a_positive(name: str) -> bool:
    """Whether what a logarithm is taken of is seen to be > 0."""
    function = declarations.current.bodies[name]
    return seen_sign(function.body, function.arity) > 1


def conditional(places: Places, theorems: Sequence[Theorem]) -> dict[str, str]:
    """The names that mean something under a condition only, by what theorems say is their normal form.

    1/n means something for every size n ≥ 1.

    Raises:
        NotProved: if something is divided by 0, or by the number of an index that may be 0.
    """
    bodies = declarations.current.bodies
    found: dict[str, str] = {}
    for name, (function, used) in places.items():
        rules = [t for t in theorems if _speaks_of(t, name)]
        read = {ranges(rule.left.at) for rule in rules if isinstance(rule.left, Factor)}
        inside = [(f, rule) for rule in rules for m in rule.right.parts for f in m.factors]
        if not used <= read:
            found[name] = function
            continue
        for f, rule in inside:
            if f.name in bodies:
                found[f.name] = bodies[f.name].name
            elif f.name == INVERSE_NUMBER and not _is_apart(f.at[0], rule):
                raise NotProved(f"something is divided by {f.at[0]!r}, which may be 0")
    if not all(bodies[name].body for name in found if name in bodies):
        raise NotProved("something is divided by 0")
    return {name: function for name, function in found.items() if not _is_never_0(name)}


def _is_never_0(name: str) -> bool:
    """Whether what a 1/T divides by is a number, not 0, times values of exp, which are positive."""
    function = declarations.current.bodies.get(name)
    if function is None or function.name != INVERSE or len(function.body) != 1:
        return False
    ((m, _),) = function.body
    plain = m.bound == function.arity and not m.guards
    return plain and all(function_of(f) == EXP for f in m.factors)


def _speaks_of(one: Theorem, name: str) -> bool:
    """Whether a theorem is about a function at different positions, in all their ranges and nothing else."""
    left = one.left
    if not isinstance(left, Factor) or left.name != name:
        return False
    plain = all(not e.const and [c for _, c in e.terms] == [1] for e in left.at)
    return plain and len(left.variables()) == len(left.at) and left.variables() == one.over


def _is_apart(e: Index, rule: Theorem) -> bool:
    """Whether an index is ≥ 1, or ≤ −1, wherever the theorem holds."""
    known = facts(rule.over | e.variables())
    return implied(e - 1, known) or implied(-e - 1, known)
