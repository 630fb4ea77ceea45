"""What is timed: the ops, and what they are compared with. A case is a program without arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scanproof.constructs.layers import delta_rule, linear_attention

from ..jax_backend import jax, platform
from ..ops.blocks import in_blocks
from ..ops.chunked import chunked
from ..ops.delta import delta
from ..ops.recurrent import recurrent
from ..ops.sharded import sharded
from ..ops.streaming import streaming
from .case import CHUNKED, DELTA, PLAIN, SCAN, Case
from .ceilings import plain_product
from .passes import FORMATS, passes
from .problem import Problem

NUMPY_TOKENS = 1024
"""NumPy runs so many tokens of one head, and its time is scaled up: a token costs the same wherever it stands."""


def cases(problem: Problem, dtype: str) -> dict[str, Case]:
    """All that can be timed here, by name.

    Args:
        problem: the tokens.
        dtype: "float32" or "bfloat16": that of the plain product and of the ops that are not named otherwise. On a GPU,
            those with kernels run in both formats, and with their derivatives, in this one first.
    """
    j = jax("bench")
    heads, _, d = problem.size
    v, k, q = problem.tokens(dtype)
    state = j.numpy.zeros((heads, d, d))
    found: dict[str, Case] = {}
    found[PLAIN] = Case(_plain_product(j, problem, dtype))
    bind, scan = functools.partial, j.jit(_scan, static_argnums=0)
    found[SCAN] = Case(bind(scan, False, state, q, k, v), "unit", dtype)
    if platform() == "cpu":
        found[f"{SCAN}, head by head"] = Case(bind(scan, True, state, q, k, v), "unit", dtype)
        found["NumPy, one head"] = _numpy(problem)

    def op(run: Callable[..., Any], layer: str, *arrays: Any, dtype: str = dtype) -> Case:
        return Case(_outputs(bind(run, precision=dtype), *arrays), layer, dtype)

    def gated(v: Any, k: Any, q: Any, log_decay: Any, precision: Any) -> Any:
        return chunked(v, k, q, log_decay=log_decay, precision=precision)

    writes = delta_rule.Token(k, v, q, problem.beta)
    of_delta = bind(recurrent, delta_rule.step, None, batch=1)
    found[f"{SCAN}, delta rule"] = op(of_delta, "delta", state, writes)
    if platform() == "gpu":
        for format in sorted(FORMATS, key=lambda one: one != dtype):
            found |= passes(problem, format)
        return found
    associations = linear_attention.Token(q, k, v)
    found["recurrent"] = op(
        bind(recurrent, linear_attention.step, None, batch=1), "unit", state, associations
    )
    found[CHUNKED] = op(chunked, "unit", v, k, q)
    scalar = j.numpy.float32(problem.scalar())
    found[f"{CHUNKED}, one decay"] = op(gated, "scalar", v, k, q, scalar)
    found[f"{CHUNKED}, a decay a token"] = op(gated, "per-token", v, k, q, problem.log_decay)
    if dtype != "bfloat16":
        low = problem.tokens("bfloat16")
        found[f"{CHUNKED}, bfloat16"] = op(chunked, "unit", *low, dtype="bfloat16")
    found[DELTA] = op(delta, "delta", v, k, q, problem.beta)
    found["streaming, 4 blocks"] = Case(_stream(problem, (v, k, q), dtype), "unit", dtype)
    found.update(_shards(j, problem, (v, k, q), dtype))
    return found


def _outputs(op: Callable[..., Any], *arrays: Any) -> Callable[[], Any]:
    """(outputs, final state) of an op inside `jit`, where arguments are not looked through for NaN."""
    compiled = jax("bench").jit(lambda *arrays: op(*arrays)[1:])
    return lambda: compiled(*arrays)


def _plain_product(j: Any, problem: Problem, dtype: str) -> Callable[[], Any]:
    """(tokens · heads, d) times (d, 2d): the FLOPs of a recurrence without its order."""
    d = problem.size.features
    left = problem.v.reshape(-1, d).astype(dtype)
    right = j.random.normal(j.random.key(1), (d, 2 * d)).astype(dtype)
    product = plain_product(j, dtype)
    return lambda: product(left, right, "float32")


def _scan(head_by_head: bool, state: Any, q: Any, k: Any, v: Any) -> tuple[Any, Any]:
    """`lax.scan` over `linear_attention.step` as one would write it, batched over heads or one after the other."""
    j = jax("bench")
    tokens = j.tree.map(lambda a: a.astype("float32"), linear_attention.Token(q, k, v))
    scan = functools.partial(j.lax.scan, functools.partial(linear_attention.step, None))
    with j.default_matmul_precision("highest"):
        if head_by_head:
            state, outputs = j.lax.map(lambda one: scan(*one), (state, tokens))
        else:
            state, outputs = j.vmap(scan)(state, tokens)
    return outputs, state


def _numpy(problem: Problem) -> Case:
    """The definition on NumPy arrays, one token after the other."""
    length = min(NUMPY_TOKENS, problem.size.tokens)
    v, k, q = (np.asarray(a[0, :length]) for a in (problem.v, problem.k, problem.q))

    def run() -> np.ndarray:
        state, outputs = np.zeros((v.shape[-1],) * 2, v.dtype), np.empty_like(v)
        for t in range(length):
            token = linear_attention.Token(q[t], k[t], v[t])
            state, outputs[t] = linear_attention.step(None, state, token)
        return outputs[None]

    return Case(run, "unit", share=length / problem.size.token_heads)


def _stream(problem: Problem, tokens: tuple[Any, ...], dtype: str) -> Callable[[], Any]:
    host = tuple(np.asarray(a) for a in tokens)
    length = -(-problem.size.tokens // 4)

    def run() -> np.ndarray:
        parts = streaming(chunked, in_blocks(host, length), progress=False, precision=dtype)
        return np.concatenate([np.asarray(part) for part in parts], axis=1)

    return run


def _shards(j: Any, problem: Problem, tokens: tuple[Any, ...], dtype: str) -> dict[str, Case]:
    """The sharded op on one device and on all there are."""
    found = {}
    count = j.device_count()
    for axis in ("heads", "sequence"):
        for devices in sorted({1, count}):
            if axis == "heads" and problem.size.heads % devices:
                continue
            mesh = j.sharding.Mesh(np.asarray(j.devices()[:devices]), (axis,))
            run = functools.partial(sharded, mesh=mesh, axis=axis, precision=dtype)
            spec = (None, axis, None) if axis == "sequence" else (axis, None, None)
            if axis == "sequence" and problem.size.tokens % devices:
                continue
            place = j.sharding.NamedSharding(mesh, j.sharding.PartitionSpec(*spec))
            arrays = j.device_put(tokens, place)
            name = f"sharded over {axis}, {devices} device{'s' * (devices > 1)}"
            found[name] = Case(_outputs(run, *arrays), "unit", dtype)
    return found
