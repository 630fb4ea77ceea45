"""The ops by name, inputs for them of all kinds and scales, their layers in exact arithmetic, and their bounds."""

from fractions import Fraction
from typing import Any

import jax.numpy as jnp
import numpy as np
from loops import WIDE

from scanproof.constructs.arrays.scan import Scan, scan
from scanproof.constructs.layers import delta_rule, ssd
from scanproof.constructs.layers import longhorn as longhorn_layer
from scanproof.numeric import rounding, x64
from scanproof.numeric.ops import decay
from scanproof.numeric.ops.blocks import in_blocks
from scanproof.numeric.ops.chunked import chunked
from scanproof.numeric.ops.delta import delta, longhorn
from scanproof.numeric.ops.recurrent import recurrent
from scanproof.numeric.ops.sharded import sharded
from scanproof.numeric.ops.streaming import streaming
from scanproof.numeric.precision import precision as precision_of

HEADS, BLOCK = 2, 4
OPS = {"chunked": chunked, "sharded": sharded, "delta": delta, "longhorn": longhorn}
STEPS = {"delta": delta_rule.step, "longhorn": longhorn_layer.step}


def numbers(rng: np.random.Generator, scale: int, *shape: int) -> np.ndarray:
    """Float64 numbers around 2^scale, a few of them 0."""
    array = rng.standard_normal((HEADS, *shape)) * 2.0**scale
    return np.where(rng.random(array.shape) < 1 / 10, 0.0, array)


def gate(rng: np.random.Generator, kind: str, T: int) -> dict[str, np.ndarray]:
    """Decays of a kind, as their logarithms and resets."""
    logs = rng.choice([-0.7, -0.01, 0.0, 0.1, -90.0, -800.0, -1e30, -np.inf], (HEADS, T))
    logs = np.where(logs == 0, 0.0, logs * rng.uniform(0.5, 1.5, (HEADS, T)))
    reset = rng.random((HEADS, T)) < 1 / 5
    one = rng.choice([-0.3, -1e-3, 0.0, 0.2, -300.0], (HEADS, 1))
    return {
        "unit": {},
        "scalar": {"log_decay": one[0, 0]},
        "one a head": {"log_decay": one},
        "one a token": {"log_decay": logs},
        "with resets": {"log_decay": logs, "reset": reset},
        "resets only": {"reset": reset},
        "scalar with resets": {"log_decay": one[0, 0], "reset": reset},
    }[kind]


def strengths(rng: np.random.Generator, keys: np.ndarray, most: float) -> dict[str, np.ndarray]:
    """β with 0 ≤ β ‖k‖² ≤ `most`, a few of them 0."""
    theta = np.where(rng.random(keys.shape[:-1]) < 1 / 8, 0, rng.uniform(0, most, keys.shape[:-1]))
    norms = (keys * keys).sum(axis=-1)
    return {"beta": theta / np.where(norms > 0, norms, 1.0)}


def exactly(number: Any, array: Any) -> np.ndarray:
    """The same numbers as an object array."""
    array = np.asarray(array, dtype=np.float64)
    out = np.empty(array.shape, dtype=object)
    for index in np.ndindex(array.shape):
        out[index] = number(float(array[index]))
    return out


def number_for(inputs: dict[str, Any]) -> Any:
    """Fractions, or numbers of 40 digits where decays are exponentials."""
    return WIDE.mpf if "log_decay" in inputs else Fraction


def exact_run(op: str, inputs: dict[str, np.ndarray]) -> Scan:
    """Outputs and final state of the op's layer in exact arithmetic, one head after the other."""
    number = number_for(inputs)
    v, k, q, states = (exactly(number, inputs[n]) for n in ("v", "k", "q", "initial_state"))
    shape = v.shape[:-1]
    if op in STEPS:
        tokens: Any = delta_rule.Token(k, v, q, exactly(number, inputs["beta"]))
    else:
        logs = np.broadcast_to(inputs.get("log_decay", 0.0), shape)
        reset = np.broadcast_to(inputs.get("reset", False), shape)
        decays = np.empty(shape, dtype=object)
        for at in np.ndindex(shape):
            left = number(1) if logs[at] == 0 else WIDE.exp(WIDE.mpf(float(max(logs[at], -1e4))))
            decays[at] = number(0) if reset[at] or np.isneginf(logs[at]) else left
        tokens = ssd.Token(v, decays, k, q)
    step = STEPS.get(op, ssd.step)
    if v.ndim == 2:
        return scan(step, None, states, tokens)
    runs = [
        scan(step, None, state, type(tokens)(*(a[head] for a in tokens)))
        for head, state in enumerate(states)
    ]
    return Scan(None, *(np.stack([run[i] for run in runs]) for i in (1, 2)))


def run_op(op: str, precision: str, inputs: dict[str, np.ndarray], chunk: int) -> Any:
    """An op's outputs and final state."""
    with x64(precision == "float64"):
        if op == "recurrent":
            return run_recurrence(precision, inputs)
        if op != "streaming":
            return OPS[op](**inputs, chunk=chunk, precision=precision)
        tokens = dict(inputs)
        state = tokens.pop("initial_state")
        options = {"chunk": chunk, "precision": precision}
        stream = streaming(chunked, in_blocks(tokens, BLOCK), initial_state=state, **options)
        outputs = np.concatenate([np.asarray(block) for block in stream], axis=-2)
        return Scan(None, outputs, stream.final_state)


def run_recurrence(precision: str, inputs: dict[str, np.ndarray]) -> Scan:
    """`ssd.step` by the recurrent op, from the inputs of the chunked one."""
    own = precision_of(precision)
    v, k, q = (jnp.asarray(inputs[n], own.inputs).astype(own.accumulate) for n in "vkq")
    logs, reset = jnp.zeros((), own.accumulate), inputs.get("reset")
    if "log_decay" in inputs:
        logs = jnp.asarray(inputs["log_decay"], own.accumulate)
    decays = decay.decays(logs, None if reset is None else jnp.asarray(reset), own)
    token = ssd.Token(v, jnp.broadcast_to(decays, v.shape[:-1]), k, q)
    state = jnp.asarray(inputs["initial_state"], own.accumulate)
    return recurrent(ssd.step, None, state, token, batch=v.ndim - 2)


def bound_of(op: str, precision: str, inputs: dict[str, Any], chunk: int) -> Scan:
    """The a priori bounds of that run."""
    if op in STEPS:
        return rounding.delta(**inputs, layer=op, precision=precision, chunk=chunk)
    return rounding.linear(**inputs, lane=op, precision=precision, chunk=chunk, block=BLOCK)


def assert_within(found: Any, exact: np.ndarray, bound: np.ndarray, number: Any = Fraction) -> None:
    """Every entry is as near to the exact one as its bound says; an infinite bound is none."""
    found = np.asarray(found).astype(np.float64)
    assert found.shape == exact.shape == bound.shape
    assert np.isfinite(bound).all()
    for index in np.ndindex(found.shape):
        gap = abs(number(float(found[index])) - exact[index])
        assert gap <= number(float(bound[index])), f"entry {index}: {gap} > {bound[index]}"
