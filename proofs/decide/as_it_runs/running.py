"""Both programs of `prove` run beside what is read of them, and what becomes of its answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...check.result import Result
from ...doors.aten.programs import Program
from ...language.sizes import by_name, format_of, names, of_reals, shape
from ..budget import Budget
from .answer import with_runs
from .comparing import SECONDS, SHORT, Comparison, Runs
from .process import Beside
from .sides import FORMATS, Side

AT_LITERALS = 15.0
"""Seconds that both may take at large sizes that stand in their text."""
PATIENCE, COMPILING = 30.0, 600.0
"""Seconds that running both may take longer than reading them, and where functions for torch are compiled."""


class Running:
    """Both programs as they run.

    Args:
        targets: the program and its specification: their names, or the functions.
        frameworks: "jax" or "torch", of each.
        read: the functions of their frameworks' arrays that are read; None for what is not.
        given: the arguments' shapes, by name.
        sizes: where the claim is compared, if that is said.
        compiled: whether functions for torch are run under torch.compile as well.
        budget: what the process in which they run may take.
    """

    def __init__(
        self,
        targets: Sequence[str | Callable[..., Any]],
        frameworks: tuple[str, str],
        read: Sequence[Callable[..., Any] | None],
        given: Mapping[str, str],
        sizes: Mapping[str, Sequence[int]],
        compiled: bool,
        budget: Budget,
    ) -> None:
        self.frameworks = frameworks
        self._names, self._compiled = list(given), compiled
        self._shapes, formats = [*map(of_reals, given.values())], [*map(format_of, given.values())]
        self._sides = [
            Side(
                target,
                framework == "torch",
                one,
                compiled and framework == "torch",
                self._names,
                formats,
            )
            for target, framework, one in zip(targets, frameworks, read, strict=True)
        ]
        self._sides[1].like = self._sides[0]
        self._ranges = {name: sizes.get(name, (1,)) for name in names(self._shapes)}
        at_literals = lambda: self._compared(FORMATS).run_at_literals()  # noqa: E731
        run, for_jax = self._compared(FORMATS).run, "jax" in frameworks
        self._beside = Beside(run, SECONDS, budget, at_literals, for_jax)

    def _compared(self, formats: Sequence[str]) -> Comparison:
        return Comparison(self._sides, self._shapes, self._ranges, formats)

    def answer(self, result: Result, seconds: float, stopped: str = "") -> tuple[Result, Runs]:
        """What the result of reading becomes, and what came of running.

        Args:
            result: of what was read.
            seconds: no longer than these is waited.
            stopped: why this process runs nothing any more.
        """
        began = time.monotonic()
        runs, missing = None, stopped
        if not stopped or self._beside.is_apart:
            longest = min(max(seconds, 1.0), COMPILING if self._compiled else PATIENCE)
            settled = result.verdict in ("proved", "refuted")
            answered = self._beside.answer(longest, SHORT if settled else SECONDS)
            runs, missing = answered.value, answered.missing
        if not isinstance(runs, Runs):
            runs = Runs(notes=[f"running the two: {missing}"])
        formats = self._formats()
        left = 0.0 if stopped else seconds - (time.monotonic() - began)
        if runs.different is not None and runs.different.form not in formats:
            note = f"in {runs.different.form} the two differ at {by_name(runs.different.sizes)}"
            runs = self._compared(formats).run(SHORT)
            runs.notes.append(note)
        answer = with_runs(result, runs, self._sides, self._names)
        is_open = answer.verdict in ("unknown", "proved")
        if is_open and runs.held and self._at_literals(runs, left, formats):
            answer = with_runs(result, runs, self._sides, self._names)
        self.end()
        return answer, runs

    def _at_literals(self, runs: Runs, seconds: float, formats: Sequence[str]) -> bool:
        """Run both at large sizes that stand in their code; whether they differ there."""
        every = self._compared(formats).at_literals
        if not every:
            return False
        answer = self._beside.later(min(seconds, AT_LITERALS)) if seconds > 0 else None
        if answer is None or not isinstance(answer.value, Runs):
            why = "JAX has computed in this process" if seconds > 0 else "no time is left"
            if answer is not None:
                is_memory = answer.hit is not None and answer.hit.what == "memory"
                why = answer.ended or f"they take too {'much memory' if is_memory else 'long'}"
            runs.notes.append(
                f"at the sizes that stand in their text, {by_name(every[0])} first, the two were not run to the "
                f"end: {why}"
            )
            return False
        large = answer.value
        runs.notes += large.notes
        runs.held += large.held
        runs.raised += large.raised
        if large.different is not None and large.different.form in formats:
            runs.different = large.different
        return runs.different is not None

    def _formats(self) -> Sequence[str]:
        """The formats of which what is read speaks: torch's default alone, where a program is another in float64."""
        least = {name: max(min(values), 2) for name, values in self._ranges.items()}
        shapes = [shape(text, least) for text in self._shapes]
        read = (one.read for one in self._sides if one.is_for_torch and one.read is not None)
        return FORMATS[:1] if any(Program(one).only_for(shapes) for one in read) else FORMATS

    def end(self) -> None:
        """Run no more."""
        self._beside.end()
