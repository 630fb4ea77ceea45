"""An SSD layer whose S depends on the context, through the inputs' Gram matrix alone, and does K steps at once."""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array, namespace, unit
from ..arrays.definition import definition
from ..arrays.iteration import iterate
from ..layers.hybrid import Parameters
from ..layers.ssd import decay_mask
from ..learners.operators import batch_gram
from .hybrid import on_features
from .reverse_sgd import query_mask, with_masks


@definition
def steps_matrix(R: Array, rate: Array, K: int) -> Array:
    """Q_K of Q_{k+1} = (I − ρR) Q_k − ρI, Q_0 = 0: (I − ρR)^K = I + R Q_K, and K steps take Σ y_t x_t to −w_K by Q_K.

    Args:
        R: Σ x_t x_tᵀ, (d, d).
        rate: ρ, the step size times the factor of R in the loss's Hessian.
        K: steps.
    """
    one = namespace(R).eye(R.shape[0])
    return iterate(lambda Q: Q - rate * (R @ Q + one), 0 * one, K)


@definition
def gram_layer(x: Array, m: int, eta: Array, K: int, decays: Array) -> Parameters:
    """S = −n diag(Qᵀ, 0), Q = `steps_matrix` of R = Σ_{t∈S} x_t x_tᵀ at the rate 2η/m, for the last m examples S.

    Args:
        x: inputs and the query, shape (n + 1, d); only those of S take part in R.
        m: S is the set of the last m examples.
        eta: step size η of the loss (1/m) Σ_{t∈S} (w·x_t − y_t)².
        K: steps.
        decays: shape (n + 1,), such that the query's weights are 1 for S and 0 for the others: 1, or `selecting_last`.
    """
    xp = namespace(x)
    n, d = x.shape[0] - 1, x.shape[1]
    Q = steps_matrix(batch_gram(x[n - m :], m), 2 * eta / m, K)
    return with_masks(xp, d, decay_mask(decays))._replace(S=-n * on_features(xp, Q.T))


@definition
def selecting_last(xp: Any, r: int, m: int) -> Array:
    """Decays 1 but for a_{r+1} = 0, which hides the first r tokens from the m + 1 others: (r + m + 1,)."""
    return xp.ones((r + m + 1,)) - unit(xp, r + m + 1, r)


@definition
def gram_polynomial(x: Array, m: int, eta: Array, K: int) -> Parameters:
    """S = diag(Qᵀ, 0), Q = `steps_matrix` of R = Σ_{t∈S} x_t x_tᵀ at the rate 2η/m, and weights −1 from S to the query.

    The mask is a limit of masks of decays, and the LSA sublayer does nothing.

    Args:
        x: inputs and the query, shape (n + 1, d); only the first m take part.
        m: S is the set of the first m examples.
        eta: step size η of the loss (1/m) Σ_{t∈S} (w·x_t − y_t)².
        K: steps.
    """
    xp = namespace(x)
    n = x.shape[0] - 1
    batch = xp.concat([xp.ones((m,)), xp.zeros((n - m,))], axis=0)
    Q = steps_matrix(batch_gram(x, m), 2 * eta / m, K)
    return with_masks(xp, x.shape[1], query_mask(batch))._replace(S=on_features(xp, Q.T))
