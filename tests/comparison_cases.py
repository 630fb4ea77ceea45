"""Programs with maxima, comparisons and stabilisers, in two forms each, and near ones that are not equal."""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from equations import equations
from jax import lax, nn

EXPRESSIONS = """
relu_where | x: T | nn.relu(x) = jnp.where(x > 0, x, 0.0)
relu_where_ge | x: T | nn.relu(x) = jnp.where(x >= 0, x, 0.0)
relu_lt | x: T | nn.relu(x) = jnp.where(x < 0, 0.0, x)
relu_where_bad | x: T | nn.relu(x) ≠ jnp.where(x > 0, x, 1.0)
max_sym | x: T, y: T | jnp.maximum(x, y) = jnp.maximum(y, x)
max_min | x: T, y: T | jnp.maximum(x, y) + jnp.minimum(x, y) = x + y
max_abs | x: T, y: T | jnp.maximum(x, y) = (x + y + jnp.abs(x - y)) / 2
max_shift | x: T, y: T, c: T | jnp.maximum(x + c, y + c) = c + jnp.maximum(x, y)
max_scale | x: T, y: T | jnp.maximum(3 * x, 3 * y) = 3 * jnp.maximum(x, y)
abs_product | x: T, y: T | jnp.abs(x * y) = jnp.abs(x) * jnp.abs(y)
max_times_any | x: T, y: T, c: T | jnp.where(c >= 0, jnp.maximum(c * x, c * y), jnp.minimum(c * x, c * y))
    = c * jnp.maximum(x, y)
max_times_any_bad | x: T, y: T, c: T | jnp.maximum(c * x, c * y) ≠ c * jnp.maximum(x, y)
clipped_objective | a: T, r: T, e: T | jnp.maximum(-a * r, -a * jnp.clip(r, 1 - jnp.exp(e), 1 + jnp.exp(e)))
    = jnp.where(a >= 0, -a * jnp.minimum(r, 1 + jnp.exp(e)), -a * jnp.maximum(r, 1 - jnp.exp(e)))
clipped_objective_bad | a: T, r: T | jnp.maximum(-a * r, -a * jnp.clip(r, 0.8, 1.2))
    ≠ -a * jnp.clip(r, 0.8, 1.2)
max_scale_bad | x: T, y: T | jnp.maximum(-3 * x, -3 * y) ≠ -3 * jnp.maximum(x, y)
abs_relu | x: T | jnp.abs(x) = nn.relu(x) + nn.relu(-x)
relu_parts | x: T | nn.relu(x) - nn.relu(-x) = x
abs_sign | x: T | jnp.abs(x) = x * jnp.sign(x)
leaky | x: T | nn.leaky_relu(x, 0.1) = nn.relu(x) - 0.1 * nn.relu(-x)
leaky_bad | x: T | nn.leaky_relu(x, 0.1) ≠ nn.relu(x) + 0.1 * nn.relu(-x)
leaky_max | x: T | nn.leaky_relu(x, 0.1) = jnp.maximum(x, 0.1 * x)
relu_sq | x: T | nn.relu(x) ** 2 = x * nn.relu(x)
relu_idem | x: T | nn.relu(nn.relu(x)) = nn.relu(x)
relu6 | x: T | nn.relu6(x) = jnp.clip(x, 0.0, 6.0)
clip3 | x: T | jnp.clip(x, -1.0, 1.0) = jnp.where(x > 1.0, 1.0, jnp.where(x < -1.0, -1.0, x))
clip3_bad | x: T | jnp.clip(x, -1.0, 1.0) ≠ jnp.where(x > 1.0, 1.0, jnp.where(x < 0.0, -1.0, x))
clip4 | x: T | jnp.clip(x, -1.0, 1.0) = jnp.maximum(jnp.minimum(x, 1.0), -1.0)
elu | x: T | nn.elu(x) = nn.relu(x) + jnp.exp(-nn.relu(-x)) - 1
elu2 | x: T | nn.elu(x) = jnp.where(x > 0, x, jnp.exp(jnp.minimum(x, 0.0)) - 1)
elu1 | x: T | nn.elu(x) + 1 = jnp.where(x > 0, x + 1, jnp.exp(x))
elu_ge | x: T | jnp.where(x >= 0, x, jnp.exp(x) - 1) = nn.elu(x)
elu_ge_bad | x: T | jnp.where(x >= 0, x, jnp.exp(x) - 1) ≠ nn.elu(x) + jnp.where(x == 0, 1.0, 0.0)
softplus_ge | x: T | jnp.exp(jnp.where(x >= 0, 0.0, -nn.softplus(-x))) = jnp.where(x > 0, 1.0, nn.sigmoid(x)
    + jnp.where(x == 0, 0.5, 0.0))
exp_where_equal | x: T, y: T | jnp.where(x == y, jnp.exp(x), 0.0) = jnp.where(x == y, jnp.exp(2 * y - x), 0.0)
exp_where_equal_bad | x: T, y: T | jnp.where(x == y, jnp.exp(x), 1.0) ≠ jnp.where(x == y, jnp.exp(2 * y), 1.0)
elu_bad | x: T | nn.elu(x) ≠ jnp.where(x > 0, x, jnp.exp(x))
l2norm | x: T d | x / jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), 1e-06)
    = x * (1 / jnp.clip(jnp.sqrt(jnp.sum(x * x, -1)), 1e-06)[:, None])
l2norm_bad | x: T d | x / jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), 1e-06)
    ≠ x * (1 / jnp.clip(jnp.sqrt(jnp.sum(x * x, 0)), 1e-06)[None])
squares_above_0 | x: T, y: T | nn.relu(x @ x - 2 * x @ y + y @ y) = jnp.sum((x - y) ** 2)
squares_above_0_bad | x: T, y: T | nn.relu(x @ x - 3 * x @ y + y @ y) ≠ x @ x - 3 * x @ y + y @ y
kept_where_above_0 | x: T d | jnp.where(jnp.linalg.norm(x, axis=1, keepdims=True) > 0, x, 0.0) = x
kept_where_above_0_bad | x: T d | jnp.where(jnp.linalg.norm(x, axis=0) > 0.5, x, 0.0) ≠ x
unit_or_0 | x: T d | x / jnp.where((n := jnp.linalg.norm(x, axis=1)) == 0, 1.0, n)[:, None]
    = jnp.where((s := (x * x).sum(1)[:, None]) > 0, x / jnp.sqrt(jnp.where(s > 0, s, 1.0)), 0.0)
unit_or_0_bad | x: T d | x / jnp.where((n := jnp.linalg.norm(x, axis=1)) == 0, 1.0, n)[:, None]
    ≠ jnp.where((s := (x * x).sum(1)[:, None]) > 0, x / jnp.sqrt(jnp.where(s > 0, s, 1.0)), 1.0)
octaves | x: n d | jnp.sin(jnp.concatenate([(y := (x[:, None] * 2 ** jnp.arange(3)[:, None]).reshape(len(x), -1)),
    y + jnp.pi / 2], 1)) = jnp.concatenate([f(k * x) for f in (jnp.sin, jnp.cos) for k in (1, 2, 4)], 1)
octaves_bad | x: n d | jnp.sin(x + jnp.pi / 2) + jnp.cos(x - jnp.pi) ≠ 2 * jnp.cos(x)
frequencies | x: n | jnp.cos(x[:, None] * 10000.0 ** (-jnp.arange(4) / 3))
    = jnp.cos(x[:, None] * jnp.exp(-math.log(10000) / 3 * jnp.arange(4)))
roots | x: n d | jnp.sqrt(nn.softmax(x, -1)) * jnp.sqrt(8.0 * x.shape[1] + 8.0 * x.shape[1] * (x * x).sum())
    = x.shape[1] ** 0.5 * jnp.exp(nn.log_softmax(x, -1) / 2) * 2 ** 1.5 * jnp.sqrt((x * x).sum() + 1)
roots_bad | x: n d | jnp.sqrt(8.0 * x.shape[1] + 8.0 * x.shape[1] * (x * x).sum())
    ≠ x.shape[1] ** 0.5 * 2 * jnp.sqrt((x * x).sum() + 1)
differences | x: n+2 | jnp.convolve(x, jnp.array([1.0, -1.0]), mode="valid") = x[1:] - x[:-1]
root_of_mean | x: n d | x / jnp.sqrt((x * x).mean(-1, keepdims=True)) = x.shape[1] ** 0.5 * x / jnp.sqrt((x * x).sum(-1,
    keepdims=True))
fourth_roots | x: n d | jnp.exp(x / jnp.sqrt(jnp.sqrt(x.shape[0]))) = jnp.exp(x * x.shape[0] ** -0.25)
squared_softmax | x: n d | nn.softmax(x, -1) ** 2 = jnp.exp(2 * nn.log_softmax(x, -1))
squared_softmax_bad | x: n d | nn.softmax(x, -1) ** 2 ≠ jnp.exp(nn.log_softmax(2 * x, -1))
pairs_once | x: n | jnp.abs(x[:, None] - x).sum() = 2 * jnp.triu(jnp.abs(x[:, None] - x)).sum()
pairs_once_bad | x: n | jnp.abs(x[:, None] - x).sum() ≠ jnp.triu(jnp.abs(x[:, None] - x)).sum()
pairs_weighted | x: b n, w: b n | jnp.einsum("bi,bj,bij->b", w, w, jnp.abs(x[:, :, None] - x[:, None]))
    = 2 * jnp.tril(w[:, :, None] * w[:, None] * jnp.abs(x[:, :, None] - x[:, None])).sum((1, 2))
pairs_weighted_bad | x: b n, w: b n, v: b n | jnp.einsum("bi,bj,bij->b", w, v, jnp.abs(x[:, :, None] - x[:, None]))
    ≠ 2 * jnp.tril(w[:, :, None] * v[:, None] * jnp.abs(x[:, :, None] - x[:, None])).sum((1, 2))
pairs_of_turns | x: n | jnp.cos(x[:, None] - x).sum() = len(x) + 2 * jnp.triu(jnp.cos(x[:, None] - x), 1).sum()
pairs_of_turns_bad | x: n | jnp.sin(x[:, None] - x).sum() + 1 ≠ 1 + 2 * jnp.triu(jnp.sin(x[:, None] - x), 1).sum()
pairs_of_rows | x: n d | jnp.sqrt(((x[:, None] - x) ** 2).sum(-1)).sum()
    = 2 * jnp.triu(jnp.sqrt(((x[:, None] - x) ** 2).sum(-1)), 1).sum()
joined_softmax | x: b n, y: b m | nn.softmax(jnp.concatenate([x, y], 1), 1)[:, : x.shape[1]]
    = jnp.exp(x) / (jnp.exp(x).sum(1, keepdims=True) + jnp.exp(y).sum(1, keepdims=True))
joined_softmax_bad | x: b n, y: b m | nn.softmax(jnp.concatenate([x, y], 1), 1)[:, : x.shape[1]]
    ≠ jnp.exp(x) / (jnp.exp(x).sum(1, keepdims=True) + jnp.exp(y).sum(0, keepdims=True).sum())
joined_tanh | x: n, y: m | jnp.tanh(jnp.concatenate([x, y])).sum() = jnp.tanh(x).sum() + jnp.tanh(y).sum()
padded_sigmoid | x: n | nn.sigmoid(jnp.pad(x, (1, 0))) = jnp.concatenate([jnp.full(1, 0.5), nn.sigmoid(x)])
padded_sigmoid_bad | x: n | nn.sigmoid(jnp.pad(x, (1, 0))) ≠ jnp.concatenate([jnp.full(1, 0.0), nn.sigmoid(x)])
shifted_exp | x: n | jnp.exp(2 * jnp.pad(x, (1, 0))[:-1]).sum() = 1 + jnp.exp(2 * x).sum() - jnp.exp(2 * x[-1])
masked_exp | x: n | jnp.exp(jnp.tril(jnp.ones((len(x), len(x)))) * x).sum(1)
    = jnp.cumsum(jnp.exp(x)) + len(x) - 1 - jnp.arange(len(x))
masked_exp_bad | x: n | jnp.exp(jnp.tril(jnp.ones((len(x), len(x)))) * x).sum(1)
    ≠ jnp.cumsum(jnp.exp(x)) + len(x) - jnp.arange(len(x))
clipped_sums | x: n | jnp.minimum(jnp.pad(jnp.cumsum(x), (1, 0)), 1)
    = jnp.minimum((jnp.arange(len(x)) < jnp.arange(len(x) + 1)[:, None]) @ x, 1)
clipped_sums_bad | x: n | jnp.minimum(jnp.pad(jnp.cumsum(x), (1, 0)), 1)
    ≠ jnp.minimum((jnp.arange(len(x)) <= jnp.arange(len(x) + 1)[:, None]) @ x, 1)
rolled | x: q | jnp.roll(x, -1) = jnp.concatenate([x[1:], x[:1]])
rolled_bad | x: q | jnp.roll(x, -1) ≠ jnp.concatenate([x[-1:], x[:-1]])
root_above | x: n | jnp.where(jnp.linalg.norm(x) > 0.5, x, 0.0) = jnp.where(4 * (x * x).sum() > 1, x, 0.0)
root_above_bad | x: n | jnp.where(jnp.linalg.norm(x) > 0.5, x, 0.0) ≠ jnp.where(2 * (x * x).sum() > 1, x, 0.0)
least_of_negative | x: n | jnp.where(x > 0, x, x - jnp.max(x)) = jnp.where(x > 0, x, x + jnp.min(-x))
exp_of_logs | x: n | jnp.exp(3 * jnp.log(x) - 2 * jnp.log(10.0)) = x**3 / 100
exp_of_logs_bad | x: n | jnp.exp(3 * jnp.log(x) - 2 * jnp.log(10.0)) ≠ x**2 / 100
harmonics | x: n, M: m | jnp.sin(jnp.arange(len(M))[:, None] * x)
    = lax.scan(lambda c, _: ((c[0] * jnp.cos(x) - c[1] * jnp.sin(x), c[1] * jnp.cos(x) + c[0] * jnp.sin(x)), c[1]),
    (0 * x + 1, 0 * x), None, len(M))[1]
harmonics_bad | x: n, M: m | jnp.sin(jnp.arange(len(M))[:, None] * x)
    ≠ lax.scan(lambda c, _: ((c[0] * jnp.cos(x) - c[1] * jnp.sin(x), c[1] * jnp.cos(x) - c[0] * jnp.sin(x)), c[1]),
    (0 * x + 1, 0 * x), None, len(M))[1]
log_of_shares | x: b n, y: b n | jnp.log((jnp.exp(y) * nn.softmax(x, 1)).sum(1))
    = nn.logsumexp(x + y, 1) - nn.logsumexp(x, 1)
masked_later | q: T d, k: T d, v: T e
    | nn.softmax(jnp.where(jnp.arange(len(q)) > jnp.arange(len(q))[:, None], -jnp.inf, q @ k.T), -1) @ v
    = nn.softmax(jnp.where(jnp.arange(len(q)) <= jnp.arange(len(q))[:, None], q @ k.T, -jnp.inf), -1) @ v
masked_later_bad | q: T d, k: T d, v: T e
    | nn.softmax(jnp.where(jnp.arange(len(q)) > jnp.arange(len(q))[:, None] + 1, -jnp.inf, q @ k.T), -1) @ v
    ≠ nn.softmax(jnp.where(jnp.arange(len(q)) <= jnp.arange(len(q))[:, None], q @ k.T, -jnp.inf), -1) @ v
three | x: T | jnp.where(x > 0, 2.0, jnp.where(x == 0, 3.0, 4.0))
    = jnp.where(x == 0, 3.0, jnp.where(x < 0, 4.0, 2.0))
entropy | x: T | jax.scipy.special.entr(nn.softmax(x)).sum() = nn.logsumexp(x) - nn.softmax(x) @ x
entropy_bad | x: T | jax.scipy.special.entr(nn.softmax(x)).sum() ≠ nn.logsumexp(x) - x.sum()
sign_odd | x: T | jnp.sign(-x) = -jnp.sign(x)
relu_grad | x: T | jax.grad(lambda x: nn.relu(x).sum())(x) = jnp.where(x > 0, 1.0, 0.0)
gradmlp | x: T d, w: d | jax.grad(lambda x, w: nn.relu(x @ w).sum(), 1)(x, w) = x.T @ (x @ w > 0).astype(float)
softplus_def | x: T | nn.softplus(x) = jnp.log(1 + jnp.exp(x))
softplus_def_bad | x: T | nn.softplus(x) ≠ jnp.log(1 + jnp.exp(-x))
softplus_odd | x: T | nn.softplus(x) - nn.softplus(-x) = x
logaddexp_def | x: T, y: T | jnp.logaddexp(x, y) = jnp.log(jnp.exp(x) + jnp.exp(y))
logaddexp_sym | x: T, y: T | jnp.logaddexp(x, y) = jnp.logaddexp(y, x)
logsig_def | x: T | nn.log_sigmoid(x) = jnp.log(nn.sigmoid(x))
log_sigmoid | x: T | nn.log_sigmoid(x) = -nn.softplus(-x)
log_sigmoid_bad | x: T | nn.log_sigmoid(x) ≠ -nn.softplus(x)
explogsig | x: T | jnp.exp(nn.log_sigmoid(x)) = nn.sigmoid(x)
sig_neg | x: T | nn.sigmoid(-x) = 1 - nn.sigmoid(x)
tanh_sig | x: T | jnp.tanh(x) = 2 * nn.sigmoid(2 * x) - 1
gelu_tanh | x: T | nn.gelu(x) = x * nn.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3))
gelu_erf | x: T | nn.gelu(x, approximate=False) = x / 2 * (1 + lax.erf(x / jnp.sqrt(2.0)))
silu | x: T | nn.silu(x) = x / (1 + jnp.exp(-x))
hard | x: T | nn.hard_swish(x) = x * jnp.clip(x + 3, 0, 6) / 6
odd | x: T | jnp.sin(-x) * jnp.cos(-x) + jnp.tanh(-x) + jnp.arctan(-x)
    = -jnp.sin(x) * jnp.cos(x) - jnp.tanh(x) - jnp.arctan(x)
whitened | x: T, m: T | x / jnp.sqrt((((x - x @ m / m.sum()) ** 2) @ m) / m.sum() + 1)
    = x * lax.rsqrt((x * x) @ m / m.sum() - (x @ m / m.sum()) ** 2 + 1)
whitened_bad | x: T, m: T | x / jnp.sqrt((((x - x @ m / m.sum()) ** 2) @ m) / m.sum() + 1)
    ≠ x * lax.rsqrt((x * x) @ m / m.sum() - x @ m / m.sum() + 1)
log_shifted | x: T, m: T | jnp.log((x @ m + m.sum()) / m.sum()) = jnp.log(x @ m / m.sum() + 1)
half_angles | x: T | jnp.sin(2 * x) + jnp.cos(x) = 2 * jnp.sin(x) * jnp.cos(x) + 1 - 2 * jnp.sin(x / 2) ** 2
half_angles_bad | x: T | jnp.sin(2 * x) + jnp.cos(x) ≠ 2 * jnp.sin(x) * jnp.cos(x) + 1 - jnp.sin(x / 2) ** 2
lse | x: T d | nn.logsumexp(x, -1) = jnp.log(jnp.exp(x).sum(-1))
lse_bad | x: T d | nn.logsumexp(x, -1) ≠ jnp.log(jnp.exp(x).mean(-1))
explse | x: T d | jnp.exp(nn.logsumexp(x, -1)) = jnp.exp(x).sum(-1)
softmax_lse | x: T d | jnp.exp(x - nn.logsumexp(x, -1, keepdims=True)) = nn.softmax(x)
logsoftmax | x: T d | nn.log_softmax(x) = x - nn.logsumexp(x, -1, keepdims=True)
explogsoftmax | x: T d | jnp.exp(nn.log_softmax(x)) = nn.softmax(x)
cumlse | x: T | lax.cumlogsumexp(x) = jnp.log(jnp.cumsum(jnp.exp(x)))
nanguard | x: T | jnp.where(jnp.isnan(x), 0.0, x) = jnp.nan_to_num(x)
"""
"""Name, shapes, and two functions of the arrays, which are equal or not."""


