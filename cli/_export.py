"""`scanproof export`: a construction's weights as a folder for another codebase, with a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ._options import one_of

FORMATS = ("table", "json")
WIDEST = 60
"""Characters of an exact number that a table shows."""


def export(
    id: Annotated[str, typer.Argument(metavar="ID", hidden=True)],
    target: Annotated[
        str, typer.Option("--target", metavar="NAME", help="The codebase that the weights are for.")
    ] = ...,  # type: ignore[assignment]
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to make.")] = ...,  # type: ignore[assignment]
    features: Annotated[
        int, typer.Option("--features", metavar="D", help="Features of an input.")
    ] = ...,  # type: ignore[assignment]
    examples: Annotated[
        int,
        typer.Option("--examples", metavar="N", help="Examples in the context before the query."),
    ] = ...,  # type: ignore[assignment]
    targets: Annotated[
        int | None,
        typer.Option(metavar="K", help="Targets of an example; the statement's own by default."),
    ] = None,
    steps: Annotated[
        int, typer.Option(metavar="L", help="Steps of gradient descent, where they are free.")
    ] = 1,
    step_size: Annotated[
        str | None,
        typer.Option(
            metavar="ETA",
            help="η as the factor of the summed gradient: W ← W − η Σ_j x_j (Wᵀx_j − y_j)ᵀ, whatever the statement's "
            "loss; a row of a mean, or with factors, gets its own η from this one. 0.025 or 1/40; 1/N by default.",
        ),
    ] = None,
    w0_seed: Annotated[
        int | None,
        typer.Option(metavar="N", help="Start from weights W0 drawn with this seed, instead of 0."),
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of the weights; the target's own by default."),
    ] = None,
    tokens: Annotated[
        str | None,
        typer.Option(
            metavar="labelled|concatenated|interleaved",
            help="How examples become tokens, for the rows of mamba2 and linear-attention.",
        ),
    ] = None,
    in_one_block: Annotated[
        bool,
        typer.Option(
            "--in-one-block",
            help="The only step in one block of Mamba-2 or linear attention, not in two.",
        ),
    ] = False,
    input_bound: Annotated[
        str,
        typer.Option(metavar="X", help="The certificate is for inputs of entries |x_ji| ≤ X …"),
    ] = "1",
    target_bound: Annotated[
        str | None,
        typer.Option(metavar="Y", help="… and targets |y_jc| ≤ Y, by default √D."),
    ] = None,
    as_stated: Annotated[
        bool,
        typer.Option("--as-stated", help="Export the parameters as printed, whatever the verdict."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the folder, if it is an export.")
    ] = False,
    format: Annotated[
        str,
        typer.Option(
            "--format", metavar="|".join(FORMATS), help="What is printed: a table or the manifest."
        ),
    ] = "table",
) -> None:
    """Write constructed weights for another codebase, with a certificate.

    ID is a row of `scanproof list`, or an amendment. A row stands for its strongest proved
    statement. The folder holds the weights under the target's own names, its settings, the
    encoding of raw tokens, and a manifest: statement, verdict, learner, sizes, and a bound on how
    far any prediction is from the learner's.
    """
    one_of("--format", format, FORMATS)

    from scanproof.numeric.export import exporting
    from scanproof.numeric.export.manifest import dumped

    from ._output import quiet_stdout, write

    with quiet_stdout():
        manifest = exporting.export(
            id,
            target=target,
            out=out,
            features=features,
            examples=examples,
            targets=targets,
            steps=steps,
            step_size=step_size,
            seed=w0_seed,
            dtype=dtype,
            tokens=tokens,
            in_one_block=in_one_block,
            input_bound=input_bound,
            target_bound=target_bound,
            as_stated=as_stated,
            force=force,
        )
    write(dumped(manifest).decode() if format == "json" else _table(manifest, out, w0_seed))


def _table(manifest: dict[str, Any], out: Path, seed: int | None) -> str:
    from tabulate import tabulate

    from scanproof.numeric.export.targets import TARGETS

    learner, sizes, tokens = manifest["learner"], manifest["sizes"], manifest["tokens"]
    steps = "one step" if learner["steps"] == 1 else f"{learner['steps']} steps"
    start = "0" if seed is None else f"weights drawn with seed {seed}"
    held = ", ".join(f"{name} ({count})" for name, count in tokens["raw"])
    where = "at every example" if tokens["predicts"] == "every" else "for the query"
    files = [f"{name}, {file['bytes']:,} bytes" for name, file in manifest["files"].items()]
    rows = [
        ("statement", _statement(manifest["construction"])),
        *(("beyond it", text) for text in manifest["construction"]["beyond"]),
        ("learner", f"{steps} of {learner['rule']} from W0 = {start}"),
        ("η", f"{_short(learner['step_size'])}, of the summed gradient"),
        ("data", "" if learner["data"] == "any" else f"{learner['data']} y = Wᵀx alone"),
        ("sizes", ", ".join(f"{name} = {size}" for name, size in sizes.items())),
        ("tokens", f"{tokens['name']}: {held}; predicts {where}"),
        ("target", _target(manifest["target"])),
        *_bound(manifest["certificate"]),
        ("written", str(out)),
        *(("", text) for text in [*files, "manifest.json"]),
        ("load", TARGETS[manifest["target"]["name"]].loading.format(out=out)),
    ]
    text = tabulate([row for row in rows if row[1]], tablefmt="plain", disable_numparse=True)
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _short(number: str) -> str:
    """An exact number, rounded if it is long."""
    from fractions import Fraction

    return number if len(number) <= WIDEST else f"{float(Fraction(number)):.17g}"


def _statement(construction: dict[str, Any]) -> str:
    from scanproof.proofs.report.words import verdict_words

    id, asked = construction["id"], construction["asked"]
    whose = "" if id == asked else f", for {asked}"
    more = f"; `scanproof check {id}` asks all engines" if construction["scope"] else ""
    return f"{id}{whose}: {verdict_words(construction)}{more}"


def _target(target: dict[str, Any]) -> str:
    from scanproof.numeric.export.targets import TARGETS

    tested = ", ".join(f"{n} {' and '.join(v)}" for n, v in target["tested"].items())
    ran = f"; tested with {tested}" if tested else ""
    if not tested and not TARGETS[target["name"]].neutral:
        ran = "; not tested with the real module yet"
    return f"{target['name']}, {target['dtype']}{ran}"


def _bound(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    bounds = {name: bound for name, bound in certificate["domain"].items() if name != "examples"}
    domain = ", ".join(f"{name} ≤ {bound:.4g}" for name, bound in bounds.items())
    if certificate["absolute"] is None:
        covers = certificate["covers"]
        why = covers if covers.startswith("nothing") else "no finite one is known for this domain"
        return [("bound", why), ("for", domain)]
    relative = certificate["relative"]
    size = "" if relative is None else f", {relative:.2g} of the largest"
    if relative is not None and relative > 1:
        size += ": more than any prediction is, so nothing is known of them"
    return [
        ("bound", f"|prediction − learner| ≤ {certificate['absolute']:.4g}{size}"),
        ("for", domain),
    ]
