"""Programs of arrays whose lengths are products of sizes, as programs of the same numbers under more axes.

An array of shape (n·C, d) and one of shape (n, C, d) hold the same numbers in the same order. What is proved of all
arrays of one kind is proved of all of the other, and the kernel, whose lengths are linear, reads the latter.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import mul
from typing import Any

import numpy as np

from ..doors.aten.programs import Program
from ..doors.outputs import mapped, opening, paths
from ..exact.counterexample import Counterexample, special
from ..language.libraries import jax as jax_for
from ..language.sizes import axes, names, shape

PRODUCT = re.compile(r"\w+(\*\w+)+")
Groups = list[list[str]]
"""For each axis the lengths that its own is the product of."""


CHUNKS = re.compile(r"(?:(\d+)\*([A-Za-z]\w*)|([A-Za-z]\w*)\*(\d+))")
"""A length such as 4*n, that of n chunks of 4."""


def groups_of(text: str, chunks: bool) -> Groups:
    """The axes of a shape: "n*C d" is [[n, C], [d]]; a number goes with the size after it.

    Args:
        text: the shape.
        chunks: whether 4*n is [n, 4], and not [4*n].
    """
    return [_factors(one, chunks) if PRODUCT.fullmatch(one) else [one] for one in axes(text)]


def _factors(text: str, chunks: bool) -> list[str]:
    if chunks and (match := CHUNKS.fullmatch(text)):
        return [match[2] or match[3], match[1] or match[4]]
    found: list[str] = []
    number = ""
    for one in text.split("*"):
        if one.isdecimal():
            number += f"{one}*"
        else:
            found.append(number + one)
            number = ""
    if not found:
        return [text]
    found[-1] += "".join(f"*{one}" for one in number.split("*") if one)
    return found


def apart(text: str, chunks: bool) -> str:
    """The shape with each length of a product as an axis: "n*C d" becomes "n C d"."""
    return " ".join(one for group in groups_of(text, chunks) for one in group)


def is_joined(shapes: Mapping[str, str], chunks: bool = False) -> bool:
    """Whether a length is a product of sizes, or of a size and a number (`chunks`)."""
    return any(len(group) > 1 for text in shapes.values() for group in groups_of(text, chunks))


def has_chunks(shapes: Mapping[str, str]) -> bool:
    """Whether a length is that of chunks of so many, such as 4*n."""
    return any(CHUNKS.fullmatch(one) for text in shapes.values() for one in axes(text))


class Joined:
    """A function of arrays with long axes as one of arrays whose axes are apart, results like arguments."""

    def __init__(
        self,
        function: Callable[..., Any],
        groups: Sequence[Groups],
        outputs: Sequence[Groups] | None,
    ) -> None:
        self.__wrapped__ = function
        self.groups = groups
        self.outputs = outputs

    @property
    def unrolls(self) -> bool:
        """Whether loops of the function are loops of Python's where sizes are numbers."""
        return getattr(self.__wrapped__, "unrolls", False)

    def __call__(self, *arrays: Any) -> Any:
        lengths: dict[str, Any] = {}
        given = []
        for one, groups in zip(arrays, self.groups, strict=True):
            dims, rest = [], list(one.shape)
            for group in groups:
                own, rest = rest[: len(group)], rest[len(group) :]
                lengths.update(zip(group, own, strict=True))
                dims.append(reduce(mul, own))
            given.append(one.reshape(tuple(dims)) if len(dims) < len(one.shape) else one)
        found = self.__wrapped__(*given)
        leaves = [leaf for _, leaf in paths(found)]
        if self.outputs is None or len(leaves) != len(self.outputs):
            return found
        axes = {id(one): groups for one, groups in zip(leaves, self.outputs, strict=True)}
        return mapped(lambda one: self._apart(one, axes[id(one)], lengths), found)

    def _apart(self, one: Any, groups: Groups, lengths: Mapping[str, Any]) -> Any:
        if len(groups) != one.ndim or all(len(group) == 1 for group in groups):
            return one
        dims: list[Any] = []
        for length, group in zip(one.shape, groups, strict=True):
            own = [length] if len(group) == 1 else [lengths[n] for n in group]
            if length != reduce(mul, own):
                return one  # the two sides return arrays of other shapes, which will show
            dims += own
        return one.reshape(tuple(dims))


def outputs_of(
    function: Callable[..., Any], framework: str, shapes: Sequence[Groups]
) -> list[Groups] | None:
    """For each array that the function returns what its lengths are products of; None if it does not trace."""
    if framework == "torch":
        return _seen(function, shapes)
    jax = jax_for("prove")
    scope = jax.export.SymbolicScope()
    try:
        with jax.enable_x64(True):
            dims = [_dims(jax, groups, scope) for groups in shapes]
            given = [jax.ShapeDtypeStruct(tuple(one), jax.numpy.float64) for one in dims]
            returned = jax.eval_shape(opening(function), *given)
    except Exception:
        return None
    known = {}
    for lengths, groups in zip(dims, shapes, strict=True):
        known |= {str(d): g for d, g in zip(lengths, groups, strict=True) if len(g) > 1}
    return [[known.get(str(d), [str(d)]) for d in one.shape] for one in jax.tree.leaves(returned)]


PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29)
"""A function for torch is run at such sizes, twice, to see which lengths of its results are which products."""


def _seen(function: Callable[..., Any], shapes: Sequence[Groups]) -> list[Groups] | None:
    """The same of a function for torch, by running it; a length that only looks so shows where it is taken apart."""
    letters = names([n for groups in shapes for group in groups for n in group])
    found: list[list[Groups]] = []
    for order in (PRIMES, PRIMES[::-1]):
        sizes = dict(zip(letters, [p for p in order if p in PRIMES[: len(letters)]], strict=False))
        if len(sizes) < len(letters):
            return None
        try:
            lengths = [[[shape(n, sizes)[0] for n in group] for group in one] for one in shapes]
            dims = [[math.prod(group) for group in one] for one in lengths]
            results = Program(function).floats([np.ones(one) / 2 for one in dims])
        except Exception:  # which shows where it is read
            return None
        known = {
            length: group
            for row, groups in zip(dims, shapes, strict=True)
            for length, group in zip(row, groups, strict=True)
            if len(group) > 1
        }
        found.append([[known.get(d, [str(d)]) for d in np.shape(one)] for _, one in paths(results)])
    one, other = ([[g if len(g) > 1 else [""] for g in a] for a in side] for side in found)
    return found[0] if one == other else None


def _dims(jax: Any, groups: Groups, scope: Any) -> Sequence[Any]:
    text = ", ".join("*".join(group) for group in groups)
    return jax.export.symbolic_shape(text, scope=scope) if groups else ()


def shown(
    found: Counterexample, shapes: Mapping[str, Groups], outputs: Sequence[Groups] | None
) -> Counterexample:
    """The counterexample with the arrays that the program itself takes and returns."""
    inputs = {n: _nested(one, shapes[n]) for n, one in found.inputs.items()}
    groups = outputs[found.part] if outputs is not None and found.part < len(outputs) else []
    claimed, actual = (_nested(one, groups) for one in (found.claimed, found.actual))
    return replace(found, inputs=inputs, claimed=claimed, actual=actual, special=special(inputs))


def _nested(value: Any, groups: Groups) -> Any:
    if not groups:
        return value
    for _ in groups[0][1:]:
        value = [one for row in value for one in row]
    return [_nested(one, groups[1:]) for one in value]
