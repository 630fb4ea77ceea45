"""Complex numbers: PyTorch itself computes with their parts, and a complex array is a node with a last axis of two."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import Any

from ...interpret.questions import place
from ...statement import choices, making
from ...statement.nodes import Node
from ..caught import heard, unheard
from ..infinities import Value
from . import transforms
from .constants import note_write
from .memory import Shared, arrays, is_view, written
from .refusal import Refused, beside, torch
from .table import moving, rule

PARTS = 2
"""The length of a complex array's last axis: the real part, and the imaginary one."""


def by_parts(refusals: list[Refused], shared: Shared) -> Any:
    """A mode in which what is computed of complex numbers is computed of their parts, in loops, too.

    The parts are arrays of their own: what is written into a complex array, or into a real one that shares memory with
    one, would be lost.

    Args:
        refusals: learns of such writes, whatever the program catches.
        shared: learns which memory complex and real arrays share.
    """
    from torch._decomp import decomposition_table
    from torch._ops import HigherOrderOperator
    from torch._subclasses.complex_tensor import ComplexTensorMode
    from torch._subclasses.complex_tensor._ops.common import COMPLEX_OPS_TABLE
    from torch.utils._pytree import tree_leaves, tree_map

    IMPLICIT = torch()._C.DispatchKey.CompositeImplicitAutograd

    class ByParts(ComplexTensorMode):
        supports_higher_order_operators = True

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            kwargs = kwargs or {}
            if not isinstance(func, HigherOrderOperator):
                made = decomposition_table.get(func, func.decompose)
                known = func.namespace in ("aten", "prims")
                with unheard() if known and all(map(_is_torchs, (made, *types))) else nullcontext():
                    return self._operation(func, types, args, kwargs)
            turn, *given = args
            runs_turn = not any(map(callable, tree_leaves((given, kwargs))))
            with unheard() if runs_turn else nullcontext() as hearing:

                def inside(*values: Any) -> Any:
                    with self, heard(hearing) if runs_turn else nullcontext():
                        return turn(*values)

                return func(inside, *given, **kwargs)

        def _operation(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
            self._expect_nothing_lost(func, args, kwargs)
            found = self._computed(func, types, args, kwargs)
            if is_view(func):
                every = arrays((args, kwargs, found))
                if len({is_complex(one.dtype) for one in every}) > 1:
                    shared.add(every, "memory that a complex and a real array share")
            return found

        def _expect_nothing_lost(self, func: Any, args: Any, kwargs: dict[str, Any]) -> None:
            for one in written(func, args, kwargs):
                note_write(one)
                into = "a complex array" if is_complex(one.dtype) else shared.of(one)
                if into:
                    error = Refused(
                        f"a write into {into} ({str(func).rpartition('.')[0]}{place(beside())}); "
                        "build a new array: torch.where, torch.stack, torch.complex",
                        placed=True,
                    )
                    refusals.append(error)
                    raise error

        def _computed(self, func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
            args = tree_map(_as_array, args)
            kwargs = {name: tree_map(_as_array, one) for name, one in kwargs.items()}
            if transforms.concerns(func, tree_leaves((args, kwargs))):
                return self._transformed(func, args, kwargs)
            made = decomposition_table.get(func)
            with suppress(RuntimeError):  # of `aten::size` and others that are Python's alone
                if func.namespace == "aten" and func.has_kernel_for_dispatch_key(IMPLICIT):
                    made = func.decompose
            if made is None or {func, func.overloadpacket} & COMPLEX_OPS_TABLE.keys():
                return super().__torch_dispatch__(func, types, args, kwargs)
            if not any(is_complex(getattr(one, "dtype", None)) for one in tree_leaves(args)):
                return func(*args, **kwargs)
            with self:  # what PyTorch makes of it, of which some is known by parts
                return made(*args, **kwargs)

        def _transformed(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
            try:
                with self:
                    return transforms.transformed(func, args, kwargs)
            except Refused as error:
                refusals.append(error)
                raise

    return ByParts()


def _is_torchs(one: Any) -> bool:
    """Whether a class of arrays, or a function, is PyTorch's, so that none of the program's code is called by it."""
    return one.__module__.partition(".")[0] == "torch"


def _as_array(value: Any) -> Any:
    """A complex number of Python's as PyTorch's of its two parts, which promotes nothing."""
    if not isinstance(value, complex):
        return value
    t = torch()
    return t.complex(t.scalar_tensor(value.real), t.scalar_tensor(value.imag))


def is_complex(dtype: Any) -> bool:
    """Whether it is a format of complex numbers."""
    return isinstance(dtype, torch().dtype) and dtype.is_complex


def of_real(node: Node) -> Node:
    """A real array as a complex one."""
    return making.stacked([node, making.full(making.number(0), node.shape)], len(node.shape))


@moving("view_as_complex", "view_as_real")
def _itself(at: Any, self: Node) -> Node:
    return self


@rule("complex")
def _of_parts(at: Any, real: Value, imag: Value) -> Node:
    shape = at.shape[:-1]
    parts = [making.spread(at.node(one), shape) for one in (real, imag)]
    return making.stacked(parts, len(shape))


@rule("polar")
def _polar(at: Any, abs: Value, angle: Value) -> Node:
    turned = [making.entrywise(name, at.node(angle)) for name in ("cos", "sin")]
    shape = at.shape[:-1]
    parts = [making.spread(choices.multiply(at.node(abs), one), shape) for one in turned]
    return making.stacked(parts, len(shape))
