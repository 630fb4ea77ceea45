"""Functions as people write them for PyTorch: loops, views, derivatives, transformations, questions about sizes."""

import functools
import math

import einops
import torch
import torch.nn.functional as F

TOKENS = "q: T d, k: T d, v: T e"
DELTA = f"{TOKENS}, beta: T"
CHUNKS = "q: 4*n d, k: 4*n d, v: 4*n e"


def attention(q, k, v):
    scores = torch.einsum("bhtd,bhsd->bhts", q, k) * k.size(-1) ** -0.5
    late = torch.triu(torch.full((q.shape[2], q.shape[2]), float("-inf")), 1)
    return torch.einsum("bhts,bhse->bhte", (scores + late).softmax(-1), v)


def fused_attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def convolved(x, w):
    return F.conv1d(F.pad(x, (3, 0)), w, groups=x.shape[1])


def normed(x):
    return F.layer_norm(x, (x.shape[-1],)) + x.view(-1, 4, x.shape[1]).mean(1).repeat_interleave(
        4, 0
    )


def rotary(x):
    d = x.shape[-1]
    angle = torch.arange(x.shape[0])[:, None] * (1.0 / 10000 ** (torch.arange(0, d, 2) / d))
    a, b = x[:, 0::2], x[:, 1::2]
    return torch.stack(
        [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1
    ).flatten(-2)


@functools.lru_cache
def powers(length):
    return 0.5 ** torch.arange(length)


def cached(x):
    """Symbols are no keys of a cache, and what it keeps is no trace's."""
    return powers(x.shape[0])[:, None] * x


def masked_extremes(x):
    """The greatest of what came before, and how far each is from it."""
    later = torch.ones(len(x), len(x)).triu(1).bool()
    scores = (x @ x.T).masked_fill(later, -torch.inf)
    return scores.amax(-1), (scores - scores.max(-1, keepdim=True).values).exp()


def halves(x):
    """Whole numbers beside quotients of sizes."""
    half, most = int(x.shape[1] / 2), math.ceil(x.shape[0] / 1)
    quarter = (
        x.new_ones(math.floor(x.shape[1] / 4)).sum() + x.new_ones(math.trunc(x.shape[1] / 4)).sum()
    )
    return x[:most, :half] * float(x.shape[0]) - x[..., round(0.5 * x.shape[1]) :] / quarter


def products(x, y):
    """Kronecker's products, distances in another norm, and the greatest row."""
    far = torch.cdist(x, x, p=math.inf) + torch.linalg.vector_norm(x, 3, -1)
    pooled = F.avg_pool1d(x[None], x.shape[1]) + F.max_pool1d(x[None], (x.shape[1],))
    return torch.kron(x, y), torch.kron(y, x[0]), far, pooled, torch.fft.fft2(y).abs()


def extremes(x):
    return x.amax(1) + torch.cummax(x, 1).values.sum(1) + x.clamp(-1, 1).prod(1) + x.logsumexp(1)


def delta(q, k, v, beta):
    S, rows = torch.zeros(v.shape[1], k.shape[1]), []
    for t in range(q.shape[0]):
        S = S + beta[t] * torch.outer(v[t] - S @ k[t], k[t])
        rows.append(S @ q[t])
    return torch.stack(rows)


def slope_of_delta(q, k, v, beta):
    return torch.func.grad(lambda k: (delta(q, k, v, beta) ** 2).sum())(k)


def slope_by_autograd(q, k, v, beta):
    k = k.detach().requires_grad_()
    return torch.autograd.grad((delta(q, k, v, beta) ** 2).sum(), k)[0]


def online_softmax(q, k, v):
    m, total = torch.full((q.shape[0],), float("-inf")), torch.zeros(q.shape[0])
    o = torch.zeros(q.shape[0], v.shape[1])
    for j in range(k.shape[0]):
        s = q @ k[j]
        new = torch.maximum(m, s)
        a, p = torch.exp(m - new), torch.exp(s - new)
        total, o, m = total * a + p, o * a[:, None] + p[:, None] * v[j], new
    return o / total[:, None]


def chunked(q, k, v):
    q, k, v = [einops.rearrange(x, "(n c) d -> n c d", c=4) for x in (q, k, v)]
    S, o = torch.zeros(k.shape[-1], v.shape[-1]), torch.empty_like(v)
    for i in range(len(q)):
        o[i] = torch.tril(q[i] @ k[i].T) @ v[i] + q[i] @ S
        S = S + k[i].T @ v[i]
    return einops.rearrange(o, "n c d -> (n c) d")


def by_slices(q, k, v):
    C = 4
    S, o = torch.zeros(k.shape[-1], v.shape[-1]), torch.zeros_like(v)
    for i in range(0, q.shape[0], C):
        late = torch.tril(q[i : i + C] @ k[i : i + C].T)
        o[i : i + C] = late @ v[i : i + C] + q[i : i + C] @ S
        S += k[i : i + C].T @ v[i : i + C]
    return o


def backwards(x):
    s, rows = torch.zeros(x.shape[1]), []
    for t in reversed(range(x.shape[0])):
        s = 0.5 * s + x[t]
        rows.append(s)
    return torch.stack(rows[::-1])


def from_a_number(x, w):
    s = 0
    for i, (a, b) in enumerate(zip(x, w)):
        s = s + a * b / (i + 1)
    return s


def counted(x):
    n, mean = 0, torch.zeros(x.shape[1])
    for row in x:
        n += 1
        mean = mean + (row - mean) / n
    return mean


def growing(x):
    return torch.stack([x[t] * x[: t + 1].sum(0) for t in range(x.shape[0])])


def each_of_a_batch(x):
    o = torch.zeros_like(x)
    for b in range(x.shape[0]):
        s = torch.zeros(x.shape[2])
        for t in range(x.shape[1]):
            s = s * 0.5 + x[b, t]
            o[b, t] = s
    return o


def first_apart(x, ids):
    s, o = torch.zeros(x.shape[1]), torch.zeros_like(x)
    for t in range(x.shape[0]):
        if t > 0:
            s = torch.where(ids[t] == ids[t - 1], s, torch.zeros_like(s))
        s = s + x[t]
        o[t] = s
    return o


class Squared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 3 * g * ctx.saved_tensors[0]


def slope_of_its_own(x):
    x = x.detach().requires_grad_()
    return torch.autograd.grad(Squared.apply(x).sum(), x)[0]


def transformed(x, y):
    slopes = torch.func.vmap(torch.func.grad(lambda z: (z**3).sum()))(x)
    return slopes, torch.func.jvp(lambda z: z.sin() * z, (x,), (y,))


def squeezed(x):
    return x.squeeze()


def of_its_number(x):
    if x.sum() > 0:
        return x
    return 2 * x


def caught(x):
    try:
        if x.sum() > 0:
            return x
    except Exception:
        pass
    return 2 * x


def caught_of_an_operation(x):
    try:
        return x if torch.equal(x, -x) else 3 * x
    except Exception:
        return 2 * x


def caught_in_a_turn(x):
    state = torch.zeros(())
    for t in range(x.shape[0]):
        try:
            state = state + x[t] * float(x[t])
        except Exception:
            state = state + x[t]
    return state * x


def sorted_rows(x):
    return torch.sort(x, 1).values


def drawn(x):
    return x + torch.rand_like(x)


def left_early(x):
    s = torch.zeros(x.shape[1])
    for t in range(x.shape[0]):
        s = s + x[t]
        if t > 5:
            break
    return s


def listed_and_written(x):
    s, rows = torch.zeros(x.shape[1]), []
    for t in range(x.shape[0]):
        s += x[t]
        rows.append(s)
    return torch.stack(rows)


def shared(x):
    a = torch.zeros(x.shape[1])
    b = a[:]
    for t in range(x.shape[0]):
        a += x[t]
        x = x + b
    return a + b


def longer_than_three(x):
    return x if x.shape[0] > 3 else 2 * x


def one_is_another(x):
    return 2 * x if x.shape[0] == 1 else x


def only_single(x):
    return 2 * x if x.dtype == torch.float32 else x


def decayed(x):
    return 0.95 * x


def turned(x, y):
    """Complex numbers: a state that turns, products, quotients, literals, views of both parts."""
    S = torch.zeros(3, dtype=torch.complex128) + 2j
    for t in range(x.shape[0]):
        S = S * torch.exp(1j * y[t]) + torch.polar(x[t], y[t])
    z = torch.complex(x, y)
    both = torch.view_as_complex(torch.stack([y, x], -1))
    return torch.view_as_real(z / both.conj()).flatten(-2).sum() + S.real + (z * both).abs().sum()


COMPUTED = [
    ("attention", "q: B H T d, k: B H T d, v: B H T e"),
    ("fused_attention", "q: B H T d, k: B H T d, v: B H T e"),
    ("normed", "x: 4*n d"),
    ("rotary", "x: T 2*d"),
    ("extremes", "x: T d"),
    ("delta", DELTA),
    ("slope_of_delta", DELTA),
    ("online_softmax", "q: T d, k: S d, v: S e"),
    ("chunked", CHUNKS),
    ("backwards", "x: T d"),
    ("from_a_number", "x: T d, w: T d"),
    ("cached", "x: T d"),
    ("products", "x: T d, y: S e"),
    ("halves", "x: T 4*d"),
    ("masked_extremes", "x: T d"),
    ("counted", "x: T d"),
    ("growing", "x: T d"),
    ("slope_of_its_own", "x: T"),
    ("transformed", "x: T d, y: T d"),
    ("turned", "x: T, y: T"),
]
LONG = [
    ("convolved", "x: B c T, w: c 1 4"),
    ("slope_by_autograd", DELTA),
    ("by_slices", CHUNKS),
    ("each_of_a_batch", "x: B T d"),
    ("first_apart", "x: T d, ids: T"),
]
ROWS = [
    ("masked", TOKENS),
    ("gated", f"{TOKENS}, g: T"),
    ("gated_in_place", f"{TOKENS}, g: T"),
    ("forgetting_in_log_space", f"{TOKENS}, f: T"),
    ("forgetting_by_softplus", f"{TOKENS}, f: T"),
    ("momentum_shared", "x: T d, m:, r:"),
    ("solved", "A: C C"),
    ("row_by_row", "A: C C"),
    ("straight_through", "x: T"),
    ("no_grad_block", "x: T"),
    ("relu_gradient", "x: T"),
    ("sum_of_no_axes", "x: T"),
    ("biased_variance", "x: T"),
]
REFUSED = [
    ("squeezed", "x: T d", r"^aten\.squeeze at .*: an axis is taken away where its length is 1"),
    ("of_its_number", "x: T", "a number of an array is asked"),
    ("caught", "x: T", "the program catches "),
    ("caught_of_an_operation", "x: T", "the program catches "),
    ("caught_in_a_turn", "x: T", "the program catches "),
    ("sorted_rows", "x: T d", r"^aten\.sort(\.stable)? at .*: it has no rule"),
    ("rounded_twice", "x: T", "25"),
    ("outgrowing", "x: T", "a power of a whole number that outgrows its format"),
    ("drawn", "x: T", r"^aten\.rand(_like)? at"),
    ("left_early", "x: T d", "a loop over a size that may be left before its end"),
    ("listed_and_written", "x: T d", "s, which is put into a list and written in place"),
    ("shared", "x: T d", "a and b, which share memory that is written in place"),
]


def rounded_twice(x):
    """29 / 25 * 25 is less than 29 in floating point."""
    return x * math.floor(x.shape[0] / 25 * 25)


def outgrowing(x):
    return x * 2 ** torch.arange(x.shape[0])


def asks_for_its_number(x):
    return x * x.shape[0].__index__()
