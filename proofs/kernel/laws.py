"""Laws of named functions: theorems about one value of a function, for all real numbers that it may be taken of.

Here `relu` of T is the greater of T and 0, `step` of T is 1 where T > 0 and else 0, `zero` of T is 1 where T = 0 and
else 0, and `softplus` of T is log(1 + exp(T)). Other functions have their usual names, and are odd or even. The laws
hold where `sqrt` of T < 0 is read as √|T|; that T ≥ 0 is said among what is assumed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce

from . import index
from .errors import IllTyped, NotProved
from .index import Index, facts, position, variable
from .inequalities import negation
from .reduction import over_of
from .rules import end_of_places, is_taken, taken_too
from .signs import RELU, ROOT, SOFTPLUS, is_above_0, is_sum_above_0, seen_sign
from .term import (
    EXP,
    INVERSE,
    INVERSE_NUMBER,
    LOG,
    NUMBER,
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
ODD = (TANH, "sin", "sinh", "asin", "atan", "asinh", "atanh", "erf")
TURNING = ("sin", "cos")
POWERS = 8
"""The greatest power of A, or of its roots, that exp of a multiple of log(A) is."""
ROOTS = (1, 2, 4, 8)
"""The denominators of such a multiple, by how many roots there are in one another."""
SMALL = 1000
"""Squares of greater numbers are not looked for under a root, but that of all of it."""
EVEN = ("cos", "cosh", ZERO)
Parts = Sequence[tuple[Monomial, Fraction]]


def law(left: Factor, which: str, place: int = 0) -> Theorem:
    """What is known of f(T), at all positions in their ranges.

    Args:
        left: f(T), at declared positions.
        which: "mirror" says what it is by f(−T), "scale" by f(T/|c|), c being the coefficient of a monomial of T, and
            "common" by f(A), where T = P A for a factor P > 0; "value" says it where T is a number, or has a sign that
            is seen, log(1/n) being −log(n), √8 being 2 √2, zero(√A) being zero(A), and cos(4 atan(1)) being −1; "cases"
            is f(A + B p) = (1 − p) f(A) + p f(A + B), if p is 0 or 1; "guards" is f([e ≥ 0] A + B) = [e ≥ 0] f(A + B) +
            [e < 0] f(B); "places" is f(Σ_k p_k A_k + B) = Σ_k p_k f(A_k + B), if p_k is 1 at one place k and else 0,
            or zero(S + R) = Σ_k zero(k − S) zero(k + R) for such a place S (see `end_of_places`); "sum" is cos(A + B) =
            cos(A) cos(B) − sin(A) sin(B) and the same of sin, A being a monomial of T; "double" says both by those of
            T/2; "product" says step, zero or relu of T = P A by those of P and A, whatever their signs; and "meaning"
            says what relu, tanh, exp of a logarithm or of half of it, log and inverse of two exponentials, log of 1/A
            and of 1 − 1/(1 + exp(A)), an inverse of a product or of √2, and softplus of −|z| are by others. Logarithms
            are of numbers > 0.
        place: the number of the monomial that has c, or of P, p, p_k, S or relu(z) among the factors of T.
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
            _taken_too(m, name, over)
    logarithms = [left, *(_factors(of) if name == EXP else ())] if which in CONDITIONAL else []
    logarithms = [f for f in logarithms if function_of(f) == LOG]
    used = frozenset({f.name for f in logarithms})
    doubtful = tuple([f for f in logarithms if not _is_of_above_0(f, facts(over))])
    proof = "law", which, place
    return Theorem("lemma", left, right, over, used, BY_THE_KERNEL, proof, logarithms=doubtful)


def _is_of_above_0(f: Factor, rows: frozenset[Index]) -> bool:
    """Whether what a function is of is seen to be > 0."""
    of = body(f, 0)
    return seen_sign(of) == 2 or is_sum_above_0(of, 0, rows)


def value(function: str, of: Term) -> Term:
    """f(T), at the positions that T mentions."""
    free = {v for m in of.parts for v in m.variables() if v > 0} - index.current.sizes
    order: list[Index] = [variable(v) for v in sorted(free)]
    return apply(function, of, order)


