"""The layout of state-spaces/mamba's `MambaLMHeadModel` with Mamba2 layers: that of transformers under other names.

Its blocks have the same tensors in the same order, head h takes group h // (H / G) as the definition does, and the
gated norm runs over each group. The model takes token numbers, so that a caller puts the identity in the place of
`backbone.embedding`, whose table is 0 here, and passes the embeddings. Its `from_pretrained` reads a pickle; the
tensors are for `load_state_dict`.

On a GPU its kernels multiply float32 matrices in TF32, with 11 significant bits, unless Triton is set otherwise
(TRITON_F32_DEFAULT=ieee): no certificate for float32 holds for those products.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..arrays.array_api import Array
from ..constructions.instance import Instance
from . import hf_mamba2

EMBEDDING = "backbone.embedding.weight"


def configuration(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of `MambaConfig` for a model that transformers would make of `settings`.

    Norms have ε = 1e-5, which is not a setting here. With use_mem_eff_path the module would need causal_conv1d.
    """
    return {
        "d_model": settings["hidden_size"],
        "d_intermediate": 0,
        "n_layer": settings["num_hidden_layers"],
        "vocab_size": settings["vocab_size"],
        "ssm_cfg": {
            "layer": "Mamba2",
            "d_state": settings["state_size"],
            "d_conv": settings["conv_kernel"],
            "expand": settings["expand"],
            "headdim": settings["head_dim"],
            "ngroups": settings["n_groups"],
            "rmsnorm": True,
            "norm_before_gate": False,
            "bias": False,
            "conv_bias": True,
            "chunk_size": settings["chunk_size"],
            "use_mem_eff_path": False,
        },
        "attn_layer_idx": [],
        "attn_cfg": {},
        "rms_norm": True,
        "residual_in_fp32": True,
        "fused_add_norm": True,
        "pad_vocab_size_multiple": 1,
        "tie_embeddings": False,
    }


def layout(
    xp: Any, instance: Instance, *, chunk_size: int = 256
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The configuration and the tensors of an instance; the default is the module's own chunk size."""
    settings, state = hf_mamba2.layout(xp, instance, chunk_size=chunk_size)
    table = state.pop(hf_mamba2.EMBEDDINGS)
    return configuration(settings), {EMBEDDING: table, **state}


def for_transformers(
    settings: Mapping[str, Any], state: Mapping[str, Array]
) -> tuple[dict[str, Any], dict[str, Array]]:
    """The same model as `hf_mamba2` reads it: the inverse of `layout`, as far as the sizes and the tensors go."""
    mixer = settings["ssm_cfg"]
    heads, rest = divmod(mixer["expand"] * settings["d_model"], mixer["headdim"])
    if rest:
        raise ValueError(
            f"ssm_cfg has headdim={mixer['headdim']}, which does not divide expand * d_model ="
            f" {mixer['expand'] * settings['d_model']}."
        )
    known = {
        "model_type": "mamba2",
        "hidden_size": settings["d_model"],
        "num_hidden_layers": settings["n_layer"],
        "num_heads": heads,
        "head_dim": mixer["headdim"],
        "expand": mixer["expand"],
        "n_groups": mixer["ngroups"],
        "state_size": mixer["d_state"],
        "conv_kernel": mixer["d_conv"],
        "chunk_size": mixer["chunk_size"],
        "vocab_size": settings["vocab_size"],
        "layer_norm_epsilon": hf_mamba2.EPSILON,
    }
    names = {EMBEDDING: hf_mamba2.EMBEDDINGS}
    return known, {names.get(key, key): array for key, array in state.items()}
