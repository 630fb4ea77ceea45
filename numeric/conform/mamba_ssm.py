"""An export for state-spaces/mamba in its `MambaLMHeadModel`.

With a GPU its kernels run there, without one in Triton's interpreter.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .prompts import Prompts
from .ways import Way, in_parts, with_each

CHUNKS = (8, 64)
"""Tokens of a chunk of the layers' scan."""


class MambaLM:
    """`MambaLMHeadModel`; its logits are read out."""

    packages: tuple[str, ...] = ("mamba-ssm", "triton", "torch")

    def __init__(self, folder: Path, weights: Any, compiled: bool) -> None:
        import torch
        from safetensors.torch import load_file

        self._torch, self._compiled = torch, compiled
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        _prepared(torch, self._device)
        config = importlib.import_module("mamba_ssm.models.config_mamba").MambaConfig
        made = importlib.import_module("mamba_ssm.models.mixer_seq_simple").MambaLMHeadModel
        self._dtype = getattr(torch, weights.manifest["target"]["dtype"])
        model = made(config(**weights.settings))
        model.load_state_dict(load_file(folder / "model.safetensors"))
        model.backbone.embedding = torch.nn.Identity()  # prompts are embeddings
        self._model = model.to(self._device, self._dtype).eval()
        self._readout = weights.encoding["readout.weight"]

    def outputs(self, rows: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """The predictions, (B, T, k)."""
        if mask is not None and not (np.diff(mask, axis=1) <= 0).all():
            raise NotImplementedError("it takes no mask")
        with self._torch.no_grad():
            return self._numbers(self._model(self._tensor(rows)).logits)

    def continued(self, rows: np.ndarray, cuts: list[int]) -> np.ndarray:
        """The predictions of the last part, (B, t, k)."""
        params = importlib.import_module("mamba_ssm.utils.generation").InferenceParams
        cache = params(max_seqlen=rows.shape[1], max_batch_size=rows.shape[0])
        found = None
        with self._torch.no_grad():
            for part in in_parts(self._tensor(rows), cuts):
                if cache.seqlen_offset and part.shape[1] > 1:
                    raise NotImplementedError("it goes on by single tokens")
                found = self._model(part, inference_params=cache).logits
                cache.seqlen_offset += part.shape[1]
        return self._numbers(found)

    def more(self, whole: Prompts) -> Iterator[Way]:
        """Chunk sizes, and `torch.compile` where that is asked for."""
        rows = np.stack(whole.embeddings)
        for chunk in CHUNKS:
            yield f"chunk_size {chunk}", whole, lambda chunk=chunk: self._in_chunks(rows, chunk)
        if self._compiled:
            yield "torch.compile", whole, lambda: self._compiled_outputs(rows)

    def _in_chunks(self, rows: np.ndarray, chunk: int) -> np.ndarray:
        mixers = [layer.mixer for layer in self._model.backbone.layers]
        with with_each(mixers, "chunk_size", chunk):
            return self.outputs(rows)[:, -1]

    def _compiled_outputs(self, rows: np.ndarray) -> np.ndarray:
        with self._torch.no_grad():
            return self._numbers(self._torch.compile(self._model)(self._tensor(rows)).logits)[:, -1]

    def _tensor(self, rows: np.ndarray) -> Any:
        return self._torch.tensor(rows, device=self._device).to(self._dtype)

    def _numbers(self, found: Any) -> np.ndarray:
        return found.double().cpu().numpy() @ self._readout.T


def _prepared(torch: Any, device: str) -> None:
    """What the package is to be told before it is imported."""
    os.environ["TRITON_F32_DEFAULT"] = "ieee"  # products in float32: no bound covers TF32
    if device == "cuda":
        return
    os.environ["TRITON_INTERPRET"] = "1"
    os.environ["MAMBA_DETERMINISTIC"] = "1"  # one configuration of each kernel, not the fastest one
    torch.cuda.device = lambda index: contextlib.nullcontext()  # kernels ask for a current GPU
    extension = "selective_scan_cuda"  # imported for Mamba-1 alone
    if extension not in sys.modules and importlib.util.find_spec(extension) is None:
        sys.modules[extension] = types.ModuleType(extension)
