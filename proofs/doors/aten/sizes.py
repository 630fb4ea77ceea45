"""PyTorch's expressions of sizes as whole numbers of a statement, and what its tracer asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from typing import Any

from ...statement.order import divided, nonnegative, sign
from ...statement.whole import Number, Whole, spelled
from ..meant import DYADIC


class Unsaid(Exception):
    """An expression that is no whole polynomial of sizes."""

    def __init__(self, text: str, expr: Any) -> None:
        super().__init__(text)
        self.expr = expr


class Sizes:
    """What PyTorch's symbols stand for."""

    def __init__(self, known: Mapping[Any, Number]) -> None:
        self.known = dict(known)

    def of(self, value: Any) -> Number:
        """A length: Python's, or PyTorch's.

        Raises:
            Unsaid: if it is no whole polynomial of sizes.
        """
        if isinstance(value, int | Whole):
            return value
        node = getattr(value, "node", None)
        return self.said(node.expr if node is not None else value)

    def said(self, expr: Any) -> Number:
        """An expression of sympy's as a whole number.

        Raises:
            Unsaid: if it is none.
        """
        if expr in self.known:
            return self.known[expr]
        if expr.is_Integer or (expr.is_Float and float(expr).is_integer()):
            return int(expr)
        name = type(expr).__name__
        if name in ("Add", "Mul", "Pow") and name != "Pow":
            given = list(map(self.said, expr.args))
            found: Number = 0 if name == "Add" else 1
            for one in given:
                found = found + one if name == "Add" else found * one
            return found
        if name in ("Pow", "PowByNatural") and expr.args[1].is_Integer and expr.args[1] >= 0:
            found = 1
            for _ in range(int(expr.args[1])):
                found = found * self.said(expr.args[0])
            return found
        if name in QUOTIENTS:
            one, by = map(self.said, expr.args)
            pair = divided(one, by)
            if pair is not None and (name != "IntTrueDiv" or pair[1] == 0):
                return pair[1] if "Mod" in name else pair[0]
        if name in ("Max", "Min"):
            return self._extreme(expr, list(map(self.said, expr.args)), name)
        if name in ("Identity", "ToFloat"):
            return self.said(expr.args[0])
        beside = self._rounded(expr, name) if name in ROUNDED else None
        if beside is not None:
            return beside
        raise Unsaid(str(expr), expr)

    def _rounded(self, expr: Any, name: str) -> Number | None:
        """The whole number beside a quotient of sizes, where it is seen."""
        number, by = self._quotient(expr.args[0])
        pair = divided(-number if name == "CeilToInt" else number, by)
        if pair is None:
            return None
        if name == "CeilToInt":
            return -pair[0]
        down = name == "FloorToInt" or (name == "TruncToInt" and nonnegative(number))
        return pair[0] if down or pair[1] == 0 else None

    def _quotient(self, expr: Any) -> tuple[Number, Number]:
        """What is divided by what in a real number of sizes: one quotient, rounded, of what has no rounding.

        The whole number beside a quotient of whole numbers below 2⁵³ is that beside the rounded one.

        Raises:
            Unsaid: if it is none.
        """
        if type(expr).__name__ in TRUE_QUOTIENTS:
            (one, by), (over, under) = map(self._exact, expr.args)
            return one * under, by * over
        return self._exact(expr)

    def _exact(self, expr: Any) -> tuple[Number, Number]:
        """A number of sizes over a power of 2, none of whose operations rounds.

        Raises:
            Unsaid: if it is none.
        """
        name = type(expr).__name__
        if expr.is_Float and (exact := Fraction(float(expr))).denominator <= DYADIC:
            return exact.as_integer_ratio()
        if name == "Mul":
            one, by = 1, 1
            for over, under in map(self._exact, expr.args):
                one, by = one * over, by * under
            return one, by
        if name in TRUE_QUOTIENTS and expr.args[1].is_Integer:
            under = int(expr.args[1])
            if under > 0 and under & (under - 1) == 0:
                one, by = self._exact(expr.args[0])
                return one, by * under
        return self.said(expr), 1

    def _extreme(self, expr: Any, given: list[Number], name: str) -> Number:
        for one in given:
            gaps = (one - other if name == "Max" else other - one for other in given)
            if all(map(nonnegative, gaps)):
                return one
        raise Unsaid(f"{name} of {', '.join(map(spelled, given))}", expr)

    def holds(self, expr: Any) -> bool | None:
        """Whether a condition holds at all sizes (True), at none (False), or it is not seen (None)."""
        name = type(expr).__name__
        if name in ("BooleanTrue", "BooleanFalse"):
            return name == "BooleanTrue"
        if name == "Not":
            found = self.holds(expr.args[0])
            return None if found is None else not found
        if name in ("And", "Or"):
            found = [self.holds(one) for one in expr.args]
            settles = name == "Or"
            if settles in found:
                return settles
            return None if None in found else not settles
        try:
            number, relation = self.relation(expr)
        except Unsaid:
            return self._is_positive(expr)
        return HOLDS[relation](number)

    def _is_positive(self, expr: Any) -> bool | None:
        """Whether a comparison of a quotient or root of sizes with a number ≤ 0 holds; None if that is not seen."""
        above = type(expr).__name__ in ("GreaterThan", "StrictGreaterThan", "Unequality")
        if not above or not expr.args[1].is_number or expr.args[1] > 0:
            return None
        return self._positive(expr.args[0]) or None

    def _positive(self, expr: Any) -> bool:
        """Whether an expression of floats is seen to be above 0."""
        name = type(expr).__name__
        if expr.is_number:
            return bool(expr > 0)
        if name in ("FloatTrueDiv", "IntTrueDiv", "Mul", "Add"):
            return all(map(self._positive, expr.args))
        if name in ("FloatPow", "Pow", "ToFloat") or "sqrt" in name:
            return self._positive(expr.args[0])
        try:
            return nonnegative(self.said(expr) - 1)
        except Unsaid:
            return False

    def relation(self, expr: Any) -> tuple[Number, str]:
        """A comparison as that of one number with 0: "≥ 0", "= 0" or "≠ 0".

        Raises:
            Unsaid: if it is none of whole polynomials.
        """
        name = type(expr).__name__
        if name not in RELATIONS:
            raise Unsaid(str(expr), expr)
        left, right = map(self.said, expr.args)
        return RELATIONS[name](left, right)

    def hinge(self, expr: Any) -> tuple[Number | None, Number | None]:
        """What is divided by what in an expression, or the difference whose sign decides an extreme; else None."""
        for one in (expr, *expr.args):
            name = type(one).__name__
            with suppress(Unsaid):
                if name in QUOTIENTS:
                    return self.said(one.args[0]), self.said(one.args[1])
                if name in ROUNDED:
                    return self._quotient(one.args[0])
                if name in ("Max", "Min") and len(one.args) == 2:
                    return self.said(one.args[0]) - self.said(one.args[1]), None
            found = self.hinge(one) if one is not expr else (None, None)
            if found != (None, None):
                return found
        return None, None

    def texts(self, expr: Any) -> str:
        """A condition with the names of sizes."""
        found = str(expr)
        for symbol, number in sorted(self.known.items(), key=lambda one: -len(str(one[0]))):
            text = spelled(number)
            found = found.replace(str(symbol), text if text.isalnum() else f"({text})")
        return found


