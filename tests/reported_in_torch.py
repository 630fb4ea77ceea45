"""What public reports on PyTorch programs are about, as small programs: mistaken, mended, and what is meant."""

import torch
import torch.nn.functional as F

# fla 850, 851: the normaliser summed along the wrong axis.


def normaliser_summed(q, k, v):
    return torch.tril(q @ k.T) @ v / (q * k.cumsum(0)).sum(-1, keepdim=True)


def normaliser_of_scores(q, k, v):
    scores = torch.tril(q @ k.T)
    return (scores / scores.sum(-1, keepdim=True)) @ v


# transformers 37533: B of groups tiled, where each group's is repeated for its heads.


def groups_repeated(B, x):
    B = B.repeat_interleave(x.shape[1] // B.shape[1], dim=1)
    return B[..., None] * x[:, :, None]


def groups_apart(B, x):
    T, g = B.shape[:2]
    return (B[:, :, None, :, None] * x.view(T, g, -1, 1, x.shape[-1])).flatten(1, 2)


# transformers 35943, llama.cpp 15507, mamba 910: a gated norm over all channels, not over those of a group.


def gated_norm(x, z, w):
    h = x * F.silu(z)
    scale = h.unflatten(-1, w.shape).pow(2).mean(-1, keepdim=True)
    return (h.unflatten(-1, w.shape) * torch.rsqrt(scale + 1e-5) * w).flatten(-2)


def gated_norm_mistaken(x, z, w):
    h = x * F.silu(z)
    return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-5) * w.flatten()


def gated_norm_by_groups(x, z, w):
    g, d = w.shape
    h = x * z * torch.sigmoid(z)
    rows = []
    for i in range(g):
        part = h[:, i * d : (i + 1) * d]
        rows.append(part / torch.sqrt((part * part).sum(-1, keepdim=True) / d + 1e-5) * w[i])
    return torch.stack(rows, 1).flatten(1)


# Automodel 2147, slime 1686: of two documents in a row the second sees the first.


def packed(q, k, v, q2, k2, v2):
    same = torch.block_diag(torch.ones(len(q), len(q)), torch.ones(len(q2), len(q2)))
    scores = torch.tril(torch.cat([q, q2]) @ torch.cat([k, k2]).T) * same
    return scores @ torch.cat([v, v2])


def packed_mistaken(q, k, v, q2, k2, v2):
    return torch.tril(torch.cat([q, q2]) @ torch.cat([k, k2]).T) @ torch.cat([v, v2])


def each_document(q, k, v, q2, k2, v2):
    return torch.cat([torch.tril(q @ k.T) @ v, torch.tril(q2 @ k2.T) @ v2])


# vllm 23279: the decay counted from the wrong origin.


def state_decayed(k, v, decay):
    age = len(k) - 1 - torch.arange(len(k))
    return (k * (decay**age)[:, None]).T @ v


def state_by_steps(k, v, decay):
    S = torch.zeros(k.shape[1], v.shape[1])
    for t in range(len(k)):
        S = decay * S + torch.outer(k[t], v[t])
    return S


# transformers 46741, TileOPs 1557, mamba 641: the state is lost at the second part of a prefill.


def delta(S, k, v, beta):
    for t in range(len(k)):
        S = S + beta[t] * torch.outer(k[t], v[t] - k[t] @ S)
    return S


def prefilled_in_parts(k, v, beta, k2, v2, beta2):
    S = delta(torch.zeros(k.shape[1], v.shape[1]), k, v, beta)
    return delta(S, k2, v2, beta2)


def prefilled_in_parts_mistaken(k, v, beta, k2, v2, beta2):
    return delta(torch.zeros(k.shape[1], v.shape[1]), k2, v2, beta2)


def prefilled_at_once(k, v, beta, k2, v2, beta2):
    S = torch.zeros(k.shape[1], v.shape[1])
    return delta(S, torch.cat([k, k2]), torch.cat([v, v2]), torch.cat([beta, beta2]))


# mamba 1027: the convolution's state after a prefill that is shorter than the kernel.


def convolution_stepped(x, new, w):
    state = torch.cat([torch.zeros(3, x.shape[1]), x])[len(x) :]
    return (torch.cat([state, new[None]]) * w.T).sum(0)


