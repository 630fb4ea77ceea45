"""`prove`: a user's function of JAX or PyTorch against a specification, as a claim like any other.

    prove("mymodule:forward", shapes="X: T f, Y: T k, q: f", equals="mymodule:specification")

The claim goes through all engines: exact arithmetic at small sizes, the kernel for all sizes, counterexamples and near
misses where it is false.
"""

from __future__ import annotations

import inspect
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.errors import UsageError

from ..doors.frameworks import FRAMEWORKS
from ..doors.jaxpr import purity
from ..doors.meant import Literal, taken
from ..doors.outputs import matched, paths, said
from ..doors.program import together
from ..doors.refused import Refused
from ..exact.engines import UnequalShapes
from ..exact.instance import MOST_SYMBOLS
from ..interpret.questions import Unreadable
from ..language import stage
from ..language.claim import Claim
from ..language.fields import RESERVED
from ..language.sizes import (
    DEFAULT_RANGE,
    Sizes,
    by_name,
    names,
    of_reals,
    ranges_of,
    shape,
    shapes_of,
    whole,
)
from ..language.source import Source
from ..language.statements import equal
from ..search.session import EFFORT, allowing
from . import annotations, joined_axes, labels, mistakes, targets
from .as_it_runs.running import Running
from .budget import TIME_LIMIT, Budget, Stopped, of_machine, stopping
from .budget import memory as memory_in
from .budget import seconds as seconds_in
from .called import Both, readings
from .in_order import Tell, in_cases
from .outcome import Outcome
from .reading import Side, every_literal
from .rounding import beyond_rounding
from .verdict import Result

RESERVED_NAME = re.compile(rf"\b({'|'.join(RESERVED)})\b")
FIRST = 3
"""At this size, and others beside it, the program is first traced: errors of its own come out then."""
LATER = 2
"""So much larger are the sizes at which it is seen which literals depend on sizes."""
SIDE_BY_SIDE = 2
"""Programs are read in one process while they run in another."""
SEARCHING = 0.75
"""The share of its time that the search for a proof gets; the rest is for counterexamples, and for running both."""
LETTERS = 4
"""With more letters for sizes than this, each is tried at 1 and 2 if nothing else is said."""


def prove(
    function: str | Callable[..., Any],
    *,
    shapes: str | Mapping[str, str] | None = None,
    equals: str | Callable[..., Any],
    sizes: Mapping[str, Sequence[int]] | None = None,
    framework: str | None = None,
    steps: int = EFFORT,
    time_limit: float = TIME_LIMIT,
    compiled: bool = False,
    memory_limit: str | float | None = None,
    tell: Tell = lambda what: None,
) -> Outcome:
    """Whether a function of JAX or PyTorch equals its specification at every size, in exact real arithmetic.

    Args:
        function: "module:name", or the function itself; it takes arrays and returns an array, or several.
        shapes: "X: T f, Y: T k, q: f", one array for each argument, by the arguments' names or in their order. A
            dimension is a whole number, a sum of sizes, or a product such as n*C, n chunks of C; an argument without
            dimensions is a number. "y: T in C" are labels, T whole numbers from 0 to C − 1, and "m: T bool" truths.
            Arguments with a default, and those that a function never reads, may be left out.
            If no shapes are given, they are those of the program's annotations of jaxtyping, or its specification's.
        equals: the specification, likewise: of JAX arrays, or of arrays of any kind, as definitions of scanproof are.
        sizes: where the claim is checked with numbers, such as {"T": (1, 2, 5)}; if not given, 1, 2, 3, or fewer with
            more than four letters, or where arrays are long. The proof is for all sizes from the least of them on.
        framework: "jax" or "torch", for both, or "triton", for the program, which launches kernels; if not given, each
            is told by what its module imports.
        steps: what the search for a proof may take, in monomials looked at; it ends after as many on any machine.
        time_limit: seconds that all of it may take besides, of this machine's time; it is unknown then.
        compiled: whether functions for torch are run under torch.compile as well.
        memory_limit: what this process, and the one beside it in which the programs run, may each come to hold more
            than it does, such as "4G" or a number of bytes; a quarter of the machine's if not given.
        tell: hears what is tried, in words.

    Raises:
        UsageError: if a function is not found or takes other arguments, if shapes contradict it, if it does more than
            compute, or if JAX is not installed.
    """
    limits = (
        seconds_in("prove: time_limit =", time_limit),
        memory_in("prove: memory_limit =", memory_limit, SIDE_BY_SIDE),
    )
    whole(f"prove: steps = {steps!r}", steps)
    started = time.perf_counter()
    both_of = function, equals
    _expect_functions(both_of, framework)
    given = annotations.shapes(both_of) if shapes is None else shapes_of(shapes)
    ranges = ranges_of(sizes or {}, names([*map(of_reals, given.values())]))
    labels.expect_some(given, ranges)
    trial = _Trial(both_of, given, ranges, framework, compiled, Budget(*limits))

    def left() -> float:
        return time_limit - (time.perf_counter() - started)

    try:
        with stage.heard(tell), stopping(trial.budget):
            stage.begin("loading the programs")
            trial.read(steps, left)
            stage.begin("running both")
            trial.run_beside(left())
    except (Stopped, MemoryError) as error:
        trial.stop(str(of_machine(error) if isinstance(error, MemoryError) else error))
    except BaseException:
        trial.end()
        raise
    found = trial.outcome
    found.seconds = time.perf_counter() - started
    return found


