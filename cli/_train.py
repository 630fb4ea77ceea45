"""`scanproof train`: the models of a table or figure, trained here and compared with their constructions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ._options import choice, count, flag, option

if TYPE_CHECKING:
    from scanproof.numeric.studies.training.results import Result

FORMATS = ("table", "json", "csv")

Id = Annotated[str, typer.Argument(metavar="ROW", hidden=True)]
Output = Annotated[
    Path | None,
    typer.Option("--output", metavar="DIR", help="Where checkpoints and results are kept."),
]
Full = Annotated[
    bool, flag("--full", "The sources' own settings: for most of them hours, on a GPU.")
]
Quick = Annotated[bool, flag("--quick", "Short runs, half a minute to minutes: the default.")]
Steps = Annotated[int | None, count("--steps", "N", "Another number of steps.")]
StepSize = Annotated[float | None, option("ETA", "Another step size of the optimizer.")]
Seeds = Annotated[int | None, count("--seeds", "N", "Seeds 0 to N − 1.")]
Pictures = Annotated[
    Path | None, typer.Option("--picture", metavar="FILE.svg", help="Draw what was found, too.")
]
Format = Annotated[str, choice("--format", FORMATS, "How it is written.")]


def train(
    row: Id,
    output: Output = None,
    quick: Quick = False,
    full: Full = False,
    steps: Steps = None,
    step_size: StepSize = None,
    seeds: Seeds = None,
    picture: Pictures = None,
    format: Format = "table",
) -> None:
    """Train a table's models, and compare them with descent.

    ROW is a table or a figure such as gril.table6, or one of the experiments scalar, vector, two-step,
    attention, s5, classes, binary, ssd, hybrid, sine, features, recall and expressions. All seeds
    of a model are trained side by side. Training that was stopped goes on if it is called again with the same --output.
    """
    from scanproof.constructs.errors import UsageError
    from scanproof.numeric.jax_backend import one_blas_thread
    from scanproof.proofs.report.progress import progress

    from ._interrupts import heard
    from ._output import Destination, as_json, quiet_stdout, say, write

    one_blas_thread()
    if quick and full:
        raise UsageError("--quick and --full: give one of them; each is a preset of its own.")
    if picture is not None and picture.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise UsageError(f"--picture {picture}: give a name that ends in .svg, .png or .pdf.")
    drawn = None if picture is None else Destination(picture, "--picture")
    from scanproof.numeric.studies.training.experiments import find
    from scanproof.numeric.studies.training.results import as_csv, differing
    from scanproof.numeric.studies.training.rows import train_row

    def changed(settings: Any) -> Any:
        numbers = None if seeds is None else tuple(range(seeds))
        block = None if steps is None else next(b for b in (100, 10, 1) if steps % b == 0)
        return settings.with_(steps=steps, rate=step_size, seeds=numbers, block=block)

    preset = "full" if full else "quick"
    try:
        with heard(), quiet_stdout(), progress("training") as advance:
            found = train_row(row, preset, output, on_progress=advance, changes=changed)
    except KeyboardInterrupt:
        if output is not None:
            say(
                f"interrupted; the last checkpoints are in {output}: the same command goes on there."
            )
        raise
    if output is not None and found.rows and differing(find(row), found.written()):
        say(
            f"trained with other settings than the {preset} preset's, so nothing is recorded for a row: "
            f"`scanproof reproduce --output {output}` will not show it."
        )
    if format == "json":
        write(as_json(found.written()))
    else:
        write(as_csv(found) if format == "csv" else _table(found))
    if drawn is not None and picture is not None:
        from scanproof.numeric.studies.pictures.drawing import draw
        from scanproof.numeric.studies.pictures.training import picture as picture_of

        with quiet_stdout():
            drawn.write(draw(picture_of(found.written()), picture.suffix[1:].lower()))
    if found.diverged:
        told = "; ".join(f"{name} diverged {one['says']}" for name, one in found.diverged.items())
        kept = (
            "" if output is None else f" Their last good checkpoints, if any, are kept in {output}."
        )
        raise UsageError(f"training {told}. The other models are trained and shown.{kept}")


def _table(found: Result) -> str:
    from tabulate import tabulate

    names = ("model", "loss", "explicit learner", "‖ŷ − learner‖", "cos of ∂ŷ/∂x", "of 0", "s")
    body = tabulate(_lines(found), names, tablefmt="plain", disable_numparse=True)
    first = found.models[0]
    head = [
        f"{found.experiment} ({found.preset}): {found.says}",
        f"{len(first.settings['seeds'])} seeds, {first.evaluation['tasks']:,} fresh tasks, {found.device}",
        "",
    ]
    rule = [f"{m.name}: {m.identified[0]['verdict']}" for m in found.models if m.identified]
    lines = [line.rstrip() for line in body.splitlines()]
    return "\n".join([*head, *lines, *(["", *rule] if rule else [])]) + "\n"


def _lines(found: Result) -> Iterator[tuple[str, ...]]:
    for model in found.models:
        of, beside = model.evaluation, model.evaluation["beside"]
        accuracy = of["accuracy"]
        loss = f"{of['loss']['mean']:.4f} ± {of['loss']['deviation']:.2g}"
        if accuracy:
            loss += f", {100 * accuracy['mean']:.0f} % right"
            loss += f" (the most frequent answer: {100 * of['majority']:.0f} %)"
        yield (
            model.name,
            loss,
            "—" if beside is None else f"{beside['loss']:.4f} ({beside['reference']})",
            "—" if beside is None else f"{beside['relative_l2']['mean']:.2g}",
            "—" if beside is None else f"{beside['sensitivity_cosine']['mean']:.3f}",
            f"{of['zero']:.4f}",
            f"{model.seconds:.0f}",
        )
