"""Numbers of tensors that no input determines: `if tableau.alpha[i] == 1.` asks for one, and gets it.

PyTorch keeps such numbers where the tensor has one entry and is made in the program. Here the trace is computed of all
tensors of constants, those that lie outside of the program among them.
"""

from __future__ import annotations

import operator
from contextlib import suppress
from typing import Any

from .refusal import torch

ENTRIES = 10_000
"""So many may a tensor have that is computed on the way."""
OPERATIONS = 1_000
"""So many may be computed for one number."""


class _Unknown(Exception):
    """A tensor is made of inputs or of sizes, or is not the same each time."""


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


def _small(tensor: Any) -> Any:
    count = tensor.numel()
    if not isinstance(count, int) or count > ENTRIES:
        raise _Unknown
    return tensor
