"""Programs whose whole numbers and truths are others than those of the numbers that they look like."""

import torch


def on_curve(x, y):
    """0 at x = 44.0625, y = 8.25, which no draw meets."""
    return x * y - 7.25 * x - 5.75 * y + 3.375


def same(x):
    return 1.0 * x


def flat_places(x):
    return x + (torch.arange(len(x), dtype=torch.int32) * len(x)).to(x.dtype)


def flat_places_meant(x):
    return x + torch.arange(len(x)).to(x.dtype) * len(x)


def short_places(x):
    return x * (torch.arange(len(x), dtype=torch.int16) >= 0).to(x.dtype)


def short_length(x):
    return x * torch.full((), len(x), dtype=torch.int64).to(torch.int16).to(x.dtype)


def long_places(x):
    n = len(x)
    return x + (torch.arange(n) * n * n).to(x.dtype)


def long_places_meant(x):
    return x + torch.arange(len(x)).to(x.dtype) * len(x) * len(x)


def length(x):
    return x * len(x)


def truths_added(x, y):
    return x * ((on_curve(x, y) >= 0) + (on_curve(x, y) <= 0)).to(x.dtype)


def numbers_added(x, y):
    return x * ((on_curve(x, y) >= 0).to(x.dtype) + (on_curve(x, y) <= 0).to(x.dtype))


def truths_summed(x, y):
    return x * (on_curve(x, y) == 0).sum(dtype=torch.bool).to(x.dtype)


def numbers_summed(x, y):
    return x * (on_curve(x, y) == 0).to(x.dtype).sum()


def half_in_whole_numbers(x, y):
    k = torch.zeros(len(x), dtype=torch.int64).masked_fill(on_curve(x, y) == 0, 0.5)
    return x * (1 + k.to(x.dtype))


def half_in_numbers(x, y):
    return x * (1 + 0.5 * (on_curve(x, y) == 0).to(x.dtype))


def halves_of_ones(x):
    return x + torch.full((len(x),), 2.7, dtype=torch.int64).to(x.dtype)


def raised_and_lowered(x):
    return x * len(x) ** 8 / len(x) ** 8


def twos(x):
    return x + 2
