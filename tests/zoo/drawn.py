"""Programs that a seed draws: two or three operations one after the other, an equal program, and one that is another.

Each operation is written twice, as different code that computes the same, and once as a mistake: another axis, another
default, a gradient that is stopped or not. The wrong program has a mistake in one of its operations.
"""

from __future__ import annotations

import random
from typing import NamedTuple

SEED = 34


class Operation(NamedTuple):
    """An operation on x of shape (T, d), as text; all results have this shape."""

    one: str
    other: str
    mistake: str


TORCH = (
    Operation(
        "x - x.mean(0, keepdim=True)",
        "x - torch.sum(x, dim=0) / x.shape[0]",
        "x - x.mean(1, keepdim=True)",
    ),
    Operation(
        "x * x.var(0, unbiased=False)",
        "x * ((x - x.mean(0)) ** 2).mean(0)",
        "x * x.var(0, correction=1)",
    ),
    Operation("torch.add(x, x, alpha=2)", "3 * x", "torch.add(x, x)"),
    Operation("torch.sub(x, x * x, alpha=3)", "x - 3 * x ** 2", "torch.sub(x, x * x)"),
    Operation("x.clamp(min=0)", "torch.relu(x)", "x.clamp(max=0)"),
    Operation("x.cumsum(0)", "torch.cumsum(x, dim=0)", "x.cumsum(1)"),
    Operation("x.flip(0)", "torch.flip(x, dims=(0,))", "x.flip(1)"),
    Operation("torch.einsum('td,sd->ts', x, x) @ x", "(x @ x.T) @ x", "x @ (x.T @ x) * 2"),
    Operation(
        "torch.softmax(x, dim=1)",
        "x.exp() / x.exp().sum(1, keepdim=True)",
        "torch.softmax(x, dim=0)",
    ),
    Operation("x.sum(1, True) + x", "x + x.sum(dim=1)[:, None]", "x.sum() + x"),
    Operation("x.tril() + x", "x + torch.tril(x)", "x.tril(-1) + x"),
    Operation("grad(lambda z: (z * z.detach()).sum())(x)", "x + 0 * x", "2 * x"),
    Operation(
        "grad(lambda z: (z ** 3).sum())(x)", "3 * x * x", "grad(lambda z: (z ** 2).sum())(x)"
    ),
    Operation("unweighted(x)", "2 * x", "weighted(x)"),
    Operation("x.float() if False else x * 1", "x", "x + x.detach()"),
    Operation(
        "torch.where(x > 0, x, 2 * x)", "2 * x - torch.relu(x)", "torch.where(x < 0, x, 2 * x)"
    ),
)
"""For torch."""
JAX = (
    Operation(
        "x - x.mean(0, keepdims=True)",
        "x - jnp.sum(x, axis=0) / x.shape[0]",
        "x - x.mean(1, keepdims=True)",
    ),
    Operation("x * x.var(0)", "x * ((x - x.mean(0)) ** 2).mean(0)", "x * x.std(0)"),
    Operation("jnp.clip(x, 0, None)", "jax.nn.relu(x)", "jnp.clip(x, None, 0)"),
    Operation(
        "jnp.cumsum(x, axis=0)", "jax.lax.associative_scan(jnp.add, x)", "jnp.cumsum(x, axis=1)"
    ),
    Operation("jnp.flip(x, 0)", "x[::-1]", "jnp.flip(x)"),
    Operation("jnp.einsum('td,sd->ts', x, x) @ x", "(x @ x.T) @ x", "x @ (x.T @ x) * 2"),
    Operation(
        "jax.nn.softmax(x, axis=1)",
        "jnp.exp(x) / jnp.exp(x).sum(1, keepdims=True)",
        "jax.nn.softmax(x, axis=0)",
    ),
    Operation(
        "jax.grad(lambda z: (z * jax.lax.stop_gradient(z)).sum())(x)",
        "x + 0 * x",
        "jax.grad(lambda z: (z * z).sum())(x)",
    ),
    Operation("caught(x)", "jnp.where(x.sum() < 0, -x, x)", "x"),
    Operation("x if x.ndim == 2 else -x", "x * 1", "x.at[0].multiply(2)"),
    Operation("jnp.where(x > 0, x, 2 * x)", "2 * x - jax.nn.relu(x)", "jnp.where(x < 0, x, 2 * x)"),
    Operation("jnp.tril(x) + x", "x + x * jnp.tri(*x.shape)", "jnp.tril(x, -1) + x"),
)
"""For JAX; one is another program eagerly, and asks what its arrays are."""
HEADS = {
    "torch": """import torch
from torch.func import grad


@torch.no_grad()
def frozen(z):
    return z * 1


def unweighted(x):
    return 2 * grad(lambda z: (z * frozen(z)).sum())(x)


def weighted(x):
    return 2 * grad(lambda z: (z * z).sum())(x)
""",
    "jax": """import jax
import jax.numpy as jnp


def caught(x):
    try:
        return -x if x.sum() < 0 else x
    except jax.errors.TracerBoolConversionError:
        return jnp.where(x.sum() < 0, -x, x)
""",
}
"""The beginnings of the modules."""


def drawn(framework: str, count: int) -> str:
    """The text of a module with functions one_k, other_k, which is equal, and wrong_k, which is another."""
    rng = random.Random(f"{SEED} {framework}")
    operations = TORCH if framework == "torch" else JAX
    parts = [HEADS[framework]]
    for k in range(count):
        chosen = [
            operations[k % len(operations)],
            *rng.choices(operations, k=rng.choice((0, 1, 1))),
        ]
        rng.shuffle(chosen)
        chosen.sort(key=lambda op: "caught" not in op.one)  # of the input alone its sign decides
        bug = rng.randrange(len(chosen))
        wrong = [op.mistake if place == bug else op.other for place, op in enumerate(chosen)]
        for name, texts in (
            ("one", [op.one for op in chosen]),
            ("other", [op.other for op in chosen]),
            ("wrong", wrong),
        ):
            lines = "".join(f"    x = {text}\n" for text in texts)
            parts.append(f"def {name}_{k}(x):\n{lines}    return x\n")
    return "\n\n".join(parts)
