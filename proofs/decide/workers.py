"""Foreign code in processes of its own: a task that crashes or never ends costs its own answer alone.

A worker has one task at a time, so that it is known whose process ended. Workers are forked, because the bodies of
claims cannot be pickled; where that is impossible (Windows) the tasks run in this process, without a limit.

What starts processes is imported with the first of them: most commands have none.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

TIME_LIMIT = 300.0
"""Seconds that a task gets, if nothing else is said."""
GARBAGE = 1_000_000
"""Python looks for garbage after this many new objects: terms and theorems live as long as their claim."""
TICK = 0.5
"""Seconds between two looks at workers that say nothing."""

Task = Callable[[], Any]
Watch = Callable[[Mapping[int, float]], None]
"""Called now and then with how many seconds each task has taken that is being worked on, by its index."""


@dataclass(frozen=True)
class Answer:
    """What a task returned, or why it returned nothing."""

    index: int
    value: Any
    seconds: float
    ended: str | None = None
    """With what the task's process ended, if it ended: "exit code 3", "signal SIGSEGV"."""
    timed_out: bool = False

    @property
    def missing(self) -> str:
        """Why there is no value, in words; nothing if there is one."""
        return f"no answer within {self.seconds:g} s" if self.timed_out else self.ended or ""


def run(
    tasks: Sequence[Task],
    *,
    jobs: int | None = None,
    time_limit: float = TIME_LIMIT,
    watch: Watch | None = None,
) -> Generator[Answer, None, None]:
    """Run every task in a worker and yield the answers as they come.

    A task whose process ends is tried once more, alone and in a fresh one: it may have been the victim of another
    (memory that ran out, an alarm that an earlier task had set).

    Args:
        tasks: each returns something that can be pickled.
        jobs: workers at once; as many as there are processors if not given.
        time_limit: seconds after which a task's worker is killed.
        watch: called with what is being worked on.

    Raises:
        Exception: what a task raised.
    """
    if not can_fork():
        yield from (_here(index, task) for index, task in enumerate(tasks))
        return
    jobs = jobs or os.cpu_count() or 1
    once_more = []
    for answer in _answers(tasks, range(len(tasks)), jobs, time_limit, watch):
        if answer.ended is None:
            yield answer
        else:
            once_more.append(answer.index)
    for index in once_more:
        yield from _answers(tasks, [index], 1, time_limit, watch)


def can_fork() -> bool:
    """Whether this process may have copies."""
    import multiprocessing

    has_fork = "fork" in multiprocessing.get_all_start_methods()
    return has_fork and not multiprocessing.current_process().daemon


def _here(index: int, task: Task) -> Answer:
    started = time.monotonic()
    return Answer(index, task(), time.monotonic() - started)


def _answers(
    tasks: Sequence[Task],
    indices: Iterable[int],
    jobs: int,
    time_limit: float,
    watch: Watch | None,
) -> Iterator[Answer]:
    from multiprocessing.connection import wait

    queue = deque(indices)
    workers: list[Worker] = []
    try:
        while queue or workers:
            while queue and len(workers) < jobs:
                workers.append(Worker(tasks))
                workers[-1].begin(queue.popleft())
            longest = max(worker.seconds for worker in workers)
            wait([worker.pipe for worker in workers], max(0, min(TICK, time_limit - longest)))
            for worker in list(workers):
                answer = worker.answer(time_limit)
                if answer is None:
                    continue
                if queue and answer.ended is None and not answer.timed_out:
                    worker.begin(queue.popleft())
                else:
                    workers.remove(worker)
                    worker.kill()
                yield answer
            if watch is not None and workers:
                watch({worker.index: worker.seconds for worker in workers})
    finally:
        for worker in workers:
            worker.kill()


class Worker:
    """A process that runs one task after another."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        import multiprocessing

        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve, args=(theirs, tasks, os.getpid()), daemon=True
        )
        with _forking():
            self._process.start()
        theirs.close()  # so that the end of the process is the end of the pipe
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

    def answer(self, time_limit: float) -> Answer | None:
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
        if self.seconds >= time_limit:
            return Answer(self.index, None, time_limit, timed_out=True)
        return None

    def _ended(self) -> Answer:
        self._process.join(2 * TICK)
        return Answer(self.index, None, self.seconds, ended=_how(self._process.exitcode))

    def kill(self) -> None:
        """End it."""
        self._process.kill()
        self._process.join()
        self.pipe.close()


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
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*fork", RuntimeWarning)
        warnings.filterwarnings("ignore", ".*fork", DeprecationWarning)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, tasks: Sequence[Task], parent: int) -> None:
    """A worker's life. Ctrl-C is left to the parent, which ends its workers without a traceback from each."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    gc.freeze()  # looking through what was there before the fork finds no garbage, and copies its pages
    gc.set_threshold(GARBAGE, 20, 100)
    me = os.getpid()
    os.register_at_fork(after_in_child=_end_copy)
    while True:
        try:
            index = pipe.recv()
        except EOFError:
            return
        started = time.monotonic()
        value, raised = None, None
        try:
            value = tasks[index]()
        except Exception as error:
            error.add_note(traceback.format_exc())  # its own is lost on the way
            raised = error
        except BaseException:  # a user's code ends the process so, or raises KeyboardInterrupt
            os._exit(1)
        if os.getpid() != me:  # a task forked, and this is its child
            os._exit(0)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        _send(pipe, value, raised, time.monotonic() - started)


def _end_copy() -> None:
    """A task that forks, as often as it runs, leaves no copies of the worker."""
    os._exit(0)


def _send(pipe: Connection, value: Any, raised: Exception | None, seconds: float) -> None:
    try:
        pipe.send((value, raised, seconds))
    except OSError:  # nobody listens any more
        os._exit(1)
    except Exception as error:
        problem = TypeError(
            f"a worker's answer cannot be pickled: {error}; it was {raised or value!r}"
        )
        pipe.send((None, problem, seconds))


def _end_with(parent: int) -> None:
    """End this process when its parent has gone, whatever it is doing."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
