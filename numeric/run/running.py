"""`scanproof run`: a construction of the ledger at size, beside the explicit learner in float64.

    run("gril.prop4.1", features=128, examples=65536, heads=8)

Everything happens in stages, and a `Report` is filled in as they finish, so that an interrupted run keeps what it has:
data, step size, parameters, the rounding bound, the run, the floor, the learner, the error.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from scanproof.constructs.arrays.scan import Scan
from scanproof.constructs.errors import UsageError

from ..jax_backend import jax, x64
from ..ops.streaming import streaming
from ..precision import matmul
from .bounding import derived
from .checking import Request
from .preparation import Prepared
from .problem import Work
from .report import Report as Report
from .runners import TwoHeads

REPEATED = 2.0
"""Seconds up to which a run is repeated, for the time of the fastest of three."""
ROWS = 2**17
"""The most rows of the product that the floor is measured with."""


def run(
    id: str,
    *,
    features: int | None = None,
    examples: int = 4096,
    heads: int = 1,
    targets: int | None = None,
    layers: int | None = None,
    dtype: Any = "float32",
    lane: str | None = None,
    chunk: int | None = None,
    sampler: str = "uniform",
    input_scale: float = 1.0,
    seed: int = 0,
    step_size: float | None = None,
    as_stated: bool = False,
    progress: bool = True,
    report: Report | None = None,
) -> Report:
    """Run the construction behind a row at these sizes, and the explicit learner beside it in float64.

    Args:
        id: a row's id, or an amendment's; a row stands for its strongest proved statement.
        features: f; 64 if not given, or what the statement is about.
        examples: N.
        heads: H independent tasks, side by side.
        targets: k, or the classes, where the statement leaves them open.
        layers: L, for statements about several steps; 1 if not given.
        dtype: "float64", "float32" or "bfloat16" (see `Report.arithmetic`).
        lane: which op runs the layer; by its gate if not given.
        chunk: tokens a chunk, for ops that have some.
        sampler: "uniform" on (−s, s) or "normal" with standard deviation s, s = `input_scale`.
        input_scale: s.
        seed: the seed of everything that is drawn.
        step_size: η; if not given, the largest with which L steps cannot diverge (see `tasks.step_size`).
        as_stated: run the parameters as printed, whatever the verdict.
        progress: whether long stages are shown on standard error.
        report: filled in stage by stage, so that it holds what has finished after an interruption.

    Raises:
        UsageError: before anything is compiled, if an argument does not fit, the sizes do not fit in memory, the row
            has no construction, or JAX is missing.
    """
    request = Request(
        id, features, examples, heads, targets, layers, dtype, lane, chunk, sampler, input_scale, seed, step_size,
        as_stated,
    )  # fmt: skip
    report = Report(id) if report is None else report
    jax("run")
    with x64(True):
        return Run(request, report, progress).all()


def prepared(id: str, *, progress: bool = False, **options: Any) -> Run:
    """A run with data, step size, parameters and op, but not run yet; for use inside `with numeric.x64():`.

    Args:
        id: as in `run`.
        progress: as in `run`.
        options: the other arguments of `run`, by name.

    Raises:
        UsageError: as `run`, and for an option that it does not have.
    """
    wrong = sorted(set(options) - set(Request._fields))
    if wrong:
        allowed = ", ".join(Request._fields[1:])
        raise UsageError(f"prepared({id!r}) has no option {wrong[0]!r}; allowed: {allowed}.")
    made = Run(Request(id, **options), Report(id), progress)
    made.draw()
    made.choose_step_size()
    made.build()
    return made


class Run(Prepared):
    """One run, stage by stage."""

    def all(self) -> Report:
        """Run every stage."""
        self.draw()
        self.choose_step_size()
        self.build()
        self.derive_bound()
        try:
            self.execute()
        except Exception as error:
            if "RESOURCE_EXHAUSTED" not in str(error):
                raise
            raise UsageError(
                f"run {self.claim.id}: the device has not enough memory; take fewer --examples, --heads or --features."
            ) from error
        self.measure_floor()
        self.compare()
        return self.report

    def derive_bound(self) -> None:
        """Derive the bound, before the run."""
        try:
            found = derived(self)
        except UsageError as error:
            self.lacks("bound", str(error))
            return
        self.report.bound_of = found.words
        if not np.isfinite(found.layer).all():
            self.lacks("bound", "it grows without end at this length, so nothing can be promised")
            return
        bound = found.layer
        if np.isfinite(found.learner).all():
            bound = bound + found.learner
        else:
            self.lacks("bound of the learner", "its own rounding in float64 is left out")
        self.bounds = np.broadcast_to(bound, (self.settings.heads, *bound.shape[1:]))
        self.report.bound = float(bound.max())

    def execute(self) -> None:
        """Compile, run, and keep the predictions compared: (H, tokens compared, …)."""
        begun = time.perf_counter()
        with jax().default_matmul_precision("highest"):
            compiled = self._compiled()
            self.report.compile_seconds = time.perf_counter() - begun
            blocks = None if self.whole else self._on_device()
            arrays = [jax().numpy.asarray(a) for a in self.arrays] if self.whole else []
            best = math.inf
            for _ in range(3):
                begun = time.perf_counter()
                predictions = compiled(*arrays) if self.whole else compiled(blocks)
                jax().block_until_ready(predictions)
                best = min(best, time.perf_counter() - begun)
                if best > REPEATED:
                    break
        self.predictions = np.asarray(predictions, dtype=np.float64)
        if self.whole:
            self.predictions = self.predictions[:, None]
        tokens = self.report.tokens * self.settings.heads
        self.report.seconds = best
        self.report.tokens_per_second = tokens / best

    def _on_device(self) -> list[Any]:
        return [tuple(jax().numpy.asarray(a) for a in block) for block in self.blocks]

    def _compiled(self) -> Callable[..., Any]:
        j = jax()
        if self.whole:
            return j.jit(self.compute).lower(*self.arrays).compile()
        step = j.jit(self.op)
        programs = {}
        for block in self.blocks:
            shape = block[0].shape[1]
            if shape not in programs:
                programs[shape] = step.lower(*block, initial_state=self.state).compile()

        def op(*block: Any, initial_state: Any) -> Scan:
            return programs[block[0].shape[1]](*block, initial_state=initial_state)

        def keep(kept: Any, outputs: Any) -> Any:
            places = self.wanted_rows[kept[0]]
            rows = [outputs[:, place] for place in places] if len(places) else []
            return kept[0] + 1, [*kept[1], *rows]

        finish = None
        if isinstance(self.runner, TwoHeads):
            finish = j.jit(self.finish).lower(self.state).compile()

        def everything(blocks: Any) -> Any:
            if not blocks:
                assert finish is not None
                return finish(self.state)[:, None]
            stream = streaming(op, blocks, initial_state=self.state, progress=self.progress)
            _, rows = stream.fold(keep, (0, []))
            if finish is not None:
                return finish(stream.final_state)[:, None]
            return j.numpy.stack(rows, axis=1)

        return everything

    def measure_floor(self) -> None:
        """Time one plain matrix product of 4 D N FLOPs a token, head and layer, in this precision."""
        work: Work = self.runner.work(self.p, self.problem, self.settings.layers)
        rows = self.report.tokens * self.settings.heads * work.passes
        used = min(rows, ROWS)
        jnp = jax().numpy
        left = jnp.ones((used, work.D), self.numbers.inputs)
        right = jnp.ones((work.D, 2 * work.N), self.numbers.inputs)
        product = jax().jit(functools.partial(matmul, self.numbers)).lower(left, right).compile()
        best = math.inf
        for _ in range(4):
            begun = time.perf_counter()
            jax().block_until_ready(product(left, right))
            best = min(best, time.perf_counter() - begun)
        report = self.report
        report.floor_seconds = best * rows / used
        report.floor = f"({rows} × {work.D}) @ ({work.D} × {2 * work.N})"
        assert report.seconds is not None
        report.share_of_floor = report.floor_seconds / report.seconds

    def compare(self) -> None:
        """Run the learner in float64 on the same numbers, and compare the layer with it."""
        total, done = len(self.places) * self.settings.heads, 0
        expected = np.empty_like(self.predictions)
        with self.bar("learner", total) as bar:
            for at, t in enumerate(self.places):
                learn = jax().jit(self.learn(t))
                for index, head in enumerate(self.heads()):
                    expected[index, at] = np.asarray(learn(*head))
                    done += 1
                    bar.advance(done)
        with np.errstate(invalid="ignore"):
            wrong = np.abs(self.predictions - expected)
        self.expected = expected
        report = self.report
        if not np.isfinite(wrong).all():
            which = "learner" if not np.isfinite(expected).all() else "layer"
            self.lacks(
                "comparison",
                f"the {which} overflows; choose a smaller --step-size or --input-scale",
            )
            return
        report.error = float(wrong.max())
        largest = np.abs(expected).max()
        if largest:  # squares of the numbers themselves may overflow
            size = math.sqrt(np.square(expected / largest).sum())
            report.relative_error = math.sqrt(np.square(wrong / largest).sum()) / size
        if self.bounds is not None:
            with np.errstate(all="ignore"):
                shares = np.where(wrong == 0, 0.0, wrong / self.bounds)
            report.ratio = float(shares.max())
