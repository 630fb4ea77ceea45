"""What the search chose, as JSON values, and back. Reading is strict: nothing is converted, nothing is guessed.

An index is `[const, [[variable, coefficient], …]]`, a coefficient of a term "p/q", a factor `[name, [index, …]]`, a
monomial with its coefficient `["p/q", bound, [guard, …], [factor, …]]`, images for variables `[[variable, index], …]`,
a theorem what it is: `["definition", state, 0 or 1]`, `["lemma", number]` or `["hypothesis", number]`. Lists that stand
for sets or mappings are sorted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, cast

from ..kernel import index as declarations
from ..kernel.index import Index, declared, variable
from ..kernel.rules import Goal, Rewriting
from ..kernel.term import Factor, Monomial, Term
from ..kernel.theorem import Theorem
from .session import Session, current

LARGEST = 10**15
"""No whole number in a proof exceeds this."""
NUMBERED = 10**6
"""No variable, monomial, place or rule has a number beyond this."""
FRACTION = re.compile(r"-?[0-9]{1,400}(/[0-9]{1,400})?")
NAME = 200
"""The longest name."""


class Malformed(Exception):
    """A value that is not what it should be."""


Decode = Callable[[Any], Any]


# Writing.


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


def declaration_to(v: int) -> list[Any]:
    """A variable that is no size, with its range: [number, name], [number, name, low] or [number, name, low, high]."""
    ends, name = declared(v), declarations.name(v)
    if not ends:
        return [v, name]
    low = index_to(variable(v) - ends[0])
    return [v, name, low] if len(ends) == 1 else [v, name, low, index_to(ends[1] + variable(v) + 1)]


def theorem_to(rule: Theorem, hypotheses: Sequence[Theorem]) -> list[Any]:
    session, state = current(), cast(Factor, rule.left).name
    if state in session.recursions and rule in session.definition(state):
        return ["definition", state, session.definition(state).index(rule)]
    lemmas = _lemmas(session)
    if rule in lemmas:
        return ["lemma", lemmas.index(rule)]
    return ["hypothesis", list(hypotheses).index(rule)]


def _lemmas(session: Session) -> list[Theorem]:
    return [rule for lemma in session.inductions for rule in lemma.rules]


def arguments_to(name: str, arguments: tuple[Any, ...], hypotheses: Sequence[Theorem]) -> list[Any]:
    """What a rule of the kernel was told."""
    write: dict[str, Callable[..., list[Any]]] = {
        "regroup": lambda k, new: [k, [[guards_to(g), str(c)] for g, c in new]],
        "eliminate": lambda k, v, image: [k, v, index_to(image)],
        "rename": lambda k, ways: [k, [images_to(way) for way in ways]],
        "rewrite": lambda k, place, rule, images: [
            *(k, place, theorem_to(rule, hypotheses), images_to(images))
        ],
        "split": lambda guard: [index_to(guard)],
    }
    return write.get(name, lambda *plain: list(plain))(*arguments)


# Reading.


def expect(what: str, held: bool, got: Any) -> None:
    if not held:
        text = repr(got)
        raise Malformed(f"expected {what}, got {text if len(text) <= 60 else text[:57] + '…'}")


def items(value: Any, what: str, *counts: int) -> list[Any]:
    """A list, of one of these lengths if any are given."""
    expect(what, type(value) is list and (not counts or len(value) in counts), value)
    return value


def whole(value: Any) -> int:
    expect("a whole number", type(value) is int and -LARGEST <= value <= LARGEST, value)
    return value


def natural(value: Any) -> int:
    expect("a number ≥ 0", type(value) is int and 0 <= value <= NUMBERED, value)
    return value


def name_of(value: Any) -> str:
    expect("a name", type(value) is str and 0 < len(value) <= NAME, value)
    return value


def variable_of(value: Any) -> int:
    """The number of a bound variable, or of a free one that is declared."""
    known = len(declarations.current.names)
    what = "a bound variable or a declared one"
    expect(what, type(value) is int and value != 0 and -NUMBERED <= value < known, value)
    return value


def index_of(value: Any) -> Index:
    const, terms = items(value, "an index", 2)
    found: dict[int, int] = {}
    for one in items(terms, "an index's terms"):
        v, c = items(one, "a variable with its coefficient", 2)
        rising = not found or variable_of(v) > max(found)
        expect("an index's variables in order", rising and whole(c) != 0, value)
        found[variable_of(v)] = c
    return Index(whole(const), found)


def several(one: Decode, what: str) -> Decode:
    return lambda value: [one(v) for v in items(value, what)]


indices_of = several(index_of, "a list of indices")
naturals_of = several(natural, "a list of numbers")


def fraction_of(value: Any) -> Fraction:
    expect(
        "a rational number 'p/q'",
        type(value) is str and FRACTION.fullmatch(value) is not None,
        value,
    )
    try:
        found = Fraction(value)
    except ZeroDivisionError:
        raise Malformed(f"the denominator of {value[:60]} is 0") from None
    expect("a rational number in lowest terms", str(found) == value, value)
    return found


def images_of(value: Any) -> dict[int, Index]:
    found: dict[int, Index] = {}
    for one in items(value, "images for variables"):
        v, e = items(one, "a variable with its image", 2)
        expect("images in order", not found or variable_of(v) > max(found), value)
        found[variable_of(v)] = index_of(e)
    return found


def factor_of(value: Any) -> Factor:
    name, at = items(value, "a factor", 2)
    return Factor(name_of(name), tuple(indices_of(at)))


def pairs_of(value: Any) -> dict[Monomial, Fraction]:
    found: dict[Monomial, Fraction] = {}
    for one in items(value, "monomials"):
        c, bound, guards, factors = items(one, "a monomial with its coefficient", 4)
        inside = tuple(several(factor_of, "factors")(factors))
        m = Monomial(natural(bound), frozenset(indices_of(guards)), inside)
        ordered = inside == tuple(sorted(inside))
        expect("different monomials, their factors in order", ordered and m not in found, one)
        found[m] = fraction_of(c)
    return found


def term_of(value: Any) -> Term:
    """The kernel's own constructor checks its scope, and that its sums are finite."""
    scope, parts = items(value, "a term", 2)
    free = several(variable_of, "a term's scope")(scope)
    expect("a term's scope in order", free == sorted(set(free)), scope)
    return Term(pairs_of(parts), free)


