"""An export for transformers in its `Mamba2ForCausalLM`, as `from_pretrained` loads it."""

from __future__ import annotations

import importlib
import inspect
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .prompts import Prompts
from .ways import Way, in_parts, with_each

CHUNKS = (1, 7, 64)
"""Tokens of a chunk of the layers' scan."""


class Mamba2:
    """`Mamba2ForCausalLM`; its logits are the predictions."""

    packages: tuple[str, ...] = ("transformers", "torch")

    def __init__(self, folder: Path, weights: Any, compiled: bool) -> None:
        import torch

        transformers = importlib.import_module("transformers")

        transformers.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        self._torch, self._compiled = torch, compiled
        self._dtype = getattr(torch, weights.manifest["target"]["dtype"])
        self._class = transformers.Mamba2ForCausalLM
        self._model = self._class.from_pretrained(folder, torch_dtype=self._dtype).eval()

    def outputs(self, rows: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        """The logits, (B, T, k)."""
        return self._run(self._model, rows, mask)

    def _run(self, model: Any, rows: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        given = {} if mask is None else {"attention_mask": self._torch.tensor(mask)}
        with self._torch.no_grad():
            return self._numbers(model(inputs_embeds=self._tensor(rows), **given).logits)

    def continued(self, rows: np.ndarray, cuts: list[int]) -> np.ndarray:
        """The logits of the last part, (B, t, k)."""
        takes_places = "cache_position" in inspect.signature(self._model.forward).parameters
        cache, at, found = None, 0, None
        with self._torch.no_grad():
            for part in in_parts(self._tensor(rows), cuts):
                given: dict[str, Any] = {"use_cache": True}
                if cache is not None:
                    given["cache_params"] = cache
                if cache is not None and takes_places:
                    given["cache_position"] = self._torch.arange(at, at + part.shape[1])
                found = self._model(inputs_embeds=part, **given)
                cache, at = found.cache_params, at + part.shape[1]
        assert found is not None
        return self._numbers(found.logits)

    def more(self, whole: Prompts) -> Iterator[Way]:
        """`generate`, chunk sizes, a folder that the library wrote, `torch.compile` where that is asked for."""
        rows = np.stack(whole.embeddings)
        yield "generate, its first logits", whole, lambda: self._generated(rows)
        for chunk in CHUNKS:
            yield f"chunk_size {chunk}", whole, lambda chunk=chunk: self._in_chunks(rows, chunk)
        yield "saved and loaded again", whole, lambda: self._again(rows)
        if self._compiled:
            yield (
                "torch.compile",
                whole,
                lambda: self._run(self._torch.compile(self._model), rows)[:, -1],
            )

    def _generated(self, rows: np.ndarray) -> np.ndarray:
        mask = self._torch.ones(rows.shape[:2], dtype=self._torch.int64)
        found = self._model.generate(
            inputs_embeds=self._tensor(rows),
            attention_mask=mask,
            max_new_tokens=1,
            do_sample=False,
            output_logits=True,
            return_dict_in_generate=True,
        )
        return self._numbers(found.logits[0])

    def _in_chunks(self, rows: np.ndarray, chunk: int) -> np.ndarray:
        mixers = [layer.mixer for layer in self._model.backbone.layers]
        with with_each(mixers, "chunk_size", chunk):
            return self.outputs(rows)[:, -1]

    def _again(self, rows: np.ndarray) -> np.ndarray:
        with tempfile.TemporaryDirectory() as folder:
            self._model.save_pretrained(folder)
            again = self._class.from_pretrained(folder, torch_dtype=self._dtype).eval()
            return self._run(again, rows)[:, -1]

    def _tensor(self, rows: np.ndarray) -> Any:
        return self._torch.tensor(rows).to(self._dtype)

    def _numbers(self, found: Any) -> np.ndarray:
        return found.double().numpy()
