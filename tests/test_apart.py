"""Axes whose length is a product of sizes, apart: the same numbers, and proofs of programs that join and split them."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax, nn

from scanproof.proofs.check.all_sizes import equations_of
from scanproof.proofs.doors.jaxpr.programs import equation
from scanproof.proofs.readings.apart import apart
from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.readings.problem import problem
from scanproof.proofs.readings.reading import Reading
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.proving import proving
from scanproof.proofs.statement.statement import every_node

SHAPES = {"x": "n C d", "w": "d e"}


def tokens(x: Any) -> Any:
    return x.reshape(x.shape[0] * x.shape[1], x.shape[2])


def as_given(rows: Any, x: Any) -> Any:
    return rows.reshape(x.shape[0], x.shape[1], rows.shape[1])


def summed(x: Any, w: Any) -> Any:
    def step(state: Any, row: Any) -> Any:
        state = 0.5 * state + row @ w
        return state, state

    return lax.scan(step, jnp.zeros(w.shape[1]), tokens(x))


def before_each(x: Any, w: Any) -> Any:
    return lax.scan(lambda s, row: (s + row @ w, s), jnp.zeros(w.shape[1]), tokens(x))[1]


def by_features(x: Any, w: Any) -> Any:
    rows = tokens(x)
    return lax.scan(lambda s, row: (0.5 * s + row, None), jnp.zeros(rows.shape[0]), rows.T)[0]


def greatest_features(x: Any, w: Any) -> Any:
    rows = jnp.exp(tokens(x))
    return jnp.take_along_axis(2 * rows, rows.argmax(1)[:, None], 1)


def backwards(x: Any, w: Any) -> Any:
    step = lambda s, row: (s * row[0] + w.sum(0), s)  # noqa: E731
    return lax.scan(step, jnp.zeros(w.shape[1]), tokens(x), reverse=True)[1]


PROGRAMS = {
    "entries": lambda x, w: jnp.exp(tokens(x)) * 2 - tokens(x) / 3,
    "beside one for all": lambda x, w: tokens(x) + w.sum(1),
    "a product": lambda x, w: tokens(x) @ w,
    "a sum over all": lambda x, w: tokens(x).sum(0) @ w,
    "scores": lambda x, w: tokens(x).T @ tokens(jnp.tanh(x)),
    "scores of tokens": lambda x, w: tokens(x) @ tokens(x).T,
    "turned": lambda x, w: tokens(x)[::-1],
    "transposed": lambda x, w: tokens(x).T,
    "the last state": lambda x, w: summed(x, w)[0],
    "all states": lambda x, w: summed(x, w)[1],
    "states before": before_each,
    "from behind": backwards,
    "mean": lambda x, w: nn.softmax(tokens(x), axis=0),
    "the first token": lambda x, w: tokens(x)[0] + tokens(x)[-1],
    "the first chunk": lambda x, w: tokens(x)[: x.shape[1]],
    "split again": lambda x, w: as_given(tokens(x) @ w, x),
    "a product over all": lambda x, w: jnp.prod(tokens(x), 0),
    "a state of all tokens": by_features,
    "entries at places that are data": greatest_features,
    "sums up to each": lambda x, w: jnp.cumsum(tokens(x), 0),
    "two of them": lambda x, w: jnp.concatenate([tokens(x), tokens(2 * x)], axis=1),
}
KEPT = {"sums up to each"}
"""What looks at the long axis as a whole."""


@pytest.mark.long_cases(
    "[a state of all tokens]",
    "[from behind]",
    "[mean]",
    "[the first token]",
    "[the last state]",
    "[turned]",
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_axes_apart_have_the_same_numbers(name: str):
    statement = equation(PROGRAMS[name], PROGRAMS[name], SHAPES).statement
    changed = apart(statement)
    lengths = [n for node in every_node(changed.nodes) for n in node.shape]
    long = any(len(m) > 1 for n in lengths if not isinstance(n, int) for m, _ in n.parts)
    assert long == (name in KEPT)
    for n, c in ((1, 1), (2, 3), (3, 2)):
        sizes = {"n": n, "C": c, "d": 2, "e": 3}
        rng, length = np.random.default_rng(n), Reading(np, sizes, {}).whole
        inputs = {
            one.name: rng.normal(size=tuple(map(length, one.lengths))) for one in statement.inputs
        }
        reading = Floats(sizes, inputs)
        for one, other in zip(statement.relations, changed.relations, strict=True):
            together, found = reading(one.left), reading(other.left)
            assert np.allclose(together.ravel(), found.ravel(), rtol=1e-12, atol=1e-12)


CHUNKED = {
    "the states of chunks": lambda x, w: lax.scan(
        lambda s, chunk: lax.scan(lambda s, row: (0.5 * s + row @ w, None), s, chunk),
        jnp.zeros(w.shape[1]),
        x,
    )[0],
    "a product of chunks": lambda x, w: (x @ w).reshape(x.shape[0] * x.shape[1], w.shape[1]),
}
WHOLE = {
    "the states of chunks": lambda x, w: summed(x, w)[0],
    "a product of chunks": lambda x, w: tokens(x) @ w,
}


@pytest.mark.parametrize("name", CHUNKED)
def test_what_is_done_chunk_by_chunk_is_proved_to_be_what_is_done_token_by_token(name: str):
    statement = equation(CHUNKED[name], WHOLE[name], SHAPES).statement
    with proving() as current:
        for left, right in equations_of(problem(statement, current)):
            show(left, right)


def test_a_state_that_is_lost_between_chunks_is_not_proved():
    def forgetful(x: Any, w: Any) -> Any:
        def chunk(s: Any, rows: Any) -> Any:
            return lax.scan(lambda s, row: (0.5 * s + row @ w, None), 0 * s, rows)

        return lax.scan(chunk, jnp.zeros(w.shape[1]), x)[0]

    statement = equation(forgetful, WHOLE["the states of chunks"], SHAPES).statement
    with proving() as current, pytest.raises(Exception, match="left over"):
        for left, right in equations_of(problem(statement, current)):
            show(left, right)
