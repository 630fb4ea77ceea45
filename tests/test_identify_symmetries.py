"""Symmetries of weights are divided out: they change no verdict, and an entry that was edited is named first."""

from __future__ import annotations

import identify_cases as cases
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanproof.constructs.layouts import neutral
from scanproof.numeric.identify import gauges
from scanproof.numeric.identify.identifying import identified as identify_linear
from scanproof.numeric.identify.neutral_form import arrays, predictor
from scanproof.numeric.identify.report import DESCENT

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")

MODELS = {
    "attention": lambda: cases.attention(2, 2),
    "one step": lambda: cases.attention(2, 1, in_one_block=True, tokens="concatenated"),
    "ssd": lambda: cases.masked_layer(2, 4),
    "lsa": lambda: cases.self_attention(2),
    "attention to all examples": lambda: cases.attention_to_examples(2, [cases.ETA]),
}


def model_of(found, tokens):
    layers = {n: a for n, a in found.items() if n not in neutral.ENCODING}
    return neutral.from_tensors(layers, {n: found[n] for n in neutral.ENCODING}, tokens)


def size(model, gauge) -> int:
    place = gauge[0]
    array = arrays(model)[place.name]
    if place.axis is None:
        return 1
    return (array if place.head is None else array[place.head]).shape[place.axis]


def orthogonal(rng, n):
    return np.linalg.qr(rng.standard_normal((n, n)))[0]


def scaling(rng, n):
    return np.diag(2.0 ** rng.integers(-3, 4, n) * rng.choice([-1.0, 1.0], n))


CHANGES = {"scaling": scaling, "orthogonal": orthogonal}


def in_another_basis(model, change, seed, which):
    rng, found = np.random.default_rng(seed), arrays(model)
    every = gauges.of_family(model)
    gauge = every[which % len(every)]
    return model_of(
        gauges.changed(found, gauge, CHANGES[change](rng, size(model, gauge))), model.tokens
    )


LAW = [("attention", "orthogonal", 1), ("attention", "scaling", 12)]
"""The last is the basis of the whole residual stream."""


@pytest.mark.long
@pytest.mark.parametrize(("name", "change", "which"), LAW)
def test_a_change_of_a_hidden_basis_leaves_the_verdict_and_leaves_nothing_blamed(
    name, change, which
):
    model = MODELS[name]()
    moved = in_another_basis(model, change, 3, which)
    n = getattr(model.layers[0], "decays", np.zeros(5)).shape[0] - 1
    x, y = np.random.default_rng(1).uniform(-1, 1, (2, 4, n + 1, 2))
    one, other = (predictor(each)(x, y[:, 1:, :1]) for each in (model, moved))
    np.testing.assert_allclose(other, one, atol=1e-12)
    plain, report = (identify_linear(cases.as_loaded(each)) for each in (model, moved))
    assert (report.rule, report.steps, report.deviations) == (plain.rule, plain.steps, [])
    assert report.rule == DESCENT and report.same_function and not report.deviations_in_all
    assert report.step_size is not None and plain.step_size is not None
    assert float(report.step_size.value) == pytest.approx(float(plain.step_size.value), rel=1e-6)


@pytest.mark.long
def test_after_such_a_change_an_edited_entry_is_named_first():
    model = in_another_basis(cases.attention(2, 2), "orthogonal", 3, 1)
    found = arrays(model)
    key = "layers.1.key"
    array = np.array(found[key], dtype=float)
    at = tuple(map(int, np.unravel_index(np.abs(array).argmax(), array.shape)))
    array[at] *= 1.01
    report = identify_linear(cases.as_loaded(model_of({**found, key: array}, model.tokens)))
    assert report.deviations[0].entry == f"{key}[{', '.join(map(str, at))}]"
    assert report.deviations[0].effect is not None and report.deviations[0].effect > 1e-4


STREAMS = {
    "orthogonal": lambda rng: orthogonal(rng, 4),
    "any": lambda rng: rng.standard_normal((4, 4)),
}


@pytest.mark.long
@pytest.mark.parametrize(("change", "dtype"), [("orthogonal", np.float32), ("any", np.float64)])
def test_two_layers_in_another_basis_of_the_stream_are_the_rule_up_to_rounding(change, dtype):
    found = arrays(plain := cases.attention_to_examples(3, [cases.ETA] * 2))
    A = STREAMS[change](np.random.default_rng(0))
    moved = gauges.changed(found, gauges.of_family(plain)[-1], A)
    report = identify_linear(cases.as_loaded(model_of(moved, plain.tokens), dtype))
    assert (report.rule, report.steps) == (DESCENT, 2) and "from W0 = 0" in report.verdict
    assert report.step_size is not None and report.step_size.value == pytest.approx(cases.ETA, 1e-5)
    if dtype == np.float64:  # of which as many numbers as an orthogonal matrix has say the basis
        assert report.deviations == [] and report.same_function
        at = 1.5 * moved["layers.1.KQ"][0, 0]
        moved["layers.1.KQ"][0, 0] = at
        report = identify_linear(cases.as_loaded(model_of(moved, plain.tokens), dtype))
        assert report.deviations_in_all == 1
        assert report.deviations[0].entry == "layers.1.KQ[0, 0]"
        assert report.deviations[0].expected == pytest.approx(at / 1.5)


@pytest.mark.long
@settings(max_examples=6, deadline=None, derandomize=True)
@given(
    name=st.sampled_from(["one step", "ssd", "lsa", "attention to all examples"]),
    change=st.sampled_from(sorted(CHANGES)),
    which=st.integers(0, 5),
    seed=st.integers(0, 2**16),
)
def test_identify_says_the_same_before_and_after_any_change_of_a_basis(name, change, which, seed):
    model = MODELS[name]()
    moved = in_another_basis(model, change, seed, which)
    plain, report = (identify_linear(cases.as_loaded(each, np.float64)) for each in (model, moved))
    assert report.steps == plain.steps == 1
    assert report.step_size is not None and plain.step_size is not None
    assert float(report.step_size.value) == pytest.approx(float(plain.step_size.value), rel=1e-6)
    if change == "scaling":  # by powers of two, which rounds nothing
        assert (report.rule, report.exact, report.deviations_in_all) == (DESCENT, True, 0)
    else:
        assert report.recognised or (report.nearest is not None and report.nearest.off < 1e-12)
        assert all(abs(each.found - each.expected) < 1e-12 for each in report.deviations)
