"""A learning rule as exact numbers, and the one that a model's prediction can only be, if it is any.

Gradient descent on ½ Σ_j ‖Wᵀx_j − y_j‖² with steps η_1, …, η_L predicts x_qᵀ(p(G) S + q(G) W0), with G = Σ x_j x_jᵀ,
S = Σ x_j y_jᵀ, q(g) = Π_l (1 − η_l g) and q(g) = 1 − g p(g). One example x_1 = s e_a with a target 1 shows s p(s²) to a
query e_a, so the step sizes are the reciprocals of the roots of q. What is read is a candidate; see `recognition`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.layouts.neutral import Model, sizes
from scanproof.constructs.learners.accumulation import unscaled_gradient
from scanproof.proofs.exact.array import ExactArray, Namespace

from . import polynomial, rounding
from .polynomial import Polynomials

AT_ONCE = 32
"""Coordinates of the query that are symbols at once."""


class Rule(NamedTuple):
    """W ← W − η_l Γ Σ_j x_j (Wᵀx_j − y_j)ᵀ from W0, for l = 1, …, L; L may be 0."""

    step_sizes: tuple[Any, ...]
    W0: np.ndarray
    """(d, k)."""
    preconditioner: np.ndarray | None = None
    """Γ, (d, d); None for I."""


def prediction(rule: Rule, x: Any, y: Any) -> Any:
    """What the rule predicts: x (n + 1, d), y (n, k) -> (k,), in the numbers of `x`."""
    xp = namespace(x)
    W = xp.asarray(rule.W0)
    for step_size in rule.step_sizes:
        step = unscaled_gradient(W, x[:-1], y)
        if rule.preconditioner is not None:
            step = xp.asarray(rule.preconditioner) @ step
        W = W - xp.asarray(step_size) * step
    return x[-1] @ W


def on_line(
    model: Model, n: int, feature: int = 0, *, linear: bool = False
) -> list[Fraction] | None:
    """The coefficients 1, q_1, …, q_L of q along x_1 = s e_a, all other examples 0.

    Args:
        model: in floats.
        n: examples.
        feature: a.
        linear: y_1 is w s instead of a symbol of its own.

    Returns:
        q, its last coefficient not 0; None if that is not how the prediction depends on s and y_1, up to rounding.

    Raises:
        OverBudget: if the prediction is a polynomial too large.
        NotPolynomial: if it is none.
    """
    d, k = sizes(model)
    field = Polynomials(["s", "y"])
    xp = Namespace(field)
    x = [_filled(field, d, {feature: "s"}), *[xp.zeros((d,))] * (n - 1), xp.eye(d)[feature]]
    target = field.generators["y"] * (field.generators["s"] if linear else field.number(1))
    y = xp.stack([xp.asarray([target, *[0] * (k - 1)]), *[xp.zeros((k,))] * (n - 1)])
    found = polynomial.coefficients(model, field, xp.stack(x), y)[0]
    once = {s + (not linear): c for (s, power), c in found.items() if power == 1}
    gp = {s: c for s, c in once.items() if s and not s % 2}  # g p(g), g = s²
    other = [c for (_, power), c in found.items() if power > 1]
    other += [c for s, c in once.items() if s not in gp]
    if not _is_rounding(other, gp.values(), model):
        return None
    return [Fraction(1), *(-gp.get(s, Fraction(0)) for s in range(2, 1 + max(gp, default=0), 2))]


def _is_rounding(values: Iterable[Fraction], beside: Iterable[Fraction], model: Model) -> bool:
    """Whether coefficients that a rule lacks are no more than rounding leaves beside those that it has."""
    most = max(map(abs, values), default=Fraction(0))
    return most <= rounding.of(model) * max(map(abs, beside), default=Fraction(0))


def step_sizes(q: list[Fraction]) -> list[tuple[Fraction, ...]]:
    """Candidates for η_1, …, η_L: the reciprocal roots of q if they are rational, and L equal ones otherwise.

    The equal ones have the right sum; with them q is what it is up to rounding, if with any.
    """
    import flint

    steps = len(q) - 1
    if steps == 0:
        return [()]
    mirrored = flint.fmpq_poly([flint.fmpq(c.numerator, c.denominator) for c in q[::-1]])
    _, factors = mirrored.numer().factor()
    equal = (-q[1] / steps,) * steps
    if any(factor.degree() > 1 for factor, _ in factors):
        return [equal]
    roots = [
        -Fraction(int(factor[0]), int(factor[1])) for factor, power in factors for _ in range(power)
    ]
    exact = tuple(sorted(roots))
    return [exact] if exact == equal else [exact, equal]


def start(model: Model, n: int) -> np.ndarray | None:
    """W0, from the predictions without data; None if they are not linear in the query, up to rounding.

    A few of its coordinates at a time are symbols: that they do not meet in products is left for the identity to show.
    """
    d, k = sizes(model)
    W0 = np.full((d, k), Fraction(0), dtype=object)
    for first in range(0, d, AT_ONCE):
        chosen = range(first, min(first + AT_ONCE, d))
        field = Polynomials([f"q{b}" for b in chosen])
        xp = Namespace(field)
        query = _filled(field, d, {b: f"q{b}" for b in chosen})
        x = xp.concat([xp.zeros((n, d)), query[None, :]], axis=0)
        for c, entry in enumerate(polynomial.coefficients(model, field, x, xp.zeros((n, k)))):
            first_powers = {p: value for p, value in entry.items() if sum(p) == 1}
            other = [value for p, value in entry.items() if p not in first_powers]
            if not _is_rounding(other, first_powers.values(), model):
                return None
            for powers, coefficient in first_powers.items():
                W0[chosen[powers.index(1)], c] = coefficient
    return W0


def first_order(model: Model, n: int, steps: int) -> np.ndarray | None:
    """M_ba, the coefficient of y_1 x_1[a] x_q[b]: the sum of the steps' η_l Γ; None where it is no such rule's.

    Args:
        model: in floats.
        n: examples; all but the first are 0.
        steps: L. For L > 1 the examples e_a are looked at one by one, for the polynomials are of degree 2L − 1 in x_1.
    """
    d, k = sizes(model)
    M = np.full((d, d), Fraction(0), dtype=object)
    for chosen in [list(range(d))] if steps == 1 else [[a] for a in range(d)]:
        field = Polynomials([*_query(d), "y", *(f"s{a}" for a in chosen)])
        xp = Namespace(field)
        first = _filled(field, d, {a: f"s{a}" for a in chosen})
        query = _filled(field, d, dict(enumerate(_query(d))))
        x = [first, *[xp.zeros((d,))] * (n - 1), query]
        found = polynomial.coefficients(model, field, xp.stack(x), _one_target(field, n, k))[0]
        of_example = {p: value for p, value in found.items() if p[d] == 1 and sum(p[d + 1 :]) == 1}
        own = {p: value for p, value in of_example.items() if sum(p[:d]) == 1}
        other = [value for p, value in of_example.items() if p not in own]
        if not _is_rounding(other, own.values(), model):
            return None
        for powers, coefficient in own.items():
            M[powers[:d].index(1), chosen[powers[d + 1 :].index(1)]] = coefficient
    return M


def _query(d: int) -> list[str]:
    return [f"q{b}" for b in range(d)]


def _one_target(field: Polynomials, n: int, k: int) -> ExactArray:
    """y_1[1] is a symbol, and all other targets are 0."""
    xp = Namespace(field)
    return xp.stack([_filled(field, k, {0: "y"}), *[xp.zeros((k,))] * (n - 1)])


def _filled(field: Polynomials, size: int, names: dict[int, str]) -> ExactArray:
    entries = np.empty(size, dtype=object)
    for i in range(size):
        entries[i] = field.generators[names[i]] if i in names else field.number(0)
    return ExactArray(entries, field)
