"""`scanproof export`: a construction's weights as a folder for another codebase, with a certificate."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ._options import choice, flag, given, option

FORMATS = ("table", "json")
WIDEST = 60
"""Characters of an exact number that a table shows."""

Id = Annotated[str, typer.Argument(metavar="ID", hidden=True)]
Target = Annotated[str, option("NAME", "The codebase that the weights are for.")]
Output = Annotated[Path, option("DIR", "The folder to make.")]
Features = Annotated[int, option("D", "Features of an input.")]
Examples = Annotated[
    int,
    option("N", "Examples in the context before the query."),
]
TargetCount = Annotated[
    int | None,
    option("K", "Targets of an example; the statement's own by default."),
]
Steps = Annotated[int, option("L", "Steps of gradient descent, where they are free.")]
StepSize = Annotated[
    str | None,
    option(
        "ETA",
        "η as the factor of the summed gradient: W ← W − η Σ_j x_j (Wᵀx_j − y_j)ᵀ, whatever the statement's "
        "loss; a row of a mean, or with factors, gets its own η from this one; of the delta rule, of each example's "
        "gradient. 0.025 or 1/40; 1/N by default.",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--w0-seed",
        metavar="N",
        help="Start from weights W0 drawn with this seed, instead of 0.",
    ),
]
Dtype = Annotated[
    str | None,
    option("NAME", "Of the weights; the target's own by default."),
]
Tokens = Annotated[
    str | None,
    option(
        "labelled|concatenated|interleaved|separate",
        "How examples become tokens, for the rows of mamba2 and linear-attention, and of delta-net (separate alone).",
    ),
]
InOneBlock = Annotated[
    bool,
    flag(
        "--in-one-block", "The only step in one block of Mamba-2 or linear attention, not in two."
    ),
]
InputBound = Annotated[
    str,
    option("X", "The certificate is for inputs of entries |x_ji| ≤ X …"),
]
TargetBound = Annotated[
    str | None,
    option("Y", "… and targets |y_jc| ≤ Y, by default √D."),
]
AsStated = Annotated[
    bool,
    flag("--as-stated", "Export the parameters as printed, whatever the verdict."),
]
Force = Annotated[bool, flag("--force", "Replace the folder, if it is an export.")]
Format = Annotated[
    str,
    choice("--format", FORMATS, "What is printed: a table or the manifest."),
]


def export(
    context: typer.Context,
    id: Id,
    target: Target,
    output: Output,
    features: Features,
    examples: Examples,
    targets: TargetCount = None,
    steps: Steps = 1,
    step_size: StepSize = None,
    seed: Seed = None,
    dtype: Dtype = None,
    tokens: Tokens = None,
    in_one_block: InOneBlock = False,
    input_bound: InputBound = "1",
    target_bound: TargetBound = None,
    as_stated: AsStated = False,
    force: Force = False,
    format: Format = "table",
) -> None:
    """Write weights for another codebase, with a certificate.

    ID is a row of `scanproof list`, or an amendment. A row stands for its strongest proved
    statement. The folder holds the weights under the target's own names, its settings, the
    encoding of raw tokens, and a manifest: statement, verdict, learner, sizes, and a bound on how
    far any prediction is from the learner's.
    """
    from scanproof.numeric.export import exporting
    from scanproof.numeric.export.manifest import dumped

    from ._output import quiet_stdout, write

    with quiet_stdout():
        manifest = exporting.export(**given(context))
    write(dumped(manifest).decode() if format == "json" else _table(manifest, output, seed))


def _table(manifest: dict[str, Any], output: Path, seed: int | None) -> str:
    from scanproof.numeric.export.parts import IN_TURN, rule_in_words
    from scanproof.numeric.export.targets import TARGETS

    from ._output import as_table

    learner, sizes, tokens = manifest["learner"], manifest["sizes"], manifest["tokens"]
    does = rule_in_words(learner["rule"], learner["steps"])
    of = "each example's gradient" if learner["rule"] == IN_TURN else "the summed gradient"
    start = "0" if seed is None else f"weights drawn with seed {seed}"
    held = ", ".join(f"{name} ({count})" for name, count in tokens["raw"])
    where = "at every example" if tokens["predicts"] == "every" else "for the query"
    files = [f"{name}, {file['bytes']:,} bytes" for name, file in manifest["files"].items()]
    rows = [
        ("statement", _statement(manifest["construction"])),
        *(("beyond it", text) for text in manifest["construction"]["beyond"]),
        ("learner", f"{does} from W0 = {start}"),
        ("η", f"{_short(learner['step_size'])}, of {of}"),
        ("data", "" if learner["data"] == "any" else f"{learner['data']} y = Wᵀx alone"),
        ("sizes", ", ".join(f"{name} = {size}" for name, size in sizes.items())),
        ("tokens", f"{tokens['name']}: {held}; predicts {where}"),
        ("target", _target(manifest["target"])),
        *_bound(manifest["certificate"]),
        ("written", str(output)),
        *(("", text) for text in [*files, "manifest.json", "README.md"]),
        ("load", TARGETS[manifest["target"]["name"]].loading.format(out=output)),
    ]
    return as_table(rows)


def _short(number: str) -> str:
    """An exact number, rounded if it is long."""
    from fractions import Fraction

    return number if len(number) <= WIDEST else f"{float(Fraction(number)):.17g}"


def _statement(construction: dict[str, Any]) -> str:
    from scanproof.proofs.report.words import verdict_words

    id, asked = construction["id"], construction["asked"]
    whose = "" if id == asked else f", for {asked}"
    fixed = construction["scope"] not in (None, "all-sizes")
    more = f"; `scanproof check {id}` asks all engines" if fixed else ""
    return f"{id}{whose}: {verdict_words(construction)}{more}"


def _target(target: dict[str, Any]) -> str:
    from scanproof.numeric.export.targets import TARGETS

    tested = ", ".join(f"{n} {' and '.join(v)}" for n, v in target["tested"].items())
    ran = f"; tested with {tested}" if tested else ""
    if not tested and not TARGETS[target["name"]].neutral:
        ran = "; not tested with the real module yet"
    return f"{target['name']}, {target['dtype']}{ran}"


def _bound(certificate: dict[str, Any]) -> list[tuple[str, str]]:
    from scanproof.numeric.export.parts import domain_in_words

    domain = domain_in_words(certificate["domain"])
    domain += "" if certificate["data"] == "any" else f", {certificate['data']}"
    if certificate["absolute"] is None:
        covers = certificate["covers"]
        why = covers if covers.startswith("nothing") else "no finite one is known for this domain"
        return [("bound", why), ("for", domain)]
    bound, most, some = (certificate[name] for name in ("absolute", "magnitude", "attained"))
    size, largest, found = "", "", certificate["found"]
    if some:
        size = f", {bound / some:.2g} of the largest"
        largest = f"{some:.4g} is attained" + ("" if most is None else f", {most:.4g} is the most")
    if most is not None and bound > most:
        size += ": more than any prediction is, so nothing is known of them"
    return [
        ("bound", f"|prediction − learner| ≤ {bound:.4g}{size}"),
        ("found", f"{found:.1g} is the most that a short search makes it" if found else ""),
        ("largest", largest),
        ("for", domain),
    ]
