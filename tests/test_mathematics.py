"""Statements as mathematics: what is printed of each kind, and that it says what was recorded."""

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
import pytest
from claims import claim

from scanproof import (
    at_most,
    build,
    determines,
    differs,
    each,
    equal,
    gradient,
    iterate,
    norm,
    scan,
    undetermined,
)
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.doors.record.claims import limits, record
from scanproof.proofs.doors.record.recording import Limits
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.readings import floats
from scanproof.proofs.readings.formulas.mathematics import latex, mathematics
from scanproof.proofs.readings.shortened import shortened
from scanproof.proofs.statement.whole import at

WIDTH = 92


def descent(eta, w, token):
    x, y = token
    w = w - eta * (x @ w - y) * x
    return w, x @ w


def recurrence(x, y, w0, eta):
    run = scan(descent, eta, w0, (x, y))
    return equal(run.final_state, w0)


def step(x, y, w0, eta, N):
    loss = lambda w: ((x @ w - y) ** 2).sum() / 2 / N  # noqa: E731
    return equal(w0 - eta * gradient(loss, w0), w0 - eta / N * (x.T @ (x @ w0 - y)))


def turns(x, y, w0, eta, N):
    run = scan(descent, eta, w0, (x, y))
    for t in each(1, N):
        yield equal(run.states[t - 1], x[:t].T @ y[:t], ("state ", t))


def outputs(x, y, w0, eta):
    return equal(scan(descent, eta, w0, (x, y)).outputs, x @ w0)


def masks(A, v, xp, N):
    yield equal(xp.tril(A) @ v, (xp.tri(N) * A) @ v, "lower")
    yield equal(xp.eye(N) @ A, xp.diag(v) @ A, "scaled")
    yield equal(v[:, None] * A, A * v[None, :], "by a column")
    yield equal(xp.outer(v, v), v[:, None] + 0 * A, "outer")


def joined(x, y, xp, f):
    pick = xp.concat([xp.zeros((f,)), xp.ones((1,))])
    return equal(xp.concat([x, y[:, None]], axis=1) @ pick, y)


def entries(a, xp, N):
    sums = build(xp, N, lambda t: (a[: t + 1] * a[: t + 1]).sum())
    products = build(xp, N, lambda t: xp.product(a[: t + 1]))
    return equal(sums, products)


def bound(A, v, c):
    return at_most(norm(A @ v), c * norm(v))


def fractions(a, b, N):
    return equal(a / N / 2 * (1 / b), a * a * 0 + a / (2 * N * b))


def repeated(A, v, N):
    return equal(iterate(lambda s: A @ s, v, N), v)


def same(x, y, xp):
    yield differs(x, 2 * x, "twice")
    yield determines(x.sum(axis=0), (x @ y).sum(), shared=("y",))
    yield undetermined(x @ y, x)


