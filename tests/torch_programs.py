"""Recurrences of this field as they are written for torch, in two forms, and with planted mistakes."""

import torch
from einops import rearrange
from torch import nn


def linear(q, k, v):
    S = torch.zeros(k.shape[1], v.shape[1])
    o = torch.empty_like(v)
    for t in range(q.shape[0]):
        S += torch.outer(k[t], v[t])
        o[t] = q[t] @ S
    return o


def masked(q, k, v):
    return torch.tril(q @ k.T) @ v


def strictly_masked(q, k, v):
    return torch.tril(q @ k.T, -1) @ v


class Attention(nn.Module):
    def forward(self, q, k, v):
        return (q @ k.T).masked_fill(torch.ones(len(q), len(q)).triu(1) > 0, 0.0) @ v


def gated(q, k, v, g):
    S, rows = torch.zeros(k.shape[1], v.shape[1]), []
    for q_t, k_t, v_t, g_t in zip(q, k, v, g):
        S = S * g_t.exp() + k_t[:, None] * v_t[None]
        rows.append(q_t @ S)
    return torch.stack(rows)


def gated_in_place(q, k, v, g):
    S, o = v.new_zeros(k.shape[-1], v.shape[-1]), torch.zeros_like(v)
    for t in range(q.shape[0]):
        S.mul_(g[t].exp()).add_(k[t].unsqueeze(-1) * v[t].unsqueeze(-2))
        o[t] = torch.einsum("k,kv->v", q[t], S)
    return o


def gated_too_late(q, k, v, g):
    S, o = v.new_zeros(k.shape[-1], v.shape[-1]), torch.zeros_like(v)
    for t in range(q.shape[0]):
        S.add_(k[t].unsqueeze(-1) * v[t].unsqueeze(-2)).mul_(g[t].exp())
        o[t] = q[t] @ S
    return o


def alike(x, labels):
    """Sums over others with the same label, as contrastive losses take them."""
    same = torch.eq(labels[:, None], labels[None]).float() * (1 - torch.eye(len(labels)))
    return (same * (x @ x.T)).sum(1)


def alike_by_places(x, labels):
    i = torch.arange(len(labels))
    same = (labels[:, None] == labels[None, :]) & (i[:, None] != i[None, :])
    return torch.einsum("ij,ij->i", same.to(x.dtype), torch.einsum("id,jd->ij", x, x))


def forgetting(q, k, v, f):
    S, o = torch.zeros(k.shape[1], v.shape[1]), torch.zeros_like(v)
    for t in range(q.shape[0]):
        S = f[t].sigmoid() * S + torch.outer(k[t], v[t])
        o[t] = q[t] @ S
    return o


def forgetting_in_log_space(q, k, v, f):
    G = nn.functional.logsigmoid(f).cumsum(0)
    return (q @ k.T * (G[:, None] - G[None]).exp().tril()) @ v


def forgetting_by_softplus(q, k, v, f):
    G = -nn.functional.softplus(-f).cumsum(0)
    return (q @ k.T * (G[:, None] - G[None]).exp().tril()) @ v


def forgetting_the_other_way(q, k, v, f):
    G = -nn.functional.softplus(f).cumsum(0)
    return (q @ k.T * (G[:, None] - G[None]).exp().tril()) @ v


def delta(q, k, v, b):
    S, o = torch.zeros(k.shape[1], v.shape[1]), torch.zeros_like(v)
    for t in range(q.shape[0]):
        S = S + torch.outer(k[t], b[t] * (v[t] - k[t] @ S))
        o[t] = q[t] @ S
    return o


def delta_in_place(q, k, v, b):
    S, rows = torch.zeros(k.shape[1], v.shape[1]), []
    for t in range(len(q)):
        S -= torch.outer(k[t], b[t] * (k[t] @ S))
        S += b[t] * torch.outer(k[t], v[t])
        rows.append(q[t] @ S)
    return torch.stack(rows)


def momentum(x, m, r):
    w, buffer = torch.zeros(x.shape[1]), torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        buffer.mul_(m).add_(x[t])
        w.sub_(r * buffer)
    return w


def momentum_anew(x, m, r):
    w = buffer = torch.zeros(x.shape[1])
    for row in x:
        buffer = m * buffer + row
        w = w - r * buffer
    return w


def momentum_shared(x, m, r):
    w = buffer = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        buffer.mul_(m).add_(x[t])
        w.sub_(r * buffer)
    return w


