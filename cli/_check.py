"""`scanproof check`: the verdict on every claim asked for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ._options import SourceName, Targets, one_of

if TYPE_CHECKING:
    from scanproof.proofs.decide.folder import Folder

ENGINES = ("all", "sympy", "flint", "kernel")
FORMATS = ("table", "json", "junit", "markdown")


def check(
    targets: Targets = None,
    source: SourceName = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="|".join(ENGINES),
            help="Which exact engine decides equations (kernel: a draft, for all sizes).",
        ),
    ] = "all",
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Exit 2 if a claim is unknown, or refuted without a proved amendment."
        ),
    ] = False,
    baseline: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A former JSON report; exit 1 if a claim is worse than there."
        ),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", metavar="|".join(FORMATS), help="How the report is written.")
    ] = "table",
    output: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the report there instead of to the terminal."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(metavar="N", help="Processes; as many as there are processors by default."),
    ] = None,
    save_proofs: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write each proof for all sizes to a file there."),
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Check the proofs recorded there again, without a search.",
        ),
    ] = None,
    cache: Annotated[
        bool | None,
        typer.Option(
            "--cache/--no-cache",
            show_default=False,
            help="Whether what was checked before and did not change is remembered. [default: yes, unless CI is set]",
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", help="Seconds that one claim may take; then it is unknown."
        ),
    ] = 300,
) -> None:
    """Check claims, the sources' or your own."""
    one_of("--engine", engine, ENGINES)
    one_of("--format", format, FORMATS)

    from scanproof.proofs.decide import cache as caches
    from scanproof.proofs.decide import rows as checking
    from scanproof.proofs.language.errors import UsageError
    from scanproof.proofs.report import baseline as former_reports
    from scanproof.proofs.report.standing import ERROR, blames, exit_code

    from . import _providers
    from ._output import Destination, quiet_stdout, say
    from ._progress import progress
    from ._targets import resolve

    if jobs is not None and jobs < 1:
        raise UsageError(f"--jobs {jobs}: give a whole number of processes, at least 1.")
    if save_proofs is not None and replay is not None:
        raise UsageError("--save-proofs and --replay: give one of them.")
    destination = Destination(output)
    former = former_reports.read(baseline) if baseline is not None else None
    with quiet_stdout():
        chosen = resolve(targets or [], source)
        proofs = _proofs(save_proofs, replay)
        remembered = caches.opened(cache)
        with progress("checking") as tell:
            report = checking.check(
                chosen.ledger,
                chosen.rows,
                engine=engine,
                jobs=jobs,
                time_limit=time_limit,
                proofs=proofs,
                cache=remembered,
                progress=tell,
            )
    worse = former_reports.worse(former, report, chosen.selected) if former is not None else {}
    blamed = blames(report, own=chosen.own, strict=strict, worse=worse)
    if chosen.rows:
        destination.write(_rendered(report, format, blamed, destination.colour))
    for id, change in worse.items():
        say(f"{id} is worse than in {baseline}: {change}")
    for id, blame in blamed.items():
        if blame.code == ERROR:
            say(f"{id}: {blame.why}")
    _providers.note(say, everything=not targets)
    problems = [*chosen.problems, *(_of_proofs(proofs) if proofs is not None else ())]
    for problem in problems:
        say(problem)
    raise typer.Exit(ERROR if problems else exit_code(blamed))


def _proofs(save: Path | None, replay: Path | None) -> Folder | None:
    from scanproof.proofs.decide.folder import replaying, saving

    if save is not None:
        return saving(save)
    return None if replay is None else replaying(replay)


def _of_proofs(proofs: Folder) -> list[str]:
    """Say what became of recorded proofs; what is wrong with their files is returned."""
    from ._output import say

    for id, why in proofs.stale.items():
        say(f"{id} is stale: {why}")
    if proofs.missing:
        few = ", ".join(sorted(proofs.missing)[:3])
        more = f" and {len(proofs.missing) - 3} more" if len(proofs.missing) > 3 else ""
        say(f"{proofs.path} has no proof of {few}{more}: checked at fixed sizes only.")
    return [f"{id}: {why}" for id, why in proofs.problems.items()]


def _rendered(report: dict, format: str, blamed: dict, colour: bool) -> str:
    if format == "json":
        import json

        return json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    if format == "junit":
        from scanproof.proofs.report.junit import junit

        return junit(report, blamed)
    if format == "markdown":
        from scanproof.proofs.report.markdown import report_table

        return report_table(report)
    from scanproof.proofs.report.table import table

    from ._output import columns

    return table(report, colour=colour, width=columns())
