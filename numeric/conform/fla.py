"""An export for flash-linear-attention in its `LinearAttention` or `DeltaNet` layers, each added to the stream.

With a GPU its kernels run there, without one in Triton's interpreter.
"""

from __future__ import annotations

import importlib
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.layouts import fla_delta_net, fla_linear_attention

from .prompts import Prompts
from .ways import PADDED, Way, in_parts, padded, with_each

LAYERS = {
    "fla-linear-attention": ("LinearAttention", fla_linear_attention.arguments),
    "fla-delta-net": ("DeltaNet", fla_delta_net.arguments),
}
"""By target, the library's layer and what it is called with."""
MODES = {
    "fla-linear-attention": ("chunk", "fused_chunk", "fused_recurrent"),
    "fla-delta-net": ("chunk", "fused_recurrent"),
}
"""The kernels that a layer has for long prompts; for short ones it chooses by itself."""


class Interpreter:
    """The driver of Triton's interpreter, which measures no configuration of a kernel: all of them do the same."""

    def get_benchmarker(self) -> Any:
        """A clock that takes no time."""
        return lambda call, quantiles: [0.0] * len(quantiles)


class Stack:
    """Layers of the library; what the last one leaves in the stream is read out."""

    packages: tuple[str, ...] = ("flash-linear-attention", "fla-core", "triton", "torch")

    def __init__(self, folder: Path, weights: Any, compiled: bool) -> None:
        import torch
        from safetensors.torch import load_file

        self._torch, self._compiled = torch, compiled
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        if self._device == "cpu":
            os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported
            importlib.import_module("triton").runtime.driver.set_active(Interpreter())
        name, arguments = LAYERS[weights.target]
        layer = getattr(importlib.import_module("fla.layers"), name)
        self._dtype = getattr(torch, weights.manifest["target"]["dtype"])
        given, count = arguments(weights.settings), weights.settings.get("num_hidden_layers", 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that there are no convolutions
            layers = [layer(**given, layer_idx=i) for i in range(count)]
        self._layers: Any = torch.nn.ModuleList(layers).to(self._device, self._dtype).eval()
        module = torch.nn.ModuleDict({"layers": self._layers})
        module.load_state_dict(load_file(folder / "model.safetensors"))
        self._modes = MODES[weights.target]
        self._readout = weights.encoding["readout.weight"]

    def outputs(self, rows: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """The predictions, (B, T, k)."""
        given = {}
        if mask is not None:
            given["attention_mask"] = self._torch.tensor(mask, device=self._device)
        with self._torch.no_grad():
            return self._numbers(self._streamed(self._tensor(rows), **given))

    def continued(self, rows: np.ndarray, cuts: list[int]) -> np.ndarray:
        """The predictions of the last part, (B, t, k)."""
        cache = importlib.import_module("fla.models.utils").Cache()
        found = None
        with self._torch.no_grad():
            for part in in_parts(self._tensor(rows), cuts):
                found = self._streamed(part, past_key_values=cache, use_cache=True)
        return self._numbers(found)

    def more(self, whole: Prompts) -> Iterator[Way]:
        """With gradients, for which some layers take another kernel; each of the layers' modes for long prompts."""
        rows = np.stack(whole.embeddings)
        yield (
            "with gradients",
            whole,
            lambda: self._numbers(self._streamed(self._tensor(rows)))[:, -1],
        )
        for mode in self._modes:
            said = f"{PADDED} tokens of padding, mode {mode}"
            yield said, whole, lambda mode=mode: self._in_mode(mode, whole)
        if self._compiled:
            yield "torch.compile", whole, lambda: self._compiled_outputs(rows)

    def _in_mode(self, mode: str, whole: Prompts) -> np.ndarray:
        with with_each(self._layers, "mode", mode):
            return padded(self, whole, by=PADDED)

    def _compiled_outputs(self, rows: np.ndarray) -> np.ndarray:
        with self._torch.no_grad():
            return self._numbers(self._torch.compile(self._streamed)(self._tensor(rows)))[:, -1]

    def _streamed(self, stream: Any, **given: Any) -> Any:
        for layer in self._layers:
            stream = stream + layer(stream, **given)[0]
        return stream

    def _tensor(self, rows: np.ndarray) -> Any:
        return self._torch.tensor(rows, device=self._device).to(self._dtype)

    def _numbers(self, stream: Any) -> np.ndarray:
        return stream.detach().double().cpu().numpy() @ self._readout.T
