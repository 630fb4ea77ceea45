"""Whether rounding can explain that two programs give different numbers.

A program that computes with p binary digits is taken to be exact for inputs that differ from those given by half of
these digits, 2^(−p/2) relatively: what that moves is no difference. Where both are read, all is computed in balls of p
digits besides, which grow with every operation, so that what is unstable is seen to be. Where one is not read, what its
narrower format changes is rounding too. What is left is run with the result of every operation moved as rounding may.
In float32 a difference counts only where one of these three was seen of each program.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from ...doors.program import program
from ...doors.record.exactly import exactly
from ...exact.enclosures import ArbField
from ...exact.residues import Meter, TooLong
from ...interpret.questions import aside
from .each_operation import Rounding, moved
from .points import Arrays, fractions
from .sides import DIGITS, FORMATS, Side

DRAWS = 6
"""How many inputs near those given are tried."""
FUNCTIONS = 3
"""Binary digits that a library's exp, or another order of a sum, may lose beside those of rounding once."""
SEEDS = 16
"""How often all results are moved: a choice that hinges on one goes the other way in half of them."""
ROUNDED = 40_000
"""How many operations all these runs of one program may take."""
OPERATIONS = 100_000
"""How many operations balls may take."""


@dataclass(frozen=True)
class Apart:
    """An entry at which two programs differ by more than rounding explains."""

    part: int
    """Which of the arrays that they return."""
    actual: np.ndarray
    claimed: np.ndarray


def apart(
    sides: Sequence[Side],
    arrays: Arrays,
    form: str,
    compiled: bool,
    results: Sequence[Arrays],
) -> Apart | None:
    """The first array in which the results differ by more than rounding explains; None if rounding explains all.

    Entries of which one is finite and the other is not are not looked at.
    """
    if close(results, form):
        return None
    spreads = [
        _spread(one, arrays, form, compiled, own) for one, own in zip(sides, results, strict=True)
    ]
    part = _beyond(results, spreads)
    if part is None:
        return None
    widths = [_radii(*pair, arrays, form) for pair in zip(sides, results, strict=True)]
    if any(width is None for width in widths):
        widths = [
            _narrowed(side, arrays, own, compiled) if form == FORMATS[0] else None
            for side, own in zip(sides, results, strict=True)
        ]
    wider = [_wider(*pair) for pair in zip(spreads, widths, strict=True)]
    if _beyond(results, wider) is None:
        return None
    rounded = [_rounded(side, arrays, form) for side in sides]
    untold = [a is b is None for a, b in zip(widths, rounded, strict=True)]
    if form == FORMATS[0] and any(untold):
        return None
    part = _beyond(results, [_wider(*pair) for pair in zip(wider, rounded, strict=True)])
    return None if part is None else Apart(part, results[0][part], results[1][part])


def close(results: Sequence[Arrays], form: str) -> bool:
    """Whether results agree in half of the digits of a format, as they would for inputs that do."""
    for one, other in zip(*results, strict=True):
        both = np.isfinite(one) & np.isfinite(other)
        a, b = one[both], other[both]
        if np.any(np.abs(a - b) > 2.0 ** (-DIGITS[form] / 2) * np.minimum(np.abs(a), np.abs(b))):
            return False
    return True


def _beyond(results: Sequence[Arrays], allowed: Sequence[Arrays]) -> int | None:
    for part, (one, other, first, second) in enumerate(zip(*results, *allowed, strict=True)):
        both = np.isfinite(one) & np.isfinite(other)
        with np.errstate(invalid="ignore"):
            far = np.abs(one - other) > first + second
        if np.any(far & both):
            return part
    return None


def _spread(side: Side, arrays: Arrays, form: str, compiled: bool, own: Arrays) -> Arrays:
    """How far results move when inputs move by half of the digits; no further than to 0 where no digit was lost."""
    digits, least = side.digits(arrays, form), side.least(arrays, form)
    found = [np.full(one.shape, least) for one in own]
    for k in range(1, DRAWS + 1) if not _is_exact(side, arrays, compiled) else ():
        near = [one * (1 + 2.0 ** (-digits / 2) * np.cos(1e3 * k * one + k)) for one in arrays]
        found = _farthest(found, own, _run(side, near, form, compiled))
    return found


