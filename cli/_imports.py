"""Which file imports which, read from the source: every import statement, also those inside functions."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

Modules = Mapping[str, Path]
"""The file of each module, by its name within a room's parent: proofs.kernel.term."""
Arrows = Mapping[str, set[str]]
"""What each module imports of ours."""
OURS = "scanproof."


def modules(room: str, folder: Path) -> dict[str, Path]:
    """The modules of a room; a package goes by its own name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = [room, *path.relative_to(folder).with_suffix("").parts]
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def arrows(known: Modules) -> dict[str, set[str]]:
    return {
        name: within(known, imported(name, path, path.read_text("utf-8"))) - {name}
        for name, path in known.items()
    }


def imported(name: str, path: Path, source: str) -> set[str]:
    """What a module's statements name: modules, and what is taken from them."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {one.name.removeprefix(OURS) for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            of = ".".join([*above, *([node.module] if node.module else [])]).removeprefix(OURS)
            found |= {f"{of}.{one.name}" for one in node.names}
    return found


def within(known: Modules, named: Iterable[str]) -> set[str]:
    """The modules among these names, or that they are names in."""
    return {m for n in named if (m := n if n in known else n.rpartition(".")[0]) in known}


def reached(
    entries: Iterable[str], arrows: Arrows, without: Collection[str] = ()
) -> dict[str, None]:
    """The entries and all that they import, and so on, but for some and what only these import."""
    found: dict[str, None] = {}
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        if name not in found and name not in without:
            found[name] = None
            waiting += sorted(arrows[name])
    return found


def cycle(arrows: Arrows) -> list[str]:
    """Modules that import one another in a cycle; none if there is no cycle."""
    try:
        TopologicalSorter(arrows).prepare()
    except CycleError as error:
        return error.args[1]
    return []
