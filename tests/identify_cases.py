"""Models of the linear families as folders hold them, with or without a manifest, and edits of their entries."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scanproof.constructs.constructions import gd_ssm, linear_attention, ssd
from scanproof.constructs.layers import lsa
from scanproof.constructs.layouts import fla_linear_attention, neutral
from scanproof.constructs.layouts.families import AttentionToExamples
from scanproof.constructs.layouts.neutral import Model
from scanproof.constructs.tokens.encoding import encoding
from scanproof.numeric.export import exporting, request
from scanproof.numeric.export.loading import Loaded, load

ETA = 0.125


class Export(NamedTuple):
    """A row, and what is asked of its export."""

    id: str
    options: dict[str, Any]
    target: str = "numpy"

    def __str__(self) -> str:
        return "-".join([self.id, *(f"{name[0]}{value}" for name, value in self.options.items())])


def made(export: Export, folder: Path, step_size: Fraction = Fraction(1, 10)) -> Loaded:
    """The folder of an export, read back."""
    exporting.export(
        export.id,
        target=export.target,
        output=folder,
        **{"examples": 6, "step_size": step_size, "dtype": "float32", **export.options},
    )
    return load(folder)


def rows() -> list[str]:
    """Those whose exports are linear."""
    return [id for id in request.exportable() if not id.startswith(("mamba2", "delta-net"))]


FAMILIES = [
    Export("gril.prop4.1", {"features": 2, "targets": 2}),
    Export("gril.embed", {"features": 2, "targets": 1}),
    Export("gd-ssm.prop1", {"features": 2}),
    Export("gril.propA.1", {"features": 2, "targets": 1, "steps": 2, "seed": 1}),
    Export("ssd.thm4.1", {"features": 2}),
    Export("ssd.remark4.1-lsa", {"features": 1, "steps": 2}),
    Export("ssd.remark4.1-lsa-construction", {"features": 2, "steps": 2}),
    Export("linear-attention.one-step-concatenated", {"features": 2, "seed": 1}),
    Export("linear-attention.gd", {"features": 1, "seed": 1}, "fla-linear-attention"),
]
"""An export of each family."""


def as_loaded(model: Model, dtype: Any = np.float32) -> Loaded:
    """The model as a folder without a manifest would give it."""
    tensors = {k: np.asarray(v, dtype=dtype) for k, v in neutral.tensors(model).items()}
    around = {k: np.asarray(v, dtype=float) for k, v in neutral.encoding(model).items()}
    formats = {key: np.dtype(dtype).name for key in tensors}
    return Loaded(Path("weights"), None, None, tensors, around, "numpy", formats)


def scalar_network(d: int) -> Model:
    """One step by the network of gd-ssm."""
    weight, readout = encoding(np, "products", d, 1)
    layer = gd_ssm.prop1(np, d, 1, np.asarray(ETA), ("sign",))
    return Model("gd-ssm", "products", (layer,), weight, np.zeros(2 * d), readout)


def masked_layer(d: int, n: int) -> Model:
    """One step by the layer of ssd Theorem 4.1, on n examples."""
    weight, readout = encoding(np, "labelled", d, 1)
    layer = ssd.theorem4_1(np, n, d, np.asarray(n * ETA))
    return Model("ssd", "labelled", (layer,), weight, np.zeros(d + 1), readout)


def self_attention(d: int) -> Model:
    """One step by linear self-attention that moves labels."""
    weight, readout = encoding(np, "labelled", d, 1)
    P, Q = ssd.label_attention(np, d, ETA / 2)
    layer = lsa.Parameters(P, Q, np.asarray(1.0))
    return Model("lsa", "labelled", (layer,), weight, np.zeros(d + 1), -readout)


def attention_to_examples(d: int, keys: Iterable[Any], inputs: Iterable[float] = ()) -> Model:
    """Layers in which all tokens see the examples, with KQ = −diag(keys, 0) and PV = diag(inputs, 1)."""
    weight, readout = encoding(np, "labelled", d, 1)
    layers = []
    for own, moved in itertools.zip_longest(keys, inputs, fillvalue=0.0):
        KQ = np.zeros((d + 1, d + 1))
        KQ[:d, :d] = -np.asarray(own) * (np.eye(d) if np.ndim(own) == 0 else 1)
        layers.append(AttentionToExamples(np.diag([moved] * d + [1.0]), KQ))
    around = (weight, np.zeros(d + 1), -readout)
    return Model("attention-to-examples", "labelled", tuple(layers), *around)


def attention(d: int, steps: int, k: int = 1, **options: Any) -> Model:
    """Steps by layers of linear attention."""
    W0 = options.pop("W0", np.zeros((d, k)))
    made = linear_attention.instance(np, d, steps, ETA, W0, **options)
    return fla_linear_attention.neutral_model(made)


def with_tensors(loaded: Loaded, tensors: Mapping[str, Any]) -> Loaded:
    """A folder in which some tensors are others."""
    return loaded._replace(tensors={**loaded.tensors, **tensors})


def set_in(manifest: Any, place: str, value: Any) -> None:
    """Write into a manifest at a place such as `learner.steps` or `files.model.safetensors.bytes`."""
    *places, last = re.split(r"\.(?!safetensors)", place)
    for part in places:
        manifest = manifest[part]
    manifest[last] = value


def edit_manifest(folder: Path, place: str, value: Any) -> None:
    """`set_in` the manifest of a folder."""
    file = folder / "manifest.json"
    manifest = json.loads(file.read_text())
    set_in(manifest, place, value)
    file.write_text(json.dumps(manifest))


class Edit(NamedTuple):
    """A folder in which one entry is another number."""

    loaded: Loaded
    entry: str


def edits(loaded: Loaded, count: int, seed: int) -> Iterator[Edit]:
    """Seeded edits of one entry each: half of them of entries other than 0; one in four becomes 0."""
    rng = np.random.default_rng(seed)
    keys = sorted(loaded.tensors)
    while count:
        key = keys[rng.integers(len(keys))]
        array = np.array(loaded.tensors[key])
        there = np.argwhere(array) if rng.random() < 0.5 else np.argwhere(array == array)
        if not len(there):
            continue
        at = tuple(map(int, there[rng.integers(len(there))]))
        before = array[at]
        array[at] = 0 if rng.random() < 0.25 else before + rng.choice([0.25, -0.5, 1])
        if array[at] != before:
            name = f"{key}[{', '.join(map(str, at))}]" if at else key
            yield Edit(with_tensors(loaded, {key: array}), name)
            count -= 1
