"""The layout of flash-linear-attention's `DeltaNet`: its arguments, and the keys and shapes of its state.

As for `fla_linear_attention` a caller adds the outputs of the layer to its inputs: h ← h + layer(h). `config.json`
holds the arguments of the layer; the library's `delta_net` models are not meant, whose blocks have norms and
feed-forward layers.

mode is "fused_recurrent", whose kernel goes from token to token in float32. Without convolutions the layer warns that
they are crucial to its performance, and runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arrays.array_api import Array, namespace
from ..layers.fla_delta_net import Parameters

MODEL_TYPE = "fla-delta-net"
FIELDS = {
    "query": "q_proj.weight",
    "key": "k_proj.weight",
    "value": "v_proj.weight",
    "strength": "b_proj.weight",
    "norm": "o_norm.weight",
    "output": "o_proj.weight",
}
"""Key of each field of the layer, after "layers.0."."""
FIXED: dict[str, Any] = {
    "mode": "fused_recurrent",
    "use_beta": True,
    "use_gate": False,
    "use_short_conv": False,
    "allow_neg_eigval": True,
    "qk_activation": "identity",
    "qk_norm": "l2",
}
"""The arguments that make the layer that of `layers.fla_delta_net`."""
ARGUMENTS = ("hidden_size", "expand_k", "expand_v", "num_heads", "norm_eps", *FIXED)
"""The settings that `DeltaNet` is made with."""


def key(field: str) -> str:
    """The key of a field."""
    return f"layers.0.{FIELDS[field]}"


def tensors(layer: Parameters) -> dict[str, Array]:
    """The state of the layer: arrays by key, heads one after the other."""
    state, xp = {}, namespace(layer.query)
    for field in FIELDS:
        array = getattr(layer, field)
        if field in ("query", "key", "value", "output"):
            parts = [array[h] for h in range(array.shape[0])]
            array = xp.concat(parts, axis=1 if field == "output" else 0)
        state[key(field)] = array
    return state


def configuration(layer: Parameters, norm_eps: float) -> dict[str, Any]:
    """The settings for `config.json`."""
    (heads, m, stream), p = layer.query.shape, layer.value.shape[1]
    return {
        "model_type": MODEL_TYPE,
        "num_hidden_layers": 1,
        "residual": True,
        "hidden_size": stream,
        "expand_k": heads * m / stream,
        "expand_v": heads * p / stream,
        "num_heads": heads,
        "norm_eps": norm_eps,
        **FIXED,
    }


def arguments(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What `DeltaNet` is to be called with."""
    return {name: settings[name] for name in ARGUMENTS}


def widths(settings: Mapping[str, Any]) -> tuple[int, int]:
    """The widths of keys and of values, as the layer computes them."""
    keys, values = (round(settings["hidden_size"] * settings[f"expand_{x}"]) for x in "kv")
    return keys, values


def shapes(settings: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor that a configuration asks for, by key."""
    M, heads, (keys, values) = settings["hidden_size"], settings["num_heads"], widths(settings)
    return {
        key("query"): (keys, M),
        key("key"): (keys, M),
        key("value"): (values, M),
        key("strength"): (heads, M),
        key("norm"): (values // heads,),
        key("output"): (M, values),
    }


def layer(settings: Mapping[str, Any], state: Mapping[str, Array]) -> Parameters:
    """The layer of a state, as the definition takes it: the inverse of `tensors`; heads divide the widths."""
    heads, found = settings["num_heads"], {}
    for field in FIELDS:
        array = state[key(field)]
        if field in ("query", "key", "value", "output"):
            rows = array.T if field == "output" else array
            size = rows.shape[0] // heads
            parts = [rows[h * size : (h + 1) * size] for h in range(heads)]
            stacked = namespace(rows).stack(parts, axis=0)
            array = stacked.mT if field == "output" else stacked
        found[field] = array
    return Parameters(**found)
