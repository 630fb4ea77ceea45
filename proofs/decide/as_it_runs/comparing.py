"""Two programs side by side at many inputs: where they differ, where one of them raises, and what was tried."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ...check.source import Source
from ...doors.outputs import said
from ...exact.plain import plainest
from ...language.sizes import Sizes, by_name
from ...statement.conditions import RAISES_NOTHING
from .. import mistakes
from .points import (
    ENTRIES,
    SMALL,
    Arrays,
    Points,
    few,
    fractions,
    larger_sizes,
    literal_sizes,
    many,
    small_sizes,
    up_to,
)
from .rounding import Apart, apart, close
from .sides import FORMATS, NARROW, Side

SECONDS, SHORT = 1.0, 0.1
"""Of this processor that eager runs may take, compiled ones, and those at larger sizes.

The short time is for what was read and proved, in a process that does nothing else meanwhile.
"""
LEAST = 2
"""Whatever it takes, so many choices of sizes are run; one of each kind where JAX compiles for what is settled.

So are all small ones with a number that stands in the code.
"""
NUMPY = "given NumPy's arrays"
COMPILED = "compiled"
COMPILED_AT = (1, 4)
"""At which of the small choices of sizes programs are compiled."""
SOON = (1, 5, 2, 0, 4, 3)
"""The order of small choices where each new shape takes a compiler's time: the largest is among the first."""
Draws = Callable[[Points], Iterator[Arrays]]
"""Which of the inputs of a shape are taken."""


@dataclass
class Different:
    """Inputs at which two programs give different results."""

    sizes: dict[str, int]
    form: str
    how: str
    """Nothing, "compiled", or "given NumPy's arrays"."""
    inputs: Arrays
    actual: np.ndarray
    claimed: np.ndarray
    part: int = 0
    output: str = ""
    """What the output is called that differs, if there are several."""


@dataclass
class Raised:
    """A program that does not run at some sizes, where the other does."""

    name: str
    sizes: dict[str, int]
    what: str

    def __str__(self) -> str:
        return f"at {by_name(self.sizes)} {self.name} does not run ({self.what})"

    def is_taken_not_to(self, taken: Collection[str]) -> bool:
        """Whether it is taken for granted that it does not raise this."""
        kind, where = self.what.split(" ")[0].rstrip(":"), self.what.rsplit(" at ", 1)[-1]
        return f"{RAISES_NOTHING} {kind} at {where}" in taken


