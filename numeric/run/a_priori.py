"""A priori rounding bounds of a construction, read block after block from the program that will run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..jax_backend import jax
from ..rounding.enclosed import Enclosed, flushed, point
from ..rounding.inputs import given
from ..rounding.programs import Traced, finished, is_value

ENTRY_BY_ENTRY = 2**31
"""Up to this many products every number is followed; beyond, the largest number of each token over all heads."""


BLOCK = 2048
"""Tokens that are read at once; rounded down to a multiple of the chunk."""


class ProgramReader:
    """Derives bounds from programs; traces each program once for each set of shapes."""

    def __init__(self, *, exactly: bool, together: bool = False) -> None:
        self.exactly = exactly
        """Whether every input number is followed, or the largest of each token."""
        self.together = together
        """Whether all heads are read as one, of the largest numbers."""
        self._traced: dict[Any, Traced] = {}

    def entering(self, tree: Any) -> Any:
        """Inputs (heads, …) in the dtype that they have, as values that the reader follows."""
        return jax("bounds").tree.map(self._entering, tree)

    def single(self, array: Any) -> Any:
        """An input of one head, as a value that the reader follows."""
        if self.exactly or array.ndim < 2:
            return given(array, array.dtype, signed=self.exactly)
        return _largest(array, (-1,), array.shape)

    def read(self, program: Callable[..., Any], *values: Any) -> Any:
        """What a program computes from values with bounds, as a tree of such values."""
        leaves, tree = jax("bounds").tree.flatten(values, is_leaf=is_value)
        key = program, tree, tuple((tuple(v.shape), str(v.dtype)) for v in leaves)
        if key not in self._traced:
            self._traced[key] = Traced(program, values, wide=True)
        return self._traced[key].read(values)

    def _entering(self, array: Any) -> Any:
        array = np.asarray(array)
        if array.dtype.kind in "iub":
            return point(array[:1] if self.together else array)
        if not self.together:
            return self.single(array)
        if array.ndim < 3 and (array == array[:1]).all():  # the same for all heads, as decays are
            return given(array[:1], array.dtype, signed=True)
        axes = (0, -1) if array.ndim > 2 and not self.exactly else (0,)
        return _largest(array, axes, (1, *array.shape[1:]))


def _largest(array: np.ndarray, axes: tuple[int, ...], shape: tuple[int, ...]) -> Enclosed:
    """The largest number along some axes, and the largest of those that may be flushed to 0."""
    sizes = np.abs(array.astype(np.float64))
    lost = flushed(sizes, array.dtype)
    lost = None if lost is None else lost.max(axis=axes, keepdims=True)
    return Enclosed(shape, array.dtype, sizes.max(axis=axes, keepdims=True), None, lost)


def of_stream(
    reader: ProgramReader,
    op: Callable[..., Any],
    stream: Sequence[Any],
    state: Any,
    rows: Sequence[int],
    block: int,
    advance: Callable[[int], None],
    changed: Callable[[Any, slice], Any] | None = None,
) -> tuple[np.ndarray | None, Any]:
    """The bounds of some outputs of an op that is run over blocks, and the state after the last block.

    Args:
        reader: follows the numbers, or the largest of them.
        op: `(*block, initial_state=state) -> Scan`.
        stream: arrays (heads, T, …).
        state: before the first token.
        rows: the outputs whose bounds are wanted, by their places along axis 1.
        block: tokens a block. The op must compute the same numbers whatever the blocks are.
        advance: called with the number of tokens that are done.
        changed: from a block's values and its place to the values to read instead.
    """
    carried, bounds = reader.entering(state), []

    def program(block: Any, state: Any) -> Any:
        run = op(*block, initial_state=state)
        return run.outputs, run.final_state

    length = stream[0].shape[1]
    for start in range(0, length, block):
        cut = slice(start, min(start + block, length))
        values = reader.entering(tuple(a[:, cut] for a in stream))
        values = values if changed is None else changed(values, cut)
        outputs, carried = reader.read(program, values, carried)
        places = [row - start for row in rows if cut.start <= row < cut.stop]
        if places:
            bounds.append(finished(outputs).bound[:, places])
        advance(cut.stop)
    return (np.concatenate(bounds, axis=1) if bounds else None), carried


def for_heads(value: Any, heads: int) -> Any:
    """A value that was read for all heads together, repeated for each of them."""
    return value._replace(shape=(heads, *value.shape[1:]))
