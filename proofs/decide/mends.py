"""Mends: a small edit of a user's own text with which a refuted claim is proved.

Edits that seem to help are found as near misses are. Each is then read as a user would have it: the files are loaded
anew, one of them with the edit, and the claim in them is decided like any other. What is not proved so is not told.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..exact.engines import Engines
from ..interpret.questions import shown
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..language.source import Source
from ..refute.near_misses import own_near_misses
from ..refute.own_text import OwnEdit, is_own_module
from . import ledger
from .budget import Budget, Stopped, stopping
from .verdict import decide

TIME_LIMIT = 60.0
"""Seconds that the search for one claim's mends may take."""
EDIT_LIMIT = 4.0
"""Seconds in which a claim with an edit is evaluated at a few sizes: usually some hundredths."""


def mends(claim: Claim, fails: Sizes, engines: Engines) -> list[dict[str, Any]]:
    """The edits with which a claim is proved that fails at some sizes, as the report has them.

    This is for a process of its own: its modules change.
    """
    home = _home(claim)
    if home is None or claim.body is None:
        return []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        found = own_near_misses(claim, fails, _in_time)
        return [mend for edit in found if (mend := _proved(claim, home, edit, engines))]


@contextlib.contextmanager
def _in_time() -> Iterator[None]:
    """A block that an edit may have made endless.

    Raises:
        TimeoutError: if it is not over in time.
    """
    try:
        with stopping(Budget(EDIT_LIMIT)):
            yield
    except Stopped:
        raise TimeoutError from None


def _proved(claim: Claim, home: str, edit: OwnEdit, engines: Engines) -> dict[str, Any] | None:
    """What the report has of an edit, if the claim is proved when it is read with it."""
    mended = _with_edit(claim.id, home, edit)
    if mended is None:
        return None
    result = decide(mended, engines)
    if result.verdict != "proved":
        return None
    return {
        "file": str(shown(edit.file)),
        "line": edit.line,
        "before": edit.before,
        "after": edit.after,
        "verdict": result.verdict,
        "scope": result.scope,
    }


def _home(claim: Claim) -> str | None:
    """The name of the user's module that the claim is found in."""
    files_first = sorted(sys.modules.items(), key=lambda one: not one[0].startswith(ledger.PREFIX))
    for name, module in files_first:
        own = is_own_module(module)
        if own and any(c is claim for c in _claims(ledger.sources_in(module))):
            return name
    return None


def _claims(sources: Sequence[Source]) -> list[Claim]:
    return [c for s in sources for row in s.rows for c in (row.claim, *row.amendments)]


def _with_edit(id: str, home: str, edit: OwnEdit) -> Claim | None:
    """The claim of this id, from files that are loaded anew, one of them with an edit."""
    file = str(sys.modules[home].__file__)
    text = edit.text if Path(file).resolve() == Path(edit.file).resolve() else None
    with _loaded_anew(edit):
        try:
            if home.startswith(ledger.PREFIX):
                sources = ledger.from_file(Path(file), text=text)
            else:
                sources = ledger.from_module(home)
        except Exception:  # the edited file is foreign code
            return None
    return next((claim for claim in _claims(sources) if claim.id == id), None)


@contextlib.contextmanager
def _loaded_anew(edit: OwnEdit) -> Iterator[None]:
    """The user's modules are imported anew in this block, and put back at its end."""
    own = {name: module for name, module in sys.modules.items() if is_own_module(module)}
    finder = _Finder(edit)
    for name in own:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path[:] = [one for one in sys.meta_path if one is not finder]
        for name in [name for name, module in sys.modules.items() if is_own_module(module)]:
            del sys.modules[name]
        sys.modules.update(own)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the module of a file that is edited, and gives it the edited text."""

    def __init__(self, edit: OwnEdit) -> None:
        self._file = Path(edit.file).resolve()
        self._text = edit.text

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or not spec.origin or Path(spec.origin).resolve() != self._file:
            return None
        loader = ledger.AsItStands(name, spec.origin, self._text)
        return importlib.util.spec_from_file_location(name, spec.origin, loader=loader)
