"""What a manifest asserts, against what its folder holds and what was found: it is believed in nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.files.regular import opened

from ..export.loading import Loaded
from ..export.manifest import LARGEST as LARGEST_MANIFEST
from ..export.parts import EACH, IN_TURN, LOSS
from ..export.tensors import LARGEST
from .factor import Factor
from .report import DESCENT, Contradiction, Report, as_float
from .rule import Rule, descent

Manifest = Mapping[str, Any]

CHUNK = 2**20


def files(loaded: Loaded) -> list[Contradiction]:
    """Sizes, hashes, target and format: what any manifest asserts, whatever the weights are."""
    manifest = loaded.manifest
    if manifest is None:
        return []
    found = []
    for name, asserted in manifest["files"].items():
        found += _file(loaded.folder, name, asserted)
    formats = ", ".join(sorted(set(loaded.dtypes.values())))
    return found + unequal(manifest, {"target.name": loaded.target, "target.dtype": formats})


def _file(folder: Path, name: str, asserted: Mapping[str, Any]) -> list[Contradiction]:
    where = f"files.{name}"
    if name in ("", ".", "..") or Path(name).name != name:
        return [Contradiction(where, "a file of the folder", "it names another place")]
    try:
        file, size = opened(folder / name, max(LARGEST, LARGEST_MANIFEST))
    except UsageError:
        return [Contradiction(where, f"{asserted['bytes']} bytes", "it cannot be read")]
    with file:
        if size != asserted["bytes"]:
            return [Contradiction(f"{where}.bytes", str(asserted["bytes"]), str(size))]
        digest = hashlib.sha256()
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != asserted["sha256"]:
        return [Contradiction(f"{where}.sha256", asserted["sha256"], digest.hexdigest())]
    return []


def unequal(manifest: Manifest, held: Mapping[str, Any]) -> list[Contradiction]:
    """The places, such as `tokens.name`, where a manifest says something else."""
    asserted = {
        place: reduce(lambda part, key: part[key], place.split("."), manifest) for place in held
    }
    return [
        Contradiction(place, str(asserted[place]), str(value))
        for place, value in held.items()
        if asserted[place] != value
    ]


def sizes(report: Report) -> dict[str, Any]:
    """The family and the sizes of weights, by their places in a manifest."""
    named = ("features", "targets", "examples")
    held = {f"sizes.{name}": report.sizes[name] for name in named if name in report.sizes}
    return {"family": report.family, **held}


def learner(
    manifest: Manifest, report: Report, close: float, by: Factor | None = None, *, measured: bool
) -> list[Contradiction]:
    """The learner, against the one that was found.

    Args:
        manifest: what it says.
        report: on the weights, with their rule.
        close: the relative distance within which numbers are roundings of each other.
        by: how the step size depends on the number of examples, if that is known.
        measured: whether any weights of this kind are measured: descent with a negative step size may then be called
            that, and small entries of W0 are known only as well as large ones.
    """
    asserted = manifest["learner"]
    names = (report.rule, DESCENT) if measured else (report.rule,)
    if not report.recognised or asserted["rule"] not in names:
        return [Contradiction("learner.rule", asserted["rule"], report.rule)]
    steps = {"learner.steps": report.steps, "sizes.steps": report.steps}
    loss = EACH if report.rule == IN_TURN else LOSS
    found = unequal(manifest, {**steps, "learner.loss": loss})
    if asserted["data"] == "any" != report.data:
        found.append(Contradiction("learner.data", "any", report.data))
    found += _step_size(manifest, report, close, by)
    return found + _start(manifest, report, close, 1 / 8 if measured else 0.0)


def _step_size(
    manifest: Manifest, report: Report, close: float, by: Factor | None
) -> list[Contradiction]:
    """Each step's factor, after the manifest's number of examples."""
    size, text = report.step_size, manifest["learner"]["step_size"]
    if size is None:
        return []
    each = [Fraction(s) for s in size.each or (size.value,)]
    if by is not None:
        total = by.at(manifest["sizes"]["examples"])
        if total is None or not by.value:
            return []
        each = [s * total / by.value for s in each]
    asserted = Fraction(text)
    if all(abs(s - asserted) <= Fraction(close) * abs(asserted) for s in each):
        return []
    measured = str(size.nearest) if by is None and size.nearest is not None else ""
    return [
        Contradiction(
            "learner.step_size", text, measured or ", ".join(f"{as_float(s):.9g}" for s in each)
        )
    ]


def _start(manifest: Manifest, report: Report, close: float, floor: float) -> list[Contradiction]:
    """W0; entries smaller than a part `floor` of the largest are compared as if they were that."""
    texts, held = manifest["learner"]["W0"], np.array(report.W0, dtype=object)
    shape = (len(texts), len(texts[0]))
    if {len(row) for row in texts} != {shape[1]} or shape != held.shape:
        return [Contradiction("learner.W0", f"shape {shape}", f"shape {held.shape}")]
    W0, asserted = np.vectorize(as_float, otypes=[float])(held), start(manifest)
    scale = np.maximum(np.abs(W0), np.abs(W0).max() * floor)
    wrong = np.argwhere((asserted != W0) & ~(np.abs(asserted - W0) <= close * scale))
    return [
        Contradiction(f"learner.W0[{a}][{c}]", texts[a][c], f"{W0[a, c]:.9g}")
        for a, c in wrong.tolist()
    ]


def start(manifest: Manifest) -> np.ndarray:
    """W0, (d, k), in float64; of shape (0, 0) where its rows are not equally long."""
    rows = manifest["learner"]["W0"]
    if len({len(row) for row in rows}) != 1:
        return np.zeros((0, 0))
    return np.array([[as_float(Fraction(w)) for w in row] for row in rows])


def asserted_learner(manifest: Manifest) -> Rule:
    """The learner that a manifest names, in float64."""
    asserted = manifest["learner"]
    return descent(start(manifest), as_float(Fraction(asserted["step_size"])), asserted["steps"])
