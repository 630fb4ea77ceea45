"""Stacks of linear attention as a neutral model and as flash-linear-attention's tensors, without that library."""

from fractions import Fraction
from typing import Any

import linear_cases
import numpy as np
import pytest

from scanproof.constructs.constructions import linear_attention
from scanproof.constructs.constructions.instance import Instance
from scanproof.constructs.constructions.linear_attention import LAYOUTS, least, released
from scanproof.constructs.layers.fla_linear_attention import Parameters, root
from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.layouts.neutral import LayoutError
from scanproof.numeric.export.certificates import stacks
from scanproof.numeric.export.certificates.domain import Domain
from scanproof.numeric.export.certificates.linear import bound, bound_at
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.roots import RootsField

SIZES: list[dict[str, Any]] = [
    {"features": 4, "examples": 10, "steps": 1},
    {"features": 8, "examples": 40, "steps": 6},
    {"features": 5, "examples": 13, "steps": 2, "targets": 3},
    {"features": 1, "examples": 1, "steps": 1},
    {"features": 15, "examples": 3, "steps": 2},
    {"features": 5, "examples": 13, "steps": 1, "targets": 2, "in_one_block": True},
    {
        "features": 5,
        "examples": 13,
        "steps": 1,
        "targets": 2,
        "tokens": "concatenated",
        "in_one_block": True,
    },
    {"features": 1, "examples": 1, "steps": 1, "in_one_block": True},
]


def made(features, examples, steps, targets=1, tokens="labelled", in_one_block=False):
    """From weights other than 0, where there are such models."""
    W0 = np.random.default_rng(1).integers(-64, 65, (features, targets)) / 64
    if in_one_block and tokens == "labelled":
        W0 = 0 * W0
    eta = 1 / examples
    return linear_attention.instance(
        np, features, steps, eta, W0, tokens=tokens, in_one_block=in_one_block
    )


def model(**sizes):
    return fla_linear_attention.neutral_model(made(**sizes))


def tasks(features, examples, steps, targets=1, count=4, **_):
    case = linear_cases.Case("", features, examples, steps, targets)
    return linear_cases.tasks(case, count)


def explicit(instance, given, steps):
    return linear_cases.explicit(given.x, given.y, instance.eta, instance.W0, steps)


