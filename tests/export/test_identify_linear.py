"""`identify` on linear weights: what is derived of them, and that nothing is taken on trust."""

from __future__ import annotations

import gc
import json
import re
import shutil
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import identify_cases as cases
import numpy as np
import pytest
from identify_cases import ETA, FAMILIES, Export

from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.families import FAMILIES as LAYERS
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.numeric.export.loading import Loaded
from scanproof.numeric.identify import polynomial, recognition, rule, tasks
from scanproof.numeric.identify.identifying import identified as identify_linear
from scanproof.numeric.identify.identifying import identify
from scanproof.numeric.identify.report import (
    ASCENT,
    AVERAGED,
    CONSTANT,
    DESCENT,
    NEAREST,
    NONE,
    PRECONDITIONED,
    UP_TO,
    Report,
)

SIZES = [
    {"features": 2, "steps": 2, "targets": 2, "seed": 1},
    {"features": 2, "steps": 1, "targets": 1},
    {"features": 1, "steps": 2},
    {"features": 1},
]
"""Options for a row's export; the first that it takes is tried."""
EMBED = Export("gril.embed", {"features": 2, "targets": 1})


def of(model: neutral.Model, **options) -> Report:
    return identify_linear(cases.as_loaded(model, **options))


def factor(report: Report, n: int) -> Fraction:
    """The factor of the summed gradient after n examples."""
    size = report.step_size
    assert size is not None and not size.each
    assert size.dependence in (CONSTANT, AVERAGED) or size.dependence.startswith("at n = ")
    return Fraction(size.value) / (n if size.dependence == AVERAGED else 1)


def export_of(id: str, folder: Path) -> tuple[Loaded, dict]:
    from scanproof.constructs.errors import UsageError

    for options in SIZES:
        try:
            return cases.made(Export(id, options), folder), options
        except UsageError:
            continue
    raise AssertionError(f"{id} takes none of these sizes")


@pytest.mark.long
@pytest.mark.parametrize("id", cases.rows()[::3])
def test_an_export_is_recognised_and_so_it_is_without_its_manifest(id, tmp_path):
    loaded, options = export_of(id, tmp_path / "out")
    whole = identify_linear(loaded)
    assert (whole.contradictions, whole.deviations, whole.exit_code(strict=True)) == ([], [], 0)
    bare = identify_linear(loaded._replace(manifest=None))
    assert bare.rule == whole.rule == DESCENT and bare.exact and bare.deviations == []
    assert bare.steps == options.get("steps", 1)
    assert abs(factor(bare, 6) / Fraction(1, 10) - 1) < 2**-20
    assert bare.step_size is not None and bare.step_size.nearest in (
        Fraction(1, 10),
        Fraction(3, 5),
    )
    asserted = loaded.manifest["learner"] if loaded.manifest else {}
    assert [[str(w) for w in row] for row in bare.W0 or []] == asserted["W0"]
    assert bare.data in ("any", asserted["data"])


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("export", FAMILIES, ids=str)
def test_an_edited_entry_is_named_and_refused_unless_it_changes_nothing(export, tmp_path):
    loaded = cases.made(export, tmp_path / "out")
    refused = 0
    for edit in cases.edits(loaded, 4, seed=3):
        found = identify_linear(edit.loaded)
        assert [d.entry for d in found.deviations] == [edit.entry]
        assert found.exit_code() == (0 if found.same_function else 1), edit.entry
        refused += not found.same_function
    assert refused >= 1


@pytest.mark.long
@pytest.mark.parametrize("export", FAMILIES[::2], ids=str)
def test_an_edited_entry_is_named_without_a_manifest_unless_it_is_the_only_place_of_a_number(
    export, tmp_path
):
    loaded = cases.made(export, tmp_path / "out")._replace(manifest=None)
    for edit in cases.edits(loaded, 2, seed=4):
        found = identify_linear(edit.loaded)
        named = [d.entry for d in found.deviations] == [edit.entry]
        # β alone tells η, count which of two constructions it is, the weights of the first layer W0
        alone = edit.entry.split("[")[0] in ("layers.0.beta", "layers.0.count", "layers.0.weights")
        assert named or alone, edit.entry
        assert found.exit_code() == 0


