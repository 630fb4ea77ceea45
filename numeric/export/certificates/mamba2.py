"""How far the constructed Mamba-2 models may be from gradient descent: as a function of K, the sizes and the numbers.

The block's norms scale a token u beside constant channels K by 1 − δ, 0 ≤ δ ≤ ½ (‖u‖² + Mε)/(cK²), for c such channels
(`mamba2.rms-norm`); each other limit is reached to within less than 2⁻⁶⁰. Everything else is rounding, counted
operation by operation as `numeric.rounding.arithmetic` describes, sums in any order, so that chunked evaluation and the
recurrence are covered alike. Pairs silu(u) − silu(−u) lose nothing: |silu(u)| + |silu(−u)| is |u|. Where u is one
coordinate times one weight, u and −u are computed alike.

A step moves w by Σ_j −η (w·x_j − y_j) x_j, whose terms add up to at most ηnX(ΩX + Y) in absolute value; with a relative
error a for each of them, and ρ = max(1, ηλ − 1) for what a step makes of an error in w, λ ≤ nX² the curvature,

    E ← ρE + a ηnX((Ω + E)X + Y) + u(Ω' + …).

That is the worst case over all data in the domain. What is measured is some hundred times less.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.layouts.hf_mamba2 import EPSILON

from ...rounding.arithmetic import DIVISION, FORMATS, FUNCTION, OUTWARD, Format

SILU = FUNCTION + 1 + DIVISION
"""Unit roundoffs of z / (1 + exp(−z)), relative to its value."""
SOFTPLUS = 2 * FUNCTION
"""Unit roundoffs of softplus(32), relative to its value."""
NORM = DIVISION + 6
"""Unit roundoffs of a norm: the mean's division, ε, the root, K², and the two factors."""
MARGIN = 1 + 2.0**-30
"""For norms that are computed in float64."""
LIMITS = 2.0**-60
"""What softplus(−992) and its like, e^−32 aside, add relative to what they are compared with."""
EXACT = Format(0.0, 0.0, math.inf)
"""Arithmetic without rounding: what is left of a bound is due to K."""


class Domain(NamedTuple):
    """The data for which a bound holds."""

    examples: int
    """n, at most."""
    input_norm: float
    """X ≥ ‖x_j‖ for the examples and the query."""
    target: float
    """Y ≥ |y_jc|."""
    curvature: float = math.inf
    """At least the largest eigenvalue of Σ_j x_j x_jᵀ, if it is known to be less than nX²."""
    weights: float = math.inf
    """At least ‖w‖ for each target, after every number of steps on any first examples, if known."""


def domain_of(x: np.ndarray, y: np.ndarray, W0: np.ndarray, eta: float, steps: int) -> Domain:
    """The least domain with these data and the weights that gradient descent goes through, in float64.

    Args:
        x: inputs and the query, (n + 1, d), or with leading axes of tasks.
        y: targets, (n, k) with the same leading axes.
        W0: the initial weights, (d, k).
        eta: the factor of the summed gradient.
        steps: L.
    """
    examples = x[..., :-1, :]
    grams = np.cumsum(examples[..., :, None] * examples[..., None, :], axis=-3)
    sums = np.cumsum(examples[..., :, None] * y[..., None, :], axis=-3)
    W = np.broadcast_to(W0, sums.shape)
    largest = np.linalg.norm(W, axis=-2).max()
    for _ in range(steps):
        W = W - eta * (grams @ W - sums)
        largest = max(largest, np.linalg.norm(W, axis=-2).max())
    return Domain(
        examples.shape[-2],
        float(np.linalg.norm(x, axis=-1).max()) * MARGIN,
        float(np.abs(y).max()),
        float(np.linalg.norm(grams[..., -1, :, :], axis=(-2, -1), ord=2).max()) * MARGIN,
        float(largest) * MARGIN,
    )


class Bound(NamedTuple):
    """|prediction − explicit gradient descent| for each target, for all data of the domain."""

    prediction: float
    """Absolute; infinite where K is too small for the domain, or a number may overflow."""
    magnitude: float
    """What the prediction is at most."""

    @property
    def relative(self) -> float:
        """The bound over the largest prediction."""
        return self.prediction / self.magnitude


def bound(instance: Instance, domain: Domain, dtype: str | Format = "float32") -> Bound:
    """The bound for an instance whose tensors and activations are numbers of a format.

    Args:
        instance: the model in exact numbers; that they are rounded to the format is part of the bound.
        domain: bounds of the data, which is rounded to the format too.
        dtype: a format's name, or `EXACT`.
    """
    form = FORMATS[dtype] if isinstance(dtype, str) else dtype
    found = (_one_step if instance.model.step is None else _stack)(instance, domain, form)
    return Bound(found.prediction * OUTWARD, found.magnitude)


class _Sizes(NamedTuple):
    n: int
    d: int
    k: int
    T: int
    X: float
    Y: float
    eta: float
    start: float
    """The largest column norm of W0."""


def _sizes(instance: Instance, domain: Domain) -> _Sizes:
    slots = instance.layout.slots
    start = max(math.sqrt(sum(float(w) ** 2 for w in column)) for column in instance.W0.T)
    tokens = 2 * domain.examples + 1
    return _Sizes(
        domain.examples,
        slots.d,
        slots.k,
        tokens,
        float(domain.input_norm),
        float(domain.target),
        abs(float(instance.eta)),
        start,
    )


