"""The lock file: by claim, its verdict, a hash of its certificate, and hashes of the project's names that it reaches.

It lies at the root of a project, `scanproof.lock`, and says what was decided of which text, so that a change shows: in
review, and in CI. Nothing in it is believed. Verdicts are computed each time, from certificates that are checked; what
is written here is then compared with them. So a file that was merged badly is made good by writing it anew.

    {
     "format": "scanproof.lock/1",
     "claims": {
      "claims.py::mine.last": {
       "certificate": "9f86d0…",
       "reaches": {
        "claims.py::last_row": "2c26b46b68ffc68f",
        "layers.py::attention": "fcde2b2edba56bf4"
       },
       "scope": "all-sizes",
       "verdict": "proved"
      }
     }
    }
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..kernel.files import Malformed, Unusable, brief, expect, fields_of, json_of
from ..language import expect as expectation
from ..language.source import Source
from .certificates import Certificates
from .files import replace
from .reached import DIGITS, Project

FILE = "scanproof.lock"
FORMAT = "scanproof.lock/1"
PREFIX = "scanproof.lock/"
ROOTS = ("pyproject.toml", ".git", "setup.py", "setup.cfg")
"""What stands in the folder of a project."""
VERDICTS = ("proved", "refuted", "supported", "unknown", "not-checkable")
SCOPES = ("all-sizes", "fixed-size", "sampled", None)
SETTLED = ("proved", "refuted")
HASH = re.compile("[0-9a-f]{64}")
SHORT = re.compile(f"[0-9a-f]{{{DIGITS}}}")
CONFLICT = re.compile(rb"^(<<<<<<<|=======|>>>>>>>)( |$)", re.MULTILINE)


@dataclass(frozen=True)
class Entry:
    """What a lock file says of one statement."""

    certificate: str | None
    """The hash of the file that settles it."""
    reaches: Mapping[str, str]
    """By the names of the project that it is made of, a hash of each."""
    scope: str | None
    verdict: str
    expect: str | None = None
    """The verdict that its author expects; left out of the file where nothing is said."""

    @property
    def words(self) -> str:
        """The verdict as it is printed, with what was expected."""
        fixed = self.verdict == "proved" and self.scope != "all-sizes"
        return expectation.beside(self.expect, "proved at fixed sizes" if fixed else self.verdict)


Entries = Mapping[str, Entry]
"""By "claims.py::mine.last", the claim's file below the project's folder and its id."""


def project_of(file: Path) -> Path:
    """The folder of the project that a file belongs to, in which the lock file lies.

    The nearest above it with a pyproject.toml or the like; where there is none, its own.
    """
    own = file.resolve().parent
    return next((p for p in (own, *own.parents) if any((p / n).exists() for n in ROOTS)), own)


def read(path: Path) -> dict[str, Entry] | None:
    """What the file says; None if there is none.

    Raises:
        Unusable: if it is damaged, or of another version of scanproof; in words.
    """
    if not os.path.lexists(path):
        return None
    try:
        found = json_of(path)
    except Unusable:
        if _in_conflict(path):
            raise Unusable("it holds the conflict markers of a merge") from None
        raise
    form = found.get("format") if type(found) is dict else found
    if form != FORMAT:
        other = type(form) is str and form.startswith(PREFIX)
        by = "; another version of scanproof wrote it" if other else ""
        raise Unusable(f"its format is {brief(form)}, not {FORMAT!r}{by}")
    try:
        _, claims = fields_of(found, "format", "claims")
        expect("an object", type(claims) is dict, claims)
        return {key: _entry(value) for key, value in claims.items()}
    except Malformed as error:
        raise Unusable(str(error)) from error


def _in_conflict(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return bool(CONFLICT.search(file.read(2**25)))
    except OSError:
        return False


def _entry(value: Any) -> Entry:
    names = ["certificate", "reaches", "scope", "verdict"]
    names += ["expect"] if type(value) is dict and "expect" in value else []
    certificate, reaches, scope, verdict, *expected = fields_of(value, *names)
    expect("a hash, or null", certificate is None or _is(HASH, certificate), certificate)
    held = type(reaches) is dict and all(_is(SHORT, digest) for digest in reaches.values())
    expect("an object of hashes", held, reaches)
    expect("a scope", type(scope) in (str, type(None)) and scope in SCOPES, scope)
    expect("a verdict", type(verdict) is str and verdict in VERDICTS, verdict)
    for one in expected:
        held = type(one) is str and one in expectation.ALLOWED
        expect("a verdict that is expected", held, one)
    return Entry(certificate, reaches, scope, verdict, *expected)


def _is(pattern: re.Pattern[str], value: Any) -> bool:
    return type(value) is str and pattern.fullmatch(value) is not None


def written(entries: Entries) -> str:
    """The text of the file: one thing a line, in order, so that it merges well."""
    claims = {key: _fields(entry) for key, entry in sorted(entries.items())}
    text = json.dumps({"claims": claims}, indent=1, sort_keys=True, ensure_ascii=False)
    return f'{{\n "format": {json.dumps(FORMAT)},\n{text[2:]}\n'


def _fields(entry: Entry) -> dict[str, Any]:
    found = asdict(entry)
    return {n: v for n, v in found.items() if n != "expect" or v is not None}


def write(path: Path, entries: Entries) -> bool:
    """Write the file, unless it says that already; whether it was written.

    Raises:
        OSError: if that cannot be done.
    """
    text = written(entries).encode("utf-8", "backslashreplace")
    if path.is_file() and path.stat().st_size == len(text) and path.read_bytes() == text:
        return False
    if path.exists() and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionError(None, "it is write-protected")
    replace(path, text)
    return True


@dataclass
class Found:
    """What would be in a project's lock file now, of the files that were looked at."""

    entries: dict[str, Entry] = field(default_factory=dict)
    known: dict[str, set[str]] = field(default_factory=dict)
    """By the files that were looked at, the keys of all that they say, whether or not it was decided."""

    def is_gone(self, key: str, root: Path) -> bool:
        """Whether a claim that a lock file has is in none of the project's files any more."""
        file = key.partition("::")[0]
        if file in self.known:
            return key not in self.known[file]
        return not (root / file).is_file()


