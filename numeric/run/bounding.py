"""The bound of a run before it: of the layer as its lane runs it, and of the learner in float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import rounding as bounds
from ..precision import precision as precision_of
from .preparation import Prepared
from .problem import Options, Problem
from .promises import BLOCK, ENTRY_BY_ENTRY, Promises, bound_of, for_heads, of_stream
from .runners import Online, TwoHeads


class Promised(NamedTuple):
    """Bounds of the predictions compared, (heads or 1, tokens compared, …); infinite where nothing can be promised."""

    layer: np.ndarray
    learner: np.ndarray
    words: str
    """What they are made from."""


def promised(run: Prepared) -> Promised:
    """Both bounds of a run that is built.

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
    promises = Promises(exactly=exactly, together=together)
    return Promised(_layer(run, promises), _learner(run, promises), words)


def _is_delta(run: Prepared) -> bool:
    return isinstance(run.runner, Online) and run.options.lane == "delta"


def _layer(run: Prepared, promises: Promises) -> np.ndarray:
    """That of the layer: (heads or 1, tokens compared, …)."""
    if run.whole:
        found = promises.read(run.compute, *promises.entering(tuple(run.arrays)))
        return bound_of(found)[:, None]
    if _is_delta(run):
        return _delta(run)
    layers = run.settings.layers
    problem, options = run.problem, run.options
    if promises.together:
        problem = problem._replace(
            x=problem.x[:1],
            y=problem.y[:1],
            W0=None if problem.W0 is None else problem.W0[:1],
        )
    lane = run.runner.lane(run.p, problem, options, layers)
    stream = run.runner.stream(run.p, run.problem, options)
    state = run.state
    found = None
    if stream[0].shape[1]:
        with run.bar("rounding bound", stream[0].shape[1]) as bar:
            found, state = of_stream(
                promises, lane, stream, state, run.rows, _block(run), bar.advance
            )
    if isinstance(run.runner, TwoHeads):
        if found is None and not stream[0].shape[1]:
            state = promises.entering(state)
        state = tuple(for_heads(s, run.settings.heads) for s in state)
        return bound_of(promises.read(run.finish, state))[:, None]
    assert found is not None
    return found + _decays(run, promises, problem)


def _delta(run: Prepared) -> np.ndarray:
    """That of the delta lane, which no reading of magnitudes from token to token could give."""
    k, v, q = run.runner.stream(run.p, run.problem, run.options)
    layer = run.runner.rule.__name__
    found = bounds.delta(
        v, k, q, run.p.beta, layer=layer, initial_state=np.asarray(run.state[0]),
        chunk=run.options.chunk, precision=run.numbers,
    )  # fmt: skip
    return found.outputs.bound[:, run.rows]


def _block(run: Prepared) -> int:
    """Tokens that are read at once: whole chunks, so that the sums are those of the run."""
    if run.options.lane == "sharded":
        return run.cuts[0][1]
    chunk = run.options.chunk or 64
    return max(BLOCK // chunk, 1) * chunk


def _decays(run: Prepared, promises: Promises, problem: Problem) -> np.ndarray | float:
    """What the rounding of the decays' logarithms moves: the definition in float64, on decays that are so wrong."""
    moved = getattr(run.runner, "decays_moved", lambda *_: None)(run.p, run.problem, run.options)
    if moved is None:
        return 0.0
    options, layers = Options("recurrent", precision_of("float64")), run.settings.layers

    def changed(values: Any, cut: slice) -> Any:
        wrong = np.broadcast_to(moved[cut], values[1].shape)
        return values[0], values[1]._replace(error=wrong), *values[2:]

    found, _ = of_stream(
        promises,
        run.runner.lane(run.p, problem, options, layers),
        run.runner.stream(run.p, run.problem, options),
        run.runner.start(run.p, run.problem, options, layers),
        run.rows,
        BLOCK,
        lambda done: None,
        changed,
    )
    assert found is not None
    return found


def _learner(run: Prepared, promises: Promises) -> np.ndarray:
    """What the learner itself can get wrong in float64."""
    problem = run.problem
    data = [a for a in (problem.x, problem.y, problem.W0) if a is not None]
    heads = list(zip(*data, strict=True))
    if not promises.exactly:  # all heads as one, of the largest numbers
        heads = [tuple(np.abs(a).max(axis=0) for a in data)]

    def largest(t: int) -> np.ndarray:
        read = (promises.read(run.learn(t), *map(promises.single, head)) for head in heads)
        return np.stack([bound_of(found) for found in read])

    return np.stack([largest(t) for t in run.places], axis=1)
