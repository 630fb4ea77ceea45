"""Parameters of gril Prop. 4.3: a GRIL block that accumulates the gradient of a cross-entropy."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..layers import gril
from ..learners.learner import Descent
from ..learners.losses import BinaryCrossEntropy, CrossEntropy, Loss, sigmoid, softmax
from ..tokens import examples as tokens
from .construction import CLASSES, Construction
from .gril import CONSTANT, prop4_1


@definition
def prop4_3(xp: Any, K: int, d: int, eta: Array, corrections: Collection[str] = ()) -> gril.Block:
    """Prop. 4.3: the block of Prop. 4.1 on `error_windows`, with β = −η/t.

    Its state, of shape (K + d, K + d), has Z_t = Σ r_i φ(x_i)ᵀ in the first K rows and last d columns, and zeros
    elsewhere; the first K entries of its output are the logits.

    Args:
        xp: namespace of the arrays to build.
        K: classes; 1 for binary classification.
        d: features φ(x).
        eta: step size η.
        corrections: "scale" makes β = −η, for the gradient of a sum over the examples.
    """
    block = prop4_1(xp, K + d, -xp.asarray(eta))
    return block._replace(count=xp.asarray(CONSTANT)) if "scale" in corrections else block


@definition
def error_windows(features: Array, errors: Array) -> gril.Window:
    """C_t = [φ(x_t), r_t, φ(x_{t+1})] in a common token dimension: errors first, features last (§4.4).

    Args:
        features: φ(x_i) of the examples and the query, shape (N + 1, d).
        errors: r_i = p_i − y_i, shape (N, K).
    """
    d, K = features.shape[1], errors.shape[1]
    stream = tokens.interleaved(tokens.padded(features, K, 0), tokens.padded(errors, 0, d))
    return tokens.windows(stream, 3, 2)


@definition
def classifier_windows(features: Array, y: Array, W: Array) -> gril.Window:
    """`error_windows` of r_i = softmax(Wᵀφ(x_i)) − y_i (§4.4): features (N + 1, d), y (N, K), W (d, K)."""
    return error_windows(features, softmax(features[:-1] @ W) - y)


@definition
def binary_windows(features: Array, y: Array, w: Array) -> gril.Window:
    """`error_windows` of r_i = σ(w·φ(x_i)) − y_i (A.6): features (N + 1, d), y (N,), w (d,)."""
    return error_windows(features, (sigmoid(features[:-1] @ w) - y)[:, None])


@definition
def zero_windows(features: Array, y: Array) -> gril.Window:
    """`classifier_windows` at W = 0."""
    W = namespace(features).zeros((features.shape[1], y.shape[1]))
    return classifier_windows(features, y, W)


@definition
def classes(xp: Any, J: int, d: int, eta: Array, corrections: Collection[str] = ()) -> gril.Block:
    """`prop4_3` for K = J + 1 classes."""
    return prop4_3(xp, J + 1, d, eta, corrections)


@definition
def one_logit(xp: Any, d: int, eta: Array, corrections: Collection[str] = ()) -> gril.Block:
    """`prop4_3` for two classes, told by one logit."""
    return prop4_3(xp, 1, d, eta, corrections)


def read_updates(outputs: Array, following: Array, W0: Any, **symbols: Any) -> Array:
    """Read from the block of Prop. 4.3 what one step adds to the logits: its first K coordinates."""
    return outputs[:, : outputs.shape[1] - following.shape[1]]


def read_logits(outputs: Array, following: Array, W0: Array, **symbols: Any) -> Array:
    """Read the logits of Prop. 4.3 after the step: W0ᵀφ + what it adds to them."""
    return following @ W0 + outputs[:, : W0.shape[1]]


def read_logit(outputs: Array, following: Array, W0: Array, **symbols: Any) -> Array:
    """Read the logit of two classes after the step: w0·φ + what it adds to it."""
    return following @ W0 + outputs[:, 0]


def from_given(loss: Loss) -> Construction:
    """The classifier after one step on a cross-entropy from given weights."""
    return Construction(
        "logits for φ(x_{t+1}) after one step from W0 on t examples; φ(x) = x",
        classes,
        classifier_windows,
        gril.BLOCK,
        Descent(loss),
        read_logits,
        CLASSES,
        informed=True,
    )


def from_zero(loss: Loss) -> Construction:
    """The same from W0 = 0."""
    return Construction(
        "logits for φ(x_{t+1}) after one step from 0 on t examples; φ(x) = x",
        classes,
        zero_windows,
        gril.BLOCK,
        Descent(loss, from_zero=True),
        read_updates,
        CLASSES,
    )


SUMMED, MEAN = from_given(CrossEntropy()), from_given(CrossEntropy(mean=True))
"""On the sum of the examples' cross-entropies, and on their mean."""
ZERO_SUMMED, ZERO_MEAN = from_zero(CrossEntropy()), from_zero(CrossEntropy(mean=True))
"""Likewise, from W0 = 0."""
BINARY = SUMMED._replace(
    does="logit for φ(x_{t+1}) after one step from w0 on t examples; φ(x) = x",
    parameters=one_logit,
    tokens=binary_windows,
    learner=Descent(BinaryCrossEntropy()),
    read=read_logit,
)
"""Two classes."""