def convolution_at_once(x, new, w):
    every = F.pad(torch.cat([x, new[None]]).T, (3, 0))
    return F.conv1d(every, w[:, None], groups=w.shape[0])[:, -1]


# titans-pytorch 6: the state is counted twice.


def retrieved(S, q, k, v):
    return q @ S + torch.tril(q @ k.T) @ v


def retrieved_by_steps(S, q, k, v):
    rows = []
    for t in range(len(q)):
        S = S + torch.outer(k[t], v[t])
        rows.append(q[t] @ S)
    return torch.stack(rows)


# fla 546, vllm 56196: an input that is no whole number of chunks.


def chunks_padded(q, k, v):
    T = len(q)
    q, k, v = (F.pad(x, (0, 0, 0, -T % 4)).unflatten(0, (-1, 4)) for x in (q, k, v))
    S = (k.mT @ v).cumsum(0) - k.mT @ v
    return (q @ S + torch.tril(q @ k.mT) @ v).flatten(0, 1)[:T]


def masked(q, k, v):
    return torch.tril(q @ k.T) @ v


# fla 1013: the clamp before the minus sign.


def gate_clamped(x, A):
    return torch.clamp(-A.exp() * F.softplus(x), min=-5)


def gate_from_below(x, A):
    g = -A.exp() * torch.log(1 + torch.exp(x))
    return torch.where(g < -5, -5.0, g)


# VMamba 98, mamba-minimal 2: the input matrix of the zero-order hold.


def held(x, dt, a, b):
    h = torch.zeros_like(x[0])
    for t in range(len(x)):
        h = torch.exp(dt[t] * a) * h + torch.expm1(dt[t] * a) / a * b * x[t]
    return h


def held_at_once(x, dt, a, b):
    after = (dt.sum(0) - dt.cumsum(0)) * a
    return (after.exp() * (1 - torch.exp(dt * a)) * b * x).sum(0) / -a


# shainet 170: decays left out of what a chunk's keys and values become.


def gated_chunk(S, k, v, beta, decay):
    through = decay.cumprod(0)
    ratio = torch.tril(through[:, None] / through[None, :])
    A = torch.tril(beta[:, None] * (k @ k.T) * ratio, -1)
    right = beta[:, None] * (v - through[:, None] * (k @ S))
    u = torch.linalg.solve_triangular(A + torch.eye(len(k)), right, upper=False)
    return through[-1] * S + (k * (through[-1] / through)[:, None]).T @ u


def gated_chunk_mistaken(S, k, v, beta, decay):
    through = decay.cumprod(0)
    A = torch.tril(beta[:, None] * (k @ k.T), -1)
    right = beta[:, None] * (v - k @ S)
    u = torch.linalg.solve_triangular(A + torch.eye(len(k)), right, upper=False)
    return through[-1] * S + (k * (through[-1] / through)[:, None]).T @ u


def gated_by_steps(S, k, v, beta, decay):
    for t in range(len(k)):
        S = decay[t] * S
        S = S + beta[t] * torch.outer(k[t], v[t] - k[t] @ S)
    return S


# fla 595: products of reflections in the wrong order.


def reflected(S, k, beta):
    for t in range(len(k)):
        S = S - beta[t] * torch.outer(S @ k[t], k[t])
    return S


def reflected_by_products(S, k, beta):
    eye = torch.eye(k.shape[1])
    for t in range(len(k)):
        S = S @ (eye - beta[t] * k[t][:, None] * k[t][None, :])
    return S


# torchscale 47, 40, 77: the normalisation of retention.


def retention_normalised(q, k, v, decay):
    i = torch.arange(len(q))
    mask = torch.tril(decay ** (i[:, None] - i[None, :]).clamp(min=0))
    return (q @ k.T * mask / mask.sum(-1, keepdim=True).sqrt()) @ v


def retention_by_steps(q, k, v, decay):
    S, total, rows = torch.zeros(k.shape[1], v.shape[1]), torch.zeros(()), []
    for t in range(len(q)):
        S, total = decay * S + torch.outer(k[t], v[t]), decay * total + 1
        rows.append(q[t] @ S / total.sqrt())
    return torch.stack(rows)


# RWKV-LM 64: the decay of the n-th token has the power n − 1.


