"""Kernels for the kinds of arguments that a launch gives them: the front end's text, read, and what it writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ..refused import Refused
from .front_end import ir_text
from .text import Block, Kernel, kernel_of

FORMATS = {
    **{f"float{n}": f"fp{n}" for n in (16, 32, 64)},
    "bfloat16": "bf16",
    **{f"int{n}": f"i{n}" for n in (8, 16, 32, 64)},
    "bool": "i1",
}
"""PyTorch's formats as Triton calls them."""
WRITES = ("tt.store", "tt.atomic", "tt.descriptor")
"""How the names of operations begin that write into memory."""


@dataclass(frozen=True)
class Made:
    """A kernel as it is launched."""

    kernel: Kernel
    arguments: tuple[str, ...]
    """The names of the arguments that are none of its constants, in order."""
    written: frozenset[str]
    """Those of the arrays into which it writes."""


_MADE: dict[Any, Made] = {}


def kernel_with(
    kernel: Any, arrays: Mapping[str, str], others: Mapping[str, Any], constants: frozenset[str]
) -> Made:
    """A kernel for arrays of these formats, and these other arguments.

    Raises:
        Refused: if an argument is of a kind that is not read, or the front end does not take it.
    """
    signature: dict[str, str] = {}
    values: dict[str, Any] = {}
    for name in kernel.arg_names:
        if name in arrays:
            if arrays[name] not in FORMATS:
                raise Refused(f"{kernel.__name__}: {name} is an array of {arrays[name]}")
            signature[name] = f"*{FORMATS[arrays[name]]}"
        elif name in constants or others[name] is None:
            signature[name], values[name] = "constexpr", _constant(kernel, name, others[name])
        else:
            signature[name] = _kind(kernel, name, others[name])
    functions = tuple(getattr(one, "fn", one) for one in values.values() if callable(one))
    key = kernel.fn, functions, tuple(signature.items()), repr(sorted(values.items(), key=str))
    if key not in _MADE:
        read = kernel_of(ir_text(kernel, signature, values))
        names = tuple(n for n, kind in signature.items() if kind != "constexpr")
        if len(names) != len(read.arguments):
            raise Refused(f"{kernel.__name__}: Triton's IR has other arguments than the kernel")
        by_value = dict(zip(read.arguments, names, strict=True))
        _MADE[key] = Made(read, names, frozenset(_written(read, by_value) & set(arrays)))
    return _MADE[key]


def _constant(kernel: Any, name: str, value: Any) -> Any:
    """The value of a constant, which is no size.

    Raises:
        Refused: if it is one.
    """
    if hasattr(value, "node"):
        raise Refused(
            f"{kernel.__name__}: its constant {name} is a size; give that length as a number in the shapes"
        )
    return value


def _kind(kernel: Any, name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if -(2**31) <= value < 2**31 else "i64"
    if isinstance(value, float):
        return "fp32"
    if hasattr(value, "node") and value.node.is_int():
        return "i32"
    if hasattr(value, "node"):
        raise Refused(f"{kernel.__name__}: {name} is a fraction that depends on sizes")
    raise Refused(f"{kernel.__name__}: {name} is a {type(value).__name__}, which is not read")


def _written(read: Kernel, names: Mapping[str, str]) -> set[str]:
    """The arrays that the places of stores are places in: what a store's place is made of says which these may be."""
    origin: dict[str, set[str]] = {value: {name} for value, name in names.items()}
    stored: list[str] = []

    def of(values: Iterable[str]) -> set[str]:
        return set[str]().union(*(origin.get(value, set()) for value in values))

    def visit(block: Block) -> None:
        for one in block.operations:
            if one.name.startswith(WRITES):
                stored.append(one.operands[0])
            for inner in one.blocks:
                visit(inner)
            ends = [inner.operations[-1].operands for inner in one.blocks if inner.operations]
            given = of(one.operands) | of(first for _, first in one.carried) | of(chain(*ends))
            for name in (*one.results, *(name for name, _ in one.carried)):
                origin[name] = origin.get(name, set()) | given

    before = None
    while before != (before := sum(map(len, origin.values()))):  # until turns of loops say no more
        visit(read.body)
    return of(stored)
