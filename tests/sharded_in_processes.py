"""One of several processes that share a sequence; started by `test_ops_sharded`.

Arguments: the address of the first process, the number of processes, and which one this is. Prints one JSON object.
"""

import json
import os
import sys
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import numpy as np
from sharded_on_devices import CHUNK, D, decays, draw, shares_of_bound

from scanproof.numeric import x64
from scanproof.numeric.ops.sharded import sharded

T = 21


def main() -> None:
    address, processes, place = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(address, num_processes=processes, process_id=place)
    found: dict[str, Any] = {"devices": jax.device_count(), "local": jax.local_device_count()}
    tokens = {**draw(T), **decays(T)}
    with x64():
        run = sharded(**tokens, chunk=CHUNK, precision="float64")
    found["shares"] = shares_of_bound(run, tokens, mesh=None)
    # Arrays that lie on all processes already, in whole numbers.
    mesh = jax.sharding.Mesh(np.asarray(jax.devices()), ("sequence",))
    spec = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("sequence"))
    rng = np.random.default_rng(0)
    v, k, q = (rng.integers(-3, 4, (16, D)).astype(np.float32) for _ in range(3))
    placed = [jax.make_array_from_callback(a.shape, spec, lambda i, a=a: a[i]) for a in (v, k, q)]

    @jax.jit
    def summed(*arrays):
        run = sharded(*arrays, mesh=mesh)
        return (run.outputs**2).sum(), run.final_state

    total, state = summed(*placed)
    found["total"] = float(total) == float((np.square(np.tril(q @ k.T) @ v)).sum())
    found["state"] = bool(np.array_equal(state.addressable_data(0), v.T @ k))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
