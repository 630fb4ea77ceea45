"""How far the constructed Mamba-2 models may be from gradient descent: as a function of K, the sizes and the numbers.

The block's norms scale a token u beside constant channels K by 1 − δ, 0 ≤ δ ≤ ½ (‖u‖² + Mε)/(cK²), for c such channels
(`mamba2.rms-norm`); each other limit is reached to within less than 2⁻⁶⁰. Everything else is rounding, counted
operation by operation as `numeric.rounding.arithmetic` describes, sums in any order, so that chunked evaluation and the
recurrence are covered alike. Pairs silu(u) − silu(−u) lose nothing: |silu(u)| + |silu(−u)| is |u|. Where u is one
coordinate times one weight, u and −u are computed alike.

A step moves w by −ηAᵀr with r = Aw − y for the examples' inputs A, ‖A‖ ≤ √λ. Its terms η x_ja x_jb w_b have relative
errors of three kinds, which differ in how far what they belong to has cancelled:

- a c_j that all of a token's numbers share, of its norm or its time step, makes at most η√λ c‖r‖,
- an l_jb of a key or a query, which all values share, at most η√λ l √n (ΩX + Y),
- an f_jab of a value, or of the sums, at most ηnX f (ΩX + Y): all terms without their signs.

With ρ = max(1, ηλ − 1) for what a step makes of an error in w, E ← ρE + these + u(Ω' + …). Ω and ‖r‖ are those of
gradient descent itself, which is what the model is (`largest.weights`), and E. A decay of 1 multiplies by 1, which
rounds nothing. That is the worst case over all data of the domain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.layouts.hf_mamba2 import EPSILON

from ...rounding.arithmetic import DIVISION, FORMATS, FUNCTION, OUTWARD, Format
from .domain import MARGIN, Bound, curvature_and_weights, growth
from .largest import weights

SILU = FUNCTION + 1 + DIVISION
"""Unit roundoffs of z / (1 + exp(−z)), relative to its value."""
SOFTPLUS = 2 * FUNCTION
"""Unit roundoffs of softplus(32), relative to its value."""
NORM = DIVISION + 6
"""Unit roundoffs of a norm: the mean's division, ε, the root, K², and the two factors."""
OWN = DIVISION + 1
"""Those of them that a normalised coordinate need not share with the others: the quotient and its weight."""
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
    curvature, weights = curvature_and_weights(x, y, W0, eta, steps, every=True)
    return Domain(
        y.shape[-2],
        float(np.linalg.norm(x, axis=-1).max()) * MARGIN,
        float(np.abs(y).max()),
        curvature,
        weights,
    )


def bound(instance: Instance, domain: Domain, dtype: str | Format = "float32") -> Bound:
    """The bound for an instance whose tensors and activations are numbers of a format; infinite if K is too small.

    Args:
        instance: the model in exact numbers; that they are rounded to the format is part of the bound.
        domain: bounds of the data, which is rounded to the format too.
        dtype: a format's name, or `EXACT`.
    """
    given = Given(instance, domain, FORMATS[dtype] if isinstance(dtype, str) else dtype)
    found = given.one_step() if instance.model.step is None else given.stack()
    return Bound(found.prediction * OUTWARD, found.magnitude)


class _Block(NamedTuple):
    """Relative errors within one block, for tokens of norm at most R beside the constant channels."""

    norm: float
    """The error of a normalised coordinate."""
    terms: float
    """The error of each term value · key · query that the heads add up, before the gate."""
    out: float
    """The error that the gate, the gated norm and out_proj add."""
    shared: float
    """Of these, the errors that all numbers of a token share, and those of the token that reads."""
    pairs: float
    """The errors that a key and a query share for all values."""
    own: float
    """All others."""


