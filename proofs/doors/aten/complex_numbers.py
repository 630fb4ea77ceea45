"""Complex numbers: PyTorch itself computes with their parts, and a complex array is a node with a last axis of two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ...interpret.questions import place
from ...statement import choices, making
from ...statement.nodes import Node
from ..infinities import Value
from .refusal import Refused, beside, torch
from .table import moving, rule

PARTS = 2
"""The length of a complex array's last axis: the real part, and the imaginary one."""


def by_parts(refusals: list[Refused]) -> Any:
    """A mode in which what is computed of complex numbers is computed of their parts, in loops, too.

    The parts are arrays of their own: what is written into a complex array, or into a real one that shares memory with
    one, would be lost. `refusals` learns of such writes, whatever the program catches.
    """
    from torch._decomp import decomposition_table
    from torch._ops import HigherOrderOperator
    from torch._subclasses.complex_tensor import ComplexTensorMode
    from torch._subclasses.complex_tensor._ops.common import COMPLEX_OPS_TABLE
    from torch.utils._pytree import tree_leaves, tree_map

    IMPLICIT = torch()._C.DispatchKey.CompositeImplicitAutograd

    class ByParts(ComplexTensorMode):
        supports_higher_order_operators = True

        def __init__(self) -> None:
            super().__init__()
            self.shared = _Shared()

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            kwargs = kwargs or {}
            if not isinstance(func, HigherOrderOperator):
                self._expect_nothing_lost(func, args, kwargs)
                found = self._computed(func, types, args, kwargs)
                if _is_view(func):
                    self.shared.learn(_tensors((args, kwargs, found)))
                return found
            turn, *given = args
            seen: set[int] = set()

            def inside(*values: Any) -> Any:
                with self:
                    found = turn(*values)
                seen.update(k for k, one in enumerate(tree_leaves(values)) if one in self.shared)
                return found

            found = func(inside, *given, **kwargs)
            outside = tree_leaves(given)
            self.shared.add(outside[k] if k < len(outside) else None for k in seen)
            return found

        def _expect_nothing_lost(self, func: Any, args: Any, kwargs: dict[str, Any]) -> None:
            for one in _written(func, args, kwargs):
                complex_ = is_complex(one.dtype)
                if complex_ or one in self.shared:
                    into = "a complex array" if complex_ else "memory that a complex array shares"
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
            made = decomposition_table.get(func)
            if func.namespace == "aten" and func.has_kernel_for_dispatch_key(IMPLICIT):
                made = func.decompose
            if made is None or {func, func.overloadpacket} & COMPLEX_OPS_TABLE.keys():
                return super().__torch_dispatch__(func, types, args, kwargs)
            if not any(is_complex(getattr(one, "dtype", None)) for one in tree_leaves(args)):
                return func(*args, **kwargs)
            with self:  # what PyTorch makes of it, of which some is known by parts
                return made(*args, **kwargs)

    return ByParts()


class _Shared:
    """Memory that complex and real arrays share."""

    def __init__(self) -> None:
        self._known: dict[int | None, Any] = {}
        """By its address, which stays its address as long as it is kept; None stands for any."""

    def learn(self, of_a_view: Sequence[Any]) -> None:
        """What a view is of, and the view: if one is complex and another real, their memory is shared."""
        if len({is_complex(one.dtype) for one in of_a_view}) > 1:
            self.add(of_a_view)

    def add(self, tensors: Iterable[Any]) -> None:
        for one in tensors:
            memory = _memory(one)
            self._known[None if memory is None else memory._cdata] = memory

    def __contains__(self, one: Any) -> bool:
        if not self._known or not isinstance(one, torch().Tensor):
            return False
        memory = _memory(one)
        return memory is None or None in self._known or memory._cdata in self._known


def _memory(tensor: Any) -> Any:
    """Where a tensor is kept; None where that is not known."""
    try:
        return tensor.untyped_storage()
    except (AttributeError, NotImplementedError, RuntimeError):
        return None


def _is_view(func: Any) -> bool:
    return any(one.alias_info and not one.alias_info.is_write for one in func._schema.returns)


def _written(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
    """The tensors that an operation writes into."""
    if not func._schema.is_mutable:
        return []
    named = func._schema.arguments
    given = {**{one.name: value for one, value in zip(named, args, strict=False)}, **kwargs}
    return _tensors([given.get(a.name) for a in named if a.alias_info and a.alias_info.is_write])


def _tensors(values: Any) -> list[Any]:
    from torch.utils._pytree import tree_leaves

    return [one for one in tree_leaves(values) if isinstance(one, torch().Tensor)]


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
