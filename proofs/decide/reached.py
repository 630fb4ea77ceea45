"""What a claim is made of in a project's own files: the top-level names that it reaches, each with a hash.

It is read from the text of the files, and says whom a change concerns. No verdict rests on it: what is reached in ways
that a text does not show, such as a name in a string, is not seen.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FunctionType
from typing import Any

from ..language.claim import Claim

ANY = "*"
"""Stands for every name of a file."""
DIGITS = 16
"""How many hexadecimal digits of a hash are kept."""
WITHOUT = ("type_comment", "kind", "ctx")
"""Fields of a syntax tree that say nothing of what is computed."""
INNER = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)
"""Expressions with a scope of their own."""
Imports = dict[str, tuple[int, str, str | None]]
"""By local name, what is imported: how many dots, a module, and a name in it if not the module itself."""
Use = tuple[str, ...]
"""A name that is used, with the attributes that are taken of it: ("layers", "step")."""


@dataclass(eq=False)
class _Part:
    """A statement at the top level of a file."""

    tree: ast.stmt
    binds: list[str]
    """The names that it gives a meaning."""
    uses: set[Use]
    imports: Imports

    @functools.cached_property
    def digest(self) -> str:
        return hashlib.sha256("\n".join(_words(self.tree)).encode("utf-8", "replace")).hexdigest()

    @property
    def first(self) -> int:
        """Its first line; a function's decorators belong to it."""
        decorators = getattr(self.tree, "decorator_list", [])
        return min([self.tree.lineno, *(one.lineno for one in decorators)])

    @property
    def makes_source(self) -> bool:
        """Whether it makes the `Source` that claims are entered in, whose title is no part of them."""
        value = getattr(self.tree, "value", None)
        return isinstance(value, ast.Call) and _chain(value.func)[-1:] == ("Source",)


@dataclass
class _File:
    """A Python file of the project, as its text has it."""

    path: Path
    parts: list[_Part] = field(default_factory=list)

    @functools.cached_property
    def names(self) -> dict[str, list[_Part]]:
        found: dict[str, list[_Part]] = {}
        for part in self.parts:
            for name in part.binds:
                found.setdefault(name, []).append(part)
        return found

    @functools.cached_property
    def imports(self) -> Imports:
        return {
            n: one
            for part in self.parts
            if not _is_scope(part.tree)
            for n, one in part.imports.items()
        }