def weighted(k, v, w):
    age = (len(k) - 2 - torch.arange(len(k) - 1))[:, None]
    weights = torch.exp(k[:-1] - age * w)
    last = torch.exp(k[-1])
    return ((weights * v[:-1]).sum(0) + last * v[-1]) / (weights.sum(0) + last)


def weighted_by_steps(k, v, w):
    a, b = torch.zeros_like(w), torch.zeros_like(w)
    for t in range(len(k) - 1):
        a, b = torch.exp(-w) * a + torch.exp(k[t]) * v[t], torch.exp(-w) * b + torch.exp(k[t])
    return (a + torch.exp(k[-1]) * v[-1]) / (b + torch.exp(k[-1]))


# modular 5748, mamba 845: the bias of the step size is added twice.


def stepped(dt, bias):
    return F.softplus(dt + bias)


def scanned(x, dt, bias, a, b, c):
    d = stepped(dt, bias)
    h, rows = torch.zeros(x.shape[1], a.shape[1]), []
    for t in range(len(x)):
        h = torch.exp(d[t][:, None] * a) * h + (d[t] * x[t])[:, None] * b[t]
        rows.append(h @ c[t])
    return torch.stack(rows)


def scanned_mistaken(x, dt, bias, a, b, c):
    return scanned(x, dt + bias, bias, a, b, c)


def scanned_at_once(x, dt, bias, a, b, c):
    d = torch.log(1 + torch.exp(dt + bias))
    upto = d.cumsum(0)
    early = torch.tril(torch.ones(len(x), len(x)))[:, :, None, None]
    decay = torch.exp((upto[:, None] - upto[None, :])[..., None] * a)
    return torch.einsum("tsdn,sd,sn,tn->td", early * decay, d * x, b, c)


# transformers 46190: zeros behind the tokens change the state, it was said; they do not.


def padded_to_chunks(k, v):
    k, v = (F.pad(x, (0, 0, 0, (64 - len(x) % 64) % 64)) for x in (k, v))
    return k.T @ v


def unpadded(k, v):
    return k.T @ v


# fla 6, 155: backward passes that were written by hand.


def slope_by_hand(q, k, v, do):
    return torch.tril(q @ k.T).T @ do


def slope_by_torch(q, k, v, do):
    return torch.func.vjp(lambda v: torch.tril(q @ k.T) @ v, v)[1](do)[0]


# The same as a torch.autograd.Function.


class Masked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        ctx.save_for_backward(q, k, v)
        return torch.tril(q @ k.T) @ v

    @staticmethod
    def backward(ctx, do):
        q, k, v = ctx.saved_tensors
        scores = torch.tril(do @ v.T)
        return scores @ k, scores.T @ q, torch.tril(q @ k.T).T @ do


class MaskedMistaken(Masked):
    @staticmethod
    def backward(ctx, do):
        q, k, v = ctx.saved_tensors
        scores = torch.tril(do @ v.T)
        return scores @ k, scores @ q, torch.tril(q @ k.T).T @ do


def _slopes(function, q, k, v, do):
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    return torch.autograd.grad(function(*leaves), leaves, do)


def backward(q, k, v, do):
    return _slopes(Masked.apply, q, k, v, do)


def backward_by_torch(q, k, v, do):
    return _slopes(lambda q, k, v: torch.tril(q @ k.T) @ v, q, k, v, do)


# sglang 31833: the index of the snapshot of a state.


def snapshot(k, v):
    k, v = k.unflatten(0, (-1, 4)), v.unflatten(0, (-1, 4))
    S = (k.mT @ v).cumsum(0)
    return torch.cat([torch.zeros_like(S[:1]), S])[:-1]


def snapshot_mistaken(k, v):
    k, v = k.unflatten(0, (-1, 4)), v.unflatten(0, (-1, 4))
    return (k.mT @ v).cumsum(0)


