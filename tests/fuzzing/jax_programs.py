"""Random JAX programs, run by JAX in float64 and read on kernel arrays: both must give the same numbers.

A program is plain data, ("matmul", a, b) say; shapes are tuples of lengths, "T", "f", "T+1" or a number.
"""

from __future__ import annotations

import functools
import random
from collections import Counter
from typing import Any

import jax
import jax.numpy as jnp

from .jax_agreement import INPUTS, SIZES, Dims, agreed
from .jax_kinds import MATRICES, VECTORS

Node = tuple[Any, ...]
MORE = 0.25
"""How often a program is one of the kinds that keep a shape."""


ALIKE = {
    **dict.fromkeys(("add", "mul", "sub", "rows", "two"), 2),
    **dict.fromkeys(("neg", "square", "jit", "half", "size", "pow", "squeeze", "max_free"), 1),
    **dict.fromkeys(("scan", "reverse", "shift", "even", "merged", "split", "prefix"), 1),
    **dict.fromkeys(("tril", "triu"), 1),
}
"""How many parts these have, all of the result's own shape."""


def _kinds(dims: Any) -> list[str]:
    """What may have a result of this shape."""
    kinds = ["add", "mul", "sub", "neg", "where", "square", "jit", "half", "size", "flip", "pow"]
    if len(dims) == 1:
        kinds += ["sum", "apply", "row", "diagonal", "vmapped", "last", "max_free", "mean"]
        kinds += ["column", *(["count", "prefix", "arange"] if dims == ("T",) else [])]
        return kinds
    kinds += ["matmul", "matmul", "T", "outer", "einsum", "batched", "broadcast", "squeeze"]
    if dims[0] == dims[1]:
        kinds += ["tril", "triu", "eye"]
    if dims[0] == "T":
        kinds += ["scan", "scan", "decay", "reverse", "cumsum", "shift", "tail", "two", "even"]
    if dims[0] == "T+1":
        kinds += ["concat", "pad", "lead"]
    if dims[1] == "f" and dims[0] in ("T", "f"):
        kinds += ["merged", "split", "rows"]
    return kinds


def node(rng: random.Random, dims: Any, depth: int) -> Node:
    """A random program with a result of this shape."""
    part = functools.partial(node, rng, depth=depth - 1)
    leaves = [name for name, own in INPUTS.items() if own == dims]
    if depth <= 0 or rng.random() < 0.08:
        if leaves and rng.random() < 0.9:
            return "input", rng.choice(leaves)
        return "filled", dims, rng.randint(-2, 2)
    kinds = _kinds(dims)
    if rng.random() < MORE:
        return "kept", rng.choice(list(MATRICES if len(dims) == 2 else VECTORS)), part(dims)
    kind, other = rng.choice(kinds), rng.choice(SIZES)
    if kind in ALIKE:
        return kind, *(part(dims) for _ in range(ALIKE[kind]))
    if kind in ("flip", "cumsum"):
        return kind, rng.randrange(len(dims)), part(dims), rng.random() < 0.3
    if kind == "where":
        sign = rng.choice(("<", "<=", "==", "!=", ">", "and", "not"))
        return kind, sign, rng.randint(-1, 2), part(dims), part(dims)
    if kind in ("sum", "mean"):
        axis = rng.randrange(2)
        return kind, axis, part((other, *dims) if axis == 0 else (*dims, other))
    if kind in ("apply", "einsum", "matmul", "vmapped", "batched"):
        return kind, part((dims[0], other)), part((other, *dims[1:]))
    if kind in ("arange", "eye"):
        return kind, dims
    if kind == "decay":
        return kind, rng.choice(("half", "given")), node(rng, ("T",), 0), part(dims)
    first, last = dims[0], dims[-1]
    shapes: dict[str, tuple[Any, ...]] = {
        "row": ((other, first),),
        "last": ((other, first),),
        "column": ((first, other),),
        "diagonal": ((first, first),),
        "count": (("T", "f"),),
        "T": (dims[::-1],),
        "outer": ((first,), (last,)),
        "broadcast": (dims, (last,)),
        "tail": (("T+1", last),),
        "lead": (("T", last),),
        "concat": (("T", last), (last,)),
        "pad": (("T", last), (last,)),
    }
    return kind, *map(part, shapes[kind])


def run(p: Node, given: dict[str, Any], length: dict[Any, Any]) -> Any:
    """The program's result on JAX arrays.

    Args:
        p: the program.
        given: its inputs by name.
        length: lengths by what stands for them in shapes.
    """
    kind, *parts = p

    def shape(dims: Dims) -> tuple[Any, ...]:
        return tuple(length.get(d, d) for d in dims)

    def of(one: Node) -> Any:
        return run(one, given, length)

    if kind == "input":
        return given[parts[0]]
    if kind == "kept":
        return MATRICES[parts[0]](of(parts[1]))
    if kind == "filled":
        return jnp.full(shape(parts[0]), float(parts[1]))
    if kind == "arange":
        return jnp.arange(*shape(parts[0])).astype(float)
    if kind == "eye":
        return jnp.eye(shape(parts[0])[0])
    if kind == "where":
        symbol, shift, one, other = parts
        a, b = of(one), of(other)
        return jnp.where(_mask(symbol, shift, a.shape), a, b)
    if kind in ("flip", "cumsum"):
        axis, one, backwards = parts
        a = of(one)
        if kind == "flip":
            return jnp.flip(a, axis)
        return jax.lax.cumsum(a, axis, reverse=backwards)
    if kind in ("sum", "mean"):
        return getattr(jnp, kind)(of(parts[1]), axis=parts[0])
    if kind == "decay":
        how, gates, one = parts
        return _decayed(how, of(gates), of(one))
    return _RUN[kind](*map(of, parts))


