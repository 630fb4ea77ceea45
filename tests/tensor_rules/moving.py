"""Rules that move entries: broadcast, concatenate, iota, pad, transpose, reverse, slice, and dynamic slices.

Strides and the distances of padding between entries are numbers, several of them at once: 1, 2 and 3, or 0, 1 and 2.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from .rule import Rule, count


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


BROADCAST = [
    Rule(
        "broadcast/01",
        "Add(Broadcast(A), Broadcast(B)) ⇒ Broadcast(Add(A, B))",
        "A: n, B: n, M: m",
        lambda A, B, M: wider(A, count(M)) + wider(B, count(M)),
        lambda A, B, M: wider(A + B, count(M)),
        lambda A, B, M: wider(A - B, count(M)),
    ),
    Rule(
        "broadcast/02",
        "Mul(Broadcast(A), Broadcast(B)) ⇒ Broadcast(Mul(A, B))",
        "A: n, B: n, M: m",
        lambda A, B, M: wider(A, count(M)) * wider(B, count(M)),
        lambda A, B, M: wider(A * B, count(M)),
        lambda A, B, M: wider(A * A, count(M)),
    ),
    Rule(
        "broadcast/03",
        "Transpose(Broadcast(Scalar)) ⇒ Broadcast(Scalar)",
        "c:, N: n, M: m",
        lambda c, N, M: jnp.full((count(N), count(M)), c).T,
        lambda c, N, M: jnp.full((count(M), count(N)), c),
        lambda c, N, M: jnp.full((count(M), count(N)), -c),
    ),
    Rule(
        "broadcast/04",
        "Reverse(Broadcast(Scalar)) ⇒ Broadcast(Scalar)",
        "c:, N: n, M: m",
        lambda c, N, M: lax.rev(jnp.full((count(N), count(M)), c), (0,)),
        lambda c, N, M: jnp.full((count(N), count(M)), c),
        lambda c, N, M: jnp.full((count(N), count(M)), c * c),
    ),
    Rule(
        "broadcast/05",
        "Slice(Broadcast(Scalar)) ⇒ Broadcast(Scalar)",
        "c:, S: s, N: n, A: s+3*n+r",
        lambda c, S, N, A: [part(jnp.full(A.shape, c), count(S), count(N), k) for k in (1, 2, 3)],
        lambda c, S, N, A: [jnp.full(N.shape, c)] * 3,
        lambda c, S, N, A: [jnp.full(N.shape, c), jnp.full(N.shape, 2 * c), jnp.full(N.shape, c)],
    ),
    Rule(
        "broadcast/06",
        "DynamicSlice(Broadcast(Scalar)) ⇒ Broadcast(Scalar)",
        "c:, S: s, N: n, A: s+n+r",
        lambda c, S, N, A: read(jnp.full(A.shape, c), count(S), count(N)),
        lambda c, S, N, A: jnp.full(N.shape, c),
        lambda c, S, N, A: jnp.full(N.shape, c + 1),
    ),
    Rule(
        "broadcast/07",
        "Broadcast(Iota) ⇒ Iota",
        "N: n, M: m",
        lambda N, M: wider(iota(count(N)), count(M)),
        lambda N, M: lax.broadcasted_iota(jnp.int32, (count(N), count(M)), 0),
        lambda N, M: lax.broadcasted_iota(jnp.int32, (count(N), count(M)), 1),
    ),
    Rule(
        "broadcast/08",
        "Broadcast(Broadcast(A, shape, dims), shape2, dims2) ⇒ Broadcast(A, shape3, dims3)",
        "A: n, M: m, K: k",
        lambda A, M, K: wider(wider(A, count(M)), count(K)),
        lambda A, M, K: lax.broadcast_in_dim(A, (count(A), count(M), count(K)), (0,)),
        lambda A, M, K: lax.broadcast_in_dim(-A, (count(A), count(M), count(K)), (0,)),
    ),
]

CONCAT = [
    Rule(
        "concat/01",
        "ConcatList(A, B) ⇒ Concat(A, B)",
        "A: k n, B: k m",
        lambda A, B: jnp.concatenate([A, B], axis=1),
        lambda A, B: jnp.append(A, B, axis=1),
        lambda A, B: jnp.append(B, A, axis=1),
    ),
    Rule(
        "concat/02",
        "Concat(A, Concat(B, C)) ⇒ Concat(Concat(A, B), C)",
        "A: k n, B: k m, C: k l",
        lambda A, B, C: jnp.append(A, jnp.append(B, C, axis=1), axis=1),
        lambda A, B, C: jnp.append(jnp.append(A, B, axis=1), C, axis=1),
        lambda A, B, C: jnp.append(jnp.append(A, C, axis=1), B, axis=1),
    ),
    Rule(
        "concat/03",
        "ConcatList(A, B, C) ⇒ Concat(A, Concat(B, C))",
        "A: k n, B: k m, C: k l",
        lambda A, B, C: jnp.concatenate([A, B, C], axis=1),
        lambda A, B, C: jnp.append(A, jnp.append(B, C, axis=1), axis=1),
        lambda A, B, C: jnp.append(jnp.append(B, C, axis=1), A, axis=1),
    ),
    Rule(
        "concat/04",
        "Concat(Slice(A), Slice(A)) ⇒ Slice(A)",
        "A: s+n+m+r t+2*k+u, S: s, N: n, M: m, T: t, K: k",
        lambda A, S, N, M, T, K: jnp.concatenate(
            [
                part(part(A, count(S), count(N)).T, count(T), count(K), 2).T,
                part(part(A, count(S) + count(N), count(M)).T, count(T), count(K), 2).T,
            ]
        ),
        lambda A, S, N, M, T, K: (
            part(part(A, count(S), count(N) + count(M)).T, count(T), count(K), 2).T
        ),
        lambda A, S, N, M, T, K: (
            part(part(A, count(S), count(N) + count(M)).T, count(T), count(K), 1).T
        ),
    ),
    Rule(
        "concat/05",
        "Concat(Broadcast(Scalar), B) ⇒ Pad(B, scalar, low)",
        "B: n m, c:, L: l",
        lambda B, c, L: jnp.concatenate([jnp.full((count(L), B.shape[1]), c), B]),
        lambda B, c, L: padded(B, c, (count(L), 0, 0), (0, 0, 0)),
        lambda B, c, L: padded(B, c, (0, count(L), 0), (0, 0, 0)),
    ),
    Rule(
        "concat/06",
        "Concat(A, Broadcast(Scalar)) ⇒ Pad(A, scalar, high)",
        "A: n m, c:, H: h",
        lambda A, c, H: jnp.concatenate([A, jnp.full((count(H), A.shape[1]), c)]),
        lambda A, c, H: padded(A, c, (0, count(H), 0), (0, 0, 0)),
        lambda A, c, H: padded(A, c, (count(H), 0, 0), (0, 0, 0)),
    ),
    Rule(
        "concat/07",
        "Concat(A, Concat(B, C)) ⇒ ConcatList(A, B, C)",
        "A: k n, B: k m, C: k l",
        lambda A, B, C: jnp.append(A, jnp.append(B, C, axis=1), axis=1),
        lambda A, B, C: jnp.concatenate([A, B, C], axis=1),
        lambda A, B, C: jnp.concatenate([A, C, B], axis=1),
    ),
]

IOTA = [
    Rule(
        "iota/01",
        "Iota ⇒ Zero",
        "A: 1 m",
        lambda A: lax.broadcasted_iota(jnp.int32, A.shape, 0),
        lambda A: jnp.zeros(A.shape, jnp.int32),
        lambda A: lax.broadcasted_iota(jnp.int32, A.shape, 1),
    ),
]

PAD = [
    Rule(
        "pad/01",
        "Pad(A, val, 0_0_0) ⇒ A",
        "A: n m, c:",
        lambda A, c: padded(A, c, (0, 0, 0), (0, 0, 0)),
        lambda A, c: A,
        lambda A, c: A + c,
    ),
    Rule(
        "pad/02",
        "Pad(A, val, low_int_high) ⇒ Pad(A, val, low_0_high)",
        "A: n 1, c:, L: l, H: h, E: e, G: g",
        lambda A, c, L, H, E, G: [
            padded(A, c, (count(L), count(H), k), (count(E), count(G), 2)) for k in (0, 1, 2)
        ],
        lambda A, c, L, H, E, G: [
            padded(A, c, (count(L), count(H), k), (count(E), count(G), 0)) for k in (0, 1, 2)
        ],
        lambda A, c, L, H, E, G: [
            padded(A, c, (count(L), count(H), k), (count(G), count(E), 0)) for k in (0, 1, 2)
        ],
        {"n": 1},
    ),
    Rule(
        "pad/03",
        "Pad(Broadcast(A), v, low_0_0) ⇒ Broadcast(Pad(Broadcast(A), v))",
        "A: n, c:, M: m, K: k, L: l, H: h, E: e, G: g",
        lambda A, c, M, K, L, H, E, G: padded(
            wider(wider(A, count(M)), count(K)),
            c,
            (count(L), count(H), 1),
            (count(E), count(G), 0),
            (0, 0, 0),
        ),
        lambda A, c, M, K, L, H, E, G: wider(
            padded(wider(A, count(M)), c, (count(L), count(H), 1), (count(E), count(G), 0)),
            count(K),
        ),
        lambda A, c, M, K, L, H, E, G: wider(
            padded(wider(A, count(M)), c, (count(H), count(L), 1), (count(E), count(G), 0)),
            count(K),
        ),
        {"n": 1},
    ),
    Rule(
        "pad/04",
        "Pad(A, val, negative_negative) ⇒ Slice(Pad(A, val, 0_0), abs(negative),negative+size)",
        "A: n m+h l+k e+i+g, c:, L: l, H: h, E: e, G: g",
        lambda A, c, L, H, E, G: padded(
            A,
            c,
            (count(L), count(H), 0),
            (count(L), -count(H), 0),
            (-count(L), count(H), 0),
            (-count(E), -count(G), 0),
        ),
        lambda A, c, L, H, E, G: padded(
            A, c, (count(L), count(H), 0), (count(L), 0, 0), (0, count(H), 0), (0, 0, 0)
        )[:, : A.shape[1] + count(L) - count(H), count(L) :, count(E) : A.shape[3] - count(G)],
        lambda A, c, L, H, E, G: padded(
            A, c, (count(L), count(H), 0), (count(L), 0, 0), (0, count(H), 0), (0, 0, 0)
        )[:, count(H) :, count(L) :, count(E) : A.shape[3] - count(G)],
    ),
]

RELABEL = [
    Rule(
        "relabel/01",
        "Transpose(Transpose(A)) ⇒ Transpose(A)",
        "A: n m k",
        lambda A: A.transpose(1, 2, 0).transpose(1, 0, 2),
        lambda A: A.transpose(2, 1, 0),
        lambda A: A[::-1].transpose(2, 1, 0),
    ),
    Rule(
        "relabel/02",
        "Transpose(A) ⇒ A",
        "A: n m",
        lambda A: lax.transpose(A, (0, 1)),
        lambda A: A,
        lambda A: -A,
    ),
]

REVERSE = [
    Rule(
        "reverse/01",
        "Reverse(A, dims) ⇒ A",
        "A: 1 m",
        lambda A: lax.rev(A, (0,)),
        lambda A: A,
        lambda A: lax.rev(A, (1,)),
    ),
    Rule(
        "reverse/02",
        "Reverse(Reverse(A, dims1), dims2) ⇒ A",
        "A: n m",
        lambda A: lax.rev(lax.rev(A, (0,)), (0,)),
        lambda A: A,
        lambda A: lax.rev(A, (0,)),
    ),
    Rule(
        "reverse/03",
        "Reverse(Reverse(A, dims1), dims2) ⇒ Reverse(A, disjoint union of dims1 and dims2)",
        "A: n m k",
        lambda A: lax.rev(lax.rev(A, (0, 1)), (1, 2)),
        lambda A: lax.rev(A, (0, 2)),
        lambda A: lax.rev(A, (0, 1, 2)),
    ),
    Rule(
        "reverse/04",
        "Reverse(Binary(A, Const)) ⇒ Binary(Reverse(A), Const)",
        "A: n m, c:",
        lambda A, c: lax.rev(A + jnp.full(A.shape, c), (0,)),
        lambda A, c: lax.rev(A, (0,)) + jnp.full(A.shape, c),
        lambda A, c: lax.rev(A, (1,)) + jnp.full(A.shape, c),
    ),
]

SLICE = [
    Rule(
        "slice/01",
        "Slice(A) ⇒ A",
        "A: n m",
        lambda A: lax.slice(A, (0, 0), A.shape, (1, 1)),
        lambda A: A,
        lambda A: A[::-1],
    ),
    Rule(
        "slice/02",
        "Slice(Const) ⇒ Const",
        "c:, S: s, N: n, A: s+3*n+r",
        lambda c, S, N, A: [part(jnp.full(A.shape, c), count(S), count(N), k) for k in (1, 2, 3)],
        lambda c, S, N, A: [jnp.full(N.shape, c)] * 3,
        lambda c, S, N, A: [jnp.full(N.shape, c + k) for k in (0, 0, 1)],
    ),
    Rule(
        "slice/03",
        "Slice(Broadcast(A)) ⇒ Broadcast(Slice(A))",
        "A: s+2*n+r, S: s, N: n, M: t+3*m+u, T: t, K: m",
        lambda A, S, N, M, T, K: lax.slice(
            wider(A, count(M)),
            (count(S), count(T)),
            (count(S) + 2 * count(N), count(T) + 3 * count(K)),
            (2, 3),
        ),
        lambda A, S, N, M, T, K: wider(part(A, count(S), count(N), 2), count(K)),
        lambda A, S, N, M, T, K: wider(part(A, count(S), count(N), 1), count(K)),
    ),
    Rule(
        "slice/04",
        "Slice(Pad(A)) ⇒ A",
        "A: n, c:, L: l, H: h",
        lambda A, c, L, H: [
            lax.slice(
                padded(A, c, (count(L), count(H), k)),
                (count(L),),
                (count(L) + count(A) + (count(A) - 1) * k,),
                (k + 1,),
            )
            for k in (0, 1, 2)
        ],
        lambda A, c, L, H: [A, A, A],
        lambda A, c, L, H: [A, A, A[::-1]],
        {"n": 1},
    ),
    Rule(
        "slice/05",
        "Slice(Pad(A, v)) ⇒ Broadcast(v)",
        "A: n, c:, S: s, N: k, L: s+k+r, H: h",
        lambda A, c, S, N, L, H: [
            # before A, and behind it
            part(padded(A, c, (count(L), count(H), 1)), count(S), count(N)),
            part(
                padded(A, c, (count(H), count(L), 1)),
                count(H) + 2 * count(A) - 1 + count(S),
                count(N),
            ),
        ],
        lambda A, c, S, N, L, H: [jnp.full(N.shape, c)] * 2,
        lambda A, c, S, N, L, H: [jnp.full(N.shape, c), jnp.full(N.shape, -c)],
        {"n": 1},
    ),
    Rule(
        "slice/06",
        "Slice(Pad(A, v)) ⇒ Slice(A)",
        "A: s+n+r, c:, S: s, N: n, L: l, H: h",
        lambda A, c, S, N, L, H: part(
            padded(A, c, (count(L), count(H), 0)), count(L) + count(S), count(N)
        ),
        lambda A, c, S, N, L, H: part(A, count(S), count(N)),
        lambda A, c, S, N, L, H: part(padded(A, c, (count(L), count(H), 0)), count(S), count(N)),
    ),
    Rule(
        "slice/07",
        "Slice(Slice(A)) ⇒ Slice(A)",
        "A: s+t+n+r+u, S: s, T: t, N: n, R: r",
        lambda A, S, T, N, R: part(
            part(A, count(S), count(T) + count(N) + count(R)), count(T), count(N)
        ),
        lambda A, S, T, N, R: part(A, count(S) + count(T), count(N)),
        lambda A, S, T, N, R: part(A, count(S) + count(R), count(N)),
    ),
    Rule(
        "slice/08",
        "Slice(Concat(A, B), A.size, A.size + B.size) ⇒ B",
        "A: n s+2*k+r, B: m s+2*k+r, S: s, K: k",
        lambda A, B, S, K: lax.slice(
            jnp.concatenate([A, B]),
            (A.shape[0], count(S)),
            (A.shape[0] + B.shape[0], count(S) + 2 * count(K)),
            (1, 2),
        ),
        lambda A, B, S, K: part(B.T, count(S), count(K), 2).T,
        lambda A, B, S, K: part(B.T, count(S), count(K), 1).T,
    ),
    Rule(
        "slice/09",
        "Slice(Broadcast(A)) ⇒ Broadcast(A)",
        "A: n, M: t+2*m+u, T: t, K: m",
        lambda A, M, T, K: lax.slice(
            wider(A, count(M)), (0, count(T)), (count(A), count(T) + 2 * count(K)), (1, 2)
        ),
        lambda A, M, T, K: wider(A, count(K)),
        lambda A, M, T, K: wider(A[::-1], count(K)),
    ),
    Rule(
        "slice/10",
        "Slice(Concat(A, B)) ⇒ Slice(A)",
        "A: s+2*n+r k, B: m k, S: s, N: n",
        lambda A, B, S, N: part(jnp.concatenate([A, B]), count(S), count(N), 2),
        lambda A, B, S, N: part(A, count(S), count(N), 2),
        lambda A, B, S, N: part(jnp.concatenate([B, A]), count(S), count(N), 2),
    ),
    Rule(
        "slice/11",
        "Slice(Concat(A, B)) ⇒ Slice(B)",
        "A: m k, B: s+2*n+r k, S: s, N: n",
        lambda A, B, S, N: part(jnp.concatenate([A, B]), A.shape[0] + count(S), count(N), 2),
        lambda A, B, S, N: part(B, count(S), count(N), 2),
        lambda A, B, S, N: part(jnp.concatenate([A, B]), count(S), count(N), 2),
    ),
    Rule(
        "slice/12",
        "Slice(Concat(A, B, C)) ⇒ Slice(Concat(B, C))",
        "A: m k, B: s+n k, C: n+r k, S: s, N: n",
        lambda A, B, C, S, N: part(jnp.concatenate([A, B, C]), A.shape[0] + count(S), count(N), 2),
        lambda A, B, C, S, N: part(jnp.concatenate([B, C]), count(S), count(N), 2),
        lambda A, B, C, S, N: part(jnp.concatenate([C, B]), count(S), count(N), 2),
    ),
    Rule(
        "slice/13",
        "Slice(Reverse(A, dims), start, stride, end) ⇒ Reverse(Slice(A, ...), dims)",
        "A: s+3*n+r k, S: s, N: n",
        lambda A, S, N: [part(lax.rev(A, (0,)), count(S), count(N), k) for k in (1, 2, 3)],
        # The slice ends where the other begins, and begins with the last row that the other has.
        lambda A, S, N: [
            lax.rev(
                lax.slice_in_dim(
                    A, A.shape[0] - count(S) - k * (count(N) - 1) - 1, A.shape[0] - count(S), k
                ),
                (0,),
            )
            for k in (1, 2, 3)
        ],
        lambda A, S, N: [
            lax.rev(
                lax.slice_in_dim(A, A.shape[0] - count(S) - k * count(N), A.shape[0] - count(S), k),
                (0,),
            )
            for k in (1, 2, 3)
        ],
        {"n": 1},
    ),
]

DYNAMIC_SLICE = [
    Rule(
        "dyslice/01",
        "DynamicSlice(A) ⇒ Slice(A)",
        "A: s+n+r k, S: s, N: n",
        lambda A, S, N: read(A, count(S), count(N)),
        lambda A, S, N: part(A, count(S), count(N)),
        lambda A, S, N: A[: count(N)],
    ),
    Rule(
        "dyslice/02",
        "DynamicSlice(A,...) ⇒ A // output shape is the same as input shape",
        "A: n m, S: s",
        # A start that would run over the end is moved, so that it may be any.
        lambda A, S: lax.dynamic_slice(A, (0, count(S)), A.shape),
        lambda A, S: A,
        lambda A, S: A[:, ::-1],
    ),
    Rule(
        "dyslice/03",
        "DynamicSlice(Broadcast(A), ...) ⇒ Broadcast(DynamicSlice(A, ...))",
        "A: s+n+r, S: s, N: n, M: t+m+u, T: t, K: m",
        lambda A, S, N, M, T, K: lax.dynamic_slice(
            wider(A, count(M)), (count(S), count(T)), (count(N), count(K))
        ),
        lambda A, S, N, M, T, K: wider(read(A, count(S), count(N)), count(K)),
        lambda A, S, N, M, T, K: wider(A[: count(N)], count(K)),
    ),
    Rule(
        "dyslice/04",
        "DynamicSlice(Transpose(A), ...) ⇒ Transpose(DynamicSlice(A, ...))",
        "A: s+n+r t+m+u, S: s, N: n, T: t, M: m",
        lambda A, S, N, T, M: lax.dynamic_slice(A.T, (count(T), count(S)), (count(M), count(N))),
        lambda A, S, N, T, M: lax.dynamic_slice(A, (count(S), count(T)), (count(N), count(M))).T,
        lambda A, S, N, T, M: lax.dynamic_slice(A, (count(S), 0), (count(N), count(M))).T,
    ),
    Rule(
        "dyslice/05",
        "DynamicSlice(DynamicSlice(A,...),...) ⇒ DynamicSlice(A,...)",
        "A: s+t+n+r+u, S: s, T: t, N: n, R: r",
        lambda A, S, T, N, R: read(
            read(A, count(S), count(T) + count(N) + count(R)), count(T), count(N)
        ),
        lambda A, S, T, N, R: read(A, count(S) + count(T), count(N)),
        lambda A, S, T, N, R: read(A, count(S), count(N)),
    ),
]

DYNAMIC_SLICE_OF_IOTA = Rule(
    "dyslice/06",
    "DynamicSlice(Iota) ⇒ index",
    "A: s+1+r, S: s",
    lambda A, S: read(iota(count(A)), count(S), 1),
    lambda A, S: jnp.full((1,), count(S), jnp.int32),
    lambda A, S: jnp.full((1,), count(S) + 1, jnp.int32),
    verified=False,
)

DYNAMIC_UPDATE_SLICE = [
    Rule(
        "dyupslice/01",
        "Add(A, DynamicUpdateSlice(Broadcast(0), B) ⇒ DynamicUpdateSlice(A,...)",
        "A: s+n+r k, B: n k, S: s",
        lambda A, B, S: A + write(jnp.zeros(A.shape), B, count(S)),
        lambda A, B, S: write(A, B + read(A, count(S), count(B)), count(S)),
        lambda A, B, S: write(A, B, count(S)),
    ),
    Rule(
        "dyupslice/02",
        "DynamicUpdateSlice(Broadcast(Const), A, ...) ⇒ Pad(A, Const, start_0_rest)",
        "A: n k, c:, S: s, R: r",
        lambda A, c, S, R: write(
            jnp.full((count(S) + A.shape[0] + count(R), A.shape[1]), c), A, count(S)
        ),
        lambda A, c, S, R: padded(A, c, (count(S), count(R), 0), (0, 0, 0)),
        lambda A, c, S, R: padded(A, c, (count(R), count(S), 0), (0, 0, 0)),
    ),
    Rule(
        "dyupslice/03",
        "DynamicUpdateSlice(A, B, 0) ⇒ B",
        "A: n k, B: n k",
        lambda A, B: write(A, B, 0),
        lambda A, B: B,
        lambda A, B: A,
    ),
    Rule(
        "dyupslice/04",
        "DynamicUpdateSlice(A, DynamicUpdateSlice(DynamicSlice(A, ...), B, ...), ...)) ⇒ "
        "DynamicUpdateSlice(A, B, ...)",
        "A: s+t+n+r+u k, B: n k, S: s, T: t, R: r",
        lambda A, B, S, T, R: write(
            A,
            write(read(A, count(S), count(T) + count(B) + count(R)), B, count(T)),
            count(S),
        ),
        lambda A, B, S, T, R: write(A, B, count(S) + count(T)),
        lambda A, B, S, T, R: write(A, B, count(S)),
    ),
]

RULES = [
    *BROADCAST,
    *CONCAT,
    *IOTA,
    *PAD,
    *RELABEL,
    *REVERSE,
    *SLICE,
    *DYNAMIC_SLICE,
    DYNAMIC_SLICE_OF_IOTA,
    *DYNAMIC_UPDATE_SLICE,
]
