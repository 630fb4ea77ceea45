"""Hypothesis against the engines: what is false never comes out proved, what is rearranged always does."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scanproof.constructs.arrays.definition import definition
from scanproof.constructs.arrays.scan import scan
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.language.source import Source
from scanproof.proofs.language.statements import equal

SYMBOLS = ("x", "y", "z")


@definition
def accumulate(gate, state, token):
    state = gate * state + token
    return state, state


def monomial(powers, arrays, t):
    """Π a_t^p over the three symbols."""
    product = None
    for name, power in zip(SYMBOLS, powers, strict=True):
        for _ in range(power):
            product = arrays[name][t] if product is None else product * arrays[name][t]
    return product if product is not None else arrays["x"][t] * 0 + 1


terms = st.tuples(st.integers(-3, 3).filter(bool), st.tuples(*[st.integers(0, 2)] * 3))


def verdict(body, engine):
    source = Source("fuzz", title="random polynomials")
    row = source.claim(
        "fuzz.row", says="…", given=dict.fromkeys(SYMBOLS, "n"), sizes={"n": (1, 2)}
    )(body)
    return decide(row.claim, ENGINES[engine]).verdict


@pytest.mark.long
@settings(max_examples=10)
@given(st.lists(terms, min_size=1, max_size=4), terms, st.sampled_from(["all", "flint", "sympy"]))
def test_a_sum_with_one_term_too_many_is_never_proved(parts, extra, engine):
    def body(x, y, z, n, xp):
        arrays = {"x": x, "y": y, "z": z}
        tokens = xp.stack([_sum(parts, arrays, t) for t in range(n)])
        outputs = scan(accumulate, xp.asarray(1), xp.asarray(0), tokens).outputs
        return equal(outputs[-1], tokens.sum() + extra[0] * monomial(extra[1], arrays, n - 1))

    assert verdict(body, engine) == "refuted"


@pytest.mark.long
@settings(max_examples=4)
@given(st.lists(terms, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_a_rearranged_sum_is_always_proved(parts, random):
    shuffled = list(parts)
    random.shuffle(shuffled)

    def body(x, y, z, n, xp):
        arrays = {"x": x, "y": y, "z": z}
        tokens = xp.stack([_sum(parts, arrays, t) for t in range(n)])
        outputs = scan(accumulate, xp.asarray(1), xp.asarray(0), tokens).outputs
        other = xp.stack([_sum(shuffled, arrays, t) for t in reversed(range(n))])
        return equal(outputs[-1], other.sum())

    assert verdict(body, "all") == "proved"


def _sum(parts, arrays, t):
    total = None
    for coefficient, powers in parts:
        term = coefficient * monomial(powers, arrays, t)
        total = term if total is None else total + term
    return total
