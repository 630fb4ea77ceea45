"""`identify` on layers of linear self-attention in which every token sees all the examples, beside causal ones."""

from __future__ import annotations

from fractions import Fraction

import identify_cases as cases
import numpy as np
import pytest
from identify_cases import Export

from scanproof.constructs.layers import lsa
from scanproof.constructs.layouts import neutral
from scanproof.constructs.layouts.neutral import LayoutError, Model
from scanproof.numeric.identify.asked import Asked
from scanproof.numeric.identify.identifying import identified as identify_linear
from scanproof.numeric.identify.report import ASCENT, DESCENT, NONE, PLUS_PLUS, Report

pytest.importorskip("safetensors", reason="exports need safetensors (extra: export)")


def of(model: Model) -> Report:
    return identify_linear(cases.as_loaded(model))


@pytest.mark.long
def test_attention_to_all_examples_does_every_rule_that_is_made_of_steps():
    """Steps of other sizes, and inputs that go through I − γΣxxᵀ, which von Oswald et al. call GD++."""
    steps = of(cases.attention_to_examples(2, [0.25, 0.5]))
    assert steps.exact and steps.verdict.startswith("exactly 2 steps of gradient descent with η = ")
    assert steps.step_size is not None and steps.step_size.each == (Fraction(1, 4), Fraction(1, 2))
    plus_plus = of(cases.attention_to_examples(2, [0.25, 0.5], [0.5]))
    assert plus_plus.rule == PLUS_PLUS and plus_plus.gamma == Fraction(1, 8)
    up = of(cases.attention_to_examples(2, [-0.25]))
    assert up.rule == ASCENT


@pytest.mark.long
@pytest.mark.parametrize(("d", "n"), [(1, 1), (3, 65), (1, 300)])
def test_layers_that_see_all_examples_are_recognised_at_any_number_of_them(d, n, tmp_path):
    options = {"features": d, "examples": n, "steps": 2, "step_size": Fraction(1, n)}
    loaded = cases.made(Export("ssd.remark4.1-lsa-construction", options), tmp_path / "out")
    for examples in ((), (n,)):
        report = identify_linear(loaded, Asked(examples))
        assert (report.rule, report.steps, report.contradictions) == (DESCENT, 2, [])
        assert report.step_size is not None and report.step_size.nearest == Fraction(1, n)
        assert report.nearest_construction == "ssd.remark4.1-lsa-construction+mask"
        assert report.same_function and report.deviations == []


@pytest.mark.long
def test_the_same_numbers_are_one_rule_in_causal_layers_and_another_where_all_examples_are_seen():
    """One layer's query sees the same; two causal layers show it labels that learned from less (ssd Remark 4.1)."""
    for layers, causal_is in ((1, DESCENT), (2, NONE)):
        seen = cases.attention_to_examples(2, [0.25] * layers)
        own = (lsa.Parameters(layer.PV, layer.KQ, np.asarray(1.0)) for layer in seen.layers)
        causal = seen._replace(family="lsa", layers=tuple(own))
        one, other = of(seen), of(causal)
        assert (one.family, one.rule, one.steps) == ("attention-to-examples", DESCENT, layers)
        assert (other.family, other.rule) == ("lsa", causal_is)


def test_a_manifest_of_causal_layers_contradicts_tensors_that_see_all_examples(tmp_path):
    causal = cases.made(Export("ssd.remark4.1-lsa", {"features": 1, "steps": 2}), tmp_path / "1")
    seen = cases.made(
        Export("ssd.remark4.1-lsa-construction", {"features": 1, "steps": 2}), tmp_path / "2"
    )
    assert identify_linear(causal).contradictions == identify_linear(seen).contradictions == []
    for tensors, told in ((causal, seen), (seen, causal)):
        report = identify_linear(tensors._replace(manifest=told.manifest))
        places = {each.assertion for each in report.contradictions}
        assert {"family", "construction.id"} <= places and report.exit_code() == 1


def test_tensors_of_both_families_are_refused_by_name():
    model = cases.attention_to_examples(2, [0.25])
    loaded = cases.as_loaded(model)
    tensors = {**loaded.tensors, "layers.0.scale": np.ones((), np.float32)}
    with pytest.raises(LayoutError, match=r"unexpected layers\.0\.scale"):
        neutral.from_tensors(tensors, loaded.encoding)
    with pytest.raises(LayoutError, match=r"missing layers\.0\.KQ"):
        neutral.from_tensors({"layers.0.PV": np.ones((3, 3))}, loaded.encoding)
