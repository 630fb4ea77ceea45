"""Rules of arithmetic, comparisons, masks and selections.

A constant of a rule is a number that is spread over the array. A mask is P > 0 for any array P of real numbers.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from .rule import Rule, count


def spread(number, like):
    """The number at every place of an array's shape."""
    return jnp.full(like.shape, number)


def rows(like):
    """The number of each row, at all places of it."""
    return lax.broadcasted_iota(jnp.int32, like.shape, 0)


def whole(array, like):
    """The whole number that an array stands for, at every place."""
    return jnp.full(like.shape, count(array), jnp.int32)


ADD = [
    Rule(
        "add/01",
        "Add(Add(A, c1), c2) ⇒ Add(A, Add(c1, c2))",
        "A: n m, c:, d:",
        lambda A, c, d: (A + spread(c, A)) + spread(d, A),
        lambda A, c, d: A + (spread(c, A) + spread(d, A)),
        lambda A, c, d: A + (spread(c, A) - spread(d, A)),
    ),
    Rule(
        "add/02",
        "Add(A, 0) ⇒ A",
        "A: n m",
        lambda A: A + jnp.zeros(A.shape),
        lambda A: A,
        lambda A: -A,
    ),
    Rule(
        "add/03",
        "Add(0, A) ⇒ A",
        "A: n m",
        lambda A: jnp.zeros(A.shape) + A,
        lambda A: A,
        lambda A: jnp.zeros(A.shape),
    ),
    Rule(
        "add/04",
        "Add(Const, A) ⇒ Add(A, Const)",
        "A: n m, c:",
        lambda A, c: spread(c, A) + A,
        lambda A, c: A + spread(c, A),
        lambda A, c: A - spread(c, A),
    ),
]

SUB = [
    Rule(
        "sub/00",
        "Sub(A, 0) ⇒ A",
        "A: n m",
        lambda A: A - jnp.zeros(A.shape),
        lambda A: A,
        lambda A: jnp.zeros(A.shape) - A,
    ),
    Rule(
        "sub/01",
        "Sub(A, Const) ⇒ Add(A, Neg(Const))",
        "A: n m, c:",
        lambda A, c: A - spread(c, A),
        lambda A, c: A + spread(-c, A),
        lambda A, c: A + spread(c, A),
    ),
    Rule(
        "sub/02",
        "Sub(A, A) ⇒ 0",
        "A: n m",
        lambda A: A - A,
        lambda A: jnp.zeros(A.shape),
        lambda A: A,
    ),
]