CASES: list[tuple[str, Callable[[], Any], str, bool]] = [
    (name, lambda one=one: (one.left, one.right), one.shapes, one.holds)
    for name, one in equations(globals(), EXPRESSIONS).items()
]
"""Name, what makes the two functions, shapes, and whether they are equal."""


def case(shapes: str, equal: bool = True) -> Callable[[Any], Any]:
    def note(pair: Any) -> Any:
        CASES.append((pair.__name__, pair, shapes, equal))
        return pair

    return note


def division_where_it_is_defined(otherwise):
    def f(x, d):
        return jnp.where(d == 0, 0.0, x / jnp.where(d == 0, 1.0, d))

    def g(x, d):
        s = jnp.where(d != 0, d, 1.0)
        return jnp.where(d != 0, x / s, otherwise)

    return f, g


@case("x: T, d: T")
def safe_div():
    return division_where_it_is_defined(0.0)


@case("x: T, d: T", False)
def safe_div_bad():
    return division_where_it_is_defined(1.0)


def squares_of_norms(added):
    """What comes of the square of a root, where what it is taken of is seen to be ≥ 0."""

    def f(X):
        norms = jnp.sqrt(jnp.mean(X * X, 1) + 1e-6) ** 2 + jnp.linalg.norm(X, axis=1) ** 2
        return norms + X.std(1) ** 2

    def g(X):
        return jnp.mean(X * X, 1) + jnp.sum(X * X, 1) + X.var(1) + added

    return f, g


