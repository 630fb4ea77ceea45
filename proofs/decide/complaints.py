"""What a claim's own code raised, in one line that says what to do instead.

A claim is run on arrays of symbols. Where Python, or a library, complains of them in words of its own, the line says
what it is that a claim cannot do with them.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scanproof.constructs.errors import text_of

from ..check.instances.at_random import agree, balls, overlap, residues
from ..check.kernel_errors import claim_line, refusal
from ..exact.scalar import NotPolynomial
from ..interpret.questions import raised_at
from ..kernel.errors import KernelError
from ..language.claim import Claim
from ..language.sizes import Sizes, by_name
from ..language.statements import Statement
from ..statement.errors import IllFormed

ARRAY = r"'?(?:Recorded|KernelArray|Dual)'?"
OF_JAX = rf"(?:abstract array|JAX|requires ndarray or scalar).*(?:{ARRAY}|scanproof)"
"""What JAX says of an array that it does not know, at length."""
ADVICE = (
    (
        OF_JAX,
        "a function of JAX takes no arrays of a claim: wrap what calls it, as in `f = program(f)`, and call that",
    ),
    (
        rf"unhashable type: {ARRAY}",
        "an array of symbols is no key: use no set, dictionary or cache of arrays",
    ),
    (
        rf"not supported between instances of .*{ARRAY}|truth value",
        "an array of symbols is not compared: state the condition in assuming=, or take both cases as claims",
    ),
    (
        rf"(?:argument must be|cannot be (?:interpreted|converted)|can't convert|only .* arrays).*{ARRAY}",
        "an array of symbols is no plain number: leave out float(), int() and the math module",
    ),
    (
        rf"{ARRAY} object does not support item (?:assignment|deletion)",
        "an array of symbols is not written into: make a new one, by xp.stack, build or a mask",
    ),
    (
        rf"{ARRAY} object has no attribute",
        "arrays of a claim have + - * / @ **, .T, .shape, .sum(axis=…) and indexing; xp has functions such as exp",
    ),
    (rf"{ARRAY} object is not callable", "an array is not called: an operator is missing"),
)
"""What is complained of, and what to do instead."""


def complaint(error: BaseException) -> str:
    """The error's name, the line of the user's that it came from, its words, and what to do."""
    if isinstance(error, KernelError):
        return refusal(error)
    text = text_of(error)
    advice = next((words for pattern, words in ADVICE if re.search(pattern, text, re.S)), "")
    if re.search(OF_JAX, text, re.S):
        text = ""
    text = re.sub(r"Recorded|KernelArray|Dual\b", "array", text) + nearest_name(error)
    kind = "ValueError" if isinstance(error, IllFormed) else type(error).__name__  # as NumPy says
    where = claim_line(error) or raised_at(error)  # of the user's own lines, or else a definition's
    said = f"{kind}{where}{f': {text}' if text else ''}"
    return f"{said}; {advice}" if advice else said


LIBRARIES = ("torch", "jax", "einops", "triton")
"""Those whose programs are read, where they are installed."""


def nearest_name(error: BaseException, folder: Path | None = None) -> str:
    """The end of a message about a name that there is not: the nearest that there is.

    Args:
        error: what was raised.
        folder: beside whose files modules are looked for.
    """
    name = getattr(error, "name", None)
    try:
        if isinstance(error, ModuleNotFoundError):
            if name in LIBRARIES:
                return f"; pip install {name}"
            files = [] if folder is None else [*folder.glob("*.py"), *folder.glob("*/__init__.py")]
            known = {f.parent.name if f.stem == "__init__" else f.stem for f in files}
        elif isinstance(error, AttributeError):
            known = set(dir(error.obj))
        else:
            return ""
    except Exception:  # foreign code
        return ""
    if not isinstance(name, str):
        return ""
    near = difflib.get_close_matches(name, [n for n in known if not n.startswith("_")], n=1)
    return f"; nearest: {near[0]}" if near else ""


def failing_sizes(claim: Claim, error: BaseException) -> str:
    """The first sizes at which a claim's body or comparing its sides raises this error about shapes."""
    text = text_of(error)
    if "shape" not in text:
        return ""
    for sizes in claim.every_size:
        try:
            computed(claim, sizes)
        except NotPolynomial:  # why no statement is read at these
            continue
        except Exception as other:
            same = type(other) is type(error) and text_of(other) == text
            at = by_name(sizes)
            return f"at {at} " if same and at and f"at {at}" not in text else ""
    return ""


def computed(claim: Claim, sizes: Sizes) -> tuple[list[Statement], Callable[[Any], bool]]:
    """The statements at random numbers, in residues or else in balls, and what says that two sides may be equal there.

    Raises:
        NotPolynomial: if neither has what is needed.
    """
    try:
        return residues(claim, sizes), agree
    except NotPolynomial:
        return balls(claim, sizes), overlap
