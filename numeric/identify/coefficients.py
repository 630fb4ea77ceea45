"""Which coefficients of a prediction are not those of gradient descent."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import Model

from . import polynomial, recognition
from .polynomial import NO_POLYNOMIAL, OverBudget, Symbols
from .reading import on_line, start, step_sizes
from .report import Coefficient, Report, as_float
from .rule import Rule, steps

LISTED = 8


def fitted(learner: Rule, n: int) -> Rule | None:
    """The steps of a learner of floats after n examples in exact numbers, if they are finite."""
    if not (np.isfinite(learner.W0).all() and np.isfinite(learner.step_sizes).all()):
        return None
    sizes = (Fraction(size) / (n if learner.divided else 1) for size in learner.step_sizes)
    return Rule(tuple(sizes), polynomial.fractions(learner.W0))


def of_construction(
    construction: Model, otherwise: Mapping[int, Rule | None]
) -> dict[int, Rule | None]:
    """The gradient descent that a construction does after n examples, for each n; others where it is none."""
    found = dict(otherwise)
    for n in otherwise:
        try:
            q, W0 = on_line(construction, n), start(construction, n)
        except (*NO_POLYNOMIAL, OverBudget):
            continue
        if q is not None and W0 is not None:
            found[n] = Rule(step_sizes(q)[0], W0)
    return found


def list_deviating(report: Report, model: Model, rules: Mapping[int, Rule | None]) -> None:
    """Adds to a report those that differ most from the rules', at the least n where some do."""
    d, k = neutral.sizes(model)
    for n, rule in rules.items():
        try:
            found = None if rule is None else recognition.polynomials(model, rule, n)
        except NO_POLYNOMIAL:
            return  # the verdict says so
        if rule is None or found is None:
            report.notes.append("the prediction has too many coefficients to list them")
            return
        names = Symbols(n, d, k).names
        deviating = [
            (abs(value), Coefficient(_monomial(names, powers, c, k), own + value, own))
            for c, (off, all_own) in enumerate(found)
            for powers, value in off.items()
            for own in [all_own.get(powers, Fraction(0))]
        ]
        if deviating:
            deviating.sort(key=lambda pair: pair[0], reverse=True)
            report.coefficients = [coefficient for _, coefficient in deviating[:LISTED]]
            report.coefficients_in_all = len(deviating)
            each = ", ".join(f"{as_float(s):.6g}" for s in dict.fromkeys(rule.step_sizes))
            learner = f"{steps(rule.steps)} with η = {each}" if rule.steps else "no step"
            report.notes.append(f"coefficients are those at n = {n}, beside {learner}")
            return


def _monomial(names: list[str], powers: tuple[int, ...], target: int, k: int) -> str:
    parts = [name for name, power in zip(names, powers, strict=True) for _ in range(power)]
    return (f"prediction {target + 1}: " if k > 1 else "") + (" ".join(parts) or "1")
