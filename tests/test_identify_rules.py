"""The learning rules that `identify` names beside gradient descent: weights that do each, and near neighbours."""

from __future__ import annotations

import re
from fractions import Fraction

import identify_cases as cases
import numpy as np
import pytest
from command_line import Run, one_line

import scanproof
from scanproof.constructs.layers.fla_linear_attention import Parameters
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.families import AttentionToExamples
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import encoding
from scanproof.numeric.export.loading import load
from scanproof.numeric.identify import fitting, neutral_form, tasks
from scanproof.numeric.identify.asked import asked
from scanproof.numeric.identify.identifying import identified as identify_linear
from scanproof.numeric.identify.identifying import identify
from scanproof.numeric.identify.report import (
    DESCENT,
    MOMENTUM,
    NONE,
    PLUS_PLUS,
    WEIGHTED,
    is_shown_exactly,
)
from scanproof.numeric.identify.rule import Rule, descent
from scanproof.numeric.identify.tasks import Scheme, Tasks

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")


def of_polynomial(d: int, maps: list[float], parts: list[float]) -> Model:
    """Linear attention that predicts Σ_l c_l Sᵀ v_l, with v_0 the query and v_{l+1} = (I − a_l G) v_l.

    Layer l maps the query in its place and adds c_l Sᵀ v_l to the prediction; the examples are left as they are.
    """
    rows = np.eye(2 * d + 2)
    x, y, query, prediction = rows[:d], rows[d : d + 1], rows[d + 1 : -1], rows[-1:]
    layers = []
    for a, c in zip([*maps, 0.0], parts, strict=True):
        queries, keys = np.zeros((2, 4, len(rows))), np.zeros((2, 4, len(rows)))  # √4 is exact
        queries[0, :d], queries[1, :d], keys[:, :d] = 2 * query, 2 * c * query, x
        values, outputs = np.zeros((2, d, len(rows))), np.zeros((2, len(rows), d))
        values[0], outputs[0] = -a * x, query.T
        values[1, :1], outputs[1, :, :1] = y, prediction.T
        layers.append(Parameters(queries, keys, values, outputs))
    encode = rows[:, :-1]
    return Model("linear-attention", "concatenated", tuple(layers), encode, 0 * rows[0], prediction)


def read(model: Model):
    return identify_linear(cases.as_loaded(model))


def momentum_parts(eta: float, beta: float, steps: int) -> list[float]:
    """p of heavy ball as Σ c_l (1 − g)^l, from 0."""
    power, now, before = np.polynomial.Polynomial, np.polynomial.Polynomial([0.0]), None
    before = now
    g = power([0.0, 1.0])
    for _ in range(steps):
        now, before = now - eta * (g * now - 1) + beta * (now - before), now
    return now(power([1.0, -1.0])).coef.tolist()  # in u = 1 − g


@pytest.mark.long
def test_a_step_on_inputs_that_went_through_i_minus_gamma_xx_is_gd_plus_plus():
    eta, gamma = 0.25, 0.0625  # p(g) = η (1 − γ g)²
    report = read(of_polynomial(1, [gamma, gamma], [0.0, 0.0, eta]))
    assert (report.rule, report.exact, report.gamma) == (PLUS_PLUS, True, Fraction(1, 16))
    words = "1 step of GD++ on inputs that went through I − γXXᵀ with η = 1/4 and γ = 1/16,"
    assert words in report.verdict
    assert report.running is not None and report.running.relative < 1e-5


@pytest.mark.long
def test_two_steps_of_gd_plus_plus_are_named_with_both_step_sizes():
    first, second, gamma = 0.125, 0.25, 0.0625  # p(g) = η_1 + η_2 (1 − γ g)² (1 − η_1 g)
    report = read(of_polynomial(2, [gamma, gamma, first], [first, 0.0, 0.0, second]))
    assert (report.rule, report.exact, report.gamma) == (PLUS_PLUS, True, Fraction(1, 16))
    assert report.step_size is not None
    assert report.step_size.each == (Fraction(1, 8), Fraction(1, 4))


