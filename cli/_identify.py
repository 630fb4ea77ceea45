"""`scanproof identify`: which learning rule weights implement, and how far off they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._options import choice, option

if TYPE_CHECKING:
    from scanproof.numeric.identify.report import Report

FORMATS = ("table", "json")
LARGEST = 8
"""Rows and columns of a matrix that a table shows."""
WIDEST = 60
"""Characters of an exact number that it shows."""


def identify(
    path: Annotated[Path, typer.Argument(metavar="PATH", hidden=True)],
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Exit with 2 if the weights do no gradient descent at all."),
    ] = False,
    examples: Annotated[
        list[int] | None,
        option("N", "How many examples: one number, or several by several options."),
    ] = None,
    tokens: Annotated[str | None, option("NAME", "How examples become tokens.")] = None,
    sampler: Annotated[str | None, option("NAME", "Inputs of tasks: see below.")] = None,
    scale: Annotated[float | None, option("S", "All data of tasks, times S.")] = None,
    dtype: Annotated[str | None, option("FORMAT", "Weights stored and run in it.")] = None,
    format: Annotated[str, choice("--format", FORMATS)] = "table",
) -> None:
    """Say which learning rule weights implement.

    PATH is a folder: an export, edited or not, or weights that others trained, with
    model.safetensors and encoding.safetensors (and config.json, where the codebase has one). For
    linear layers the rule is derived from the weights as exact numbers, for Mamba-2 blocks it is
    measured. What is printed says how far off they are. A manifest is not needed, and believed in
    nothing: what it asserts is checked.

    \b
    What is judged, where it is not left to the weights and the manifest:
      --examples 8 --examples 64   tasks of so many examples; only what is
                                   tried at several n is called constant in n
      --tokens                     labelled, interleaved, concatenated, products
                                   or separate
      --sampler                    uniform, normal, sphere or signs
      --dtype                      float64, float32, bfloat16 or float16

    \b
    Exit codes:
      0  whatever the weights do, no manifest asserts anything else
      1  the manifest asserts something that the weights contradict
      2  only with --strict: the weights do no gradient descent
      3  a usage or tool error
    """
    from scanproof.numeric.identify.identifying import identify as identified
    from scanproof.proofs.report.progress import lasting

    from ._output import quiet_stdout, write

    with quiet_stdout(), lasting("identifying"):
        report = identified(
            path,
            examples=examples or (),
            tokens=tokens,
            sampler=sampler,
            scale=scale,
            dtype=dtype,
        )
    write(_rendered(report, format))
    raise typer.Exit(report.exit_code(strict))


def _rendered(report: Report, format: str) -> str:
    from ._output import as_json, as_table

    if format == "json":
        return as_json(report.as_dict())
    return as_table([*_found(report), *_off(report), *_manifest(report)])


def _found(report: Report) -> list[tuple[str, str]]:
    """The rule."""
    from scanproof.numeric.identify.report import as_float

    sizes = ", ".join(f"{name} = {size}" for name, size in report.sizes.items())
    return [
        ("weights", f"{report.folder}, {report.target}, {report.family}"),
        ("sizes", sizes),
        ("verdict", report.verdict),
        ("how", report.method),
        ("steps", "" if report.steps is None else str(report.steps)),
        *_step_size(report),
        ("λ", "" if report.ridge is None else f"{as_float(report.ridge):.9g}, of the ridge"),
        ("β", "" if report.momentum is None else f"{as_float(report.momentum):.9g}, the momentum"),
        ("γ", "" if report.gamma is None else f"{as_float(report.gamma):.9g}, of GD++"),
        ("ρ", "" if report.decay is None else f"{as_float(report.decay):.9g}, the decay"),
        *_matrix("W0", report.W0, "d × k"),
        *_matrix("Γ", report.preconditioner, "d × d"),
    ]


def _step_size(report: Report) -> list[tuple[str, str]]:
    from scanproof.numeric.identify.report import as_float

    size = report.step_size
    if size is None:
        return []
    value = str(size.value)
    value = value if len(value) <= WIDEST else f"{as_float(size.value):.17g}"
    near = "" if size.nearest in (None, size.value) else f", a rounding of {size.nearest}"
    rows = [("η", f"{value}{near}; {size.dependence}")]
    return rows + [("", f"step {i}: {each}") for i, each in enumerate(size.each, 1)]


def _matrix(name: str, rows: list[list] | None, shape: str) -> list[tuple[str, str]]:
    from scanproof.numeric.identify.report import as_float

    if rows is None:
        return []
    if not any(entry for row in rows for entry in row):
        return [(name, "0")]
    shown = [
        (name if not i else "", "  ".join(f"{as_float(entry):.6g}" for entry in row[:LARGEST]))
        for i, row in enumerate(rows[:LARGEST])
    ]
    if max(len(rows), len(rows[0])) > LARGEST:
        shown.append(("", f"… {len(rows)} × {len(rows[0])} ({shape}); --format json has all of it"))
    return shown


def _off(report: Report) -> list[tuple[str, str]]:
    """Distances, coefficients and entries."""
    from scanproof.numeric.identify.report import as_float

    rows = []
    d = report.distances
    if d is not None:
        cosine = "" if d.sensitivity_cosine is None else f", cosine {d.sensitivity_cosine:.6g}"
        slope = "" if d.sensitivity_l2 is None else f"{d.sensitivity_l2:.3g} in ∂ŷ/∂x_query{cosine}"
        rows += [
            (
                "distance",
                f"{d.prediction_l2:.3g} in ŷ (L2, mean), {d.relative:.3g} relative, at most",
            ),
            ("", slope),
            ("", f"{d.tasks} tasks, n ≤ {d.examples}, seed {d.seed}; {d.samples}"),
        ]
    run = report.running
    if run is not None:
        rows.append(("running", f"{run.words}, on {run.tasks} tasks; {run.how}"))
    for i, c in enumerate(report.coefficients):
        text = f"of {c.monomial}: {as_float(c.found):.6g}; gradient descent has {as_float(c.expected):.6g}"
        rows.append(("coefficients" if not i else "", text))
    more = (report.coefficients_in_all or 0) - len(report.coefficients)
    rows.append(("", f"and {more} more" if more > 0 else ""))
    near = report.nearest_construction
    if near and not report.deviations_in_all:
        near += ", entry by entry"
    rows.append(("construction", near))
    for i, e in enumerate(report.deviations):
        text = f"{e.entry}: {e.found:.9g}, the construction has {e.expected:.9g}"
        text += "" if e.effect is None else f"; it moves predictions by {e.effect:.1e}"
        rows.append(("entries" if not i else "", text))
    idle = report.deviations_idle
    more = report.deviations_in_all - len(report.deviations) - idle
    rows.append(("", f"and {more} more" if more > 0 else ""))
    rows.append(("", f"{idle} others change no prediction that was tried" if idle else ""))
    if report.deviations_in_all and report.same_function:
        rows.append(("", "they differ in form: the function is the same"))
    return rows


def _manifest(report: Report) -> list[tuple[str, str]]:
    """What a manifest says."""
    rows = []
    if report.asserted and not report.contradictions:
        rows.append(("manifest", "nothing that it asserts is contradicted"))
    for i, c in enumerate(report.contradictions):
        text = f"{c.assertion} is {c.asserted} there; found: {c.found}"
        rows.append(("contradicted" if not i else "", text))
    own = report.promise
    if own is not None:
        text = f"relative error {own.found:.2e}, promised {own.bound:.2e}; {own.how}"
        rows.append(("certificate", text))
    return rows + [("note", note) for note in report.notes]
