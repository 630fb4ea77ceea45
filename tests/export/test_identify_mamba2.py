"""`identify` on Mamba-2 weights: ours without a manifest, edited ones, contradicted manifests, and those of others."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import islice
from pathlib import Path

import identify_cases as cases
import numpy as np
import pytest

from scanproof.constructs.constructions import mamba2_gd
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import hf_mamba2, mamba_ssm
from scanproof.constructs.learners.descent import gradient_descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.numeric.export import tensors as files
from scanproof.numeric.export.exporting import export
from scanproof.numeric.export.loading import Loaded, load
from scanproof.numeric.export.targets import PT
from scanproof.numeric.identify import fitting, tasks
from scanproof.numeric.identify.identifying import identified as identify_mamba2
from scanproof.numeric.identify.identifying import identify as identify_folder
from scanproof.numeric.identify.mamba2_model import layouts, model_of, predictions, predictor
from scanproof.numeric.identify.report import ASCENT, DESCENT, NONE
from scanproof.numeric.identify.roundings import simple
from scanproof.numeric.identify.rule import Rule, descent
from scanproof.numeric.rounding.batch import Batch

ENCODING = ("encode.weight", "encode.bias", "readout.weight")


def weights(d, k, steps, eta, *, W0=None, **options):
    """Settings, and all tensors of a constructed model as its export has them."""
    W0 = np.random.default_rng(1).standard_normal((d, k)) / 2 if W0 is None else W0
    made = mamba2_gd.instance(np, d, steps, eta, W0, **options)
    settings, state = hf_mamba2.layout(np, made)
    tensors = {key: array.astype(np.float32) for key, array in state.items()}
    arrays = (made.model.encode_weight, made.model.encode_bias, np.eye(k))
    return settings, {**tensors, **dict(zip(ENCODING, arrays, strict=True))}, W0


def loaded(settings, tensors, manifest=None, target="hf-mamba2"):
    state = {key: array for key, array in tensors.items() if key not in ENCODING}
    encoding = {key: tensors[key] for key in ENCODING}
    dtypes = {key: str(array.dtype) for key, array in state.items()}
    return Loaded(Path("folder"), manifest, settings, state, encoding, target, dtypes)


def identify(settings, tensors):
    return identify_mamba2(loaded(settings, tensors))


def step_size(report):
    assert report.step_size is not None
    return report.step_size


def distances(report):
    assert report.distances is not None
    return report.distances


def W0_of(report):
    assert report.W0 is not None
    return np.array(report.W0, dtype=float)


CASES = [
    (1, 1, 1, Fraction(1, 3), {}),
    (4, 1, 3, Fraction(1, 10), {}),
    (3, 2, 2, Fraction(1, 7), {"tokens": "concatenated"}),
    (3, 3, 1, Fraction(3, 10), {"in_one_block": True}),
    (1, 1, 1, Fraction(3, 10), {"in_one_block": True, "tokens": "interleaved"}),
    (2, 1, 3, Fraction(5), {}),
    (2, 1, 3, Fraction(1, 10**7), {}),
]


@pytest.mark.short(10)
@pytest.mark.parametrize(("d", "k", "steps", "eta", "options"), CASES, ids=str)
def test_our_weights_are_recognised_without_a_manifest(d, k, steps, eta, options):
    settings, tensors, W0 = weights(d, k, steps, float(eta), **options)
    report = identify(settings, tensors)
    assert report.rule == DESCENT
    assert report.steps == steps
    assert step_size(report).nearest == eta
    assert abs(step_size(report).value / eta - 1) <= 2.0**-24
    np.testing.assert_allclose(W0_of(report), W0, rtol=2.0**-23)
    assert report.sizes["features"] == d
    assert report.sizes["targets"] == k
    assert options.get("tokens", "labelled") in report.verdict
    assert report.deviations_in_all == 0
    assert report.same_function
    assert distances(report).relative <= 1e-6
    assert distances(report).sensitivity_cosine == pytest.approx(1, abs=1e-12)
    assert report.exit_code(strict=True) == 0
    json.dumps(report.as_dict(), allow_nan=False)


@pytest.mark.long
def test_a_negative_step_size_is_ascent():
    settings, tensors, _ = weights(2, 1, 2, -0.125)
    report = identify(settings, tensors)
    assert (report.rule, step_size(report).nearest) == (ASCENT, Fraction(-1, 8))


@pytest.mark.long
def test_weights_that_start_from_zero_are_recognised():
    settings, tensors, _ = weights(3, 1, 2, 0.1, W0=np.zeros((3, 1)))
    report = identify(settings, tensors)
    assert report.rule == DESCENT
    assert not W0_of(report).any()


@pytest.mark.long
def test_under_the_names_of_state_spaces_mamba_the_weights_are_the_same():
    made = mamba2_gd.instance(np, 3, 2, 0.25, np.ones((3, 1)))
    settings, state = mamba_ssm.layout(np, made)
    arrays = (made.model.encode_weight, made.model.encode_bias, np.eye(1))
    tensors = {key: array.astype(np.float32) for key, array in state.items()}
    tensors |= dict(zip(ENCODING, arrays, strict=True))
    report = identify_mamba2(loaded(settings, tensors, target="mamba-ssm"))
    assert (report.rule, report.steps, report.target) == (DESCENT, 2, "mamba-ssm")
    assert report.deviations_in_all == 0


def predicted(settings, tensors, tokens, count=6):
    """By the definition, for tasks that `identify` does not draw: (tasks, k)."""
    model = model_of(settings, tensors, tensors)
    (layout,) = (
        one for one in layouts(model.encode_weight.shape[1], model.targets) if one.name == tokens
    )
    d, k = layout.slots.d, layout.slots.k
    return predictions(model, layout, *tasks.sample(d, k, 9, count, seed=(5, 5), sampler="normal"))


def mutants(tensors, seed, carried):
    """An entry of each tensor, in turn one that is not 0 and any one, changed by about a half; not W0 in the bias."""
    rng = np.random.default_rng(seed)
    for count, (name, array) in enumerate(tensors.items()):
        for places in (np.argwhere(array != 0), np.argwhere(array == array))[count % 2 :]:
            at = tuple(int(i) for i in places[rng.integers(len(places))]) if len(places) else None
            if at is None or (name == "encode.bias" and at[0] < carried):
                continue
            edited = array.copy()
            edited[at] = array[at] * 1.5 if array[at] else rng.choice([-0.5, 0.5])
            yield name, at, {**tensors, name: edited}


@pytest.mark.long
def test_an_edited_entry_is_named_and_refused_if_it_changes_the_function():
    settings, tensors, _ = weights(2, 1, 1, 0.25)
    original = predicted(settings, tensors, "labelled")
    refused = kept = 0
    for name, at, edited in islice(mutants(tensors, 3, 2), 0, None, 2):
        report = identify(settings, edited)
        entry = f"{name}[{', '.join(map(str, at))}]"
        assert [deviation.entry for deviation in report.deviations] == [entry]
        found, expected = edited[name][at], tensors[name][at]
        assert report.deviations[0].found == found
        assert report.deviations[0].expected == expected
        moved = (
            np.abs(predicted(settings, edited, "labelled") - original).max()
            / np.abs(original).max()
        )
        if report.rule == NONE:
            refused += 1
            assert moved > 1e-6
        else:
            kept += 1
            assert moved <= 1e-6, entry
            assert not report.same_function  # nobody tried all data
    assert min(refused, kept) >= 3


@pytest.mark.long
def test_edited_weights_of_the_tokens_are_another_start():
    settings, tensors, W0 = weights(2, 1, 2, 0.25)
    bias = tensors["encode.bias"].copy()
    bias[0] += 1
    report = identify(settings, {**tensors, "encode.bias": bias})
    assert report.rule == DESCENT
    assert W0_of(report)[0, 0] == W0[0, 0] + 1


@pytest.mark.long
def test_turned_inputs_are_still_gradient_descent_from_turned_weights():
    settings, tensors, W0 = weights(3, 1, 2, 0.125)
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    encode = tensors["encode.weight"].copy()
    encode[:, :3] = encode[:, :3] @ turn
    report = identify(settings, {**tensors, "encode.weight": encode})
    assert (report.rule, report.steps, step_size(report).nearest) == (DESCENT, 2, Fraction(1, 8))
    np.testing.assert_allclose(W0_of(report), turn.T @ W0, atol=1e-9)
    assert report.deviations_in_all == 9


def reordered(settings, tensors):
    """The same function with the residual stream's channels in another order."""
    order = np.random.default_rng(0).permutation(settings["hidden_size"])
    axes = {"in_proj.weight": 1, "out_proj.weight": 0, "lm_head.weight": 1, "embeddings.weight": 1}
    axes |= {"norm_f.weight": 0, "encode.weight": 0, "encode.bias": 0}
    axes |= {f"layers.{i}.norm.weight": 0 for i in range(3)}
    return settings, {
        key: next(
            (np.take(array, order, axis) for name, axis in axes.items() if key.endswith(name)),
            array,
        )
        for key, array in tensors.items()
    }