def theorem_of(value: Any, hypotheses: Sequence[Theorem]) -> Theorem:
    kind, *which = items(value, "a theorem", 2, 3)
    session = current()
    if kind == "definition" and len(which) == 2:
        state, place = which
        known = type(state) is str and state in session.recursions
        expect("a state that is defined, 0 or 1", known and place in (0, 1), value)
        return session.definition(state)[natural(place)]
    rules = (
        {"lemma": _lemmas(session), "hypothesis": list(hypotheses)}.get(kind)
        if type(kind) is str
        else None
    )
    if rules is None or len(which) != 1:
        raise Malformed(f"{value!r} is no theorem")
    expect(f"a {kind}'s number below {len(rules)}", natural(which[0]) < len(rules), value)
    return rules[which[0]]


def _piece(value: Any) -> tuple[list[Index], Fraction]:
    guards, c = items(value, "guards with their coefficient", 2)
    return indices_of(guards), fraction_of(c)


_THEOREM: Decode = lambda value: value  # noqa: E731  read when it is known which hypotheses there are
RULES: dict[str, tuple[type[Rewriting], tuple[Decode, ...]]] = {
    "regroup": (Rewriting, (natural, several(_piece, "regions"))),
    "eliminate": (Rewriting, (natural, variable_of, index_of)),
    "rename": (Rewriting, (natural, several(images_of, "renamings"))),
    "number": (Rewriting, (natural, natural)),
    "count": (Rewriting, (natural, variable_of)),
    "rewrite": (Rewriting, (natural, natural, _THEOREM, images_of)),
    "cancel": (Rewriting, (natural, natural, natural)),
    "split": (Goal, (index_of,)),
    "clear": (Goal, (natural, natural)),
}
"""Every method of the kernel that a proof file can call, with what it is called on and its arguments."""


def check_step(step: list[Any]) -> None:
    """Refuse what is no rule's use whatever it is used on."""
    expect("a rule's use", len(step) >= 2, step)
    _, name, *arguments = step
    expect("the name of a rule", type(name) is str and name in RULES, name)
    count = len(RULES[name][1])
    expect(f"{count} arguments of {name}", len(arguments) == count, arguments)


def apply_step(step: list[Any], cases: list[Rewriting], hypotheses: Sequence[Theorem]) -> None:
    """One rule's use, `[case, rule, argument, …]`; cases that it makes are added.

    Raises:
        Malformed: if it is no use of a rule.
        KernelError: if the kernel refuses it.
    """
    check_step(step)
    case, name, *arguments = step
    owner, decoders = RULES[name]
    there = natural(case) < len(cases) and isinstance(cases[case], owner)
    expect(f"a case to {name}, below {len(cases)}", there, case)
    given = [
        theorem_of(a, hypotheses) if decode is _THEOREM else decode(a)
        for decode, a in zip(decoders, arguments, strict=True)
    ]
    getattr(owner, name)(cases[case], *given)
    if name == "split":
        cases += cases[case].cases  # type: ignore[attr-defined]
