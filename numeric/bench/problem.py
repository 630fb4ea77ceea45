"""The tokens that are timed, and what the ops must make of them, computed in float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.layers import delta_rule, linear_attention, ssd

from ..jax_backend import jax, x64
from ..ops.inputs import fits
from ..ops.recurrent import recurrent

CHECKED_HEADS = 8
"""Heads whose outputs are compared with float64."""


class Size(NamedTuple):
    """What is timed."""

    heads: int
    tokens: int
    features: int
    """d: keys and values have as many."""

    @property
    def token_heads(self) -> int:
        """Tokens of all heads together, by which times are divided."""
        return self.heads * self.tokens

    @property
    def flops(self) -> int:
        """Of the plain matrix product: 4d² a token and head."""
        return 4 * self.features**2 * self.token_heads


class Problem:
    """Normal tokens (heads, T, d) with 1/√d keys and queries, decays, write strengths; seeded."""

    def __init__(self, size: Size, seed: int = 0) -> None:
        self.size = size
        heads, T, d = size
        fits(
            "bench",
            48 * size.token_heads * d + 48 * heads * d * d,  # states, as they come and in float64
            f"{size.token_heads:,} tokens and heads and {heads} states of {d} × {d}",
            "choose smaller --tokens, --heads or --features",
        )
        random = jax("bench").random
        keys = random.split(random.key(seed), 5)
        v, k, q = (random.normal(key, (heads, T, d)) for key in keys[:3])
        self.v, self.k, self.q = v, k / d**0.5, q / d**0.5
        self.log_decay = -random.exponential(keys[3], (heads, T)) / 16
        # β ‖k‖² < 1, so that no write overshoots.
        strength = random.uniform(keys[4], (heads, T), minval=0.1, maxval=1.0)
        self.beta = strength / (1 + (self.k * self.k).sum(axis=-1))
        self._exact: dict[tuple[str, str, bool], np.ndarray] = {}

    def tokens(self, dtype: str) -> tuple[Any, Any, Any]:
        """Values, keys and queries in a dtype."""
        return self.v.astype(dtype), self.k.astype(dtype), self.q.astype(dtype)

    def exact(self, layer: str, dtype: str, derivative: bool = False) -> np.ndarray:
        """The outputs (heads, T, d) of some heads on the tokens as this dtype has them, in float64.

        Args:
            layer: "unit", "scalar", "per-token" or "delta".
            dtype: "float32" or "bfloat16".
            derivative: the cotangents of v, k and q instead, side by side (heads, T, 3d), where those of the outputs
                are v; of one head, since they take a state a token. Else the outputs of `CHECKED_HEADS` heads.
        """
        key = layer, dtype, derivative
        if key not in self._exact:
            self._exact[key] = _exact(self, layer, dtype, derivative)
        return self._exact[key]

    def scalar(self) -> float:
        """One log-decay for all tokens."""
        return -1 / 64


def _exact(problem: Problem, layer: str, dtype: str, derivative: bool) -> np.ndarray:
    heads = 1 if derivative else CHECKED_HEADS
    v, k, q = (np.asarray(a[:heads], dtype=np.float64) for a in problem.tokens(dtype))
    state = np.zeros((len(v), v.shape[-1], v.shape[-1]))
    beta, log_decay = (np.asarray(a[:heads], np.float64) for a in (problem.beta, problem.log_decay))
    if layer == "scalar":
        log_decay = np.full(v.shape[:2], np.float32(problem.scalar()), dtype=np.float64)

    def outputs(v: Any, k: Any, q: Any) -> Any:
        step, tokens = ssd.step, ssd.Token(v, np.exp(log_decay), k, q)
        if layer == "delta":
            step, tokens = delta_rule.step, delta_rule.Token(k, v, q, beta)
        elif layer == "unit":
            step, tokens = linear_attention.step, linear_attention.Token(q, k, v)
        return recurrent(step, None, state, tokens, batch=1, precision="float64").outputs

    with x64():
        if not derivative:
            return np.asarray(outputs(v, k, q))
        _, pull = jax("bench").vjp(outputs, v, k, q)
        return np.concatenate([np.asarray(one) for one in pull(v)], axis=-1)


def relative_error(found: np.ndarray, exact: np.ndarray) -> float:
    """‖found − exact‖ / ‖exact‖ over all entries (relative RMS)."""
    found = found.astype(np.float64)
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))
