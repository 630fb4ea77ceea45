"""Programs in step, folds by associative scans, complex numbers: pairs that are equal, and near ones that are not."""

from typing import Any

import jax
import jax.numpy as jnp
from equations import equations
from jax import lax

tanh, sigmoid = jnp.tanh, jax.nn.sigmoid


def affine(left: Any, right: Any) -> Any:
    """h ↦ a h + b, and then another."""
    return left[0] * right[0], right[0] * left[1] + right[1]


def folded(a, b, reverse=False, axis=0, operator=affine):
    return lax.associative_scan(operator, (a, b), reverse=reverse, axis=axis)[1]


def recurrence(a, b, start=None, reverse=False):
    def step(h, token):
        a, b = token
        h = a * h + b
        return h, h

    start = jnp.zeros(b.shape[1:]) if start is None else start
    return lax.scan(step, start, (a, b), reverse=reverse)[1]


# Programs in step.


def rotated(a, b):
    def step(c, token):
        a, b = token
        return (a * c[0] - b * c[1], b * c[0] + a * c[1]), None

    return lax.scan(step, (1.0, 0.0), (a, b))[0][0]


def rotated_by_matrices(a, b, sign=1.0):
    def step(c, token):
        a, b = token
        return jnp.array([[a, -b], [sign * b, a]]) @ c, None

    return lax.scan(step, jnp.array([1.0, 0.0]), (a, b))[0][0]


def rnn(W, U, x):
    def step(h, x):
        h = tanh(W @ h + U @ x)
        return h, h

    return lax.scan(step, jnp.zeros(W.shape[0]), x)[1]


def rnn_of_one_matrix(W, U, x, late=False):
    def step(h, x):
        new = tanh(jnp.concatenate([W, U], 1) @ jnp.concatenate([h, x]))
        return new, h if late else new

    return lax.scan(step, jnp.zeros(W.shape[0]), x)[1]


def exchanged(W, x):
    def step(c, x):
        a, b = c
        return (tanh(W @ b + x), tanh(W @ a - x)), a

    return lax.scan(step, (jnp.zeros(W.shape[0]),) * 2, x)[1]


def exchanged_the_other_way(W, x, sign=-1.0):
    def step(c, x):
        b, a = c
        return (tanh(W @ a + sign * x), tanh(x + W @ b)), a

    return lax.scan(step, (jnp.zeros(W.shape[0]),) * 2, x)[1]


def lstm(W, U, b, x):
    n = b.shape[0] // 4

    def step(c, x):
        h, c = c
        i, f, g, o = jnp.split(W @ h + U @ x + b, 4)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        h = sigmoid(o) * tanh(c)
        return (h, c), h

    return lax.scan(step, (jnp.zeros(n), jnp.zeros(n)), x)[1]


def lstm_in_one_state(W, U, b, x, late=False):
    n = b.shape[0] // 4
    both = jnp.concatenate([U, W], 1)

    def step(state, x):
        z = both @ jnp.concatenate([x, state[0]]) + b
        i, f, o = (sigmoid(z[k * n : (k + 1) * n]) for k in (0, 1, 3))
        c = i * tanh(z[2 * n : 3 * n]) + f * state[1]
        h = o * tanh(state[1] if late else c)
        return jnp.stack([h, c]), h

    return lax.scan(step, jnp.zeros((2, n)), x)[1]


def nesterov(w, x, y, eta, beta):
    def step(c, token):
        (w, v), (x, y) = c, token
        v = beta * v - eta * (x @ (w + beta * v) - y) * x
        return (w + v, v), None

    return lax.scan(step, (w, jnp.zeros(w.shape)), (x, y))[0][0]


def nesterov_ahead(w, x, y, eta, beta, sign=1.0):
    def step(c, token):
        (u, v), (x, y) = c, token
        new = beta * v - eta * (x @ u - y) * x
        return (u - beta * v + (1 + sign * beta) * new, new), None

    u, v = lax.scan(step, (w, jnp.zeros(w.shape)), (x, y))[0]
    return u - beta * v


def test_time_training(k, v, q, W, eta):
    def step(W, token):
        k, v, q = token
        W = W - eta * jnp.outer(tanh(W @ k) - v, k)
        return W, W @ q

    return lax.scan(step, W, (k, v, q))[1]


