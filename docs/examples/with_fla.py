"""flash-linear-attention: four of its LinearAttention layers, with residual connections, do three steps of descent.

scanproof export linear-attention.gd --steps 3 --target fla-linear-attention --features 8 --examples 40 --output fla3
python docs/examples/with_fla.py fla3

Nothing of scanproof is imported here. Without a GPU the layer's kernels run in Triton's interpreter.
"""

import json
import os
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import torch
from safetensors import numpy as arrays
from safetensors.torch import load_file

device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cpu":
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported
    import triton

    class Interpreter:
        """It chooses no configuration of a kernel by its time: all of them do the same."""

        def get_benchmarker(self):
            return lambda call, quantiles: [0.0] * len(quantiles)

    triton.runtime.driver.set_active(Interpreter())

from fla.layers import LinearAttention  # noqa: E402

folder = Path(sys.argv[1])
settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
others = ("model_type", "num_hidden_layers", "residual")
arguments = {name: value for name, value in settings.items() if name not in others}
layers = torch.nn.ModuleList(
    LinearAttention(**arguments) for _ in range(settings["num_hidden_layers"])
)
manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
dtype = getattr(torch, manifest["target"]["dtype"])  # of the weights and of the stream
model = torch.nn.ModuleDict({"layers": layers}).to(device, dtype)
model.load_state_dict(load_file(folder / "model.safetensors"))
encoding = arrays.load_file(folder / "encoding.safetensors")
d, n = manifest["sizes"]["features"], manifest["sizes"]["examples"]
eta = float(Fraction(manifest["learner"]["step_size"]))

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (3, n + 1, d))  # three prompts; the query is the last row
y = x[:, :-1] @ (rng.uniform(-1, 1, (3, d, 1)) / d**0.5)

W = np.zeros((3, d, 1))
for _ in range(manifest["learner"]["steps"]):
    W = W - eta * x[:, :-1].mT @ (x[:, :-1] @ W - y)
expected = (x[:, -1:] @ W)[:, 0]

# Raw tokens: rows (x, y, 0) for the examples, and (x, 0, 1) for the query.
examples = np.concatenate([x[:, :-1], y, np.zeros((3, n, 1))], axis=2)
query = np.concatenate([x[:, -1:], np.zeros((3, 1, 1)), np.ones((3, 1, 1))], axis=2)
raw = np.concatenate([examples, query], axis=1)
embeddings = raw @ encoding["encode.weight"].T + encoding["encode.bias"]
stream = torch.tensor(embeddings, dtype=dtype, device=device)
with torch.no_grad():
    for layer in layers:
        stream = stream + layer(stream)[0]
predictions = stream[:, -1].double().cpu().numpy() @ encoding["readout.weight"].T

print("the layers predict     ", predictions[:, 0])
print("gradient descent       ", expected[:, 0])
print(f"they differ by at most {np.abs(predictions - expected).max():.1e}")
print(f"the certificate's bound {manifest['certificate']['absolute']:.1e}")
