"""Convolutions by Fourier transforms in PyTorch, and what is not read of transforms."""

import math

import torch

fft = torch.fft
ROWS = "u: T, k: T"
CHANNELS = "u: b h T, k: h T, D: h"
LAYER = "u: T, lam: N, B: N, C: N"


def transformed(u, k, n, norm=None):
    return fft.irfft(fft.rfft(u, n=n, norm=norm) * fft.rfft(k, n=n), n=n, norm=norm)


def twice_as_long(u, k):
    return transformed(u, k, 2 * len(u))[: len(u)]


def as_long(u, k):
    return transformed(u, k, len(u))


def of_complex_numbers(u, k):
    n = 2 * len(u)
    both = fft.fft(u, n=n, norm="forward") * fft.fft(torch.complex(k, 0 * k), n=n)
    return fft.ifft(both, norm="forward").real[: len(u)]


def by_the_root(u, k):
    return transformed(u, k, 2 * len(u), "ortho")[: len(u)]


def correlated(u, k):
    n = 2 * len(u)
    return fft.irfft(fft.rfft(u, n=n) * fft.rfft(k, n=n).conj(), n=n)[: len(u)]


def lags(u):
    i = torch.arange(len(u))
    return i[:, None] - i[None]


def convolution(u, k):
    return torch.where(lags(u) >= 0, k[lags(u).clamp(min=0)], 0.0) @ u


def from_the_end(u, k):
    return torch.where(lags(u) >= 0, k[lags(u)], 0.0) @ u


def correlation(u, k):
    return torch.where(lags(u) <= 0, k[(-lags(u)).clamp(min=0)], 0.0) @ u


def long_convolution(u, k, D):
    """As H3 and Hyena write it: batches, channels, the length of the transform divided out, and a skip."""
    n = 2 * u.size(-1)
    k_f = fft.rfft(k, n=n) / n
    y = fft.irfft(fft.rfft(u.to(dtype=k.dtype), n=n) * k_f, n=n, norm="forward")
    return y[..., : u.size(-1)] + u * D.unsqueeze(-1)


def without_the_division(u, k, D):
    return transformed(u, k, 2 * u.size(-1), "backward")[..., : u.size(-1)] + u * D


def of_channels(u, k, D):
    i = torch.arange(u.shape[-1])
    lag = i[:, None] - i
    rows = torch.where(lag >= 0, k[:, lag.clamp(min=0)], 0.0)
    return torch.einsum("hij,bhj->bhi", rows, u) + u * D[:, None]


def by_einsum(u, k, D):
    n = 2 * u.shape[-1]
    both = torch.einsum("bhl,hl->bhl", fft.rfft(u, n=n), fft.rfft(k, n=n))
    return fft.irfft(both, n=n)[..., : u.shape[-1]] + u * D[:, None]


def sum_before(u, k):
    n = 2 * u.shape[0]
    both = fft.rfft(u, n=n, dim=0) * fft.rfft(k, n=n, dim=0)
    both = 2 * both.sum(1) - both.transpose(0, 1).sum(0)
    return fft.irfft(both, n=n, dim=0)[: u.shape[0]]


def sum_after(u, k):
    return torch.stack([convolution(u[:, j], k[:, j]) for j in range(u.shape[1])], 1).sum(1)


def by_its_kernel(u, lam, B, C):
    """A diagonal state space layer as S4 computes it: the convolution with K_t = Σ_n C_n λ_n^t B_n."""
    kernel = (C * B * lam ** torch.arange(len(u))[:, None]).sum(1)
    return twice_as_long(u, kernel)


def token_by_token(u, lam, B, C):
    state, found = torch.zeros_like(B), []
    for x in u:
        state = lam * state + B * x
        found.append(C @ state)
    return torch.stack(found)


def late(u, lam, B, C):
    state, found = torch.zeros_like(B), []
    for x in u:
        found.append(C @ state)
        state = lam * state + B * x
    return torch.stack(found)


