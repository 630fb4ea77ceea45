"""`load`: complete weights or one error that lists all that is wrong; nothing is executed, no manifest is needed."""

import json
import math
import os
import pickle
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import neutral
from scanproof.numeric.export import folder, tensors
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.loading import load

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")

SIZES: dict[str, Any] = {"features": 2, "examples": 3}
IDS = {
    "hf-mamba2": "mamba2.gd",
    "mamba-ssm": "mamba2.one-step",
    "fla-linear-attention": "linear-attention.gd",
    "numpy": "gril.prop4.1",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, Path]:
    """An export for each kind of target, not to be changed."""
    root = tmp_path_factory.mktemp("exports")
    for target, id in IDS.items():
        export(id, target=target, output=root / target, **SIZES)
    return {target: root / target for target in IDS}


@pytest.fixture
def copy(made, tmp_path):
    """A copy of an export, to be changed."""

    def copy(target: str) -> Path:
        return Path(shutil.copytree(made[target], tmp_path / target))

    return copy


def complaint(path: Path) -> str:
    with pytest.raises(UsageError) as refused:
        load(path)
    message = str(refused.value)
    assert str(path) in message and message.isprintable()
    return message


def change_settings(path: Path, **values: object) -> None:
    """Settings with values changed, or left out if they are `...`; a__b is b of a."""
    told = json.loads((path / "config.json").read_text())
    for name, value in values.items():
        *outer, last = name.split("__")
        inner = told[outer[0]] if outer else told
        inner.pop(last, None)
        if value is not ...:
            inner[last] = value
    (path / "config.json").write_text(json.dumps(told))


def change_tensors(
    path: Path, file: str = "model.safetensors", **values: np.ndarray | None
) -> None:
    """Tensors added, changed, or left out; a__b is a.b."""
    arrays = tensors.read(path / file).arrays
    for name, value in values.items():
        arrays.pop(name.replace("__", "."), None)
        if value is not None:
            arrays[name.replace("__", ".")] = value
    tensors.write(path / file, arrays)


@pytest.mark.long
@pytest.mark.parametrize("target", IDS)
@pytest.mark.parametrize("manifest", [True, False], ids=["manifest", "no manifest"])
def test_the_target_is_found_with_a_manifest_and_without(target, manifest, copy):
    path = copy(target)
    if not manifest:
        (path / "manifest.json").unlink()
    found = load(path)
    assert found.target == target and found.folder == path
    assert (found.manifest is None) is (not manifest)
    assert (found.settings is None) is (target == "numpy")
    assert set(found.encoding) == set(neutral.ENCODING)
    assert set(found.dtypes) == set(found.tensors)


@pytest.mark.long
@pytest.mark.parametrize("target", ["jax", "torch"])
def test_a_manifest_tells_apart_targets_with_the_same_names(target, tmp_path):
    export("gril.prop4.1", target=target, output=tmp_path / "out", **SIZES)
    assert load(tmp_path / "out").target == target


@pytest.mark.long
def test_a_manifest_that_names_another_kind_of_target_is_not_believed(copy):
    path = copy("numpy")
    told = json.loads((path / "manifest.json").read_text())
    told["target"]["name"] = "hf-mamba2"
    (path / "manifest.json").write_text(json.dumps(told))
    assert load(path).target == "numpy"


def test_all_that_is_wrong_with_tensors_is_listed_at_once(copy):
    path = copy("hf-mamba2")
    change_tensors(
        path,
        backbone__layers__1__mixer__D=None,
        backbone__norm_f__weight=None,
        backbone__layers__0__mixer__dt_bias=np.ones(5),
        lm_head__weight=np.ones(16),
        backbone__layers__0__mixer__code=np.ones(1),
    )
    change_tensors(path, "encoding.safetensors", encode__bias=np.ones(3), extra=np.ones(1))
    message = complaint(path)
    for fault in (
        "missing backbone.layers.1.mixer.D;",
        "missing backbone.norm_f.weight;",
        "unexpected backbone.layers.0.mixer.code;",
        "backbone.layers.0.mixer.dt_bias has shape (5,), expected (4,);",
        "lm_head.weight has shape (16,), expected (1, 16)",
        "encode.bias has shape (3,), expected (16,)",
        "unexpected extra",
    ):
        assert fault in message, message


def test_all_that_is_wrong_with_linear_weights_is_listed_at_once(copy):
    path = copy("numpy")
    change_tensors(path, layers__0__mixing=None, layers__0__query=np.ones(4), other=np.ones(1))
    change_tensors(path, "encoding.safetensors", readout__weight=None)
    message = complaint(path)
    for fault in (
        "missing layers.0.mixing",
        "layers.0.query",
        "unexpected other",
        "missing readout",
    ):
        assert fault in message, message


@pytest.mark.parametrize("target", IDS)
def test_names_from_a_file_are_printed_without_control_characters_and_shortened(target, copy):
    path = copy(target)
    arrays = tensors.read(path / "model.safetensors").arrays
    more = {f"\x1b[2J{i}" + "x" * 1000: np.ones(1) for i in range(200)}
    tensors.write(path / "model.safetensors", {**arrays, **more})
    message = complaint(path)
    assert "and 100 more" in message and len(message) < 100 * 320