def _expect_functions(both_of: Sequence[str | Callable[..., Any]], framework: str | None) -> None:
    """See that both are functions or names, of a framework that there is."""
    for target in both_of:
        if not isinstance(target, str) and not callable(target):
            raise UsageError(
                f"prove: {target!r} is no function; give one, or its name, such as 'mymodule:forward'."
            )
    if framework not in (None, *FRAMEWORKS):
        known = ", ".join(FRAMEWORKS)
        raise UsageError(f"prove: framework={framework!r}: no such framework; allowed: {known}.")


@dataclass
class _Trial:
    """Two functions, what was found out about them, and the process beside this one in which they run."""

    both_of: tuple[str | Callable[..., Any], str | Callable[..., Any]]
    given: dict[str, str]
    ranges: Mapping[str, Sequence[int]]
    framework: str | None
    compiled: bool
    budget: Budget
    found: Outcome | None = None
    running: Running | None = None

    @property
    def outcome(self) -> Outcome:
        """What was found out."""
        assert self.found is not None
        return self.found

    def read(self, steps: int, left: Callable[[], float]) -> None:
        """Read both in one way after another, until one settles whether they are equal; run them meanwhile."""
        try:
            for both in readings(*self.both_of, self.given, self.framework):
                self._begin(both.frameworks, both.written, both.asked)
                again = _answer(both, self.ranges, steps, SEARCHING * left())
                settled = again.result.scope == "all-sizes" or again.result.verdict == "refuted"
                if self.found is None or settled:
                    self.found = again
                if settled:
                    break
        except Unreadable as error:
            self.found = self.found or self._unknown(str(error))
        if self.running is None:
            pairs = zip(self.both_of, targets.of_each(self.framework), strict=True)
            first, second = (targets.framework_of(*pair) for pair in pairs)
            self._begin((first, second), (None, None), self.given)

    def _begin(self, frameworks: Any, written: Any, asked: Mapping[str, str]) -> None:
        """Begin to run both, unless they run already."""
        how = frameworks, written, asked, self.ranges, self.compiled, self.budget
        self.running = self.running or Running(self.both_of, *how)

    def _unknown(self, why: str) -> Outcome:
        one, other = map(targets.name, self.both_of)
        return Outcome(one, other, self.given, Result("unknown", reason=why))

    def run_beside(self, seconds: float, stopped: str = "") -> None:
        """Change what was found out by what comes of running both."""
        if self.running is not None:
            run_beside(self.outcome, self.running, seconds, stopped)

    def stop(self, why: str) -> None:
        """End where a limit is met; what was found out before stands."""
        self.found = self.found or self._unknown(why)
        self.run_beside(0.0, why)

    def end(self) -> None:
        """End the process beside this one, if it runs."""
        if self.running is not None:
            self.running.end()


def run_beside(found: Outcome, running: Running, seconds: float, stopped: str = "") -> None:
    """Change the outcome by what comes of running both."""
    found.result, runs = running.answer(found.result, seconds, stopped)
    found.notes, found.frameworks = [*labels.said(found.shapes), *runs.notes], running.frameworks
    if found.result.counterexample is not None:
        shown = labels.shown(found.result.counterexample, found.shapes)
        found.result = replace(found.result, counterexample=shown)
    if runs.different is not None and found.result.verdict == "refuted":
        found.format, found.how = runs.different.form, runs.different.how
        found.proved, found.cases, found.leftover = [], [], []


