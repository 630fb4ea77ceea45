"""A theorem in words: sizes, what names stand for, recursions, conditions, and the equations that hold.

A sum is written Σ_{j, k: conditions} with the conditions under which it counts, and [conditions] is 1 where they hold
and else 0; a sum runs over all whole numbers that meet them. `#[e]` is the number that the index e is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

from . import index as declarations
from .checker import Proved
from .index import Index, declared, name, reach, variable
from .laws import LOG
from .term import DEFINED, INVERSE, INVERSE_NUMBER, NUMBER, Factor, Monomial, Pairs, Term, body

BOUND = "jklmpqrsuvw"
"""Letters of summation indices, where no size has them; more of them are numbered."""
LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
"""Digits that no identifier has."""


def theorem(found: Proved) -> list[str]:
    """The lines that say what was proved."""
    sides = [(t.left, t.right) for t in found.statements if isinstance(t.left, Term)]
    lines = about([one for both in sides for one in both], found.divisors)
    for left, right in sides:
        free = ranges(reach(left.scope | right.scope) - declarations.current.sizes)
        lines.append(f"  ⊢ {term(left)} = {term(right)}{free}")
    return lines


def about(terms: Sequence[Term], divisors: Iterable[str]) -> list[str]:
    """The lines that say what terms mention, and that divisors are not 0."""
    known = declarations.current
    sizes = [f"{known.names[v]} ≥ {-declared(v)[0].const}" for v in sorted(known.sizes)]
    lines = [f"For all whole numbers {', '.join(sizes)}:" if sizes else "It holds that"]
    conditions = _conditions(divisors)
    spoken, recursions = _spoken(terms, [f.name for f, _ in conditions])
    for state in recursions:
        lines += [f"  {line}" for line in _recursion(state)]
    lines += [f"  {_function(one)}" for one in known.bodies if one in spoken]
    said = {LOG: "what it is the logarithm of is > 0"}
    for f, beside in conditions:
        spoken_of = {v for e in (*f.at, *beside) for v in e.variables()}
        free = ranges(reach(spoken_of) - known.sizes)
        what = said.get(known.bodies[f.name].name, "what it is the inverse of is not 0")
        lines.append(f"  {factor(f, 0)}: {what}{free}")
    return lines


def _conditions(divisors: Iterable[str]) -> list[tuple[Factor, Sequence[Index]]]:
    """The values of functions that a problem takes, where a proof rests on these, or on any that are equal to some.

    With each are the positions of which some value has to be there.
    """
    known, used = declarations.current, set(divisors)
    spoken = known.places if used - known.places.keys() else used
    every = [(one, *both) for one in sorted(spoken) for both in known.places[one].values()]
    return [(Factor(one, order), beside) for one, order, beside in every]


def _spoken(terms: Sequence[Term], names: Sequence[str]) -> tuple[set[str], list[str]]:
    """The functions of terms, and the states, that terms and these names speak of."""
    known, seen = declarations.current, set[str]()
    steps = {s.name: r for r in known.recursions for s in r.states}
    waiting = [*names, *(f.name for one in terms for m in one.parts for f in m.factors)]
    while waiting:
        one = waiting.pop()
        if one in seen:
            continue
        seen.add(one)
        if one in known.bodies:
            waiting += [f.name for m, _ in known.bodies[one].body for f in m.factors]
        elif one in steps:
            terms = (*steps[one].first, *steps[one].step)
            waiting += [f.name for t in terms for m in t.parts for f in m.factors]
            waiting += [s.name for s in steps[one].states]
    return seen, [one for one in known.states if one in seen and one in steps]


def _recursion(state: str) -> list[str]:
    made = next(r for r in declarations.current.recursions if state in {s.name for s in r.states})
    k = [s.name for s in made.states].index(state)
    begin, go = made.definitions[k]
    found = []
    for rule in (begin, go):
        free = ranges(reach(rule.over) - declarations.current.sizes)
        found.append(f"{factor(rule.left, 0)} = {term(rule.right)}{free}")  # type: ignore[arg-type]
    return found


def _function(one: str) -> str:
    function = declarations.current.bodies[one]
    at = tuple(variable(-k) for k in range(1, function.arity + 1))
    inside = _sum(body(Factor(one, at), function.arity), function.arity)
    shown = {DEFINED: inside, INVERSE: f"1/({inside})"}.get(
        function.name, f"{function.name}({inside})"
    )
    return f"{factor(Factor(one, at), function.arity)} = {shown}"


def ranges(variables: Iterable[int]) -> str:
    """The ranges of variables, in brackets after what holds in them."""
    found = []
    for v in sorted(variables):
        ends = declared(v)
        low = index(variable(v) - ends[0]) + " ≤ " if ends else ""
        high = " < " + index(ends[1] + variable(v) + 1) if len(ends) > 1 else ""
        found.append(f"{low}{letter(v)}{high}")
    return f"   ({', '.join(found)})" if found else ""


def term(one: Term) -> str:
    """A term as a reader's formula."""
    return _sum(one.parts.items(), 0)


def _sum(pairs: Pairs, outer: int) -> str:
    text = ""
    for m, c in pairs:
        sign = "−" if c < 0 else "+" if text else ""
        text += f" {sign} " if text else sign
        text += _monomial(m, abs(c), outer)
    return text or "0"


def _monomial(m: Monomial, c: Fraction, outer: int) -> str:
    guards = ", ".join(f"{index(g)} ≥ 0" for g in sorted(m.guards))
    sums = ", ".join(letter(-k) for k in range(outer + 1, m.bound + 1))
    front = f"Σ_{{{sums}: {guards}}} " if sums else f"[{guards}] " if guards else ""
    shown = " ".join(factor(f, m.bound) for f in m.factors)
    number = "" if c == 1 and (shown or front) else f"{c} "
    return f"{number}{front}{shown}".strip()


def factor(f: Factor, bound: int) -> str:
    """A factor as a reader's formula."""
    places = ", ".join(map(index, f.at))
    if f.name == NUMBER:
        return f"({places})"
    if f.name == INVERSE_NUMBER:
        return f"1/({places})"
    return f"{f.name}[{places}]" if f.at or f.name in BOUND else f.name


def index(e: Index) -> str:
    """An index as a reader's formula."""
    return linear(e, letter, "·")


def linear(e: Index, letters: Callable[[int], str], times: str = "") -> str:
    """An index, with these letters for its variables and this between a coefficient and its letter."""
    text = ""
    for v, c in e.terms:
        sign = "−" if c < 0 else "+" if text else ""
        number = "" if abs(c) == 1 else f"{abs(c)}{times}"
        text += f" {sign} {number}{letters(v)}" if text else f"{sign}{number}{letters(v)}"
    if not text:
        return str(e.const)
    return text + (f" {'−' if e.const < 0 else '+'} {abs(e.const)}" if e.const else "")


def letter(v: int) -> str:
    """Sizes have their own names; positions are numbered, since several may be called alike."""
    known = declarations.current
    if v in known.sizes:
        return name(v)
    if v > 0:
        return f"{name(v)}{str(v).translate(LOW)}"
    taken = {known.names[n] for n in known.sizes}
    letters = [one for one in BOUND if one not in taken]
    return letters[-v - 1] if -v <= len(letters) else f"j{str(-v).translate(LOW)}"