SIZE = r"expected a whole number from 1 to 16,777,216"
SETTINGS = [
    ("hf-mamba2", {"hidden_size": 2**40}, f"hidden_size is 1099511627776, {SIZE}"),
    ("hf-mamba2", {"hidden_size": -16}, f"hidden_size is -16, {SIZE}"),
    ("hf-mamba2", {"hidden_size": 0}, f"hidden_size is 0, {SIZE}"),
    ("hf-mamba2", {"hidden_size": 16.0}, f"hidden_size is 16.0, {SIZE}"),
    ("hf-mamba2", {"hidden_size": "16"}, f"hidden_size is '16', {SIZE}"),
    ("hf-mamba2", {"hidden_size": True}, f"hidden_size is True, {SIZE}"),
    ("hf-mamba2", {"hidden_size": None}, f"hidden_size is None, {SIZE}"),
    ("hf-mamba2", {"hidden_size": [16]}, rf"hidden_size is \[16\], {SIZE}"),
    ("hf-mamba2", {"hidden_size": ...}, "config.json: hidden_size is missing"),
    ("hf-mamba2", {"hidden_size": ..., "state_size": 0}, "hidden_size is missing; .*state_size is 0"),
    ("hf-mamba2", {"hidden_size": 2**20}, "num_heads · head_dim is 16, and expand · hidden_size 1,048,576"),
    ("hf-mamba2", {"hidden_size": 2**20, "head_dim": 2**18}, r"has shape \(1, 16\), expected \(1, 1048576\)"),
    ("hf-mamba2", {"num_hidden_layers": 10**7}, "num_hidden_layers is 10,000,000, and there are tensors of 2 layers"),
    ("hf-mamba2", {"num_hidden_layers": 3}, "missing backbone.layers.2.norm.weight; missing .*layers.2.mixer.in_proj"),
    ("hf-mamba2", {"num_hidden_layers": 1}, "unexpected backbone.layers.1.mixer.A_log"),
    ("hf-mamba2", {"n_groups": 3}, "num_heads 4 is not a multiple of n_groups 3"),
    ("hf-mamba2", {"state_size": 7}, "in_proj.weight has shape"),
    ("hf-mamba2", {"hidden_act": "relu"}, "hidden_act is 'relu', expected 'silu'"),
    ("hf-mamba2", {"use_bias": True}, "use_bias is True, expected False"),
    ("hf-mamba2", {"use_bias": 0}, "use_bias is 0, expected False"),
    ("hf-mamba2", {"use_conv_bias": False}, "use_conv_bias is False, expected True"),
    ("hf-mamba2", {"tie_word_embeddings": True}, "tie_word_embeddings is True, expected False"),
    ("hf-mamba2", {"time_step_limit": [0.0, 0.1]}, r"time_step_limit is \[0.0, 0.1\], expected"),
    ("hf-mamba2", {"time_step_limit": [1.0, math.inf]}, r"time_step_limit is \[1.0, inf\], expected"),
    ("hf-mamba2", {"layer_norm_epsilon": -1}, "layer_norm_epsilon is -1, expected a number ≥ 0 and < 1"),
    ("hf-mamba2", {"layer_norm_epsilon": "1e-5"}, "layer_norm_epsilon is '1e-5'"),
    ("hf-mamba2", {"model_type": "llama"}, "model_type 'llama' belongs to no target known here: hf-mamba2, mamba-ssm"),
    ("hf-mamba2", {"model_type": ...}, "model_type None belongs to no target"),
    ("hf-mamba2", {"model_type": ["mamba2"]}, r"model_type \['mamba2'\] belongs to no target"),
    ("mamba-ssm", {"ssm_cfg__ngroups": ...}, "ssm_cfg.ngroups is missing"),
    ("mamba-ssm", {"ssm_cfg__d_state": 2**70}, "ssm_cfg.d_state is 1180591620717411303424, expected"),
    ("mamba-ssm", {"ssm_cfg__layer": "Mamba1"}, "ssm_cfg.layer is 'Mamba1', expected 'Mamba2'"),
    ("mamba-ssm", {"ssm_cfg__headdim": 3}, "ssm_cfg has headdim=3, which does not divide"),
    ("mamba-ssm", {"ssm_cfg": 3}, "ssm_cfg.d_state is missing"),
    ("mamba-ssm", {"n_layer": 10**6}, "n_layer is 1,000,000, and there are tensors of 1 layers"),
    ("mamba-ssm", {"attn_layer_idx": [0]}, r"attn_layer_idx is \[0\], expected \[\]"),
    ("mamba-ssm", {"tie_embeddings": True}, "tie_embeddings is True, expected False"),
    ("fla-linear-attention", {"hidden_size": 2**40}, f"hidden_size is 1099511627776, {SIZE}"),
    ("fla-linear-attention", {"hidden_size": 32}, r"q_proj.weight has shape \(32, 16\), expected \(64, 32\)"),
    ("fla-linear-attention", {"num_hidden_layers": 10**6}, "is 1,000,000, and there are tensors of 2 layers"),
    ("fla-linear-attention", {"num_heads": 3}, "hidden_size · expand_k is 32, not a multiple of num_heads 3"),
    ("fla-linear-attention", {"expand_k": 0.001}, "hidden_size · expand_k is 0, not a multiple of num_heads 2"),
    ("fla-linear-attention", {"expand_v": math.inf}, "expand_v is inf, expected a number > 0"),
    ("fla-linear-attention", {"feature_map": "elu"}, "feature_map is 'elu', expected 'identity'"),
    ("fla-linear-attention", {"output_norm": "rmsnorm"}, "output_norm is 'rmsnorm', expected 'identity'"),
    ("fla-linear-attention", {"residual": ...}, "residual is missing"),
    ("fla-linear-attention", {"model_type": "linear_attn"}, "model_type 'linear_attn' belongs to no target"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("target", "values", "wanted"), SETTINGS, ids=[f"{t}-{v}" for t, v, _ in SETTINGS]
)
def test_settings_that_are_not_those_of_the_weights_are_refused(target, values, wanted, copy):
    path = copy(target)
    change_settings(path, **values)
    message = complaint(path)
    assert re.search(wanted, message), message
    assert len(message) < 5000


def test_settings_of_newer_and_older_releases_are_read(copy):
    path = copy("hf-mamba2")
    for limit in ([0.0, math.inf], [0.0, {"__float__": "Infinity"}], (0, math.inf)):
        change_settings(path, time_step_limit=limit, transformers_version="4.48.0", rms_norm=True)
        assert load(path).target == "hf-mamba2"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[]", r"an object of settings is expected, got \[\]"),
        ("{", "it is not JSON"),
        ('{"a": 1, "a": 2}', "the key 'a' occurs twice"),
        ('{"a": NaN}', "NaN is not a JSON number"),
        ("[" * 10**5, "nested deeper than 32"),
        ('"' + "x" * 2**20 + '"', "1,048,578 bytes are more than the 1,048,576"),
    ],
    ids=["list", "cut off", "twice", "NaN", "nested", "long"],
)
def test_settings_that_are_no_json_are_refused(text, wanted, copy):
    path = copy("hf-mamba2")
    (path / "config.json").write_text(text)
    assert re.search(wanted, complaint(path))


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "Weights.PTH", "x.pkl", "a.npy"])
def test_a_pickle_beside_the_weights_is_refused_unread(name, copy, monkeypatch):
    path = copy("hf-mamba2")
    monkeypatch.chdir(path)
    (path / name).write_bytes(pickle.dumps(Bomb()))
    assert "may be a pickle, which can run code when it is loaded" in complaint(path)
    assert not (path / "exploded").exists()