@pytest.mark.long
def test_weights_of_another_form_are_the_same_function():
    d = 5
    model = cases.scalar_network(d)
    (layer,) = model.layers
    order = np.random.default_rng(0).permutation(d)
    moved = layer._replace(
        Psi=4 * np.array(layer.Psi)[order], Theta=np.array(layer.Theta)[order] / 4
    )
    found = of(model._replace(layers=(moved,)))
    assert (found.rule, found.exact, found.same_function) == (DESCENT, True, True)
    assert factor(found, 1) == Fraction(1, 8)
    assert found.deviations_in_all > d
    assert "differs in form" in found.verdict


@pytest.mark.long
def test_rescaled_queries_and_keys_are_the_same_function():
    model = cases.attention(2, 2)
    layers = (p._replace(query=2 * p.query, key=p.key / 2) for p in model.layers)
    found = of(model._replace(layers=tuple(layers)))
    assert (found.rule, found.steps, found.same_function) == (DESCENT, 2, True)
    assert found.deviations_in_all == 0


def preconditioned() -> dict:
    """Models with a matrix in the place of ηI, which float32 rounds, by family."""
    d = 4
    matrix = np.random.default_rng(1).standard_normal((d, d)).astype(np.float32)
    network, masked, attention = (
        cases.scalar_network(d),
        cases.masked_layer(d, 3),
        cases.self_attention(d),
    )
    S_B, Q = np.array(masked.layers[0].S_B), np.array(attention.layers[0].Q)
    S_B[:d, :d], Q[:d, :d] = matrix.T, -matrix.T
    Psi = np.concatenate([matrix, np.zeros((d, d))], axis=1)
    return {
        "gd-ssm": (network._replace(layers=(network.layers[0]._replace(Psi=Psi),)), matrix / 8),
        "ssd": (masked._replace(layers=(masked.layers[0]._replace(S_B=S_B),)), matrix.T / 3),
        "lsa": (attention._replace(layers=(attention.layers[0]._replace(Q=Q),)), matrix),
        "attention-to-examples": (cases.attention_to_examples(d, [matrix]), matrix),
    }


@pytest.mark.short(4)
@pytest.mark.parametrize("family", ["gd-ssm", "ssd", "lsa", "attention-to-examples"])
def test_a_matrix_in_the_place_of_the_step_size_is_read_off(family):
    model, matrix = preconditioned()[family]
    found = of(model)
    assert (found.rule, found.exact, found.steps) == (PRECONDITIONED, True, 1)
    entries = np.array(found.preconditioner, dtype=np.float64)
    either = matrix if np.allclose(entries, matrix) else matrix.T
    np.testing.assert_allclose(entries, either, rtol=2.0**-22)
    assert found.distances is not None and found.distances.relative > 0.1
    assert "not symmetric" in found.preconditioner_kind
    x, y = np.random.default_rng(2).uniform(-1, 1, (4, 4)), np.ones((3, 1))
    W = entries @ x[:3].T @ y
    np.testing.assert_allclose(neutral.predict(model, x, y), x[3] @ W, rtol=1e-6)


@pytest.mark.long
def test_a_matrix_in_every_step_is_read_off():
    matrix = np.array([[1.0, 0.5], [0.5, 2.0]])
    model = cases.attention(2, 3)
    layers = list(model.layers)
    for i in range(3):
        value = np.array(layers[i].value)
        value[0, :2] = np.einsum("ab,bm->am", matrix, value[0, :2])
        layers[i] = layers[i]._replace(value=value)
    found = of(model._replace(layers=tuple(layers)))
    assert (found.rule, found.exact, found.steps) == (PRECONDITIONED, True, 3)
    assert found.preconditioner == [
        [Fraction(1, 8), Fraction(1, 16)],
        [Fraction(1, 16), Fraction(1, 4)],
    ]
    assert found.preconditioner_kind == "symmetric, positive definite"


@pytest.mark.long
def test_several_targets_weights_to_start_from_and_one_feature():
    W0 = np.array([[0.5, -1.0, 0.25], [2.0, 0.0, 1.0]])
    found = of(cases.attention(2, 2, k=3, W0=W0))
    assert (found.rule, found.steps, found.sizes["targets"]) == (DESCENT, 2, 3)
    assert W0.tolist() == found.W0
    assert of(cases.attention(1, 3)).steps == 3


