"""A statement as a stand-alone NumPy program that a person can read: `import numpy` is all that it needs.

Each relation is a function of the sizes and inputs that yields its sides, once for all values of the positions that it
is said of. Gradients are written out. What is needed more than once gets a name, and stands outside of the loops that
it does not depend on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, ClassVar

from ..statement import making, nodes
from ..statement.errors import IllFormed
from ..statement.nodes import Node
from ..statement.order import nonnegative
from ..statement.statement import Relation, Statement, Turns, every_node, in_turns, inside
from ..statement.table import Table
from ..statement.whole import Axis, Size, Symbol, whole
from ..statement.whole import Number as WholeNumber
from .derivative import prepared
from .reading import is_matrix_product
from .recognised import extreme
from .slices import Expression, Taking, number_text, shape_text

DEEP = 60
"""Of nodes one inside the other every so many get their texts first, for Python's stack is not deep enough for all."""
LONGEST = 60
WHOLE = 2**63
"""NumPy has no whole numbers from here on: such a one is written as a quotient, which is a float."""
SIGNS = {"add": " + ", "subtract": " - ", "multiply": " * ", "divide": " / ", "power": " ** "}
BINDS = {"add": 1, "subtract": 1, "multiply": 2, "divide": 2, "negative": 3, "power": 4}
"""How tightly operators bind; calls and names bind by 9, and @ as * does."""
CALLS = {
    **{n: f"np.{n}" for n in ("exp", "log", "sqrt", "abs", "sin", "cos", "tanh")},
    **{f"a{n}": f"np.arc{n}" for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    **{"floor": "np.floor", "ceil": "np.ceil", "erf": "np.vectorize(erf, otypes=[float])"},
}
AMONG = {"relu": "np.maximum", "step": "np.heaviside", "softplus": "np.logaddexp"}
"""Functions of a number and 0."""


def program(statement: Statement) -> str:
    """The program: a function `statement` of sizes and inputs that yields (kind, left, right).

    Raises:
        IllFormed: for a gradient of what has no derivative.
    """
    return written(prepared(statement), Writer)


def written(statement: Statement, kind: type[Writer]) -> str:
    """The program of a statement without gradients, as a kind of writer writes it."""
    sizes = [one.name for one in statement.sizes]
    names = [*sizes, *(one.name for one in statement.inputs), *functions(statement.relations)]
    sides = [side for one in statement.relations for side in (one.left, one.right)]
    writer = kind(sides, names)
    body = writer.relations(in_turns(statement.relations))
    shapes = [f"    {i.name}: {shape_text(i.lengths, writer.symbol)}" for i in statement.inputs]
    least = [f"{one.name} ≥ {one.least}" for one in statement.sizes]
    doc = [f'    """{statement.id}: yields the kind and the sides of each relation.', ""]
    doc += [f"    Sizes: {', '.join(least)}."] if least else []
    doc += [f"    At {', '.join(f'{n} = {v}' for n, v in statement.at)}."] if statement.at else []
    doc += ["    Shapes:", *(f"    {line}" for line in shapes)] if shapes else []
    first = ["from math import erf", ""] if any("vectorize(erf," in line for line in body) else []
    first += ["import numpy as np", "", ""]
    head = [*first, f"def statement({', '.join(names)}):", *doc, '    """']
    return "\n".join([*head, *_indented(body)]) + "\n"


def compiled(statement: Statement, kind: type[Writer]) -> Callable[..., Iterator[Any]]:
    """The function `statement` of the program, in plain NumPy or in what else its `np` is set to."""
    names: dict[str, Any] = {}
    exec(compile(written(statement, kind), f"the statement of {statement.id}", "exec"), names)
    return names["statement"]


def functions(relations: Sequence[Relation]) -> dict[str, nodes.Opaque]:
    """The functions of which only laws are known, which a program gets as arguments.

    Raises:
        IllFormed: if one name has other laws in another place.
    """
    every = every_node([side for one in relations for side in (one.left, one.right)])
    found: dict[str, nodes.Opaque] = {}
    for one in every:
        if isinstance(one, nodes.Opaque) and found.setdefault(one.name, one).laws != one.laws:
            raise IllFormed(
                f"{one.name} stands for two functions, with other laws each; name them apart"
            )
    return found


class Writer:
    """Writes nodes as expressions, and as lines that give them names, in the scopes of their binders."""

    longest = LONGEST
    """An expression that is longer gets a name."""

    TRAJECTORY: ClassVar = "np.array({})"
    """The states of a loop at all times, from the name of their list."""

    def __init__(self, sides: Sequence[Node], taken: Sequence[str]) -> None:
        every = every_node(sides)
        self._uses = Counter(sides)
        self._deep: dict[Node, int] = {}
        """How many nodes each is computed by, one after the other."""
        for node in every:
            below = *node.operands, *inside(node)
            self._uses.update(below)
            self._deep[node] = 1 + max((self._deep[one] for one in below), default=0)
        self._taken = {"np", "range", "statement", *taken}
        self._counts = Counter[str]()
        self._scopes: list[list[str]] = [[]]
        self._texts: list[dict[Node, Expression]] = [{}]
        """In each scope the nodes that have a text there."""
        self._bound: dict[Any, tuple[int, str]] = {}
        self._loops: list[dict[Any, list[str]]] = [{}]

    def name(self, wanted: str) -> str:
        """A new name that begins so."""
        found = wanted
        while found in self._taken:
            self._counts[wanted] += 1
            found = f"{wanted}{self._counts[wanted] + 1}"
        self._taken.add(found)
        return found

    def gets_a_name(self, node: Node, text: str) -> bool:
        """Whether a line gives a text a name: it is long, or needed more than once."""
        if isinstance(node, nodes.Number | nodes.Placeholder | nodes.Loop):
            return False
        size = self.size(text)
        long = size > self.longest and not isinstance(node, nodes.Take | nodes.Parameter)
        shared = self.uses(node) > 1 and not self.is_name(text)
        return long or (shared and size > self.shortest_of(node))

    def uses(self, node: Node) -> int:
        """How often a node is needed."""
        return self._uses[node]

    def size(self, text: str) -> int:
        """How long an expression is."""
        return len(text)

    def shortest_of(self, node: Node) -> int:
        """What is needed more than once, and longer, gets a name."""
        return 12

    def name_for(self, node: Node) -> str:
        """A new name of an array."""
        return self.name("a")

    def symbol(self, symbol: Symbol) -> str:
        """A size's or position's name."""
        if isinstance(symbol, Size):
            return symbol.name
        return self._bound[symbol][1]

    def whole(self, number: WholeNumber) -> Expression:
        return number_text(number, self.symbol)

    def shape(self, shape: nodes.Shape) -> str:
        return shape_text(shape, self.symbol)

    @contextmanager
    def scope(self, names: Mapping[Any, str]) -> Iterator[list[str]]:
        """Lines inside of a binder whose positions and placeholders have these names."""
        depth = len(self._scopes)
        before = {one: self._bound.get(one) for one in names}
        self._bound.update((one, (depth, name)) for one, name in names.items())
        lines: list[str] = []
        self._scopes.append(lines)
        self._texts.append({})
        self._loops.append({})
        yield lines
        self._scopes.pop()
        self._texts.pop()
        self._loops.pop()
        for one, known in before.items():
            if known is None:
                del self._bound[one]
            else:
                self._bound[one] = known

    def relations(self, every: Sequence[Relation | Turns]) -> list[str]:
        """The lines of relations, in the scope that is open."""
        for one in every:
            if isinstance(one, Relation):
                self._relation(one)
                continue
            name = self.name("t")
            low, high = self.whole(one.position.low)[0], self.whole(one.position.high)[0]
            outer = self._scopes[-1]
            with self.scope({one.position: name}) as lines:
                self.relations(one.inside)
            outer += ["", f"for {name} in range({low}, {high}):", *_indented(lines)]
        return self._scopes[-1]

    def _relation(self, one: Relation) -> None:
        left, right = self.text(one.left)[0], self.text(one.right)[0]
        label = "".join(p if isinstance(p, str) else self.whole(p)[0] for p in one.label)
        comment = "".join(c if c.isprintable() else " " for c in label)
        said = [f"# {comment}"] if label else []
        self._scopes[-1] += [*said, f'yield "{one.kind}", {left}, {right}']

    # Nodes.

    def _depth(self, node: Node) -> int:
        return max([self._bound[one][0] for one in node.free], default=0)

    def text(self, node: Node) -> Expression:
        """A node's text where it stands; its lines are in the scope that it depends on."""
        depth = self._depth(node)
        if node not in self._texts[depth] and self._deep.get(node, 0) > DEEP:
            for below in nodes.operands_first(node, self._waits):
                if below is not node and self._deep[below] % DEEP == 0:
                    self.text(below)
        if node not in self._texts[depth]:
            inner = self._scopes[depth + 1 :], self._texts[depth + 1 :], self._loops[depth + 1 :]
            del self._scopes[depth + 1 :], self._texts[depth + 1 :], self._loops[depth + 1 :]
            text, binds = self.table[type(node)](self, node)
            if self.gets_a_name(node, text):
                name = self.name_for(node)
                self._scopes[depth].append(self.assignment(name, text))
                text, binds = name, 9
            self._texts[depth][node] = text, binds
            self._scopes += inner[0]
            self._texts += inner[1]
            self._loops += inner[2]
        return self._texts[depth][node]

    def _waits(self, node: Node) -> bool:
        return self._deep.get(node, 0) > DEEP and node not in self._texts[self._depth(node)]

    @property
    def table(self) -> Table[Any]:
        """How each kind of node is written."""
        return WRITERS

    def assignment(self, name: str, text: str) -> str:
        """The line that gives a text a name."""
        return f"{name} = {text}"

    def is_name(self, text: str) -> bool:
        """Whether a text is a name already."""
        return text.isidentifier()

    def line(self, text: str) -> None:
        """Write a line where the node stands that is being written."""
        self._scopes[-1].append(text)

    def within(self, node: Node, binds: float) -> str:
        """A node's text as an operand of what binds so tightly."""
        text, own = self.text(node)
        return text if own >= binds else f"({text})"

    def input(self, node: nodes.Input) -> Expression:
        return node.name, 9

    def parameter(self, node: nodes.Parameter) -> Expression:
        text, binds = self.text(node.of)
        if self.is_name(text):
            return text, binds
        name = self.name("p_" + "".join(c if c.isalnum() else "_" for c in node.path))
        self._scopes[self._depth(node)].append(self.assignment(name, text))
        return name, 9

    def number(self, node: nodes.Number) -> Expression:
        value = node.value
        if isinstance(value, Fraction) or (isinstance(value, int) and abs(value) >= WHOLE):
            return f"{value.numerator} / {value.denominator}", 2
        return self.whole(value)

    def positions(self, node: nodes.Positions) -> Expression:
        return f"np.arange({self.whole(node.length)[0]})", 9

    def placeholder(self, node: nodes.Placeholder) -> Expression:
        return self._bound[node][1], 9

    def map(self, node: nodes.Map) -> Expression:
        function, found = node.function, extreme(node)
        if found is not None:
            name, *sides = found
            return f"np.{name}({', '.join(self.text(one)[0] for one in sides)})", 9
        if function in CALLS:
            return f"{CALLS[function]}({self.text(node.arguments[0])[0]})", 9
        if function in AMONG:
            return f"{AMONG[function]}({self.text(node.arguments[0])[0]}, 0.0)", 9
        if function == "zero":
            return f"np.equal({self.text(node.arguments[0])[0]}, 0).astype(float)", 9
        if function == "nonnegative":
            return f"np.greater_equal({self.text(node.arguments[0])[0]}, 0).astype(float)", 9
        binds = BINDS[function]
        if function == "negative":
            return f"-{self.within(node.arguments[0], binds)}", binds
        left, right = node.arguments
        own = binds + (function == "power")
        texts = self.within(left, own), self.within(right, binds + 1)  # rounding goes by the order
        return SIGNS[function].join(texts), binds

    def contract(self, node: nodes.Contract) -> Expression:
        if len(node.factors) == 1:
            (axes,) = node.axes
            summed = [k for k, name in enumerate(axes) if name not in node.result]
            kept = [name for name in axes if name in node.result]
            if kept == list(node.result):
                which = (
                    "" if not kept else str(summed[0]) if len(summed) == 1 else str(tuple(summed))
                )
                of = self.within(node.factors[0], 9)
                return f"np.sum({_bare(of)}{', ' if which else ''}{which})", 9
        elif is_matrix_product(node):
            return " @ ".join((self.within(node.factors[0], 2), self.within(node.factors[1], 3))), 2
        letters = [_letters(axes) for axes in (*node.axes, node.result)]
        factors = ", ".join(self.text(one)[0] for one in node.factors)
        return f'np.einsum("{",".join(letters[:-1])}->{letters[-1]}", {factors})', 9

    def opaque(self, node: nodes.Opaque) -> Expression:
        return f"{node.name}({', '.join(self.text(one)[0] for one in node.arguments)})", 9

    def lookup(self, node: nodes.Lookup) -> Expression:
        of, places = self._array(node.of), self._array(node.places)
        ones = f"np.equal.outer({places}, np.arange({self.whole(node.of.shape[0])[0]}))"
        return f"np.tensordot({ones}, {of}, 1)", 9

    def solve(self, node: nodes.Solve) -> Expression:
        matrix = self._array(node.matrix)
        lower = f"np.tril({matrix})"
        if node.unit:
            lower = f"np.tril({matrix}, -1) + np.eye({self.whole(node.matrix.shape[-1])[0]})"
        return f"np.linalg.solve({lower}, {self._array(node.right)})", 9

    def held(self, node: nodes.Held) -> Expression:
        if not node.format.says:
            return self.text(node.of)
        name, (low, high) = self.name("held"), node.format.ends
        self.line(self.assignment(name, self._array(node.of)))
        fits = [f"({name} == np.floor({name}))"]
        fits += [] if low is None else [f"({name} >= {low})"]
        fits += [] if high is None else [f"({name} <= {high})"]
        return f"np.where({' & '.join(fits)}, {name}, np.nan)", 9

    def norm(self, node: nodes.Norm) -> Expression:
        of = self.text(node.of)[0]
        which = "axis=-1" if node.kind == "euclidean" else "ord=2, axis=(-2, -1)"
        return f"np.linalg.norm({of}, {which})", 9

    def fold(self, node: nodes.Fold) -> Expression:
        name = "max" if node.operation == "maximum" else "prod"
        return f"np.{name}({self.text(node.of)[0]}, axis=0)", 9

    def reshape(self, node: nodes.Reshape) -> Expression:
        return f"{self.within(node.of, 9)}.reshape({self.shape(node.lengths)})", 9

    def join(self, node: nodes.Join) -> Expression:
        rows = [_as_row(part, node.axis) for part in node.parts]
        if all(row is not None for row in rows):
            texts = ", ".join(self._array(row) for row in rows if row is not None)
            axis = f", axis={node.axis}" if node.axis else ""
            return f"np.stack([{texts}]{axis})", 9
        texts = ", ".join(self._array(part) for part in node.parts)
        return f"np.concatenate([{texts}]{f', axis={node.axis}' if node.axis else ''})", 9

    def _array(self, node: Node) -> str:
        return self.text(node)[0]

    def build(self, node: nodes.Build) -> Expression:
        index, rows = self.name("i"), self.name("rows")
        low, high = self.whole(node.position.low)[0], self.whole(node.position.high)[0]
        outer = self._scopes[-1]
        with self.scope({node.position: index}) as lines:
            entry = self.text(node.entry)[0]
        ends = high if low == "0" else f"{low}, {high}"
        if not lines and len(entry) < LONGEST and nonnegative(node.shape[0] - 1):
            return f"np.array([{entry} for {index} in range({ends})])", 9
        name = self.name("a")
        outer += [
            f"{rows} = []",
            f"for {index} in range({ends}):",
            *_indented([*lines, f"{rows}.append({entry})"]),
            f"{name} = np.array({rows}).reshape({self.shape(node.shape)})",
        ]
        return name, 9

    def loop(self, node: nodes.Loop) -> Expression:
        known = self._loops[self._depth(node)]
        if node.recursion not in known:
            known[node.recursion] = self._turns(node.recursion)
        return self.TRAJECTORY.format(known[node.recursion][node.number]), 9

    def states(self, node: nodes.Loop) -> str:
        """The name of the list of a loop's states, whose lines are there then."""
        self.text(node)
        return self._loops[self._depth(node)][node.recursion][node.number]

    def _turns(self, r: nodes.Recursion) -> list[str]:
        states = [self.name("s") for _ in r.states]
        outer = self._scopes[-1]
        starts = [self.text(one)[0] for one in r.start]
        outer += [f"{name} = [{start}]" for name, start in zip(states, starts, strict=True)]
        time = self.name("t")
        low, high = self.whole(r.time.low)[0], self.whole(r.time.high)[0]
        before = {one: f"{name}[-1]" for one, name in zip(r.states, states, strict=True)}
        with self.scope({r.time: time, **before}) as lines:
            steps = [self.text(one)[0] for one in r.steps]
        if len(states) == 1:
            lines.append(f"{states[0]}.append({steps[0]})")
        else:
            after = [self.name("after") for _ in states]
            lines.append(f"{', '.join(after)} = {', '.join(steps)}")
            lines += [f"{s}.append({a})" for s, a in zip(states, after, strict=True)]
        ends = high if low == "0" else f"{low}, {high}"
        outer += [f"for {time} in range({ends}):", *_indented(lines)]
        return states

    def take(self, node: nodes.Take) -> Expression:
        return Taking(self, node).text()


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def _bare(text: str) -> str:
    return text[1:-1] if text[0] == "(" and text[-1] == ")" and ")" not in text[1:-1] else text


def _letters(axes: Sequence[int]) -> str:
    return "".join("ijklmnpqrstuvwxyz"[k] for k in axes)


def _as_row(part: Node, axis: int) -> Node | None:
    """The array that a part of a `Join` has one new axis more than."""
    if part.shape[axis] != 1:
        return None
    shape = (*part.shape[:axis], *part.shape[axis + 1 :])
    places = [whole(Axis(k if k < axis else k - 1)) for k in range(len(part.shape))]
    places[axis] = 0  # type: ignore[call-overload]
    return making.take(part, places, shape)


WRITERS: Table[Any] = Table(
    "text in NumPy",
    {
        nodes.Input: Writer.input,
        nodes.Parameter: Writer.parameter,
        nodes.Number: Writer.number,
        nodes.Positions: Writer.positions,
        nodes.Map: Writer.map,
        nodes.Opaque: Writer.opaque,
        nodes.Lookup: Writer.lookup,
        nodes.Solve: Writer.solve,
        nodes.Held: Writer.held,
        nodes.Contract: Writer.contract,
        nodes.Norm: Writer.norm,
        nodes.Fold: Writer.fold,
        nodes.Take: Writer.take,
        nodes.Reshape: Writer.reshape,
        nodes.Join: Writer.join,
        nodes.Build: Writer.build,
        nodes.Placeholder: Writer.placeholder,
        nodes.Loop: Writer.loop,
    },
)
"""How each kind of node is written."""
