"""Loops over sizes for JAX whose turns leave something to the next ones, by each way that Python has."""

import jax
import jax.numpy as jnp

MOST = 8192


def ident(x):
    return 1.0 * x


def zero_after(n, row):
    return row if n <= MOST else 0 * row


def first_rows_caught(x):
    rows = []
    for t in range(x.shape[0]):
        try:
            n = len(rows)
        except Exception:
            n = 0
        rows.append(zero_after(n, x[t]))
    return jnp.stack(rows)


def leaves_so_far(x):
    rows, out = [], []
    for t in range(x.shape[0]):
        rows.append(x[t])
        out.append(zero_after(len(jax.tree.leaves(rows)), x[t]))
    return jnp.stack(out)


def cleared(x):
    rows = []
    for t in range(x.shape[0]):
        if len(rows) == MOST:
            rows.clear()
        rows.append(x[t])
    return jnp.stack(rows)


def counter(x):
    n, rows = [0], []
    for t in range(x.shape[0]):
        n[0] += 1
        rows.append(zero_after(n[0], x[t]))
    return jnp.stack(rows)


def closure(x):
    n = 0

    def step(row):
        nonlocal n
        n += 1
        return zero_after(n, row)

    return jnp.stack([step(x[t]) for t in range(x.shape[0])])


def of_dict(x):
    d, rows = {"k": 0}, []
    for t in range(x.shape[0]):
        d["k"] += 1
        rows.append(zero_after(d["k"], x[t]))
    return jnp.stack(rows)


def by_setdefault(x):
    d, rows = {}, []
    for t in range(x.shape[0]):
        d.setdefault("k", []).append(1)
        rows.append(zero_after(len(d["k"]), x[t]))
    return jnp.stack(rows)


def of_generator(x):
    def counted():
        n = 0
        while True:
            n += 1
            yield n

    n, rows = counted(), []
    for t in range(x.shape[0]):
        rows.append(zero_after(next(n), x[t]))
    return jnp.stack(rows)


class Cache:
    def __init__(self):
        self.n = 0

    def step(self, row):
        self.n += 1
        return zero_after(self.n, row)


def of_object(x):
    cache, rows = Cache(), []
    for t in range(x.shape[0]):
        rows.append(cache.step(x[t]))
    return jnp.stack(rows)


def in_closure(x):
    rows = []

    def add(row):
        rows.append(zero_after(len(rows), row))

    for t in range(x.shape[0]):
        add(x[t])
    return jnp.stack(rows)


def in_text(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(0 * x[t] if t and f"{t}".endswith("0000") else x[t])
    return jnp.stack(rows)


def appended(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(2 * x[t])
    return jnp.stack(rows)


def doubled(x):
    return 2 * x


def two_lists(x):
    rows, sums = [], []
    for t in range(x.shape[0]):
        total = 0 * x[0, 0]
        for j in range(x.shape[1]):
            total = total + x[t, j]
        rows.append(2 * x[t])
        sums.append(total)
    return jnp.stack(rows) + jnp.stack(sums)[:, None]


def two_lists_at_once(x):
    return 2 * x + x.sum(1, keepdims=True)


def constants(x):
    table, pair, rows = {"a": 1.5, "b": [0.5]}, [2.0, 3.0], []
    for t in range(x.shape[0]):
        rows.append((table["a"] + table["b"][0]) * x[t] * (pair[1] - pair[0]))
    return jnp.stack(rows)


def window(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(x[t])
        rows = rows[-MOST:]
    return jnp.stack(rows)


def popped(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(x[t])
        if len(rows) > MOST:
            rows.pop(0)
    return jnp.stack(rows)
