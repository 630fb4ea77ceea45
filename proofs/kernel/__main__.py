"""python -m scanproof_checker PATH …: check written proofs, and say in words what each of them shows.

A PATH is a file, or a folder whose *.json files are checked. Nothing of scanproof is needed. Exit code 0 if every proof
shows its statements, 1 if one is refused, 3 for a mistake in the call. Of a certificate of bounds the kernel by itself
checks the equations; proofs/inequalities beside it (python -m scanproof.proofs.inequalities PATH …) checks all of it.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .checker import FORMAT, Refused, check
from .files import Unusable, json_of
from .words import theorem

CERTIFICATE = "scanproof.certificate/"
"""How the format of files begins that may settle a claim otherwise: by a counterexample, say."""
Lines = Callable[[Any], tuple[int, list[str]]]
"""How many statements a written proof shows, and what they are in words; raises Refused if it does not."""


def main(
    arguments: list[str] | None = None, bounds: Lines | None = None, about: str | None = __doc__
) -> int:
    """The command.

    Args:
        arguments: those of the command line.
        bounds: checks certificates of bounds, of which otherwise the equations alone are checked.
        about: a docstring whose second paragraph describes the command.
    """
    parser = argparse.ArgumentParser(
        prog="scanproof_checker", description=(about or "").split("\n\n")[1]
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("-q", "--quiet", action="store_true", help="one line for each file")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as ended:
        return 3 if ended.code else 0
    for stream in (sys.stdout, sys.stderr):  # names of files may have what no terminal shows
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    try:
        return _all(given.paths, given.quiet, bounds)
    except BrokenPipeError:  # whoever reads, `head` say, has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _all(paths: list[Path], quiet: bool, bounds: Lines | None) -> int:
    """Check the files, and say what each of them shows; the exit code."""
    gc.disable()  # what a proof needs lives as long as it is checked
    shown = refused = 0
    for path in paths:
        if not path.exists():
            print(f"scanproof_checker: {path}: no such file or folder", file=sys.stderr)
            return 3
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        if not files:
            print(f"scanproof_checker: {path}: no *.json file in this folder", file=sys.stderr)
            return 3
        for file in files:
            good, bad = _checked(file, quiet, bounds)
            shown, refused = shown + good, refused + bad
    print(f"{_count(shown, 'theorem')} shown, {_count(refused, 'proof')} refused.", flush=True)
    return 1 if refused else 0


def _checked(file: Path, quiet: bool, bounds: Lines | None) -> tuple[int, int]:
    """How many statements the file shows, and how many of its proofs are refused."""
    shown = refused = 0
    try:
        value = json_of(file)
        proofs = list(_proofs(value, bounds))
        if not proofs and str(value.get("format")).startswith(CERTIFICATE):
            print(f"{file}: nothing is said of all sizes")
        elif not proofs:
            raise Unusable("no written proof stands in it")
    except Unusable as error:
        print(f"{file}: refused: {error}")
        return 0, 1
    for where, lines, proof in proofs:
        try:
            count, found = lines(proof)
        except Refused as error:
            refused += 1
            print(f"{file}: {where} refused: {error}")
            continue
        shown += count
        print(f"{file}: {where} {count} shown for all sizes")
        if not quiet:
            print("\n".join(f"    {line}" for line in found))
    return shown, refused


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _equations(proof: Any) -> tuple[int, list[str]]:
    found = check(proof)
    return len(found.statements), theorem(found)


def _equations_alone(proof: Any) -> tuple[int, list[str]]:
    """The equations that a certificate of bounds uses."""
    return _equations(proof.get("equations") if type(proof) is dict else None)


def _proofs(value: Any, bounds: Lines | None) -> Iterator[tuple[str, Lines, Any]]:
    """The proofs in a file, wherever they stand in it, each with the name of its field and what checks it."""
    if type(value) is not dict:
        raise Unusable("expected an object")
    waiting: list[tuple[str, Any]] = [("proof", value)]
    while waiting:
        where, one = waiting.pop()
        if type(one) is list:
            waiting += [(f"{where} {n}", inner) for n, inner in reversed([*enumerate(one, 1)])]
        elif type(one) is dict and one.get("format") == FORMAT:
            yield where, _equations, one
        elif type(one) is dict and {"equations", "hypotheses", "goals"} <= set(one):
            yield (
                (where, bounds, one) if bounds else (f"equations of {where}", _equations_alone, one)
            )
        elif type(one) is dict:
            waiting += [(name, inner) for name, inner in reversed(one.items())]


if __name__ == "__main__":
    sys.exit(main())
