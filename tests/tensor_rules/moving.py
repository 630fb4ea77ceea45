"""Rules that move entries: broadcast, concatenate, iota, pad, transpose, reverse, slice, and dynamic slices.

Strides and the distances of padding between entries are numbers, several of them at once: 1, 2 and 3, or 0, 1 and 2.
"""

import jax.numpy as jnp
from jax import lax

from .rule import count, rules  # noqa: F401  what rules are written with


def wider(array, length):
    """The array once for each place of a new last axis."""
    return jnp.broadcast_to(array[..., None], (*array.shape, length))


def padded(array, filling, *axes):
    """The array between `filling`: low, high and between entries, for each axis."""
    return lax.pad(array, filling, axes)


def part(array, start, length, stride=1):
    """`length` rows, `stride` apart, of which the last is looked at to its end."""
    return lax.slice_in_dim(array, start, start + stride * length, stride)


def write(array, new, start):
    """`new` in place of the rows that begin at `start`."""
    return lax.dynamic_update_slice_in_dim(array, new, start, 0)


def read(array, start, length):
    """`length` rows that begin at `start`."""
    return lax.dynamic_slice_in_dim(array, start, length, 0)


def iota(length):
    """0, 1, …"""
    return lax.iota(jnp.int32, length)


RULES = rules(
    globals(),
    """
broadcast/01: Add(Broadcast(A), Broadcast(B)) ⇒ Broadcast(Add(A, B))
    A: n, B: n, M: m
    wider(A, count(M)) + wider(B, count(M)) = wider(A + B, count(M)) ≠ wider(A - B, count(M))
broadcast/02: Mul(Broadcast(A), Broadcast(B)) ⇒ Broadcast(Mul(A, B))
    A: n, B: n, M: m
    wider(A, count(M)) * wider(B, count(M)) = wider(A * B, count(M)) ≠ wider(A * A, count(M))
broadcast/03: Transpose(Broadcast(Scalar)) ⇒ Broadcast(Scalar)
    c:, N: n, M: m
    jnp.full((count(N), count(M)), c).T = jnp.full((count(M), count(N)), c) ≠ jnp.full((count(M), count(N)), -c)
broadcast/04: Reverse(Broadcast(Scalar)) ⇒ Broadcast(Scalar)
    c:, N: n, M: m
    lax.rev(jnp.full((count(N), count(M)), c), (0,))
    = jnp.full((count(N), count(M)), c)
    ≠ jnp.full((count(N), count(M)), c * c)
broadcast/05: Slice(Broadcast(Scalar)) ⇒ Broadcast(Scalar)
    c:, S: s, N: n, A: s+3*n+r
    [part(jnp.full(A.shape, c), count(S), count(N), k) for k in (1, 2, 3)]
    = [jnp.full(N.shape, c)] * 3
    ≠ [jnp.full(N.shape, c), jnp.full(N.shape, 2 * c), jnp.full(N.shape, c)]
broadcast/06: DynamicSlice(Broadcast(Scalar)) ⇒ Broadcast(Scalar)
    c:, S: s, N: n, A: s+n+r
    read(jnp.full(A.shape, c), count(S), count(N)) = jnp.full(N.shape, c) ≠ jnp.full(N.shape, c + 1)
broadcast/07: Broadcast(Iota) ⇒ Iota
    N: n, M: m
    wider(iota(count(N)), count(M))
    = lax.broadcasted_iota(jnp.int32, (count(N), count(M)), 0)
    ≠ lax.broadcasted_iota(jnp.int32, (count(N), count(M)), 1)
broadcast/08: Broadcast(Broadcast(A, shape, dims), shape2, dims2) ⇒ Broadcast(A, shape3, dims3)
    A: n, M: m, K: k
    wider(wider(A, count(M)), count(K))
    = lax.broadcast_in_dim(A, (count(A), count(M), count(K)), (0,))
    ≠ lax.broadcast_in_dim(-A, (count(A), count(M), count(K)), (0,))

concat/01: ConcatList(A, B) ⇒ Concat(A, B)
    A: k n, B: k m
    jnp.concatenate([A, B], axis=1) = jnp.append(A, B, axis=1) ≠ jnp.append(B, A, axis=1)
concat/02: Concat(A, Concat(B, C)) ⇒ Concat(Concat(A, B), C)
    A: k n, B: k m, C: k l
    jnp.append(A, jnp.append(B, C, axis=1), axis=1)
    = jnp.append(jnp.append(A, B, axis=1), C, axis=1)
    ≠ jnp.append(jnp.append(A, C, axis=1), B, axis=1)
concat/03: ConcatList(A, B, C) ⇒ Concat(A, Concat(B, C))
    A: k n, B: k m, C: k l
    jnp.concatenate([A, B, C], axis=1)
    = jnp.append(A, jnp.append(B, C, axis=1), axis=1)
    ≠ jnp.append(jnp.append(B, C, axis=1), A, axis=1)
concat/04: Concat(Slice(A), Slice(A)) ⇒ Slice(A)
    A: s+n+m+r t+2*k+u, S: s, N: n, M: m, T: t, K: k
    jnp.concatenate([part(part(A, count(S), count(N)).T, count(T), count(K), 2).T, part(part(A, count(S) +
        count(N), count(M)).T, count(T), count(K), 2).T])
    = part(part(A, count(S), count(N) + count(M)).T, count(T), count(K), 2).T
    ≠ part(part(A, count(S), count(N) + count(M)).T, count(T), count(K), 1).T
concat/05: Concat(Broadcast(Scalar), B) ⇒ Pad(B, scalar, low)
    B: n m, c:, L: l
    jnp.concatenate([jnp.full((count(L), B.shape[1]), c), B])
    = padded(B, c, (count(L), 0, 0), (0, 0, 0))
    ≠ padded(B, c, (0, count(L), 0), (0, 0, 0))
concat/06: Concat(A, Broadcast(Scalar)) ⇒ Pad(A, scalar, high)
    A: n m, c:, H: h
    jnp.concatenate([A, jnp.full((count(H), A.shape[1]), c)])
    = padded(A, c, (0, count(H), 0), (0, 0, 0))
    ≠ padded(A, c, (count(H), 0, 0), (0, 0, 0))
concat/07: Concat(A, Concat(B, C)) ⇒ ConcatList(A, B, C)
    A: k n, B: k m, C: k l
    jnp.append(A, jnp.append(B, C, axis=1), axis=1)
    = jnp.concatenate([A, B, C], axis=1)
    ≠ jnp.concatenate([A, C, B], axis=1)

iota/01: Iota ⇒ Zero
    A: 1 m
    lax.broadcasted_iota(jnp.int32, A.shape, 0)
    = jnp.zeros(A.shape, jnp.int32)
    ≠ lax.broadcasted_iota(jnp.int32, A.shape, 1)

pad/01: Pad(A, val, 0_0_0) ⇒ A
    A: n m, c:
    padded(A, c, (0, 0, 0), (0, 0, 0)) = A ≠ A + c
pad/02: Pad(A, val, low_int_high) ⇒ Pad(A, val, low_0_high)
    A: n 1, c:, L: l, H: h, E: e, G: g; n ≥ 1
    [padded(A, c, (count(L), count(H), k), (count(E), count(G), 2)) for k in (0, 1, 2)]
    = [padded(A, c, (count(L), count(H), k), (count(E), count(G), 0)) for k in (0, 1, 2)]
    ≠ [padded(A, c, (count(L), count(H), k), (count(G), count(E), 0)) for k in (0, 1, 2)]
pad/03: Pad(Broadcast(A), v, low_0_0) ⇒ Broadcast(Pad(Broadcast(A), v))
    A: n, c:, M: m, K: k, L: l, H: h, E: e, G: g; n ≥ 1
    padded(wider(wider(A, count(M)), count(K)), c, (count(L), count(H), 1), (count(E), count(G), 0), (0, 0, 0))
    = wider(padded(wider(A, count(M)), c, (count(L), count(H), 1), (count(E), count(G), 0)), count(K))
    ≠ wider(padded(wider(A, count(M)), c, (count(H), count(L), 1), (count(E), count(G), 0)), count(K))
pad/04: Pad(A, val, negative_negative) ⇒ Slice(Pad(A, val, 0_0), abs(negative),negative+size)
    A: n m+h l+k e+i+g, c:, L: l, H: h, E: e, G: g
    padded(A, c, (count(L), count(H), 0), (count(L), -count(H), 0), (-count(L), count(H), 0), (-count(E),
        -count(G), 0))
    = padded(A, c, (count(L), count(H), 0), (count(L), 0, 0), (0, count(H), 0), (0, 0, 0))[:, :A.shape[1] +
        count(L) - count(H), count(L):, count(E):A.shape[3] - count(G)]
    ≠ padded(A, c, (count(L), count(H), 0), (count(L), 0, 0), (0, count(H), 0), (0, 0, 0))[:, count(H):,
        count(L):, count(E):A.shape[3] - count(G)]

relabel/01: Transpose(Transpose(A)) ⇒ Transpose(A)
    A: n m k
    A.transpose(1, 2, 0).transpose(1, 0, 2) = A.transpose(2, 1, 0) ≠ A[::-1].transpose(2, 1, 0)
relabel/02: Transpose(A) ⇒ A
    A: n m
    lax.transpose(A, (0, 1)) = A ≠ -A

reverse/01: Reverse(A, dims) ⇒ A
    A: 1 m
    lax.rev(A, (0,)) = A ≠ lax.rev(A, (1,))
reverse/02: Reverse(Reverse(A, dims1), dims2) ⇒ A
    A: n m
    lax.rev(lax.rev(A, (0,)), (0,)) = A ≠ lax.rev(A, (0,))
reverse/03: Reverse(Reverse(A, dims1), dims2) ⇒ Reverse(A, disjoint union of dims1 and dims2)
    A: n m k
    lax.rev(lax.rev(A, (0, 1)), (1, 2)) = lax.rev(A, (0, 2)) ≠ lax.rev(A, (0, 1, 2))
reverse/04: Reverse(Binary(A, Const)) ⇒ Binary(Reverse(A), Const)
    A: n m, c:
    lax.rev(A + jnp.full(A.shape, c), (0,))
    = lax.rev(A, (0,)) + jnp.full(A.shape, c)
    ≠ lax.rev(A, (1,)) + jnp.full(A.shape, c)

slice/01: Slice(A) ⇒ A
    A: n m
    lax.slice(A, (0, 0), A.shape, (1, 1)) = A ≠ A[::-1]
slice/02: Slice(Const) ⇒ Const
    c:, S: s, N: n, A: s+3*n+r
    [part(jnp.full(A.shape, c), count(S), count(N), k) for k in (1, 2, 3)]
    = [jnp.full(N.shape, c)] * 3
    ≠ [jnp.full(N.shape, c + k) for k in (0, 0, 1)]
slice/03: Slice(Broadcast(A)) ⇒ Broadcast(Slice(A))
    A: s+2*n+r, S: s, N: n, M: t+3*m+u, T: t, K: m
    lax.slice(wider(A, count(M)), (count(S), count(T)), (count(S) + 2 * count(N), count(T) + 3 * count(K)), (2,
        3))
    = wider(part(A, count(S), count(N), 2), count(K))
    ≠ wider(part(A, count(S), count(N), 1), count(K))
slice/04: Slice(Pad(A)) ⇒ A
    A: n, c:, L: l, H: h; n ≥ 1
    [lax.slice(padded(A, c, (count(L), count(H), k)), (count(L),), (count(L) + count(A) + (count(A) - 1) * k,), (k
        + 1,)) for k in (0, 1, 2)]
    = [A, A, A]
    ≠ [A, A, A[::-1]]
slice/05: Slice(Pad(A, v)) ⇒ Broadcast(v)
    A: n, c:, S: s, N: k, L: s+k+r, H: h; n ≥ 1
    [part(padded(A, c, (count(L), count(H), 1)), count(S), count(N)), part(padded(A, c, (count(H), count(L), 1)),
        count(H) + 2 * count(A) - 1 + count(S), count(N))]
    = [jnp.full(N.shape, c)] * 2
    ≠ [jnp.full(N.shape, c), jnp.full(N.shape, -c)]
slice/06: Slice(Pad(A, v)) ⇒ Slice(A)
    A: s+n+r, c:, S: s, N: n, L: l, H: h
    part(padded(A, c, (count(L), count(H), 0)), count(L) + count(S), count(N))
    = part(A, count(S), count(N))
    ≠ part(padded(A, c, (count(L), count(H), 0)), count(S), count(N))
slice/07: Slice(Slice(A)) ⇒ Slice(A)
    A: s+t+n+r+u, S: s, T: t, N: n, R: r
    part(part(A, count(S), count(T) + count(N) + count(R)), count(T), count(N))
    = part(A, count(S) + count(T), count(N))
    ≠ part(A, count(S) + count(R), count(N))
slice/08: Slice(Concat(A, B), A.size, A.size + B.size) ⇒ B
    A: n s+2*k+r, B: m s+2*k+r, S: s, K: k
    lax.slice(jnp.concatenate([A, B]), (A.shape[0], count(S)), (A.shape[0] + B.shape[0], count(S) + 2 * count(K)),
        (1, 2))
    = part(B.T, count(S), count(K), 2).T
    ≠ part(B.T, count(S), count(K), 1).T
slice/09: Slice(Broadcast(A)) ⇒ Broadcast(A)
    A: n, M: t+2*m+u, T: t, K: m
    lax.slice(wider(A, count(M)), (0, count(T)), (count(A), count(T) + 2 * count(K)), (1, 2))
    = wider(A, count(K))
    ≠ wider(A[::-1], count(K))
slice/10: Slice(Concat(A, B)) ⇒ Slice(A)
    A: s+2*n+r k, B: m k, S: s, N: n
    part(jnp.concatenate([A, B]), count(S), count(N), 2)
    = part(A, count(S), count(N), 2)
    ≠ part(jnp.concatenate([B, A]), count(S), count(N), 2)
slice/11: Slice(Concat(A, B)) ⇒ Slice(B)
    A: m k, B: s+2*n+r k, S: s, N: n
    part(jnp.concatenate([A, B]), A.shape[0] + count(S), count(N), 2)
    = part(B, count(S), count(N), 2)
    ≠ part(jnp.concatenate([A, B]), count(S), count(N), 2)
slice/12: Slice(Concat(A, B, C)) ⇒ Slice(Concat(B, C))
    A: m k, B: s+n k, C: n+r k, S: s, N: n
    part(jnp.concatenate([A, B, C]), A.shape[0] + count(S), count(N), 2)
    = part(jnp.concatenate([B, C]), count(S), count(N), 2)
    ≠ part(jnp.concatenate([C, B]), count(S), count(N), 2)
slice/13: Slice(Reverse(A, dims), start, stride, end) ⇒ Reverse(Slice(A, ...), dims)
    A: s+3*n+r k, S: s, N: n; n ≥ 1
    [part(lax.rev(A, (0,)), count(S), count(N), k) for k in (1, 2, 3)]
    = [lax.rev(lax.slice_in_dim(A, A.shape[0] - count(S) - k * (count(N) - 1) - 1, A.shape[0] - count(S), k),
        (0,)) for k in (1, 2, 3)]
    ≠ [lax.rev(lax.slice_in_dim(A, A.shape[0] - count(S) - k * count(N), A.shape[0] - count(S), k), (0,)) for k in
        (1, 2, 3)]

dyslice/01: DynamicSlice(A) ⇒ Slice(A)
    A: s+n+r k, S: s, N: n
    read(A, count(S), count(N)) = part(A, count(S), count(N)) ≠ A[:count(N)]
dyslice/02: DynamicSlice(A,...) ⇒ A // output shape is the same as input shape
    A: n m, S: s
    lax.dynamic_slice(A, (0, count(S)), A.shape) = A ≠ A[:, ::-1]
dyslice/03: DynamicSlice(Broadcast(A), ...) ⇒ Broadcast(DynamicSlice(A, ...))
    A: s+n+r, S: s, N: n, M: t+m+u, T: t, K: m
    lax.dynamic_slice(wider(A, count(M)), (count(S), count(T)), (count(N), count(K)))
    = wider(read(A, count(S), count(N)), count(K))
    ≠ wider(A[:count(N)], count(K))
dyslice/04: DynamicSlice(Transpose(A), ...) ⇒ Transpose(DynamicSlice(A, ...))
    A: s+n+r t+m+u, S: s, N: n, T: t, M: m
    lax.dynamic_slice(A.T, (count(T), count(S)), (count(M), count(N)))
    = lax.dynamic_slice(A, (count(S), count(T)), (count(N), count(M))).T
    ≠ lax.dynamic_slice(A, (count(S), 0), (count(N), count(M))).T
dyslice/05: DynamicSlice(DynamicSlice(A,...),...) ⇒ DynamicSlice(A,...)
    A: s+t+n+r+u, S: s, T: t, N: n, R: r
    read(read(A, count(S), count(T) + count(N) + count(R)), count(T), count(N))
    = read(A, count(S) + count(T), count(N))
    ≠ read(A, count(S), count(N))

dyslice/06: DynamicSlice(Iota) ⇒ index
    A: s+1+r, S: s; not verified
    read(iota(count(A)), count(S), 1)
    = jnp.full((1,), count(S), jnp.int32)
    ≠ jnp.full((1,), count(S) + 1, jnp.int32)

dyupslice/01: Add(A, DynamicUpdateSlice(Broadcast(0), B) ⇒ DynamicUpdateSlice(A,...)
    A: s+n+r k, B: n k, S: s
    A + write(jnp.zeros(A.shape), B, count(S))
    = write(A, B + read(A, count(S), count(B)), count(S))
    ≠ write(A, B, count(S))
dyupslice/02: DynamicUpdateSlice(Broadcast(Const), A, ...) ⇒ Pad(A, Const, start_0_rest)
    A: n k, c:, S: s, R: r
    write(jnp.full((count(S) + A.shape[0] + count(R), A.shape[1]), c), A, count(S))
    = padded(A, c, (count(S), count(R), 0), (0, 0, 0))
    ≠ padded(A, c, (count(R), count(S), 0), (0, 0, 0))
dyupslice/03: DynamicUpdateSlice(A, B, 0) ⇒ B
    A: n k, B: n k
    write(A, B, 0) = B ≠ A
dyupslice/04: DynamicUpdateSlice(A, DynamicUpdateSlice(DynamicSlice(A, ...), B, ...), ...)) ⇒
  DynamicUpdateSlice(A, B, ...)
    A: s+t+n+r+u k, B: n k, S: s, T: t, R: r
    write(A, write(read(A, count(S), count(T) + count(B) + count(R)), B, count(T)), count(S))
    = write(A, B, count(S) + count(T))
    ≠ write(A, B, count(S))
""",
)
