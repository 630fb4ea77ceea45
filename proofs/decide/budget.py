"""What one claim, or one program, may take: seconds and memory, and what is said of one that takes more.

Resident memory is sampled, since address space is no measure of it: JAX reserves far more than it uses. What a process
held before does not count.
"""

from __future__ import annotations

import ctypes
import gc
import math
import mmap
import os
import re
import signal
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from scanproof.constructs.errors import UsageError

from ..interpret.questions import shown
from ..language import stage
from ..language.place import is_own

TIME_LIMIT = 300.0
"""Seconds that a claim gets, if nothing else is said."""
PAUSE = 0.05
"""Seconds between two samples."""
AGAIN = 0.5
"""Seconds after which code that went on is stopped once more."""
GRACE = 2.0
"""Seconds, beyond the limit, in which code may end by itself before its process is ended."""
ROOM = 1_000_000_000
"""Bytes, beyond the limit, that it may come to hold until it hears that it is stopped."""
SHARE = 0.5
"""The share of the machine's memory that claims may hold which run side by side."""
LEAST = 1_000_000_000
"""However many there are, each may hold so much."""
UNITS = {unit: 1000**k for k, unit in enumerate(("", "K", "M", "G", "T"))} | {
    f"{unit}I": 1024**k for k, unit in enumerate("KMGT", start=1)
}


@dataclass(frozen=True)
class Hit:
    """A limit that was hit."""

    what: str
    """Which: "time" or "memory"."""
    most: str
    """How much it is: "3 s, the time limit"."""
    where: str = ""
    """What was being done, at which sizes, in which line."""

    def __str__(self) -> str:
        at = f": stopped at {self.where}" if self.where else ""
        return f"not decided within {self.most}{at}; try smaller sizes, or a higher limit"

    def of_file(self) -> str:
        """The same of a file that was being read, without its place."""
        return f"not read within {self.most}; compute less at its top level, or try a higher limit"


def of_machine(error: MemoryError) -> Hit:
    """That of the machine, which had no more when it was asked."""
    last = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        last = _own_line(frame, line) or last
    at = ", ".join(filter(None, (stage.of(error), last)))
    return Hit("memory", "the memory that the machine has", at)


class Stopped(BaseException):
    """It takes more than it may; no `except Exception` of foreign code stands in its way."""

    def __init__(self, hit: Hit | None = None) -> None:
        super().__init__(str(hit))
        self.hit = hit


@dataclass(frozen=True)
class Budget:
    """How many seconds something may take, and how many bytes of memory its process may come to hold meanwhile."""

    seconds: float = math.inf
    memory: float = math.inf

    @property
    def is_limited(self) -> bool:
        return min(self.seconds, self.memory) < math.inf

    def hit(self, seconds: float, memory: float) -> Hit | None:
        """The limit that so many seconds and bytes exceed; None if they exceed none."""
        if memory > self.memory:
            return self.limit("memory")
        return self.limit("time") if seconds > self.seconds else None

    def limit(self, what: str, where: str = "") -> Hit:
        """Its limit of time, or of memory, as one that was hit."""
        most = f"{in_words(self.memory)} of memory" if what == "memory" else f"{self.seconds:g} s"
        return Hit(what, f"{most}, the {what} limit", where)

    def with_grace(self) -> Budget:
        """What ends a process that does not stop by itself."""
        return Budget(self.seconds + GRACE, self.memory + ROOM)


def seconds(option: str, given: float) -> float:
    """Seconds, of which there have to be some.

    Raises:
        UsageError: for anything else; it names the option.
    """
    if not isinstance(given, int | float) or not given > 0:
        said = f"{given:g}" if isinstance(given, int | float) else repr(given)
        raise UsageError(f"{option} {said}: give a number of seconds greater than 0.")
    return given


def memory(option: str, text: str | float | None, side_by_side: int = 1) -> float:
    """Bytes: "4G", "512M", or a number of them; a share of the machine's memory where nothing is said.

    Raises:
        UsageError: for anything else; it names the option.
    """
    if text is None:
        return max(LEAST, SHARE * machine_memory() / side_by_side)
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?I?)B?", str(text).strip().upper())
    size = float(found[1]) * UNITS.get(found[2], 0) if found else 0
    if not size > 0:
        raise UsageError(
            f"{option} {text}: give an amount of memory greater than 0, such as 4G or 500M."
        )
    return size


def usual() -> Budget:
    """What a claim may take that is alone, if nothing else is said."""
    return Budget(TIME_LIMIT, memory("memory_limit", None))


def in_words(memory: float) -> str:
    """Bytes as a sentence has them: 6 GB."""
    unit = 9 if memory >= 10**9 else 6
    return f"{memory / 10**unit:.3g} {'GB' if unit == 9 else 'MB'}"


