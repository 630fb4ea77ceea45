"""How the sources compare two learners: predictions, sensitivities to the query, losses (gd-ssm §4.1, gril B.1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..jax_backend import jax


class Comparison(NamedTuple):
    """How far apart two predictors are at one query; means over tasks where several were compared."""

    prediction_l2: Any
    """‖ŷ_A(x) − ŷ_B(x)‖₂."""
    sensitivity_cosine: Any
    """⟨a, b⟩ / ‖a‖‖b‖ of the sensitivities a = ∂ŷ_A/∂x and b = ∂ŷ_B/∂x, flattened."""
    sensitivity_l2: Any
    """‖a − b‖₂."""


def l2(difference: Any) -> Any:
    """The Euclidean norm of all entries."""
    return jax().numpy.sqrt((difference * difference).sum())


def cosine(a: Any, b: Any) -> Any:
    """⟨a, b⟩ / ‖a‖‖b‖ of all entries; NaN if one of them is 0."""
    return (a * b).sum() / (l2(a) * l2(b))


def sensitivity(predict: Callable[[Any], Any], query: Any) -> Any:
    """∂ŷ/∂x at the query: the shape of ŷ, then that of `query`; by `jax.grad`, output by output."""
    return jax().jit(jax().jacrev(predict))(query)


def compare(first: Callable[[Any], Any], second: Callable[[Any], Any], query: Any) -> Comparison:
    """The three distances between two predictors query -> ŷ."""
    a, b = sensitivity(first, query), sensitivity(second, query)
    return Comparison(l2(first(query) - second(query)), cosine(a, b), l2(a - b))


def squared_loss(prediction: Any, target: Any) -> Any:
    """½ ‖ŷ − y‖², averaged over the leading axis (tasks): the sources' loss with its ½ (gril eq. 15)."""
    squares = (prediction - target) ** 2
    return squares.sum() / (2 * squares.shape[0])
