"""How far storing takes gradient descent in layers that compute in float32 and round what they pass on to bfloat16.

A layer that does a step holds keys [x_j; y_j], queries [w; −1] and values −ηx_j, each rounded where it is stored, and
adds up what it makes of them in float32. With A the examples' inputs, ‖A‖ ≤ √λ, and r = Aw − y, it makes

    −η Σ_j x_ja (1 + f_ja) Σ_b b_jb q_b (1 + l_jb)

of w, where l_jb is of a key and a query, which all values share, and f_ja of a value. The inner sum is r_j + e_j with
‖e‖ ≤ l√n(‖w‖X + Y), so that −ηAᵀr is missed by at most η√λ‖e‖ + ηf√n X(‖r‖ + ‖e‖): values multiply residuals, in
which large parts have cancelled. Storing what comes out rounds that itself, by at most u‖ηAᵀr‖ and so on, and a
stream that is stored rounds w. What float32 rounds besides is relative to all terms without their signs, in norm at
most η√n X √n(‖w‖X + Y); so is a rounding of parts before they cancel.

As for any error, E ← ρE + these (`stacks`), and ‖r‖ ≤ ρ^l ‖r_0‖ + √λ E.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from scanproof.constructs.constructions.instance import Instance

from ...rounding.arithmetic import CHOPPED, OUTWARD, WIDE, gamma
from .counted import entering
from .domain import MARGIN, Bound, Domain
from .mamba2 import Domain as Mamba2Domain
from .mamba2 import Given
from .stacks import Descent, Layers, Reading, Stack, descent, roundings

UNIT = WIDE["bfloat16"].unit
LOST = 2.0**-10
"""A number of bfloat16 times 1 + ε, |ε| ≤ this, is rounded to itself."""
ROOM = 1.1
"""For roundings of the numbers whose size decides what a norm adds."""


class Places(NamedTuple):
    """How often a number is rounded to what is stored, by what it is."""

    key: int
    query: int
    value: int
    parts: int
    """What is added up in the end, with signs, to a layer's output."""
    out: int
    """The output, before the stream adds it."""
    stream: int
    reading: int
    """A term w_i x_i of the prediction, all in all."""


def rounds(number: float) -> int:
    """How often a product with a number is rounded: 0 for a power of two."""
    return int(abs(math.frexp(number)[0]) not in (0.0, 0.5))


def missed(
    path: Descent,
    examples: int,
    target: float,
    places: Places,
    operations: Callable[[int, float], float],
) -> float:
    """‖E‖ of a target's weights after all steps.

    Args:
        path: what gradient descent goes through.
        examples: n.
        target: Y.
        places: the roundings.
        operations: (step, ‖w‖) -> what float32 makes of the step's terms, from weights of that norm.
    """
    eta, root, sizes = path.eta, path.curvature**0.5 * MARGIN, path.weights
    n, X, Y = math.sqrt(examples), path.norm, target
    pairs, own = gamma(places.key + places.query, UNIT), gamma(places.value, UNIT)
    residual = (n * Y + root * sizes[0]) * MARGIN
    error = UNIT * sizes[0]
    for step, (size, after) in enumerate(pairwise(sizes)):
        now, r = size + error, residual * path.rho**step + root * error
        terms = eta * path.inputs * n * (now * X + Y) * MARGIN
        shared = pairs * n * (now * X + Y)
        made = eta * (root * shared + own * path.inputs * (r + shared))
        made += (1 + pairs) * (1 + own) * CHOPPED * operations(step, now)
        made += gamma(places.parts, UNIT) * (1 + pairs) * (1 + own) * 1.01 * terms
        made += gamma(places.out, UNIT) * (eta * root * r + made)
        error = path.rho * error + made
        error += gamma(places.stream, UNIT) * (after + error)
        error *= MARGIN
    return error


def read(path: Descent, error: float, places: Places, operations: float) -> float:
    """|prediction − learner|.

    Args:
        path: what gradient descent goes through.
        error: by how much the weights are missed.
        places: the roundings.
        operations: what float32 makes of the terms of the prediction, relative to them.
    """
    relative = (1 + gamma(places.reading, UNIT)) * (1 + CHOPPED * operations) - 1
    return path.query * (error + relative * (path.weights[-1] + error)) * MARGIN


