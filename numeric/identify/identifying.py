"""`identify`: from a folder of weights to the learning rule that they implement."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from ..export.loading import Loaded, load
from . import manifest
from .asked import NOTHING, Asked, asked, in_format
from .families import family_of
from .report import Report


def identify(
    folder: str | os.PathLike[str],
    *,
    examples: int | Sequence[int] = (),
    tokens: str | None = None,
    sampler: str | None = None,
    scale: float | None = None,
    dtype: str | None = None,
) -> Report:
    """Which learning rule the weights of a folder implement, and how far off they are.

    Args:
        folder: an export, or weights that others made, as `export.loading.load` takes them; without a manifest nothing
            is asserted, and with one nothing of it is believed.
        examples: n of the tasks, one or several, at which alone the rule is looked at; by the weights if none is given.
        tokens: "labelled", "interleaved", "concatenated", "products" or "separate"; if not given, those that fit.
        sampler: of inputs, "uniform", "normal", "sphere" or "signs"; uniform if not given.
        scale: by which all data of tasks are multiplied; if not given 1, and less where no rule is near on larger data.
        dtype: "float64", "float32", "bfloat16" or "float16", in which weights are stored and run; their own if not
            given.

    Raises:
        UsageError: for a folder that is not a complete model, see `export.loading.load`, or has none of what is asked.
    """
    wanted = asked(examples, tokens, sampler, dtype, scale)
    held = load(folder)
    loaded = in_format(held, wanted)
    report = identified(loaded, wanted)
    report.contradictions[:0] = manifest.files(loaded)
    if held.manifest is not None and loaded.manifest is None:
        formats = ", ".join(sorted(set(held.dtypes.values())))
        report.notes.append(f"the manifest is about {formats} weights, and was not checked")
    return report


@np.errstate(all="ignore")  # of weights that are no numbers to compute with
def identified(loaded: Loaded, asked: Asked = NOTHING) -> Report:
    """Which learning rule loaded weights implement; the sizes and hashes that a manifest asserts are not looked at.

    Raises:
        UsageError: for weights that have none of what is asked, or are too large.
    """
    family = family_of(loaded.target)
    read = family.read(loaded, asked)
    d, k = family.sizes(read.model)
    report = Report(
        folder=str(loaded.folder),
        target=loaded.target,
        family=read.model.family,
        sizes={"features": d, "targets": k, "layers": len(read.model.layers)},
        asserted=loaded.manifest is not None,
    )
    family.derive(report, read)
    near = family.name_entries(report, read)
    family.compare(report, read, near)
    if loaded.manifest:
        family.check(report, loaded.manifest, read, near)
    return report
