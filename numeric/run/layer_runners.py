"""Which runner evaluates the layer of a construction: how a step function, or a masked form, is run fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scanproof.constructs.constructions import hybrid as hybrid_constructions
from scanproof.constructs.constructions import reverse_sgd
from scanproof.constructs.constructions import ssd as ssd_constructions
from scanproof.constructs.constructions.construction import Construction
from scanproof.constructs.layers import delta_rule, gd_ssm, gril, linear_transformer, longhorn, ssd
from scanproof.constructs.layers import hybrid as hybrid_layer
from scanproof.constructs.layers.multi_step import TwoHeads as TwoHeadLayers
from scanproof.constructs.layers.sequence import Masked, Recurrent

from ..ops.delta import delta as delta_op
from ..ops.delta import longhorn as longhorn_op
from .linear import GD_SSM, GRIL, LINEAR_TRANSFORMER, LSA, SSD, LinearLayer, Mamba2
from .masked import (
    ExamplesMask,
    MaskedHybrid,
    QueryOnly,
    Stack,
    after_all,
    equal_matrices,
    two_matrices,
)
from .runners import Hybrid, Online, Recurrence, TwoHeads, lsa_parameters
from .tokenising import Pairs, Rows


def runner(construction: Construction) -> Any:
    """The runner of a construction.

    Raises:
        KeyError: if none is known for its layer.
    """
    layer = construction.layer
    if isinstance(layer, TwoHeadLayers):
        pairs = Pairs(construction.tokens)
        return TwoHeads(layer.step, pairs, construction.read, construction.start)
    of: Any = layer.step if isinstance(layer, Recurrent) else getattr(layer, "layer", layer)
    return RUNNERS[of](construction)


def _in_windows(layer: LinearLayer) -> Callable[[Construction], Recurrence]:
    def made(construction: Construction) -> Recurrence:
        pairs = Pairs(construction.tokens)
        return Recurrence(layer, pairs, construction.read, starts=construction.informed)

    return made


def _rows(construction: Construction, **more: Any) -> Rows:
    """The tokens of a construction as rows of a matrix."""

    def rows(x: Any, y: Any, W0: Any) -> Any:
        made = construction.seen(x, y, W0)
        return made.T if isinstance(construction.layer, Masked) else made

    return Rows(rows, **more)


def _label(outputs: Any, following: Any, start: Any, **extra: Any) -> Any:
    return outputs[:, -1]


def _ssd(residual: bool) -> Callable[[Construction], Recurrence]:
    def made(construction: Construction) -> Recurrence:
        return Recurrence(
            SSD,
            _rows(construction, decays=lambda problem, p: np.asarray(p.decays)),
            _label,
            parameters=lambda p, problem: Mamba2(p.S_B, p.S_C, problem.examples, residual),
        )

    return made


def _attention(construction: Construction) -> Recurrence:
    rows = _rows(construction)
    return Recurrence(LSA, rows, _label, parameters=lsa_parameters, stacked=True)


def _transformer(construction: Construction) -> Recurrence:
    rows = _rows(construction, query=False)
    return Recurrence(LINEAR_TRANSFORMER, rows, construction.read, stacked=True)


WEIGHTS = {
    hybrid_constructions.one_example: ("t", hybrid_constructions.example_weights),
    hybrid_constructions.one_batch: ("m", hybrid_constructions.batch_weights),
}
"""The weights of a mask of decays, by the parameters that hold the mask."""


def _hybrid(construction: Construction) -> Hybrid | MaskedHybrid:
    if construction.parameters not in WEIGHTS:
        assert isinstance(construction.layer, Masked)
        return MaskedHybrid(_rows(construction), construction.layer.layer)
    rows = _rows(construction, decays=lambda problem, p: p.decays)
    return Hybrid(rows, _label, *WEIGHTS[construction.parameters])


RUNNERS: dict[Callable[..., Any], Callable[[Construction], Any]] = {
    gril.step: _in_windows(GRIL),
    gd_ssm.step: _in_windows(GD_SSM),
    linear_transformer.step: _transformer,
    delta_rule.step: lambda _: Online(delta_rule.step, delta_op),
    longhorn.step: lambda _: Online(longhorn.step, longhorn_op),
    ssd.mamba2: _ssd(residual=True),
    ssd.mixing: _ssd(residual=False),
    ssd_constructions.causal_attention: _attention,
    ssd_constructions.attention_to_examples: lambda c: ExamplesMask(_rows(c)),
    ssd_constructions.query_only: lambda c: QueryOnly(_rows(c), two_matrices),
    hybrid_layer.layer: _hybrid,
    hybrid_constructions.leading: _hybrid,
    reverse_sgd.stack: lambda c: Stack(_rows(c), after_all),
    reverse_sgd.ssd_sublayer: lambda c: QueryOnly(_rows(c), equal_matrices),
}
"""By the step function, or the masked form, of the layer."""
