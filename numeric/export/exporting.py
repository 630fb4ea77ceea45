"""`export`: a construction's weights as a folder for another codebase, with its certificate."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.construction import quick_result

from ..rounding.arithmetic import FORMATS
from . import folder, manifest, standalone
from . import targets as registry
from .card import card
from .manifest import Manifest, exact
from .parts import Certificate, Export, Request
from .request import build, checked
from .targets import Laid, Target
from .tensors import bfloat16, pack, pack_bfloat16

HALVES = ("float16", "bfloat16")
"""Formats that numbers are not rounded to: some thousandths of η are another η."""


def export(
    id: str,
    *,
    target: str,
    output: str | Path,
    features: int,
    examples: int,
    targets: int | None = None,
    steps: int = 1,
    step_size: Any = None,
    dtype: str | None = None,
    tokens: str | None = None,
    in_one_block: bool = False,
    W0: Any = None,
    seed: int | None = None,
    input_bound: Any = 1.0,
    target_bound: Any = None,
    as_stated: bool = False,
    force: bool = False,
) -> Manifest:
    """Write the weights of a construction as a folder that a target's own loader takes.

    Args:
        id: a row's id, answered with its strongest proved statement, or an amendment's.
        target: a name in `targets.TARGETS`.
        output: the folder to make; with `force` an existing export is replaced.
        features: d.
        examples: n. Stacks of blocks take fewer examples too; for other layers the statement says what n means.
        targets: k; the statement's if not given.
        steps: L.
        step_size: η as the factor of the summed gradient, 1/n if not given; the statement's own follows from its loss.
            Text such as "1/40" or "0.025" is taken exactly, a float at its binary value.
        dtype: the format of the weights; the target's own if not given.
        tokens: a tokenisation, where the row leaves it open.
        in_one_block: for stacks of blocks, make the only step in one.
        W0: the initial weights (d, k), 0 if neither they nor a seed are given.
        seed: draws W0, multiples of 1/64 between −1 and 1.
        input_bound: the certificate's bound of |x_ji|.
        target_bound: its bound of |y_jc|; √d if not given.
        as_stated: take the parameters as printed, whatever the verdict.
        force: replace an export.

    Returns:
        The manifest, as written.

    Raises:
        UsageError: for what cannot be exported, or a folder that cannot be written; nothing is written then.
    """
    request = checked(
        Request(
            id, features, examples, targets, steps, step_size, tokens, in_one_block, W0, seed, input_bound,
            target_bound, as_stated,
        )
    )  # fmt: skip
    to = registry.find(target)
    format = registry.dtype(to, dtype)
    folder.check(Path(output), force=force)
    built = build(request)
    if built.family not in to.families:
        known = ", ".join(registry.for_family(built.family))
        raise UsageError(f"--target {target}: {id} is exported for {known}.")
    files = _files(built, to, format)
    written = _manifest(built, request, to, format, files)
    said = {folder.MANIFEST: manifest.dumped(written), folder.CARD: card(written).encode()}
    folder.write(Path(output), {**files, **said}, force=force)
    return written


def _files(built: Export, target: Target, dtype: str) -> dict[str, bytes]:
    """The target's files and the encoding, by name."""
    settings, tensors = tensors_in(dtype, built, target)
    write = pack_bfloat16 if dtype == "bfloat16" else pack
    encoding = {name: np.asarray(array, dtype=float) for name, array in built.encoding.items()}
    files = {folder.WEIGHTS: write(tensors, target.metadata), folder.ENCODING: pack(encoding)}
    if settings is not None:
        text = json.dumps(settings, sort_keys=True, indent=2, allow_nan=False)
        files[folder.SETTINGS] = text.encode() + b"\n"
    shapes = {name: array.shape for name, array in tensors.items()}
    files[folder.FORWARD] = standalone.source(built, target, settings, shapes).encode()
    return files


def tensors_in(dtype: str, built: Export, target: Target) -> Laid:
    """The target's settings, and its tensors in a format.

    Raises:
        UsageError: for numbers that the format does not hold.
    """
    settings, laid = target.layout(built.model)
    return settings, {name: _rounded(name, array, dtype) for name, array in laid.items()}


def _rounded(name: str, array: np.ndarray, dtype: str) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        rounded = bfloat16(array) if dtype == "bfloat16" else np.asarray(array).astype(dtype)
    if not np.isfinite(rounded).all():
        raise UsageError(
            f"export: {name} has entries that {dtype} does not hold; give a step size, or W0, nearer to 1."
        )
    small = np.asarray(array)[np.abs(rounded) < FORMATS[dtype].tiny]
    if small.any():
        raise UsageError(
            f"export: {name} has entries that are too small for {dtype}, such as {small[small != 0][0]:.3g}; give a "
            "step size, or W0, nearer to 1."
        )
    off = np.asarray(array)[rounded != array] if dtype in HALVES else small[:0]
    if off.size:
        raise UsageError(
            f"export: {name} has entries that {dtype} does not hold exactly, such as {off[0]:.6g}, and {dtype} would "
            "make another learner of them: give a step size such as 1/16, a power of two, and W0 in 64ths, or "
            "--dtype float32."
        )
    return rounded


def _manifest(
    built: Export, request: Request, target: Target, dtype: str, files: Mapping[str, bytes]
) -> Manifest:
    return {
        "schema": manifest.SCHEMA,
        "tool": {"version": _version()},
        "construction": {
            "id": built.claim.id,
            "asked": request.id,
            "statement": built.claim.says,
            **_verdict(built),
            "beyond": list(built.beyond),
        },
        "target": {
            "name": target.name,
            "dtype": dtype,
            "tested": {name: list(versions) for name, versions in target.tested.items()},
        },
        "family": built.family,
        "sizes": {
            "features": built.features,
            "targets": built.targets,
            "examples": request.examples,
            "steps": built.steps,
        },
        "learner": {
            "rule": built.rule,
            "steps": built.steps,
            "step_size": exact(built.step_size),
            "loss": built.loss,
            "data": built.data,
            "W0": [[exact(w) for w in row] for row in built.W0.tolist()],
        },
        "tokens": {
            "name": built.tokens,
            "raw": [list(columns) for columns in built.raw],
            "predicts": built.predicts,
        },
        "certificate": _certificate(built.certify(dtype, wide=target.wide), dtype, built.data),
        "files": {name: manifest.fingerprint(data) for name, data in files.items()},
    }


def _verdict(built: Export) -> dict[str, Any]:
    """The verdict of the fast engine now; `scanproof check` asks all engines, and takes longer."""
    found = quick_result(built.claim)
    return {"verdict": found.verdict, "scope": found.scope, "evidence": found.evidence}


def _certificate(found: Certificate, dtype: str, data: str) -> dict[str, Any]:
    relative = found.absolute / found.magnitude if found.magnitude else math.inf
    return {
        "dtype": dtype,
        "domain": dict(found.domain),
        "data": data,
        "absolute": _finite(found.absolute),
        "magnitude": _finite(found.magnitude),
        "attained": _finite(found.attained),
        "relative": _finite(relative),
        "found": found.search(),
        "covers": found.covers,
    }


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _version() -> str:
    from importlib.metadata import version

    return version("scanproof")
