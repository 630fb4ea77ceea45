"""What exports and `identify` say of weights: each a sentence that was once wrong, with the case that showed it."""

from __future__ import annotations

from fractions import Fraction

import identify_cases as cases
import mamba2_cases
import numpy as np
import pytest
from command_line import Run
from identify_cases import edit_manifest

from scanproof.constructs.layouts import hf_mamba2, neutral
from scanproof.constructs.layouts.neutral import ENCODING
from scanproof.numeric.export.certificates import mamba2
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.loading import load
from scanproof.numeric.identify import (
    bases,
    linear,
    linear_certificate,
    mamba2_construction,
    mamba2_model,
    manifest,
    neutral_form,
    recognition,
)
from scanproof.numeric.identify.asked import asked
from scanproof.numeric.identify.identifying import identified as identify_linear
from scanproof.numeric.identify.identifying import identified as identify_mamba2
from scanproof.numeric.identify.identifying import identify
from scanproof.numeric.identify.neutral_form import arrays
from scanproof.numeric.identify.report import DESCENT, NONE, RIDGE, percent
from scanproof.numeric.identify.tasks import Tasks
from scanproof.numeric.rounding.batch import to_bfloat16, to_float32

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")


@pytest.mark.long
@pytest.mark.parametrize("id", ["gril.prop4.1", "mamba2.gd"])
def test_an_export_says_all_sizes_where_the_ledger_does(id, tmp_path):
    target = "hf-mamba2" if id == "mamba2.gd" else "torch"
    told = export(id, target=target, output=tmp_path / "out", features=2, examples=3)
    assert (told["construction"]["verdict"], told["construction"]["scope"]) == (
        "proved",
        "all-sizes",
    )
    assert {entry["scope"] for entry in told["construction"]["evidence"]} >= {"all-sizes"}


@pytest.mark.long
def test_a_statement_that_is_proved_at_fixed_sizes_is_said_to_be(tmp_path):
    told = export(
        "mamba2.gd", target="hf-mamba2", output=tmp_path / "out", features=2, examples=3, targets=2
    )
    assert told["construction"]["id"] == "mamba2.gd-vector"
    assert told["construction"]["scope"] == "fixed-size"


def test_run_of_a_whole_network_names_the_export_that_has_its_parameters():
    import scanproof

    with pytest.raises(scanproof.UsageError, match=r"whole network.*scanproof export mamba2.gd"):
        scanproof.run("mamba2.gd", features=4, examples=8)


@pytest.mark.long
@pytest.mark.parametrize(("n", "derived"), [(65, False), (300, True)])
def test_untouched_weights_are_not_contradicted_however_many_examples_they_are_for(
    n, derived, tmp_path, monkeypatch
):
    if not derived:  # as a model too large to be derived, whose step size is measured
        monkeypatch.setattr(recognition, "LARGEST", 1)
    export("gril.prop4.1", target="numpy", output=tmp_path / "out", features=2, examples=n)
    report = identify(tmp_path / "out")
    assert report.contradictions == [] and report.rule == DESCENT
    assert report.promise is not None and report.promise.found <= report.promise.bound


@pytest.mark.long
def test_where_tasks_of_so_many_examples_take_too_long_nothing_is_concluded(tmp_path, monkeypatch):
    monkeypatch.setattr(linear, "LONGEST", 64)
    monkeypatch.setattr(linear_certificate, "WORK", 1)
    monkeypatch.setattr(recognition, "LARGEST", 1)
    export("gril.prop4.1", target="numpy", output=tmp_path / "out", features=2, examples=65)
    report = identify(tmp_path / "out")
    assert report.contradictions == [] and report.promise is None
    for said in ("learner.step_size was not checked", "the certificate was not tried"):
        assert any(said in note for note in report.notes)


@pytest.mark.long
def test_a_certificate_names_the_data_that_the_statement_is_about(tmp_path):
    out = tmp_path / "out"
    told = export("ssd.remark4.1-lsa", target="numpy", output=out, features=1, examples=5, steps=2)
    assert told["certificate"]["data"] == told["learner"]["data"] == "linear targets"
    assert "with targets that are linear in the inputs" in told["certificate"]["covers"]
    assert identify(tmp_path / "out").contradictions == []
    for place, value in (("learner.data", "any"), ("certificate.data", "any")):
        edit_manifest(tmp_path / "out", place, value)
        assert place in [c.assertion for c in identify(tmp_path / "out").contradictions]
    told = export("gril.prop4.1", target="numpy", output=tmp_path / "any", features=1, examples=5)
    assert told["certificate"]["data"] == "any" and "linear" not in told["certificate"]["covers"]


