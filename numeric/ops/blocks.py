"""Arrays that are longer than memory, cut into blocks along the tokens without being read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scanproof.constructs.arrays.scan import leaves, map_leaves
from scanproof.constructs.errors import UsageError

from .inputs import positive


@dataclass(frozen=True)
class Blocks(Sequence[Any]):
    """Views of `length` tokens each, the last one perhaps shorter; built as the whole that was cut."""

    cut: Callable[[slice], Any]
    tokens: int
    length: int

    def __len__(self) -> int:
        return -(-self.tokens // self.length)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(len(self))[index]]
        if not -len(self) <= index < len(self):
            raise IndexError(f"block {index} of {len(self)}")
        start = range(len(self))[index] * self.length
        return self.cut(slice(start, min(start + self.length, self.tokens)))


def in_blocks(arrays: Any, length: int, *, axis: int | None = None) -> Blocks:
    """Cut arrays, memory-mapped ones for example, into blocks of `length` tokens; a block is read when it is used.

    Args:
        arrays: what the op takes: a tuple (`(v, k, q)`), a mapping (`{"v": v, "log_decay": a, …}`), a named tuple of
            arrays, or one array.
        length: tokens a block, ≥ 1. A last block of another length is compiled for itself.
        axis: the axis of the tokens in every array. None stands for the ops' layout: the first array (or the one
            named v) is (…, T, D), so are those with as many axes; with an axis less an array is (…, T); a number is
            handed on to every block.

    Raises:
        UsageError: if `length` is not a whole number ≥ 1, or the arrays have no common number of tokens T ≥ 1.
    """
    length = positive("in_blocks", "length", length)
    names = list(arrays) if isinstance(arrays, Mapping) else None
    if names is not None:
        tree: Any = tuple(arrays[name] for name in names)
        first = arrays.get("v", tree[0] if tree else None)
    else:
        tree = tuple(arrays) if isinstance(arrays, list) else arrays
        first = next(iter(leaves(tree)), None)
    rank = len(getattr(first, "shape", ()))

    def token_axis(array: Any) -> int | None:
        own = len(getattr(array, "shape", ()))
        if axis is not None:
            return axis
        return {rank: rank - 2, rank - 1: rank - 2}.get(own) if rank >= 2 and own else None

    lengths = {
        array.shape[at]
        for array in leaves(tree)
        if (at := token_axis(array)) is not None and at < len(array.shape)
    }
    if len(lengths) != 1 or 0 in lengths:
        shapes = ", ".join(str(tuple(getattr(a, "shape", ()))) for a in leaves(tree)) or "none"
        where = f"axis {axis}" if axis is not None else "axis −2 of (…, T, D) or −1 of (…, T)"
        raise UsageError(
            f"in_blocks() expects arrays with one common number of tokens T ≥ 1 along {where}, got shapes {shapes}; "
            "give axis=0 for tokens of shape (T, …)."
        )

    def cut(tokens: slice) -> Any:
        def part(array: Any) -> Any:
            at = token_axis(array)
            return array if at is None else array[(slice(None),) * at + (tokens,)]

        block = map_leaves(part, tree)
        return block if names is None else dict(zip(names, block, strict=True))

    return Blocks(cut, lengths.pop(), length)
