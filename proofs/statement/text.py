"""A statement as canonical text, and its hash: nodes have numbers in the order in which they are first needed.

Two statements have one text if and only if they are the same nodes under the same names of sizes and inputs.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from . import nodes
from .conditions import conditions
from .formats import REAL
from .nodes import Node
from .statement import OUTERMOST, Relation, Statement, every_node, inputs_of
from .table import Table
from .whole import Number as WholeNumber
from .whole import Position, Size, Symbol, spelled

SIGNS = {"add": "+", "subtract": "−", "multiply": "·", "divide": "/", "power": "^"}
SAID = {"equal": "=", "at_most": "≤", "differs": "≠"}


class _Names(dict[Any, str]):
    """The names of nodes and recursions; new ones are counted."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = Counter[str]()

    def new(self, letter: str) -> str:
        """The next name with this letter."""
        self._counts[letter] += 1
        return f"{letter}{self._counts[letter]}"


def fingerprint(statement: Statement) -> str:
    """The hash of all that is proved: the text, without the claim's id."""
    said = "\n".join(list(lines(statement))[1:])
    return hashlib.sha256(said.encode()).hexdigest()


def text(statement: Statement) -> str:
    """The canonical text."""
    return "\n".join(lines(statement)) + "\n"


def lines(statement: Statement) -> Iterator[str]:
    """The text's lines: sizes, inputs, one line a node, hypotheses, relations."""
    yield f"statement {statement.id}"
    for one in statement.sizes:
        yield f"  size {one.name} ≥ {one.least}"
    for name, value in statement.at:
        yield f"  at {name} = {value}"
    own = [one for one in inputs_of(statement.owed) if one not in statement.inputs]
    for one in (*statement.inputs, *own):
        held = f" {one.format.name}" if one.format is not REAL else ""
        yield f"  input {one.name} {_shape(one.lengths)}{held}"
    names = _Names()
    for node in every_node([*statement.nodes, *statement.parameters]):
        yield from _node(node, names)
    for one in statement.parameters:
        yield f"  parameter {one.path} = {names[one]}"
    for one in statement.hypotheses:
        yield f"  if {one.text}"
        yield from (f"    {line}" for bound in one.bounds for line in _relation(bound, names))
        yield from (f"    | {line}" for line in one.code.splitlines())
    for node, says in conditions(statement):
        yield f"  where {names[node]} {says}"
    yield from (f"  given that {text}" for text in statement.assumed)
    yield from (f"  given that {number(one.number)} ≤ {one.most}" for one in statement.fits)
    for one in statement.relations:
        yield from _relation(one, names)
    for one in statement.owed:
        yield from (f"  besides{line}" for line in _relation(replace(one, label=()), names))


def name_of(symbol: Symbol) -> str:
    """A symbol's name."""
    if isinstance(symbol, Size):
        return symbol.name
    if isinstance(symbol, Position):
        outer = symbol.mark - OUTERMOST
        return f"t{outer + 1}" if outer >= 0 else f"i{symbol.mark}"
    return "ijklmnpqrsuvwxyz"[symbol.number]


def number(value: WholeNumber | Fraction) -> str:
    """A number."""
    return str(value) if isinstance(value, Fraction) else spelled(value, name_of)


def _shape(shape: nodes.Shape) -> str:
    return f"({', '.join(map(number, shape))}{',' if len(shape) == 1 else ''})"


def _range(position: Position) -> str:
    last = position.high - 1
    return f"{name_of(position)} = {number(position.low)}, …, {number(last)}"


def _relation(one: Relation, names: _Names) -> Iterator[str]:
    left, right = names[one.left], names[one.right]
    each = "".join(f" for {_range(position)}" for position in one.each)
    label = "".join(p if isinstance(p, str) else number(p) for p in one.label)
    end = f"{each}  ({label})" if label else each
    if one.kind in SAID:
        yield f"  {left} {SAID[one.kind]} {right}{end}"
        return
    shared = f", with {', '.join(one.shared)} shared" if one.shared else ""
    yield f"  {left} {one.kind} {right}{shared}{end}"


