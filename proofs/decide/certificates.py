"""Where certificates lie: each claim's in a file of its own, in a folder beside the claims or one that is named.

What lies in a repository is never believed. A file can only spare a search: what it says is checked as what was just
found is, and where it does not settle its claim the claim is searched again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

from scanproof.constructs.errors import UsageError

from ..check import certificate_file
from ..check.certificate import Argument, Refutation
from ..check.result import Result
from ..kernel.files import LIMIT, Unusable
from ..language.claim import Claim
from .files import replace, try_beside

LONGEST = 150
"""The longest file name that an id is spelled out in."""
FOLDER = "certificates"
"""The folder beside a file of claims."""


@dataclass(frozen=True)
class Certificates:
    """Folders of certificates, and what is done with them."""

    folder: Path | None = None
    """Where all are; if none is named, each source's are beside it."""
    homes: Mapping[str, Path] = field(default_factory=dict)
    """By claim's id, the folder of the file that defines its source."""
    read: bool = True
    """Whether those that are there are checked, before anything is searched for."""
    write: bool = False
    """Whether what is found is written."""
    search: bool = True
    """Whether a claim without a certificate that settles it is searched."""

    def file(self, claim: Claim) -> Path | None:
        """The file of a claim's certificate, which need not exist; None where no folder is known."""
        return self.file_of(claim.id, self.homes.get(claim.id))

    def file_of(self, id: str, home: Path | None) -> Path | None:
        """The same of a claim's id, whose file of claims lies in the folder `home`."""
        folder = self.folder or (home and home / FOLDER)
        if folder is None:
            return None
        name = quote(id, safe="+")
        if len(name) > LONGEST:
            name = f"{name[:LONGEST]}-{hashlib.sha256(id.encode()).hexdigest()[:16]}"
        return folder / f"{name}.json"

    def load(self, claim: Claim) -> Refutation | Argument | None:
        """The certificate that is there, if there is one.

        Raises:
            Unusable: if the file is none of this claim's.
        """
        path = self.file(claim) if self.read else None
        if path is None or not os.path.lexists(path):
            return None
        return certificate_file.read(path, claim.id)

    def save(self, claim: Claim, certificate: Refutation | Argument) -> None:
        """Write what settles the claim.

        Raises:
            OSError: if that cannot be done.
        """
        path = self.file(claim)
        if path is None:
            raise OSError("the folder of its file is not known")
        _make(path.parent)
        text = certificate_file.written(certificate).encode()
        with suppress(OSError):
            if _bytes(path) == text:
                return
        replace(path, text)

    def digest(self, claim: Claim) -> str | None:
        """The hash of a claim's certificate; None where there is none that can be read."""
        path = self.file(claim) if self.read else None
        try:
            return None if path is None else digest(path)
        except OSError:
            return None


@dataclass
class CertificateNotes:
    """What is to be said of the files, gathered from the results."""

    broken: dict[str, str] = field(default_factory=dict)
    """By id, what is wrong with a file, or why it could not be written."""
    stale: dict[str, str] = field(default_factory=dict)
    """By id, why a certificate is stale."""
    replaced: dict[str, str] = field(default_factory=dict)
    """By id, what was wrong with a certificate that was found anew and written."""
    missing: list[str] = field(default_factory=list)
    """The ids that have none, where nothing was searched for."""

    def add(self, id: str, result: Result) -> None:
        """Take note of what one result says of its certificate."""
        if result.recorded == MISSING:
            self.missing.append(id)
        elif result.recorded.startswith(REPLACED):
            self.replaced[id] = result.recorded
        elif result.recorded:
            (self.stale if result.stale else self.broken)[id] = result.recorded


MISSING = "it has no certificate"
REPLACED = "replaced: "


def digest(path: Path) -> str:
    """The hash of a certificate's file, as a lock file has it.

    Raises:
        OSError: if it is not a file, or larger than any certificate.
    """
    return hashlib.sha256(_bytes(path)).hexdigest()


def writable(path: Path) -> Path:
    """The folder, made if there is none.

    Raises:
        UsageError: if nothing can be written there.
    """
    try:
        _make(path)
        try_beside(path / "any.json")
    except OSError as error:
        why = error.strerror or error
        raise UsageError(
            f"certificates {path}: cannot write there: {why}; name a folder that can be written to."
        ) from error
    return path


def _make(folder: Path) -> None:
    """Make the folder, if there is none.

    Raises:
        OSError: if that cannot be done.
    """
    if folder.exists() and not folder.is_dir():
        why = (
            f"{folder.name} is a file; move it away, or name another folder with --certificates DIR"
        )
        raise NotADirectoryError(None, why)
    folder.mkdir(parents=True, exist_ok=True)


def _bytes(path: Path) -> bytes:
    """What a file holds that may be a certificate.

    Raises:
        OSError: if it is not a file, or larger than any certificate.
    """
    if not path.is_file() or path.stat().st_size > LIMIT:
        raise OSError("no file, or too large")
    return path.read_bytes()


__all__ = [
    "FOLDER",
    "MISSING",
    "REPLACED",
    "CertificateNotes",
    "Certificates",
    "Unusable",
    "digest",
    "writable",
]
