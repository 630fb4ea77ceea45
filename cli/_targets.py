"""From what a user names (ids, patterns, files, modules) to rows."""

from __future__ import annotations

import functools
import importlib.util
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from scanproof.constructs.errors import UsageError, nearest
from scanproof.proofs.decide import ledger as ledgers
from scanproof.proofs.decide.budget import Budget, usual
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.pinned import Definitions, Redefined
from scanproof.proofs.language.source import Row, Source

from . import _providers
from ._folders import claim_files

MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass
class Selection:
    """The rows that were asked for."""

    ledger: ledgers.Ledger
    rows: list[Row]
    own: set[str] = field(default_factory=set)
    """Ids of the rows that come from the user's files and modules."""
    problems: list[str] = field(default_factory=list)
    """What went wrong with single files; the other files are still checked."""
    patterns: list[str] = field(default_factory=list)
    whole: set[str] | None = None
    """Sources whose rows were all asked for; None stands for all sources."""
    source: str | None = None
    files: list[str] = field(default_factory=list)
    """The user's files and modules, as they were named."""
    pinned: Definitions | None = None
    """The package's definitions before the user's files ran; None if there are no such files."""

    def selected(self, id: str, source: str) -> bool:
        """Whether a claim with this id, of this source, was asked for, whether or not it exists now."""
        if self.source is not None and source != self.source:
            return False
        whole = self.whole is None or source in self.whole
        return whole or any(fnmatchcase(id, pattern) for pattern in self.patterns)


def resolve(
    targets: Sequence[str], source: str | None = None, budget: Budget | None = None
) -> Selection:
    """The rows of files and modules, and those that the patterns match.

    A pattern looks through the files named beside it and the built-in rows; a file of which a pattern matches
    something is not taken whole. Without any target, all built-in rows are meant. Reading a file may take the budget,
    which is that of a claim if none is given.

    Raises:
        UsageError: if a target is neither a file, nor matches an id, nor can be imported; or the source is unknown.
    """
    budget = budget or usual()
    problems: list[str] = []
    files: list[Source] = []
    named: list[str] = []
    patterns: list[str] = []
    everything = _providers.sources()
    pinned = functools.cache(ledgers.noted)
    for target in dict.fromkeys(_in_folders(targets, problems)):
        if together := _together("check", target):
            raise UsageError(together)
        if _is_file(target):
            named += [target] * Path(target).is_file()
            read = lambda name: ledgers.from_file(Path(name), pinned(), budget=budget)  # noqa: E731
            _load(read, target, files, problems)
        else:
            patterns.append(target)
    built_in = everything if patterns or not targets else []
    problems += _defined_again([*built_in, *_distinct(files)])
    for pattern in list(patterns):
        known = ledgers.Ledger(_distinct([*files, *built_in]))
        if not _matches(known, pattern) and _importable(pattern, pinned):
            patterns.remove(pattern)
            named.append(pattern)
            read = lambda name: ledgers.from_module(name, pinned(), budget)  # noqa: E731
            _load(read, pattern, files, problems)
    files = [s for s in _distinct(files) if s not in everything]
    ledger = ledgers.Ledger([*files, *built_in])
    own = {row.claim.id for s in files for row in s.rows}
    for pattern in patterns:
        if not _matches(ledger, pattern):
            ids = [claim.id for row in ledger.rows for claim in _claims(row)]
            raise UsageError(_unknown("check", pattern, named, ids))
    picked = {row.claim.id for row in ledger.select(patterns)} if patterns or not targets else set()
    whole = {s.name for s in files if not any(row.claim.id in picked for row in s.rows)}
    rows = [
        row
        for row in ledger.rows
        if row.claim.id in picked or (row.claim.id in own and row.claim.source in whole)
    ]
    if source is not None:
        rows = _of_source(rows, source, ledger, problems)
    return Selection(
        ledger,
        rows,
        own,
        problems,
        patterns,
        whole if targets else None,
        source,
        files=named,
        pinned=pinned() if files else None,
    )


def _is_file(target: str) -> bool:
    return target.endswith(".py") or "/" in target or Path(target).is_file()


def _in_folders(targets: Sequence[str], problems: list[str]) -> list[str]:
    """The targets with claim files in place of folders; a package, which is imported, stays what it is."""
    found: list[str] = []
    for target in targets:
        folder = Path(target)
        if not folder.is_dir() or (MODULE.fullmatch(target) and (folder / "__init__.py").exists()):
            found.append(target)
            continue
        try:
            found += map(str, claim_files(folder))
        except UsageError as error:
            problems.append(str(error))
    return found


def core(source: str | None = None) -> Selection:
    """All rows of `proofs`, or those of a source: what the pages in the repository are made of, with or without JAX.

    Raises:
        UsageError: if the source is unknown.
    """
    chosen = resolve([], source)
    own = {row.claim.id for row in ledgers.built_in().rows}
    chosen.rows = [row for row in chosen.rows if row.claim.id in own]
    return chosen


class Named(NamedTuple):
    """One claim that a command was asked for."""

    ledger: ledgers.Ledger
    row: Row
    id: str
    """The row's, or an amendment's."""
    files: list[str]
    """The user's files and modules, as they were named."""
    pinned: Definitions | None
    """The package's definitions before the files ran; None if there are no files."""

    @property
    def claim(self) -> Claim:
        """The statement with the id."""
        return next(c for c in (self.row.claim, *self.row.amendments) if c.id == self.id)