@pytest.mark.long
def test_two_unequal_maps_of_the_inputs_are_not_gd_plus_plus():
    report = read(of_polynomial(2, [0.0625, 0.03125], [0.0, 0.0, 0.25]))
    assert report.rule == NONE
    report = read(of_polynomial(2, [0.25], [0.0, 0.25]))  # one side alone: another polynomial of g
    assert report.rule != PLUS_PLUS


@pytest.mark.long
@pytest.mark.parametrize(("steps", "beta"), [(4, 0.25), (3, -0.25)])
def test_steps_with_momentum_are_named(steps, beta):
    parts = momentum_parts(0.25, beta, steps)
    report = read(of_polynomial(2, [1.0] * (steps - 1), parts))
    assert (report.rule, report.exact, report.steps) == (MOMENTUM, True, steps)
    assert report.momentum == Fraction(beta)
    assert (
        f"gradient descent with momentum, η = 1/4 and β = {Fraction(beta)},"
        in report.verdict.replace(" constant in n", "")
    )


@pytest.mark.long
def test_a_neighbour_of_momentum_is_not_called_it():
    parts = momentum_parts(0.25, 0.5, 3)
    beside = read(of_polynomial(2, [1.0, 1.0], [parts[0] + 0.03125, *parts[1:]]))
    assert (beside.rule, beside.momentum) == (DESCENT, None)  # of three step sizes, all real
    assert beside.step_size is not None
    assert [float(each) for each in beside.step_size.each] == pytest.approx(
        [0.110627823, 0.174712592, 0.808409585]
    )
    assert read(of_polynomial(2, [1.0, 1.0], [parts[0] + 0.125, *parts[1:]])).rule == NONE
    without = read(of_polynomial(2, [0.25, 0.25], [0.25, 0.25, 0.25]))
    assert (without.rule, without.momentum) == (DESCENT, None)


W0 = np.zeros((3, 1))


def found(predict, numbers=(8,), layers: int = 2):
    """The rules that predictions are near to, on tasks of the scheme."""
    scheme = Scheme(3, 1, numbers, count=tasks.counted(lambda n: 1, numbers))
    return fitting.found(predict, layers, scheme, 1.0)


def nearest(rule: Rule, noise: float = 0.0, **options):
    """The rule that predictions of a rule are nearest to."""
    rng = np.random.default_rng(5)

    def predict(x, y):
        exact = rule.predictions(Tasks(x, y))
        return exact * (1 + noise * rng.standard_normal(exact.shape))

    said = found(predict, **options).nearest
    assert said is not None
    return said


def without_numbers(words: str) -> str:
    return re.sub(r"-?\d+\.\d*(e-?\d+)?", "#", words)


