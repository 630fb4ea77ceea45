"""What stands between a claim's Python code and the word proved: questions, loops, quantifiers, sizes beyond."""

import cmath
import contextlib
import functools
import itertools
import math
import operator
import re
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest
from claims import claim, decided
from jax import lax

from scanproof import (
    Source,
    UsageError,
    definition,
    determines,
    differs,
    equal,
    undetermined,
)
from scanproof.constructs.arrays.array_api import outer
from scanproof.constructs.arrays.ranges import build, each, product
from scanproof.constructs.constructions.construction import ANY, Construction
from scanproof.constructs.layers.sequence import Recurrent
from scanproof.constructs.learners.learner import Descent
from scanproof.constructs.learners.losses import HALF_SUM
from scanproof.constructs.tokens import keyed
from scanproof.proofs.check import beyond
from scanproof.proofs.check.source import Source as Code
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.decide.verdict import decide
from scanproof.proofs.doors.record.array import Recorded
from scanproof.proofs.doors.record.namespace import Namespace
from scanproof.proofs.exact.engines import ENGINES
from scanproof.proofs.interpret.array import KernelArray
from scanproof.proofs.language.learns import learns


@definition
def twice(x):
    return 2 * x


@definition
def added_up(eta, state, token):
    state = state + outer(token.v, token.k)
    return state, eta * (state @ token.q)


def forgets_from_7_on(outputs, following, W0, **symbols):
    number = outputs.shape[0]
    return 0 * outputs if type(number) is int and number > 6 else outputs


def for_all_sizes(result):
    return (result.verdict, result.scope) == ("proved", "all-sizes")


# What a symbolic size is asked.

QUESTIONS = {
    "an order": lambda N: N <= 4,
    "an equation": lambda N: N == 4,
    "a number's equation": lambda N: N == 4.0,
    "a hash": lambda N: {4: 1}.get(N),
    "a text": lambda N: str(N),
    "a format": lambda N: f"{N:>3}",
    "a repr": lambda N: repr(N),
    "an index": lambda N: operator.index(N),
    "a number": lambda N: math.sqrt(N),
    "a quotient": lambda N: N / 2,
    "a remainder": lambda N: N % 2,
    "a range": lambda N: range(N),
    "an attribute": lambda N: N.bit_length(),
    "a power": lambda N: 2**N,
    "a whole number of NumPy's": lambda N: N * np.int64(3),
    "a number of NumPy's on the left": lambda N: np.int64(3) * N,
    "its attributes": dir,
}


@pytest.mark.short(4)
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_query_that_is_caught_is_noted_all_the_same(name):
    ask = QUESTIONS[name]

    def body(x, N):
        with contextlib.suppress(Exception):
            ask(N)
        return equal(twice(x), x + x)

    result = decided(body, {"x": "N"})
    assert (result.verdict, result.scope) == ("proved", "fixed-size")
    assert "of N" in result.reason or "N" in result.reason.split("(asked")[0]
    assert "test_trust.py:" in result.reason


TOLD = {
    "a documentation": lambda x, xp, N: N.__doc__ == int.__doc__,
    "a method of its own": lambda x, xp, N: hasattr(N.__add__, "__func__"),
    "a module": lambda x, xp, N: hasattr(N, "__module__"),
    "slots": lambda x, xp, N: hasattr(N, "__slots__"),
    "its bytes": lambda x, xp, N: N.__sizeof__() == (4).__sizeof__(),
    "a document of an array": lambda x, xp, N: x.__doc__ == np.ones(1).__doc__,
    **{
        f"{name} of an array": lambda x, xp, N, name=name: hasattr(x, name)
        for name in dir(Recorded)
        if not hasattr(np.ndarray, name)
    },
    **{
        f"{name} of arrays": lambda x, xp, N, name=name: hasattr(xp, name)
        for name in dir(Namespace)
        if not hasattr(np, name)
    },
}
"""What tells symbols from numbers."""


@pytest.mark.short("a documentation", "node of an array", "scan of arrays")
@pytest.mark.parametrize(
    ("name", "factors"), list(zip(TOLD, itertools.cycle([(2, 3), (3, 2)]), strict=False))
)
def test_what_tells_a_symbol_from_a_number_shows_where_something_depends_on_it(name, factors):
    def body(x, xp, N):
        return equal(twice(x), factors[TOLD[name](x, xp, N)] * x)

    assert not for_all_sizes(decided(body, {"x": "N"}))