MUL = [
    Rule(
        "mul/01",
        "Mul(A, 1) ⇒ A",
        "A: n m",
        lambda A: A * jnp.ones(A.shape),
        lambda A: A,
        lambda A: jnp.ones(A.shape),
    ),
    Rule(
        "mul/02",
        "Mul(1, A) ⇒ A",
        "A: n m",
        lambda A: jnp.ones(A.shape) * A,
        lambda A: A,
        lambda A: A * A,
    ),
    Rule(
        "mul/03",
        "Mul(A, 0) ⇒ 0",
        "A: n m",
        lambda A: A * jnp.zeros(A.shape),
        lambda A: jnp.zeros(A.shape),
        lambda A: A,
    ),
    Rule(
        "mul/04",
        "Mul(0, A) ⇒ 0",
        "A: n m",
        lambda A: jnp.zeros(A.shape) * A,
        lambda A: jnp.zeros(A.shape),
        lambda A: jnp.ones(A.shape),
    ),
    Rule(
        "mul/05",
        "Mul(Mul(A, Const1), Mul(B, Const2)) ⇒ Mul(Mul(A, B), Mul(Const1, Const2))",
        "A: n m, B: n m, c:, d:",
        lambda A, B, c, d: (A * spread(c, A)) * (B * spread(d, B)),
        lambda A, B, c, d: (A * B) * (spread(c, A) * spread(d, B)),
        lambda A, B, c, d: (A * B) * (spread(c, A) * spread(c, B)),
    ),
    Rule(
        "mul/06",
        "Mul(Mul(A, Const1), Const2) ⇒ Mul(A, Mul(Const1, Const2))",
        "A: n m, c:, d:",
        lambda A, c, d: (A * spread(c, A)) * spread(d, A),
        lambda A, c, d: A * (spread(c, A) * spread(d, A)),
        lambda A, c, d: A * (spread(c, A) + spread(d, A)),
    ),
    Rule(
        "mul/07",
        "Mul(Mul(A, Const1), Broadcast(B)) ⇒ Mul(Broadcast(Mul(B, Const1)), A)",
        "A: n m, B: n, c:",
        lambda A, B, c: (A * spread(c, A)) * lax.broadcast_in_dim(B, A.shape, (0,)),
        lambda A, B, c: lax.broadcast_in_dim(B * spread(c, B), A.shape, (0,)) * A,
        lambda A, B, c: lax.broadcast_in_dim(B + spread(c, B), A.shape, (0,)) * A,
    ),
    Rule(
        "mul/08",
        "Add(Mul(A, C), Mul(B, C)) ⇒ Mul(Add(A, B), C)",
        "A: n m, B: n m, C: n m",
        lambda A, B, C: A * C + B * C,
        lambda A, B, C: (A + B) * C,
        lambda A, B, C: (A + C) * B,
    ),
    Rule(
        "mul/09",
        "Mul(Abs(A), Abs(A)) ⇒ Mul(A, A)",
        "A: n m",
        lambda A: jnp.abs(A) * jnp.abs(A),
        lambda A: A * A,
        lambda A: A * jnp.abs(A),
    ),
    Rule(
        "mul/10",
        "Mul(Exp(A), Exp(B)) ⇒ Exp(Add(A, B))",
        "A: n m, B: n m",
        lambda A, B: jnp.exp(A) * jnp.exp(B),
        lambda A, B: jnp.exp(A + B),
        lambda A, B: jnp.exp(A - B),
    ),
]

DIVMOD = [
    Rule(
        "divmod/01",
        "Div(A, 1) ⇒ A",
        "A: n m",
        lambda A: A / jnp.ones(A.shape),
        lambda A: A,
        lambda A: 1 / A,
    ),
    Rule(
        "divmod/02",
        "Div(A, Const) ⇒ Mul(A, 1/Const)",
        "A: n m, c:",
        lambda A, c: A / spread(c, A),
        lambda A, c: A * spread(1 / c, A),
        lambda A, c: A * spread(c, A),
    ),
    Rule(
        "divmod/03",
        "Divide(Divide(A, B), Divide(C, D)) ⇒ Divide(Mul(A, D), Mul(B, C))",
        "A: n m, B: n m, C: n m, D: n m",
        lambda A, B, C, D: (A / B) / (C / D),
        lambda A, B, C, D: (A * D) / (B * C),
        lambda A, B, C, D: (A * C) / (B * D),
    ),
    Rule(
        "divmod/04",
        "Divide(A, Divide(B, C)) ⇒ Divide(Mul(A, C), B)",
        "A: n m, B: n m, C: n m",
        lambda A, B, C: A / (B / C),
        lambda A, B, C: (A * C) / B,
        lambda A, B, C: (A * B) / C,
    ),
    Rule(
        "divmod/05",
        "Rem(Rem(A, B), B) ⇒ Rem(A, B)",
        "A: n m, B: n m",
        lambda A, B: lax.rem(lax.rem(A, B), B),
        lambda A, B: lax.rem(A, B),
        lambda A, B: lax.rem(B, A),
    ),
    Rule(
        "divmod/06",
        "Rem(Iota, Const) ⇒ Iota",
        "A: n m, K: k",
        lambda A, K: lax.rem(rows(A), jnp.full(A.shape, A.shape[0] + count(K), jnp.int32)),
        lambda A, K: rows(A),
        lambda A, K: rows(A) + 1,
        {"n": 1},
    ),
    Rule(
        "divmod/07",
        "Rem(Add(Iota, Const), Const) ⇒ Rem(Iota, Const)",
        "A: n m, C: c",
        lambda A, C: lax.rem(rows(A) + whole(C, A), whole(C, A)),
        lambda A, C: lax.rem(rows(A), whole(C, A)),
        lambda A, C: lax.rem(rows(A) + 1, whole(C, A)),
        {"c": 1},
    ),
    Rule(
        "divmod/08",
        "Rem(Add(X, Const), Const) ⇒ Rem(X, Const)",
        "A: n m, X: x, C: c",
        lambda A, X, C: lax.rem(whole(X, A) + whole(C, A), whole(C, A)),
        lambda A, X, C: lax.rem(whole(X, A), whole(C, A)),
        lambda A, X, C: lax.rem(whole(X, A) + 1, whole(C, A)),
        {"c": 1},
    ),
]

