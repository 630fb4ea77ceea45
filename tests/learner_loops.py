"""Losses, their gradients, learners and tokenisations a second time, in indices and loops like those of `loops`.

Weights and targets have a second axis; nothing here calls `constructs`.
"""

import numpy as np
from loops import WIDE, columns, dot, identity, product, solve, summed


def residuals(w, x, y):
    """Rows of xW − y; `w` and `y` have a second axis."""
    return summed("ia,ak->ik", x, w) - y


def squared_error(w, x, y, scale, divisor, ridge):
    r = residuals(w, x, y)
    return scale * summed("ik,ik->", r, r) / divisor + ridge * summed("ak,ak->", w, w)


def squared_error_gradient(w, x, y, scale, divisor, ridge):
    r = residuals(w, x, y)
    return 2 * scale * summed("ik,ia->ak", r, x) / divisor + 2 * ridge * np.asarray(w)


def descend(w, x, y, step_size, batches, scale, mean, ridge=0):
    """One step for each batch of indices, in turn."""
    for batch in batches:
        divisor = len(batch) if mean else 1
        w = w - step_size * squared_error_gradient(w, x[batch], y[batch], scale, divisor, ridge)
    return w


def heavy_ball(w, x, y, step_size, momentum, steps):
    """Polyak's two sequences: the velocity v ← β v − η ∇, and w ← w + v."""
    velocity = 0 * w
    for _ in range(steps):
        slope = squared_error_gradient(w, x, y, WIDE.mpf(1) / 2, 1, 0)
        velocity = momentum * velocity - step_size * slope
        w = w + velocity
    return w


def forgetting_gradient(w, x, y, decay):
    """G ← ρ G + the gradient on the next example."""
    found = 0 * w
    for j in range(len(y)):
        slope = squared_error_gradient(w, x[[j]], y[[j]], WIDE.mpf(1) / 2, 1, 0)
        found = decay * found + slope
    return found


def gd_plus_plus(w, x, y, step_sizes, gamma):
    """Attention layer by layer, token by token: every token sees all examples as they were before the layer."""
    tokens = [list(row) for row in x]
    left = [list(row) for row in residuals(w, x[:-1], y)]
    said = summed("ak,a->k", w, x[-1])
    for step_size in step_sizes:
        seen = [(list(a), list(r)) for a, r in zip(tokens[:-1], left, strict=True)]
        query = list(tokens[-1])
        said = [
            s - step_size * sum(dot(query, a) * r[c] for a, r in seen) for c, s in enumerate(said)
        ]
        left = [
            [
                r - step_size * sum(dot(own, a) * other[c] for a, other in seen)
                for c, r in enumerate(mine)
            ]
            for own, mine in seen
        ]
        tokens = [
            [t - gamma * sum(dot(token, a) * a[j] for a, _ in seen) for j, t in enumerate(token)]
            for token in tokens
        ]
    return said


def ridge_regression(w, x, y, damping):
    """w + (XᵀX + λI)⁻¹ Xᵀ(Y − Xw), the system solved."""
    f = x.shape[1]
    damped = summed("ia,ib->ab", x, x) + damping * np.asarray(identity(f))
    missed = -squared_error_gradient(w, x, y, WIDE.mpf(1) / 2, 1, 0)
    return w + np.stack([solve(damped, missed[:, c]) for c in range(missed.shape[1])], axis=1)


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
    return summed("ik,ia->ak", softmax(summed("ia,ak->ik", x, w)) - y, x)


def binary_probabilities(w, x):
    return np.asarray([1 / (1 + WIDE.exp(-dot(w, row))) for row in x])


def binary_cross_entropy(w, x, y):
    total = 0
    for p, target in zip(binary_probabilities(w, x), y, strict=True):
        total -= target * WIDE.log(p) + (1 - target) * WIDE.log(1 - p)
    return total


def binary_cross_entropy_gradient(w, x, y):
    return summed("i,ia->a", binary_probabilities(w, x) - y, x)


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
    errors = y - summed("ja,ja->j", W, x)
    return W + eta * summed("ji,j,ja->ia", visible, errors, x)


def moving_steps(x, y, eta, weights):
    """(w, A) after one step with each row of weights: the examples as the layers would hold them, A x_j."""
    w, A = 0 * x[0], np.asarray(identity(len(x[0])))
    for row in weights:
        mapped = summed("ab,jb->ja", A, x)
        errors = y - summed("ja,a->j", x, w)
        step = summed("j,ja,j->a", row, mapped, errors)
        H = summed("j,ja,jb->ab", row, mapped, mapped)
        w, A = w + eta * summed("ab,a->b", A, step), A - eta * summed("ac,cb->ab", H, A)
    return w, A
