"""`forward.py` of an export: its forward pass in a file by itself, which needs NumPy and nothing of this package.

The functions below are what such a file is made of, word for word: a folder gets those of its own layers and tokens.
They are written for reading, and tests hold them to the definitions and to the targets' own modules.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent
SIZES: dict[str, int] = {}
"""Of the file that is made: what of a target's settings the forward pass needs."""


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


def tokens_labelled(x, y):
    """Rows (x_j, y_j, 0) for the examples and (x, 0, 1) for the query."""
    labels = np.vstack([y, np.zeros((1, y.shape[1]))])
    return np.hstack([x, labels, np.eye(len(x))[:, -1:]])


def tokens_interleaved(x, y):
    """Rows (x_1, 0, 0), (0, y_1, 0), (x_2, 0, 0), …, (x, 0, 1)."""
    rows = np.zeros((2 * len(y) + 1, x.shape[1] + y.shape[1] + 1))
    rows[::2, : x.shape[1]], rows[1::2, x.shape[1] : -1], rows[-1, -1] = x, y, 1
    return rows


def tokens_stream(x, y):
    """Rows (x_1, 0), (0, y_1), (x_2, 0), …, (x, 0)."""
    rows = np.zeros((2 * len(y) + 1, x.shape[1] + y.shape[1]))
    rows[::2, : x.shape[1]], rows[1::2, x.shape[1] :] = x, y
    return rows


def tokens_products(x, y):
    """Rows (x_t y_t, x_{t+1})."""
    return np.hstack([x[:-1] * y, x[1:]])


def tokens_concatenated(x, y):
    """Rows (x_t, y_t, x_{t+1})."""
    return np.hstack([x[:-1], y, x[1:]])


def tokens_separate(x, y):
    """Rows (x_j, y_j, 0, 0) for the examples and (0, 0, x, 1) for the query."""
    (n, k), d = y.shape, x.shape[1]
    rows = np.zeros((n + 1, 2 * d + k + 1))
    rows[:-1, :d], rows[:-1, d : d + k], rows[-1, d + k : -1], rows[-1, -1] = x[:-1], y, x[-1], 1
    return rows


def layers_of(tensors):
    """The tensors layers.{i}.{field} as a list of layers by field."""
    count = 1 + max(int(key.split(".")[1]) for key in tensors)
    return [
        {key.split(".", 2)[2]: a for key, a in tensors.items() if key.split(".")[1] == str(i)}
        for i in range(count)
    ]


