"""The settings of targets that have some: which target they are for, and whether they fit the weights beside them.

Every size is bounded, and compared with the tensors, before anything is made from it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from scanproof.constructs.layouts import (
    fla_delta_net,
    fla_linear_attention,
    hf_mamba2,
    mamba_ssm,
)
from scanproof.proofs.files.strict_json import shown

Shape = tuple[int, ...]
LARGEST = 2**24
"""The largest size that a setting may be."""
REQUIRED: Any = object()
"""Stands for a missing default: the setting is required."""


class Rule(NamedTuple):
    """What a setting must be, so that the target reads the weights as they are meant."""

    expected: str
    holds: Callable[[Any], bool]
    default: Any = REQUIRED


class Kind(NamedTuple):
    """The rules for the settings of one target."""

    target: str
    is_of: Callable[[Mapping[str, Any]], bool]
    rules: Mapping[str, Rule]
    relations: Callable[[Mapping[str, Any]], Iterator[str]]
    """What is wrong between sizes that are right each by itself."""
    layers: tuple[str, str]
    """The setting of the number of layers, and a pattern for the names of layer (\\d+)."""
    shapes: Callable[[Mapping[str, Any]], dict[str, Shape]]
    """The shape of every tensor by its name."""
    encoding: Callable[[Mapping[str, Any]], tuple[int, int]]
    """M and O: the widths of the inputs and of the outputs."""


def is_size(value: Any) -> bool:
    """Whether a setting is a whole number that a size can be."""
    return type(value) is int and 1 <= value <= LARGEST


SIZE = Rule(f"a whole number from 1 to {LARGEST:,}", is_size)


def only(value: Any, default: Any = REQUIRED) -> Rule:
    """A rule for exactly one value, of its type."""
    return Rule(shown(value), lambda v: type(v) is type(value) and v == value, default)


def _is_epsilon(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < 1


def _is_unlimited(value: Any) -> bool:
    """Whether a range is [≤ 0, ∞]; newer releases write {"__float__": "Infinity"} for ∞."""
    if not isinstance(value, list) or len(value) != 2 or type(value[0]) not in (int, float):
        return False
    last = {"__float__": "Infinity"}
    return value[0] <= 0 and (value[1] == math.inf or value[1] == last)


def _hf_relations(config: Mapping[str, Any]) -> Iterator[str]:
    inner, expanded = (
        config["num_heads"] * config["head_dim"],
        config["expand"] * config["hidden_size"],
    )
    if inner != expanded:
        yield f"num_heads · head_dim is {inner:,}, and expand · hidden_size {expanded:,}"
    if config["num_heads"] % config["n_groups"]:
        yield f"num_heads {config['num_heads']} is not a multiple of n_groups {config['n_groups']}"


HF_MAMBA2 = Kind(
    "hf-mamba2",
    lambda config: config.get("model_type") == "mamba2",
    {
        **dict.fromkeys(
            (
                *("hidden_size", "num_hidden_layers", "num_heads", "head_dim", "expand"),
                *("n_groups", "state_size", "conv_kernel", "vocab_size"),
            ),
            SIZE,
        ),
        "hidden_act": only("silu", "silu"),
        "use_bias": only(False, False),
        "use_conv_bias": only(True, True),
        "rms_norm": only(True, True),
        "tie_word_embeddings": only(False, False),
        "layer_norm_epsilon": Rule("a number ≥ 0 and < 1", _is_epsilon, hf_mamba2.EPSILON),
        "time_step_limit": Rule("[0.0, Infinity]", _is_unlimited, [0.0, math.inf]),
    },
    _hf_relations,
    ("num_hidden_layers", r"backbone\.layers\.(\d+)\."),
    hf_mamba2.shapes,
    lambda config: (config["hidden_size"], config["vocab_size"]),
)


def _ssm(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with those of the mixer among them, by names that no others have."""
    mixer = config.get("ssm_cfg")
    return {
        **config,
        **{f"ssm_cfg.{n}": v for n, v in (mixer.items() if isinstance(mixer, dict) else ())},
    }


def _ssm_relations(config: Mapping[str, Any]) -> Iterator[str]:
    try:
        settings, _ = mamba_ssm.for_transformers(config, {})
    except ValueError as error:
        yield str(error).rstrip(".")
    else:
        yield from _hf_relations(settings)


def _ssm_shapes(config: Mapping[str, Any]) -> dict[str, Shape]:
    settings, _ = mamba_ssm.for_transformers(config, {})
    shapes = hf_mamba2.shapes(settings)
    return {mamba_ssm.EMBEDDING: shapes.pop(hf_mamba2.EMBEDDINGS), **shapes}


MAMBA_SSM = Kind(
    "mamba-ssm",
    lambda config: "ssm_cfg" in config,
    {
        **dict.fromkeys(("d_model", "n_layer", "vocab_size"), SIZE),
        **{
            f"ssm_cfg.{name}": SIZE
            for name in ("d_state", "d_conv", "expand", "headdim", "ngroups", "chunk_size")
        },
        "ssm_cfg.layer": only("Mamba2"),
        "ssm_cfg.rmsnorm": only(True, True),
        "ssm_cfg.norm_before_gate": only(False, False),
        "ssm_cfg.dt_limit": Rule("[0.0, Infinity]", _is_unlimited, [0.0, math.inf]),
        "ssm_cfg.D_has_hdim": only(False, False),
        "ssm_cfg.d_ssm": only(None, None),
        "ssm_cfg.bias": only(False, False),
        "ssm_cfg.conv_bias": only(True, True),
        "d_intermediate": only(0),
        "attn_layer_idx": only([], []),
        "rms_norm": only(True, True),
        "pad_vocab_size_multiple": only(1),
        "tie_embeddings": only(False),
    },
    _ssm_relations,
    ("n_layer", r"backbone\.layers\.(\d+)\."),
    _ssm_shapes,
    lambda config: (config["d_model"], config["vocab_size"]),
)