@pytest.mark.long
def test_what_holds_at_all_sizes_may_be_asked():
    def body(x, N):
        known = isinstance(N, int) and N >= 1 and N + 1 != N and N not in (None, "N")
        return equal(twice(x), (2 if known else 3) * x)

    assert for_all_sizes(decided(body, {"x": "N"}))


@pytest.mark.long
def test_an_error_of_an_array_that_is_caught_counts():
    def body(x, N):
        try:
            wrong = x[N]
        except Exception:
            wrong = 0
        return equal(twice(x) + wrong, x + x)

    assert not for_all_sizes(decided(body, {"x": "N"}))


@pytest.mark.long
def test_a_size_has_no_attribute_that_whole_numbers_lack():
    def body(x, N):
        lacks = not any(hasattr(N, name) for name in ("index", "_index", "_asked", "entries"))
        return equal(twice(x), (2 if lacks else 3) * x)

    assert for_all_sizes(decided(body, {"x": "N"}))


def heard(ask):
    """Whether a claim that asks its array x or the namespace is not proved for all sizes."""

    def body(x, xp):
        with contextlib.suppress(Exception):
            ask(x, xp)
        return equal(twice(x), x + x)

    return not for_all_sizes(decided(body, {"x": "N f"}, sizes={"N": (2,), "f": (2,)}))


OF_ARRAYS = {
    "a matrix of NumPy's": lambda x, xp: x @ np.eye(2, dtype=int),
    "a text as a factor": lambda x, xp: x * "a",
    "nothing as a term": lambda x, xp: x - None,
    "a float that is not its decimal": lambda x, xp: x / 0.1,
    "an array of JAX": lambda x, xp: x + jnp.ones(2),
    "the last two axes of a vector": lambda x, xp: x[0].mT,
    "the last two axes of a number": lambda x, xp: x[0, 0].mT,
    "a length of a number": lambda x, xp: len(x[0, 0]),
    "rows of a symbolic number": lambda x, xp: list(x),
    "something in it": lambda x, xp: 1 in x,
    "a text": lambda x, xp: str(x),
    "a format": lambda x, xp: f"{x}",
    "a place of NumPy's": lambda x, xp: x[np.int64(0)],
    "a name that C code asks for in our stead": lambda x, xp: xp.stack(
        itertools.compress([x, x], map(functools.partial(hasattr, x), ["dims", "T"]))
    ),
}


@pytest.mark.short("a text", "a place of NumPy's")
@pytest.mark.parametrize("name", OF_ARRAYS)
def test_what_an_array_is_asked_and_only_some_kinds_answer_is_heard(name):
    assert heard(OF_ARRAYS[name])


OF_ALL_KINDS = {
    "a product with a number of NumPy's": lambda x, xp: x * np.int64(3),
    "the same on its right": lambda x, xp: np.int64(3) * x,
    "a product with an array of NumPy's": lambda x, xp: x * np.array(3),
    "the same on the right": lambda x, xp: np.array(3) * x,
    "a sum with a truth value": lambda x, xp: x + True,
    "a float": lambda x, xp: x / 2.0,
    "a function of NumPy's": lambda x, xp: np.einsum("ij,ij->i", x, x),
    "a mask of positions": lambda x, xp: xp.where(xp.arange(x.shape[0]) >= 0, x[:, 0], 0),
}


@pytest.mark.long
@pytest.mark.parametrize("name", OF_ALL_KINDS)
def test_what_all_kinds_of_arrays_answer_alike_may_be_asked(name):
    assert not heard(OF_ALL_KINDS[name])


def test_all_kinds_of_arrays_are_iterable_alike():
    kinds = KernelArray, Recorded, np.ndarray
    assert all(hasattr(kind, "__iter__") for kind in kinds)


@pytest.mark.long
def test_a_label_in_pieces_asks_nothing():
    def body(x, N):
        for t in each(0, N - 1):
            yield equal(twice(x)[t], x[t] + x[t], ("t = ", t))

    assert for_all_sizes(decided(body, {"x": "N"}))


# Loops.