def _taken_too(m: Monomial, name: str, over: Iterable[int] = ()) -> None:
    """Note that what inverses in a monomial are of is not 0, or what logarithms are of is > 0."""
    for f in m.factors:
        if function_of(f) == name:
            taken_too(f, over)


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
    if name not in (RELU, STEP, ZERO, ROOT):
        raise IllTyped(f"{name} is not homogeneous")
    new = value(name, of * (1 / c))
    if name == ROOT:
        return new * value(ROOT, as_term(c))
    return new * (c if name == RELU else 1)


def _common(name: str, of: Term, place: int) -> tuple[Term, Term]:
    """f(T), and the value of f in it that is taken wherever this one is."""
    e = _factors(of)[place]
    scale = _alone(e)
    if not is_above_0(e, facts(of.scope)):
        raise IllTyped("expected a factor that is seen to be > 0")
    rest = made([(m.divided(e), c) for m, c in of.parts.items()], of.scope)
    new = value(name, rest)
    if name == LOG:
        return _log_of_factor(e, of) + new, new
    if name == INVERSE and function_of(e) in (EXP, INVERSE):
        return _inverse_of_factor(e, of) * new, new
    if name == ROOT:
        return _root_of_factor(e, of) * new, as_term(0)
    if name not in (RELU, STEP, ZERO):
        raise IllTyped(f"{name} is not homogeneous")
    return new * (scale if name == RELU else 1), as_term(0)


def _log_of_factor(e: Factor, of: Term) -> Term:
    """log(P) for P > 0: A where it is exp(A), and −log(A) where it is 1/A."""
    if function_of(e) == EXP:
        return _argument(e, of)
    return value(LOG, _argument(e, of)) * -1 if function_of(e) == INVERSE else value(LOG, _alone(e))


def _inverse_of_factor(e: Factor, of: Term) -> Term:
    """1/P for P > 0, which is exp(A) or 1/A."""
    if e.name == INVERSE_NUMBER:
        return _alone(Factor(NUMBER, e.at))
    inside = _argument(e, of)
    return inside if function_of(e) == INVERSE else value(EXP, inside * -1)


def _root_of_factor(e: Factor, of: Term) -> Term:
    """√P for P > 0: exp(A/2) where it is exp(A), and 1/√A where it is 1/A."""
    if function_of(e) == EXP:
        return value(EXP, _argument(e, of) * Fraction(1, 2))
    if e.name == INVERSE_NUMBER:
        return _inverse(value(ROOT, _alone(Factor(NUMBER, e.at))))
    inverted = function_of(e) == INVERSE
    return _inverse(value(ROOT, _argument(e, of))) if inverted else value(ROOT, _alone(e))


def _value(name: str, of: Term, pairs: Parts, place: int) -> Term:
    sign = seen_sign(of.parts.items()) or -seen_sign((of * -1).parts.items())
    if not of.parts and name in (RELU, STEP, *ODD, *EVEN):
        return as_term(int(name in EVEN))
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
        return _rational_root(of.parts.get(ONE, Fraction(0)))
    if name == RELU and sign:
        return of if sign > 0 else as_term(0)
    if (name == STEP and sign in (2, -1, -2)) or (name == ZERO and sign in (2, -2)):
        return as_term(int(name == STEP and sign == 2))
    if name == STEP and sign == 1:
        return as_term(1) - value(ZERO, of)
    if name in (STEP, ZERO) and (squared := _beyond_root(of)) is not None:
        return value(name, squared)
    if name in TURNING and (quarters := _quarter_turns(of)) is not None:
        return as_term((0, 1, 0, -1)[(quarters + (name == "cos")) % 4])
    roots = [f for f in _factors(of) if function_of(f) == ROOT]
    if name == ZERO and roots and [*of.parts] == [_plain(roots[0])]:  # √A is 0 where A is
        return value(ZERO, _argument(roots[0], of))
    raise NotProved(f"no sign is seen that says what {name} is")


def _quarter_turns(of: Term) -> int | None:
    """k where the term is k π/2, π being 4 atan(1)."""
    ((m, c), *more) = [*of.parts.items()] or [(ONE, Fraction(0))]
    if more or m != _plain(*m.factors) or [*map(function_of, m.factors)] != ["atan"]:
        return None
    whole = c.denominator == 1 and c.numerator % 2 == 0
    return int(c) // 2 if whole and _argument(m.factors[0], of).parts == as_term(1).parts else None


