"""`forward.py` of an export: its forward pass in a file by itself, which needs NumPy and nothing of this package.

The tokens, a layer and what follows the last one are recorded from their definitions and printed as functions, whose
arguments are the tensors by the target's own names. What reads the files and tries them are the functions below, word
for word.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.arrays.ranges import build
from scanproof.constructs.constructions.delta_net import NORM_EPSILON, UNIT_EPSILON
from scanproof.constructs.layers import fla_delta_net as delta_net_layer
from scanproof.constructs.layers import fla_linear_attention as attention_layer
from scanproof.constructs.layers import mamba2_block
from scanproof.constructs.layers.mamba import softplus
from scanproof.constructs.layouts import fla_delta_net, fla_linear_attention, hf_mamba2
from scanproof.constructs.layouts.families import (
    FAMILIES,
    STRIDE,
    WINDOW,
    TwoHeadLayer,
    two_head_layer,
)
from scanproof.constructs.tokens.encoding import TOKENISATIONS
from scanproof.constructs.tokens.examples import windows
from scanproof.proofs.doors.record.length import Length
from scanproof.proofs.statement.whole import Size, whole

from .function_text import function_text
from .parts import Export, rule_in_words
from .targets import Target

FOLDER = Path(__file__).parent
LAYER = re.compile(r"(?:backbone\.)?layers\.0\.(.+)")
"""The name of a tensor of the first layer."""
EPSILON = Fraction(str(hf_mamba2.EPSILON))
"""Of the norms of Mamba-2 blocks."""
PARTS = mamba2_block.RELEASED._replace(
    time_step=lambda z: softplus(-namespace(z).abs(z)) + (z + namespace(z).abs(z)) / 2
)
"""The released block's functions; softplus, as in the modules, does not overflow."""


def read(name):
    """The tensors of a safetensors file by name; bfloat16, which NumPy lacks, as float32."""
    data = (FOLDER / name).read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    kinds = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
    tensors = {}
    for key, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[start + begin : start + end], kinds[entry["dtype"]])
        if entry["dtype"] == "BF16":
            array = (array.astype("<u4") << 16).view("<f4")
        tensors[key] = array.reshape(entry["shape"])
    return tensors


def layers_of(tensors):
    """The tensors of every layer, by the names of the arguments of `layer`."""
    layers = {}
    for key, array in tensors.items():
        if "layers." in key:
            number, name = key.split("layers.")[1].split(".", 1)
            layers.setdefault(int(number), {})[name.replace(".", "_")] = array
    return [layers[number] for number in sorted(layers)]


def task(manifest, rng, n):
    """Inputs (n + 1, d), the query last, and targets (n, k), as large as the certificate's domain has them."""
    domain, d = manifest["certificate"]["domain"], manifest["sizes"]["features"]
    x = rng.uniform(-1, 1, (n + 1, d))
    if "norm" in domain:  # of every input
        x *= domain["norm"] / np.linalg.norm(x, axis=1, keepdims=True)
    else:
        x *= domain["entry"] if "entry" in domain else domain["input_norm"] / d**0.5
        x[:-1] *= min(1, domain["curvature"] ** 0.5 / np.linalg.norm(x[:-1], 2))
    y = x[:-1] @ rng.uniform(-1, 1, (d, manifest["sizes"]["targets"]))
    return x, y * (domain["target"] / np.abs(y).max())


def learned(learner, x, y):
    """What the learner predicts for the last row of x, (k,), in float64."""
    W = np.array([[float(Fraction(w)) for w in row] for row in learner["W0"]])
    each = [slice(j, j + 1) for j in range(len(y))]  # a step on each example
    for seen in each if learner["rule"] == "the delta rule" else [slice(None)] * learner["steps"]:
        X = x[:-1][seen]
        W = W - float(Fraction(learner["step_size"])) * X.T @ (X @ W - y[seen])
    return x[-1] @ W


def demonstration(predict):
    """Draw a task of the certificate's domain, and print the prediction beside the learner's."""
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    learner, certificate = manifest["learner"], manifest["certificate"]
    x, y = task(manifest, np.random.default_rng(0), manifest["sizes"]["examples"])
    prediction, expected = predict(x, y), learned(learner, x, y)
    print("prediction       ", prediction)
    print(f"{learner['rule']:17}", expected)
    print(f"they differ by    {np.abs(prediction - expected).max():.1e}")
    print(f"certified bound   {certificate['absolute'] or 'none'}")


START = '''"""The forward pass of weights that do {does} (`{id}`), for reading.

Needs NumPy alone, and the files beside it: python forward.py tries it, and in Python

    from forward import predict

    predict(x, y)  # x (n + 1, {d}) with the query last, y (n, {k}) -> the prediction ({k},)
"""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent
'''
END = '''@np.errstate(over="ignore", under="ignore")
def predict(x, y):
    """The prediction for the last row of x, from the examples before it and their targets y."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if x.ndim != 2 or x.shape[1] != {d} or y.shape != (len(x) - 1, {k}) or not len(y):
        raise ValueError(f"predict() expects x (n + 1, {d}), y (n, {k}), n ≥ 1; got {{x.shape}}, {{y.shape}}.")
    n, tensors, encoding = len(y), read("model.safetensors"), read("encoding.safetensors")
    dtype = next(iter(tensors.values())).dtype
    rows = tokens(n, x, y) @ encoding["encode.weight"].T + encoding["encode.bias"]
    rows = rows.astype(dtype)
{passes}
    return outputs[-1] @ encoding["readout.weight"].astype(dtype).T


if __name__ == "__main__":
    demonstration(predict)
'''
PASSES = """\
    outputs = rows
    for one in layers_of(tensors):
        outputs = layer(n, outputs, **one)"""
