"""Folders of certificates: each claim's in a file of its own, written when it is found, and checked without a search.

Checking reads the claim again, which must give the problem that stands in the file, and the kernel then does every
step that the file names. So a file can only make a proof fail: nothing in it is believed.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from ..check import all_sizes
from ..check.all_sizes import Proof, Stale
from ..check.certificate_file import read, written
from ..exact.engines import Engines
from ..kernel.files import Unusable
from ..language.claim import Claim
from ..language.errors import UsageError
from .verdict import Result, decide

LONGEST = 150
"""The longest file name that an id is spelled out in."""


@dataclass
class Folder:
    """Where recorded proofs are, to be written or to be replayed."""

    path: Path
    replay: bool
    problems: dict[str, str] = field(default_factory=dict)
    """By id, what is wrong with a file, or why it could not be written."""
    stale: dict[str, str] = field(default_factory=dict)
    """By id, why a recorded proof is stale."""
    missing: list[str] = field(default_factory=list)
    """The ids that hold at fixed sizes and have no file."""

    def decide(self, claim: Claim, engines: Engines) -> Result:
        """The verdict, with this folder's proofs in place of the kernel's search, or with what it finds recorded."""
        outcome = _Outcome(self)
        result = decide(claim, engines, outcome.prove)
        if outcome.why and not engines.fixed:
            # Where a file fails early no definition has run, which would be an error elsewhere.
            result = replace(result, verdict="unknown", reason=outcome.why)
        return replace(result, stale=outcome.stale, recorded=outcome.said, broken=outcome.broken)

    def hear(self, id: str, result: Result) -> None:
        """Note what was said of a proof file; `decide` may have run in another process."""
        if result.broken:
            self.problems[id] = result.recorded
        elif result.stale:
            self.stale[id] = result.recorded
        elif result.recorded == _MISSING and result.verdict == "proved":
            self.missing.append(id)

    def file(self, id: str) -> Path:
        name = quote(id, safe="+")
        if len(name) > LONGEST:
            name = f"{name[:LONGEST]}-{hashlib.sha256(id.encode()).hexdigest()[:16]}"
        return self.path / f"{name}.json"


def saving(path: Path) -> Folder:
    """A folder to write proofs to; it is made if there is none.

    Raises:
        UsageError: if nothing can be written there.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        probe = path / f".scanproof-{os.getpid()}.part"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        why = error.strerror or error
        raise UsageError(
            f"--save-proofs {path}: cannot write there: {why}; name a folder."
        ) from error
    return Folder(path, replay=False)


def replaying(path: Path) -> Folder:
    """A folder whose proofs are to be replayed.

    Raises:
        UsageError: if it is no folder.
    """
    if not path.is_dir():
        raise UsageError(
            f"--replay {path}: no such folder; give one that `scanproof check --save-proofs` wrote."
        )
    return Folder(path, replay=True)


_MISSING = "no proof is recorded"


@dataclass
class _Outcome:
    """What is to be said of one claim's file."""

    folder: Folder
    said: str = ""
    stale: bool = False
    broken: bool = False
    why: str = ""
    """Why there is no proof, where one was to be replayed."""

    def prove(self, claim: Claim) -> Proof | str:
        """A proof for all sizes, or why there is none: checked as it was written, or searched for and saved."""
        if not claim.ranges:
            return all_sizes.NO_SIZES
        return self.checked(claim) if self.folder.replay else self.saved(claim)

    def saved(self, claim: Claim) -> Proof | str:
        found = all_sizes.find(claim)
        if isinstance(found, str):
            return found
        path = self.folder.file(claim.id)
        try:
            _replace(path, written(claim.id, found.certificate))
        except OSError as error:
            self.broken = True
            self.said = f"{path}: cannot write the proof there: {error.strerror or error}"
        return all_sizes.check(claim, found.certificate)

    def checked(self, claim: Claim) -> Proof | str:
        found = self._checked(claim, self.folder.file(claim.id))
        self.why = found if isinstance(found, str) else ""
        return found

    def _checked(self, claim: Claim, path: Path) -> Proof | str:
        if not path.exists():
            self.said = _MISSING
            return f"for all sizes {_MISSING}"
        try:
            found = all_sizes.check(claim, read(path, claim.id))
        except Unusable as error:
            self.broken = True
            self.said = f"{path}: {_short(str(error))}; this proof is not used"
            return f"for all sizes the recorded proof is refused: {_short(str(error))}"
        if isinstance(found, str):
            self.stale = isinstance(found, Stale)
            self.broken = not self.stale
            self.said = f"{path}: {_short(found)}; this proof is not used"
        return found


def _replace(path: Path, text: str) -> None:
    """Write a file in one step: the old one stays until the new one is whole."""
    temporary = path.with_name(f".{path.name[:LONGEST]}-{os.getpid()}.part")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _short(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:199]}…"
