"""`scanproof trust`: what a verdict rests on, as files with their lengths and hashes, and versions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

FOLDERS = {
    "constructs": "the definitions: what is proved of them is proved of what runs",
    "proofs/language": "the language: a claim as one value",
    "proofs/exact": "exact arrays and their scalars",
    "proofs/evidence": "from a claim to its verdict",
}
FILES = {"proofs/check.py": "from verdicts to the report"}
LIBRARIES = ("sympy", "python-flint", "numpy")


def trust() -> None:
    """Print what a verdict rests on: files, libraries, axioms."""
    from tabulate import tabulate

    from ._output import write

    rows = [row for name, what in {**FOLDERS, **FILES}.items() for row in _described(name, what)]
    headers = ["file", "lines", "sha256", "what it is"]
    table = tabulate(
        rows, headers=headers, tablefmt="simple", disable_numparse=True, colalign=ALIGN
    )
    total = sum(int(row[1]) for row in rows)
    lines = [
        "A verdict rests on these files and libraries, and on nothing else of this package:",
        "",
        *(line.rstrip() for line in table.splitlines()),
        "",
        f"{len(rows)} files, {total} lines.",
        f"Libraries: {', '.join(_versions())}.",
        "Axioms: none so far.",
        "What a claim says, and how it was read, is the claim's own text: `scanproof show ID` names the file.",
    ]
    write("\n".join(lines) + "\n")


ALIGN = ("left", "right", "left", "left")


def _described(name: str, what: str) -> Iterator[list[str]]:
    import hashlib

    place = _root(name)
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    for number, file in enumerate(files):
        content = file.read_bytes()
        path = name if place.is_file() else f"{name}/{file.relative_to(place).as_posix()}"
        digest = hashlib.sha256(content).hexdigest()[:12]
        yield [path, str(len(content.splitlines())), digest, what if number == 0 else ""]


def _root(name: str) -> Path:
    """The folder or file of this name, wherever the rooms are installed."""
    from . import constructs, proofs

    room, *inner = name.split("/")
    package = {"constructs": constructs, "proofs": proofs}[room]
    return Path(package.__path__[0]).joinpath(*inner)


def _versions() -> list[str]:
    import platform
    from importlib.metadata import version

    found = [f"{name} {version(name)}" for name in LIBRARIES]
    return [f"{platform.python_implementation()} {platform.python_version()}", *found]
