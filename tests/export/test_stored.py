"""Exports in bfloat16 for modules that compute in float32 and store bfloat16: certificates, and what identify says.

The definitions run here as the modules do, in NumPy; `test_hf_mamba2.py` and `test_fla.py` run the modules.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from scanproof.constructs.constructions import linear_attention, mamba2_gd
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import fla_linear_attention
from scanproof.numeric.export.certificates import mamba2, stored
from scanproof.numeric.export.certificates.linear import bound_at
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.mamba2_loaded import Model, as_loaded
from scanproof.numeric.export.tensors import pack_bfloat16, read
from scanproof.numeric.identify.identifying import identify
from scanproof.numeric.identify.neutral_form import predictor
from scanproof.numeric.rounding.arithmetic import WIDE
from scanproof.numeric.rounding.batch import Batch

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")

TARGETS = {"hf-mamba2": "mamba2.gd", "fla-linear-attention": "linear-attention.gd"}
ONE_WAY = 1 + 2.0**-8 + 2.0**-20
"""Just above the middle of two numbers of bfloat16: rounded up by nearly u."""


def written(target: str, out: Any, **more: Any) -> dict[str, Any]:
    given = {"features": 4, "examples": 16, "steps": 2, **more}
    return export(TARGETS[target], target=target, output=out, dtype="bfloat16", **given)


def descended(x, y, eta, W0, steps):
    W = W0
    for _ in range(steps):
        W = W - eta * x[:-1].T @ (x[:-1] @ W - y)
    return x[-1] @ W


def attention(d, k, steps, eta, W0):
    """The predictions of layers that store bfloat16, and the certificate's bound for the same data."""
    made = linear_attention.instance(np, d, steps, eta, W0)
    model = fla_linear_attention.neutral_model(made)
    run = predictor(model, "bfloat16", wide=True)
    return lambda x, y: (run(x[None], y[None])[0], bound_at(model, x, y, WIDE["bfloat16"]))


def blocks(d, k, steps, eta, W0):
    """The same of Mamba-2 blocks."""
    made = mamba2_gd.instance(np, d, steps, eta, W0)
    weights = made.model
    each = [*[weights.step] * steps, weights.last]
    run = as_loaded(
        "bfloat16",
        Model(
            made.widths.heads, each, weights.norm, weights.readout, weights.encode_weight,
            weights.encode_bias, 1e-5,
        ),
    )  # fmt: skip

    def both(x, y):
        domain = mamba2.domain_of(x, y, W0, eta, steps)
        found = run(made.layout.tokens(Batch(x[None]), Batch(y[None])))[0]
        return found, stored.mamba2(made, domain).prediction

    return both


@pytest.mark.long
@pytest.mark.parametrize("make", [attention, blocks])
@settings(max_examples=8, deadline=None)
@given(drawn=some.data())
def test_drawn_data_stay_within_the_bound_for_them(make, drawn):
    d, n, k, steps = (drawn.draw(some.integers(1, most)) for most in (4, 9, 2, 3))
    eta = 2.0 ** drawn.draw(some.integers(-5, 1)) * drawn.draw(some.sampled_from([1, 1.25]))
    number = some.floats(-2, 2).map(lambda value: value if abs(value) > 1e-6 else 0.0)

    def array(*shape):
        size = math.prod(shape)
        return np.array(drawn.draw(some.lists(number, min_size=size, max_size=size))).reshape(shape)

    x, y, W0 = array(n + 1, d), array(n, k), np.rint(array(d, k) * 16) / 16
    with np.errstate(all="ignore"):
        found, bound = make(d, k, steps, eta, W0)(x, y)
    assert (np.abs(found - descended(x, y, eta, W0, steps)) <= bound).all()