@case("X: T d")
def squared_norms():
    return squares_of_norms(1e-6)


@case("X: T d", False)
def squared_norms_bad():
    return squares_of_norms(1e-2)


def relu_networks(turned):
    def f(X, W, U):
        def step(h, x):
            return nn.relu(U @ h + W @ x), None

        return lax.scan(step, jnp.zeros(U.shape[0]), X)[0]

    def g(X, W, U):
        def step(h, x):
            return jnp.maximum(0.0, x @ W.T + h @ (U.T if turned else U)), None

        return lax.scan(step, jnp.zeros(U.shape[0]), X)[0]

    return f, g


@case("X: T f, W: d f, U: d d")
def relu_rnn():
    return relu_networks(True)


@case("X: T f, W: d f, U: d d", False)
def relu_rnn_bad():
    return relu_networks(False)


@case("X: T f, W: d f, V: e d")
def mlp_scan():
    def f(X, W, V):
        def step(h, x):
            return h + V @ nn.relu(W @ x), None

        return lax.scan(step, jnp.zeros(V.shape[0]), X)[0]

    def g(X, W, V):
        return V @ nn.relu(X @ W.T).sum(0)

    return f, g


@case("g: T d, x: T d")
def softplus_gate():
    def f(g, x):
        def step(h, t):
            return h * (1 / (1 + nn.softplus(t[0]))) + t[1], None

        return lax.scan(step, jnp.zeros(x.shape[1]), (g, x))[0]

    def h(g, x):
        def step(h, t):
            return h / (1 + jnp.logaddexp(0.0, t[0])) + t[1], None

        return lax.scan(step, jnp.zeros(x.shape[1]), (g, x))[0]

    return f, h


