"""Programs with maxima, comparisons and stabilisers, in two forms each, and near ones that are not equal."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax, nn

CASES: list[tuple[str, Callable[[], tuple[Any, Any]], str, bool]] = []
"""Name, the two functions, shapes, and whether they are equal."""


def case(shapes: str, equal: bool = True) -> Callable[[Any], Any]:
    def note(pair: Any) -> Any:
        CASES.append((pair.__name__, pair, shapes, equal))
        return pair

    return note


@case("x: T")
def relu_where():
    return (lambda x: nn.relu(x)), (lambda x: jnp.where(x > 0, x, 0.0))


@case("x: T")
def relu_where_ge():
    return (lambda x: nn.relu(x)), (lambda x: jnp.where(x >= 0, x, 0.0))


@case("x: T")
def relu_lt():
    return (lambda x: nn.relu(x)), (lambda x: jnp.where(x < 0, 0.0, x))


@case("x: T", False)
def relu_where_bad():
    return (lambda x: nn.relu(x)), (lambda x: jnp.where(x > 0, x, 1.0))


@case("x: T, y: T")
def max_sym():
    return (lambda x, y: jnp.maximum(x, y)), (lambda x, y: jnp.maximum(y, x))


@case("x: T, y: T")
def max_min():
    return (lambda x, y: jnp.maximum(x, y) + jnp.minimum(x, y)), (lambda x, y: x + y)


@case("x: T, y: T")
def max_abs():
    return (lambda x, y: jnp.maximum(x, y)), (lambda x, y: (x + y + jnp.abs(x - y)) / 2)


@case("x: T, y: T, c: T")
def max_shift():
    return (lambda x, y, c: jnp.maximum(x + c, y + c)), (lambda x, y, c: c + jnp.maximum(x, y))


@case("x: T, y: T")
def max_scale():
    return (lambda x, y: jnp.maximum(3 * x, 3 * y)), (lambda x, y: 3 * jnp.maximum(x, y))


@case("x: T, y: T", False)
def max_scale_bad():
    return (lambda x, y: jnp.maximum(-3 * x, -3 * y)), (lambda x, y: -3 * jnp.maximum(x, y))


@case("x: T")
def abs_relu():
    return (lambda x: jnp.abs(x)), (lambda x: nn.relu(x) + nn.relu(-x))


@case("x: T")
def abs_sign():
    return (lambda x: jnp.abs(x)), (lambda x: x * jnp.sign(x))


@case("x: T")
def leaky():
    return (lambda x: nn.leaky_relu(x, 0.1)), (lambda x: nn.relu(x) - 0.1 * nn.relu(-x))


@case("x: T", False)
def leaky_bad():
    return (lambda x: nn.leaky_relu(x, 0.1)), (lambda x: nn.relu(x) + 0.1 * nn.relu(-x))


@case("x: T")
def leaky_max():
    return (lambda x: nn.leaky_relu(x, 0.1)), (lambda x: jnp.maximum(x, 0.1 * x))


@case("x: T")
def relu_sq():
    return (lambda x: nn.relu(x) ** 2), (lambda x: x * nn.relu(x))


@case("x: T")
def relu_idem():
    return (lambda x: nn.relu(nn.relu(x))), (lambda x: nn.relu(x))


@case("x: T")
def relu6():
    return (lambda x: nn.relu6(x)), (lambda x: jnp.clip(x, 0.0, 6.0))


@case("x: T")
def clip3():
    return (lambda x: jnp.clip(x, -1.0, 1.0)), (
        lambda x: jnp.where(x > 1.0, 1.0, jnp.where(x < -1.0, -1.0, x))
    )


@case("x: T", False)
def clip3_bad():
    return (lambda x: jnp.clip(x, -1.0, 1.0)), (
        lambda x: jnp.where(x > 1.0, 1.0, jnp.where(x < 0.0, -1.0, x))
    )


@case("x: T")
def clip4():
    return (lambda x: jnp.clip(x, -1.0, 1.0)), (lambda x: jnp.maximum(jnp.minimum(x, 1.0), -1.0))


@case("x: T")
def elu():
    return (lambda x: nn.elu(x)), (lambda x: nn.relu(x) + jnp.exp(-nn.relu(-x)) - 1)


@case("x: T")
def elu2():
    return (lambda x: nn.elu(x)), (lambda x: jnp.where(x > 0, x, jnp.exp(jnp.minimum(x, 0.0)) - 1))


@case("x: T")
def elu1():
    return (lambda x: nn.elu(x) + 1), (lambda x: jnp.where(x > 0, x + 1, jnp.exp(x)))


@case("x: T", False)
def elu_bad():
    return (lambda x: nn.elu(x)), (lambda x: jnp.where(x > 0, x, jnp.exp(x)))


@case("x: T d")
def l2norm():
    return (lambda x: x / jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), 1e-6)), (
        lambda x: x * (1 / jnp.clip(jnp.sqrt(jnp.sum(x * x, -1)), 1e-6)[:, None])
    )


@case("x: T d", False)
def l2norm_bad():
    return (lambda x: x / jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), 1e-6)), (
        lambda x: x * (1 / jnp.clip(jnp.sqrt(jnp.sum(x * x, 0)), 1e-6)[None])
    )


@case("x: T, d: T")
def safe_div():
    def f(x, d):
        return jnp.where(d == 0, 0.0, x / jnp.where(d == 0, 1.0, d))

    def g(x, d):
        s = jnp.where(d != 0, d, 1.0)
        return jnp.where(d != 0, x / s, 0.0)

    return f, g


@case("x: T, d: T", False)
def safe_div_bad():
    def f(x, d):
        return jnp.where(d == 0, 0.0, x / jnp.where(d == 0, 1.0, d))

    def g(x, d):
        s = jnp.where(d != 0, d, 1.0)
        return jnp.where(d != 0, x / s, 1.0)

    return f, g


@case("x: T")
def three():
    return (lambda x: jnp.where(x > 0, 2.0, jnp.where(x == 0, 3.0, 4.0))), (
        lambda x: jnp.where(x == 0, 3.0, jnp.where(x < 0, 4.0, 2.0))
    )


@case("x: T")
def sign_odd():
    return (lambda x: jnp.sign(-x)), (lambda x: -jnp.sign(x))


@case("x: T")
def relu_grad():
    return jax.grad(lambda x: nn.relu(x).sum()), (lambda x: jnp.where(x > 0, 1.0, 0.0))


@case("x: T d, w: d")
def gradmlp():
    return jax.grad(lambda x, w: nn.relu(x @ w).sum(), 1), (
        lambda x, w: x.T @ (x @ w > 0).astype(float)
    )


@case("X: T f, W: d f, U: d d")
def relu_rnn():
    def f(X, W, U):
        def step(h, x):
            return nn.relu(U @ h + W @ x), None

        return lax.scan(step, jnp.zeros(U.shape[0]), X)[0]

    def g(X, W, U):
        def step(h, x):
            return jnp.maximum(0.0, x @ W.T + h @ U.T), None

        return lax.scan(step, jnp.zeros(U.shape[0]), X)[0]

    return f, g


@case("X: T f, W: d f, U: d d", False)
def relu_rnn_bad():
    def f(X, W, U):
        def step(h, x):
            return nn.relu(U @ h + W @ x), None

        return lax.scan(step, jnp.zeros(U.shape[0]), X)[0]

    def g(X, W, U):
        def step(h, x):
            return jnp.maximum(0.0, x @ W.T + h @ U), None

        return lax.scan(step, jnp.zeros(U.shape[0]), X)[0]

    return f, g


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
def softplus_def():
    return nn.softplus, (lambda x: jnp.log(1 + jnp.exp(x)))


@case("x: T", False)
def softplus_def_bad():
    return nn.softplus, (lambda x: jnp.log(1 + jnp.exp(-x)))


@case("x: T")
def softplus_odd():
    return (lambda x: nn.softplus(x) - nn.softplus(-x)), (lambda x: x)


@case("x: T, y: T")
def logaddexp_def():
    return jnp.logaddexp, (lambda x, y: jnp.log(jnp.exp(x) + jnp.exp(y)))


@case("x: T, y: T")
def logaddexp_sym():
    return jnp.logaddexp, (lambda x, y: jnp.logaddexp(y, x))


@case("x: T")
def logsig_def():
    return nn.log_sigmoid, (lambda x: jnp.log(nn.sigmoid(x)))


@case("x: T")
def explogsig():
    return (lambda x: jnp.exp(nn.log_sigmoid(x))), nn.sigmoid


@case("x: T")
def sig_neg():
    return (lambda x: nn.sigmoid(-x)), (lambda x: 1 - nn.sigmoid(x))


@case("x: T")
def tanh_sig():
    return (lambda x: jnp.tanh(x)), (lambda x: 2 * nn.sigmoid(2 * x) - 1)


@case("x: T")
def gelu_tanh():
    return (lambda x: nn.gelu(x)), (
        lambda x: x * nn.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
    )


@case("x: T")
def gelu_erf():
    return (lambda x: nn.gelu(x, approximate=False)), (
        lambda x: x / 2 * (1 + lax.erf(x / jnp.sqrt(2.0)))
    )


@case("x: T")
def silu():
    return nn.silu, (lambda x: x / (1 + jnp.exp(-x)))


@case("x: T")
def hard():
    return nn.hard_swish, (lambda x: x * jnp.clip(x + 3, 0, 6) / 6)


@case("x: T")
def odd():
    return (lambda x: jnp.sin(-x) * jnp.cos(-x) + jnp.tanh(-x) + jnp.arctan(-x)), (
        lambda x: -jnp.sin(x) * jnp.cos(x) - jnp.tanh(x) - jnp.arctan(x)
    )


@case("x: T d")
def lse():
    return (lambda x: nn.logsumexp(x, -1)), (lambda x: jnp.log(jnp.exp(x).sum(-1)))


@case("x: T d", False)
def lse_bad():
    return (lambda x: nn.logsumexp(x, -1)), (lambda x: jnp.log(jnp.exp(x).mean(-1)))


@case("x: T d")
def explse():
    return (lambda x: jnp.exp(nn.logsumexp(x, -1))), (lambda x: jnp.exp(x).sum(-1))


@case("x: T d")
def softmax_lse():
    return (lambda x: jnp.exp(x - nn.logsumexp(x, -1, keepdims=True))), (lambda x: nn.softmax(x))


@case("x: T d")
def logsoftmax():
    return (lambda x: nn.log_softmax(x)), (lambda x: x - nn.logsumexp(x, -1, keepdims=True))


@case("x: T d")
def explogsoftmax():
    return (lambda x: jnp.exp(nn.log_softmax(x))), (lambda x: nn.softmax(x))


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


@case("x: T")
def cumlse():
    return (lambda x: lax.cumlogsumexp(x)), (lambda x: jnp.log(jnp.cumsum(jnp.exp(x))))


@case("x: T")
def nanguard():
    return (lambda x: jnp.where(jnp.isnan(x), 0.0, x)), (lambda x: jnp.nan_to_num(x))


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
