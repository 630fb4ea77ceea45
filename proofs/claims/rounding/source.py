"""The source of the rows about rounding, and what they suppose of floating-point arithmetic."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.arrays.norms import absolute
from scanproof.constructs.arrays.ranges import build
from scanproof.constructs.arrays.rounded import Rounding, growth

from ...language.source import Source
from ...language.statements import at_most

rounding = Source("rounding", "Rounding in scans: bounds for any number of tokens", own=True)

MODEL = (
    "The standard model: every operation gives (x ∘ y)(1 + δ) + ε with |δ| ≤ u and |ε| ≤ η, each time others, where "
    "ε is underflow (η = 0 without). The definition itself is run, with a δ and an ε at each of its operations."
)


def errors(*names: str) -> dict[str, Any]:
    """Conditions |δ| ≤ u and |ε| ≤ η on arrays of roundings, delta_name and eps_name."""
    found: dict[str, Any] = {}
    for name in names:
        found[f"|δ_{name}| ≤ u"] = _SMALL[name]
        found[f"|ε_{name}| ≤ η"] = _LEAST[name]
    return found


_SMALL = {
    "write": lambda delta_write, u: at_most(absolute(delta_write), u),
    "read": lambda delta_read, u: at_most(absolute(delta_read), u),
    "add": lambda delta_add, u: at_most(absolute(delta_add), u),
    "weigh": lambda delta_weigh, u: at_most(absolute(delta_weigh), u),
    "decay": lambda delta_decay, u: at_most(absolute(delta_decay), u),
    "score": lambda delta_score, u: at_most(absolute(delta_score), u),
    "within": lambda delta_within, u: at_most(absolute(delta_within), u),
    "sum": lambda delta_sum, u: at_most(absolute(delta_sum), u),
}
_LEAST = {
    "write": lambda eps_write, eta: at_most(absolute(eps_write), eta),
    "read": lambda eps_read, eta: at_most(absolute(eps_read), eta),
    "add": lambda eps_add, eta: at_most(absolute(eps_add), eta),
    "weigh": lambda eps_weigh, eta: at_most(absolute(eps_weigh), eta),
    "decay": lambda eps_decay, eta: at_most(absolute(eps_decay), eta),
    "score": lambda eps_score, eta: at_most(absolute(eps_score), eta),
    "within": lambda eps_within, eta: at_most(absolute(eps_within), eta),
    "sum": lambda eps_sum, eta: at_most(absolute(eps_sum), eta),
}


def of_rows(relative: Any, absolutes: Any, count: int) -> tuple[Rounding, ...]:
    """The roundings of `count` operations, from arrays (T, count, …)."""
    return tuple(Rounding(relative[:, k], absolutes[:, k]) for k in range(count))


def counted(xp: Any, length: Any) -> Any:
    """1, …, length."""
    return build(xp, length, lambda before: xp.asarray(before + 1))


def growths(xp: Any, u: Any, length: Any, more: int = 1) -> Any:
    """(1 + u)^{t − 1 + more} for t = 1, …, length."""
    return build(xp, length, lambda before: growth(u, before + more))
