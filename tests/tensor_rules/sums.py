"""Rules of products and sums: dot, reduce, convolutions."""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from .rule import Rule


def convolved(x, w, padding, spacing=1, kernel_spacing=1):
    """x: batch, feature, n, and w: output, feature, places; JAX takes numbers alone for the padding."""
    return lax.conv_general_dilated(
        x, w, (1,), [padding], lhs_dilation=(spacing,), rhs_dilation=(kernel_spacing,)
    )


DOT = [
    Rule(
        "dot/01",
        "Dot(Concat(X, Y), Concat(C, D)) ⇒ Reduce(Concat(Broadcast(Dot(X, C)), Broadcast(Dot(Y, D)))",
        "X: n f, Y: m f, C: n g, D: m g",
        lambda X, Y, C, D: jnp.concatenate([X, Y]).T @ jnp.concatenate([C, D]),
        lambda X, Y, C, D: jnp.sum(jnp.stack([X.T @ C, Y.T @ D]), axis=0),
        lambda X, Y, C, D: jnp.sum(jnp.stack([X.T @ C, X.T @ C]), axis=0),
    ),
    Rule(
        "dot/02",
        "Dot(A, B) ⇒ Dot(B, A)",
        "A: k b n, B: k b m",
        lambda A, B: jnp.einsum("kbn,kbm->bnm", A, B),
        lambda A, B: jnp.einsum("kbm,kbn->bmn", B, A).transpose(0, 2, 1),
        lambda A, B: jnp.einsum("kbm,kbn->bmn", B, A[::-1]).transpose(0, 2, 1),
    ),
    Rule(
        "dot/03",
        "Dot(A,Dot(B,C)) ⇒ Dot(Dot(A,B),C)",
        "A: n m, B: m k, C: k l",
        lambda A, B, C: A @ (B @ C),
        lambda A, B, C: (A @ B) @ C,
        lambda A, B, C: (A @ B) @ (2 * C),
    ),
    Rule(
        "dot/04",
        "Dot(A,B) ⇒ Mul(Broadcast(A), Broadcast(B)) when no contraction",
        "A: b n, B: b m",
        lambda A, B: lax.dot_general(A, B, (((), ()), ((0,), (0,)))),
        lambda A, B: A[:, :, None] * B[:, None, :],
        lambda A, B: A[:, :, None] + B[:, None, :],
    ),
    Rule(
        "dot/05",
        "Dot(A,B) ⇒ 0 when one of the dimensions is 0",
        "A: n 0 k b, B: m 0 k b",
        lambda A, B: jnp.einsum("nikb,mikb->bnm", A, B),
        lambda A, B: jnp.zeros((A.shape[3], A.shape[0], B.shape[0])),
        lambda A, B: jnp.ones((A.shape[3], A.shape[0], B.shape[0])),
    ),
    Rule(
        "dot/06",
        "Dot(A,B) ⇒ Reduce(Mul(Broadcast(Transpose(A)), Broadcast(Transpose(B)))) when rhs only have "
        "contraction and batch rclasses",
        "A: n k b, B: k b",
        lambda A, B: jnp.einsum("nkb,kb->bn", A, B),
        lambda A, B: jnp.sum(A * jnp.broadcast_to(B, A.shape), axis=1).T,
        lambda A, B: jnp.sum(A + jnp.broadcast_to(B, A.shape), axis=1).T,
    ),
]

