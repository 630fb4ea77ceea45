"""How tight a bound is: a climb over inputs for which the error comes close to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import delta_rule, ssd

from ..jax_backend import jax, x64
from ..ops.chunked import chunked
from ..ops.delta import delta
from ..ops.recurrent import recurrent
from ..ops.sharded import sharded
from ..precision import precision as precision_of
from .chunked import linear
from .delta_rule import delta as delta_bound

WIDE = np.longdouble


class Found(NamedTuple):
    """The best of a climb."""

    ratio: float
    """The largest |error| / bound of an output, at most 1 if the bound holds."""
    inputs: dict[str, np.ndarray]
    """The arguments of the op that attain it."""


def tightest(
    lane: str,
    *,
    precision: str = "float32",
    sizes: tuple[int, int, int] = (24, 2, 3),
    chunk: int = 8,
    turns: int = 60,
    seed: int = 0,
) -> Found:
    """Climb from random inputs, changing a few numbers at a time, towards the largest ratio of error to bound.

    Args:
        lane: "recurrent", "chunked", "sharded" or "delta".
        precision: "float32" or "bfloat16"; the exact value is taken from a wider format.
        sizes: T, D and N.
        chunk: C.
        turns: how many changes are tried.
        seed: of the random numbers.
    """
    rng = np.random.default_rng(seed)
    inputs = start(rng, sizes, lane, precision)
    best = Found(ratio(lane, inputs, chunk, precision), inputs)
    for _ in range(turns):
        moved = {name: _moved(rng, array, precision) for name, array in best.inputs.items()}
        found = ratio(lane, moved, chunk, precision)
        if found > best.ratio:
            best = Found(found, moved)
    return best


def start(
    rng: np.random.Generator, sizes: tuple[int, int, int], lane: str, precision: str
) -> dict[str, np.ndarray]:
    """Positive numbers, whose roundings can add up."""
    T, D, N = sizes
    inputs = {name: rng.uniform(0.5, 2, (T, n)) for name, n in (("v", D), ("k", N), ("q", N))}
    if lane == "delta":
        inputs["beta"] = rng.uniform(0.2, 1, T) / (inputs["k"] ** 2).sum(axis=-1)
    return {name: _as(array, precision, name) for name, array in inputs.items()}


def _as(array: np.ndarray, precision: str, name: str) -> np.ndarray:
    """Numbers that the op does not round when they come in."""
    numbers = precision_of(precision)
    dtype = jax().numpy.dtype(numbers.accumulate if name == "beta" else numbers.inputs)
    return array.astype(dtype).astype(np.float64)


def _moved(rng: np.random.Generator, array: np.ndarray, precision: str) -> np.ndarray:
    name = "beta" if array.ndim == 1 else ""
    chosen = rng.random(array.shape) < rng.choice([0.02, 0.1, 0.5])
    scale = 2.0 ** -rng.integers(1, 20)
    return _as(
        np.where(chosen, array * (1 + scale * rng.uniform(-1, 1, array.shape)), array),
        precision,
        name,
    )


def ratio(lane: str, inputs: dict[str, np.ndarray], chunk: int, precision: str) -> float:
    """The largest |error| / bound of an output."""
    v, k, q = (inputs[name] for name in "vkq")
    wide = {name: array.astype(WIDE) for name, array in inputs.items()}
    state = np.zeros((v.shape[1], k.shape[1]), dtype=WIDE)
    with x64(precision == "float64"):
        if lane == "delta":
            run = delta(v, k, q, inputs["beta"], chunk=chunk, precision=precision)
            bound = delta_bound(v, k, q, inputs["beta"], chunk=chunk, precision=precision)
            tokens: Any = delta_rule.Token(wide["k"], wide["v"], wide["q"], wide["beta"])
            exact = scan(delta_rule.step, None, state, tokens)
        else:
            run = OPS[lane](v, k, q, chunk=chunk, precision=precision)
            bound = linear(v, k, q, lane=lane, chunk=chunk, precision=precision)
            tokens = ssd.Token(wide["v"], np.ones(len(v), dtype=WIDE), wide["k"], wide["q"])
            exact = scan(ssd.step, None, state, tokens)
        found = np.asarray(run.outputs).astype(WIDE)
    return float((np.abs(found - exact.outputs) / bound.outputs.bound).max())


def _recurrent(v: Any, k: Any, q: Any, *, chunk: int, precision: str) -> Any:
    dtype = precision_of(precision).accumulate
    v, k, q = (array.astype(dtype) for array in (v, k, q))
    state = np.zeros((v.shape[1], k.shape[1]), dtype)
    return recurrent(ssd.step, None, state, ssd.Token(v, np.ones(len(v), dtype), k, q))


OPS: dict[str, Callable[..., Any]] = {
    "recurrent": _recurrent,
    "chunked": chunked,
    "sharded": sharded,
}