class Project:
    """The Python files below a folder, without those of libraries that are installed there."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._libraries = {Path(p).resolve() for p in sysconfig.get_paths().values()}
        self._libraries.discard(Path(sys.prefix).resolve())
        self._files: dict[Path, _File | None] = {}

    def reached(self, claim: Claim) -> dict[str, str]:
        """By name, "layers.py::step", a hash of the statements that give it its meaning; sorted."""
        found: dict[str, set[str]] = {}
        waiting: list[tuple[_File, _Part]] = []
        for function in claim.functions:
            place = self._written_at(function)
            if place is not None:
                waiting.append(place)
        seen: set[_Part] = set()
        while waiting:
            file, part = waiting.pop()
            if part in seen or part.makes_source:
                continue
            seen.add(part)
            own = [name for name in part.binds if name not in part.imports]
            for name in own or ([] if part.binds else ["<lambda>"]):
                label = f"{file.path.relative_to(self.root).as_posix()}::{name}"
                found.setdefault(label, set()).add(part.digest)
            for use in part.uses:
                waiting += self._meant(file, use, part.imports)
        return {name: _joined(found[name]) for name in sorted(found)}

    def _written_at(self, function: Any) -> tuple[_File, _Part] | None:
        code = getattr(function, "__code__", None)
        if not isinstance(function, FunctionType) or code is None:
            return None
        file = self._file(Path(code.co_filename))
        for part in file.parts if file is not None else ():
            if part.first <= code.co_firstlineno <= (part.tree.end_lineno or part.first):
                return file, part  # type: ignore[return-value]
        return None

    def _meant(
        self,
        file: _File,
        use: Use,
        own: Imports | None = None,
        asked: frozenset[tuple[Path, Use]] = frozenset(),
    ) -> Iterator[tuple[_File, _Part]]:
        """The statements that give a use its meaning, here or where it is imported from."""
        if (file.path, use) in asked:
            return
        asked |= {(file.path, use)}
        if use[0] == ANY:
            yield from ((file, part) for part in file.parts if part.binds)
            return
        imported = (own or {}).get(use[0]) or file.imports.get(use[0])
        if imported is not None:
            dots, module, name = imported
            taken = (*([name] if name else ()), *use[1:])
            yield from self._in_module(file, dots, module, taken, asked)
        yield from (
            (file, part) for part in file.names.get(use[0], ()) if use[0] not in part.imports
        )
        if imported is None and use[0] not in file.names:
            for name, (dots, module, _) in file.imports.items():
                if name.startswith(ANY):
                    yield from self._in_module(file, dots, module, use, asked)

    def _in_module(
        self, file: _File, dots: int, module: str, use: Use, asked: frozenset[tuple[Path, Use]]
    ) -> Iterator[tuple[_File, _Part]]:
        """What is meant by names taken of a module, which may be modules themselves."""
        at = self._module(file, dots, module)
        inner = f"{module}.{use[0]}".strip(".") if use else ""
        if use and self._module(file, dots, inner) is not None:
            yield from self._in_module(file, dots, inner, use[1:], asked)
        elif at is not None:
            yield from self._meant(at, use or (ANY,), asked=asked)

    def _module(self, file: _File, dots: int, module: str) -> _File | None:
        """The file of a module of the project: beside the one that imports it, loaded, or below where one stands."""
        steps = module.split(".") if module else []
        if dots:
            above = file.path.parents[min(dots, len(file.path.parents)) - 1]
            return self._at(above.joinpath(*steps))
        loaded = getattr(sys.modules.get(module), "__file__", None)
        places = [file.path.parent.joinpath(*steps), *([Path(loaded)] if loaded else [])]
        places += [base.joinpath(*steps) for base in (Path.cwd(), self.root, self.root / "src")]
        return next((one for one in map(self._at, places) if one is not None), None)

    def _at(self, stem: Path) -> _File | None:
        every = (stem, Path(f"{stem}.py"), stem / "__init__.py")
        return next(
            (self._file(one) for one in every if one.suffix == ".py" and one.is_file()), None
        )

    def _file(self, path: Path) -> _File | None:
        """The file's text taken apart, if it is one of the project's."""
        path = path.resolve()
        if path not in self._files:
            outside = not path.is_relative_to(self.root) or self._libraries & {*path.parents}
            self._files[path] = None if outside else _read(path)
        return self._files[path]


def _read(path: Path) -> _File | None:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return _File(path, [_part(one) for one in tree.body])


def _part(tree: ast.stmt) -> _Part:
    imports: Imports = {}
    nodes = list(ast.walk(tree))
    inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    uses = {
        _chain(node)
        for node in nodes
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and id(node) not in inner)
    }
    for node in nodes:
        if isinstance(node, ast.Import):
            for one in node.names:
                top = one.name.partition(".")[0]
                imports[one.asname or top] = (0, one.name if one.asname else top, None)
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                local = f"{ANY}{node.module}" if one.name == ANY else one.asname or one.name
                imports[local] = (node.level, node.module or "", one.name)
    return _Part(tree, list(dict.fromkeys(_bound(tree))), uses - {()}, imports)


def _chain(node: ast.expr) -> Use:
    """The names of `a.b.c`; nothing where it begins with anything but a name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return (node.id, *reversed(names)) if isinstance(node, ast.Name) else ()


def _bound(tree: ast.stmt) -> Iterator[str]:
    """The names that a statement binds in the scope it stands in, or changes the value of."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        one = waiting.pop()
        if _is_scope(one):
            yield one.name  # type: ignore[attr-defined]
        elif isinstance(one, ast.Import | ast.ImportFrom):
            yield from (name.asname or name.name.partition(".")[0] for name in one.names)
        elif isinstance(one, ast.Name | ast.Attribute | ast.Subscript):
            if isinstance(one.ctx, ast.Store):
                base: ast.expr = one
                while isinstance(base, ast.Attribute | ast.Subscript):
                    base = base.value
                yield from [base.id] if isinstance(base, ast.Name) else []
        elif not isinstance(one, INNER):
            waiting += reversed(list(ast.iter_child_nodes(one)))


def _is_scope(tree: ast.AST) -> bool:
    return isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _words(tree: ast.AST) -> Iterator[str]:
    """A syntax tree in words, the same in every version of Python; without comments, line breaks and docstrings."""
    waiting: list[Any] = [tree]
    while waiting:
        one = waiting.pop()
        if isinstance(one, _End):
            yield ")"
        elif isinstance(one, ast.AST):
            yield f"({type(one).__name__}"
            waiting.append(_End())
            parts = [
                (n, v) for n, v in ast.iter_fields(one) if n not in WITHOUT and v not in (None, [])
            ]
            for name, value in sorted(parts, reverse=True, key=lambda part: part[0]):
                waiting += [
                    value[1:] if name == "body" and _has_docstring(one) else value,
                    f"{name}=",
                ]
        elif isinstance(one, list):
            yield "("
            waiting += [_End(), *reversed(one)]
        else:
            yield repr(one)


def _has_docstring(tree: ast.AST) -> bool:
    scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(tree, scopes) and ast.get_docstring(tree, clean=False) is not None


class _End:
    """The end of a tree or list."""


def _joined(digests: set[str]) -> str:
    first, *more = sorted(digests)
    if more:
        first = hashlib.sha256("".join([first, *more]).encode()).hexdigest()
    return first[:DIGITS]
