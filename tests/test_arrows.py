"""Which folder imports which: a table that every import statement is held to, and no cycles of files."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scanproof import constructs, numeric, proofs
from scanproof._imports import arrows, cycle, imported, modules, reached, within
from scanproof._trust import KINDS

MAY: dict[str, dict[str, tuple[str, ...]]] = {
    "constructs": {
        "arrays": (),
        "layers": ("arrays",),
        "learners": ("arrays",),
        "tokens": ("arrays", "layers"),
        "constructions": ("arrays", "layers", "learners", "tokens"),
        "forms": ("arrays", "layers"),
        "layouts": ("arrays", "layers", "tokens", "constructions"),
    },
    "proofs": {
        "kernel": (),
        "files": ("kernel",),
        "language": (),
        "inequalities": ("kernel",),
        "exact": ("language",),
        "interpret": ("kernel", "language", "inequalities", "exact"),
        "statement": ("kernel",),
        "doors": ("language", "exact", "interpret", "statement", "readings"),
        "readings": ("kernel", "language", "exact", "interpret", "statement"),
        "check": (
            *("kernel", "language", "inequalities", "exact", "interpret"),
            *("statement", "doors", "readings"),
        ),
        "search": ("kernel", "language", "inequalities", "exact", "interpret", "check"),
        "refute": ("language", "exact", "check"),
        "decide": (
            *("kernel", "language", "exact", "interpret", "statement", "doors"),
            *("check", "search", "refute"),
        ),
        "expected": ("files", "language", "exact", "doors"),
        "claims": ("language", "exact", "expected"),
        "report": (
            *("kernel", "language", "inequalities", "exact", "interpret", "statement", "doors"),
            *("readings", "check", "search", "decide", "orders"),
        ),
        "orders": ("doors", "exact", "claims"),
        "bench": (
            *("kernel", "language", "exact", "interpret", "statement", "doors", "readings"),
            *("check", "search", "decide"),
        ),
    },
    "numeric": {
        "jax_backend": (),
        "precision": ("jax_backend",),
        "jax_arrays": ("jax_backend", "precision"),
        "ops": ("jax_backend", "precision", "jax_arrays"),
        "bench": ("jax_backend", "ops"),
        "rounding": ("jax_backend", "precision", "jax_arrays", "ops"),
        "tasks": ("jax_backend", "jax_arrays"),
        "run": ("jax_backend", "precision", "ops", "rounding", "tasks"),
        "claims": ("precision", "ops", "tasks", "run"),
        "export": ("rounding", "run"),
        "identify": ("rounding", "run", "export"),
        "conform": ("export", "identify"),
        "modules": ("export",),
        "studies": (
            *("jax_backend", "precision", "jax_arrays", "ops", "rounding", "tasks", "run"),
            *("export", "identify"),
        ),
    },
    "numeric.studies": {
        "tightness": (),
        "training": (),
        "pictures": ("tightness",),
        "reproduce": ("pictures", "training"),
        "export_tables": (),
    },
}
"""What each folder of a room, or of a folder of one, imports of it, besides itself; some are files."""
TRUSTED = (
    *("kernel", "files", "language", "inequalities", "exact", "interpret", "statement", "doors"),
    *("readings", "check", "expected"),
)
"""What verdicts rest on; what searches is imported by none of it."""
ROOMS = {"constructs": (), "proofs": ("constructs",), "numeric": ("constructs", "proofs")}
PICTURE = Path(__file__).parents[1] / "ARCHITECTURE.md"

ROOTS = {"constructs": constructs, "proofs": proofs, "numeric": numeric}
FILES = {n: p for room, of in ROOTS.items() for n, p in modules(room, Path(of.__path__[0])).items()}


@cache
def every_arrow() -> dict[str, set[str]]:
    """Every arrow, read from all files by the process whose test asks, and not by each that collects."""
    return arrows(FILES)


def room(module: str) -> str:
    return module.split(".")[0]


def folder(module: str, of: str = "") -> str:
    """The folder of a module inside a room, or inside a folder of one; nothing if it lies in neither."""
    inside = module.partition(f"{of or room(module)}.")[2] if module.startswith(of) else ""
    return inside.split(".")[0]


def refused(module: str, imports: set[str]) -> Iterator[str]:
    """The arrows of a module that no table allows."""
    for one in sorted(imports):
        if room(one) != room(module):
            allowed = room(one) in ROOMS[room(module)]
        else:
            allowed = all(
                folder(one, of) in (own, *may[own])
                for of, may in MAY.items()
                if (own := folder(module, of)) and one.startswith(of)
            )
        if not allowed:
            yield f"{module} -> {one}"


@pytest.mark.long
def test_every_import_is_in_the_table():
    assert [told for module, to in every_arrow().items() for told in refused(module, to)] == []


@pytest.mark.parametrize("name", MAY)
def test_every_arrow_of_the_table_is_needed(name: str):
    pairs = {
        (folder(m, name), folder(n, name))
        for m, to in every_arrow().items()
        for n in to
        if m.startswith(name) and n.startswith(name)
    }
    assert {f: tuple(t for t in to if (f, t) in pairs) for f, to in MAY[name].items()} == MAY[name]


def test_the_tables_have_no_cycles_and_trust_nothing_that_searches():
    for table in MAY.values():
        assert cycle({one: set(to) for one, to in table.items()}) == []
    assert all(set(MAY["proofs"][one]) <= set(TRUSTED) for one in TRUSTED)


def test_no_files_import_one_another_in_a_cycle():
    assert cycle(every_arrow()) == []


@pytest.mark.long
def test_the_kernel_imports_the_standard_library_alone():
    for name, path in FILES.items():
        if folder(name) == "kernel":
            found = {
                one.split(".")[0] for one in imported(name, path, path.read_text("utf-8")) if one
            }
            assert found - set(sys.stdlib_module_names) <= {"proofs"}, name


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_a_verdict_of_a_kind_rests_on_does_not_search(kind):
    if not kind.alone:
        found = {folder(m) for m in reached(kind.entries, every_arrow()) if room(m) == "proofs"}
        assert found <= set(TRUSTED)


@pytest.mark.parametrize(
    "line",
    [
        "from ..search.normal import simplified",
        "from .. import search",
        "import scanproof.proofs.search.normal",
        "from scanproof.proofs.search import normal",
        "def f():\n    from ..search import normal",
        "if TYPE_CHECKING:\n    from ..decide.find import Search",
        "from scanproof.numeric import ops",
    ],
)
def test_an_arrow_that_is_added_is_seen(line: str):
    path = FILES[name := "proofs.interpret.array"]
    added = imported(name, path, f"{path.read_text('utf-8')}\n{line}\n")
    assert list(refused(name, within(FILES, added)))


def test_a_cycle_that_is_added_is_seen():
    closed = {
        **every_arrow(),
        "proofs.kernel.index": {*every_arrow()["proofs.kernel.index"], "proofs.kernel.rules"},
    }
    assert "proofs.kernel.index" in cycle(closed)


@pytest.mark.parametrize("name", MAY)
def test_the_picture_in_the_architecture_is_the_table(name: str):
    title = f"# The folders of {name.split('.')[-1]}\n"
    section = re.split(r"\n##+ ", PICTURE.read_text("utf-8").split(title)[1])[0]
    drawn = re.findall(r"^ +(\w+) --> (\w+(?: & \w+)*)$", section, re.MULTILINE)
    told = {one: set(to.split(" & ")) for one, to in drawn}
    assert told == {one: set(to) for one, to in MAY[name].items() if to}