def _answer(both: Both, sizes: Mapping[str, Sequence[int]], steps: int, seconds: float) -> Outcome:
    """What is found out about two programs that are read in one way; `unknown` if one is not read."""
    claim = _claim(both, _at_fewer(list(both.given.values()), sizes))
    try:
        with allowing(steps, seconds):
            return _decided(both, claim, sizes)
    except (UnequalShapes, Unreadable) as error:  # which shows where they are run
        return Outcome(both.name, both.other, both.asked, Result("unknown", reason=str(error)))
    except (UsageError, MemoryError):
        raise
    except mistakes.Errors as error:
        if not mistakes.is_users(error):
            raise
        raise mistakes.of_sides(both.sides, claim, error) from error


def _decided(both: Both, claim: Claim, sizes: Mapping[str, Sequence[int]]) -> Outcome:
    """What is found out about two programs.

    Raises:
        Unreadable: if one of them is not read even with numbers for sizes.
        Exception: what they raise.
    """
    first = {n: max(min(r), k) for k, (n, r) in enumerate(claim.ranges.items(), start=FIRST)}
    for side in both.sides:
        with stage.within(f"tracing {side.name}"), stage.at(first):
            _traced_once(side, claim, first, both.asked)
            side.expect_read(claim, first)
    found = in_cases(claim, sizes, stage.begin)
    if found.result.undefined:
        why = f"at sizes that are tried it has no value ({found.result.reason}); try others by --sizes"
        return Outcome(both.name, both.other, both.asked, Result("unknown", reason=why))
    if found.result.verdict == "error":
        raise UsageError(f"prove {both.name}: {found.result.reason}")
    stage.begin("looking at their numbers")
    result, read = _as_written(both, claim, found.result, first)
    return Outcome(
        program=both.name,
        specification=both.other,
        shapes=both.asked,
        result=result,
        literals=read,
        cases=found.cases,
        proved=found.proved,
        leftover=found.leftover,
        format=both.sides[0].format(claim, first) if both.sides else "float64",
        calls=both.calls,
    ).renamed({new: old for old, new in _free_names(both).items() if new != old})


def _as_written(
    both: Both, claim: Claim, result: Result, first: Sizes
) -> tuple[Result, list[Literal]]:
    """The result for the programs as they run, in their own shapes; and their literals that were read as others."""
    sides = both.sides
    every = every_literal(sides, claim, first)
    read = [one for one in every if not one.meant.is_exactly(one.value)]
    if result.verdict == "refuted":
        result = beyond_rounding(claim, result, lambda at: every_literal(sides, claim, at))
    if result.scope == "all-sizes":
        # A number such as √3, which is another at T = 4, is none of a symbol's.
        later = {n: v + LATER for n, v in first.items()}
        there = {(one.value, one.place) for one in every_literal(sides, claim, later)}
        read = [one for one in read if (one.value, one.place) in there]
    if result.verdict == "proved" and read:
        result = _taking(result, read)
    if result.verdict == "proved":
        result = _granted(result, [one.taken(claim, first) for one in sides])
    if both.groups is not None and result.counterexample is not None:
        groups = {new: both.groups[n] for n, new in _free_names(both).items()}
        parts = joined_axes.shown(result.counterexample, groups, both.outputs)
        result = replace(result, counterexample=parts)
    return result, read


def _at_fewer(
    shapes: Sequence[str], sizes: Mapping[str, Sequence[int]]
) -> Mapping[str, Sequence[int]]:
    """The sizes that are given, and for others fewer than usual where there are many letters, or many entries."""
    letters = names(shapes)
    usual = DEFAULT_RANGE if len(letters) <= LETTERS else DEFAULT_RANGE[:2]
    found = {**dict.fromkeys(letters, usual), **sizes}
    free = [name for name in letters if name not in sizes]
    while _entries(shapes, found) > MOST_SYMBOLS:
        widest = max(free, key=lambda name: len(found[name]), default=None)
        if widest is None or len(found[widest]) == 1:
            break
        found[widest] = found[widest][:-1]
    return found


