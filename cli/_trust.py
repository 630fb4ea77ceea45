"""`scanproof trust`: what a verdict of each kind rests on, in words, files with their lengths and hashes, libraries.

The files are not listed here by name: they are what the check of such a verdict imports, and so on, from the source.
"""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of verdict, and where the check of it begins."""

    name: str
    entries: tuple[str, ...]
    without: tuple[str, ...]
    """Where the check of another kind begins."""
    words: str
    alone: bool = False
    """Whether the verdict rests on the entries alone, and not on what else they import."""


KINDS = (
    Kind(
        "Refuted, or proved at fixed sizes",
        ("proofs.check.certificates", "proofs.check.certificate_file"),
        (
            *("proofs.check.all_sizes", "proofs.check.traces", "proofs.check.bounds"),
            "proofs.interpret.session",
            *("proofs.check.families", "proofs.check.witness_family"),
        ),
        "The claim's statement, as it is recorded, is computed in exact numbers at the sizes that the "
        "certificate names. A "
        "counterexample is numbers at which the two sides are not what is said; a reader can redo it by "
        "hand. An identity at a size is one of polynomials in all entries: both sides are brought to one "
        "fraction and compared coefficient by coefficient, by two engines (sympy, flint). Roots, exp, log "
        "and norms are enclosed in balls, and an inequality counts where the balls are apart. What holds "
        "is tried at random numbers and larger sizes besides. Arguments about limits are by the rules in "
        "proofs/check/limits.py, which are proved there in words.",
    ),
    Kind(
        "Proved for all sizes: equations",
        ("proofs.check.all_sizes",),
        ("proofs.check.alike", "proofs.check.bounds", "proofs.interpret.bounds"),
        "The claim's body is run once on arrays that record, with letters for sizes; what it did is the "
        "claim's statement, which is compared with the body on plain numbers at small, random and large "
        "sizes. It is read as formulas: sums, over whole numbers between linear ends, of products of "
        "entries; a scan becomes a recursion. A certificate repeats them to the letter, and each of its "
        "steps is one of the kernel's rules: collecting like terms, changing a summation variable, using "
        "an equation that was shown, 1/T · T = 1, cases, and "
        "induction on a whole number. `python -m scanproof.proofs.kernel` checks it alone.",
    ),
    Kind(
        "Proved for all sizes: bounds",
        ("proofs.check.bounds", "proofs.interpret.bounds"),
        (),
        "Each step of a certificate is an instance of a schema: the triangle inequality, Cauchy-Schwarz, "
        "monotonicity of sums and products, a square is ≥ 0, exp is > 0 and grows, induction on a time. "
        "What is an equation in it is the kernel's.",
    ),
    Kind(
        "JAX programs",
        ("proofs.doors.program", "proofs.check.alike"),
        (),
        "A program is what JAX traces it to, its jaxpr, over the real numbers: for each primitive there is "
        "a rule that says which nodes of a statement it is, and tests hold each rule to JAX; what it comes "
        "to is compared with what JAX runs. Floating-point literals stand for the number that they mean, "
        "which is said; up to which sizes whole numbers fit their type is said. The program is traced at "
        "many sizes, and must be one program at all of them.",
    ),
    Kind(
        "Supported: tables and figures",
        ("proofs.check.measured", "proofs.expected.rows"),
        (),
        "No proof. A learner's own Python is run on data made of symbols at small sizes, the expectation "
        "is taken monomial by monomial and interpolated in N and f up to degrees that are argued there in "
        "words; a printed loss has to be near that, within its ± or the sampling error that a mean over "
        "as many tasks has. What was trained is believed as it is recorded.",
    ),
    Kind(
        "From the claim's file to the printed row, whatever its kind",
        (
            *("proofs.decide.ledger", "proofs.language.source", "proofs.language.fields"),
            *("proofs.language.pinned", "proofs.decide.verdict", "proofs.decide.certificates"),
            *("proofs.decide.workers", "proofs.decide.row_verdicts"),
        ),
        (),
        "Claims are collected, definitions kept from being changed meanwhile, and what was checked is what "
        "is printed.",
        alone=True,
    ),
)
LIBRARIES = ("sympy", "python-flint", "numpy")
TRACER = "jax"
"""Only claims about JAX programs use it; it need not be installed."""
WIDTH = 100


def trust() -> None:
    """Print what a verdict rests on.

    For each kind of verdict: words, files, libraries, axioms.
    """
    from scanproof.proofs.check.axioms import AXIOMS

    from ._imports import arrows, modules
    from ._output import write

    rooms = {room: modules(room, _folder(room)) for room in ("constructs", "proofs")}
    known = {name: path for room in rooms.values() for name, path in room.items()}
    files = of_each_kind(arrows(known))
    about = [
        name
        for name in rooms["constructs"]
        if name not in {n for one in files.values() for n in one}
    ]
    text, rows = [], []
    for kind, own in files.items():
        rows.append((kind.name, _size(known[name] for name in own)))
        text += ["", kind.name, *textwrap.wrap(kind.words, WIDTH), "", *_listed(own, known)]
    text += [
        "",
        "What claims are about: layers, learners and constructions, which are run, not trusted to be right",
    ]
    text += ["", *_listed(about, known)]
    whole = _size(known[name] for own in files.values() for name in own)
    counted = [
        *rows,
        ("All of it", whole),
        ("(What claims are about)", _size(known[n] for n in about)),
    ]
    write(
        "\n".join(
            [
                "What a verdict rests on. Each kind counts what it needs beside the kinds above it:",
                "",
                *_table([(str(a), str(b), str(c), name) for name, (a, b, c) in counted]),
                *text,
                "",
                f"Libraries: {', '.join(_versions())}.",
                "Both engines share arrays, scan and the dual numbers of gradients; their arithmetic differs;",
                "claims with exp or log are differentiated by sympy.",
                "What finds certificates (proofs/search, proofs/refute, proofs/decide/find.py) is not trusted,",
                "and imported by nothing above the last kind. Programs are read with a simplifier of the",
                "search's, which can do no more to a formula than apply the kernel's rules to it.",
                f"Axioms: {'; '.join(AXIOMS)} (sympy shows them).",
                "And on how the claim itself was read and written: `scanproof show ID` names the file.",
            ]
        )
        + "\n"
    )


def of_each_kind(arrows: dict[str, set[str]]) -> dict[Kind, list[str]]:
    """For each kind, the modules that it rests on and no earlier kind does."""
    from ._imports import reached

    found: dict[Kind, list[str]] = {}
    seen: set[str] = set()
    for kind in KINDS:
        own = kind.entries if kind.alone else reached(kind.entries, arrows, kind.without)
        found[kind] = sorted(set(own) - seen)
        seen.update(own)
    return found


def _size(paths: Iterable[Path]) -> tuple[int, int, int]:
    """Files, lines, and lines of code."""
    every = [path.read_text("utf-8") for path in paths]
    return len(every), sum(len(t.splitlines()) for t in every), sum(map(_lines_of_code, every))


def _lines_of_code(text: str) -> int:
    """The number of lines that are not empty and not part of a comment or docstring."""
    import ast

    words: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            words |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    rows = enumerate(map(str.strip, text.splitlines()), start=1)
    return sum(bool(row) and not row.startswith("#") and k not in words for k, row in rows)


def _table(rows: list[tuple[str, str, str, str]]) -> list[str]:
    heads = [("files", "lines", "of code", ""), *rows]
    return [f"  {a:>5}  {b:>6}  {c:>7}  {d}".rstrip() for a, b, c, d in heads]


def _listed(names: Iterable[str], known: dict[str, Path]) -> list[str]:
    """The files with their lines and hashes, named as in the repository."""
    import hashlib

    found = []
    for name in names:
        content, room = known[name].read_bytes(), name.split(".")[0]
        if content.count(b"\n") > 1:
            shown = Path(room, known[name].relative_to(_folder(room))).as_posix()
            digest = hashlib.sha256(content).hexdigest()[:12]
            found.append(f"  {len(content.splitlines()):>5}  {digest}  {shown}")
    return found


def _folder(room: str) -> Path:
    """Where a room is installed."""
    from importlib import import_module

    return Path(import_module(f"scanproof.{room}").__path__[0])


def _versions() -> list[str]:
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = [f"{name} {version(name)}" for name in LIBRARIES]
    with contextlib.suppress(PackageNotFoundError):
        found.append(f"{TRACER} {version(TRACER)}")
    return [f"{platform.python_implementation()} {platform.python_version()}", *found]
