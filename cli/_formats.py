"""The forms in which `scanproof check` writes its report: each is made of the report alone."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scanproof.proofs.report.baseline import Change
    from scanproof.proofs.report.standing import Blame

FORMATS = ("table", "json", "junit", "markdown", "sarif", "github", "summary")
TELL_PROBLEMS = ("sarif", "github", "summary")
"""Those that say what went wrong beside the claims, and are written even where no claim was checked."""


def parse_also(given: Sequence[str]) -> list[tuple[str, Path]]:
    """The formats and files of `--also FORMAT=FILE`.

    Raises:
        UsageError: for anything else, and a file that is named twice.
    """
    from scanproof.constructs.errors import UsageError

    found: list[tuple[str, Path]] = []
    for text in given:
        format, sign, file = text.partition("=")
        if not sign or not file or format not in FORMATS:
            raise UsageError(
                f"--also {text}: give FORMAT=FILE, for example sarif=scanproof.sarif; formats: {', '.join(FORMATS)}."
            )
        if any(path == Path(file) for _, path in found):
            raise UsageError(
                f"--also {text}: {file} is named twice; give each format its own file."
            )
        found.append((format, Path(file)))
    return found


def from_root() -> str:
    """The current folder, named from the root of the repository; "" at the root, and where there is no repository."""
    here = Path.cwd()
    given = os.environ.get("GITHUB_WORKSPACE")
    roots = [Path(given).resolve()] if given else []
    roots += [folder for folder in (here, *here.parents) if (folder / ".git").exists()]
    root = next((root for root in roots if here.is_relative_to(root)), here)
    relative = here.relative_to(root).as_posix()
    return "" if relative == "." else relative


@dataclass(frozen=True)
class Answer:
    """What a check found, and how it stands."""

    report: dict[str, Any]
    blamed: Mapping[str, Blame]
    changes: Mapping[str, Change] | None
    """Against the baseline; None where there is none."""
    problems: Sequence[str]
    """What went wrong beside the claims."""
    own: Collection[str]
    """Ids of the user's claims."""
    files: Sequence[str]
    """The user's files, as they were named."""
    exit_code: int

    def written(self, format: str, *, long: bool = False, colour: bool = False) -> str:
        """The report in one of `FORMATS`; `long` and `colour` are for the table."""
        from ._output import as_json, columns

        report, prefix = self.report, from_root()
        if format in TELL_PROBLEMS:
            return self._for_a_pull_request(format, prefix)
        if format == "json":
            return as_json(report)
        if format == "junit":
            from scanproof.proofs.report.junit import junit

            return junit(report, self.blamed, prefix)
        if format == "markdown":
            from scanproof.proofs.report.markdown import report_table

            return report_table(report)
        if long:
            from scanproof.proofs.report.long_table import long_table

            return long_table(report, files=self.files, colour=colour, width=columns())
        from scanproof.proofs.report.table import table

        return table(
            report,
            self.blamed,
            own=self.own,
            files=self.files,
            colour=colour,
            width=columns(),
        )

    def _for_a_pull_request(self, format: str, prefix: str) -> str:
        from scanproof.proofs.report.findings import findings

        from ._output import as_json

        found = findings(self.report, self.blamed, self.changes)
        compared = self.changes is not None
        if format == "github":
            from scanproof.proofs.report.github import commands

            return commands(found, self.problems, prefix)
        if format == "summary":
            from scanproof.proofs.report.summary import job_summary

            return job_summary(self.report, found, self.problems, prefix, compared=compared)
        from scanproof.proofs.report.sarif import sarif

        log = sarif(
            self.report,
            found,
            self.problems,
            prefix,
            compared=compared,
            exit_code=self.exit_code,
        )
        return as_json(log)
