"""flash-linear-attention's Triton kernels on the same tokens, where `fla-core`, torch and a GPU are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..jax_backend import platform
from .case import Case
from .passes import DERIVATIVE
from .problem import Problem


def peers() -> Any:
    """(torch, chunk_simple_gla, chunk_delta_rule), or a sentence that says what is missing."""
    if platform() != "gpu":
        return "fla-core runs on a GPU only"
    try:
        import torch  # type: ignore[import-not-found]  this and fla are no dependencies
        from fla.ops.delta_rule import chunk_delta_rule  # type: ignore[import-not-found]
        from fla.ops.simple_gla import chunk_simple_gla  # type: ignore[import-not-found]
    except ImportError as error:
        return f"not importable: {error}; pip install fla-core torch"
    if not torch.cuda.is_available():
        return "torch sees no GPU"
    return torch, chunk_simple_gla, chunk_delta_rule


def peer_cases(problem: Problem, dtype: str, found: Any) -> dict[str, Case]:
    """fla's chunked kernels, forward and with their derivative; `found` is what `peers` returned."""
    torch, simple_gla, delta_rule = found
    v, k, q = (_tensor(torch, a, dtype).requires_grad_() for a in problem.tokens("float32"))
    log_decay, beta = (
        torch.from_numpy(np.array(a).T[None].copy()).cuda()
        for a in (problem.log_decay, problem.beta)
    )
    beta = beta.to(v.dtype)
    keep = {"scale": 1.0, "output_final_state": True}
    calls: dict[str, tuple[str, Callable[[], Any]]] = {
        "chunk_simple_gla": ("unit", lambda: simple_gla(q, k, v, **keep)),
        "chunk_simple_gla, a decay a token": (
            "per-token",
            lambda: simple_gla(q, k, v, g=log_decay, **keep),
        ),
    }
    if dtype != "float32":  # which chunk_delta_rule refuses
        calls["chunk_delta_rule"] = "delta", lambda: delta_rule(q, k, v, beta, **keep)

    def case(layer: str, call: Callable[[], Any], derivative: bool) -> Case:
        def forward() -> Any:
            with torch.no_grad():
                return call()[0]

        def both() -> Any:
            return torch.autograd.grad(call()[0], (v, k, q), v.detach())

        return Case(both if derivative else forward, layer, dtype, derivative=derivative)

    return {
        ", ".join((f"fla {name}", dtype, *[DERIVATIVE] * derivative)): case(*call, derivative)
        for name, call in calls.items()
        for derivative in (False, True)
    }


def wait(result: Any) -> Any:
    """Return when a result, JAX's or torch's, is there."""
    first = result[0] if isinstance(result, tuple) else result
    if type(first).__module__.split(".")[0] == "torch":
        import torch  # type: ignore[import-not-found]  no dependency

        torch.cuda.synchronize()
        return result
    from ..jax_backend import jax

    return jax("bench").block_until_ready(result)


def on_host(outputs: Any, heads: int) -> np.ndarray:
    """The outputs (heads, T, d) of the first heads as a NumPy array; fla's are (1, T, heads, d)."""
    if type(outputs).__module__.split(".")[0] == "torch":
        return outputs[0, :, :heads].transpose(0, 1).float().cpu().numpy()
    return np.asarray(outputs[:heads])


def _tensor(torch: Any, array: Any, dtype: str) -> Any:
    """(heads, T, d) as fla takes it: (1, T, heads, d) on the GPU."""
    tensor = torch.from_numpy(np.asarray(array).transpose(1, 0, 2)[None].copy())
    return tensor.to(getattr(torch, dtype)).cuda()