REDUCE = [
    Rule(
        "reduce/01",
        "Mul(Reduce(X), Reduce(Y)) ⇒ Reduce(Mul(Broadcast(X), Broadcast(Y)))",
        "X: n, Y: m",
        lambda X, Y: jnp.sum(X) * jnp.sum(Y),
        lambda X, Y: jnp.sum(X[:, None] * Y[None, :]),
        lambda X, Y: jnp.sum(X[:, None] + Y[None, :]),
    ),
    Rule(
        "reduce/02",
        "Reduce(Concat(Reduce(X), Reduce(Y))) ⇒ Reduce(Concat(X,Y))",
        "X: n k, Y: m k",
        lambda X, Y: jnp.sum(jnp.stack([jnp.sum(X, axis=0), jnp.sum(Y, axis=0)]), axis=0),
        lambda X, Y: jnp.sum(jnp.concatenate([X, Y]), axis=0),
        lambda X, Y: jnp.sum(jnp.concatenate([X, -Y]), axis=0),
    ),
    Rule(
        "reduce/03",
        "Const * Reduce(X) ⇒ Reduce(Const * X)",
        "X: n k, c:",
        lambda X, c: c * jnp.sum(X, axis=0),
        lambda X, c: jnp.sum(c * X, axis=0),
        lambda X, c: jnp.sum(c + X, axis=0),
    ),
    Rule(
        "reduce/04",
        "Reduce(Relabel(X)) ⇒ Relabel(Reduce(X))",
        "X: n m k",
        lambda X: jnp.sum(X.transpose(1, 2, 0), axis=2),
        lambda X: jnp.sum(X, axis=0),
        lambda X: jnp.sum(X[1:], axis=0),
        {"n": 1},
    ),
    Rule(
        "reduce/05",
        "Reduce(Reduce(X)) ⇒ Reduce(X)",
        "X: n m k",
        lambda X: jnp.sum(jnp.sum(X, axis=0), axis=0),
        lambda X: jnp.sum(X, axis=(0, 1)),
        lambda X: jnp.sum(X * X, axis=(0, 1)),
    ),
    Rule(
        "reduce/06",
        "Reduce(Dot(X,Y)) ⇒ Dot(X,Y)",
        "X: k b n, Y: k b m",
        lambda X, Y: jnp.sum(jnp.einsum("kbn,kbm->bnm", X, Y), axis=0),
        lambda X, Y: jnp.einsum("kbn,kbm->nm", X, Y),
        lambda X, Y: jnp.sum(X, axis=(0, 1))[:, None] * jnp.sum(Y, axis=(0, 1))[None, :],
    ),
    Rule(
        "reduce/07",
        "Reduce(X) ⇒ ReshapeDegenerate(X)",
        "X: 1 n",
        lambda X: jnp.sum(X, axis=0),
        lambda X: jnp.reshape(X, (X.shape[1],)),
        lambda X: jnp.reshape(X[:, ::-1], (X.shape[1],)),
    ),
    Rule(
        "reduce/08",
        "Reduce(Transpose(X)) ⇒ ReshapeDegenerate(X)",
        "X: 1 n",
        lambda X: jnp.sum(X.T, axis=1),
        lambda X: jnp.reshape(X, (X.shape[1],)),
        lambda X: jnp.reshape(-X, (X.shape[1],)),
    ),
]

CONV = [
    Rule(
        "conv/00",
        "Conv(Pad(input, innerLow, innerInt, innerHigh), weights, convLow, 1, convHigh, rdilation) ⇒ "
        "Conv(input, weights, convLow + innerLow, innerInt + 1, convHigh + innerHigh, rdilation)",
        "X: b f n+2*w, W: o f w",
        lambda X, W: convolved(
            lax.pad(X, 0.0, ((0, 0, 0), (0, 0, 0), (2, 1, 1))), W, (1, 3), kernel_spacing=2
        ),
        lambda X, W: convolved(X, W, (3, 4), 2, kernel_spacing=2),
        lambda X, W: convolved(X, W, (4, 3), 2, kernel_spacing=2),
        {"n": 1, "w": 1},
    ),
    Rule(
        "conv/01",
        "Conv(input, Pad(weights, 0, innerInt, 0), stride=1, convLow, ldilation, convHigh, 1) ⇒ "
        "Conv(input, weights, stride=1, convLow, ldilation, convHigh, innerInt + 1)",
        "X: b f n+2*w, W: o f w",
        lambda X, W: convolved(X, lax.pad(W, 0.0, ((0, 0, 0), (0, 0, 0), (0, 0, 1))), (1, 2)),
        lambda X, W: convolved(X, W, (1, 2), kernel_spacing=2),
        lambda X, W: convolved(X, W, (2, 1), kernel_spacing=2),
        {"n": 1, "w": 1},
    ),
    Rule(
        "conv/03",
        "Conv(A,B) ⇒ Dot(A, B)",
        "A: b f t n, B: o f t 1",
        lambda A, B: lax.conv_general_dilated(A, B, (1, 1), "VALID"),
        lambda A, B: jnp.einsum("bftn,oft->bon", A, B[..., 0])[:, :, None, :],
        lambda A, B: jnp.einsum("bftn,oft->bon", A, B[:, :, ::-1, 0])[:, :, None, :],
        {"t": 1, "n": 1},
    ),
]

FOLDED_PADDING = Rule(
    "generalize",
    "Conv(Pad(input, innerLow, innerInt, innerHigh), weights, convLow, convInt, convHigh, rdilation) ⇒ "
    "Conv(input, weights, convLowOut, convIntOut, convHighOut, rdilation)",
    "X: b f n+2*w, W: o f w",
    lambda X, W: convolved(
        lax.pad(X, 0.0, ((0, 0, 0), (0, 0, 0), (2, 1, 1))), W, (1, 3), 3, kernel_spacing=2
    ),
    lambda X, W: convolved(X, W, (7, 6), 6, kernel_spacing=2),
    lambda X, W: convolved(X, W, (6, 7), 6, kernel_spacing=2),
    {"n": 1, "w": 1},
    verified=False,
)

RULES = [*DOT, *REDUCE, *CONV, FOLDED_PADDING]
