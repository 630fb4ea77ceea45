"""The manifest: computed, deterministic, and read strictly by the schema that is in the repository."""

import copy
import json
import math
import re
import sys
from fractions import Fraction
from hashlib import sha256
from typing import Any

import jsonschema
import numpy as np
import pytest

from scanproof.constructs.constructions import linear_attention, mamba2_gd
from scanproof.constructs.errors import UsageError
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.numeric.export import manifest as manifests
from scanproof.numeric.export import schema
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.loading import load
from scanproof.numeric.export.manifest import exact
from scanproof.numeric.export.row_choice import rows_of
from scanproof.numeric.export.targets import TARGETS
from scanproof.proofs.decide.construction import quick_result
from scanproof.proofs.decide.ledger import built_in

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")


@pytest.fixture(scope="module")
def told(tmp_path_factory) -> manifests.Manifest:
    """A manifest, not to be changed."""
    out = tmp_path_factory.mktemp("manifest") / "out"
    return export("mamba2.gd", target="hf-mamba2", output=out, features=2, examples=3, seed=1)


@pytest.mark.long
def test_the_schema_is_a_schema_and_says_no_more_than_is_checked_here():
    jsonschema.Draft202012Validator.check_schema(manifests.schema())

    def keywords(node: object, named: bool = False) -> set[str]:
        if isinstance(node, list):
            return set().union(*map(keywords, node)) if node else set()
        if not isinstance(node, dict):
            return set()
        below = (
            keywords(value, key in ("properties", "$defs") and not named)
            for key, value in node.items()
            if key not in ("enum", "const", "required")
        )
        return set().union(set() if named else set(node), *below)

    assert keywords(manifests.schema()) <= schema.KNOWN


@pytest.mark.long
def test_the_file_is_what_was_returned_and_says_what_lies_beside_it(tmp_path):
    out = tmp_path / "out"
    told = export("gril.prop4.1", target="numpy", output=out, features=2, examples=3)
    assert json.loads((out / "manifest.json").read_bytes()) == told
    assert set(told["files"]) | {"manifest.json", "README.md"} == {
        file.name for file in out.iterdir()
    }
    for name, file in told["files"].items():
        data = (out / name).read_bytes()
        assert file == {"bytes": len(data), "sha256": sha256(data).hexdigest()}


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_two_exports_are_equal_in_every_byte(target, tmp_path):
    of_family = {
        "mamba2": "mamba2.gd",
        "linear-attention": "linear-attention.gd",
        "delta-net": "delta-net.one-pass",
    }
    id = of_family.get(TARGETS[target].families[0], "gril.propA.1")
    steps = 1 if id == "delta-net.one-pass" else 2
    for name in ("one", "two"):
        export(
            id, target=target, output=tmp_path / name, features=2, examples=3, steps=steps, seed=5
        )
    one, two = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()}
        for name in ("one", "two")
    )
    assert one == two


@pytest.mark.long
def test_the_verdict_is_the_machines(told, monkeypatch, tmp_path):
    claim = next(row.claim for row in built_in().rows if row.claim.id == "mamba2.gd")
    found = quick_result(claim)
    construction = told["construction"]
    assert construction["verdict"] == found.verdict == "proved"
    assert construction["scope"] == found.scope == "all-sizes"
    assert construction["evidence"] == found.evidence

    from scanproof.numeric.export import exporting
    from scanproof.proofs.decide.verdict import Result

    monkeypatch.setattr(exporting, "quick_result", lambda claim: Result("unknown"))
    out = tmp_path / "out"
    told = export("mamba2.gd", target="hf-mamba2", output=out, features=2, examples=3)
    assert told["construction"]["verdict"] == "unknown"


@pytest.mark.long
def test_a_row_stands_for_its_strongest_proved_statement_and_as_stated_for_itself(tmp_path):
    id = "gd-ssm.prop2-construction"
    mended = export(id, target="numpy", output=tmp_path / "mended", features=2, examples=3)
    assert mended["construction"]["asked"] == id
    assert mended["construction"]["id"] == f"{id}+transpose+sign"
    assert mended["construction"]["verdict"] == "proved"
    out = tmp_path / "printed"
    printed = export(id, target="numpy", output=out, features=2, examples=3, as_stated=True)
    assert printed["construction"]["id"] == id
    assert printed["construction"]["verdict"] == "refuted"
    assert printed["construction"]["scope"] is None
    assert printed["certificate"]["absolute"] is None
    assert "nothing: the statement is refuted" in printed["certificate"]["covers"]


