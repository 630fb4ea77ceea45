"""The ledger: rows of the built-in sources and of users' files, found by id or pattern."""

from __future__ import annotations

import difflib
import fnmatch
import hashlib
import importlib
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import CodeType, ModuleType

from scanproof.constructs.errors import UsageError, nearest, text_of

from ..interpret.questions import shown
from ..language.importing import reading_in
from ..language.pinned import Definitions, Redefined
from ..language.source import LeftOut, Row, Source, leaving_out
from .budget import Budget, Stopped
from .foreign import foreign

BUILT_IN = (
    "gd_ssm",
    "gril",
    "ssd",
    "ch9",
    "mamba2",
    "linear_attention",
    "delta_net",
    "lanes",
    "rounding",
    "open",
)

PREFIX = "scanproof_claims_"
"""How the names of modules begin that are files of claims."""


class BrokenFile(UsageError):
    """A file that raised while it was read; `sources` hold the claims that it had defined by then."""

    def __init__(self, message: str, sources: list[Source]) -> None:
        super().__init__(message)
        self.sources = sources


class NoClaims(UsageError):
    """A file or module that defines no claim."""


class Ledger:
    """Sources with their rows, in order."""

    def __init__(self, sources: Iterable[Source]) -> None:
        self.sources = list(sources)
        self._rows: dict[str, Row] = {}
        for source in self.sources:
            for row in source.rows:
                if row.claim.id in self._rows:
                    raise UsageError(
                        f"claim {row.claim.id} is defined in two sources; ids must be unique."
                    )
                self._rows[row.claim.id] = row

    @property
    def rows(self) -> list[Row]:
        """All rows, in the order in which they were added."""
        return list(self._rows.values())

    def select(self, patterns: Sequence[str] = (), source: str | None = None) -> list[Row]:
        """The rows whose id matches any pattern (an id, an amendment's id, or a glob), all rows for no pattern.

        Raises:
            UsageError: if a pattern or the source matches nothing; the nearest ids are named.
        """
        rows = self.rows
        if source is not None:
            rows = [row for row in rows if row.claim.source == source]
            if not rows:
                known = ", ".join(s.name for s in self.sources)
                raise UsageError(f"--source {source}: no such source; known sources: {known}.")
        if not patterns:
            return rows
        chosen: dict[str, Row] = {}
        for pattern in patterns:
            matched = [r for r in rows if any(fnmatch.fnmatchcase(i, pattern) for i in _ids(r))]
            if not matched:
                raise UsageError(unknown(pattern, [i for row in rows for i in _ids(row)]))
            chosen.update((row.claim.id, row) for row in matched)
        return [row for row in rows if row.claim.id in chosen]


def _ids(row: Row) -> list[str]:
    return [row.claim.id, *(claim.id for claim in row.amendments)]


def unknown(pattern: str, ids: list[str]) -> str:
    """What to say of an id or pattern that matches none of `ids`: the nearest of them."""
    near = difflib.get_close_matches(pattern, ids, n=4, cutoff=0.4)
    hint = f"; nearest: {', '.join(near)}" if near else ""
    return f"no claim matches {pattern!r}{hint}. `scanproof list` prints every id."


def built_in() -> Ledger:
    """The claims of the four sources, and the house's own."""
    modules = [importlib.import_module(f"scanproof.proofs.claims.{name}") for name in BUILT_IN]
    return Ledger(module.SOURCE for module in modules)


class AsItStands(importlib.machinery.SourceFileLoader):
    """Compiles a file, or a text in its place, each time and leaves no cache beside it.

    Python takes a cached file for current if size and second of the last change agree; a claim that is edited and
    checked within a second would be the former one.
    """

    def __init__(self, name: str, path: str, text: str | None = None) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        text = self.get_data(self.path) if self._text is None else self._text.encode()
        try:
            importlib.util.decode_source(text)
        except UnicodeDecodeError as error:  # which compilers overlook in a comment
            line = text.count(b"\n", 0, error.start) + 1
            said = f"byte {text[error.start]:#x} is no {error.encoding}; save the file so, or declare its encoding"
            raise SyntaxError(said, (self.path, line, None, None)) from None
        return self.source_to_code(text, self.path)


