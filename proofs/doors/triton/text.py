"""The text of Triton's IR (TTIR) as operations: one a line, with regions, and the user's line for each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..refused import Refused

LOCATION = re.compile(r"^(#loc\d*) = loc\((.*)\)$")
RESULT = re.compile(r"^(%[\w.$-]+)(?::(\d+))? = ")
NAME = re.compile(r'^"?([a-z_]\w*\.[\w.]+)"?')
VALUE = re.compile(r"%[\w.$-]+(?:#\d+)?")
FILE = re.compile(r'^"(.+)":(\d+):\d+$')
CALLED = re.compile(r"^callsite\((.*) at (.*)\)$")
NAMED = re.compile(r'^"[^"]*"\((.*)\)$')
TENSOR = re.compile(r"^tensor<((?:\d+x)+)(.+)>$")
PAIR = re.compile(r"(%[\w.$-]+) = (%[\w.$-]+(?:#\d+)?)")


@dataclass(frozen=True)
class Type:
    """The type of a value: the lengths of a block, none for a single entry, and what its entries are."""

    shape: tuple[int, ...]
    entry: str

    @property
    def is_pointer(self) -> bool:
        """Whether entries are places in memory."""
        return self.entry.startswith("!tt.ptr")


@dataclass
class Block:
    """Operations one after the other, with the names of what they are given."""

    arguments: list[str] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)


@dataclass
class Operation:
    """One operation."""

    name: str
    results: list[str]
    operands: list[str]
    text: str
    """What stands behind its name."""
    line: str
    """The user's line, as " at file:line"."""
    blocks: list[Block] = field(default_factory=list)
    carried: list[tuple[str, str]] = field(default_factory=list)
    """Of a loop: what a turn is given, and with what the first one begins."""

    @property
    def types(self) -> list[Type]:
        """The types behind the colon, the result's last."""
        _, _, text = self.text.rpartition(" : ")
        return [_type(one) for one in _apart(text)]

    @property
    def type(self) -> Type:
        """The result's type, where the text ends with it."""
        return self.types[-1]

    def number(self, name: str) -> int:
        """A whole number among its attributes.

        Raises:
            Refused: if it has none of this name.
        """
        seen = re.search(rf"\b{name} = (-?\d+)", self.text)
        if seen is None:
            raise Refused(f"{self.name}{self.line}: it says no {name}", placed=True)
        return int(seen[1])


@dataclass(frozen=True)
class Kernel:
    """A kernel as its front end has it: the names of its arguments, and the operations of one program."""

    arguments: list[str]
    body: Block


def kernel_of(text: str) -> Kernel:
    """The kernel in a module of one function.

    Raises:
        Refused: if the module has several, or its text is none that is known.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    places = {m[1]: m[2] for line in lines if (m := LOCATION.match(line))}
    kept = [line for line in lines if not line.startswith(("#", "module", "!"))]
    if sum(line.startswith("tt.func ") for line in kept) != 1:
        raise Refused("a kernel that calls functions which Triton does not inline")
    reader = _Reader(kept, places)
    head = next(reader.lines)
    arguments = re.findall(r"(%[\w.$-]+): ", head)
    body = Block()
    reader.read(body)
    return Kernel(arguments, body)


class _Reader:
    """Lines turned into operations; a region ends with the line that closes it."""

    def __init__(self, lines: list[str], places: dict[str, str]) -> None:
        self.lines: Iterator[str] = iter(lines)
        self._places = places

    def read(self, block: Block) -> str:
        """Fill a block; what follows its closing brace."""
        for line in self.lines:
            if line.startswith("}"):
                return line
            if line.startswith("^"):
                block = self._entered(block, line)
                continue
            block.operations.append(self._operation(line))
        raise Refused("the text of Triton's IR ends in the midst of a region")

    def _entered(self, block: Block, line: str) -> Block:
        """The block whose label this is: the region's only one."""
        if block.operations or block.arguments:
            raise Refused("a kernel that jumps, as by a return from within a condition")
        block.arguments += re.findall(r"(%[\w.$-]+): ", line)
        return block

    def _operation(self, line: str) -> Operation:
        code, where = self._located(line)
        result = RESULT.match(code)
        results: list[str] = []
        if result is not None:
            name, count = result.groups()
            results = [name] if count is None else [f"{name}#{k}" for k in range(int(count))]
            code = code[result.end() :]
        called = NAME.match(code)
        if called is None:
            raise Refused(f"a line of Triton's IR that is not read{where}: {code[:60]}")
        rest = code[called.end() :].strip()
        opens = rest.endswith("{")
        found = Operation(called[1], results, [], rest, where)
        if found.name == "scf.for":
            found.carried = PAIR.findall(rest.partition("iter_args(")[2])
            found.operands = VALUE.findall(rest.partition("iter_args(")[0])
        else:
            found.operands = VALUE.findall(rest)
        while opens:
            block = Block()
            if found.name == "scf.for":
                block.arguments = [found.operands[0], *(name for name, _ in found.carried)]
            found.blocks.append(block)
            closing, place = self._located(self.read(block))
            opens = closing.endswith("{")
            if not opens:
                found.text = f"{rest.rstrip('({')}{closing.lstrip('})')}"
                found.line = place or found.line
        return found

    def _located(self, line: str) -> tuple[str, str]:
        """A line without its location, and the user's line."""
        code, mark, place = line.rpartition(" loc(")
        if not mark or not place.endswith(")"):
            return line, ""
        return code.strip(), self._place(place[:-1])

    def _place(self, text: str) -> str:
        """ " at file:line" of a location: where a function of Triton's is called, the line that calls it."""
        text = text.strip()
        while text in self._places:
            text = self._places[text]
        file = FILE.match(text)
        if file is not None:
            return f" at {file[1]}:{file[2]}"
        for pattern, group in ((CALLED, 2), (NAMED, 1)):
            seen = pattern.match(text)
            if seen is not None:
                return self._place(seen[group])
        return ""


def _apart(text: str) -> Iterator[str]:
    """The types in a text such as "(a, b) -> c", "a * b -> c" or "a to b"."""
    depth, word = 0, ""
    for letter in text.replace("->", "~").replace(" to ", "~").replace(" * ", "~"):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if depth == 0 and letter in ",~()":
            if word.strip():
                yield word.strip()
            word = ""
        else:
            word += letter
    if word.strip():
        yield word.strip()


def _type(text: str) -> Type:
    tensor = TENSOR.match(text)
    if tensor is None:
        return Type((), text)
    return Type(tuple(map(int, tensor[1].rstrip("x").split("x"))), tensor[2])
