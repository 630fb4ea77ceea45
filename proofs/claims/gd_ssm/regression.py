"""Gradient accumulation and the one-step prediction (gd-ssm eqs. 8–10)."""

from __future__ import annotations

from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.learners.accumulation import (
    Example,
    accumulation_step,
    unscaled_gradient,
)
from scanproof.constructs.learners.descent import loss_gradient, prefix_predictions
from scanproof.constructs.learners.losses import HALF_MEAN

from ...language.statements import equal
from .source import gd_ssm


@gd_ssm.claim(
    "gd-ssm.eq9",
    where="eqs. 8–9",
    says=(
        "g_t = Σ_{i≤t} (w0·x_i − y_i) x_i obeys g_t = g_{t−1} + (w0·x_t − y_t) x_t, "
        "and (1/t) g_t is the gradient at w0 of (1/2t) Σ_{i≤t} (w·x_i − y_i)²"
    ),
    given={"x": "N f", "y": "N", "w0": "f"},
)
def eq9(x, y, w0, xp, N, f):
    g = scan(accumulation_step, w0, xp.zeros((f,)), Example(x, y)).states
    for t in each(1, N):
        yield equal(g[t - 1], unscaled_gradient(w0, x[:t], y[:t]), ("recursion at t = ", t))
        gradient = loss_gradient(HALF_MEAN, w0, x[:t], y[:t])
        yield equal(gradient, g[t - 1] / t, ("gradient at t = ", t))


@gd_ssm.claim(
    "gd-ssm.eq10",
    where="eq. 10",
    says=(
        "the prediction after one step from w0 is (w0 − (η/t) g_t)·x_{t+1}; "
        "for w0 = 0 it is −(η/t) g_t·x_{t+1}"
    ),
    given={"x": "N+1 f", "y": "N", "w0": "f", "eta": ""},
)
def eq10(x, y, w0, eta, xp, N, f):
    zero = xp.zeros((f,))
    from_w0 = prefix_predictions(HALF_MEAN, w0, x, y, eta)
    from_zero = prefix_predictions(HALF_MEAN, zero, x, y, eta)
    for t in each(1, N):
        g, g_zero = (unscaled_gradient(w, x[:t], y[:t]) for w in (w0, zero))
        yield equal(from_w0[t - 1], (w0 - eta / t * g) @ x[t], ("from w0, t = ", t))
        yield equal(from_zero[t - 1], -eta / t * (g_zero @ x[t]), ("from 0, t = ", t))
