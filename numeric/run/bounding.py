"""The a priori bounds of a run: of the layer as its op computes it, and of the learner in float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import rounding as bounds
from ..precision import precision as precision_of
from ..rounding.programs import finished
from .a_priori import (
    BLOCK,
    ENTRY_BY_ENTRY,
    ProgramReader,
    for_heads,
    of_stream,
)
from .preparation import Prepared
from .problem import Options, Problem
from .runners import Online, TwoHeads


class Bounds(NamedTuple):
    """Bounds of the predictions compared, (heads or 1, tokens compared, …); infinite where none is known."""

    layer: np.ndarray
    learner: np.ndarray
    words: str
    """What the bounds are derived from, for the report."""


def derived(run: Prepared) -> Bounds:
    """Derive both bounds of a run that is prepared.

    Small runs follow every number of the data, larger ones the largest number of each token, over all heads.

    Raises:
        UsageError: if the program has an operation without a rule.
    """
    work = run.runner.work(run.p, run.problem, run.settings.layers)
    products = run.report.tokens * run.settings.heads * work.D * work.N * work.passes
    exactly = products <= ENTRY_BY_ENTRY
    together = not exactly and not getattr(run.runner, "starts", False) and not run.whole
    words = "every number of the data" if exactly else "the largest number of each token"
    words += ", all heads as one" if together else ""
    if _is_delta(run):
        words = "the norms of the keys, chunk by chunk"
    reader = ProgramReader(exactly=exactly, together=together)
    return Bounds(_layer(run, reader), _learner(run, reader), words)


def _is_delta(run: Prepared) -> bool:
    return isinstance(run.runner, Online) and run.options.op == "delta"


def _layer(run: Prepared, reader: ProgramReader) -> np.ndarray:
    """The bound of the layer: (heads or 1, tokens compared, …)."""
    if run.whole:
        found = reader.read(run.compute, *reader.entering(tuple(run.arrays)))
        return finished(found).bound[:, None]
    if _is_delta(run):
        return _delta(run)
    layers = run.settings.layers
    problem, options = run.problem, run.options
    if reader.together:
        problem = problem._replace(
            x=problem.x[:1],
            y=problem.y[:1],
            W0=None if problem.W0 is None else problem.W0[:1],
        )
    op = run.runner.op(run.p, problem, options, layers)
    stream = run.runner.stream(run.p, run.problem, options)
    state = run.state
    found = None
    if stream[0].shape[1]:
        with run.bar("rounding bound", stream[0].shape[1]) as bar:
            found, state = of_stream(reader, op, stream, state, run.rows, _block(run), bar.advance)
    if isinstance(run.runner, TwoHeads):
        if found is None and not stream[0].shape[1]:
            state = reader.entering(state)
        state = tuple(for_heads(s, run.settings.heads) for s in state)
        return finished(reader.read(run.finish, state)).bound[:, None]
    assert found is not None
    return found + _decays(run, reader, problem)


def _delta(run: Prepared) -> np.ndarray:
    """The bound of the delta op; following magnitudes from token to token would give none."""
    k, v, q = run.runner.stream(run.p, run.problem, run.options)
    layer = run.runner.rule.__name__
    found = bounds.delta(
        v, k, q, run.p.beta, layer=layer, initial_state=np.asarray(run.state[0]),
        chunk=run.options.chunk, precision=run.numbers,
    )  # fmt: skip
    return found.outputs.bound[:, run.rows]


def _block(run: Prepared) -> int:
    """Tokens that are read at once: whole chunks, so that the sums are those of the run."""
    if run.options.op == "sharded":
        return run.cuts[0][1]
    chunk = run.options.chunk or 64
    return max(BLOCK // chunk, 1) * chunk


def _decays(run: Prepared, reader: ProgramReader, problem: Problem) -> np.ndarray | float:
    """How far rounded logarithms of decays move the outputs: the definition in float64, on decays with that error."""
    moved = getattr(run.runner, "decays_moved", lambda *_: None)(run.p, run.problem, run.options)
    if moved is None:
        return 0.0
    options, layers = Options("recurrent", precision_of("float64")), run.settings.layers

    def changed(values: Any, cut: slice) -> Any:
        wrong = np.broadcast_to(moved[cut], values[1].shape)
        return values[0], values[1]._replace(error=wrong), *values[2:]

    found, _ = of_stream(
        reader,
        run.runner.op(run.p, problem, options, layers),
        run.runner.stream(run.p, run.problem, options),
        run.runner.start(run.p, run.problem, options, layers),
        run.rows,
        BLOCK,
        lambda done: None,
        changed,
    )
    assert found is not None
    return found


def _learner(run: Prepared, reader: ProgramReader) -> np.ndarray:
    """The bound of the learner's own rounding errors in float64."""
    problem = run.problem
    data = [a for a in (problem.x, problem.y, problem.W0) if a is not None]
    heads = list(zip(*data, strict=True))
    if not reader.exactly:  # all heads as one, of the largest numbers
        heads = [tuple(np.abs(a).max(axis=0) for a in data)]

    def largest(t: int) -> np.ndarray:
        read = (reader.read(run.learn(t), *map(reader.single, head)) for head in heads)
        return np.stack([finished(found).bound for found in read])

    return np.stack([largest(t) for t in run.places], axis=1)