def noted() -> Definitions:
    """The definitions before a user's code runs, which finds all that decides imported.

    What is imported after a user's code may be what that code puts there.
    """
    from ..check import certificate_file  # noqa: F401
    from . import verdict  # noqa: F401

    return Definitions()


def from_file(
    path: Path,
    pinned: Definitions | None = None,
    text: str | None = None,
    budget: Budget | None = None,
) -> list[Source]:
    """The sources that a user's Python file defines at its top level, or would if it held another text.

    Raises:
        BrokenFile: if the file raises, or a claim of it is not one; it has the claims that were defined by then.
        NoClaims: if it defines none.
        UsageError: if the file cannot be read, or replaces definitions of the package.
    """
    if not path.is_file():
        beside = [f.name for f in path.parent.glob("[!.]*") if f.suffix == ".py" or f.is_dir()]
        raise UsageError(
            f"{path}: no such file{nearest(path.name, beside)}; give a Python file that defines a Source with claims."
        )
    name = _module_name(path)
    loader = AsItStands(name, str(path), text)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None or spec.loader is None or path.suffix != ".py":
        raise UsageError(f"{path}: not a Python file; its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    wrong: LeftOut = []
    try:
        with (
            reading_in(path.resolve().parent),
            (pinned or noted()).kept(str(path)),
            foreign(str(path), budget),
            leaving_out() as wrong,
        ):
            spec.loader.exec_module(module)
    except (KeyboardInterrupt, Redefined):
        raise
    except BaseException as error:
        raise BrokenFile(_complaint(error, path), sources_in(module)) from error
    if wrong:
        places = [f"{shown(at.file)} line {at.line}: " if at else "" for _, at in wrong]
        said = [f"{place}{error}" for place, (error, _) in zip(places, wrong, strict=True)]
        raise BrokenFile("; ".join(said), sources_in(module))
    return sources_of(module, str(path))


def _complaint(error: BaseException, path: Path) -> str:
    from .complaints import nearest_name

    raised, text = _raised(error)
    if isinstance(error, SyntaxError) and _is_file(error.filename, path):
        text = error.msg  # the line is said before it
    return f"{path}{_line(error, path)}{raised}: {text}{nearest_name(error, path.parent)}"


def _raised(error: BaseException) -> tuple[str, str]:
    """That reading raised it, and its words."""
    if isinstance(error, Stopped) and error.hit is not None:
        return "", error.hit.of_file()
    raised = "" if isinstance(error, UsageError) else f" raised {type(error).__name__}"
    return raised, text_of(error)


def _is_file(name: str | None, path: Path) -> bool:
    return name is not None and Path(name).resolve() == path.resolve()


def _module_name(path: Path) -> str:
    """The name of a claim file as a module, which no other file has."""
    name = f"{PREFIX}{path.stem}"
    former = getattr(sys.modules.get(name), "__file__", None)
    if former is None or Path(former).resolve() == path.resolve():
        return name
    return f"{name}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"


def from_module(
    name: str, pinned: Definitions | None = None, budget: Budget | None = None
) -> list[Source]:
    """The sources that an importable module defines at its top level; errors as for a file."""
    try:
        with (
            reading_in(Path.cwd()),
            (pinned or noted()).kept(name),
            foreign(name, budget),
        ):
            module = importlib.import_module(name)
    except (UsageError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raised, text = _raised(error)
        raise UsageError(f"importing {name}{raised}: {text}") from error
    return sources_of(module, name)


def sources_of(module: ModuleType, name: str) -> list[Source]:
    """The `Source` objects of a module that have rows of their own; there must be one.

    Raises:
        NoClaims: if there is none.
    """
    found = sources_in(module)
    if not found:
        raise NoClaims(
            f"{name} defines no claim; write `paper = Source('mypaper', title='…')` and decorate a function with "
            "@paper.claim(…)."
        )
    return found


def sources_in(module: ModuleType) -> list[Source]:
    """The `Source` objects of a module that have rows of their own, each once."""
    found = [value for value in vars(module).values() if isinstance(value, Source)]
    return [source for i, source in enumerate(found) if source.rows and source not in found[:i]]


def _line(error: BaseException, path: Path) -> str:
    line = None
    trace = error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == path.resolve():
            line = trace.tb_lineno
        trace = trace.tb_next
    if line is None and isinstance(error, SyntaxError):
        line = error.lineno
    return f" line {line}" if line else ""
