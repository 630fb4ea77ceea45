"""`forward.py` predicts without this package what the target does; the card of the folder is true, and is YAML."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from scanproof.constructs.layers.mamba import softplus
from scanproof.constructs.layouts import neutral
from scanproof.numeric.export import folder
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.function_text import function_text
from scanproof.numeric.export.loading import load
from scanproof.numeric.export.targets import TARGETS
from scanproof.proofs.language.pinned import Definitions

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")

CASES = [
    ("gril.prop4.1", "numpy", {}),
    ("gril.prop4.1", "jax", {"targets": 1, "dtype": "float32"}),
    ("gd-ssm.prop1", "numpy", {}),
    ("gril.propA.1", "torch", {"steps": 3, "seed": 1}),
    ("ssd.thm4.1", "numpy", {}),
    ("ssd.remark4.1-lsa", "numpy", {"features": 1, "steps": 2}),
    ("ssd.remark4.1-lsa-construction", "torch", {"steps": 3}),
    ("linear-attention.gd", "numpy", {"steps": 2, "targets": 2}),
    ("linear-attention.one-step-concatenated", "fla-linear-attention", {"in_one_block": True}),
    ("linear-attention.gd", "fla-linear-attention", {"steps": 2, "seed": 3}),
    ("mamba2.gd", "hf-mamba2", {"steps": 3}),
    ("mamba2.gd-interleaved", "hf-mamba2", {"steps": 2, "seed": 1}),
    ("mamba2.gd-concatenated", "mamba-ssm", {"steps": 1, "targets": 2}),
    ("mamba2.one-step", "mamba-ssm", {}),
]
ALONE = """\
import json, sys
sys.path.insert(0, sys.argv[1])
from forward import predict
import numpy as np
tasks = json.loads(sys.stdin.read())
said = [predict(np.array(x), np.array(y)) for x, y in tasks]
modules = {name.partition(".")[0] for name in sys.modules}
print(json.dumps([[one.tolist() for one in said], sorted(modules), [str(one.dtype) for one in said]]))
"""


def alone(code: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Python in another process, with no folder of this repository on its path."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-B", *code.split("\0"), *arguments],
        input=given, capture_output=True, encoding="utf-8", cwd="/", env=environment, check=False,
    )  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("id", "target", "options"), CASES[1::2], ids=lambda value: str(value))
def test_it_predicts_by_itself_what_gradient_descent_does_within_the_certificate(
    id, target, options, tmp_path
):
    sizes = {"features": 3, "examples": 8, **options}
    told = export(id, target=target, output=tmp_path / "out", **sizes)
    d, k, n = (told["sizes"][name] for name in ("features", "targets", "examples"))
    rng, tasks, wanted = np.random.default_rng(0), [], []
    for _ in range(4):
        x = rng.uniform(-1, 1, (n + 1, d))
        y = x[:-1] @ rng.uniform(-1, 1, (d, k)) / d**0.5
        W = np.array([[float(Fraction(w)) for w in row] for row in told["learner"]["W0"]])
        for _ in range(told["learner"]["steps"]):
            W = W - float(Fraction(told["learner"]["step_size"])) * x[:-1].T @ (x[:-1] @ W - y)
        tasks.append([x.tolist(), y.tolist()])
        wanted.append(x[-1] @ W)
    done = alone(f"-c\0{ALONE}", str(tmp_path / "out"), given=json.dumps(tasks))
    assert done.returncode == 0 and done.stderr == "", done.stderr
    said, modules, formats = json.loads(done.stdout)
    assert set(formats) == {told["target"]["dtype"]}
    assert "numpy" in modules and not {"scanproof", "safetensors", "jax", "torch"} & set(modules)
    assert np.abs(np.array(said) - wanted).max() <= told["certificate"]["absolute"]
    if TARGETS[target].neutral:
        weights = load(tmp_path / "out")
        model = neutral.from_tensors(weights.tensors, weights.encoding, told["tokens"]["name"])
        own = [neutral.predict(model, np.array(x), np.array(y)) for x, y in tasks]
        assert np.abs(np.array(said) - own).max() <= told["certificate"]["absolute"]


def test_it_computes_what_the_module_of_transformers_does(tmp_path):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    out = tmp_path / "out"
    sizes = {"features": 4, "examples": 10, "targets": 2, "steps": 2}
    told = export("mamba2.gd", target="hf-mamba2", output=out, seed=1, **sizes)  # pyright: ignore[reportArgumentType]
    model = transformers.Mamba2ForCausalLM.from_pretrained(out, dtype=torch.float32)
    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1, 1, (11, 4)), rng.uniform(-1, 1, (10, 2))
    raw = np.hstack([x, np.vstack([y, np.zeros((1, 2))]), np.eye(11)[:, -1:]])
    encoding = load(out).encoding
    embeddings = raw @ encoding["encode.weight"].T + encoding["encode.bias"]
    with torch.no_grad():
        logits = model(inputs_embeds=torch.tensor(embeddings[None], dtype=torch.float32)).logits
    done = alone(f"-c\0{ALONE}", str(out), given=json.dumps([[x.tolist(), y.tolist()]]))
    (said,), *_ = json.loads(done.stdout)
    assert np.abs(logits[0, -1].numpy() - said).max() <= 1e-5 < told["certificate"]["absolute"]


@pytest.mark.short("[gril.propA.1-torch-{'steps': 3, 'seed': 1}]")
@pytest.mark.parametrize(("id", "target", "options"), CASES[3::5], ids=lambda value: str(value))
def test_the_file_is_short_and_its_layer_takes_the_tensors_by_their_names(
    id, target, options, tmp_path
):
    sizes = {"features": 6, "examples": 20, **options}
    export(id, target=target, output=tmp_path / "out", **sizes)
    text = (tmp_path / "out" / "forward.py").read_text(encoding="utf-8")
    (layer,) = (
        one
        for one in ast.parse(text).body
        if isinstance(one, ast.FunctionDef) and one.name == "layer"
    )
    taken = {one.arg for one in layer.args.args}
    found = [name.partition("layers.0.") for name in load(tmp_path / "out").tensors]
    named = {field.replace(".", "_") for _, at, field in found if at}
    assert named and taken - {"n", "rows", "below"} == named
    assert len(text.splitlines()) < 170


def test_a_softplus_as_it_is_printed_keeps_what_is_small():
    text = function_text("printed", softplus, lambda z: softplus(z), {"z": (2,)})
    known: dict[str, Any] = {"np": np}
    exec(text, known)
    z = np.array([-18, 2], np.float32)
    np.testing.assert_allclose(known["printed"](1, z), np.logaddexp(z, 0), rtol=1e-6)


@pytest.mark.long
def test_after_an_export_the_same_process_looks_through_definitions(tmp_path):
    export("gril.prop4.1", target="numpy", output=tmp_path / "out", features=2, examples=3)
    Definitions()


@pytest.mark.long
def test_a_delta_net_layer_predicts_by_itself_what_the_delta_rule_does(tmp_path):
    sizes = {"features": 3, "examples": 8, "targets": 2, "seed": 1}
    out = tmp_path / "out"
    told = export("delta-net.one-pass", target="fla-delta-net", output=out, **sizes)  # pyright: ignore[reportArgumentType]
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((9, 3)), rng.uniform(-1, 1, (8, 2))
    x *= told["certificate"]["domain"]["norm"] / np.linalg.norm(x, axis=1, keepdims=True)
    W = np.array([[float(Fraction(w)) for w in row] for row in told["learner"]["W0"]])
    for x_j, y_j in zip(x[:-1], y, strict=True):
        W = W - float(Fraction(told["learner"]["step_size"])) * np.outer(x_j, x_j @ W - y_j)
    done = alone(f"-c\0{ALONE}", str(out), given=json.dumps([[x.tolist(), y.tolist()]]))
    assert done.returncode == 0 and done.stderr == "", done.stderr
    (said,), *_ = json.loads(done.stdout)
    assert np.abs(np.array(said) - x[-1] @ W).max() <= told["certificate"]["absolute"]
    shown = alone(str(out / "forward.py"))
    assert shown.returncode == 0 and "the delta rule" in shown.stdout, shown.stderr


@pytest.mark.long
def test_run_as_it_is_it_prints_a_prediction_and_the_learners(tmp_path):
    export("gril.prop4.1", target="numpy", output=tmp_path / "out", features=3, examples=5)
    done = alone(str(tmp_path / "out" / "forward.py"))
    assert done.returncode == 0, done.stderr
    assert "they differ by" in done.stdout and "gradient descent" in done.stdout


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "options"),
    [
        ("linear-attention.gd", {"target_bound": "1/1000", "steps": 2, "dtype": "float32"}),
        ("mamba2.gd", {"input_bound": "1/1000", "target_bound": 1}),
    ],
)
def test_run_as_it_is_it_tries_data_that_the_certificate_is_about(id, options, tmp_path):
    target = "hf-mamba2" if id == "mamba2.gd" else "numpy"
    export(id, target=target, output=tmp_path / "out", features=2, examples=5, **options)
    done = alone(str(tmp_path / "out" / "forward.py"))
    off, bound = re.search(r"differ by +(\S+)\ncertified bound +(\S+)", done.stdout).groups()  # pyright: ignore[reportOptionalMemberAccess]
    assert float(off) <= float(bound)


@pytest.mark.long
def test_data_of_other_shapes_are_refused_in_words(tmp_path):
    export("ssd.thm4.1", target="numpy", output=tmp_path / "out", features=3, examples=5)
    for x, y, why in (
        (np.ones((6, 2)), np.ones((5, 1)), "predict() expects x (n + 1, 3), y (n, 1)"),
        (np.ones((4, 3)), np.ones((3, 1)), "predict() expects 5 examples"),
    ):
        given = json.dumps([[x.tolist(), y.tolist()]])
        done = alone(f"-c\0{ALONE}", str(tmp_path / "out"), given=given)
        assert done.returncode == 1 and why in done.stderr.splitlines()[-1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "target"),
    [
        ("mamba2.gd", "hf-mamba2"),
        ("gril.prop4.1", "numpy"),
        ("delta-net.one-pass", "fla-delta-net"),
    ],
)
def test_the_card_is_the_hubs_yaml_and_says_what_the_manifest_does(id, target, tmp_path):
    yaml = pytest.importorskip("yaml")
    told = export(id, target=target, output=tmp_path / "out", features=2, examples=3, steps=1)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    _, header, body = text.split("---\n", 2)
    settings = yaml.safe_load(header)
    assert told["family"] in settings["tags"] and told["target"]["dtype"] in settings["tags"]
    assert settings.get("library_name") == ("transformers" if target == "hf-mamba2" else None)
    assert f"≤ {told['certificate']['absolute']:.4g} for all data" in body
    assert told["construction"]["id"] in body and told["certificate"]["covers"][:60] in body
    assert TARGETS[target].loading.format(out=".") in body


def test_a_card_does_not_claim_what_is_refuted(tmp_path):
    id = "gd-ssm.prop1-construction"
    export(id, target="numpy", output=tmp_path / "out", features=2, examples=3, as_stated=True)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "Verdict when exported: refuted" in text and "by a statement that is not proved" in text
    assert "None: no finite bound is known" in text


@pytest.mark.long
def test_folders_are_read_and_replaced_with_both_files_and_without(tmp_path):
    def write(**options):
        out = tmp_path / "out"
        export("gril.prop4.1", target="numpy", output=out, features=2, examples=3, **options)

    write()
    there = {path.name for path in (tmp_path / "out").iterdir()}
    assert there >= folder.BESIDE
    write(force=True)
    for name in folder.BESIDE:
        (tmp_path / "out" / name).unlink()
    assert load(tmp_path / "out").target == "numpy"
    write(force=True)
