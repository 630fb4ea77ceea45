"""Verdicts that this machine found before: what did not change since is not checked again.

They lie outside every repository, in one SQLite file of the user's, which only checks of this machine write. A verdict
is found by a hash of all that it can depend on: the claim as it is written, the text of every file that its functions
come from or import, of the interpreter and the checker, and the versions of Python and of the libraries. Of a user's
claims that is the text of every file of the user's that is loaded, and what these read while they were. What a claim
read while it was decided is kept with the verdict, and has to be the same. A claim whose code does what is no value,
or names the clock or random numbers, is not remembered (`noticed`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import json
import os
import re
import sqlite3
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, is_dataclass
from importlib import metadata
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..language.claim import Claim
from ..language.pinned import of_user
from . import noticed

if TYPE_CHECKING:
    from ..check.result import Result
    from .certificates import Certificates

FILE = "verdicts-1.sqlite3"
KEPT = 60 * 24 * 3600.0
"""Seconds after which a verdict that nobody asked for is forgotten."""
RENEWED = 24 * 3600.0
"""It is noted that somebody asked if that was not noted for so long."""
PATIENCE = 2.0
"""Seconds to wait for another process that writes."""
ROOT = Path(__file__).parents[2]
PROOFS, DEFINITIONS = (os.path.join(ROOT, room, "") for room in ("proofs", "constructs"))
CLAIMS, REPORT = (os.path.join(PROOFS, folder, "") for folder in ("claims", "report"))
LIBRARIES = ("numpy", "sympy", "python-flint", "jax", "jaxlib")
IMPORT = re.compile(
    r"\n[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)|import[ \t]+([^\n#]+))"
)
"""An import statement with the end of the line before it, by which it is found sooner than by the start of its own."""


def folder() -> Path:
    """Where verdicts are kept: $SCANPROOF_CACHE, or a folder of the user's for such things."""
    given = os.environ.get("SCANPROOF_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "scanproof"


def opened(wanted: bool | None = None) -> Cache | None:
    """The cache if it is wanted; if nobody says so, it is unless CI is set: that is to see everything checked."""
    wanted = not os.environ.get("CI") if wanted is None else wanted
    return Cache() if wanted else None


class Cache:
    """Verdicts by their keys. One that cannot be read or written holds nothing, and says so to nobody."""

    def __init__(self, path: Path | None = None) -> None:
        self._now = time.time()
        self._hashes = Keys()
        self._asked: dict[str, tuple[Claim, Sequence[str], Certificates]] = {}
        self._keys: dict[str, str] = {}
        self._passing: dict[str, str] = {}
        self.passed: dict[str, list[str]] = {}
        """Why claims are not remembered, with their ids."""
        self._file: sqlite3.Connection | None = None
        try:
            place = folder() if path is None else path
            place.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(place / FILE, timeout=PATIENCE, isolation_level=None)
            self._ask(
                "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, used REAL, result TEXT)"
            )
        except (OSError, RuntimeError, sqlite3.Error):  # no home, no right to write, no such file
            self._file = None

    def _ask(self, question: str, *values: Any) -> list[Any]:
        if self._file is None:
            return []
        try:
            return self._file.execute(question, values).fetchall()
        except sqlite3.Error:  # damaged, locked or full: it is as if there were none
            self._file = None
            return []

    def recall(
        self, asked: Sequence[tuple[Claim, Sequence[str], Certificates]]
    ) -> dict[str, Result]:
        """The results, by id, that are known of claims, of engines that are asked about them, and of certificates."""
        self._hashes = Keys()
        self._asked = {one[0].id: one for one in asked}
        self._keys = {}
        self._passing = {id: self._hashes.passing(one[0]) for id, one in self._asked.items()}
        for id, one in self._asked.items():
            if not self._passing[id]:
                self._keys[id] = self._hashes.of(*one)
        found = {id: self._get(key) for id, key in self._keys.items()}
        return {
            id: result
            for id, result in found.items()
            if result is not None
            and self._hashes.still(result.reads)
            and not self._is_to_be_written(id, result)
        }

    def _is_to_be_written(self, id: str, result: Result) -> bool:
        """Whether a certificate is wanted of a result, and the file that is there, if any, is not it."""
        claim, _, at = self._asked[id]
        missing = result.verdict in ("proved", "refuted") and not at.content(claim)
        return at.write and (missing or bool(result.recorded))

    def keep(self, id: str, result: Result) -> None:
        """Keep the result that the checker came to of a claim that was asked for."""
        if result.verdict == "error":
            return
        why = self._passing.get(id) or result.passing
        if why:
            self.passed.setdefault(why, []).append(id)
        elif id in self._keys:
            if self._asked[id][2].write:  # what was found is in a file since
                if result.recorded:
                    return
                self._keys[id] = self._hashes.of(*self._asked[id])
            text = json.dumps(asdict(result), ensure_ascii=False)
            self._ask(
                "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", self._keys[id], self._now, text
            )

    def _get(self, key: str) -> Result | None:
        found = self._ask("SELECT result, used FROM verdicts WHERE key = ?", key)
        if not found:
            return None
        text, used = found[0]
        if self._now - used > RENEWED:
            self._ask("UPDATE verdicts SET used = ? WHERE key = ?", self._now, key)
        return _from_text(text)

    def close(self) -> None:
        """Forget what nobody asked for in a long time."""
        self._ask("DELETE FROM verdicts WHERE used < ?", self._now - KEPT)
        if self._file is not None:
            self._file.close()
            self._file = None


def _from_text(text: str) -> Result | None:
    from ..check.result import Result
    from ..exact.counterexample import Counterexample

    try:
        found = json.loads(text)
        shown = found.pop("counterexample")
        if shown is not None:
            shown = Counterexample(**{**shown, "lines": tuple(shown["lines"])})
        return Result(**found, counterexample=shown)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


class Keys:
    """The keys of claims, as long as no file changes."""

    def __init__(self) -> None:
        self._here = str(Path.cwd())
        self._users: str | None = None
        self._states: dict[str, str] = {}

    def of(self, claim: Claim, engines: Sequence[str], certificates: Certificates) -> str:
        """The hash of all that the verdict on a claim can depend on."""
        asked = [list(engines), certificates.search, certificates.content(claim)]
        return _hash([asked, _written(claim), self._here, _surroundings(), self._files(claim)])

    @functools.cached_property
    def _loaded(self) -> set[str]:
        return _loaded()

    def still(self, reads: dict[str, str]) -> bool:
        """Whether all that was read is what it was."""
        self._states |= {name: noticed.state(name) for name in reads if name not in self._states}
        return all(self._states[name] == found for name, found in reads.items())

    def passing(self, claim: Claim) -> str:
        """Why the verdict on a claim is not to be remembered; nothing if it may be."""
        if not of_user(claim):
            return ""
        unheard = next(_unheard(claim, self._loaded), None)
        if unheard is not None:
            return f"{unheard.name} was imported before claims were read, and by others"
        return next(iter(noticed.of_files(self._loaded).deeds), "")

    def _files(self, claim: Claim) -> Any:
        names = {f.__module__ or "" for f in claim.functions}
        own = (
            *("scanproof.proofs.claims.", "scanproof.proofs.language.", "scanproof.constructs."),
            "scanproof.proofs.expected.",  # in the hash of the surroundings
        )
        if not of_user(claim) and all(name.startswith(own) for name in names):
            return _hash_of_reached(frozenset(names))
        if self._users is None:
            reads, files = noticed.of_files(self._loaded).reads, _users(self._loaded)
            texts = [(str(p), _digest(p)) for p in files]
            self._users = _hash([texts, sorted(reads.items()), _installed(files)])
        return [_hash_of_package(), self._users]


def _written(claim: Claim) -> list[str]:
    """The claim's fields; functions by their names, since their files are in the hash."""
    return [f"{name}={_spelled(value)}" for name, value in sorted(vars(claim).items())]


def _spelled(value: Any) -> str:
    if isinstance(value, FunctionType):
        return f"{value.__module__}.{value.__qualname__}:{value.__code__.co_firstlineno}"
    if is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__qualname__}{_spelled(vars(value))}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_spelled, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k!r}: {_spelled(v)}' for k, v in value.items())}}}"
    return repr(value)


