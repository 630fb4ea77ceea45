"""Bodies that are not what is recorded of them, where few small numbers do not show it."""

import random
import re
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from claims import claim, decided, verdict

from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.iteration import iterate
from scanproof.constructs.arrays.ranges import each
from scanproof.constructs.arrays.scan import scan
from scanproof.proofs.check.fidelity import disagreement
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.exact.scalar import as_fraction
from scanproof.proofs.language.statements import equal
from scanproof.proofs.readings.residues import Residues, identical


class Counting:
    """A step s → s that from its turn 70 on is s → 2 s."""

    def __init__(self) -> None:
        self.turns = 0

    def __call__(self, value: Any) -> Any:
        self.turns += 1
        return value * (1 + self.turns // 70)


def scanned(x):
    step = Counting()
    return equal(scan(lambda _, s, v: (s + step(v), s), None, 0 * x[0], x).final_state, x.sum())


def at_each(x, N):
    step = Counting()
    return [equal(step(x[t]), x[t]) for t in each(0, N - 1)]


COUNTING = {"scan": scanned, "iterate": lambda x, N: equal(iterate(Counting(), x, N), x)}


@pytest.mark.parametrize("body", [*COUNTING.values(), at_each], ids=[*COUNTING, "each"])
def test_a_step_that_counts_its_turns_is_run_far_out(body):
    one = claim(body, {"x": "N"})
    assert "is not what the body computes at N = " in str(disagreement(one, record(one)))


def test_a_step_that_raises_at_a_later_turn_is_run_far_out():
    def body(x):
        step = Counting()

        def once(_, s, v):
            if step(0) == 0 and step.turns > 60:
                raise ValueError("no more")
            return s + v, s

        return equal(scan(once, None, 0 * x[0], x).final_state, x.sum())

    one = claim(body, {"x": "N"})
    assert re.search(
        r"the body does not run at N = \d+, .*: no more", str(disagreement(one, record(one)))
    )


def test_residues_of_long_numbers_do_not_run_over():
    def body(x, N):
        return equal(10**9 * N**5 * (x + 1), 10**9 * N**5 * x + 10**9 * N**5)

    one = claim(body, {"x": "N"})
    residues = Residues(record(one))
    assert all(identical(residues, {"N": n}, random.Random(n)) for n in (3, 40, 300))


def test_a_number_that_is_0_modulo_two_known_primes_is_not_0():
    def body(x, N):
        return equal((2**31 - 1) * (2**31 - 19) * (N - 1) * x, 0 * x)

    one = claim(body, {"x": "N"})
    assert not identical(Residues(record(one)), {"N": 2}, random.Random(0))


def test_a_scan_of_numbers_that_starts_anew_is_differentiated():
    """The derivative is 1 in one turn, at a place that depends on the time alone: a number has no indices."""

    def body(x, w):
        def last(v):
            return scan(lambda _, s, t: (s * v + t, s), None, 0 * x[0], x).final_state

        return equal(gradient(last, w), gradient(last, w))

    one = claim(body, {"x": "N", "w": ""})
    assert disagreement(one, record(one)) is None


def test_a_slice_with_a_step_that_is_empty_at_some_size_is_not_read_from_the_end():
    body = lambda x, N: equal(x[0 : 2 * N - 2 : 2].sum() + x[2 * N - 2], x[::2].sum())  # noqa: E731
    one = claim(body, {"x": "2*N"})
    assert disagreement(one, record(one)) is None


def test_symbols_may_have_greek_names():
    body = lambda λ, η, xp: equal(xp.exp(λ * η) * (η**2 - 1) / (η + 1), xp.exp(η * λ) * (η - 1))  # noqa: E731
    assert verdict(body, {"λ": "N", "η": ""}) == "proved"


def test_the_fraction_that_an_error_proposes_is_never_0():
    with pytest.raises(TypeError, match=r"write Fraction\(1, 1000000000000\)"):
        as_fraction(1e-12)


def in_a_thread(x, N):
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(kind_of(N)))
    thread.start()
    thread.join()
    return equal(x, found[0] * x)


def without_a_trace(x, N):
    sys.settrace(None)
    return equal(x, kind_of(N) * x)


def kind_of(n: Any) -> int:
    return 2 if type(n) is int and n == 1_000_003 else 1


@pytest.mark.parametrize("body", [in_a_thread, without_a_trace])
def test_a_body_that_goes_another_way_unseen_is_not_what_is_recorded(body):
    one = claim(body, {"x": "N"})
    around = sys.gettrace()
    assert disagreement(one, record(one)) is not None
    assert sys.gettrace() is around


KEPT: list[Any] = []


@pytest.mark.parametrize("kept", [lambda x, N: x.sum(), lambda x, N: N], ids=["an array", "a size"])
def test_what_a_body_keeps_from_run_to_run_is_called_that(kept):
    def body(x, N):
        KEPT.append(kept(x, N))
        return equal(KEPT[0] + x, kept(x, N) + x)

    KEPT.clear()
    result = decided(body, {"x": "N"})
    assert result.verdict == "error"
    assert "let the body keep nothing from run to run" in str(result.reason)


def test_a_step_that_counts_in_later_rows_alone_is_run_far_out():
    """Where the other size is 1 it does nothing else: there is one row."""

    def body(x):
        rows, turns = [0], [0]

        def inner(_, s, v):
            turns[0] += rows[0] > 1
            return s + v * (1 + turns[0] // 70), s

        def outer(_, s, row):
            rows[0], turns[0] = rows[0] + 1, 0
            return scan(inner, None, s, row).final_state, s

        return equal(scan(outer, None, 0 * x[0, 0], x).final_state, x.sum())

    one = claim(body, {"x": "N M"})
    assert "M = " in str(disagreement(one, record(one)))


POWERS = {
    "powers of 2": lambda x, N, xp: equal(iterate(lambda v: 2 * v, x, N), xp.asarray(2) ** N * x),
    "a recursion": lambda x, N, xp: equal(iterate(lambda v: 3 * v, xp.asarray(1), N) * x, 3 * x),
    "a product": lambda x, N, xp: equal(xp.prod(xp.arange(N) + 1, axis=0) * x, x),
}


@pytest.mark.parametrize("name", POWERS)
def test_whole_numbers_that_run_over_far_out_are_not_held_against_a_body(name: str):
    one = claim(POWERS[name], {"x": "N"})
    assert disagreement(one, record(one)) is None


COUNTED = """
from scanproof import Source, at_most, equal, iterate

paper = Source("mine", title="Mine")


@paper.claim("mine.counts", says="it stays", given={"x": "N"})
def counts(x, N):
    turns = [0]

    def step(v):
        turns[0] += 1
        return v * (1 + turns[0] // 15)

    return equal(iterate(step, x, N), x)


VACUOUS = {"N − 3 ≤ −c²": lambda c, N: at_most(N - 3, -c * c)}


@paper.claim("mine.bound", says="it is met", given={"x": "N", "c": ""}, assuming=VACUOUS)
def bound(x, N):
    return at_most((N - 3) * (x * x).sum(), 0)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "said"),
    [("counts", "is not what the body computes at N = 15"), ("bound", "proved")],
)
def test_a_claim_that_is_not_what_is_recorded_or_has_no_sizes_listed_is_shown(
    name, said, run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(COUNTED, encoding="utf-8")
    answer = run("show", "mine.py", f"mine.{name}")
    assert answer.code == 0
    assert said in " ".join(answer.out.split())
