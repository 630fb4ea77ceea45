"""`scanproof identify`: its table and JSON, its exit codes, and what it refuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import identify_cases as cases
import numpy as np
import pytest
from command_line import Run, one_line
from identify_cases import Export

from scanproof.numeric.export.tensors import read, write
from scanproof.numeric.identify.report import Report

EXPORT = Export("gril.embed", {"features": 2, "targets": 1})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cases.made(EXPORT, tmp_path / "out")
    return tmp_path / "out"


def edited(folder: Path, key: str, at: tuple[int, ...], value: float) -> None:
    """Another number in the folder's weights."""
    file = folder / "model.safetensors"
    arrays = read(file).arrays
    arrays[key] = np.array(arrays[key])
    arrays[key][at] = value
    write(file, arrays)


def rows(text: str) -> dict[str, str]:
    """A table's first line of each name."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, _, rest = line.partition("  ")
        found.setdefault(name, rest.strip())
    return found


@pytest.mark.long
def test_an_export_is_recognised_and_its_manifest_not_contradicted(run: Run, folder):
    answer = run("identify", folder)
    table = rows(answer.out)
    assert answer.code == 0
    assert table["verdict"] == (
        "up to rounding of its float32 numbers 1 step of gradient descent with η = 3/5 divided by n from W0 = 0, "
        "at n = 1, 2, 3 and at random points for n = 9, 41, 44"
    )
    assert "identity of polynomials in all data at n = 1, 2, 3" in table["how"]
    assert table["η"] == "5033165/8388608, a rounding of 3/5; divided by n"
    assert table["manifest"] == "nothing that it asserts is contradicted"
    assert table["construction"] == "gril.embed, entry by entry"
    assert "promised" in table["certificate"]


@pytest.mark.long
def test_the_weights_and_their_encoding_are_all_that_is_needed(run: Run, folder, tmp_path):
    alone = tmp_path / "alone"
    alone.mkdir()
    for name in ("model.safetensors", "encoding.safetensors"):
        shutil.copy(folder / name, alone)
    answer = run("identify", alone, "--strict")
    assert answer.code == 0
    assert rows(answer.out)["verdict"] == rows(run("identify", folder).out)["verdict"]
    assert "manifest" not in rows(answer.out)


@pytest.mark.long
def test_an_edit_is_refused_and_named_and_without_a_manifest_only_if_strict(run: Run, folder):
    edited(folder, "layers.0.gate", (2, 1), 1.25)
    answer = run("identify", folder)
    table = rows(answer.out)
    assert answer.code == 1
    assert table["verdict"].startswith("not gradient descent: the nearest is ")
    entry, effect = table["entries"].split("; it moves predictions by ")
    assert entry == "layers.0.gate[2, 1]: 1.25, the construction has 1" and float(effect) > 0.01
    assert "y_1" in answer.out and "gradient descent has" in table["coefficients"]
    assert "relative, at most" in table["distance"]
    assert "files.model.safetensors.sha256 is" in table["contradicted"]
    assert "learner.rule is gradient descent there; found: not gradient descent" in answer.out
    (folder / "manifest.json").unlink()
    assert run("identify", folder).code == 0
    assert run("identify", folder, "--strict").code == 2


@pytest.mark.long
def test_json_has_every_field_of_the_report_and_two_runs_agree(run: Run, folder):
    edited(folder, "layers.0.query", (0,), 0.5)
    first, second = (run("identify", folder, "--format", "json") for _ in range(2))
    assert first == second and first.code == 1
    found = json.loads(first.out)
    assert found.pop("schema") == "scanproof.identify/1"
    bare = Report(folder="", target="", family="", sizes={}).as_dict()
    assert set(found) == set(bare) - {"schema"}
    (deviation,) = found["deviations"]
    assert deviation.pop("effect") > 0.1
    assert deviation == {"entry": "layers.0.query[0]", "found": 0.5, "expected": 0.0}
    assert found["rule"] == "not gradient descent" and not found["recognised"]
    assert "files.model.safetensors.sha256" in [c["assertion"] for c in found["contradictions"]]


@pytest.mark.long
def test_a_matrix_is_printed_and_a_large_one_cut(run: Run, tmp_path):
    d = 9
    cases.made(Export("gd-ssm.prop1", {"features": d}), tmp_path / "out")
    (tmp_path / "out" / "manifest.json").unlink()
    edited(tmp_path / "out", "layers.0.Psi", (0, 3), 0.5)
    answer = run("identify", tmp_path / "out")
    table = rows(answer.out)
    assert answer.code == 0
    assert (
        "with the matrix Γ (not symmetric; its symmetric part is positive definite)"
        in table["verdict"]
    )
    assert table["Γ"].split()[:4] == ["0.1", "0", "0", "0.05"]
    assert "… 9 × 9 (d × d); --format json has all of it" in answer.out


@pytest.mark.long
def test_what_cannot_be_read_is_one_line_and_exit_3(run: Run, folder, tmp_path):
    assert "it does not exist" in one_line(run("identify", tmp_path / "none"))
    assert "--format" in one_line(run("identify", folder, "--format", "yaml"))
    assert "missing argument" in one_line(run("identify")).lower()
    edited(folder, "layers.0.beta", (), np.nan)
    assert one_line(run("identify", folder)).endswith("'layers.0.beta' is nan.")
    file = folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-4])
    assert "not a valid safetensors file" in one_line(run("identify", folder))
    cases.made(EXPORT, tmp_path / "other")
    (tmp_path / "other" / "encoding.safetensors").unlink()
    assert "encoding.safetensors is missing" in one_line(run("identify", tmp_path / "other"))


def test_shapes_of_a_context_without_examples_are_refused(run: Run, tmp_path):
    cases.made(Export("ssd.thm4.1", {"features": 2, "examples": 1}), tmp_path / "out")
    (tmp_path / "out" / "manifest.json").unlink()
    file = tmp_path / "out" / "model.safetensors"
    arrays = read(file).arrays
    write(file, {**arrays, "layers.0.decays": np.array(arrays["layers.0.decays"][:1])})
    assert "a context without examples" in one_line(run("identify", tmp_path / "out"))