@pytest.mark.long
def test_steps_of_their_own_sizes_are_distinguished(tmp_path):
    loaded = cases.made(
        Export("gril.propA.1", {"features": 2, "targets": 1, "steps": 3}), tmp_path / "out"
    )
    betas = {f"layers.{i}.beta": np.asarray(b, np.float32) for i, b in enumerate((0.5, 0.25, -1))}
    found = identify_linear(cases.with_tensors(loaded, betas)._replace(manifest=None))
    assert found.exact and found.step_size is not None
    assert found.step_size.each == (-1, Fraction(1, 4), Fraction(1, 2))
    assert "1 of them up the gradient" in found.verdict


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "options", "rule", "eta"),
    [
        ("gd-ssm.prop1-construction", {"features": 3}, ASCENT, -1),
        ("gd-ssm.prop1-every-token", {"features": 2}, ASCENT, -1),
        ("ssd.thm4.1-construction", {"features": 2}, DESCENT, Fraction(1, 2)),
        ("gd-ssm.prop2-construction", {"features": 2, "targets": 2}, NONE, None),
        ("gril.propA.1-construction", {"features": 2, "targets": 2, "steps": 2}, NONE, None),
    ],
)
def test_a_refuted_construction_is_what_it_is(id, options, rule, eta, tmp_path):
    loaded = cases.made(Export(id, {**options, "as_stated": True}), tmp_path / "out")
    found = identify_linear(loaded)
    assert found.rule == rule
    assert found.exit_code() == 1
    asserted = [c.assertion for c in found.contradictions]
    assert ("learner.rule" if rule != DESCENT else "learner.step_size") in asserted
    if eta is not None:
        assert abs(factor(found, 6) / (eta * Fraction(1, 10)) - 1) < 2**-20


def random_weights(family: str, d: int, k: int, layers: int) -> Loaded:
    """As training might leave them: no entry is 0."""
    rng, shapes = np.random.default_rng(0), LAYERS[family].shapes
    tokens = TOKENISATIONS[LAYERS[family].tokens[0]]
    width = 2 * d if tokens.name == "products" else d + k
    sizes = {
        "T": 4,
        "r": tokens.width(d, k),
        "k": k,
        "H": 2,
        "m": 3,
        "p": 2,
        "1": 1,
        "2": 2,
        "3": 3,
    }

    def drawn(letters: str) -> np.ndarray:
        shape = [sizes.get(letter, width) for letter in letters.split()]
        return np.asarray(rng.normal(0, 0.3, shape), dtype=np.float32)

    tensors = {f"layers.{i}.{f}": drawn(s) for i in range(layers) for f, s in shapes.items()}
    outputs = "k " + LAYERS[family].outputs
    around = {
        "encode.weight": drawn("M r"),
        "encode.bias": drawn("M"),
        "readout.weight": drawn(outputs),
    }
    formats = dict.fromkeys(tensors, "float32")
    return Loaded(Path("weights"), None, None, tensors, around, "numpy", formats)


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize(
    ("family", "d", "k", "layers"),
    [
        ("gril", 2, 2, 1),
        ("gd-ssm", 3, 1, 1),
        ("two-head", 2, 1, 2),
        ("ssd", 2, 1, 1),
        ("lsa", 2, 1, 3),
        ("attention-to-examples", 2, 1, 3),
        ("linear-attention", 2, 2, 2),
    ],
)
def test_trained_looking_weights_are_no_gradient_descent_at_a_finite_distance(family, d, k, layers):
    found = identify_linear(random_weights(family, d, k, layers))
    assert (found.rule, found.exit_code(), found.exit_code(strict=True)) == (NONE, 0, 2)
    assert found.distances is not None and found.distances.relative > 1e-3
    assert np.isfinite(found.distances.relative)
    json.dumps(found.as_dict(), allow_nan=False)


@pytest.mark.long
def test_a_coefficient_that_deviates_is_named_in_words():
    model = cases.scalar_network(3)
    (layer,) = model.layers
    Theta = np.array(layer.Theta)
    Theta[0, 4] = 0.5  # the state of x[1] meets x_q[2] too
    (layer,) = (layer._replace(Theta=Theta, Psi=2 * np.array(layer.Psi)),)
    found = of(model._replace(layers=(layer._replace(count=np.array([1.0, 0.5])),)))
    assert found.rule == PRECONDITIONED
    gate = np.array(layer.Psi)
    gate[0, 3] = 1.0  # x of the next token enters the state at once
    found = of(model._replace(layers=(layer._replace(Psi=gate),)))
    assert found.rule == NONE
    deviating = {c.monomial: (c.found, c.expected) for c in found.coefficients}
    assert deviating["x_q[1] x_q[1]"] == (Fraction(1, 8), 0)
    assert {d.entry for d in found.deviations} >= {"layers.0.Psi[0, 3]", "layers.0.Theta[0, 4]"}