def _beyond_root(of: Term) -> Term | None:
    """a² A − c² where the term is a √A − c, for a, c > 0 and an A that is seen to be ≥ 0: both have one sign."""
    parts = dict(of.parts)
    c = -parts.pop(ONE, Fraction(0))
    ((m, a), *more) = [*parts.items()] or [(ONE, Fraction(0))]
    if (
        more
        or a <= 0
        or c <= 0
        or m != _plain(*m.factors)
        or [*map(function_of, m.factors)] != [ROOT]
    ):
        return None
    inside = _argument(m.factors[0], of)
    return inside * (a * a) - c * c if seen_sign(inside.parts.items()) else None


def _rational_root(of: Fraction) -> Term:
    """√(p/q) = (s/q) √m, where p q = s² m: a number for the square of a fraction."""
    under, outside = abs(of.numerator) * of.denominator, 1
    if math.isqrt(under) ** 2 == under:
        return as_term(Fraction(math.isqrt(under), of.denominator))
    for n in range(2, SMALL):
        while under % (n * n) == 0:
            under, outside = under // (n * n), outside * n
    if under == of:
        raise NotProved(f"the root of {of} is no number times another")
    return value(ROOT, as_term(under)) * Fraction(outside, of.denominator)


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
    if len(of.parts) == 1 and name == INVERSE:
        return _of_product(of)
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
            "expected log(1/A), log(1 − 1/(1 + exp(A))), an inverse of a product, or either of exp(A) + exp(B)"
        )
    one, other = (_sum_of_exponents(m, of) for m in of.parts)
    log = one + value(SOFTPLUS, other - one)
    return log if name == LOG else value(EXP, log * -1), nothing


def _of_product(of: Term) -> tuple[Term, Term]:
    """1/(c A (1/B)) = (1/c) (1/A) B, and those inverses in it that are taken wherever this one is."""
    ((m, c),) = of.parts.items()
    if m != _plain(*m.factors):
        raise IllTyped("expected the inverse of a product")
    found, taken = as_term(1 / c), as_term(1)
    for f in m.factors:
        if f.name in (NUMBER, INVERSE_NUMBER):
            other = INVERSE_NUMBER if f.name == NUMBER else NUMBER
            found *= _alone(Factor(other, f.at))
        elif function_of(f) == INVERSE:
            found *= _argument(f, of)
        elif (under := _number_under_root(f, of)) is not None:
            found *= _alone(f) * (1 / under)
        else:
            taken *= value(INVERSE, _alone(f))
    return found * taken, taken


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


def _number_under_root(f: Factor, of: Term) -> Fraction | None:
    """c where the factor is √c for a number c > 0: then it is 1/√c = √c / c."""
    inside = _argument(f, of).parts if function_of(f) == ROOT else {}
    return inside[ONE] if [*inside] == [ONE] and inside[ONE] > 0 else None


def _exp_of_log(of: Term) -> Term:
    """exp(n log(A)) and exp(n softplus(A)), and of halves, quarters and eighths of these, which are roots."""
    ((m, c),) = of.parts.items()
    (f,) = m.factors
    if m != _plain(f) or function_of(f) not in (LOG, SOFTPLUS):
        raise IllTyped("expected exp of a logarithm")
    if c.denominator not in ROOTS or abs(c.numerator) > POWERS:
        raise IllTyped(
            "expected a multiple of a logarithm by a whole number or parts of it, and no great one"
        )
    inside = _argument(f, of)
    inside = inside if function_of(f) == LOG else 1 + value(EXP, inside)
    for _ in range(ROOTS.index(c.denominator)):
        inside = value(ROOT, inside)
    if c < 0:
        inside = value(INVERSE, inside) if function_of(f) == LOG else _inverse(inside)
    return reduce(operator.mul, [inside] * abs(c.numerator))


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


