"""One sequence on several machines: start it on each, with the first one's address, their number, and which this is.

python sharded.py 10.0.0.1:7788 2 0     # on the machine with that address
python sharded.py 10.0.0.1:7788 2 1     # on the other
"""

import sys

import jax
import numpy as np

from scanproof.numeric import sharded

address, processes, place = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
jax.config.update("jax_cpu_collectives_implementation", "gloo")  # where they have CPUs alone
jax.distributed.initialize(address, num_processes=processes, process_id=place)

T, D = 10_001, 8  # any length: what is missing to a multiple of the devices is padded
rng = np.random.default_rng(0)  # the same seed, so the same arrays, on every machine
v, k, q = (rng.integers(-1, 2, (T, D)).astype("float32") for _ in range(3))

run = sharded(v, k, q)  # each machine computes its share of the tokens
state = np.asarray(run.final_state.addressable_data(0))
print(f"machine {place} of {processes}: {jax.device_count()} devices,", end=" ")
print(
    "the state is Σ v_t ⊗ k_t" if np.array_equal(state, v.T @ k) else "WRONG", f"after {T} tokens"
)
