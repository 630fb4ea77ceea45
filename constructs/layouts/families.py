"""The families of linear targets: the tensors of a layer with their shapes, and how a stack of layers runs.

Every family is a stack of linear recurrences on embeddings (T, M), read by the layer's own step function. To add one,
write its layer in `layers`, its forward here, and an entry in `FAMILIES`.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ..arrays.array_api import Array, namespace
from ..arrays.definition import definition
from ..arrays.ranges import build
from ..arrays.scan import scan
from ..constructions.construction import Construction
from ..constructions.ssd import attention_to_examples, causal_attention
from ..layers import fla_linear_attention, gd_ssm, gril, lsa, ssd
from ..layers.multi_step import TwoHeads
from ..layers.sequence import Masked
from ..tokens import Windows, concatenated, labelled_columns
from ..tokens.examples import steps, windows

WINDOW, STRIDE = Windows().width, Windows().stride
"""Windows (x_t, y_t, x_{t+1}) of the interleaved stream."""


class Family(NamedTuple):
    """Layers of one kind."""

    name: str
    layer: Any
    """The named tuple of a layer's parameters."""
    shapes: Mapping[str, str]
    """For each of its fields the shape, as letters and numbers: "f f", "3 3", "" for a scalar; one letter is one
    size in all layers."""
    width: str
    """M, the width of the embeddings, in the same letters."""
    outputs: str
    """O, the width of the outputs."""
    tokens: tuple[str, ...]
    """Names of the tokenisations it takes; the first where nothing says which."""
    forward: Callable[..., Array]
    """(layers, embeddings (T, M)) -> outputs (T', O); the last one is the prediction's."""
    stacked: bool = False
    """Whether there may be several layers."""
    of: tuple[Any, ...] = ()
    """The layers of constructions that it has."""
    written: Callable[..., Sequence[Any]] = lambda p, n, L, W0: (p,)
    """(parameters, examples, L, W0) -> its layers, from the parameters of such a construction."""


TwoHeadLayer = namedtuple("TwoHeadLayer", (*gril.TwoHead._fields, "weights"))
"""A layer of `gril.two_head_step`: the fields of `gril.TwoHead`, and weights (f, f) that it adds to those from below,
W0 in the first layer and 0 in the others."""


AttentionToExamples = namedtuple("AttentionToExamples", ("PV", "KQ"))
"""A layer of linear self-attention in which every token sees all the examples: the product of the projection and W_v,
and W_kᵀ W_q, both (D, D). Its fields are not named as those of `lsa.Parameters`, so that tensors alone say which tokens
a token sees."""


@definition
def gril_block(layers: Sequence[gril.Block], embeddings: Array) -> Array:
    """One GRIL block on windows of three rows, two apart, from Z = 0: (2n + 1, f) -> (n, f)."""
    (block,) = layers
    return gril.BLOCK.outputs(block, windows(embeddings, WINDOW, STRIDE))


@definition
def scalar_network(layers: Sequence[gd_ssm.Scalar], embeddings: Array) -> Array:
    """The scalar-target network of gd-ssm from z = 0: (n, 2f) -> (n, 1)."""
    (network,), xp = layers, namespace(embeddings)
    tokens = gd_ssm.Token(embeddings, steps(xp, embeddings.shape[0]))
    return gd_ssm.NETWORK.outputs(network, tokens)[:, None]


@definition
def two_head_layer(layer: TwoHeadLayer, seen: gril.Window, below: Array) -> tuple[Array, Array]:
    """A layer over windows, for the weights that the layer below holds at each: (n, f, f) -> (n, f, f) and (n, f)."""
    f = seen.window.shape[1]
    empty, heads = namespace(below).zeros((f, f)), gril.TwoHead(*layer[:-1])
    tokens = gril.WeightedWindow(*seen, below + layer.weights)
    return scan(gril.two_head_step, heads, (empty, empty), tokens).outputs


@definition
def two_head_stack(layers: Sequence[TwoHeadLayer], embeddings: Array) -> Array:
    """Two-head layers one above the other, all over the same windows: (2n + 1, f) -> (n, f).

    As `multi_step.stack`, where all layers are equal: token t of a layer carries the weights that the layer below
    holds at t, and what the layer itself adds to them.
    """
    xp, f = namespace(embeddings), embeddings.shape[1]
    seen = windows(embeddings, WINDOW, STRIDE)
    weights = build(xp, seen.window.shape[0], lambda _: xp.zeros((f, f)))
    outputs = embeddings
    for layer in layers:
        weights, outputs = two_head_layer(layer, seen, weights)
    return outputs


