"""The neutral form of the linear targets: what a statement's model computes, and what its tensors are taken for."""

import importlib
import subprocess
import sys
from fractions import Fraction

import linear_cases as cases
import numpy as np
import pytest
from linear_cases import CASES, Case

from scanproof.constructs.constructions.ssd import Attention, attention_to_examples
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layers import ssd
from scanproof.constructs.layers.gril import Window, two_head_step
from scanproof.constructs.layers.multi_step import stack
from scanproof.constructs.layers.sequence import Masked
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.families import (
    FAMILIES,
    AttentionToExamples,
    attention_stack,
    ssd_layer,
    two_head_stack,
)
from scanproof.constructs.layouts.neutral import LayoutError
from scanproof.constructs.tokens import windows
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.numeric.export import statements
from scanproof.numeric.run.rows import constructed, find
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.roots import RootsField


def exactly_predicted(made, x, y):
    """The prediction in Fractions."""
    return exactly(RootsField(), lambda xp, *given: neutral.predict(*given), made.model, x, y)


def small(rng, shape):
    """Small fractions."""
    parts = rng.integers(-6, 7, (2, *shape))
    return np.vectorize(lambda a, b: Fraction(int(a), abs(int(b)) + 1), otypes=[object])(*parts)


def proved():
    """Statements that can be exported: of every row the one that a user gets, and every amendment."""
    amended = [
        id
        for id, c in constructed().items()
        if "+" in id and c.construction and statements.form(c.construction)
    ]
    networks = ("mamba2.", "linear-attention.", "delta-net.")
    plain = [id for id in statements.exportable() if not id.startswith(networks)]
    return sorted({*plain, *amended})


@pytest.mark.long
@pytest.mark.parametrize("id", proved()[::3])
def test_a_statements_model_is_gradient_descent_in_every_fraction(id):
    rng, of = np.random.default_rng(2), find(id)[0].construction
    d = of.features or 2
    k = 1 if of.targets == "scalar" else 3
    for targets, steps in {(1, 1), (k, 3 if of.several else 1), (min(k, d), 1)}:
        W0 = None if of.learner.from_zero else small(rng, (d, targets))
        made = statements.of_statement(
            id,
            features=d,
            examples=3,
            targets=targets,
            steps=steps,
            step_size=Fraction(2, 7),
            W0=W0,
        )
        assert made.verdict == "proved"
        x, y = small(rng, (4, d)), small(rng, (3, targets))
        if made.linear:
            y = x[:-1] @ small(rng, (d, targets))
        wanted = cases.explicit(x, y, Fraction(2, 7), made.W0, steps)
        assert (exactly_predicted(made, x, y) == wanted).all()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_in_float64_it_is_explicit_gradient_descent_up_to_rounding(case):
    made, given = cases.made(case), cases.tasks(case, 4)
    got = [neutral.predict(made.tensors, x, y) for x, y in zip(*given, strict=True)]
    np.testing.assert_allclose(got, cases.expected(made, given), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_tensors_are_recognised_without_anything_else_and_in_any_order(case):
    model = cases.made(case).tensors
    tensors, encoding = neutral.tensors(model), neutral.encoding(model)
    found = neutral.from_tensors(dict(reversed(tensors.items())), dict(reversed(encoding.items())))
    assert (found.family, found.tokens) == (model.family, model.tokens)
    assert neutral.sizes(found) == (case.features, case.targets)
    for got, wanted in zip(neutral.tensors(found).items(), tensors.items(), strict=True):
        assert got[0] == wanted[0]
        assert got[1] is wanted[1]


def test_more_than_ten_layers_keep_their_order():
    model = cases.made(Case("gril.propA.1", 2, 3, steps=12)).tensors
    numbered = [layer._replace(beta=np.asarray(float(i))) for i, layer in enumerate(model.layers)]
    model = model._replace(layers=tuple(numbered))
    found = neutral.from_tensors(neutral.tensors(model), neutral.encoding(model))
    assert [float(layer.beta) for layer in found.layers] == list(range(12))


def test_everything_that_is_wrong_is_told_at_once():
    model = cases.made(CASES[0]).tensors
    tensors, encoding = neutral.tensors(model), neutral.encoding(model)
    tensors["layers.0.gate"] = np.ones((4, 3))
    tensors["layers.0.query"] = np.ones((3, 1))
    tensors["other"] = encoding["extra"] = np.ones(2)
    del tensors["layers.0.mixing"], encoding["encode.bias"]
    with pytest.raises(LayoutError) as caught:
        neutral.from_tensors(tensors, encoding)
    assert set(caught.value.problems) == {
        "unexpected other",
        "missing layers.0.mixing",
        "missing encode.bias",
        "unexpected extra",
        "layers.0.gate has shape (4, 3), expected (4, 4)",
        "layers.0.query has shape (3, 1), expected (3,)",
    }


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"layers.0.gate": (0, 0)}, "expected sizes ≥ 1"),
        ({"layers.1.gate": (4, 4)}, "has one layer, got 2"),
        ({"layers.00.gate": (4, 4)}, "unexpected layers.00.gate"),
        ({"layers.999999.gate": (4, 4)}, "unexpected layers.999999.*"),
        ({"layers.0.beta": (1,)}, "layers.0.beta has shape (1,), expected ()"),
        ({"encode.weight": (4, 5)}, "encode.weight has 5 columns"),
        ({"readout.weight": (9, 4)}, "encode.weight has 9 columns"),
        ({"readout.weight": (0, 4)}, "readout.weight has shape (0, 4)"),
    ],
)
def test_a_wrong_key_or_shape_is_refused(change, told):
    model = cases.made(CASES[0]).tensors
    tensors, encoding = neutral.tensors(model), neutral.encoding(model)
    for key, shape in change.items():
        (encoding if key in encoding else tensors)[key] = np.ones(shape)
    with pytest.raises(LayoutError) as caught:
        neutral.from_tensors(tensors, encoding)
    assert told in str(caught.value)


