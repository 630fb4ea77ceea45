"""`identify` and `load` on exports of `delta-net.one-pass`: untouched, edited, or with a false manifest."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import scanproof
from scanproof.constructs.constructions import delta_net
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import fla_delta_net
from scanproof.constructs.learners.further import delta_rule
from scanproof.numeric.export import delta_net as exports
from scanproof.numeric.export.certificates.delta_net import EXACT, Domain, bound, steepest
from scanproof.numeric.export.exporting import export
from scanproof.numeric.identify.identifying import identify
from scanproof.numeric.identify.report import DELTA, NONE

files = pytest.importorskip("safetensors.numpy", reason="exports need safetensors (extra: export)")

CASES: list[dict[str, Any]] = [
    {"features": 4, "examples": 10, "step_size": "1/8"},
    {"features": 3, "examples": 7, "targets": 2, "seed": 2, "step_size": "0.2"},
    {"features": 4, "examples": 16, "step_size": "0.49"},
    {"features": 1, "examples": 1, "step_size": "1"},
    {"features": 5, "examples": 6, "input_bound": 3, "step_size": "1/1000"},
]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    out = tmp_path_factory.mktemp("delta") / "out"
    export("delta-net.one-pass", target="fla-delta-net", output=out, **CASES[0])
    return out


@pytest.fixture
def folder(untouched, tmp_path):
    return shutil.copytree(untouched, tmp_path / "copy")


def task(domain: dict[str, float], d: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng, n = np.random.default_rng(seed), int(domain["examples"])
    x = rng.standard_normal((n + 1, d))
    x *= domain["norm"] / np.linalg.norm(x, axis=1, keepdims=True)
    return x, rng.uniform(-1, 1, (n, k)) * domain["target"]


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_untouched_export_is_one_pass_of_the_delta_rule(case, tmp_path):
    told = export("delta-net.one-pass", target="fla-delta-net", output=tmp_path / "out", **case)
    report = identify(tmp_path / "out")
    assert report.rule == DELTA == told["learner"]["rule"]
    assert report.contradictions == [] and report.exit_code(strict=True) == 0
    assert report.step_size is not None
    assert report.step_size.nearest == Fraction(told["learner"]["step_size"])
    assert [[float(Fraction(w)) for w in row] for row in told["learner"]["W0"]] == report.W0
    assert report.promise is not None and report.promise.found <= report.promise.bound
    (tmp_path / "out" / "manifest.json").unlink()
    alone = identify(tmp_path / "out")
    assert (alone.rule, alone.step_size) == (report.rule, report.step_size)
    assert not alone.exact


def test_loaded_weights_predict_as_the_delta_rule(untouched):
    weights = scanproof.load(untouched)
    certificate = weights.manifest["certificate"]
    x, y = task(certificate["domain"], *weights.sizes)
    expected = x[-1] @ delta_rule(np.zeros((4, 1)), x[:-1], y, 1 / 8)
    assert np.abs(weights.predict(x, y) - expected).max() <= certificate["absolute"]
    assert weights.predict(np.stack([x, x]), np.stack([y, y])).shape == (2, 1)


@pytest.mark.long
@pytest.mark.parametrize("field", sorted(fla_delta_net.FIELDS))
def test_an_entry_that_was_edited_is_named_and_nothing_is_called_the_delta_rule(field, folder):
    tensors, key = files.load_file(folder / "model.safetensors"), fla_delta_net.key(field)
    flat = tensors[key].reshape(-1)
    flat[np.flatnonzero(flat)[0]] *= np.float32(1.01)
    files.save_file(tensors, folder / "model.safetensors")
    report = identify(folder)
    assert report.rule == NONE and not report.exact
    assert report.deviations_in_all >= 1
    assert any(entry.entry.startswith("layers.0.") for entry in report.deviations)
    assert report.exit_code() == 1
    assert "learner.rule" in {c.assertion for c in report.contradictions}


@pytest.mark.long
def test_weights_of_another_step_size_are_said_to_be_so(folder, tmp_path):
    other = tmp_path / "other"
    export(
        "delta-net.one-pass",
        target="fla-delta-net",
        output=other,
        **{**CASES[0], "step_size": "1/16"},
    )
    for name in ("model.safetensors", "encoding.safetensors"):
        shutil.copy(other / name, folder / name)
    report = identify(folder)
    assert report.rule == DELTA and report.step_size is not None
    assert report.step_size.nearest == Fraction(1, 16)
    assert "learner.step_size" in {c.assertion for c in report.contradictions}


@pytest.mark.long
def test_data_of_other_norms_are_not_the_delta_rules_and_contradict_no_manifest(untouched):
    report = identify(untouched, sampler="uniform")
    assert report.rule == NONE and report.contradictions == []
    assert any("for examples of the norm 2, and these are not" in note for note in report.notes)


def test_an_entry_that_changes_nothing_leaves_the_rule_and_takes_the_certificate(folder):
    tensors, key = files.load_file(folder / "model.safetensors"), fla_delta_net.key("key")
    tensors[key][-1, -1] = 1  # a coordinate of keys and one of the stream that nothing uses
    files.save_file(tensors, folder / "model.safetensors")
    report = identify(folder)
    assert report.rule == DELTA and report.promise is None
    assert "1 entry differs from the construction" in report.verdict
    assert any("certificate is not established" in note for note in report.notes)


@pytest.mark.long
@pytest.mark.parametrize(("heads", "columns"), [(1, 8), (2, 6)])
def test_weights_that_nobody_constructed_are_nothing_that_has_a_name(heads, columns, tmp_path):
    rng = np.random.default_rng(0)
    sizes = {"hidden_size": 16, "expand_k": 1.0, "expand_v": 2.0, "num_heads": heads}
    kind = {"model_type": fla_delta_net.MODEL_TYPE, "num_hidden_layers": 1, "residual": True}
    settings = {**kind, **sizes, "norm_eps": 1e-5, **fla_delta_net.FIXED}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    shapes = fla_delta_net.shapes(settings)
    tensors = {name: rng.standard_normal(shape) / 4 for name, shape in shapes.items()}
    encoding = {"encode.weight": (16, columns), "encode.bias": (16,), "readout.weight": (1, 16)}
    files.save_file(tensors, tmp_path / "model.safetensors")
    arrays = {name: rng.standard_normal(shape) for name, shape in encoding.items()}
    files.save_file(arrays, tmp_path / "encoding.safetensors")
    report = identify(tmp_path)
    assert report.rule == NONE and report.exit_code(strict=True) == 2


@pytest.mark.short(4)
@pytest.mark.parametrize("name", ["absolute", "magnitude", "attained", "norm"])
def test_a_manifest_that_promises_too_much_is_contradicted(name, folder):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    certificate = manifest["certificate"]
    if name == "norm":
        certificate["domain"]["norm"] *= 2
    else:
        certificate[name] *= 0.5 if name == "absolute" else 2
    certificate["relative"] = certificate["absolute"] / certificate["magnitude"]
    path.write_text(json.dumps(manifest))
    report = identify(folder)
    assert any(name in c.assertion for c in report.contradictions)


@pytest.mark.short("{'features': 3, 'examples': 7, 'targets': 2, 'seed': 2, 'step_size': '0.2'}")
@pytest.mark.parametrize("case", CASES, ids=str)
def test_runs_in_float32_keep_the_certificate_and_the_largest_predictions(case, tmp_path):
    told = export("delta-net.one-pass", target="fla-delta-net", output=tmp_path / "out", **case)
    certificate, sizes = told["certificate"], told["sizes"]
    W0 = np.array([[float(Fraction(w)) for w in row] for row in told["learner"]["W0"]])
    square = Fraction(case.get("input_bound", 1)) ** 2 * sizes["features"]
    made = delta_net.instance(np, Fraction(told["learner"]["step_size"]), W0, square)
    domain = Domain(sizes["examples"], made.constants.norm, certificate["domain"]["target"])
    data = [steepest(made, domain)]
    data += [task(certificate["domain"], sizes["features"], sizes["targets"], s) for s in range(3)]
    for x, y in data:
        learned = exports.learned(made, x, y)
        found = np.abs(exports.run(made, x, y, "float32") - learned).max()
        assert found <= certificate["absolute"]
        assert np.abs(learned).max() <= certificate["magnitude"]
    assert certificate["found"] <= certificate["absolute"]
    assert certificate["attained"] <= np.abs(exports.learned(made, *data[0])[0])


def test_what_is_left_without_rounding_is_due_to_the_constant_channel():
    made = delta_net.instance(np, Fraction(1, 8), np.zeros((4, 1)), Fraction(4))
    domain = Domain(10, 2.0, 2.0, norm_off=0.0)
    assert 0 < bound(made, domain, EXACT).prediction <= 1e-6 * bound(made, domain).prediction


def test_larger_domains_have_larger_bounds():
    made = delta_net.instance(np, Fraction(1, 8), np.zeros((4, 2)), Fraction(4))
    least = bound(made, Domain(10, 2.0, 2.0))
    for more in (Domain(20, 2.0, 2.0), Domain(10, 2.0, 3.0), Domain(10, 2.0, 2.0, 2.0**-20)):
        found = bound(made, more)
        assert least.prediction < found.prediction < np.inf
        assert least.magnitude < found.magnitude


def test_steps_that_no_write_strength_makes_are_refused(tmp_path):
    with pytest.raises(
        UsageError, match=r"needs the write strength 2.* give a --step-size below 0.5"
    ):
        export(
            "delta-net.one-pass",
            target="fla-delta-net",
            output=tmp_path / "out",
            features=4,
            examples=4,
            step_size="1/2",
        )
    with pytest.raises(UsageError, match="one layer does one step"):
        export(
            "delta-net.one-pass",
            target="fla-delta-net",
            output=tmp_path / "out",
            features=4,
            examples=4,
            steps=2,
        )