def changes_transposed(k, v, q, W, eta, late=False):
    def step(D, token):
        k, v, q = token
        new = D - eta * jnp.outer(k, tanh(k @ D + W @ k) - v)
        return new, W @ q + q @ (D if late else new)

    return lax.scan(step, jnp.zeros(W.T.shape), (k, v, q))[1]


def corrected(g, w, one, two, rate, small):
    def step(c, g):
        w, m, v, p, q = c
        p, q = one * p, two * q
        m, v = one * m + (1 - one) * g, two * v + (1 - two) * g * g
        return (w - rate * (m / (1 - p)) / (jnp.sqrt(v / (1 - q)) + small), m, v, p, q), None

    return lax.scan(step, (w, jnp.zeros(w.shape), jnp.zeros(w.shape), 1.0, 1.0), g)[0][0]


def corrected_by_weights(g, w, one, two, rate, small, start=0.0):
    def step(c, g):
        w, m, v, p, q = c
        p, q = 1 - one * (1 - p), 1 - two * (1 - q)
        m, v = m + (1 - one) * (g - m), two * v + (1 - two) * g * g
        return (w - rate * (m / p) / (jnp.sqrt(v / q) + small), m, v, p, q), None

    return lax.scan(step, (w, jnp.zeros(w.shape), jnp.zeros(w.shape), start, 0.0), g)[0][0]


def corrected_by_the_step(g, w, one, two, rate, small, late=0):
    """βᵗ by the number of the step in place of a state."""

    def step(c, token):
        (w, m, v), (g, t) = c, token
        m, v = one * m + (1 - one) * g, two * v + (1 - two) * g * g
        p, q = one ** (t + 1 + late), two ** (t + 1)
        return (w - rate * (m / (1 - p)) / (jnp.sqrt(v / (1 - q)) + small), m, v), None

    zero = jnp.zeros(w.shape)
    return lax.scan(step, (w, zero, zero), (g, jnp.arange(g.shape[0])))[0][0]


def adagrad(w, x, y, eta):
    def step(c, token):
        (w, s), (x, y) = c, token
        g = (w @ x - y) * x
        s = s + g * g
        return (w - eta * g / jnp.sqrt(1 + s), s), w @ x

    return lax.scan(step, (w, jnp.zeros(w.shape)), (x, y))[1]


def adagrad_of_changes(w, x, y, eta, start=1.0):
    def step(c, token):
        (d, s), (x, y) = c, token
        g = ((w + d) @ x - y) * x
        s = s + g * g
        return (d - eta * g / jnp.sqrt(s), s), (w + d) @ x

    return lax.scan(step, (jnp.zeros(w.shape), start * jnp.ones(w.shape)), (x, y))[1]


def anew(x, d):
    """Sums that begin anew where a flag, as a real number, is 1."""

    def operator(left, right):
        (s, f), (t, g) = left, right
        return jnp.where(g[..., None] > 0, t, s + t), jnp.maximum(f, g)

    return lax.associative_scan(operator, (x, jnp.where(d > 0.6, 1.0, 0.0)))[0]


def anew_by_steps(x, d, late=False):
    def step(s, token):
        x, d = token
        new = jnp.where(d > 0.6, 0.0, s) + x
        return (jnp.where(d > 0.6, 0.0, s + x) if late else new), new

    return lax.scan(step, jnp.zeros(x.shape[1]), (x, d))[1]


def anew_by_numbers(x):
    """Of numbers that are no flags the operator is not associative."""

    def operator(left, right):
        (s, f), (t, g) = left, right
        return jnp.where(g > 0, t, s + t), f + g

    return lax.associative_scan(operator, (x, x - 0.6))[0]


def token_losses(x, y):
    rows = jax.nn.log_softmax(x.reshape(-1, x.shape[-1]))
    return -jnp.take_along_axis(rows, y.argmax(-1).reshape(-1)[:, None], -1).sum()


def token_losses_by_labels(x, y, label=jnp.argmax):
    labels = jax.nn.one_hot(label(y, -1), x.shape[-1])
    return (jnp.log(jnp.exp(x).sum(-1)) - (x * labels).sum(-1)).sum()


def backwards(W, x):
    def step(h, x):
        h = tanh(W @ h + x)
        return h, h

    return lax.scan(step, jnp.zeros(W.shape[0]), x, reverse=True)[1]


def on_reversed_inputs(W, x, again=True):
    def step(h, x):
        h = tanh(W @ h + x)
        return h, h

    found = lax.scan(step, jnp.zeros(W.shape[0]), x[::-1])[1]
    return found[::-1] if again else found


