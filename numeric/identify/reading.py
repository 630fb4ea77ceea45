"""The numbers of the learning rule that a model's prediction can only be, if it is any's, read from its polynomial.

Gradient descent on ½ Σ_j ‖Wᵀx_j − y_j‖² with steps η_1, …, η_L predicts x_qᵀ(p(G) S + q(G) W0), with G = Σ x_j x_jᵀ,
S = Σ x_j y_jᵀ, q(g) = Π_l (1 − η_l g) and q(g) = 1 − g p(g). One example x_1 = s e_a with a target 1 shows s p(s²) to a
query e_a, so the step sizes are the reciprocals of the roots of q. What is read is a candidate; see `recognition`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

import numpy as np

from scanproof.constructs.layouts.neutral import Model, sizes

from .neutral_form import rounding
from .polynomial import Coefficients, Polynomials, coefficients
from .report import as_float

AT_ONCE = 32
"""Coordinates of the query that are symbols at once."""


def on_line(
    model: Model, n: int, feature: int = 0, *, linear: bool = False, example: int = 0
) -> list[Fraction] | None:
    """The coefficients 1, q_1, …, q_L ≠ 0 of q along x_1 = s e_a, where a is `feature` and all other examples are 0.

    Another example takes the place of the first where one is given, from 0.

    If linear, y_1 is w s instead of a symbol of its own. None if that is not how the prediction depends on s and y_1,
    up to rounding.

    Raises:
        OverBudget: if the prediction is a polynomial too large.
        NotPolynomial: if it is none.
    """
    x = {(example, feature): "s", (n, feature): ""}
    found = _read(model, n, ["s", "y"], x, {(example, 0): "y s" if linear else "y"})[0]
    query = 0 if linear else 1  # the power of s that is lacking, for the query is e_a
    learned = {(s + query, power): c for (s, power), c in found.items() if power}
    return _powers(learned, model)


def without_targets(model: Model, n: int, feature: int = 0) -> list[Fraction] | None:
    """The coefficients of q(g) W0[a] along x_1 = s e_a, g = s², where y_1 and all other data are 0.

    None, and errors, as for `on_line`.
    """
    found = _read(model, n, ["s"], {(0, feature): "s", (n, feature): ""}, {})[0]
    even = _only(found, lambda p: p[0] % 2 == 0, model)
    if even is None:
        return None
    most = max((s for (s,) in even), default=0)
    return [even.get((s,), Fraction(0)) for s in range(0, 1 + most, 2)]


def _powers(learned: Coefficients, model: Model) -> list[Fraction] | None:
    gp = _only(learned, lambda p: p[1] == 1 and p[0] > 0 and p[0] % 2 == 0, model)
    if gp is None:
        return None
    most = max((s for s, _ in gp), default=0)  # g p(g), g = s²
    return [Fraction(1), *(-gp.get((s, 1), Fraction(0)) for s in range(2, 1 + most, 2))]


def start(model: Model, n: int) -> np.ndarray | None:
    """W0, from the predictions without data; None if they are not linear in the query, up to rounding.

    A few of its coordinates at a time are symbols: that they do not meet in products is left for the identity to show.
    """
    d, k = sizes(model)
    W0 = np.full((d, k), Fraction(0), dtype=object)
    for first in range(0, d, AT_ONCE):
        chosen = range(first, min(first + AT_ONCE, d))
        x = {(n, b): f"q{b}" for b in chosen}
        for c, found in enumerate(_read(model, n, list(x.values()), x, {})):
            slopes = _only(found, lambda powers: sum(powers) == 1, model)
            if slopes is None:
                return None
            for powers, coefficient in slopes.items():
                W0[chosen[powers.index(1)], c] = coefficient
    return W0


def first_order(model: Model, n: int, steps: int) -> np.ndarray | None:
    """M_ba, the coefficient of y_1 x_1[a] x_q[b]: the sum of the steps' η_l Γ; None where it is no such rule's.

    All examples but the first are 0. For L > 1 steps its values e_a are looked at one by one, for the polynomials are
    of degree 2L − 1 in x_1.
    """
    d, _ = sizes(model)
    M = np.full((d, d), Fraction(0), dtype=object)
    for chosen in [list(range(d))] if steps == 1 else [[a] for a in range(d)]:
        x = {(n, b): f"q{b}" for b in range(d)} | {(0, a): f"s{a}" for a in chosen}
        found = _read(model, n, [*x.values(), "y"], x, {(0, 0): "y"})[0]
        once = {p: c for p, c in found.items() if p[-1] == 1 and sum(p[d:-1]) == 1}
        products = _only(once, lambda powers: sum(powers[:d]) == 1, model)
        if products is None:
            return None
        for powers, coefficient in products.items():
            M[powers[:d].index(1), chosen[powers[d:].index(1)]] = coefficient
    return M


def _read(
    model: Model,
    n: int,
    symbols: list[str],
    x: Mapping[tuple[int, int], str],
    y: Mapping[tuple[int, int], str],
) -> list[Coefficients]:
    """The prediction's coefficients where these entries of the data are products of symbols, and all others 0."""
    (d, k), field = sizes(model), Polynomials(symbols)
    given = []
    for shape, products in (((n + 1, d), x), ((n, k), y)):
        entries = np.empty(shape, dtype=object)
        for at in np.ndindex(shape):
            factors = [field.generators[symbol] for symbol in products.get(at, "").split()]
            entries[at] = math.prod(factors, start=field.number(int(at in products)))
        given.append(entries)
    return coefficients(model, field, *given)


