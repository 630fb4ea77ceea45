"""`scanproof conform` with transformers: what its layers do with prompts whose answers are known."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import Run

import scanproof
from scanproof.numeric.export.tensors import read, write

WANTED = "the target hf-mamba2 needs torch and transformers (extra: transformers)"
pytest.importorskip("torch", reason=WANTED)
transformers = pytest.importorskip("transformers", reason=WANTED)
RELEASE = tuple(int(part) for part in transformers.__version__.split(".")[:2])
LATER = "a cache, in two halves"
"""What releases before 5 do wrongly: they go on from a cache by single tokens alone, and do not say so."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("export") / "gd"
    scanproof.export(
        "mamba2.gd",
        target="hf-mamba2",
        output=out,
        features=4,
        examples=12,
        steps=2,
        step_size="1/16",
    )
    return out


def statuses(folder: Path) -> dict[str, str]:
    return {row.way: row.status for row in scanproof.conform(folder).rows}


@pytest.mark.parametrize("tokens", ["labelled", "concatenated", "interleaved"])
def test_the_library_stays_within_the_bound_in_every_way_that_it_offers(tokens, tmp_path: Path):
    out = tmp_path / "out"
    scanproof.export(
        "mamba2.gd",
        target="hf-mamba2",
        output=out,
        features=3,
        examples=7,
        targets=2,
        tokens=tokens,
    )
    found = statuses(out)
    assert len(found) >= 14
    if RELEASE < (5, 0):
        assert found.pop(LATER) == "beyond"
    assert set(found.values()) == {"within"}


def test_a_library_that_forgets_the_mask_is_beyond_where_prompts_are_padded(
    folder: Path, monkeypatch: pytest.MonkeyPatch, run: Run
):
    made = transformers.Mamba2ForCausalLM
    forward = made.forward

    def forgetful(self: Any, *given: Any, attention_mask: Any = None, **more: Any) -> Any:
        return forward(self, *given, **more)

    monkeypatch.setattr(made, "forward", forgetful)
    answer = run("conform", folder, "--format", "json")
    found = json.loads(answer.out)
    beyond = {row["way"] for row in found["rows"] if row["status"] == "beyond"}
    assert (answer.code, found["holds"]) == (1, False)
    assert beyond - {LATER} == {"padded on the left", "70 tokens of padding"}


def test_errors_and_refusals_of_a_library_are_told_apart(folder: Path, monkeypatch, run: Run):
    def fails(*given: Any, **more: Any) -> Any:
        raise RuntimeError("out of\nluck")

    def refuses(*given: Any, **more: Any) -> Any:
        raise NotImplementedError("no generation")

    made = transformers.Mamba2ForCausalLM
    monkeypatch.setattr(made, "generate", refuses)
    monkeypatch.setattr(made, "save_pretrained", fails)
    answer = run("conform", folder)
    lines = [" ".join(line.split()) for line in answer.out.splitlines()]
    assert answer.code == 1
    assert "saved and loaded again raises: RuntimeError: out of luck" in lines
    assert "generate, its first logits not run: no generation" in lines


def test_weights_that_were_changed_are_beyond_and_so_it_is_said(folder: Path, tmp_path: Path):
    file = tmp_path / "changed" / "model.safetensors"
    shutil.copytree(folder, file.parent)
    stored = read(file)
    arrays = {name: np.array(array) for name, array in stored.arrays.items()}
    name = next(name for name in arrays if name.endswith("mixer.out_proj.weight"))
    arrays[name] *= 1.25
    write(file, arrays, {"format": "pt"})
    found = scanproof.conform(file.parent)
    assert not found.holds and {row.status for row in found.rows} == {"beyond"}
    assert any("model.safetensors" in one for one in found.contradicted)
