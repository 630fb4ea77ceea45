"""JAX: two-head GRIL layers do three steps of gradient descent; the weights are a pytree, jitted and batched as usual.

scanproof export gril.propA.1 --steps 3 --target jax --features 4 --targets 1 --examples 20 --output three
python docs/examples/with_jax.py three
"""

import json
import sys
from fractions import Fraction
from pathlib import Path

import jax
import numpy as np
from safetensors.flax import load_file

from scanproof.constructs.layouts import neutral

jax.config.update("jax_enable_x64", True)

folder = Path(sys.argv[1])
tensors = load_file(folder / "model.safetensors")
encoding = load_file(folder / "encoding.safetensors")
manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
d, n = manifest["sizes"]["features"], manifest["sizes"]["examples"]
eta = float(Fraction(manifest["learner"]["step_size"]))


def predict(tensors, x, y):
    return neutral.predict(neutral.from_tensors(tensors, encoding), x, y)


rng = np.random.default_rng(0)
x = rng.uniform(-1, 1, (8, n + 1, d))  # eight prompts; the query is the last row
y = x[:, :-1] @ (rng.uniform(-1, 1, (8, d, 1)) / d**0.5)

W = np.zeros((8, d, 1))
for _ in range(manifest["learner"]["steps"]):
    W = W - eta * x[:, :-1].mT @ (x[:, :-1] @ W - y)
expected = (x[:, -1:] @ W)[:, 0]

predictions = jax.jit(jax.vmap(predict, in_axes=(None, 0, 0)))(tensors, x, y)
print("the layers predict     ", predictions[:3, 0])
print("gradient descent       ", expected[:3, 0])
print(f"eight differ by at most {np.abs(predictions - expected).max():.1e}")
print(f"the certificate's bound {manifest['certificate']['absolute']:.1e}")
