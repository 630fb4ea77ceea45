"""Gradient descent as it acts on labels: the operators and the ideal updates in the proofs of ssd Thms. 5.1 and 5.2."""

from __future__ import annotations

from typing import Any

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.iteration import iterate, iterates


@definition
def example_index(step: int, n: int) -> int:
    """t = step mod n, the index of the example that step number `step` uses (ssd Thm. 5.1)."""
    return step % n


@definition
def batch_gram(x: Array, m: int) -> Array:
    """R = Σ_{t∈S} x_t x_tᵀ for S the first m examples (ssd Thm. 5.2): (n, d) -> (d, d)."""
    return x[:m].T @ x[:m]


@definition
def batch_operator(x: Array, m: int) -> Array:
    """T, (Ty)_i = (1/m) Σ_{t∈S} ⟨x_i, x_t⟩ y_t for S the first m examples (ssd Thm. 5.2): (n, d) -> (n, n)."""
    xp = namespace(x)
    length = x.shape[0]
    return xp.concat([x @ x[:m].T / m, xp.zeros((length, length - m))], axis=1)


@definition
def binomials(xp: Any, n: int) -> Array:
    """C(n, 0), …, C(n, n) by Pascal's rule, shape (n + 1,)."""
    none = xp.zeros((1,))
    return iterate(lambda row: row + xp.concat([none, row[:-1]], axis=0), xp.eye(n + 1)[0], n)


@definition
def steps_polynomial(R: Array, m: int, step_size: Array, steps: int) -> Array:
    """Q = Σ_{s=1}^K C(K, s) (−η)^s m^{−s} R^{s−1} (ssd eq. 11, with R for the misprinted S), shape of R.

    Built up by Pascal's rule, C(K + 1, s) = C(K, s) + C(K, s − 1): Q_{K+1} = Q_K − (η/m)(I + R Q_K), Q_0 = 0;
    `printed_polynomial` is the sum as it stands.

    Args:
        R: (d, d).
        m: examples in the batch.
        step_size: η.
        steps: K ≥ 0.
    """
    xp = namespace(R)
    rate = -step_size * xp.asarray(1) / m
    one = xp.eye(R.shape[0])
    return iterate(lambda Q: Q + rate * (one + R @ Q), 0 * R, steps)


@definition
def printed_polynomial(R: Array, m: int, step_size: Array, steps: int) -> Array:
    """Q of `steps_polynomial` with the binomial coefficients written out; K ≥ 1."""
    xp = namespace(R)
    rate = -step_size * xp.asarray(1) / m
    factors = binomials(xp, steps)[1:] * iterates(lambda power: power * rate, rate, steps)
    powers = iterates(lambda power: power @ R, xp.eye(R.shape[0]), steps)
    return (factors[:, None, None] * powers).sum(axis=0)
