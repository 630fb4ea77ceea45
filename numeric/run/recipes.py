"""Programs by kind: how tokens, layer, parameters, learner and output are put together, from definitions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from scanproof.constructs import tokens as tokenisations
from scanproof.constructs.constructions import hybrid as hybrid_parameters
from scanproof.constructs.constructions.gril_classification import (
    binary_windows,
    classifier_windows,
)
from scanproof.constructs.layers import gril, hybrid, lsa
from scanproof.constructs.layers import linear_transformer as transformer
from scanproof.constructs.layers.hybrid_terms import half_step_term
from scanproof.constructs.learners.losses import (
    HALF_MEAN,
    HALF_SUM,
    MEAN,
    BinaryCrossEntropy,
    SquaredError,
)

from ..jax_backend import jax
from ..tasks import samplers
from . import tokenising as cut
from .learning import Descent
from .linear import GD_SSM, GRIL, LINEAR_TRANSFORMER, LSA, SSD, Mamba2
from .machines import Hybrid, Recurrence, TwoHeads
from .masked import ExamplesMask, MaskedHybrid, QueryOnly
from .problem import Problem, Settings
from .program import ANY, CLASSES, SCALAR, VECTOR, Program
from .tokenising import Pairs, Rows


def _label(outputs: Any, following: Any, start: Any) -> Any:
    return outputs[:, -1]


def targets_only(outputs: Any, following: Any, start: Any) -> Any:
    return outputs[..., following.shape[-1] :]


def _features(outputs: Any, following: Any, start: Any) -> Any:
    """The weights that a token of the linear transformer carries: (B, 2d + 1) -> (B, d)."""
    return outputs[:, : outputs.shape[1] // 2]


def block(tokens: Pairs, loss: Any = HALF_MEAN, read: Any = None, **more: Any) -> Program:
    """A GRIL block from Z = 0."""
    machine = Recurrence(GRIL, tokens, **({} if read is None else {"read": read}))
    learner = Descent(loss, from_zero=True)
    does = "prediction for x_{t+1} after one step from 0 on t examples"
    return Program(does, machine, learner, **{"targets": VECTOR, **more})


def scalar(loss: Any = HALF_MEAN, factor: float = 1, sign: int = 1, **more: Any) -> Program:
    """The network of gd-ssm Prop. 1 on c_t = [x_t y_t, x_{t+1}]; `sign` −1 where β is to be the printed −η/N."""
    machine = Recurrence(GD_SSM, cut.CONCATENATED, read=lambda outputs, *_: factor * outputs)
    does = "prediction for x_{t+1} after one step from 0 on t examples"
    if sign < 0:
        does = f"minus the {does}"
    return Program(does, machine, Descent(loss, from_zero=True, sign=sign), SCALAR, **more)


def two_heads(
    loss: Any = HALF_MEAN, step: Any = gril.two_head_step, tokens: Pairs = cut.THREE, **more: Any
) -> Program:
    machine = TwoHeads(step, tokens, **more)
    targets = VECTOR if tokens is cut.THREE else ANY
    does = "prediction for x_{N+1} after L steps from W0 on N examples, by L layers"
    notes = (
        "The states of the layers do not see the weights, so one pass serves all; stacked layers are run at the "
        "last token only, where they equal the loop.",
    )
    return Program(does, machine, Descent(loss), targets, every=False, steps=True, notes=notes)


def wide_start(W0: Any) -> Any:
    """W0 of inputs k and targets l in coordinates of their own: (k, l) -> (k + l, k + l)."""
    k, l = W0.shape
    return tokenisations.padded(tokenisations.padded(W0, k, 0).T, 0, l).T


LINK = {"b": 0.5, "c": -0.25, "d": 0.125}
"""g(z) = bz + cz² + dz³ for the statements on non-linear targets."""
NONLINEAR = SquaredError(
    HALF_MEAN.scale,
    mean=True,
    link=lambda z: LINK["b"] * z + LINK["c"] * z * z + LINK["d"] * z * z * z,
)


def classifier(loss: Any) -> Program:
    def read(outputs: Any, following: Any, W0: Any) -> Any:
        return following @ W0 + outputs[:, : W0.shape[1]]

    machine = Recurrence(GRIL, Pairs(classifier_windows), read, starts=True)
    does = "logits for φ(x_{t+1}) after one step from W0 on t examples; φ(x) = x"
    return Program(does, machine, Descent(loss), CLASSES)


def from_zero(loss: Any) -> Program:
    def windows(x: Any, y: Any) -> Any:
        return classifier_windows(x, y, jax().numpy.zeros((x.shape[1], y.shape[1]), x.dtype))

    def read(outputs: Any, following: Any, W0: Any) -> Any:
        return outputs[:, : outputs.shape[1] - following.shape[1]]

    machine = Recurrence(GRIL, Pairs(windows), read)
    does = "logits for φ(x_{t+1}) after one step from 0 on t examples; φ(x) = x"
    return Program(does, machine, Descent(loss, from_zero=True), CLASSES)


def binary() -> Program:
    def read(outputs: Any, following: Any, w: Any) -> Any:
        return following @ w + outputs[:, 0]

    machine = Recurrence(GRIL, Pairs(binary_windows), read, starts=True)
    does = "logit for φ(x_{t+1}) after one step from w0 on t examples; φ(x) = x"
    return Program(does, machine, Descent(BinaryCrossEntropy()), CLASSES)


def _labelled(x: Any, y: Any, W0: Any) -> Any:
    return tokenisations.labelled(x, y)


def ssd(loss: Any, residual: bool = True, **more: Any) -> Program:
    tokens = Rows(_labelled, decays=lambda problem, p: np.asarray(p.decays))
    machine = Recurrence(
        SSD,
        tokens,
        _label,
        parameters=lambda p, problem: Mamba2(p.S_B, p.S_C, problem.examples, residual),
    )
    does = "prediction for x_{n+1} after one step from 0 on n examples, in the query's label"
    return Program(does, machine, Descent(loss, from_zero=True), SCALAR, every=False, **more)


def stars(settings: Settings, eta: float) -> dict[str, Any]:
    """Stars of Theorem 4.1: eighths, which every format has exactly."""
    rng, k = samplers.rng_of(settings.seed, 1), 2
    stars = {"upper_right": (settings.features, k), "lower_right": (k,)}
    return {"k": k, **{name: rng.integers(-8, 9, shape) / 8 for name, shape in stars.items()}}


def _power_of_two_below(number: float) -> float:
    return float(2.0 ** np.floor(np.log2(number)))


def _epsilon(settings: Settings, eta: float) -> float:
    return _power_of_two_below(eta / (16 * settings.examples))


def _one_step(name: str, weights: Callable[..., Any]) -> Callable[..., Any]:
    """The parameters of `one_step`, its mask given by the decays of the mask's last column.

    At one example before and one behind the part, `construct` gives all but the mask, whose entries are T² exact
    numbers; the column is what `one_step` makes of its weights.
    """

    def parameters(construct: Callable[..., Any], values: Mapping[str, Any]) -> Any:
        small = construct(**{**values, name: 1, "r": 1})
        v = weights(values)
        column = np.concat([len(v) * v, np.ones(1)])
        decays = hybrid_parameters.decays_of_column(column)
        return SimpleNamespace(**small._asdict(), decays=decays)

    return parameters


def example_weights(values: Mapping[str, Any]) -> np.ndarray:
    v = np.full(values["n"], float(values["eps"]))
    v[values["t"] - 1] = values["eta"]
    return v


def batch_weights(values: Mapping[str, Any]) -> np.ndarray:
    v = np.full(values["n"], float(values["eps"]))
    v[: values["m"]] = 2 * values["eta"] / values["m"]
    return v


def _half(name: str) -> Callable[[Settings, float], Mapping[str, Any]]:
    """The example in the middle, or the first half of them, and ε."""

    def extra(settings: Settings, eta: float) -> Mapping[str, Any]:
        size = max((settings.examples + 1) // 2, 1)
        rest = settings.examples - size
        return {name: size, "r": rest, "eps": _epsilon(settings, eta)}

    return extra


def semiseparable(learner: Any, name: str, weights: Any) -> Program:
    tokens = Rows(_labelled, decays=lambda problem, p: p.decays)
    does = "prediction for x_{n+1} in the query's label, by SSD ∘ LSA with a mask of decays"
    return Program(
        does,
        Hybrid(tokens, _label),
        learner,
        SCALAR,
        every=False,
        extra=_half(name),
        parameters=_one_step(name, weights),
    )


def masked(learner: Any, build: Any, read: Any, does: str, name: str, **more: Any) -> Program:
    return Program(
        does,
        MaskedHybrid(Rows(_labelled), build, read),
        learner,
        SCALAR,
        every=False,
        extra=_half(name),
        parameters=lambda construct, values: SimpleNamespace(eta=values["eta"]),
        **more,
    )


def theorem5_1(corrections: tuple[str, ...]) -> Callable[..., Any]:
    def build(xp: Any, x: Any, problem: Problem, eta: Any, layers: int) -> hybrid.Parameters:
        n, d = x.shape[0] - 1, x.shape[1]
        return hybrid_parameters.theorem5_1(
            xp, n, d, eta, eps=0, t=problem.extra["t"], corrections=corrections
        )

    return build


def theorem5_2(corrections: tuple[str, ...]) -> Callable[..., Any]:
    def build(xp: Any, x: Any, problem: Problem, eta: Any, layers: int) -> hybrid.Parameters:
        return hybrid_parameters.theorem5_2(x, problem.extra["m"], eta, layers, corrections)

    return build


def query_label(p: hybrid.Parameters, Z: Any) -> Any:
    return hybrid.layer(p, Z)[-1, -1]


def leading_label(p: hybrid.Parameters, Z: Any) -> Any:
    """The query's label without the residual E, as ssd.thm5.2-construction states it."""
    return (hybrid.layer(p, Z) - half_step_term(p, Z, p.Q))[-1, -1]


