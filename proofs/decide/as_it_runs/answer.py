"""What a verdict on two programs becomes when they are run as people run them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from ...check.result import Result, evidence, sizes_text
from ...exact.counterexample import Counterexample, special
from .. import mistakes
from .comparing import Different, Runs
from .sides import FORMATS, Side

FAR = 2.0**-10
"""Exact results that differ by so much, relatively, are no results that rounding makes equal."""
METHOD = "run"
"""The method of evidence that is made of numbers as the frameworks compute them."""


def with_runs(result: Result, runs: Runs, sides: Sequence[Side], names: list[str]) -> Result:
    """The result of reading, and of running.

    A counterexample in exact numbers stays, unless the programs give equal numbers there as they run. Where programs
    differ as they run, they are refuted whatever was read of them; where one does not run, nothing is proved.

    Args:
        result: of what was read.
        runs: what came of running.
        sides: the programs.
        names: those of the arguments.
    """
    if result.verdict == "refuted":
        shown = result.counterexample
        if shown is None or not _equal_there(sides, shown):
            return result
        if runs.different is None:
            why = (
                f"as they are read, the two differ at {sizes_text(shown.sizes)}, and as they run they do not; "
                "please report it"
            )
            return Result("unknown", reason=why, definitions=result.definitions)
    if runs.different is not None and not _is_blur(result, runs.different):
        return _refuted(result, runs.different, names)
    taken = {one for entry in result.evidence for one in entry.get("assumes", ())}
    raised = [one for one in runs.raised if not one.is_taken_not_to(taken)]
    if result.verdict == "proved" and (raised or not runs.held):
        notes = "; ".join(runs.notes) or "neither of the two runs on arrays of these shapes"
        why = str(raised[0]) if raised else f"as they run: {notes}"
        return replace(result, verdict="unknown", scope=None, evidence=[], reason=why)
    if result.verdict == "unknown" and runs.held:
        agree = f"the two agree{' where both give numbers' if runs.partly else ''}"
        reason = "; ".join(filter(None, (result.reason, f"run {_tried(runs)}, {agree}")))
        return replace(result, reason=reason)
    return result


def _is_blur(result: Result, found: Different) -> bool:
    """Whether the difference is no larger than that of literals from what they mean."""
    a, b = found.actual, found.claimed
    if not result.blur or a.shape != b.shape:
        return False
    return bool(np.all(np.abs(a - b) <= result.blur * (1 + np.abs(a) + np.abs(b))))


def _equal_there(sides: Sequence[Side], shown: Counterexample) -> bool:
    """Whether both give numbers, and no different ones, where an exact difference is far from rounding."""
    try:
        exact = [np.asarray(_floats(one)) for one in (shown.actual, shown.claimed)]
        inputs = [np.asarray(_floats(one)) for one in shown.inputs.values()]
        own, other = (one.run(inputs, FORMATS[1])[shown.part] for one in sides)
    except mistakes.Errors:  # formulas in place of numbers; a program that does not run there
        return False
    if not own.shape == other.shape == exact[0].shape == exact[1].shape:
        return False
    gap = np.abs(exact[0] - exact[1])
    far = gap > FAR * (np.abs(exact[0]) + np.abs(exact[1]))
    return bool(np.any(far)) and bool(np.all(np.abs(own - other)[far] < gap[far] / 2))


def _floats(value: Any) -> Any:
    if isinstance(value, list):
        return [_floats(one) for one in value]
    return float(Fraction(value))


def _tried(runs: Runs) -> str:
    forms = " and ".join(sorted({form for _, form in runs.held}))
    sizes = {tuple(at.items()) for at, _ in runs.held}
    return f"in {forms} at {len(sizes)} choice{'s' * (len(sizes) > 1)} of sizes"


def _refuted(result: Result, shown: Different, names: list[str]) -> Result:
    how = f"{shown.how}, " if shown.how else ""
    kind = (
        "the two return arrays of other shapes"
        if shown.actual.shape != shown.claimed.shape
        else "false"
    )
    exact = [_nested(array, lambda x: str(Fraction(float(x)))) for array in shown.inputs]
    inputs = dict(zip(names, exact, strict=True))
    return Result(
        "refuted",
        reason=f"{how}in {shown.form}, {kind} at {sizes_text(shown.sizes)}",
        definitions=result.definitions,
        evidence=[evidence(METHOD, None, [shown.sizes], shown.form)],
        counterexample=Counterexample(
            shown.sizes,
            inputs,
            shown.part,
            *_told_apart(shown.claimed, shown.actual),
            shown.output,
            special=special(inputs),
        ),
    )


def _told_apart(claimed: np.ndarray, actual: np.ndarray) -> tuple[Any, Any]:
    """Both results in the fewest digits, from 8 on, in which they are told apart; 17 digits have every number."""
    first = second = None
    for digits in range(8, 18):
        first, second = (
            _nested(one, lambda x, n=digits: f"{x:.{n}g}") for one in (claimed, actual)
        )
        if first != second:
            break
    return first, second


def _nested(array: np.ndarray, text: Any) -> Any:
    return [_nested(one, text) for one in array] if array.ndim else text(array[()])