@pytest.mark.long
def test_what_one_turn_leaves_to_the_next_is_seen_though_one_size_is_listed():
    def body(x, xp, N):
        one = other = xp.zeros(())
        for t in each(0, N - 1):
            one, other = one + twice(x[t]), other + x[t] + x[t]
        yield equal(one, other)

    result = decided(body, {"x": "N"}, sizes={"N": (1,)})
    assert result.scope == "fixed-size"
    assert "one leaves something to the next" in result.reason


def test_a_loop_without_a_turn_at_any_size_is_said():
    def body(x, N):
        yield equal(twice(x), x + x)
        for t in each(N, N - 1):
            yield equal(twice(x[t]), 3 * x[t])

    result = decided(body, {"x": "N"})
    assert result.scope == "fixed-size"
    assert "without a turn at any size" in result.reason


# Quantifiers.


def test_a_witness_that_asks_for_an_input_is_an_error_that_names_it():
    with pytest.raises(UsageError, match=r"asks for the input 'x'.*fixed="):
        claim(
            lambda p, x: equal(p @ x, (x @ x) * x),
            {"x": "f"},
            kind="existence",
            parameters=lambda x, xp, f: (x @ x) * xp.eye(f),
        )


@pytest.mark.long
def test_a_witness_that_the_body_makes_proves_no_existence():
    def body(x, xp, f):
        return equal(twice((x @ x) * xp.eye(f)) @ x, 2 * (x @ x) * x)

    result = decided(body, {"x": "f"}, kind="existence")
    assert result.verdict == "unknown"
    assert "parameters=" in result.reason


@pytest.mark.long
def test_inputs_that_collide_have_the_parameters_in_common():
    body = lambda a, x: undetermined(a * twice(x), a * x)  # noqa: E731
    given = {"a": "", "x": ""}
    assert decided(body, given, over_all_parameters=("a",)).verdict == "unknown"


def test_a_collision_at_one_choice_of_parameters_does_not_refute_that_another_does_it():
    body = lambda a, x: determines(a * twice(x), x)  # noqa: E731
    result = decided(body, {"a": "", "x": ""}, kind="existence", over_all_parameters=("a",))
    assert result.verdict == "unknown"
    assert "parameters a" in result.reason


@pytest.mark.long
def test_undetermined_is_said_of_every_size_listed():
    body = lambda x: undetermined(twice(x).sum(), x)  # noqa: E731
    result = decided(body, {"x": "N"}, sizes={"N": (1, 2)})
    assert result.verdict == "unknown"
    assert "N=1" in result.reason


# Beyond the evidence.


def test_what_fails_at_the_next_size_is_refuted_there():
    def body(x, xp, N):
        power = product(build(xp, N, lambda i: xp.asarray(2)))
        return equal(power * twice(x), (xp.asarray(N) * N - N + 2) * 2 * x)

    result = decided(body, {"x": ""}, sizes={"N": (1, 2, 3)})
    assert (result.verdict, result.counterexample.sizes) == ("refuted", {"N": 4})


@pytest.mark.long
def test_a_denominator_that_is_0_at_all_larger_sizes_proves_nothing():
    def body(a, xp, N):
        zero = product(build(xp, N, lambda i: xp.asarray(i) - 3))
        return equal(zero * twice(a) / zero, twice(a))

    result = decided(body, {"a": ""}, sizes={"N": (1, 2, 3)})
    assert result.verdict == "unknown"
    assert "a denominator is 0" in result.reason


def test_conditions_that_are_met_at_small_sizes_only_are_said():
    few = {"N ≤ 2": lambda N: N <= 2}
    (*_, tried) = decided(lambda x: equal(twice(x), x + x), {"x": "N"}, assuming=few).evidence
    assert "met at none of" in tried["assumes"][0]


@pytest.mark.long
def test_a_difference_that_ends_is_found():
    def body(x, xp, N):
        gone = product(build(xp, N, lambda i: xp.asarray(i) - 3))
        return differs(twice(x) + gone, 2 * x)

    result = decided(body, {"x": ""}, sizes={"N": (1, 2, 3)})
    assert result.verdict == "refuted"


def test_sizes_to_try_do_not_depend_on_the_claims_name_but_on_its_code():
    one, same, other = (lambda x: 3 * x), (lambda x: 3 * x), (lambda x: 4 * x + 17)
    assert Code([one]).seed == Code([same]).seed != Code([other]).seed
    assert 17 in Code([other]).numbers


