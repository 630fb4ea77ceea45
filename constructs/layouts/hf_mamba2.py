"""The layout of transformers' `Mamba2ForCausalLM`: keys and shapes of its state, and its configuration.

`state-spaces/mamba` names the tensors of its blocks alike, with "embedding" for "embeddings". The input embeddings are
the encoder's business, so the table of embeddings is 0 and the model is called with `inputs_embeds`; the vocabulary is
the k predictions, so that a prediction is a logit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arrays.array_api import Array
from ..constructions.instance import Instance
from ..constructions.mamba2_gd import Model
from ..constructions.mamba2_sizes import Widths
from ..layers.mamba2_block import Parameters, Sizes

MIXER = {
    "in_proj": "mixer.in_proj.weight",
    "conv_weight": "mixer.conv1d.weight",
    "conv_bias": "mixer.conv1d.bias",
    "dt_bias": "mixer.dt_bias",
    "A_log": "mixer.A_log",
    "D": "mixer.D",
    "gated_norm": "mixer.norm.weight",
    "out_proj": "mixer.out_proj.weight",
}
"""Key of each field of a block, after "backbone.layers.{i}."; `norm` is there "norm.weight"."""
BLOCK = {"norm": "norm.weight", **MIXER}
EMBEDDINGS, FINAL_NORM, HEAD = (
    "backbone.embeddings.weight",
    "backbone.norm_f.weight",
    "lm_head.weight",
)
EPSILON = 1e-5
"""ε of every norm, the modules' default."""


def key(layer: int, field: str) -> str:
    """The key of a block's field."""
    return f"backbone.layers.{layer}.{BLOCK[field]}"


def tensors(xp: Any, model: Model, steps: int) -> dict[str, Array]:
    """The state of the module with L + 1 layers: arrays by key, in the numbers of `model`.

    Args:
        xp: the namespace of the model's arrays.
        model: its `step` becomes the first L layers, its `last` the one after them.
        steps: L.
    """
    blocks = [*([model.step] * steps if model.step is not None else []), model.last]
    state = {EMBEDDINGS: xp.zeros((model.readout.shape[0], model.norm.shape[0]))}
    for layer, block in enumerate(blocks):
        for field in BLOCK:
            array = getattr(block, field)
            state[key(layer, field)] = array[:, None, :] if field == "conv_weight" else array
    return {**state, FINAL_NORM: model.norm, HEAD: model.readout}


def configuration(
    widths: Widths, layers: int, targets: int, *, chunk_size: int = 16
) -> dict[str, Any]:
    """The settings for `config.json`.

    Args:
        widths: the model's sizes.
        layers: L + 1.
        targets: k, the size of the vocabulary.
        chunk_size: tokens a chunk of the module's scan; its memory grows with it on a CPU.
    """
    sizes = widths.heads
    return {
        "architectures": ["Mamba2ForCausalLM"],
        "model_type": "mamba2",
        "hidden_size": widths.stream,
        "num_hidden_layers": layers,
        "num_heads": sizes.heads,
        "head_dim": sizes.head_dim,
        "expand": widths.inner // widths.stream,
        "n_groups": sizes.groups,
        "state_size": sizes.state,
        "conv_kernel": widths.taps,
        "chunk_size": chunk_size,
        "vocab_size": targets,
        "hidden_act": "silu",
        "use_bias": False,
        "use_conv_bias": True,
        "layer_norm_epsilon": EPSILON,
        "residual_in_fp32": True,
        "tie_word_embeddings": False,
        # Releases before 4.48 clamp dt to this from below, later ones use it to draw dt_bias; its logarithm is taken.
        "time_step_min": 1e-30,
        "pad_token_id": 0,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }


def layout(
    xp: Any, instance: Instance, *, chunk_size: int = 16
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The configuration and the tensors of an instance."""
    layers, targets = instance.steps + 1, instance.model.readout.shape[0]
    settings = configuration(instance.widths, layers, targets, chunk_size=chunk_size)
    return settings, tensors(xp, instance.model, instance.steps)


def shapes(settings: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shape of every tensor that a configuration asks for, by key."""
    M, sizes = settings["hidden_size"], sizes_of(settings)
    inner, W = sizes.heads * sizes.head_dim, settings["conv_kernel"]
    channels = inner + 2 * sizes.groups * sizes.state
    block = {
        "norm": (M,),
        "in_proj": (inner + channels + sizes.heads, M),
        "conv_weight": (channels, 1, W),
        "conv_bias": (channels,),
        "dt_bias": (sizes.heads,),
        "A_log": (sizes.heads,),
        "D": (sizes.heads,),
        "gated_norm": (inner,),
        "out_proj": (M, inner),
    }
    layers = range(settings["num_hidden_layers"])
    table = (settings["vocab_size"], M)
    return {
        EMBEDDINGS: table,
        **{key(layer, field): shape for layer in layers for field, shape in block.items()},
        FINAL_NORM: (M,),
        HEAD: table,
    }


def sizes_of(settings: Mapping[str, Any]) -> Sizes:
    """The sizes of a block in a configuration."""
    return Sizes(
        settings["num_heads"], settings["n_groups"], settings["head_dim"], settings["state_size"]
    )


def blocks(settings: Mapping[str, Any], state: Mapping[str, Array]) -> list[Parameters]:
    """The blocks of a state, as the definition takes them: the inverse of `tensors`."""
    found = []
    for layer in range(settings["num_hidden_layers"]):
        fields = {field: state[key(layer, field)] for field in BLOCK}
        fields["conv_weight"] = fields["conv_weight"][:, 0, :]
        found.append(Parameters(**fields))
    return found
