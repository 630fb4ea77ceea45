"""Which tests are nearest to a file: by how many imports lead to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOMS = {"constructs", "proofs", "numeric"}


def nearest(root: Path, path: str) -> tuple[list[str], list[str]]:
    """Eight files of tests at most that import the file by the fewest steps; and every one, in this order."""
    files = sorted(
        file.relative_to(root).as_posix() for file in (root / "tests").rglob("test_*.py")
    )
    far = {file: _distance(root, file, path) for file in files}
    size = {file: (root / file).stat().st_size for file in files}
    ordered = sorted(files, key=lambda file: (far[file], size[file]))
    return [file for file in ordered[:8] if far[file] == far[ordered[0]]], [*ordered, "docs"]


def _distance(root: Path, test: str, path: str) -> int:
    seen, front, steps = {test}, {test}, 0
    while front:
        if path in front:
            return steps
        front = {file for one in front for file in _imported(root, one)} - seen
        seen |= front
        steps += 1
    return 1000


@cache
def _imported(root: Path, file: str) -> frozenset[str]:
    return frozenset(found for name in _names(root, file) if (found := _file(root, name)))


def _names(root: Path, file: str) -> Iterator[str]:
    package = file.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(ast.parse((root / file).read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _file(root: Path, name: str) -> str | None:
    parts = name.split(".")
    if parts[0] == "scanproof":
        parts = parts[1:] if len(parts) > 1 and parts[1] in ROOMS else ["cli", *parts[1:]]
    for base in ([], ["tests"]):
        path = "/".join([*base, *parts])
        for found in (f"{path}.py", f"{path}/__init__.py"):
            if (root / found).is_file():
                return found
    return None
