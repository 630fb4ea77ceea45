"""`scanproof run`: a construction at size on the device that is there, beside the explicit learner in float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import choice, flag, given, option

if TYPE_CHECKING:
    from scanproof.numeric.run.running import Report

FORMATS = ("table", "json")
SCHEMA = "scanproof.run/1"

Id = Annotated[str, typer.Argument(metavar="ID", hidden=True)]
Features = Annotated[int | None, option("F", "Features of an input; 64 by default.")]
Examples = Annotated[int, option("N", "Examples in the context.")]
Heads = Annotated[int, option("H", "Tasks of their own, side by side.")]
TargetCount = Annotated[int | None, option("K", "Targets, or classes, where they are free.")]
Layers = Annotated[int | None, option("L", "Layers, for statements about L steps.")]
Dtype = Annotated[str, option("float32|float64|bfloat16", "What the layer computes in.")]
Lane = Annotated[
    str | None,
    option("NAME", "Which program runs the layer; by its gate if not given."),
]
Chunk = Annotated[int | None, option("C", "Tokens a chunk, for ops that have some.")]
Sampler = Annotated[str, option("uniform|normal", "Where inputs are drawn from.")]
InputScale = Annotated[
    float,
    option("S", "Half-width of the uniform, or standard deviation of the normal."),
]
Seed = Annotated[int, option("N", "Of all that is drawn.")]
StepSize = Annotated[
    float | None,
    option("ETA", "η; by default one with which L steps do not diverge."),
]
AsStated = Annotated[
    bool,
    flag("--as-stated", "Run the parameters as printed, whatever the verdict."),
]
Format = Annotated[str, choice("--format", FORMATS, "How it is written.")]


def run(
    context: typer.Context,
    id: Id,
    features: Features = None,
    examples: Examples = 4096,
    heads: Heads = 1,
    targets: TargetCount = None,
    layers: Layers = None,
    dtype: Dtype = "float32",
    lane: Lane = None,
    chunk: Chunk = None,
    sampler: Sampler = "uniform",
    input_scale: InputScale = 1.0,
    seed: Seed = 0,
    step_size: StepSize = None,
    as_stated: AsStated = False,
    format: Format = "table",
) -> None:
    """Run a construction beside the learner that it imitates.

    ID is a row of `scanproof list`, or an amendment. A row stands for its strongest proved
    statement. The layer runs in JAX on whatever device is there, the learner in float64 on the
    same numbers.
    """
    from scanproof.numeric.jax_backend import one_blas_thread
    from scanproof.numeric.run import running

    from ._interrupts import heard
    from ._output import quiet_stdout, write

    one_blas_thread()
    report = running.Report(id)
    try:
        with heard(), quiet_stdout():
            running.run(**given(context), report=report)
    except KeyboardInterrupt:
        if report.step_size is not None:  # something has finished, and is kept
            report.missing = {**(report.missing or {}), "the rest": "interrupted"}
            write(_rendered(report, format))
        raise
    write(_rendered(report, format))


def _rendered(report: Report, format: str) -> str:
    from ._output import as_json, as_table

    if format == "json":
        return as_json({"schema": SCHEMA, **report.as_dict()})
    return as_table([*_setting(report), *_found(report)])


def _setting(report: Report) -> list[tuple[str, str]]:
    """What was run."""
    r = report
    how = (
        "as stated, whatever the verdict" if r.as_stated else "the row's strongest proved statement"
    )
    if r.statement == r.id and not r.as_stated:
        how = ""
    sizes = f"f = {r.features}, N = {r.examples}, heads = {r.heads}"
    sizes += "" if r.targets is None else f", targets = {r.targets}"
    sizes += f", L = {r.layers}"
    which = f"uniform on (−{r.input_scale:g}, {r.input_scale:g})"
    if r.sampler == "normal":
        which = f"normal, standard deviation {r.input_scale:g}"
    extra = ", ".join(f"{name} = {value:g}" for name, value in (r.extra or {}).items())
    chunk = "" if r.chunk is None else f", chunks of {r.chunk}"
    blocks = "" if r.blocks == 1 else f", {r.blocks} blocks"
    return [
        ("statement", f"{r.statement} ({r.verdict}){', ' + how if how else ''}"),
        ("output", r.does),
        ("learner", f"{r.learner}, in float64 on the same numbers"),
        ("sizes", sizes),
        ("inputs", f"{which}; seed {r.seed}"),
        ("W0", r.W0),
        ("also", extra),
        ("η", "" if r.step_size is None else f"{r.step_size!r}; {r.step_size_rule}"),
        ("lane", f"{r.lane}{chunk}{blocks}, {r.arithmetic}" if r.lane else ""),
        ("gate", r.gate),
        ("device", r.device),
    ]


def _found(report: Report) -> list[tuple[str, str]]:
    """What came out; what has not come says so."""
    r = report
    after = ", ".join(map(str, r.compared))
    return [
        ("compared after", f"{after} examples" if after else ""),
        ("error", _number(r.error, "max |prediction − learner|")),
        ("relative error", _number(r.relative_error, "‖prediction − learner‖ / ‖learner‖")),
        ("bound", _number(r.bound, f"promised before the run, from {r.bound_of}")),
        ("error / bound", _number(r.ratio, "the largest, entry by entry")),
        ("time", _number(r.seconds, f"s for {r.tokens * r.heads:,} tokens; compiled in "
                                    f"{r.compile_seconds or 0:.2g} s")),
        ("tokens per second", _number(r.tokens_per_second, "heads × tokens")),
        ("share of the floor", _number(r.share_of_floor, f"the floor is {r.floor}, timed in this run")),
        *((f"no {name}" if name != "the rest" else name, why) for name, why in (r.missing or {}).items()),
        *(("note", note) for note in r.notes),
    ]  # fmt: skip


def _number(value: Any, what: str) -> str:
    return "not available" if value is None else f"{value:.3g}  ({what})"
