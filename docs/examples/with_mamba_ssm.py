"""mamba-ssm: its MambaLMHeadModel, with three Mamba-2 blocks, does two steps of gradient descent on its prompt.

scanproof export mamba2.gd --steps 2 --target mamba-ssm --features 4 --examples 20 --output ssm2
python docs/examples/with_mamba_ssm.py ssm2

Nothing of scanproof is imported here. Without a GPU the package's kernels run in Triton's interpreter.
"""

import contextlib
import importlib.util
import json
import os
import sys
import types
from fractions import Fraction
from pathlib import Path

import numpy as np
import torch
from safetensors import numpy as arrays
from safetensors.torch import load_file

os.environ["TRITON_F32_DEFAULT"] = "ieee"  # float32 products, not TF32, which no certificate covers
device = "cuda" if torch.cuda.is_available() else "cpu"
if device == "cpu":  # before Triton is imported
    os.environ["TRITON_INTERPRET"] = "1"
    os.environ["MAMBA_DETERMINISTIC"] = "1"  # one configuration of each kernel, not the fastest one
    torch.cuda.device = lambda index: contextlib.nullcontext()  # kernels ask for a current GPU
    if importlib.util.find_spec("selective_scan_cuda") is None:  # imported for Mamba-1 alone
        sys.modules["selective_scan_cuda"] = types.ModuleType("selective_scan_cuda")

from mamba_ssm.models.config_mamba import MambaConfig  # noqa: E402
from mamba_ssm.models.mixer_seq_simple import MambaLMHeadModel  # noqa: E402

folder = Path(sys.argv[1])
settings = json.loads((folder / "config.json").read_text(encoding="utf-8"))
model = MambaLMHeadModel(MambaConfig(**settings))
model.load_state_dict(load_file(folder / "model.safetensors"))
model.backbone.embedding = torch.nn.Identity()  # prompts are embeddings, and no token numbers
model.to(device).eval()
encoding = arrays.load_file(folder / "encoding.safetensors")
manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
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
with torch.no_grad():
    logits = model(torch.tensor(embeddings, dtype=torch.float32, device=device)).logits
predictions = logits[:, -1].cpu().numpy() @ encoding["readout.weight"].T

print("logits                 ", predictions[:, 0])
print("gradient descent       ", expected[:, 0])
print(f"they differ by at most {np.abs(predictions - expected).max():.1e}")
print(f"the certificate's bound {manifest['certificate']['absolute']:.1e}")
