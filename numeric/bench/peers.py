"""flash-linear-attention's Triton kernels on the same tokens, where `fla-core`, torch and a GPU are there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..jax_backend import platform
from .cases import Case
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
    """Forward passes of fla's chunked kernels; `found` is what `peers` returned."""
    torch, simple_gla, delta_rule = found
    v, k, q = (_tensor(torch, a, dtype) for a in problem.tokens("float32"))
    log_decay, beta = (
        torch.from_numpy(np.array(a).T[None].copy()).cuda()
        for a in (problem.log_decay, problem.beta)
    )
    beta = beta.to(v.dtype)

    def case(layer: str, call: Callable[[], Any]) -> Case:
        def run() -> Any:
            with torch.no_grad():
                outputs, _ = call()
            return outputs

        return Case(run, layer, dtype)

    keep = {"scale": 1.0, "output_final_state": True}
    return {
        "fla chunk_simple_gla": case("unit", lambda: simple_gla(q, k, v, **keep)),
        "fla chunk_simple_gla, a decay a token": case(
            "per-token", lambda: simple_gla(q, k, v, g=log_decay, **keep)
        ),
        "fla chunk_delta_rule": case("delta", lambda: delta_rule(q, k, v, beta, **keep)),
    }


def wait(result: Any) -> Any:
    """Return when a result, JAX's or torch's, is there."""
    if type(result).__module__.split(".")[0] == "torch":
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