@case("x: T")
def cummax():
    def f(x):
        return lax.cummax(x)

    def g(x):
        def step(m, x):
            m = jnp.maximum(m, x)
            return m, m

        return lax.scan(step, x[0], x)[1]

    return f, g


def online_softmax(first: float, scaled: bool = True) -> tuple[Any, Any]:
    """One query's attention with a running maximum that begins with a number, and all at once."""

    def f(q, K, V):
        def step(c, t):
            m, l, o = c
            k, v = t
            s = q @ k
            mn = jnp.maximum(m, s)
            a = jnp.exp(m - mn)
            p = jnp.exp(s - mn)
            return (mn, l * a + p, (o * a if scaled else o) + p * v), None

        start = jnp.array(first), jnp.array(0.0), jnp.zeros(V.shape[1])
        _m, l, o = lax.scan(step, start, (K, V))[0]
        return o / l

    def g(q, K, V):
        return nn.softmax(K @ q) @ V

    return f, g


@case("q: d, K: T d, V: T e")
def online():
    return online_softmax(-jnp.inf)


@case("q: d, K: T d, V: T e")
def online0():
    return online_softmax(0.0)


@case("q: d, K: T d, V: T e", False)
def online_bad():
    return online_softmax(-jnp.inf, scaled=False)


@case("Q: S d, K: T d, V: T e")
def online_rows():
    def f(Q, K, V):
        def step(c, t):
            m, l, o = c
            k, v = t
            s = Q @ k
            mn = jnp.maximum(m, s)
            a = jnp.exp(m - mn)
            p = jnp.exp(s - mn)
            return (mn, l * a + p, o * a[:, None] + p[:, None] * v), None

        S = Q.shape[0]
        _m, l, o = lax.scan(
            step, (jnp.full((S,), -jnp.inf), jnp.zeros(S), jnp.zeros((S, V.shape[1]))), (K, V)
        )[0]
        return o / l[:, None]

    def g(Q, K, V):
        return nn.softmax(Q @ K.T) @ V

    return f, g