@pytest.mark.long
def test_a_residual_stream_in_another_order_is_still_gradient_descent():
    settings, tensors, _ = weights(3, 1, 2, 0.125)
    assert identify(*reordered(settings, tensors)).rule == DESCENT


@pytest.mark.long
def test_a_larger_vocabulary_changes_nothing():
    settings, tensors, _ = weights(2, 1, 2, 0.25)
    M = settings["hidden_size"]
    head = np.concatenate([tensors[hf_mamba2.HEAD], np.ones((6, M), np.float32)])
    larger = {
        hf_mamba2.HEAD: head,
        hf_mamba2.EMBEDDINGS: np.zeros((7, M)),
        "readout.weight": np.eye(7)[:1],
    }
    report = identify({**settings, "vocab_size": 7}, {**tensors, **larger})
    assert (report.rule, report.steps) == (DESCENT, 2)


@pytest.mark.long
def test_a_step_size_of_zero_is_no_descent():
    settings, tensors, _ = weights(2, 1, 2, 0.0)
    report = identify(settings, tensors)
    assert (report.rule, report.steps) == (NONE, 0)
    assert "do not depend on the examples" in report.verdict


@pytest.mark.long
def test_half_the_step_size_is_not_taken_for_the_whole():
    settings, tensors, _ = weights(3, 1, 2, 0.125)
    assert step_size(identify(settings, tensors)).nearest == Fraction(1, 8)