DATA = {"x": "N f", "y": "N", "w0": "f", "eta": ""}
SQUARE = {"A": "N N", "v": "N"}
GIVEN = "Given  N, f ≥ 1; x ∈ ℝ^{N×f}; y ∈ ℝ^N; w0 ∈ ℝ^f; η ∈ ℝ"
OF_SQUARE = "Given  N ≥ 1; A ∈ ℝ^{N×N}; v ∈ ℝ^N"
TABLE: list[tuple[Callable[..., Any], dict[str, str], str]] = [
    (
        recurrence,
        DATA,
        f"""{GIVEN}
Let    s_0 = w0
       s_{{t+1}} = s_t − η (x_tᵀ s_t − y_t) x_t   for t = 0, …, N − 1
Then   s_N = w0""",
    ),
    (
        step,
        DATA,
        f"""{GIVEN}
Let    ℓ(w) = ‖x w − y‖²/(2N)
Then   w0 − η ∇ℓ(w0) = w0 − η/N xᵀ (x w0 − y)""",
    ),
    (
        turns,
        DATA,
        f"""{GIVEN}
Let    s_0 = w0
       s_{{i+1}} = s_i − η (x_iᵀ s_i − y_i) x_i   for i = 0, …, N − 1
Then   s_t = x_{{0..t−1}}ᵀ y_{{0..t−1}}   for t = 1, …, N  (state t)""",
    ),
    (
        outputs,
        DATA,
        f"""{GIVEN}
Let    s_0 = w0
       s_{{i+1}} = s_i − η (x_iᵀ s_i − y_i) x_i   for i = 0, …, N − 1
Then   x_tᵀ s_{{t+1}} = x_tᵀ w0   for t = 0, …, N − 1""",
    ),
    (
        masks,
        SQUARE,
        f"""{OF_SQUARE}
Then   tril(A) v = tril(A) v  (lower)
       A = diag(v) A  (scaled)
       diag(v) A = A diag(v)  (by a column)
       v vᵀ = v 𝟏ᵀ  (outer)""",
    ),
    (
        joined,
        {"x": "N f", "y": "N"},
        """Given  N, f ≥ 1; x ∈ ℝ^{N×f}; y ∈ ℝ^N
Then   [x | y] [0; 1] = y""",
    ),
    (
        entries,
        {"a": "N"},
        """Given  N ≥ 1; a ∈ ℝ^N
Then   ‖a_{0..t}‖² = ∏_{i ≤ t} a_i   for t = 0, …, N − 1""",
    ),
    (bound, {**SQUARE, "c": ""}, f"{OF_SQUARE}; c ∈ ℝ\nThen   ‖A v‖ ≤ c ‖v‖"),
    (
        fractions,
        {"a": "N", "b": ""},
        """Given  N ≥ 1; a ∈ ℝ^N; b ∈ ℝ
If     no denominator is 0
Then   a/(2b N) = a/(2N b)""",
    ),
    (
        repeated,
        SQUARE,
        f"""{OF_SQUARE}
Let    s_0 = v
       s_{{t+1}} = A s_t   for t = 0, …, N − 1
Then   s_N = v""",
    ),
    (
        same,
        {"x": "N f", "y": "f"},
        """Given  N, f ≥ 1; x ∈ ℝ^{N×f}; y ∈ ℝ^f
Then   x ≠ 2x   for some inputs  (twice)
       xᵀ 𝟏 determines 𝟏ᵀ x y   given y
       x y does not determine x""",
    ),
]
CASES = [pytest.param(*one, id=one[0].__name__) for one in TABLE]


@pytest.mark.parametrize(("body", "given", "printed"), CASES)
def test_a_statement_is_printed_as_an_author_writes_it(body, given, printed: str):
    statement = record(claim(body, given))
    assert "\n".join(mathematics(statement, WIDTH)) == printed
    assert latex(statement).count("{") == latex(statement).count("}")


@pytest.mark.parametrize(("body", "given"), [one[:2] for one in TABLE])
def test_what_is_written_shorter_has_the_same_values(body, given):
    assert_same_values(record(claim(body, given)))


def assert_same_values(statement) -> None:
    """At sizes of their least values, and at larger ones, on numbers above 0, entries in any order."""
    rng = np.random.default_rng(0)
    short = shortened(statement)
    for more in (0,) if statement.at else (0, 3):
        sizes = {one.name: one.least + more for one in statement.sizes}
        shapes = {
            i.name: [int(at(n, lambda one, sizes=sizes: sizes[one.name])) for n in i.lengths]
            for i in statement.inputs
        }
        inputs = {name: rng.uniform(0.3, 1.2, shape) for name, shape in shapes.items()}
        with np.errstate(all="ignore"):
            for side in (1, 2):
                told = [_entries(one, sizes, inputs, side) for one in (statement, short)]
                assert np.allclose(*told, rtol=1e-7, atol=1e-9, equal_nan=True), statement.id


def _entries(statement, sizes, inputs, side: int) -> np.ndarray:
    found = floats.relations(statement, sizes, inputs)
    every = [np.ravel(np.asarray(one[side], dtype=float)) for one in found]
    # a side that is one number for all entries is told once for each of them
    return np.unique(np.round(np.concatenate(every), 9)) if every else np.zeros(0)


def every_claim() -> Iterator[Claim]:
    for row in built_in().rows:
        yield from (one for one in (row.claim, *row.amendments) if one.body is not None)


@pytest.mark.long
def test_a_third_of_the_ledger_is_printed_within_its_columns_and_says_what_was_recorded():
    printed = 0
    for one in islice(every_claim(), 0, None, 3):
        try:
            statement = record(one)
        except Refused:
            statement = at_numbers(one)
        lines = mathematics(statement, WIDTH)
        assert max(map(len, lines)) <= WIDTH, one.id
        assert re.fullmatch(r"(\S+ +)?.*", lines[-1]) and "None" not in "".join(lines), one.id
        assert any(line.startswith("Then") for line in lines), one.id
        assert latex(statement).count("{") == latex(statement).count("}"), one.id
        if all(relation.kind != "approaches" for relation in statement.relations):
            assert_same_values(statement)
        printed += 1
    assert printed > 113


def at_numbers(one: Claim):
    sizes = one.every_size[0]
    try:
        return record(one, sizes)
    except Limits:
        return limits(one, sizes)
