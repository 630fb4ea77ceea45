"""Laws of named functions: theorems about one value of a function, for all real numbers that it may be taken of.

Here `relu` of T is the greater of T and 0, `step` of T is 1 where T > 0 and else 0, `zero` of T is 1 where T = 0 and
else 0, and `softplus` of T is log(1 + exp(T)). Other functions have their usual names, and are odd or even.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from . import index
from .errors import IllTyped
from .index import Index, variable
from .reduction import over_of
from .term import ONE, STEP, ZERO, Factor, Monomial, Term, apply, as_term, body, function_of, made
from .theorem import BY_THE_KERNEL, Theorem

RELU, SOFTPLUS = "relu", "softplus"
ODD = ("tanh", "sin", "tan", "sinh", "asin", "atan", "asinh", "atanh", "erf")
EVEN = ("cos", "cosh", ZERO)
Parts = Sequence[tuple[Monomial, Fraction]]


def law(left: Factor, which: str, place: int = 0) -> Theorem:
    """What is known of f(T), at all positions in their ranges.

    Args:
        left: f(T), at declared positions.
        which: "mirror" says what it is by f(−T), "scale" by f(T/|c|), c being the coefficient of a monomial of T,
            "value" says it where T is a number, "product" that relu(T) = T · step(T), and "cases" that
            f(A + B p) = (1 − p) f(A) + p f(A + B), if p is 0 or 1.
        place: the number of the monomial that has c, or of p among the factors of T, in their order.
    """
    name, over = function_of(left), over_of(left)
    if name is None or which not in LAWS:
        raise IllTyped(f"there is no law {which} of {left}")
    pairs = body(left, 0)
    of = made(pairs, over.union([v for m, _ in pairs for v in m.variables() if v > 0]))
    right = LAWS[which](name, of, pairs, place)
    right = Term(right.parts, right.scope | of.scope)
    return Theorem(
        *("lemma", left, right, over, frozenset(), BY_THE_KERNEL), ("law", which, place)
    )


def value(function: str, of: Term) -> Term:
    """f(T), at the positions that T mentions."""
    free = {v for m in of.parts for v in m.variables() if v > 0} - index.current.sizes
    order: list[Index] = [variable(v) for v in sorted(free)]
    return apply(function, of, order)


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


def _value(name: str, of: Term, pairs: Parts, place: int) -> Term:
    c = of.parts.get(ONE, Fraction(0))
    if name not in (RELU, STEP, ZERO) or set(of.parts) - {ONE}:
        raise IllTyped(f"{name} of what is no number")
    return as_term({RELU: max(c, Fraction(0)), STEP: int(c > 0), ZERO: int(c == 0)}[name])


def _product(name: str, of: Term, pairs: Parts, place: int) -> Term:
    if name != RELU:
        raise IllTyped(f"{name} is not the product of a number with 0 or 1")
    return of * value(STEP, of)


def _cases(name: str, of: Term, pairs: Parts, place: int) -> Term:
    p = sorted({f for m in of.parts for f in m.factors})[place]
    if function_of(p) not in (STEP, ZERO) or any(v < 0 for v in p.variables()):
        raise IllTyped("cases are of what is 0 or 1, without bound indices")
    on = made([(_without(m, p), c) for m, c in of.parts.items()], of.scope)
    off = made([(m, c) for m, c in of.parts.items() if p not in m.factors], of.scope)
    chosen = Term({Monomial(0, frozenset(), (p,)): Fraction(1)}, p.variables())
    return value(name, off) + chosen * (value(name, on) - value(name, off))


def _without(m: Monomial, p: Factor) -> Monomial:
    return m._replace(factors=tuple([f for f in m.factors if f != p]))


LAWS = {
    "mirror": _mirror,
    "scale": _scale,
    "value": _value,
    "product": _product,
    "cases": _cases,
}