@pytest.mark.long
def test_a_step_of_another_size_is_one_of_unequal_steps():
    settings, tensors, _ = weights(2, 1, 3, 0.25)
    other = weights(2, 1, 3, 0.125)[1]
    key = hf_mamba2.key(1, "in_proj")
    report = identify(settings, {**tensors, key: other[key]})
    assert (report.rule, report.deviations_in_all) == (DESCENT, 0)
    assert step_size(report).each == (0.25, 0.125, 0.25)
    assert "3 steps of gradient descent with η = (1/4, 1/8, 1/4)" in report.verdict


def test_unequal_steps_are_found_where_entries_are_in_another_order():
    settings, tensors, _ = weights(3, 1, 2, 0.125)
    key = hf_mamba2.key(0, "in_proj")
    tensors[key] = weights(3, 1, 2, 0.25)[1][key]
    report = identify(*reordered(settings, tensors))
    assert report.rule == DESCENT
    assert step_size(report).each == (0.25, 0.125) and report.deviations_in_all == 0


def found(learner: Rule, layers: int):
    """The rules that a learner's predictions are near to, on data of half the size."""
    d, k = learner.W0.shape
    scheme = tasks.Scheme(d, k, (2, 5, 12), count=8)

    def predict(x, y):
        return learner.predictions(tasks.Tasks(x, y))

    return fitting.found(predict, layers, scheme, 0.5)


@pytest.mark.long
def test_unequal_steps_are_measured_where_the_tensors_do_not_tell():
    W0, each = np.random.default_rng(0).standard_normal((3, 2)), (0.05, 0.3, 0.11)
    near = found(Rule(each, W0), 3)
    assert near.best is not None and near.best.off < 1e-9 and near.plain.off > 1e-6
    np.testing.assert_allclose(near.best.rule.step_sizes, sorted(each), rtol=1e-6)


