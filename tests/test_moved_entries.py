"""Slices with steps, padding between entries and by negative numbers, parts that are moved inside, and remainders."""

import jax.numpy as jnp
import pytest
from equations import equations
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


TRUE = equations(
    globals(),
    """
every second of an odd number | x: 2*n+1 | every(x, 2) = jnp.concatenate([every(x[:-1], 2), x[-1:]])
what stands between | x: n, c: | every(around(x, 1, 0, 1, c), 2) = jnp.full(x.shape, c)
a spaced sum | x: n | around(x, 2, 3, 4).sum() = x.sum()
cut at both ends | x: n+3 | around(x, -1, -2, 0) = x[1:-2]
a shift | x: n, c: | around(x, 1, -1, 0, c) = jnp.concatenate([c[None], x[:-1]])
a start behind the last | x: n+m, a: m, b: n | lax.dynamic_slice(x, (2 * x.shape[0],), a.shape) = x[b.shape[0]:]
a write behind the last | x: n+m, a: m, b: n | lax.dynamic_update_slice(x, a, (2 * x.shape[0],))
    = jnp.concatenate([x[:b.shape[0]], a])
a remainder of a smaller number | x: n | x * rem(rows(x), x.shape[0] + 1) = x * rows(x)
remainders in a ring | x: n | rem(rows(x) + 3 * x.shape[0], x.shape[0]) = rows(x)
a remainder of a remainder | a: n, b: n | lax.rem(lax.rem(a, b) / 1, b) = lax.rem(a, b)
""",
)
FALSE = equations(
    globals(),
    """
every second, from the other end | x: 2*n | every(x, 2) ≠ every(x, 2, 1)
every third for every second | x: 6*n | every(x, 2)[:x.shape[0] // 3] ≠ every(x, 3)
entries where there is filling | x: n | every(around(x, 0, 1, 1), 2, 1) ≠ x
woven the wrong way round | x: 2*n | around(every(x, 2), 1, 0, 1) + around(every(x, 2, 1), 0, 1, 1) ≠ x
filling that is counted once | x: n, c: | around(x, 1, 1, 1, c).sum() ≠ x.sum() + 2 * c
filling that is forgotten between | x: n, c: | around(x, 0, 0, 1, c).sum() ≠ x.sum()
cut at the wrong end | x: n+1 | around(x, -1, 0, 0) ≠ x[:-1]
a start that is not moved far enough | x: n+1+m, a: m, b: n | lax.dynamic_slice(x, (2 * x.shape[0],), a.shape)
    ≠ x[b.shape[0]:b.shape[0] + a.shape[0]]
a negative remainder that is not | x: n | rem(rows(x) - x.shape[0], x.shape[0]) ≠ rows(x)
a remainder by one less | x: n+1 | rem(rows(x), x.shape[0] - 1) ≠ rows(x)
a sum of remainders | x: n | rem(rows(x), 2) + rem(rows(x), 3) ≠ rem(2 * rows(x), 5)
a remainder by another number | a: n, b: n, c: n | lax.rem(lax.rem(a, b), c) ≠ lax.rem(a, b)
twice a remainder | a: n, b: n | lax.rem(2 * lax.rem(a, b), b) ≠ 2 * lax.rem(a, b)
a remainder that is added to | a: n, b: n | lax.rem(a + b, b) ≠ lax.rem(a, b) + b
a remainder of a sum | a: n, b: n | lax.rem(a - b, b) ≠ lax.rem(a, b)
""",
)
UNREAD = {
    "a step may not divide": ("x: n", lambda x: every(x, 2), (1, 2, 3)),
    "there may be nothing to pad between": ("x: n", lambda x: around(x, 0, 0, 1), (0, 1, 2)),
}


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("case", TRUE)
def test_it_is_proved(case):
    shapes, left, right, _ = TRUE[case]
    found = prove(left, shapes=shapes, equals=right).result
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


@pytest.mark.usefixtures("only_read")
@pytest.mark.short("every second, from the other end")
@pytest.mark.parametrize("case", FALSE)
def test_it_is_refuted(case):
    shapes, left, right, _ = FALSE[case]
    found = prove(left, shapes=shapes, equals=right).result
    assert found.verdict == "refuted", found.reason


@pytest.mark.long
@pytest.mark.parametrize("case", UNREAD)
def test_it_is_not_read(case):
    shapes, program, n = UNREAD[case]
    found = prove(program, shapes=shapes, equals=program, sizes={"n": n}).result
    assert "is not read" in str(found.reason)
