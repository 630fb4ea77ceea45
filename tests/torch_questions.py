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


TABLEAU = torch.tensor([0.5, 1.0])


def by_a_table(x):
    for share in TABLEAU:
        x = 4 * x if share == 1.0 else share * x
    return x


def by_numbers_made_of_numbers(x):
    weights = torch.linspace(0, 1, 3)
    weights[0] = 4.0
    weights.mul_(weights[1].clone())
    order = weights.argsort().tolist()
    return x * sum(k * weights[n].item() for k, n in enumerate(order)) - x * float(weights[2])


def by_what_it_wrote(x):
    flags = torch.zeros(2)
    flags[0] += x.sum()
    return 2 * x if flags[1] == 0 else x


def by_a_draw(x):
    return 2 * x if torch.rand(3)[0] < 2 else x


def by_zeros_of_its_length(x):
    return 2 * x if torch.zeros(x.shape[0]).sum() == 0 else x


def by_a_diagonal(x):
    square = torch.zeros(2, 2)
    square.diagonal().copy_(x[0])
    return 2 * x if square[1, 1] < 2 else x


def by_memory_of_another(x):
    mass = torch.ones(())
    mass.data = x.sum()
    return 2 * x if mass < 2 else x


COUNTED = torch.zeros(2)


def by_a_count_of_calls(x):
    many = bool(COUNTED[0] > 1000)
    COUNTED.add_(1)
    return x if many else 2 * x