@pytest.mark.short("[count4-None-not gradient descent-divides by 0]")
@pytest.mark.parametrize(
    ("count", "beta", "rule", "words"),
    [
        ([1, 1], 0.5, DESCENT, "with η = 1/2 divided by n + 1 from"),
        (
            [-50, 1],
            0.5,
            ASCENT,
            "divided by n − 50, which is negative for n < 50, up the gradient there",
        ),
        ([1, -1], None, NONE, "divides by 0"),
        ([0, 0], None, NONE, "divides by 0"),
        ([-1, 1], None, NONE, "divides by 0"),
    ],
)
def test_a_step_size_that_depends_on_n_otherwise_is_said_to(count, beta, rule, words, tmp_path):
    export = Export("gril.prop4.1", {"features": 2, "targets": 1})
    loaded = cases.made(export, tmp_path / "out")._replace(manifest=None)
    tensors = {"layers.0.count": np.array(count, np.float32)}
    if beta:
        tensors["layers.0.beta"] = np.array(beta, np.float32)
    found = identify_linear(cases.with_tensors(loaded, tensors))
    assert found.rule == rule
    assert words in found.verdict


@pytest.mark.long
def test_numbers_that_are_rounded_apart_are_close_and_no_others():
    """1 + ε times two steps of η from 0, x_qᵀ(2η − η²G)S, are steps of η (1 + ε ± √(ε + ε²)): other ones, if real."""
    model, epsilon = cases.attention(2, 2), 2.0**-18

    def scaled(factor: float) -> Report:
        return of(model._replace(readout=np.array(model.readout) * factor))

    near = scaled(1 + 2.0**-24)
    assert (near.rule, near.exact) == (DESCENT, False)
    assert near.step_size is not None and near.step_size.each == ()
    assert "up to a relative deviation of 6.0e-08 2 steps" in near.verdict
    above = scaled(1 + epsilon)
    assert (above.rule, above.exact, above.grade) == (DESCENT, False, UP_TO)
    assert above.step_size is not None
    root = np.sqrt(epsilon + epsilon**2)
    expected = ETA * (1 + epsilon + root * np.array([-1, 1]))
    np.testing.assert_allclose(np.array(above.step_size.each, float), expected, rtol=1e-12)
    below = scaled(
        1 - epsilon
    )  # which is a descent with λ = 2 (1 − √(1 − ε)) / η, but for rounding
    assert (below.rule, below.grade) == (NONE, NEAREST)
    assert below.nearest is not None and below.nearest.off < 1e-12
    assert "nearest to 2 steps of gradient descent with ridge" in below.verdict
    assert below.nearest.numbers["λ"] == pytest.approx(epsilon / ETA, rel=1e-5)


@pytest.mark.long
def test_a_rounded_step_size_is_said_to_be_the_number_it_was(tmp_path):
    loaded = cases.made(Export("gd-ssm.prop1", {"features": 2}), tmp_path / "out", Fraction(1, 40))
    found = identify_linear(loaded._replace(manifest=None))
    assert found.step_size is not None
    assert found.step_size.value == Fraction(float(np.float32(1 / 40))) != Fraction(1, 40)
    assert found.step_size.nearest == Fraction(1, 40)
    assert found.verdict == (
        "up to rounding of its float32 numbers 1 step of gradient descent with η = 1/40 from W0 = 0, "
        "at n = 1, 2, 3 and at random points for n = 50, 56, 59"
    )


def counting(roots: Sequence[int]) -> Loaded:
    """Linear attention that adds x_q[1] Π (n − r) to η S x: 0 at the roots alone."""
    d, x, y, flag, constant, product, output = 2, slice(0, 2), 2, 3, 4, 5, 6
    tensors = {}
    for i, root in enumerate(roots):
        query, key, value, out = (np.zeros((3, *s)) for s in ((4, 7), (4, 7), (1, 7), (7, 1)))
        if not i:
            query[0, :d, x], key[0, :d, x] = 2 * np.eye(d), np.eye(d)
            value[0, 0, y], out[0, output, 0] = 1, ETA
        query[1:, 0, product] = 2
        key[1, 0, constant] = value[1, 0, constant] = key[2, 0, flag] = value[2, 0, flag] = 1
        out[1, product, 0], out[2, product, 0] = 1, -2 - root
        each = {"query": query, "key": key, "value": value, "output": out}
        tensors.update({f"layers.{i}.{name}": array for name, array in each.items()})
    weight, bias, readout = np.zeros((7, 4)), np.zeros(7), np.zeros((1, 7))
    weight[range(4), range(4)] = weight[product, 0] = bias[constant] = 1
    readout[0, [output, product]] = 1
    around = {"encode.weight": weight, "encode.bias": bias, "readout.weight": readout}
    formats = dict.fromkeys(tensors, "float64")
    return Loaded(Path("weights"), None, None, tensors, around, "numpy", formats)


