"""A statement as formulas in LaTeX: what has a name on a line of its own, what is said at the end.

x_{t,:} is an entry of an array, with positions from 0 on; [i = j] is 1 where that holds and 0 elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from ..statement import making, nodes
from ..statement.statement import Relation, Statement, Turns, in_turns
from ..statement.table import Table
from ..statement.whole import Axis, Position, Size, Symbol, Whole, whole
from ..statement.whole import Number as WholeNumber
from .derivative import prepared
from .program import Writer
from .reading import is_matrix_product
from .slices import Expression
from .taking import affine

GREEK = (
    *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda"),
    *("mu", "nu", "xi", "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "Delta", "Theta"),
    *("Lambda", "Sigma", "Phi", "Psi", "Omega", "Gamma"),
)
SAYS = {"equal": "=", "at_most": r"\le", "differs": r"\ne"}
BRACKETS = {
    "floor": r"\lfloor {} \rfloor",
    "ceil": r"\lceil {} \rceil",
    "step": "[{} > 0]",
    "zero": "[{} = 0]",
    "relu": r"\max\bigl({}, 0\bigr)",
}
OPERATORS = {
    **{f"a{name}": rf"\arc{name}" for name in ("sin", "cos", "tan")},
    **{f"a{name}": rf"\operatorname{{ar{name}}}" for name in ("sinh", "cosh", "tanh")},
    **{name: rf"\operatorname{{{name}}}" for name in ("erf", "softplus")},
}
"""Functions that LaTeX has not by their names."""
LETTERS = "ijklmnpqrsuvwxyz"


def latex(statement: Statement) -> str:
    """The statement, its gradients written out, as an `align*` of LaTeX.

    Raises:
        IllFormed: for a gradient of what has no derivative.
    """
    written = prepared(statement)
    names = [*(one.name for one in statement.sizes), *(one.name for one in statement.inputs)]
    writer = _Latex([side for one in written.relations for side in (one.left, one.right)], names)
    lines = writer.relations(in_turns(written.relations))
    given = [
        rf"{named(one.name)} \in \mathbb{{R}}{writer.power(one.lengths)}"
        for one in statement.inputs
    ]
    sizes = [rf"{named(one.name)} \ge {one.least}" for one in statement.sizes]
    sizes += [f"{named(name)} = {value}" for name, value in statement.at]
    head = ["& " + r",\quad ".join(every) for every in (sizes, given) if every]
    body = " \\\\\n".join(f"  {line}" for line in [*head, *lines])
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}\n"


def named(name: str) -> str:
    """A name as LaTeX has it."""
    letters = name.rstrip("0123456789")
    if letters in GREEK and letters == name:
        return f"\\{name}"
    return name if len(name) == 1 else rf"\mathit{{{name.replace('_', chr(92) + '_')}}}"


class _Latex(Writer):
    longest = 120

    @property
    def table(self) -> Table[Any]:
        return FORMULAS

    def name(self, wanted: str) -> str:
        self._counts = getattr(self, "_counts", {})
        if wanted.startswith("p_") and wanted[2:] not in self._taken:
            self._taken.add(wanted[2:])
            return named(wanted[2:])
        letter = wanted[:1] if wanted[:2] != "p_" else "p"
        while True:
            self._counts[letter] = self._counts.get(letter, 0) + 1
            found = f"{letter}{self._counts[letter]}"
            if found not in self._taken:
                self._taken.add(found)
                return (
                    f"{letter}^{{({self._counts[letter]})}}"
                    if letter not in "it"
                    else self._index()
                )

    def _index(self) -> str:
        """A letter for a position."""
        for letter in (*"tsrijklmn", *(f"t_{{{k}}}" for k in range(1, 1_000))):
            if letter not in self._taken:
                self._taken.add(letter)
                return letter
        raise OverflowError("more positions than letters")

    def assignment(self, name: str, text: str) -> str:
        return f"{name} &= {text}"

    def is_name(self, text: str) -> bool:
        return not set(text) & set(" +-&_[")

    def symbol(self, symbol: Symbol) -> str:
        return named(symbol.name) if isinstance(symbol, Size) else self._bound[symbol][1]

    def whole(self, number: WholeNumber) -> Expression:
        return self.numbered(number, ()), 9 if not isinstance(number, Whole) else 1

    def numbered(self, number: WholeNumber, axes: Sequence[str]) -> str:
        """A whole number, an `Axis` by its letter."""
        text = ""
        for m, c in number.parts if isinstance(number, Whole) else (((), number),):
            factors = [axes[s.number] if isinstance(s, Axis) else self.symbol(s) for s in m]
            if abs(c) != 1 or not factors:
                factors.insert(0, str(abs(c)))
            sign = "-" if c < 0 else "+" if text else ""
            text += f"{sign}{' '.join(factors)}"
        return text

    def power(self, shape: nodes.Shape) -> str:
        """The exponent of ℝ for a shape."""
        return "" if not shape else f"^{{{self.lengths(shape)}}}"

    def lengths(self, shape: nodes.Shape) -> str:
        return r" \times ".join(self.numbered(n, ()) for n in shape)

    def over(self, position: Position, name: str) -> str:
        """For which values of a position something is said."""
        low, last = self.numbered(position.low, ()), self.numbered(position.high - 1, ())
        return rf"\quad ({name} = {low}, \dots, {last})"

    def relations(self, every: Sequence[Relation | Turns]) -> list[str]:
        for one in every:
            if isinstance(one, Relation):
                left, right = self.text(one.left)[0], self.text(one.right)[0]
                sign = SAYS.get(one.kind, rf"\text{{ {one.kind} }}")
                self._scopes[-1].append(rf"\boxed{{{left}}} &{sign} {right}")
                continue
            name, outer = self._index(), self._scopes[-1]
            with self.scope({one.position: name}) as lines:
                self.relations(one.inside)
            lines[-1] += self.over(one.position, name)
            outer += lines
        return self._scopes[-1]

    def number(self, node: nodes.Number) -> Expression:
        value = node.value
        if isinstance(value, Fraction):
            sign = "-" if value < 0 else ""
            return rf"{sign}\tfrac{{{abs(value.numerator)}}}{{{value.denominator}}}", 3
        return self.whole(value)

    def input(self, node: nodes.Input) -> Expression:
        return named(node.name), 9

    def positions(self, node: nodes.Positions) -> Expression:
        return rf"(0, \dots, {self.numbered(node.length - 1, ())})", 9

    def map(self, node: nodes.Map) -> Expression:
        function, first = node.function, node.arguments[0]
        if function in ("exp", "log"):
            return rf"\{function}\bigl({self.text(first)[0]}\bigr)", 9
        if function == "sqrt":
            return rf"\sqrt{{{self.text(first)[0]}}}", 9
        if function == "abs":
            return rf"\lvert {self.text(first)[0]} \rvert", 9
        if function == "nonnegative":
            return rf"[{self.text(first)[0]} \ge 0]", 9
        if function == "negative":
            return f"-{self.within(first, 2)}", 1
        if function in BRACKETS:
            return BRACKETS[function].format(self.text(first)[0]), 9
        if function in nodes.NAMED:
            return (
                rf"{OPERATORS.get(function, chr(92) + function)}\bigl({self.text(first)[0]}\bigr)",
                9,
            )
        other = node.arguments[1]
        if function == "divide":
            return rf"\frac{{{self.text(first)[0]}}}{{{self.text(other)[0]}}}", 9
        if function == "power":
            return f"{{{self.within(first, 9)}}}^{{{self.text(other)[0]}}}", 4
        if function == "multiply":
            sign = r" \odot " if first.shape and other.shape else r" \, "
            return f"{self.within(first, 2)}{sign}{self.within(other, 3)}", 2
        sign = "+" if function == "add" else "-"
        return f"{self.within(first, 1)} {sign} {self.within(other, 2)}", 1

    def contract(self, node: nodes.Contract) -> Expression:
        if is_matrix_product(node) and all(len(one.shape) < 3 for one in node.factors):
            left, right = node.factors
            turned = r"^{\top}" if len(left.shape) == 1 else ""
            one = self.within(left, 9 if turned else 2)
            return rf"{one}{turned} \, {self.within(right, 3)}", 2
        names = [LETTERS[k] for k in range(len(LETTERS))]
        gone = sorted({n for axes in node.axes for n in axes if n not in node.result})
        factors = [
            f"({self.text(one)[0]})_{{{''.join(names[k] for k in axes)}}}"
            for one, axes in zip(node.factors, node.axes, strict=True)
        ]
        under = f"_{{{', '.join(names[k] for k in gone)}}}"
        found = rf"\sum{under} {' '.join(factors)}"
        kept = "".join(names[k] for k in node.result)
        return (rf"\Bigl({found}\Bigr)_{{{kept}}}", 9) if kept else (found, 2)

    def opaque(self, node: nodes.Opaque) -> Expression:
        arguments = ", ".join(self.text(one)[0] for one in node.arguments)
        return rf"{named(node.name)}\bigl({arguments}\bigr)", 9

    def lookup(self, node: nodes.Lookup) -> Expression:
        place, of = self.text(node.places)[0], self.within(node.of, 9)
        return rf"\sum_j \,[{place} = j] \, {{{of}}}_{{j}}", 2

    def solve(self, node: nodes.Solve) -> Expression:
        lower = rf"\operatorname{{tril}}({self.text(node.matrix)[0]})"
        if node.unit:
            of = self.text(node.matrix)[0]
            lower = rf"\bigl(I + \operatorname{{tril}}_{{-1}}({of})\bigr)"
        return rf"{lower}^{{-1}} \, {self.within(node.right, 3)}", 2

    def held(self, node: nodes.Held) -> Expression:
        return rf"\operatorname{{{node.format.name}}}({self.text(node.of)[0]})", 9

    def norm(self, node: nodes.Norm) -> Expression:
        under = "_2" if node.kind == "operator" else ""
        return rf"\lVert {self.text(node.of)[0]} \rVert{under}", 9

    def fold(self, node: nodes.Fold) -> Expression:
        sign = r"\max" if node.operation == "maximum" else r"\prod"
        return rf"{sign}_i ({self.text(node.of)[0]})_i", 2

    def reshape(self, node: nodes.Reshape) -> Expression:
        shape = self.lengths(node.lengths)
        return rf"\operatorname{{reshape}}_{{{shape}}}({self.text(node.of)[0]})", 9

    def join(self, node: nodes.Join) -> Expression:
        sign = r";\, " if node.axis == 0 else r"\,\big|\, "
        return rf"\bigl[{sign.join(self.text(part)[0] for part in node.parts)}\bigr]", 9

    def build(self, node: nodes.Build) -> Expression:
        index, name, outer = self._index(), self.name("a"), self._scopes[-1]
        with self.scope({node.position: index}) as lines:
            entry = self.text(node.entry)[0]
        outer += [*lines, f"{name}_{{{index}}} &= {entry} {self.over(node.position, index)}"]
        return name, 9

    def _turns(self, r: nodes.Recursion) -> list[str]:
        states = [self.name("S") for _ in r.states]
        outer, time = self._scopes[-1], self._index()
        starts = [self.text(one)[0] for one in r.start]
        outer += [f"{s}_0 &= {start}" for s, start in zip(states, starts, strict=True)]
        before = {one: f"{s}_{{{time}}}" for one, s in zip(r.states, states, strict=True)}
        with self.scope({r.time: time, **before}) as lines:
            steps = [self.text(one)[0] for one in r.steps]
        outer += lines
        over = self.over(r.time, time)
        outer += [f"{s}_{{{time}+1}} &= {one} {over}" for s, one in zip(states, steps, strict=True)]
        return states

    def take(self, node: nodes.Take) -> Expression:
        axes = [LETTERS[k] for k in range(len(node.lengths))]
        held = self._held(node, axes)
        if not node.places:
            return self._everywhere(node, held, "".join(axes))
        text = self.within(node.of, 9)
        parts = [affine(place) for place in node.places]
        used = [next(iter(steps)) for _, steps in parts if len(steps) == 1]
        each = not held and len(used) == len(axes) and all(len(steps) < 2 for _, steps in parts)
        if each and (used == sorted(set(used)) or used == [1, 0]):
            index = [self._index_of(place, node, k) for k, place in enumerate(parts)]
            while index and index[-1] == "{:}":
                index.pop()
            text += f"_{{{','.join(index)}}}" if index else ""
            return f"{{{text}}}^{{\\top}}" if used == [1, 0] else text, 9
        places = ",".join(self.numbered(place, axes) for place in node.places)
        return rf"\bigl({text}_{{{places}}}{held}\bigr)_{{{''.join(axes)}}}", 9

    def _held(self, node: nodes.Take, axes: Sequence[str]) -> str:
        """The guards as brackets; e ≥ 0 and −e ≥ 0 say e = 0."""
        left, found = sorted(node.guards, key=str), ""
        while left:
            guard = left.pop(0)
            sign = r"\ge"
            if -guard in left:
                left.remove(-guard)
                sign = "="
            found += rf"\,[{self.numbered(guard, axes)} {sign} 0]"
        return found

    def _everywhere(self, node: nodes.Take, held: str, axes: str) -> Expression:
        value = making.constant(node.of)
        one, two = whole(Axis(0)), whole(Axis(1))
        square = len(node.lengths) == 2 and node.lengths[0] == node.lengths[1]
        if square and node.guards == {one - two, two - one} and value == 1:
            return f"I_{{{self.numbered(node.lengths[0], ())}}}", 9
        text = self.text(node.of)[0]
        if held:
            return rf"\bigl({'' if value == 1 else text}{held}\bigr)_{{{axes}}}", 9
        if value in (0, 1):
            return f"{value}_{{{self.lengths(node.lengths)}}}", 9
        return rf"{text} \, 1_{{{self.lengths(node.lengths)}}}", 2

    def _index_of(self, place: tuple[Any, Any], node: nodes.Take, k: int) -> str:
        start, steps = place
        if not steps:
            return self.numbered(start, ())
        ((axis, step),) = steps.items()
        count, length = node.lengths[axis], node.of.shape[k]
        if (start, step, count) == (0, 1, length):
            return "{:}"
        first, last = self.numbered(start, ()), self.numbered(start + (count - 1) * step, ())
        return rf"{first}{{:}}{last}" if step == 1 else rf"{first}{{:}}{last}{{:}}{step}"


FORMULAS: Table[Any] = Table(
    "formula",
    {
        nodes.Input: _Latex.input,
        nodes.Parameter: _Latex.parameter,
        nodes.Number: _Latex.number,
        nodes.Positions: _Latex.positions,
        nodes.Map: _Latex.map,
        nodes.Opaque: _Latex.opaque,
        nodes.Lookup: _Latex.lookup,
        nodes.Solve: _Latex.solve,
        nodes.Held: _Latex.held,
        nodes.Contract: _Latex.contract,
        nodes.Norm: _Latex.norm,
        nodes.Fold: _Latex.fold,
        nodes.Take: _Latex.take,
        nodes.Reshape: _Latex.reshape,
        nodes.Join: _Latex.join,
        nodes.Build: _Latex.build,
        nodes.Placeholder: _Latex.placeholder,
        nodes.Loop: _Latex.loop,
    },
)
"""How each kind of node is written."""
