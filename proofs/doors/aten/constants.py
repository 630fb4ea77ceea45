"""Numbers of tensors that no input determines: `if tableau.alpha[i] == 1.` asks for one, and gets it.

PyTorch keeps such numbers where the tensor has one entry and is made in the program. Here the trace is computed of all
tensors of constants, those that lie outside of the program among them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
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


def note_call(function: Any) -> None:
    """Note whether a call of one of PyTorch's functions asks for numbers, or gives a tensor another one's memory."""
    seen = _seen.get()
    if seen is None:
        return
    if function in number_questions():
        seen.asked = seen.asked or place(beside())
    elif function == torch().Tensor.data.__set__:
        seen.written = seen.written or place(beside())


def note_write(array: Any) -> None:
    """Note that an operation writes into an array, if this is none of the trace's."""
    seen = _seen.get()
    if seen is not None and type(array) in (torch().Tensor, torch().nn.Parameter):
        seen.written = seen.written or place(beside())


@cache
def number_questions() -> frozenset[Any]:
    """PyTorch's functions that ask a tensor for its numbers."""
    names = ("item", "tolist", "__bool__", "__float__", "__int__", "__index__")
    return frozenset(getattr(torch().Tensor, name) for name in names)


def constant_of(tensor: Any) -> Any:
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
        _Unknown: if it is of anything else, or if an operation writes, as a decomposition may: no operand shows that.
    """
    t = torch()
    if any(map(_is_mutable, node.graph.nodes)):
        raise _Unknown
    values: dict[Any, Any] = {}
    waiting = [node]
    while waiting:
        operation = waiting[-1]
        missing = [operand for operand in operation.all_input_nodes if operand not in values]
        if operation in values:
            waiting.pop()
        elif operation.op == "get_attr":
            values[operation] = _outside(getattr(tracer.root, operation.target))
        elif missing:
            _expect_computed(operation)
            waiting += missing
        else:
            _expect_computed(operation)
            args, options = t.fx.node.map_arg((operation.args, operation.kwargs), values.get)
            values[operation] = operation.target(*args, **options)
        if len(values) + len(waiting) > OPERATIONS:
            raise _Unknown
    return values[node]


def _outside(value: Any) -> Any:
    """A tensor that lies outside of the program, with its numbers."""
    if not isinstance(value, torch().Tensor) or type(value).__name__ == "FakeTensor":
        raise _Unknown
    return _small(value.detach())


def _expect_computed(operation: Any) -> None:
    """See that a node is a function of its operands, and not of much, by the shapes that the trace has noted."""
    t, function = torch(), operation.target
    computes = isinstance(function, t._ops.OpOverload) or function is operator.getitem
    drawn = t.Tag.nondeterministic_seeded in getattr(function, "tags", ())
    if operation.op != "call_function" or not computes or drawn or "empty" in str(function):
        raise _Unknown
    for result in t.utils._pytree.tree_leaves(operation.meta.get("val")):
        if isinstance(result, t.Tensor):
            _small(result)


def _is_mutable(node: Any) -> bool:
    return isinstance(node.target, torch()._ops.OpOverload) and node.target._schema.is_mutable


def _small(tensor: Any) -> Any:
    count = tensor.numel()
    if not isinstance(count, int) or count > ENTRIES:
        raise _Unknown
    return tensor
