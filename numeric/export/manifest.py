"""The manifest of an export: JSON that says what the weights beside it are for, and how closely they do it.

Nobody types a verdict or a bound into it: they are computed when the export is made. Whoever has the weights needs no
manifest; it can only be contradicted by them.
"""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from importlib import resources
from typing import Any, TypeAlias

from scanproof.constructs.errors import UsageError
from scanproof.proofs.files.strict_json import NotStrict, parse

from .schema import faults
from .tensors import listed

SCHEMA = "scanproof.export/1"
LARGEST = 2**26
"""The most bytes of a manifest that is read."""

Manifest: TypeAlias = dict[str, Any]
"""A manifest as `manifest.schema.json` describes it."""


@functools.cache
def schema() -> Mapping[str, Any]:
    """The JSON schema of manifests."""
    text = resources.files("scanproof.numeric.export").joinpath("manifest.schema.json").read_bytes()
    return json.loads(text)


def read(data: bytes, name: str) -> Manifest:
    """The manifest in a file's bytes.

    Args:
        data: its bytes.
        name: the file, for errors.

    Raises:
        UsageError: if it is not JSON or not a manifest; the message lists everything that is wrong.
    """
    try:
        manifest = parse(data)
    except NotStrict as error:
        raise UsageError(f"{name}: {error}.") from None
    found = faults(manifest, schema())
    if found:
        raise UsageError(f"{name}: not a manifest of {SCHEMA}: {listed(found)}.")
    return manifest


def dumped(manifest: Manifest) -> bytes:
    """The bytes of a manifest; equal manifests make equal bytes.

    Raises:
        ValueError: if it is not a valid manifest.
    """
    found = faults(manifest, schema())
    if found:
        raise ValueError(f"not a manifest of {SCHEMA}: {listed(found)}")
    text = json.dumps(manifest, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def fingerprint(data: bytes) -> dict[str, Any]:
    """The entry of a file in the manifest: its size and hash."""
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def exact(number: Any) -> str:
    """A number as text, floats at their binary value: "3", "-1/8"."""
    return str(Fraction(number))
