"""Memory that arrays share in PyTorch and not in its trace: what is written into it would be lost."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .refusal import torch


class Shared:
    """Memory into which nothing may be written any more, with what it is."""

    def __init__(self) -> None:
        self._known: dict[int | None, tuple[Any, str]] = {}
        """By its address, which stays its address as long as it is kept; None stands for any."""

    def add(self, arrays: Iterable[Any], what: str) -> None:
        for one in arrays:
            memory = _memory(one)
            self._known[None if memory is None else memory._cdata] = memory, what

    def clear(self) -> None:
        self._known.clear()

    def of(self, array: Any) -> str:
        """What it is of which an array may be a part; "" if it is of none."""
        if not self._known:
            return ""
        memory = _memory(array)
        if memory is None or None in self._known:
            return next(iter(self._known.values()))[1]
        return self._known.get(memory._cdata, (None, ""))[1]


def _memory(array: Any) -> Any:
    """Where an array is kept; None where that is not known."""
    try:
        return array.untyped_storage()
    except (AttributeError, NotImplementedError, RuntimeError):
        return None


def is_view(func: Any) -> bool:
    """Whether what an operation returns may share memory with what it is given."""
    return any(one.alias_info and not one.alias_info.is_write for one in func._schema.returns)


def written(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The arrays that an operation writes into."""
    if not func._schema.is_mutable:
        return []
    named = func._schema.arguments
    given = {**{one.name: value for one, value in zip(named, args, strict=False)}, **kwargs}
    return arrays([given.get(a.name) for a in named if a.alias_info and a.alias_info.is_write])


def arrays(values: Any) -> list[Any]:
    """Those among the values, however they are nested."""
    from torch.utils._pytree import tree_leaves

    return [one for one in tree_leaves(values) if isinstance(one, torch().Tensor)]