LARGEST = [
    ("mamba2.gd", "hf-mamba2", {"features": 3, "examples": 7, "steps": 2, "seed": 1}),
    ("gril.prop4.1", "numpy", {"features": 3, "examples": 5}),
    ("gril.propA.1", "numpy", {"features": 2, "examples": 4, "steps": 3, "targets": 1, "seed": 2}),
    ("ssd.remark4.1-lsa", "numpy", {"features": 1, "examples": 6, "steps": 4}),
]


@pytest.mark.short("gril", "lsa")
@pytest.mark.parametrize(("id", "target", "options"), LARGEST)
def test_the_largest_prediction_is_between_one_that_is_attained_and_a_proved_one(
    id, target, options, tmp_path
):
    told = export(id, target=target, output=tmp_path / "out", **options)
    certificate, learner = told["certificate"], manifest.asserted_learner(told)
    attained, most = certificate["attained"], certificate["magnitude"]
    assert attained <= most <= (2 if options.get("seed") else 1.01) * attained
    d, n, domain = options["features"], options["examples"], certificate["domain"]
    norm = domain.get("input_norm", domain.get("entry", 0) * np.sqrt(d))
    found, rng = 0.0, np.random.default_rng(0)
    # alike examples of every size, in the directions of W0 and of its signs: among them one that attains it
    w = learner.W0[:, 0] if learner.W0.any() else np.ones(d)
    w = w if "input_norm" in domain else np.where(w < 0, -1.0, 1.0)
    for size in np.geomspace(1e-3, 1, 200) * (1 - 1e-9):
        x = np.tile(w / np.linalg.norm(w) * norm, (1, n + 1, 1))
        x[:, :-1] *= size * min(1, np.sqrt(domain["curvature"]) / np.linalg.norm(x[0, :-1], 2))
        for sign in (-1, 1):
            y = np.full((1, n, learner.W0.shape[1]), sign * domain["target"])
            found = max(found, float(np.abs(learner.predictions(Tasks(x, y))).max()))
    assert 0.95 * attained <= found <= most
    for _ in range(30):  # data of other directions do not exceed it
        x = rng.uniform(-1, 1, (1, n + 1, d)) * norm / np.sqrt(d)
        x *= min(1, np.sqrt(domain["curvature"]) / np.linalg.norm(x[0, :-1], 2))
        y = rng.choice([-1.0, 1.0], (1, n, learner.W0.shape[1])) * domain["target"]
        assert np.abs(learner.predictions(Tasks(x, y))).max() <= most


BOUNDED = [
    ("mamba2.gd", "hf-mamba2", {"features": 4, "examples": 20, "steps": 4}, 1000),
    (
        "linear-attention.gd",
        "fla-linear-attention",
        {"features": 8, "examples": 40, "steps": 4},
        100,
    ),
    ("gril.propA.1", "numpy", {"features": 8, "examples": 40, "steps": 4}, 100),
    ("gril.prop4.1", "numpy", {"features": 4, "examples": 20}, 40),
    ("ssd.remark4.1-lsa", "numpy", {"features": 1, "examples": 6, "steps": 2}, 1000),
]
"""With what the bound may be times the error that a short search finds, at most."""


@pytest.mark.long
@pytest.mark.parametrize(("id", "target", "options", "times"), BOUNDED)
def test_an_error_that_is_found_is_below_the_bound_and_not_far_below(
    id, target, options, times, tmp_path
):
    certificate = export(id, target=target, output=tmp_path / "out", **options)["certificate"]
    assert 0 < certificate["found"] <= certificate["absolute"] <= times * certificate["found"]


@pytest.mark.long
def test_the_bound_of_twenty_steps_on_a_thousand_examples_says_something(run: Run, tmp_path):
    sizes = ["--features", "64", "--examples", "1000", "--steps", "20"]
    out = ["--output", str(tmp_path / "out")]
    answer = run("export", "mamba2.gd", "--target", "hf-mamba2", *sizes, *out)
    assert "≤ 2.195, 0.012 of the largest" in answer.out  # and 1870 by products of norms
    assert "185.6 is attained, 185.7 is the most" in answer.out


@pytest.mark.short("attained")
@pytest.mark.parametrize(
    ("id", "target", "place"),
    [("mamba2.gd", "hf-mamba2", "magnitude"), ("gril.prop4.1", "numpy", "attained")],
)
def test_a_larger_prediction_than_there_is_contradicts_a_manifest(id, target, place, tmp_path):
    told = export(id, target=target, output=tmp_path / "out", features=2, examples=3)
    where = f"certificate.{place}"
    edit_manifest(tmp_path / "out", where, told["certificate"][place] * 1.1)
    assert where in [c.assertion for c in identify(tmp_path / "out").contradictions]


