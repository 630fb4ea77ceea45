"""A definition, recorded, as the text of a function in NumPy that a person can read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import fill
from typing import Any

from scanproof.proofs.doors.record.array import Recorded
from scanproof.proofs.doors.record.length import number_of
from scanproof.proofs.doors.record.recording import Recording, recording
from scanproof.proofs.readings.program import WRITERS, Writer
from scanproof.proofs.readings.slices import Expression, shape_text
from scanproof.proofs.statement import nodes
from scanproof.proofs.statement.binding import replaced
from scanproof.proofs.statement.nodes import Input, Node
from scanproof.proofs.statement.statement import every_node
from scanproof.proofs.statement.table import Table
from scanproof.proofs.statement.whole import Position, whole

LONGEST = 100
"""Of the line of `def`, which goes on in another one."""


def function_text(
    name: str,
    does: Callable[..., Any],
    function: Callable[..., Any],
    shapes: Mapping[str, Sequence[Any]],
    dtype: str = "",
) -> str:
    """`def name(n, …):` with what `function` computes of arrays of these names and shapes.

    Args:
        name: of the function that is printed.
        does: the definition whose docstring says what it computes.
        function: of the recorded arrays by name; gives an array or several.
        shapes: by name; numbers, and lengths in the size n.
        dtype: what arrays are made in, as the function calls it; float64 if nothing is said.

    Raises:
        Refused: if it cannot be recorded.
    """
    arrays = {one: Input(one, tuple(map(number_of, shape))) for one, shape in shapes.items()}
    with recording(Recording()):
        made = function(**{one: Recorded(array) for one, array in arrays.items()})
    results = [one.node for one in (made if isinstance(made, tuple) else (made,))]
    writer = _Function(results, ["n", *arrays], dtype)
    returned = ", ".join(writer.text(one)[0] for one in results)
    lines = list(writer.relations(()))
    if lines and lines[-1].startswith(f"{returned} = "):
        returned = lines.pop().removeprefix(f"{returned} = ")
    says = (inspect.getdoc(does) or "").split("\n")[0].partition("; arguments")[0].rstrip(".")
    head = f"def {name}({', '.join(['n', *arrays])}):"
    if len(head) > LONGEST:
        head = fill(head, LONGEST, subsequent_indent=" " * (len(name) + 5))
    body = [
        f'"""{says}.',
        "",
        "Shapes:",
        *(f"    {one}: {shape_text(a.shape, writer.symbol)}" for one, a in arrays.items()),
        '"""',
        *lines,
        f"return {returned}",
    ]
    return "\n".join([head, *(f"    {line}" if line else "" for line in body)]) + "\n"


class _Function(Writer):
    """Takes states after a turn from their list, and names what turns take entries of."""

    def __init__(self, results: Sequence[Node], taken: Sequence[str], dtype: str) -> None:
        super().__init__(results, taken)
        self._dtype = f", {dtype}" if dtype else ""
        every = every_node(results)
        takes = [one for one in every if isinstance(one, nodes.Take)]
        self._entered = {
            one.of for one in takes if any(_speaks_of_a_position(place) for place in one.places)
        }
        self._after = {
            one.position: list(_after_turns(one, takes))
            for one in every
            if isinstance(one, nodes.Build)
        }

    def gets_a_name(self, node: Node, text: str) -> bool:
        """Besides, what entries are taken of in a loop, which would be computed in every turn."""
        entered = node in self._entered and not isinstance(node, nodes.Loop | nodes.Placeholder)
        return super().gets_a_name(node, text) or (entered and not self.is_name(text))

    @property
    def table(self) -> Table[Any]:
        """With the kinds of this class."""
        return OWN

    def take(self, node: nodes.Take) -> Expression:
        """Zeros and ones in the function's format."""
        text, binds = super().take(node)
        made = text.startswith(("np.zeros(", "np.ones("))
        return (f"{text[:-1]}{self._dtype})" if made and binds == 9 else text), binds

    def map(self, node: nodes.Map) -> Expression:
        """A root of a number as Python's, which takes the format of what it meets; log(1 + x) as is exact near 0."""
        if node.function == "log" and (less := _less_one(node.arguments[0])) is not None:
            return f"np.log1p({self.text(less)[0]})", 9
        text, binds = super().map(node)
        known = all(isinstance(one, nodes.Number) for one in node.arguments)
        return (f"float({text})", 9) if known and text.startswith("np.") else (text, binds)

    def build(self, node: nodes.Build) -> Expression:
        """Rows in the function's format."""
        text, binds = super().build(node)
        if not self.is_name(text):
            return f"{text[:-1]}{self._dtype})", binds
        lines = self._scopes[-1]
        lines[-1] = lines[-1].replace(").reshape(", f"{self._dtype}).reshape(", 1)
        return text, binds

    @contextmanager
    def scope(self, names: Mapping[Any, str]) -> Iterator[list[str]]:
        """Inside of a `Build`, a state after the turn that its position counts is one of the list."""
        with super().scope(names) as lines:
            for position, index in names.items():
                for state, loop in self._after.get(position, ()):
                    self._texts[-1][state] = f"{self.states(loop)}[{index} + 1]", 9
            yield lines


OWN: Table[Any] = Table(
    WRITERS.reading,
    {**WRITERS, nodes.Take: _Function.take, nodes.Map: _Function.map, nodes.Build: _Function.build},
)


def _less_one(node: Node) -> Node | None:
    """x, of 1 + x."""
    if isinstance(node, nodes.Map) and node.function == "add":
        for one, other in (node.arguments, node.arguments[::-1]):
            if isinstance(one, nodes.Number) and one.value == 1:
                return other
    return None


def _speaks_of_a_position(place: Any) -> bool:
    return any(isinstance(symbol, Position) for symbol in getattr(place, "symbols", ()))


def _after_turns(
    build: nodes.Build, takes: Sequence[nodes.Take]
) -> Iterator[tuple[Node, nodes.Loop]]:
    """The states after turn number p of loops whose states before it an entry at p takes, with their loops."""
    at = whole(build.position)
    before = {
        one.of: one for one in takes if isinstance(one.of, nodes.Loop) and one.places[0] == at
    }
    for r in {loop.recursion for loop in before}:
        every = [nodes.Loop(r, number) for number in range(len(r.states))]
        images = {
            r.time: at,
            **{s: before[one] for s, one in zip(r.states, every, strict=True) if one in before},
        }
        for loop, step in zip(every, r.steps, strict=True):
            yield replaced(step, images), loop
