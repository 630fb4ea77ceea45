"""Programs for torch that may raise, and others of kinds that public code has."""

import torch


def of_positive(x):
    assert (x > -0.5).all(), "too small"
    return 2 * x


def of_numbers(x):
    if torch.isnan(x).any():
        raise RuntimeError("not a number")
    if torch.all(x == 0):
        raise ValueError("nothing")
    return 2 * x


def of_few(x):
    if (x > 1e9).any():
        if x.shape[0] > 2:
            raise ValueError("too many")
        return 5 * x
    return 2 * x


def mean_where(v, m):
    count = m.sum()
    if count == 0:
        raise ValueError("empty")
    return (v * m).sum() / count


def mean_of_chosen(v, m):
    return torch.where(m, v, 0.0).sum() / m.sum()


def doubled(x):
    return x + x


def tripled(x):
    return 3 * x


def by_its_sum(x):
    if x.sum() > 1:
        return 2 * x
    return x + x


def that_is_caught(x):
    try:
        assert (x > 0.3).all()
    except AssertionError:
        return 5 * x
    return 2 * x


def rotation(a):
    c, s = torch.cos(a.sum()), torch.sin(a.sum())
    return torch.tensor([[c, -s], [s, c]])


def rotation_by_parts(a):
    J = torch.tensor([[0.0, -1.0], [1.0, 0.0]])
    return torch.cos(a.sum()) * torch.eye(2) + torch.sin(a.sum()) * J


def squares_of_distances(x, y):
    return torch.cdist(x, y) ** 2


def squares_multiplied_out(x, y):
    return (x * x).sum(-1)[:, None] + (y * y).sum(-1) - 2 * x @ y.T


def unscripted(x, b):
    return 2 * torch.tanh(b + x)


def attention(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def attention_by_hand(q, k, v):
    scores = torch.einsum("nhid,nhjd->nhij", q, k) / q.shape[-1] ** 0.5
    return torch.einsum("nhij,nhje->nhie", scores.softmax(-1), v)


def into_its_argument(state, x):
    state.copy_(state * 2 + x)
    return state.sum(-1)


def of_its_argument(state, x):
    return 2 * state.sum(-1) + x.sum(-1)