@functools.cache
def _surroundings() -> str:
    """A hash of versions, and of the text of the interpreter of claims and of the checker."""
    versions = [sys.version]
    for library in LIBRARIES:
        try:
            versions.append(f"{library} {metadata.version(library)}")
        except metadata.PackageNotFoundError:
            versions.append(f"no {library}")
    own = [
        path
        for path in _package()
        if path.startswith(PROOFS) and not path.startswith((CLAIMS, REPORT))
    ]
    needed = _reached(p for path in own for p in _imported(path))
    return _hash([*versions, *map(_text_hash, [*own, *sorted(needed)])])


@functools.cache
def _package() -> dict[str, None]:
    """The package's Python files, sorted."""
    every = (os.path.join(at, file) for at, _, files in os.walk(ROOT) for file in files)
    return dict.fromkeys(sorted(path for path in every if path.endswith(".py")))


@functools.cache
def _hash_of_package() -> str:
    return _hash([_text_hash(path) for path in _package()])


@functools.cache
def _content(path: str) -> bytes:
    """The content of a file of the package, whose modules no process loads twice."""
    return Path(path).read_bytes()


def _text_hash(path: str) -> str:
    return hashlib.sha256(_content(path)).hexdigest()


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _loaded() -> set[str]:
    """The files of loaded modules that are neither the package's nor a library's; some lie in archives."""
    libraries = {Path(p).resolve() for p in sysconfig.get_paths().values()} - {Path(sys.prefix)}
    files = {
        Path(file).resolve()
        for module in list(sys.modules.values())
        if (file := getattr(module, "__file__", None)) and not _is_ours(module)
    }
    return {str(path) for path in files if libraries.isdisjoint(path.parents)}