def one_claim(command: str, targets: Sequence[str]) -> Named:
    """The one claim that the targets name: its id, after the file, folder or module that it is in, if it is the user's.

    Raises:
        UsageError: if they name none, or several; the nearest ids are named. Or if a file cannot be used.
    """
    problems: list[str] = []
    targets = list(dict.fromkeys(_in_folders(targets, problems)))
    if problems:
        raise UsageError(problems[0])
    files = [target for target in targets if _is_file(target)]
    pinned = functools.cache(ledgers.noted)
    own = [s for name in files for s in ledgers.from_file(Path(name), pinned(), budget=usual())]
    built_in = _providers.sources()
    known = {c.id for s in (*own, *built_in) for row in s.rows for c in _claims(row)}
    ids = []
    for target in targets:
        if target not in known and target not in files and _importable(target, pinned):
            own += ledgers.from_module(target, pinned(), usual())
            files.append(target)
        elif target not in files:
            ids.append(target)
    ledger = ledgers.Ledger(_distinct([*own, *built_in]))
    found = {c.id: row for row in ledger.rows[::-1] for c in _claims(row)}
    if len(ids) == 1 and ids[0] in found:
        return Named(ledger, found[ids[0]], ids[0], files, pinned() if files else None)
    raise UsageError(_not_one(command, ids, files, list(found)))


def _claims(row: Row) -> tuple[Claim, ...]:
    return (row.claim, *row.amendments)


def _not_one(command: str, ids: Sequence[str], files: Sequence[str], known: list[str]) -> str:
    """What to say where not one claim is named."""
    listed = shlex.join(["scanproof", "list", *files])
    if not ids:
        return f"{command} {' '.join(files)}: give a claim's id, too; `{listed}` prints those there are."
    if len(ids) > 1:
        return f"{command} {' '.join(ids)}: give one id; `{listed}` prints every id."
    (id,) = ids
    if together := _together(command, id):
        return together
    if re.search(r"[*?[]", id):
        return f"{command} {id}: give one id, not a pattern; `{listed}` prints every id."
    return _unknown(command, id, files, known)


def _together(command: str, target: str) -> str:
    """What to say of a file and an id in one, as pytest and lock files name claims; nothing of what is none."""
    file, _, id = target.partition("::")
    if not id:
        return ""
    return f"{target}: give the file and the id apart: `{shlex.join(['scanproof', command, file, id])}`."


def _unknown(command: str, id: str, files: Sequence[str], known: Sequence[str]) -> str:
    """What to say of an id or pattern that is not known: the nearest, or that its file has to be named."""
    source, dot, _ = id.partition(".")
    if files or not dot or source in {one.partition(".")[0] for one in known}:
        return ledgers.unknown(id, list(known))
    own = shlex.join(["scanproof", command, "FILE.py", id])
    return f"no claim of scanproof's own is {id!r}; give the file that defines it, too: `{own}`."


def _load(load, target: str, files: list[Source], problems: list[str]) -> None:
    built_in = _providers.sources()
    try:
        found = load(target)
        if all(source in built_in for source in found):
            raise UsageError(f"{target} defines no source of its own; write `paper = Source(…)`.")
        files.extend(found)
    except UsageError as error:
        message = str(error)
        problems.append(message if str(Path(target)) in message else f"{target}: {message}")
        files.extend(getattr(error, "sources", ()))


def _defined_again(sources: Sequence[Source]) -> list[str]:
    """Leave out the rows whose id another one has that came before, and say so."""
    found: dict[str, Source] = {}
    problems = []
    for one in sources:
        for row in list(one.rows):
            first = found.setdefault(row.claim.id, one)
            if first is not one:
                one.rows.remove(row)
                problems.append(
                    f"claim {row.claim.id} is defined in two sources, {first.name} and {one.name}; "
                    "ids must be unique: the second is left out."
                )
    return problems


def _distinct(sources: Sequence[Source]) -> list[Source]:
    return [s for i, s in enumerate(sources) if all(s is not earlier for earlier in sources[:i])]


def _matches(ledger: ledgers.Ledger, pattern: str) -> bool:
    try:
        return bool(ledger.select([pattern]))
    except UsageError:
        return False


def _importable(name: str, pinned: Callable[[], Definitions]) -> bool:
    if not MODULE.fullmatch(name):
        return False
    sys.path.insert(0, str(Path.cwd()))
    try:
        with pinned().kept(name):  # the packages that it lies in are imported to find it
            spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        return False
    except Redefined:
        raise
    except Exception:  # a parent package that raises: importing the module will report it
        return True
    finally:
        sys.path.pop(0)
    return spec is not None and spec.origin is not None


def _of_source(
    rows: list[Row], source: str, ledger: ledgers.Ledger, problems: list[str]
) -> list[Row]:
    found = [row for row in rows if row.claim.source == source]
    if found or (problems and not rows):
        return found
    known = dict.fromkeys(s.name for s in (*ledger.sources, *_providers.sources()))
    if source in known:
        raise UsageError(f"--source {source}: none of the claims named belongs to it.")
    raise UsageError(
        f"--source {source}: no such source{nearest(source, known)}; known sources: {', '.join(known)}."
    )
