"""A statement as mathematics: what is given, what is defined, and what holds; as text or as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ...statement import nodes
from ...statement.conditions import DIAGONAL, SAYS, conditions
from ...statement.statement import Statement, in_turns
from ..shortened import shortened
from .alphabets import LATEX, TEXT, Alphabet
from .formulas import Formulas
from .naming import Block, Line

GIVEN, IF, LET, THEN = "Given", "If", "Let", "Then"
NEEDED = {
    SAYS["divide"]: "no denominator is 0",
    SAYS["log"]: "logarithms are of numbers > 0",
    SAYS["sqrt"]: "roots are of numbers ≥ 0",
    DIAGONAL: "no entry on the diagonal of a triangular system is 0",
}
"""Conditions in words."""
NEAR = "for every ε > 0 some parameters bring all of this within ε, in every coefficient:"
INDENT = 2


class _Page:
    """What a statement is made of, in an alphabet."""

    def __init__(self, statement: Statement, alphabet: Alphabet) -> None:
        self.a = alphabet
        short = shortened(statement)
        self.needed = list(dict.fromkeys(says for _, says in conditions(statement)))
        names = [*(one.name for one in short.sizes), *(one.name for one in short.inputs)]
        self.statement = short
        self.writer = Formulas(alphabet, short.nodes, names)

    def given(self) -> Iterator[str]:
        """Sizes and inputs."""
        a, statement = self.a, self.statement
        least: dict[int, list[str]] = {}
        for one in statement.sizes:
            least.setdefault(one.least, []).append(a.letter(one.name))
        sizes = [f"{', '.join(names)} {a.at_least} {low}" for low, names in least.items()]
        sizes += [f"{a.letter(name)} = {value}" for name, value in statement.at]
        if sizes:
            yield ", ".join(sizes)
        inputs: dict[str, list[str]] = {}
        for one in statement.inputs:
            inputs.setdefault(self._space(one), []).append(a.letter(one.name))
        for space, names in inputs.items():
            yield f"{', '.join(names)}{a.member}{space}"

    def _space(self, one: nodes.Input) -> str:
        numbers = self.a.integers if one.format.is_whole else self.a.reals
        if not one.lengths:
            return numbers
        return f"{numbers}^{self.a.index(self.writer.product_of(one.lengths))}"

    def assumed(self) -> list[Any]:
        """Hypotheses, with the definitions that they need, and in words what else has to hold."""
        found: list[Any] = []
        for one in self.statement.hypotheses:
            before = len(self.writer.lines_of([]))
            if one.bounds:
                made = self.writer.lines_of(in_turns(one.bounds))
                made[-1].label = made[-1].label or one.text
            found += [] if one.bounds else [self.a.words(one.text)]
            found += self.writer.lines_of([])[before:]
        needed = dict.fromkeys(NEEDED.get(says, f"operands are {says}") for says in self.needed)
        return [*found, *map(self.a.words, needed)]

    def lines(self) -> list[Any]:
        """Definitions and relations, in order, after what is assumed."""
        before = len(self.writer.lines_of([]))
        found = list(self.writer.lines_of(in_turns(self.statement.relations)))[before:]
        if any(one.kind == "approaches" for one in self.statement.relations):
            found.insert(0, self.a.words(NEAR))
        return found


def latex(statement: Statement) -> str:
    """The statement as an `align*` of LaTeX."""
    page = _Page(statement, LATEX)
    lines = [*_aligned(page.assumed()), *_aligned(page.lines())]
    head = [r"& " + r",\quad ".join(page.given())]
    body = " \\\\\n".join(f"  {line}" for line in [*head, *lines])
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}\n"


def _aligned(lines: Sequence[Line | Block], inset: str = "") -> Iterator[str]:
    for one in lines:
        if isinstance(one, str):
            yield f"& {inset}{one}"
            continue
        over = rf"\text{{for }} {', '.join(one.over)}" if one.over else ""
        if isinstance(one, Block):
            yield rf"& {inset}{over}\text{{:}}"
            yield from _aligned(one.lines, inset + r"\quad ")
            continue
        left = rf"\boxed{{{one.left}}}" if one.stated else one.left
        ends = [end for end in (over, one.words) if end]
        label = [rf"\text{{({escaped(one.label)})}}"] if one.label else []
        yield r" \quad ".join([f"{inset}{left} &{one.sign} {one.right}", *ends, *label])


SIGNS = {
    "[e𝐞]_": "e_k is a unit vector",
    "𝟏": "𝟏 is a vector of ones",
    "[I𝐈]_": "I_k is the identity",
    "[⊙⊘]": "⊙ and ⊘ go entry by entry",
    r"\[.* \| .*\]": "[A | B] puts arrays side by side",
    r"\[.*; .*\]": "[A; B] puts arrays one below the other",
    "interleave": "interleave(A, B) has the rows A_0, B_0, A_1, B_1, …",
}
"""What signs mean, by how they look."""


def conventions(lines: Sequence[str]) -> str:
    """What the signs mean that these lines have."""
    body = "\n".join(line for line in lines if not line.startswith(GIVEN))
    used = [means for sign, means in SIGNS.items() if re.search(sign, body)]
    first = "Entries count from 0; a number beside an array stands for each entry"
    return "; ".join([first, *used]) + "."


def escaped(text: str) -> str:
    """A label as words of LaTeX."""
    return "".join(rf"\{c}" if c in "#$%&_{}" else "" if c in "\\^~" else c for c in text)


def mathematics(statement: Statement, width: int) -> list[str]:
    """The statement as lines of text."""
    page = _Page(statement, TEXT)
    found = _labelled(GIVEN, _given(list(page.given()), width - 7))
    last = ""
    for one in page.assumed():
        label = LET if isinstance(one, Line | Block) and not one.stated else IF
        shown = [one] if isinstance(one, str) else _told(one, width - 7)
        found += _labelled("" if label == last else label, shown)
        last = label
    last = ""
    for one in page.lines():
        label = THEN if isinstance(one, str) or one.stated else LET
        shown = [one] if isinstance(one, str) else _told(one, width - 7)
        found += _labelled("" if label == last else label, shown)
        last = label
    return found


def _labelled(label: str, lines: Sequence[str]) -> list[str]:
    return [f"{label if n == 0 else '':7}{line}" for n, line in enumerate(lines)]


def _given(parts: Sequence[str], width: int) -> list[str]:
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 2 + len(part) <= width:
            lines[-1] += f"; {part}"
        else:
            lines.append(part)
    return lines


def _told(one: Line | Block, width: int) -> list[str]:
    over = f"for {'; '.join(one.over)}" if one.over else ""
    if isinstance(one, Block):
        inside = [line for each in one.lines for line in _told(each, width - INDENT)]
        return [f"{over}:", *(" " * INDENT + line for line in inside)]
    over = ", ".join(part for part in (one.words, over) if part)
    label = f"  ({one.label})" if one.label else ""
    text = f"{one.left} {one.sign} {one.right}"
    end = (f"   {over}" if over else "") + label
    if len(text) + len(end) <= width:
        return [text + end]
    lines = broken(text, width)
    if len(lines[-1]) + len(end) <= width:
        lines[-1] += end
    elif end:
        lines += broken(f"    {end.strip()}", width)
    return lines


def broken(text: str, width: int) -> list[str]:
    """A formula over as many lines as it takes: broken before its outermost signs first."""
    lines: list[str] = []
    indent = ""
    while len(indent) + len(text) > width:
        room = width - len(indent)
        where = _best(text, room)
        if where is None:
            break
        lines.append(indent + text[:where].rstrip())
        text, indent = text[where:].lstrip(), "    "
    return [*lines, indent + text]


def _best(text: str, room: int) -> int | None:
    """Where to break: at a sign as far out as may be, and of those as far right as may be."""
    depth, found, best = 0, None, None
    for n, c in enumerate(text[: room + 1]):
        depth += (c in "([{" and 1) or -(c in ")]}")
        if c != " " or n < 12:
            continue
        sign = text[n + 1 : n + 2] in "=≤≠+−" and text[n - 1] not in "=≤≠"
        rank = 2 * depth + (0 if sign else 1), -n
        near = n > room // 3
        if near and (best is None or rank <= best):
            best, found = rank, n
    return found