def test_what_a_certificate_rests_on_has_the_scope_of_the_verdict(monkeypatch, tmp_path):
    def covers(out):
        told = export("gril.prop4.1", target="numpy", output=tmp_path / out, features=2, examples=3)
        return told["certificate"]["covers"]

    assert covers("all").endswith("in exact numbers the model is the learner, by its statement")
    from scanproof.numeric.export import linear
    from scanproof.proofs.decide.verdict import Result

    at_some = Result("proved", scope="fixed-size")
    monkeypatch.setattr(linear, "quick_result", lambda claim: at_some)
    assert covers("fixed").endswith(
        "by its statement, which is proved for the sizes that were checked"
    )


@pytest.mark.parametrize(
    ("id", "target", "step_size", "told"),
    [
        ("gril.prop4.1", "numpy", Fraction(1, 10**310), "too small for float64"),
        ("linear-attention.gd", "numpy", Fraction(1, 10**310), "too small for float64"),
        ("gril.prop4.1", "torch", Fraction(1, 10**40), "beta has entries that are too small for float32"),
        ("mamba2.gd", "mamba-ssm", Fraction(1, 10**50), "in_proj.weight has entries that are too small"),
    ],
)  # fmt: skip
def test_no_step_size_becomes_0_in_the_files(id, target, step_size, told, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(UsageError, match=told):
        export(id, target=target, output=out, features=2, examples=3, step_size=step_size)
    assert not out.exists()


SUMS = "linear-attention.one-step-concatenated"
ROWS = [
    ("mamba2.gd", {}, "mamba2.gd", "labelled", 1, []),
    ("mamba2.gd", {"targets": 2}, "mamba2.gd-vector", "labelled", 2, []),
    ("mamba2.gd", {"targets": 3}, "mamba2.gd-vector", "labelled", 3, ["k = 2, here k = 3"]),
    ("mamba2.gd", {"W0": np.ones((2, 2))}, "mamba2.gd-vector", "labelled", 2, []),
    ("mamba2.gd", {"tokens": "interleaved"}, "mamba2.gd-interleaved", "interleaved", 1, []),
    ("mamba2.gd", {"in_one_block": True}, "mamba2.one-step", "concatenated", 1, []),
    ("mamba2.gd-vector", {}, "mamba2.gd-vector", "labelled", 2, []),
    ("mamba2.gd-vector", {"targets": 1}, "mamba2.gd", "labelled", 1, []),
    ("mamba2.gd-concatenated", {}, "mamba2.gd-concatenated", "concatenated", 1, []),
    ("mamba2.gd-concatenated", {"targets": 2}, "mamba2.gd-concatenated", "concatenated", 2, ["k = 1, here k = 2"]),
    ("mamba2.gd-interleaved", {}, "mamba2.gd-interleaved", "interleaved", 1, []),
    ("mamba2.one-step", {"targets": 4}, "mamba2.one-step", "concatenated", 4, []),
    ("mamba2.one-step", {"tokens": "labelled"}, "mamba2.one-step", "labelled", 1, ["these are labelled"]),
    ("mamba2.one-step-interleaved", {}, "mamba2.one-step-interleaved", "interleaved", 1, []),
    ("mamba2.gd-interleaved", {"in_one_block": True}, "mamba2.one-step-interleaved", "interleaved", 1, []),
    ("linear-attention.gd", {}, "linear-attention.gd", "labelled", 1, []),
    ("linear-attention.gd", {"targets": 2}, "linear-attention.gd-vector", "labelled", 2, []),
    ("linear-attention.gd", {"targets": 3}, "linear-attention.gd-vector", "labelled", 3, ["k = 2, here k = 3"]),
    ("linear-attention.gd", {"in_one_block": True}, "linear-attention.one-step", "labelled", 1, []),
    ("linear-attention.one-step", {"tokens": "concatenated"}, SUMS, "concatenated", 1, []),
    (SUMS, {"targets": 3}, SUMS, "concatenated", 3, []),
]  # fmt: skip


@pytest.mark.short("linear-attention.gd-[]-1")
@pytest.mark.parametrize(
    ("id", "options", "statement", "tokens", "k", "beyond"),
    ROWS[::3],
    ids=[f"{row[0]}-{list(row[1])}-{row[4]}" for row in ROWS[::3]],
)
def test_options_select_among_the_statements_and_what_goes_beyond_is_said(
    id, options, statement, tokens, k, beyond, tmp_path
):
    target = "hf-mamba2" if id.startswith("mamba2") else "fla-linear-attention"
    told = export(id, target=target, output=tmp_path / "out", features=2, examples=3, **options)
    assert (told["construction"]["asked"], told["construction"]["id"]) == (id, statement)
    assert told["tokens"]["name"] == tokens and told["sizes"]["targets"] == k
    assert told["tokens"]["predicts"] == ("last" if tokens == "labelled" else "every")
    columns = sum(count for _, count in told["tokens"]["raw"])
    assert load(tmp_path / "out").encoding["encode.weight"].shape[1] == columns
    assert len(told["construction"]["beyond"]) == len(beyond)
    for found, wanted in zip(told["construction"]["beyond"], beyond, strict=True):
        assert wanted in found


def test_every_construction_of_whole_models_has_an_export():
    rows = [row.claim for row in built_in().rows]
    constructions = {
        claim.id
        for claim in rows
        if claim.source in ("mamba2", "linear-attention") and claim.kind == "construction"
    }
    parts = {"mamba2.silu-blocks", "mamba2.state", "linear-attention.state"}
    false = {"linear-attention.gd-alike"}
    assert (
        constructions - {*rows_of(mamba2_gd.NETWORK), *rows_of(linear_attention.NETWORK)}
        == parts | false
    )


@pytest.mark.long
def test_step_sizes_and_weights_are_exact_numbers_in_text(told, tmp_path):
    assert told["learner"]["step_size"] == "1/3"
    W0 = [[Fraction(w) for w in row] for row in told["learner"]["W0"]]
    assert all((64 * w).denominator == 1 and abs(w) <= 1 for row in W0 for w in row)
    for given, text in ((0.1, exact(0.1)), ("0.1", "1/10"), (Fraction(2, 9), "2/9")):
        out = tmp_path / text.replace("/", "_")
        made = export(
            "mamba2.gd", target="hf-mamba2", output=out, features=2, examples=3, step_size=given
        )
        assert made["learner"]["step_size"] == text


@pytest.mark.long
@pytest.mark.parametrize(
    "id", ["gril.prop4.1", "gril.propA.1", "gd-ssm.prop1", "ssd.thm4.1", "linear-attention.gd"]
)
def test_the_weights_do_what_the_manifest_says_within_its_bound(id, tmp_path):
    from scanproof.constructs.layouts import neutral

    steps = 2 if id in ("gril.propA.1", "linear-attention.gd") else 1
    out, n, d = tmp_path / "out", 7, 3
    told = export(
        id, target="numpy", output=out, features=d, examples=n, steps=steps, dtype="float32"
    )
    found = load(out)
    model = neutral.from_tensors(found.tensors, found.encoding)
    rng = np.random.default_rng(0)
    k = told["sizes"]["targets"]
    x = rng.uniform(-1, 1, (n + 1, d))
    y = x[:-1] @ rng.uniform(-0.5, 0.5, (d, k))
    W0 = np.array([[float(Fraction(w)) for w in row] for row in told["learner"]["W0"]])
    eta = float(Fraction(told["learner"]["step_size"]))
    learned = x[-1] @ gradient_descent(HALF_SUM, W0, x[:-1], y, np.float64(eta), steps)
    error = np.abs(neutral.predict(model, x, y) - learned).max()
    assert error <= told["certificate"]["absolute"]
    assert np.abs(learned).max() <= told["certificate"]["magnitude"]


def changed(told: manifests.Manifest, path: str, value: object) -> manifests.Manifest:
    """The manifest with a value at a path of names, or without it for `...`."""
    new = copy.deepcopy(told)
    *outer, last = path.split("/")
    inner: Any = new
    for name in outer:
        inner = inner[int(name)] if isinstance(inner, list) else inner[name]
    if value is ...:
        del inner[last]
    elif isinstance(inner, list):
        inner[int(last)] = value
    else:
        inner[last] = value
    return new


BAD = [
    ("schema", "scanproof.export/2", "schema: 'scanproof.export/1' is expected, got 'scanproof.export/2'"),
    ("schema", ..., "schema is missing"),
    ("code", "import os", "code is unknown"),
    ("tool", [], "tool: type object is expected"),
    ("tool/version", 1, "tool.version: type string is expected, got 1"),
    ("construction/verdict", "true", "construction.verdict: one of proved, refuted"),
    ("construction/scope", "everywhere", "construction.scope: one of all-sizes"),
    ("construction/evidence", {}, "construction.evidence: type array"),
    ("construction/evidence/0", "seen", r"construction.evidence\[0\]: type object"),
    ("construction/beyond/0", 3, None),
    ("target/dtype", "int8", "target.dtype: one of float64, float32"),
    ("target/tested/torch", "2.13", "target.tested.torch: type array"),
    ("sizes/features", 0, "sizes.features: a number ≥ 1 is expected, got 0"),
    ("sizes/features", -3, "sizes.features: a number ≥ 1 is expected, got -3"),
    ("sizes/features", 2.5, "sizes.features: type integer is expected, got 2.5"),
    ("sizes/features", "2", "sizes.features: type integer is expected, got '2'"),
    ("sizes/features", True, "sizes.features: type integer is expected, got True"),
    ("sizes/features", 2**31, "sizes.features: a number ≤ 2147483647"),
    ("sizes/steps", None, "sizes.steps: type integer is expected, got None"),
    ("learner/step_size", 0.1, "learner.step_size: type string"),
    ("learner/step_size", "0.1", "learner.step_size: a whole number, or a fraction is expected"),
    ("learner/step_size", "1/0", "learner.step_size: a whole number, or a fraction"),
    ("learner/step_size", "1/3\n", "learner.step_size: a whole number, or a fraction"),
    ("learner/step_size", "٣", "learner.step_size: a whole number, or a fraction"),
    ("learner/step_size", "9" * 1001, "learner.step_size: 0 to 1000 characters"),
    ("learner/W0", [], "learner.W0: at least 1 items"),
    ("learner/W0/0", [], r"learner.W0\[0\]: at least 1 items"),
    ("learner/W0/1/0", "x", r"learner.W0\[1\]\[0\]: a whole number"),
    ("tokens/raw/0", ["x"], r"tokens.raw\[0\]: at least 2 items, at most 2"),
    ("tokens/raw/0", [2, "x"], r"tokens.raw\[0\]\[0\]: type string"),
    ("tokens/predicts", "all", "tokens.predicts: one of last, every"),
    ("certificate/absolute", "0", "certificate.absolute: number or null"),
    ("certificate/absolute", -1, "certificate.absolute: number or null is expected, got -1"),
    ("certificate/domain/input_norm", None, "certificate.domain.input_norm: type number"),
    ("certificate/covers", "", "certificate.covers: 1 to 2000 characters"),
    ("files/model.safetensors/sha256", "0" * 63, "sha256: text like"),
    ("files/model.safetensors/bytes", -1, "bytes: a number ≥ 0"),
    ("files/../../etc/passwd", {}, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "value", "wanted"), [b for b in BAD if b[2]], ids=lambda v: str(v)[:40]
)
def test_a_manifest_against_the_schema_is_refused_as_jsonschema_refuses_it(
    told, path, value, wanted
):
    new = changed(told, path, value)
    with pytest.raises(UsageError) as refused:
        manifests.read(json.dumps(new).encode(), "manifest.json")
    message = str(refused.value)
    assert re.search(wanted, message) and message.startswith("manifest.json: not a manifest of")
    if value != "1/3\n":  # Python's $ takes a line break
        assert not jsonschema.Draft202012Validator(manifests.schema()).is_valid(new)


def test_a_manifest_as_it_was_written_is_valid_for_both(told):
    jsonschema.Draft202012Validator(manifests.schema()).validate(told)
    assert manifests.read(manifests.dumped(told), "manifest.json") == told


def test_all_faults_are_said_at_once(told):
    new = changed(changed(told, "sizes/steps", 0), "family", ...)
    with pytest.raises(UsageError, match=r"family is missing.*sizes\.steps"):
        manifests.read(json.dumps(new).encode(), "manifest.json")


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b'"x"', b"{}", b"\xff", b"[" * 9999])
def test_what_is_no_manifest_at_all_is_refused(data):
    with pytest.raises(UsageError, match=r"manifest\.json: "):
        manifests.read(data, "manifest.json")


def test_what_is_not_finite_or_no_manifest_is_never_written(told):
    for path, value in (("certificate/absolute", math.inf), ("certificate/magnitude", math.nan)):
        with pytest.raises(ValueError):
            manifests.dumped(changed(told, path, value))


@pytest.mark.long
def test_an_export_needs_no_jax_torch_transformers_or_sympy():
    import subprocess

    program = (
        "import sys, tempfile, pathlib\n"
        "from scanproof.numeric.export.exporting import export\n"
        "out = pathlib.Path(tempfile.mkdtemp())\n"
        "sizes = dict(features=2, examples=3)\n"
        "export('mamba2.gd', target='hf-mamba2', output=out / 'a', **sizes)\n"
        "export('gril.prop4.1', target='numpy', output=out / 'b', **sizes)\n"
        "found = {'jax', 'torch', 'transformers', 'sympy'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