def _entries(shapes: Sequence[str], sizes: Mapping[str, Sequence[int]]) -> int:
    """How many entries arrays have where each size is the greatest that is tried."""
    greatest = {name: max(values) for name, values in sizes.items()}
    return sum(math.prod(shape(text, greatest)) for text in shapes)


def _claim(both: Both, sizes: Mapping[str, Sequence[int]]) -> Claim:
    """That the two are equal; a size or an input may have a name that bodies of claims have for something else."""
    source = Source("program", title=both.name)
    sides = {one.role: one.called for one in both.sides}
    left, right = (
        sides.get(role) or definition(one)  # which runs on any arrays
        for role, one in (("program", both.forward), ("specification", both.specification))
    )
    inputs = _free_names(both)

    def body(**values: Any) -> Any:
        arrays = [values[n] for n in inputs.values()]
        if len(both.sides) == 2:
            found, wanted = map(paths, together(left, right)(*arrays))
        else:
            found, wanted = paths(left(*arrays)), paths(right(*arrays))
        if len(found) != len(wanted):
            raise UsageError(
                f"{both.name} returns {len(found)} arrays, and {both.other} {len(wanted)}, a complex one counted as "
                "two; return as many."
            )
        own, others = ([path for path, _ in one] for one in (found, wanted))
        order = matched(f"prove {both.name} = {both.other}", own, others)
        pairs = zip(found, [wanted[k] for k in order], strict=True)
        return [equal(a, b, said(one) or said(other)) for (one, a), (other, b) in pairs]

    body.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in inputs.values()]
    )
    renamed = {inputs[n]: _free(text) for n, text in both.given.items()}
    others = {_free(n): values for n, values in sizes.items()}
    says = f"{both.name} = {both.other}"
    row = source.claim("program.equals", says=says, given=renamed, sizes=others)(body)
    given = {inputs[n]: text for n, text in both.given.items()}
    return replace(row.claim, given=given, sizes=dict(sizes))


def _free(text: str) -> str:
    return RESERVED_NAME.sub(r"\1_", text)


def _free_names(both: Both) -> dict[str, str]:
    """For each input a name that bodies of claims have for nothing else."""
    taken = {*both.given, *names(list(both.given.values()))}
    found = {}
    for name in both.given:
        new = name
        while new in RESERVED or (new != name and new in taken):
            new += "_"
        found[name] = new
    return found


def _traced_once(side: Side, claim: Claim, at: Sizes, asked: Mapping[str, str]) -> None:
    """Trace a program at one size, so that its own mistakes are reported in a line.

    Raises:
        UsageError: if it does not run on arrays of these shapes, or does more than compute.
        Unreadable: if it is not read.
    """
    try:
        with purity.pure(side.name, side.how):
            first, again = side.once(claim, at), side.once(claim, at)
    except Refused as error:
        raise Unreadable(str(error)) from error
    except (UsageError, Unreadable):
        raise
    except mistakes.Errors as error:
        shapes = ", ".join(str(labels.own_shape(text, at)) for text in asked.values())
        raise UsageError(
            f"{side.name} does not run on arrays of shapes {shapes} ({by_name(at)}) {side.how}: {mistakes.said(error)}"
        ) from error
    purity.same(side.name, first, again)


def _taking(result: Result, read: Sequence[Literal]) -> Result:
    """What holds at fixed sizes holds of the numbers that literals mean, as a proof by the kernel says itself."""
    notes = dict.fromkeys(taken(one.value, one.meant) for one in read)
    evidence = [
        {**one, "assumes": [*one.get("assumes", ()), *notes]}
        if one["scope"] == "fixed-size"
        else one
        for one in result.evidence
    ]
    return replace(result, evidence=evidence)


def _granted(result: Result, taken: Sequence[tuple[list[str], list[str]]]) -> Result:
    """The same, saying in which format programs are read, and of identities at some sizes where they say nothing."""
    notes = [note for _, own in taken for note in own][:1]
    at_sizes = dict.fromkeys(one for own, _ in taken for one in own)

    def with_notes(entry: dict[str, Any]) -> dict[str, Any]:
        new = [*(at_sizes if entry["scope"] == "fixed-size" else ()), *notes]
        every = list(dict.fromkeys([*entry.get("assumes", ()), *new]))
        return {**entry, "assumes": every} if every else entry

    return replace(result, evidence=[with_notes(one) for one in result.evidence])