# Associative scans.


def products(A):
    return lax.associative_scan(jnp.matmul, A)


def products_by_steps(A, before=False):
    def step(P, a):
        P = a @ P if before else P @ a
        return P, P

    return lax.scan(step, jnp.eye(A.shape[1]), A)[1]


def gate_loop(q, k, v, a, late=False):
    outer = k[:, :, None] * v[:, None, :]
    S = folded(jnp.broadcast_to(a[:, :, None], outer.shape), outer)
    S = jnp.pad(S[:-1], ((1, 0), (0, 0), (0, 0))) if late else S
    return jnp.einsum("td,tde->te", q, S)


def gate_loop_by_steps(q, k, v, a):
    def step(S, token):
        q, k, v, a = token
        S = a[:, None] * S + jnp.outer(k, v)
        return S, q @ S

    return lax.scan(step, jnp.zeros((k.shape[1], v.shape[1])), (q, k, v, a))[1]


def gated(x, r, i, rate, other=False):
    a = jnp.exp(-rate * sigmoid(i if other else r))
    return folded(a, jnp.sqrt(1 - a * a) * sigmoid(i) * x)


def gated_by_steps(x, r, i, rate):
    def step(h, token):
        x, r, i = token
        a = jnp.exp(-rate * sigmoid(r))
        h = a * h + jnp.sqrt(1 - a * a) * (sigmoid(i) * x)
        return h, h

    return lax.scan(step, jnp.zeros(x.shape[1]), (x, r, i))[1]


def delta(k, v, b, sign=-1.0):
    b = b[:, None, None]
    A = jnp.eye(k.shape[1]) + sign * b * k[:, :, None] * k[:, None, :]

    def operator(left, right):
        return left[0] @ right[0], left[1] @ right[0] + right[1]

    return folded(A, b * v[:, :, None] * k[:, None, :], operator=operator)[-1]


def delta_by_steps(k, v, b):
    def step(S, token):
        k, v, b = token
        return S + b * jnp.outer(v - S @ k, k), None

    return lax.scan(step, jnp.zeros((v.shape[1], k.shape[1])), (k, v, b))[0]


def with_start(a, b, h):
    return folded(a, b.at[0].add(a[0] * h))


def with_start_in_the_sum(a, b, h):
    return folded(a, b.at[0].add(h))


# Complex numbers.


def s5(lr, li, Br, Bi, Cr, Ci, u, sign=1.0):
    L, B, C = lr + sign * 1j * li, Br + 1j * Bi, Cr + 1j * Ci
    decays = jnp.broadcast_to(L, (u.shape[0], *L.shape))
    states = folded(decays, jax.vmap(lambda u: B @ u)(u))
    return jax.vmap(lambda x: (C @ x).real)(states)


def s5_by_steps(lr, li, Br, Bi, Cr, Ci, u):
    L, B, C = lr + 1j * li, Br + 1j * Bi, Cr + 1j * Ci

    def step(x, u):
        x = L * x + B @ u
        return x, (C @ x).real

    return lax.scan(step, jnp.zeros(L.shape, complex), u)[1]


def s5_of_pairs(lr, li, Br, Bi, Cr, Ci, u, sign=-1.0):
    def step(c, u):
        a, b = c
        a, b = lr * a - li * b + Br @ u, lr * b + li * a + Bi @ u
        return (a, b), Cr @ a + sign * (Ci @ b)

    return lax.scan(step, (jnp.zeros(lr.shape), jnp.zeros(lr.shape)), u)[1]


def held(lr, li, delta, Br, Bi, u):
    """S5 with a zero-order hold."""
    L, B = lr + 1j * li, Br + 1j * Bi
    decay = jnp.exp(L * delta)
    B = ((decay - 1) / L)[:, None] * B
    decays = decay * jnp.ones((u.shape[0], L.shape[0]))
    return 2 * folded(decays, jax.vmap(lambda u: B @ u)(u)).real


def held_by_steps(lr, li, delta, Br, Bi, u, turned: complex = 1.0):
    L, B = lr + 1j * li, Br + 1j * Bi
    decay = jnp.exp(L * delta)

    def step(x, u):
        x = decay * x + (1 / L) * (turned * decay - 1) * (B @ u)
        return x, 2 * x.real

    return lax.scan(step, jnp.zeros(lr.shape, complex), u)[1]


