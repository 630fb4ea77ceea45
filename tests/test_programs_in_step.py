"""Programs in step, folds by associative scans, complex numbers: proved for all sizes, or not at all."""

from __future__ import annotations

import inspect
import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from claims import claim
from equations import Equation
from step_cases import APART, EQUAL, UNREAD, anew_by_numbers

from scanproof import equal
from scanproof.proofs.doors.program import program
from scanproof.proofs.kernel.checker import Refused
from scanproof.proofs.kernel.checker import check as check_proof
from scanproof.proofs.language.sizes import shape, shapes_in
from scanproof.proofs.search.all_sizes import find, prove

SIZES = {"T": 4, "d": 3, "n": 2, "m": 3, "e": 2, "B": 2}


def equality(one):
    given = shapes_in(one.shapes)

    def body(**values):
        arrays = [values[name] for name in given]
        return equal(program(one.left)(*arrays), program(one.right)(*arrays))

    names = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in given]
    body.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
    return claim(body, given)


def all_sizes(one):
    return prove(equality(one))


def far_apart(one):
    """Whether JAX itself gives other numbers for the two."""
    rng, shapes = np.random.default_rng(0), shapes_in(one.shapes).values()
    with jax.enable_x64(True):
        arrays = [jnp.asarray(rng.uniform(0.2, 1.0, shape(text, SIZES))) for text in shapes]
        return not np.allclose(one.left(*arrays), one.right(*arrays), rtol=1e-6, atol=1e-6)


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("name", EQUAL)
def test_programs_in_step_are_equal_at_all_sizes(name):
    assert not far_apart(EQUAL[name])
    found = all_sizes(EQUAL[name])
    assert not isinstance(found, str), found


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("place", range(0, len(APART), 3))
def test_programs_that_are_not_equal_are_not_proved(place):
    name, *others = [*APART][place : place + 3]
    assert all(far_apart(APART[one]) for one in (name, *others))
    assert isinstance(all_sizes(APART[name]), str)


@pytest.mark.short("[flags that are no flags afterwards]", "[subtraction]")
@pytest.mark.parametrize("name", UNREAD)
def test_an_operator_that_gives_other_results_in_another_order_is_told_of_with_its_line(name):
    found = all_sizes(Equation("x: T d", UNREAD[name], UNREAD[name], True))
    assert isinstance(found, str)
    law = r"(associative|that of each element), which is not so"
    of_any = rf"the operator of associative_scan, tests/step_cases.py:\d+.* is {law}"
    assert re.search(rf"{of_any}|asks at tests/step_cases.py:\d+ whether i == 1", found), found


@pytest.mark.long
def test_numbers_that_are_no_flags_are_not_taken_for_flags():
    assert isinstance(all_sizes(Equation("x: T", anew_by_numbers, anew_by_numbers, True)), str)


@pytest.mark.long
def test_an_operator_that_divides_is_associative_where_no_denominator_is_0():
    def harmonic(x):
        return jax.lax.associative_scan(lambda a, b: a * b / (a + b), x)

    found = all_sizes(Equation("x: T", harmonic, harmonic, True))
    assert not isinstance(found, str), found
    assert found.entries()[0]["assumes"] == ["no denominator is 0"]


@pytest.mark.long
def test_jax_traces_its_own_trees_as_ever_after_a_proof():
    with jax.enable_x64(True):
        x = jnp.arange(12.0).reshape(4, 3)
        before = str(jax.make_jaxpr(lambda x: jax.lax.associative_scan(jnp.add, x))(x))
        all_sizes(EQUAL["sums"])
        after = str(jax.make_jaxpr(lambda x: jax.lax.associative_scan(jnp.add, x))(x))
    assert before == after
    assert "associative_scan[" not in before