def _mask(symbol: str, shift: int, shape: Any) -> Any:
    rows = jnp.arange(shape[0])[:, None] if len(shape) == 2 else jnp.arange(shape[0])
    columns = jnp.arange(shape[1])[None, :] if len(shape) == 2 else shape[0] - 1 - rows
    columns = columns + shift
    if symbol == "and":
        return (rows <= columns) & (rows >= columns - 1)
    if symbol == "not":
        return ~(rows < columns)
    table = {
        "<": jnp.less,
        "<=": jnp.less_equal,
        "==": jnp.equal,
        "!=": jnp.not_equal,
        ">": jnp.greater,
    }
    return table[symbol](rows, columns)


def _decayed(how: str, gates: Any, a: Any) -> Any:
    def step(state: Any, token: Any) -> tuple[Any, Any]:
        gate, row = token
        state = (0.5 if how == "half" else gate) * state + row
        return state, state * 2

    return jax.lax.scan(step, jnp.zeros(a.shape[1:]), (gates, a))[1]


def _scanned(a: Any, reverse: bool = False) -> Any:
    def step(state: Any, row: Any) -> tuple[Any, Any]:
        state = state + jnp.outer(row, row)
        return state, state @ row

    start = jnp.zeros((a.shape[1], a.shape[1]))
    return jax.lax.scan(step, start, a, reverse=reverse)[1]


def _counted(a: Any) -> Any:
    def step(carry: Any, row: Any) -> tuple[Any, Any]:
        count, total = carry
        return (count + 2, total + row.sum() * count), total + count

    return jax.lax.scan(step, (1, 0.0), a)[1]


def _shifted(a: Any) -> Any:
    return jnp.concatenate([jnp.zeros_like(a[:1]), a[:-1]], axis=0)


def _dynamic(a: Any, b: Any) -> Any:
    row = jax.lax.dynamic_index_in_dim(a, a.shape[0] - 1, keepdims=True)
    return b + row


_RUN: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "neg": lambda a: -a,
    "square": lambda a: a * a,
    "pow": lambda a: a**2,
    "half": lambda a: a / 2,
    "size": lambda a: a * a.shape[0],
    "jit": lambda a: jax.jit(lambda x: x + 1)(a),
    "apply": lambda a, b: a @ b,
    "matmul": lambda a, b: a @ b,
    "einsum": lambda a, b: jnp.einsum("ij,jk->ik" if b.ndim == 2 else "ij,j->i", a, b),
    "vmapped": lambda a, b: jax.vmap(lambda row: jnp.dot(row, b))(a),
    "batched": lambda a, b: jax.vmap(lambda row: row @ b)(a),
    "row": lambda a: a[0],
    "last": lambda a: a[-1],
    "column": lambda a: a[:, 0],
    "diagonal": lambda a: jnp.einsum("ij,ij->i", a, jnp.eye(a.shape[0])),
    "max_free": lambda a: jax.lax.stop_gradient(a),
    "count": _counted,
    "prefix": lambda a: jnp.tril(jnp.ones((a.shape[0], a.shape[0]))) @ a,
    "T": lambda a: a.T,
    "tril": jnp.tril,
    "triu": jnp.triu,
    "outer": jnp.outer,
    "broadcast": lambda a, b: a + b[None, :],
    "squeeze": lambda a: jnp.squeeze(jnp.expand_dims(a, 1), 1),
    "scan": _scanned,
    "reverse": lambda a: _scanned(a, reverse=True),
    "shift": _shifted,
    "even": lambda a: jnp.stack([a, 2 * a], axis=1)[:, 1],
    "tail": lambda a: a[1:],
    "lead": lambda a: jnp.pad(a, ((1, 0), (0, 0))),
    "two": lambda a, b: sum(jnp.split(jnp.concatenate([a, b], axis=1), [a.shape[1]], axis=1)),
    "concat": lambda a, b: jnp.concatenate([a, b[None]], axis=0),
    "pad": lambda a, b: jnp.pad(a, ((0, 1), (0, 0)), constant_values=3) + b,
    "merged": lambda a: jnp.stack([a, -a], axis=1).reshape(2 * a.shape[0], a.shape[1])[
        : a.shape[0]
    ],
    "split": lambda a: jnp.concatenate([a, a], axis=0).reshape(a.shape[0] * 2, -1)[a.shape[0] :],
    "rows": _dynamic,
}


def compared(p: Node, rng: random.Random, rounds: int = 2, compiled: bool = False) -> str:
    """What became of a random program; see `agreed`."""

    def function(*arrays: Any) -> Any:
        given = dict(zip(sorted(INPUTS), arrays, strict=True))
        T, f = given["A"].shape
        return run(p, given, {"T": T, "f": f, "T+1": T + 1})

    return agreed(function, p, rng, rounds, compiled)


MANY = 150
"""From so many programs on compiling their functions one by one takes less time."""
SHAPES: tuple[Dims, ...] = (
    *(("T", "f"), ("f", "f"), ("T",)),
    *(("f",), ("T+1", "f"), ("T", "T")),
)


def jax_programs(rng: random.Random, count: int) -> Counter:
    """Random programs, with what became of them.

    Raises:
        FalseAccept: if one is read as something else than JAX computes.
    """
    seen: Counter = Counter()
    for _ in range(count):
        p = node(rng, rng.choice(SHAPES), rng.randint(1, 4))
        seen[compared(p, rng, compiled=count < MANY)] += 1
    return seen
