"""Exports of the `delta-net` rows: one DeltaNet layer as released, which does one pass of the delta rule."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.constructions import delta_net
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import fla_delta_net as layer
from scanproof.constructs.layouts.fla_delta_net import tensors
from scanproof.constructs.learners.further import delta_rule
from scanproof.constructs.tokens.encoding import TOKENISATIONS

from ..rounding.in_format import in_format
from .certificates.delta_net import Domain, bound, steepest
from .certificates.found import CALLS, FEWEST, INWARD, SEED, WORK, extended
from .parts import EACH, IN_TURN, Certificate, Export, Request
from .row_choice import choose, exported, weights

LARGEST = 2**24
"""The most numbers in the projections of a layer that is built."""
RUNS = 24
"""Of a search for errors."""
COVERS = (
    "the prediction for a query of that norm or less, for data in the domain, of that many examples or fewer; numbers "
    "and arithmetic of this format, sums in any order, token by token; what the layer's norms lack of their limits"
)


def build(request: Request) -> Export:
    """The model that is asked for, with the statement that it is an instance of.

    Inputs of entries ±X have the norm X√d, which is that of all examples that the model is made for.

    Raises:
        UsageError: for several steps, a step size of which no write strength is, or sizes that are too large.
    """
    chosen = choose(request, delta_net.NETWORK, delta_net.LAYOUTS, unit="layer")
    d, k = request.features, chosen.targets
    widths = delta_net.released(delta_net.LAYOUTS[chosen.tokens](d, k))
    numbers = 2 * widths.stream * (widths.keys + widths.values)
    if numbers > LARGEST:
        raise UsageError(
            f"export {request.id}: {d} features and {k} targets make {numbers:,} numbers, and {LARGEST:,} are the most "
            "that are built; give smaller sizes."
        )
    eta = Fraction(1, request.examples) if request.step_size is None else request.step_size
    square, W0 = Fraction(request.input_bound) ** 2 * d, weights(request, k)
    beta = delta_net.write_strength(eta, square)
    if beta >= 2:
        raise UsageError(
            f"export {request.id}: a step of {eta} on inputs of the norm {math.sqrt(square):.6g} needs the write "
            f"strength {float(beta):.6g}, and the layer has those below 2; give a --step-size below "
            f"{float(2 / (square + delta_net.UNIT_EPSILON)):.6g}, or a smaller --input-bound."
        )
    made = delta_net.instance(np, eta, W0, square)
    return exported(
        request,
        chosen,
        eta,
        W0,
        made,
        family="delta-net",
        rule=IN_TURN,
        loss=EACH,
        raw=tuple(TOKENISATIONS[chosen.tokens].columns(d, k)),
        predicts="last",
        encoding={
            "encode.weight": made.model.encode_weight,
            "encode.bias": made.model.encode_bias,
            "readout.weight": made.model.readout,
        },
        certify=lambda dtype, wide=False: certificate(made, request, dtype),
    )


def certificate(made: Instance, request: Request, dtype: str) -> Certificate:
    """The certificate for examples of the norm that the model is made for."""
    domain = Domain(request.examples, made.constants.norm, float(request.target_bound))
    try:
        most = bound(made, domain, dtype)
    except OverflowError:  # a bound of the domain, squared
        return Certificate(domain._asdict(), math.inf, math.inf, COVERS)
    x, y = steepest(made, domain)
    attained = float(np.abs(learned(made, x, y)[0])) * INWARD

    def search() -> float:
        return found(made, domain, dtype) if math.isfinite(most.prediction) else 0.0

    return Certificate(
        domain._asdict(), most.prediction, most.magnitude, COVERS, min(attained, most.magnitude), search
    )  # fmt: skip


def learned(made: Instance, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What the delta rule predicts, in extended precision: (n + 1, d) and (n, k) -> (k,)."""
    x, y, W0 = (np.asarray(a).astype(np.longdouble) for a in (x, y, made.W0))
    return x[-1] @ delta_rule(W0, x[:-1], y, extended(made.eta))


def run(made: Instance, x: np.ndarray, y: np.ndarray, dtype: str) -> np.ndarray:
    """What the definition predicts in NumPy, in a format: (k,)."""
    predict = runner(made.model, made.layout.tokens, delta_net.NORM_EPSILON, dtype)
    return predict(x, y).astype(np.longdouble)


def runner(
    model: Any, tokens: Callable[..., Any], norm_eps: Fraction | float, dtype: str
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The definition in NumPy, in a format: (n + 1, d) and (n, k) -> (k,).

    Args:
        model: with `layer`, `encode_weight`, `encode_bias` and `readout`.
        tokens: from inputs and targets to raw tokens.
        norm_eps: of the norm of outputs.
        dtype: the format of all numbers and operations.
    """
    to = np.dtype(dtype).type
    eps = layer.Epsilons(to(delta_net.UNIT_EPSILON), to(norm_eps))
    weight, bias, readout = (
        in_format(a, to) for a in (model.encode_weight, model.encode_bias, model.readout)
    )
    rounded = layer.Parameters(*(in_format(a, to) for a in model.layer))

    def predict(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        rows = in_format(tokens(x, y), to) @ weight.T + bias
        return layer.layer(rounded, rows, eps)[-1] @ readout.T

    return predict


@np.errstate(all="ignore")
def found(made: Instance, domain: Domain, dtype: str) -> float:
    """The largest error of some runs: on data on which weights grow, alike or at random, and steps from the worst."""
    state = sum(a.size for a in tensors(made.model.layer).values())
    work = (domain.examples + 1) * (CALLS + state)
    runs = int(min(RUNS, WORK / work))
    if runs < FEWEST or np.finfo(np.longdouble).eps > np.finfo(dtype).eps / 16:
        return 0.0
    rng, error = np.random.default_rng(SEED), 0.0
    best = x, y = steepest(made, domain)
    for count in range(runs):
        if count % 3 == 1:
            x, y = rng.standard_normal(best[0].shape), rng.uniform(-1, 1, best[1].shape)
            y = y * domain.target
        elif count % 3 == 2:
            x = np.tile(rng.standard_normal(best[0].shape[1]), (len(best[0]), 1))
            y = np.full(best[1].shape, domain.target * rng.uniform(0.5, 1))
        elif count:
            x, y = best[0] + 0.01 * rng.standard_normal(best[0].shape), best[1]
        x = x * (domain.norm / np.linalg.norm(x, axis=1, keepdims=True))
        missed = float(np.abs(run(made, x, y, dtype) - learned(made, x, y)).max())
        if math.isfinite(missed) and missed > error:
            best, error = (x, y), missed
    return error
