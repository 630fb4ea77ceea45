"""Foreign code in processes of its own: a task that crashes, never ends or fills the memory costs its own answer alone.

A worker has one task at a time, so that it is known whose process ended. Workers are forked, because the bodies of
claims cannot be pickled; where that is impossible (Windows) the tasks run in this process, without a limit.

What starts processes is imported with the first of them: most commands have none.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..language import stage
from ..language.libraries import Copied
from .budget import PAUSE, TIME_LIMIT, Budget, Growth, Hit, Stopped, memory, stopping, where

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

GARBAGE = 1_000_000
"""Python looks for garbage after this many new objects: terms and theorems live as long as their claim."""
TICK = 0.1
"""Seconds between two looks at workers that say nothing."""


class AtWork(NamedTuple):
    """A task that is being worked on."""

    seconds: float
    stage: str
    """What it is at, in words."""


_starting = False
"""Whether this process is being copied for a worker."""
_is_worker = False
"""Whether this process is a worker, the first of which leads a group of processes that ends as one."""
Task = Callable[[], Any]
Watch = Callable[[Mapping[int, AtWork]], None]
"""Called now and then with the tasks that are being worked on, by their index."""


@dataclass(frozen=True)
class Answer:
    """What a task returned, or why it returned nothing."""

    index: int
    value: Any
    seconds: float
    ended: str | None = None
    """With what the task's process ended, if it ended: "exit code 3", "signal SIGSEGV"."""
    hit: Hit | None = None
    """The limit that it hit."""

    @property
    def missing(self) -> str:
        """Why there is no value, in words; nothing if there is one."""
        return str(self.hit or self.ended or "")


def run(
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    time_limit: float = TIME_LIMIT,
    memory_limit: float | None = None,
    watch: Watch | None = None,
) -> Generator[Answer, None, None]:
    """Run every task in a worker and yield the answers as they come.

    A task whose process ends is tried once more, alone and in a fresh one: it may have been the victim of another
    (memory that ran out, an alarm that an earlier task had set).

    Args:
        tasks: each returns something that can be pickled.
        jobs: workers at once; as many as there are processors if not given.
        time_limit: seconds after which a task's worker is ended.
        memory_limit: bytes that it may hold; a share of the machine's memory if not given.
        watch: called with what is being worked on.

    Raises:
        Exception: what a task raised.
    """
    if not can_fork():
        yield from (_here(index, task) for index, task in enumerate(tasks))
        return
    jobs = jobs or os.cpu_count() or 1
    if memory_limit is None:
        memory_limit = memory("memory_limit", None, min(jobs, max(1, len(tasks))))
    budget = Budget(time_limit, memory_limit)
    once_more = []
    for answer in _answers(tasks, range(len(tasks)), jobs, budget, watch):
        if answer.ended is None:
            yield answer
        else:
            once_more.append(answer.index)
    for index in once_more:
        yield from _answers(tasks, [index], 1, budget, watch)


def can_fork() -> bool:
    """Whether this process may have copies."""
    import multiprocessing

    has_fork = "fork" in multiprocessing.get_all_start_methods()
    return has_fork and not multiprocessing.current_process().daemon


def _here(index: int, task: Task) -> Answer:
    started = time.monotonic()
    return Answer(index, task(), time.monotonic() - started)


def _within(index: int, task: Task, budget: Budget) -> Answer:
    """The task done in this process, within its limits as far as Python's code goes."""
    started = time.monotonic()
    try:
        with stopping(budget):
            return _here(index, task)
    except Stopped as stopped:
        return Answer(index, None, time.monotonic() - started, hit=stopped.hit)


def _answers(
    tasks: Sequence[Task],
    indices: Iterable[int],
    jobs: int,
    budget: Budget,
    watch: Watch | None,
) -> Iterator[Answer]:
    from multiprocessing.connection import wait

    queue = deque(indices)
    workers: list[Worker] = []
    try:
        while queue or workers:
            while queue and len(workers) < jobs:
                workers.append(Worker(tasks, budget))
                workers[-1].begin(queue.popleft())
            wait([worker.pipe for worker in workers], TICK)
            for worker in list(workers):
                try:
                    answer = worker.answer()
                except Copied:  # only this process can do it
                    answer = _within(worker.index, tasks[worker.index], budget)
                if answer is None:
                    continue
                if queue and not answer.missing:
                    worker.begin(queue.popleft())
                else:
                    workers.remove(worker)
                    worker.kill()
                yield answer
            if watch is not None and workers:
                watch({w.index: AtWork(w.seconds, w.board.stage) for w in workers})
    finally:
        for worker in workers:
            worker.kill()


class _Board:
    """Words of a worker's that are read when it cannot answer any more."""

    WIDTH = 1_000

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 3 * self.WIDTH)
        """What is being done; of a limit that was hit, which it is and how much; where."""

    @property
    def stage(self) -> str:
        return self._read(0)

    @property
    def hit(self) -> Hit | None:
        what, _, most = self._read(1).partition("\n")
        return Hit(what, most, self._read(2)) if what else None

    def say(self, stage: str) -> None:
        self._write(0, stage)

    def stop(self, hit: Hit) -> None:
        self._write(2, hit.where)
        self._write(1, f"{hit.what}\n{hit.most}")

    def _read(self, part: int) -> str:
        text = self._shared[part * self.WIDTH : (part + 1) * self.WIDTH]
        return text.partition(b"\0")[0].decode(errors="ignore")

    def _write(self, part: int, text: str) -> None:
        line = text.encode()[: self.WIDTH - 1].ljust(self.WIDTH, b"\0")
        self._shared[part * self.WIDTH : (part + 1) * self.WIDTH] = line


