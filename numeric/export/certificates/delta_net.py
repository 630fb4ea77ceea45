"""How far the constructed DeltaNet layer may be from one pass of the delta rule, in a format.

In exact numbers the layer is that learner (`delta-net.any-norms`, `delta-net.unit-examples`) but for its last norm. It
scales by 1 − s, 0 ≤ s ≤ ½(‖o‖² + pε)/C² beside the constant channel C (`delta-net.rms-norm`). The rest is rounding,
counted operation by operation as `numeric.rounding.arithmetic` describes, sums in any order.

A row U of the state, with values a_j and keys k_j = x_j/N, goes through U ← U + β r k, r = a − U·k. With g = β‖k‖² < 2,

    ‖U + βrk‖² = ‖U‖² + 2βra − β(2 − g)r²,

so that n examples with |a_j| ≤ A make at most ‖U‖² ≤ nβA²/(2 − g) and Σ r² ≤ 4nA²/(2 − g)². The two rows of a target,
with the values silu(±v), |silu(v)| + |silu(−v)| = |v| ≤ T, share Σ a² ≤ nT². An error e of the row goes through
(I − βkkᵀ)e, which is no longer than e, and every step adds at most

- βξ|r| ((1 + b)(1 + κ) − 1), for the strength, off by b, and the key of length ξ, off by κ,
- βξ(1 + b)(1 + κ)(δ + κξ‖U‖), for what the value is off by, δ, and for the key in U·k,
- βξ(1 + b)(1 + κ)(γ_d ξ(1 + κ)‖U‖ + γ_3|r|) + u‖U‖, for the kernel's operations.

The query's own step changes no number of these rows: its key is 0 wherever they are not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from scanproof.constructs.constructions.delta_net import NORM_EPSILON, UNIT_EPSILON
from scanproof.constructs.constructions.instance import Instance

from ...rounding.arithmetic import DIVISION, FORMATS, FUNCTION, OUTWARD, Format, gamma, settled
from .domain import MARGIN, Bound

SIGMOID = FUNCTION + 1 + DIVISION
"""Unit roundoffs of 1 / (1 + exp(−z)), relative to its value."""
SILU = SIGMOID + 1
"""Of z times it."""
STEEPEST = 1.1
"""More than the slope of SiLU is anywhere."""
ROOT = DIVISION + 2
"""Of a root, 2 as GPUs approximate it, and a reciprocal of it, beside half of what its argument is off by."""
OFF = 2.0**-23
"""By what part the norms of examples may differ from X: as float32 numbers that are rounded do."""
EXACT = Format(0.0, 0.0, math.inf)
"""Arithmetic without rounding: what is left of a bound is due to K, and to the norms of the examples."""


class Domain(NamedTuple):
    """The data for which a bound holds."""

    examples: int
    """n, at most."""
    norm: float
    """X, of every example; the query's is that or less."""
    target: float
    """Y ≥ |y_jc|."""
    norm_off: float = OFF
    """By what part of X those norms may differ from it."""


def bound(instance: Instance, domain: Domain, dtype: str | Format = "float32") -> Bound:
    """The bound for an instance whose tensors and activations are numbers of a format; infinite if none is known.

    Args:
        instance: the model; that its tensors are rounded to the format is part of the bound.
        domain: bounds of the data, which is rounded to the format too. Its `norm` is that of the instance.
        dtype: a format's name, or `EXACT`.
    """
    form = FORMATS[dtype] if isinstance(dtype, str) else dtype
    given = _Given(instance, domain, form)
    magnitude = given.magnitude()
    if not given.fits():
        return Bound(math.inf, magnitude)
    state = given.state()
    found = given.read(state) + given.underflow()
    return Bound(found * OUTWARD if not math.isnan(found) else math.inf, magnitude)


