"""Inputs of programs that are labels or truths, as what is made of real numbers.

`y: n in C` are n whole numbers from 0 to C − 1. They are read as the first places of the greatest entries of n rows of
C real numbers, and `m: n bool` as where n real numbers are > 0. Any labels are such places, and any truths such
comparisons, so that two programs agree on all of them exactly if they agree on all real numbers that are read so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from scanproof.constructs.errors import UsageError

from ..exact.counterexample import Counterexample, special
from ..language.sizes import (
    BOOL,
    IN,
    axes,
    by_name,
    dimensions,
    format_of,
    names,
    of_reals,
    shape,
)


def made_of(array: Any, format: str) -> Any:
    """The labels or truths that an array of JAX, PyTorch or NumPy is read as; itself for real numbers."""
    return array.argmax(-1) if format == IN else array > 0 if format == BOOL else array


def expect_some(shapes: Mapping[str, str], sizes: Mapping[str, Sequence[int]]) -> None:
    """See that there are labels at all sizes that are to be tried.

    Raises:
        UsageError: if labels are to be below a number that may be 0.
    """
    for name, text in shapes.items():
        if format_of(text) == IN:
            below = axes(text)[-1]
            least = {size: min(sizes.get(size, (1,))) for size in names([below])}
            (count,) = dimensions(below, least)
            if count < 1:
                where = f" at {by_name(least)}; give larger --sizes" if least else ""
                raise UsageError(f"prove: {name}: {text} has no label{where}.")


def own_shape(text: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """The shape that the program's own array has: of labels, without the number of those that there are."""
    found = shape(of_reals(text), sizes)
    return found[:-1] if format_of(text) == IN else found


def said(shapes: Mapping[str, str]) -> Iterator[str]:
    """How each input of labels or truths is read, in words."""
    for name, text in shapes.items():
        if format_of(text) == IN:
            yield f"{name}: {text} are read as the places of greatest real numbers of {name}; any labels are such"
        elif format_of(text) == BOOL:
            yield f"{name}: {text} are read as where real numbers of {name} are > 0; any truths are such"


def shown(found: Counterexample, shapes: Mapping[str, str]) -> Counterexample:
    """The counterexample with the labels and truths that the programs themselves take."""
    inputs = {
        name: _labels(value, format_of(shapes.get(name, "")))
        for name, value in found.inputs.items()
    }
    reals = {n: one for n, one in inputs.items() if not format_of(shapes.get(n, ""))}
    return replace(found, inputs=inputs, special=special(reals) if found.special else "")


def _labels(value: Any, format: str) -> Any:
    if format == BOOL and not isinstance(value, list):
        return int(Fraction(value) > 0)
    if format == IN and not isinstance(value[0], list):
        return max(range(len(value)), key=lambda k: Fraction(value[k]))
    return [_labels(one, format) for one in value] if format else value