def _is_factor(value: Any) -> bool:
    return type(value) in (int, float) and 0 < value <= LARGEST


def _fla_relations(config: Mapping[str, Any]) -> Iterator[str]:
    for name in ("expand_k", "expand_v"):
        width = int(config["hidden_size"] * config[name])
        if width < 1 or width % config["num_heads"]:
            yield f"hidden_size · {name} is {width:,}, not a multiple of num_heads {config['num_heads']}"


FLA = Kind(
    "fla-linear-attention",
    lambda config: config.get("model_type") == fla_linear_attention.MODEL_TYPE,
    {
        **dict.fromkeys(("hidden_size", "num_hidden_layers", "num_heads"), SIZE),
        **dict.fromkeys(("expand_k", "expand_v"), Rule("a number > 0", _is_factor)),
        "residual": only(True),
        **dict.fromkeys(("feature_map", "output_norm"), only("identity")),
        **dict.fromkeys(("norm_q", "norm_k", "do_feature_map_norm"), only(False, False)),
    },
    _fla_relations,
    ("num_hidden_layers", r"layers\.(\d+)\."),
    fla_linear_attention.shapes,
    lambda config: (config["hidden_size"], config["hidden_size"]),
)
FLA_DELTA_NET = Kind(
    "fla-delta-net",
    lambda config: config.get("model_type") == fla_delta_net.MODEL_TYPE,
    {
        **dict.fromkeys(("hidden_size", "num_heads"), SIZE),
        **dict.fromkeys(("expand_k", "expand_v"), Rule("a number > 0", _is_factor)),
        "num_hidden_layers": only(1),
        "residual": only(True),
        "norm_eps": Rule("a number ≥ 0 and < 1", _is_epsilon),
        **{name: only(value) for name, value in fla_delta_net.FIXED.items()},
    },
    _fla_relations,
    ("num_hidden_layers", r"layers\.(\d+)\."),
    fla_delta_net.shapes,
    lambda config: (config["hidden_size"], config["hidden_size"]),
)
KINDS = (HF_MAMBA2, MAMBA_SSM, FLA, FLA_DELTA_NET)


def kind_of(config: Mapping[str, Any]) -> Kind | None:
    """The kind of these settings; None if no target writes such."""
    return next((kind for kind in KINDS if kind.is_of(config)), None)


def problems(
    kind: Kind,
    config: Mapping[str, Any],
    tensors: Mapping[str, Shape],
    encoding: Mapping[str, Shape],
) -> list[str]:
    """All that is wrong with settings, or with tensors of these shapes beside them; nothing if all fits."""
    flat = _ssm(config)
    found = [
        f"{name} is {shown(flat[name])}, expected {rule.expected}"
        if name in flat
        else f"{name} is missing"
        for name, rule in kind.rules.items()
        if not rule.holds(flat.get(name, rule.default))
    ]
    found = found or list(kind.relations(config)) or list(_layers(kind, config, tensors))
    if found:
        return [f"config.json: {problem}" for problem in found]
    return [
        *compare(kind.shapes(config), tensors),
        *compare(_encoding_shapes(*kind.encoding(config), encoding), encoding),
    ]


def _layers(kind: Kind, config: Mapping[str, Any], tensors: Mapping[str, Shape]) -> Iterator[str]:
    """A problem if there are far more layers than tensors, which would otherwise be listed one by one."""
    setting, pattern = kind.layers
    matches = (re.match(pattern, name) for name in tensors)
    there = len({match[1] for match in matches if match})
    if config[setting] > 2 * there + 2:
        yield f"{setting} is {config[setting]:,}, and there are tensors of {there} layers"


def _encoding_shapes(M: int, O: int, there: Mapping[str, Shape]) -> dict[str, Shape]:
    """The shapes of the encoding; the free sizes, raw columns and targets, are taken from the file."""
    weight, readout = there.get("encode.weight", ()), there.get("readout.weight", ())
    r = weight[1] if len(weight) == 2 else 0
    k = readout[0] if len(readout) == 2 else 0
    return {"encode.weight": (M, r), "encode.bias": (M,), "readout.weight": (k, O)}


def compare(wanted: Mapping[str, Shape], there: Mapping[str, Shape]) -> Iterator[str]:
    """Missing and unexpected keys, and wrong shapes."""
    yield from (f"missing {key}" for key in wanted if key not in there)
    yield from (f"unexpected {shown(key)[1:-1]}" for key in there if key not in wanted)
    for key, shape in wanted.items():
        if key in there and there[key] != shape:
            text = f"({', '.join(str(s) if s else '·' for s in shape)}{',' * (len(shape) == 1)})"
            yield f"{key} has shape {there[key]}, expected {text}"
