"""`scanproof check`: the verdict on every claim asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scanproof.proofs.language.engines import ENGINES

from ._options import SourceName, Targets, choice, count, flag, option

if TYPE_CHECKING:
    from scanproof.proofs.decide.certificates import CertificateNotes, Certificates

FORMATS = ("table", "json", "junit", "markdown")

Engine = Annotated[
    str,
    choice(
        "--engine",
        ENGINES,
        "Which exact engine decides equations; kernel: proofs for all sizes alone.",
    ),
]
Strict = Annotated[
    bool,
    flag("--strict", "Exit 2 if a claim is unknown, or refuted without a proved amendment."),
]
Baseline = Annotated[
    Path | None,
    option("FILE", "A former JSON report; exit 1 if a claim is worse than there."),
]
Format = Annotated[str, choice("--format", FORMATS, "How the report is written.")]
Long = Annotated[
    bool,
    flag(
        "--long", "A table with a line for each amendment that is decided, and nothing cut short."
    ),
]
Output = Annotated[
    Path | None,
    option("FILE", "Write the report there instead of to the terminal."),
]
Jobs = Annotated[
    int | None,
    count("--jobs", "N", "Processes; as many as there are processors by default."),
]
CertificatesFolder = Annotated[
    Path | None,
    option(
        "DIR",
        "Where certificates lie. [default: in a folder certificates beside the file of the claims]",
    ),
]
Save = Annotated[bool, flag("--save", "Write what is found as certificates.")]
FromScratch = Annotated[
    bool,
    flag("--from-scratch", "Search for everything; look at no certificate."),
]
Offline = Annotated[
    bool,
    flag(
        "--offline", "Search for nothing: a claim whose certificate does not settle it is unknown."
    ),
]
SaveProofs = Annotated[Path | None, typer.Option(metavar="DIR", hidden=True)]
Replay = Annotated[Path | None, typer.Option(metavar="DIR", hidden=True)]
Cache = Annotated[
    bool | None,
    typer.Option(
        "--cache/--no-cache",
        show_default=False,
        help="Whether what was checked before and did not change is remembered. [default: yes, unless CI is set]",
    ),
]
TimeLimit = Annotated[
    float,
    option("SECONDS", "Seconds that one claim may take; then it is unknown."),
]


def check(
    targets: Targets = None,
    source: SourceName = None,
    engine: Engine = "all",
    strict: Strict = False,
    baseline: Baseline = None,
    format: Format = "table",
    long: Long = False,
    output: Output = None,
    jobs: Jobs = None,
    certificates: CertificatesFolder = None,
    save: Save = False,
    from_scratch: FromScratch = False,
    offline: Offline = False,
    save_proofs: SaveProofs = None,
    replay: Replay = None,
    cache: Cache = None,
    time_limit: TimeLimit = 300,
) -> None:
    """Check claims, the sources' or your own."""
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.decide import cache as caches
    from scanproof.proofs.decide import row_verdicts as checking
    from scanproof.proofs.decide.certificates import CertificateNotes
    from scanproof.proofs.report import baseline as former_reports
    from scanproof.proofs.report.progress import progress
    from scanproof.proofs.report.standing import ERROR, blames, exit_code

    from . import _providers
    from ._output import Destination, quiet_stdout, say
    from ._targets import resolve

    if long and format != "table":
        raise UsageError(f"--long --format {format}: --long is for the table; leave one out.")
    if save_proofs is not None:  # former names
        certificates, save, from_scratch = save_proofs, True, True
    if replay is not None:
        certificates, offline = replay, True
    destination = Destination(output)
    former = former_reports.read(baseline) if baseline is not None else None
    with quiet_stdout():
        chosen = resolve(targets or [], source, time_limit)
        given = _certificates(certificates, save, from_scratch, offline, engine)
        remembered = None if from_scratch else caches.opened(cache)
        notes = CertificateNotes()
        with progress("checking") as advance:
            report = checking.check(
                chosen.ledger,
                chosen.rows,
                engine=engine,
                jobs=jobs,
                time_limit=time_limit,
                certificates=given,
                notes=notes,
                cache=remembered,
                pinned=chosen.pinned,
                progress=advance,
            )
    worse = former_reports.worse(former, report, chosen.selected) if former is not None else {}
    blamed = blames(report, own=chosen.own, strict=strict, worse=worse)
    if chosen.rows:
        destination.write(_rendered(report, format, long, blamed, chosen.files, destination.colour))
    for id, change in worse.items():
        say(f"{id} is worse than in {baseline}: {change}")
    for id, blame in blamed.items():
        if blame.code == ERROR:
            say(f"{id}: {blame.why}")
    _providers.note(say, everything=not targets)
    problems = [*chosen.problems, *_of_certificates(notes, save)]
    for problem in problems:
        say(problem)
    raise typer.Exit(ERROR if problems else exit_code(blamed))


def _certificates(
    folder: Path | None, save: bool, from_scratch: bool, offline: bool, engine: str
) -> Certificates:
    """Where certificates lie, and what is done with them.

    Raises:
        UsageError: for options that contradict each other, and a folder that is not there or cannot be written to.
    """
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.decide.certificates import Certificates, writable

    if offline and (save or from_scratch):
        other = "--save" if save else "--from-scratch"
        raise UsageError(
            f"--offline and {other}: give one of them; the first searches for nothing."
        )
    if save and engine != "all":
        raise UsageError(
            f"--save --engine {engine}: certificates are written of what all engines find; leave out --engine."
        )
    if from_scratch and folder is not None and not save:
        raise UsageError(
            "--from-scratch looks at no certificate; give --save to write to the folder."
        )
    if folder is not None and save:
        writable(folder)
    elif folder is not None and not folder.is_dir():
        raise UsageError(
            f"--certificates {folder}: no such folder; give one that `scanproof check --certificates DIR --save` wrote."
        )
    read = not from_scratch and (engine == "all" or folder is not None or offline)
    return Certificates(folder, read=read, write=save, search=not offline)


def _of_certificates(notes: CertificateNotes, save: bool) -> list[str]:
    """Say what became of certificates; what is wrong with their files is returned."""
    from ._output import say

    for id, why in notes.stale.items():
        say(f"{id} is stale: {why}")
    for id, why in notes.replaced.items():
        say(f"{id}: {why}")
    if notes.stale and not save:
        say("`scanproof check --save` finds stale certificates anew and writes them.")
    if notes.missing:
        few = ", ".join(sorted(notes.missing)[:3])
        more = f" and {len(notes.missing) - 3} more" if len(notes.missing) > 3 else ""
        say(f"there is no certificate of {few}{more}, and nothing was searched for.")
    return [f"{id}: {why}" for id, why in notes.broken.items()]


def _rendered(
    report: dict, format: str, long: bool, blamed: dict, files: list[str], colour: bool
) -> str:
    from ._output import as_json, columns

    if format == "json":
        return as_json(report)
    if format == "junit":
        from scanproof.proofs.report.junit import junit

        return junit(report, blamed)
    if format == "markdown":
        from scanproof.proofs.report.markdown import report_table

        return report_table(report)
    if long:
        from scanproof.proofs.report.long_table import long_table

        return long_table(report, files=files, colour=colour, width=columns())
    from scanproof.proofs.report.table import table

    return table(report, blamed, files=files, colour=colour, width=columns())