def found(
    sources: Iterable[Source], report: Mapping[str, Any], certificates: Certificates
) -> dict[Path, Found]:
    """By project's folder, what its lock file would say after this report; `certificates` know where those lie."""
    every = [s for claim in report["claims"] for s in (claim["as_stated"], *claim["amended"])]
    statements = {one["id"]: one for one in every}
    projects: dict[Path, Project] = {}
    result: dict[Path, Found] = {}
    for source in sources:
        if source.file is None:
            continue
        root = project_of(source.file)
        project = projects.setdefault(root, Project(root))
        own = result.setdefault(root, Found())
        name = source.file.resolve().relative_to(root).as_posix()
        known = own.known.setdefault(name, set())
        for claim in (c for row in source.rows for c in (row.claim, *row.amendments)):
            key = f"{name}::{claim.id}"
            known.add(key)
            statement = statements.get(claim.id)
            if statement is None or statement["verdict"] not in VERDICTS:
                continue
            digest = certificates.digest(claim) if statement["verdict"] in SETTLED else None
            scope, verdict, expected = map(statement.get, ("scope", "verdict", "expect"))
            own.entries[key] = Entry(digest, project.reached(claim), scope, verdict, expected)
    return result


@dataclass
class Changes:
    """In what a project differs from its lock file."""

    names: dict[str, list[str]] = field(default_factory=dict)
    """By a name of the project whose meaning has changed, the claims that reach it."""
    claims: dict[str, str] = field(default_factory=dict)
    """By claim, in what it differs, in words."""


def changes(locked: Entries, now: Found, root: Path) -> Changes:
    """What has changed since the lock file was written; both by the keys of the file."""
    result = Changes()
    for key, entry in now.entries.items():
        old = locked.get(key)
        if old is None:
            result.claims[key] = "is new"
            continue
        why = [f"was {old.words}, is {entry.words}"] if old.words != entry.words else []
        other = {n for n, d in entry.reaches.items() if old.reaches.get(n, d) != d}
        for name in sorted(other):
            result.names.setdefault(name, []).append(key)
        more = [f"uses {n}" for n in entry.reaches if n not in old.reaches]
        less = [f"no longer uses {n}" for n in old.reaches if n not in entry.reaches]
        why += [f"{name} changed" for name in sorted(other)] or [*more, *less]
        if old.certificate != entry.certificate and not why:
            why = ["has no certificate" if entry.certificate is None else "has another certificate"]
        if why:
            result.claims[key] = ", ".join(why)
    for key in locked:
        if now.is_gone(key, root):
            result.claims[key] = "is gone"
    return result


def updated(locked: Entries | None, now: Found, root: Path) -> dict[str, Entry]:
    """What the lock file is to say: of what was not decided this time, what it said."""
    kept = {key: entry for key, entry in (locked or {}).items() if not now.is_gone(key, root)}
    return {**kept, **now.entries}
