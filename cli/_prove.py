"""`scanproof prove`: a JAX function against its specification, at every size."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scanproof.proofs.language.expect import ALLOWED, is_met, unmet

from ._options import MemoryLimit, TimeLimit, choice

if TYPE_CHECKING:
    from scanproof.proofs.decide.outcome import Outcome

    from ._output import Destination

FORMATS = ("text", "json")
FRAMEWORKS = ("jax", "torch", "triton")
SCHEMA = "scanproof.prove/1"
REFUTED, UNEXPECTED, UNDECIDED = 1, 1, 2
PROVED, LEFT = 6, 4
"""No more lines say what was proved, or what a proof leaves over; all are in --format json."""
LITERALS = 10
"""No more literals than this are listed, with what they were read as."""


def _operations(wanted: bool) -> None:
    """Print the operations that have a rule, and end."""
    if not wanted:
        return
    from scanproof.proofs.doors.aten.lowering import said
    from scanproof.proofs.doors.aten.table import RULES
    from scanproof.proofs.doors.aten.transforms import CONVOLUTION, TRANSFORMS
    from scanproof.proofs.doors.jaxpr.table import RULES as OF_JAX
    from scanproof.proofs.doors.triton import arithmetic, blocks, memory, turns  # noqa: F401  rules
    from scanproof.proofs.doors.triton.table import RULES as OF_TRITON

    from ._output import write

    of_torch = map(said, {*RULES, *TRANSFORMS} - {CONVOLUTION})
    every = ("JAX", OF_JAX), ("PyTorch", of_torch), ("Triton", OF_TRITON)
    for title, names in every:
        write(f"{title}: {', '.join(sorted({*names}))}\n")
    raise typer.Exit()


Function = Annotated[str, typer.Argument(metavar="MODULE:FUNCTION", hidden=True)]
Equals = Annotated[
    str, typer.Option(metavar="MODULE:FUNCTION", help="The specification it is to equal.")
]
Shapes = Annotated[
    str | None,
    typer.Option(
        metavar="'X: T f, q: f'",
        help="The arguments' shapes, sizes as letters, 'y: T in C' for labels below C and 'm: T bool' for truths; "
        "those of jaxtyping's annotations if left out.",
    ),
]
Sizes = Annotated[
    str | None,
    typer.Option(
        metavar="'T=1,2,5, f=1,2'",
        help="Where it is tried with numbers, 1, 2, 3 by default; proofs begin at the least.",
    ),
]
Framework = Annotated[str | None, choice("--framework", FRAMEWORKS)]
Steps = Annotated[
    int | None,
    typer.Option(metavar="N", help="What the search for a proof may take, 60000 by default."),
]
Compiled = Annotated[
    bool, typer.Option("--compiled", help="Run functions for torch under torch.compile too.")
]
Script = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where they differ: a stand-alone script that shows it."),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Exit with 2 unless it is proved for all sizes.")
]
Expect = Annotated[
    str | None,
    choice("--expect", ALLOWED, "The verdict that is known; exit with 1 for any other one."),
]
Operations = Annotated[
    bool,
    typer.Option(
        "--operations",
        callback=_operations,
        is_eager=True,
        help="Print the operations that are read, of JAX, PyTorch and Triton.",
    ),
]


def prove(
    function: Function,
    equals: Equals,
    shapes: Shapes = None,
    sizes: Sizes = None,
    framework: Framework = None,
    steps: Steps = None,
    time_limit: TimeLimit = 300,
    compiled: Compiled = False,
    memory_limit: MemoryLimit = None,
    script: Script = None,
    strict: Strict = False,
    expect: Expect = None,
    format: Annotated[str, choice("--format", FORMATS)] = "text",
    operations: Operations = False,
) -> None:
    """Prove that a program of JAX or PyTorch equals another.

    They are proved equal at every size, or it is shown where they differ.

    The function is traced by its framework with symbols for sizes, and what that records is read as
    formulas of real numbers: rounding is not looked at. Kernels of Triton that a function for torch
    launches (--framework triton) are read through Triton's front end, without a GPU. Scans and loops
    become inductions. What cannot be read is named, with its line. A function for torch needs torch.
    Both are run as well, as people run them: a difference that rounding cannot explain refutes.
    """
    from scanproof.proofs.decide.budget import Budget, memory, seconds
    from scanproof.proofs.decide.proving import SIDE_BY_SIDE
    from scanproof.proofs.decide.proving_apart import prove_apart
    from scanproof.proofs.language.sizes import ranges_in, whole
    from scanproof.proofs.report.progress import lasting

    from ._interrupts import heard
    from ._output import Destination, quiet_stdout, write

    search = {} if steps is None else {"steps": whole(f"--steps {steps}", steps)}
    limits = (
        seconds("--time-limit", time_limit),
        memory("--memory-limit", memory_limit, SIDE_BY_SIDE),
    )
    within = Budget(*limits)
    written = None if script is None else Destination(script, "--script")
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
    if written is not None:
        _write_script(written, f"--script {script}", outcome)
    write(_json(outcome, expect) if format == "json" else _text(outcome) + _said(outcome, expect))
    raise typer.Exit(_code(outcome, strict, expect))


def _write_script(place: Destination, option: str, outcome: Outcome) -> None:
    from ._output import say

    text = program_text(outcome)
    if text is None:
        say(f"{option}: not written, since no inputs were found on which the two differ")
        return
    place.write(text)


def _said(outcome: Outcome, expect: str | None) -> str:
    """A line that says whether the verdict is as expected, and what to do if it is not."""
    if expect is None:
        return ""
    return f"  {unmet(expect, _words(outcome), '--expect {}') or 'as expected'}\n"


def _words(outcome: Outcome) -> str:
    from scanproof.proofs.report.words import verdict_said

    return verdict_said(vars(outcome.result))


def program_text(outcome: Outcome) -> str | None:
    """The script that shows that the two differ; None if no inputs were found on which they do."""
    from scanproof.proofs.report.program_script import program_script

    shown = outcome.result.counterexample
    if shown is None:
        return None
    return program_script(
        outcome.program,
        outcome.specification,
        shown,
        outcome.frameworks,
        outcome.format,
        outcome.how,
        outcome.calls,
        outcome.shapes,
    )


def _code(outcome: Outcome, strict: bool, expect: str | None) -> int:
    result = outcome.result
    if expect is not None:
        return 0 if is_met(expect, _words(outcome)) else UNEXPECTED
    if result.verdict == "refuted":
        return REFUTED
    without_sizes = result.scope == "fixed-size" and _is_proved(result)
    return UNDECIDED if strict and _words(outcome) != "proved" and not without_sizes else 0


def _json(outcome: Outcome, expect: str | None) -> str:
    from ._output import as_json

    expected = {} if expect is None else {"expect": expect}
    timing = {"total": round(outcome.seconds, 4)}
    return as_json({"schema": SCHEMA, **outcome.as_dict(), **expected, "timing": timing})


def _text(outcome: Outcome) -> str:
    from scanproof.proofs.language.sizes import names, of_reals

    result = outcome.result
    lines = [f"{outcome.program} = {outcome.specification}: {_verdict(result)}"]
    if _is_proved(result):
        methods = [e["method"] for e in result.evidence if e["scope"] == "all-sizes"]
        by = ", ".join(dict.fromkeys(methods or [e["method"] for e in result.evidence]))
        sizes = names([*map(of_reals, outcome.shapes.values())])
        of = f"for {_all_sizes(result)}" if sizes else "of all numbers"
        lines.append(f"  {of}, in exact real arithmetic, by {by}")
        if outcome.cases:
            lines.append(f"  in {len(outcome.cases)} cases: {'; '.join(outcome.cases)}")
        lines += [f"    {one}" for one in outcome.proved[:PROVED]]
        assumes = [a for e in result.evidence for a in e.get("assumes", ())]
        axioms = [a for e in result.evidence for a in e.get("axioms", ())]
        lines += [f"  taken for granted: {a}" for a in dict.fromkeys([*assumes, *axioms])]
    else:
        if result.verdict == "proved":
            lines.append(f"  {_tried(result)}")
        lines += [f"  {result.reason}"] if _says_more(result) else []
        lines += [f"  left over: {one}" for one in outcome.leftover[:1]]
        lines += [f"    {one}" for one in outcome.leftover[1:LEFT]]
    lines += _shown(result.counterexample)
    lines += [f"  near miss: {one}" for one in result.near_misses]
    lines += [f"  {one}" for one in (*outcome.notes, *outcome.literals[:LITERALS])]
    if len(outcome.literals) > LITERALS:
        lines.append(f"  and {len(outcome.literals) - LITERALS} more numbers read so")
    return "\n".join(lines) + "\n"


def _says_more(result: Any) -> bool:
    """Whether the reason says more than at which sizes the counterexample is."""
    from scanproof.proofs.check.result import sizes_text

    shown = result.counterexample
    return bool(result.reason) and not (
        shown and result.reason == f"false at {sizes_text(shown.sizes)}"
    )


def _verdict(result: Any) -> str:
    forms = [e["engine"] for e in result.evidence if e["method"] == "run"]
    if result.verdict == "refuted" and forms:
        return f"refuted, in {forms[0]}"
    if result.verdict == "proved" and not _is_proved(result):
        return "holds at the sizes tried, not proved for all"
    limited = result.scope == "all-sizes" and _all_sizes(result) != "all sizes"
    return f"proved for {_all_sizes(result)}" if limited else result.verdict


def _is_proved(result: Any) -> bool:
    """Whether it is proved for all that there is: at all sizes, or multiplied out where no shape has a letter."""
    if result.verdict != "proved":
        return False
    exact = [at for e in result.evidence if e["method"] == "identity" for at in e["sizes"] or ()]
    return result.scope == "all-sizes" or (bool(exact) and not any(exact))


def _all_sizes(result: Any) -> str:
    from scanproof.proofs.report.words import all_sizes

    return all_sizes(result.evidence)


def _tried(result: Any) -> str:
    """At which sizes it was seen to hold, and how."""
    from scanproof.proofs.report.words import at_sizes, over_sizes

    every = {m: [at for e in result.evidence if e["method"] == m for at in e["sizes"] or ()]
             for m in ("identity", "property-test")}  # fmt: skip
    exact, drawn = every.values()
    names = dict.fromkeys(n for at in drawn for n in at)  # each case has its own
    largest = {n: max(at[n] for at in drawn if n in at) for n in names}
    return "; ".join(
        ["multiplied out" + f" at {over_sizes(exact)}" * any(exact)] * bool(exact)
        + [f"with random numbers up to {at_sizes(largest)}"] * bool(drawn)
    )


def _shown(example: Any) -> list[str]:
    if example is None:
        return []
    from scanproof.proofs.language.sizes import by_name
    from scanproof.proofs.report.story import special
    from scanproof.proofs.report.words import at_place, exact, first_difference, shortened

    found = example.as_json()
    sizes = by_name(found["sizes"])
    inputs = [f"  {n} = {shortened(v)}" for n, v in found["inputs"].items()]
    output = [f"  output {found['part']} differs"] if "part" in found else []
    actual, claimed = found["actual"], found["claimed"]
    lines = [
        *output,
        *([f"  at {sizes}"] if sizes else []),
        *inputs,
        f"  the program gives {shortened(actual)}",
        f"  the specification {shortened(claimed)}",
        *[f"  {line}" for line in special(found)],
    ]
    if shortened(actual) != exact(actual):
        place = first_difference(found)
        values = at_place(actual, place), at_place(claimed, place)
        lines.append(f"  first at entry {place}, counted from 0: {values[0]} and {values[1]}")
    return lines