@pytest.mark.long
def test_a_manifest_of_an_earlier_version_is_not_contradicted(tmp_path):
    told = export("gril.prop4.1", target="numpy", output=tmp_path / "out", features=2, examples=3)
    certificate = {k: v for k, v in told["certificate"].items() if k not in ("data", "attained")}
    certificate["magnitude"] = 2 * np.sqrt(2)  # the bound that was taken for the largest
    certificate["relative"] = certificate["absolute"] / certificate["magnitude"]
    edit_manifest(tmp_path / "out", "certificate", certificate)
    assert identify(tmp_path / "out").contradictions == []


def cast(loaded, rounding, dtype):
    """The folder with its weights in another format, as its tensors are read back."""
    tensors = {name: rounding(array) for name, array in loaded.tensors.items()}
    return loaded._replace(tensors=tensors, dtypes=dict.fromkeys(tensors, dtype), manifest=None)


@pytest.mark.long
def test_mamba2_weights_are_judged_as_they_are_loaded(tmp_path):
    out = tmp_path / "out"
    export("mamba2.gd", target="hf-mamba2", output=out, features=4, examples=10, steps=3, seed=1)
    whole = load(tmp_path / "out")
    found = {}
    for dtype, rounding in (("float32", to_float32), ("bfloat16", to_bfloat16)):
        report = identify_mamba2(cast(whole, rounding, dtype))
        assert report.rule == DESCENT and report.distances is not None
        assert report.distances.relative < 1e-7  # of the numbers as they are, in float64
        assert report.running is not None and report.running.dtype == dtype
        found[dtype] = report.running.relative
        assert f"run in {dtype} off by {found[dtype]:.1e}" in report.verdict
        assert "within" not in report.verdict
    assert found["float32"] < 1e-5 and 1e-3 < found["bfloat16"] < 1e-1


@pytest.mark.long
def test_mamba2_weights_that_overflow_as_they_are_loaded_are_said_to(tmp_path):
    export("mamba2.gd", target="hf-mamba2", output=tmp_path / "out", features=2, examples=5)
    whole = load(tmp_path / "out")
    with np.errstate(over="ignore"):
        report = identify_mamba2(cast(whole, lambda a: np.clip(a, -6e4, 6e4), "float16"))
    assert report.running is not None and not np.isfinite(report.running.relative)
    assert report.as_dict()["running"]["relative"] is None
    assert "run in float16 it overflows" in report.verdict or report.rule != DESCENT


def test_numbers_are_rounded_to_bfloat16_as_modules_round_them():
    given = np.array([1, 1 + 2**-8, 1 + 2**-8 + 2**-20, 1 + 3 * 2**-8, -3.14159, 2**-126, np.inf])
    wanted = [1, 1, 1 + 2**-7, 1 + 2**-6, -3.140625, 2**-126, np.inf]
    assert to_bfloat16(given).tolist() == wanted
    assert np.isnan(to_bfloat16(np.array([np.nan]))).all()


def with_heads_that_cancel(size: float):
    """One step by linear attention, between two more heads whose values are ± so many times the head's own."""
    model = cases.attention(2, 1, in_one_block=True, tokens="concatenated")
    (own,) = model.layers

    def heads(name, array):
        factor = size if name == "value" else 1.0
        other = -size if name == "value" else 1.0
        return np.concatenate([factor * array, array, other * array])

    parts = {name: heads(name, np.asarray(array)) for name, array in own._asdict().items()}
    return cases.as_loaded(model._replace(layers=(type(own)(**parts),)))


@pytest.mark.long
def test_weights_that_cancel_or_overflow_are_not_called_exact_without_what_running_gives():
    small = identify_linear(with_heads_that_cancel(1))
    assert small.verdict.startswith("exactly 1 step") and "run in" not in small.verdict
    assert small.running is not None and small.running.relative < 1e-6
    for size, said in ((2.0**30, "off by"), (2.0**127, "overflows")):
        report = identify_linear(with_heads_that_cancel(size))
        assert (report.rule, report.exact) == (DESCENT, True)  # of real numbers, it is
        assert report.verdict.startswith("in exact numbers 1 step")
        assert said in report.verdict and "but run in float32" in report.verdict
        assert report.running is not None and not report.running.relative < 0.5


def scaled_apart(*factors: tuple[float, float]):
    """Attention to all examples with (KQ, PV) of each layer multiplied by two numbers."""
    model = cases.attention_to_examples(2, [0.25] * len(factors))
    layers = zip(model.layers, factors, strict=True)
    return model._replace(
        layers=tuple(own._replace(KQ=own.KQ * a, PV=own.PV * b) for own, (a, b) in layers)
    )


