"""Laws of named functions: theorems about one value of a function, for all real numbers that it may be taken of.

Here `relu` of T is the greater of T and 0, `step` of T is 1 where T > 0 and else 0, `zero` of T is 1 where T = 0 and
else 0, and `softplus` of T is log(1 + exp(T)). Other functions have their usual names, and are odd or even. The laws
hold where `sqrt` of T < 0 is read as √|T|; that T ≥ 0 is said among what is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from . import index
from .errors import IllTyped, NotProved
from .index import Index, facts, ranges, variable
from .reduction import over_of
from .rules import is_taken
from .signs import RELU, ROOT, SOFTPLUS, seen_sign
from .term import (
    EXP,
    INVERSE,
    LOG,
    ONE,
    STEP,
    ZERO,
    Factor,
    Monomial,
    Term,
    apply,
    as_index_number,
    as_term,
    body,
    function_of,
    made,
)
from .theorem import BY_THE_KERNEL, Theorem

TANH = "tanh"
ODD = (TANH, "sin", "tan", "sinh", "asin", "atan", "asinh", "atanh", "erf")
TURNING = ("sin", "cos")
EVEN = ("cos", "cosh", ZERO)
Parts = Sequence[tuple[Monomial, Fraction]]


def law(left: Factor, which: str, place: int = 0) -> Theorem:
    """What is known of f(T), at all positions in their ranges.

    Args:
        left: f(T), at declared positions.
        which: "mirror" says what it is by f(−T), "scale" by f(T/|c|), c being the coefficient of a monomial of T, and
            "common" by f(A), where T = exp(C) A; "value" says it where T is a number, or has a sign that is seen,
            log(1/n) being −log(n), and zero(√A) being zero(A); "cases" is f(A + B p) = (1 − p) f(A) + p f(A + B), if
            p is 0 or 1; "sum" is cos(A + B) = cos(A) cos(B) − sin(A) sin(B) and the same of sin, A being a monomial of
            T; and "meaning" says what relu, tanh, exp of a logarithm, log and inverse of two exponentials, log of 1/A
            and of 1 − 1/(1 + exp(A)), and softplus of −|z| are by others. Logarithms are of numbers > 0.
        place: the number of the monomial that has c, or of exp(C), p or relu(z) among the factors of T, in their order.
    """
    name, over = function_of(left), over_of(left)
    if name is None or which not in {*LAWS, *CONDITIONAL}:
        raise IllTyped(f"there is no law {which} of {left}")
    pairs = body(left, 0)
    of = made(pairs, over.union([v for m, _ in pairs for v in m.variables() if v > 0]))
    found, new = (
        CONDITIONAL[which](name, of, place)
        if which in CONDITIONAL
        else (LAWS[which](name, of, pairs, place), as_term(0))
    )
    right = made(found.parts.items(), found.scope | of.scope)
    if is_taken(left, facts(over)):
        for m in new.parts:  # and not what stands in exponents
            _taken_too(m, name)
    logarithms = [left, *(_factors(of) if name == EXP else ())] if which in CONDITIONAL else []
    logarithms = [f for f in logarithms if function_of(f) == LOG]
    used = frozenset({f.name for f in logarithms})
    doubtful = tuple([f for f in logarithms if seen_sign(body(f, 0)) < 2])
    proof = "law", which, place
    return Theorem("lemma", left, right, over, used, BY_THE_KERNEL, proof, logarithms=doubtful)


def value(function: str, of: Term) -> Term:
    """f(T), at the positions that T mentions."""
    free = {v for m in of.parts for v in m.variables() if v > 0} - index.current.sizes
    order: list[Index] = [variable(v) for v in sorted(free)]
    return apply(function, of, order)


def _taken_too(m: Monomial, name: str) -> None:
    """Note that what inverses in a monomial are of is not 0, or what logarithms are of is > 0."""
    for f in m.factors:
        if function_of(f) == name:
            index.current.derived.setdefault(f.name, {}).setdefault(ranges(f.at), f.at)


def _inverse(of: Term) -> Term:
    """1/T, for T = 1 + exp(A), which is not 0."""
    found = value(INVERSE, of)
    for m in found.parts:
        _taken_too(m, INVERSE)
    return found


def _mirror(name: str, of: Term, pairs: Parts, place: int) -> Term:
    other = value(name, of * -1)
    if name in ODD:
        return other * -1
    if name in EVEN:
        return other
    if name == STEP:
        return as_term(1) - other - value(ZERO, of)
    if name not in (RELU, SOFTPLUS):
        raise IllTyped(f"{name} is neither odd nor even")
    return of + other


def _scale(name: str, of: Term, pairs: Parts, place: int) -> Term:
    c = abs(pairs[place][1])
    if name not in (RELU, STEP, ZERO):
        raise IllTyped(f"{name} is not homogeneous")
    return value(name, of * (1 / c)) * (c if name == RELU else 1)


def _common(name: str, of: Term, place: int) -> tuple[Term, Term]:
    """f(T), and the value of f in it that is taken wherever this one is."""
    e = _factors(of)[place]
    scale = _alone(e)
    if function_of(e) != EXP:
        raise IllTyped("expected a value of exp")
    rest = made([(m.divided(e), c) for m, c in of.parts.items()], of.scope)
    new = value(name, rest)
    if name == LOG:
        return _argument(e, of) + new, new
    if name == INVERSE:
        return value(EXP, _argument(e, of) * -1) * new, new
    if name not in (RELU, STEP, ZERO):
        raise IllTyped(f"{name} is not homogeneous")
    return new * (scale if name == RELU else 1), as_term(0)


def _value(name: str, of: Term, pairs: Parts, place: int) -> Term:
    sign = seen_sign(of.parts.items()) or -seen_sign((of * -1).parts.items())
    if not of.parts and name in (RELU, STEP, ZERO):
        return as_term(int(name == ZERO))
    number = as_index_number(of) if name in (STEP, ZERO) else None
    if number is not None:  # a positive multiple of an index
        e, _ = number
        guards = frozenset({e, -e} if name == ZERO else {e - 1})
        return Term({Monomial(0, guards, ()): Fraction(1)}, of.scope)
    if name == LOG and of.parts == as_term(1).parts:
        return as_term(0)
    if name == LOG and [*of.parts] == [ONE] and 0 < of.parts[ONE] < 1:
        return value(LOG, as_term(1 / of.parts[ONE])) * -1
    if name == ROOT and {*of.parts} <= {ONE}:
        return as_term(_rational_root(of.parts.get(ONE, Fraction(0))))
    if name == RELU and sign:
        return of if sign > 0 else as_term(0)
    if (name == STEP and sign in (2, -1, -2)) or (name == ZERO and sign in (2, -2)):
        return as_term(int(name == STEP and sign == 2))
    if name == STEP and sign == 1:
        return as_term(1) - value(ZERO, of)
    roots = [f for f in _factors(of) if function_of(f) == ROOT]
    if name == ZERO and roots and [*of.parts] == [_plain(roots[0])]:  # √A is 0 where A is
        return value(ZERO, _argument(roots[0], of))
    raise NotProved(f"no sign is seen that says what {name} is")


def _rational_root(of: Fraction) -> Fraction:
    """√a for the square of a fraction."""
    found = Fraction(math.isqrt(abs(of.numerator)), math.isqrt(of.denominator))
    if found * found != of:
        raise NotProved(f"the root of {of} is no fraction")
    return found


def _meaning(name: str, of: Term, place: int) -> tuple[Term, Term]:
    """f(T), and the value of f in it that is taken wherever this one is."""
    nothing = as_term(0)
    if name == RELU:
        return of * value(STEP, of), nothing
    if name == TANH:
        return 1 + _inverse(1 + value(EXP, of * 2)) * -2, nothing
    if name == EXP:
        return _exp_of_log(of), nothing
    if name == SOFTPLUS:
        return _beside_relu(of, place), nothing
    if name not in (LOG, INVERSE):
        raise IllTyped(f"{name} is not made of others")
    if len(of.parts) == 1 and name == LOG:
        (m,) = of.parts
        plain = of.parts[m] == 1 and len(m.factors) == 1 and m == _plain(*m.factors)
        if plain and function_of(m.factors[0]) == INVERSE:
            new = value(LOG, _argument(m.factors[0], of))
            return new * -1, new
    if name == LOG and (whole := _one_over(as_term(1) - of)) is not None:
        (of_exp,) = (m for m in whole.parts if m != ONE)
        new = value(LOG, whole)
        return _sum_of_exponents(of_exp, of) - new, new
    if [*of.parts.values()] != [1, 1]:
        raise IllTyped(
            "expected log(1/A), log(1 − 1/(1 + exp(A))), or log or the inverse of exp(A) + exp(B)"
        )
    one, other = (_sum_of_exponents(m, of) for m in of.parts)
    log = one + value(SOFTPLUS, other - one)
    return log if name == LOG else value(EXP, log * -1), nothing


def _one_over(of: Term) -> Term | None:
    """1 + M where the term is 1/(1 + M), for one monomial M."""
    ((m, c), *more) = [*of.parts.items()] or [(ONE, Fraction(0))]
    if more or c != 1 or len(m.factors) != 1 or m != _plain(*m.factors):
        return None
    inside = _argument(m.factors[0], of) if function_of(m.factors[0]) == INVERSE else as_term(0)
    return inside if [*inside.parts.values()] == [1, 1] and ONE in inside.parts else None


def _beside_relu(of: Term, place: int) -> Term:
    """softplus(−|z|) = softplus(z) − relu(z)."""
    f = _factors(of)[place]
    if function_of(f) != RELU:
        raise IllTyped("expected relu(z)")
    z = _argument(f, of)
    if (of - z + _alone(f) * 2).parts:
        raise NotProved("softplus is not of −|z|")
    return value(SOFTPLUS, z) - _alone(f)


def _exp_of_log(of: Term) -> Term:
    """exp(± log(A)), exp(± softplus(A))."""
    ((m, c),) = of.parts.items()
    (f,) = m.factors
    if m != _plain(f) or abs(c) != 1 or function_of(f) not in (LOG, SOFTPLUS):
        raise IllTyped("expected exp of a logarithm")
    inside = _argument(f, of)
    inside = inside if function_of(f) == LOG else 1 + value(EXP, inside)
    if c == 1:
        return inside
    return value(INVERSE, inside) if function_of(f) == LOG else _inverse(inside)


def _sum_of_exponents(m: Monomial, of: Term) -> Term:
    """A of exp(A), which is written as a product."""
    if m != _plain(*m.factors) or any(function_of(f) != EXP for f in m.factors):
        raise IllTyped("expected a product of values of exp")
    return sum((_argument(f, of) for f in m.factors), start=as_term(0))


def _argument(f: Factor, of: Term) -> Term:
    """What a function is taken of; one at a bound index is refused by the constructor."""
    pairs = body(f, 0)
    return Term(dict(pairs), of.scope.union([v for m, _ in pairs for v in m.variables() if v > 0]))


def _plain(*factors: Factor) -> Monomial:
    """The product of factors, without guards and bound indices."""
    return Monomial(0, frozenset(), tuple(factors))


def _cases(name: str, of: Term, pairs: Parts, place: int) -> Term:
    p = _factors(of)[place]
    if function_of(p) not in (STEP, ZERO):
        raise IllTyped("cases are of what is 0 or 1")
    on = made([(_without(m, p), c) for m, c in of.parts.items()], of.scope)
    off = made([(m, c) for m, c in of.parts.items() if p not in m.factors], of.scope)
    return value(name, off) + _alone(p) * (value(name, on) - value(name, off))


def _sum(name: str, of: Term, pairs: Parts, place: int) -> Term:
    if name not in TURNING:
        raise IllTyped(f"{name} of a sum is not known by those of its terms")
    m, c = pairs[place]
    one = made([(m, c)], of.scope)
    rest = of - one
    sines, cosines = ([value(f, part) for part in (one, rest)] for f in TURNING)
    if name == "cos":
        return cosines[0] * cosines[1] - sines[0] * sines[1]
    return sines[0] * cosines[1] + cosines[0] * sines[1]


def _factors(of: Term) -> list[Factor]:
    return sorted({f for m in of.parts for f in m.factors})


def _alone(f: Factor) -> Term:
    return Term({_plain(f): Fraction(1)}, {v for v in f.variables() if v > 0})


def _without(m: Monomial, p: Factor) -> Monomial:
    return m._replace(factors=tuple([f for f in m.factors if f != p]))


CONDITIONAL = {"common": _common, "meaning": _meaning}
"""Laws that take for granted that a logarithm is of a number > 0, which is noted like a denominator that is not 0."""
LAWS = {
    "mirror": _mirror,
    "scale": _scale,
    "value": _value,
    "cases": _cases,
    "sum": _sum,
}
