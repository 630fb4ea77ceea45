"""`identify`: from a folder of weights to the learning rule that they implement."""

from __future__ import annotations

import os

from ..export.loading import load
from . import manifest
from .asked import NOTHING, Asked, in_format
from .report import Report

STACKS = ("hf-mamba2", "mamba-ssm")
"""Targets whose blocks are not polynomials, so that the rule is measured."""


def identify(folder: str | os.PathLike[str], asked: Asked = NOTHING) -> Report:
    """Which learning rule the weights of a folder implement, and how far off they are.

    Args:
        folder: an export, or weights that others made, as `export.loading.load` takes them; without a manifest nothing
            is asserted, and with one nothing of it is believed.
        asked: on which data, and in which format.

    Raises:
        UsageError: for a folder that is not a complete model, see `export.loading.load`, or has none of what is asked.
    """
    held = load(folder)
    loaded = in_format(held, asked)
    if loaded.target == "fla-delta-net":
        from .delta_net import identify_delta_net

        report = identify_delta_net(loaded, asked)
    elif loaded.target in STACKS:
        from .mamba2 import identify_mamba2

        report = identify_mamba2(loaded, asked)
    else:
        from .linear import identify_linear

        report = identify_linear(loaded, asked)
    report.asserted = loaded.manifest is not None
    report.contradictions[:0] = manifest.files(loaded)
    if held.manifest is not None and loaded.manifest is None:
        formats = ", ".join(sorted(set(held.dtypes.values())))
        report.notes.append(f"the manifest is about {formats} weights, and was not checked")
    return report
