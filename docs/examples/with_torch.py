"""torch: the SSD layer of Theorem 4.1 as a module, which does one step of gradient descent and can be trained further.

scanproof export ssd.thm4.1 --target torch --features 4 --examples 20 --output ssd
python docs/examples/with_torch.py ssd
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

import torch
from safetensors.torch import load_file

from scanproof.numeric.modules.recurrence import from_tensors

folder = Path(sys.argv[1])
module = from_tensors(
    load_file(folder / "model.safetensors"), load_file(folder / "encoding.safetensors")
)
manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
d, n = manifest["sizes"]["features"], manifest["sizes"]["examples"]
eta = float(Fraction(manifest["learner"]["step_size"]))

torch.manual_seed(0)
x = 2 * torch.rand(8, n + 1, d, dtype=torch.float64) - 1  # eight prompts; the query is the last row
y = x[:, :-1] @ ((2 * torch.rand(8, d, 1, dtype=torch.float64) - 1) / d**0.5)

W = torch.zeros(8, d, 1, dtype=torch.float64)
W = W - eta * x[:, :-1].mT @ (x[:, :-1] @ W - y)
expected = (x[:, -1:] @ W)[:, 0]

# Raw tokens: rows (x, y, 0) for the examples, and (x, 0, 1) for the query.
examples = torch.cat([x[:, :-1], y, torch.zeros(8, n, 1)], dim=2)
query = torch.cat([x[:, -1:], torch.zeros(8, 1, 1), torch.ones(8, 1, 1)], dim=2)
predictions = module.predict(torch.cat([examples, query], dim=1))

print("the layer predicts     ", predictions[:3, 0].detach().numpy())
print("gradient descent       ", expected[:3, 0].numpy())
print(f"eight differ by at most {(predictions - expected).abs().max().item():.1e}")
print(f"the certificate's bound {manifest['certificate']['absolute']:.1e}")

torch.mean((predictions - y[:, -1]) ** 2).backward()  # any loss; the weights are parameters
print("trainable: ", ", ".join(name for name, p in module.named_parameters() if p.grad is not None))