def _is_exact(side: Side, arrays: Arrays, compiled: bool) -> bool:
    """Whether both formats give the very same numbers, which rounding would tell apart."""
    if side.digits(arrays, FORMATS[0]) == side.digits(arrays, FORMATS[1]):
        return False
    one, other = (_run(side, arrays, form, compiled) for form in FORMATS)
    return (
        one is not None
        and other is not None
        and len(one) == len(other)
        and all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))
    )


def _rounded(side: Side, arrays: Arrays, form: str) -> Arrays | None:
    """How far results move when that of each operation does; None where it cannot be told."""
    meter, found, orders = Meter(ROUNDED), None, {}
    with suppress(Exception, SystemExit, TooLong):
        plain = Rounding(None, FUNCTIONS, meter, orders)
        own = moved(side, arrays, form, plain)
        if plain.overflows:
            return [np.full(one.shape, np.inf) for one in own]
        for seed in range(SEEDS):
            other = moved(side, arrays, form, Rounding(seed, FUNCTIONS, meter, orders))
            found = _farthest(found or [np.zeros(one.shape) for one in own], own, other)
    return None if found is None else _slack(found, side, arrays, form)


def _narrowed(side: Side, arrays: Arrays, own: Arrays, compiled: bool) -> Arrays | None:
    """What the wider format changes; None where the program does not take it.

    Two programs that are equal differ by both changes at most, and by the errors of the wider format.
    """
    wide = _run(side, arrays, FORMATS[1], compiled)
    if wide is None:
        return None
    return _slack(_farthest([np.zeros(a.shape) for a in own], own, wide), side, arrays, FORMATS[0])


def _slack(widths: Arrays, side: Side, arrays: Arrays, form: str) -> Arrays:
    """Widths that are seen with an error of their own, which takes half of a format's digits at most."""
    return [one * (1 + 2.0 ** (-side.digits(arrays, form) / 2)) for one in widths]


def _run(side: Side, arrays: Arrays, form: str, compiled: bool) -> Arrays | None:
    try:
        return side.run(arrays, form, compiled)
    except (Exception, SystemExit):
        return None


def _farthest(found: Arrays, own: Arrays, moved: Arrays | None) -> Arrays:
    """The larger of what was found and how far results moved; where they are none, without a limit."""
    if moved is None or [one.shape for one in moved] != [one.shape for one in own]:
        return [np.full(one.shape, np.inf) for one in own]
    farthest = []
    for most, one, other in zip(found, own, moved, strict=True):
        with np.errstate(invalid="ignore"):
            gap = np.abs(other - one)
        farthest.append(np.maximum(most, np.where(np.isnan(gap), np.inf, gap)))
    return farthest


def _radii(side: Side, own: Arrays, arrays: Arrays, form: str) -> Arrays | None:
    """The widths of balls of the format's digits in which a program is computed as it is read.

    Its results are `own`: of a complex one both parts are read.

    None if it is not, if balls do not decide a choice, or if one has no end.
    """
    import flint

    if side.read is None or sum(array.size for array in arrays) > OPERATIONS:
        return None
    digits = side.digits(arrays, form) - FUNCTIONS
    try:
        with aside(), flint.ctx.workprec(digits):
            field, read = ArbField(Meter(OPERATIONS)), program(side.read, side.framework)
            given = map(fractions, arrays)
            found = exactly(field, lambda xp, *given: tuple(side.arranged(read(*given))), *given)
            ends = not field.undecided and all(b.is_finite() for one in found for b in one.flat)
            return _of_results([*map(_widths, found)], own) if ends else None
    except (Exception, TooLong):  # what balls do not do or decide, as a comparison with NaN
        return None


def _of_results(widths: Arrays, own: Arrays) -> Arrays | None:
    """Widths of the results; those of two parts, or of parts along a last axis, together."""
    left, found = list(widths), []
    for one in own:
        if not np.iscomplexobj(one):
            found.append(left.pop(0))
        elif left[0].shape == (*one.shape, 2):
            found.append(left.pop(0).sum(-1))
        else:
            found.append(left.pop(0) + left.pop(0))
    return found if not left and [x.shape for x in found] == [x.shape for x in own] else None


def _widths(entries: np.ndarray) -> np.ndarray:
    return np.vectorize(lambda one: 2 * float(one.rad()), otypes=[float])(entries)


def _wider(one: Arrays, other: Arrays | None) -> Arrays:
    return one if other is None else [np.maximum(a, b) for a, b in zip(one, other, strict=True)]