class _Block(NamedTuple):
    """Relative errors within one block, for tokens of norm at most R beside the constant channels."""

    norm: float
    """Of a normalised coordinate."""
    terms: float
    """Of each term value · key · query that the heads add up, before the gate."""
    out: float
    """Of what the gate, the gated norm and out_proj make of it."""


def _block(instance: Instance, form: Format, R: float, heads: float, added: int) -> _Block:
    """The errors of a block.

    Args:
        instance: its widths and constants.
        form: the numbers.
        R: the norm of a token beside the constant channels.
        heads: the norm of a group's outputs before the gate.
        added: how many terms the heads add up in one number, at most.
    """
    u, widths, constants = form.unit, instance.widths, instance.constants
    K, kappa, gate = (float(c) for c in (constants.channel, constants.inner, constants.gate))
    norm = _shift(R, widths.stream, widths.channels * K**2, form) + NORM * u
    entry = norm + (4 + SILU) * u  # a stored number, a weight, a product; the convolution; the pair
    terms = 3 * entry + (SOFTPLUS + 8) * u + LIMITS + _sum(added + 8, u)
    gated = norm + (2 + SILU) * u + LIMITS + math.exp(-gate) * (gate + 1)
    constant = norm + (5 + SILU) * u + LIMITS
    channels = widths.inner_channels
    width = widths.heads_per_group * widths.heads.head_dim
    inner = _shift(heads, width / gate**2, channels * kappa**2, form) + (NORM + 4 + channels) * u
    out = 2 * gated + constant + inner + 8 * u
    return _Block(*(math.expm1(1.01 * a) if a < 0.01 else math.inf for a in (norm, terms, out)))


def _shift(R: float, width: float, constant: float, form: Format) -> float:
    """½ (‖u‖² + Mε)/(cK²), with ‖u‖² twice if the sum of squares is rounded.

    Added to a number that is exact, a term that is not negative is rounded away by at most itself; so the squares of u
    are off by at most their own sum, in whatever order they are added to the constant's.
    """
    return ((2.01 if form.unit else 1) * R**2 + width * EPSILON) / (2 * constant)


def _sum(terms: int, u: float) -> float:
    """γ_n."""
    return terms * u / (1 - terms * u) if terms * u < 0.5 else math.inf


def _stack(instance: Instance, domain: Domain, form: Format) -> Bound:
    n, d, k, T, X, Y, eta, weight = _sizes(instance, domain)
    u, inputs = form.unit, instance.layout.slots.inputs
    growth = max(1.0, eta * min(n * X**2, domain.curvature) - 1)
    added = 2 * T + 2 * (d + 1)
    error, raw = u * weight, inputs * X**2 + k * Y**2 + 1
    for _ in range(instance.steps):
        now = weight + error
        R = 1.01 * math.sqrt(k * now**2 + raw)
        heads = 1.01 * eta * n * X * math.hypot(X, Y) * math.hypot(now, 1)
        block = _block(instance, form, R, heads, added)
        moved = eta * n * X * (now * X + Y)
        weight = min(growth * weight + eta * n * X * Y, domain.weights)
        rounded = ((1 + block.terms) * (1 + block.out) - 1) * moved
        error = growth * error + rounded + u * (weight + growth * error + rounded)
    now = weight + error
    R = 1.01 * math.sqrt(k * now**2 + raw + k * (now * X) ** 2)
    block = _block(instance, form, R, 1.01 * now * X, added)
    read = (1 + block.terms) * (1 + block.out) * (1 + block.norm) * (1 + 4 * u) - 1
    prediction = X * error + read * now * X + _tiny(instance, form, T, X, Y, now)
    return _finite(prediction, weight * X, R, instance, form)


def _one_step(instance: Instance, domain: Domain, form: Format) -> Bound:
    n, d, k, T, X, Y, eta, start = _sizes(instance, domain)
    u, inputs = form.unit, instance.layout.slots.inputs
    added = 2 * T + 2 * d
    values = eta * (Y + start * X)
    learned = n * values * X**2
    moved = 1.01 * learned
    R = 1.01 * math.sqrt(inputs * X**2 + k * Y**2 + 1 + k * moved**2)
    block = _block(instance, form, R, 1.01 * math.sqrt(2 * k) * learned, added)
    # −W0ᵀx and W0ᵀx are sums that may be rounded differently; silu' is at most 1.1.
    value = 2.2 * (block.norm + _sum(d + 8, u))
    terms = (1 + block.terms) * (1 + block.out) * (1 + value) * (1 + 8 * u) - 1
    read = block.norm + _sum(d + 8, u)
    prediction = terms * learned + (1 + terms) * read * (learned + start * X)
    prediction += _tiny(instance, form, T, X, Y, start)
    return _finite(prediction, learned + start * X, R, instance, form)


def _tiny(instance: Instance, form: Format, T: int, X: float, Y: float, weight: float) -> float:
    """What underflow adds: ν in every operation of every block, times all that may still multiply it."""
    sizes = instance.widths.heads
    operations = 64 * T * (sizes.state + sizes.head_dim + instance.widths.stream)
    factors = float(instance.constants.channel) * (1 + X) ** 2 * (1 + X + Y) * (1 + weight)
    return (instance.steps + 1) * operations * factors * form.tiny


def _finite(
    prediction: float, magnitude: float, R: float, instance: Instance, form: Format
) -> Bound:
    constants = instance.constants
    largest = (float(constants.inner) * float(constants.gate)) ** 2 * instance.widths.inner
    fits = largest < form.largest and R**2 * instance.widths.stream < form.largest
    return Bound(prediction if fits and not math.isnan(prediction) else math.inf, magnitude)
