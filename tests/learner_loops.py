"""Losses, their gradients, learners and tokenisations a second time, in explicit loops like those of `loops`.

Weights and targets have a second axis; nothing here calls `constructs`.
"""

from __future__ import annotations

from loops import WIDE, columns, dot, identity, product


def residuals(w, x, y):
    """Rows of xW − y; `w` and `y` have a second axis."""
    return [
        [dot(row, column) - target[k] for k, column in enumerate(columns(w))]
        for row, target in zip(x, y, strict=True)
    ]


def squared_error(w, x, y, scale, divisor, ridge):
    total = sum(r * r for row in residuals(w, x, y) for r in row)
    return scale * total / divisor + ridge * sum(entry * entry for row in w for entry in row)


def squared_error_gradient(w, x, y, scale, divisor, ridge):
    r = residuals(w, x, y)
    return [
        [
            2 * scale * sum(r[i][k] * x[i][a] for i in range(len(x))) / divisor
            + 2 * ridge * w[a][k]
            for k in range(len(w[0]))
        ]
        for a in range(len(w))
    ]


def descend(w, x, y, step_size, batches, scale, mean, ridge=0):
    """One step for each batch of indices, in turn."""
    for batch in batches:
        rows, targets = [x[i] for i in batch], [y[i] for i in batch]
        divisor = len(batch) if mean else 1
        slope = squared_error_gradient(w, rows, targets, scale, divisor, ridge)
        w = [[w[a][k] - step_size * slope[a][k] for k in range(len(w[0]))] for a in range(len(w))]
    return w


def softmax(logits):
    rows = []
    for row in logits:
        weights = [WIDE.exp(z) for z in row]
        rows.append([weight / sum(weights) for weight in weights])
    return rows


def cross_entropy(w, x, y):
    total = 0
    for p, target in zip(softmax(product(x, w)), y, strict=True):
        total -= sum(t * WIDE.log(q) for q, t in zip(p, target, strict=True))
    return total


def cross_entropy_gradient(w, x, y):
    p = softmax(product(x, w))
    return [
        [sum((p[i][k] - y[i][k]) * x[i][a] for i in range(len(x))) for k in range(len(w[0]))]
        for a in range(len(w))
    ]


def binary_cross_entropy(w, x, y):
    total = 0
    for row, target in zip(x, y, strict=True):
        p = 1 / (1 + WIDE.exp(-dot(w, row)))
        total -= target * WIDE.log(p) + (1 - target) * WIDE.log(1 - p)
    return total


def binary_cross_entropy_gradient(w, x, y):
    p = [1 / (1 + WIDE.exp(-dot(w, row))) for row in x]
    return [sum((p[i] - y[i]) * x[i][a] for i in range(len(x))) for a in range(len(w))]


def interleave(x, y):
    stream = []
    for i in range(len(y)):
        stream += [list(x[i]), list(y[i])]
    return [*stream, list(x[len(y)])]


def window_list(stream, width, stride):
    """Windows with tokens as columns."""
    return [
        columns([stream[s + i] for i in range(width)])
        for s in range(0, len(stream) - width + 1, stride)
    ]


def prefix_step(x, y, W, eta, visible):
    """w_i + η Σ_{j seen by i} (y_j − w_j·x_j) x_j, one number after the other."""
    errors = [label - dot(w, row) for label, w, row in zip(y, W, x, strict=True)]
    return [
        [
            entry + eta * sum(visible[j][i] * errors[j] * x[j][a] for j in range(len(x)))
            for a, entry in enumerate(w)
        ]
        for i, w in enumerate(W)
    ]


def moving_steps(x, y, eta, weights):
    """(w, A) after one step with each row of weights: the examples as the layers would hold them, A x_j."""
    d = len(x[0])
    w, A = [WIDE.mpf(0)] * d, identity(d)
    for row in weights:
        mapped = [[dot(A[a], example) for a in range(d)] for example in x]
        errors = [label - dot(w, example) for label, example in zip(y, x, strict=True)]
        step = [
            sum(v * u[a] * e for v, u, e in zip(row, mapped, errors, strict=True)) for a in range(d)
        ]
        w = [w[b] + eta * sum(A[a][b] * step[a] for a in range(d)) for b in range(d)]
        H = [
            [sum(v * u[a] * u[b] for v, u in zip(row, mapped, strict=True)) for b in range(d)]
            for a in range(d)
        ]
        A = [
            [A[a][b] - eta * sum(H[a][c] * A[c][b] for c in range(d)) for b in range(d)]
            for a in range(d)
        ]
    return w, A