def test_tensors_of_no_family_are_answered_with_the_families():
    with pytest.raises(LayoutError, match=r"gril \(gate, mixing, query, beta, count\)"):
        neutral.from_tensors({"conv.weight": np.ones(3)}, {})


def test_every_family_says_the_shape_of_each_field():
    for family in FAMILIES.values():
        assert tuple(family.shapes) == family.layer._fields
        assert set(family.tokens) <= set(TOKENISATIONS)


def test_the_recurrence_of_the_ssd_family_is_the_layer_of_its_mask():
    rng = np.random.default_rng(0)
    Z, decays = rng.standard_normal((3, 6)), rng.uniform(0, 1, 6)
    layer = ssd.Parameters(decays, *rng.standard_normal((2, 4, 3)))
    np.testing.assert_allclose(ssd_layer([layer], Z.T).T, ssd.mamba2(layer, Z), rtol=1e-12)


@pytest.mark.parametrize(("n", "d", "steps"), [(1, 1, 1), (1, 3, 2), (5, 2, 3)])
def test_the_sum_over_the_examples_is_the_layer_of_its_mask(n, d, steps):
    def both(xp, Z, PV, KQ):
        layers = [AttentionToExamples(PV, KQ * Fraction(1, n))] * steps
        wanted = Masked(attention_to_examples).outputs(Attention(PV, KQ), Z, layers=steps)
        return attention_stack(layers, Z.T).T, wanted

    rng = np.random.default_rng(0)
    given = (rng.integers(-3, 4, (d + 1, size)) for size in (n + 1, d + 1, d + 1))
    found, wanted = exactly(RootsField(), both, *given)
    assert (found == wanted).all()


def test_equal_two_head_layers_are_the_stack_of_the_statement():
    made = cases.made(Case("gril.propA.1", 3, 5, steps=3, targets=3))
    embeddings = np.random.default_rng(0).standard_normal((11, 3))
    layers = made.tensors.layers
    seen: Window = windows(embeddings, 3, 2)
    wanted = stack(two_head_step, layers[0], seen, layers[0].weights, 3).outputs[1]
    np.testing.assert_allclose(two_head_stack(layers, embeddings), wanted, rtol=1e-13)


@pytest.mark.parametrize("name", TOKENISATIONS)
def test_raw_tokens_have_the_width_and_length_that_they_say(name):
    made, (n, d, k) = TOKENISATIONS[name], (3, 4, 1 if name == "products" else 2)
    raw = made.tokens(np.ones((n + 1, d)), np.ones((n, k)))
    assert raw.shape == (made.length(n), made.width(d, k))
    assert made.features(raw.shape[1], k) == d
    assert made.features(k, k) is None


