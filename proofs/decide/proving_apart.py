"""`prove` in a process of its own: programs that end it, or do not let themselves be stopped, cost one line."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from scanproof.constructs.errors import UsageError

from ..check.result import Result
from ..language.libraries import has_threads
from ..language.sizes import shapes_in
from . import annotations, mistakes, targets
from .as_it_runs.running import Running
from .budget import Budget
from .in_order import Tell
from .outcome import Outcome
from .proving import prove, run_beside
from .workers import AtWork, run

ALONE = 10.0
"""Seconds in which both are run alone, beyond the limit, where reading them had to be ended from outside."""


def prove_apart(
    function: str,
    *,
    shapes: str | None,
    equals: str,
    within: Budget,
    tell: Tell,
    **options: Any,
) -> Outcome:
    """What `prove` finds out, with its arguments.

    Where JAX computed before, whose threads do not survive a copy of the process, it runs in this one.

    Raises:
        UsageError: as `prove`, and if the programs end their process.
    """
    options = {**options, "shapes": shapes, "equals": equals}
    options |= {"time_limit": within.seconds, "memory_limit": within.memory}
    if has_threads():
        return prove(function, **options, tell=tell)
    task = partial(_proved, function, options)
    hard = within.with_grace()
    (answer,) = run(
        [task],
        jobs=1,
        time_limit=hard.seconds,
        memory_limit=hard.memory,
        watch=partial(_tell, tell),
    )
    names = f"prove {function} = {equals}"
    if answer.hit is not None:
        reason = str(within.limit(answer.hit.what, answer.hit.where))
        given = shapes_in(shapes) if shapes is not None else annotations.shapes((function, equals))
        outcome = Outcome(function, equals, given, Result("unknown", reason=reason))
        return _run_alone(outcome, within, options)
    if answer.ended is not None:
        raise UsageError(
            f"{names}: the process in which they ran ended with {answer.ended}; a program returns arrays, and ends "
            "no process."
        )
    return answer.value


def _run_alone(outcome: Outcome, within: Budget, options: Mapping[str, Any]) -> Outcome:
    """What comes of running both where reading them had to be ended from outside, as code in C has."""
    names = outcome.program, outcome.specification
    said = targets.of_each(options.get("framework"))
    frameworks = tuple(targets.framework_of(*one) for one in zip(names, said, strict=True))
    running = Running(
        names,
        (frameworks[0], frameworks[1]),
        (None, None),
        outcome.shapes,
        options.get("sizes") or {},
        options.get("compiled", False),
        within,
    )
    run_beside(outcome, running, ALONE)
    return outcome


def _proved(function: str, options: dict[str, Any]) -> Outcome:
    try:
        return prove(function, **options)
    except Exception:
        raise
    except BaseException as error:  # no Ctrl-C, which this process does not hear
        names = f"prove {function} = {options['equals']}"
        raise UsageError(f"{names}: it does not run: {mistakes.said(error)}.") from None


def _tell(tell: Tell, at_work: Mapping[int, AtWork]) -> None:
    for one in at_work.values():
        tell(one.stage)
