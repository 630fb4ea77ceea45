"""The exact expected losses as curves over N and f, in units of the loss of the predictor 0."""

from __future__ import annotations

from collections.abc import Iterable

from scanproof.proofs.expected.convention import Convention
from scanproof.proofs.expected.learners import ONE_STEP, TWO_STEPS
from scanproof.proofs.expected.losses import (
    best_loss,
    best_one_pass,
    least_squares,
    smallest_loss,
)

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
