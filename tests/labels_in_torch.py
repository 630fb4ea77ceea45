"""Programs for torch of labels and truths."""

import torch
import torch.nn.functional as F


def cross_entropy(z, y):
    return F.cross_entropy(z, y)


def smoothed(z, y):
    return F.cross_entropy(z, y, label_smoothing=0.1)


def smoothed_by_hand(z, y):
    logs = F.log_softmax(z, -1)
    return -(0.9 * logs.gather(1, y[:, None])[:, 0] + 0.1 * logs.mean(-1)).mean()


def by_one_hot(z, y):
    return -(F.one_hot(y, z.shape[1]) * F.log_softmax(z, -1)).sum(-1).mean()


def weighted(z, y, w):
    return F.cross_entropy(z, y, weight=w)


def weighted_by_one_hot(z, y, w):
    each = F.one_hot(y, z.shape[1]) * w
    return -(each * F.log_softmax(z, -1)).sum() / each.sum()


def by_two_indices(z, y):
    return -F.log_softmax(z, -1)[torch.arange(z.shape[0]), y].mean()


def by_gather(z, y):
    return (torch.logsumexp(z, -1) - z.gather(1, y[:, None])[:, 0]).mean()


def without_the_last(z, y):
    return F.cross_entropy(z, y.clamp(max=z.shape[1] - 2), reduction="mean")


def at_the_next_label(z, y):
    return F.cross_entropy(z.roll(1, -1), y)


def focal(z, y, gamma=2):
    p = F.softmax(z, -1).gather(1, y[:, None])[:, 0]
    return (-((1 - p) ** gamma) * torch.log(p)).mean()


def focal_by_one_hot(z, y, gamma=2):
    p, hit = F.softmax(z, -1), F.one_hot(y, z.shape[1])
    return -(hit * (1 - p) ** gamma * torch.log(p)).sum(-1).mean()


def focal_by_truth(z, y):
    p, hit = F.softmax(z, -1), F.one_hot(y, z.shape[1])
    return -(hit * p**2 * torch.log(p)).sum(-1).mean()


def embedded(E, y):
    return F.embedding(y, E)


def by_product(E, y):
    return F.one_hot(y, E.shape[0]).to(E.dtype) @ E


def agreement(z, y):
    return (z.argmax(-1) == y).float().mean()


def difference_is_0(z, y):
    return (z.argmax(-1) - y == 0).float().mean()


def mean_where(x, m):
    return x.masked_fill(~m, 0.0).sum() / m.sum().clamp(min=1)


def mean_of_products(x, m):
    return (x * m).sum() / m.sum().clamp(min=1)


def mean_elsewhere(x, m):
    return x.masked_fill(m, 0.0).sum() / m.sum().clamp(min=1)