@pytest.mark.short(2)
@pytest.mark.parametrize("size", [1e200, 2.0**600])
def test_numbers_that_overflow_between_two_layers_are_said_to_though_smaller_data_hide_it(size):
    model = scaled_apart((size, 1), (1, 1 / size))
    report = identify_linear(cases.as_loaded(model, np.float64))
    assert (report.rule, report.steps) == (DESCENT, 2)
    assert report.verdict.startswith("in exact numbers 2 steps")
    assert report.verdict.endswith("; but run in float64 it overflows")
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, 4, 7, 2))
    assert not np.isfinite(neutral_form.predictor(model)(x, y[:, 1:, :1])).any()


@pytest.mark.long
def test_weights_that_overflow_nowhere_are_identified_in_a_while_however_large_they_are():
    model = scaled_apart((1e200, 1e-200), (1e200, 1e-200))  # LAPACK did not return of its bases
    report = identify_linear(cases.as_loaded(model, np.float64))
    assert (report.rule, report.steps) == (DESCENT, 2) and "run in" not in report.verdict
    assert report.running is not None and report.running.relative < 1e-14


@pytest.mark.long
def test_a_format_is_the_one_in_which_every_operation_runs():
    model = cases.attention(2, 2)
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, 4, 9, 2))
    whole = neutral_form.predictor(model)(x, y[:, 1:, :1])
    for dtype, unit in (("float32", 2.0**-24), ("bfloat16", 2.0**-8), ("float16", 2.0**-11)):
        off = np.abs(neutral_form.predictor(model, dtype)(x, y[:, 1:, :1]) - whole).max()
        assert unit / 8 < off / np.abs(whole).max() < 64 * unit


def two_heads(folder, ridge: float, **options):
    """An export of two-head layers with another ridge in each."""
    loaded = cases.made(cases.Export("gril.propA.1", options), folder, Fraction(1, 8))
    tensors = {
        name: np.full_like(array, ridge) if name.endswith("ridge") else array
        for name, array in loaded.tensors.items()
    }
    return loaded._replace(tensors=tensors, manifest=None)


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        {"features": 2, "targets": 2, "steps": 2},
        {"features": 1, "targets": 1, "steps": 3, "seed": 1},
    ],
)
def test_a_ridge_in_two_head_weights_is_gradient_descent_with_ridge(options, tmp_path):
    plain = identify_linear(two_heads(tmp_path / "plain", 0.0, **options))
    report = identify_linear(two_heads(tmp_path / "ridge", 0.25, **options))
    assert plain.rule == DESCENT and plain.ridge is None
    assert (report.rule, report.exact, report.ridge) == (RIDGE, True, Fraction(1, 4))
    assert (report.steps, report.W0) == (plain.steps, plain.W0)
    assert report.step_size is not None and report.step_size.value == Fraction(1, 8)
    assert "gradient descent with ridge, η = 1/8 and λ = 1/4" in report.verdict
    assert report.running is not None and report.running.relative < 1e-6


@pytest.mark.long
def test_a_ridge_of_one_step_from_0_changes_nothing_and_is_none(tmp_path):
    report = identify_linear(two_heads(tmp_path / "out", 0.25, features=2, targets=1, steps=1))
    assert (report.rule, report.ridge, report.exact) == (DESCENT, None, True)


@pytest.mark.long
def test_unequal_ridges_are_not_taken_for_one(tmp_path):
    loaded = two_heads(tmp_path / "out", 0.25, features=1, targets=1, steps=2, seed=1)
    half = {"layers.1.ridge": np.full_like(loaded.tensors["layers.1.ridge"], 0.125)}
    assert identify_linear(cases.with_tensors(loaded, half)).rule == NONE


@pytest.mark.long
def test_what_was_tried_at_one_number_of_examples_is_not_called_constant(monkeypatch):
    report = identify_linear(cases.as_loaded(cases.masked_layer(2, 5)))
    assert report.step_size is not None and report.step_size.dependence == "at n = 5 alone"
    assert report.verdict.endswith("at n = 5")
    monkeypatch.setattr(recognition, "LARGEST", 10)
    loaded = cases.as_loaded(cases.attention(2, 2))
    report = identify_linear(loaded, asked(4))
    assert report.step_size is not None and report.step_size.dependence == "at n = 4 alone"
    assert "η = 1/8 at n = 4 alone" in report.verdict
    several = identify_linear(loaded)  # tried at all n of the scheme
    assert several.step_size is not None and several.step_size.dependence == "constant in n"


