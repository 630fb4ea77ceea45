"""What a user asks for, checked before anything is drawn or compiled."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, cast

import numpy as np

from scanproof.constructs.constructions.construction import (
    CLASSES,
    SCALAR,
    VECTOR,
    Construction,
)
from scanproof.constructs.errors import UsageError, nearest
from scanproof.constructs.learners.learner import Descent
from scanproof.constructs.learners.losses import BinaryCrossEntropy
from scanproof.proofs.doors.fitting import LIMIT
from scanproof.proofs.language.sizes import whole

from ..ops.inputs import SHARE, free_memory, gigabytes, itemsize
from ..precision import PRECISIONS, Precision
from ..tasks.samplers import SAMPLERS
from .masked import WHOLE
from .problem import Problem, Settings

FEATURES, CHOSEN_CLASSES = 64, 10
"""Features and classes where none are given."""
BLOCK = 2**24
"""Numbers of one token array in a block, all heads together."""
TOKENS = 2
"""The most tokens that a layer has for an example."""
MATRICES = 16
"""Matrices of f columns beside the tokens, in float64: parameters and their factors; half as many for each head."""


class Request(NamedTuple):
    """The arguments of `run`."""

    id: str
    features: int | None = None
    examples: int = 4096
    heads: int = 1
    targets: int | None = None
    layers: int | None = None
    dtype: Any = "float32"
    lane: str | None = None
    chunk: int | None = None
    sampler: str = "uniform"
    input_scale: float = 1.0
    seed: int = 0
    step_size: float | None = None
    as_stated: bool = False


def values(request: Request) -> None:
    """Refuse values with which no statement can run.

    Raises:
        UsageError: for the first of them.
    """
    for name in ("features", "examples", "heads", "targets", "layers", "chunk"):
        size = getattr(request, name)
        if size is None and name not in ("examples", "heads"):
            continue
        whole(f"run --{name} {size}", size)
    whole(f"run --seed {request.seed}", request.seed, least=0)
    if isinstance(request.dtype, str) and request.dtype not in (*PRECISIONS, "bf16"):
        raise UsageError(
            f"run --dtype {request.dtype}: no such precision{nearest(request.dtype, PRECISIONS)}; "
            f"allowed: {', '.join(PRECISIONS)}."
        )
    if request.sampler not in SAMPLERS:
        raise UsageError(
            f"run --sampler {request.sampler}: no such sampler{nearest(request.sampler, SAMPLERS)}; "
            f"allowed: {', '.join(SAMPLERS)}."
        )
    for name, given in (("input-scale", request.input_scale), ("step-size", request.step_size)):
        if given is not None and not (_real(given) and math.isfinite(given) and given > 0):
            raise UsageError(f"run --{name} {given}: give a positive number, such as 0.5.")


def _real(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def settings(request: Request, id: str, of: Construction, runner: Any) -> Settings:
    """The settings, with the defaults of the statement `id`; what it fixes cannot be chosen.

    Raises:
        UsageError: if something was chosen that the statement fixes, or an op that its layer does not have.
    """
    features, targets, layers = request.features, request.targets, request.layers
    if request.lane is not None and request.lane not in runner.ops:
        raise UsageError(
            f"run {id} --lane {request.lane}: this statement runs on {' or '.join(runner.ops)}."
        )
    settings = Settings(
        features or FEATURES,
        request.examples,
        request.heads,
        targets,
        layers or 1,
        request.sampler,
        float(request.input_scale),
        request.seed,
    )
    if of.features is not None:
        if features not in (None, of.features):
            raise UsageError(
                f"run {id} --features {features}: the statement is about {of.features} feature; "
                "leave --features out."
            )
        settings = settings._replace(features=of.features)
    if layers is not None and layers != 1 and not of.several:
        raise UsageError(
            f"run {id} --layers {layers}: the statement is about one layer and one step; leave --layers out, or "
            "run one about L steps, such as gril.propA.1 or ch9.icl."
        )
    if of.targets == CLASSES:
        loss = of.learner.loss if isinstance(of.learner, Descent) else None
        binary = isinstance(loss, BinaryCrossEntropy)
        if binary and targets not in (None, 1):
            raise UsageError(
                f"run {id} --targets {targets}: two classes are one logit; leave --targets out."
            )
        if not binary and targets == 1:
            raise UsageError(f"run {id} --targets 1: give the number of classes, at least 2.")
        return settings._replace(targets=1 if binary else targets or CHOSEN_CLASSES)
    fixed = of.columns(settings.features)
    if fixed is None:
        return settings._replace(targets=targets or settings.features)
    if targets not in (None, fixed):
        number = "one target" if fixed == 1 else f"{fixed} targets"
        why = "as many targets as features" if of.targets == VECTOR else number
        raise UsageError(
            f"run {id} --targets {targets}: the statement is about {why}; leave --targets out, or run one that embeds "
            "any number, such as gril.propA.1-construction+transpose+embedding."
        )
    return settings._replace(targets=None if of.targets == SCALAR else fixed)


def places(settings: Settings) -> None:
    """Refuse more tokens than can be counted in 32 bits: the proofs of the ops assume that they can be.

    Raises:
        UsageError: if they cannot; the message says how many can.
    """
    if TOKENS * settings.examples > LIMIT:
        raise UsageError(
            f"run --examples {settings.examples}: places are counted in 32 bits, which the proofs of what runs take "
            f"for granted; give at most {LIMIT // TOKENS}."
        )


def memory(id: str, runner: Any, settings: Settings, numbers: Precision) -> None:
    """Refuse sizes that do not fit into memory.

    Raises:
        UsageError: if they do not; the message says how much they take, how much there is and what would fit.
    """
    free = free_memory()
    if free is None:
        return
    room, needed = SHARE * free, _needed(runner, settings, numbers)
    if needed <= room:
        return
    remedy = "nothing of this kind would fit"
    for size in ("examples", "features", "heads"):
        fits, too_many = 0, getattr(settings, size)
        while too_many - fits > 1:
            middle = (fits + too_many) // 2
            small = _needed(runner, _with(settings, size, middle), numbers) <= room
            fits, too_many = (middle, too_many) if small else (fits, middle)
        if fits:
            remedy = f"--{size} {fits} would fit"
            break
    raise UsageError(
        f"run {id} needs {gigabytes(needed)} for --heads {settings.heads} --examples {settings.examples} "
        f"--features {settings.features}, and {gigabytes(free)} are free; {remedy}."
    )


def _with(settings: Settings, size: str, value: int) -> Settings:
    """The same settings with another size; targets that are as many as the features remain so."""
    if size == "features" and settings.targets == settings.features:
        settings = settings._replace(targets=value)
    return settings._replace(**{size: value})


def _needed(runner: Any, settings: Settings, numbers: Precision) -> int:
    """The bytes that a run takes."""
    rows = settings.heads * (settings.examples + 1)
    f, k = settings.features, settings.targets or 1
    data = rows * (f + k) * 8  # in float64, for the learner; twice while they are rounded
    stream = rows * (2 * f + k) * itemsize(numbers.inputs)  # on the host and on the device
    width = itemsize(numbers.accumulate)
    working = 8 * min(rows * (f + k), BLOCK) * width  # tokens, their z, b and c, outputs
    if isinstance(runner, WHOLE):
        working = runner.buffer(cast(Problem, _Sizes(settings)), width)
    # Weights and states of every head, parameters, and all of them again for the bound and the learner.
    matrices = 8 * f * max(f, k) * (MATRICES + MATRICES * settings.heads // 2)
    return 2 * data + 2 * stream + working + matrices


class _Sizes:
    """A problem that has sizes and no data yet, as `buffer` takes it."""

    def __init__(self, settings: Settings) -> None:
        self.x = np.broadcast_to(
            np.zeros(()), (settings.heads, settings.examples + 1, settings.features)
        )
