"""Numbers of tensors that no input determines: `if tableau.alpha[i] == 1.` asks for one, and gets it.

PyTorch keeps such numbers where the tensor has one entry and is made in the program. Here the trace is computed of all
tensors of constants, those that lie outside of the program among them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...interpret.questions import place
from .refusal import Refused, beside, torch

ENTRIES = 10_000
"""So many may a tensor have that is computed on the way."""
OPERATIONS = 1_000
"""So many may be computed for one number."""


class _Unknown(Exception):
    """A tensor is made of inputs or of sizes, or is not the same each time."""


@dataclass
class _Seen:
    """Where a program asked for numbers, and wrote into a tensor that it did not make, or that the trace loses."""

    asked: str | None = None
    written: str | None = None


_seen: ContextVar[_Seen | None] = ContextVar("seen", default=None)


@contextmanager
def staying() -> Iterator[None]:
    """A block that traces a program, whose numbers of tensors are to be the same in each call.

    Raises:
        Refused: if it asks for numbers and writes into tensors that stay when it returns.
    """
    seen = _Seen()
    token = _seen.set(seen)
    try:
        yield
    finally:
        _seen.reset(token)
    if seen.asked is not None and seen.written is not None:
        raise Refused(
            f"a number of an array is asked{seen.asked}, and a tensor that the program did not make is "
            f"written{seen.written}; compute with the array itself"
        )


def look(function: Any, args: Sequence[Any], options: Any) -> None:
    """Note what a call of one of PyTorch's functions asks or writes."""
    seen = _seen.get()
    if seen is None:
        return
    if function in asking():
        seen.asked = seen.asked or place(beside())
    elif _writes_outside(function, args, options or {}):
        seen.written = seen.written or place(beside())


@cache
def asking() -> frozenset[Any]:
    """PyTorch's functions that ask a tensor for its numbers."""
    names = ("item", "tolist", "__bool__", "__float__", "__int__", "__index__")
    return frozenset(getattr(torch().Tensor, name) for name in names)


IN_PLACE = frozenset(
    (
        *("__setitem__", "__iadd__", "__isub__", "__imul__", "__itruediv__", "__idiv__"),
        *("__ifloordiv__", "__imod__", "__ipow__", "__iand__", "__ior__", "__ixor__"),
        *("__ilshift__", "__irshift__"),
    )
)


def _writes_outside(function: Any, args: Sequence[Any], options: Any) -> bool:
    """Whether a call writes into a tensor that is none of the trace's, or gives one another tensor's memory."""
    t, name = torch(), getattr(function, "__name__", "")
    if function == t.Tensor.data.__set__:  # type: ignore[attr-defined]
        return True
    writes = name in IN_PLACE or (name.endswith("_") and not name.endswith("__"))
    written = [options.get("out"), *(args[:1] if writes else ())]
    return any(
        type(one) in (t.Tensor, t.nn.Parameter) for one in t.utils._pytree.tree_leaves(written)
    )


def known(tensor: Any) -> Any:
    """The tensor with its numbers, where no input and no size determines them; else None."""
    from torch._subclasses.functional_tensor import FunctionalTensor
    from torch.fx.experimental.proxy_tensor import get_proxy_mode, get_proxy_slot
    from torch.utils._python_dispatch import _disable_current_modes

    t, mode = torch(), get_proxy_mode()
    if mode is None or not isinstance(tensor, t.Tensor):
        return None
    functional = isinstance(tensor, FunctionalTensor)
    with t._C.DisableTorchFunction():
        if functional:
            t._sync(tensor)  # which is traced
        with _disable_current_modes(), suppress(_Unknown):
            if type(tensor) in (t.Tensor, t.nn.Parameter):
                return _small(tensor.detach())
            own = t._from_functional_tensor(tensor.elem) if functional else tensor
            slot = get_proxy_slot(own, mode.tracer, None)
            return None if slot is None else _computed(slot.proxy.node, mode.tracer)
    return None


def _computed(node: Any, tracer: Any) -> Any:
    """What a node of the trace is, computed of constants alone.

    Raises:
        _Unknown: if it is of anything else.
    """
    t = torch()
    if any(
        map(_is_mutable, node.graph.nodes)
    ):  # as a decomposition may be: what it writes is no operand's
        raise _Unknown
    found: dict[Any, Any] = {}
    waiting = [node]
    while waiting:
        one = waiting[-1]
        if one in found:
            waiting.pop()
            continue
        if one.op == "get_attr":
            value = getattr(tracer.root, one.target)
            if not isinstance(value, t.Tensor) or type(value).__name__ == "FakeTensor":
                raise _Unknown
            found[one] = _small(value.detach())
            continue
        drawn = t.Tag.nondeterministic_seeded in getattr(one.target, "tags", ())
        computes = isinstance(one.target, t._ops.OpOverload) or one.target is operator.getitem
        if one.op != "call_function" or not computes or drawn or "empty" in str(one.target):
            raise _Unknown
        for made in t.utils._pytree.tree_leaves(one.meta.get("val")):
            if isinstance(made, t.Tensor):
                _small(made)  # by its shape alone
        missing = [n for n in one.all_input_nodes if n not in found]
        if len(found) + len(missing) > OPERATIONS:
            raise _Unknown
        waiting += missing
        if not missing:
            given = t.fx.node.map_arg((one.args, one.kwargs), found.__getitem__)
            found[one] = one.target(*given[0], **given[1])
    return found[node]


def _is_mutable(node: Any) -> bool:
    return isinstance(node.target, torch()._ops.OpOverload) and node.target._schema.is_mutable


def _small(tensor: Any) -> Any:
    count = tensor.numel()
    if not isinstance(count, int) or count > ENTRIES:
        raise _Unknown
    return tensor
