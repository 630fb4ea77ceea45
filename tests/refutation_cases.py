"""Pairs of programs of torch: equal ones, and others with the plainest inputs that tell them apart."""

import torch


def sorted_(x):
    return torch.sort(x).values


def in_pairs(x, ids):
    """Sums over tokens with the same id."""
    return (ids[:, None] == ids[None, :]).float() @ x


def in_segments(x, ids):
    """Sums over tokens between which no id changes."""
    turns = torch.cat([torch.zeros(1), (ids[1:] != ids[:-1]).float()]).cumsum(0)
    return in_pairs(x, turns)


def window(x, sigma, form):
    """Weights that fall from the middle on, as a filter has them, computed in this format."""
    place = (torch.arange(len(x), dtype=form) - (len(x) - 1) / 2) / sigma
    weights = torch.softmax(-(place**2) / 2, 0)
    return torch.outer(weights, weights)


def masked(x, last):
    return torch.where(torch.arange(len(x)) < last, x, torch.zeros_like(x))


EQUAL = {
    "in the other order": (lambda x: sorted_(x), lambda x: -sorted_(-x).flip(0)),
    "a threshold from both sides": (
        lambda x: torch.where(x > 1e6, x, 2 * x),
        lambda x: torch.where(x <= 1e6, x + x, x),
    ),
    "a threshold that rounding moves": (
        lambda x: (x * 10 > 1).float(),
        lambda x: (x > 0.1).float(),
    ),
    "clipped at a literal": (
        lambda x: x.clamp(-1e4, 1e4),
        lambda x: torch.minimum(torch.maximum(x, x * 0 - 1e4), x * 0 + 1e4),
    ),
    "far from 0": (lambda x: sorted_(x + 1e6) - 1e6, sorted_),
    "a mean far from 0": (lambda x: (x - 65504).mean(), lambda x: x.mean() - 65504),
    "another association": (lambda x: x.sum(), lambda x: x.flip(0).cumsum(0)[-1]),
    "NaN on both sides": (lambda x: x.log() + x.sqrt(), lambda x: x.sqrt() + x.log()),
    "0 divided by 0": (lambda x: x * x / x, lambda x: x),
    "ranks with ties": (
        lambda x: (x[:, None] > x[None, :]).sum(1),
        lambda x: torch.searchsorted(sorted_(x), x),
    ),
    "whole numbers": (lambda x: x.round().int() * 3, lambda x: 3 * x.round().int()),
    "whole parts": (lambda x: (x / 7).floor(), lambda x: (x * (1 / 7)).floor()),
    "equal rows": (lambda x: x - x.max(), lambda x: -(x.max() - x)),
}

OTHER = {
    "sorted": ("x: n", sorted_, lambda x: x, [[2, 1]]),
    "by ids": ("x: n, ids: n", in_pairs, in_segments, [[1, 2, 3], [4, 5, 4]]),
    "repeated": ("x: n", lambda x: torch.unique(x).sum(), lambda x: x.sum(), [[1, 1]]),
    "at 0": ("x: n", lambda x: torch.where(x == 0, x + 1, x), lambda x: x, [[0]]),
    "negative": ("x: n", lambda x: x.abs(), lambda x: x, [[-1]]),
    "not in order": ("x: n", lambda x: x.cummax(0).values, lambda x: x, [[2, 1]]),
    "in the middle": ("x: n", lambda x: x.median(), lambda x: sorted_(x)[len(x) // 2], [[1, 2]]),
    "above a literal": ("x: n", lambda x: x.clamp(max=1e6), lambda x: x, [[1000001]]),
    "at a literal": (
        "x: n",
        lambda x: torch.where(x > 12345, 2 * x, x),
        lambda x: torch.where(x >= 12345, 2 * x, x),
        [[12345]],
    ),
    "transposed": ("x: n n", lambda x: x @ x.T, lambda x: x.T @ x, [[[1, 2], [3, 4]]]),
    "between 0 and 1": (
        "x: n",
        lambda x: torch.where((x > 0) & (x < 1), 2 * x, x),
        lambda x: x,
        [[1 / 2]],
    ),
    "in another axis": (
        "x: n d",
        lambda x: x.sort(0).values,
        lambda x: x,
        [[[2], [1]]],
    ),
    "in equal rows": (
        "x: n d",
        lambda x: (x[:1] == x).all().float(),
        lambda x: x.sum() * 0 + (len(x) == 1),
        [[[1], [1]]],
    ),
}
"""With the inputs by which they are told apart."""

LATE = {
    "a mask": (lambda x: masked(x, 65536), lambda x: x, 65537),
    "one size": (lambda x: 2 * x if len(x) == 9000 else x, lambda x: x, 9000),
    "up to a size": (lambda x: x if len(x) <= 30_000 else -x, lambda x: x, 30_001),
}
"""With the least size that stands in the text, or beside a number there, at which they differ."""