NOT = [
    Rule(
        "not/01",
        "Not(Not(A)) ⇒ A",
        "P: n m",
        lambda P: ~~(P > 0),
        lambda P: P > 0,
        lambda P: ~(P > 0),
    ),
    Rule(
        "not/02",
        "Negate(Negate(A)) ⇒ A",
        "A: n m",
        lambda A: lax.neg(lax.neg(A)),
        lambda A: A,
        lambda A: -A,
    ),
]

LOGICAL = [
    Rule(
        "logical/01",
        "Or(A, True) ⇒ True",
        "P: n m",
        lambda P: (P > 0) | spread(True, P),
        lambda P: spread(True, P),
        lambda P: P > 0,
    ),
    Rule(
        "logical/02",
        "Or(True, A) ⇒ True",
        "P: n m",
        lambda P: spread(True, P) | (P > 0),
        lambda P: spread(True, P),
        lambda P: spread(False, P),
    ),
    Rule(
        "logical/03",
        "Or(A, False) ⇒ A",
        "P: n m",
        lambda P: (P > 0) | spread(False, P),
        lambda P: P > 0,
        lambda P: P >= 0,
    ),
    Rule(
        "logical/04",
        "Or(False, A) ⇒ A",
        "P: n m",
        lambda P: spread(False, P) | (P > 0),
        lambda P: P > 0,
        lambda P: P < 0,
    ),
    Rule(
        "logical/05",
        "And(A, 1) ⇒ A",
        "P: n m",
        lambda P: (P > 0) & spread(True, P),
        lambda P: P > 0,
        lambda P: spread(True, P),
    ),
    Rule(
        "logical/06",
        "And(1, A) ⇒ A",
        "P: n m",
        lambda P: spread(True, P) & (P > 0),
        lambda P: P > 0,
        lambda P: ~(P > 0),
    ),
    Rule(
        "logical/07",
        "And(A, 0) ⇒ 0",
        "P: n m",
        lambda P: (P > 0) & spread(False, P),
        lambda P: spread(False, P),
        lambda P: P > 0,
    ),
    Rule(
        "logical/08",
        "And(0, A) ⇒ 0",
        "P: n m",
        lambda P: spread(False, P) & (P > 0),
        lambda P: spread(False, P),
        lambda P: spread(True, P),
    ),
    Rule(
        "logical/09",
        "And(A < Const, Const1 > A) ⇒ Lt(A, min(Const, Const1))",
        "A: n m, c:, d:",
        lambda A, c, d: lax.lt(A, spread(c, A)) & lax.gt(spread(d, A), A),
        lambda A, c, d: lax.lt(A, jnp.minimum(spread(c, A), spread(d, A))),
        lambda A, c, d: lax.lt(A, jnp.maximum(spread(c, A), spread(d, A))),
    ),
    Rule(
        "logical/10",
        "Gt(Max(A, B), B) ⇒ Gt(A, B)",
        "A: n m, B: n m",
        lambda A, B: jnp.maximum(A, B) > B,
        lambda A, B: A > B,
        lambda A, B: A >= B,
    ),
    Rule(
        "logical/11",
        "Gt(Max(A, B), A) ⇒ Gt(B, A)",
        "A: n m, B: n m",
        lambda A, B: jnp.maximum(A, B) > A,
        lambda A, B: B > A,
        lambda A, B: A > B,
    ),
]

MAX = [
    Rule(
        "max/01",
        "Max(A, -inf) ⇒ A",
        "A: n m",
        lambda A: jnp.maximum(A, spread(-jnp.inf, A)),
        lambda A: A,
        lambda A: jnp.maximum(A, 0),
    ),
    Rule(
        "max/02",
        "Min(A, inf) ⇒ A",
        "A: n m",
        lambda A: jnp.minimum(A, spread(jnp.inf, A)),
        lambda A: A,
        lambda A: jnp.minimum(A, 0),
    ),
]

