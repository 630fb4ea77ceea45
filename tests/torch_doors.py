"""Programs for torch whose arguments, formats, derivatives and memory mean what torch makes of them."""

import torch
import torch.nn.functional as F
from torch.func import grad


def same(x):
    return x


def twice(x):
    return 2 * x


def thrice(x):
    return 3 * x


def ones(x):
    return torch.ones_like(x)


def step(x):
    return torch.where(x > 0, 1.0, torch.zeros_like(x))


def sign(x):
    return torch.where(x > 0, 1.0, torch.where(x < 0, -1.0, torch.zeros_like(x)))


def half_at_zero(x):
    return torch.where(x > 0, 1.0, torch.where(x < 0, 0.0, 0.5))


# Arguments


def sum_of_no_axes(x):
    return x.sum(dim=())


def total(x):
    return x.sum()


def biased_variance(x):
    return x.var(False)


def mean_of_squares(x):
    return ((x - x.mean()) ** 2).mean()


def of_one_more(x):
    return ((x - x.mean()) ** 2).sum() / (x.shape[0] + 1)


def scaled_sum(x):
    return torch.add(x, x, alpha=2)


def spectral(x):
    return torch.linalg.norm(x[:, None] * x[None], 2)


def frobenius(x):
    return torch.linalg.norm(x[:, None] * x[None])


def rounded(x):
    return torch.div(x, 1.0, rounding_mode="floor")


def floor_of_whole(x):
    return torch.tensor(-3) // 2 * x


def floor(x):
    return torch.floor(x)


def minus_twice(x):
    return -2 * x


def mean_of_mask(x):
    return (x > 0).sum() / 2 * 2 - (x > 0).sum() + x


# Formats


def only_single(x):
    return 2 * x if x.dtype == torch.float32 else x


def only_single_is(x):
    return 2 * x if x.dtype is torch.float32 else x


def only_single_caught(x):
    try:
        single = x.dtype in (torch.float16, torch.float32)
    except Exception:
        single = False
    return 2 * x if single else x


def promoted(x):
    return 2 * x if (torch.arange(3) / 2).dtype == torch.float32 else x


def by_its_precision(x):
    return 2 * x if torch.finfo(x.dtype).eps > 1e-10 else x


def cast_delta(q, k, v, beta):
    q, k, v, beta = (x.to(torch.float32) for x in (q, k, v, beta))
    o = torch.zeros_like(v)
    S = torch.zeros(v.shape[1], k.shape[1])
    for t in range(q.shape[0]):
        S = S + beta[t] * torch.outer(v[t] - S @ k[t], k[t])
        o[t] = S @ q[t]
    return o


def cast_delta_transposed(q, k, v, beta):
    q, k, v, beta = (x.to(torch.float32) for x in (q, k, v, beta))
    o = torch.zeros_like(v)
    S = torch.zeros(k.shape[1], v.shape[1])
    for t in range(q.shape[0]):
        S = S + beta[t] * torch.outer(k[t], v[t] - k[t] @ S)
        o[t] = q[t] @ S
    return o


# Derivatives


def straight_through(x):
    return grad(lambda z: (z + (torch.relu(z) - z).detach()).sum())(x)


def no_grad_block(x):
    def loss(z):
        with torch.no_grad():
            weight = z * 1
        return (z * weight).sum()

    return grad(loss)(x)


def no_grad_function(x):
    @torch.no_grad()
    def weight(z):
        return z * 1

    return grad(lambda z: (z * weight(z)).sum())(x)


def recorded_again(x):
    def loss(z):
        with torch.no_grad(), torch.enable_grad():
            weight = z * 1
        return (z * weight).sum()

    return grad(loss)(x)


def by_data(x):
    return grad(lambda z: (z * z.data).sum())(x)


def relu_gradient(x):
    return grad(lambda z: torch.relu(z).sum())(x)


def abs_gradient(x):
    return grad(lambda z: z.abs().sum())(x)


def clamp_gradient(x):
    return grad(lambda z: z.clamp(-1, 1).sum())(x)


def between(x):
    return torch.where((x >= -1) & (x <= 1), 1.0, torch.zeros_like(x))


def strictly_between(x):
    return torch.where((x > -1) & (x < 1), 1.0, torch.zeros_like(x))


def maximum_gradient(x):
    return grad(lambda z: torch.maximum(z, torch.zeros_like(z)).sum())(x)


def gradient_at_the_first(x):
    return grad(lambda z: z.max(0).values)(x)


def one_at_the_first(x):
    return (torch.arange(len(x)) == x.argmax()).to(x.dtype)


def written_unrecorded(x):
    def loss(z):
        y = z.clone()
        with torch.no_grad():
            y.mul_(2)
        return (y * z).sum()

    return grad(loss)(x)


def written_leaf(x):
    return grad(lambda z: z.relu_().sum())(x)


def asks_for_a_gradient(x):
    return 2 * x if x.requires_grad else x


def backward(x):
    y = x.clone().requires_grad_()
    (y * y).sum().backward()
    return y.grad


# Memory, and functions made in loops


def expanded_then_written(x):
    y = x.clone().expand(2, -1)
    y[0] = 1.0
    return y[1]


def backwards(x):
    return x[::-1]


def is_the_same(x):
    y = x.clone()
    return 2 * x if y.contiguous() is y else x


def late(x):
    made = []
    for k in range(3):
        made.append(lambda v: v * k)
    return sum(f(x) for f in made)


def bound_early(x):
    made = []
    for k in range(3):
        made.append(lambda v, k=k: v * k)
    return sum(f(x) for f in made)


def late_in_a_list(x):
    made = [lambda v: v * k for k in range(3)]
    return sum(f(x) for f in made)


def called_at_once_in_a_list(x):
    return sum([grad(lambda w: w * x[t])(x[t]) for t in range(x.shape[0])])


def sees_the_loop(x):
    S = torch.zeros(())

    def add(v):
        return v + S

    for t in range(x.shape[0]):
        S = add(x[t])
    return S


def sees_its_turn(x):
    S = torch.zeros(())
    for t in range(x.shape[0]):

        def add(v):
            return v + S

        S = add(x[t])
    return S


def squared_by_steps(x):
    w = torch.zeros(())
    for t in range(x.shape[0]):
        w = w - F.relu(grad(lambda v: (v - x[t]) ** 2 / 2)(w) * 0) - grad(lambda v: -v * x[t])(w)
    return w
