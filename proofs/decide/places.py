"""Where statements and definitions lie, as a reader's editor opens them: paths from the current folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..language.place import Place


def written(place: Place | None) -> str | None:
    """File and line: from the current folder; of the package's own claims within the package."""
    if place is None:
        return None
    if place.module.startswith("scanproof."):
        parts = Path(place.file).parts[-place.module.count(".") :]
        return f"{'/'.join(parts)}:{place.line}"
    return f"{_from_here(place.file)}:{place.line}"


def files(claims: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The paths of files that definitions name without their folder; none of a name that several loaded files have."""
    statements = [s for claim in claims for s in (claim["as_stated"], *claim["amended"])]
    named = {text.rpartition(":")[0] for s in statements for text in s["definitions"]}
    loaded: dict[str, set[str]] = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.basename(file) in named:
            loaded.setdefault(os.path.basename(file), set()).add(_from_here(file))
    return {name: paths.pop() for name, paths in sorted(loaded.items()) if len(paths) == 1}


def _from_here(file: str) -> str:
    try:
        return Path(os.path.relpath(file)).as_posix()
    except ValueError:  # on another drive
        return Path(file).as_posix()
