"""What exports and `identify` say of weights: each a sentence that was once wrong, with the case that showed it."""

from __future__ import annotations

import pytest

from scanproof.numeric.export.exporting import export
from scanproof.numeric.identify import linear, linear_certificate, recognition
from scanproof.numeric.identify.identifying import identify
from scanproof.numeric.identify.report import DESCENT

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")


@pytest.mark.parametrize("id", ["gril.prop4.1", "ssd.thm4.1", "linear-attention.gd", "mamba2.gd"])
def test_an_export_says_all_sizes_where_the_ledger_does(id, tmp_path):
    target = "hf-mamba2" if id == "mamba2.gd" else "torch"
    told = export(id, target=target, out=tmp_path / "out", features=2, examples=3)
    assert (told["construction"]["verdict"], told["construction"]["scope"]) == (
        "proved",
        "all-sizes",
    )
    assert {entry["scope"] for entry in told["construction"]["evidence"]} >= {"all-sizes"}


def test_a_statement_that_is_proved_at_fixed_sizes_is_said_to_be(tmp_path):
    told = export(
        "mamba2.gd", target="hf-mamba2", out=tmp_path / "out", features=2, examples=3, targets=2
    )
    assert told["construction"]["id"] == "mamba2.gd-vector"
    assert told["construction"]["scope"] == "fixed-size"


def test_run_of_a_whole_network_names_the_export_that_has_its_parameters():
    import scanproof

    with pytest.raises(scanproof.UsageError, match="whole network.*scanproof export mamba2.gd"):
        scanproof.run("mamba2.gd", features=4, examples=8)


@pytest.mark.parametrize("n", [64, 65, 300])
@pytest.mark.parametrize("derived", [True, False])
def test_untouched_weights_are_not_contradicted_however_many_examples_they_are_for(
    n, derived, tmp_path, monkeypatch
):
    if not derived:  # as a model too large to be derived, whose step size is measured
        monkeypatch.setattr(recognition, "LARGEST", 1)
    export("gril.prop4.1", target="numpy", out=tmp_path / "out", features=2, examples=n)
    report = identify(tmp_path / "out")
    assert report.contradictions == [] and report.rule == DESCENT
    assert report.promise is not None and report.promise.found <= report.promise.bound


def test_where_tasks_of_so_many_examples_take_too_long_nothing_is_concluded(tmp_path, monkeypatch):
    monkeypatch.setattr(linear, "LONGEST", 64)
    monkeypatch.setattr(linear_certificate, "WORK", 1)
    monkeypatch.setattr(recognition, "LARGEST", 1)
    export("gril.prop4.1", target="numpy", out=tmp_path / "out", features=2, examples=65)
    report = identify(tmp_path / "out")
    assert report.contradictions == [] and report.promise is None
    for said in ("learner.step_size was not checked", "the certificate was not tried"):
        assert any(said in note for note in report.notes)
