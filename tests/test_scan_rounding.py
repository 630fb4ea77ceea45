"""Rounding in scans: bounds for all T and C, what they need, and arrays that round."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from scanproof.constructs.arrays.rounded import Rounding, rounded
from scanproof.constructs.arrays.scan import map_leaves, scan
from scanproof.constructs.forms.chunked import Weighed, carry_decayed, read
from scanproof.constructs.layers import delta_rule, linear_attention
from scanproof.numeric.rounding.in_format import in_format
from scanproof.numeric.studies.tightness.symbolic import (
    attended,
    compared,
    decayed,
    delta,
    delta_step,
    delta_steps,
    drawn,
    format_of,
    read_out,
    rho,
)
from scanproof.proofs.claims.rounding import SOURCE
from scanproof.proofs.claims.rounding.delta_rule import most_added, written_off
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.search.all_sizes import find

CLAIMS = {row.claim.id: row.claim for row in SOURCE.rows}


def neighbour(id: str, **options: Any) -> Any:
    """What is decided about a row with other constants."""
    claim = CLAIMS[id]
    return decide(replace(claim, id=f"{id}-neighbour", options=options), ENGINES["all"])


@pytest.mark.long
@pytest.mark.parametrize(
    ("id", "options"),
    [
        ("rounding.recurrent-unit-gate", {"added": 0}),
        ("rounding.recurrent-scalar-decay", {"added": 0}),
        ("rounding.chunked-unit-gate", {"carried": 0}),
        ("rounding.decay-products", {"more": 0}),
        ("rounding.readout", {"read_once": 0}),
        ("rounding.chunked-first-order", {"more": 0}),
    ],
)
def test_a_bound_with_one_rounding_or_one_underflow_fewer_is_false_for_one_token(id, options):
    found = neighbour(id, **options)
    assert found.verdict == "refuted"
    assert set(found.counterexample.sizes.values()) == {1}


@pytest.mark.long
def test_a_bound_for_few_roundings_is_false_where_they_are_many():
    claim = CLAIMS["rounding.gamma"]
    kept = {"u ≥ 0": claim.assuming["u ≥ 0"]}
    found = decide(replace(claim, id="rounding.gamma-any", assuming=kept), ENGINES["all"])
    assert found.verdict == "refuted"


TOKENS = linear_attention.Token(q=np.ones((3, 1)), k=np.ones((3, 1)), v=np.arange(3.0)[:, None])


def roundings(u: float, shift: float = 0.0) -> tuple[Rounding, ...]:
    """One for each operation of linear attention's step, all alike, for 3 tokens."""
    shapes = ((3, 1, 1), (3, 1, 1), (3, 1, 2, 1))
    return tuple(Rounding(np.full(s, u), np.full(s, shift)) for s in shapes)


def test_a_step_whose_roundings_are_0_is_the_step():
    start = np.zeros((1, 1))
    run = scan(rounded(linear_attention.step), None, start, (TOKENS, roundings(0.0)))
    plain = scan(linear_attention.step, None, start, TOKENS)
    assert np.array_equal(run.states, plain.states)
    assert np.array_equal(run.outputs, plain.outputs)


def test_every_operation_of_a_step_is_rounded():
    """v k once, with a state of 0 twice, in the product with q once, and once more where that is added to 0."""
    start = np.zeros((1, 1))
    one = linear_attention.Token(*(np.ones((1, 1)) for _ in range(3)))
    errors = tuple(Rounding(r.relative[:1], r.absolute[:1]) for r in roundings(0.5, 1.0))
    run = scan(rounded(linear_attention.step), None, start, (one, errors))
    state = (1 * 1.5 + 1) * 1.5 + 1
    assert run.states[0, 0, 0] == state
    assert run.outputs[0, 0] == (state * 1.5 + 1) * 1.5 + 1


def test_roundings_that_do_not_fit_the_steps_operations_are_refused():
    start, three = np.zeros((1, 1)), roundings(0.0)
    run = rounded(linear_attention.step)
    for given, words in (
        (three[:2], "none is left for a product"),
        ((*three, three[0]), "1 of 4 are left over"),
        ((three[2], *three[1:]), "expects for the operation mul a rounding of its result's shape"),
        ((*three[:2], three[0]), "expects for a product of 1 terms"),
    ):
        with pytest.raises(TypeError, match=words):
            scan(run, None, start, (TOKENS, given))


@pytest.mark.short("96-32")
@pytest.mark.parametrize(("T", "C"), [(64, 8), (96, 32), (128, 2)])
def test_what_a_float32_run_is_off_by_is_within_the_bound_for_all_T_and_C(T, C):
    for seed in range(3):
        found = compared(T, C, seed)
        assert 0 < found.found <= found.symbolic
        assert found.found <= found.numeric
        assert C + T / C + 1 <= found.symbolic <= (C + T / C + 1) * 1.001


@pytest.mark.parametrize("C", [1, 3])
def test_a_bound_of_decayed_chunks_with_one_rounding_fewer_is_false_for_one_chunk(C):
    """The first token of a chunk is weighed, multiplied, added C times and once more: C + 3 roundings, m = 1."""
    u = 0.5
    shapes = ((1, C, 1), (1, C, 2, 1, 1), (1, 1, 1), (1, 1, 1))
    rounding = tuple(Rounding(np.full(s, u), np.zeros(s)) for s in shapes)
    only_first = np.eye(1, C)[:, :, None]
    ones = Weighed(only_first, np.ones((1, C, 1)), np.ones((1, C)), np.ones(1))
    off = scan(rounded(carry_decayed), None, np.zeros((1, 1)), (ones, rounding)).states[0, 0, 0] - 1
    assert (1 + u) ** (C + 2) - 1 < off == (1 + u) ** (C + 3) - 1


