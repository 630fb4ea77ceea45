"""What a user's code reads besides Python's modules, so that no verdict which rests on it is remembered for too long.

While a user's file is read, and while its claims are decided, Python's audit events are heard: each file that is opened
is noted with a hash of what it holds at that moment, each folder that is listed with its names. The environment is
noted variable by variable. What is noted has to be as it was for a verdict to be remembered.

Some things are no such values: a process, a network, a database, a file that is written. And some cannot be heard: the
clock, random numbers, whether a file exists. Code that does the first, or names the second, is not remembered at all;
code is looked through as it is executed, so that a text which `exec` runs, a module in an archive and one that a body
imports count as any other.

What a library does while it is imported is its own, and so is what scanproof does with certificates.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib.util
import os
import re
import site
import stat
import sys
import sysconfig
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from ..language.audit import listen

PLACES = (Path(__file__).parents[2], Path(__file__).resolve().parents[2])
"""The package's folder, which may be one of links."""
ROOMS = tuple(
    os.path.join(place, room, "")
    for place in PLACES
    for room in ("proofs", "constructs", "numeric", "cli")
)
READERS = tuple(
    os.path.join(place, *path.split("/"))
    for place in PLACES
    for path in (
        "proofs/decide/certificates.py",
        "proofs/decide/files.py",
        "proofs/check/certificate_file.py",
        "proofs/kernel/files.py",
    )
)
"""Files of ours that read and write certificates, whose content is looked at by itself."""
CALLERS = tuple(
    os.path.join(place, "proofs", "decide", name)
    for place in PLACES
    for name in ("ledger.py", "row_verdicts.py")
)
"""Files of ours that run the user's: what stands below them called scanproof, and reads nothing for a claim."""
CODE = (".py", ".pyc", ".so", ".pyd", ".pth")
DEEDS = {
    "subprocess.Popen": "starts a process",
    "os.system": "starts a process",
    "os.exec": "starts a process",
    "os.posix_spawn": "starts a process",
    "os.spawn": "starts a process",
    "socket.__new__": "opens a socket",
    "socket.connect": "connects to a network",
    "socket.getaddrinfo": "asks a network",
    "socket.gethostbyname": "asks a network",
    "socket.gethostname": "asks for the host's name",
    "sqlite3.connect": "opens a database",
    "ctypes.dlopen": "loads a library by ctypes",
    "builtins.input": "reads from the terminal",
}
MODULES = {
    "time": "the clock",
    "datetime": "the clock",
    "random": "random numbers",
    "secrets": "random numbers",
    "uuid": "random numbers",
    "numpy.random": "random numbers",
    "platform": "the machine",
}
"""Modules of which nobody hears what they are asked."""
ATTRIBUTES = {
    **dict.fromkeys(("argv", "orig_argv"), "the command line"),
    "stdin": "the terminal",
    "urandom": "random numbers",
    **dict.fromkeys(("getpid", "cpu_count", "uname", "getlogin"), "the machine"),
    **dict.fromkeys(("exists", "lexists", "is_file", "is_dir", "isfile", "isdir"), "what is there"),
    **dict.fromkeys(("stat", "lstat", "getmtime", "getsize", "getctime"), "what is there"),
}
"""Attributes and names of the like, of whatever they are taken."""
NAME = re.compile(r"[^\n\0]*\w\.\w+")
NAMED = 200
"""The longest text in code that is looked at as the name of a file."""
MISSING = "missing"
NULL = ("/dev/null", "nul")


@dataclass
class Notes:
    """What was read, and what was done or named that is no value."""

    reads: dict[str, str] = field(default_factory=dict)
    """By a file's path, a folder's with a slash behind it, or a variable's name behind a dollar, its `state`."""
    deeds: dict[str, None] = field(default_factory=dict)
    """Why nothing is to be remembered, in words."""


_executed_files: set[str] = set()
_by_file: dict[str, Notes] = {}
"""What the code of each user's file did while files were read; of those that are loaded, by path."""
_deciding = Notes()
"""What was done while claims were decided in this process. A module that one of them imports serves those behind it."""
_active: list[str | None] = []
"""What is being done: the file that is read, or None for deciding."""
_here = threading.local()


@contextmanager
def while_reading(file: str = "") -> Iterator[None]:
    """In this block a user's file is read, or a module whose file is not known."""
    with _noticing(os.path.realpath(file) if file else ""):
        yield


@contextmanager
def while_deciding() -> Iterator[Notes]:
    """In this block a claim is decided; what was noticed in this process since claims are."""
    with _noticing(None):
        yield _deciding


@contextmanager
def _noticing(what: str | None) -> Iterator[None]:
    listen(("open", "os.listdir", "os.scandir", "exec", "import", *DEEDS), _hear)
    if not isinstance(os.environ._data, _Environment):  # type: ignore[attr-defined]
        held = os.environ._data = _Environment(os.environ._data)  # type: ignore[attr-defined]
        if hasattr(os, "environb"):
            os.environb._data = held  # type: ignore[attr-defined]
    _active.append(what)
    try:
        yield
    finally:
        _active.pop()


