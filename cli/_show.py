"""`scanproof show`: the whole story of one claim, or its counterexample as a program."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from ._options import OneClaim, choice

if TYPE_CHECKING:
    from scanproof.proofs.decide.ledger import Ledger
    from scanproof.proofs.language.claim import Claim
    from scanproof.proofs.language.pinned import Definitions

    from ._targets import Named

LEAST, WIDEST = 40, 100
"""The narrowest and the widest lines of a story, whatever the terminal."""
FORMATS = ("text", "markdown", "latex", "json")


def show(
    targets: OneClaim,
    format: Annotated[
        str | None,
        choice(
            "--format",
            FORMATS,
            "How the story is told (text by default); json is the claim's part of the report.",
        ),
    ] = None,
    script: Annotated[
        bool,
        typer.Option(
            "--script",
            help="Print the counterexample as a Python program that needs the standard library alone.",
        ),
    ] = False,
    statement: Annotated[
        bool,
        typer.Option(
            "--statement",
            help="Print what is recorded of the claim: as text, latex or, with --script, a NumPy program.",
        ),
    ] = False,
) -> None:
    """Show one claim: its reading, verdict, evidence and mends.

    ID is a claim, or an amendment such as gd-ssm.prop1-construction+sign. A claim of your own needs
    the FILE.py that defines it before it; a folder and a module do as well.
    """
    from functools import partial

    from scanproof.constructs.errors import UsageError

    from ._output import quiet_stdout, terminal_columns, write
    from ._targets import one_claim

    if script and format is not None:
        raise UsageError(
            f"--script prints a program; it cannot be combined with --format {format}."
        )
    if statement and format not in (None, "text", "latex"):
        raise UsageError(f"--statement prints text or latex; got --format {format}.")
    width = max(terminal_columns() or WIDEST, LEAST)
    with quiet_stdout():
        named = one_claim("show", targets)
        if statement:
            recorded = partial(_recorded, named.claim, "python" if script else format, named.pinned)
            text = _in_a_worker(named.claim, recorded)
        elif script:
            text = _script(named.ledger, named.claim, named.pinned)
        else:
            text = _story(named, format or "text", width)
    write(text)


def _script(ledger: Ledger, claim: Claim, pinned: Definitions | None) -> str:
    from functools import partial

    from scanproof.proofs.decide.row_verdicts import homes

    return _in_a_worker(claim, partial(_program, claim, homes(ledger), pinned))


def _in_a_worker(claim: Claim, task: Callable[[], str]) -> str:
    """What a function prints of a claim; foreign code runs in it."""
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.decide.workers import run

    (answer,) = run([task])
    if answer.missing:
        raise UsageError(f"{claim.id} is not printed: its process ended with {answer.missing}.")
    return answer.value


def _recorded(claim, form: str | None, pinned: Definitions | None) -> str:
    """The claim's statement for all sizes; at its smallest sizes, with the reason, where it has none."""
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.doors.record.claims import record
    from scanproof.proofs.doors.record.recording import Limits
    from scanproof.proofs.doors.refused import Refused
    from scanproof.proofs.readings.formulas.mathematics import latex
    from scanproof.proofs.readings.program import program
    from scanproof.proofs.statement.errors import IllFormed
    from scanproof.proofs.statement.text import fingerprint, text

    if claim.body is None:
        raise UsageError(f"{claim.id} states nothing that is computed; it has no statement.")
    note = ""
    with nullcontext() if pinned is None else pinned.kept(f"claim {claim.id}"):
        try:
            found = record(claim)
        except Refused as error:
            note = f"For all sizes it is not recorded: {error}"
            try:
                found = record(claim, claim.every_size[0])
            except Limits:
                return _python(claim)
            except Refused as other:
                raise UsageError(f"{claim.id} is not recorded: {other}.") from None
    try:
        said = {"python": program, "latex": latex}.get(form or "", text)(found)
    except IllFormed as error:
        raise UsageError(f"{claim.id} is not written so: {error}.") from None
    sign = "%" if form == "latex" else "#"
    notes = [one for one in (note, fingerprint(found)) if one]
    return "".join(f"{sign} {one}\n" for one in notes) + said


def _python(claim) -> str:
    """A claim about limits, which no statement speaks of: what its hash covers."""
    from hashlib import sha256

    from scanproof.proofs.doors.record.python import as_python

    said = as_python(claim)
    about = "It is about limits, and stays Python: this text, of which that is the hash."
    return f"# {about}\n# {sha256(said.encode()).hexdigest()}\n{said}"


def _program(claim, homes, pinned: Definitions | None) -> str:
    """Decide the claim and run it again on recorded numbers; foreign code, so a worker process runs this."""
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.decide.certificates import Certificates
    from scanproof.proofs.decide.verdict import decide
    from scanproof.proofs.exact.engines import ENGINES
    from scanproof.proofs.report.script import script

    with nullcontext() if pinned is None else pinned.kept(f"claim {claim.id}"):
        result = decide(claim, ENGINES["all"], Certificates(homes=homes))
        if result.counterexample is None:
            raise UsageError(f"{claim.id} has no counterexample to print: it is {result.verdict}.")
        return script(claim, result.counterexample)


def _story(named: Named, format: str, width: int) -> str:
    from scanproof.proofs.decide.row_verdicts import check
    from scanproof.proofs.report import latex, markdown, story
    from scanproof.proofs.report.derivation.rendering import appendix
    from scanproof.proofs.report.progress import progress
    from scanproof.proofs.report.symbols import told

    from ._output import as_json

    row, claim = named.row, named.claim
    with progress("checking") as advance:
        report = check(named.ledger, [row], pinned=named.pinned, progress=advance)
    (record,) = report["claims"]
    statement = next(s for s in (record["as_stated"], *record["amended"]) if s["id"] == claim.id)
    if format == "json":
        return as_json(record if claim is row.claim else statement)
    source = report["sources"][record["source"]]
    written, body = story.written_at(claim), story.body_at(claim)
    room = min(width, story.WIDTH) - len(story.MARGIN)
    with nullcontext() if named.pinned is None else named.pinned.kept(f"claim {claim.id}"):
        symbols = told(claim, statement, format, room)
    found = story.render(
        record,
        statement,
        source,
        written=written,
        body=body,
        files=named.files,
        symbols=symbols,
    )
    derivation = appendix(claim, statement, format)
    if format == "text":
        return story.as_text(found, width) + derivation
    forms = {"markdown": markdown.as_markdown, "latex": latex.as_latex}
    return forms[format](found) + derivation