class Worker:
    """A process that runs one task after another.

    It ends itself when a task hits a limit. One that cannot, because its code does not let Python's threads run, is
    ended from here a little later.
    """

    def __init__(self, tasks: Sequence[Task], budget: Budget) -> None:
        import multiprocessing

        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self.board = _Board()
        self._budget = budget
        self._process = context.Process(
            target=_serve, args=(theirs, tasks, budget, self.board, os.getpid()), daemon=True
        )
        with _forking():
            self._process.start()
        theirs.close()  # so that the end of the process is the end of the pipe
        self._growth = Growth(self._process.pid)
        self.index = -1
        self._began = 0.0

    @property
    def seconds(self) -> float:
        """How long the task has taken."""
        return time.monotonic() - self._began

    def begin(self, index: int) -> None:
        """Give it the task of this number."""
        self.index, self._began = index, time.monotonic()
        with contextlib.suppress(OSError):  # it has ended since, which `answer` will find
            self.pipe.send(index)

    def answer(self) -> Answer | None:
        """The answer, if there is one by now.

        Raises:
            Exception: what the task raised.
        """
        alive = self._process.is_alive()
        if self.pipe.poll():
            try:
                value, raised, seconds = self.pipe.recv()
            except Exception:  # the end of the pipe, or half an answer
                return self._ended()
            if raised is not None:
                raise raised
            return Answer(self.index, value, seconds)
        if not alive:
            return self._ended()
        taken = self.seconds, self._growth.bytes()
        hit = self._budget.hit(*taken)
        if hit is None or self._budget.with_grace().hit(*taken) is None:
            return None
        return self._stopped(replace(hit, where=self.board.stage))

    def _ended(self) -> Answer:
        self._process.join(1)
        hit = self.board.hit
        if hit is not None:
            return self._stopped(hit)
        return Answer(self.index, None, self.seconds, ended=_how(self._process.exitcode))

    def _stopped(self, hit: Hit) -> Answer:
        return Answer(self.index, None, self.seconds, hit=hit)

    def kill(self) -> None:
        """End it, its own workers, and what its tasks started."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid or 0, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self.pipe.close()
        self._growth.close()


def _how(code: int | None) -> str:
    if code is None:
        return "its pipe closed"
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"signal {signal.Signals(-code).name}"
    except ValueError:
        return f"signal {-code}"


@contextlib.contextmanager
def _forking() -> Iterator[None]:
    """Hold Ctrl-C back until the new process ignores it, and JAX's warning, whose threads no worker uses."""
    global _starting
    around, _starting = _starting, True
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*fork", RuntimeWarning)
        warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            _starting = around
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(
    pipe: Connection, tasks: Sequence[Task], budget: Budget, board: _Board, parent: int
) -> None:
    """A worker's life. Ctrl-C is left to the parent, which ends its workers without a traceback from each."""
    global _starting, _is_worker
    import multiprocessing

    if not _is_worker:
        os.setpgid(0, 0)
    _starting, _is_worker = False, True
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    began: list[float] = []
    watching = budget, board, parent, threading.get_ident(), began
    threading.Thread(target=_end_in_time, args=watching, daemon=True).start()
    gc.freeze()  # looking through what was there before the fork finds no garbage, and copies its pages
    gc.set_threshold(GARBAGE, 20, 100)
    me = os.getpid()
    stage.begin_unheard()
    os.register_at_fork(after_in_child=_end_copy)
    multiprocessing.current_process().daemon = False  # which may have no workers
    while True:
        try:
            index = pipe.recv()
        except EOFError:
            return
        started = time.monotonic()
        value: Any = None
        raised: BaseException | None = None
        try:
            with stage.heard(board.say):
                began.append(started)
                value = tasks[index]()
        except Exception as error:
            error.add_note(traceback.format_exc())  # its own is lost on the way
            raised = error
        except Copied as error:
            raised = error
        except BaseException:  # a user's code ends the process so, or raises KeyboardInterrupt
            os._exit(1)
        if os.getpid() != me:  # a task forked, and this is its child
            os._exit(0)
        began.clear()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        _send(pipe, value, raised, time.monotonic() - started)


def _end_copy() -> None:
    """A task that forks, as often as it runs, leaves no copies of the worker but its own workers."""
    if not _starting:
        os._exit(0)


def _send(pipe: Connection, value: Any, raised: BaseException | None, seconds: float) -> None:
    try:
        pipe.send((value, raised, seconds))
    except OSError:  # nobody listens any more
        os._exit(1)
    except Exception as error:
        problem = TypeError(
            f"a worker's answer cannot be pickled: {error}; it was {raised or value!r}"
        )
        pipe.send((None, problem, seconds))


def _end_in_time(
    budget: Budget, board: _Board, parent: int, thread: int, began: Sequence[float]
) -> None:
    """End this process when a task hits a limit, or its parent has gone, whatever it is doing."""
    growth = Growth()
    while os.getppid() == parent:
        time.sleep(PAUSE)
        for start in began[:]:
            hit = budget.hit(time.monotonic() - start, growth.bytes())
            if hit is not None:
                board.stop(replace(hit, where=where(thread)))
                os._exit(1)
    os._exit(1)