@pytest.mark.long
def test_a_rule_at_a_few_numbers_of_examples_alone_is_none():
    assert identify_linear(counting((1, 2, 3))).rule == NONE


@pytest.mark.long
def test_a_verdict_says_for_which_numbers_of_examples():
    found = of(cases.attention(2, 2))
    assert re.search(r", at n = 1, 2, 3 and at random points for n = \d+, \d+, \d+$", found.verdict)
    assert of(cases.masked_layer(2, 3)).verdict.endswith(" at n = 3")


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "target", "dtype", "steps"),
    [
        ("linear-attention.gd", "fla-linear-attention", "float32", 2),
        ("linear-attention.one-step-concatenated", "torch", "float64", 1),
    ],
)
def test_weights_to_start_from_that_a_format_rounds_are_no_contradiction(
    id, target, dtype, steps, tmp_path
):
    options = {"features": 2, "examples": 7, "steps": steps, "dtype": dtype}
    export = Export(id, {**options, "W0": [[1 / 3], [0.1]]}, target)
    loaded = cases.made(export, tmp_path / "out", Fraction(3, 70))
    found = identify_linear(loaded)
    assert (found.rule, found.contradictions, found.deviations) == (DESCENT, [], [])
    moved = {
        key: array * 3 if "v_proj" in key else array / np.float32(3) if "o_proj" in key else array
        for key, array in loaded.tensors.items()
    }
    assert identify_linear(loaded._replace(tensors=moved)).contradictions == []


