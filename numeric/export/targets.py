"""The targets: codebases that exports are for, and how each of them names and reads tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.constructions.delta_net import NORM_EPSILON
from scanproof.constructs.errors import UsageError, nearest
from scanproof.constructs.layouts import (
    fla_delta_net,
    fla_linear_attention,
    hf_mamba2,
    mamba_ssm,
    neutral,
)
from scanproof.constructs.layouts.families import FAMILIES

Laid = tuple[dict[str, Any] | None, dict[str, np.ndarray]]
"""Settings for config.json, if the target has any, and tensors under its names, in float64."""


class Target(NamedTuple):
    """A codebase that exports are for."""

    name: str
    families: tuple[str, ...]
    """The families that it takes: "mamba2" (laid out from a `instance.Instance`), or those of `neutral.Model`."""
    layout: Callable[[Any], Laid]
    dtypes: tuple[str, ...]
    """Formats that its weights may have, the default first."""
    why: str = ""
    """Why there are no other formats."""
    wide: bool = False
    """Whether its layers compute in float32 at least, and round to the format only what they store."""
    neutral: bool = False
    """Whether its tensors are those of the neutral form, under the same names."""
    metadata: Mapping[str, str] | None = None
    """Metadata for the header of its weights."""
    loading: str = ""
    """How to load the folder {out} there, in a line of Python."""
    tested: Mapping[str, tuple[str, ...]] = {}
    """Versions by package with which its own loader and forward ran in this target's tests, which assert it."""


def _neutral(model: neutral.Model) -> Laid:
    return None, {name: np.asarray(a, dtype=float) for name, a in neutral.tensors(model).items()}


def _hf_mamba2(instance: Any) -> Laid:
    return hf_mamba2.layout(np, instance)


def _mamba_ssm(instance: Any) -> Laid:
    return mamba_ssm.layout(np, instance)


def _fla(model: neutral.Model) -> Laid:
    return fla_linear_attention.layout(neutral.mapped(np.asarray, model))


def _fla_delta_net(instance: Any) -> Laid:
    layer = instance.model.layer
    return fla_delta_net.configuration(layer, float(NORM_EPSILON)), fla_delta_net.tensors(layer)


LINEAR = tuple(FAMILIES)
OVERFLOWS = "its constant channels overflow in float16, and it computes its scan in float32"
KERNELS = "its kernels round the state and the products of keys and queries to bfloat16, for which no bound is derived"
PT = {"format": "pt"}
"""The metadata that loaders of torch tensors expect in the header."""
FLA = {
    "flash-linear-attention": ("0.6.0",),
    "fla-core": ("0.6.0",),
    "torch": ("2.13.0",),
    "triton": ("3.9.0",),
}
"""What layers of flash-linear-attention were tried with."""
FLA_LAYERS = 'torch.nn.ModuleDict({{"layers": layers}}).load_state_dict(load_file("{out}/model.safetensors"))'

TARGETS: dict[str, Target] = {
    target.name: target
    for target in (
        Target(
            "numpy",
            LINEAR,
            _neutral,
            ("float64", "float32", "float16"),
            why="NumPy has no other formats",
            neutral=True,
            loading='scanproof.load("{out}")',
        ),
        Target(
            "jax",
            LINEAR,
            _neutral,
            ("float64", "float32", "float16", "bfloat16"),
            neutral=True,
            loading=(
                'safetensors.flax.load_file("{out}/model.safetensors"), after '
                'jax.config.update("jax_enable_x64", True): else float64 becomes float32'
            ),
        ),
        Target(
            "torch",
            LINEAR,
            _neutral,
            ("float32", "float64", "float16", "bfloat16"),
            neutral=True,
            metadata=PT,
            loading=(
                'recurrence.from_tensors(load_file("{out}/model.safetensors"), '
                'load_file("{out}/encoding.safetensors"))'
            ),
            tested={"torch": ("2.13.0",)},
        ),
        Target(
            "hf-mamba2",
            ("mamba2",),
            _hf_mamba2,
            ("float32", "bfloat16"),
            why=OVERFLOWS,
            wide=True,
            metadata=PT,
            loading='transformers.Mamba2ForCausalLM.from_pretrained("{out}")',
            tested={"transformers": ("4.48.0", "5.23.0"), "torch": ("2.13.0",)},
        ),
        Target(
            "mamba-ssm",
            ("mamba2",),
            _mamba_ssm,
            ("float32",),
            why=KERNELS,
            metadata=PT,
            loading='model.load_state_dict(safetensors.torch.load_file("{out}/model.safetensors"))',
            tested={"mamba-ssm": ("2.3.2.post1",), "torch": ("2.13.0",), "triton": ("3.9.0",)},
        ),
        Target(
            "fla-linear-attention",
            ("linear-attention",),
            _fla,
            ("float32", "bfloat16"),
            why="its kernels compute in float32",
            wide=True,
            metadata=PT,
            loading=FLA_LAYERS,
            tested=FLA,
        ),
        Target(
            "fla-delta-net",
            ("delta-net",),
            _fla_delta_net,
            ("float32",),
            why="its kernels compute in float32",
            metadata=PT,
            loading=FLA_LAYERS,
            tested=FLA,
        ),
    )
}
"""The targets by name."""


def find(name: str) -> Target:
    """The target of a name.

    Raises:
        UsageError: if there is none; the message lists those there are.
    """
    if name not in TARGETS:
        near = nearest(name, TARGETS)
        raise UsageError(f"--target {name}: no such target{near}; targets: {', '.join(TARGETS)}.")
    return TARGETS[name]


def for_family(family: str) -> list[str]:
    """The names of the targets that take a family."""
    return [target.name for target in TARGETS.values() if family in target.families]


def dtype(target: Target, asked: str | None) -> str:
    """The format of the weights.

    Raises:
        UsageError: for a format that the target does not have.
    """
    if asked is None:
        return target.dtypes[0]
    if asked not in target.dtypes:
        why = f": {target.why}" if target.why else ""
        raise UsageError(f"--dtype {asked}: {target.name} takes {' or '.join(target.dtypes)}{why}.")
    return asked