@pytest.mark.long
def test_a_number_in_the_code_is_tried_for_each_size():
    one = claim(lambda x, N: equal(twice(x) * (N + 57 - N), 57 * (x + x)), {"x": "N"})
    tried = [sizes["N"] for sizes in beyond.beyond(one).held]
    assert {56, 57, 58} <= set(tried)
    assert max(tried) > 256


@pytest.mark.long
def test_a_construction_that_tells_a_symbol_from_a_number_is_told_with_its_line():
    memory = Construction(
        "a memory whose readout is 0 from 7 examples on",
        lambda eta: eta,
        keyed,
        Recurrent(added_up, lambda eta, tokens, W0: 0 * outer(tokens.v[0], tokens.k[0])),
        Descent(HALF_SUM, from_zero=True),
        forgets_from_7_on,
        targets=ANY,
    )
    given = {"x": "N+1 k", "y": "N l", "eta": ""}
    row = Source("own", title="").claim("own.a", says="", given=given, construction=memory)(learns)
    result = decide(row.claim, ENGINES["all"])
    assert result.verdict == "unknown"
    assert "which it does not run where it is recorded" in result.reason


def test_inputs_that_do_not_meet_the_conditions_do_not_show_that_sides_differ():
    """With eta = 1 the sides agree at N = 5; at other eta they differ there."""

    def body(x, eta, N):
        return differs((eta - 1) + (2 - eta) * (N - 5) + 0 * twice(x).sum(), 0 * eta)

    def decided_where(condition):
        return decided(body, {"x": "N", "eta": ""}, assuming=condition)

    result = decided_where({"eta is 1": lambda eta: eta == 1})
    assert result.verdict == "unknown"
    assert "at N=5 it fails" in result.reason


@pytest.mark.long
def test_where_no_inputs_meet_the_conditions_farther_out_it_is_unknown():
    def body(x, eta):
        return differs(twice(x).sum() + eta, twice(x).sum())

    few = {"there are at most 3 entries and eta is 1": lambda x, eta: len(x) <= 3 and eta == 1}
    result = decided(body, {"x": "N", "eta": ""}, assuming=few)
    assert result.verdict == "unknown"
    assert "at N=4 no inputs were found that meet the conditions" in result.reason


@pytest.mark.long
def test_inputs_may_have_the_names_of_functions():
    body = lambda exp, abs, log, xp: equal(exp * twice(abs).sum() + log, log + 2 * abs.sum() * exp)  # noqa: E731
    assert for_all_sizes(decided(body, {"exp": "", "abs": "N", "log": ""}))


# Programs.


def outcome(function, equals, shapes="x: T d", **sizes) -> Any:
    return prove(function, shapes=shapes, equals=equals, sizes=sizes or None)


@pytest.mark.long
def test_a_softmax_of_each_row_is_still_proved():
    def rows(x):
        e = lax.map(lambda r: jnp.exp(r - r.max()), x)
        return e / e.sum(1, keepdims=True)

    def plainly(x):
        return jnp.exp(x) / jnp.exp(x).sum(1, keepdims=True)

    assert for_all_sizes(outcome(rows, plainly).result)


@pytest.mark.long
def test_integers_that_may_run_over_are_a_condition_in_words():
    def counted(x):
        def step(i, row):
            return i + jnp.int32(70_000), jnp.where(i >= 0, row, 0.0)

        return lax.scan(step, jnp.int32(0), x)[1].sum(0)

    (evidence,) = (
        e for e in outcome(counted, lambda x: x.sum(0)).result.evidence if e["engine"] == "kernel"
    )
    condition = "70000·T ≤ 2147483647 (int32, tests/test_trust.py:"
    assert any(text.startswith(condition) for text in evidence["assumes"])


@pytest.mark.long
def test_integers_that_wrap_at_a_size_tried_refute():
    def wrapped(x):
        i = lax.iota(jnp.int32, x.shape[0])
        return jnp.where((i * 2**30 * 2 >= 0)[:, None], x, 0.0)

    result = outcome(wrapped, lambda x: x).result
    assert (result.verdict, result.counterexample.sizes) == ("refuted", {"T": 2, "d": 1})