@case("q: d, K: 4*n d, V: 4*n e")
def flash():
    def f(q, K, V):
        n = K.shape[0] // 4

        def step(c, t):
            m, l, o = c
            k, v = t
            s = k @ q
            mn = jnp.maximum(m, s.max())
            a = jnp.exp(m - mn)
            p = jnp.exp(s - mn)
            return (mn, l * a + p.sum(), o * a + p @ v), None

        _m, l, o = lax.scan(
            step,
            (jnp.array(-jnp.inf), jnp.array(0.0), jnp.zeros(V.shape[1])),
            (K.reshape(n, 4, -1), V.reshape(n, 4, -1)),
        )[0]
        return o / l

    def g(q, K, V):
        return nn.softmax(K @ q) @ V

    return f, g


def mlstm_forms(stabilised: Any, plain: Any) -> tuple[Any, Any]:
    """An mLSTM with a running maximum of its gates' logarithms, and without; how each divides by n q is given."""

    def a(q, k, v, i, f):
        def step(c, t):
            C, n, m = c
            q, k, v, i, f = t
            lf = nn.log_sigmoid(f)
            mn = jnp.maximum(lf + m, i)
            fp = jnp.exp(lf + m - mn)
            ip = jnp.exp(i - mn)
            C = fp * C + ip * jnp.outer(v, k)
            n = fp * n + ip * k
            return (C, n, mn), C @ q / stabilised(n @ q, mn)

        d, e = k.shape[1], v.shape[1]
        return lax.scan(step, (jnp.zeros((e, d)), jnp.zeros(d), jnp.array(0.0)), (q, k, v, i, f))[1]

    def b(q, k, v, i, f):
        def step(c, t):
            C, n = c
            q, k, v, i, f = t
            fp = nn.sigmoid(f)
            ip = jnp.exp(i)
            C = fp * C + ip * jnp.outer(v, k)
            n = fp * n + ip * k
            return (C, n), C @ q / plain(n @ q)

        d, e = k.shape[1], v.shape[1]
        return lax.scan(step, (jnp.zeros((e, d)), jnp.zeros(d)), (q, k, v, i, f))[1]

    return a, b


