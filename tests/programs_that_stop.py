"""Programs for torch that raise, or are not read, at some sizes or at all."""

import torch


def twice(x):
    return x * 2


def middle(x):
    return torch.median(x) * x


def middle_of_many(x):
    return torch.median(x) * x if x.shape[0] > 4 else x * 2


def raises(x):
    return {}["a"]


def raises_at_two(x):
    if x.shape[0] == 2:
        raise ValueError("two rows")
    return x * 2


def leaves(x):
    raise SystemExit(3)


def text(x):
    return "two"


class Sized(torch.nn.Module):
    def __init__(self, d):
        self.d = d

    def forward(self, x):
        return x * self.d


class Recurrent(torch.nn.Module):
    def __init__(self):
        self.cell = torch.nn.LSTM(2, 3)

    def forward(self, x):
        return x
