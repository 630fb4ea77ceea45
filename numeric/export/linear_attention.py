"""Exports of the `linear-attention` rows: layers of linear attention as released, with residual connections."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from scanproof.constructs.constructions import linear_attention
from scanproof.constructs.constructions.linear_attention import LAYOUTS
from scanproof.constructs.errors import UsageError
from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.entries import filled
from scanproof.proofs.exact.roots import RootsField

from .linear import LARGEST, Steps, certificate
from .parts import Export, Request
from .row_choice import Selection, choose, exported, weights
from .statements import in_float64


def build(request: Request) -> Export:
    """The model that is asked for, with the statement that it is an instance of.

    Raises:
        UsageError: for options that no such layers have, or sizes that are too large.
    """
    chosen = choose(request, linear_attention.NETWORK, LAYOUTS, unit="layer")
    d, k, n = request.features, chosen.targets, request.examples
    _check_size(request, chosen)
    eta = Fraction(1, n) if request.step_size is None else request.step_size
    W0 = weights(request, k)
    start = np.array([[Fraction(w) for w in row] for row in W0.tolist()], dtype=object)

    def instance(xp: Any, eta: Any) -> Any:
        steps, kind = request.steps, {"tokens": chosen.tokens, "in_one_block": chosen.in_one_block}
        return linear_attention.instance(xp, d, steps, eta, start, **kind)

    try:
        made = exactly(RootsField(), instance, filled((), eta))
    except ValueError as error:
        raise UsageError(f"export {request.id}: {_in_options(str(error))}") from None
    exact = neutral.mapped(_once(_entries), fla_linear_attention.neutral_model(made))
    model = neutral.mapped(_once(in_float64), exact)
    return exported(
        request,
        chosen,
        eta,
        W0,
        model,
        family=model.family,
        raw=tuple(TOKENISATIONS[chosen.tokens].columns(d, k)),
        predicts="last" if chosen.tokens == "labelled" else "every",
        encoding=neutral.encoding(model),
        certify=lambda dtype, wide=False: certificate(
            exact, chosen.claim, request, Steps(W0, eta, request.steps), dtype, wide=wide
        ),
        exact=exact,
    )


def _check_size(request: Request, chosen: Selection) -> None:
    """Refuse large models before fractions are made: four projections of every head in each layer."""
    layout = LAYOUTS[chosen.tokens](
        request.features, chosen.targets, weights=not chosen.in_one_block
    )
    widths = linear_attention.released(layout, in_one_layer=chosen.in_one_block)
    layers = 1 if chosen.in_one_block else request.steps + 1
    numbers = layers * widths.heads * widths.stream * 2 * (widths.keys + widths.values)
    if numbers > LARGEST:
        raise UsageError(
            f"export {request.id}: {request.features} features, {chosen.targets} targets and {request.steps} steps "
            f"make {numbers:,} exact numbers, and {LARGEST:,} are the most that are built; give smaller sizes."
        )


def _in_options(text: str) -> str:
    """The construction's error message in the words of the options."""
    _, _, why = text.partition("expects ")
    for name, option in (
        ("in_one_block=True", "--in-one-block"),
        ("tokens='concatenated'", "--tokens concatenated"),
        ("tokens='labelled'", "--tokens labelled"),
    ):
        why = why.replace(name, option)
    return f"it takes {why}"


def _once(function: Callable[[Any], np.ndarray]) -> Callable[[Any], np.ndarray]:
    """The function, called once for an array that several layers share; they share its result."""
    found: dict[int, tuple[Any, np.ndarray]] = {}

    def mapped(array: Any) -> np.ndarray:
        if id(array) not in found:
            found[id(array)] = array, function(array)
        return found[id(array)][1]

    return mapped


def _entries(array: np.ndarray) -> np.ndarray:
    """The entries as Fractions, or as plain integers where they can be, which are faster."""
    whole = np.frompyfunc(lambda entry: entry.numerator if entry.denominator == 1 else entry, 1, 1)
    return np.asarray(whole(array), dtype=object)