@case("q: T d, k: T d, v: T e, i: T, f: T")
def mlstm():
    return mlstm_forms(lambda nq, m: nq, lambda nq: nq)


@case("q: T d, k: T d, v: T e, i: T, f: T", equal=False)
def mlstm_bad():
    return mlstm_forms(lambda nq, m: nq * jnp.exp(m), lambda nq: nq)


@case("q: T d, k: T d, v: T e, i: T, f: T")
def mlstm_max():
    return mlstm_forms(
        lambda nq, m: jnp.maximum(jnp.abs(nq), jnp.exp(-m)),
        lambda nq: jnp.maximum(jnp.abs(nq), 1.0),
    )


@case("i: T, f: T, z: T")
def slstm():
    def a(i, f, z):
        def step(c, t):
            c, n, m = c
            i, f, z = t
            lf = -nn.softplus(-f)
            mn = jnp.maximum(lf + m, i)
            fp = jnp.exp(lf + m - mn)
            ip = jnp.exp(i - mn)
            c = fp * c + ip * jnp.tanh(z)
            n = fp * n + ip
            return (c, n, mn), c / n

        return lax.scan(step, (0.0, 0.0, 0.0), (i, f, z))[1]

    def b(i, f, z):
        def step(c, t):
            c, n = c
            i, f, z = t
            c = nn.sigmoid(f) * c + jnp.exp(i) * jnp.tanh(z)
            n = nn.sigmoid(f) * n + jnp.exp(i)
            return (c, n), c / n

        return lax.scan(step, (0.0, 0.0), (i, f, z))[1]

    return a, b


