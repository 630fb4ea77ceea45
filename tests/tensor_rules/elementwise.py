"""Rules of arithmetic, comparisons, masks and selections.

A constant of a rule is a number that is spread over the array. A mask is P > 0 for any array P of real numbers.
"""

import jax.numpy as jnp
from jax import lax

from .rule import count, rules


def spread(number, like):
    """The number at every place of an array's shape."""
    return jnp.full(like.shape, number)


def rows(like):
    """The number of each row, at all places of it."""
    return lax.broadcasted_iota(jnp.int32, like.shape, 0)


def whole(array, like):
    """The whole number that an array stands for, at every place."""
    return jnp.full(like.shape, count(array), jnp.int32)


RULES = rules(
    globals(),
    """
add/01: Add(Add(A, c1), c2) ⇒ Add(A, Add(c1, c2))
    A: n m, c:, d:
    A + spread(c, A) + spread(d, A) = A + (spread(c, A) + spread(d, A)) ≠ A + (spread(c, A) - spread(d, A))
add/02: Add(A, 0) ⇒ A
    A: n m
    A + jnp.zeros(A.shape) = A ≠ -A
add/03: Add(0, A) ⇒ A
    A: n m
    jnp.zeros(A.shape) + A = A ≠ jnp.zeros(A.shape)
add/04: Add(Const, A) ⇒ Add(A, Const)
    A: n m, c:
    spread(c, A) + A = A + spread(c, A) ≠ A - spread(c, A)

sub/00: Sub(A, 0) ⇒ A
    A: n m
    A - jnp.zeros(A.shape) = A ≠ jnp.zeros(A.shape) - A
sub/01: Sub(A, Const) ⇒ Add(A, Neg(Const))
    A: n m, c:
    A - spread(c, A) = A + spread(-c, A) ≠ A + spread(c, A)
sub/02: Sub(A, A) ⇒ 0
    A: n m
    A - A = jnp.zeros(A.shape) ≠ A

mul/01: Mul(A, 1) ⇒ A
    A: n m
    A * jnp.ones(A.shape) = A ≠ jnp.ones(A.shape)
mul/02: Mul(1, A) ⇒ A
    A: n m
    jnp.ones(A.shape) * A = A ≠ A * A
mul/03: Mul(A, 0) ⇒ 0
    A: n m
    A * jnp.zeros(A.shape) = jnp.zeros(A.shape) ≠ A
mul/04: Mul(0, A) ⇒ 0
    A: n m
    jnp.zeros(A.shape) * A = jnp.zeros(A.shape) ≠ jnp.ones(A.shape)
mul/05: Mul(Mul(A, Const1), Mul(B, Const2)) ⇒ Mul(Mul(A, B), Mul(Const1, Const2))
    A: n m, B: n m, c:, d:
    A * spread(c, A) * (B * spread(d, B))
    = A * B * (spread(c, A) * spread(d, B))
    ≠ A * B * (spread(c, A) * spread(c, B))
mul/06: Mul(Mul(A, Const1), Const2) ⇒ Mul(A, Mul(Const1, Const2))
    A: n m, c:, d:
    A * spread(c, A) * spread(d, A) = A * (spread(c, A) * spread(d, A)) ≠ A * (spread(c, A) + spread(d, A))
mul/07: Mul(Mul(A, Const1), Broadcast(B)) ⇒ Mul(Broadcast(Mul(B, Const1)), A)
    A: n m, B: n, c:
    A * spread(c, A) * lax.broadcast_in_dim(B, A.shape, (0,))
    = lax.broadcast_in_dim(B * spread(c, B), A.shape, (0,)) * A
    ≠ lax.broadcast_in_dim(B + spread(c, B), A.shape, (0,)) * A
mul/08: Add(Mul(A, C), Mul(B, C)) ⇒ Mul(Add(A, B), C)
    A: n m, B: n m, C: n m
    A * C + B * C = (A + B) * C ≠ (A + C) * B
mul/09: Mul(Abs(A), Abs(A)) ⇒ Mul(A, A)
    A: n m
    jnp.abs(A) * jnp.abs(A) = A * A ≠ A * jnp.abs(A)
mul/10: Mul(Exp(A), Exp(B)) ⇒ Exp(Add(A, B))
    A: n m, B: n m
    jnp.exp(A) * jnp.exp(B) = jnp.exp(A + B) ≠ jnp.exp(A - B)

divmod/01: Div(A, 1) ⇒ A
    A: n m
    A / jnp.ones(A.shape) = A ≠ 1 / A
divmod/02: Div(A, Const) ⇒ Mul(A, 1/Const)
    A: n m, c:
    A / spread(c, A) = A * spread(1 / c, A) ≠ A * spread(c, A)
divmod/03: Divide(Divide(A, B), Divide(C, D)) ⇒ Divide(Mul(A, D), Mul(B, C))
    A: n m, B: n m, C: n m, D: n m
    A / B / (C / D) = A * D / (B * C) ≠ A * C / (B * D)
divmod/04: Divide(A, Divide(B, C)) ⇒ Divide(Mul(A, C), B)
    A: n m, B: n m, C: n m
    A / (B / C) = A * C / B ≠ A * B / C
divmod/05: Rem(Rem(A, B), B) ⇒ Rem(A, B)
    A: n m, B: n m
    lax.rem(lax.rem(A, B), B) = lax.rem(A, B) ≠ lax.rem(B, A)
divmod/06: Rem(Iota, Const) ⇒ Iota
    A: n m, K: k; n ≥ 1
    lax.rem(rows(A), jnp.full(A.shape, A.shape[0] + count(K), jnp.int32)) = rows(A) ≠ rows(A) + 1
divmod/07: Rem(Add(Iota, Const), Const) ⇒ Rem(Iota, Const)
    A: n m, C: c; c ≥ 1
    lax.rem(rows(A) + whole(C, A), whole(C, A))
    = lax.rem(rows(A), whole(C, A))
    ≠ lax.rem(rows(A) + 1, whole(C, A))
divmod/08: Rem(Add(X, Const), Const) ⇒ Rem(X, Const)
    A: n m, X: x, C: c; c ≥ 1
    lax.rem(whole(X, A) + whole(C, A), whole(C, A))
    = lax.rem(whole(X, A), whole(C, A))
    ≠ lax.rem(whole(X, A) + 1, whole(C, A))

not/01: Not(Not(A)) ⇒ A
    P: n m
    ~~(P > 0) = P > 0 ≠ ~(P > 0)
not/02: Negate(Negate(A)) ⇒ A
    A: n m
    lax.neg(lax.neg(A)) = A ≠ -A

logical/01: Or(A, True) ⇒ True
    P: n m
    (P > 0) | spread(True, P) = spread(True, P) ≠ P > 0
logical/02: Or(True, A) ⇒ True
    P: n m
    spread(True, P) | (P > 0) = spread(True, P) ≠ spread(False, P)
logical/03: Or(A, False) ⇒ A
    P: n m
    (P > 0) | spread(False, P) = P > 0 ≠ P >= 0
logical/04: Or(False, A) ⇒ A
    P: n m
    spread(False, P) | (P > 0) = P > 0 ≠ P < 0
logical/05: And(A, 1) ⇒ A
    P: n m
    (P > 0) & spread(True, P) = P > 0 ≠ spread(True, P)
logical/06: And(1, A) ⇒ A
    P: n m
    spread(True, P) & (P > 0) = P > 0 ≠ ~(P > 0)
logical/07: And(A, 0) ⇒ 0
    P: n m
    (P > 0) & spread(False, P) = spread(False, P) ≠ P > 0
logical/08: And(0, A) ⇒ 0
    P: n m
    spread(False, P) & (P > 0) = spread(False, P) ≠ spread(True, P)
logical/09: And(A < Const, Const1 > A) ⇒ Lt(A, min(Const, Const1))
    A: n m, c:, d:
    lax.lt(A, spread(c, A)) & lax.gt(spread(d, A), A)
    = lax.lt(A, jnp.minimum(spread(c, A), spread(d, A)))
    ≠ lax.lt(A, jnp.maximum(spread(c, A), spread(d, A)))
logical/10: Gt(Max(A, B), B) ⇒ Gt(A, B)
    A: n m, B: n m
    jnp.maximum(A, B) > B = A > B ≠ A >= B
logical/11: Gt(Max(A, B), A) ⇒ Gt(B, A)
    A: n m, B: n m
    jnp.maximum(A, B) > A = B > A ≠ A > B

max/01: Max(A, -inf) ⇒ A
    A: n m
    jnp.maximum(A, spread(-jnp.inf, A)) = A ≠ jnp.maximum(A, 0)
max/02: Min(A, inf) ⇒ A
    A: n m
    jnp.minimum(A, spread(jnp.inf, A)) = A ≠ jnp.minimum(A, 0)

clamp/01: Clamp(c1, Clamp(c1, A, c2), c2) ⇒ Clamp(c1, A, c2)
    A: n m, C: n m, D: n m
    lax.clamp(C, lax.clamp(C, A, D), D) = lax.clamp(C, A, D) ≠ lax.clamp(D, A, C)
clamp/02: Max(Broadcast(c1), Min(A, Broadcast(c2))) ⇒ Clamp(c1, A, c2)
    A: n m, C: n m, D: n m
    jnp.maximum(C, jnp.minimum(A, C + jnp.abs(D))) = lax.clamp(C, A, C + jnp.abs(D)) ≠ lax.clamp(C, A, C + D)
clamp/03: Min(Broadcast(c1), Max(A, Broadcast(c2))) ⇒ Clamp(c1, A, c2)
    A: n m, C: n m, D: n m
    jnp.minimum(C, jnp.maximum(A, D)) = lax.clamp(D, A, C) ≠ lax.clamp(C, A, D)

compare/01: Gt(A, A) ⇒ False
    A: n m
    A > A = spread(False, A) ≠ A > 0
compare/02: Lt(A, A) ⇒ False
    A: n m
    A < A = spread(False, A) ≠ A < 1
compare/03: Ne(A, A) ⇒ False
    A: n m
    A != A = spread(False, A) ≠ spread(True, A)
compare/04: Ge(A, A) ⇒ True
    A: n m
    A >= A = spread(True, A) ≠ A >= 0
compare/05: Le(A, A) ⇒ True
    A: n m
    A <= A = spread(True, A) ≠ A <= -A
compare/06: Eqv(A, A) ⇒ True
    A: n m
    A == A = spread(True, A) ≠ A == 0

select/01: Select(P, A, A) ⇒ A
    P: n m, A: n m
    lax.select(P > 0, A, A) = A ≠ lax.select(P > 0, A, -A)
select/02: Select(True, A, B) ⇒ A
    A: n m, B: n m
    lax.select(spread(True, A), A, B) = A ≠ B
select/03: Select(False, A, B) ⇒ B
    A: n m, B: n m
    lax.select(spread(False, A), A, B) = B ≠ A
select/04: Select(Not(P), A, B) ⇒ Select(P, B, A)
    P: n m, A: n m, B: n m
    lax.select(~(P > 0), A, B) = lax.select(P > 0, B, A) ≠ lax.select(P > 0, A, B)
""",
)
