"""JAX programs read with symbols for sizes: what is proved of them, what is refuted, and what stops the reading."""

from __future__ import annotations

import functools
import random

import jax
import jax.numpy as jnp
import pytest
from claims import claim, decided
from fuzzing.jax_agreement import agreed
from fuzzing.jax_programs import jax_programs

from scanproof import equal
from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.arrays.scan import scan
from scanproof.constructs.layers import linear_attention, ssd
from scanproof.proofs.check.source import Source
from scanproof.proofs.decide.proving import prove as run_both
from scanproof.proofs.doors.program import program, together
from scanproof.proofs.search.all_sizes import prove


def proved(given, body, **fields):
    found = decided(body, given, **fields)
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason


def reason(given, body, **fields):
    found = decided(body, given, **fields)
    assert (found.verdict, found.scope) != ("proved", "all-sizes")
    return found.reason


REGRESSION = {"X": "T f", "Y": "T k", "q": "f"}


def forward(X, Y, q):
    """A scan of outer products, and its readout."""

    def step(state, token):
        x, y = token
        state = state + jnp.outer(y, x)
        return state, None

    state, _ = jax.lax.scan(step, jnp.zeros((Y.shape[1], X.shape[1])), (X, Y))
    return state @ q / X.shape[0]


@pytest.mark.long
def test_a_scan_of_outer_products_is_a_step_of_gradient_descent():
    proved(REGRESSION, lambda X, Y, q: equal(program(forward)(X, Y, q), Y.T @ (X @ q) / X.shape[0]))


@pytest.mark.long
def test_the_mean_for_the_sum_is_refuted_with_numbers():
    found = decided(lambda X, Y, q: equal(program(forward)(X, Y, q), Y.T @ (X @ q)), REGRESSION)
    assert found.verdict == "refuted"
    assert found.counterexample is not None
    assert found.counterexample.sizes["T"] > 1


def attention(X, Y):
    return jnp.tril(X @ X.T) @ Y


def masked_attention(X, Y):
    rows = jnp.arange(X.shape[0])
    seen = jnp.where(rows[:, None] >= rows[None], jnp.einsum("tf,sf->ts", X, X), 0.0)
    return jnp.einsum("ts,sk->tk", seen, Y)


@pytest.mark.long
def test_masked_attention_is_the_recurrence_of_linear_attention():
    def body(X, Y):
        xp = namespace(X)
        empty = xp.zeros((Y.shape[1], X.shape[1]))
        tokens = linear_attention.Token(X, X, Y)
        yield equal(program(attention)(X, Y), program(masked_attention)(X, Y))
        wanted = scan(linear_attention.step, None, empty, tokens).outputs
        yield equal(program(attention)(X, Y), wanted)

    proved({"X": "T f", "Y": "T k"}, body)


@pytest.mark.long
def test_the_maximum_that_a_softmax_subtracts_cancels():
    def softmax(X, Y):
        rows = jnp.arange(X.shape[0])
        scores = jnp.where(rows[:, None] >= rows[None], X @ X.T, -jnp.inf)
        return jax.nn.softmax(scores, axis=-1) @ Y

    def body(X, Y):
        xp = namespace(X)
        weights = xp.tril(xp.exp(X @ X.T))
        return equal(program(softmax)(X, Y), (weights @ Y) / weights.sum(axis=1)[:, None])

    proved({"X": "T f", "Y": "T k"}, body)


@pytest.mark.long
def test_a_maximum_that_does_not_cancel_is_not_proved():
    def body(X):
        return equal(program(lambda X: jnp.exp(X - X.max(axis=0)))(X), namespace(X).exp(X))

    assert reason({"X": "T f"}, body)


@pytest.mark.long
def test_decays_counters_and_reverse_scans_are_recursions():
    def decayed(z, a, b, c):
        def step(carry, token):
            count, state = carry
            z, a, b, c = token
            state = a * state + jnp.outer(z, b)
            return (count + 1, state), (state @ c, count)

        start = (0, jnp.zeros((z.shape[1], b.shape[1])))
        (count, _), (outputs, counts) = jax.lax.scan(step, start, (z, a, b, c))
        return outputs, counts * 1.0, count * 1.0

    def reversed_sum(z):
        return jax.lax.scan(lambda s, row: (s + row, s), jnp.zeros(z.shape[1]), z, reverse=True)[1]

    def body(z, a, b, c, T):
        xp = namespace(z)
        outputs, counts, count = program(decayed)(z, a, b, c)
        start = xp.zeros((z.shape[1], b.shape[1]))
        yield equal(outputs, scan(ssd.step, None, start, ssd.Token(z, a, b, c)).outputs)
        yield equal(count, xp.asarray(T))
        yield equal(counts[T - 1], xp.asarray(T - 1))
        yield equal(program(reversed_sum)(z)[0], z[1:].sum(axis=0))

    proved({"z": "T D", "a": "T", "b": "T N", "c": "T N"}, body, sizes={"T": (1, 2, 3)})