FITTED = [
    (descent(W0, 0.1, 2), "2 steps of gradient descent with η = 0.1"),
    (Rule((0.05, 0.3), W0), "2 steps of gradient descent with η = (0.05"),
    (Rule((), W0, damping=0.0), "a Newton step (least squares)"),
    (Rule((), W0, damping=2.0), "a damped Newton step (ridge regression) with λ = "),
    (Rule((), W0, rate=0.3), "a step of the delta rule on each example in turn, β = "),
    (
        Rule((0.1,), W0, last=0.4),
        "1 step of gradient descent with η = 0.1 and one more of the delta",
    ),
    (Rule((0.0, 0.3), W0, gamma=0.08), "1 step of GD++ on inputs that went through I − γXXᵀ"),
    (Rule((0.1,) * 3, W0, momentum=0.4), "3 steps of gradient descent with momentum, η = 0.1"),
    (Rule((0.2,), W0, decay=0.9), "1 step of exponentially weighted gradient descent with η = 0.2"),
]
BESIDE = [each for each in FITTED if each[0].step_sizes != (0.05, 0.3)]
"""Two unequal rates are, but for noise, a step of GD++."""
NEWTON = [each for each in FITTED if each[0].damping is not None]
"""The others are named without noise at all numbers of examples."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("rule", "words", "noise"),
    [*((*each, 0.0) for each in NEWTON), *((*each, 0.003) for each in BESIDE)],
)
def test_a_rule_is_named_of_its_own_predictions_with_and_without_noise(rule, words, noise):
    said = nearest(rule, noise)
    assert without_numbers(said.rule).startswith(without_numbers(words))
    assert said.off <= 2 * noise + 1e-6
    if not noise:
        assert said.rule.startswith(words)
    assert ("delta" in said.rule) == ("delta" in words)


EVERY_N = [each for each in FITTED if each not in NEWTON]
DIVIDED = [
    (each._replace(divided=True), words.split(" with η")[0].split(", η")[0])
    for each, words in EVERY_N[::3]
    if each.rate is None
]


@pytest.mark.long
@pytest.mark.parametrize(("rule", "words"), [*EVERY_N, *DIVIDED])
def test_a_rule_is_named_at_all_numbers_of_examples_together(rule, words):
    said = nearest(rule, numbers=tasks.EXAMPLES)
    assert said.rule.startswith(words) and said.off < 1e-6
    assert ("divided by n" in said.rule) == rule.divided


@pytest.mark.parametrize("beside", [0.97, 1.03])
def test_the_nearest_has_any_number_of_numbers_and_simpler_ones_are_said_beside_it(beside):
    said = nearest(Rule((0.05, 0.3 * beside), W0))
    assert said.rule.startswith("2 steps of gradient descent with η = (0.05, ")
    assert said.off < 1e-9 and said.simpler[0].off > 0.05
    assert said.others.startswith(f"; of simpler rules, {said.simpler[0].rule} is off by ")
    offs = [said.off, *(each.off for each in said.simpler)]
    assert offs == sorted(offs) and said.nearer == []


@pytest.mark.long
def test_rules_of_linear_targets_alone_are_said_to_be_and_what_others_are_off_by():
    """Residuals of the targets are taken for a third feature's, which vanish where they are linear."""

    def predict(x, y):
        rule = descent(W0, 0.1, 1).predictions(Tasks(x, y))
        own = np.linalg.pinv(x[:, :-1]) @ y
        return rule + 0.5 * np.abs(y - x[:, :-1] @ own).sum(axis=1)

    said = found(predict).nearest
    assert said is not None and said.targets == "linear targets" and said.off == said.off_linear
    assert said.off < 1e-9 < 0.1 < said.off_arbitrary
    assert "on linear targets y = Wᵀx (" in said.words and "where y is arbitrary" in said.words
    both = nearest(descent(W0, 0.1, 1), 0.01)
    assert both.targets == "any" and both.off_linear > 0 and both.off_arbitrary > 0


@pytest.mark.long
def test_a_neighbour_of_least_squares_is_not_called_it():
    assert nearest(descent(W0, 0.15, 3)).rule == "3 steps of gradient descent with η = 0.15"


@pytest.mark.long
def test_a_gate_is_exponentially_weighted_gradient_descent(tmp_path):
    gate = 0.99
    export = cases.Export("gril.prop4.1", {"features": 2, "targets": 2, "dtype": "float64"})
    loaded = cases.made(export, tmp_path / "out", Fraction(1, 8))
    gates = {"layers.0.gate": loaded.tensors["layers.0.gate"] * gate}
    report = identify_linear(cases.with_tensors(loaded, gates)._replace(manifest=None))
    assert (report.rule, report.exact, report.steps) == (WEIGHTED, True, 1)
    assert report.decay == Fraction(gate) and report.as_dict()["decay"] == str(Fraction(gate))
    said = f"{WEIGHTED} with η = 3/4 divided by n and ρ = {Fraction(str(gate))}, from W0 = 0"
    assert said in report.verdict
    assert report.running is not None and report.running.relative < 1e-14
    one = gates["layers.0.gate"].copy()
    one[-1] = 1  # of one feature alone
    unequal = identify_linear(
        cases.with_tensors(loaded, {"layers.0.gate": one})._replace(manifest=None)
    )
    assert unequal.rule == NONE