class _Given:
    """An instance on data of a domain, in a format; fields are named as above."""

    def __init__(self, instance: Instance, domain: Domain, form: Format) -> None:
        self.constants, self.widths, self.form = instance.constants, instance.widths, form
        self.u, self.n, slots = form.unit, domain.examples, instance.layout.slots
        self.d, self.k, self.Y = slots.d, slots.k, float(domain.target)
        self.X, self.off = float(domain.norm) * MARGIN, float(domain.norm_off)
        self.eta, W0 = float(instance.eta), np.asarray(instance.W0, dtype=np.float64)
        self.start = float(np.linalg.norm(W0, axis=0).max()) * MARGIN
        """The largest column norm of W0."""
        eps = float(UNIT_EPSILON)
        self.N = math.sqrt(float(domain.norm) ** 2 + eps)
        self.beta = self.eta * self.N**2 * MARGIN
        self.longest = self.X * (1 + self.off)
        self.xi = self.longest / self.N * MARGIN
        self.g = self.beta * self.xi**2
        self.T = self.Y + self.start * self.longest

    def fits(self) -> bool:
        """Whether the steps keep errors as long as they are, and no number overflows."""
        constant, kappa = 2 * float(self.constants.channel), self.kappa
        kept = self.beta * (1 + self.b) * (self.xi * (1 + kappa)) ** 2 <= 2 and self.g < 2
        largest = max(constant, self.longest, self.T * (1 + self.n)) ** 2 * self.widths.values
        return kept and math.isfinite(self.T) and largest < self.form.largest / 2

    @property
    def b(self) -> float:
        """Relative error of the strength, whose slope in its logit is β(1 − β/2): of the logit and of the sigmoid."""
        z, u = abs(float(self.constants.strength)), self.u
        logit = z * u + (1 + z) * 2.0**-50
        return _grown((1 - self.beta / 2 if self.beta < 2 else 0) * logit + (SIGMOID + 1) * u)

    @property
    def kappa(self) -> float:
        """Of a key: the root of d + 1 squares of rounded numbers, its own rounding and product, and its length."""
        return _grown(self._root(self.d + 2) + 2 * self.u + self.off)

    def _root(self, terms: int) -> float:
        """Of a reciprocal root of a sum of so many squares: rounded data, products, additions, and the root."""
        return ((3 + terms) / 2 + ROOT) * self.u

    @property
    def values(self) -> float:
        """What both values of a target are off by, together."""
        u, sums = self.u, self.d + 4 if self.start else 1
        moved = gamma(sums, u) * self.T
        return 2 * STEEPEST * moved + SILU * u * (self.T + moved)

    @property
    def rows(self) -> float:
        """‖U‖ of both rows of a target, together."""
        return math.sqrt(2 * self.n * self.beta / (2 - self.g)) * self.T * MARGIN

    def state(self) -> float:
        """What both rows of a target are off by after n examples, together."""
        n, u, xi, rows, kappa, b = self.n, self.u, self.xi, self.rows, self.kappa, self.b
        off = _together(b, kappa)
        grown = 1 + off
        left = 2 * math.sqrt(2) * n * self.T / (2 - self.g)  # Σ|r| of both rows
        step, key = self.beta * xi * grown, xi * (1 + kappa)
        products, three = gamma(self.d, u) * (1 + gamma(3, u)), gamma(3, u)
        value = self.values + kappa * xi * rows
        fixed = (
            self.beta * xi * off * left
            + n * step * value
            + n * step * (products * key * rows)
            + step * three * (left + n * value)
            + n * u * rows
        )
        again = n * (step * key * (products + three) + u * (1 + step * key))
        return settled(fixed, again) if again < 0.5 else math.inf  # 1 − again is rounded too

    def read(self, error: float) -> float:
        """What a prediction is off by, from what the rows are."""
        u, rows, length = self.u, self.rows, self.longest / self.N * MARGIN
        constant = _grown(self.b + (SILU + 3 + self._key() + 3 + 1) * u)
        norm = ((2 * self.k + 1 + 4) / 2 + ROOT) * u
        after = _grown(constant / (1 - constant) + norm + 4 * u + self.shift(error))
        query = gamma(self.d + 4, u)
        off = _together(query, after, u)
        found = length * ((1 + off) * error + rows * off)
        if not self.start:
            return found
        return found + gamma(self.d + 4, u) * (
            length * rows + found + 2 * self.start * self.longest
        )

    def _key(self) -> float:
        """Unit roundoffs of the query's key: X is rounded, its root is of two squares, and the product."""
        return 1 + (3 + 2) / 2 + ROOT + 1

    def shift(self, error: float) -> float:
        """½(‖o‖² + pε)/C²: by what the last norm scales less than 1, for the rows of all targets."""
        widths, constants = self.widths, self.constants
        # C is βKX/N · X/M √m⁻¹ and o is U·x/M √m⁻¹, with M the norm of the query with its constant.
        unit = self.beta * float(constants.channel) * float(constants.norm) ** 2 / self.N
        square = self.k * ((self.rows + error) * self.longest) ** 2
        eps = widths.values * float(NORM_EPSILON) * widths.root**2
        query = self.longest**2 + 2 * float(constants.norm) ** 2 + float(UNIT_EPSILON)
        return 1.01 * (square + eps * query) / (2 * unit**2)

    def underflow(self) -> float:
        """ν in every operation, times all that may still multiply it: no number on the way is more than C times one."""
        widths, constants = self.widths, self.constants
        operations = 64 * (self.n + 1) * (widths.keys + widths.values + widths.stream)
        inverse = 1 / min(1.0, self.beta * self.X, self.X) ** 2
        factors = (1 + self.longest) ** 2 * (1 + self.T) * (1 + self.n) * inverse
        return operations * factors * float(constants.channel) * self.form.tiny

    def magnitude(self) -> float:
        """The most that a prediction is: ‖NW‖² ≤ ‖NW0‖² + nβY²/(2 − g)."""
        if not self.g < 2:
            return math.inf
        weights = (self.N * self.start) ** 2 + self.n * self.beta * self.Y**2 / (2 - self.g)
        return self.longest / self.N * math.sqrt(weights) * MARGIN


