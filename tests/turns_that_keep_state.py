"""Loops over sizes whose turns leave something to the next ones, by each way that Python has; here for PyTorch."""

import itertools
from collections import deque
from types import SimpleNamespace

import torch as xp
from torch.utils._pytree import tree_leaves

MOST = 8192
COUNT = 0


def ident(x):
    return 1.0 * x


def zero_after(n, row):
    return row if n <= MOST else 0 * row


def window(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(x[t])
        del rows[:-400]
    return xp.stack(rows)


def window_anew(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(x[t])
        rows = rows[-MOST:]
    return xp.stack(rows)


def popped(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(x[t])
        if len(rows) > MOST:
            rows.pop(0)
    return xp.stack(rows)


def full_cache(x):
    rows = []
    for t in range(x.shape[0]):
        if len(rows) >= MOST:
            raise ValueError("the cache is full")
        rows.append(x[t])
    return xp.stack(rows)


def first_rows(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(x[t] if len(rows) < MOST else 0 * x[t])
    return xp.stack(rows)


def first_rows_caught(x):
    rows = []
    for t in range(x.shape[0]):
        try:
            n = len(rows)
        except Exception:
            n = 0
        rows.append(zero_after(n, x[t]))
    return xp.stack(rows)


def stacked_so_far(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(x[t])
        rows.append(zero_after(xp.stack(rows).shape[0], rows.pop()))
    return xp.stack(rows)


def stacked_length(x):
    rows, out = [], []
    for t in range(x.shape[0]):
        rows.append(x[t])
        out.append(zero_after(xp.stack(rows).shape[0], x[t]))
    return xp.stack(out)


def leaves_so_far(x):
    rows, out = [], []
    for t in range(x.shape[0]):
        rows.append(x[t])
        out.append(zero_after(len(tree_leaves(rows)), x[t]))
    return xp.stack(out)


def sliced_in_place(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(x[t])
        rows[:] = rows[-MOST:]
    return xp.stack(rows)


def cleared(x):
    rows = []
    for t in range(x.shape[0]):
        if len(rows) == MOST:
            rows.clear()
        rows.append(x[t])
    return xp.stack(rows)


def counter(x):
    n, rows = [0], []
    for t in range(x.shape[0]):
        n[0] += 1
        rows.append(zero_after(n[0], x[t]))
    return xp.stack(rows)


def closure(x):
    n = 0

    def step(row):
        nonlocal n
        n += 1
        return zero_after(n, row)

    return xp.stack([step(x[t]) for t in range(x.shape[0])])


def in_text(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(0 * x[t] if t and f"{t}".endswith("0000") else x[t])
    return xp.stack(rows)


def of_dict(x):
    d, rows = {"k": 0}, []
    for t in range(x.shape[0]):
        d["k"] += 1
        rows.append(zero_after(d["k"], x[t]))
    return xp.stack(rows)


def of_set(x):
    s, rows = {0}, []
    for t in range(x.shape[0]):
        s.add(len(s))
        rows.append(zero_after(len(s), x[t]))
    return xp.stack(rows)


def by_setdefault(x):
    d, rows = {}, []
    for t in range(x.shape[0]):
        d.setdefault("k", []).append(1)
        rows.append(zero_after(len(d["k"]), x[t]))
    return xp.stack(rows)


def of_generator(x):
    def counted():
        n = 0
        while True:
            n += 1
            yield n

    n, rows = counted(), []
    for t in range(x.shape[0]):
        rows.append(zero_after(next(n), x[t]))
    return xp.stack(rows)


def of_iterator(x):
    n, rows = iter([1] * MOST + [MOST + 1]), []
    for t in range(x.shape[0]):
        rows.append(zero_after(next(n, MOST + 1), x[t]))
    return xp.stack(rows)


def of_count(x):
    n, rows = itertools.count(1), []
    for t in range(x.shape[0]):
        rows.append(zero_after(next(n), x[t]))
    return xp.stack(rows)


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
    return xp.stack(rows)


def of_bound_method(x):
    step = Cache().step
    return xp.stack([step(x[t]) for t in range(x.shape[0])])


class Slotted:
    __slots__ = ("n",)

    def __init__(self):
        self.n = 0


def step_of(holder, row):
    holder.n += 1
    return zero_after(holder.n, row)


def of_slots(x):
    holder = Slotted()
    return xp.stack([step_of(holder, x[t]) for t in range(x.shape[0])])


def of_namespace(x):
    holder = SimpleNamespace(n=0)
    return xp.stack([step_of(holder, x[t]) for t in range(x.shape[0])])


def counted_globally(row):
    global COUNT
    COUNT += 1
    return zero_after(COUNT, row)


def of_global(x):
    global COUNT
    COUNT = 0
    return xp.stack([counted_globally(x[t]) for t in range(x.shape[0])])


def of_deque(x):
    d = deque(maxlen=4)
    for t in range(x.shape[0]):
        d.append(x[t])
    return sum(d)


def last_four(x):
    return x[-4:].sum(0)


def of_append(x):
    rows = []
    add = rows.append
    for t in range(x.shape[0]):
        add(zero_after(len(rows), x[t]))
    return xp.stack(rows)


def in_closure(x):
    rows = []

    def add(row):
        rows.append(zero_after(len(rows), row))

    for t in range(x.shape[0]):
        add(x[t])
    return xp.stack(rows)


def of_tensor(x):
    n = xp.zeros(())

    def step(row):
        n.add_(1)
        return xp.where(n <= MOST, row, 0 * row)

    return xp.stack([step(x[t]) for t in range(x.shape[0])])


def appended(x):
    rows = []
    for t in range(x.shape[0]):
        rows.append(2 * x[t])
    return xp.stack(rows)


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
    return xp.stack(rows) + xp.stack(sums)[:, None]


def two_lists_at_once(x):
    return 2 * x + x.sum(1)[:, None]


def constants(x):
    table, pair, rows = {"a": 1.5, "b": [0.5]}, [2.0, 3.0], []
    for t in range(x.shape[0]):
        rows.append((table["a"] + table["b"][0]) * x[t] * (pair[1] - pair[0]))
    return xp.stack(rows)
