"""What `identify` is asked to judge weights on: numbers of examples, tokens, a sampler of tasks, and a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import NamedTuple, TypeVar

import numpy as np

from scanproof.constructs.errors import UsageError, nearest
from scanproof.constructs.tokens.encoding import TOKENISATIONS

from ..export.loading import Loaded
from ..rounding.batch import ROUNDINGS

MOST = 4096
"""Examples of a task."""
SAMPLERS: Mapping[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "uniform": lambda rng, shape: rng.uniform(-1, 1, shape),
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "sphere": lambda rng, shape: _on_sphere(rng.standard_normal(shape)),
    "signs": lambda rng, shape: rng.choice([-1.0, 1.0], shape),
}
"""Inputs: uniform on (−1, 1), standard normal, on the sphere of radius √d, of signs ±1."""


Model = TypeVar("Model")


class Asked(NamedTuple):
    """What is not given is left to `identify`."""

    examples: tuple[int, ...] = ()
    """n, one or several, in increasing order."""
    tokens: str | None = None
    """A name in `TOKENISATIONS`."""
    sampler: str | None = None
    """A name in `SAMPLERS`."""
    dtype: str | None = None
    """The format in which weights are stored and run."""
    scale: float | None = None
    """By which all data of tasks are multiplied."""


NOTHING = Asked()
"""All of it left to `identify`."""


def asked(
    examples: int | Sequence[int] = (),
    tokens: str | None = None,
    sampler: str | None = None,
    dtype: str | None = None,
    scale: float | None = None,
) -> Asked:
    """What is asked, checked.

    Raises:
        UsageError: for values that there are not.
    """
    numbers = examples if isinstance(examples, Sequence) else (examples,)
    for n in numbers:
        if not isinstance(n, Integral) or not 1 <= n <= MOST:
            raise UsageError(f"--examples {n}: expected numbers from 1 to {MOST}.")
    for option, value, known in (
        ("--tokens", tokens, TOKENISATIONS),
        ("--sampler", sampler, SAMPLERS),
        ("--dtype", dtype, ROUNDINGS),
    ):
        if value is not None and value not in known:
            near = nearest(str(value), known)
            raise UsageError(f"{option} {value}: there is none{near}; known: {', '.join(known)}.")
    if scale is not None and not (isinstance(scale, Real) and 0 < scale < 1e6):
        shown = f"{scale:g}" if isinstance(scale, Real) else scale
        raise UsageError(f"--scale {shown}: expected a number between 0 and 1e6.")
    return Asked(tuple(sorted({int(n) for n in numbers})), tokens, sampler, dtype, scale)


def in_format(loaded: Loaded, asked: Asked) -> Loaded:
    """The weights as a format stores them; a manifest is about its own, and is left out then.

    Raises:
        UsageError: if what is asked contradicts the manifest, or the format does not hold the weights.
    """
    manifest = loaded.manifest
    if manifest is not None and asked.tokens not in (None, manifest["tokens"]["name"]):
        raise UsageError(
            f"--tokens {asked.tokens}: the manifest of {loaded.folder} says {manifest['tokens']['name']}; leave the "
            "option out, or the manifest."
        )
    if asked.dtype is None or set(loaded.dtypes.values()) == {asked.dtype}:
        return loaded
    rounded = ROUNDINGS[asked.dtype]
    with np.errstate(over="ignore"):
        tensors = {name: rounded(array) for name, array in loaded.tensors.items()}
    for name, array in tensors.items():
        lost = not array.any() and loaded.tensors[name].any()
        if lost or not np.isfinite(array).all():
            raise UsageError(
                f"--dtype {asked.dtype}: it does not hold {name} of {loaded.folder}, which overflows or becomes 0."
            )
    dtypes = dict.fromkeys(loaded.dtypes, asked.dtype)
    return loaded._replace(tensors=tensors, dtypes=dtypes, manifest=None)


def on_tokens(loaded: Loaded, models: Mapping[str, Model], tokens: str | None) -> list[Model]:
    """The models on all tokenisations, or on the one that is asked for.

    Args:
        loaded: the weights.
        models: by tokenisation.
        tokens: the one that is asked for, if any.

    Raises:
        UsageError: if the weights have no such model.
    """
    if tokens is None:
        return list(models.values())
    if tokens not in models:
        raise UsageError(
            f"identify {loaded.folder} --tokens {tokens}: they do not fit the weights; those that do: "
            f"{', '.join(models)}."
        )
    return [models[tokens]]


def _on_sphere(x: np.ndarray) -> np.ndarray:
    return x * np.sqrt(x.shape[-1]) / np.linalg.norm(x, axis=-1, keepdims=True)