@definition
def ssd_layer(layers: Sequence[ssd.Parameters], embeddings: Array) -> Array:
    """The layer of ssd Def. 3.2 as a recurrence, with its residual and 1/n, n = T − 1: (T, D) -> (T, D).

    `ssd.mamba2` is the same layer by its mask; T is the number of decays.
    """
    (layer,), xp = layers, namespace(embeddings)
    state = xp.zeros((embeddings.shape[1], layer.S_B.shape[0]))
    tokens = ssd.tokens(embeddings.T, layer.decays, layer.S_B, layer.S_C)
    return embeddings + scan(ssd.step, None, state, tokens).outputs / (embeddings.shape[0] - 1)


@definition
def lsa_stack(layers: Sequence[lsa.Parameters], embeddings: Array) -> Array:
    """Layers of causal linear self-attention with residuals, as recurrences: (T, D) -> (T, D)."""
    D, rows = embeddings.shape[1], embeddings
    for layer in layers:
        rows = scan(lsa.step, layer, namespace(rows).zeros((D, D)), rows).outputs
    return rows


@definition
def attention_stack(layers: Sequence[AttentionToExamples], embeddings: Array) -> Array:
    """Layers of linear self-attention with residuals, in which every token sees all but the last: (T, D) -> (T, D).

    `ssd.attention_to_examples` is the same layer by its mask, with 1/n beside its Q; here all tokens share the sum of
    z ⊗ z over the examples.
    """
    rows = embeddings
    for layer in layers:
        seen = rows[:-1].T @ rows[:-1]
        rows = rows + rows @ layer.KQ.T @ seen @ layer.PV.T
    return rows


def _shapes(layer: Any, *shapes: str) -> dict[str, str]:
    return dict(zip(layer._fields, shapes, strict=True))


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family(
            "gril",
            gril.Block,
            _shapes(gril.Block, "f f", "3 3", "3", "", "2"),
            width="f",
            outputs="f",
            tokens=("interleaved",),
            forward=gril_block,
            of=(gril.BLOCK,),
        ),
        Family(
            "gd-ssm",
            gd_ssm.Scalar,
            _shapes(gd_ssm.Scalar, "m c", "m c", "", "2"),
            width="c",
            outputs="1",
            tokens=("products",),
            forward=scalar_network,
            of=(gd_ssm.NETWORK,),
        ),
        Family(
            "two-head",
            TwoHeadLayer,
            _shapes(TwoHeadLayer, "3 3", "3 3", "3", "", "2", "", "f f"),
            width="f",
            outputs="f",
            tokens=("interleaved",),
            forward=two_head_stack,
            stacked=True,
            of=(TwoHeads(gril.two_head_step),),
            written=lambda p, n, L, W0: [TwoHeadLayer(*p, 0 * W0 if i else W0) for i in range(L)],
        ),
        Family(
            "ssd",
            ssd.Parameters,
            _shapes(ssd.Parameters, "T", "N D", "N D"),
            width="D",
            outputs="D",
            tokens=("labelled",),
            forward=ssd_layer,
            of=(ssd.LAYER, ssd.MIXING),
        ),
        Family(
            "lsa",
            lsa.Parameters,
            _shapes(lsa.Parameters, "D D", "D D", ""),
            width="D",
            outputs="D",
            tokens=("labelled",),
            forward=lsa_stack,
            stacked=True,
            of=(Masked(causal_attention),),
            written=lambda p, n, L, W0: [lsa.Parameters(p.P, p.Q, Fraction(1, n))] * L,
        ),
        Family(
            "attention-to-examples",
            AttentionToExamples,
            _shapes(AttentionToExamples, "D D", "D D"),
            width="D",
            outputs="D",
            tokens=("labelled",),
            forward=attention_stack,
            stacked=True,
            of=(Masked(attention_to_examples),),
            written=lambda p, n, L, W0: [AttentionToExamples(p.P, p.Q * Fraction(1, n))] * L,
        ),
        Family(
            "linear-attention",
            fla_linear_attention.Parameters,
            _shapes(fla_linear_attention.Parameters, "H m M", "H m M", "H p M", "H M p"),
            width="M",
            outputs="M",
            tokens=("labelled", "concatenated"),
            forward=fla_linear_attention.stack,
            stacked=True,
        ),
    )
}
"""By name."""

TOKENS = {
    Windows(): "interleaved",
    Windows(apart=True): "interleaved",
    concatenated: "products",
    labelled_columns: "labelled",
}
"""The names of constructions' tokens in `tokens.encoding`."""


class Form(NamedTuple):
    """How a construction is a model of a family."""

    family: str
    tokens: str
    apart: bool | None
    """Whether inputs and targets have coordinates of their own; None where either will do."""


def form(construction: Construction) -> Form | None:
    """The family that has a construction's layer and tokens; None if there is none."""
    name = TOKENS.get(construction.tokens)
    for family in FAMILIES.values():
        if construction.layer in family.of and name in family.tokens:
            shared = construction.tokens == Windows()
            return Form(family.name, name, None if shared else True)
    return None