def _node(node: Node, names: _Names) -> Iterator[str]:
    """The lines of a node, whose operands have names; it gets a name."""
    if isinstance(node, nodes.Loop) and node.recursion not in names:
        r = node.recursion
        names[r] = names.new("r")
        yield f"  {names[r]}: {_range(r.time)}"
        for state, start, step in zip(r.states, r.start, r.steps, strict=True):
            own = TEXTS[type(state)](state, names)  # which no step may read
            yield f"    {own} from {names[start]} by {names[step]}"
    said = TEXTS[type(node)](node, names)
    if isinstance(node, nodes.Input | nodes.Number | nodes.Placeholder):
        names[node] = said
        return
    names[node] = names.new("a")
    yield f"  {names[node]} {_shape(node.shape)} = {said}"


def _of_map(node: nodes.Map, names: _Names) -> str:
    every = [names[a] for a in node.arguments]
    if node.function in SIGNS:
        return f" {SIGNS[node.function]} ".join(every)
    return f"{node.function}({', '.join(every)})"


def _of_contract(node: nodes.Contract, names: _Names) -> str:
    pairs = zip(node.factors, node.axes, strict=True)
    factors = [f"{names[one]}[{_letters(axes)}]" for one, axes in pairs]
    return f"Σ {' '.join(factors)} → [{_letters(node.result)}]"


def _of_opaque(node: nodes.Opaque, names: _Names) -> str:
    laws = "".join(f", {law}" for law in sorted(node.laws))
    return f"{node.name}({', '.join(names[a] for a in node.arguments)}), any function{laws}"


def _of_solve(node: nodes.Solve, names: _Names) -> str:
    unit = " with ones on its diagonal" if node.unit else ""
    return f"X of L X = {names[node.right]}, L the lower triangle of {names[node.matrix]}{unit}"


def _of_take(node: nodes.Take, names: _Names) -> str:
    guards = ", ".join(f"{g} ≥ 0" for g in sorted(map(number, node.guards)))
    places = f"[{', '.join(map(number, node.places))}]" if node.places else ""
    return names[node.of] + places + (f" where {guards}" if guards else "")


TEXTS: Table[Callable[[Any, _Names], str]] = Table(
    "text",
    {
        nodes.Input: lambda node, names: node.name,
        nodes.Parameter: lambda node, names: f"parameter {node.path}: {names[node.of]}",
        nodes.Number: lambda node, names: number(node.value),
        nodes.Placeholder: lambda node, names: f"S{node.mark}.{node.number + 1}",
        nodes.Positions: lambda node, names: f"0, …, {number(node.length - 1)}",
        nodes.Map: _of_map,
        nodes.Contract: _of_contract,
        nodes.Norm: lambda node, names: f"{node.kind} norm of {names[node.of]}",
        nodes.Fold: lambda node, names: f"{node.operation} of {names[node.of]}",
        nodes.Take: _of_take,
        nodes.Opaque: _of_opaque,
        nodes.Lookup: lambda node, names: f"{names[node.of]} at places {names[node.places]}",
        nodes.Solve: _of_solve,
        nodes.Held: lambda node, names: f"{names[node.of]} as {node.format.name}",
        nodes.Reshape: lambda node, names: f"{names[node.of]} in another shape",
        nodes.Join: lambda node, names: (
            f"{' | '.join(names[part] for part in node.parts)} along axis {node.axis}"
        ),
        nodes.Build: lambda node, names: f"{names[node.entry]} for {_range(node.position)}",
        nodes.Loop: lambda node, names: f"{names[node.recursion]}, state {node.number + 1}",
        nodes.Gradient: lambda node, names: (
            f"∂ {names[node.loss]} / ∂ {names[node.point]} at {names[node.at]}"
        ),
    },
)
"""What each kind of node is, by the names of what it is computed from."""


def _letters(axes: tuple[int, ...]) -> str:
    return "".join("ijklmnpqrsuvwxyz"[k] for k in axes)