CLAMP = [
    Rule(
        "clamp/01",
        "Clamp(c1, Clamp(c1, A, c2), c2) ⇒ Clamp(c1, A, c2)",
        "A: n m, C: n m, D: n m",
        lambda A, C, D: lax.clamp(C, lax.clamp(C, A, D), D),
        lambda A, C, D: lax.clamp(C, A, D),
        lambda A, C, D: lax.clamp(D, A, C),
    ),
    Rule(
        "clamp/02",
        "Max(Broadcast(c1), Min(A, Broadcast(c2))) ⇒ Clamp(c1, A, c2)",
        "A: n m, C: n m, D: n m",  # where c1 ≤ c2, as C and C + |D| are
        lambda A, C, D: jnp.maximum(C, jnp.minimum(A, C + jnp.abs(D))),
        lambda A, C, D: lax.clamp(C, A, C + jnp.abs(D)),
        lambda A, C, D: lax.clamp(C, A, C + D),
    ),
    Rule(
        "clamp/03",
        "Min(Broadcast(c1), Max(A, Broadcast(c2))) ⇒ Clamp(c1, A, c2)",
        "A: n m, C: n m, D: n m",
        lambda A, C, D: jnp.minimum(C, jnp.maximum(A, D)),
        lambda A, C, D: lax.clamp(D, A, C),
        lambda A, C, D: lax.clamp(C, A, D),
    ),
]

COMPARE = [
    Rule(
        "compare/01",
        "Gt(A, A) ⇒ False",
        "A: n m",
        lambda A: A > A,
        lambda A: spread(False, A),
        lambda A: A > 0,
    ),
    Rule(
        "compare/02",
        "Lt(A, A) ⇒ False",
        "A: n m",
        lambda A: A < A,
        lambda A: spread(False, A),
        lambda A: A < 1,
    ),
    Rule(
        "compare/03",
        "Ne(A, A) ⇒ False",
        "A: n m",
        lambda A: A != A,
        lambda A: spread(False, A),
        lambda A: spread(True, A),
    ),
    Rule(
        "compare/04",
        "Ge(A, A) ⇒ True",
        "A: n m",
        lambda A: A >= A,
        lambda A: spread(True, A),
        lambda A: A >= 0,
    ),
    Rule(
        "compare/05",
        "Le(A, A) ⇒ True",
        "A: n m",
        lambda A: A <= A,
        lambda A: spread(True, A),
        lambda A: A <= -A,
    ),
    Rule(
        "compare/06",
        "Eqv(A, A) ⇒ True",
        "A: n m",
        lambda A: A == A,
        lambda A: spread(True, A),
        lambda A: A == 0,
    ),
]

SELECT = [
    Rule(
        "select/01",
        "Select(P, A, A) ⇒ A",
        "P: n m, A: n m",
        lambda P, A: lax.select(P > 0, A, A),
        lambda P, A: A,
        lambda P, A: lax.select(P > 0, A, -A),
    ),
    Rule(
        "select/02",
        "Select(True, A, B) ⇒ A",
        "A: n m, B: n m",
        lambda A, B: lax.select(spread(True, A), A, B),
        lambda A, B: A,
        lambda A, B: B,
    ),
    Rule(
        "select/03",
        "Select(False, A, B) ⇒ B",
        "A: n m, B: n m",
        lambda A, B: lax.select(spread(False, A), A, B),
        lambda A, B: B,
        lambda A, B: A,
    ),
    Rule(
        "select/04",
        "Select(Not(P), A, B) ⇒ Select(P, B, A)",
        "P: n m, A: n m, B: n m",
        lambda P, A, B: lax.select(~(P > 0), A, B),
        lambda P, A, B: lax.select(P > 0, B, A),
        lambda P, A, B: lax.select(P > 0, A, B),
    ),
]

RULES = [*ADD, *SUB, *MUL, *DIVMOD, *NOT, *LOGICAL, *MAX, *CLAMP, *COMPARE, *SELECT]
