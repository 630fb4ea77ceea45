"""How far the constructed Mamba-2 models may be from gradient descent: as a function of K, the sizes and the numbers.

The block's norms scale a token u beside constant channels K by 1 − δ, 0 ≤ δ ≤ ½ (‖u‖² + Mε)/(cK²), for c such channels
(`mamba2.rms-norm`); each other limit is reached to within less than 2⁻⁶⁰. Everything else is rounding, counted
operation by operation as `numeric.rounding.arithmetic` describes, and an operation on the same numbers is assumed to
give the same number for every token and channel. Pairs silu(u) − silu(−u) lose nothing: |silu(u)| + |silu(−u)| is |u|.
The tokens' terms are added up in any order that is the same for all channels, and so are the features'; the state of
earlier tokens is read at once, so
that chunked evaluation and the recurrence are covered alike.

A step moves w by −ηAᵀr with r = Aw − y for the examples' inputs A, ‖A‖ ≤ √λ. Its terms are η x_ja x_jb w_b and
η x_ja y_j, for each token j at most η ‖x_j‖ t with t = ΩX + Y. Relative errors of its numbers, and what they make of
the step, differ in how far what they belong to has cancelled:

- c_j that all of a token's numbers share, of its norm or its time step: at most η√λ c ‖r‖,
- f_ja of a value, which multiplies the whole residual: η√n X f ‖r‖,
- l_b of a query, which all tokens read: η (λΩ + √(λn) Y) l,
- l_jb of a key, or of what a group of channels shares for a token: η√(λn) t l,
- f_a of a sum over tokens, for one sign of the values and one group: √2 η√(λ'n) t f, as ‖silu(±V)‖ ≤ ½√λ' for V in
  units of η/dt, and Σ ‖g‖ ≤ √2 ‖Σ |g|‖ for two groups or signs. An addition of s of the tokens makes √(s/n) of that at
  most, or η s X t, and in a tree of n leaves at most n − s + 1 additions are of s or more of them,
- an addition of features within a state that is read, or within a chunk: both together √3 η√(λ'n) t,
- f_jab of a product: ηnX f t: all terms without their signs.

√λ' is √λ + ηX²√n/(2 dt), as silu(v) is v/2 and at most v²/4 besides, and v is −ηx/dt. What products of these errors
add is at most e^τ − 1 − τ of all terms without their signs, for the sum τ of the errors that one of them meets. With
ρ = max(1, ηλ − 1) for what a step makes of an error in w, E ← ρE + these + u(Ω' + …). Ω and ‖r‖ are those of gradient
descent itself, which is what the model is (`largest.weights`), and E. A decay of 1 and weights that are powers of two
round nothing. That is the worst case over all data of the domain.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.layouts.hf_mamba2 import EPSILON

from ...rounding.arithmetic import DIVISION, FORMATS, FUNCTION, OUTWARD, Format, gamma
from .domain import MARGIN, Bound, curvature_and_weights, growth
from .largest import weights

GATE = 1 + DIVISION
"""Unit roundoffs of z / (1 + exp(−z)), relative to its value, for z so large that the exponential does not matter."""
PAIR = FUNCTION / 2 + GATE
"""Those of silu(u) and silu(−u) together, relative to |u|: of the exponential's, σ(1 − σ) ≤ ¼ comes into each."""
SOFTPLUS = FUNCTION + 1
"""Unit roundoffs of softplus(32), relative to its value: those within the logarithm are divided by it."""
ROOT = 1.5 * DIVISION + 0.5
"""Unit roundoffs of a norm's reciprocal root: half those of the mean's division and of ε, and its own."""
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
    shared: float
    """The errors that all numbers of a token share."""
    values: float
    """Those of a value, before a key meets it."""
    queries: float
    """Those of a query."""
    keys: float
    """Those of a key, of its product with a query, and of what a group's channels share."""
    rows: float
    """Those of a group's outputs, after the tokens are added up."""

    @property
    def terms(self) -> float:
        """All that a term meets besides additions of tokens and of features."""
        return sum(self[1:])


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

    @property
    def powers(self) -> bool:
        """Whether the constants are powers of two, with which products are not rounded."""
        c = self.instance.constants
        return all(math.frexp(a)[0] == 0.5 for a in (c.channel, c.inner, c.gate, c.scale))

    def length(self, examples: int) -> int:
        """T."""
        layout = self.instance.layout
        one, two = (
            layout.tokens(np.zeros((n + 1, self.d)), np.zeros((n, self.k))).shape[0] for n in (1, 2)
        )
        return one + (examples - 1) * (two - one)

    def stack(self) -> Bound:
        """The bound for blocks that do a step each, by the error of the weights after all of them."""
        n, k, u, X, Y, eta, weight = self.n, self.k, self.u, self.X, self.Y, self.eta, self.start
        curvature = min(n * X**2, self.domain.curvature)
        rho, narrow = growth(eta, curvature), MARGIN * math.sqrt(curvature)
        residual = MARGIN * (math.sqrt(n) * Y + narrow * weight)
        dt = float(self.instance.constants.time_step)
        signed = MARGIN * (narrow + eta * math.sqrt(n) * X**2 / (2 * dt))
        features = 2 * self.d + 1
        tokens = sum(min(math.sqrt(2 * s) * signed, s * X) for s in range(2, n + 1))
        error, raw = u * weight, self.inputs * X**2 + k * Y**2 + 1
        for step in range(1, self.instance.steps + 1):
            now, left = weight + error, residual + narrow * error
            R = 1.01 * math.sqrt(k * now**2 + raw)
            heads = 1.01 * eta * n * X * math.hypot(X, Y) * math.hypot(now, 1)
            block = self.block(R, heads)
            term = MARGIN * eta * (now * X + Y)
            every, root = term * n * X, math.sqrt(n)
            cancelled = term * narrow * root
            rounded = (
                block.shared * min(MARGIN * eta * narrow * left, cancelled)
                + block.values * min(MARGIN * eta * root * X * left, every)
                + block.queries * min(MARGIN * eta * narrow * (narrow * now + root * Y), cancelled)
                + block.keys * cancelled
                + block.rows * min(term * math.sqrt(2 * n) * signed, every)
                + features * u * min(term * math.sqrt(3 * n) * signed, every)
                + u * (term * tokens + every)
                + _products(block.terms + (features + n + 1) * u) * every
            )
            weight = min(
                rho * weight + eta * n * X * Y,
                self.domain.weights,
                weights(n, X, Y, self.domain.curvature, eta, step, self.start),
            )
            residual = rho * residual
            error = rho * error + rounded + u * (weight + rho * error + rounded)
        now = weight + error
        R = 1.01 * math.sqrt(k * now**2 + raw + k * (now * X) ** 2)
        block = self.block(R, 1.01 * now * X)
        read = math.expm1(1.01 * (block.terms + block.norm + (features + 6) * u))
        return self.total(X * error + read * now * X, weight * X, R, now)

    def one_step(self) -> Bound:
        """The bound for one block that does the only step, and adds W0ᵀx in the readout."""
        u, X, start = self.u, self.X, self.start
        learned = self.n * self.eta * (self.Y + start * X) * X**2
        moved = 1.01 * learned
        R = 1.01 * math.sqrt(self.inputs * X**2 + self.k * (self.Y**2 + moved**2) + 1)
        block = self.block(R, 1.01 * math.sqrt(2 * self.k) * learned)
        # −W0ᵀx and W0ᵀx are sums that may be rounded differently; silu' is at most 1.1.
        read = block.norm + (gamma(self.d + 8, u) if 2 * (self.d + 8) * u < 1 else math.inf)
        sums = (self.tokens + 2 * self.d + 10) * u
        terms = math.expm1(1.01 * (block.terms + block.norm + sums + 2.2 * read))
        magnitude = learned + start * X
        return self.total(terms * learned + (1 + terms) * read * magnitude, magnitude, R, start)

    def block(self, R: float, heads: float) -> _Block:
        """The errors of a block.

        Args:
            R: the norm of a token beside the constant channels.
            heads: the norm of a group's outputs before the gate.
        """
        u, layout = self.u, self.instance.layout
        widths, constants = self.instance.widths, self.instance.constants
        K, kappa, gate = (float(c) for c in (constants.channel, constants.inner, constants.gate))
        weighed = (
            0 if self.powers else 3
        )  # by numbers that are not powers of two: stored, and a product
        coordinate = DIVISION + weighed  # a normalised one, beside what the root is off by
        pair = PAIR * u + LIMITS
        squares = widths.channels * K**2
        norm = self.shift(R, widths.stream, squares) + (ROOT + widths.channels / 2) * u
        channels, width = widths.inner_channels, widths.heads_per_group * widths.heads.head_dim
        inner = self.shift(heads, width / gate**2, channels * kappa**2)
        found = _Block(
            norm=norm + coordinate * u,
            # of a value, a key, a query and κ; the time step; κ, its SiLU and its gate, which else cancels
            shared=4 * norm
            + (SOFTPLUS + GATE + weighed + 2) * u
            + 2 * math.exp(-gate) * (gate + 1)
            + LIMITS,
            # stored; its weight and their product; times the time step
            values=(4 + coordinate) * u + pair,
            queries=coordinate * u + pair,
            # stored; times a query; times the time step; the group's norm
            keys=(3 + coordinate) * u + pair + inner + (ROOT + channels / 2) * u,
            # times a query; times the gate; normalised; the two signs of both groups
            rows=(5 + coordinate) * u,
        )
        if layout.key_tap != layout.target_tap:  # input and target are of two tokens
            found = found._replace(keys=found.keys + norm)
        most = max(found.terms, found.norm)
        return _Block(*(1.01 * a if most < 0.01 else math.inf for a in found))

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


def _products(errors: float) -> float:
    """e^τ − 1 − τ, rounded up."""
    return errors**2 if errors < 1 else math.inf