@pytest.mark.long
def test_an_exact_rule_with_numbers_that_are_not_shown_whole_is_not_called_exactly_those():
    model = cases.attention_to_examples(2, [0.7391823641])
    report = identify_linear(cases.as_loaded(model, np.float64))
    assert (report.rule, report.exact) == (DESCENT, True)
    words = "up to the digits that are shown 1 step of gradient descent with η = 0.739182364 from"
    assert report.verdict.startswith(words)


def trained(tmp_path):
    """Weights of a layer of linear attention, trained here in some seconds."""
    pytest.importorskip("optax", reason="training needs optax")
    from scanproof.numeric.studies.training import models
    from scanproof.numeric.studies.training.results import write_folder
    from scanproof.numeric.studies.training.settings import Settings
    from scanproof.numeric.studies.training.tasks import Regression
    from scanproof.numeric.studies.training.training import train

    model = models.linear_attention(3, 1, layers=1, width=12, heads=2, head=4)
    settings = Settings(500, batch=64, rate=5e-3, warmup=0.05, seeds=(0,), block=100)
    write_folder(tmp_path, model, train(model, Regression(6, 3, 1, scale=0.5), settings).arrays, 0)
    return tmp_path


@pytest.mark.long
def test_of_trained_linear_attention_the_first_line_says_the_rule_and_how_far_off(tmp_path):
    report = identify(trained(tmp_path), examples=6)
    words = (
        r"nearest to 1 step of gradient descent with η = 1\.3.*, off by [\d.]+ % of the predictions "
        r"\(root mean square over 64 tasks, n = 6, x uniform on \(.*\).*\), from W0 = 0"
    )
    assert re.match(words, report.verdict)
    assert report.nearest is not None and report.nearest.off < 0.1


def trained_on_all_examples(tmp_path):
    """Two layers of linear self-attention in which tokens see all the examples, trained here in some seconds."""
    pytest.importorskip("optax", reason="training needs optax")
    from scanproof.numeric.studies.training.models import Start, neutral_model
    from scanproof.numeric.studies.training.results import write_folder
    from scanproof.numeric.studies.training.settings import Settings
    from scanproof.numeric.studies.training.tasks import Regression
    from scanproof.numeric.studies.training.training import train

    weight, readout = (np.array(part, dtype=float) for part in encoding(np, "labelled", 3, 1))
    starts = {f"layers.{i}.{name}": Start((4, 4), 0.05) for i in range(2) for name in ("PV", "KQ")}
    fixed: dict[str, np.ndarray] = dict(
        zip(neutral.ENCODING, (weight, np.zeros(4), -readout), strict=True)
    )
    model = neutral_model("", "", "attention-to-examples", "labelled", starts, fixed)
    settings = Settings(2000, batch=64, rate=5e-3, warmup=0.05, seeds=(0,), block=100)
    write_folder(tmp_path, model, train(model, Regression(6, 3, 1), settings).arrays, 0)
    return tmp_path


@pytest.mark.long
def test_two_trained_layers_of_attention_to_all_examples_are_nearest_to_gd_plus_plus(tmp_path):
    """What von Oswald et al. found of such layers: the first one also moves inputs by −γ Σ_j x_j x_jᵀ x."""
    report = identify(trained_on_all_examples(tmp_path))
    rule = r"2 steps of GD\+\+ with η = \(0\.2\d*, 1\.[89]\d*\) and γ = 0\.2\d*"
    assert re.match(f"nearest to {rule}, off by [\\d.]+ % of the predictions", report.verdict)
    assert "n = 1, 2, 5, 12, 33, x uniform on (−" in report.verdict
    assert "from W0 = 0" in report.verdict
    assert report.nearest is not None and report.nearest.off < 0.05
    first, second = neutral_form.models(load(tmp_path))[0].layers
    moved = -np.diag(first.PV)[:3] * np.diag(first.KQ)[:3]
    assert report.nearest.numbers["γ"] == pytest.approx(moved.mean(), rel=0.1)
    assert report.nearest.numbers["η_2"] == pytest.approx(
        -second.PV[3, 3] * second.KQ[0, 0], rel=0.1
    )