PARTS = {
    "mul": (lambda z, w, a, b: (z * w).imag, lambda a, b, c, d: a * d + b * c),
    "square": (lambda z, w, a, b: (z**2).real, lambda a, b, c, d: a * a - b * b),
    "integer_pow": (lambda z, w, a, b: (z**3).imag, lambda a, b, c, d: 3 * a * a * b - b**3),
    "div": (
        lambda z, w, a, b: (z / w).imag,
        lambda a, b, c, d: (b * c - a * d) / (c * c + d * d),
    ),
    "exp": (lambda z, w, a, b: jnp.exp(z).imag, lambda a, b, c, d: jnp.exp(a) * jnp.sin(b)),
    "conj": (lambda z, w, a, b: jnp.conj(z).imag, lambda a, b, c, d: -b),
    "abs": (lambda z, w, a, b: jnp.abs(z), lambda a, b, c, d: jnp.sqrt(a * a + b * b)),
    "complex": (lambda z, w, a, b: jax.lax.complex(a, b).imag, lambda a, b, c, d: b),
    "dot_general": (lambda z, w, a, b: jnp.vdot(z, w).imag, lambda a, b, c, d: a @ d - b @ c),
    "sub": (lambda z, w, a, b: (z - w).imag, lambda a, b, c, d: b - d),
    "cumsum": (lambda z, w, a, b: jnp.cumsum(z).imag, lambda a, b, c, d: jnp.cumsum(b)),
    "reduce_sum": (lambda z, w, a, b: z.sum().imag, lambda a, b, c, d: b.sum()),
    "select_n": (
        lambda z, w, a, b: jnp.where(jnp.arange(a.shape[0]) > 1, z, w).imag,
        lambda a, b, c, d: jnp.where(jnp.arange(a.shape[0]) > 1, b, d),
    ),
}


@pytest.mark.sample(2)
@pytest.mark.long
@pytest.mark.parametrize("name", PARTS)
def test_complex_arithmetic_is_that_of_its_parts_and_jaxs_own(name):
    of_complex, of_parts = PARTS[name]

    def left(a, b, c, d):
        return of_complex(a + 1j * b, c + 1j * d, a, b)

    one = Equation("a: T, b: T, c: T, d: T", left, of_parts, True)
    assert not far_apart(one)
    found = all_sizes(one)
    assert not isinstance(found, str), found


@pytest.mark.long
def test_a_complex_result_is_two_real_ones():
    given = {"a": "T", "b": "T"}

    def body(a, b):
        one, other = program(lambda a, b: a + 1j * b)(a, b)
        return [equal(one, a), equal(other, b)]

    found = prove(claim(body, given))
    assert not isinstance(found, str), found


def test_a_function_of_complex_numbers_that_is_not_in_the_table_is_named():
    one = Equation("a: T, b: T", lambda a, b: jnp.sqrt(a + 1j * b).real, lambda a, b: a, True)
    found = all_sizes(one)
    assert "sqrt of complex numbers" in str(found)


# Under the hypotheses of an induction a written proof may rewrite inside functions, and nowhere else.


def under_hypotheses(value):
    """The references to such theorems in a written proof, deepest first."""
    if not isinstance(value, list):
        return []
    found = [one for part in value for one in under_hypotheses(part)]
    own = len(value) == 3 and value[0] == "congruence" and isinstance(value[1], list)
    return [*found, value] if own and isinstance(value[1][0], str) else found


def written(name):
    found = find(equality(EQUAL[name]))
    assert not isinstance(found, str), found
    assert found.certificate.trace is not None
    return found.certificate.trace


def induction_of(trace):
    (line,) = [line for line in trace["theorems"] if line[0] == "induction"]
    return line


def start_in_its_step(trace):
    ways = induction_of(trace)[4]
    ways[0][0] = ways[0][1]


def nothing_inside(trace):
    one = under_hypotheses(induction_of(trace))[0]
    one[2] = []


def outside_of_the_induction(trace):
    one = under_hypotheses(induction_of(trace))[0]
    last = trace["theorems"][-1]
    last[1] = [["rewrite", 0, 0, one, []]]


def another_function(trace):
    one = under_hypotheses(induction_of(trace))[0]
    one[1] = ["X", one[1][1]]


def another_time(trace):
    one = under_hypotheses(induction_of(trace))[0]
    one[1][1][0] = [one[1][1][0][0] + 1, one[1][1][0][1]]


def a_hypothesis_that_is_not_there(trace):
    one = under_hypotheses(induction_of(trace))[0]
    step = next(s for s in one[2] if s[0] == "rewrite" and s[3][:1] == ["hypothesis"])
    step[3] = ["hypothesis", 9]


@pytest.mark.short("outside_of_the_induction")
@pytest.mark.parametrize(
    "change",
    [
        start_in_its_step,
        nothing_inside,
        outside_of_the_induction,
        another_function,
        another_time,
        a_hypothesis_that_is_not_there,
    ],
)
def test_a_proof_that_rewrites_inside_functions_is_refused_when_it_is_changed(change):
    trace = json.loads(json.dumps(written("a recurrent network of one matrix")))
    check_proof(trace)
    assert under_hypotheses(induction_of(trace))
    change(trace)
    with pytest.raises(Refused):
        check_proof(trace)
