"""How large the delta rule's states and writes can be, from the norms of its keys.

For one row s of the state and one number v, the rule writes u = β (v − s k): s' = s + u kᵀ. With θ = β ‖k‖²,

    ‖s'‖² = ‖s‖² + 2 u v − (2 − θ) u² / β,

so that for β ≥ 0 and θ < 2, with u taken to be whatever makes the right side largest,

    ‖s'‖² ≤ ‖s‖² + β v² / (2 − θ),                                                                       (states)

and over a chunk, y² = Σ u² / β has (2 − θ) y² ≤ ‖s‖² + 2 w y with w² = Σ β v², so that                      (writes)

    y ≤ (w + √(w² + (2 − θ) ‖s‖²)) / (2 − θ).

For other tokens, ‖s'‖ ≤ ρ ‖s‖ + |β v| ‖k‖ with ρ = max(1, |1 − θ|), and |u| ≤ |β| (|v| + ‖s‖ ‖k‖).

Both are linear in a state from v = 0 and in one from nothing. An error of v − s k in a token is an error of v.
"""

from __future__ import annotations

import numpy as np

from .arithmetic import OWN

GENTLE = 1.9
"""θ up to which the first two inequalities are used; they say nothing at 2."""
ROOM = 1 + 2.0**-30
"""For what float64 loses in norms and sums of squares here."""


class Energy:
    """The tokens of chunks that are bounded side by side.

    Args:
        lower: β ≥ this, (n, C).
        upper: β ≤ this.
        norms: ‖k‖, (n, C).
    """

    def __init__(self, lower: np.ndarray, upper: np.ndarray, norms: np.ndarray) -> None:
        self.norms = norms
        self.strengths = np.maximum(np.abs(lower), np.abs(upper))
        self.middle = (lower + upper) / 2 * norms**2
        """θ, known within `radius` but for a few roundings of float64."""
        self.radius = ((upper - lower) / 2 + 2 * OWN.unit * self.strengths) * norms**2
        self.theta = upper * norms**2 * ROOM
        self.gentle = (lower >= 0) & (self.theta <= GENTLE)
        self.theta_size = self.strengths * norms**2 * ROOM
        self.most = np.where(self.gentle, self.theta, 0.0).max(axis=1)
        """The largest θ of a chunk's gentle tokens, (n,)."""
        room = np.where(self.gentle, 2 - self.theta, 1.0)
        self.weights = np.where(self.gentle, upper / room, 0.0)
        least = np.maximum(-lower, 0.0) * norms**2 * ROOM
        self.spread = np.where(self.gentle, 1.0, np.maximum(1 + least, self.theta - 1))
        self.growth = np.prod(np.maximum(self.spread, 1.0), axis=1)
        """By how much a chunk may lengthen a row, (n,)."""

    def states(self, start: np.ndarray, values: np.ndarray) -> np.ndarray:
        """‖s‖ after each token: (n, cols), (n, C, cols) -> (n, C, cols)."""
        if self.gentle.all():
            added = np.sqrt(self.weights)[..., None] * values
            every = np.concatenate([start[:, None], added], axis=1)
            largest = every.max(axis=1, keepdims=True)
            every = every / np.where(largest > 0, largest, 1.0)
            return largest * np.sqrt(np.square(every).cumsum(axis=1))[:, 1:] * ROOM
        found, s = [], start
        for t in range(values.shape[1]):
            v, spread = values[:, t], np.maximum(self.spread[:, t, None], 1.0)
            energy = np.hypot(s, np.sqrt(self.weights[:, t, None]) * v)
            plain = spread * s + (self.strengths * self.norms)[:, t, None] * v
            s = np.where(self.gentle[:, t, None], energy, plain) * ROOM
            found.append(s)
        return np.stack(found, axis=1)

    def writes(self, start: np.ndarray, values: np.ndarray, states: np.ndarray) -> np.ndarray:
        """The 2-norm of the ‖k_t‖ u_t of a chunk: (n, cols), (n, C, cols), `states` of both -> (n, cols)."""
        before = np.concatenate([start[:, None], states[:, :-1]], axis=1)
        scale = (self.strengths * self.norms)[..., None]
        plain = norm(scale * (values + self.norms[..., None] * before))
        most = self.most[:, None]
        w = norm(np.sqrt(np.where(self.gentle, self.strengths, 0.0))[..., None] * values)
        y = (w + np.hypot(w, np.sqrt(2 - most) * start)) / (2 - most)
        gentle = np.asarray(self.gentle.all(axis=1))[:, None]
        return np.where(gentle, np.fmin(plain, np.sqrt(most) * y), plain) * ROOM


def norm(array: np.ndarray, axis: int = 1) -> np.ndarray:
    """√Σ x² along an axis, of numbers ≥ 0 whose squares may leave float64."""
    largest = array.max(axis=axis, keepdims=True)
    shares = array / np.where(largest > 0, largest, 1.0)
    return largest.squeeze(axis) * np.sqrt(np.square(shares).sum(axis=axis)) * ROOM
