"""`scanproof run`: a construction at size on the device that is there, beside the explicit learner in float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import one_of

if TYPE_CHECKING:
    from scanproof.numeric.run.running import Report

FORMATS = ("table", "json")
SCHEMA = "scanproof.run/1"


def run(
    id: Annotated[str, typer.Argument(metavar="ID", hidden=True)],
    features: Annotated[
        int | None, typer.Option(metavar="F", help="Features of an input; 64 by default.")
    ] = None,
    examples: Annotated[int, typer.Option(metavar="N", help="Examples in the context.")] = 4096,
    heads: Annotated[int, typer.Option(metavar="H", help="Tasks of their own, side by side.")] = 1,
    targets: Annotated[
        int | None, typer.Option(metavar="K", help="Targets, or classes, where they are free.")
    ] = None,
    layers: Annotated[
        int | None, typer.Option(metavar="L", help="Layers, for statements about L steps.")
    ] = None,
    dtype: Annotated[
        str, typer.Option(metavar="float32|float64|bfloat16", help="What the layer computes in.")
    ] = "float32",
    lane: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Which program runs the layer; by its gate if not given."
        ),
    ] = None,
    chunk: Annotated[
        int | None, typer.Option(metavar="C", help="Tokens a chunk, for lanes that have some.")
    ] = None,
    sampler: Annotated[
        str, typer.Option(metavar="uniform|normal", help="Where inputs are drawn from.")
    ] = "uniform",
    input_scale: Annotated[
        float,
        typer.Option(
            metavar="S", help="Half-width of the uniform, or standard deviation of the normal."
        ),
    ] = 1.0,
    seed: Annotated[int, typer.Option(metavar="N", help="Of all that is drawn.")] = 0,
    step_size: Annotated[
        float | None,
        typer.Option(metavar="ETA", help="η; by default one with which L steps do not diverge."),
    ] = None,
    as_stated: Annotated[
        bool,
        typer.Option("--as-stated", help="Run the parameters as printed, whatever the verdict."),
    ] = False,
    format: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="How it is written.")
    ] = "table",
) -> None:
    """Run a construction at size, and the learner it imitates beside it.

    ID is a row of `scanproof list`, or an amendment. A row stands for its strongest proved
    statement. The layer runs in JAX on whatever device is there, the learner in float64 on the
    same numbers.
    """
    one_of("--format", format, FORMATS)

    from scanproof.numeric.jax_backend import one_blas_thread
    from scanproof.numeric.run import running

    from ._interrupts import heard
    from ._output import quiet_stdout, write

    one_blas_thread()
    report = running.Report(id)
    try:
        with heard(), quiet_stdout():
            running.run(
                id,
                features=features,
                examples=examples,
                heads=heads,
                targets=targets,
                layers=layers,
                dtype=dtype,
                lane=lane,
                chunk=chunk,
                sampler=sampler,
                input_scale=input_scale,
                seed=seed,
                step_size=step_size,
                as_stated=as_stated,
                report=report,
            )
    except KeyboardInterrupt:
        if report.step_size is not None:  # something has finished, and is kept
            report.missing = {**(report.missing or {}), "the rest": "interrupted"}
            write(_rendered(report, format))
        raise
    write(_rendered(report, format))


def _rendered(report: Report, format: str) -> str:
    if format == "json":
        import json

        body = {"schema": SCHEMA, **report.as_dict()}
        return json.dumps(body, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    from tabulate import tabulate

    rows = [row for row in (*_setting(report), *_found(report)) if row[1] != ""]
    text = tabulate(rows, tablefmt="plain", disable_numparse=True)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


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
        ("lane", f"{r.lane}{chunk}{blocks}, {r.dtype}" if r.lane else ""),
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