@case("x: n m, y: n m")
def argmax_entry():
    def f(x, y):
        best, least = jnp.argmax(x, -1), jnp.argmin(y, -1)
        return jnp.take_along_axis(x, best[:, None], 1)[:, 0], jax.vmap(lambda r, k: r[k])(y, least)

    return f, lambda x, y: (x.max(-1), y.min(-1))


@case("x: n m", equal=False)
def argmax_entry_bad():
    return (lambda x: jax.vmap(lambda r: r[jnp.argmin(r)])(x)), (lambda x: x.max(-1))


def clipped_decays(low: float) -> tuple[Any, Any]:
    def f(x, a):
        a = jnp.clip(a, low, 1.0)
        to = jnp.cumsum(jnp.log(jnp.clip(a, 1e-3, 1.0)))
        return (jnp.exp(to[:, None] - to) * jnp.tri(x.shape[0])) @ x

    def g(x, a):
        def step(h, t):
            h = jnp.clip(t[0], 1e-3, 1.0) * h + t[1]
            return h, h

        return lax.scan(step, 0.0, (a, x))[1]

    return f, g


@case("x: T, a: T")
def decays_clipped_twice():
    return clipped_decays(1e-3)


@case("x: T, a: T", equal=False)
def decays_clipped_twice_bad():
    return clipped_decays(0.5)


