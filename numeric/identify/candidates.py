"""Constructions that the weights of a linear model may be: those of its family at its sizes, for any W0 and η."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from scanproof.constructs.constructions import linear_attention, ssd
from scanproof.constructs.layers import lsa
from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.layouts.families import FAMILIES
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import encoding

from ..export import statements
from ..export.row_choice import rows_of
from ..run.rows import constructed

CLOSE = 0.1
"""Relative deviation of a factor from 1/n, of weights that were trained or edited, too."""
LARGEST = 10**6
"""n that a factor 1/n may stand for, at most."""

Build: TypeAlias = Callable[[np.ndarray, Fraction], Model]
"""From W0 (d, k) and η, the factor of the summed gradient after n examples, to the model in float64.

It raises `UsageError` or `ValueError` where there is none.
"""


class Candidate(NamedTuple):
    """A construction at a model's sizes."""

    what: str
    """The statement that it is of, or words."""
    build: Build


STATEMENTS: Mapping[str, tuple[str, ...]] = {
    "gril": ("gril.prop4.1", "gd-ssm.prop2", "gril.embed"),
    "gd-ssm": (
        "gd-ssm.prop1",
        "gd-ssm.prop1-every-token+sign+scale",
        "gd-ssm.prop1-diagonal+rectangular",
    ),
    "two-head": ("gd-ssm.prop3", "gril.propA.1-construction+transpose+embedding"),
    "ssd": ("ssd.thm4.1", "ssd.thm4.1-appendix+loss"),
    "lsa": ("ssd.remark4.1-lsa+one-feature",),
    "attention-to-examples": ("ssd.remark4.1-lsa-construction+mask",),
}
"""By family, proved statements whose constructions differ in more than numbers that depend on η and n."""


def of_statement(id: str, model: Model, examples: int) -> Candidate | None:
    """That of a statement, as it is stated; None if it is of another family."""
    if model.family == "linear-attention":
        known = rows_of(linear_attention.NETWORK)
        return Candidate(id, partial(_attention, model)) if id in known else None
    claim = constructed().get(id)
    form = claim and claim.construction and statements.form(claim.construction)
    if form is None or form.family != model.family:
        return None
    return Candidate(id, partial(_of_statement, model, id, examples))


def candidates(model: Model, examples: int) -> Iterator[Candidate]:
    """All of a model's family; for n examples, unless a factor 1/n in its layers shows another n."""
    if model.family == "linear-attention":
        yield Candidate("linear-attention", partial(_attention, model))
    if model.family == "lsa":
        scales = [float(layer.scale) for layer in model.layers]
        examples = _from_scale(statistics.median_low(scales), examples)
        if neutral.sizes(model)[1] == len(model.layers) == 1:
            yield Candidate("linear self-attention that moves labels", partial(_labels, model))
    for id in STATEMENTS.get(model.family, ()):
        yield Candidate(id, partial(_of_statement, model, id, examples))


def _steps(model: Model) -> int:
    """L of a construction with as many layers."""
    layers = len(model.layers) if FAMILIES[model.family].stacked else 1
    return max(1, layers - 1) if model.family == "linear-attention" else layers


def _of_statement(model: Model, id: str, examples: int, W0: np.ndarray, eta: Fraction) -> Model:
    d, k = neutral.sizes(model)
    return statements.of_statement(
        id,
        features=d,
        examples=examples,
        targets=k,
        steps=_steps(model),
        step_size=eta,
        W0=W0,
        as_stated=True,
    ).tensors


def _attention(model: Model, W0: np.ndarray, eta: Fraction) -> Model:
    """Of as many layers: one for the only step, or one for each step and one more."""
    d, one = neutral.sizes(model)[0], len(model.layers) == 1
    made = linear_attention.instance(
        np, d, _steps(model), float(eta), W0, tokens=model.tokens, in_one_block=one
    )
    return fla_linear_attention.neutral_model(made)


def _labels(model: Model, W0: np.ndarray, eta: Fraction) -> Model:
    """One layer: the query's label becomes −η Σ_j y_j x_j·x."""
    if W0.any():
        raise ValueError("the layer starts from W0 = 0")
    d, _ = neutral.sizes(model)
    weight, readout = encoding(np, "labelled", d, 1)
    attention = ssd.label_attention(np, d, float(eta) / 2)
    layer = lsa.Parameters(attention.P, attention.Q, np.asarray(1.0))
    return Model("lsa", "labelled", (layer,), weight, np.zeros(len(weight)), -readout)


def _from_scale(scale: float, otherwise: int) -> int:
    """n of a layer with the factor 1/n."""
    n = round(1 / scale) if scale > 1 / LARGEST else 0
    return n if n and abs(scale * n - 1) <= CLOSE else otherwise