@pytest.mark.parametrize("n", [1, 4])
def test_a_bound_of_a_chunks_outputs_with_one_rounding_fewer_is_false_for_one_token(n):
    """A state off by (1 + u)^{n + 2} is read by 2 roundings and added to nothing by 1: n + 5, C = N = 1."""
    u, one = 0.5, np.ones((1, 1))
    made = tuple(Rounding(np.full(s, u), np.zeros(s)) for s in ((1, 2, 1, 1), (1, 2, 1, 1), (1, 1)))
    token = linear_attention.Token(q=one, k=one, v=0 * one)
    state = (1 + u) ** (n + 2) * one
    computed = rounded(read)(None, state, ((token, one), made))[1].outputs[0, 0]
    assert (1 + u) ** (n + 4) < computed == (1 + u) ** (n + 5)


@pytest.mark.parametrize("name", ["bfloat16", "float32", "float64"])
@pytest.mark.parametrize("run", [decayed, attended, read_out, delta])
def test_what_a_run_is_off_by_is_within_the_bound_for_all_sizes(run, name):
    for seed, (T, second) in enumerate(((16, 4), (64, 8), (128, 2))):
        found = run(T, second, name, seed)
        assert 0 < found.found <= found.bound


@pytest.mark.parametrize("name", ["bfloat16", "float16", "float32", "longdouble"])
def test_a_run_in_a_format_rounds_every_operation_to_it(name):
    """With zeros in float64 at the start, against a loop that rounds by hand."""
    dtype = np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)
    tokens = map_leaves(lambda one: in_format(one, dtype), drawn(12, 5, 3))
    computed = scan(delta_rule.step, None, np.zeros((4, 5)), tokens)
    state = np.zeros((4, 5), dtype)
    for k, v, _q, beta in zip(*map(np.asarray, tokens), strict=True):
        missed = v - (state @ k).astype(dtype)
        state = state + beta * (missed[:, None] * k)
        assert state.dtype == dtype
    assert computed.final_state.dtype == computed.outputs.dtype == dtype
    np.testing.assert_array_equal(
        np.asarray(computed.final_state).astype(float), state.astype(float)
    )


@pytest.mark.long
def test_errors_of_the_delta_rule_do_not_add_up_to_less_than_their_sum():
    found = neighbour("rounding.delta-rule", most=0)
    assert found.verdict == "refuted"


@pytest.mark.long
@pytest.mark.parametrize("left_out", ["‖k_t‖ ≤ 1", "β_t ≤ 1", "0 ≤ β_t"])
def test_errors_of_the_delta_rule_may_grow_without_a_condition(left_out):
    claim = CLAIMS["rounding.delta-rule"]
    kept = {name: one for name, one in claim.assuming.items() if name != left_out}
    found = decide(replace(claim, id="rounding.delta-any", assuming=kept), ENGINES["all"])
    assert found.verdict in ("refuted", "unknown")


@pytest.mark.long
def test_a_bound_of_one_step_of_the_delta_rule_without_its_underflow_is_refuted():
    assert neighbour("rounding.delta-step", grown=0).verdict == "refuted"


@pytest.mark.long
@pytest.mark.parametrize("option", ["kept", "written"])
def test_no_part_of_what_a_row_is_off_by_can_be_left_out(option):
    """N = 1, S = k = v = β = 1, an R as large as the conditions allow: it has the norm ρ."""
    one, u, eta = Fraction(1), Fraction(1, 4), Fraction(1, 8)
    e = ((1 + u) ** 2 - 1) + 2 * (1 + u) * eta
    b, h = written_off(one + one, one, e, u, eta)
    R = u + b + h
    assert most_added(one, one, one, u, eta, 1) == R
    claim = replace(
        CLAIMS["rounding.delta-step-rows"], id="rounding.rows-less", options={option: 0}
    )
    assert "no proof was found" in find(claim)


@pytest.mark.parametrize("name", ["bfloat16", "float32", "float64"])
def test_what_a_step_of_a_run_adds_is_within_the_bound_for_all_N(name):
    for seed, (T, N) in enumerate(((16, 1), (64, 8), (32, 128))):
        found = delta_step(T, N, name, seed)
        assert 0 < found.found <= found.bound


def hard(N: int, kind: str) -> delta_rule.Token:
    """Tokens whose steps round much: equal keys whose products all round alike, values that cancel, or tiny ones."""
    T = 40
    rng = np.random.default_rng(N)
    k = np.full((T, N), (1 / 1.02) / np.sqrt(N)) * rng.choice([1, 1 + 2.0**-9], (T, N))
    v = {
        "cancels": 1000 * np.where(np.arange(T) % 2, 1.0, -1.0)[:, None] * np.ones((T, 4)),
        "forgets": 1000 * (np.arange(T) == 0)[:, None] * (1 + rng.uniform(0, 1, (T, 4))),
        "tiny": 1e-37 * rng.standard_normal((T, 4)),
    }[kind]
    return delta_rule.Token(k, v, k, rng.uniform(0.9, 1, T))


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["cancels", "forgets", "tiny"])
@pytest.mark.parametrize("N", [1, 3, 64])
def test_what_hard_tokens_add_and_come_to_is_within_the_bounds_of_the_delta_rule(N, kind, name):
    """T ρ with the largest row of the run is what rounding.delta-rule and rounding.delta-step-rows make together."""
    form = format_of(name)
    steps = delta_steps(hard(N, kind), form)
    own = [rho(float(sigma), steps.values, N, form) for sigma in steps.states]
    assert steps.added.max() > 0
    assert all(off <= most for off, most in zip(steps.added, own, strict=True))
    assert 0 < steps.end <= len(own) * rho(float(steps.states.max()), steps.values, N, form)