def wkv_forms(decayed: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """WKV with a running maximum p, and without one: states are those times exp(p)."""

    def f(k, v, w, u, a, b, p):
        def step(c, t):
            a, b, p = c
            k, v = t
            q = jnp.maximum(p, u + k)
            e, g = jnp.exp(p - q), jnp.exp(u + k - q)
            out = (e * a + g * v) / (e * b + g)
            q = jnp.maximum(p + w, k)
            e, g = jnp.exp(decayed(p, w) - q), jnp.exp(k - q)
            return (e * a + g * v, e * b + g, q), out

        (a, _, p), out = lax.scan(step, (a, b, p), (k, v))
        return out, a * jnp.exp(p)

    def g(k, v, w, u, a, b, p):
        def step(c, t):
            a, b = c
            k, v = t
            e, d = jnp.exp(u + k), jnp.exp(w)
            return (d * a + jnp.exp(k) * v, d * b + jnp.exp(k)), (a + e * v) / (b + e)

        (a, _), out = lax.scan(step, (a * jnp.exp(p), b * jnp.exp(p)), (k, v))
        return out, a

    return f, g


def halved(start: Callable[[int], int]) -> tuple[Any, Any]:
    """Half of an axis, in whole numbers that Python makes of quotients."""

    def f(x):
        return x[:, : int(x.shape[1] / 2)] * 2.0 ** jnp.arange(x.shape[1] // 2)

    def g(x):
        half = int(0.5 * x.shape[1])
        return x[:, start(half) : start(half) + half] * 2.0 ** jnp.arange(math.ceil(x.shape[1] / 2))

    return f, g


@case("x: n 2*d")
def halves():
    return halved(lambda half: 0)


@case("x: n 2*d", equal=False)
def halves_bad():
    return halved(lambda half: half)


@case("k: T, v: T, w:, u:, a:, b:, p:")
def wkv():
    return wkv_forms(lambda p, w: p + w)


@case("k: T, v: T, w:, u:, a:, b:, p:", equal=False)
def wkv_bad():
    return wkv_forms(lambda p, w: p)


def masked_maxima(last: int) -> tuple[Any, Any]:
    """The weights exp(d − max d) of gates, where later tokens have −∞, and a recurrence that begins with −∞."""

    def f(i, f, v):
        to, n = jnp.cumsum(f), f.shape[0]
        d = jnp.where(jnp.tri(n, k=last, dtype=bool), to[:, None] - to + i, -math.inf)
        return jnp.exp(d - d.max(-1, keepdims=True)) @ v

    def g(i, f, v):
        def step(c, t):
            h, m = c
            i, f, v = t
            new = jnp.maximum(m + f, i)
            h = jnp.exp(m + f - new) * h + jnp.exp(i - new) * v
            return (h, new), h

        return lax.scan(step, (0.0, -math.inf), (i, f, v))[1]

    return f, g


@case("i: T, f: T, v: T")
def masked_maximum():
    return masked_maxima(0)


@case("i: T+1, f: T+1, v: T+1", equal=False)
def masked_maximum_bad():
    return masked_maxima(1)