@pytest.mark.short(4)
@pytest.mark.parametrize(
    ("make", "steps", "examples"),
    [(attention, 1, 1), (attention, 4, 40), (blocks, 2, 16), (blocks, 1, 40)],
)
def test_terms_that_all_round_one_way_stay_within_it_and_use_a_twentieth(make, steps, examples):
    d, eta = 4, 1 / 64
    run, worst = make(d, 1, steps, eta, np.zeros((d, 1))), 0.0
    for scale in 2.0 ** np.arange(-2, 1) * ONE_WAY:
        for target in (ONE_WAY, -2 * ONE_WAY, 1.5 + 2.0**-8 + 2.0**-20):
            x, y = np.full((examples + 1, d), scale), np.full((examples, 1), target)
            found, bound = run(x, y)
            off = np.abs(found - descended(x, y, eta, np.zeros((d, 1)), steps)).max()
            assert off <= np.max(bound)
            worst = max(worst, off / np.max(bound))
    assert worst >= 1 / 20


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_a_certificate_says_something_where_one_of_arithmetic_in_bfloat16_does_not(
    target, tmp_path
):
    told = written(target, tmp_path / "out")["certificate"]
    assert told["found"] < told["absolute"] < told["attained"] / 4
    assert told["found"] > told["absolute"] / 20
    assert "float32" in told["covers"]
    assert read(tmp_path / "out" / "model.safetensors").dtypes.popitem()[1] == "bfloat16"


def test_it_grows_until_it_says_nothing(tmp_path):
    told = written("hf-mamba2", tmp_path / "out", features=8, examples=64, steps=12)["certificate"]
    assert told["absolute"] is None or told["absolute"] > told["magnitude"]


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_an_untouched_export_is_what_it_says(target, tmp_path):
    written(target, tmp_path / "out")
    report = identify(tmp_path / "out")
    assert (
        not report.contradictions and "2 steps of gradient descent with η = 1/16" in report.verdict
    )
    assert report.running is not None and report.running.dtype == "bfloat16"
    assert report.promise is not None and report.promise.found <= report.promise.bound
    assert not any("no certificate" in note for note in report.notes)


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
def test_an_edited_one_is_contradicted_and_not_called_the_construction(target, tmp_path):
    written(target, tmp_path / "out")
    file = tmp_path / "out" / "model.safetensors"
    name = {"hf-mamba2": "backbone.layers.0.mixer.in_proj.weight"}.get(
        target, "layers.1.v_proj.weight"
    )

    found = read(file)
    arrays = {key: array.copy() for key, array in found.arrays.items()}
    at = np.unravel_index(
        np.argmax((np.abs(arrays[name]) > 0) & (np.abs(arrays[name]) < 1)), arrays[name].shape
    )
    arrays[name][at] *= 1.0625
    file.write_bytes(pack_bfloat16(arrays, found.metadata))
    report = identify(tmp_path / "out")
    assert report.contradictions and report.deviations_in_all == 1
    assert not report.verdict.startswith("exactly")


@pytest.mark.long
@pytest.mark.parametrize(
    ("target", "part", "name", "factor"),
    [
        ("hf-mamba2", "certificate", "absolute", 0.9),
        ("fla-linear-attention", "certificate", "attained", 2.0),
        ("hf-mamba2", "learner", "step_size", 0),
    ],
)
def test_a_manifest_that_says_more_is_contradicted(target, part, name, factor, tmp_path):
    written(target, tmp_path / "out")
    file = tmp_path / "out" / "manifest.json"
    told = json.loads(file.read_text(encoding="utf-8"))
    told[part][name] = told[part][name] * factor if factor else "129/2048"
    file.write_text(json.dumps(told), encoding="utf-8")
    assert any(name in each.assertion for each in identify(tmp_path / "out").contradictions)


def test_mamba_ssm_is_refused_with_the_reason(tmp_path):
    with pytest.raises(UsageError, match=r"float32: its kernels round the state .* bfloat16"):
        export(
            "mamba2.gd",
            target="mamba-ssm",
            output=tmp_path / "out",
            features=4,
            examples=16,
            dtype="bfloat16",
        )
    assert not (tmp_path / "out").exists()


def test_numbers_that_bfloat16_does_not_hold_are_refused(tmp_path):
    for target in TARGETS:
        with pytest.raises(UsageError, match="bfloat16 does not hold exactly"):
            written(target, tmp_path / "out", step_size="1/12")