@pytest.mark.long
def test_step_sizes_that_are_not_rational_are_named_rounded():
    """Twice the prediction of two steps is that of two others: t² − 4ηt + 2η² = 0."""
    made = cases.attention_to_examples(2, [0.25, 0.25])
    report = identify_linear(cases.as_loaded(made._replace(readout=2 * made.readout), np.float64))
    assert report.rule == DESCENT and report.step_size is not None
    wanted = [(1 - 0.5**0.5) / 2, (1 + 0.5**0.5) / 2]
    assert [float(each) for each in report.step_size.each] == pytest.approx(wanted, rel=1e-12)
    assert "up to a relative deviation" in report.verdict and "from W0 = 0" in report.verdict
    complex_ones = identify_linear(
        cases.as_loaded(made._replace(readout=made.readout / 2), np.float64)
    )
    assert complex_ones.rule == NONE


@pytest.mark.long
def test_options_say_what_is_judged(run: Run, tmp_path):
    out = tmp_path / "out"
    cases.made(cases.Export("gril.prop4.1", {"features": 2, "targets": 2, "examples": 8}), out)
    one = run("identify", out, "--examples", "5").out
    assert "at n = 5" in one and "constant" not in one and "divided by" not in one
    several = ["--examples", "2", "--examples", "5", "--examples", "9"]
    assert "divided by n" in run("identify", out, *several).out
    report = run("identify", out, "--dtype", "bfloat16", "--sampler", "signs").out
    assert "run in bfloat16 off by" in report and "x of ±1" in report
    assert "the manifest is about float32 weights, and was not checked" in report


@pytest.mark.long
def test_an_option_that_contradicts_the_manifest_is_refused_in_a_line(run: Run, tmp_path):
    cases.made(cases.Export("gril.prop4.1", {"features": 2, "targets": 2}), tmp_path / "out")
    said = one_line(run("identify", tmp_path / "out", "--tokens", "labelled"))
    assert "--tokens labelled: the manifest of" in said


def test_python_takes_the_options_of_the_command_and_says_the_same(run: Run, tmp_path):
    out = tmp_path / "out"
    cases.made(cases.Export("gril.prop4.1", {"features": 2, "targets": 2}), out)
    said = run("identify", out, "--examples", "5", "--sampler", "signs", "--scale", "0.5").out
    report = scanproof.identify(out, examples=5, sampler="signs", scale=0.5)
    assert report.verdict in said and report.verdict.endswith("at n = 5")
    assert scanproof.identify(out, examples=[5], dtype="bfloat16").running.dtype == "bfloat16"


@pytest.mark.short(3)
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sampler": "cauchy"}, "--sampler cauchy: there is none; known: uniform, normal"),
        ({"dtype": "int8"}, "--dtype int8: there is none; known: float64"),
        ({"tokens": "words"}, "--tokens words: there is none; known: "),
        ({"examples": (3, 0)}, "--examples 0: expected numbers from 1"),
        ({"examples": 5.0}, "--examples 5.0: expected numbers from 1"),
        ({"examples": ["5"]}, "--examples 5: expected numbers from 1"),
        ({"scale": -1}, "--scale -1: expected a number"),
        ({"scale": "large"}, "--scale large: expected a number"),
    ],
)
def test_python_refuses_options_in_the_words_of_the_command(options, said, tmp_path):
    cases.made(cases.Export("gril.prop4.1", {"features": 2, "targets": 2}), tmp_path / "out")
    with pytest.raises(scanproof.UsageError, match=re.escape(said)):
        scanproof.identify(tmp_path / "out", **options)


