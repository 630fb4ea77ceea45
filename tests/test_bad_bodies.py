"""Bodies that are no statement: each is refused in one line, with its place, what is wrong and what to write."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from claims import claim
from zoo.case import ZOO, Statement
from zoo.members import FAMILIES

from scanproof import build, each, equal, iterate, scan
from scanproof.proofs.check.fidelity import disagreement
from scanproof.proofs.doors.record import recording
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.readings.formulas.mathematics import latex
from scanproof.proofs.readings.program import program


def others(x: Any) -> Any:
    import jax.numpy as jnp

    return jnp


def for_ever(step: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def body(x):
        while True:
            try:
                x = step(x)
            except Exception:
                continue

    return body


def written_into(x):
    held = np.zeros(3)
    held[0] = x[0]
    return equal(x, held)


REFUSED = {
    "a branch on a size": (
        lambda x, N: equal(x, x if N > 3 else 2 * x),
        "whether N > 3, which depends on the sizes, was asked at {}; state what holds of some sizes alone as a claim",
    ),
    "a size as a key": (
        lambda x, N: equal(x, {4: 2}.get(N, 1) * x),
        "the number that N is, which depends on the sizes, was asked at {}; loop with each or scan",
    ),
    "JAX's array beside the claim's": (
        lambda x: equal(x, others(x).ones(3) + x),
        "an array of another kind (ArrayImpl) meets a recorded one at {}; write it with NumPy's functions",
    ),
    "JAX's function of the claim's array": (
        lambda x: equal(x, others(x).sin(x)),
        "a function of another library is called on an array of the claim at {}; write it with NumPy's functions",
    ),
    "NumPy's array made of the claim's": (
        lambda x: equal(x, np.array([x, x])),
        "NumPy is to hold an array of the claim in its own at {}; write xp.stack([…])",
    ),
    "NumPy's array that is written into": (
        written_into,
        "a number of an array of the claim was asked at {}; compute with the array itself",
    ),
    "a float that is no decimal": (
        lambda x: equal(x, np.exp(1.0) * x),
        "exact arithmetic expects an int or a fractions.Fraction, got 2.718",
    ),
    "arrays for ever": (
        for_ever(lambda x: x + 1),
        "it makes more than 1000 arrays at {}; write a loop with scan, iterate, build or each",
    ),
    "questions for ever": (
        for_ever(lambda x: x.shape and x),
        "it asks its arrays for more than 9000 things at {}; write a loop with scan, iterate",
    ),
    "a million nodes": (
        lambda x: equal(x, sum(x for _ in range(1_000_000))),
        "it makes more than 1000 arrays at {}; write a loop with scan, iterate, build or each",
    ),
    "sides of two shapes": (
        lambda x: equal(x, x @ x),
        "the two sides have shapes",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_body_is_refused_in_one_line(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(recording, "MOST", 1_000)
    monkeypatch.setattr(recording, "ASKED", 9_000)
    body, said = REFUSED[name]
    with pytest.raises(Refused) as error:
        record(claim(body, {"x": "3" if "NumPy's" in name or "JAX's" in name else "N"}))
    place = r"[\w/]*test_bad_bodies\.py:\d+"
    assert re.match(re.escape(said).replace(re.escape("{}"), place), str(error.value)), error.value
    assert "\n" not in str(error.value)


def test_a_body_that_calls_itself_for_ever_is_refused_in_one_line():
    def again(x):
        return again(x)

    with pytest.raises(Refused, match=r"its body calls itself, .* at .*\.py:\d+; write a loop"):
        record(claim(lambda x: equal(x, again(x)), {"x": "N"}))


@pytest.mark.long
def test_a_long_chain_of_arrays_is_recorded_and_read_inside_of_loops_too():
    def chained(x):
        for _ in range(400):
            x = x + x * x
        return x

    def step(parameters, state, token):
        return chained(state) + token, None

    def body(x, w, xp, N):
        yield equal(scan(step, None, w, x).final_state, w)
        yield equal(build(xp, N, lambda i: chained(x[i])), x)

    statement = record(claim(body, {"x": "N", "w": ""}))
    assert program(statement).count("\n") > 20 and latex(statement)


COUNTING = [
    one
    for one in ZOO
    if isinstance(one, Statement) and str(one).startswith(("c-c_counters", "c-c_kept"))
]


def test_what_counts_or_keeps_falls_by_the_untraced_run_where_recordings_agree():
    assert FAMILIES
    caught = 0
    for one in COUNTING:
        try:
            statement = record(one.claim)
        except Refused:
            continue
        assert disagreement(one.claim, statement) is not None, str(one)
        caught += 1
    assert caught > 20


def kind_of(n: Any) -> Any:
    return 2 if type(n) is int and n == 1_000_003 else 1


WAYS = {
    "a type": lambda x, N: equal(x, kind_of(N) * x),
    "a type in a table": lambda x, N: equal(x, {int: kind_of}.get(type(N), lambda n: 1)(N) * x),
    "a type in a build": lambda x, N, xp: equal(build(xp, N, lambda i: kind_of(i) * x[i]), x),
    "an array's type": lambda x: equal(x, x if type(x) is not np.ndarray or len(x) < 99 else 2 * x),
    "a key that is missing": lambda x, N: equal(x, missing(N) * x),
    "a condition of a loop": lambda x, N: [
        equal(x[t - 1], kind_of(t) * x[t - 1]) for t in each(1, N)
    ],
    "a step": lambda x, N: equal(iterate(lambda v: v + kind_of(N), x, N), x + N),
}


def missing(n: Any) -> int:
    try:
        return {int: n // 1_000_003 + 1}[type(n)] if type(n) is int else 1
    except KeyError:
        return 1


@pytest.mark.parametrize("name", WAYS)
def test_a_body_that_tells_symbols_from_numbers_goes_another_way_at_every_size(name: str):
    """What it returns differs at no size that is tried."""
    one = claim(WAYS[name], {"x": "N"})
    said = str(disagreement(one, record(one)))
    assert re.match(r"at plain numbers the body runs [\w/]*test_bad_bodies\.py:\d+, which", said)


def test_a_body_with_branches_that_goes_one_way_is_let_be():
    def body(x, N, corrections=()):
        total = x.sum() if "sum" not in corrections else x
        for k in range(3):
            total = total + k if k % 2 else total
        return equal(total, x.sum() + 1)

    one = claim(body, {"x": "N"})
    assert disagreement(one, record(one)) is None


def test_a_statement_without_a_value_is_not_what_a_body_computes():
    one = claim(lambda x: equal(x, x), {"x": "N"})
    nowhere = claim(lambda x: equal(x / (x - x), x / (x - x)), {"x": "N"})
    said = disagreement(one, record(nowhere))
    assert said == "statement 1 has no value at any size tried"