def _grown(relative: float) -> float:
    """A sum of small relative errors as a product of factors makes them; infinite where it is not small."""
    return math.expm1(1.01 * relative) if relative < 0.01 else math.inf


def _together(*relative: float) -> float:
    """Π(1 + ε) − 1, also where that is less than float64 tells from 0 beside 1."""
    return math.expm1(sum(map(math.log1p, relative)))


def steepest(instance: Instance, domain: Domain) -> tuple[np.ndarray, np.ndarray]:
    """Data of the domain on which the weights of the first target grow as much as they can in every step.

    A step makes ‖w‖² larger by 2ηrp + η²r²X², p = w·x and r = Y − p: most for p = Y(1 − ηX²)/(2 − ηX²), or as near to
    it as |p| ≤ ‖w‖X allows. The query lies in the direction of w. Shapes (n + 1, d) and (n, k).
    """
    n, X, Y, eta = domain.examples, domain.norm, domain.target, float(instance.eta)
    W0 = np.asarray(instance.W0, dtype=np.float64)
    (d, k), w, rows = W0.shape, W0[:, 0].copy(), []
    best = Y * (1 - eta * X**2) / (2 - eta * X**2)
    for _ in range(n):
        length = float(np.linalg.norm(w))
        along = w / length if length else np.eye(d)[0]
        across = np.eye(d)[int(np.argmin(np.abs(along)))]
        across = across - (across @ along) * along
        part = float(np.clip(best / (length * X), -1, 1)) if length else 1.0
        if d == 1:
            part, across = 1.0, along
        else:
            across = across / np.linalg.norm(across)
        x = X * (part * along + math.sqrt(1 - part**2) * across) if d > 1 else X * along
        rows.append(x)
        w = w + eta * (Y - w @ x) * x
    query = w / np.linalg.norm(w) if w.any() else np.eye(d)[0]
    return np.stack([*rows, X * query]), np.full((n, k), Y)
