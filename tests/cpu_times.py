"""CPU seconds of the tests: of each, of each file and of all processes, in the benchmarks' unit C as well.

A test has the seconds of its process and of what it started and waited for, from the end of the test before to its own:
what a fixture takes that many share is told beside the test that asked first.
"""

import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest

DEAREST = 100
DEAR = 0.5
"""Of how many tests at most the time is told, and from how many seconds on."""


def used() -> float:
    """CPU seconds of this process, and of those that it started and waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def unit() -> float:
    """Seconds of C, what a fixed piece of Python takes on this machine now."""
    from scanproof.proofs.bench import unit

    return unit()


class CpuTimes:
    """Takes the times where tests run, and adds them up where they are reported."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.worker = hasattr(config, "workerinput")
        self.started = time.monotonic()
        self.before = used()
        self.tests: dict[str, float] = defaultdict(float)
        self.outside = 0.0
        """What workers took beside their tests: to start, to import and to collect."""
        self.spent = 0.0
        self.units = [] if self.worker else [unit()]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        """A report says what was used since the one before."""
        report = yield
        now = used()
        report.cpu_seconds, self.before = now - self.before, now
        self.spent += report.cpu_seconds
        return report

    def pytest_collection_finish(self) -> None:
        """What was used until now is no test's."""
        self.before = used()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a report up."""
        self.tests[report.nodeid] += getattr(report, "cpu_seconds", 0.0)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """A worker tells what it took beside its tests."""
        if self.worker:
            self.config.workeroutput["outside"] = used() - self.spent  # type: ignore[attr-defined]
        else:
            times = os.times()  # without workers, which tell theirs
            workers = self.config.getoption("numprocesses", None)
            own = times.user + times.system if workers else used()
            self.outside += own - self.spent

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add up what a worker told."""
        self.outside += getattr(node, "workeroutput", {}).get("outside", 0.0)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """One line of all, and where they are asked for one for each file."""
        wall = time.monotonic() - self.started
        self.units.append(unit())
        files: dict[str, float] = defaultdict(float)
        for test, seconds in self.tests.items():
            files[test.partition("::")[0]] += seconds
        write = terminalreporter.write_line
        if self.config.getoption("cpu_times") == "files":
            counts = Counter(test.partition("::")[0] for test in self.tests)
            for file, seconds in _dearest(files):
                write(f"{seconds:8.1f} s {counts[file]:6} tests  {file}")
            for test, seconds in _dearest(self.tests)[:DEAREST]:
                if seconds > DEAR:
                    write(f"{seconds:8.1f} s  {test}")
        total, one = sum(files.values()) + self.outside, sum(self.units) / len(self.units)
        write(
            f"{total:.0f} CPU seconds, {self.outside:.0f} of them to start and to collect: {total / one:.0f} C "
            f"of {one:.2f} s; {int(wall) // 60} min {int(wall) % 60} s"
        )


def _dearest(seconds: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(seconds.items(), key=lambda pair: -pair[1])