EQUAL = equations(
    globals(),
    """
a rotation and its matrix | a: T, b: T | rotated(a, b) = rotated_by_matrices(a, b)
a recurrent network of one matrix | W: n n, U: n d, x: T d | rnn(W, U, x) = rnn_of_one_matrix(W, U, x)
two states that change places | W: n n, x: T n | exchanged(W, x) = exchanged_the_other_way(W, x)
an LSTM in one state | W: 4*n n, U: 4*n d, b: 4*n, x: T d | lstm(W, U, b, x) = lstm_in_one_state(W, U, b, x)
Nesterov's momentum from ahead | w: d, x: T d, y: T, eta:, beta: | nesterov(w, x, y, eta, beta)
    = nesterov_ahead(w, x, y, eta, beta)
weights and their changes transposed | k: T d, v: T e, q: T d, W: e d, eta: | test_time_training(k, v, q, W, eta)
    = changes_transposed(k, v, q, W, eta)
tanh of a transpose | X: n m | tanh(X.T).T = tanh(X)
a linear recurrence | a: T d, b: T d | folded(a, b) = recurrence(a, b)
one that runs backwards | a: T d, b: T d | folded(a, b, reverse=True) = recurrence(a, b, reverse=True)
one from a start | a: T d, b: T d, h: d | with_start(a, b, h) = recurrence(a, b, h)
a batch of them | a: B T d, b: B T d | jax.vmap(folded)(a, b) = jax.vmap(recurrence)(a, b)
along another axis | a: B T d, b: B T d | folded(a, b, axis=1) = jax.vmap(recurrence)(a, b)
sums | x: T d | lax.associative_scan(jnp.add, x) = jnp.cumsum(x, 0)
products of matrices | A: T d d | products(A) = products_by_steps(A)
gates | q: T d, k: T d, v: T e, a: T d | gate_loop(q, k, v, a) = gate_loop_by_steps(q, k, v, a)
gates of the input | x: T d, r: T d, i: T d, rate: d | gated(x, r, i, rate) = gated_by_steps(x, r, i, rate)
the delta rule | k: T d, v: T e, b: T | delta(k, v, b) = delta_by_steps(k, v, b)
S5 in pairs | lr: m, li: m, Br: m d, Bi: m d, Cr: d m, Ci: d m, u: T d | s5_by_steps(lr, li, Br, Bi, Cr, Ci, u)
    = s5_of_pairs(lr, li, Br, Bi, Cr, Ci, u)
S5 with a zero-order hold | lr: m, li: m, delta: m, Br: m d, Bi: m d, u: T d | held(lr, li, delta, Br, Bi, u)
    = held_by_steps(lr, li, delta, Br, Bi, u)
Adam with its corrections | g: T d, w: d, one:, two:, rate:, small: | corrected(g, w, one, two, rate, small)
    = corrected_by_weights(g, w, one, two, rate, small)
Adam with its corrections by the step | g: T d, w: d, one:, two:, rate:, small: |
    corrected(g, w, one, two, rate, small) = corrected_by_the_step(g, w, one, two, rate, small)
Adagrad from one | w: d, x: T d, y: T, eta: | adagrad(w, x, y, eta) = adagrad_of_changes(w, x, y, eta)
a network that runs backwards | W: n n, x: T n | backwards(W, x) = on_reversed_inputs(W, x)
sums that begin anew at flags | x: T d, f: T | anew(x, f) = anew_by_steps(x, f)
a row put in front | x: T d, h: d | jnp.insert(x, 0, h, axis=0) = jnp.concatenate([h[None], x])
losses of tokens in one axis | x: B T d, y: B T d | token_losses(x, y) = token_losses_by_labels(x, y)
""",
)
APART = equations(
    globals(),
    """
a sign in the matrix | a: T, b: T | rotated(a, b) ≠ rotated_by_matrices(a, b, -1.0)
the state before for the one after | W: n n, U: n d, x: T d | rnn(W, U, x) ≠ rnn_of_one_matrix(W, U, x, True)
a sign in one of two states | W: n n, x: T n | exchanged(W, x) ≠ exchanged_the_other_way(W, x, 1.0)
the cell before for the one after | W: 4*n n, U: 4*n d, b: 4*n, x: T d | lstm(W, U, b, x)
    ≠ lstm_in_one_state(W, U, b, x, True)
momentum behind | w: d, x: T d, y: T, eta:, beta: | nesterov(w, x, y, eta, beta)
    ≠ nesterov_ahead(w, x, y, eta, beta, sign=-1.0)
the weights before | k: T d, v: T e, q: T d, W: e d, eta: | test_time_training(k, v, q, W, eta)
    ≠ changes_transposed(k, v, q, W, eta, late=True)
sums that begin anew one turn late | x: T d, f: T | anew(x, f) ≠ anew_by_steps(x, f, True)
a row put behind the first | x: T d, h: d | jnp.insert(x, 1, h, axis=0) ≠ jnp.concatenate([h[None], x])
losses of other labels | x: B T d, y: B T d | token_losses(x, y) ≠ token_losses_by_labels(x, y, jnp.argmin)
operands exchanged | a: T d, b: T d | folded(a, b, operator=lambda left, right: affine(right, left))
    ≠ recurrence(a, b)
decayed by the other | a: T d, b: T d | folded(a, b, operator=lambda l, r: (l[0] * r[0], l[0] * l[1] + r[1]))
    ≠ recurrence(a, b)
forwards for backwards | a: T d, b: T d | folded(a, b) ≠ recurrence(a, b, reverse=True)
a start that is not decayed | a: T d, b: T d, h: d | with_start_in_the_sum(a, b, h) ≠ recurrence(a, b, h)
along the wrong axis | x: d d | lax.associative_scan(jnp.add, x, axis=1) ≠ jnp.cumsum(x, 0)
matrices from the other side | A: T d d | products(A) ≠ products_by_steps(A, True)
gates one turn late | q: T d, k: T d, v: T e, a: T d | gate_loop(q, k, v, a, late=True)
    ≠ gate_loop_by_steps(q, k, v, a)
the other gate | x: T d, r: T d, i: T d, rate: d | gated(x, r, i, rate, other=True) ≠ gated_by_steps(x, r, i, rate)
a sign in the delta rule | k: T d, v: T e, b: T | delta(k, v, b, 1.0) ≠ delta_by_steps(k, v, b)
the conjugate decay | lr: m, li: m, Br: m d, Bi: m d, Cr: d m, Ci: d m, u: T d |
    s5(lr, li, Br, Bi, Cr, Ci, u, sign=-1.0) ≠ s5_by_steps(lr, li, Br, Bi, Cr, Ci, u)
a sign of the imaginary part | lr: m, li: m, Br: m d, Bi: m d, Cr: d m, Ci: d m, u: T d |
    s5_by_steps(lr, li, Br, Bi, Cr, Ci, u) ≠ s5_of_pairs(lr, li, Br, Bi, Cr, Ci, u, sign=1.0)
another hold | lr: m, li: m, delta: m, Br: m d, Bi: m d, u: T d | held(lr, li, delta, Br, Bi, u)
    ≠ held_by_steps(lr, li, delta, Br, Bi, u, turned=1j)
a correction from one | g: T d, w: d, one:, two:, rate:, small: | corrected(g, w, one, two, rate, small)
    ≠ corrected_by_weights(g, w, one, two, rate, small, start=1.0)
Adagrad from two | w: d, x: T d, y: T, eta: | adagrad(w, x, y, eta) ≠ adagrad_of_changes(w, x, y, eta, start=2.0)
outputs left reversed | W: n n, x: T n | backwards(W, x) ≠ on_reversed_inputs(W, x, False)
a correction of the step after | g: T d, w: d, one:, two:, rate:, small: | corrected(g, w, one, two, rate, small)
    ≠ corrected_by_the_step(g, w, one, two, rate, small, late=1)
""",
)
UNREAD: dict[str, Any] = {
    "subtraction": lambda x: lax.associative_scan(jnp.subtract, x),
    "the mean of two": lambda x: lax.associative_scan(lambda a, b: (a + b) / 2, x),
    "the first of all": lambda x: lax.associative_scan(lambda a, b: b + a[:1], x),
    "the sum along the axis": lambda x: lax.associative_scan(lambda a, b: a + b + b.sum(0), x),
    "flags that are no flags afterwards": lambda x: lax.associative_scan(
        lambda a, b: (jnp.where(b[1] > 1, b[0], a[0] + b[0]), a[1] + b[1]),
        (x, jnp.where(x > 0, 1.0, 0.0)),
    )[0],
    "by its length": lambda x: lax.associative_scan(
        lambda a, b: a * b if a.shape[0] == 1 else a + b, x
    ),
}
"""Operators that are not associative, that look at other entries, or at their number."""
