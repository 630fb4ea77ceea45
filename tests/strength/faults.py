"""Single faults: each place of a file where one can be planted, and a draw of some by a seed."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDERS = (
    "proofs/kernel",
    "proofs/check",
    "proofs/interpret",
    "proofs/statement",
    "proofs/doors",
    "proofs/readings",
    "constructs",
    "numeric/ops",
    "numeric/export",
)
"""Where faults are planted, equally many in each."""
SEED = 35

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.And: ast.Or, ast.Or: ast.And}


@dataclass(frozen=True)
class Fault:
    """One node of a file with other text in its place."""

    path: str
    where: str
    """The function, and what it is in."""
    line: int
    before: str
    after: str
    start: int
    end: int
    """Where it is, in bytes."""

    @property
    def name(self) -> str:
        """As lists of faults name it: without its line, which moves."""
        return f"{self.path} {self.where}: {_short(self.before)} → {_short(self.after)}"

    def planted(self, text: bytes) -> bytes:
        """The file with the fault."""
        return text[: self.start] + self.after.encode() + text[self.end :]


def drawn(root: Path, count: int) -> list[Fault]:
    """So many faults, equally many of each folder: those whose names have the least hashes, so that a change of the
    code elsewhere changes no draw."""
    shares = [count // len(FOLDERS) + (i < count % len(FOLDERS)) for i in range(len(FOLDERS))]
    found: list[Fault] = []
    for folder, share in zip(FOLDERS, shares, strict=True):
        files = sorted((root / folder).rglob("*.py"))
        hashed = {_hash(fault): fault for file in files for fault in places(root, file)}
        found += [hashed[least] for least in sorted(hashed)[:share]]
    return found


def _hash(fault: Fault) -> str:
    """Of its name, so that of places with one name one is drawn at most."""
    return hashlib.sha256(f"{SEED} {fault.name}".encode()).hexdigest()


def places(root: Path, file: Path) -> Iterator[Fault]:
    """Every fault that can be planted in a file."""
    text = file.read_bytes()
    finder = _Finder()
    finder.visit(ast.parse(text))
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for where, node, after in finder.found:
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
        before = text[start:end].decode()
        if before != after:
            path = file.relative_to(root).as_posix()
            yield Fault(path, where, node.lineno, before, after, start, end)


class _Finder(ast.NodeVisitor):
    """Walks what runs: no annotation, no message and no text."""

    def __init__(self) -> None:
        self.path: list[str] = []
        self.found: list[tuple[str, ast.expr | ast.stmt, str]] = []

    def _add(self, node: ast.expr | ast.stmt, after: ast.AST | str) -> None:
        text = after if isinstance(after, str) else f"({ast.unparse(after)})"
        self.found.append((".".join(self.path) or "module", node, text))

    def _inside(self, node: ast.ClassDef | ast.FunctionDef) -> None:
        self.path.append(node.name)
        if isinstance(node, ast.FunctionDef):
            for default in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
                self.visit(default)
        for part in node.body:
            self.visit(part)
        self.path.pop()

    visit_ClassDef = visit_FunctionDef = _inside

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Raise(self, node: ast.Raise) -> None:
        """What an error says is tried by few tests."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Nor is text."""

    def visit_Compare(self, node: ast.Compare) -> None:
        other = COMPARED[type(node.ops[0])]()
        self._add(node, ast.Compare(node.left, [other, *node.ops[1:]], node.comparators))
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in COMPUTED:
            self._add(node, ast.BinOp(node.left, COMPUTED[type(node.op)](), node.right))
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self._add(node, ast.BoolOp(COMPUTED[type(node.op)](), node.values))
        self._add(node, node.values[0])
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub | ast.Not):
            self._add(node, node.operand)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, str(not node.value))
        elif isinstance(node.value, int):
            self._add(node, str(node.value + 1))

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self._add(node, ast.IfExp(node.test, node.orelse, node.body))
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        self._add(node.test, ast.UnaryOp(ast.Not(), node.test))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if len(node.args) > 1 and not isinstance(node.args[0], ast.Starred):
            self._add(node, ast.Call(node.func, [*reversed(node.args)], node.keywords))
        if node.keywords:
            self._add(node, ast.Call(node.func, node.args, node.keywords[:-1]))
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._add(node, "pass")
            self.generic_visit(node)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) < 100 else f"{text[:60]}…{text[-35:]}"
