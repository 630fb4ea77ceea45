"""Arguments about limits: that no choice of parameters comes as near as is wanted, whether or not they stay bounded.

Suppose that for every ε > 0 some parameters bring all parts of an `Approached` statement within ε of what is wanted.
Take such parameters for ε = 1, 1/2, 1/3, …; sequences of numbers, equal where they agree on a set of a fixed
non-principal ultrafilter, are a field K that contains ℝ, and an expression in the parameters becomes one element of K.
Call an element finite if some standard number bounds it, and write x ~ r if |x − r| is below every standard number
greater than 0. The finite elements are a ring; each is ~ exactly one number, its standard part; taking standard parts
keeps sums and products; and an element that is not finite has an inverse ~ 0. The statement says: each coefficient of
each part's left side is ~ that of the right side.

`Facts` hands these out and derives others from them. A `Near` is a fact x ~ r, x an expression in the parameters (which
may be infinite, one by one) and r in ℝ a fraction in the named numbers, none of which is 0. The rules:

- **ring**: x ~ r and y ~ s give x + y ~ r + s, x − y ~ r − s, x y ~ r s; a number is ~ itself.
- **quotient**: z ~ t, y ~ s, s ≠ 0 and x y = z as polynomials give x ~ t/s. For s ≠ 0 makes y ≠ 0 and 1/y ~ 1/s, and
  x = z (1/y).
- **Gauss's lemma**: let f_1 ⋯ f_m = h be polynomials over K, h ~ ĥ in each coefficient with ĥ over ℝ, all with
  constant term 1. Then the f_i have finite coefficients, and the product of their standard parts is ĥ. For write |f|
  for a coefficient of f that is largest in absolute value. f/|f| has finite coefficients, their standard parts are
  not all 0, and the product of two such polynomials over ℝ is not 0. So |f g| is |f| |g| but for a finite factor with
  a finite inverse. Here |h| is finite, and no |f_i| is below the constant term, 1; so all of them are finite. One
  factor may be unknown: "h is f_1 times another polynomial", of a degree that does not depend on the parameters, so
  that it is a polynomial over K; its constant term is ~ 1 then, which is as good.
- **unit**: if ĥ = 1 all these standard parts are 1, since they are units of ℝ[X] with constant term 1.
- **irreducible**: if ĥ = A + B X_k, neither of them with X_k in it, and u A + v B is a number other than 0, then ĥ is
  irreducible over ℝ: of two factors one has no X_k in it, so it divides A and B, and the number. So one of the standard
  parts is ĥ and all others are 1. If a coefficient of f_i is ~ a number other than that of ĥ, f_i's is 1; if it is ~ a
  number other than 0, and not the constant term, it is ĥ.
- **contradiction**: x ~ r and x ~ s, r − s a number other than 0.

Polynomials in which the data have even powers only are taken as polynomials in the squares; standard parts of factors
then are such polynomials too: those of known factors visibly, that of the unknown one as a quotient of power series.
A number is known not to be 0 if it is one monomial in the named numbers. Every identity is checked by flint. An
argument is Python: these rules keep it from mistakes, not from malice.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import InitVar, dataclass
from fractions import Fraction
from typing import Any

from ..doors.record.array import Recorded
from ..doors.record.claims import approached
from ..doors.refused import Refused
from ..exact.counterexample import Counterexample
from ..exact.instance import entry_names, symbols
from ..exact.polynomials import FlintField
from ..exact.scalar import Ratio
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Approached, Part
from ..readings.derivative import without_gradients
from ..readings.exact import Exact
from .coefficients import Coefficients, Monomial, as_text, at_one, lowest, product_of, sum_of

BY_THE_RULES = object()


class NotShown(Exception):
    """A step of an argument about limits is not one of the rules."""


def refute(claim: Claim, sizes: Sizes, part: int) -> tuple[Counterexample, list[str]] | str:
    """The contradiction in statement number `part`, and the steps to it, or why there is none.

    Args:
        claim: an existence claim.
        sizes: where to look.
        part: the number of an `Approached` statement.
    """
    if claim.parameters is not None:
        return "it has a witness of its own, whose failure says nothing of other parameters"
    try:
        with approached(claim, sizes) as said:
            statement = said[part]
            if statement.refutation is None:
                return "no argument is given that nothing comes near"
            try:
                facts = Facts(claim, statement, sizes)
                found = statement.refutation(facts)
            except NotShown as error:
                return f"the argument that nothing comes near fails: {error}"
    except Refused as error:
        return f"it is not recorded as a claim about limits: {error}"
    if not isinstance(found, Contradiction) or found.of is not facts:
        return "the argument that nothing comes near ends without a contradiction"
    wanted, actual = (at_one(value) for value in (found.first, found.second))
    shown = Counterexample(
        dict(sizes),
        dict.fromkeys(statement.numbers, "1"),
        part,
        wanted,
        actual,
        f"{found.name} as ε → 0",
        lines=tuple(facts.lines),
    )
    return shown, facts.steps


@dataclass(frozen=True, eq=False)
class Near:
    """x ~ r."""

    of: Facts
    x: Any
    """A polynomial in the parameters and numbers."""
    r: Ratio
    how: str
    """r as Python, in the names of earlier steps."""
    key: InitVar[object] = None

    def __post_init__(self, key: object) -> None:
        if key is not BY_THE_RULES:
            raise NotShown("facts are made by the rules only")

    def __add__(self, other: Any) -> Near:
        other = self.of.as_fact(other)
        return self.of._near(self.x + other.x, self.r + other.r, f"({self.how} + {other.how})")

    def __sub__(self, other: Any) -> Near:
        other = self.of.as_fact(other)
        return self.of._near(self.x - other.x, self.r - other.r, f"({self.how} - {other.how})")

    def __mul__(self, other: Any) -> Near:
        other = self.of.as_fact(other)
        return self.of._near(self.x * other.x, self.r * other.r, f"{self.how} * {other.how}")


@dataclass(frozen=True, eq=False)
class Contradiction:
    """x ~ r and x ~ s for two numbers."""

    of: Facts
    name: str
    first: Ratio
    second: Ratio
    key: InitVar[object] = None

    def __post_init__(self, key: object) -> None:
        if key is not BY_THE_RULES:
            raise NotShown("contradictions are made by the rules only")


class Facts:
    """What an `Approached` statement says at one choice of sizes, and the rules."""

    def __init__(self, claim: Claim, statement: Approached, sizes: Sizes) -> None:
        self.steps: list[str] = []
        """What was derived, in words."""
        self.lines: list[str] = []
        """The same numbers as a Python program."""
        self._names = names = entry_names(claim, sizes)
        self._field = FlintField(names)
        self._read = Exact(self._field, sizes, symbols(claim, self._field, sizes))
        self._data = _positions(names, statement.data)
        self._numbers = _positions(names, statement.numbers)
        parameters = _positions(names, claim.over_all_parameters)
        if self._data & (self._numbers | parameters) or self._numbers & parameters:
            raise NotShown("numbers, data and parameters are not kept apart")
        if len(names) != len(self._data | self._numbers | parameters):
            raise NotShown("some symbol is neither a number nor data nor a parameter")
        for name in statement.numbers:
            _check_not_zero(claim, name)
        for condition in claim.assuming.values():
            if not _arguments(condition) <= set(statement.numbers):
                raise NotShown("a condition is on more than the numbers")
        self._stated = statement.parts
        self._looked_at: dict[str, Any] = {}

    def near(self, name: str) -> Near:
        """Given: the part's coefficient, where there are no data in it."""
        left, right, _, other = self._part(name)
        if other or (set(left) | set(right)) - {self._one()}:
            raise NotShown(f"{name}: no single coefficient")
        zero = self._constant(0)
        x, r = (side.get(self._one(), zero) for side in (left, right))
        return self.named(self._known(x, Ratio(r)), name)

    def as_fact(self, value: Any) -> Near:
        """A fact, or a number, which is ~ itself."""
        if isinstance(value, Near):
            if value.of is not self:
                raise NotShown("a fact of another argument")
            return value
        polynomial = self._polynomial(value)
        if self._used(polynomial) - self._numbers:
            raise NotShown("a number with parameters or data in it")
        return self._known(polynomial, Ratio(polynomial))

    def quotient(self, x: Any, product: Near, by: Near) -> Near:
        """x ~ t/s from x y = z."""
        x, product, by = self._polynomial(x), self.as_fact(product), self.as_fact(by)
        if x * by.x != product.x:
            raise NotShown("a quotient whose product with the divisor is another expression")
        if not self._is_not_zero(by.r):
            raise NotShown(f"a quotient by what may be ~ 0: {by.r}")
        return self._near(x, lowest(product.r / by.r), f"({product.how}) / ({by.how})")

    def same(self, x: Any, fact: Near) -> Near:
        """The fact about x, which is the same polynomial."""
        x, fact = self._polynomial(x), self.as_fact(fact)
        if x != fact.x:
            raise NotShown("two expressions that differ")
        return fact

    def all_one(self, name: str) -> Callable[[int, Monomial], Near]:
        """Unit: the right side is 1, so all factors are. (factor, monomial) -> coefficient ~ 0, or ~ 1."""
        _, right, factors, _ = self._part(name)
        if right != {self._one(): self._constant(1)}:
            raise NotShown(f"{name}: the right side is not 1")
        self.steps.append(f"{name}: by Gauss's lemma every factor → 1")
        return lambda factor, monomial: self._coefficient(
            self._factor(name, factors, factor), monomial, right
        )

    def is_one(
        self, name: str, factor: int, monomial: Monomial, fact: Any, coprime: tuple[str, Any, Any]
    ) -> Callable[[Monomial], Near]:
        """Irreducible: a coefficient of the factor is not the right side's, so the factor is 1.

        Args:
            name: the part.
            factor: the number of the factor.
            monomial: the powers of the data (their squares, where only these occur).
            fact: what that coefficient of the factor is near.
            coprime: the variable X_k, u and v.
        """
        right, own, at, fact = self._irreducible(name, factor, monomial, fact, coprime)
        if not self._is_not_zero(fact.r - Ratio(right.get(at, self._constant(0)))):
            raise NotShown(f"{name}: the factor may be all of the right side")
        self.steps.append(f"{name}: irreducible; by Gauss's lemma factor {factor + 1} → 1")
        one = {self._one(): self._constant(1)}
        return lambda m: self._coefficient(own, m, one)

    def is_whole(
        self, name: str, factor: int, monomial: Monomial, fact: Any, coprime: tuple[str, Any, Any]
    ) -> Callable[[Monomial], Near]:
        """Irreducible: a coefficient of the factor is not 0, so the factor is the right side; see `is_one`."""
        right, own, at, fact = self._irreducible(name, factor, monomial, fact, coprime)
        if at == self._one() or not self._is_not_zero(fact.r):
            raise NotShown(f"{name}: the factor may be 1")
        self.steps.append(f"{name}: irreducible; by Gauss's lemma factor {factor + 1} → all of it")
        return lambda m: self._coefficient(own, m, right)

    def contradiction(self, name: str, first: Near, second: Near) -> Contradiction:
        """One expression near two numbers."""
        first, second = self.as_fact(first), self.as_fact(second)
        if first.x != second.x:
            raise NotShown("a contradiction between two expressions")
        if not self._is_not_zero(first.r - second.r):
            raise NotShown("a contradiction between numbers that may be equal")
        self.steps.append(f"{name} → {as_text(first.r)} and → {as_text(second.r)}")
        self.lines += [f"claimed = {first.how}", f"actual = {second.how}"]
        return Contradiction(self, name, first.r, second.r, BY_THE_RULES)

    def named(self, fact: Near, name: str) -> Near:
        """The fact, written down as a step."""
        fact = self.as_fact(fact)
        if not name.isprintable():
            raise NotShown("a name with control characters in it")
        self.steps.append(f"{name} → {as_text(fact.r)}")
        variable = f"v{len(self.lines) + 1}"
        self.lines.append(f"{variable} = {fact.how}  # {name}")
        return self._near(fact.x, fact.r, variable)

    def _near(self, x: Any, r: Ratio, how: str) -> Near:
        return Near(self, x, r, how, BY_THE_RULES)

    def _known(self, x: Any, r: Ratio) -> Near:
        return self._near(x, r, self._as_python(r.num))

    def _as_python(self, polynomial: Any) -> str:
        terms = []
        for powers, number in polynomial.to_dict().items():
            factors = [f"{self._names[i]}**{k}" for i, k in enumerate(powers) if k]
            terms.append(" * ".join([f'number("{number}")', *factors]))
        return f"({' + '.join(terms)})" if terms else 'number("0")'

    def _coefficient(self, of: Coefficients, at: Monomial, limit: Any) -> Near:
        at, zero = _plain(at), self._constant(0)
        return self._known(of.get(at, zero), Ratio(limit.get(at, zero)))

    def _factor(self, name: str, factors: list[Coefficients], number: int) -> Coefficients:
        if type(number) is not int or not 0 <= number < len(factors):
            raise NotShown(f"{name}: there is no factor {number}")
        return factors[number]

    def _irreducible(
        self, name: str, factor: int, monomial: Monomial, fact: Any, coprime: tuple[str, Any, Any]
    ) -> tuple[Coefficients, Coefficients, Monomial, Near]:
        """The right side, shown to be irreducible, the factor's coefficients, and what one of these is near."""
        _, right, factors, _ = self._part(name)
        variable, *multipliers = coprime
        data = [self._names[i] for i in sorted(self._data)]
        if variable not in data:
            raise NotShown(f"{name}: {variable} is not one of the data {', '.join(data)}")
        place = data.index(variable)
        u, v = (self._even(self._by_monomial(self._polynomial(m))) for m in multipliers)
        if any(m[place] for m in (*u, *v)) or any(m[place] > 1 for m in right):
            raise NotShown(f"{name}: not of first degree in {variable}")
        if all(m[place] == 0 for m in right):
            raise NotShown(f"{name}: {variable} does not occur")
        A = {m: c for m, c in right.items() if m[place] == 0}
        B = {(*m[:place], 0, *m[place + 1 :]): c for m, c in right.items() if m[place] == 1}
        total = sum_of(product_of(u, A), product_of(v, B))
        if set(total) != {self._one()} or not self._is_not_zero(Ratio(total[self._one()])):
            raise NotShown(f"{name}: its two coefficients are not shown to have no common factor")
        if any(self._used(c) - self._numbers for c in (*u.values(), *v.values())):
            raise NotShown(f"{name}: multipliers with parameters in them")
        own, at = self._factor(name, factors, factor), _plain(monomial)
        return right, own, at, self.same(self._as_array(own.get(at)), self.as_fact(fact))

    def _part(self, name: str) -> tuple[Any, Any, list[Any], bool]:
        if name not in self._looked_at:
            if name not in self._stated:
                raise NotShown(f"there is no part {name}")
            self._looked_at[name] = self._checked(name, self._stated[name]())
        return self._looked_at[name]

    def _checked(self, name: str, part: Part) -> tuple[Any, Any, list[Any], bool]:
        """The part's left and right side and factors as coefficients by monomials."""
        left, right = self._polynomial(part.left), self._polynomial(part.right)
        factors = [self._polynomial(factor) for factor in part.factors]
        if part.times_another:
            factors = factors or [left]
        if factors:
            product = self._constant(1)
            for factor in factors:
                product = product * factor
            if product != left:
                raise NotShown(f"{name}: not the product of these factors")
        sides = [self._by_monomial(p) for p in (left, right, *factors)]
        if all(k % 2 == 0 for side in sides for m in side for k in m):
            sides = [self._even(side) for side in sides]
        if any(self._used(c) - self._numbers for c in sides[1].values()):
            raise NotShown(f"{name}: parameters in what is wanted")
        if factors and any(s.get(self._one()) != self._constant(1) for s in sides[1:]):
            raise NotShown(f"{name}: a constant term that is not 1")
        return sides[0], sides[1], sides[2:], bool(part.times_another)

    def _by_monomial(self, polynomial: Any) -> Coefficients:
        """Coefficients by the powers of the data."""
        found: dict[Monomial, dict[Monomial, Any]] = {}
        data = sorted(self._data)
        for powers, number in polynomial.to_dict().items():
            own = tuple([int(powers[i]) for i in data])
            rest = list(powers)
            for i in data:
                rest[i] = 0
            found.setdefault(own, {})[tuple(rest)] = number
        context = polynomial.context()
        return {m: context.from_dict(terms) for m, terms in found.items()}

    def _even(self, side: Coefficients) -> Coefficients:
        """In the squares.

        Raises:
            NotShown: if there are odd powers.
        """
        if any(k % 2 for m in side for k in m):
            raise NotShown("odd powers of the data")
        return {tuple(k // 2 for k in m): c for m, c in side.items()}

    def _polynomial(self, value: Any) -> Any:
        if isinstance(value, Recorded):
            value = self._read(without_gradients(value.node)).item()
        value = self._field.number(value)
        constant = value.den is None or value.den.is_constant()
        if not constant:
            raise NotShown("an expression with a division by symbols in it")
        return value.num if value.den is None else value.num / value.den.leading_coefficient()

    def _as_array(self, polynomial: Any) -> Any:
        return Ratio(self._constant(0) if polynomial is None else polynomial)

    def _constant(self, number: int) -> Any:
        return self._field.number(number).num

    def _one(self) -> Monomial:
        return (0,) * len(self._data)

    def _used(self, polynomial: Any) -> set[int]:
        return {i for i, k in enumerate(polynomial.degrees()) if k > 0}

    def _is_not_zero(self, number: Ratio) -> bool:
        """Whether it is one monomial in the numbers."""
        parts = [number.num, *([] if number.den is None else [number.den])]
        return all(len(p) == 1 and not self._used(p) - self._numbers for p in parts)


def _plain(monomial: Any) -> Monomial:
    return tuple(int(k) for k in monomial)


def _positions(names: list[str], symbols: tuple[str, ...]) -> set[int]:
    return {i for i, name in enumerate(names) if name.partition("[")[0] in symbols}


def _arguments(condition: Callable[..., Any]) -> set[str]:
    import inspect

    return set(inspect.signature(condition).parameters)


def _check_not_zero(claim: Claim, name: str) -> None:
    """Some condition on the number alone, which must be a scalar, excludes 0."""
    if claim.given.get(name) == "":
        for condition in claim.assuming.values():
            if _arguments(condition) == {name}:
                with suppress(TypeError, AttributeError):
                    if condition(Fraction(0)) is False:
                        return
    raise NotShown(f"no condition says {name} ≠ 0")