def test_float64_numbers_are_distinguished_where_float32_ones_are_not(tmp_path):
    export = Export("gd-ssm.prop1", {"features": 2, "dtype": "float64"})
    loaded = cases.made(export, tmp_path / "out", Fraction(1, 40))
    assert identify_linear(loaded).contradictions == []
    beta = {"layers.0.beta": loaded.tensors["layers.0.beta"] * (1 + 2.0**-21)}
    found = identify_linear(cases.with_tensors(loaded, beta))
    assert "learner.step_size" in [c.assertion for c in found.contradictions]
    assert [d.entry for d in found.deviations] == ["layers.0.beta"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rotated_keys_and_queries_are_no_preconditioner(dtype):
    model = cases.masked_layer(2, 5)
    (layer,) = model.layers
    R = np.random.default_rng(0).standard_normal((len(layer.S_B), len(layer.S_B)))
    moved = layer._replace(S_B=R @ layer.S_B, S_C=np.linalg.inv(R).T @ layer.S_C)
    found = of(model._replace(layers=(moved,)), dtype=dtype)
    assert (found.rule, found.exact) == (DESCENT, False)


def test_many_features_and_targets_are_learned_without_a_second_derivative():
    rng, d = np.random.default_rng(0), 300
    given = tasks.Tasks(rng.normal(size=(1, 4, d)), rng.normal(size=(1, 3, d)))
    found = rule.descent(np.zeros((d, d)), 0.5, 1).predictions(given)
    np.testing.assert_allclose(found[0], given.x[0, 3] @ (0.5 * given.x[0, :3].T @ given.y[0]))


@pytest.mark.long
def test_large_weights_to_start_from_hide_no_matrix():
    model = cases.attention(2, 2, W0=np.full((2, 1), 2.0**21))
    first = model.layers[0]
    value = np.array(first.value)
    value[0, 0] *= 1.25
    changed = model._replace(layers=(first._replace(value=value), *model.layers[1:]))
    assert of(model).rule == DESCENT
    assert of(changed).rule != DESCENT


@pytest.mark.long
def test_what_is_too_large_to_derive_is_measured(monkeypatch):
    monkeypatch.setattr(recognition, "LARGEST", 10)
    found = of(cases.attention(2, 2))
    assert (found.rule, found.exact, found.method) == (DESCENT, False, recognition.MEASURED)
    assert found.steps == 2 and abs(float(found.step_size.value) / ETA - 1) < 1e-5  # type: ignore[union-attr]
    assert found.verdict.startswith("as far as measured 2 steps")
    model = cases.scalar_network(2)
    (layer,) = model.layers
    moved = layer._replace(Theta=np.array(layer.Theta) + 0.01)
    assert of(model._replace(layers=(moved,))).rule == NONE


@pytest.mark.long
def test_a_polynomial_beyond_its_budget_harms_nothing():
    model = cases.attention(4, 3)
    field, (x, y) = polynomial.Symbols(3, 4, 1).polynomials()
    field.budget.left = 10_000
    for _ in range(3):
        with pytest.raises(polynomial.OverBudget):
            polynomial.coefficients(model, field, x, y)
        gc.collect()
    assert recognition.polynomials(cases.scalar_network(2), rule.Rule((), np.zeros((2, 1), int)), 1)


@pytest.mark.long
def test_degrees_bound_the_degree_of_the_prediction():
    assert polynomial.degree(cases.scalar_network(3), 2) == 3
    assert polynomial.degree(cases.attention(2, 2), 2) >= 5
    assert polynomial.degree(cases.scalar_network(3), 2, linear=True) == 4


@pytest.mark.long
def test_the_first_that_the_weights_can_be_is_the_one_that_they_are(tmp_path):
    # 2d + k = d' + k + 1 numbers a token are those of two tokenisations
    found = of(cases.attention(3, 1, tokens="concatenated", in_one_block=True))
    assert (found.rule, found.sizes["features"], found.notes[0]) == (
        DESCENT,
        3,
        "concatenated tokens",
    )


MANIFEST = {
    "family": "lsa",
    "construction.id": "ssd.thm4.1",
    "sizes.features": 7,
    "sizes.targets": 7,
    "sizes.steps": 7,
    "learner.rule": "preconditioned gradient descent",
    "learner.steps": 7,
    "learner.step_size": "1/11",
    "learner.loss": "the mean of squares",
    "learner.W0": [["0"], ["1/2"]],
    "tokens.name": "labelled",
    "tokens.raw": [["x", 2], ["y", 2]],
    "construction.verdict": "refuted",
    "certificate.absolute": 1e-30,
    "certificate.magnitude": 1e9,
    "certificate.relative": 1e-30,
    "certificate.domain": {},
    "certificate.domain.examples": 7,
    "certificate.domain.curvature": 1e6,
    "target.dtype": "float64",
    "target.name": "hf-mamba2",
    "files.model.safetensors.sha256": "0" * 64,
    "files.model.safetensors.bytes": 7,
}
"""What is written into a manifest of `gril.embed` at d = 2, and contradicted under the name of its place."""
ENTRY = {"learner.W0": "learner.W0[1][0]"}
"""Or under that of the entry that is wrong."""


@pytest.fixture(scope="module")
def embed(tmp_path_factory):
    """An export, to be copied."""
    cases.made(EMBED, out := tmp_path_factory.mktemp("embed") / "out")
    return out


@pytest.mark.long
@pytest.mark.parametrize("place", MANIFEST)
def test_a_manifest_is_contradicted_by_name(place, embed, tmp_path):
    shutil.copytree(embed, tmp_path / "out")
    cases.edit_manifest(tmp_path / "out", place, MANIFEST[place])
    found = identify(tmp_path / "out")
    assert ENTRY.get(place, place) in [c.assertion for c in found.contradictions]
    assert (found.asserted, found.exit_code()) == (True, 1)
    assert found.rule == DESCENT  # the weights are what they are


def test_a_manifest_names_no_file_outside_its_folder(tmp_path):
    cases.made(EMBED, tmp_path / "out")
    nothing = {"bytes": 1, "sha256": "0" * 64}
    cases.edit_manifest(tmp_path / "out", "files", {"../secret": nothing, "none": nothing})
    found = {c.assertion: c.found for c in identify(tmp_path / "out").contradictions}
    assert found == {"files.../secret": "it names another place", "files.none": "it cannot be read"}


@pytest.mark.long
def test_every_output_is_a_prediction_only_if_it_is(tmp_path):
    loaded = cases.made(EMBED, tmp_path / "out")
    assert loaded.manifest is not None and loaded.manifest["tokens"]["predicts"] == "every"
    assert identify_linear(loaded).contradictions == []
    loaded = cases.made(Export("ssd.thm4.1", {"features": 2}), tmp_path / "other")
    cases.set_in(loaded.manifest, "tokens.predicts", "every")
    found = identify_linear(loaded)
    assert [c.assertion for c in found.contradictions] == ["tokens.predicts"]
