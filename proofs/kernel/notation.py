"""Values of a written proof, read strictly: nothing is converted, nothing is guessed.

An index is `[const, [[variable, coefficient], …]]`, a coefficient of a term "p/q", a factor `[name, [index, …]]`, a
monomial with its coefficient `["p/q", bound, [guard, …], [factor, …]]`, a term `[scope, [monomial, …]]`, images for
variables `[[variable, index], …]`. Lists that stand for sets or mappings are sorted.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import wraps
from marshal import dumps
from typing import Any

from . import index as declarations
from .files import expect, fraction_of, items
from .index import Index
from .term import DEFINED, INVERSE, Factor, Monomial, Term

LARGEST = 10**15
"""No whole number in a proof exceeds this."""
NUMBERED = 10**6
"""No variable, monomial, place or rule has a number beyond this."""
NAME = 200
"""The longest name."""


Decode = Callable[[Any], Any]


def whole(value: Any) -> int:
    """A whole number that is not too large."""
    expect("a whole number", type(value) is int and -LARGEST <= value <= LARGEST, value)
    return value


def natural(value: Any) -> int:
    """A number ≥ 0 that may number things."""
    expect("a number ≥ 0", type(value) is int and 0 <= value <= NUMBERED, value)
    return value


def name_of(value: Any) -> str:
    """A name, which may be printed: no line breaks, nothing that a terminal takes for an order."""
    held = type(value) is str and 0 < len(value) <= NAME and value.isprintable()
    expect("a name", held, value)
    return value


def made_name(value: Any) -> str:
    """What a name of a state or of a function's values begins with: it ends with ' and a number, as no identifier does.

    Names for terms begin with =, inverses with 1/.
    """
    name, mark, number = name_of(value).rpartition("'")
    held = mark and number.isdecimal() and (name in (DEFINED, INVERSE) or name.isidentifier())
    expect("a name with ' and a number", held, value)
    return name


def identifier_of(value: Any) -> str:
    """A name that cannot be taken for a number or a formula."""
    expect("a name that is an identifier", name_of(value).isidentifier(), value)
    return value


def variable_of(value: Any) -> int:
    """The number of a bound variable, or of a free one that is declared."""
    known = len(declarations.current.names)
    what = "a bound variable or a declared one"
    expect(what, type(value) is int and value != 0 and -NUMBERED <= value < known, value)
    return value


def read_once(one: Decode) -> Decode:
    """The same thing stands in many places of a proof; it is read once, and known by its bytes."""

    @wraps(one)
    def read(value: Any) -> Any:
        known, key = declarations.current.read, (one, dumps(value, 2))
        if key not in known:
            known[key] = one(value)
        return known[key]

    return read


@read_once
def index_of(value: Any) -> Index:
    """An index from its JSON value."""
    const, terms = items(value, "an index", 2)
    found: dict[int, int] = {}
    last = -NUMBERED - 1
    for one in items(terms, "an index's terms"):
        v, c = items(one, "a variable with its coefficient", 2)
        expect("an index's variables in order", variable_of(v) > last and whole(c) != 0, value)
        found[v], last = c, v
    return Index(whole(const), found)


def several(one: Decode, what: str) -> Decode:
    """How to decode a list of what `one` decodes."""
    return lambda value: [one(v) for v in items(value, what)]


indices_of = several(index_of, "a list of indices")


def images_of(value: Any) -> dict[int, Index]:
    """Indices for variables from their JSON value."""
    found: dict[int, Index] = {}
    for one in items(value, "images for variables"):
        v, e = items(one, "a variable with its image", 2)
        expect("images in order", not found or variable_of(v) > max(found), value)
        found[variable_of(v)] = index_of(e)
    return found


@read_once
def factor_of(value: Any) -> Factor:
    """A factor from its JSON value."""
    name, at = items(value, "a factor", 2)
    return Factor(name_of(name), tuple(indices_of(at)))


def pairs_of(value: Any) -> dict[Monomial, Fraction]:
    """Monomials with their coefficients from their JSON value."""
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


def share_of(value: Any) -> tuple[list[Index], Fraction]:
    """Guards and their coefficient from their JSON value."""
    guards, c = items(value, "guards with their coefficient", 2)
    return indices_of(guards), fraction_of(c)