@pytest.mark.long
def test_slices_paddings_and_reshapes_keep_their_entries():
    def moved(X):
        pairs = jnp.stack([X, 2 * X], axis=1).reshape(2 * X.shape[0], X.shape[1])
        return (
            X[1:] - X[:-1],
            X[-1],
            jnp.concatenate([X, X[:1]], axis=0)[:-1],
            jnp.pad(X, ((1, 0), (0, 0)))[1:],
            X[::-1][::-1],
            pairs.reshape(X.shape[0], 2, X.shape[1])[:, 1],
            jnp.roll(X, 1, axis=0)[1:],
        )

    def body(X, T):
        found = program(moved)(X)
        wanted = (X[1:] - X[:-1], X[T], X, X, X, 2 * X, X[:-1])
        for one, other in zip(found, wanted, strict=True):
            yield equal(one, other)

    proved({"X": "T+1 f"}, body)


@pytest.mark.long
def test_vmap_jit_and_declared_laws():
    def gated(X, w):
        return jax.vmap(jax.jit(lambda x: jnp.dot(x, w) * jax.nn.silu(x)))(X)

    def body(X, w):
        return equal(program(gated)(X, w), (X @ w)[:, None] * X / (1 + namespace(X).exp(-X)))

    proved({"X": "T f", "w": "f"}, body)


@pytest.mark.parametrize(
    ("branch", "asked"),
    [
        (lambda X: X.sum(0) * (2 if X.shape[0] == 1 else 1), "T == 1"),
        (lambda X: X.sum(0) * (2 if X.shape[0] in (1, 5) else 1), "T == 1"),
        (lambda X: X.sum(0) * (1 if X.shape[0] % 64 else 2), "mod(T, 64)"),
        (lambda X: X.sum(0) * (2 if X.shape[0] == X.shape[1] else 1), "T == f"),
        (lambda X: X.sum(0) * (2 if X.shape == (2, 2) else 1), "T == 2"),
    ],
)
def test_a_program_that_decides_a_size_is_stopped_with_its_line(branch, asked):
    body = lambda X: equal(program(branch)(X), X.sum(axis=0))  # noqa: E731
    told = prove(claim(body, {"X": "T f"}))
    assert isinstance(told, str)
    assert asked in told
    assert "test_programs.py" in told


@pytest.mark.long
def test_a_question_that_all_sizes_answer_alike_is_no_branch():
    def asked(X):
        assert X.shape[0] != 0
        assert X.shape[0] == X.T.shape[1]
        return X.sum(0)

    proved({"X": "T f"}, lambda X: equal(program(asked)(X), X.sum(axis=0)))


