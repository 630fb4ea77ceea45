"""What a proof for all sizes takes from elsewhere: named axioms, each discharged by sympy.

The kernel knows of exp that it takes sums to products, and of log its name. A gradient through them uses their
derivatives, which the dual numbers of `constructs.arrays.gradient` have built in; so a proof that reads such a gradient
rests on these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

DERIVATIVES = {"exp": "d exp(z) = exp(z) dz", "log": "d log(z) = dz / z"}
"""The axiom for each function that may stand in a gradient."""
POSITIVE = "exp(z) > 0"
"""Where inputs are numbers, that a sum of values of exp is not 0."""


def axioms_of(functions: Iterable[str], differentiated: bool) -> list[str]:
    """The axioms that an interpretation with these functions rests on."""
    return sorted(DERIVATIVES[name] for name in functions if differentiated and name in DERIVATIVES)


def _derivative_of_exp() -> bool:
    import sympy

    z = sympy.Symbol("z")
    return sympy.diff(sympy.exp(z), z) == sympy.exp(z)


def _derivative_of_log() -> bool:
    import sympy

    z = sympy.Symbol("z", positive=True)
    return sympy.diff(sympy.log(z), z) == 1 / z


def _sign_of_exp() -> bool:
    import sympy

    return sympy.exp(sympy.Symbol("z", real=True)).is_positive is True


_DISCHARGED: dict[str, Callable[[], bool]] = {
    DERIVATIVES["exp"]: _derivative_of_exp,
    DERIVATIVES["log"]: _derivative_of_log,
    POSITIVE: _sign_of_exp,
}


AXIOMS = tuple(_DISCHARGED)
"""Every axiom that a proof of the ledger may rest on."""


def discharged(axiom: str) -> bool:
    """Whether sympy shows the axiom; False for one that nothing is known of."""
    found = _DISCHARGED.get(axiom)
    return found is not None and found()