class Given:
    """An instance on data of a domain, in a format."""

    def __init__(self, instance: Instance, domain: Domain, form: Format) -> None:
        self.instance, self.domain, self.form, self.u = instance, domain, form, form.unit
        self.n, self.d, self.k = domain.examples, instance.layout.slots.d, instance.layout.slots.k
        self.inputs = instance.layout.slots.inputs
        self.tokens = self.length(domain.examples)
        self.X, self.Y = float(domain.input_norm), float(domain.target)
        self.eta = abs(float(instance.eta))
        self.start = max(math.sqrt(sum(float(w) ** 2 for w in column)) for column in instance.W0.T)
        """The largest column norm of W0."""

    def length(self, examples: int) -> int:
        """T."""
        layout = self.instance.layout
        one, two = (
            layout.tokens(np.zeros((n + 1, self.d)), np.zeros((n, self.k))).shape[0] for n in (1, 2)
        )
        return one + (examples - 1) * (two - one)

    def stack(self) -> Bound:
        n, k, u, X, Y, eta, weight = self.n, self.k, self.u, self.X, self.Y, self.eta, self.start
        curvature = min(n * X**2, self.domain.curvature)
        rho, narrow = growth(eta, curvature), MARGIN * math.sqrt(curvature)
        residual = MARGIN * (math.sqrt(n) * Y + narrow * weight)
        added = self.tokens + 2 * (self.d + 1)
        error, raw = u * weight, self.inputs * X**2 + k * Y**2 + 1
        for step in range(1, self.instance.steps + 1):
            now = weight + error
            R = 1.01 * math.sqrt(k * now**2 + raw)
            heads = 1.01 * eta * n * X * math.hypot(X, Y) * math.hypot(now, 1)
            block = self.block(R, heads, added)
            terms = MARGIN * eta * math.sqrt(n) * (now * X + Y)
            left = MARGIN * eta * narrow * (residual + narrow * error)
            kinds = min(left, narrow * terms) * block.shared + (1 + block.shared) * terms * (
                narrow * block.pairs + (1 + block.pairs) * math.sqrt(n) * X * block.own
            )
            whole = ((1 + block.terms) * (1 + block.out) - 1) * terms * math.sqrt(n) * X
            rounded = min(kinds, whole)
            weight = min(
                rho * weight + eta * n * X * Y,
                self.domain.weights,
                weights(n, X, Y, self.domain.curvature, eta, step, self.start),
            )
            residual = rho * residual
            error = rho * error + rounded + u * (weight + rho * error + rounded)
        now = weight + error
        R = 1.01 * math.sqrt(k * now**2 + raw + k * (now * X) ** 2)
        block = self.block(R, 1.01 * now * X, added)
        read = (1 + block.terms) * (1 + block.out) * (1 + block.norm) * (1 + 4 * u) - 1
        return self.total(X * error + read * now * X, weight * X, R, now)

    def one_step(self) -> Bound:
        u, X, start = self.u, self.X, self.start
        learned = self.n * self.eta * (self.Y + start * X) * X**2
        moved = 1.01 * learned
        R = 1.01 * math.sqrt(self.inputs * X**2 + self.k * (self.Y**2 + moved**2) + 1)
        block = self.block(R, 1.01 * math.sqrt(2 * self.k) * learned, self.tokens + 2 * self.d)
        # −W0ᵀx and W0ᵀx are sums that may be rounded differently; silu' is at most 1.1.
        read = block.norm + _sum(self.d + 8, u)
        terms = (1 + block.terms) * (1 + block.out) * (1 + 2.2 * read) * (1 + 8 * u) - 1
        magnitude = learned + start * X
        return self.total(terms * learned + (1 + terms) * read * magnitude, magnitude, R, start)

    def block(self, R: float, heads: float, added: int) -> _Block:
        """The errors of a block.

        Args:
            R: the norm of a token beside the constant channels.
            heads: the norm of a group's outputs before the gate.
            added: how many terms the heads add up in one number, at most.
        """
        u, widths, constants = self.u, self.instance.widths, self.instance.constants
        K, kappa, gate = (float(c) for c in (constants.channel, constants.inner, constants.gate))
        norm = self.shift(R, widths.stream, widths.channels * K**2) + NORM * u
        # a stored number, a weight, a product; the convolution; the pair
        single = (4 + SILU) * u + LIMITS
        sums = 8 * u + LIMITS + _sum(added + 8, u)
        gate_limit = math.exp(-gate) * (gate + 1)
        gated, constant = (2 + SILU) * u + LIMITS, (5 + SILU) * u + LIMITS
        channels = widths.inner_channels
        width = widths.heads_per_group * widths.heads.head_dim
        inner = self.shift(heads, width / gate**2, channels * kappa**2) + (NORM + 4 + channels) * u
        found = _Block(
            norm=norm,
            terms=3 * (norm + single) + SOFTPLUS * u + sums,
            out=2 * (norm + gated + gate_limit) + norm + constant + inner + 8 * u,
            shared=6 * norm + 2 * gate_limit,
            # Per group: the time step, the constant channel and its gate, the gated norm.
            pairs=2 * (single + OWN * u) + SOFTPLUS * u + gated + constant + 2 * OWN * u + inner,
            own=single + gated + sums + (3 * OWN + 8) * u,
        )
        return _Block(*(math.expm1(1.01 * a) if a < 0.01 else math.inf for a in found))

    def shift(self, R: float, width: float, constant: float) -> float:
        """½ (‖u‖² + Mε)/(cK²), with ‖u‖² twice if the sum of squares is rounded.

        Added to a number that is exact, a term that is not negative is rounded away by at most itself; so the squares
        of u are off by at most their own sum, in whatever order they are added to the constant's.
        """
        return ((2.01 if self.u else 1) * R**2 + width * EPSILON) / (2 * constant)

    def total(self, error: float, magnitude: float, R: float, weight: float) -> Bound:
        """A bound with underflow added: ν in every operation of every block, times all that may still multiply it."""
        X, Y, widths, constants = self.X, self.Y, self.instance.widths, self.instance.constants
        operations = 64 * self.tokens * (widths.heads.state + widths.heads.head_dim + widths.stream)
        factors = float(constants.channel) * (1 + X) ** 2 * (1 + X + Y) * (1 + weight)
        error += (self.instance.steps + 1) * operations * factors * self.form.tiny
        largest = (float(constants.inner) * float(constants.gate)) ** 2 * widths.inner
        fits = largest < self.form.largest and R**2 * widths.stream < self.form.largest
        return Bound(error if fits and not math.isnan(error) else math.inf, magnitude)


def _sum(terms: int, u: float) -> float:
    """γ_n."""
    return terms * u / (1 - terms * u) if terms * u < 0.5 else math.inf