@dataclass
class Runs:
    """What came of running two programs."""

    different: Different | None = None
    held: list[tuple[dict[str, int], str]] = field(default_factory=list)
    """Sizes and formats at which nothing was different."""
    raised: list[Raised] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Which formats were left out, and what happens at extreme inputs."""
    partly: bool = False
    """Whether an entry was a number in one program, and ∞ or none in the other."""


class Comparison:
    """Two programs that are run until they differ, or as long as they may take.

    Args:
        sides: the program and its specification.
        shapes: of the arguments, in letters.
        ranges: by letter, the sizes at which the claim is compared; none below the least of them is tried.
        formats: those in which they are run.
    """

    def __init__(
        self,
        sides: Sequence[Side],
        shapes: Sequence[str],
        ranges: Mapping[str, Sequence[int]],
        formats: Sequence[str] = FORMATS,
    ) -> None:
        self.formats = formats
        self.sides, self.shapes, self.ranges = sides, shapes, ranges
        self.small = list(small_sizes(ranges))
        self._seconds = SECONDS
        self.runs = Runs()
        self.quick = all(one.is_for_torch for one in sides)
        """Whether no compiler is asked at each new shape."""
        self._drawn = False
        """Whether a program gives other numbers each time, so that nothing is to be learned."""
        self._errors: dict[tuple[str, str], str] = {}
        self._tried: Counter[str] = Counter()
        self._stopped: list[str] = []
        """The sides that raised when both were run last."""
        self._failed: Counter[tuple[str, str]] = Counter()

    def run(self, seconds: float = SECONDS) -> Runs:
        """All that is tried: small sizes eagerly, some compiled, larger ones, and extreme inputs."""
        self._seconds = seconds
        for side in self.sides:  # imports do not count
            with suppress(*mistakes.Errors):
                side.load()
        eager = [(s, f) for s, forms in self._small() for f in forms]
        least = sum(self._is_of_the_code(sizes) for sizes, _ in eager)
        self._each(eager, False, many if self.quick else few, least)
        if any(one.compiles for one in self.sides):
            self._each(self._for_compilers(), True, many)
        larger = larger_sizes(self.ranges, self.shapes, self._source.numbers)
        self._each(((s, self.formats[0]) for s in larger), not self.quick, few)
        if not (self.runs.different or self._drawn):
            self._of_numpy()
        if self.runs.different:
            self.runs.different = self._plainest(self._smallest(self.runs.different))
        else:
            self._extreme()
        self.runs.notes += self._left_out()
        if self._drawn or self.runs.held or self.runs.different:
            return self.runs
        if self.formats is FORMATS:
            narrow = Comparison(self.sides, self.shapes, self.ranges, NARROW).run(seconds)
            return narrow if narrow.held or narrow.different else self.runs
        return self.runs

    def run_at_literals(self, seconds: float = SECONDS) -> Runs:
        """Both at sizes that stand in the code, and beside them, too large for `run`, in one format."""
        self._seconds = seconds
        every = ((sizes, self.formats[0]) for sizes in self.at_literals)
        self._each(every, not self.quick, few)
        if self.runs.different:
            self.runs.different = self._smallest(self.runs.different)
        return self.runs

    @property
    def at_literals(self) -> list[Sizes]:
        """Such sizes."""
        return literal_sizes(self.ranges, self.shapes, self._source.numbers)

    @cached_property
    def _source(self) -> Source:
        """The programs' code, and the numbers in it; nothing of what cannot be imported."""
        with suppress(*mistakes.Errors):
            return Source(side.itself for side in self.sides)
        return Source(())

    def _points(self, sizes: Sizes) -> Points:
        return Points(self.shapes, sizes, literals=self._source.literals)

    def _small(self) -> Iterator[tuple[Sizes, Sequence[str]]]:
        order = sorted(
            (k for k in (range(SMALL) if self.quick else SOON) if k < len(self.small)),
            key=lambda k: not self._is_of_the_code(self.small[k]),
        )
        for k in order:
            form = self.formats[k % len(self.formats)]
            yield self.small[k], self.formats if self.quick else (form,)

    def _is_of_the_code(self, sizes: Sizes) -> bool:
        """Whether one of these sizes is a number that stands in the code, other than 1 and 2, which most have."""
        return any(n > 2 and n in self._source.numbers for n in sizes.values())

    def _for_compilers(self) -> Iterator[tuple[Sizes, str]]:
        for turned in (False, True):
            for k, form in zip(COMPILED_AT, self.formats[:: -1 if turned else 1], strict=False):
                yield self.small[min(k, len(self.small) - 1)], form

    def _each(
        self, every: Iterable[tuple[Sizes, str]], compiled: bool, draws: Draws, least: int = 0
    ) -> None:
        began = time.process_time()
        least = max(least, LEAST if self.quick or self._seconds > SHORT else 1)
        for done, (sizes, form) in enumerate(every):
            over = done >= least and time.process_time() - began > self._seconds
            if self.runs.different or self._drawn or over:
                return
            others = [one for one in self.formats if one != form]
            if not any(self._at(sizes, one, compiled, draws) for one in (form, *others)):
                self._blame(sizes)

    def _smallest(self, shown: Different) -> Different:
        """The difference with each size in turn made the least at which it shows in the same format, while time lasts.

        At these sizes plain inputs show it if any do.
        """
        if shown.how == NUMPY:
            return shown
        began = time.process_time()
        draws = many if sum(array.size for array in shown.inputs) <= ENTRIES else few
        for name, values in sorted(self.ranges.items(), key=lambda size: shown.sizes[size[0]]):
            for n in up_to(shown.sizes[name], min(values), self._source.numbers):
                if time.process_time() - began > 2 * self._seconds:
                    return shown
                smaller = self._again({**shown.sizes, name: n}, shown, draws)
                if smaller is not None:
                    shown = smaller
                    break
        return shown

    def _again(self, sizes: Sizes, shown: Different, draws: Draws) -> Different | None:
        """A difference at other sizes, where there is one that shows in the same way."""
        self.runs.different = None
        held, raised = list(self.runs.held), list(self.runs.raised)
        compiled = not self.quick and shown.how == COMPILED  # torch compiles each shape for long
        self._at(sizes, shown.form, compiled, draws)
        self.runs.held, self.runs.raised = held, raised
        return self.runs.different

    def _plainest(self, shown: Different) -> Different:
        """The difference with inputs as plain as they can be, while time lasts."""
        began = time.process_time()
        if shown.how == NUMPY or not self._points(shown.sizes).are_few:
            return shown

        def differ(values: Mapping[str, np.ndarray]) -> bool:
            if time.process_time() - began > self._seconds:
                return False
            nonlocal shown
            inputs = [array.astype(float) for array in values.values()]
            how = shown.form, shown.how == COMPILED
            results = self._alike(inputs, shown.sizes, *how)
            found = None if results is None else apart(self.sides, inputs, *how, results)
            if results is None or found is None:
                return False
            if self._is_drawn(inputs, shown.sizes, *how, results):
                return False
            shown = self._different(shown.sizes, shown.form, shown.how, inputs, found)
            return True

        exact = {str(k): fractions(array) for k, array in enumerate(shown.inputs)}
        if differ(exact):
            plainest(exact, differ)
        return shown

    def _at(self, sizes: Sizes, form: str, compiled: bool, draws: Draws) -> bool:
        """Whether both run there; whatever is different is noted."""
        self._tried[form] += 1
        points, how = self._points(sizes), COMPILED if compiled else ""
        ran = raised = False
        for inputs in draws(points):
            results = self._results(inputs, sizes, form, compiled)
            if results is None:  # as at a singular matrix
                raised = True
                continue
            ran = True
            if _shapes(results[0]) != _shapes(results[1]):
                found = _other_shapes(results)
                self.runs.different = self._different(sizes, form, how, inputs, found)
                return True
            self.runs.partly |= any(
                np.any(np.isfinite(a) != np.isfinite(b)) for a, b in zip(*results, strict=True)
            )
            if close(results, form):
                continue
            if self._is_drawn(inputs, sizes, form, compiled, results):
                return True
            found = apart(self.sides, inputs, form, compiled, results)
            if found is not None:
                self.runs.different = self._different(sizes, form, how, inputs, found)
                return True
        if not ran:
            self._failed.update((form, name) for name in self._stopped)
            return False
        if raised:
            self._blame(sizes)
        self._without_value(points, sizes, form, compiled)
        self.runs.held.append((dict(sizes), form))
        return True

    def _results(
        self, inputs: Arrays, sizes: Sizes, form: str, compiled: bool
    ) -> tuple[Arrays, Arrays] | None:
        found, self._stopped = [], []
        for side in self.sides:
            try:
                found.append(side.run(inputs, form, compiled))
            except mistakes.Errors as error:
                self._errors[side.name, by_name(sizes)] = mistakes.said(error)
                self._stopped.append(side.name)
        return (found[0], found[1]) if len(found) == 2 else None

    def _alike(
        self, inputs: Arrays, sizes: Sizes, form: str, compiled: bool
    ) -> tuple[Arrays, Arrays] | None:
        """The results; None, too, where they are of other shapes."""
        found = self._results(inputs, sizes, form, compiled)
        return None if found is None or _shapes(found[0]) != _shapes(found[1]) else found

    def _is_drawn(
        self, inputs: Arrays, sizes: Sizes, form: str, compiled: bool, results: Sequence[Arrays]
    ) -> bool:
        """Whether a program gives other numbers when it is run again, which is noted."""
        again = self._results(inputs, sizes, form, compiled)
        for side, *both in zip(self.sides, results, again or results, strict=True):
            if not all(np.array_equal(a, b, equal_nan=True) for a, b in zip(*both, strict=True)):
                note = f"{side.name} gives other numbers each time it is run"
                self.runs.notes.append(note)
                self.runs.held.clear()  # as they would be by chance
                self._drawn = True
                return True
        return False

    def _different(
        self, sizes: Sizes, form: str, how: str, inputs: Arrays, found: Apart
    ) -> Different:
        results = found.actual, found.claimed
        output = self._output(found.part)
        return Different(dict(sizes), form, how, inputs, *results, found.part, output)

    def _output(self, part: int) -> str:
        """What the program, or its specification, calls one of the arrays that it returned last."""
        every = [side.outputs[part] for side in self.sides if part < len(side.outputs)]
        return said(every[0]) if every else ""

    def _without_value(self, points: Points, sizes: Sizes, form: str, compiled: bool) -> None:
        """Note an entry that one program makes finite and the other never, in no format and for no inputs.

        The inputs say nothing if that program makes all entries finite for none of them: they may lie outside of what
        both programs are for.
        """
        whole = [False, False]
        first: tuple[Arrays, tuple[Arrays, Arrays]] | None = None
        common: list[np.ndarray] | None = None
        for one in (form, *(f for f in self.formats if f != form)):
            for inputs in points.general():
                results = self._alike(inputs, sizes, one, compiled)
                if results is None:
                    return
                for side, result in enumerate(results):
                    whole[side] |= all(np.all(np.isfinite(array)) for array in result)
                here = [
                    np.isfinite(a).astype(int) - np.isfinite(b)
                    for a, b in zip(*results, strict=True)
                ]
                common = (
                    here
                    if common is None
                    else [np.where(a == b, a, 0) for a, b in zip(common, here, strict=True)]
                )
                first = first or (inputs, results)
                if not any(np.any(entries) for entries in common):
                    return
        assert first is not None and common is not None
        common = [np.where(whole[0], n > 0, 0) - np.where(whole[1], n < 0, 0) for n in common]
        part = next((k for k, entries in enumerate(common) if np.any(entries)), None)
        if part is None:
            return
        for inputs in points.plain():  # which show it as well, most often
            results = self._alike(inputs, sizes, form, compiled)
            if results is None:
                continue
            finite = [np.isfinite(result[part]).astype(int) for result in results]
            if np.any((common[part] != 0) & (finite[0] - finite[1] == common[part])):
                first = inputs, results
                break
        inputs, (actual, claimed) = first
        found = Apart(part, actual[part], claimed[part])
        how = COMPILED if compiled else ""
        self.runs.different = self._different(sizes, form, how, inputs, found)

    def _of_numpy(self) -> None:
        """Note results that are others where arrays are NumPy's, and the same where they are JAX's."""
        sizes = self.small[min(1, len(self.small) - 1)]
        inputs = next(Points(self.shapes, sizes).general())
        form = self.formats[-1]  # that of eager runs at these sizes, for which all is compiled
        own, other = (one.of_numpy(inputs, form) for one in self.sides)
        if own is None or other is None or _shapes(own) != _shapes(other):
            return
        found = apart(self.sides, inputs, form, False, (own, other))
        if found is not None:
            self.runs.different = self._different(sizes, form, NUMPY, inputs, found)

    def _blame(self, sizes: Sizes) -> None:
        """Note the program that does not run at sizes at which the other does."""
        at = by_name(sizes)
        failed = [one.name for one in self.sides if (one.name, at) in self._errors]
        if len(set(failed)) == 1 and self.sides[0].name != self.sides[1].name:
            found = Raised(failed[0], dict(sizes), self._errors[failed[0], at])
            if found not in self.runs.raised:
                self.runs.raised.append(found)

    def _extreme(self) -> None:
        if not self.small:
            return
        sizes = self.small[min(1, len(self.small) - 1)]
        for form in self.formats:
            inputs = Points(self.shapes, sizes).extreme()
            results = self._alike(inputs, sizes, form, not self.quick)
            if results is None:
                continue
            for side, own, other in zip(self.sides, results, reversed(results), strict=True):
                pairs = zip(own, other, strict=True)
                if any(np.any(~np.isfinite(a) & np.isfinite(b)) for a, b in pairs):
                    self.runs.notes.append(
                        f"at inputs up to {max(np.abs(x).max(initial=0) for x in inputs):.0f} ({by_name(sizes)}, "
                        f"{form}) {side.name} gives NaN or infinity where the other gives a number"
                    )

    def _left_out(self) -> Iterator[str]:
        for (form, name), count in self._failed.items():
            if count >= self._tried[form]:
                what = next(w for (n, _), w in self._errors.items() if n == name)
                yield f"{form} is left out: {name} does not run in it ({what})"


def _shapes(results: Arrays) -> list[tuple[int, ...]]:
    return [one.shape for one in results]


def _other_shapes(results: tuple[Arrays, Arrays]) -> Apart:
    """The first array of another shape, or that the other program does not return."""
    nothing = np.zeros(0)
    for part in range(max(map(len, results))):
        one, other = (r[part] if part < len(r) else nothing for r in results)
        if one.shape != other.shape:
            return Apart(part, one, other)
    raise AssertionError("shapes that differ")
