"""Programs in step, folds by associative scans, complex numbers: pairs that are equal, and near ones that are not."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
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


def gru(Wz, Wr, Wh, Uz, Ur, Uh, x):
    def step(h, x):
        z, r = sigmoid(Wz @ h + Uz @ x), sigmoid(Wr @ h + Ur @ x)
        h = (1 - z) * h + z * tanh(Wh @ (r * h) + Uh @ x)
        return h, h

    return lax.scan(step, jnp.zeros(Wz.shape[0]), x)[1]


def gru_by_rows(Wz, Wr, Wh, Uz, Ur, Uh, x, inside=True):
    def step(h, token):
        z, r, n = token
        z, r = sigmoid(h @ Wz.T + z), sigmoid(r + h @ Wr.T)
        n = n + ((r * h) @ Wh.T if inside else r * (h @ Wh.T))
        h = h + z * (tanh(n) - h)
        return h, h

    return lax.scan(step, jnp.zeros(Wz.shape[0]), (x @ Uz.T, x @ Ur.T, x @ Uh.T))[1]


def adam(g, w, one, two, rate, small):
    def step(c, g):
        w, m, v = c
        m, v = one * m + (1 - one) * g, two * v + (1 - two) * g * g
        return (w - rate * m / (jnp.sqrt(v) + small), m, v), None

    return lax.scan(step, (w, jnp.zeros(w.shape), jnp.zeros(w.shape)), g)[0][0]


def adam_of_changes(g, w, one, two, rate, small, late=False):
    def step(c, g):
        d, m, v = c
        m, new = m + (1 - one) * (g - m), v + (1 - two) * (g**2 - v)
        return (d + m / (jnp.sqrt(v if late else new) + small), m, new), None

    zero = jnp.zeros(w.shape)
    return w - rate * lax.scan(step, (zero, zero, zero), g)[0][0]


def momentum(w, x, y, eta, beta):
    def step(c, token):
        (w, m), (x, y) = c, token
        m = beta * m + (tanh(w @ x) - y) * x
        return (w - eta * m, m), w @ x

    return lax.scan(step, (w, jnp.zeros(w.shape)), (x, y))[1]


def momentum_as_velocity(w, x, y, eta, beta, again=1.0):
    def step(c, token):
        (w, v), (x, y) = c, token
        v = beta * v - eta * (tanh(x @ w) - y) * x
        return (w + again * v, v), x @ w

    return lax.scan(step, (w, jnp.zeros(w.shape)), (x, y))[1]


def momentum_twice(w, x, y, eta, beta):
    return momentum_as_velocity(w, x, y, eta, beta, again=beta)


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


def matrices(left, right):
    return (
        jnp.einsum("tij,tjk->tik", right[0], left[0]),
        jnp.einsum("tij,tj->ti", right[0], left[1]) + right[1],
    )


def by_matrices(A, b):
    def step(h, token):
        A, b = token
        h = A @ h + b
        return h, h

    return lax.scan(step, jnp.zeros(b.shape[1]), (A, b))[1]


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


def lru(size, angle, scale, Br, Bi, u):
    L = jnp.exp(-jnp.exp(size) + 1j * jnp.exp(angle))
    B = (Br + 1j * Bi) * jnp.exp(scale)[:, None]
    decays = jnp.repeat(L[None], u.shape[0], axis=0)
    return folded(decays, jax.vmap(lambda u: B @ u)(u)).real


def lru_of_pairs(size, angle, scale, Br, Bi, u, both=True):
    m, turn, g = jnp.exp(-jnp.exp(size)), jnp.exp(angle), jnp.exp(scale)
    lr, li = m * jnp.cos(turn), m * jnp.sin(turn)

    def step(c, u):
        a, b = c
        more = (g if both else 1.0) * (Bi @ u)
        a, b = lr * a - li * b + g * (Br @ u), lr * b + li * a + more
        return (a, b), a

    return lax.scan(step, (jnp.zeros(size.shape), jnp.zeros(size.shape)), u)[1]


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


AB = {"a": "T d", "b": "T d"}
SCALARS = {"a": "T", "b": "T"}
RNN = {"W": "n n", "U": "n d", "x": "T d"}
LSTM = {"W": "4*n n", "U": "4*n d", "b": "4*n", "x": "T d"}
GRU = {**dict.fromkeys(("Wz", "Wr", "Wh"), "n n"), **dict.fromkeys(("Uz", "Ur", "Uh"), "n d")}
GRU["x"] = "T d"
ADAM = {"g": "T d", "w": "d", "one": "", "two": "", "rate": "", "small": ""}
ONLINE = {"w": "d", "x": "T d", "y": "T", "eta": "", "beta": ""}
TTT = {"k": "T d", "v": "T e", "q": "T d", "W": "e d", "eta": ""}
GATES = {"q": "T d", "k": "T d", "v": "T e", "a": "T d"}
INPUTS = {"x": "T d", "r": "T d", "i": "T d", "rate": "d"}
S5 = {"lr": "m", "li": "m", "Br": "m d", "Bi": "m d", "Cr": "d m", "Ci": "d m", "u": "T d"}
LRU = {"size": "m", "angle": "m", "scale": "m", "Br": "m d", "Bi": "m d", "u": "T d"}
HELD = {"lr": "m", "li": "m", "delta": "m", "Br": "m d", "Bi": "m d", "u": "T d"}
GRADIENTS = {"w": "d", "x": "T d", "y": "T", "eta": ""}
DELTA = {"k": "T d", "v": "T e", "b": "T"}

EQUAL: dict[str, tuple[Any, Any, dict[str, str]]] = {
    "a rotation and its matrix": (rotated, rotated_by_matrices, SCALARS),
    "a recurrent network and itself": (rnn, rnn, RNN),
    "a recurrent network of one matrix": (rnn, rnn_of_one_matrix, RNN),
    "two states that change places": (exchanged, exchanged_the_other_way, {"W": "n n", "x": "T n"}),
    "an LSTM in one state": (lstm, lstm_in_one_state, LSTM),
    "a GRU by rows": (gru, gru_by_rows, GRU),
    "Adam and the sum of its changes": (adam, adam_of_changes, ADAM),
    "momentum and velocity": (momentum, momentum_as_velocity, ONLINE),
    "Nesterov's momentum from ahead": (nesterov, nesterov_ahead, ONLINE),
    "weights and their changes transposed": (test_time_training, changes_transposed, TTT),
    "tanh of a transpose": (lambda X: tanh(X.T).T, tanh, {"X": "n m"}),
    "a linear recurrence": (folded, recurrence, AB),
    "one that runs backwards": (
        lambda a, b: folded(a, b, reverse=True),
        lambda a, b: recurrence(a, b, reverse=True),
        AB,
    ),
    "one from a start": (
        with_start,
        lambda a, b, h: recurrence(a, b, h),
        {**AB, "h": "d"},
    ),
    "a batch of them": (jax.vmap(folded), jax.vmap(recurrence), {"a": "B T d", "b": "B T d"}),
    "along another axis": (
        lambda a, b: folded(a, b, axis=1),
        jax.vmap(recurrence),
        {"a": "B T d", "b": "B T d"},
    ),
    "sums": (lambda x: lax.associative_scan(jnp.add, x), lambda x: jnp.cumsum(x, 0), {"x": "T d"}),
    "products of matrices": (products, products_by_steps, {"A": "T d d"}),
    "maps by matrices": (
        lambda A, b: folded(A, b, operator=matrices),
        by_matrices,
        {"A": "T d d", "b": "T d"},
    ),
    "gates": (gate_loop, gate_loop_by_steps, GATES),
    "gates of the input": (gated, gated_by_steps, INPUTS),
    "the delta rule": (delta, delta_by_steps, DELTA),
    "S5": (s5, s5_by_steps, S5),
    "S5 in pairs": (s5_by_steps, s5_of_pairs, S5),
    "LRU in pairs": (lru, lru_of_pairs, LRU),
    "S5 with a zero-order hold": (held, held_by_steps, HELD),
    "Adam with its corrections": (corrected, corrected_by_weights, ADAM),
    "Adam with its corrections by the step": (corrected, corrected_by_the_step, ADAM),
    "Adagrad from one": (adagrad, adagrad_of_changes, GRADIENTS),
    "a network that runs backwards": (backwards, on_reversed_inputs, {"W": "n n", "x": "T n"}),
}
APART: dict[str, tuple[Any, Any, dict[str, str]]] = {
    "a sign in the matrix": (
        rotated,
        lambda a, b: rotated_by_matrices(a, b, -1.0),
        SCALARS,
    ),
    "the state before for the one after": (
        rnn,
        lambda W, U, x: rnn_of_one_matrix(W, U, x, True),
        RNN,
    ),
    "a sign in one of two states": (
        exchanged,
        lambda W, x: exchanged_the_other_way(W, x, 1.0),
        {"W": "n n", "x": "T n"},
    ),
    "the cell before for the one after": (
        lstm,
        lambda W, U, b, x: lstm_in_one_state(W, U, b, x, True),
        LSTM,
    ),
    "a reset behind the matrix": (gru, lambda *given: gru_by_rows(*given, inside=False), GRU),
    "the variance before": (adam, lambda *given: adam_of_changes(*given, late=True), ADAM),
    "momentum that counts twice": (momentum, momentum_twice, ONLINE),
    "momentum behind": (nesterov, lambda *given: nesterov_ahead(*given, sign=-1.0), ONLINE),
    "the weights before": (
        test_time_training,
        lambda *given: changes_transposed(*given, late=True),
        TTT,
    ),
    "operands exchanged": (
        lambda a, b: folded(a, b, operator=lambda left, right: affine(right, left)),
        recurrence,
        AB,
    ),
    "decayed by the other": (
        lambda a, b: folded(a, b, operator=lambda l, r: (l[0] * r[0], l[0] * l[1] + r[1])),
        recurrence,
        AB,
    ),
    "forwards for backwards": (folded, lambda a, b: recurrence(a, b, reverse=True), AB),
    "a start that is not decayed": (
        with_start_in_the_sum,
        lambda a, b, h: recurrence(a, b, h),
        {**AB, "h": "d"},
    ),
    "along the wrong axis": (
        lambda x: lax.associative_scan(jnp.add, x, axis=1),
        lambda x: jnp.cumsum(x, 0),
        {"x": "d d"},
    ),
    "matrices from the other side": (
        products,
        lambda A: products_by_steps(A, True),
        {"A": "T d d"},
    ),
    "gates one turn late": (lambda *given: gate_loop(*given, late=True), gate_loop_by_steps, GATES),
    "the other gate": (lambda *given: gated(*given, other=True), gated_by_steps, INPUTS),
    "a sign in the delta rule": (
        lambda k, v, b: delta(k, v, b, 1.0),
        delta_by_steps,
        DELTA,
    ),
    "the conjugate decay": (lambda *given: s5(*given, sign=-1.0), s5_by_steps, S5),
    "a sign of the imaginary part": (
        s5_by_steps,
        lambda *given: s5_of_pairs(*given, sign=1.0),
        S5,
    ),
    "another hold": (held, lambda *given: held_by_steps(*given, turned=1j), HELD),
    "a correction from one": (
        corrected,
        lambda *given: corrected_by_weights(*given, start=1.0),
        ADAM,
    ),
    "Adagrad from two": (
        adagrad,
        lambda *given: adagrad_of_changes(*given, start=2.0),
        GRADIENTS,
    ),
    "outputs left reversed": (
        backwards,
        lambda W, x: on_reversed_inputs(W, x, False),
        {"W": "n n", "x": "T n"},
    ),
    "half of the scale": (lru, lambda *given: lru_of_pairs(*given, both=False), LRU),
    "a correction of the step after": (
        corrected,
        lambda *given: corrected_by_the_step(*given, late=1),
        ADAM,
    ),
}
UNREAD: dict[str, Any] = {
    "subtraction": lambda x: lax.associative_scan(jnp.subtract, x),
    "the mean of two": lambda x: lax.associative_scan(lambda a, b: (a + b) / 2, x),
    "the first of all": lambda x: lax.associative_scan(lambda a, b: b + a[:1], x),
    "the sum along the axis": lambda x: lax.associative_scan(lambda a, b: a + b + b.sum(0), x),
    "by its length": lambda x: lax.associative_scan(
        lambda a, b: a * b if a.shape[0] == 1 else a + b, x
    ),
}
"""Operators that are not associative, that look at other entries, or at their number."""
QUICK = (
    *("a rotation and its matrix", "a recurrent network of one matrix", "tanh of a transpose"),
    *("a linear recurrence", "one that runs backwards", "products of matrices", "S5 in pairs"),
    *("a sign in the matrix", "operands exchanged", "decayed by the other"),
    *("the conjugate decay", "matrices from the other side"),
)
