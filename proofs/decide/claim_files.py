"""Which files are claim files: by their names, as pytest knows tests, and because they import scanproof."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

CLAIM_FILES = ("claims.py", "*_claims.py", "claims_*.py")
"""The names that claim files have where none is given."""
_IMPORTS = re.compile(rb"^[ \t]*(?:from|import)[ \t][^\n]*\bscanproof\b", re.MULTILINE)


def is_claim_file(path: Path, names: Sequence[str] = CLAIM_FILES) -> bool:
    """Whether a file has one of these names and imports scanproof: others may be called claims.py, and are not run."""
    return any(fnmatchcase(path.name, name) for name in names) and imports_scanproof(path)


def imports_scanproof(path: Path) -> bool:
    """Whether a Python file's text has an import of scanproof; nothing of it is run."""
    try:
        return path.suffix == ".py" and bool(_IMPORTS.search(path.read_bytes()))
    except OSError:
        return False
