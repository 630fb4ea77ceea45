"""What stands in the way of an identity at fixed sizes: what happens beyond them."""

import jax.numpy as jnp
import pytest
from claims import claim, decided

from scanproof import definition, differs, equal
from scanproof.proofs.check import beyond
from scanproof.proofs.decide.as_it_runs.comparing import Runs
from scanproof.proofs.decide.as_it_runs.running import Running
from scanproof.proofs.decide.ledger import built_in
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.language.statements import undetermined


@definition
def total(x):
    """The sum of the entries."""
    return x.sum()


@definition
def squared(x):
    """The square of each entry."""
    return x * x


def raises_late(x, N):
    if N >= 5:
        raise KeyError(N)
    return equal(total(x), x.sum())


def grows_late(x, xp, N):
    return equal(total(x) + (xp.zeros((2,)) if N >= 5 else 0), x.sum())


def divides_late(x, N):
    zero = x[0] - x[0] if N >= 5 else x[0]
    return equal(total(x) / zero, x.sum() / zero)


@pytest.mark.parametrize(
    "body, said",
    [
        (raises_late, "at N=5 the claim raised KeyError: 5"),
        (grows_late, "at N=5"),
        (divides_late, "from N = 5 on"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_what_happens_beyond_the_evidence_keeps_an_identity_from_being_proved(body, said):
    result = decided(body, {"x": "N"})
    assert result.verdict == "unknown"
    assert said in result.reason


def sorted_late(x):
    return jnp.sort(x) if x.shape[0] > 9 else x


def infinite_late(x):
    low = jnp.where(jnp.arange(x.shape[0]) == 4, -jnp.inf, x)
    sums = jnp.cumsum(low)
    return jnp.tril(jnp.exp(sums[:, None] - sums[None, :])) @ x


def reset(x):
    apart = jnp.arange(x.shape[0]) // 5
    sums = jnp.cumsum(x)
    kept = jnp.exp(sums[:, None] - sums[None, :])
    return jnp.tril(kept * (apart[:, None] == apart[None, :])) @ x


@pytest.mark.long
@pytest.mark.parametrize(
    "program, specification, size",
    [(sorted_late, lambda x: x, "T=10"), (infinite_late, reset, "T=5")],
    ids=["sorted_late", "infinite_late"],
)
def test_a_program_that_is_not_read_beyond_its_evidence_is_not_proved(
    program, specification, size, monkeypatch
):
    assert prove(program, shapes="x: T", equals=specification).result.verdict == "refuted"
    monkeypatch.setattr(Running, "answer", lambda self, result, *_: (result, Runs()))
    result = prove(program, shapes="x: T", equals=specification).result
    assert result.verdict == "unknown"
    assert f"at {size} it could not be run" in result.reason


@pytest.mark.long
def test_a_claim_that_is_dear_at_every_size_is_run_at_the_next_ones():
    row = next(one for one in built_in().rows if one.claim.id == "mamba2.gd-vector")
    held = beyond.beyond(row.claim).held
    assert {"n": 3, "d": 1, "L": 2} in held
    assert {"n": 1, "d": 1, "L": 3} in held


def loses_digits(x, xp, N):
    """Each turn takes seven of a ball's binary digits; a divisor is not told from 0 then."""
    one = xp.exp(x[0])
    for _ in range(N):
        one = 64 * one - 63 * one
    return equal(total(xp.ones((1,)) / one), 1 / one)


@pytest.mark.long
def test_a_recursion_that_outgrows_the_digits_of_an_enclosure_has_a_value():
    tried = beyond.beyond(claim(loses_digits, {"x": "N"}))
    assert max(sizes["N"] for sizes in tried.held) > 100
    assert tried.undefined == []


def asks(x, N):
    """No proof for all sizes: it asks whether N < 9."""
    return equal(total(x), x.sum() if N < 9 else total(x))


def test_where_no_larger_size_is_affordable_it_is_unknown(monkeypatch):
    assert decided(asks, {"x": "N"}, engine="flint").scope == "fixed-size"
    monkeypatch.setattr(beyond, "ALL", 3)
    monkeypatch.setattr(beyond, "DEAR", 3)
    result = decided(asks, {"x": "N"}, engine="flint")
    assert result.verdict == "unknown"
    assert "no larger size was run" in result.reason


def test_that_there_is_no_map_is_shown_at_the_next_sizes_too():
    def body(x, y, N):
        return undetermined(squared(x) if N < 9 else x * x, x)

    result = decided(body, {"x": "N", "y": ""}, sizes={"N": (1, 2)})
    assert (result.verdict, result.scope) == ("proved", "fixed-size")
    assert [one["sizes"] for one in result.evidence] == [[{"N": 1}], [{"N": 2}], [{"N": 3}]]


@pytest.mark.long
def test_a_map_that_there_is_beyond_the_evidence_is_not_proved_missing():
    def body(x, N):
        return undetermined(squared(x) if N < 3 else x, x)

    assert decided(body, {"x": "N"}, sizes={"N": (1, 2)}).verdict == "unknown"


def test_a_difference_in_exponentials_is_tried_in_balls():
    one = claim(lambda x, xp: differs(total(xp.exp(x)), xp.exp(total(x))), {"x": "N"})
    tried = beyond.beyond(one)
    assert tried.engine == "balls"
    assert {"N": 4} in tried.held
    assert not tried.unread


def test_arrays_of_many_axes_are_drawn_at_no_sizes_at_which_they_are_too_large():
    many = claim(lambda x, w: equal(2 * x, x + x), {"x": "d", "w": "d d d d"}, sizes={"d": (1, 2)})
    tried = beyond.beyond(many)
    assert tried.held and max(sizes["d"] for sizes in tried.held) ** 4 <= beyond.ALL
