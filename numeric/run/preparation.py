"""A run before it runs: the request is checked, data are drawn, the step size chosen, parameters and op built."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scanproof.constructs.constructions.construction import Construction
from scanproof.constructs.errors import UsageError
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.report.progress import ProgressBar

from ..jax_backend import jax, platform
from ..ops.chunked import chunk_size
from ..ops.delta import chunk_size as chunk_of_delta
from ..precision import Precision
from ..precision import precision as precision_of
from ..tasks.step_size import RULE, largest_step_size
from . import checking, drawing, learning, rows
from .checking import BLOCK, Request
from .layer_runners import runner
from .masked import WHOLE
from .problem import Options, Problem, Settings
from .report import Report
from .runners import TwoHeads

COMPARED = 4
"""Tokens at which the layer is compared with the learner, where it predicts at every token."""


class Prepared:
    """A run with its data, step size, parameters and op; `running.Run` bounds and executes it."""

    def __init__(self, request: Request, report: Report, progress: bool) -> None:
        """Check everything; nothing is drawn or compiled yet."""
        self.request, self.report, self.progress = request, report, progress
        report.id = request.id
        checking.values(request)
        self.numbers = precision_of(request.dtype)
        self.claim, report.verdict = rows.find(request.id, request.as_stated)
        assert self.claim.construction is not None
        self.construction = self.claim.construction
        self.runner = runner(self.construction)
        self.settings = checking.settings(request, self.claim.id, self.construction, self.runner)
        checking.memory(self.claim.id, self.runner, self.settings, self.numbers)
        checking.places(self.settings)
        self.whole = isinstance(self.runner, WHOLE)
        self.bounds: np.ndarray | None = None
        """(heads, tokens compared, …)."""
        self.predictions = self.expected = np.zeros(0)
        """The predictions of the layer and of the learner, in the shape of `bounds`."""
        _describe(report, request, self.claim, self.construction, self.settings, self.numbers)

    def draw(self) -> None:
        """Draw the data and round them to the numbers that the layer sees.

        Raises:
            UsageError: if its format does not hold them.
        """
        drawn = drawing.draw(self.claim, self.settings)
        self.problem = _rounded(drawn, self.numbers)
        for before, after in zip(_data(drawn), _data(self.problem), strict=True):
            lost = "overflow" if not np.isfinite(after).all() else "become 0"
            if lost == "overflow" or (before.any() and not after.any()):
                raise UsageError(
                    f"run {self.claim.id} --input-scale {self.settings.input_scale:g}: the data {lost} in "
                    f"{self.numbers.inputs}; choose another --input-scale or --dtype."
                )
        if self.problem.W0 is not None:
            self.report.W0 = f"entries from N(0, 1/f), seed {self.settings.seed}"

    def bar(self, what: str, total: int | None) -> ProgressBar:
        """A progress bar, silent where the run shows none."""
        return ProgressBar(what, total, shown=self.progress)

    def choose_step_size(self) -> None:
        """Choose η, and derive from it the other values that the statement names."""
        given, learner = self.request.step_size, self.construction.learner
        if given is not None:
            self.eta, rule = float(given), "as given"
        else:
            curved = jax().jit(
                lambda x, y, W0: learning.curvature(learner, x, y, W0, self.problem.extra)
            )
            with self.bar("step size", self.settings.heads) as bar:
                found = []
                for head in self.heads():
                    found.append(float(curved(*head)))
                    bar.advance(len(found))
            largest = float(np.abs(self.problem.x).max())
            flat = largest > 0 and not largest * largest
            if flat or not np.isfinite(found).all():
                raise UsageError(
                    f"run {self.claim.id} --input-scale {self.settings.input_scale:g}: the curvature of the loss, of "
                    f"which η is made, {'becomes 0' if flat else 'overflows'} in float64; choose another "
                    "--input-scale, or give a --step-size."
                )
            self.eta = largest_step_size(found)
            rule = getattr(learner, "rule", RULE)
        room = jax().numpy.finfo(self.numbers.accumulate)
        if not float(room.tiny) <= self.eta <= float(room.max):
            raise UsageError(
                f"run {self.claim.id}: η = {self.eta:.3g} is not a {self.numbers.accumulate} number; choose another "
                "--input-scale, --step-size or --dtype."
            )
        extra = dict(drawing.free(self.claim, self.settings, self.eta))
        self.problem = self.problem._replace(extra=extra)
        self.report.step_size, self.report.step_size_rule = self.eta, rule
        self.report.extra = {n: v for n, v in extra.items() if np.ndim(v) == 0}

    def heads(self) -> Any:
        """The data of each head as float64 arrays on the device."""
        for arrays in self.host_heads():
            yield tuple(None if a is None else jax().numpy.asarray(a, "float64") for a in arrays)

    def host_heads(self) -> Any:
        """The data of each head."""
        for head in range(self.settings.heads):
            W0 = None if self.problem.W0 is None else self.problem.W0[head]
            yield self.problem.x[head], self.problem.y[head], W0

    def build(self) -> None:
        """Make the parameters, and choose the op that fits the gate and the blocks."""
        values = {**drawing.letters(self.settings), "eta": self.eta, **self.problem.extra}
        self.p: Any = rows.parameters(self.claim, values)
        report, layers = self.report, self.settings.layers
        gate = None if self.whole else self.runner.gate(self.p, self.problem)
        op = self.request.lane or self.runner.ops[0]
        if gate is not None and not gate.has_matrix_form:
            if self.request.lane not in (None, "recurrent"):
                raise UsageError(
                    f"run {self.claim.id} --lane {self.request.lane}: {gate.reason}; leave --lane out, or say "
                    "recurrent."
                )
            op = "recurrent"
        report.lane, report.gate = op, "" if gate is None else f"{gate.kind}: {gate.reason}"
        work = self.runner.work(self.p, self.problem, layers)
        chunk = self.request.chunk or (
            chunk_of_delta(platform(), self.numbers, self.settings.heads, work.D, work.N)
            if op == "delta"
            else chunk_size(self.settings.examples, work.D, work.N, platform())
        )
        self.options = Options(op, self.numbers, chunk)
        report.chunk = None if op in ("recurrent", "masked") else chunk
        self.places = _places(self.settings.examples, self.construction.every)
        report.compared = tuple(self.places)
        if self.whole:
            self.arrays = self.runner.arrays(self.p, self.problem, self.options)
            self.compute = self.runner.program(self.p, self.problem, self.options, layers)
            report.tokens = self.settings.examples + 1
            return
        stream = self.runner.stream(self.p, self.problem, self.options)
        length = stream[0].shape[1]
        a_token = self.settings.heads * max(int(np.prod(a.shape[2:])) for a in stream)
        chunk = self.options.chunk or 1
        size = min(length, max(BLOCK // a_token // chunk, 1) * chunk)
        self.cuts = [(i, min(i + size, length)) for i in range(0, length, size)] if length else []
        self.blocks = [tuple(a[:, i:j] for a in stream) for i, j in self.cuts]
        self.state = self.runner.start(self.p, self.problem, self.options, layers)
        self.op = self.runner.op(self.p, self.problem, self.options, layers)
        report.blocks = len(self.blocks)
        twice = isinstance(self.runner, TwoHeads)
        self.rows = [] if twice else list(map(self.runner.rows_before, self.places))
        self.wanted_rows = [[r - i for r in self.rows if i <= r < j] for i, j in self.cuts]
        pairs = getattr(self.runner, "tokens", None)
        report.tokens = self.settings.examples * getattr(pairs, "an_example", 1) + (
            1 if getattr(pairs, "query", False) else 0
        )
        if isinstance(self.runner, TwoHeads):
            self.finish = self.runner.finish(self.p, self.problem, self.options, layers)

    @functools.cache  # noqa: B019
    def learn(self, t: int) -> Callable[..., Any]:
        """The learner after t examples: (x, y, W0 if there is one) -> the prediction."""
        extra, layers, eta = self.problem.extra, self.settings.layers, self.eta
        learner = self.construction.learner

        def learn(x: Any, y: Any, W0: Any = None) -> Any:
            with jax().default_matmul_precision("highest"):
                return learning.prediction(learner, x, y, W0, eta, layers, t, extra)

        return learn

    def lacks(self, name: str, why: str) -> None:
        """Note in the report that it has no such number, and why."""
        self.report.missing = {**(self.report.missing or {}), name: why}


def _describe(
    report: Report,
    request: Request,
    claim: Claim,
    of: Construction,
    settings: Settings,
    numbers: Precision,
) -> None:
    report.statement, report.says, report.as_stated = claim.id, claim.says, request.as_stated
    report.does, report.learner, report.notes = of.does, of.learner.words, of.notes
    report.features, report.examples, report.heads = settings[:3]
    report.targets, report.layers = settings.targets, settings.layers
    report.sampler, report.input_scale, report.seed = settings[5:]
    report.dtype = numbers.name
    device = jax().devices()[0]
    report.device = f"{device.device_kind} ({platform()}, {len(jax().devices())} device(s))"
    report.W0 = "0"


def _data(problem: Problem) -> list[np.ndarray]:
    """What is drawn."""
    return [np.asarray(a) for a in (problem.x, problem.y, problem.W0) if a is not None]


def _rounded(problem: Problem, numbers: Precision) -> Problem:
    """The data rounded to the input format, so that layer and learner see the same numbers."""
    dtype = jax().numpy.dtype(numbers.inputs)

    def one(array: Any) -> Any:
        return None if array is None else np.asarray(array).astype(dtype).astype(np.float64)

    with np.errstate(over="ignore"):
        return problem._replace(x=one(problem.x), y=one(problem.y), W0=one(problem.W0))


def _places(examples: int, every: bool) -> list[int]:
    """The numbers of examples after which predictions are compared: some in geometric steps, and all of them."""
    if not every:
        return [examples]
    roots = [round(examples ** (i / (COMPARED - 1))) for i in range(COMPARED)]
    return sorted({min(max(r, 1), examples) for r in roots})
