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

from scanproof.constructs.scan import Scan
from scanproof.proofs.language.errors import UsageError

from ..jax_backend import jax, platform, x64
from ..ops.chunked import chunk_size
from ..ops.streaming import streaming
from ..precision import Precision, matmul
from ..precision import precision as precision_of
from ..progress import ProgressBar
from ..tasks.step_size import RULE, largest_step_size
from . import checking, statement
from .bounding import promised
from .checking import BLOCK, Asked
from .machines import TwoHeads
from .masked import WHOLE
from .problem import Options, Problem, Settings, Work
from .program import Program
from .report import Report as Report

COMPARED = 4
"""Tokens at which the layer is compared with the learner, where it predicts at every token."""
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
        dtype: "float64", "float32" or "bfloat16" (bfloat16 into products, float32 sums).
        lane: which program runs the layer; by its gate if not given.
        chunk: tokens a chunk, for lanes that have some.
        sampler: "uniform" on (−s, s) or "normal" with standard deviation s, s = `input_scale`.
        input_scale: s.
        seed: of all that is drawn.
        step_size: η; if not given, the largest with which L steps cannot diverge (see `tasks.step_size`).
        as_stated: run the parameters as printed, whatever the verdict.
        progress: whether stages that last are shown on standard error.
        report: is filled in; an interrupted run leaves there what has finished.

    Raises:
        UsageError: before anything is compiled, if an argument does not fit, the sizes do not fit in memory, the row
            has no construction, or JAX is missing.
    """
    asked = Asked(
        id, features, examples, heads, targets, layers, dtype, lane, chunk, sampler, input_scale, seed, step_size,
        as_stated,
    )  # fmt: skip
    report = Report(id) if report is None else report
    jax("run")
    with x64(True):
        return Run(asked, report, progress).all()


def prepared(id: str, *, progress: bool = False, **options: Any) -> Run:
    """A run with data, step size, parameters and lane, but not run yet; for use inside `with numeric.x64():`.

    Args:
        id: as in `run`.
        progress: as in `run`.
        options: the others of `run`, by name.

    Raises:
        UsageError: as `run`, and for an option that it does not have.
    """
    wrong = sorted(set(options) - set(Asked._fields))
    if wrong:
        allowed = ", ".join(Asked._fields[1:])
        raise UsageError(f"prepared({id!r}) has no option {wrong[0]!r}; allowed: {allowed}.")
    made = Run(Asked(id, **options), Report(id), progress)
    made.draw()
    made.choose_step_size()
    made.build()
    return made


class Run:
    """One run, stage by stage."""

    def __init__(self, asked: Asked, report: Report, progress: bool) -> None:
        """Checks everything; nothing is drawn or compiled."""
        self.asked, self.report, self.progress = asked, report, progress
        report.id = asked.id
        checking.values(asked)
        self.numbers = precision_of(asked.dtype)
        self.claim, self.program, report.verdict = statement.find(asked.id, asked.as_stated)
        self.machine = self.program.machine
        self.settings = checking.settings(asked, self.claim.id, self.program)
        checking.memory(self.claim.id, self.program, self.settings, self.numbers)
        checking.places(self.settings)
        self.whole = isinstance(self.machine, WHOLE)
        self.bounds: np.ndarray | None = None
        """(heads, tokens compared, …)."""
        self.predictions = self.expected = np.zeros(0)
        """The layer's and the learner's, of the shape of `bounds`."""
        _describe(report, asked, self.claim, self.program, self.settings, self.numbers)

    def all(self) -> Report:
        """Every stage."""
        self.draw()
        self.choose_step_size()
        self.build()
        self.promise()
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

    def draw(self) -> None:
        """The data, in the numbers that the layer sees."""
        self.problem = _rounded(self.program.draw(self.settings), self.numbers)
        if self.problem.W0 is not None:
            self.report.W0 = f"entries from N(0, 1/f), seed {self.settings.seed}"

    def bar(self, what: str, total: int | None) -> ProgressBar:
        return ProgressBar(what, total, shown=self.progress)

    def choose_step_size(self) -> None:
        """η, and what the statement makes of it."""
        given = self.asked.step_size
        if given is not None:
            self.eta, rule = float(given), "as given"
        else:
            curved = jax().jit(
                lambda x, y, W0: self.program.learner.curvature(x, y, W0, self.problem.extra)
            )
            with self.bar("step size", self.settings.heads) as bar:
                found = []
                for head in self.heads():
                    found.append(float(curved(*head)))
                    bar.tell(len(found))
            self.eta = largest_step_size(found)
            rule = getattr(self.program.learner, "rule", RULE)
        room = jax().numpy.finfo(self.numbers.accumulate)
        if not float(room.tiny) <= self.eta <= float(room.max):
            raise UsageError(
                f"run {self.claim.id}: η = {self.eta:.3g} is no {self.numbers.accumulate} number; choose another "
                "--input-scale, --step-size or --dtype."
            )
        extra = dict(self.program.extra(self.settings, self.eta))
        self.problem = self.problem._replace(extra=extra)
        self.report.step_size, self.report.step_size_rule = self.eta, rule
        self.report.extra = {n: v for n, v in extra.items() if np.ndim(v) == 0}

    def heads(self) -> Any:
        """The data of each head as float64 arrays on the device."""
        for arrays in self.host_heads():
            yield tuple(None if a is None else jax().numpy.asarray(a, "float64") for a in arrays)

    def build(self) -> None:
        """The parameters, the lane that fits the gate, and the blocks."""
        values = {**self.program.letters(self.settings), "eta": self.eta, **self.problem.extra}
        self.p: Any = statement.parameters(self.claim, self.program, values)
        if self.p is None:
            from types import SimpleNamespace

            self.p = SimpleNamespace(beta=self.eta)
        report, layers = self.report, self.settings.layers
        gate = None if self.whole else self.machine.gate(self.p, self.problem)
        lane = self.asked.lane or self.machine.lanes[0]
        if gate is not None and not gate.has_matrix_form:
            if self.asked.lane not in (None, "recurrent"):
                raise UsageError(
                    f"run {self.claim.id} --lane {self.asked.lane}: {gate.reason}; leave --lane out, or say recurrent."
                )
            lane = "recurrent"
        report.lane, report.gate = lane, "" if gate is None else f"{gate.kind}: {gate.reason}"
        work = self.machine.work(self.p, self.problem, layers)
        chunk = self.asked.chunk or (
            64
            if lane == "delta"
            else chunk_size(self.settings.examples, work.D, work.N, platform())
        )
        self.options = Options(lane, self.numbers, chunk)
        report.chunk = None if lane in ("recurrent", "masked") else chunk
        self.places = _places(self.settings.examples, self.program.every)
        report.compared = tuple(self.places)
        if self.whole:
            self.arrays = self.machine.arrays(self.p, self.problem, self.options)
            self.compute = self.machine.program(self.p, self.problem, self.options, layers)
            report.tokens = self.settings.examples + 1
            return
        stream = self.machine.stream(self.p, self.problem, self.options)
        length = stream[0].shape[1]
        a_token = self.settings.heads * max(int(np.prod(a.shape[2:])) for a in stream)
        chunk = self.options.chunk or 1
        size = min(length, max(BLOCK // a_token // chunk, 1) * chunk)
        self.cuts = [(i, min(i + size, length)) for i in range(0, length, size)] if length else []
        self.blocks = [tuple(a[:, i:j] for a in stream) for i, j in self.cuts]
        self.state = self.machine.start(self.p, self.problem, self.options, layers)
        self.lane = self.machine.lane(self.p, self.problem, self.options, layers)
        report.blocks = len(self.blocks)
        twice = isinstance(self.machine, TwoHeads)
        self.rows = [] if twice else list(map(self.machine.rows_before, self.places))
        self.wanted_rows = [[r - i for r in self.rows if i <= r < j] for i, j in self.cuts]
        pairs = getattr(self.machine, "tokens", None)
        report.tokens = self.settings.examples * getattr(pairs, "an_example", 1) + (
            1 if getattr(pairs, "query", False) else 0
        )
        if isinstance(self.machine, TwoHeads):
            self.finish = self.machine.finish(self.p, self.problem, self.options, layers)

    def promise(self) -> None:
        """The bound, before the run."""
        try:
            found = promised(self)
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

    @functools.cache  # noqa: B019
    def learn(self, t: int) -> Callable[..., Any]:
        """The learner after t examples: (x, y, W0 if there is one) -> the prediction."""
        extra, layers, eta = self.problem.extra, self.settings.layers, self.eta

        def learn(x: Any, y: Any, W0: Any = None) -> Any:
            with jax().default_matmul_precision("highest"):
                return self.program.learner(x, y, W0, eta, extra, layers, t)

        return learn

    def host_heads(self) -> Any:
        """The data of each head."""
        for head in range(self.settings.heads):
            W0 = None if self.problem.W0 is None else self.problem.W0[head]
            yield self.problem.x[head], self.problem.y[head], W0

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
        step = j.jit(self.lane)
        programs = {}
        for block in self.blocks:
            shape = block[0].shape[1]
            if shape not in programs:
                programs[shape] = step.lower(*block, initial_state=self.state).compile()

        def lane(*block: Any, initial_state: Any) -> Scan:
            return programs[block[0].shape[1]](*block, initial_state=initial_state)

        def keep(kept: Any, outputs: Any) -> Any:
            places = self.wanted_rows[kept[0]]
            rows = [outputs[:, place] for place in places] if len(places) else []
            return kept[0] + 1, [*kept[1], *rows]

        finish = None
        if isinstance(self.machine, TwoHeads):
            finish = j.jit(self.finish).lower(self.state).compile()

        def everything(blocks: Any) -> Any:
            if not blocks:
                assert finish is not None
                return finish(self.state)[:, None]
            stream = streaming(lane, blocks, initial_state=self.state, progress=self.progress)
            _, rows = stream.fold(keep, (0, []))
            if finish is not None:
                return finish(stream.final_state)[:, None]
            return j.numpy.stack(rows, axis=1)

        return everything

    def measure_floor(self) -> None:
        """The time of one plain matrix product of 4 D N FLOPs a token, head and layer, in this precision."""
        work: Work = self.machine.work(self.p, self.problem, self.settings.layers)
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
        """The learner in float64 on the same numbers, and how far the layer is from it."""
        total, done = len(self.places) * self.settings.heads, 0
        expected = np.empty_like(self.predictions)
        with self.bar("learner", total) as bar:
            for at, t in enumerate(self.places):
                learn = jax().jit(self.learn(t))
                for index, head in enumerate(self.heads()):
                    expected[index, at] = np.asarray(learn(*head))
                    done += 1
                    bar.tell(done)
        with np.errstate(invalid="ignore"):
            wrong = np.abs(self.predictions - expected)
        self.expected = expected
        report = self.report
        if not np.isfinite(wrong).all():
            which = "learner" if not np.isfinite(expected).all() else "layer"
            self.lacks("comparison", f"the {which} overflows; choose a smaller --step-size")
            return
        report.error = float(wrong.max())
        size = math.sqrt((expected**2).sum())
        if size:
            report.relative_error = math.sqrt((wrong**2).sum()) / size
        if self.bounds is not None:
            with np.errstate(all="ignore"):
                shares = np.where(wrong == 0, 0.0, wrong / self.bounds)
            report.ratio = float(shares.max())

    def lacks(self, name: str, why: str) -> None:
        self.report.missing = {**(self.report.missing or {}), name: why}


def _describe(
    report: Report,
    asked: Asked,
    claim: Any,
    program: Program,
    settings: Settings,
    numbers: Precision,
) -> None:
    report.statement, report.says, report.as_stated = claim.id, claim.says, asked.as_stated
    report.does, report.learner, report.notes = program.does, program.learner.words, program.notes
    report.features, report.examples, report.heads = settings[:3]
    report.targets, report.layers = settings.targets, settings.layers
    report.sampler, report.input_scale, report.seed = settings[5:]
    report.dtype = numbers.name
    device = jax().devices()[0]
    report.device = f"{device.device_kind} ({platform()}, {len(jax().devices())} device(s))"
    report.W0 = "0"


def _rounded(problem: Problem, numbers: Precision) -> Problem:
    """The data rounded to the input format, so that layer and learner see the same numbers."""
    dtype = jax().numpy.dtype(numbers.inputs)

    def one(array: Any) -> Any:
        return None if array is None else np.asarray(array).astype(dtype).astype(np.float64)

    return problem._replace(x=one(problem.x), y=one(problem.y), W0=one(problem.W0))


def _places(examples: int, every: bool) -> list[int]:
    """The numbers of examples after which predictions are compared: some in geometric steps, and all of them."""
    if not every:
        return [examples]
    roots = [round(examples ** (i / (COMPARED - 1))) for i in range(COMPARED)]
    return sorted({min(max(r, 1), examples) for r in roots})