def attention(loss: Any) -> Program:
    machine = ExamplesMask(Rows(_labelled), read=lambda row: row[-1])
    does = (
        "minus the prediction for x_{n+1} after L steps from 0, in the query's label, by L layers"
    )
    notes = (
        "Every token sees all the examples: a layer reads its state after they have all been written.",
    )
    return Program(
        does, machine, Descent(loss, from_zero=True, sign=-1), SCALAR, False, True, notes=notes
    )


TWO_STEPS = Program(
    "prediction for x_{n+1} after two steps from 0, in the query's label, by two layers",
    QueryOnly(Rows(_labelled), read=lambda row: row[-1]),
    Descent(MEAN, from_zero=True, steps=2),
    SCALAR,
    every=False,
    parameters=lambda construct, values: construct(**{**values, "n": 1}),
    notes=(
        "The query sees every example and no token sees anything else, which no decays can do.",
    ),
)

ONE_FEATURE = Program(
    "prediction for x_{n+1} after L steps from 0, in the query's label, by L causal layers",
    Recurrence(
        LSA,
        Rows(_labelled),
        _label,
        parameters=lambda p, problem: lsa.Parameters(p.P, p.Q, 1 / problem.examples),
        stacked=True,
    ),
    Descent(MEAN, from_zero=True),
    SCALAR,
    every=False,
    steps=True,
    largest_features=1,
)


TRANSFORMER = Program(
    "weights that token t carries after L layers: L steps from w0 on t examples",
    Recurrence(
        LINEAR_TRANSFORMER,
        Rows(lambda x, y, w: transformer.weights_in_tokens(w, x[:-1], y), query=False),
        _features,
        stacked=True,
    ),
    Descent(HALF_SUM, weights=True),
    SCALAR,
    steps=True,
)
