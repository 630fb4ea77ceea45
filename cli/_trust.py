"""`scanproof trust`: what a verdict rests on, as files with their lengths and hashes, and versions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

FOLDERS = {
    "constructs": "the definitions, those that run",
    "proofs/language": "the language of claims",
    "proofs/exact": "exact arrays and their scalars",
    "proofs/check": "from a claim and a certificate to the verdict",
    "proofs/kernel": "the kernel, for what is proved for all sizes",
    "proofs/inequalities": "the check of bounds, schema by schema, and what is said of them",
    "proofs/interpret": "claims read with symbols for sizes, for the kernel",
    "proofs/interpret/programs": "JAX programs, as JAX traces them",
}
FILES = {
    "proofs/language/pinned.py": "what keeps the definitions as they are",
    "proofs/decide/workers.py": "the processes that decide, and their answers",
    "proofs/decide/rows.py": "from verdicts to the report",
}
LIBRARIES = ("sympy", "python-flint", "numpy")
TRACER = "jax"
"""Takes part in claims about JAX programs alone, and need not be installed."""


def trust() -> None:
    """Print what a verdict rests on: files, libraries, axioms."""
    from tabulate import tabulate

    from scanproof.proofs.check.axioms import AXIOMS

    from ._output import write

    rows, files, total = [], 0, 0
    for name, what in {**FOLDERS, **FILES}.items():
        rows.append(["", "", f"{name}: {what}"])
        for path, content in _files(name):
            lines = len(content.splitlines())
            rows.append([str(lines), _digest(content), path])
            files, total = files + 1, total + lines
    table = tabulate(
        rows,
        headers=["lines", "sha256", "file"],
        tablefmt="simple",
        disable_numparse=True,
        colalign=("right", "left", "left"),
    )
    text = [
        "A verdict rests on these files and libraries:",
        "",
        *(line.rstrip() for line in table.splitlines()),
        "",
        f"{files} files, {total} lines.",
        f"Libraries: {', '.join(_versions())}.",
        "Both engines share arrays, scan and the dual numbers of gradients; their arithmetic differs;",
        "claims with exp or log are differentiated by sympy.",
        "The rules of arguments about limits are proved in words, in proofs/check/limits.py;",
        "what such an argument is about is in its row's reading.",
        "What finds proofs and certificates (proofs/search, proofs/refute, proofs/decide/find.py) is not",
        "trusted: the kernel checks each step of a proof, proofs/inequalities each step of a bound,",
        "proofs/check each other certificate. What is read with symbols for sizes is compared",
        "with the claim itself, run with numbers.",
        f"Axioms: {'; '.join(AXIOMS)} (sympy shows them).",
        "And on how the claim itself was read and written: `scanproof show ID` names the file.",
    ]
    write("\n".join(text) + "\n")


def _files(name: str) -> Iterator[tuple[str, bytes]]:
    """The Python files of a folder (or the one file), named as in the repository, with their contents."""
    place = _root(name)
    if place.is_file():
        yield name, place.read_bytes()
        return
    for file in sorted(place.rglob("*.py")):
        yield f"{name}/{file.relative_to(place).as_posix()}", file.read_bytes()


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.sha256(content).hexdigest()[:12]


def _root(name: str) -> Path:
    """The folder or file of this name, wherever the rooms are installed."""
    from scanproof import constructs, proofs

    room, *inner = name.split("/")
    package = {"constructs": constructs, "proofs": proofs}[room]
    return Path(package.__path__[0]).joinpath(*inner)


def _versions() -> list[str]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = [f"{name} {version(name)}" for name in LIBRARIES]
    with contextlib.suppress(PackageNotFoundError):
        found.append(f"{TRACER} {version(TRACER)}")
    return [f"{platform.python_implementation()} {platform.python_version()}", *found]