def test_examples_that_the_shapes_do_not_take_are_refused(run: Run, tmp_path):
    cases.made(cases.Export("ssd.thm4.1", {"features": 2}), tmp_path / "out")
    answer = run("identify", tmp_path / "out", "--examples", "9")
    assert "its tensors are those of n = 6 alone" in one_line(answer)


def test_examples_that_would_take_minutes_are_refused_with_the_number_that_does_not():
    loaded = cases.as_loaded(cases.attention(2, 1))
    with pytest.raises(scanproof.UsageError, match=r"8,194 tokens in 2 layers .* ≤ 2999\."):
        identify_linear(loaded, asked(4096))
    with pytest.raises(scanproof.UsageError, match=r"give each --examples ≤ 1499\."):
        identify_linear(loaded, asked([2000, 2999]))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("times", [1e300, 1e-310])
def test_a_format_that_does_not_hold_a_tensor_is_refused_in_a_line(
    run: Run, dtype, times, tmp_path
):
    from safetensors.numpy import save_file

    weight, readout = encoding(np, "labelled", 1, 1)
    layer = AttentionToExamples(np.diag([0.0, 1]), np.diag([-0.25, 0]) * times)
    made = Model("attention-to-examples", "labelled", (layer,), weight, np.zeros(2), -readout)
    save_file(neutral.tensors(made), tmp_path / "model.safetensors")
    save_file(
        {name: np.asarray(array, dtype=float) for name, array in neutral.encoding(made).items()},
        tmp_path / "encoding.safetensors",
    )
    assert f"--dtype {dtype}: it does not hold layers.0.KQ" in one_line(
        run("identify", tmp_path, "--dtype", dtype)
    )


@pytest.mark.long
def test_where_no_rule_with_fewer_numbers_is_near_the_nearest_is_named():
    """Least squares, with no number, is off by a sixth; one number is by two thirds of that."""
    newton, steps = Rule((), W0, damping=0.0), Rule((0.05, 0.3), W0)

    def mixed(x, y):
        given = Tasks(x, y)
        return 0.7 * newton.predictions(given) + 0.3 * steps.predictions(given)

    all_rules = found(mixed)
    said, offs = all_rules.nearest, {each.words: each.off for each in all_rules.fits}
    assert said is not None and min(offs.values()) == (said.nearer or [said])[0].off
    assert offs["a Newton step (least squares)"] > 1.2 * said.off


@pytest.mark.long
def test_predictions_whose_squares_underflow_are_judged_as_larger_ones_are():
    size = 1e-300

    def told(factor):
        model = cases.attention(2, 2)
        return identify_linear(
            cases.as_loaded(model._replace(readout=np.asarray(model.readout) * factor), np.float64)
        )

    report, larger = told(size), told(1e-6)
    assert report.nearest is not None and report.nearest.learns
    assert report.distances is not None and larger.distances is not None
    assert report.distances.relative == pytest.approx(larger.distances.relative, rel=0.05)
    assert report.distances.sensitivity_cosine == pytest.approx(
        larger.distances.sensitivity_cosine, rel=1e-3
    )
    assert 0 < report.distances.prediction_l2 < size
    assert report.step_size is not None and 0.1 * size < report.step_size.value < size


def test_norms_neither_underflow_nor_overflow_where_what_they_are_of_does_not():
    given = np.random.default_rng(0).standard_normal((3, 4, 2))
    for size in (1.0, 1e-200, 1e200):
        for axis in (None, (1, 2)):
            wanted = size * np.linalg.norm(given.ravel() if axis is None else given, axis=axis)
            np.testing.assert_allclose(tasks.norm(size * given, axis), wanted, rtol=1e-14)
    assert tasks.norm(np.zeros(3)) == 0
    assert tasks.norm(np.array([1.0, np.inf])) == np.inf


@pytest.mark.parametrize(
    ("value", "whole"),
    [(Fraction(1, 3), True), (0.25, True), (0.1 + 0.2, False), (Fraction(1, 10**400), False)],
)
def test_a_number_is_shown_exactly_where_what_is_shown_is_all_of_it(value, whole):
    assert is_shown_exactly(value) == whole