@pytest.mark.parametrize("name", ["model.safetensors", "encoding.safetensors"])
def test_a_pickle_in_the_place_of_tensors_is_refused_unread(name, copy, monkeypatch):
    path = copy("hf-mamba2")
    monkeypatch.chdir(path)
    (path / name).write_bytes(pickle.dumps(Bomb(), protocol=5))
    assert "it begins like a pickle" in complaint(path)
    assert not (path / "exploded").exists()


def test_code_beside_the_weights_is_not_run(copy):
    path = copy("hf-mamba2")
    change_settings(path, auto_map={"AutoModelForCausalLM": "modeling.Model"})
    (path / "modeling.py").write_text("raise SystemExit('it ran')")
    assert load(path).target == "hf-mamba2"


def test_what_is_missing_is_told_with_what_is_there_instead(copy, tmp_path):
    path = copy("hf-mamba2")
    (path / "model.safetensors").rename(path / "weights.safetensors")
    assert "model.safetensors is missing; there is 'weights.safetensors'" in complaint(path)
    (path / "model.safetensors.index.json").write_text("{}")
    assert "weights in several files are not read" in complaint(path)
    (path / "weights.safetensors").rename(path / "model.safetensors")
    (path / "encoding.safetensors").unlink()
    assert "encode.weight (M, r), encode.bias (M,), readout.weight (k, O)" in complaint(path)
    assert "it does not exist; give the folder of an export" in complaint(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    assert "it is not a folder" in complaint(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert "model.safetensors is missing." in complaint(tmp_path / "empty")
    with pytest.raises(UsageError):
        load("a\0b")


@pytest.mark.parametrize("file", sorted(folder.NAMES))
def test_every_file_cut_off_anywhere_is_one_error(file, copy):
    path = copy("hf-mamba2")
    whole = (path / file).read_bytes()
    for length in {0, 1, 7, 8, 9, len(whole) // 2, len(whole) - 2}:
        (path / file).write_bytes(whole[:length])
        complaint(path)


@pytest.mark.parametrize("file", sorted(folder.NAMES))
def test_every_file_that_is_a_folder_is_one_error(file, copy):
    path = copy("hf-mamba2")
    (path / file).unlink()
    (path / file).mkdir()
    assert "a file is expected" in complaint(path)


def test_without_safetensors_it_says_what_to_install(made, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "safetensors", None)
    with pytest.raises(UsageError, match=r"pip install 'scanproof\[export\]'"):
        load(made["numpy"])