def read_attention(
    stack: Stack, layers: Layers, x: np.ndarray, y: np.ndarray, domain: Domain, values: float
) -> Reading:
    """The prediction of a stack of linear attention.

    A stored stream holds w itself, so that queries are not rounded again; and W_o only moves what is stored. The
    query's own term in the first layer, −η(W0ᵀx − W0ᵀx) x, is 0 up to the rounding of either product.

    Args:
        stack: what it does.
        layers: its layers, counted in float32.
        x: magnitudes of the inputs and the query, (n + 1, d).
        y: of the targets, (n, k).
        domain: curvature and weights, where they are known.
        values: the number by which values are made of inputs.
    """
    path = descent(stack, x, y, domain)
    places = Places(key=1, query=0, value=1 + rounds(values), parts=0, out=1, stream=1, reading=2)
    most = 2 * max(path.weights) or 1.0
    own = [roundings(most, step) for alike, step in layers.steps for _ in path.weights[:-1][alike]]
    start = 2 * gamma(3, UNIT) * path.weights[0] * path.eta * path.query**2 * MARGIN

    def operations(step: int, size: float) -> float:
        return own[step].at(size) + (0.0 if step else start)

    error = missed(path, y.shape[0], float(y.max()), places, operations)
    predicted = layers.last(most)
    relative = gamma(predicted.count, predicted.form.unit)
    off = read(path, error, places, relative) + float(predicted.low.max(initial=0.0))
    fits = error <= most / 2 and all(one.fits for one in own) and np.isfinite(predicted.error).all()
    shape = predicted.shape
    magnitude = np.full(shape, path.weights[-1] * path.query)
    return Reading(np.full(shape, off if fits else np.inf), magnitude)


def mamba2(instance: Instance, domain: Mamba2Domain) -> Bound:
    """The bound for Mamba-2 blocks whose modules are loaded in bfloat16, with a residual stream in float32.

    As transformers computes them: each norm is that of the stream rounded to bfloat16, and its scale of nearly 1, with
    K, is lost where the result is rounded, too. Projections and the convolution have one term a number; SiLU is
    rounded, of pairs by u(|silu(z)| + |silu(−z)|) = u|z|; the heads, the gate and its norm are in float32, and what
    they make is rounded with its signs, and once more added up. Functions and limits are those of `mamba2.bound` in
    float32.

    Args:
        instance: the model; no bound is known if bfloat16 does not hold its numbers but those of the encoding, or
            constants are no powers of two.
        domain: bounds of the data.
    """
    made = instance.model
    tensors = (*(made.step or ()), *made.last, made.norm, made.readout)
    if not all(entering(array, WIDE["bfloat16"]).held for array in tensors):
        return Bound(math.inf, math.inf)
    given = Given(instance, domain, WIDE["float32"])
    if not given.powers:  # else products with constants are rounded where they are stored
        return Bound(math.inf, math.inf)
    found = _one_block(given) if instance.model.step is None else _blocks(given)
    return Bound(found.prediction * OUTWARD, found.magnitude)


def _blocks(given: Given) -> Bound:
    n, d, k, X, Y = given.n, given.d, given.k, given.X, given.Y
    x, y = np.full((n + 1, d), X / math.sqrt(d)), np.full((n, k), Y)
    stack = Stack(given.instance.W0, given.eta, given.instance.steps)
    path = descent(stack, x, y, given.domain)
    places = Places(
        key=2, query=2, value=2 + rounds(given.eta), parts=1, out=1, stream=0, reading=7
    )
    added, raw = given.tokens + 2 * d + 10, given.inputs * X**2 + k * Y**2 + 1

    def block(size: float, heads: float, more: float = 0.0) -> float:
        """What float32 makes of a term, relative to it; infinite where the scale of a norm would not be lost."""
        one = given.block(ROOM * math.sqrt(k * size**2 + raw + more), ROOM * heads)
        met = one.terms + one.norm + added * given.u
        return math.expm1(MARGIN * met) if one.norm < LOST else math.inf

    def operations(step: int, size: float) -> float:
        terms = path.eta * path.inputs * math.sqrt(n) * (size * X + Y)
        heads = path.eta * n * X * math.hypot(X, Y) * math.hypot(size, 1)
        own = block(size, heads)
        # The stream, in float32, adds to what is less than w before and after together.
        return own * terms + given.u * (size + 2 * path.rho * size + 2 * terms)

    error = missed(path, n, Y, places, operations)
    now = path.weights[-1] + error
    last = block(now, now * X, k * (now * X) ** 2)
    R = ROOM * math.sqrt(k * now**2 + raw + k * (now * X) ** 2)
    return given.total(read(path, error, places, last), path.weights[-1] * X, R, now)


def _one_block(given: Given) -> Bound:
    """A block that does the only step, and adds W0ᵀx in the readout.

    Each of its terms is rounded as an input, by silu, and for values as W0ᵀx_j or by η, whose two signs count 2.2 as
    silu' is at most 1.1; as a key, and as a query; then as a part, and as the sum of them.
    """
    X, start = given.X, given.start
    single = given.one_step()
    learned = given.n * given.eta * (given.Y + start * X) * X**2 * MARGIN
    R = ROOM * math.sqrt(given.inputs * X**2 + given.k * (given.Y**2 + (ROOM * learned) ** 2) + 1)
    if not given.block(R, ROOM * learned).norm < LOST:
        return Bound(math.inf, single.magnitude)
    terms, once = gamma(2 + 2.2 + 2 + 2 + 2, UNIT), gamma(1, UNIT)
    error = single.prediction * CHOPPED * (1 + terms) + terms * learned + once * start * X
    return Bound(error + once * (single.magnitude + error), single.magnitude)