QUOTIENTS = ("FloorDiv", "CleanDiv", "IntTrueDiv", "Mod", "PythonMod")
TRUE_QUOTIENTS = ("IntTrueDiv", "FloatTrueDiv")
ROUNDED = ("FloorToInt", "CeilToInt", "TruncToInt", "RoundToInt")
RELATIONS: dict[str, Callable[[Any, Any], tuple[Number, str]]] = {
    "Equality": lambda a, b: (a - b, "= 0"),
    "Unequality": lambda a, b: (a - b, "≠ 0"),
    "GreaterThan": lambda a, b: (a - b, "≥ 0"),
    "StrictGreaterThan": lambda a, b: (a - b - 1, "≥ 0"),
    "LessThan": lambda a, b: (b - a, "≥ 0"),
    "StrictLessThan": lambda a, b: (b - a - 1, "≥ 0"),
}


def _is_zero(number: Number) -> bool | None:
    if not isinstance(number, Whole):
        return number == 0
    return False if nonnegative(number - 1) or nonnegative(-number - 1) else None


HOLDS: dict[str, Callable[[Number], bool | None]] = {
    "≥ 0": sign,
    "= 0": _is_zero,
    "≠ 0": lambda number: None if (found := _is_zero(number)) is None else not found,
}

PRIMES = (
    *(7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97),
    *(101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181),
)


def examples(
    names: list[str], least: Mapping[str, int], numbers: set[int]
) -> Iterator[dict[str, int]]:
    """Numbers for sizes, pairwise different, at least as great as they must be, and none of those in the source."""
    for start in range(len(PRIMES)):
        free = (p for p in PRIMES[start:] if p not in numbers)
        found: dict[str, int] = {}
        for name in names:
            value = next((p for p in free if p >= least[name]), None)
            if value is None:
                return
            found[name] = value
        yield found
