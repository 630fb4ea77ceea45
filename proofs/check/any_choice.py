"""Whether a failing statement fails for every choice of parameters, so that it refutes a claim that some exist."""

from __future__ import annotations

import inspect
from typing import Any

from ..exact.instance import entry_names
from ..exact.scalar import Ratio
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.statements import Statement


def why_not(claim: Claim, sizes: Sizes, statement: Statement | None) -> str | None:
    """Why parameters that were not tried might still do it, or None if none do.

    Right minus left, all entries symbols, is a function of the data alone where no parameter occurs in it. Its value at
    the counterexample's data is then the same for all parameters, and the statement fails for them all.

    Args:
        claim: an existence claim.
        sizes: those of its counterexample.
        statement: the one that fails there, its entries symbols; None if no engine ran it so.
    """
    parameters = claim.over_all_parameters
    if not parameters:
        return (
            "the parameters tried as a witness do not do it; that does not refute that others might"
        )
    if statement is None:
        return "it fails at some parameters, and no engine ran it with symbols for them"
    conditioned: set[str] = set()
    for text, condition in claim.assuming.items():
        named = set(inspect.signature(condition).parameters) & set(claim.given)
        if named & set(parameters) and named - set(parameters):
            return f"the condition {text!r} ties the data to the parameters"
        conditioned |= named
    found, divisors = (names & set(parameters) for names in _occurring(claim, sizes, statement))
    if not found and divisors <= conditioned:
        return None
    if not found:
        names = ", ".join(name for name in parameters if name in divisors - conditioned)
        return f"the equation that fails is divided by the parameters {names}, which no condition keeps from 0"
    names = ", ".join(name for name in parameters if name in found)
    return (
        f"the equation that fails still depends on the parameters {names}; the identities are shown, the argument "
        "from them is not the machine's"
    )


def why_not_collision(claim: Claim, sizes: Sizes, statement: Statement | None) -> str | None:
    """Why parameters that were not tried might still leave no two such inputs, or None if none do.

    Two inputs with one statistic and two values refute "for some parameters a map does it" only if neither the
    statistic nor the value depends on the parameters.

    Args:
        claim: an existence claim.
        sizes: those at which two inputs were found.
        statement: the one that they show false, its entries symbols; None if no engine ran it so.
    """
    if claim.parameters is not None:
        return "two inputs collide for the parameters tried as a witness; that does not refute that others might do"
    if not claim.over_all_parameters:
        return None
    if statement is None:
        return "two inputs collide at some parameters, and no engine ran it with symbols for them"
    names = entry_names(claim, sizes)
    found: set[str] = set()
    for side in (statement.statistic, statement.value):  # type: ignore[union-attr]
        for entry in side.flat:
            if isinstance(entry, Ratio):
                found |= _symbols(entry, names)
            else:
                found |= {str(symbol) for symbol in getattr(entry, "free_symbols", ())}
    met = sorted({_symbol(name) for name in found} & set(claim.over_all_parameters))
    if not met:
        return None
    return f"two inputs collide at one choice of the parameters {', '.join(met)}; others might tell them apart"


def _occurring(claim: Claim, sizes: Sizes, statement: Any) -> tuple[set[str], set[str]]:
    """The claim's symbols in right minus left, in lowest terms, and those in what either side is divided by."""
    names = entry_names(claim, sizes)
    found: set[str] = set()
    divisors: set[str] = set()
    for one, other in zip(statement.left.flat, statement.right.flat, strict=True):
        if isinstance(one, Ratio) and isinstance(other, Ratio):
            found |= _symbols(other - one, names)
            divisors |= _used([den for den in (one.den, other.den) if den is not None], names)
        else:  # sympy's expressions: what they are divided by is not looked for
            found |= {
                str(symbol)
                for scalar in (one, other)
                for symbol in getattr(scalar, "free_symbols", ())
            }
    return {_symbol(name) for name in found}, {_symbol(name) for name in divisors}


def _symbol(entry: str) -> str:
    return entry.partition("[")[0]


def _symbols(scalar: Any, names: list[str]) -> set[str]:
    if not scalar.num:
        return set()
    if scalar.den is None:
        return _used([scalar.num], names)
    common = scalar.num.gcd(scalar.den)
    return _used([scalar.num // common, scalar.den // common], names)


def _used(polynomials: list[Any], names: list[str]) -> set[str]:
    degrees = [zip(names, polynomial.degrees(), strict=False) for polynomial in polynomials]
    return {name for pairs in degrees for name, power in pairs if power > 0}
