"""Functions for torch, each a line or two, that together use all that the facade of `prove` knows of it.

Each takes x and y of shape (4, 6) and z of shape (4, 6, 6); they run in torch itself and in the facade.
"""

import math

import torch
import torch.nn.functional as F
from einops import rearrange, reduce, repeat


def exponentials(x, y, z):
    return (
        torch.exp(x),
        x.exp2(),
        torch.expm1(y),
        x.sigmoid(),
        torch.log(x.exp() + 1),
        torch.log1p(x.square()),
    )


def roots(x, y, z):
    return (
        torch.sqrt(x.abs() + 1),
        torch.rsqrt(x**2 + 1),
        torch.reciprocal(x.abs() + 1),
        x.abs().neg(),
    )


def trigonometry(x, y, z):
    return torch.sin(x), torch.cos(x), torch.tanh(x), torch.sinh(x), torch.cosh(x), torch.erf(x)


def activations(x, y, z):
    return (
        F.relu(x),
        F.silu(x),
        F.logsigmoid(x),
        F.softplus(x),
        F.softplus(x, beta=2),
        F.leaky_relu(x, 0.2),
        F.gelu(x),
        F.gelu(x, approximate="tanh"),
    )


def arithmetic(x, y, z):
    return (
        x + y,
        1 - x,
        x * y,
        x / (y.abs() + 1),
        x**2,
        -x,
        x.add(y, alpha=2),
        torch.sub(x, y, alpha=3),
        x.mul(2),
        torch.div(x, 2),
    )


def true_divisions(x, y, z):
    return (
        torch.true_divide(x, 3),
        torch.multiply(x, y),
        torch.divide(x, 2),
        torch.pow(x, 2),
        x.pow(3),
    )


def whole_numbers(x, y, z):
    n = torch.arange(6)
    return (
        n // 2 * 1.0,
        n % 4 * 1.0,
        (n > 2) & (n < 5),
        (n == 3) | (n != 2),
        (n >= 1) ^ (n <= 4),
        ~(n > 2),
        torch.logical_not(n > 3),
        torch.bitwise_not(n),
        n / 4,
        (n > 2).sum() / 2,
        torch.relu(n - 3),
        n.square(),
        n.exp(),
        n**2,
        (n > 2) * 2,
        (n > 2) + (n > 3),
        x * n,
    )


def products(x, y, z):
    return (
        x @ y.T,
        torch.matmul(x, z),
        torch.mm(x, y.t()),
        torch.bmm(z, z),
        torch.mv(y, x[0]),
        torch.dot(x[0], y[1]),
        torch.outer(x[0], y[0]),
        torch.ger(x[1], y[0]),
    )


def sums_of_products(x, y, z):
    return (
        torch.einsum("td,tde->te", x, z),
        torch.einsum("td,sd->ts", [x, y]),
        torch.addmm(z[0], x.T, y, beta=2, alpha=3),
        torch.baddbmm(z, z, z),
        torch.addcmul(x, y, y, value=2),
        torch.lerp(x, y, 0.25),
        torch.addcdiv(x, y, y * y + 1, value=2),
        abs(x),
    )


def extremes(x, y, z):
    return (
        torch.maximum(x, y),
        torch.minimum(x, y),
        x.max(),
        x.min(dim=1).values,
        torch.max(x, y),
        x.max(1, keepdim=True)[0],
        x.amax(-1),
        x.amax(),
        x.amin(dim=0, keepdim=True),
        torch.min(x, 0)[0],
    )


def clamps(x, y, z):
    return (
        x.clamp(-0.5, 0.5),
        torch.clip(x, min=0),
        x.clamp_min(0.1),
        torch.clamp_max(x, 0.5),
        x.clamp(max=0.3),
        torch.logaddexp(x, y),
    )


def choices(x, y, z):
    return (
        torch.where(x > 0, x, y),
        torch.where(x > y, x, 0.0),
        x.masked_fill(x < 0, -1.0),
        x.where(x > 0, y),
        torch.where(x > 0, 1, 0),
        torch.where(x > 0, 1.0, 0),
        x.masked_fill(torch.ones(6, 6, dtype=torch.bool).triu(1)[:4], 2.0),
    )


def reductions(x, y, z):
    return (
        x.sum(),
        x.sum(0),
        x.sum(dim=()),
        x.mean(axis=0, keepdims=True),
        x.sum(0, True),
        (x > 0).sum(dtype=torch.float64),
        (x > 0).cumsum(0),
        z.sum((-1, -2)),
        x.mean(dim=1, keepdim=True),
        z.prod(dim=2),
        torch.logsumexp(x, dim=-1),
        (x > 0).sum(),
        torch.mean(x),
    )


def normalisations(x, y, z):
    return (
        F.softmax(x, dim=-1),
        x.softmax(0),
        F.log_softmax(x, dim=1),
        F.normalize(x, dim=-1),
        F.layer_norm(x, (6,)),
        F.layer_norm(x, (6,), y[0], y[1]),
        F.rms_norm(x, (6,), y[0], eps=1e-5),
    )


def moments(x, y, z):
    return (
        x.var(dim=-1),
        torch.var(x, 1, unbiased=False, keepdim=True),
        x.var(dim=0, correction=0),
        x.std(-1),
        torch.std(x, dim=0, unbiased=False, keepdim=True),
        x.norm(dim=-1),
        x.norm(p=2, dim=0, keepdim=True),
        x.var(False),
        x.std(1, False, True),
        z.norm(),
        torch.norm(z, dim=(1, 2)),
        torch.linalg.norm(x),
        torch.linalg.norm(x[0], 2),
        torch.linalg.norm(z, dim=(0, 1)),
        torch.linalg.vector_norm(x, dim=()),
    )


