"""`scanproof.prove`, `scanproof.check` and `scanproof.assert_equal`: the commands as functions, with typed results."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.budget import TIME_LIMIT
from scanproof.proofs.decide.ledger import Ledger
from scanproof.proofs.language import expect as expectation
from scanproof.proofs.language.source import Row, Source

from ._results import CheckResult, ProofResult

Target = str | os.PathLike[str] | ModuleType | Source | Ledger
SUFFICES = ("proved", "proved*", "unknown")
"""What may be asked of two functions in a test, from the most to the least."""
Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


def _blaming_the_call(function: Callable[Asked, Answer]) -> Callable[Asked, Answer]:
    """The function, of which a mistake in the call is raised at the call: no line of ours is shown below it."""

    @functools.wraps(function)
    def called(*given: Asked.args, **options: Asked.kwargs) -> Answer:
        __tracebackhide__ = True
        try:
            return function(*given, **options)
        except UsageError as error:
            raise error.with_traceback(None) from None

    return called


@_blaming_the_call
def prove(
    function: str | Callable[..., Any],
    *,
    equals: str | Callable[..., Any],
    shapes: str | Mapping[str, str] | None = None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    framework: str | None = None,
    steps: int | None = None,
    time_limit: float = TIME_LIMIT,
    compiled: bool = False,
    memory_limit: str | float | None = None,
    expect: str | None = None,
    tell: Callable[[str], None] = lambda what: None,
) -> ProofResult:
    """Whether a function of JAX or PyTorch equals its specification at every size, in exact real arithmetic.

    The result is true only if that is proved for all sizes, or if the verdict is the one that is expected.

    Args:
        function: the function, or its name: "module:name", or "file.py:name". It takes arrays and returns an array, or
            several in tuples, lists, dictionaries, named tuples and data classes, which are compared one by one.
        equals: the specification, likewise.
        shapes: "X: T f, Y: T k, q: f", by the arguments' names or in their order; from jaxtyping's annotations if not
            given. An argument with a default, and one that its function never reads, may be left out.
        sizes: where both are tried with numbers, such as {"T": (1, 2, 5)}; proofs begin at the least of them.
        framework: "jax" or "torch", for both, or "triton", for a function that launches kernels; if not given, each is
            told by what its module imports.
        steps: what the search for a proof may take; it ends after as many on any machine.
        time_limit: seconds that all of it may take; it is unknown then.
        compiled: whether functions for torch are run under torch.compile as well.
        memory_limit: what each of two processes may come to hold, such as "4G"; a quarter of the machine's if not
            given.
        expect: "proved", "refuted" or "unknown", where that is known beforehand.
        tell: hears what is tried, in words.

    Raises:
        UsageError: if a function is not found or takes other arguments, if shapes contradict it, if it does more than
            compute, or if JAX is not installed.
    """
    from scanproof.proofs.decide import proving
    from scanproof.proofs.search.session import EFFORT

    expectation.look_at(f"prove: expect={expect!r}", expect)
    outcome = proving.prove(
        function,
        equals=equals,
        shapes=shapes,
        sizes=sizes,
        framework=framework,
        steps=EFFORT if steps is None else steps,
        time_limit=time_limit,
        compiled=compiled,
        memory_limit=memory_limit,
        tell=tell,
    )
    return ProofResult(outcome, sizes, expect)


@_blaming_the_call
def assert_equal(
    function: str | Callable[..., Any],
    equals: str | Callable[..., Any],
    *,
    shapes: str | Mapping[str, str] | None = None,
    suffices: str = "proved",
    **options: Any,
) -> None:
    """Do nothing if a function is proved to equal its specification at every size; for tests.

    Args:
        function: the function, as `prove` takes it.
        equals: the specification, likewise.
        shapes: as `prove` takes them.
        suffices: "proved*" if it is enough that they are equal at the sizes that are tried, "unknown" if it is that
            nothing refutes it.
        options: others of `prove`.

    Raises:
        AssertionError: if not, with the inputs on which they differ and both outputs, or why it is not proved.
        UsageError: as `prove`.
    """
    __tracebackhide__ = True
    if suffices not in SUFFICES:
        raise UsageError(
            f"assert_equal: suffices={suffices!r}: no such verdict; allowed: {', '.join(SUFFICES)}."
        )
    found = prove(function, equals=equals, shapes=shapes, **options)
    is_star = found.verdict == "proved" and found.words != "proved"
    enough = {"proved*": is_star, "unknown": is_star or found.verdict == "unknown"}
    if found or enough.get(suffices, False):
        return
    least = "proved*" if is_star else found.verdict
    hint = f'\nIf that is enough for this test: suffices="{least}".' if least in SUFFICES else ""
    raise AssertionError(f"{found}{hint}")


@_blaming_the_call
def check(
    *targets: Target,
    engine: str = "all",
    jobs: int | None = None,
    time_limit: float = TIME_LIMIT,
    memory_limit: str | float | None = None,
) -> CheckResult:
    """The verdicts on the claims of files, modules and sources.

    The result has a row for each claim, and is true only if all of them and all amendments are proved for all sizes, or
    have the verdict that they expect.

    Args:
        targets: paths of claim files or of folders of them, modules, sources, ledgers; and ids, patterns of these and
            names of modules, as the command line has them. Without any, all rows of scanproof's own.
        engine: "all", "sympy", "flint", or "kernel", which is proofs for all sizes alone.
        jobs: processes at once; as many as there are processors if not given.
        time_limit: seconds after which a claim is given up, and unknown.
        memory_limit: memory at which it is, such as "4G", or a number of bytes.

    Raises:
        UsageError: if a target defines no claim, if a file cannot be read, or for an option that is not one.
    """
    from scanproof.proofs.decide import budget
    from scanproof.proofs.decide import row_verdicts as checking

    from ._targets import resolve

    given = [one for one in targets if not isinstance(one, str | os.PathLike)]
    names = [os.fspath(one) for one in targets if isinstance(one, str | os.PathLike)]
    sources = [source for one in given for source in _sources(one)]
    rows: list[Row] = [row for source in sources for row in source.rows]
    own = {row.claim.id for row in rows}
    files: list[str] = []
    pinned = None
    if names or not targets:
        seconds = budget.seconds("check: time_limit =", time_limit)
        memory = budget.memory("check: memory_limit =", memory_limit)
        chosen = resolve(names, budget=budget.Budget(seconds, memory))
        if chosen.problems:
            raise UsageError("; ".join(chosen.problems))
        sources += [s for s in chosen.ledger.sources if all(s is not one for one in sources)]
        rows += [row for row in chosen.rows if all(row is not one for one in rows)]
        own |= chosen.own
        files, pinned = chosen.files, chosen.pinned
    ledger = Ledger(sources)
    report = checking.check(
        ledger,
        rows,
        engine=engine,
        jobs=jobs,
        time_limit=time_limit,
        memory_limit=memory_limit,
        pinned=pinned,
    )
    return CheckResult(ledger, report, own, files, pinned)


def _sources(target: Any) -> list[Source]:
    """The sources that a target is or holds.

    Raises:
        UsageError: if it is nothing of the kind, or has no claim.
    """
    from scanproof.proofs.decide.ledger import sources_of

    if isinstance(target, ModuleType):
        file = getattr(target, "__file__", None)
        return sources_of(target, target.__name__ if file is None else Path(file).name)
    if isinstance(target, Ledger):
        return target.sources
    if not isinstance(target, Source):
        raise UsageError(
            f"check: {target!r} is of type {type(target).__name__}; give a path, a module, a Source, or an id."
        )
    if not target.rows:
        raise UsageError(
            f"check: the source {target.name} has no claim; decorate a function with @….claim(…)."
        )
    return [target]
