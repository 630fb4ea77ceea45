"""Programs for torch that ask something of sizes, and what they are where it is answered."""

import functools

import torch


def by_parity(x):
    return 2 * x if x.shape[0] % 2 == 0 else x + x


def by_length(x):
    return 2 * x if x.shape[0] > 2 else x + x


def by_length_otherwise(x):
    return 2 * x if x.shape[0] > 2 else x


def padded(x):
    return torch.nn.functional.pad(x, (0, -x.shape[0] % 4)).view(-1, 4).sum(1).sum()


def twice(x):
    return 2 * x


def total(x):
    return x.sum()


def shifted(x):
    s, before = torch.zeros(x.shape[1]), torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = 0.5 * s + before
        before = x[t]
    return s


def shifted_at_once(x):
    s = torch.zeros(x.shape[1])
    for row in torch.cat([torch.zeros(1, x.shape[1]), x[:-1]]):
        s = 0.5 * s + row
    return s


def times(x, by):
    return by * x


tripled = functools.partial(times, by=3)


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.by = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        return x * self.by
