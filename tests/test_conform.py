"""`scanproof conform`, without the libraries: known answers, the ways prompts are given, and mistakes."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import Run, one_line

import scanproof
from scanproof.numeric.conform.prompts import Prompts, drawn
from scanproof.numeric.conform.ways import PADDED, Way, in_parts, ways
from scanproof.numeric.export.standalone import task


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("export") / "delta"
    scanproof.export(
        "delta-net.one-pass",
        target="fla-delta-net",
        output=out,
        features=3,
        examples=5,
        step_size="1/8",
    )
    return out


EXPORTS = {
    "separate": {"id": "delta-net.one-pass", "target": "fla-delta-net", "step_size": "1/8"},
    "labelled": {"id": "linear-attention.gd", "target": "fla-linear-attention"},
    "concatenated": {"id": "mamba2.gd", "target": "hf-mamba2", "tokens": "concatenated"},
    "interleaved": {"id": "mamba2.gd", "target": "mamba-ssm", "tokens": "interleaved"},
}
TOKENS = {"separate": 6, "labelled": 6, "concatenated": 5, "interleaved": 11}
"""Of five examples and a query."""


@pytest.mark.long_cases("[concatenated]", "[interleaved]")
@pytest.mark.parametrize("tokens", EXPORTS)
def test_answers_are_those_of_the_statement_on_data_of_the_bounds_domain(tokens, tmp_path: Path):
    out = tmp_path / "out"
    scanproof.export(**EXPORTS[tokens], output=out, features=3, examples=5)
    weights = scanproof.load(out)
    manifest = weights.manifest
    assert manifest is not None
    certificate, rng = manifest["certificate"], np.random.default_rng(0)
    found = drawn(manifest, weights.encoding, [5, 2])
    assert found.lengths[0] == TOKENS[tokens]
    for rows, n, expected in zip(found.embeddings, (5, 2), found.expected, strict=True):
        x, y = task(manifest, rng, n)
        domain = certificate["domain"]
        assert rows.shape[1] == len(weights.encoding["encode.bias"])
        assert np.abs(y).max() <= domain["target"] * (1 + 1e-12)
        if "norm" in domain:
            np.testing.assert_allclose(np.linalg.norm(x, axis=1), domain["norm"])
        else:
            assert np.linalg.norm(x[:-1], 2) ** 2 <= domain["curvature"] * (1 + 1e-12)
        assert np.abs(weights.predict(x, y) - expected).max() <= certificate["absolute"]


class Sums:
    """A library of which each answer is the sum of the tokens so far."""

    packages = ()
    heeds_masks = True

    def outputs(self, rows: np.ndarray, mask: np.ndarray | None = None) -> np.ndarray:
        heeded = mask is not None and self.heeds_masks
        return (rows * mask[..., None] if heeded else rows).cumsum(axis=1)  # type: ignore[index]

    def continued(self, rows: np.ndarray, cuts: list[int]) -> np.ndarray:
        state, found = 0.0, np.zeros(0)
        for part in in_parts(rows, cuts):
            found = state + part.cumsum(axis=1)
            state = found[:, -1:]
        return found

    def more(self, whole: Prompts) -> Iterator[Way]:
        return iter(())


def off(model: Any) -> dict[str, float]:
    rng = np.random.default_rng(0)
    sets = [[rng.standard_normal((n, 2)) for n in lengths] for lengths in ((5, 5, 5), (1, 4, 5))]
    whole, ragged = (Prompts(rows, np.stack([r.sum(axis=0) for r in rows])) for rows in sets)
    return {
        name: float(np.abs(run() - prompts.expected).max())
        for name, prompts, run in ways(model, whole, ragged)
    }


def test_every_way_gives_the_same_prompts():
    found = off(Sums())
    assert len(found) == 9 and max(found.values()) < 1e-12


def test_a_library_that_heeds_no_mask_is_seen_where_there_is_padding_before_a_prompt():
    model = Sums()
    model.heeds_masks = False
    wrong = {name for name, by in off(model).items() if by > 0.5}
    assert wrong == {"padded on the left", f"{PADDED} tokens of padding"}


def test_a_folder_that_cannot_be_tried_is_one_line(folder: Path, tmp_path: Path, run: Run):
    assert "does not exist" in one_line(run("conform", tmp_path / "none"))
    mine = tmp_path / "mine"
    scanproof.export("gril.eq2-match", target="numpy", output=mine, features=2, examples=3)
    assert "has no library; those that have: hf-mamba2" in one_line(run("conform", mine))
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied)
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["certificate"]["absolute"] = None
    (copied / "manifest.json").write_text(json.dumps(manifest))
    assert "has no bound" in one_line(run("conform", copied))
    (copied / "manifest.json").unlink()
    assert "no manifest.json" in one_line(run("conform", copied))


@pytest.mark.skipif(bool(find_spec("fla")), reason="flash-linear-attention is installed here")
def test_a_package_that_is_missing_is_named_with_a_version(folder: Path, run: Run):
    said = one_line(run("conform", folder))
    assert "flash-linear-attention (such as 0.6.0)" in said and "must be installed" in said