def _guards(name: str, of: Term, pairs: Parts, place: int) -> Term:
    """[e ≥ 0] f(A + B) + [e < 0] f(B), A being the terms of T that count where e ≥ 0."""
    e = guards_of(pairs)[place]
    on = made([(m._replace(guards=m.guards - {e}), c) for m, c in pairs], of.scope)
    off = made([(m, c) for m, c in pairs if e not in m.guards], of.scope)
    here, elsewhere = (
        Term({Monomial(0, frozenset({g}), ()): Fraction(1)}, of.scope) for g in (e, negation(e))
    )
    return value(name, on) * here + value(name, off) * elsewhere


def guards_of(pairs: Parts) -> list[Index]:
    """The guards of monomials that speak of no index that is summed over."""
    every = sorted({e for m, _ in pairs for e in m.guards})
    return [e for e in every if min(e.variables(), default=1) > 0]


def _places(name: str, of: Term, pairs: Parts, place: int) -> Term:
    p = _factors(of)[place]
    if p.name in index.current.states:
        return _met(name, of, p)
    bound = [v for v in p.variables() if v < 0]
    if len(bound) != 1:
        raise IllTyped("expected what is 0 but at one place, which is summed over")
    (v,) = bound
    n = end_of_places(p, v, -v, facts(of.scope))
    k = position("k", 0, n)
    at_place = made([(_at_place(m, p, v, n, k), c) for m, c in of.parts.items()], of.scope)
    found = value(name, Term(at_place.parts, of.scope | k.variables()))
    return _over_places(found * _alone(p.substitute({v: k})), k, n, of.scope)


def _met(name: str, of: Term, state: Factor) -> Term:
    """zero(S + R) = Σ_k zero(k − S) zero(k + R)."""
    if name != ZERO:
        raise IllTyped("two places are compared")
    c, place = of.parts[_plain(state)], _alone(state)
    k = position("k", 0, state.at[0])
    number = _alone(Factor(NUMBER, (k,)))
    hit, other = value(ZERO, number - place), value(ZERO, number + of * (1 / c) - place)
    n = end_of_places(_factors(hit)[0], k.terms[0][0], 0, facts(of.scope))
    return _over_places(hit * other, k, n, of.scope)


def _over_places(one: Term, k: Index, n: Index, scope: frozenset[int]) -> Term:
    """Σ_k of a product of factors, for 0 ≤ k < n."""
    ((m, _),) = one.parts.items()
    j = variable(-1)
    factors = [f.substitute({k.terms[0][0]: j}) for f in m.factors]
    return Term(
        {Monomial(1, frozenset({j, n - j - 1}), tuple(sorted(factors))): Fraction(1)}, scope
    )


def _at_place(m: Monomial, p: Factor, v: int, n: Index, k: Index) -> Monomial:
    """F(k) in place of Σ_w [0 ≤ w < n] p(w) F(w); any other monomial stays."""
    for w in range(-1, -m.bound - 1, -1):
        q, ends = p.substitute({v: variable(w)}), {variable(w), n - variable(w) - 1}
        others = m.guards - ends
        if q in m.factors and ends <= m.guards and not any(g.coefficient(w) for g in others):
            rest = m.divided(q)._replace(guards=others)
            return rest.substitute({w: k}, m.bound).without(w)
    return m


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


def _double(name: str, of: Term, pairs: Parts, place: int) -> Term:
    if name not in TURNING:
        raise IllTyped(f"{name} is not known by that of half an angle")
    sine, cosine = (value(f, of * Fraction(1, 2)) for f in TURNING)
    return sine * cosine * 2 if name == "sin" else as_term(1) - sine * sine * 2


def _product(name: str, of: Term, pairs: Parts, place: int) -> Term:
    """T = P A is > 0 where both are, or neither is and both are not 0; it is 0 where one of them is."""
    e = _factors(of)[place]
    one, other = _alone(e), made([(m.divided(e), c) for m, c in of.parts.items()], of.scope)
    if name == ZERO:
        first, second = value(ZERO, one), value(ZERO, other)
        return first + second - first * second
    if name not in (RELU, STEP):
        raise IllTyped(f"{name} of a product is not known by those of its factors")
    same = value(name, one) * value(name, other)
    return same + value(name, one * -1) * value(name, other * -1)


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
    "guards": _guards,
    "places": _places,
    "double": _double,
    "product": _product,
}
