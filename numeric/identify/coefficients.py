"""Which coefficients of a prediction are not those of gradient descent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import numpy as np

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from . import polynomial, recognition, verdict
from .measured import Fit
from .polynomial import OverBudget
from .report import Coefficient, Report, as_float
from .rule import Rule, on_line, start, step_sizes

LISTED = 8


def fitted(fit: Fit, W0: np.ndarray) -> Rule | None:
    """The rule of a fit, if it is finite."""
    if not (np.isfinite(W0).all() and np.isfinite(fit.step_size)):
        return None
    return Rule((Fraction(fit.step_size),) * fit.steps, polynomial.fractions(W0))


def of_construction(
    construction: Model, numbers: Iterable[int], otherwise: Mapping[int, Rule | None]
) -> dict[int, Rule | None]:
    """The gradient descent that a construction does after n examples, for each n; others where it is none."""
    found = dict(otherwise)
    for n in numbers:
        try:
            q, W0 = on_line(construction, n), start(construction, n)
        except (*recognition.NO_POLYNOMIAL, OverBudget):
            continue
        if q is not None and W0 is not None:
            found[n] = Rule(step_sizes(q)[0], W0)
    return found


def tell(report: Report, model: Model, rules: Mapping[int, Rule | None]) -> None:
    """Adds to a report those that differ most from the rules', at the least n where some do."""
    d, k = neutral.sizes(model)
    for n, rule in rules.items():
        try:
            found = None if rule is None else recognition.polynomials(model, rule, n)
        except recognition.NO_POLYNOMIAL:
            return  # the verdict says so
        if rule is None or found is None:
            report.notes.append("the prediction has too many coefficients to list them")
            return
        names = polynomial.names(n, d, k)
        listed = [
            (abs(value), c, powers, value, own.get(powers, Fraction(0)))
            for c, (off, own) in enumerate(found)
            for powers, value in off.items()
        ]
        if listed:
            listed.sort(key=lambda entry: entry[0], reverse=True)
            report.coefficients = [
                Coefficient(_monomial(names, powers, c, k), own + value, own)
                for _, c, powers, value, own in listed[:LISTED]
            ]
            report.coefficients_in_all = len(listed)
            report.notes.append(f"coefficients are those at n = {n}, beside {_told(rule)}")
            return


def _told(rule: Rule) -> str:
    each = [f"{as_float(step):.6g}" for step in dict.fromkeys(rule.step_sizes)]
    return f"{verdict.steps(len(rule.step_sizes))} with η = {', '.join(each)}"


def _monomial(names: list[str], powers: tuple[int, ...], target: int, k: int) -> str:
    parts = [name for name, power in zip(names, powers, strict=True) for _ in range(power)]
    return (f"prediction {target + 1}: " if k > 1 else "") + (" ".join(parts) or "1")
