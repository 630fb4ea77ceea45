"""Ops: a layer's recurrence under JAX, token by token and in the fast forms, and what checks their inputs."""
