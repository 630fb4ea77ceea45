"""`scanproof prove`: a JAX function against its specification, at every size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scanproof.constructs.errors import UsageError

from ._options import MemoryLimit, TimeLimit, choice

if TYPE_CHECKING:
    from scanproof.proofs.decide.proving import Outcome

FORMATS = ("text", "json")
FRAMEWORKS = ("jax", "torch")
SCHEMA = "scanproof.prove/1"
REFUTED, UNDECIDED = 1, 2
PROVED, LEFT = 6, 4
"""No more lines say what was proved, or what a proof leaves over; all are in --format json."""
LITERALS = 10
"""No more literals than this are listed, with what they were read as."""


def prove(
    function: Annotated[str, typer.Argument(metavar="MODULE:FUNCTION", hidden=True)],
    shapes: Annotated[
        str, typer.Option(metavar="'X: T f, q: f'", help="The arguments' shapes, sizes as letters.")
    ],
    equals: Annotated[
        str, typer.Option(metavar="MODULE:FUNCTION", help="The specification it is to equal.")
    ],
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="'T=1,2,5, f=1,2'",
            help="Where it is tried with numbers, 1, 2, 3 by default; proofs begin at the least.",
        ),
    ] = None,
    framework: Annotated[str | None, choice("--framework", FRAMEWORKS)] = None,
    steps: Annotated[
        int | None,
        typer.Option(metavar="N", help="What the search for a proof may take, 60000 by default."),
    ] = None,
    time_limit: TimeLimit = 300,
    compiled: Annotated[
        bool, typer.Option("--compiled", help="Run functions for torch under torch.compile too.")
    ] = False,
    memory_limit: MemoryLimit = None,
    script: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where they differ: a stand-alone script that shows it."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 2 unless it is proved for all sizes.")
    ] = False,
    format: Annotated[str, choice("--format", FORMATS)] = "text",
) -> None:
    """Prove that a program of JAX or PyTorch equals another.

    They are proved equal at every size, or it is shown where they differ.

    The function is traced by JAX with symbols for sizes, and what JAX records is read as formulas of
    real numbers: rounding is not looked at. Scans become inductions. What cannot be read is named,
    with its line. A function for torch is read from its source, and needs torch. Both are run as
    well, as people run them: a difference that rounding cannot explain refutes.
    """
    from scanproof.proofs.decide.budget import Budget, memory, seconds
    from scanproof.proofs.decide.proving import SIDE_BY_SIDE
    from scanproof.proofs.decide.proving_apart import prove_apart
    from scanproof.proofs.language.sizes import ranges_in, whole
    from scanproof.proofs.report.progress import lasting

    from ._interrupts import heard
    from ._output import quiet_stdout, write

    search = {} if steps is None else {"steps": whole(f"--steps {steps}", steps)}
    limits = (
        seconds("--time-limit", time_limit),
        memory("--memory-limit", memory_limit, SIDE_BY_SIDE),
    )
    within = Budget(*limits)
    with heard(), quiet_stdout(), lasting("proving") as tell:
        outcome = prove_apart(
            function,
            shapes=shapes,
            equals=equals,
            sizes=ranges_in(sizes or ""),
            framework=framework,
            compiled=compiled,
            within=within,
            tell=tell,
            **search,
        )
    if script is not None:
        _write_script(script, outcome)
    write(_json(outcome) if format == "json" else _text(outcome))
    raise typer.Exit(_code(outcome, strict))


def _write_script(path: Path, outcome: Outcome) -> None:
    from scanproof.proofs.report.program_script import program_script

    from ._output import say

    shown = outcome.result.counterexample
    if shown is None:
        say(f"--script {path}: not written, since no inputs were found on which the two differ")
        return
    text = program_script(
        outcome.program,
        outcome.specification,
        shown,
        outcome.frameworks,
        outcome.format,
        outcome.how,
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"--script {path}: cannot be written: {error.strerror or error}."
        ) from None


def _code(outcome: Outcome, strict: bool) -> int:
    result = outcome.result
    if result.verdict == "refuted":
        return REFUTED
    whole = result.verdict == "proved" and result.scope == "all-sizes"
    return UNDECIDED if strict and not whole else 0


def _json(outcome: Outcome) -> str:
    from ._output import as_json

    timing = {"total": round(outcome.seconds, 4)}
    return as_json({"schema": SCHEMA, **outcome.as_dict(), "timing": timing})


def _text(outcome: Outcome) -> str:
    result = outcome.result
    lines = [f"{outcome.program} = {outcome.specification}: {_verdict(result)}"]
    if result.verdict == "proved" and result.scope == "all-sizes":
        methods = [e["method"] for e in result.evidence if e["scope"] == "all-sizes"]
        by = ", ".join(dict.fromkeys(methods or [e["method"] for e in result.evidence]))
        lines.append(f"  for {_all_sizes(result)}, in exact real arithmetic, by {by}")
        if outcome.cases:
            lines.append(f"  in {len(outcome.cases)} cases: {'; '.join(outcome.cases)}")
        lines += [f"    {one}" for one in outcome.proved[:PROVED]]
        assumes = [a for e in result.evidence for a in e.get("assumes", ())]
        axioms = [a for e in result.evidence for a in e.get("axioms", ())]
        lines += [f"  taken for granted: {a}" for a in dict.fromkeys([*assumes, *axioms])]
    else:
        if result.verdict == "proved":
            lines.append(f"  {_tried(result)}")
        lines += [f"  {result.reason}"] if result.reason else []
    lines += [f"  left over: {one}" for one in outcome.leftover[:1]]
    lines += [f"    {one}" for one in outcome.leftover[1:LEFT]]
    lines += _shown(result.counterexample)
    lines += [f"  near miss: {one}" for one in result.near_misses]
    lines += [f"  {one}" for one in (*outcome.notes, *outcome.literals[:LITERALS])]
    if len(outcome.literals) > LITERALS:
        lines.append(f"  and {len(outcome.literals) - LITERALS} more numbers read so")
    return "\n".join(lines) + "\n"


def _verdict(result: Any) -> str:
    forms = [e["engine"] for e in result.evidence if e["method"] == "run"]
    if result.verdict == "refuted" and forms:
        return f"refuted, in {forms[0]}"
    if result.verdict == "proved" and result.scope != "all-sizes":
        return "holds at the sizes tried, not proved for all"
    limited = result.verdict == "proved" and _all_sizes(result) != "all sizes"
    return f"proved for {_all_sizes(result)}" if limited else result.verdict


def _all_sizes(result: Any) -> str:
    from scanproof.proofs.report.words import all_sizes

    return all_sizes(result.evidence)


def _tried(result: Any) -> str:
    """At which sizes it was seen to hold, and how."""
    from scanproof.proofs.report.words import at_sizes, over_sizes

    every = {m: [at for e in result.evidence if e["method"] == m for at in e["sizes"] or ()]
             for m in ("identity", "property-test")}  # fmt: skip
    exact, drawn = every.values()
    largest = {n: max(at[n] for at in drawn) for n in drawn[0]} if drawn else {}
    return "; ".join(
        [f"multiplied out at {over_sizes(exact)}"] * bool(exact)
        + [f"with random numbers up to {at_sizes(largest)}"] * bool(drawn)
    )


def _shown(example: Any) -> list[str]:
    if example is None:
        return []
    from scanproof.proofs.language.sizes import by_name

    found = example.as_json()
    sizes = by_name(found["sizes"])
    inputs = [f"  {n} = {_numbers(v)}" for n, v in found["inputs"].items()]
    return [
        f"  at {sizes}",
        *inputs,
        f"  the program gives {_numbers(found['actual'])}",
        f"  the specification {_numbers(found['claimed'])}",
    ]


def _numbers(value: Any) -> str:
    return f"[{', '.join(map(_numbers, value))}]" if isinstance(value, list) else str(value)
