"""flash-linear-attention: one DeltaNet layer does one pass of the delta rule over the examples of its prompt.

scanproof export delta-net.one-pass --target fla-delta-net --features 8 --examples 40 --step-size 1/16 --output delta
python docs/examples/with_fla_delta_net.py delta

Nothing of scanproof is imported here. Without a GPU the layer's kernels run in Triton's interpreter.
"""

import json
import os
import sys
import warnings
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

from fla.layers import DeltaNet  # noqa: E402

folder = Path(sys.argv[1])
settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
others = ("model_type", "num_hidden_layers", "residual")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that there are no convolutions
    layer = DeltaNet(**{name: value for name, value in settings.items() if name not in others})
model = torch.nn.ModuleDict({"layers": torch.nn.ModuleList([layer])}).to(device)
model.load_state_dict(load_file(folder / "model.safetensors"))
encoding = arrays.load_file(folder / "encoding.safetensors")
manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
d, n = manifest["sizes"]["features"], manifest["sizes"]["examples"]
eta = float(Fraction(manifest["learner"]["step_size"]))

rng = np.random.default_rng(0)
x = rng.normal(size=(3, n + 1, d))  # three prompts; the query is the last row
x *= manifest["certificate"]["domain"]["norm"] / np.linalg.norm(x, axis=2, keepdims=True)
y = x[:, :-1] @ (rng.uniform(-1, 1, (3, d, 1)) / d**0.5)

W = np.zeros((3, d, 1))
for j in range(n):  # the delta rule: one example after the other
    x_j = x[:, j : j + 1]
    W = W - eta * x_j.mT @ (x_j @ W - y[:, j : j + 1])
expected = (x[:, -1:] @ W)[:, 0]

# Raw tokens: rows (x, y, 0, 0) for the examples, and (0, 0, x, 1) for the query.
examples = np.concatenate([x[:, :-1], y, np.zeros((3, n, d + 1))], axis=2)
query = np.concatenate([np.zeros((3, 1, d + 1)), x[:, -1:], np.ones((3, 1, 1))], axis=2)
raw = np.concatenate([examples, query], axis=1)
embeddings = raw @ encoding["encode.weight"].T + encoding["encode.bias"]
stream = torch.tensor(embeddings, dtype=torch.float32, device=device)
with torch.no_grad():
    stream = stream + layer(stream)[0]
predictions = stream[:, -1].cpu().numpy() @ encoding["readout.weight"].T

print("the layer predicts     ", predictions[:, 0])
print("the delta rule         ", expected[:, 0])
print(f"they differ by at most {np.abs(predictions - expected).max():.1e}")
print(f"the certificate's bound {manifest['certificate']['absolute']:.1e}")
