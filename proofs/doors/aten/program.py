"""The entry: a function of PyTorch and a node for each of its inputs, and what comes of it is the nodes it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...statement import nodes
from ...statement.formats import REAL, Format
from ...statement.nodes import Node
from ...statement.whole import Number, Size, Whole, whole
from ..infinities import Value
from . import agreement
from .following import followed
from .lowering import Lowering, Notes
from .refusal import Refused, torch
from .tracing import Given, Traced
from .values import format_of
from .writing import Writes


@dataclass(frozen=True)
class Read:
    """What a function returns, as nodes."""

    outputs: tuple[Node, ...]
    """One node for each array that it returns, in their order."""
    tree: Any
    """How they are nested, as PyTorch has it."""
    formats: tuple[str, ...]
    """The formats of its inputs: it is read for these, on a CPU."""
    assumes: tuple[str, ...]
    """What is taken for granted."""


def inputs(
    shapes: dict[str, Sequence[Number]], formats: dict[str, Format] | None = None
) -> list[nodes.Input]:
    """New inputs of these names and shapes."""
    held = formats or {}
    return [nodes.Input(n, tuple(shape), held.get(n, REAL)) for n, shape in shapes.items()]


def read(
    function: Callable[..., Any], given: Sequence[Node], dtypes: Sequence[Any] | None = None
) -> Read:
    """The nodes that a function of PyTorch returns for these.

    Args:
        function: of tensors; it returns a tensor, or several in lists, tuples or dicts.
        given: a node for each argument.
        dtypes: PyTorch's format of each; if not given, its default, and for inputs of other formats the one of theirs.

    Raises:
        Refused: for what is not read, with the operation and the user's line.
        Decided: if something is asked of sizes that holds at some of them only.
    """
    known = [_dtype(node) for node in given] if dtypes is None else list(dtypes)
    every = [Given(node.shape, dtype) for node, dtype in zip(given, known, strict=True)]
    traced = followed(function, every)
    fresh = [
        nodes.Input(f"x{k}", n.shape, format_of(d))
        for k, (n, d) in enumerate(zip(given, known, strict=True))
    ]
    found, _ = _lowered(traced, fresh, known)
    agreement.expect(function, every, fresh, found, _sizes(given), traced.at_one)
    outputs, notes = _lowered(traced, given, known)
    return Read(outputs, traced.tree, traced.formats, tuple(notes.assumes))


def _lowered(
    traced: Traced, given: Sequence[Node], dtypes: Sequence[Any]
) -> tuple[tuple[Node, ...], Notes]:
    """What a traced function returns for these, and what is taken for granted."""
    notes = Notes()
    values = [Value(node, dtype) for node, dtype in zip(given, dtypes, strict=True)]
    for k, time in enumerate(traced.places):
        length = 0 if time is None else whole(time) + 1
        values.append(Value(nodes.Input(f"turn {k}", (length,)), torch().float32))
    lowering = Lowering(traced.graph, traced.sizes, values, notes, Writes())
    found = lowering.outputs()
    if not found:
        raise Refused("it returns nothing; an array, or several, are expected")
    return tuple(_output(lowering, value) for value in found), notes


def _sizes(given: Sequence[Node]) -> list[tuple[str, int]]:
    """The sizes in shapes, with their least values."""
    every = (s for one in given for n in one.shape if isinstance(n, Whole) for s in n.symbols)
    return [(one.name, one.least) for one in dict.fromkeys(every) if isinstance(one, Size)]


def _output(lowering: Lowering, value: Any) -> Node:
    if value is None or isinstance(value, str):
        raise Refused(f"it returns {value!r} among its arrays")
    return lowering.node(value)


def _dtype(node: Node) -> Any:
    """PyTorch's format for an input: its default for real numbers."""
    t = torch()
    form = node.format if isinstance(node, nodes.Input) else REAL
    if form.kind == "bool":
        return t.bool
    if form.kind == "real":
        return t.get_default_dtype()
    return getattr(t, f"{form.kind}{form.bits or 64}")


def of_module(module: Any) -> tuple[tuple[str, ...], Callable[..., Any]]:
    """A module's parameters and buffers by name, and its function of these and of the module's own arguments."""
    t = torch()
    names = (*dict(module.named_parameters()), *dict(module.named_buffers()))

    def function(*given: Any) -> Any:
        held = dict(zip(names, given, strict=False))
        return t.func.functional_call(module, held, given[len(names) :])

    return names, function
