"""Rules of products and sums: dot, reduce, convolutions."""

import jax.numpy as jnp  # noqa: F401  what rules are written with
from jax import lax

from .rule import rules


def convolved(x, w, padding, spacing=1, kernel_spacing=1):
    """x: batch, feature, n, and w: output, feature, places; JAX takes numbers alone for the padding."""
    return lax.conv_general_dilated(
        x, w, (1,), [padding], lhs_dilation=(spacing,), rhs_dilation=(kernel_spacing,)
    )


RULES = rules(
    globals(),
    """
dot/01: Dot(Concat(X, Y), Concat(C, D)) ⇒ Reduce(Concat(Broadcast(Dot(X, C)), Broadcast(Dot(Y, D)))
    X: n f, Y: m f, C: n g, D: m g
    jnp.concatenate([X, Y]).T @ jnp.concatenate([C, D])
    = jnp.sum(jnp.stack([X.T @ C, Y.T @ D]), axis=0)
    ≠ jnp.sum(jnp.stack([X.T @ C, X.T @ C]), axis=0)
dot/02: Dot(A, B) ⇒ Dot(B, A)
    A: k b n, B: k b m
    jnp.einsum('kbn,kbm->bnm', A, B)
    = jnp.einsum('kbm,kbn->bmn', B, A).transpose(0, 2, 1)
    ≠ jnp.einsum('kbm,kbn->bmn', B, A[::-1]).transpose(0, 2, 1)
dot/03: Dot(A,Dot(B,C)) ⇒ Dot(Dot(A,B),C)
    A: n m, B: m k, C: k l
    A @ (B @ C) = A @ B @ C ≠ A @ B @ (2 * C)
dot/04: Dot(A,B) ⇒ Mul(Broadcast(A), Broadcast(B)) when no contraction
    A: b n, B: b m
    lax.dot_general(A, B, (((), ()), ((0,), (0,))))
    = A[:, :, None] * B[:, None, :]
    ≠ A[:, :, None] + B[:, None, :]
dot/05: Dot(A,B) ⇒ 0 when one of the dimensions is 0
    A: n 0 k b, B: m 0 k b
    jnp.einsum('nikb,mikb->bnm', A, B)
    = jnp.zeros((A.shape[3], A.shape[0], B.shape[0]))
    ≠ jnp.ones((A.shape[3], A.shape[0], B.shape[0]))
dot/06: Dot(A,B) ⇒ Reduce(Mul(Broadcast(Transpose(A)), Broadcast(Transpose(B)))) when rhs only have contraction
  and batch rclasses
    A: n k b, B: k b
    jnp.einsum('nkb,kb->bn', A, B)
    = jnp.sum(A * jnp.broadcast_to(B, A.shape), axis=1).T
    ≠ jnp.sum(A + jnp.broadcast_to(B, A.shape), axis=1).T

reduce/01: Mul(Reduce(X), Reduce(Y)) ⇒ Reduce(Mul(Broadcast(X), Broadcast(Y)))
    X: n, Y: m
    jnp.sum(X) * jnp.sum(Y) = jnp.sum(X[:, None] * Y[None, :]) ≠ jnp.sum(X[:, None] + Y[None, :])
reduce/02: Reduce(Concat(Reduce(X), Reduce(Y))) ⇒ Reduce(Concat(X,Y))
    X: n k, Y: m k
    jnp.sum(jnp.stack([jnp.sum(X, axis=0), jnp.sum(Y, axis=0)]), axis=0)
    = jnp.sum(jnp.concatenate([X, Y]), axis=0)
    ≠ jnp.sum(jnp.concatenate([X, -Y]), axis=0)
reduce/03: Const * Reduce(X) ⇒ Reduce(Const * X)
    X: n k, c:
    c * jnp.sum(X, axis=0) = jnp.sum(c * X, axis=0) ≠ jnp.sum(c + X, axis=0)
reduce/04: Reduce(Relabel(X)) ⇒ Relabel(Reduce(X))
    X: n m k; n ≥ 1
    jnp.sum(X.transpose(1, 2, 0), axis=2) = jnp.sum(X, axis=0) ≠ jnp.sum(X[1:], axis=0)
reduce/05: Reduce(Reduce(X)) ⇒ Reduce(X)
    X: n m k
    jnp.sum(jnp.sum(X, axis=0), axis=0) = jnp.sum(X, axis=(0, 1)) ≠ jnp.sum(X * X, axis=(0, 1))
reduce/06: Reduce(Dot(X,Y)) ⇒ Dot(X,Y)
    X: k b n, Y: k b m
    jnp.sum(jnp.einsum('kbn,kbm->bnm', X, Y), axis=0)
    = jnp.einsum('kbn,kbm->nm', X, Y)
    ≠ jnp.sum(X, axis=(0, 1))[:, None] * jnp.sum(Y, axis=(0, 1))[None, :]
reduce/07: Reduce(X) ⇒ ReshapeDegenerate(X)
    X: 1 n
    jnp.sum(X, axis=0) = jnp.reshape(X, (X.shape[1],)) ≠ jnp.reshape(X[:, ::-1], (X.shape[1],))
reduce/08: Reduce(Transpose(X)) ⇒ ReshapeDegenerate(X)
    X: 1 n
    jnp.sum(X.T, axis=1) = jnp.reshape(X, (X.shape[1],)) ≠ jnp.reshape(-X, (X.shape[1],))

conv/00: Conv(Pad(input, innerLow, innerInt, innerHigh), weights, convLow, 1, convHigh, rdilation) ⇒ Conv(input,
  weights, convLow + innerLow, innerInt + 1, convHigh + innerHigh, rdilation)
    X: b f n+2*w, W: o f w; n ≥ 1; w ≥ 1
    convolved(lax.pad(X, 0.0, ((0, 0, 0), (0, 0, 0), (2, 1, 1))), W, (1, 3), kernel_spacing=2)
    = convolved(X, W, (3, 4), 2, kernel_spacing=2)
    ≠ convolved(X, W, (4, 3), 2, kernel_spacing=2)
conv/01: Conv(input, Pad(weights, 0, innerInt, 0), stride=1, convLow, ldilation, convHigh, 1) ⇒ Conv(input,
  weights, stride=1, convLow, ldilation, convHigh, innerInt + 1)
    X: b f n+2*w, W: o f w; n ≥ 1; w ≥ 1
    convolved(X, lax.pad(W, 0.0, ((0, 0, 0), (0, 0, 0), (0, 0, 1))), (1, 2))
    = convolved(X, W, (1, 2), kernel_spacing=2)
    ≠ convolved(X, W, (2, 1), kernel_spacing=2)
conv/03: Conv(A,B) ⇒ Dot(A, B)
    A: b f t n, B: o f t 1; t ≥ 1; n ≥ 1
    lax.conv_general_dilated(A, B, (1, 1), 'VALID')
    = jnp.einsum('bftn,oft->bon', A, B[..., 0])[:, :, None, :]
    ≠ jnp.einsum('bftn,oft->bon', A, B[:, :, ::-1, 0])[:, :, None, :]

generalize: Conv(Pad(input, innerLow, innerInt, innerHigh), weights, convLow, convInt, convHigh, rdilation) ⇒
  Conv(input, weights, convLowOut, convIntOut, convHighOut, rdilation)
    X: b f n+2*w, W: o f w; n ≥ 1; w ≥ 1; not verified
    convolved(lax.pad(X, 0.0, ((0, 0, 0), (0, 0, 0), (2, 1, 1))), W, (1, 3), 3, kernel_spacing=2)
    = convolved(X, W, (7, 6), 6, kernel_spacing=2)
    ≠ convolved(X, W, (6, 7), 6, kernel_spacing=2)
""",
)