def of_files(files: Iterable[str]) -> Notes:
    """What the code of these files did while it was loaded."""
    found = Notes()
    for file in ("", *files):
        own = _by_file.get(file)
        if own is not None:
            found.reads.update(own.reads)
            found.deeds.update(own.deeds)
    return found


def was_read(file: str) -> bool:
    """Whether a user's file was executed while this listened."""
    return file in _executed_files


def state(name: str) -> str:
    """What stands now behind a name of `Notes.reads`: a hash, or that there is nothing; "" for what has none."""
    with _unheard():
        if name.startswith("$"):
            return _of_variable(name[1:])
        try:
            if name.endswith("/"):
                return _hash("\0".join(sorted(os.listdir(name))).encode("utf-8", "surrogateescape"))
            found = os.stat(name)
            if stat.S_ISDIR(found.st_mode):
                return "a folder"
            if not stat.S_ISREG(found.st_mode):
                return ""
            return _of_file(name, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
        except (FileNotFoundError, NotADirectoryError):
            return MISSING
        except (OSError, ValueError) as error:
            return f"unusable: {type(error).__name__}"


@functools.lru_cache(maxsize=1000)
def _of_file(path: str, *as_it_is: int) -> str:
    """The hash of a file, which is read again if anything that the folder says of it is another."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of_variable(name: str) -> str:
    held: dict[Any, Any] = dict.copy(os.environ._data)  # type: ignore[attr-defined]
    if not name:
        return _hash(repr(sorted(held.items())).encode())
    value = held.get(os.environ.encodekey(name))  # type: ignore[attr-defined]
    return MISSING if value is None else _hash(repr(value).encode())


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


# Hearing.


@contextmanager
def _unheard() -> Iterator[None]:
    """What this thread does in the block is scanproof's own."""
    before = getattr(_here, "busy", False)
    _here.busy = True
    try:
        yield
    finally:
        _here.busy = before


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if not _active or getattr(_here, "busy", False):
        return
    with _unheard():
        try:
            _note(event, arguments)
        except Exception as error:  # what is not understood is not remembered
            _put("", f"does what is not understood: {event}, {type(error).__name__}", [])


def _note(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "exec":
        if isinstance(arguments[0], CodeType):
            _executed(arguments[0])
        return
    if event == "import":  # of a module in machine code
        if arguments[1] is None:
            return
        arguments = (arguments[1], "rb", 0)
    by_import, own, users = _stack(sys._getframe(1))
    if own:
        return
    if event in DEEDS:
        if not by_import:
            _put("", DEEDS[event], users)
    elif event in ("os.listdir", "os.scandir"):
        path = arguments[0] if arguments else None
        if not by_import:
            if isinstance(path, int):
                _put("", "lists an open folder", users)
            else:
                _put(os.path.join(_path(path or "."), ""), "", users)
    else:
        _opened(arguments[0], arguments[1], arguments[2], by_import, users)


def _opened(name: Any, mode: Any, flags: Any, by_import: bool, users: list[str]) -> None:
    if isinstance(name, int):
        if not by_import:
            _put("", "reads what is open already", users)
        return
    path = _path(name)
    if path.endswith(".pyc") and by_import:
        path = _source_of(path)
    if path in NULL or (path.endswith(CODE) and _kind(path) != "user"):
        return
    written = any(c in mode for c in "wax+") if isinstance(mode, str) else False
    changing = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if written or changing:
        if not by_import:  # which keeps its code beside its source
            _put("", f"writes {os.path.basename(path)}", users)
        return
    _put(path, "", users)


def _put(name: str, deed: str, users: list[str]) -> None:
    """Note something read or done, with all whom it may concern."""
    file = _active[-1]
    into = [_deciding]
    if file is not None:
        into = [_by_file.setdefault(one, Notes()) for one in dict.fromkeys([file, *users])]
    found = state(name) if name else ""
    if name and not found:
        deed = f"reads {name}, which is no plain file"
    for notes in into:
        if name and notes.reads.setdefault(name, found) != found:
            deed = f"reads {name}, which changes meanwhile"
        if deed:
            notes.deeds[deed] = None


def _executed(code: CodeType) -> None:
    """Look through code of the user's before it runs: a module, or what `exec` and `eval` are given."""
    file = code.co_filename
    spelled = file.startswith("<")
    if not spelled and _kind(_real(file)) != "user":
        return
    by_import, own, users = _stack(sys._getframe(3))
    if spelled and (by_import or own):
        return
    if not spelled:
        users = [_real(file), *users]
        if by_import and _active[-1] is not None:  # anew
            _by_file[users[0]] = Notes()
            _executed_files.add(users[0])
    for named in _named(code):
        _put("", f"{'' if spelled else os.path.basename(file) + ' '}names {named}", users)
    for text in _texts(code):
        for base in dict.fromkeys([os.getcwd(), *map(os.path.dirname, users)]):
            at = os.path.join(base, text)
            if not at.endswith(CODE) and os.path.isfile(at):
                _put(os.path.realpath(at), "", users)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _named(code: CodeType) -> Iterator[str]:
    """What code names that nobody hears: "time, the clock"."""
    every = list(_codes(code))
    if _WATCHED.isdisjoint(part for one in every for n in one.co_names for part in n.split(".")):
        return
    numpys = {"numpy"}
    """What numpy is called in this code."""
    for one in every:
        imported, before = "", ""
        for step in dis.get_instructions(one):
            name = str(step.argval)
            if step.opname == "IMPORT_NAME":
                imported = name
                whole = next((m for m in MODULES if name == m or name.startswith(f"{m}.")), "")
                if whole:
                    yield f"{whole}, {MODULES[whole]}"
            elif step.opname.startswith("STORE_") and before == "numpy" == imported:
                numpys.add(name)
            elif step.opname == "IMPORT_FROM" and f"{imported}.{name}" in MODULES:
                yield f"{imported}.{name}, {MODULES[f'{imported}.{name}']}"
            elif step.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                if name in ATTRIBUTES:
                    yield f"{name}, {ATTRIBUTES[name]}"
                elif name == "random" and before in numpys:
                    yield f"numpy.random, {MODULES['numpy.random']}"
            before = name


_WATCHED = {part for name in MODULES for part in name.split(".") if part != "numpy"} | {*ATTRIBUTES}


def _texts(code: CodeType) -> Iterator[str]:
    """Texts in code that may be names of files: a library may open one in machine code, which nobody hears."""
    for one in _codes(code):
        for text in one.co_consts:
            if isinstance(text, str) and len(text) <= NAMED and NAME.fullmatch(text):
                yield text


def _stack(frame: FrameType | None) -> tuple[bool, bool, list[str]]:
    """Whether a module is being imported and nothing of the user's stands nearer; whether ours; the user's files."""
    by_import, own, users = False, False, []
    found: FrameType | None = frame
    while found is not None:
        file = found.f_code.co_filename
        if file in CALLERS:
            break
        if file.startswith("<frozen importlib") or file == "<frozen zipimport>":
            by_import = by_import or not users
        elif file in READERS:
            own = own or not users
        elif not file.startswith("<") and _kind(_real(file)) == "user":
            users.append(_real(file))
        found = found.f_back
    return by_import, own, users


@functools.cache
def _kind(path: str) -> str:
    """Whose a file is: "ours", a "library"'s, or the "user"'s."""
    if path.startswith(ROOMS):
        return "ours"
    if path.startswith(_libraries()) or {"site-packages", "dist-packages"} & {*Path(path).parts}:
        return "library"
    return "user"


@functools.cache
def _libraries() -> tuple[str, ...]:
    """The folders of libraries that are installed, each with a slash behind it."""
    places = {
        *sysconfig.get_paths().values(),
        site.getusersitepackages(),
        os.path.dirname(os.__file__),
    }
    whole = {os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix)}
    return tuple(os.path.join(p, "") for p in sorted({os.path.realpath(p) for p in places} - whole))


def _real(file: str) -> str:
    """The file of some code; a relative one is where it stands now."""
    return _resolved(file) if os.path.isabs(file) else os.path.realpath(file)


_resolved = functools.lru_cache(maxsize=10000)(os.path.realpath)


def _path(name: Any) -> str:
    return os.path.realpath(os.fsdecode(name))


def _source_of(path: str) -> str:
    try:
        source = importlib.util.source_from_cache(path)
    except (ValueError, NotImplementedError):
        return path
    return source if os.path.isfile(source) else path


class _Environment(dict[Any, Any]):
    """The variables behind `os.environ`, which notes what is asked of them."""

    def _asked(self, name: str) -> None:
        if _active and not getattr(_here, "busy", False):
            with _unheard():
                by_import, own, users = _stack(sys._getframe(2))
                if not by_import and not own:
                    _put(f"${name}", "", users)

    def __getitem__(self, key: Any) -> Any:
        self._asked(os.fsdecode(key))
        return super().__getitem__(key)

    def __contains__(self, key: Any) -> bool:
        self._asked(os.fsdecode(key))
        return super().__contains__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        self._asked(os.fsdecode(key))
        return super().get(key, default)

    def __iter__(self) -> Iterator[Any]:
        self._asked("")
        return super().__iter__()

    def __len__(self) -> int:
        self._asked("")
        return super().__len__()

    def keys(self) -> Any:
        self._asked("")
        return super().keys()

    def items(self) -> Any:
        self._asked("")
        return super().items()

    def values(self) -> Any:
        self._asked("")
        return super().values()

    def copy(self) -> Any:
        self._asked("")
        return super().copy()
