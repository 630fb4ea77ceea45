"""Tensors that turns of a loop reach by closures and objects, and not by the names of the loop.

A scan is a graph of its own, which knows no tensor of the trace around it: they are inputs of it as well, and stand in
for those that the user's objects hold while a turn is traced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..loops.keeping import Kept
from ..refused import KeepsState
from .observing import inner, version
from .refusal import torch


def reached(kept: Kept, known: Sequence[Any]) -> list[Any]:
    """The tensors of PyTorch's trace that a turn may reach, besides those that are known.

    Args:
        kept: what the turn may reach.
        known: tensors that it is given otherwise.
    """
    from torch._subclasses.functional_tensor import FunctionalTensor

    given, tensor = {id(one) for one in known}, torch().Tensor
    return [
        one
        for one in kept.values()
        if isinstance(one, tensor)
        and isinstance(inner(one), FunctionalTensor)
        and id(one) not in given
    ]


@cache
def _mode() -> Any:
    from torch.overrides import TorchFunctionMode
    from torch.utils._pytree import tree_map

    class Instead(TorchFunctionMode):
        def __init__(self, known: Mapping[int, Any], where: str) -> None:
            super().__init__()
            self.known, self.where = known, where
            self.versions = {k: version(one) for k, one in known.items()}

        def __torch_function__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            args, kwargs = tree_map(lambda x: self.known.get(id(x), x), (args, kwargs or {}))
            return function(*args, **kwargs)

        def __exit__(self, kind: Any, *error: Any) -> None:
            super().__exit__(kind, *error)
            if kind is None and any(version(x) != self.versions[k] for k, x in self.known.items()):
                raise KeepsState(
                    f"a turn{self.where} writes into a tensor that an object holds, which is not followed"
                )

    return Instead


def instead(known: Mapping[int, Any], where: str) -> Any:
    """A block in which tensors stand in for others, by whose identities they are known; nothing writes into them."""
    return _mode()(known, where)
