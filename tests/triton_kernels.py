"""Kernels of Triton with their launches, as people have them, and what they compute by operations of PyTorch."""

import torch
import triton
import triton.language as tl


@triton.jit
def gate_kernel(x, y, o, n, scale, B: tl.constexpr):
    offs = tl.program_id(0) * B + tl.arange(0, B)
    m = offs < n
    a = tl.load(x + offs, mask=m)
    b = tl.load(y + offs, mask=m, other=0.0)
    tl.store(o + offs, a * scale + tl.sigmoid(b), mask=m)


def gate(x, y):
    o = torch.empty_like(x)
    n = x.numel()
    gate_kernel[(triton.cdiv(n, 16),)](x, y, o, n, 0.5, B=16)
    return o


def gate_reference(x, y):
    return 0.5 * x + torch.sigmoid(y)


@triton.jit
def row_sum_kernel(x, o, n, stride, B: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([B], dtype=tl.float32)
    for start in range(0, n, B):
        c = start + tl.arange(0, B)
        total += tl.load(x + row * stride + c, mask=c < n, other=0.0)
    tl.store(o + row, tl.sum(total, axis=0))


def row_sum(x):
    o = x.new_empty(x.shape[0])
    row_sum_kernel[(x.shape[0],)](x, o, x.shape[1], x.stride(0), B=4)
    return o


def row_sum_reference(x):
    return x.sum(1)


@triton.jit
def softmax_kernel(x, o, n, stride, B: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, B)
    m = c < n
    a = tl.load(x + row * stride + c, mask=m, other=-float("inf"))
    e = tl.exp(a - tl.max(a, axis=0))
    tl.store(o + row * stride + c, e / tl.sum(e, axis=0), mask=m)


def softmax(x):
    o = torch.empty_like(x)
    softmax_kernel[(x.shape[0],)](x, o, x.shape[1], x.stride(0), B=8)
    return o


def softmax_reference(x):
    return torch.softmax(x, -1)


@triton.jit
def recurrence_kernel(q, k, v, g, o, h, T, H, K: tl.constexpr, V: tl.constexpr, BV: tl.constexpr):
    i_v, i_nh = tl.program_id(0), tl.program_id(1)
    i_n, i_h = i_nh // H, i_nh % H
    o_k = tl.arange(0, K)
    o_v = i_v * BV + tl.arange(0, BV)
    m_v = o_v < V
    p_q = q + (i_n * T * H + i_h) * K + o_k
    p_k = k + (i_n * T * H + i_h) * K + o_k
    p_v = v + (i_n * T * H + i_h) * V + o_v
    p_o = o + (i_n * T * H + i_h) * V + o_v
    p_g = g + i_n * T * H + i_h
    state = tl.zeros([BV, K], dtype=tl.float32)
    for _ in range(0, T):
        b_q = tl.load(p_q).to(tl.float32)
        b_k = tl.load(p_k).to(tl.float32)
        b_v = tl.load(p_v, mask=m_v, other=0).to(tl.float32)
        state = state * tl.exp(tl.load(p_g).to(tl.float32))
        state += b_k[None, :] * b_v[:, None]
        tl.store(p_o, tl.sum(state * b_q[None, :], axis=1), mask=m_v)
        p_q += H * K
        p_k += H * K
        p_v += H * V
        p_o += H * V
        p_g += H
    p_h = h + i_nh * V * K + o_v[:, None] * K + o_k[None, :]
    tl.store(p_h, state, mask=m_v[:, None])


def recurrence(q, k, v, g):
    B, T, H, K = q.shape
    V = v.shape[-1]
    o, h = torch.empty_like(v), q.new_empty(B, H, V, K)
    grid = (triton.cdiv(V, 4), B * H)
    recurrence_kernel[grid](q, k, v, g, o, h, T, H, K=K, V=V, BV=4)
    return o, h


def recurrence_reference(q, k, v, g):
    B, T, H, K = q.shape
    state, o = q.new_zeros(B, H, v.shape[-1], K), torch.empty_like(v)
    for t in range(T):
        state = state * torch.exp(g[:, t])[..., None, None]
        state = state + k[:, t][..., None, :] * v[:, t][..., :, None]
        o[:, t] = (state * q[:, t][..., None, :]).sum(-1)
    return o, state


@triton.jit
def before_kernel(x, o, n, B: tl.constexpr):
    row, c = tl.program_id(0), tl.arange(0, B)
    a = tl.load(x + row * B + c)
    if row == 0:
        tl.store(o + row * B + c, a)
    if row > 0:
        tl.store(o + row * B + c, a + tl.load(x + (row - 1) * B + c))


def before(x):
    o = torch.empty_like(x)
    before_kernel[(x.shape[0],)](x, o, x.shape[0], B=8)
    return o


def before_reference(x):
    return torch.cat([x[:1], x[1:] + x[:-1]])


@triton.jit
def chunk_kernel(q, k, v, o, T, C: tl.constexpr, K: tl.constexpr, V: tl.constexpr):
    i_n = tl.program_id(0)
    c, d, e = tl.arange(0, C), tl.arange(0, K), tl.arange(0, V)
    state = tl.zeros([K, V], dtype=tl.float32)
    for start in range(0, T, C):
        rows = i_n * T + start + c
        b_q = tl.load(q + rows[:, None] * K + d[None, :])
        b_k = tl.load(k + rows[:, None] * K + d[None, :])
        b_v = tl.load(v + rows[:, None] * V + e[None, :])
        scores = tl.where(c[:, None] >= c[None, :], tl.dot(b_q, tl.trans(b_k)), 0.0)
        b_o = tl.dot(b_q, state) + tl.dot(scores, b_v)
        tl.store(o + rows[:, None] * V + e[None, :], b_o)
        state += tl.dot(tl.trans(b_k), b_v)


def chunk(q, k, v):
    o = torch.empty_like(v)
    N, T, K = q.shape
    chunk_kernel[(N,)](q, k, v, o, T, C=16, K=K, V=v.shape[-1])
    return o


def chunk_reference(q, k, v):
    state, o = q.new_zeros(q.shape[0], q.shape[2], v.shape[2]), torch.empty_like(v)
    for t in range(q.shape[1]):
        state = state + k[:, t][:, :, None] * v[:, t][:, None, :]
        o[:, t] = (state * q[:, t][:, :, None]).sum(1)
    return o