@pytest.mark.long
def test_steps_that_are_not_of_gradient_descent_are_not_taken_for_unequal_ones():
    settings, tensors, _ = weights(2, 1, 3, 0.25)
    key = hf_mamba2.key(1, "in_proj")
    half = tensors[key].copy()
    rows = np.nonzero(np.abs(half - weights(2, 1, 3, 0.125)[1][key]).sum(axis=1))[0]
    half[rows[: len(rows) // 2]] /= 2
    assert identify(settings, {**tensors, key: half}).rule == NONE


@pytest.mark.long
@pytest.mark.parametrize("steps", [2])
def test_step_counts_are_distinguished(steps):
    """The best step size for one step more or less is far off, though not by much at a small learning rate."""
    settings, tensors, W0 = weights(3, 1, steps, 1 / 12)
    model = model_of(settings, tensors, tensors)
    (layout,) = (one for one in layouts(model.encode_weight.shape[1], 1) if one.name == "labelled")
    scheme = tasks.Scheme(3, 1, (1, 5, 12), count=8)
    near = fitting.found(predictor(model, layout), steps + 1, scheme, 1.0)
    plain = [each for each in near.fits if each.kind.plain and not each.rule.divided]
    found = {each.rule.steps: each.off for each in plain}
    assert found[steps] <= 1e-9
    assert found.get(steps - 1, 1.0) >= 1e-3
    assert found[steps + 1] >= 1e-3
    np.testing.assert_allclose(near.plain.rule.W0, W0, rtol=1e-6)


def exported(folder, **options):
    export("mamba2.gd", target="hf-mamba2", output=folder, features=3, examples=8, **options)
    return load(folder)


@pytest.mark.long
def test_a_manifest_that_fits_is_not_contradicted_and_its_promise_is_kept(tmp_path):
    report = identify_mamba2(exported(tmp_path / "out", steps=2, seed=1))
    assert (report.contradictions, report.exit_code()) == ([], 0)
    assert report.promise is not None
    assert 0 < report.promise.found < report.promise.bound


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("learner.steps", 3, "learner.steps"),
        ("learner.step_size", "1/16", "learner.step_size"),
        ("learner.step_size", "9" * 900, "learner.step_size"),
        ("learner.W0", [["0"], ["0"], ["0"]], "learner.W0[2][0]"),
        ("learner.W0", [["0"]], "learner.W0"),
        ("learner.rule", "Newton's method", "learner.rule"),
        ("tokens.name", "interleaved", "tokens.name"),
        ("learner.loss", "the sum of squares", "learner.loss"),
        ("tokens.predicts", "every", "tokens.predicts"),
        ("tokens.raw", [["x", 2], ["y", 2], ["is_query", 1]], "tokens.raw"),
        ("sizes.features", 2, "sizes.features"),
        ("certificate.absolute", 1e-12, "certificate.absolute"),
        ("certificate.relative", 1e-12, "certificate.relative"),
        ("certificate.domain.target", 1e308, "certificate.absolute"),
    ],
)
def test_what_a_manifest_asserts_wrongly_is_named(tmp_path, path, value, named):
    given = exported(tmp_path / "out", steps=2, seed=1)
    cases.set_in(given.manifest, path, value)
    report = identify_mamba2(given)
    assert report.rule == DESCENT
    assert named in [contradiction.assertion for contradiction in report.contradictions]
    assert report.exit_code() == 1


@pytest.mark.long
def test_a_manifest_beside_edited_weights_is_contradicted(tmp_path):
    given = exported(tmp_path / "out", steps=2)
    given.tensors[hf_mamba2.key(0, "in_proj")][:] *= 1.25
    report = identify_mamba2(given)
    assert [c.assertion for c in report.contradictions] == ["learner.step_size"]


@pytest.mark.long
def test_a_manifest_beside_an_edited_file_is_contradicted_by_its_hash(tmp_path):
    given = exported(tmp_path / "out", steps=1)
    key = hf_mamba2.key(0, "in_proj")
    edited = given.tensors[key].copy()
    edited[-1, 0] += 2.0**-10
    files.write(tmp_path / "out" / "model.safetensors", {**given.tensors, key: edited}, PT)
    report = identify_folder(tmp_path / "out")
    assert "files.model.safetensors.sha256" in [c.assertion for c in report.contradictions]
    assert report.exit_code() == 1


