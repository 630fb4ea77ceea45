"""transformers: the recurrent state of a Mamba2ForCausalLM is the accumulated gradient of the regression loss.

scanproof export mamba2.one-step --target hf-mamba2 --features 4 --targets 2 --examples 12 --w0-seed 1 --output one
python docs/examples/state_is_gradient.py one
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file
from transformers import AutoModelForCausalLM

folder = Path(sys.argv[1])
model = AutoModelForCausalLM.from_pretrained(folder)
encoding = load_file(folder / "encoding.safetensors")
manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
d, k, n = (manifest["sizes"][name] for name in ("features", "targets", "examples"))
eta = float(Fraction(manifest["learner"]["step_size"]))
W0 = np.array([[float(Fraction(w)) for w in row] for row in manifest["learner"]["W0"]])

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (n + 1, d))
y = x[:-1] @ rng.standard_normal((d, k))
raw = np.concatenate([x[:-1], y, x[1:]], axis=1)  # rows (x_t, y_t, x_{t+1})
embeddings = raw @ encoding["encode.weight"].T + encoding["encode.bias"]
with torch.no_grad():
    inputs = torch.tensor(embeddings, dtype=torch.float32)[None]
    cache = model(inputs_embeds=inputs, use_cache=True).cache_params
if hasattr(cache, "ssm_states"):  # older releases
    state = cache.ssm_states[0][0, 0]
else:
    states = cache.layers[0].recurrent_states
    state = (states[0] if isinstance(states, dict) else states)[0, 0]

# SiLU is undone by signs, silu(u) − silu(−u) = u: rows hold values v and −v, columns keys b and −b.
v, b = 2 * k, d
signed = state[:v] - state[v : 2 * v]
signed = signed[:, :b] - signed[:, b : 2 * b]
moved = (signed[:k] + signed[k:]).numpy()  # ηy xᵀ and −ηW0ᵀx xᵀ, summed over the examples

gradient = x[:-1].T @ (x[:-1] @ W0 - y)  # of ½ Σ ‖W0ᵀx − y‖², shape (d, k)
np.set_printoptions(precision=6, suppress=True)
print("the state of layer 0, head 0, after the last token\n", moved)
print("−η times the gradient at W0\n", -eta * gradient.T)
print(f"they differ by at most {np.abs(moved + eta * gradient.T).max():.1e}")