def moments_of_no_axes(x, y, z):
    return x.var(dim=()), x.std(dim=[])


def running(x, y, z):
    return x.cumsum(0), torch.cumsum(x, dim=-1), torch.cumprod(x, dim=1)


def losses(x, y, z):
    return (
        F.mse_loss(x, y),
        F.mse_loss(x, y, reduction="sum"),
        F.mse_loss(x, y, reduction="none"),
        F.dropout(x, p=0.0),
    )


def layers(x, y, z):
    return (
        F.linear(x, y),
        F.linear(x, y, x[:, 0]),
        F.scaled_dot_product_attention(z, z, z, is_causal=True),
        F.scaled_dot_product_attention(
            z, z, z, attn_mask=(z[0] > 0.1) | (torch.eye(6) > 0), scale=0.5
        ),
    )


def solves(x, y, z):
    a = torch.eye(6) + z.tril(-1)
    upper = (z * 0.1).triu() + 2 * torch.eye(6)
    return torch.linalg.solve_triangular(
        a, z, upper=False, unitriangular=True
    ), torch.linalg.solve_triangular(upper, z, upper=True)


def new_tensors(x, y, z):
    return (
        torch.zeros(2, 3),
        torch.ones((2, 3)),
        torch.full((2,), 1.5),
        torch.eye(3),
        torch.zeros_like(x),
        torch.ones_like(x),
        torch.full_like(x, 3.0),
        x.new_zeros(2, 2),
        x.new_ones(3),
        x.new_full((2,), 3.0),
        torch.full((2,), 3),
        torch.full_like(x > 0, True),
        torch.zeros(2, dtype=torch.int32),
        torch.zeros(2, dtype=int),
    )


def numbers(x, y, z):
    return (
        torch.arange(5) * 1.0,
        torch.arange(1, 5, dtype=torch.float64),
        torch.arange(0, 8, 2) * 0.5,
        torch.tensor([1.0, 2.0]),
        torch.as_tensor(3.0),
        torch.scalar_tensor(2.0),
        torch.scalar_tensor(2),
        torch.tensor([[1, 2], [3, 4]]),
        torch.tensor(True),
        torch.arange(end=3),
        torch.arange(3, 7),
    )


def never_read(x, y, z):
    made, alike, of_it = torch.empty(2, 6), torch.empty_like(x), x.new_empty(2)
    made[:] = 1.0
    alike[:] = x
    of_it.fill_(2.0)
    return made, alike, of_it


def triangles(x, y, z):
    return x.tril(), torch.triu(x, diagonal=1), z.tril(-1), torch.diag_embed(x)


def copies(x, y, z):
    return (
        x.clone(),
        x.contiguous(),
        x.detach(),
        x.cpu(),
        x.to(torch.float64),
        x.to(dtype=torch.float64),
        x.double(),
        x.float().to(torch.float32).to(torch.float16).ndim * x,
        x.type_as(y),
        x.to("cpu", copy=True),
        x.to(device="cpu"),
        (x > 0).to(x),
        (x > 0).float(),
        (x > 0).long(),
        (x > 0).int().to(torch.int32),
        (x > 0).short(),
    )


def formats(x, y, z):
    return (
        (x > 0).bool(),
        (x > 0).to(torch.int64),
        torch.arange(3).to(x.dtype),
        torch.arange(3).half().double(),
        torch.arange(3).bfloat16().double(),
    )


def shapes(x, y, z):
    return (
        x.view(2, 12),
        x.reshape(-1),
        x.reshape((3, 8)),
        x.view_as(y),
        x.reshape_as(y),
        z.permute(2, 0, 1),
        z.permute((1, 0, 2)),
        z.transpose(0, 2),
        z.swapaxes(0, 1),
        z.movedim(0, -1),
        torch.moveaxis(z, 2, 0),
    )


def axes(x, y, z):
    return (
        x.T,
        z.mT,
        x.unsqueeze(1),
        x[:, None].squeeze(1),
        x.flatten(),
        z.flatten(1),
        z.flatten(0, 1),
        x.unflatten(1, (2, 3)),
        x.unflatten(-1, (3, -1)),
        x.t(),
    )


def broadcasts(x, y, z):
    return (
        x[:, None].expand(4, 3, 6),
        x[:1].expand(4, -1),
        x[0].expand_as(x),
        torch.broadcast_to(x[0], (4, 6)),
        x.repeat(2, 1),
        x.repeat(2, 1, 3),
        torch.tile(x, (2, 1)),
        x.repeat_interleave(2, dim=1),
    )


def turns(x, y, z):
    return x.flip(0), torch.flip(z, (1, 2)), x.roll(1, 0), torch.roll(x, shifts=-2, dims=1)


def parts(x, y, z):
    a, b = x.chunk(2, dim=1)
    c, d, e = torch.split(x, 2, dim=1)
    f, g = x.split([1, 3])
    h = x.unbind(0)
    return (
        a,
        b,
        c,
        d,
        e,
        f,
        g,
        h[2],
        x.select(1, 3),
        x.narrow(0, 1, 2),
        torch.stack([a, b], dim=1),
        torch.cat([a, b], dim=-1),
        torch.concat((c, e)),
        torch.concatenate((c, d), dim=1),
        torch.cat([r * 2 for r in x], dim=-1),
    )


def paddings(x, y, z):
    return F.pad(x, (1, 2)), F.pad(x, (0, 0, 3, 0)), F.pad(z, (1, 0, 0, 1), value=2.0)


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


def places(x, y, z):
    return (
        x[0],
        x[-1],
        x[:, 1:3],
        x[1:, -2],
        z[..., 0],
        z[:, None, 1],
        z[1, :, 2:],
        x[::2],
        x[:-1] * x[1:],
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
