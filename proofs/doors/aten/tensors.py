"""PyTorch's tensors and sizes as loops over sizes go through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...interpret.questions import place
from ..loops import items
from .refusal import Refused, beside, torch


def is_real_of_sizes(value: Any) -> bool:
    """Whether a value is a real number that is computed of sizes."""
    return type(value).__name__ == "SymFloat"


def is_symbol(value: Any) -> bool:
    """Whether a value is a size of which the number is not known."""
    return type(value).__name__ == "SymInt" and value.node.expr.free_symbols != set()


class Rows(items.Rows):
    """Rows, which `torch.stack` and `torch.cat` take among others in a list."""

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        t, options = torch(), dict(kwargs or {})
        if function not in (t.stack, t.cat, t.concat):
            raise Refused(
                f"{function.__name__} of a list that a loop over a size made{place(beside())}"
            )
        dim = args[1] if len(args) > 1 else options.get("dim", 0)
        parts = []
        for one in args[0]:
            if function is t.stack:
                whole = one.stacked if isinstance(one, Rows) else one.unsqueeze(0)
                axis = dim % whole.dim()
                parts.append(whole.movedim(0, axis))
            elif isinstance(one, Rows):
                axis = dim % (one.stacked.dim() - 1)
                parts.append(one.stacked.movedim(0, axis).flatten(axis, axis + 1))
            else:
                axis = dim % one.dim()
                parts.append(one)
        return parts[0] if len(parts) == 1 else t.cat(parts, axis)


class Tensors(items.Arrays):
    """PyTorch's."""

    rows = Rows

    def is_array(self, value: Any) -> bool:
        return isinstance(value, torch().Tensor)

    def is_symbol(self, value: Any) -> bool:
        return is_symbol(value)

    def row(self, array: Any, t: Any) -> Any:
        return array.select(0, t)

    def backwards(self, array: Any) -> Any:
        return array.flip(0)

    def numbers(self, length: Any) -> Any:
        return torch().arange(length)

    def place(self) -> str:
        return place(beside())


def root(function: Callable[[Any], Any], value: Any) -> Any:
    """`math.sqrt` and its like, which would ask for the number of a size."""
    return value**0.5 if is_symbol(value) or is_real_of_sizes(value) else function(value)


def real(value: Any = 0.0) -> Any:
    """`float`, which would ask for the number of a size."""
    return torch().sym_float(value) if is_symbol(value) or is_real_of_sizes(value) else float(value)


def whole(*given: Any) -> Any:
    """`int`, which would ask for the number of a size, or of what is computed of sizes."""
    value = given[0] if given else 0
    return torch().sym_int(value) if is_symbol(value) or is_real_of_sizes(value) else int(*given)


TENSORS = Tensors()