@pytest.mark.long
def test_a_channel_that_only_large_queries_reach_leaves_the_certificate_open(tmp_path):
    """silu(100 x1 − 1200) is nothing in every task that is drawn; queries of the certificate's domain reach it."""

    def edited(bound):
        out = tmp_path / bound
        given = exported(out, steps=2, input_bound=bound)
        settings, last = given.settings, hf_mamba2.key(2, "in_proj")
        assert settings is not None
        inner = settings["num_heads"] * settings["head_dim"]
        bias, weight = given.encoding["encode.bias"], given.encoding["encode.weight"]
        D = np.repeat(given.tensors[hf_mamba2.key(2, "D")], settings["head_dim"])
        into, outof = given.tensors[last], given.tensors[hf_mamba2.key(2, "out_proj")]
        row = max(r for r in range(inner) if D[r] == 1 and not into[inner + r].any())
        into[inner + row, np.argmax(weight[:, 0])] = 100
        into[inner + row, np.argmax(bias)] = -1200 / bias.max()
        outof[np.argmax(given.tensors[hf_mamba2.HEAD][0]), row] = 0.1
        return identify_mamba2(given)

    small, large = edited("1"), edited("16")
    for report in (small, large):
        assert report.rule == DESCENT
        assert (report.deviations_in_all, report.same_function, report.promise) == (3, False, None)
        assert "3 entries differ from the construction, which other data may show" in report.verdict
        assert any("certificate is not established for these" in note for note in report.notes)
    assert small.contradictions == []
    assert [c.assertion for c in large.contradictions] == ["certificate.absolute"]


@pytest.mark.long
def test_a_residual_stream_in_another_order_keeps_its_manifest_and_its_certificate(tmp_path):
    given = exported(tmp_path / "out", steps=2)
    assert given.settings is not None
    _, permuted = reordered(given.settings, {**given.tensors, **given.encoding})
    report = identify_mamba2(loaded(given.settings, permuted, given.manifest))
    assert (report.rule, report.contradictions, report.deviations_in_all) == (DESCENT, [], 0)
    assert report.promise is not None and report.promise.found < report.promise.bound


@pytest.mark.long
def test_weights_that_are_the_constructions_are_recognised_where_no_task_has_a_bound(tmp_path):
    W0 = np.array([[-177059.0274240315], [-339266.3607425119]])
    export(
        "mamba2.gd-concatenated",
        target="hf-mamba2",
        output=tmp_path / "out",
        features=2,
        examples=8,
        step_size=0.1,
        W0=W0,
    )
    report = identify_mamba2(load(tmp_path / "out"))
    assert (report.rule, report.steps, report.contradictions) == (DESCENT, 1, [])
    assert any("no certificate holds" in note for note in report.notes)
    assert report.promise is not None
    assert report.promise.found < report.promise.bound


@pytest.mark.long
def test_another_constant_channel_is_no_construction_that_is_believed():
    settings, tensors, _ = weights(2, 1, 2, 0.25, channel=1)
    report = identify(settings, tensors)
    assert (report.rule, report.deviations_in_all) == (NONE, 0)


@pytest.mark.long
def test_a_tensor_that_was_cast_is_judged_by_its_numbers():
    settings, tensors, _ = weights(2, 1, 2, 1 / 3)
    for key in (hf_mamba2.key(0, "in_proj"), hf_mamba2.key(1, "out_proj")):
        report = identify(settings, {**tensors, key: tensors[key].astype(np.float64)})
        assert (report.rule, report.deviations_in_all) == (DESCENT, 0)
        assert "float32" in report.method


RANDOM = [
    # hidden_size, num_heads, head_dim, n_groups, state_size, conv_kernel, layers, vocab_size, raw, targets
    (16, 4, 8, 1, 8, 4, 1, 5, 4, 1),
    (32, 8, 8, 2, 12, 2, 2, 3, 6, 2),
    (8, 1, 8, 1, 3, 1, 1, 1, 2, 1),
]


def random(M, H, P, G, S, W, layers, V, r, k, factor=0.3):
    rng = np.random.default_rng(0)
    names = ("hidden_size", "num_heads", "head_dim", "n_groups", "state_size", "conv_kernel")
    settings = dict(zip(names, (M, H, P, G, S, W), strict=True))
    settings |= {"num_hidden_layers": layers, "vocab_size": V, "layer_norm_epsilon": 1e-6}
    tensors = {
        key: (factor * rng.standard_normal(shape)).astype(np.float32)
        for key, shape in hf_mamba2.shapes(settings).items()
    }
    shapes = ((M, r), (M,), (k, V))
    return settings, {
        **tensors,
        **dict(zip(ENCODING, map(rng.standard_normal, shapes), strict=True)),
    }


