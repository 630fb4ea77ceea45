"""What exports and `identify` say of weights: each a sentence that was once wrong, with the case that showed it."""

from __future__ import annotations

import pytest

from scanproof.numeric.export.exporting import export

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
