"""`scanproof check --lock`, `--locked`: the lock file of the projects that a user's claims belong to."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scanproof.proofs.report.words import few

if TYPE_CHECKING:
    from scanproof.proofs.decide.certificates import Certificates
    from scanproof.proofs.decide.lock import Changes, Entries, Found

    from ._targets import Selection

MOST = 12
"""So many lines say what has changed."""


@dataclass
class Compared:
    """What there is to say of the lock files."""

    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What is wrong with one, or with writing it."""
    blamed: dict[str, str] = field(default_factory=dict)
    """By id, why a claim is not what the lock file says, if that is to count."""


def check_options(lock: bool, locked: bool, offline: bool, engine: str) -> None:
    """Look at options that contradict each other.

    Raises:
        UsageError: if some do.
    """
    from scanproof.constructs.errors import UsageError

    if lock and locked:
        raise UsageError("--lock and --locked: give one of them; the first writes the file.")
    if lock and offline:
        raise UsageError("--offline and --lock: give one of them; the first searches for nothing.")
    if (lock or locked) and engine != "all":
        option = "--lock" if lock else "--locked"
        raise UsageError(
            f"{option} --engine {engine}: the file says what all engines find; leave out --engine."
        )


def compare(
    chosen: Selection,
    report: dict[str, Any],
    given: Certificates,
    lock: bool,
    locked: bool,
) -> Compared:
    """Compare the lock files with what was found, and write them if that is wanted.

    Args:
        chosen: what was asked for.
        report: the report on it.
        given: where certificates lie.
        lock: whether the files are to be written.
        locked: whether it counts if they are not current.

    Raises:
        UsageError: if one of the options is given and no claim is the user's.
    """
    from scanproof.constructs.errors import UsageError
    from scanproof.proofs.decide import lock as locks
    from scanproof.proofs.decide.row_verdicts import homes

    sources = [s for s in chosen.ledger.sources if any(r.claim.id in chosen.own for r in s.rows)]
    result = Compared()
    if not sources:
        if (lock or locked) and not chosen.problems:
            option = "--lock" if lock else "--locked"
            raise UsageError(f"{option}: none of these claims is your own; name a file of claims.")
        return result
    named = {Path(file).resolve() for file in chosen.files}
    given = replace(given, homes=homes(chosen.ledger), read=True)
    for root, now in locks.found(sources, report, given).items():
        path = root / locks.FILE
        for file in list(now.known):  # what a file did not come to say is not gone
            if chosen.problems or root / file not in named:
                del now.known[file]
        if lock or locked or os.path.lexists(path):
            _compare(result, path, now, lock, locked, chosen.files, given)
    return result


def _compare(
    result: Compared,
    path: Path,
    now: Found,
    lock: bool,
    locked: bool,
    files: Sequence[str],
    given: Certificates,
) -> None:
    from scanproof.proofs.decide import lock as locks
    from scanproof.proofs.decide.certificates import Unusable

    shown = os.path.relpath(path)
    again = f"`{shlex.join(['scanproof', 'check', *files, '--lock'])}` writes it anew"
    try:
        before = locks.read(path)
    except Unusable as error:
        before = None
        if lock:
            result.lines.append(f"{shown} is written anew: {error}")
        else:
            result.problems.append(f"{shown}: {error}; nothing of it is used, {again}.")
    else:
        if before is None and locked:
            result.blamed["scanproof.lock"] = f"there is no {shown}"
            result.lines.append(f"there is no {shown}; {again}.")
    if before is not None:
        changes = locks.changes(before, now, path.parent)
        result.lines += _said(changes, shown)
        if locked and not changes.claims:
            result.lines.append(f"{shown} is current.")
        if changes.claims and not lock:
            result.lines.append(f"{shown} is not current; {again}.")
        if locked:
            result.blamed |= {_id(k): f"{shown}: {why}" for k, why in changes.claims.items()}
    if lock:
        entries = locks.updated(before, now, path.parent)
        try:
            written = locks.write(path, entries)
        except OSError as error:
            result.problems.append(f"{shown}: cannot be written: {error.strerror or error}.")
        else:
            _drop(before or {}, entries, path.parent, given)
            if written:
                result.lines.append(f"{shown}: {_counted(before or {}, entries)}")


def _drop(before: Entries, after: Entries, root: Path, given: Certificates) -> None:
    """Remove the certificates of claims that are gone: the very files that the lock file had."""
    from scanproof.proofs.decide.certificates import digest

    def file(key: str) -> Path | None:
        return given.file_of(_id(key), (root / key.partition("::")[0]).parent)

    kept = {file(key) for key in after}
    for key, entry in before.items():
        path = file(key)
        if key in after or path is None or path in kept or entry.certificate is None:
            continue
        if given.folder is None and not path.resolve().is_relative_to(root.resolve()):
            continue
        with suppress(OSError):
            if digest(path) == entry.certificate:
                path.unlink()


def _counted(before: Entries, after: Entries) -> str:
    """How many statements a lock file has, and how many of them are others than before."""
    counts = {
        "new": sum(key not in before for key in after),
        "changed": sum(key in before and before[key] != entry for key, entry in after.items()),
        "gone": sum(key not in after for key in before),
    }
    more = "".join(f", {number} {word}" for word, number in counts.items() if number)
    return f"{len(after)} statement{'s' * (len(after) != 1)}{more}"


def _said(changes: Changes, shown: str) -> list[str]:
    """What has changed, in lines: the names of the project with the claims that reach them, then what else."""
    lines = [
        f"{name} changed since {shown} was written; it reaches {few([_id(key) for key in keys])}"
        for name, keys in changes.names.items()
    ]
    reached = {key for keys in changes.names.values() for key in keys}
    lines += [
        f"{shown}: {_id(key)} {why}"
        for key, why in changes.claims.items()
        if key not in reached or why.startswith("was ")
    ]
    more = len(lines) - MOST
    return lines if more <= 1 else [*lines[:MOST], f"{shown}: and {more} changes more"]


def _id(key: str) -> str:
    return key.partition("::")[2]
