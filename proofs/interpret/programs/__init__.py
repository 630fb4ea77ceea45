"""JAX programs as definitions: what `jax.make_jaxpr` records, read on kernel arrays and on exact numbers."""