def snapshot_by_steps(k, v):
    S, kept = torch.zeros(k.shape[1], v.shape[1]), []
    for i in range(len(k) // 4):
        kept.append(S)
        S = S + k[4 * i : 4 * i + 4].T @ v[4 * i : 4 * i + 4]
    return torch.stack(kept)


# PyxLSTM 15, 27: the stabiliser of the exponential gates.


def stabilised(i, f, v):
    m, c, n = torch.zeros(()), torch.zeros(()), torch.zeros(())
    for t in range(len(i)):
        new = torch.maximum(f[t] + m, i[t])
        keep, add = torch.exp(f[t] + m - new), torch.exp(i[t] - new)
        c, n, m = keep * c + add * v[t], keep * n + add, new
    return c / n


def unstabilised(i, f, v):
    c, n = torch.zeros(()), torch.zeros(())
    for t in range(len(i)):
        c = torch.exp(f[t]) * c + torch.exp(i[t]) * v[t]
        n = torch.exp(f[t]) * n + torch.exp(i[t])
    return c / n


# fla 130, 47: the scale.


def scaled(q, k, v):
    return torch.tril(q * q.shape[-1] ** -0.5 @ k.T) @ v


def scaled_mistaken(q, k, v):
    q = q * q.shape[-1] ** -0.5
    return torch.tril(q @ k.T) * q.shape[-1] ** -0.5 @ v


def scaled_by_steps(q, k, v):
    S, rows = torch.zeros(k.shape[1], v.shape[1]), []
    for t in range(len(q)):
        S = S + torch.outer(k[t], v[t])
        rows.append(q[t] @ S / q.shape[1] ** 0.5)
    return torch.stack(rows)


# ferrox 316, llama.cpp 18683: a joined projection taken apart in the wrong layout.


def parts_of_projection(x):
    q, k, v = x.chunk(3, -1)
    return torch.tril(q @ k.T) @ v


def parts_by_slices(x):
    d = x.shape[1] // 3
    return torch.tril(x[:, :d] @ x[:, d : 2 * d].T) @ x[:, 2 * d :]


# transformers 47625: ε inside or outside of the root.


def normed(x):
    return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)


def normed_by_root(x):
    return x / torch.sqrt(x.pow(2).sum(-1, keepdim=True) + 1e-6)


# s4 120: conjugates.


def of_conjugates(re, im, c_re, c_im, x):
    a, c = torch.complex(re, im), torch.complex(c_re, c_im)
    h = torch.zeros_like(a)
    for t in range(len(x)):
        h = a * h + x[t]
    return 2 * (c * h).sum().real


def both_conjugates(re, im, c_re, c_im, x):
    p, q = torch.zeros_like(re), torch.zeros_like(re)
    for t in range(len(x)):
        p, q = re * p - im * q + x[t], re * q + im * p
    return (2 * c_re * p - 2 * c_im * q).sum()


# RetNet 28: "the rotation cancels"; it leaves the one by the distance.


def rotated(q, k, v, angle):
    turn = torch.arange(len(q))[:, None] * angle
    q, k = (
        torch.cat([x[:, :1] * turn.cos() - x[:, 1:] * turn.sin(),
                   x[:, :1] * turn.sin() + x[:, 1:] * turn.cos()], 1)
        for x in (q, k)
    )  # fmt: skip
    return torch.tril(q @ k.T) @ v


def rotated_mistaken(q, k, v, angle):
    return torch.tril(q @ k.T) @ v


def rotated_by_distance(q, k, v, angle):
    i = torch.arange(len(q))
    turn = (i[:, None] - i[None, :]) * angle
    same = q @ k.T * turn.cos()
    across = (q[:, :1] * k[:, 1:].T - q[:, 1:] * k[:, :1].T) * turn.sin()
    return torch.tril(same + across) @ v


# tokenspeed 847: the gate of Kimi's delta attention.


def gate(g, A, bias):
    return -A.exp()[:, None] * F.softplus(g + bias)


def gate_by_logarithm(g, A, bias):
    return A.exp()[:, None] * F.logsigmoid(-g - bias)


# fla 906: a mask that is wrong from 65,537 tokens on.


def late_mask(x):
    return x * (torch.arange(len(x)) < len(x))[:, None].float()


def unmasked(x):
    return 1.0 * x


# mamba 783: padding behind changes nothing of what comes before.


def padded_behind(q, k, v, pad):
    q, k, v = (torch.cat([x, pad[:, None] * torch.ones(x.shape[1])]) for x in (q, k, v))
    return (torch.tril(q @ k.T) @ v)[: len(q) - len(pad)]


def before_padding(q, k, v, pad):
    return torch.tril(q @ k.T) @ v
