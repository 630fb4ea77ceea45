"""Functions for torch of what is no single operation with a rule, which `test_aten_operations` tries one by one.

They are made of others, ask for sizes, write in place, loop, or take slopes. Each takes x and y of shape (4, 6) and z of
shape (4, 6, 6).
"""

import math

import torch
import torch.nn.functional as F
from einops import rearrange, reduce, repeat


def made_of_others(x, y, z):
    return (
        torch.addcmul(x, y, y, value=2),
        torch.lerp(x, y, 0.25),
        torch.addcdiv(x, y, y * y + 1, value=2),
        torch.einsum("td,tde->te", x, z),
        torch.einsum("td,sd->ts", [x, y]),
        F.normalize(x, dim=-1),
        F.rms_norm(x, (6,), y[0], eps=1e-5),
        F.mse_loss(x, y),
        F.mse_loss(x, y, reduction="sum"),
        F.mse_loss(x, y, reduction="none"),
        F.dropout(x, p=0.0),
        F.linear(x, y, x[:, 0]),
        F.scaled_dot_product_attention(z, z, z, is_causal=True),
        F.scaled_dot_product_attention(
            z, z, z, attn_mask=(z[0] > 0.1) | (torch.eye(6) > 0), scale=0.5
        ),
        torch.diag_embed(x),
        x.repeat_interleave(2, dim=1),
    )


def new_tensors(x, y, z):
    return (
        torch.zeros(2, 3),
        torch.zeros(2, dtype=torch.int32),
        torch.ones((2, 3)),
        torch.zeros_like(x),
        torch.ones_like(x),
        x.new_zeros(2, 2),
        x.new_ones(3),
        torch.arange(end=3),
        torch.arange(3, 7),
        torch.arange(1, 5, dtype=torch.float64),
        torch.arange(3).half().double(),
        torch.tensor([[1, 2], [3, 4]]),
        torch.as_tensor(3.0),
    )


def formats(x, y, z):
    return (
        x.cpu(),
        x.type_as(y),
        x.float().to(torch.float16).ndim * x,
        (x > 0).to(x),
        (x > 0).long() / 2,
        torch.arange(6) * x,
    )


def never_read(x, y, z):
    made, alike, of_it = torch.empty(2, 6), torch.empty_like(x), x.new_empty(2)
    made[:] = 1.0
    alike[:] = x
    of_it.fill_(2.0)
    return made, alike, of_it


def questions(x, y, z):
    return (
        x * x.size(0),
        x + x.dim(),
        x * x.shape[-1] ** -0.5,
        x / math.sqrt(x.size(-1)),
        x * x.numel(),
        x * len(x),
        x + x.ndim,
        x + x.ndimension(),
        x + x.is_floating_point(),
        x + x.is_complex(),
    )


def writes(x, y, z):
    a, b, c = x.clone(), x.clone(), z.clone()
    a[0] = 1.0
    a[:, 1] = y[:, 0]
    a[1:3, 2:4] += 1
    b *= 2
    b += y
    b -= 0.5
    b /= 3
    c[:, :, 0] = x
    c[..., 1:] *= 2
    return a, b, c


def writes_by_methods(x, y, z):
    a, b, c, d = x.clone(), x.clone(), x.clone(), x.clone()
    a.add_(y).mul_(2)
    b.masked_fill_(b > 0, 0.0)
    c.copy_(y[0])
    d.zero_()
    e = x.clone().fill_(2.0)
    f = x.clone()
    f[f > 0] = 5.0
    f.clamp_(-1, 3)
    return a, b, c, d, e, f


def loops(x, y, z):
    S = torch.zeros(6, 6)
    out = torch.empty_like(x)
    rows = []
    for t in range(x.shape[0]):
        S = S * 0.5 + torch.outer(x[t], y[t])
        out[t] = x[t] @ S
        rows.append(S.sum(0))
    total = 0.0
    for a, b in zip(x, y):
        total = total + a * b
    for i, row in enumerate(x):
        total += i * row
    return (
        S,
        out,
        torch.stack(rows),
        torch.stack(rows, dim=1),
        torch.cat([r[None] for r in x]),
        total,
    )


def prefixes(x, y, z):
    A = torch.outer(x.reshape(-1), y.reshape(-1)).tril(-1) / 8
    n = A.shape[0]
    rows, columns, sums, scaled, earlier = -A, A.clone(), A.clone(), A.clone(), A.clone()
    totals = torch.zeros_like(A)
    for i in range(1, n):
        rows[i, :i] = rows[i, :i].clone() + (rows[i, :i, None].clone() * rows[:i, :i].clone()).sum(
            -2
        )
    for i in range(1, n):
        columns[i, :i] = columns[i, :i] + (
            columns[i, :, None].clone() * columns[:, :i].clone()
        ).sum(-2)
    for i in range(1, n):
        row = sums[i, :i].clone()
        sums[i, :i] += row @ sums[:i, :i].clone()
        sums[: i + 1, i] = 0.5
    for i in range(n):
        part = scaled[..., : i + 1].clone().unsqueeze(-1).transpose(-1, -2)
        totals[i] = (-part * 2 - 1 + part / 4).sum((-1, -2))
        scaled[i, :i] *= 2
    for i in range(1, n):
        earlier[i, :i] -= (earlier[i, :i].clone()[None] * x[0, 0] + y[0, 0]).sum(dim=-2)
        earlier[i, :i] = earlier[i, :i].clone().sum(0, keepdim=True)
    return rows, columns, sums, scaled, totals, earlier


def kit(x, y, z):
    return (
        rearrange(x, "(a b) d -> b a d", b=2),
        rearrange(z, "t d e -> (t e) d"),
        rearrange(x, "t d -> t d 1"),
        repeat(x, "t d -> t h d", h=2),
        reduce(z, "t d e -> t e", "sum"),
        reduce(x, "(a b) ... -> a ...", "mean", a=2),
        rearrange(x, "... (h k) -> ... h k", h=2),
    )


def gradients(x, y, z):
    def loss(w):
        return ((x @ w - y) ** 2).sum() / 2

    return torch.func.grad(loss)(z[0])


def stopped(x, y, z):
    def loss(w):
        with torch.no_grad():
            held = w * 2
            with torch.enable_grad():
                seen = w * 3
        return (w * held + w.detach() * seen + w.data * w).sum()

    @torch.no_grad
    def constant(w):
        return w * w

    return torch.func.grad(loss)(x), torch.func.grad(lambda w: (constant(w) * w).sum())(x)


def twice_differentiated(x, y, z):
    def slope(w):
        with torch.no_grad():
            held = w * w
        return (held * torch.func.grad(lambda v: (v**3).sum())(w)).sum()

    return torch.func.grad(slope)(x)


@torch.no_grad()
def decorated(x, y, z):
    with torch.no_grad():
        return x.cuda().cpu() if torch.zeros(1).is_cuda else x + 1
