"""Programs in step, folds by associative scans, complex numbers: proved for all sizes, or not at all."""

from __future__ import annotations

import inspect

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from claims import claim
from step_cases import APART, EQUAL, QUICK, UNREAD

from scanproof import equal
from scanproof.proofs.interpret.programs.complex_numbers import PARTWISE, TABLE
from scanproof.proofs.interpret.programs.program import program
from scanproof.proofs.language.sizes import shape
from scanproof.proofs.search.all_sizes import prove

SIZES = {"T": 4, "d": 3, "n": 2, "m": 3, "e": 2, "B": 2}


def all_sizes(left, right, given):
    def body(**values):
        arrays = [values[name] for name in given]
        return equal(program(left)(*arrays), program(right)(*arrays))

    names = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in given]
    body.__signature__ = inspect.Signature(names)  # type: ignore[attr-defined]
    return prove(claim(body, given))


def far_apart(left, right, given):
    """Whether JAX itself gives other numbers for the two."""
    rng = np.random.default_rng(0)
    with jax.enable_x64(True):
        arrays = [jnp.asarray(rng.uniform(0.2, 1.0, shape(text, SIZES))) for text in given.values()]
        return not np.allclose(left(*arrays), right(*arrays), rtol=1e-6, atol=1e-6)


def cases(table):
    return [n if n in QUICK else pytest.param(n, marks=pytest.mark.long) for n in table]


@pytest.mark.parametrize("name", cases(EQUAL))
def test_programs_in_step_are_equal_at_all_sizes(name):
    assert not far_apart(*EQUAL[name])
    found = all_sizes(*EQUAL[name])
    assert not isinstance(found, str), found


@pytest.mark.parametrize("name", cases(APART))
def test_programs_that_are_not_equal_are_not_proved(name):
    assert far_apart(*APART[name])
    assert isinstance(all_sizes(*APART[name]), str)


@pytest.mark.parametrize("name", UNREAD)
def test_an_operator_that_gives_other_results_in_another_order_is_not_read(name):
    found = all_sizes(UNREAD[name], UNREAD[name], {"x": "T d"})
    assert isinstance(found, str)
    assert "not read" in found
    assert "step_cases.py" in found


def test_jax_traces_its_own_trees_as_ever_after_a_proof():
    with jax.enable_x64(True):
        x = jnp.arange(12.0).reshape(4, 3)
        before = str(jax.make_jaxpr(lambda x: jax.lax.associative_scan(jnp.add, x))(x))
        all_sizes(*EQUAL["sums"])
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


@pytest.mark.parametrize("name", PARTS)
def test_complex_arithmetic_is_that_of_its_parts_and_jaxs_own(name):
    assert name in {*PARTWISE, *TABLE}
    of_complex, of_parts = PARTS[name]

    def left(a, b, c, d):
        return of_complex(a + 1j * b, c + 1j * d, a, b)

    given = dict.fromkeys("abcd", "T")
    assert not far_apart(left, of_parts, given)
    found = all_sizes(left, of_parts, given)
    assert not isinstance(found, str), found


def test_a_complex_result_is_two_real_ones():
    given = {"a": "T", "b": "T"}

    def body(a, b):
        one, other = program(lambda a, b: a + 1j * b)(a, b)
        return [equal(one, a), equal(other, b)]

    found = prove(claim(body, given))
    assert not isinstance(found, str), found


def test_a_function_of_complex_numbers_that_is_not_in_the_table_is_named():
    given = {"a": "T", "b": "T"}
    found = all_sizes(lambda a, b: jnp.sqrt(a + 1j * b).real, lambda a, b: a, given)
    assert "sqrt of complex numbers" in str(found)
