"""NumPy: a GRIL block predicts, at the query, what one step of gradient descent on the examples would.

scanproof export gril.prop4.1 --target numpy --features 4 --targets 1 --examples 20 --output gril
python docs/examples/with_numpy.py gril
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from scanproof.constructs.layouts import neutral

folder = Path(sys.argv[1])
model = neutral.from_tensors(
    load_file(folder / "model.safetensors"), load_file(folder / "encoding.safetensors")
)
manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
d, n = manifest["sizes"]["features"], manifest["sizes"]["examples"]
eta = float(Fraction(manifest["learner"]["step_size"]))

print("tensors", {key: array.shape for key, array in neutral.tensors(model).items()})

rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (n + 1, d))  # the query is the last row
y = x[:-1] @ (rng.uniform(-1, 1, (d, 1)) / d**0.5)

W = np.zeros((d, 1))
W = W - eta * x[:-1].T @ (x[:-1] @ W - y)

prediction = neutral.predict(model, x, y)
print("the block predicts     ", prediction)
print("gradient descent       ", x[-1] @ W)
print(f"they differ by          {np.abs(prediction - x[-1] @ W).max():.1e}")
print(f"the certificate's bound {manifest['certificate']['absolute']:.1e}")
