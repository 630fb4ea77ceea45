"""The layout of flash-linear-attention's `LinearAttention`: its arguments, and the keys and shapes of its state.

The library has no model of bare layers with residual connections, so that a caller adds the outputs of each to its
inputs: h ← h + layer(h), layer after layer. `config.json` holds the arguments of every layer; the layer takes no notice
of the others. Its `linear_attn` models are not meant: their blocks have norms and feed-forward layers.

mode is "fused_recurrent", whose kernel multiplies in float32. The kernels of "chunk" and "fused_chunk" may multiply
float32 matrices in TF32, with 11 significant bits, and release 0.6 takes "chunk" wherever gradients are enabled: call
the layers under `torch.no_grad()`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arrays.array_api import Array, namespace
from ..constructions import linear_attention
from ..constructions.instance import Instance
from ..layers.fla_linear_attention import Parameters
from .neutral import Model

MODEL_TYPE = "fla-linear-attention"
PROJECTIONS = {
    "query": "q_proj.weight",
    "key": "k_proj.weight",
    "value": "v_proj.weight",
    "output": "o_proj.weight",
}
"""Key of each field of a layer, after "layers.{i}."."""
ARGUMENTS = (
    "mode",
    "hidden_size",
    "expand_k",
    "expand_v",
    "num_heads",
    "feature_map",
    "output_norm",
    "norm_q",
    "norm_k",
    "do_feature_map_norm",
)
"""The settings that `LinearAttention` is made with."""


def key(layer: int, field: str) -> str:
    """The key of a layer's field."""
    return f"layers.{layer}.{PROJECTIONS[field]}"


def neutral_model(instance: Instance) -> Model:
    """The neutral form of an instance."""
    made = instance.model
    encoding = made.encode_weight, made.encode_bias, made.readout
    return Model(
        "linear-attention", instance.layout.name, linear_attention.layers(instance), *encoding
    )


def tensors(model: Model) -> dict[str, Array]:
    """The state of the layers: arrays by key, heads one after the other, in the numbers of `model`."""
    state = {}
    for i, layer in enumerate(model.layers):
        xp, heads = namespace(layer.query), range(layer.query.shape[0])
        for field in PROJECTIONS:
            parts = [getattr(layer, field)[h] for h in heads]
            state[key(i, field)] = xp.concat(parts, axis=1 if field == "output" else 0)
    return state


def configuration(model: Model) -> dict[str, Any]:
    """The settings for `config.json`."""
    layer = model.layers[0]
    (heads, m, stream), p = layer.query.shape, layer.value.shape[1]
    return {
        "model_type": MODEL_TYPE,
        "num_hidden_layers": len(model.layers),
        "residual": True,
        "mode": "fused_recurrent",
        "hidden_size": stream,
        "expand_k": heads * m / stream,
        "expand_v": heads * p / stream,
        "num_heads": heads,
        "feature_map": "identity",
        "output_norm": "identity",
        "norm_q": False,
        "norm_k": False,
        "do_feature_map_norm": False,
    }


def layout(model: Model) -> tuple[dict[str, Any], dict[str, Array]]:
    """The configuration and the tensors of a model of the family "linear-attention"."""
    return configuration(model), tensors(model)


def arguments(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What `LinearAttention` is to be called with."""
    return {name: settings[name] for name in ARGUMENTS}


def shapes(settings: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor that a configuration asks for, by key."""
    M, widths = settings["hidden_size"], dict(zip(PROJECTIONS, _by_field(settings), strict=True))
    return {
        key(i, field): (M, width) if field == "output" else (width, M)
        for i in range(settings["num_hidden_layers"])
        for field, width in widths.items()
    }


def layers(settings: Mapping[str, Any], state: Mapping[str, Array]) -> tuple[Parameters, ...]:
    """The layers of a state, as the definition takes them: the inverse of `tensors`.

    Raises:
        ValueError: if the heads do not divide the widths.
    """
    heads = settings["num_heads"]
    found = []
    for i in range(settings["num_hidden_layers"]):
        fields = {}
        for field, width in zip(PROJECTIONS, _by_field(settings), strict=True):
            size, rest = divmod(width, heads)
            if rest:
                raise ValueError(f"{heads} heads do not divide {width}, the width of {field}.")
            rows = state[key(i, field)]
            rows = rows.T if field == "output" else rows
            parts = [rows[h * size : (h + 1) * size] for h in range(heads)]
            stacked = namespace(rows).stack(parts, axis=0)
            fields[field] = stacked.mT if field == "output" else stacked
        found.append(Parameters(**fields))
    return tuple(found)


def _by_field(settings: Mapping[str, Any]) -> tuple[int, int, int, int]:
    """The width of each projection, as the layer computes it."""
    keys, values = (int(settings["hidden_size"] * settings[f"expand_{x}"]) for x in "kv")
    return keys, keys, values, values
