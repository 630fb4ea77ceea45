"""The ops that have GPU kernels, forward and with their derivative, in one number format."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..jax_backend import jax
from ..ops.chunked import chunked
from ..ops.delta import delta
from .case import CHUNKED, DELTA, Case
from .problem import Problem

DERIVATIVE = "with derivative"
"""In the name of a program that computes the cotangents of v, k and q of those of the outputs, which are v."""
FORMATS = ("bfloat16", "float32")


def passes(problem: Problem, dtype: str) -> dict[str, Case]:
    """Programs by name: each op's outputs, and the cotangents of v, k and q.

    Args:
        problem: the tokens.
        dtype: "float32" or "bfloat16".
    """

    def gated(v: Any, k: Any, q: Any, log_decay: Any, *, precision: Any) -> Any:
        return chunked(v, k, q, log_decay=log_decay, precision=precision)

    j = jax("bench")
    ops: dict[str, tuple[Callable[..., Any], str, tuple[Any, ...]]] = {
        CHUNKED: (chunked, "unit", ()),
        f"{CHUNKED}, one decay": (gated, "scalar", (j.numpy.float32(problem.scalar()),)),
        f"{CHUNKED}, a decay a token": (gated, "per-token", (problem.log_decay,)),
        DELTA: (delta, "delta", (problem.beta,)),
    }
    found = {}
    for name, (op, layer, gates) in ops.items():
        for derivative in (False, True):
            run = _compiled(j, op, dtype, derivative, (*problem.tokens(dtype), *gates))
            words = (name, dtype, DERIVATIVE) if derivative else (name, dtype)
            found[", ".join(words)] = Case(run, layer, dtype, derivative=derivative)
    return found


def _compiled(
    j: Any, op: Callable[..., Any], dtype: str, derivative: bool, arrays: tuple[Any, ...]
) -> Callable[[], Any]:
    def outputs(*arrays: Any) -> Any:
        return op(*arrays, precision=dtype).outputs

    def cotangents(v: Any, k: Any, q: Any, *gates: Any) -> Any:
        out, pull = j.vjp(lambda *tokens: outputs(*tokens, *gates), v, k, q)
        return pull(v.astype(out.dtype))

    program = j.jit(cotangents if derivative else outputs)
    return lambda: program(*arrays)