@pytest.mark.long
def test_step_sizes_that_round_1_and_have_it_as_their_mean_are_not_exactly_1():
    model = cases.attention(2, 2)
    first, second, last = model.layers
    ulp = 2.0**-23

    def step(layer, eta):
        value = np.asarray(layer.value) * 1.0
        return layer._replace(
            value=np.where(np.abs(value) == cases.ETA, value * eta / cases.ETA, value)
        )

    layers = (step(first, 1 - ulp), step(second, 1 + ulp), last)
    report = identify_linear(cases.as_loaded(model._replace(layers=layers)))
    assert report.step_size is not None and report.step_size.value == 1 and report.step_size.each
    assert report.verdict.startswith("up to rounding of its float32 numbers 2 steps")
    layers = (step(first, 1.0), step(second, 1.0), last)
    exact = identify_linear(cases.as_loaded(model._replace(layers=layers)))
    assert exact.verdict.startswith("exactly 2 steps of gradient descent with η = 1 ")


def near_attention(size: float):
    """Two steps by linear attention, with values that are off by about so much."""
    model, rng = cases.attention(2, 2), np.random.default_rng(0)
    noisy = [
        layer._replace(
            value=np.asarray(layer.value) * (1 + size * rng.standard_normal(layer.value.shape))
        )
        for layer in model.layers
    ]
    return model._replace(layers=tuple(noisy))


@pytest.mark.long
@pytest.mark.parametrize(
    ("size", "grade", "begins"),
    [
        (0.0, "is", "exactly 2 steps"),
        (1e-7, "is up to", "up to"),
        (0.005, "is nearest to", "nearest to 2 steps of gradient descent with ridge, η = 0.1"),
        (5.0, "is not", "not gradient descent: the nearest is"),
    ],
)
def test_a_verdict_is_graded_by_how_far_off_the_weights_are(size, grade, begins):
    report = identify_linear(cases.as_loaded(near_attention(size)))
    assert (report.grade, report.as_dict()["grade"]) == (grade, grade)
    assert report.verdict.startswith(begins)


@pytest.mark.long
def test_a_mamba2_model_that_is_off_by_a_part_in_a_hundred_is_near_gradient_descent(tmp_path):
    export(
        "mamba2.gd", target="hf-mamba2", output=tmp_path / "out", features=2, examples=5, steps=2
    )
    given = load(tmp_path / "out")._replace(manifest=None)
    rng = np.random.default_rng(0)
    tensors = {
        name: array * (1 + 1e-3 * rng.standard_normal(array.shape)).astype(np.float32)
        if "in_proj" in name
        else array
        for name, array in given.tensors.items()
    }
    report = identify_mamba2(given._replace(tensors=tensors))
    assert report.grade == "is nearest to"
    assert report.verdict.startswith("nearest to 2 steps of gradient descent with ")
    assert "2 steps of gradient descent with η = 0.19" in report.verdict  # beside it, if not alone
    effects = [deviation.effect or 0.0 for deviation in report.deviations]
    assert effects == sorted(effects, reverse=True) and all(effects)


@pytest.mark.long
def test_entries_are_blamed_by_their_effect_and_dead_ones_never():
    model = cases.attention(2, 2)
    last = model.layers[-1]
    output = np.array(last.output, dtype=float)
    unread = np.flatnonzero(~np.abs(np.asarray(model.readout)).any(axis=0))
    rng = np.random.default_rng(0)
    places = [(h, c, p) for h in range(len(output)) for c in unread for p in range(output.shape[2])]
    for i in rng.choice(len(places), min(600, len(places)), replace=False):
        output[places[i]] += 1.0  # what never reaches the readout
    value = np.array(model.layers[1].value, dtype=float)
    little, much = np.argwhere(value)[:2]
    value[tuple(little)] *= 1 + 2.0**-12
    value[tuple(much)] *= 1.5
    layers = (model.layers[0], model.layers[1]._replace(value=value), last._replace(output=output))
    report = identify_linear(cases.as_loaded(model._replace(layers=layers)))
    assert report.rule == NONE
    named = [deviation.entry for deviation in report.deviations]
    assert named == [
        f"layers.1.value[{', '.join(map(str, at))}]" for at in (much.tolist(), little.tolist())
    ]
    assert report.deviations_idle == report.deviations_in_all - 2
    assert f"of which {report.deviations_idle} change no prediction" in report.verdict


def in_another_order(model, which: int, seed: int = 0):
    """The same function with one of its hidden bases in another order."""
    found, basis = arrays(model), bases.of_family(model)[which]
    name, axis = basis[0]
    order = np.random.default_rng(seed).permutation(found[name].shape[axis])
    moved = bases.permuted(found, basis, order)
    layers = {n: a for n, a in moved.items() if n not in neutral.ENCODING}
    return neutral.from_tensors(layers, {n: moved[n] for n in neutral.ENCODING}, model.tokens)


