"""What turns of a loop do with names and tensors from before it: seen by running it as it is, at example sizes."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from ..loops.growing import Growing
from ..loops.items import UNBOUND, Items, Listed
from ..loops.keeping import Kept
from .refusal import torch
from .tensors import Rows


@dataclass
class Seen:
    """What the turns of a loop did when it was run."""

    rebound: set[str] = field(default_factory=set)
    """Names that stand for something else after a turn."""
    written: set[tuple[str, int]] = field(default_factory=set)
    """Tensors that are written in place: a name, and the number of the leaf."""
    counters: dict[str, set[int]] = field(default_factory=dict)
    """By how much turns change names of whole numbers."""
    appended: set[str] = field(default_factory=set)
    """Names of lists that turns append to."""
    shared: set[frozenset[tuple[str, int]]] = field(default_factory=set)
    """Pairs of tensors that share memory before or after a turn and are different objects."""
    apart: set[frozenset[tuple[str, int]]] = field(default_factory=set)
    """Pairs that are one object before a turn and not after it, or the other way round."""
    after: set[frozenset[tuple[str, int]]] = field(default_factory=set)
    """Pairs of tensors that share memory after a turn, or are one object."""
    kept: set[tuple[str, int]] = field(default_factory=set)
    """Tensors of which lists got items."""
    around: bool = False
    """Whether there are loops inside of it."""
    changed: str = ""
    """What else a turn after the first ones changes, in a sentence."""
    refused: str = ""
    """Why it cannot be one node, if that was seen."""


def flat(value: Any) -> tuple[list[Any], Any]:
    """A value's leaves: tensors and others; a module's are its parameters and buffers."""
    t = torch()
    if isinstance(value, t.nn.Module):
        held = {**dict(value.named_parameters()), **dict(value.named_buffers())}
        return list(held.values()), (value, list(held))
    if isinstance(value, Items):
        return list(value.parts), value
    if isinstance(value, Growing):  # its items are those of a turn of the loop around
        return [], opening().tree_structure(())
    return opening().tree_flatten(value)


def opening() -> Any:
    """PyTorch's module of containers, in which the lists of rewritten code are lists and are asked for their leaves."""
    from torch.utils import _pytree

    if Growing not in _pytree.SUPPORTED_NODES:
        _pytree.register_pytree_node(Growing, Growing.leaves, lambda items, _: list(items))
        _pytree.register_pytree_node(
            Listed, lambda one: (list(one), None), lambda items, _: Listed(items)
        )
        _pytree.register_pytree_node(
            Rows, lambda one: (list(one.parts), one.of), lambda items, of: Rows(of, *items)
        )
    return _pytree


def rebuilt(leaves: Sequence[Any], spec: Any, entered: ExitStack) -> Any:
    """The value with other leaves; a module has them until the block ends."""
    if isinstance(spec, tuple):
        module, names = spec
        from torch.nn.utils import stateless

        given = dict(zip(names, leaves, strict=True))
        entered.enter_context(stateless._reparametrize_module(module, given))
        return module
    if isinstance(spec, Items):
        if isinstance(spec, Rows):
            return Rows(spec.of, leaves[0])
        return Items(spec.of, spec.length, leaves, spec.item)
    return opening().tree_unflatten(leaves, spec)


def tensors(value: Any) -> list[tuple[int, Any]]:
    """A value's tensors, with their numbers among its leaves."""
    if value is UNBOUND:
        return []
    t = torch()
    return [(k, one) for k, one in enumerate(flat(value)[0]) if isinstance(one, t.Tensor)]


def inner(tensor: Any) -> Any:
    """What a tensor of a transformation, such as `vmap`, holds."""
    functorch = torch()._C._functorch
    while functorch.is_functorch_wrapped_tensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
    return tensor


def version(tensor: Any) -> int:
    """How often a tensor, or what it is of inside, was written in place."""
    functorch = torch()._C._functorch
    found = tensor._version
    while functorch.is_functorch_wrapped_tensor(tensor):
        tensor = functorch.get_unwrapped(tensor)
        found += tensor._version
    return found


def _memory(tensor: Any) -> int:
    return inner(tensor).untyped_storage()._cdata


Slot = tuple[str, int]
"""A name, and the number of a leaf of what it stands for."""


class Snapshot:
    """What names stand for before a turn."""

    def __init__(self, names: Sequence[str], values: Sequence[Any]) -> None:
        self.names, self.values = names, values
        self.tensors: dict[Slot, Any] = {
            (n, k): one for n, v in zip(names, values, strict=True) for k, one in tensors(v)
        }
        self.versions = {slot: version(one) for slot, one in self.tensors.items()}
        lists = ((n, v) for n, v in zip(names, values, strict=True) if isinstance(v, list))
        self.lists = {n: (v, builtins.len(v), list(v)) for n, v in lists}

    def shared(self) -> set[frozenset[Slot]]:
        """Pairs of tensors that are different objects and share memory."""
        groups: dict[int, list[Slot]] = {}
        for slot, one in self.tensors.items():
            groups.setdefault(_memory(one), []).append(slot)
        return {
            frozenset((a, b))
            for group in groups.values()
            for a in group
            for b in group
            if a < b and self.tensors[a] is not self.tensors[b]
        }

    def same(self) -> set[frozenset[Slot]]:
        """Pairs of names for one object."""
        slots = sorted(self.tensors)
        return {
            frozenset((a, b))
            for a in slots
            for b in slots
            if a < b and self.tensors[a] is self.tensors[b]
        }

    def change(self, seen: Seen, kept: Kept, where: str, early: bool) -> str:
        """What a turn has changed that is not followed, as `Kept.change`, also where objects share memory unseen.

        Early turns may change what is no tensor: they may be told apart from the rest.
        """
        written = {_memory(one) for slot, one in self.tensors.items() if slot in seen.written}
        tensor = torch().Tensor
        if any(isinstance(x, tensor) and _memory(x) in written for x in kept.values() if written):
            return f"a turn{where} writes into memory that an object holds, which is not followed"
        return "" if early else kept.change(where)

    def note(self, seen: Seen, after: Sequence[Any]) -> None:
        """Note what a turn did; of a list to which it appends nothing is read inside the loop."""
        later = Snapshot(self.names, after)
        grown = {n for n, (held, count, _) in self.lists.items() if builtins.len(held) > count}
        for one in (self, later):
            rest = {s: x for s, x in one.tensors.items() if s[0] not in grown | seen.appended}
            one.tensors = rest
        seen.written |= {s for s, one in self.tensors.items() if version(one) != self.versions[s]}
        for name, one, other in zip(self.names, self.values, after, strict=True):
            if one is not other:
                if type(one) is not int or type(other) is not int:
                    seen.rebound.add(name)
                else:
                    seen.counters.setdefault(name, set()).add(other - one)
        seen.shared |= self.shared() | later.shared()
        seen.apart |= self.same() ^ later.same()
        seen.after |= later.shared() | later.same()
        for name, (held, count, items) in self.lists.items():
            if list(held[:count]) != items if builtins.len(held) < count else False:
                seen.refused = f"{name}, a list of which a turn takes items away"
            if builtins.len(held) > count:
                seen.appended.add(name)
                for one in held[count:]:
                    for _, tensor in tensors(one):
                        same = {
                            s for s, x in later.tensors.items() if _memory(x) == _memory(tensor)
                        }
                        seen.kept |= {s for s in same if s[0] != name}


def key_of(body: Any) -> Any:
    """What tells a loop of the source from others."""
    return getattr(body, "key", body.__code__)
