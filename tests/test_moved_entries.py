"""Slices with steps, padding between entries and by negative numbers, parts that are moved inside, and remainders."""

from __future__ import annotations

import jax.numpy as jnp
import pytest
from jax import lax

from scanproof.proofs.decide.proving import prove


def rows(like):
    return jnp.arange(like.shape[0])


def around(a, low, high, between, filling=0.0):
    return lax.pad(a, filling, [(low, high, between)])


def every(a, step, start=0):
    return lax.slice_in_dim(a, start, a.shape[0], step)


def rem(a, length):
    return lax.rem(a, jnp.full_like(a, length))


TRUE = {
    "every second of an odd number": (
        "x: 2*n+1",
        lambda x: every(x, 2),
        lambda x: jnp.concatenate([every(x[:-1], 2), x[-1:]]),
    ),
    "what stands between": (
        "x: n, c:",
        lambda x, c: every(around(x, 1, 0, 1, c), 2),
        lambda x, c: jnp.full(x.shape, c),
    ),
    "a spaced sum": (
        "x: n",
        lambda x: around(x, 2, 3, 4).sum(),
        lambda x: x.sum(),
    ),
    "cut at both ends": (
        "x: n+3",
        lambda x: around(x, -1, -2, 0),
        lambda x: x[1:-2],
    ),
    "a shift": (
        "x: n, c:",
        lambda x, c: around(x, 1, -1, 0, c),
        lambda x, c: jnp.concatenate([c[None], x[:-1]]),
    ),
    "a start behind the last": (
        "x: n+m, a: m, b: n",
        lambda x, a, b: lax.dynamic_slice(x, (2 * x.shape[0],), a.shape),
        lambda x, a, b: x[b.shape[0] :],
    ),
    "a write behind the last": (
        "x: n+m, a: m, b: n",
        lambda x, a, b: lax.dynamic_update_slice(x, a, (2 * x.shape[0],)),
        lambda x, a, b: jnp.concatenate([x[: b.shape[0]], a]),
    ),
    "a remainder of a smaller number": (
        "x: n",
        lambda x: x * rem(rows(x), x.shape[0] + 1),
        lambda x: x * rows(x),
    ),
    "remainders in a ring": (
        "x: n",
        lambda x: rem(rows(x) + 3 * x.shape[0], x.shape[0]),
        lambda x: rows(x),
    ),
    "a remainder of a remainder": (
        "a: n, b: n",
        lambda a, b: lax.rem(lax.rem(a, b) / 1, b),
        lambda a, b: lax.rem(a, b),
    ),
}
FALSE = {
    "every second, from the other end": ("x: 2*n", lambda x: every(x, 2), lambda x: every(x, 2, 1)),
    "every third for every second": (
        "x: 6*n",
        lambda x: every(x, 2)[: x.shape[0] // 3],
        lambda x: every(x, 3),
    ),
    "entries where there is filling": (
        "x: n",
        lambda x: every(around(x, 0, 1, 1), 2, 1),
        lambda x: x,
    ),
    "woven the wrong way round": (
        "x: 2*n",
        lambda x: around(every(x, 2), 1, 0, 1) + around(every(x, 2, 1), 0, 1, 1),
        lambda x: x,
    ),
    "filling that is counted once": (
        "x: n, c:",
        lambda x, c: around(x, 1, 1, 1, c).sum(),
        lambda x, c: x.sum() + 2 * c,
    ),
    "filling that is forgotten between": (
        "x: n, c:",
        lambda x, c: around(x, 0, 0, 1, c).sum(),
        lambda x, c: x.sum(),
    ),
    "cut at the wrong end": ("x: n+1", lambda x: around(x, -1, 0, 0), lambda x: x[:-1]),
    "a start that is not moved far enough": (
        "x: n+1+m, a: m, b: n",
        lambda x, a, b: lax.dynamic_slice(x, (2 * x.shape[0],), a.shape),
        lambda x, a, b: x[b.shape[0] : b.shape[0] + a.shape[0]],
    ),
    "a negative remainder that is not": (
        "x: n",
        lambda x: rem(rows(x) - x.shape[0], x.shape[0]),
        lambda x: rows(x),
    ),
    "a remainder by one less": (
        "x: n+1",
        lambda x: rem(rows(x), x.shape[0] - 1),
        lambda x: rows(x),
    ),
    "a sum of remainders": (
        "x: n",
        lambda x: rem(rows(x), 2) + rem(rows(x), 3),
        lambda x: rem(2 * rows(x), 5),
    ),
    "a remainder by another number": (
        "a: n, b: n, c: n",
        lambda a, b, c: lax.rem(lax.rem(a, b), c),
        lambda a, b, c: lax.rem(a, b),
    ),
    "twice a remainder": (
        "a: n, b: n",
        lambda a, b: lax.rem(2 * lax.rem(a, b), b),
        lambda a, b: 2 * lax.rem(a, b),
    ),
    "a remainder that is added to": (
        "a: n, b: n",
        lambda a, b: lax.rem(a + b, b),
        lambda a, b: lax.rem(a, b) + b,
    ),
    "a remainder of a sum": (
        "a: n, b: n",
        lambda a, b: lax.rem(a - b, b),
        lambda a, b: lax.rem(a, b),
    ),
}
UNREAD = {
    "a step may not divide": ("x: n", lambda x: every(x, 2), (1, 2, 3)),
    "there may be nothing to pad between": ("x: n", lambda x: around(x, 0, 0, 1), (0, 1, 2)),
}


@pytest.mark.long
@pytest.mark.parametrize("case", TRUE)
def test_it_is_proved(case):
    shapes, left, right = TRUE[case]
    found = prove(left, shapes=shapes, equals=right).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.short("every second, from the other end")
@pytest.mark.parametrize("case", FALSE)
def test_it_is_refuted(case):
    shapes, left, right = FALSE[case]
    found = prove(left, shapes=shapes, equals=right).result
    assert found.verdict == "refuted", found.reason


@pytest.mark.long
@pytest.mark.parametrize("case", UNREAD)
def test_it_is_not_read(case):
    shapes, program, n = UNREAD[case]
    found = prove(program, shapes=shapes, equals=program, sizes={"n": n}).result
    assert "is not read" in str(found.reason)