@pytest.mark.long
@pytest.mark.parametrize("which", [0, 4])
def test_the_order_of_a_hidden_basis_is_divided_out_before_entries_are_blamed(which):
    model = in_another_order(cases.attention(2, 2), which)
    report = identify_linear(cases.as_loaded(model))
    assert (report.rule, report.deviations_in_all, report.same_function) == (DESCENT, 0, True)
    value = np.array(model.layers[1].value, dtype=float)
    at = tuple(map(int, np.argwhere(value)[0]))
    value[at] *= 1.01
    layers = (model.layers[0], model.layers[1]._replace(value=value), model.layers[2])
    report = identify_linear(cases.as_loaded(model._replace(layers=layers)))
    assert [d.entry for d in report.deviations] == [f"layers.1.value[{', '.join(map(str, at))}]"]
    assert report.deviations_in_all == 1 and report.verdict.startswith("nearest to 2 steps")


@pytest.mark.long
def test_the_order_of_a_mamba2_stream_is_divided_out_before_entries_are_blamed(tmp_path):
    export(
        "mamba2.gd", target="hf-mamba2", output=tmp_path / "out", features=3, examples=5, steps=2
    )
    given = load(tmp_path / "out")._replace(manifest=None)
    both = {**given.tensors, **given.encoding}
    stream = mamba2_construction.stream(given)
    width = given.encoding["encode.bias"].shape[0]
    moved = bases.permuted(both, stream, np.random.default_rng(0).permutation(width))

    def identified(arrays):
        tensors = {name: arrays[name] for name in given.tensors}
        encoding = {name: arrays[name] for name in given.encoding}
        return identify_mamba2(given._replace(tensors=tensors, encoding=encoding))

    report = identified(moved)
    assert (report.rule, report.deviations_in_all, report.same_function) == (DESCENT, 0, True)
    name = "backbone.layers.0.mixer.in_proj.weight"
    edited = moved[name].copy()
    at = tuple(map(int, np.argwhere(edited)[5]))
    edited[at] *= 1.02
    report = identified({**moved, name: edited})
    assert [d.entry for d in report.deviations] == [f"{name}[{at[0]}, {at[1]}]"]
    assert report.deviations_in_all == 1 and report.verdict.startswith("nearest to 2 steps")


SMALL = [case for case in mamba2_cases.CASES if case.features < 16]


@pytest.mark.short(6)
@pytest.mark.parametrize(
    ("case", "channel"), [(c, (2.0**9, 2.0**24)[n % 2]) for n, c in enumerate(SMALL)], ids=str
)
def test_blocks_stay_within_the_bound_of_their_data(case, channel):
    """Where K is small the norms are off by far more than rounding, alike for a whole token."""
    made, dtype = mamba2_cases.instance(case, channel), "float32" if channel > 2**20 else None
    given = mamba2_cases.tasks(case, 3, seed=7)
    settings, state = hf_mamba2.layout(np, made)
    ends = (made.model.encode_weight, made.model.encode_bias, np.eye(case.targets))
    model = mamba2_model.model_of(settings, state, dict(zip(ENCODING, ends, strict=True)))
    got = mamba2_model.predictions(model, made.layout, *given, dtype)
    if got.ndim == 3:  # a prediction at every token
        got = got[:, -1]
    missed = np.abs(got - mamba2_cases.explicit(case, made.W0, given)).max(axis=1)
    for x, y, error in zip(*given, missed, strict=True):
        domain = mamba2.domain_of(x, y, made.W0, made.eta, case.steps)
        assert 0 < error <= mamba2.bound(made, domain, dtype or mamba2.EXACT).prediction + 1e-12


def disturbed(loaded, size: float, *, added: bool):
    """A folder without its manifest whose tensors are off by seeded noise, relative to each entry or added to it."""
    rng = np.random.default_rng(1)

    def noisy(array):
        noise = size * rng.standard_normal(array.shape)
        return (array + noise if added else array * (1 + noise)).astype(array.dtype)

    tensors = {name: noisy(array) for name, array in loaded.tensors.items()}
    return loaded._replace(tensors=tensors, manifest=None)


def folder(tmp_path, id, target="numpy", **options):
    export(id, target=target, output=tmp_path / "out", **options)
    return load(tmp_path / "out")


