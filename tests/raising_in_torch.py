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


def _is_rare(x):
    return (x * x * x - 1000.3).abs().min() < 0.05


def after_an_error_of_tracing(x):
    if _is_rare(x):
        try:
            x.tolist()
        except Exception as error:
            raise ValueError("bad") from error
        return x + x + 1
    return x + x


def after_an_error_that_is_gone(x):
    if _is_rare(x):
        seen = False
        try:
            x.tolist()
        except Exception:
            seen = True
        if seen:
            raise ValueError("bad")
        return x + x + 1
    return x + x


def after_a_question(x):
    if _is_rare(x):
        try:
            bool(x.sum() > 5)
        except Exception as error:
            raise ValueError("bad") from error
        return x + x + 1
    return x + x


def by_the_kind_of_a_size(x):
    if _is_rare(x):
        if not isinstance(x.shape[0], int):
            raise TypeError("no int")
        return x + x + 1
    return x + x


def of_several_entries(x):
    if x.sum() > 1e6:
        raise ValueError("large")
    try:
        assert x > -1e30
    except RuntimeError:
        return x + x + _is_rare(x)
    return x + x


class Kept:
    def __init__(self, of):
        self.of = of

    def __bool__(self):
        self.number = self.of.item()
        return bool(self.number == 0)


def by_a_truth_that_is_kept(x):
    kept = Kept(1 + _is_rare(x).float())
    if kept:
        raise ValueError("nothing")
    return 2 * x * kept.number


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


def at_labels(z, y):
    return z.gather(1, y.unsqueeze(1)).squeeze(1)


def by_one_hot(z, y):
    return (torch.nn.functional.one_hot(y, z.shape[1]) * z).sum(-1)


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
