"""A construction that runs, drawn: its matrices, its state as the sum of gradients that it is, its loss by context."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from scanproof.constructs.arrays.scan import leaves
from scanproof.constructs.constructions.construction import Construction
from scanproof.constructs.layers.multi_step import TwoHeads
from scanproof.constructs.layers.sequence import Recurrent
from scanproof.constructs.learners.descent import loss_gradient
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.proofs.language.source import Row

from ...jax_backend import jax, x64
from ...run.rows import constructed, runnable
from ...run.running import Run, prepared
from .panel import Line, Maps, Panel, Picture

FEATURES = 3
TOKENS = 4
"""Tokens after which the state is drawn."""
CONTEXTS = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of examples that the loss is drawn over."""
TASKS = 64
"""The loss is a mean over as many."""
LARGEST = 16
"""A matrix with more rows or columns is left out."""
CLOSE = 1e-12


def drawable(row: Row) -> bool:
    """Whether this is a row that runs, with a layer that has a step function, and so a state at every token."""
    if row.claim.id not in runnable():
        return False
    found = constructed()[_id(row)].construction
    return found is not None and isinstance(found.layer, Recurrent | TwoHeads)


def _id(row: Row) -> str:
    """The statement that is drawn."""
    every = (row.claim, *row.amendments)
    return next(claim.id for claim in every if claim.id in constructed())


def picture(row: Row) -> Picture:
    """The picture of a row's construction, at small sizes, of data drawn with a fixed seed.

    Raises:
        UsageError: if JAX, which the run is prepared with, is missing.
    """
    jax("plot")
    with x64(True):
        small = _prepared(row, TOKENS, 1)
        construction = small.construction
        panels: list[Panel | Maps] = [*_matrices(small), _loss(row), *_states(small)]
    note = (
        f"Inputs uniform on (−1, 1), f = {small.settings.features}; above N = {TOKENS}, η = {small.eta:.3g}; "
        f"the loss is a mean over {TASKS} tasks. The gradient is that of ½ Σ ‖·‖² at W0. In float64."
    )
    return Picture(row.claim.id, construction.does, note, panels)


def _prepared(row: Row, examples: int, heads: int) -> Run:
    construction = constructed()[_id(row)].construction
    assert construction is not None
    features = construction.features or FEATURES
    return prepared(row.claim.id, features=features, examples=examples, heads=heads)


def _data(run: Run, head: int) -> tuple[Any, Any, Any]:
    W0 = run.problem.W0
    return run.problem.x[head], run.problem.y[head], None if W0 is None else W0[head]


def _matrices(run: Run) -> Iterator[Maps]:
    """The parameters that are matrices or vectors, small enough to be looked at."""
    fields = run.p._asdict() if hasattr(run.p, "_asdict") else vars(run.p)
    arrays = {name: np.atleast_2d(np.asarray(value, float)) for name, value in fields.items()}
    found = [
        (n, a) for n, a in arrays.items() if a.ndim == 2 and a.size > 1 and max(a.shape) <= LARGEST
    ]
    if found:
        yield Maps("The layer's parameters", found)


def _states(run: Run) -> Iterator[Maps]:
    """The state after each token, and the gradient at W0 of ½ Σ ‖·‖² over the examples so far."""
    construction, (x, y, W0) = run.construction, _data(run, 0)
    states = [np.asarray(a) for a in leaves(construction.run(run.p, x, y, W0).states)]
    start = np.zeros((x.shape[1], *y.shape[1:])) if W0 is None else W0
    gradients = np.array(
        [loss_gradient(HALF_SUM, start, x[:t], y[:t]) for t in range(1, len(y) + 1)]
    )
    for number, one in enumerate(states):
        if max(one.shape[1:]) > LARGEST:
            continue
        name = "state" if len(states) == 1 else f"state {number + 1} of {len(states)}"
        yield _through_time(f"The {name} after token t{_likeness(one, gradients)}", one)
    yield _through_time("The gradient on the first t examples", gradients)


def _through_time(title: str, values: np.ndarray) -> Maps:
    rows = values[..., None] if values.ndim == 2 else values
    return Maps(title, [(f"t = {t}", a) for t, a in enumerate(rows, start=1)])


def _likeness(state: np.ndarray, gradients: np.ndarray) -> str:
    """How a state is the gradient, if it is."""
    ways = {"": gradients, ", transposed": np.moveaxis(gradients, 1, -1)}
    for word, one in ways.items():
        for sign, many in (("minus ", -1), ("", 1)):
            if state.shape == one.shape and np.allclose(state, many * one, rtol=0, atol=CLOSE):
                return f": {sign}the gradient{word}"
    return ""


def _loss(row: Row) -> Panel:
    """The squared error of the query's prediction over N: of the layer, of the learner, and of 0."""
    found: dict[str, list[float]] = {"the layer": [], "explicit descent": [], "predicting 0": []}
    for examples in CONTEXTS:
        run = _prepared(row, examples, TASKS)
        errors = np.array([_errors(run, head) for head in range(TASKS)])
        for line, error in zip(found.values(), errors.mean(axis=0), strict=True):
            line.append(float(error))
    roles = {"explicit descent": "beside", "predicting 0": "guide"}
    lines = [
        Line(name, CONTEXTS, error, roles.get(name, "measured")) for name, error in found.items()
    ]
    return Panel(
        "Squared error of the prediction", "examples N", "mean over tasks", lines, x_log=True
    )


def _errors(run: Run, head: int) -> tuple[float, float, float]:
    construction: Construction = run.construction
    x, y, W0 = _data(run, head)
    extra = run.problem.extra
    layer = construction.predictions(run.p, x, y, W0, 1, **extra)
    learner = construction.learned(x, y, run.eta, W0, 1, **extra)
    last = (lambda a: np.asarray(a)[-1]) if construction.every else np.asarray
    truth = x[-1] @ run.problem.w[head]
    return tuple(  # type: ignore[return-value]
        float(np.square(a - truth).mean()) for a in (last(layer), last(learner), 0 * truth)
    )