def _users(loaded: Iterable[str]) -> list[Path]:
    """Those of the loaded files that are files, and what their text imports."""
    return sorted(_closure(p for p in map(Path, loaded) if p.is_file()))


def _closure(files: Iterable[Path]) -> set[Path]:
    waiting = list(files)
    found: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            if path.suffix == ".py":
                waiting += _beside(path)
    return found


def _unheard(claim: Claim, loaded: set[str]) -> Iterator[Path]:
    """The loaded files that a claim's functions may use, and nobody heard what they read when they were loaded."""
    codes = [code for f in claim.functions if (code := getattr(f, "__code__", None)) is not None]
    own = {path for code in codes if (path := Path(code.co_filename).resolve()).is_file()}
    for path in sorted(_closure(p for p in own if str(p) in loaded)):
        if str(path) in loaded and not noticed.was_read(str(path)):
            yield path


def _installed(files: Iterable[Path]) -> list[list[Any]]:
    """The libraries that the text of these files imports, as they are installed."""
    texts = (p.read_text("utf-8", "replace") for p in files if p.suffix == ".py")
    names = {name.partition(".")[0] for text in texts for dots, name in _imports(text) if not dots}
    found: list[list[Any]] = []
    for name in sorted(names - {"", "scanproof", *sys.stdlib_module_names}):
        with contextlib.suppress(ImportError, ValueError, OSError):
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin is not None:
                held = os.stat(spec.origin)
                found.append([name, spec.origin, held.st_size, held.st_mtime_ns])
    return found


def _is_ours(module: Any) -> bool:
    return str(getattr(module, "__name__", "")).partition(".")[0] == "scanproof"


def _beside(path: Path) -> list[Path]:
    """The files that may be imported by a file's text, from its own folder, those above it, or where one stands."""
    found: list[Path] = []
    for dots, name in _imports(path.read_text("utf-8", "replace")):
        above = min(dots, len(path.parents)) - 1
        for base in [path.parents[above]] if dots else [path.parent, Path.cwd()]:
            stem = base / name.partition(".")[0]
            if name and stem.with_suffix(".py").is_file():
                found.append(stem.with_suffix(".py"))
            if name and (stem / "__init__.py").is_file():
                found += stem.rglob("*.py")
    return [p.resolve() for p in found]


def _imports(text: str) -> Iterator[tuple[int, str]]:
    """What a text imports: how many dots, and a name; of `from m import a` both m and m.a, which may be a module."""
    for start, listed, whole in IMPORT.findall(f"\n{text}"):
        module = start.lstrip(".")
        dots = len(start) - len(module)
        yield from ((0, name) for name in re.findall(r"[.\w]+", whole))
        yield dots, module
        yield from ((dots, f"{module}.{one}".lstrip(".")) for one in re.findall(r"\w+", listed))


@functools.cache
def _hash_of_reached(names: frozenset[str]) -> str:
    reached = _reached(path for name in names for path in _files_of(name))
    return _hash([_text_hash(path) for path in sorted(reached)])


def _reached(files: Iterable[str]) -> set[str]:
    """The given files that hold claims or definitions, and all such files that they import, and so on."""
    found: set[str] = set()
    waiting = list(files)
    while waiting:
        path = waiting.pop()
        if path not in found and path.startswith((CLAIMS, DEFINITIONS)):
            found.add(path)
            waiting += _imported(path)
    return found


@functools.cache
def _imported(path: str) -> list[str]:
    """The files of the package that one of its files imports."""
    package = ["scanproof", *os.path.relpath(path, ROOT).split(os.sep)[:-1]]
    found: dict[str, None] = {}
    for dots, name in _imports(_content(path).decode("utf-8")):
        base = package[: len(package) - dots + 1] if dots else []
        found.update(dict.fromkeys(_files_of(".".join([*base, name] if name else base))))
    return list(found)


@functools.cache
def _files_of(name: str) -> list[str]:
    """The files of a module of the package, and of the packages that it lies in; none for anything else."""
    room, _, within = name.partition(".")
    if room != "scanproof" or not within:
        return []
    stem = os.path.join(ROOT, *within.split("."))
    own = [p for p in (os.path.join(stem, "__init__.py"), f"{stem}.py") if p in _package()]
    return [*_files_of(name.rpartition(".")[0]), *own]


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value).encode("utf-8", "surrogatepass")).hexdigest()
