"""Checkpoints: the whole state of training in one safetensors file, replaced in one step.

The settings stand in the file's header, so that weights and settings cannot come apart. Nothing is unpickled.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.files import replace, try_beside
from scanproof.proofs.files.strict_json import NotStrict, parse

from ...export import tensors

KEY, LARGEST = "scanproof", 2**31
NAME = "checkpoint.safetensors"


def prepare(folder: Path, option: str) -> None:
    """Make a folder that can be written to, before anything is trained.

    Raises:
        UsageError: if that cannot be done.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        try_beside(folder / NAME)
    except OSError as error:
        why = error.strerror or error
        raise UsageError(
            f"{option} {folder}: cannot write there: {why}; name another folder."
        ) from None


def save(path: Path, arrays: Mapping[str, np.ndarray], about: Mapping[str, Any]) -> None:
    """Write a file with these arrays and what they are about, completely or not at all.

    Raises:
        UsageError: if it cannot be written; the former file is as it was.
    """
    packed = {name: _stored(np.asarray(array)) for name, array in arrays.items()}
    try:
        replace(path, tensors.pack(packed, {KEY: json.dumps(about, sort_keys=True)}))
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}.") from None


def load(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays of such a file, and what they are about.

    Raises:
        UsageError: for a file that is none of these.
    """
    found = tensors.read(path, LARGEST)
    try:
        about = parse(found.metadata.get(KEY, "").encode())
    except NotStrict:
        about = None
    if not isinstance(about, dict):
        raise UsageError(
            f"{path}: it says nothing of its settings, so it is no checkpoint of scanproof; remove it, or name "
            "another folder."
        )
    return found.arrays, about


def differing(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """What two configurations do not share, in words."""
    names = [*wanted, *(name for name in found if name not in wanted)]
    return [
        f"{name} is {found.get(name)!r} there and {wanted.get(name)!r} here"
        for name in names
        if found.get(name) != wanted.get(name)
    ]


def _stored(array: np.ndarray) -> np.ndarray:
    """Whole numbers (a count of steps) as float64, which has them exactly."""
    return array if array.dtype.kind == "f" else array.astype(np.float64)