OVER_WINDOWS = """\
    weights = np.zeros((n, rows.shape[1], rows.shape[1]), dtype)
    for one in layers_of(tensors):
        weights, outputs = layer(n, rows, weights, **one)"""
AND_LAST = """
    outputs = last(n, outputs, tensors["backbone.norm_f.weight"], tensors["lm_head.weight"])"""
AS_MANY = """\
    if n != {n}:
        raise ValueError("predict() expects {n} examples, one for each decay.")
"""


def source(
    built: Export,
    target: Target,
    settings: Mapping[str, Any] | None,
    shapes: Mapping[str, tuple[int, ...]],
) -> str:
    """The text of the file.

    Args:
        built: the model, with what it does.
        target: whose names the tensors have.
        settings: the target's.
        shapes: of the target's tensors, by name.
    """
    n: Any = Length(
        whole(Size("n", 1))
    )  # in no module: `pinned` asks what modules hold for its parts
    d, k, family = built.features, built.targets, built.family
    stream = len(built.encoding["encode.bias"])
    cut = TOKENISATIONS[built.tokens]
    own_tokens = family in ("mamba2", "delta-net")
    tokens = built.model.layout.tokens if own_tokens else cut.tokens
    rows: dict[str, Any] = {"rows": (cut.length(n), stream)}
    keys = {m[1].replace(".", "_"): m[0] for m in map(LAYER.fullmatch, shapes) if m}
    fields: dict[str, Any] = {name: shapes[key] for name, key in keys.items()}
    passes, after = PASSES, []
    if family == "ssd":
        passes = AS_MANY.format(n=fields["decays"][0] - 1) + passes
        fields["decays"] = (n + 1,)
    elif family == "two-head":
        passes, rows["below"] = OVER_WINDOWS, (n, *fields["weights"])
    elif family == "mamba2":
        passes += AND_LAST
        head = {"rows": rows["rows"], "norm": (stream,), "head": (k, stream)}
        after = [function_text("last", _last, _last, head, "rows.dtype")]
    does, layer = _layer(built, target, settings or {})

    def one_layer(**given: Any) -> Any:
        return layer({key: given.pop(name) for name, key in keys.items()}, **given)

    return "\n\n".join(
        (
            START.format(does=rule_in_words(built.rule, built.steps), id=built.claim.id, d=d, k=k),
            *map(inspect.getsource, (read, layers_of)),
            function_text("tokens", tokens, tokens, {"x": (n + 1, d), "y": (n, k)}),
            function_text("layer", does, one_layer, {**rows, **fields}, "rows.dtype"),
            *after,
            *map(inspect.getsource, (task, learned, demonstration)),
            END.format(passes=passes, d=d, k=k),
        )
    )


def _layer(
    built: Export, target: Target, settings: Mapping[str, Any]
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The definition of a layer, and that as a function of the first layer's tensors by key, and of rows."""
    one = {**settings, "num_hidden_layers": 1}
    if built.family == "mamba2":
        sizes = built.model.widths.heads
        return mamba2_block.block, lambda state, rows: _block(
            hf_mamba2.blocks({"num_hidden_layers": 1}, state)[0], sizes, rows
        )
    if built.family == "delta-net":
        eps = delta_net_layer.Epsilons(UNIT_EPSILON, NORM_EPSILON)
        return delta_net_layer.layer, lambda state, rows: delta_net_layer.layer(
            fla_delta_net.layer(one, state), rows, eps
        )
    if not target.neutral:
        return attention_layer.layer, lambda state, rows: attention_layer.layer(
            fla_linear_attention.layers(one, state)[0], rows
        )
    family = FAMILIES[built.family]

    def fields(state: Mapping[str, Any]) -> Any:
        return family.layer(**{key.removeprefix("layers.0."): a for key, a in state.items()})

    if family.layer is TwoHeadLayer:
        return two_head_layer, lambda state, rows, below: two_head_layer(
            fields(state), windows(rows, WINDOW, STRIDE), below
        )
    return family.forward, lambda state, rows: family.forward([fields(state)], rows)


def _block(p: mamba2_block.Parameters, sizes: mamba2_block.Sizes, rows: Any) -> Any:
    """`mamba2_block.block` with its heads and groups as loops, which are printed once."""
    xp, count = namespace(rows), sizes.heads // sizes.groups
    width = count * sizes.head_dim
    projected = mamba2_block.project(p, sizes, PARTS.norm(rows, p.norm, EPSILON), PARTS)

    def group(g: Any) -> Any:
        """What the heads of a group add."""
        channels = slice(g * width, (g + 1) * width)
        heads = build(
            xp,
            count,
            lambda h: mamba2_block.head(p, sizes, g * count + h, projected, PARTS, group=g)[1],
        )
        gated = mamba2_block.gated_norm(
            p._replace(gated_norm=p.gated_norm[channels]),
            sizes._replace(heads=count, groups=1),
            [heads[h] for h in range(count)],
            projected.z[:, channels],
            EPSILON,
            PARTS,
        )
        return gated @ p.out_proj[:, channels].T

    return rows + build(xp, sizes.groups, group).sum(axis=0)


def _last(rows: Any, norm: Any, head: Any) -> Any:
    """The last norm, and the head: (T, M) -> (T, k)."""
    return PARTS.norm(rows, norm, EPSILON) @ head.T