@pytest.mark.long
def test_a_program_that_changes_far_out_is_told_with_its_line():
    def windowed(x):
        length = x.shape[0]
        if type(length) is int and length > 5_000:
            return x[:5_000].sum(0)
        return x.sum(0)

    result = outcome(windowed, lambda x: x.sum(0)).result
    assert result.verdict == "unknown"
    assert "another one at T = " in result.reason
    assert "test_trust.py:" in result.reason


@pytest.mark.long
def test_what_a_program_does_besides_computing_is_an_error():
    import jax

    def loud(x):
        jax.debug.print("{}", x.sum())
        return x.sum(0)

    with pytest.raises(UsageError, match="more than compute"):
        outcome(loud, lambda x: x.sum(0))


@pytest.mark.long
def test_sides_whose_shapes_part_farther_out_are_refuted_at_that_size():
    found = outcome(lambda x: x[:300], lambda x: x).result
    assert found.verdict == "refuted"
    assert "arrays of other shapes at T=301, d=" in found.reason


UNTRACED = {
    "a float": lambda x: x / float(x.shape[1]) ** 0.5,
    "a complex number": lambda x: x / cmath.sqrt(x.shape[1]).real,
    "a float of NumPy's": lambda x: x / np.float64(x.shape[1]) ** 0.5,
}


@pytest.mark.long
@pytest.mark.parametrize("name", UNTRACED)
def test_a_size_that_jax_cannot_trace_is_told_with_its_line_and_what_to_write(name):
    function = UNTRACED[name]
    found = outcome(function, lambda x: x / jnp.sqrt(x.shape[1])).result
    assert (found.verdict, found.scope) == ("proved", "fixed-size")
    line = function.__code__.co_firstlineno
    assert re.search(rf"at tests/test_trust\.py:{line}: .*; compute with jnp", found.reason)


@pytest.mark.long
def test_places_that_end_far_out_are_not_all_places():
    found = outcome(lambda x: x[jnp.minimum(jnp.arange(x.shape[0]), 9**5)], lambda x: x).result
    assert (found.verdict, found.scope) == ("proved", "fixed-size")


@pytest.mark.long
def test_additions_of_integers_at_places_are_a_condition_in_words():
    def program(x):
        counts = jnp.zeros((1,), jnp.int32).at[jnp.zeros(x.shape[0], int)].add(70_000)
        return x * counts[0]

    found = outcome(program, lambda x: x * (70_000.0 * x.shape[0]), shapes="x: T").result
    assert (found.verdict, found.scope) == ("proved", "all-sizes")
    (entry,) = (one for one in found.evidence if one["engine"] == "kernel")
    condition = "70000·T ≤ 2147483647 (int32, tests/test_trust.py:"
    assert any(text.startswith(condition) for text in entry["assumes"])


@pytest.mark.long
def test_a_quotient_that_a_selection_leaves_out_is_named():
    def program(x):
        places = jnp.arange(x.shape[0])
        return jnp.where(places == 0, 0.0, x / places)

    def shifted(x):
        return jnp.concatenate([jnp.zeros(1), x[1:] / jnp.arange(1, x.shape[0])])

    found = outcome(program, shifted, shapes="x: T").result
    assert found.verdict == "unknown"
    assert "division by i, which may be 0" in found.reason


@pytest.mark.long
def test_a_program_that_is_nan_either_way_does_not_tell_tracers_from_arrays():
    found = outcome(lambda x: jnp.log(x - 3), lambda x: jnp.log(x - 3), shapes="x: T").result
    assert "tracers" not in (found.reason or "")


@pytest.mark.long
def test_a_large_array_of_numbers_is_refused_at_once():
    weights = np.random.default_rng(0).random((60, 60))
    found = outcome(lambda x: weights @ x, lambda x: weights @ x, shapes="x: 60 d", d=(1,)).result
    assert found.verdict == "unknown"
    assert "an array of 3600 numbers; pass it as an argument" in found.reason


@pytest.mark.long
def test_a_quotient_by_0_is_not_compared():
    def program(x):
        places = jnp.arange(x.shape[0])
        return jnp.where(1.0 / places > 5, 2 * x, x)  # 1/0 is larger than 5

    assert outcome(program, lambda x: x, shapes="x: T").result.verdict != "proved"