def largest(x, m, r):
    return torch.median(x)


def solved(A):
    return torch.linalg.solve_triangular(
        A.tril(-1), torch.eye(len(A)), upper=False, unitriangular=True
    )


def row_by_row(A):
    T = -A.tril(-1)
    for i in range(1, len(A)):
        T[i, :i] = T[i, :i].clone() + (T[i, :i, None].clone() * T[:i, :i].clone()).sum(-2)
    return T + torch.eye(len(A))


def row_by_row_with_itself(A):
    T = -A.tril(-1)
    for i in range(1, len(A)):
        T[i, :i] = T[i, :i].clone() + (T[i, :, None].clone() * T[:, :i].clone()).sum(-2) * 2
    return T + torch.eye(len(A))


def gated_delta(q, k, v, beta, g, w):
    """q, k (b, h, t, d), v (b, h, t, e), beta, g (b, h, t); w says how long a chunk is."""
    S, o = torch.zeros(*k.shape[:2], k.shape[-1], v.shape[-1]), torch.zeros_like(v)
    for t in range(q.shape[2]):
        S = S * g[:, :, t].exp()[..., None, None]
        u = (v[:, :, t] - (S * k[:, :, t, :, None]).sum(-2)) * beta[:, :, t, None]
        S = S + k[:, :, t, :, None] * u.unsqueeze(-2)
        o[:, :, t] = torch.einsum("bhd,bhde->bhe", q[:, :, t], S)
    return o


def gated_delta_by_rows(q, k, v, beta, g, w, decay=1):
    C, shape = w.shape[0], (*k.shape[:2], k.shape[-1], v.shape[-1])
    v, k_beta = v * beta[..., None], k * beta[..., None]
    q, k, v, k_beta = [rearrange(x, "b h (n c) d -> b h n c d", c=C) for x in (q, k, v, k_beta)]
    G = rearrange(g, "b h (n c) -> b h n c", c=C).cumsum(-1)
    D = (G.unsqueeze(-1) - G.unsqueeze(-2)).tril().exp().tril()
    T = -((k_beta @ k.transpose(-1, -2)) * D).masked_fill(torch.ones(C, C).triu() > 0, 0)
    for i in range(1, C):
        T[..., i, :i] = T[..., i, :i].clone() + (
            T[..., i, :i, None].clone() * T[..., :i, :i].clone()
        ).sum(-2)
    T = T + torch.eye(C)
    U, W = T @ v, T @ (k_beta * (decay * G)[..., None].exp())
    S, o = torch.zeros(*shape), torch.zeros_like(v)
    for i in range(q.shape[2]):
        a = (q[:, :, i] @ k[:, :, i].transpose(-1, -2) * D[:, :, i]).tril()
        u = U[:, :, i] - W[:, :, i] @ S
        o[:, :, i] = (q[:, :, i] * G[:, :, i, :, None].exp()) @ S + a @ u
        S = S * G[:, :, i, -1, None, None].exp()
        S = (
            S
            + (k[:, :, i] * (G[:, :, i, -1, None] - G[:, :, i]).exp()[..., None]).transpose(-1, -2)
            @ u
        )
    return rearrange(o, "b h n c d -> b h (n c) d")


def gated_delta_without_the_decay_of_keys(q, k, v, beta, g, w):
    return gated_delta_by_rows(q, k, v, beta, g, w, 0)


def number_of_a_turn(x, m, r):
    last = 0
    for t in range(len(x)):
        r = r + x[last].sum()
        last = t
    return r


def prefix_written_meanwhile(A):
    T = A.clone()
    for i in range(1, len(A)):
        row = T[i, :i]
        T[i, :i] = 1.0
        T[i, :i] = row
    return T


def prefix_of_a_function(A):
    T = A.clone()
    for i in range(1, len(A)):
        T[i, :i] = T[i, :i].clone().softmax(-1)
    return T


@torch.inference_mode()
def counted_in_inference(q, k):
    """A mean over both axes, by sizes that are put into a tensor, with a write in place."""
    total = q * k
    total += 1
    return total.sum() / torch.prod(torch.tensor(q.shape))


def counted(q, k):
    return torch.einsum("td,td->", q, k) / torch.tensor(q.shape[0]) / q.shape[1] + 1


def counted_once(q, k):
    return torch.einsum("td,td->", q, k) / torch.tensor(q.shape[0]) + 1