@pytest.mark.long
def test_what_holds_for_linear_targets_is_run_on_them(tmp_path):
    options = {"features": 1, "examples": 7, "steps": 3, "step_size": "3/1000"}
    report = identify_linear(folder(tmp_path, "ssd.remark4.1-lsa", **options))
    assert report.data == "linear targets" and "but run in" not in report.verdict
    assert report.running is not None and report.running.relative < 1e-14
    assert "y = Wᵀx" in report.running.how


@pytest.mark.long
def test_noisy_weights_of_a_rule_for_linear_targets_are_judged_on_them(tmp_path):
    given = folder(tmp_path, "ssd.remark4.1-lsa", features=1, examples=5, steps=2)
    report = identify_linear(disturbed(given, 1e-7, added=False))
    assert report.nearest is not None and report.nearest.off < 1e-7
    assert "y = Wᵀx" in report.verdict
    named = identify_linear(disturbed(given, 1e-3, added=False)).deviations
    assert all(abs(d.found - d.expected) < 5e-3 for d in named)  # factors 1/n of 5 examples


@pytest.mark.long
def test_of_two_unequal_layers_the_edited_one_is_named(tmp_path):
    given = folder(tmp_path, "ssd.remark4.1-lsa", features=1, examples=5, steps=2)
    edited = {"layers.0.scale": given.tensors["layers.0.scale"] * 1.001}
    report = identify_linear(cases.with_tensors(given._replace(manifest=None), edited))
    assert [d.entry for d in report.deviations] == ["layers.0.scale"]


@pytest.mark.long
def test_no_rule_is_called_the_nearest_that_is_further_off_than_no_step(tmp_path):
    given = folder(tmp_path, "gril.prop4.1", features=2, examples=5)
    report = identify_linear(disturbed(given, 2.0, added=True))  # at 1, a step explains 1 %
    assert report.nearest is not None and not report.nearest.learns and report.grade == "is not"
    assert "the nearest is no step at all, off by 100 % of the predictions" in report.verdict
    assert [percent(part) for part in (0.00651, 0.9996, 1.334, 123.0)] == [
        "0.65 %", "100 %", "133 %", "1.2e+04 %",
    ]  # fmt: skip


@pytest.mark.long
def test_a_factor_that_rounding_alone_moves_is_not_irregular_in_n(tmp_path):
    given = folder(
        tmp_path,
        "gril.propA.1",
        dtype="float32",
        features=2,
        examples=5,
        targets=1,
        steps=2,
        seed=1,
    )
    bias = given.encoding["encode.bias"].copy()
    bias[0] = 1e-42
    given = given._replace(encoding={**given.encoding, "encode.bias": bias}, manifest=None)
    report = identify_linear(given)
    assert report.rule == DESCENT and "irregular" not in report.verdict
    assert report.step_size is not None and report.step_size.dependence == "constant in n"


@pytest.mark.long
def test_entries_that_are_noisy_are_compared_with_the_construction_that_they_disturb(tmp_path):
    size = 1e-4
    out = {"target": "fla-linear-attention", "features": 2, "examples": 6, "steps": 2}
    report = identify_linear(
        disturbed(folder(tmp_path, "linear-attention.gd", **out), size, added=True)
    )
    assert report.deviations and report.nearest is not None and report.nearest.off < 100 * size
    for deviation in report.deviations:  # entries are 4 and less; η is not put into another basis
        assert abs(deviation.found - deviation.expected) < 20 * size


@pytest.mark.long
def test_of_several_tokens_those_are_taken_with_which_predictions_are_near_a_rule(tmp_path):
    options = {"target": "torch", "features": 2, "examples": 6, "seed": 1}
    given = folder(tmp_path, "linear-attention.one-step-concatenated", **options)
    report = identify_linear(disturbed(given, 1e-2, added=True))
    assert report.sizes["features"] == 2 and report.verdict.startswith("nearest to 1 step")


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "target", "edits"),
    [
        (
            "mamba2.gd",
            "hf-mamba2",
            {
                "certificate.magnitude": 0.5,
                "certificate.relative": 1e-9,
                "construction.id": "gd-ssm.prop1",
            },
        ),
        (
            "gril.prop4.1",
            "numpy",
            {
                "certificate.found": 1e3,
                "certificate.domain.examples": 4,
                "construction.id": "mamba2.one-step",
                "construction.verdict": "refuted",
            },
        ),
    ],
)
def test_a_manifest_that_contradicts_itself_or_the_ledger_is_contradicted(
    id, target, edits, tmp_path
):
    export(id, target=target, output=tmp_path / "out", features=2, examples=3)
    assert identify(tmp_path / "out").contradictions == []
    written = (tmp_path / "out" / "manifest.json").read_text("utf-8")
    for place, value in edits.items():
        edit_manifest(tmp_path / "out", place, value)
        assert identify(tmp_path / "out").contradictions, place
        (tmp_path / "out" / "manifest.json").write_text(written, encoding="utf-8")


