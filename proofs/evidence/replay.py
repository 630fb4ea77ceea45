"""Recorded proofs: each in a file of its own, written while it is found, and checked again without a search.

A file says which choices the search made. Replaying it runs the definitions again and every rule of the kernel, with
these choices in place of the search; what they come to is compared with the claim's own numbers again. So a file can
only make a proof fail: nothing in it is believed, and its hashes only tell why it fails.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import quote

from ..language.claim import Claim
from ..language.errors import UsageError
from ..reading.canonical import canonical
from ..reading.claims import Reading
from ..search import tape
from . import all_sizes
from .all_sizes import Proof
from .engines import Engines
from .proof_file import File, Recorded, Unusable, read, written
from .verdict import Result, decide

KERNEL_SOURCES = Path(__file__).parent.parent / "kernel"
CHANGED = "the file was changed after it was written: its checksum is another one"
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
    terms: str | None = None
    """The hash of the terms that the definitions produced, once they have."""
    why: str = ""
    """Why there is no proof, where one was to be replayed."""

    def prove(self, claim: Claim) -> Proof | str:
        """A proof for all sizes, or why there is none: replayed, or searched for and saved."""
        if not claim.ranges:
            return all_sizes.prove(claim)
        return self.replayed(claim) if self.folder.replay else self.saved(claim)

    def saved(self, claim: Claim) -> Proof | str:
        recorder = tape.Recorder()
        with tape.using(recorder):
            found = all_sizes.prove(claim, seen=self._see)
        if isinstance(found, Proof):
            axioms = sorted({axiom for entry in found.entries() for axiom in entry["axioms"]})
            record = Recorded(
                claim.id, _least(claim), self.terms or "", _kernel(), axioms, recorder.lines
            )
            path = self.folder.file(claim.id)
            try:
                _replace(path, written(record))
            except OSError as error:
                self.broken = True
                self.said = f"{path}: cannot write the proof there: {error.strerror or error}"
        return found

    def replayed(self, claim: Claim) -> Proof | str:
        found = self._replayed(claim, self.folder.file(claim.id))
        self.why = found if isinstance(found, str) else ""
        return found

    def _replayed(self, claim: Claim, path: Path) -> Proof | str:
        if not path.exists():
            self.said = _MISSING
            return f"for all sizes {_MISSING}"
        try:
            file = read(path, claim.id)
        except Unusable as error:
            return self._refused(path, error.line, str(error))
        player = tape.Player(file.record.tape)
        try:
            player.check()
        except tape.TapeError as error:
            return self._refused(path, file.line(error.line), str(error))
        found, at = self._played(claim, player)
        if isinstance(found, str):
            return self._failed(path, file, file.line(at), found)
        if not file.is_whole:
            return self._refused(path, file.line_of("checksum"), CHANGED)
        if (self.terms, _least(claim)) != (file.record.terms, file.record.sizes):
            self.stale = True
            self.said = f"{path}: the definitions have changed; the proof still goes through"
        return found

    def _played(self, claim: Claim, player: tape.Player) -> tuple[Proof | str, int]:
        """The proof, or why it fails and on which line of the tape."""
        try:
            with tape.using(player):
                found = all_sizes.prove(claim, seen=self._see)
            if isinstance(found, Proof):
                player.finish()
        except tape.TapeError as error:
            return str(error), error.line
        except Exception as error:
            # A claim's body is foreign code, which may stumble over what a file makes of its arrays.
            found = f"{type(error).__name__}: {error}"
        return found, max(player.at - 1, 0)

    def _failed(self, path: Path, file: File, line: int, why: str) -> str:
        if not file.is_whole:
            return self._refused(path, line, why)
        what = (
            "the definitions" if file.record.kernel == _kernel() else "the kernel, or definitions,"
        )
        self.stale = True
        self.said = f"{path}:{line}: {what} have changed: {_short(why)}"
        return f"for all sizes the recorded proof is stale: {_short(why)}"

    def _refused(self, path: Path, line: int, why: str) -> str:
        self.broken = True
        self.said = f"{path}:{line}: {_short(why)}; this proof is not used"
        return f"for all sizes the recorded proof is refused: line {line}: {_short(why)}"

    def _see(self, reading: Reading) -> None:
        self.terms = hashlib.sha256(canonical(reading).encode()).hexdigest()


def _least(claim: Claim) -> dict[str, int]:
    """From which value on each size was any whole number."""
    return {name: min(values) for name, values in claim.ranges.items()}


def _kernel() -> str:
    """A hash of the kernel's sources."""
    found = hashlib.sha256()
    for path in sorted(KERNEL_SOURCES.glob("*.py")):
        found.update(path.name.encode() + b"\n" + path.read_bytes())
    return found.hexdigest()


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