def hit(v):
    """Above 0 where v is near 1.516 alone, which no number that is drawn is."""
    return torch.relu(1e-9 - (v**3 + v - 5) ** 2)


def written_before(u):
    v = u * 1.0
    found = fft.irfft(fft.rfft(v), n=len(u))
    v.mul_(2.0)
    return found


def written_after(u):
    v = u * 1.0
    found = fft.irfft(fft.rfft(v), n=len(u))
    found.sub_(hit(found) * 1e9)
    return v


def its_copy_is_written(u):
    return u - hit(u) * 1e9


def itself(u):
    return u * 1.0


def first_and_last(u, k):
    n = 2 * u.shape[-1]
    both = fft.rfft(u, n=n, dim=0)[:, None][..., :, 0] * fft.rfft(k, n=n)[None][:1].squeeze()
    return fft.irfft(both, n=n)[: u.shape[0]]


def of_real_numbers(u):
    real = fft.rfft(hit(u)).sum(0, dtype=torch.float64) + 0 * fft.rfft(u[0])
    return fft.irfft(real, n=u.shape[1])


def sum_of_hits(u):
    return hit(u).sum(0)


PROVED = [
    (written_before, itself, "u: T"),
    (written_after, itself, "u: T"),
    (first_and_last, convolution, ROWS),
    (twice_as_long, convolution, ROWS),
    (twice_as_long, from_the_end, ROWS),
    (of_complex_numbers, convolution, ROWS),
    (by_the_root, convolution, ROWS),
    (correlated, correlation, ROWS),
    (long_convolution, of_channels, CHANNELS),
    (by_einsum, of_channels, CHANNELS),
    (sum_before, sum_after, "u: T d, k: T d"),
    (by_its_kernel, token_by_token, LAYER),
]
REFUTED = [
    (as_long, convolution, ROWS),
    (correlated, convolution, ROWS),
    (by_its_kernel, late, LAYER),
]
WRITTEN = [(written_after, its_copy_is_written, "u: T"), (of_real_numbers, sum_of_hits, "u: b T")]
WRITTEN_OUT = [
    ("an entry", lambda u: fft.fft(u)[0].real, lambda u: u.sum()),
    (
        "its size",
        lambda u: fft.rfft(u).abs() ** 2,
        lambda u: fft.rfft(u).real ** 2 + fft.rfft(u).imag ** 2,
    ),
    ("its real part", lambda u: fft.fft(u).real, lambda u: cosines(u).cos() @ u),
    (
        "a filter",
        lambda u: (fft.fft(u) * torch.arange(u.shape[0])).real,
        lambda u: torch.arange(u.shape[0]) * (cosines(u).cos() @ u),
    ),
    ("of no transform", lambda u: fft.ifft(torch.complex(u, u)).real[0], lambda u: u.mean()),
    (
        "of several axes",
        lambda u: fft.fft2(torch.stack([u, u])).real,
        lambda u: torch.stack([2 * fft.fft(u).real, 0 * u]),
    ),
    ("what is caught", lambda u: caught(u), lambda u: fft.rfft(u).abs()),
]
"""Programs that need entries of transforms, and others that are the same sums."""
NOT_READ = [
    ("a transform is returned", lambda u: fft.fft(u), "view_as_real of a Fourier transform"),
    (
        "of another length",
        lambda u: fft.irfft(fft.rfft(u), n=len(u) + 2),
        "a real inverse Fourier transform of other numbers than a transform's",
    ),
    (
        "of another kind",
        lambda u: fft.irfft(fft.fft(u), n=len(u)),
        "a real inverse Fourier transform of other numbers than a transform's",
    ),
]


def cosines(u):
    k = torch.arange(len(u))
    return 2 * math.pi * k[:, None] * k / len(u)


def caught(u):
    try:
        return fft.rfft(u).abs()
    except Exception:
        return u