def _only(
    found: Coefficients, wanted: Callable[[tuple[int, ...]], bool], model: Model
) -> Coefficients | None:
    """Those of a rule; None if the others are more than rounding leaves beside them."""
    own = {powers: c for powers, c in found.items() if wanted(powers)}
    rest = max((abs(c) for powers, c in found.items() if powers not in own), default=Fraction(0))
    close = rounding(model) * max(map(abs, own.values()), default=Fraction(0))
    return own if rest <= close else None


def ridged(q: list[Fraction], bare: list[Fraction]) -> tuple[Fraction, Fraction] | None:
    """η and λ > 0 of L equal steps with a ridge; None if there are none, or η is not rational.

    With r(g) = 1 − ηλ − ηg their weights are r(g)^L W0 + η Σ_{j<L} r(g)^j S, whose highest coefficients tell.

    Args:
        q: 1 and the coefficients of −g p(g), as `on_line` has them.
        bare: those of r(g)^L W0[a], as `without_targets` has them.
    """
    steps = len(q) - 1
    if not steps:
        return None
    size = _root(abs(q[steps]), steps)
    if size is None:
        return None
    eta = _signed(q, size)
    if steps > 1:
        kept = (-q[steps - 1] / (eta * (-eta) ** (steps - 2)) - 1) / (steps - 1)
    elif len(bare) > 1 and bare[1]:
        kept = -eta * bare[0] / bare[1]
    else:
        return None
    ridge = (1 - kept) / eta
    return (eta, ridge) if ridge > 0 else None


def with_momentum(q: list[Fraction]) -> tuple[Fraction, Fraction] | None:
    """η and β ≠ 0 of L ≥ 3 equal steps with momentum, rational or rounded; None if q says there are none.

    q_L has the highest coefficients (−η)^L and (−η)^(L−1) (L + (L − 1) β). Two such steps are two unequal ones, or have
    a ridge.
    """
    steps = len(q) - 1
    if steps < 3:
        return None
    size = _root(abs(q[steps]), steps) or Fraction(as_float(abs(q[steps])) ** (1 / steps))
    eta = _signed(q, size)
    beta = (q[steps - 1] / (-eta) ** (steps - 1) - steps) / (steps - 1) if eta else Fraction(0)
    return (eta, beta) if beta else None


def _signed(q: list[Fraction], size: Fraction) -> Fraction:
    """η of a size: q's last coefficient is (−η)^L."""
    steps = len(q) - 1
    return size if (q[steps] < 0) == (steps % 2 == 1) else -size


def flattened(q: list[Fraction]) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """η_1, η_2 and γ of two steps of GD++, whose q is (1 − η_1 g)(1 − η_2 g (1 − γ g)²), rational or rounded."""
    if len(q) == 4:  # no first step
        yield from _flat(Fraction(0), q)
    elif len(q) == 5:
        exact, _ = _reciprocal_roots(q)
        rounded = [Fraction(r.real) for r in _rounded_roots(q) if abs(r.imag) <= 1e-6 * abs(r)]
        for eta in dict.fromkeys([*(eta for eta, _ in exact), *rounded]):
            rest = [q[0]]
            for c in q[1:4]:
                rest.append(c + eta * rest[-1])  # q / (1 − η g), as far as its degree
            yield from _flat(eta, rest)


def _flat(first: Fraction, q: list[Fraction]) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """From the q of the last of two steps."""
    if q[1] and q[2]:
        yield (first, -q[1]), q[2] / (-2 * q[1])


def _root(value: Fraction, power: int) -> Fraction | None:
    """The root of a positive number, if it is rational."""
    above, below = (_integer_root(part, power) for part in value.as_integer_ratio())
    exact = Fraction(above, below)
    return exact if exact**power == value else None


def _integer_root(number: int, power: int) -> int:
    """The largest whole number whose power is at most this number ≥ 1 (Newton's method, from above)."""
    root = 1 << -(-number.bit_length() // power)
    while True:
        lower = ((power - 1) * root + number // root ** (power - 1)) // power
        if lower >= root:
            return root
        root = lower


def step_sizes(q: list[Fraction]) -> list[tuple[Fraction, ...]]:
    """Candidates for η_1, …, η_L: the reciprocal roots of q if they are rational, and L equal ones otherwise.

    The equal ones have the right sum; with them q is what it is up to rounding, if with any.
    """
    steps = len(q) - 1
    if steps == 0:
        return [()]
    roots, every = _reciprocal_roots(q)
    equal = (-q[1] / steps,) * steps
    exact = tuple(sorted(eta for eta, power in roots for _ in range(power)))
    return [exact, equal] if every and exact != equal else [equal]


def _reciprocal_roots(q: list[Fraction]) -> tuple[list[tuple[Fraction, int]], bool]:
    """The reciprocals of q's rational roots with their multiplicities, and whether all its roots are such."""
    import flint

    mirrored = flint.fmpq_poly([flint.fmpq(c.numerator, c.denominator) for c in q[::-1]])
    _, factors = mirrored.numer().factor()
    linear = [(f, power) for f, power in factors if f.degree() == 1]
    roots = [(-Fraction(int(f[0]), int(f[1])), power) for f, power in linear]
    return roots, len(linear) == len(factors)


def _rounded_roots(q: list[Fraction]) -> np.ndarray:
    """The reciprocals of q's roots in floats; none where its coefficients overflow."""
    floats = np.array([as_float(c) for c in q])
    return np.roots(floats) if np.isfinite(floats).all() else np.zeros(0)


def rounded_step_sizes(q: list[Fraction]) -> tuple[Fraction, ...] | None:
    """η_1, …, η_L as floats, of which some may be irrational; None where they are not real."""
    roots = _rounded_roots(q)
    if not 1 < len(roots) == len(q) - 1 or np.imag(roots).any():
        return None
    return tuple(sorted(map(Fraction, np.real(roots).tolist())))