@pytest.mark.parametrize(
    ("unread", "named"),
    [
        (lambda X: jnp.sort(X, axis=0).sum(0), "sort"),
        (lambda X: jax.lax.bessel_i1e(X).sum(0), "bessel_i1e"),
        (lambda X: jax.lax.while_loop(lambda c: c[0] < X.shape[0],
                                      lambda c: (c[0] + 1, c[1] + X[c[0]]),
                                      (0, jnp.zeros(X.shape[1])))[1], "turns"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_named_with_its_line(unread, named):
    told = prove(claim(lambda X: equal(program(unread)(X), X.sum(axis=0)), {"X": "T f"}))
    assert isinstance(told, str)
    assert named in told
    assert "test_programs.py" in told


@pytest.mark.parametrize("count", [5, pytest.param(40, marks=pytest.mark.long)])
def test_random_programs_are_read_as_what_jax_computes(count):
    seen = jax_programs(random.Random("tests"), count)
    assert seen["same"] >= 0.95 * count, seen


def under(function):
    """Whether a function of `u` (T,) is read, and if so as what it computes."""
    return agreed(lambda A, B, L, M, u, v: function(u), "u", random.Random("under"), 3)


def places(u):
    return jnp.arange(u.shape[0])


@pytest.mark.long
def test_masks_as_numbers_are_compared_as_numbers():
    for mask in (
        lambda u: (places(u) > 0).astype(int) > 0,
        lambda u: (places(u) > 0).astype(float) >= 1,
        lambda u: jnp.diag(jnp.ones(u.shape[0])).sum(0) < 0.5,
        lambda u: 0.5 * places(u) > 0.25,
    ):
        assert under(lambda u, mask=mask: jnp.where(mask(u), u, 2 * u)) == "same"


@pytest.mark.parametrize(
    "unread",
    [
        lambda u: jnp.where(places(u) > 0, u, jnp.nan),
        lambda u: u * (2 if u.shape[0] in {2, 3} else 1),
        lambda u: u * (2 if u.shape in {(2,), (3,)} else 1),
        lambda u: jax.lax.while_loop(
            lambda s: s[0] <= u.shape[0], lambda s: (s[0] + 1, 2 * s[1]), (0, u)
        )[1],
        lambda u: jax.lax.while_loop(
            lambda s: s[0] < u.shape[0], lambda s: (s[0] + 2, 2 * s[1]), (0, u)
        )[1],
    ],
)
def test_what_real_numbers_and_whole_numbers_do_not_tell_is_not_read(unread):
    assert under(unread).startswith("not read")


@pytest.mark.long
@pytest.mark.parametrize(
    "whole",
    [
        lambda u: jax.lax.div((places(u) > 0).astype(int) * 3, 2) * u,
        lambda u: (jnp.cumsum(places(u)) // 2) * u,
        lambda u: (places(u) // 2) * u,
        lambda u: (places(u) / 2).astype(int) * u,
        lambda u: jax.lax.dynamic_slice(u, (1,), (1,)) * u,
        lambda u: u.at[places(u) + 1].get(mode="clip"),
        lambda u: u.at[places(u) + 1].get(mode="fill", fill_value=0),
    ],
)
def test_whole_parts_and_places_beyond_an_arrays_end_are_read_as_what_jax_computes(whole):
    assert under(whole) == "same"


@pytest.mark.long
@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (lambda u: (places(u) + 127).astype(jnp.int8) * u, lambda u: (places(u) + 127) * u),
        (lambda u: (places(u).astype(jnp.uint32) - 1) * u, lambda u: (places(u) - 1) * u),
        (
            lambda u: (jnp.arange(u.shape[0], dtype=jnp.int8) * 100) * u,
            lambda u: (places(u) * 100) * u,
        ),
    ],
)
def test_whole_numbers_that_run_over_their_type_are_refuted_as_they_run(narrow, wide):
    assert run_both(narrow, shapes="u: T", equals=wide).result.verdict == "refuted"


@pytest.mark.long
def test_a_remainder_of_places_is_read():
    assert under(lambda u: (places(u) % 2) * u) == "same"


def test_maxima_of_different_numbers_do_not_cancel():
    found = reason(
        {"X": "T f"},
        lambda X: equal(
            program(lambda X: jnp.exp(jnp.maximum(X.max(), X[0, 0] + 1) - X.max()))(X),
            namespace(X).asarray(1),
        ),
    )
    assert found


@pytest.mark.long
def test_functions_behind_jit_and_partial_are_programs():
    def scaled(X, by):
        return X * by

    proved({"X": "T f"}, lambda X: equal(program(jax.jit(lambda X: 2 * X))(X), X + X))
    proved({"X": "T f"}, lambda X: equal(program(functools.partial(scaled, by=2))(X), X + X))


@pytest.mark.long
def test_lengths_that_are_products_are_cut_as_they_were_put_together():
    def both(X, Y):
        n, C, f = X.shape
        joined = jnp.concatenate([X.reshape(n * C, f), Y])
        core = joined.shape[0] - joined.shape[0] % C
        return joined[:core].reshape(-1, C, f), joined[core:], joined.shape[0] * 1.0

    def body(X, Y, n, r, s, xp):
        first, second, count = program(both)(X, Y)
        yield equal(first, X)
        yield equal(second, Y)
        yield equal(count, xp.ones((n, r + s)).sum() + xp.asarray(r))

    proved({"X": "n r+s f", "Y": "r f"}, body)


def test_numbers_in_the_code_of_programs_that_run_together_are_tried_as_sizes():
    def first(x):
        return x * {77: 1}.get(x.shape[0], 2)

    def second(x):
        return x * (2 + (x.shape[0] == 88))

    both = together(program(first, "jax"), program(second, "jax"))
    assert {77, 88} <= Source([lambda x: both(x)]).numbers
