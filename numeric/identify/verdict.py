"""The verdict on weights as one sentence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..rounding.arithmetic import FORMATS
from . import rule as rules
from .entries import Near
from .recognition import UNDEFINED, Recognition, listed
from .report import (
    CONSTANT,
    NEAREST,
    NONE,
    PRECONDITIONED,
    Number,
    Report,
    Running,
    is_shown_exactly,
    shown,
)
from .roundings import simple
from .rule import LETTERS, Rule, steps

MEASURED = "as far as measured"
SMALL = 2.0**-30
"""Initial weights that were measured and are no more than this are what is left of 0."""
ROUGH = 2**7
"""Unit roundoffs, relative: what runs of layers that neither overflow nor cancel are off by, at most."""
OVERFLOW = "predictions overflow on the tasks, and nothing can be compared"
"""What is said of weights whose predictions do."""


def of(report: Report, formats: Sequence[str], found: Recognition | None) -> str:
    """The sentence for a report on a linear model that is complete otherwise.

    Args:
        report: on the model.
        formats: those of the weights.
        found: the rule, if one was derived.
    """
    if report.rule == NONE:
        return _none(report, found)
    close = min(FORMATS[dtype].unit for dtype in formats) * 4
    rule = _as_shown(report, found, close)
    own = _in_exact_numbers(report, found)
    rounded = any(a != b for a, b in zip(_numbers_of(rule), _numbers_of(own), strict=True))
    how = "exactly "
    if found is None:
        how = f"{MEASURED} "
    elif found.deviation:
        how = f"up to a relative deviation of {found.deviation:.1e} "
    elif rounded:
        how = f"up to rounding of its {' and '.join(sorted(set(formats)))} numbers "
    elif not all(map(is_shown_exactly, _numbers_of(rule))):
        how = "up to the digits that are shown "
    running = report.running
    rough = running is not None and is_rough(running)
    if rough:
        how = (
            f"in exact numbers, {how}"
            if (found and found.deviation) or rounded
            else "in exact numbers "
        )
    where = " on examples with linear targets y = Wᵀx" if found and found.linear else ""
    W0 = np.array(report.W0, dtype=object)
    start = "W0 = 0" if not W0.any() else "a W0 other than 0"
    sentence = f"{how}{_what(report, rule, found)} from {start}{where}"
    sentence += f", {_numbers(found)}" if found else ""
    sentence += f"; but {running.words}" if running and rough else ""
    if report.deviations_in_all and report.same_function:
        sentence += "; it differs in form from the construction, and is the same function"
    return sentence


def _in_exact_numbers(report: Report, found: Recognition | None) -> Rule:
    """The rule of a report, with the step sizes that it has."""
    size = report.step_size
    assert size is not None
    each = size.each or (size.value,) * (report.steps or 0)
    first = Rule((), np.zeros((1, 1))) if found is None else found.first
    return first._replace(step_sizes=tuple(each))


def _numbers_of(rule: Rule) -> list[Number]:
    """Those that are shown in words."""
    more = [getattr(rule, field) for field in LETTERS]
    return [
        *(() if rule.preconditioner is not None else rule.step_sizes),
        *(n for n in more if n is not None),
    ]


def _as_shown(report: Report, found: Recognition | None, close: float) -> Rule:
    """The same with simple numbers where its own are roundings of them."""
    rule, nearest = _in_exact_numbers(report, found), report.step_size and report.step_size.nearest
    if nearest is not None:
        rule = rule._replace(step_sizes=(nearest,) * rule.steps)
    for field in LETTERS:
        number = getattr(rule, field)
        if number is not None and number != 0:
            rule = rule._replace(**{field: simple(float(number), close) or number})
    return rule


def is_rough(running: Running, layers: int = 1, least: str = "float64") -> bool:
    """Whether running is further off than rounding is, where nothing overflows or cancels.

    Args:
        running: in the format of the weights.
        layers: of the model.
        least: the format in which a part of it runs, if that one is wider.
    """
    unit = max(FORMATS[dtype].unit for dtype in (running.dtype, least))
    return not running.relative <= layers * ROUGH * unit


def _numbers(found: Recognition) -> str:
    """The numbers of examples for which a rule was established."""
    said = [f"at n = {listed(found.everywhere)}"] if found.everywhere else []
    if found.likely:
        said.append(f"at random points for n = {listed(found.likely)}")
    return " and ".join(said)


def _what(report: Report, rule: Rule, found: Recognition | None) -> str:
    size = report.step_size
    assert size is not None
    over = "" if size.dependence == CONSTANT else f" {size.dependence}"
    if found is not None and len(found.rules) == 1:  # the sentence ends with that number
        over = ""
    if report.rule == PRECONDITIONED:
        what = f"{PRECONDITIONED} with the matrix Γ{over} ({report.preconditioner_kind})"
        return f"{steps(rule.steps)} of {what}"
    up = sum(each < 0 for each in (found.first if found else rule).step_sizes)
    sign = f", {up} of them up the gradient" if 0 < up < rule.steps else ""
    sign = ", up the gradient" if up == rule.steps else sign
    if found and "negative" in over:
        sign = f"{sign or ', down the gradient'} there"
    more = any(getattr(rule, field) is not None for field in LETTERS)
    return rules.words(rule, shown, over + sign) + ("," if more else "")


def _none(report: Report, found: Recognition | None) -> str:
    if found is not None:
        start = "0" if not found.first.W0.any() else "W0ᵀx"
        return f"{NONE}: the prediction is {start}, whatever the examples are"
    if report.method == UNDEFINED:
        return f"{NONE}: {report.method.removeprefix('derived: ')}"
    return unrecognised(report)


def unrecognised(report: Report) -> str:
    """The sentence of weights whose predictions are no rule's, with the rule that they are nearest to."""
    near = report.nearest
    if near is None:
        return f"{NONE}: {OVERFLOW}"
    begin = "nearest to" if report.grade == NEAREST else f"{NONE}: the nearest is"
    sentence = f"{begin} {near.words}, from {start(report)}{near.others}"
    count = report.deviations_in_all
    if count:
        entries = "entry is" if count == 1 else "entries are"
        sentence += f"; {count} {entries} not as in the construction"
        idle = report.deviations_idle
        sentence += f", of which {idle} change no prediction that was tried" if idle else ""
    return sentence


def differing(near: Near | None) -> str:
    """The end of a verdict's sentence: how many entries are not the construction's."""
    entries = near.entries.deviating if near else 0
    differ = "1 entry differs" if entries == 1 else f"{entries} entries differ"
    return f"; {differ} from the construction, which other data may show" if entries else ""


def start(report: Report) -> str:
    """The weights that a measured rule starts from."""
    largest = np.abs(np.array(report.W0, dtype=np.float64)).max(initial=0.0)
    return "a W0 other than 0" if largest > SMALL else "W0 = 0"
