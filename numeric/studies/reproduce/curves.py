"""The exact expected losses as curves over N and f, in units of the loss of the predictor 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from scanproof.proofs.expected.convention import Convention
from scanproof.proofs.expected.learners import ONE_STEP, TWO_STEPS
from scanproof.proofs.expected.losses import (
    best_loss,
    best_one_pass,
    best_step_size,
    expected_loss,
    least_squares,
    smallest_loss,
)
from scanproof.proofs.expected.moments import uniform

from ..pictures.panel import Line, Panel, Picture

MOST = 40
SIZE = 10
"""Of what does not vary."""


def picture() -> Picture:
    """Two panels: over N at f = 10, and over f at N = 10, inputs uniform."""
    sizes = range(1, MOST + 1)
    return Picture(
        "expected-losses",
        "Exact expected losses, divided by that of the predictor 0",
        "Inputs uniform on (−a, a)^f, weights N(0, I), no noise, each learner at its best rate; a cancels.",
        [
            Panel(f"f = {SIZE}", "N, examples", "loss / loss of 0", _lines((n, n, SIZE) for n in sizes), y_log=False),
            Panel(f"N = {SIZE}", "f, features", "loss / loss of 0", _lines((f, SIZE, f) for f in sizes), y_log=False),
        ],
    )  # fmt: skip


def beside_trained(found: Mapping[str, Any]) -> Picture:
    """Two panels with trained models: over f, one trained for each, and over the scale of inputs, trained at 1.

    Args:
        found: the result of the experiment `features`, as JSON has it.
    """
    every = {model["name"].rpartition(" ")[2]: model for model in found["models"]}
    features = [int(f) for f in every]
    losses = [model["evaluation"]["loss"]["mean"] for model in every.values()]
    widths = range(1, max(features) + 1)
    conventions = [Convention(f, examples=SIZE) for f in widths]
    over_f = [
        Line("trained GRIL", features, losses),
        Line("exact, one step of GD", widths, [float(c.one_step()) for c in conventions], "beside"),
        Line("exact, predicts 0", widths, [float(c.zero()) for c in conventions], "guide"),
    ]
    at = every[str(SIZE)]["scales"]
    scales = [one["scale"] for one in at]
    half, fine = Convention(SIZE).half_width, [Fraction(k, 20) for k in range(10, 61)]
    eta = best_step_size(ONE_STEP).at(uniform(half), N=SIZE, f=SIZE)
    exact = [
        expected_loss(ONE_STEP).at(uniform(half * scale), N=SIZE, f=SIZE, eta=eta) for scale in fine
    ]
    over_scale = [
        Line("trained GRIL", scales, [sum(one["loss"]) / len(one["loss"]) for one in at]),
        Line(f"exact, one step of GD, η = {eta}", list(map(float, fine)), list(map(float, exact)), "beside"),
    ]  # fmt: skip
    return Picture(
        "trained-over-sizes",
        "Trained GRIL beside exact expected losses",
        f"N = {SIZE}, inputs uniform on (−1/2, 1/2)^f times the scale, f targets, their mean; {found['device']}.",
        [
            Panel("one model for each f", "f, features", "loss", over_f, y_log=False),
            Panel(f"f = {SIZE}, trained at scale 1", "scale of inputs", "loss", over_scale),
        ],
    )


def _lines(places: Iterable[tuple[int, int, int]]) -> list[Line]:
    places = list(places)
    along = [float(at) for at, _, _ in places]
    every = [_shares(N, f) for _, N, f in places]
    names = ("one step of GD", "two steps of GD at one rate", "one pass of SGD", "least squares")
    return [Line(name, along, [one[k] for one in every]) for k, name in enumerate(names)]


def _shares(N: int, f: int) -> tuple[float, ...]:
    convention = Convention(f, examples=N)
    inputs, whole = convention.inputs, convention.zero()
    losses = (
        best_loss(ONE_STEP).at(inputs, N=N, f=f),
        smallest_loss(TWO_STEPS, inputs, N=N, f=f)[0],
        best_one_pass(inputs, N=N, f=f)[0],
        least_squares(inputs, N=N, f=f),
    )
    return tuple(float(one / whole) for one in losses)