@pytest.mark.long
@pytest.mark.parametrize("sizes", RANDOM[::2], ids=str)
def test_random_weights_are_not_gradient_descent_at_a_finite_distance(sizes):
    report = identify(*random(*sizes))
    assert report.rule == NONE
    assert not report.deviations
    assert 0.1 < distances(report).relative < np.inf
    assert 0 < distances(report).prediction_l2 < np.inf
    assert np.isfinite(np.array(distances(report).sensitivity_l2, dtype=float))
    assert report.exit_code() == 0
    assert report.exit_code(strict=True) == 2
    json.dumps(report.as_dict(), allow_nan=False)


@pytest.mark.long
def test_weights_of_our_sizes_that_are_not_ours_are_not_compared_entry_by_entry():
    settings, tensors, _ = weights(2, 1, 1, 0.25)
    rng = np.random.default_rng(0)
    noisy = {key: array + rng.standard_normal(array.shape) for key, array in tensors.items()}
    report = identify(settings, noisy)
    assert (report.rule, report.deviations_in_all) == (NONE, 0)


@pytest.mark.long
def test_a_model_that_predicts_zero_learns_nothing():
    settings, tensors = random(*RANDOM[0])
    report = identify(settings, {**tensors, "readout.weight": np.zeros((1, 5))})
    assert (report.rule, report.steps) == (NONE, 0)
    assert "do not depend on the examples" in report.verdict


@pytest.mark.long
def test_predictions_that_overflow_are_said_to():
    settings, tensors = random(*RANDOM[0])
    wide = {key: array.astype(np.float64) for key, array in tensors.items()}
    report = identify(settings, {**wide, "readout.weight": np.full((1, 5), 1e308)})
    assert report.rule == NONE
    assert "overflow" in report.verdict
    assert report.distances is None


def test_tokens_of_no_known_width_are_an_error():
    settings, tensors = random(*RANDOM[0][:8], 1, 1)
    with pytest.raises(UsageError, match="takes tokens of 1 numbers"):
        identify(settings, tensors)


@pytest.mark.long
@pytest.mark.parametrize("name", ["labelled", "interleaved"])
def test_a_batch_of_tasks_is_predicted_as_each_by_itself(name):
    made = mamba2_gd.instance(np, 3, 2, 0.25, np.ones((3, 2)), tokens=name)
    given = tasks.sample(3, 2, 4, 5, seed=(0,), sampler="normal")
    run = mamba2_gd.predictions
    with np.errstate(all="ignore"):
        batch = run(made.model, made.widths, made.layout.tokens(*map(Batch, given)), 2, 1e-5)
        each = [
            run(made.model, made.widths, made.layout.tokens(x, y), 2, 1e-5)
            for x, y in zip(*given, strict=True)
        ]
    # Libraries add up the products of larger matrices in another order.
    close = 2 * made.layout.slots.d * len(made.model.last.in_proj) * np.finfo(float).eps
    np.testing.assert_allclose(batch.data, each, rtol=close, atol=close)


@pytest.mark.long
def test_the_best_fit_is_the_learner_that_made_the_predictions():
    W0 = np.random.default_rng(0).standard_normal((3, 2))
    x, y = tasks.sample(3, 2, 6, 8, seed=(0,), sampler="uniform")
    W = [gradient_descent(HALF_SUM, W0, x[:-1], y, 0.3, 2) for x, y in zip(x, y, strict=True)]
    learner = descent(W0, 0.3, 2)
    np.testing.assert_allclose(
        learner.predictions(tasks.Tasks(x, y)), (x[:, -1:] @ np.stack(W))[:, 0], rtol=1e-12
    )
    near = found(learner, 3)
    assert near.plain.rule.steps == 2 and near.plain.off <= 1e-12
    assert near.plain.rule.step_sizes[0] == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1 / 3, Fraction(1, 3)), (-0.025, Fraction(-1, 40)), (0.0123, Fraction(123, 10000)), (7.0, 7)],
)
def test_a_simple_number_is_found_behind_its_rounding(value, expected):
    assert simple(float(np.float32(value)), 2.0**-23) == expected


def test_an_arbitrary_number_is_no_simple_one():
    assert simple(0.7391823641, 2.0**-23) is None
