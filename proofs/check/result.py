"""What was found out about one claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..exact.counterexample import Counterexample


@dataclass
class Result:
    """A verdict with what it rests on."""

    verdict: str
    scope: str | None = None
    reason: str | None = None
    """Why it is not proved, or not for all sizes."""
    definitions: list[str] = field(default_factory=list)
    evidence: list[dict[str, Any]] = field(default_factory=list)
    counterexample: Counterexample | None = None
    near_misses: list[str] = field(default_factory=list)
    mends: list[dict[str, Any]] = field(default_factory=list)
    """Edits of the user's own text with which it is proved, as the report has them."""
    vacuous: str = ""
    """Why the claim says nothing, in words, where that is seen."""
    unfounded: bool = False
    """Whether an axiom that it rests on is discharged by nothing."""
    fails: dict[str, int] | None = None
    """Sizes at which a statement was seen to fail though the certificate says that it holds."""
    stale: bool = False
    """Whether its certificate is not of the claim as it is now."""
    outdated: bool = False
    """Whether it is proved at fixed sizes by a certificate that gives a reason which holds no more."""
    broken: bool = False
    """Whether its certificate is damaged or shows nothing, or could not be written."""
    undefined: bool = False
    """Whether there is no value at a listed size, so that the verdict is `error`."""
    empty: bool = False
    """Whether nothing is compared at any listed size, so that the verdict is `error`."""
    blur: float = 0.0
    """How far both sides may be apart, relatively, by what literals are off the numbers that they mean."""
    doubtful: bool = False
    """Whether reading with symbols gave a reason to doubt what holds at a few sizes."""
    recorded: str = ""
    """What is to be said of its certificate."""
    added: Any = None
    """What was made of it where it was decided."""


def evidence(
    method: str, scope: str | None, sizes: Any, engine: str, axioms: Iterable[str] = ()
) -> dict[str, Any]:
    """An entry of the report that says what a verdict rests on."""
    entry = {"method": method, "scope": scope, "sizes": sizes, "engine": engine}
    return {**entry, "axioms": list(axioms)}


def sizes_text(sizes: Mapping[str, int]) -> str:
    """Sizes in a reason."""
    return ", ".join(f"{k}={v}" for k, v in sizes.items()) or "the printed numbers"


def place(function: Any) -> str:
    """File and line of a definition, within the package or by its file's name."""
    code = function.__code__
    path = Path(code.co_filename)
    module = function.__module__ or ""
    if module.startswith("scanproof."):
        return f"{'/'.join(path.parts[-module.count('.') :])}:{code.co_firstlineno}"
    return f"{path.name}:{code.co_firstlineno}"
