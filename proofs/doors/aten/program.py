"""The entry: a function of PyTorch and a node for each of its inputs, and what comes of it is the nodes it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...statement import nodes
from ...statement.formats import REAL, Format
from ...statement.nodes import Node
from ...statement.statement import Fit
from ...statement.whole import Number, Size, Whole, whole
from ..infinities import Value
from ..meant import Literal
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
    literals: tuple[Literal, ...] = ()
    """The function's numbers that are more than small binary fractions."""
    fits: tuple[Fit, ...] = ()
    """What has to hold of the sizes for whole numbers to fit their type."""
    traced: int = 0
    """How many operations PyTorch's trace has."""


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
    known = [dtype_of(node) for node in given] if dtypes is None else list(dtypes)
    every = [Given(node.shape, dtype) for node, dtype in zip(given, known, strict=True)]
    return Tracing(function, every).of(given)


class Tracing:
    """A function that PyTorch has traced, and that its nodes compute what it computes.

    Args:
        function: of tensors.
        given: its arguments.
        known: functions that it calls, whose loops may be over sizes; others are seen when it runs.
        coarsest: the format with the fewest digits in which it computes.

    Raises:
        Refused, Decided: as `read` does.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        given: Sequence[Given],
        known: Sequence[Callable[..., Any]] = (),
        coarsest: str = "float64",
    ) -> None:
        self._given = list(given)
        self._traced = followed(function, given, known)
        fresh = [
            nodes.Input(f"x{k}", one.shape, format_of(one.dtype)) for k, one in enumerate(given)
        ]
        found, _ = self._lowered(fresh)
        at_one = self._traced.at_one
        agreement.expect(function, given, fresh, found, _sizes(fresh), at_one, coarsest)

    def of(self, given: Sequence[Node]) -> Read:
        """What the function returns for these."""
        outputs, notes = self._lowered(given)
        traced = self._traced
        return Read(
            outputs,
            traced.tree,
            traced.formats,
            tuple(notes.assumes),
            tuple(notes.literals),
            tuple(notes.fits),
            len(traced.graph.graph.nodes),
        )

    def _lowered(self, given: Sequence[Node]) -> tuple[tuple[Node, ...], Notes]:
        return _lowered(self._traced, given, [one.dtype for one in self._given])


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
    outputs = tuple(_output(lowering, value) for value in found)
    notes.assumes.update(dict.fromkeys([*traced.taken, *notes.domains.lost(outputs)]))
    return outputs, notes


def _sizes(given: Sequence[Node]) -> list[tuple[str, int]]:
    """The sizes in shapes, with their least values."""
    every = (s for one in given for n in one.shape if isinstance(n, Whole) for s in n.symbols)
    return [(one.name, one.least) for one in dict.fromkeys(every) if isinstance(one, Size)]


def _output(lowering: Lowering, value: Any) -> Node:
    if value is None or isinstance(value, str):
        raise Refused(f"it returns {value!r} among its arrays")
    return lowering.node(value)


def dtype_of(node: Node) -> Any:
    """PyTorch's format for an input: its default for real numbers."""
    t = torch()
    form = node.format if isinstance(node, nodes.Input) else REAL
    if form.kind == "bool":
        return t.bool
    if form.kind == "real":
        return t.get_default_dtype()
    return getattr(t, f"{form.kind}{form.bits or 64}")