def test_the_flag_is_that_of_the_query_alone():
    x, y = np.arange(1.0, 9).reshape(4, 2), np.arange(10.0, 16).reshape(3, 2)
    for name in ("labelled", "interleaved"):
        rows = TOKENISATIONS[name].tokens(x, y)
        assert (rows[:, -1] == np.eye(len(rows))[-1]).all()
        assert (rows[-1] == [*x[-1], 0, 0, 1]).all()


@pytest.mark.parametrize(
    ("id", "more", "told"),
    [
        ("gril.eq10", {}, "rows that can be exported: gd-ssm.prop1, "),
        ("gril.prop4.3", {}, "there is no stack of linear recurrences in it"),
        ("gril.prop4.1-from0", {}, "there is no stack"),
        ("gd-ssm.a4-construction", {}, "there is no stack"),
        ("gril.w3-minimal-gd+two-cycles", {}, "there is no stack"),
        ("gril.prop4.2", {}, "no claim matches"),
        ("ssd.thm4.1", {"targets": 2}, "about one target, got 2"),
        ("ssd.remark4.1-lsa", {"features": 2}, "about 1 feature, got 2"),
        ("gril.prop4.1", {"steps": 2}, "about one step, got 2"),
        ("gril.prop4.1", {"examples": 0}, "give examples as a whole number ≥ 1, got 0"),
        ("gril.prop4.1", {"features": None}, "give features as a whole number ≥ 1, got None"),
        ("gril.prop4.1", {"features": True}, "give features as a whole number"),
        ("gril.prop4.1", {"step_size": 0}, "step_size = 0 is not positive"),
        ("gril.prop4.1", {"step_size": float("nan")}, "step_size takes finite numbers"),
        ("gril.prop4.1", {"W0": [[1], [0]]}, "starts from W0 = 0"),
        ("gril.propA.1", {"W0": [[1, 2]]}, "W0 has shape (1, 2), expected (2, 1)"),
        ("gril.propA.1", {"W0": [[1], [float("inf")]]}, "W0 takes finite numbers"),
        ("gril.propA.1", {"W0": [["x"], [1]]}, "W0 takes finite numbers"),
        ("ssd.remark4.1-lsa", {"as_stated": True}, "leave --as-stated out"),
    ],
)
def test_what_cannot_be_exported_is_refused_in_a_line(id, more, told):
    options = {"features": 2, "examples": 3, "targets": 1, **more}
    with pytest.raises(UsageError) as caught:
        statements.of_statement(id, **options)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.long
def test_as_stated_takes_the_printed_parameters_and_says_what_is_thought_of_them():
    id = "gd-ssm.prop1-construction"
    mended, printed = (
        statements.of_statement(id, features=2, examples=3, as_stated=flag)
        for flag in (False, True)
    )
    assert (mended.claim.id, mended.verdict) == (f"{id}+sign", "proved")
    assert (printed.claim.id, printed.verdict) == (id, "refuted")
    assert printed.model.layers[0].beta == -mended.model.layers[0].beta


def test_the_step_size_is_that_of_the_summed_gradient_whatever_the_statements_loss():
    for id, own in (("gril.a2-construction+last", 5), ("ssd.thm4.1", Fraction(5, 2))):
        made = statements.of_statement(id, features=2, examples=5, targets=1, step_size=1)
        assert made.eta == 1
        layer = made.model.layers[0]
        scale = layer.beta if hasattr(layer, "beta") else layer.S_B[0, 0]
        assert scale in (own / Fraction(5), 2 * own)


def test_without_torch_its_modules_name_the_extra(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("scanproof.numeric.modules.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(UsageError, match=r"pip install 'scanproof\[torch\]'"):
        importlib.import_module("scanproof.numeric.modules.recurrence")


@pytest.mark.long
def test_an_export_needs_no_jax_and_no_torch():
    program = (
        "import sys; from scanproof.numeric.export.statements import of_statement;"
        "from scanproof.numeric.export.certificates.linear import Domain, bound;"
        "made = of_statement('gril.prop4.1', features=4, examples=10, targets=1);"
        "bound(made.model, Domain(10, 1.0, 2.0)); made.tensors;"
        "print({'jax', 'torch', 'transformers', 'sympy'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "set()\n", "")