def mamba2_with(tmp_path, change):
    """Two steps by Mamba-2 blocks whose tensors, or encoding, a function changed in place."""
    given = folder(tmp_path, "mamba2.gd", target="hf-mamba2", features=2, examples=6, steps=2)
    tensors = {name: np.array(array) for name, array in given.tensors.items()}
    encoding = {name: np.array(array) for name, array in given.encoding.items()}
    change({**tensors, **encoding})
    return identify_mamba2(given._replace(tensors=tensors, encoding=encoding, manifest=None))


@pytest.mark.long
def test_mamba2_weights_may_be_nearest_to_a_rule_beside_plain_steps(tmp_path):
    def decayed(arrays):  # of W, once, by the skip of the last block
        arrays["backbone.layers.2.mixer.D"] *= np.float32(1.001)

    report = mamba2_with(tmp_path, decayed)
    assert report.nearest is not None and report.nearest.off < 1e-9
    assert report.verdict.startswith(
        "nearest to 2 steps of gradient descent with ridge, η = 0.1666"
    )
    assert ", labelled tokens" in report.verdict and "(relative)" not in report.verdict
    assert (
        "; of simpler rules, 2 steps of gradient descent with η = 0.1665 is off" in report.verdict
    )


@pytest.mark.long
@pytest.mark.parametrize(("at", "value"), [(0, -1e30), (7, 1e38)])
def test_mamba2_weights_that_forget_the_examples_are_not_recognised(at, value, tmp_path):
    """A W0 beside which K is nothing, and a constant channel beside which all else is."""

    def huge(arrays):
        arrays["encode.bias"][at] = value

    report = mamba2_with(tmp_path, huge)
    assert report.rule == NONE and report.verdict


@pytest.mark.long
def test_the_verdict_on_mamba2_weights_says_what_that_on_linear_layers_does(tmp_path):
    report = mamba2_with(tmp_path, lambda arrays: None)
    words = "as far as measured 2 steps of gradient descent with η = 1/6 from W0 = 0 on labelled tokens, at n = "
    assert report.verdict.startswith(words + "1, 2, 5, 12, 33; run in float32 off by ")
    assert report.verdict.endswith(" of the largest prediction")


@pytest.mark.long
@pytest.mark.parametrize(("examples", "derived"), [((1,), False), ((2, 4), True)])
def test_at_other_numbers_of_examples_than_the_manifest_is_about_its_step_size_is_not_contradicted(
    examples, derived, tmp_path, monkeypatch
):
    if not derived:
        monkeypatch.setattr(recognition, "LARGEST", 1)
    export("gril.prop4.1", target="numpy", output=tmp_path / "out", features=2, examples=65)
    report = identify(tmp_path / "out", examples=examples)
    assert report.contradictions == []
    assert any("was not checked: it is about 65 examples" in note for note in report.notes)
    edit_manifest(tmp_path / "out", "learner.step_size", "1/7")
    own = identify(tmp_path / "out", examples=65).contradictions
    assert [c.assertion for c in own if c.assertion.startswith("learner")] == ["learner.step_size"]


@pytest.mark.long
def test_mamba2_weights_are_said_to_be_off_by_what_was_measured_where_tasks_are_large(tmp_path):
    out = tmp_path / "out"
    export("mamba2.gd", target="hf-mamba2", output=out, features=2, examples=5)
    report = identify(out, scale=100.0)
    assert report.distances is not None and 1e-3 < report.distances.relative < 0.1
    assert report.verdict.startswith(f"up to {report.distances.relative:.1e} of the largest")
    assert report.contradictions == []
    assert identify(out).verdict.startswith("as far as measured 1 step of gradient descent")


def test_mamba2_weights_at_one_number_of_examples_are_not_called_constant(tmp_path):
    export("mamba2.gd", target="hf-mamba2", output=tmp_path / "out", features=2, examples=5)
    for examples, words in (((7,), "at n = 7 alone"), ((7, 9), "constant in n")):
        report = identify(tmp_path / "out", examples=examples)
        assert report.step_size is not None and report.step_size.dependence == words


@pytest.mark.long
def test_mamba2_weights_in_float64_are_not_blamed_for_a_scan_in_float32(tmp_path):
    export("mamba2.gd", target="hf-mamba2", output=tmp_path / "out", features=2, examples=5)
    report = identify(tmp_path / "out", dtype="float64")
    assert report.verdict.startswith("as far as measured 1 step") and "but" not in report.verdict