@pytest.mark.parametrize("sizes", SIZES)
def test_in_float64_the_model_is_explicit_gradient_descent_up_to_rounding(sizes):
    instance, given = made(**sizes), tasks(**sizes)
    found = fla_linear_attention.neutral_model(instance)
    got = [neutral.predict(found, x, y) for x, y in zip(*given, strict=True)]
    expected = explicit(instance, given, sizes["steps"])
    np.testing.assert_allclose(got, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.long
@pytest.mark.parametrize(("targets", "steps"), [(1, 1), (3, 2), (1, 3)])
def test_in_fractions_it_is_gradient_descent_exactly(targets, steps):
    rng, eta = np.random.default_rng(0), Fraction(2, 7)

    def small(*shape):
        parts = rng.integers(-6, 7, (2, *shape))
        made = [
            Fraction(int(a), abs(int(b)) + 1) for a, b in zip(*parts.reshape(2, -1), strict=True)
        ]
        return np.array(made, dtype=object).reshape(shape)

    x, y, W0 = small(4, 2), small(3, targets), small(2, targets)
    layout = LAYOUTS["labelled"](2, targets)

    def predicted(xp, x, y, weights):
        step_size = xp.asarray(eta)
        built = linear_attention.gradient_descent(xp, layout, released(layout), step_size, weights)
        instance = Instance(layout, released(layout), steps, eta, W0, built)
        return neutral.predict(fla_linear_attention.neutral_model(instance), x, y)

    got = exactly(RootsField(), predicted, x, y, W0)
    assert (got == linear_cases.explicit(x, y, eta, W0, steps)).all()


@pytest.mark.long
def test_in_jax_it_is_the_same_model():
    jnp = pytest.importorskip("jax.numpy")
    sizes: dict[str, Any] = {"features": 4, "examples": 6, "steps": 2}
    found, given = model(**sizes), tasks(**sizes)
    x, y = given.x[0], given.y[0]
    got = neutral.predict(neutral.mapped(jnp.asarray, found), jnp.asarray(x), jnp.asarray(y))
    np.testing.assert_allclose(got, neutral.predict(found, x, y), rtol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("sizes", SIZES)
def test_float32_stays_within_the_bound_and_the_bound_is_no_empty_word(sizes):
    instance, given = made(**sizes), tasks(**sizes, count=8)
    found = fla_linear_attention.neutral_model(instance)
    single = neutral.mapped(lambda a: a.astype(np.float32), found)
    expected = explicit(instance, given, sizes["steps"])
    for x, y, wanted in zip(*given, expected, strict=True):
        got = neutral.predict(single, x.astype(np.float32), y.astype(np.float32))
        limit = bound_at(found, x, y)
        assert (np.abs(got - wanted) <= limit).all()
        assert limit.max() <= 2e-3 * (1 + np.abs(wanted).max())


@pytest.mark.long
def test_the_bound_for_a_domain_grows_no_faster_than_the_steps_let_errors_grow():
    relative = []
    for steps in (1, 2, 4, 8):
        found = model(features=4, examples=16, steps=steps)
        relative.append(bound(found, Domain(16, 1.0, 2.0, curvature=16.0)).relative)
    assert relative == sorted(relative)
    assert relative[-1] <= 16 * relative[0]


@pytest.mark.long
def test_the_start_from_0_is_rounded_too():
    instance = linear_attention.instance(np, 1, 1, 1 / 400, np.zeros((1, 1)))
    x, y = np.ones((401, 1)), np.ones((400, 1))
    (limit,) = bound_at(fla_linear_attention.neutral_model(instance), x, y)
    assert limit >= 400 * 2.0**-24 * abs(explicit(instance, linear_cases.Tasks(x, y), 1)[0])


@pytest.mark.parametrize("sizes", SIZES)
def test_the_layout_has_the_shapes_of_its_settings_and_leads_back(sizes):
    found = model(**sizes)
    settings, state = fla_linear_attention.layout(found)
    assert {key: a.shape for key, a in state.items()} == fla_linear_attention.shapes(settings)
    back = fla_linear_attention.layers(settings, state)
    for layer, again in zip(found.layers, back, strict=True):
        for field in Parameters._fields:
            np.testing.assert_array_equal(getattr(layer, field), getattr(again, field))
    for size in (settings["hidden_size"], *found.layers[0].value.shape[1:2]):
        assert size >= 16
        assert size & (size - 1) == 0


def test_heads_that_do_not_divide_a_width_are_refused():
    settings, state = fla_linear_attention.layout(model(features=2, examples=3, steps=1))
    with pytest.raises(ValueError, match="3 heads do not divide 32, the width of query"):
        fla_linear_attention.layers({**settings, "num_heads": 3}, state)


@pytest.mark.parametrize("features", [1, 14, 15, 62, 63, 254])
def test_keys_are_padded_to_a_size_with_a_whole_root(features):
    widths = released(LAYOUTS["labelled"](features, 1))
    assert widths.keys >= features + 2
    assert widths.keys == widths.root**2 == root(np, widths.keys) ** 2
    assert widths.root & (widths.root - 1) == 0
    assert widths.stream >= least(LAYOUTS["labelled"](features, 1)).stream


@pytest.mark.parametrize("sizes", SIZES[:5])
def test_the_family_is_recognised_by_its_tensors(sizes):
    found = model(**sizes)
    again = neutral.from_tensors(neutral.tensors(found), neutral.encoding(found))
    assert (again.family, again.tokens) == ("linear-attention", "labelled")
    assert neutral.sizes(again) == (sizes["features"], sizes.get("targets", 1))
    known = stacks.recognised(again, sizes["examples"])
    assert known is not None
    assert known.steps == sizes["steps"]
    assert known.eta == 1 / sizes["examples"]


@pytest.mark.long
def test_a_changed_entry_is_not_taken_for_the_construction_and_predicts_something_else():
    sizes: dict[str, Any] = {"features": 3, "examples": 5, "steps": 2}
    found, given = model(**sizes), tasks(**sizes, count=1)
    x, y = given.x[0], given.y[0]
    wanted = neutral.predict(found, x, y)
    for key, array in {**neutral.tensors(found), **neutral.encoding(found)}.items():
        for place in zip(*np.nonzero(array), strict=True):
            changed = array.copy()
            changed[place] *= 1.5
            tensors, encoding = (
                {name: changed if name == key else a for name, a in arrays.items()}
                for arrays in (neutral.tensors(found), neutral.encoding(found))
            )
            other = neutral.from_tensors(tensors, encoding)
            assert stacks.recognised(other, sizes["examples"]) is None
            assert np.abs(neutral.predict(other, x, y) - wanted).max() > 1e-9, (key, place)


def test_missing_heads_are_told():
    found = model(features=3, examples=5, steps=1)
    tensors = neutral.tensors(found)
    tensors["layers.1.key"] = tensors["layers.1.key"][:1]
    del tensors["layers.0.output"]
    with pytest.raises(LayoutError) as caught:
        neutral.from_tensors(tensors, neutral.encoding(found))
    assert "missing layers.0.output" in caught.value.problems
    assert any("layers.1.key has shape (1, 16, 16)" in problem for problem in caught.value.problems)


def test_the_query_is_an_example_where_the_first_layer_is_like_the_others():
    sizes: dict[str, Any] = {"features": 3, "examples": 5, "steps": 3}
    instance, given = made(**sizes), tasks(**sizes, count=1)
    built, (x, y) = instance.model, (given.x[0], given.y[0])
    raw = instance.layout.tokens(x, y)
    alike = linear_attention.predictions(built._replace(first=built.step), raw, 3)[-1]
    W = instance.W0
    for _ in range(3):
        W = W - instance.eta * x.T @ (x @ W - np.concatenate([y, np.zeros((1, 1))]))
    np.testing.assert_allclose(alike, x[-1] @ W, rtol=1e-12)
    assert np.abs(alike - explicit(instance, given, 3)[0]).max() > 1e-2


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"steps": 0}, r"steps=0\) expects steps ≥ 1"),
        ({"steps": 2, "in_one_block": True}, r"steps=2\) expects steps ≥ 1, and 1 in one block"),
        ({"tokens": "interleaved"}, "expects one of labelled, concatenated"),
        ({"W0": np.zeros((2, 1))}, r"expects shape \(3, k\), got \(2, 1\)"),
        ({"W0": np.zeros((3, 0))}, r"expects shape \(3, k\), got \(3, 0\)"),
        ({"W0": np.zeros(3)}, r"expects shape \(3, k\), got \(3,\)"),
        ({"W0": np.ones((3, 1)), "in_one_block": True}, "expects W0 = 0: one layer counts"),
        ({"tokens": "concatenated"}, "expects in_one_block=True"),
    ],
)
def test_what_no_such_layers_do_is_refused(given, told):
    arguments = {"features": 3, "steps": 1, "eta": 0.5, "W0": np.zeros((3, 1)), **given}
    with pytest.raises(ValueError, match=told):
        linear_attention.instance(np, **arguments)
