"""transformers: an unmodified Mamba2ForCausalLM does three steps of gradient descent on the examples of its prompt.

scanproof export mamba2.gd --steps 3 --target hf-mamba2 --features 8 --examples 40 --output gd3
python docs/examples/with_transformers.py gd3

Nothing of scanproof is imported here: what a prompt needs lies in the folder.
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
d, n = manifest["sizes"]["features"], manifest["sizes"]["examples"]
eta = float(Fraction(manifest["learner"]["step_size"]))

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (8, n + 1, d))  # eight prompts; the query is the last row
y = x[:, :-1] @ (rng.uniform(-1, 1, (8, d, 1)) / d**0.5)

W = np.zeros((8, d, 1))
for _ in range(manifest["learner"]["steps"]):
    W = W - eta * x[:, :-1].mT @ (x[:, :-1] @ W - y)
expected = (x[:, -1:] @ W)[:, 0]

# Raw tokens: rows (x, y, 0) for the examples, and (x, 0, 1) for the query.
examples = np.concatenate([x[:, :-1], y, np.zeros((8, n, 1))], axis=2)
query = np.concatenate([x[:, -1:], np.zeros((8, 1, 1)), np.ones((8, 1, 1))], axis=2)
raw = np.concatenate([examples, query], axis=1)
embeddings = raw @ encoding["encode.weight"].T + encoding["encode.bias"]
with torch.no_grad():
    logits = model(inputs_embeds=torch.tensor(embeddings, dtype=torch.float32)).logits
predictions = logits[:, -1].numpy()

print("logits                 ", predictions[:3, 0])
print("gradient descent       ", expected[:3, 0])
print(f"eight differ by at most {np.abs(predictions - expected).max():.1e}")
print(f"the certificate's bound {manifest['certificate']['absolute']:.1e}")
