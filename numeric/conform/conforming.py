"""`scanproof.conform`: an export in the installed library, run every way that it offers, against the export's bound."""

from __future__ import annotations

import importlib
import math
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError

from ..export.loading import Loaded, load
from ..export.targets import TARGETS
from ..identify.manifest import files
from ..identify.weights import Weights
from .prompts import COUNT, drawn
from .ways import Model, Way, ways

LIBRARIES = {
    "hf-mamba2": ("hf_mamba2", "Mamba2"),
    "fla-linear-attention": ("fla", "Stack"),
    "fla-delta-net": ("fla", "Stack"),
    "mamba-ssm": ("mamba_ssm", "MambaLM"),
}
"""By target, the module here and its class."""
SCHEMA = "scanproof.conform/1"
WITHIN, BEYOND, RAISES, NOT_RUN = "within", "beyond", "raises", "not run"
REFUSALS = (NotImplementedError, AssertionError)
"""By which these libraries say that they do not take something."""
INTERPRETER = "InterpreterError"
"""What Triton's interpreter raises, on machines without a GPU, of kernels that it cannot run."""
LONGEST = 200
"""Characters of an error that are kept."""
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Row:
    """One way to run the model, and what came of it."""

    way: str
    status: str
    """`WITHIN` the bound, `BEYOND` it, `RAISES` an error, or `NOT_RUN` where the library refuses."""
    worst: float | None
    """The largest |prediction − learner|; None without predictions."""
    seconds: float
    why: str = ""
    """The error, or why it is not run."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON, which has no infinite numbers."""
        worst = self.worst if self.worst is None or math.isfinite(self.worst) else str(self.worst)
        return {**vars(self), "worst": worst}


@dataclass(frozen=True)
class Conformance:
    """What `conform` found."""

    folder: str
    target: str
    dtype: str
    versions: dict[str, str]
    """Of the packages that ran."""
    statement: str
    verdict: str
    bound: float
    """Of |prediction − learner|, on the domain that the prompts are drawn from."""
    rows: list[Row]
    contradicted: list[str] = field(default_factory=list)
    """What the manifest says of files that is not so: weights were changed, or belong to another export."""

    @property
    def holds(self) -> bool:
        """Whether every way that the library offers stays within the bound."""
        return all(row.status in (WITHIN, NOT_RUN) for row in self.rows)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        rows = [row.as_dict() for row in self.rows]
        return {"schema": SCHEMA, "holds": self.holds, **vars(self), "rows": rows}


def conform(
    folder: str | os.PathLike[str], *, compiled: bool = False, tell: Tell | None = None
) -> Conformance:
    """Run exported weights in the library that they are for, and compare with the learner that they are proved to be.

    Prompts are drawn, with a fixed seed, from the domain of the certificate's bound. A library that computes what its
    layers' definition says stays within it however a prompt is given: in a batch, padded, through a cache. Prompts with
    fewer examples are in the domain as well: for linear layers an example that is left out is one of zeros.

    Args:
        folder: an export for transformers, flash-linear-attention or state-spaces/mamba.
        compiled: run under `torch.compile` too.
        tell: called with the name of each way before it is run.

    Raises:
        UsageError: for a folder without a manifest, of another target, or without a bound; if a package is missing.
    """
    found = load(folder)
    manifest = _checked(found)
    weights = Weights(found, manifest["tokens"]["name"])
    bound, n = manifest["certificate"]["absolute"], manifest["sizes"]["examples"]
    whole = drawn(manifest, weights.encoding, [n] * COUNT)
    ragged = drawn(
        manifest, weights.encoding, [max(1, n * i // COUNT) for i in range(1, COUNT + 1)]
    )
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what libraries say of machines without a GPU
        model = _loaded(weights, compiled)
        for way in ways(model, whole, ragged):
            if tell is not None:
                tell(way[0])
            rows.append(_tried(way, bound))
    return Conformance(
        folder=str(weights.folder),
        target=weights.target,
        dtype=manifest["target"]["dtype"],
        versions={name: metadata.version(name).partition("+")[0] for name in model.packages},
        statement=manifest["construction"]["id"],
        verdict=manifest["construction"]["verdict"],
        bound=bound,
        rows=rows,
        contradicted=[c.assertion for c in files(found)],
    )


def _checked(found: Loaded) -> dict[str, Any]:
    """The folder's manifest, of which a learner and a bound are known."""
    where = f"conform {found.folder}"
    if found.manifest is None:
        raise UsageError(
            f"{where}: there is no manifest.json, so that no learner is known; give a folder of `scanproof export`."
        )
    if found.target not in LIBRARIES:
        raise UsageError(
            f"{where}: its target is {found.target}, which has no library; those that have: {', '.join(LIBRARIES)}. "
            "`python forward.py` in the folder tries the weights."
        )
    if found.manifest["certificate"]["absolute"] in (None, math.inf):
        raise UsageError(f"{where}: its manifest has no bound; export it in another format.")
    return found.manifest


def _loaded(weights: Weights, compiled: bool) -> Model:
    """The library's own model.

    Raises:
        UsageError: if a package is missing, or the library does not take the weights.
    """
    module, name = LIBRARIES[weights.target]
    made = getattr(importlib.import_module(f".{module}", __package__), name)
    missing = [package for package in made.packages if not _installed(package)]
    if missing:
        tested = TARGETS[weights.target].tested
        wanted = ", ".join(f"{p} (such as {tested[p][-1]})" if p in tested else p for p in missing)
        raise UsageError(f"conform {weights.folder}: {wanted} must be installed.")
    try:
        return made(weights.folder, weights, compiled)
    except (ImportError, KeyError, OSError, RuntimeError, TypeError, ValueError) as error:
        raise UsageError(f"conform {weights.folder}: it cannot be loaded: {_said(error)}") from None


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def _tried(way: Way, bound: float) -> Row:
    """What one way gives; whatever the library raises is a result."""
    name, prompts, run = way
    started = time.perf_counter()
    worst, why = None, ""
    try:
        found = np.asarray(run(), dtype=float)
        if found.shape != prompts.expected.shape:
            raise ValueError(f"predictions of shape {found.shape}, not {prompts.expected.shape}")
        off = np.abs(found - prompts.expected).max()
        worst = float("inf") if math.isnan(off) else float(off)
        status = WITHIN if worst <= bound else BEYOND
    except Exception as error:  # a library's, of any kind
        refused = isinstance(error, REFUSALS) or type(error).__name__ == INTERPRETER
        status, why = NOT_RUN if refused else RAISES, _said(error)
    return Row(name, status, worst, round(time.perf_counter() - started, 2), why)


def _said(error: BaseException) -> str:
    """An error in one line."""
    kind = "" if type(error) is NotImplementedError else f"{type(error).__name__}: "
    text = " ".join(f"{kind}{error}".split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
