"""`scanproof check`: the verdict on every claim asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scanproof.proofs.language.engines import ENGINES

from ._formats import FORMATS, TELL_PROBLEMS
from ._options import MemoryLimit, SourceName, Targets, TimeLimit, choice, count, flag, option

if TYPE_CHECKING:
    from scanproof.proofs.decide.certificates import CertificateNotes, Certificates

    from ._formats import Answer
    from ._targets import Selection

DERIVATIONS = 50
"""So many of the changed verdicts get a derivation in SARIF."""
LONGEST = 30.0
"""Seconds that writing one may take."""


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
    option(
        "FILE",
        "A former JSON report: what is refuted there is forgiven; exit 1 if a claim is worse than there.",
    ),
]
Format = Annotated[
    str,
    choice(
        "--format",
        FORMATS,
        "How the report is written; sarif, github and summary say what changed against --baseline.",
    ),
]
Also = Annotated[
    list[str] | None,
    typer.Option(
        "--also",
        metavar="FORMAT=FILE",
        show_default=False,
        help="Write the report in another format as well; may be given several times.",
    ),
]
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
Lock = Annotated[
    bool,
    flag("--lock", "The same, and write scanproof.lock: verdicts, and hashes of what they are of."),
]
Locked = Annotated[
    bool, flag("--locked", "Exit 1 if scanproof.lock is not what --lock would write.")
]
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


def check(
    targets: Targets = None,
    source: SourceName = None,
    engine: Engine = "all",
    strict: Strict = False,
    baseline: Baseline = None,
    format: Format = "table",
    long: Long = False,
    output: Output = None,
    also: Also = None,
    jobs: Jobs = None,
    certificates: CertificatesFolder = None,
    save: Save = False,
    lock: Lock = False,
    locked: Locked = False,
    from_scratch: FromScratch = False,
    offline: Offline = False,
    time_limit: TimeLimit = 300,
    memory_limit: MemoryLimit = None,
) -> None:
    """Check claims, the sources' or your own."""
    from scanproof.proofs.decide import budget
    from scanproof.proofs.decide import row_verdicts as checking
    from scanproof.proofs.decide.certificates import CertificateNotes
    from scanproof.proofs.report import baseline as former_reports
    from scanproof.proofs.report.progress import progress
    from scanproof.proofs.report.standing import ERROR, blames, exit_code

    from . import _lock, _providers
    from ._formats import Answer, parse_also
    from ._output import Destination, quiet_stdout, say
    from ._targets import resolve

    _expect_table(long, format)
    _lock.check_options(lock, locked, offline, engine)
    seconds = budget.seconds("--time-limit", time_limit)
    reading = budget.Budget(seconds, budget.memory("--memory-limit", memory_limit))
    destination = Destination(output)
    more = [(name, Destination(file, f"--also {name}")) for name, file in parse_also(also or [])]
    former = former_reports.read(baseline) if baseline is not None else None
    with quiet_stdout():
        chosen = resolve(targets or [], source, reading)
        given = _certificates(certificates, save or lock, from_scratch, offline, engine)
        notes = CertificateNotes()
        with progress("checking") as advance:
            report = checking.check(
                chosen.ledger,
                chosen.rows,
                engine=engine,
                jobs=jobs,
                time_limit=time_limit,
                memory_limit=memory_limit,
                certificates=given,
                notes=notes,
                pinned=chosen.pinned,
                progress=advance,
            )
    compared = _lock.compare(chosen, report, given, lock, locked)
    changes = None if former is None else former_reports.changes(former, report, chosen.selected)
    worse = former_reports.worse(changes or {})
    against = {**compared.blamed, **worse}
    blamed = blames(report, own=chosen.own, strict=strict, worse=against, changed=changes)
    problems = [*chosen.problems, *_of_certificates(notes, save or lock), *compared.problems]
    code = ERROR if problems else exit_code(blamed)
    answer = Answer(report, blamed, changes, problems, chosen.own, chosen.files, code)
    if "sarif" in (format, *(name for name, _ in more)) and not offline:
        _derive(chosen, answer, min(time_limit, LONGEST), jobs)
    if chosen.rows or format in TELL_PROBLEMS:
        destination.write(answer.written(format, long=long, colour=destination.colour))
    for name, place in more:
        place.write(answer.written(name))
    changed = [f"{id} is worse than in {baseline}: {change}" for id, change in worse.items()]
    broken = [f"{id}: {blame.why}" for id, blame in blamed.items() if blame.code == ERROR]
    left_out = [] if targets else filter(None, [_providers.left_out()])
    for line in (*changed, *broken, *left_out, *compared.lines, *problems):
        say(line)
    raise typer.Exit(code)


def _expect_table(long: bool, format: str) -> None:
    from scanproof.constructs.errors import UsageError

    if long and format != "table":
        raise UsageError(f"--long --format {format}: --long is for the table; leave one out.")


def _derive(chosen: Selection, answer: Answer, seconds: float, jobs: int | None) -> None:
    """Look for the derivations that SARIF has of what is blamed, or has changed."""
    from scanproof.proofs.report.derivation.rendering import tell

    from ._output import quiet_stdout

    ids = list(answer.blamed if answer.changes is None else answer.changes)[:DERIVATIONS]
    with quiet_stdout():
        tell(chosen.rows, answer.report, ids, seconds=seconds, jobs=jobs)


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
    from scanproof.proofs.report.words import few

    from ._output import say

    for id, why in notes.stale.items():
        say(f"{id} is stale: {why}")
    for id, why in notes.replaced.items():
        say(f"{id}: {why}")
    if notes.stale and not save:
        say("`scanproof check --save` finds stale certificates anew and writes them.")
    if notes.missing:
        say(
            f"there is no certificate of {few(sorted(notes.missing))}, and nothing was searched for."
        )
    return [f"{id}: {why}" for id, why in notes.broken.items()]
