"""`load`: read the folder of an export, or of weights from elsewhere, as checked arrays.

Nothing is executed or unpickled. Sizes in the settings are compared with the tensors that are there before anything is
made of them; the manifest is read, if there is one, and believed in nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.proofs.files.regular import contents
from scanproof.proofs.files.strict_json import NotStrict, parse, shown

from . import manifest as manifests
from . import settings as checks
from . import tensors as files
from .folder import ENCODING, MANIFEST, SETTINGS, WEIGHTS
from .targets import TARGETS

LARGEST_SETTINGS = 2**20
"""Bytes of a config.json that is read."""
PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib", ".npy", ".npz")
"""Endings of files that can hold a pickle, which may run code when it is loaded."""
MOST = 100
"""The most problems that are listed."""
LONGEST = 300
"""The most characters of one problem."""


class Loaded(NamedTuple):
    """The weights and other files of a folder, checked."""

    folder: Path
    manifest: dict[str, Any] | None
    """The manifest, valid by `manifest.schema.json`; it may still contradict the rest."""
    settings: dict[str, Any] | None
    """config.json, whose sizes agree with the tensors."""
    tensors: dict[str, np.ndarray]
    """The weights, complete, in their own format (bfloat16 in float32)."""
    encoding: dict[str, np.ndarray]
    """encode.weight (M, r), encode.bias (M,), readout.weight (k, O)."""
    target: str
    """The target, found by settings and tensor names; where these are alike, by the manifest."""
    dtypes: dict[str, str]
    """The formats of the weights, by name."""


def load(folder: str | os.PathLike[str]) -> Loaded:
    """The weights of a folder, with or without a manifest.

    Raises:
        UsageError: if the folder or one of its files cannot be read; for tensors that are missing, unexpected, of other
            shapes than the settings ask for (all of them at once), or not finite; for settings or a manifest that are
            malformed; for files beside them that may be pickles; if safetensors is not installed.
    """
    path = Path(folder)
    _check_folder(path)
    manifest = _manifest(path)
    settings = _settings(path)
    if not os.path.lexists(path / WEIGHTS):
        raise UsageError(f"{path}: {WEIGHTS} is missing{_instead(path)}.")
    stored = files.read(path / WEIGHTS)
    if not os.path.lexists(path / ENCODING):
        raise UsageError(
            f"{path}: {ENCODING} is missing. It says how raw tokens (…, r) become the model's inputs (…, M) and "
            "outputs (…, O) predictions (…, k): encode.weight (M, r), encode.bias (M,), readout.weight (k, O)."
        )
    encoding = files.read(path / ENCODING).arrays
    target = _target(path, manifest, settings, stored.arrays, encoding)
    return Loaded(path, manifest, settings, stored.arrays, encoding, target, stored.dtypes)


def _check_folder(path: Path) -> None:
    try:
        if not path.is_dir():
            there = "is not a folder" if os.path.lexists(path) else "does not exist"
            raise UsageError(f"{path}: it {there}; give the folder of an export.")
        names = sorted(os.listdir(path))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot be read: {why}.") from None
    pickles = [name for name in names if name.lower().endswith(PICKLES)]
    if pickles:
        raise UsageError(
            f"{path}: {shown(pickles[0])} may be a pickle, which can run code when it is loaded. An export has none: "
            "remove it, and save the weights as safetensors."
        )


def _instead(path: Path) -> str:
    """What the folder holds in place of the weights, for an error message."""
    if (path / f"{WEIGHTS}.index.json").exists():
        return "; weights in several files are not read, save them as one"
    found = sorted(p.name for p in path.glob("*.safetensors") if p.name != ENCODING)
    return f"; there is {shown(found[0])}" if found else ""


def _manifest(path: Path) -> manifests.Manifest | None:
    file = path / MANIFEST
    if not os.path.lexists(file):
        return None
    return manifests.read(contents(file, manifests.LARGEST), str(file))


def _settings(path: Path) -> dict[str, Any] | None:
    file = path / SETTINGS
    if not os.path.lexists(file):
        return None
    try:
        found = parse(contents(file, LARGEST_SETTINGS), infinite=True)
    except NotStrict as error:
        raise UsageError(f"{file}: {error}.") from None
    if not isinstance(found, dict):
        raise UsageError(f"{file}: an object of settings is expected, got {shown(found)}.")
    return found


def _target(
    path: Path,
    manifest: manifests.Manifest | None,
    settings: dict[str, Any] | None,
    tensors: Mapping[str, np.ndarray],
    encoding: Mapping[str, np.ndarray],
) -> str:
    """The target of these weights; incomplete weights are refused."""
    if settings is None:
        try:
            family = neutral.from_tensors(tensors, encoding).family
        except neutral.LayoutError as error:
            raise _misfits(path, error.problems) from None
        named = TARGETS.get(manifest["target"]["name"]) if manifest else None
        if named is not None and named.neutral and family in named.families:
            return named.name
        return "numpy"
    kind = checks.kind_of(settings)
    if kind is None:
        known = ", ".join(kind.target for kind in checks.KINDS)
        asked = shown(settings.get("model_type"))
        raise UsageError(
            f"{path / SETTINGS}: model_type {asked} belongs to no target known here: {known}."
        )
    shapes, encodings = (
        {name: array.shape for name, array in arrays.items()} for arrays in (tensors, encoding)
    )
    found = checks.problems(kind, settings, shapes, encodings)
    if found:
        raise _misfits(path, found)
    return kind.target


def _misfits(path: Path, problems: list[str]) -> UsageError:
    more = len(problems) - MOST
    text = "; ".join(p[:LONGEST] for p in problems[:MOST])
    text = "".join(c if c.isprintable() else "\ufffd" for c in text)  # names are as in the file
    text += f"; and {more} more" if more > 0 else ""
    return UsageError(f"{path}: the weights are not those of a model known here: {text}.")
