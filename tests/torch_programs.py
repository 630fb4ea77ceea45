"""Recurrences of this field as they are written for torch, in two forms, and with planted mistakes."""

import torch
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
    return torch.argmax(x)