def machine_memory() -> float:
    """The bytes of the machine, or of the container that this runs in; without end where nobody says."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return math.inf
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            total = min(total, int(Path(file).read_text(encoding="ascii")))
    return total


class Growth:
    """How many bytes of memory a process has come to hold since this was made: this process, if no other is named.

    The file that tells is opened once: a program is refused that opens one, whichever thread does.
    """

    def __init__(self, process: int | None = None) -> None:
        self._own = process is None
        self._file = -1
        with suppress(OSError):
            self._file = os.open(f"/proc/{process or 'self'}/statm", os.O_RDONLY)
        self._first = self._held()

    def bytes(self) -> int:
        """By how much it holds more; where the system does not say, by how much more it ever held, and 0 of others."""
        return self._held() - self._first

    def _held(self) -> int:
        try:
            return int(os.pread(self._file, 256, 0).split()[1]) * mmap.PAGESIZE
        except (OSError, ValueError, IndexError, AttributeError):
            return _peak() if self._own else 0

    def close(self) -> None:
        with suppress(OSError):
            os.close(self._file)


def _peak() -> int:
    try:
        import resource
    except ImportError:
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def where(thread: int) -> str:
    """What is being done, and the user's line that a thread is in."""
    every = _outwards(sys._current_frames().get(thread))
    line = next(filter(None, (_own_line(frame, frame.f_lineno) for frame in every)), None)
    return ", ".join(filter(None, (stage.current(), line)))


def _own_line(frame: FrameType, line: int) -> str | None:
    file = frame.f_code.co_filename
    return f"{shown(file)}:{line}" if is_own(frame.f_globals.get("__name__"), file) else None


@contextmanager
def stopping(budget: Budget, last: Callable[[Hit], None] | None = None) -> Iterator[None]:
    """Stop what runs in this block, in this thread, when it takes more than it may.

    Args:
        budget: what it may take.
        last: called, from another thread, when it goes on nevertheless: it is in C, or catches all that is raised.

    Raises:
        Stopped: what, and where it was.
    """
    if not budget.is_limited:
        yield
        return
    thread, over, hits = threading.get_ident(), threading.Event(), []
    in_main = threading.current_thread() is threading.main_thread()
    by_signal = in_main and hasattr(signal, "pthread_kill")

    def ring(number: int, frame: FrameType | None) -> None:
        if hits and not over.is_set() and not (in_callback(frame) or _in_import(frame)):
            raise Stopped(hits[0])

    def watch() -> None:
        began, rung, beyond = time.monotonic(), -AGAIN, budget.with_grace()
        while not over.wait(PAUSE):
            taken = time.monotonic() - began, growth.bytes()
            hit = budget.hit(*taken)
            if hit is not None and not hits:
                hits.append(replace(hit, where=where(thread)))
            if not hits:
                continue
            if last is not None and beyond.hit(*taken) is not None:
                last(hits[0])
            if taken[0] - rung > AGAIN and not over.is_set():
                if by_signal:
                    rung = taken[0]
                    signal.pthread_kill(thread, signal.SIGALRM)
                elif not _in_import(sys._current_frames().get(thread)):
                    rung = taken[0]
                    _raise_in(thread, Stopped)

    before = signal.signal(signal.SIGALRM, ring) if by_signal else None
    growth = Growth()
    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    except Stopped as error:
        if hits:
            raise Stopped(hits[0]).with_traceback(error.__traceback__) from None
        raise
    finally:
        _insist(over.set, watching.join, growth.close)
        if by_signal:
            signal.signal(signal.SIGALRM, before)
        else:
            _insist(_take_back)


def _insist(*deeds: Callable[[], object]) -> None:
    """Do it all, though the block is stopped once more meanwhile."""
    for deed in deeds:
        while True:
            try:
                deed()
                break
            except Stopped:
                continue


def _raise_in(thread: int, what: type[BaseException]) -> None:
    """Raise it in a thread as soon as that runs Python, in place of what was to be raised there."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(what))


class _TakenBack(BaseException):
    """What is raised in place of what was to be."""


def _take_back() -> None:
    """Have nothing raised in this thread any more.

    Nothing in place of it would do, but CPython then believes for ever that something waits, and hangs in the first
    function that is called under a debugger.
    """
    with suppress(_TakenBack):
        _raise_in(threading.get_ident(), _TakenBack)
        while True:
            pass


def in_callback(frame: FrameType | None) -> bool:
    """Whether a callback of the garbage collector or of a weak reference runs: Python forgets what it raises."""
    callbacks = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    return any(
        f.f_code in callbacks or f.f_code.co_filename == weakref.__file__ for f in _outwards(frame)
    )


def _in_import(frame: FrameType | None) -> bool:
    """Whether a library is being imported: ended half way, it lacks those of its modules that were there by then.

    A module of the user's is ended as other code is.
    """
    return any(map(_is_imported, _outwards(frame)))


def _is_imported(frame: FrameType) -> bool:
    """Whether this is the text of a library's module, which is being imported."""
    module = frame.f_globals
    spec = module.get("__spec__") if frame.f_code.co_name == "<module>" else None
    begun = getattr(spec, "_initializing", False)
    return begun and not is_own(module.get("__name__"), frame.f_code.co_filename)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    """The frame, the one that called it, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back
