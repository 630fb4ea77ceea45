"""Parameters of gril Prop. 4.3: a GRIL block that accumulates the gradient of a cross-entropy."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..arrays.array_api import Array
from ..arrays.definition import definition
from ..layers import gril
from ..learners.losses import sigmoid, softmax
from ..tokens import examples as tokens
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
