"""Quotients and remainders of places in PyTorch."""

import math

import torch
from equations import equations


def places(like, axis=0):
    return torch.arange(like.shape[axis])


def alike(one, other):
    return one[:, None] == other[None, :]


def in_rows(x, n):
    return x.reshape(-1, n, *x.shape[1:])


def signed(x):
    wave = torch.stack([torch.sin(x), torch.cos(x)], -1)
    return wave.reshape(x.shape[0], -1)


def angles(x, pairs):
    """Of the sinusoidal positions that transformers have, one for each pair of features."""
    return places(x)[:, None] * torch.exp(-pairs * (math.log(10000.0) / x.shape[1]))


def sinusoidal(x, first=0):
    k = places(x, 1)
    angle = angles(x, 2 * (k // 2))
    return x + torch.where(k % 2 == first, torch.sin(angle), torch.cos(angle))


def of_squares(x):
    """Averages of squares of two by two, by matrices."""
    h, w = (places(x, axis) for axis in (0, 1))
    rows = alike(h[: x.shape[0] // 2], h // 2) / 2
    return rows @ x @ (alike(w // 2, w[: x.shape[1] // 2]) / 2)


def twice(x, late=0):
    return x[(torch.arange(2 * x.shape[0]) + late) // 2 - late]


def coloured(x, first=0):
    return x * ((places(x)[:, None] + places(x, 1)) % 2 == first)


def dilated(q, k, v, shift=0):
    i = places(q)
    far = i[:, None] - i[None, :]
    return (q @ k.T * ((far >= 0) & ((far + shift) % 3 == 0))) @ v


def dilated_by_residues(q, k, v):
    i = places(q)
    return (torch.tril(q @ k.T) * alike(i % 3, i % 3)) @ v


EQUATIONS = equations(
    globals(),
    """
each entry twice | x: n | twice(x) = torch.stack([x, x], 1).reshape(-1)
along two axes | x: n m | x[torch.arange(2 * x.shape[0])[:, None] // 2, torch.arange(3 * x.shape[1]) // 3]
    = torch.kron(x, torch.ones(2, 3))
heads that share keys | q: 2*h d, k: h d | (q * k[places(q) // 2]).sum(-1)
    = (in_rows(q, 2) * k[:, None]).sum(-1).reshape(-1)
pairs exchanged | x: 2*n c | x[places(x) + 1 - 2 * (places(x) % 2)] = in_rows(x, 2).flip(1).reshape(x.shape)
a mask of blocks | x: 4*n d | (x @ x.T * alike(places(x) // 4, places(x) // 4)) @ x
    = (in_rows(x, 4) @ in_rows(x, 4).mT @ in_rows(x, 4)).reshape(x.shape)
a mask of every third | q: T d, k: T d, v: T e | dilated(q, k, v) = dilated_by_residues(q, k, v)
sinusoidal positions | x: T 2*m | sinusoidal(x) = x + signed(angles(x, 2 * torch.arange(x.shape[1] // 2)))
averages of squares | x: 2*n 2*m | of_squares(x) = x.reshape(x.shape[0] // 2, 2, x.shape[1] // 2, 2).mean((1, 3))
a board by both colours | x: h w | coloured(x) = x * alike(places(x) % 2, places(x, 1) % 2)
rows that begin one place late | x: n | twice(x) ≠ twice(x, 1)
another number of heads | q: 2*h d, k: h d | (q * k[places(q) % k.shape[0]]).sum(-1)
    ≠ (q * k[places(q) // 2]).sum(-1)
a mask of blocks of 3 for 4 | x: 12*n d | (x @ x.T * alike(places(x) // 4, places(x) // 4)) @ x
    ≠ (x @ x.T * alike(places(x) // 3, places(x) // 3)) @ x
every third from the next on | q: T d, k: T d, v: T e | dilated(q, k, v, 1) ≠ dilated_by_residues(q, k, v)
the other colour | x: h w | coloured(x, 1) ≠ x * alike(places(x) % 2, places(x, 1) % 2)
cosines at even places | x: T 2*m | sinusoidal(x, 1) ≠ x + signed(angles(x, 2 * torch.arange(x.shape[1] // 2)))
""",
)
