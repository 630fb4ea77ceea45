"""The claim files in a folder, found as pytest finds tests: by their names, in all folders below."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.claim_files import CLAIM_FILES, is_claim_file

PASSED_OVER = (".*", "*.egg", "__pycache__", "build", "dist", "node_modules", "venv")
"""Folders that are not looked into, as pytest does; nor is a virtual environment, whatever its name."""


def claim_files(folder: Path) -> list[Path]:
    """The claim files in a folder and below it, in the order of their names.

    Raises:
        UsageError: if there is none.
    """
    found: list[Path] = []
    for place, folders, files in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(name for name in folders if _is_looked_into(here / name))
        found += [here / name for name in sorted(files) if is_claim_file(here / name)]
    if not found:
        raise UsageError(
            f"{folder}: no claim file in this folder; claim files are called {', '.join(CLAIM_FILES)} and import "
            "scanproof. `scanproof init` writes one."
        )
    return found


def _is_looked_into(folder: Path) -> bool:
    passed = any(fnmatchcase(folder.name, name) for name in PASSED_OVER)
    return not passed and not (folder / "pyvenv.cfg").exists()