def forward_gril(layer, rows):
    """Z ← A ⊙ Z + C Q Cᵀ over windows C of three rows, two apart; o = β Z C q."""
    state, outputs = np.zeros_like(layer["gate"]), []
    for t in range(1, len(rows) // 2 + 1):
        C = rows[2 * t - 2 : 2 * t + 1].T
        state = layer["gate"] * state + C @ layer["mixing"] @ C.T
        scale = layer["beta"] / (layer["count"][0] + layer["count"][1] * t)
        outputs.append(scale * (state @ (C @ layer["query"])))
    return np.stack(outputs)


def forward_gd_ssm(layer, rows):
    """z ← z + Ψ c; o = β zᵀ Θ c."""
    state, outputs = np.zeros_like(layer["Psi"][:, 0]), []
    for t, c in enumerate(rows, start=1):
        state = state + layer["Psi"] @ c
        scale = layer["beta"] / (layer["count"][0] + layer["count"][1] * t)
        outputs.append([scale * (state @ (layer["Theta"] @ c))])
    return np.array(outputs)


def forward_two_head(layers, rows):
    """W ← W − β (Z̃ W − Z + λ W), layer after layer, with Z += C Q Cᵀ and Z̃ += C Q̃ Cᵀ over windows; o = Wᵀ C q."""
    windows = [rows[t : t + 3].T for t in range(0, len(rows) - 2, 2)]
    below, outputs = [np.zeros_like(layers[0]["weights"])] * len(windows), []
    for layer in layers:
        Z, cross, outputs = np.zeros_like(below[0]), np.zeros_like(below[0]), []
        for t, C in enumerate(windows, start=1):
            Z = Z + C @ layer["mixing"] @ C.T
            cross = cross + C @ layer["cross_mixing"] @ C.T
            W = below[t - 1] + layer["weights"]
            scale = layer["beta"] / (layer["count"][0] + layer["count"][1] * t)
            W = W - scale * (cross @ W - Z + layer["ridge"] * W)
            below = [*below[: t - 1], W, *below[t:]]
            outputs.append(W.T @ (C @ layer["query"]))
    return np.stack(outputs)


def forward_ssd(layer, rows):
    """H ← a H + z ⊗ S_B z; o = z + H S_C z / n."""
    if len(rows) != len(layer["decays"]):
        raise ValueError(
            f"predict() expects {len(layer['decays']) - 1} examples, one for each decay."
        )
    state, outputs = np.zeros_like(layer["S_B"].T), []
    for decay, z in zip(layer["decays"], rows, strict=True):
        state = decay * state + np.outer(z, layer["S_B"] @ z)
        outputs.append(z + state @ (layer["S_C"] @ z) / (len(rows) - 1))
    return np.stack(outputs)


def forward_lsa(layers, rows):
    """H ← H + z ⊗ z; z + scale · P H Q z, layer after layer."""
    for layer in layers:
        state, outputs = np.zeros_like(layer["P"]), []
        for z in rows:
            state = state + np.outer(z, z)
            outputs.append(z + layer["scale"] * (layer["P"] @ (state @ (layer["Q"] @ z))))
        rows = np.stack(outputs)
    return rows


def forward_attention_to_examples(layers, rows):
    """z + PV S KQ z with S the sum of z ⊗ z over the examples, layer after layer; no token sees the query."""
    for layer in layers:
        seen = rows[:-1].T @ rows[:-1]
        rows = rows + rows @ layer["KQ"].T @ seen @ layer["PV"].T
    return rows


def forward_linear_attention(layers, rows):
    """h + Σ_heads W_o Z W_q h / √m with Z ← Z + W_v h ⊗ W_k h, layer after layer."""
    for layer in layers:
        root = np.sqrt(np.asarray(layer["query"].shape[1], rows.dtype))
        added = np.zeros_like(rows)
        for q, k, v, o in zip(
            layer["query"], layer["key"], layer["value"], layer["output"], strict=True
        ):
            state = np.zeros((len(v), len(k)), rows.dtype)
            for t, h in enumerate(rows):
                state = state + np.outer(v @ h, k @ h)
                added[t] += o @ (state @ (q @ h / root))
        rows = rows + added
    return rows


def in_heads(layers):
    """Layers of flash-linear-attention, whose projections hold all heads in a row, as heads (H, …)."""
    H, found = SIZES["heads"], []
    for layer in layers:
        q, k, v = (layer[f"{name}_proj.weight"] for name in "qkv")
        o = layer["o_proj.weight"]
        heads = {
            name: a.reshape(H, -1, a.shape[1])
            for name, a in zip(("query", "key", "value"), (q, k, v), strict=True)
        }
        found.append({**heads, "output": o.reshape(len(o), H, -1).transpose(1, 0, 2)})
    return found


def silu(z):
    """z / (1 + exp(−z)); where exp overflows it is 0."""
    with np.errstate(over="ignore"):
        return z / (1 + np.exp(-z))


def rms_norm(rows, weight):
    """Each row over the root of its mean square."""
    return rows / np.sqrt((rows * rows).mean(axis=-1, keepdims=True) + np.float32(1e-5)) * weight


def mamba2_block(p, u):
    """A Mamba-2 block as released: norm, projections, convolution, a state for each head, gated norm, residual."""
    H, G, P, S = (SIZES[name] for name in ("heads", "groups", "head_dim", "state"))
    T, inner, taps = len(u), H * P, p["mixer.conv1d.weight"].shape[2]
    projected = rms_norm(u, p["norm.weight"]) @ p["mixer.in_proj.weight"].T
    z, xBC, dt = np.split(projected, [inner, 2 * inner + 2 * G * S], axis=1)
    past = np.vstack([np.zeros((taps - 1, xBC.shape[1]), u.dtype), xBC])
    seen = sum(past[i : i + T] * p["mixer.conv1d.weight"][:, 0, i] for i in range(taps))
    x, B, C = np.split(silu(seen + p["mixer.conv1d.bias"]), [inner, inner + G * S], axis=1)
    x = x.reshape(T, H, P)
    B, C = (np.repeat(a.reshape(T, G, S), H // G, axis=1) for a in (B, C))
    dt = np.logaddexp(np.float32(0), dt + p["mixer.dt_bias"])  # softplus
    with np.errstate(under="ignore"):
        decay = np.exp(-dt * np.exp(p["mixer.A_log"]))
    state, outputs = np.zeros((H, P, S), u.dtype), []
    for t in range(T):
        state = decay[t, :, None, None] * state + np.einsum(
            "hp,hs->hps", dt[t, :, None] * x[t], B[t]
        )
        outputs.append(np.einsum("hps,hs->hp", state, C[t]) + p["mixer.D"][:, None] * x[t])
    gated = np.stack(outputs).reshape(T, inner) * silu(z)
    normed = rms_norm(gated.reshape(T, G, -1), p["mixer.norm.weight"].reshape(G, -1))
    return u + normed.reshape(T, inner) @ p["mixer.out_proj.weight"].T


def forward_mamba2(tensors, rows):
    """Mamba-2 blocks, the last norm and the head."""
    inside = {k.removeprefix("backbone."): a for k, a in tensors.items() if ".layers." in k}
    for layer in layers_of(inside):
        rows = mamba2_block(layer, rows)
    return rms_norm(rows, tensors["backbone.norm_f.weight"]) @ tensors["lm_head.weight"].T


def unit(rows):
    """Each row over its norm; a row of zeros stays one."""
    return rows / np.sqrt((rows * rows).sum(axis=-1, keepdims=True) + np.float32(1e-6))


def forward_delta_net(layer, rows):
    """h + Σ_heads W_o norm(S q) with S ← S + β (v − S k) kᵀ: keys and queries over their norms, v silu, β = 2σ."""
    H, added = SIZES["heads"], []
    q, k, v = ((rows @ layer[f"{n}_proj.weight"].T).reshape(len(rows), H, -1) for n in "qkv")
    q, k, v = unit(q) / np.sqrt(np.float32(k.shape[2])), unit(k), silu(v)
    with np.errstate(over="ignore"):
        beta = 2 / (1 + np.exp(-(rows @ layer["b_proj.weight"].T)))
    state = np.zeros((H, v.shape[2], k.shape[2]), rows.dtype)
    for t in range(len(rows)):
        residual = v[t] - np.einsum("hpm,hm->hp", state, k[t])
        state = state + np.einsum("hp,hm->hpm", beta[t, :, None] * residual, k[t])
        added.append(np.einsum("hpm,hm->hp", state, q[t]))
    normed = rms_norm(np.stack(added), layer["o_norm.weight"]).reshape(len(rows), -1)
    return rows + normed @ layer["o_proj.weight"].T


def demonstration_in_turn(predict):
    """Draw a task with inputs of the certificate's norm, and print the prediction beside that of the delta rule."""
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    sizes, learner = manifest["sizes"], manifest["learner"]
    rng = np.random.default_rng(0)
    x = rng.normal(size=(sizes["examples"] + 1, sizes["features"]))
    x *= manifest["certificate"]["domain"]["norm"] / np.linalg.norm(x, axis=1, keepdims=True)
    y = (
        x[:-1]
        @ rng.uniform(-1, 1, (sizes["features"], sizes["targets"]))
        / sizes["features"] ** 0.5
    )
    W = np.array([[float(Fraction(w)) for w in row] for row in learner["W0"]])
    for x_j, y_j in zip(x[:-1], y, strict=True):
        W = W - float(Fraction(learner["step_size"])) * np.outer(x_j, x_j @ W - y_j)
    prediction = predict(x, y)
    print("prediction       ", prediction)
    print("the delta rule   ", x[-1] @ W)
    print(f"they differ by    {np.abs(prediction - x[-1] @ W).max():.1e}")
    print(f"certified bound   {manifest['certificate']['absolute']}")


def demonstration(predict):
    """Draw a task of the certificate's domain, and print the prediction beside explicit gradient descent's."""
    manifest = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
    sizes, learner, certificate = manifest["sizes"], manifest["learner"], manifest["certificate"]
    domain, rng, d = certificate["domain"], np.random.default_rng(0), sizes["features"]
    x = rng.uniform(-1, 1, (sizes["examples"] + 1, d))
    x *= domain["entry"] if "entry" in domain else domain["input_norm"] / d**0.5
    x[:-1] *= min(1, domain["curvature"] ** 0.5 / np.linalg.norm(x[:-1], 2))
    y = x[:-1] @ rng.uniform(-1, 1, (d, sizes["targets"])) / d**0.5
    y *= min(1, domain["target"] / np.abs(y).max())
    W = np.array([[float(Fraction(w)) for w in row] for row in learner["W0"]])
    for _ in range(learner["steps"]):
        W = W - float(Fraction(learner["step_size"])) * x[:-1].T @ (x[:-1] @ W - y)
    prediction = predict(x, y)
    print("prediction       ", prediction)
    print("gradient descent ", x[-1] @ W)
    print(f"they differ by    {np.abs(prediction - x[-1] @ W).max():.1e}")
    print(f"certified bound   {certificate['absolute'] or 'none'}")


LINEAR: dict[str, tuple[str, Callable[..., Any]]] = {
    "gril": ("forward_gril(layers_of(tensors)[0], rows)", forward_gril),
    "gd-ssm": ("forward_gd_ssm(layers_of(tensors)[0], rows)", forward_gd_ssm),
    "ssd": ("forward_ssd(layers_of(tensors)[0], rows)", forward_ssd),
    "two-head": ("forward_two_head(layers_of(tensors), rows)", forward_two_head),
    "lsa": ("forward_lsa(layers_of(tensors), rows)", forward_lsa),
    "attention-to-examples": (
        "forward_attention_to_examples(layers_of(tensors), rows)",
        forward_attention_to_examples,
    ),
    "linear-attention": (
        "forward_linear_attention(layers_of(tensors), rows)",
        forward_linear_attention,
    ),
}
"""By family: the call of its forward pass, and the function."""
TOKENS: dict[str, Callable[..., Any]] = {
    "labelled": tokens_labelled,
    "interleaved": tokens_interleaved,
    "products": tokens_products,
    "concatenated": tokens_concatenated,
    "separate": tokens_separate,
}
"""By the names of tokenisations."""

START = '''"""{says}

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
END = '''def predict(x, y):
    """The prediction for the last row of x, from the examples before it and their targets y."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    if x.ndim != 2 or x.shape[1] != {d} or y.shape != (len(x) - 1, {k}) or not len(y):
        raise ValueError(f"predict() expects x (n + 1, {d}), y (n, {k}), n ≥ 1; got {{x.shape}}, {{y.shape}}.")
    tensors, encoding = read("model.safetensors"), read("encoding.safetensors")
    dtype = next(iter(tensors.values())).dtype
    raw = {tokens}(x, y)
    rows = (raw @ encoding["encode.weight"].T + encoding["encode.bias"]).astype(dtype)
    outputs = {call}
    return outputs[-1] @ encoding["readout.weight"].astype(dtype).T


if __name__ == "__main__":
    {shown}(predict)
'''


def source(
    says: str, family: str, tokens: str, features: int, targets: int, sizes: dict[str, int] | None
) -> str:
    """The text of the file.

    Args:
        says: what the weights do, in a line.
        family: of the layers; "linear-attention" in the target's own form if there are sizes.
        tokens: a tokenisation.
        features: d.
        targets: k.
        sizes: the whole numbers that the forward pass needs and that do not follow from shapes.
    """
    cut = tokens_stream if family == "mamba2" and tokens == "interleaved" else TOKENS[tokens]
    parts: list[Callable[..., Any]] = [read, cut, layers_of]
    shown = demonstration
    if family == "mamba2":
        call = "forward_mamba2(tensors, rows)"
        parts += [silu, rms_norm, mamba2_block, forward_mamba2]
    elif family == "delta-net":
        call, shown = "forward_delta_net(layers_of(tensors)[0], rows)", demonstration_in_turn
        parts += [silu, rms_norm, unit, forward_delta_net]
    else:
        call, forward = LINEAR[family]
        if sizes:
            call = call.replace("layers_of(tensors)", "in_heads(layers_of(tensors))")
            parts.append(in_heads)
        parts.append(forward)
    start = START.format(says=says, d=features, k=targets) + (f"SIZES = {sizes}\n" if sizes else "")
    end = END.format(tokens=cut.__name__, call=call, d=features, k=targets, shown=shown.__name__)
    return "\n\n".join([start, *(f"{inspect.getsource(part)}\n" for part in [*parts, shown]), end])
