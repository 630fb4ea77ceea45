"""What a proof about programs takes for granted of functions that are not defined everywhere, and of formats."""

import jax
import jax.numpy as jnp
import pytest
from fuzzing.attacks import succeeds
from fuzzing.attacks.laws import a_logarithm_of_the_proofs_own

from scanproof.proofs.decide.proving import prove


def taken(function, other, shapes="x: T"):
    """What is taken for granted where the two are proved equal."""
    result = prove(function, shapes=shapes, equals=other).result
    assert result.verdict == "proved", result.reason
    return {one for entry in result.evidence for one in entry.get("assumes", ())}


UNDEFINED = {
    "acos is": (lambda x: jnp.arccos(x) * x - x * jnp.arccos(x) + x, lambda x: x),
    "atanh is": (lambda x: jnp.arctanh(x) * x - x * jnp.arctanh(x) + x, lambda x: x),
    "no denominator is 0": (lambda x: 0 * (1 / x) + x / jnp.exp(x), lambda x: x / jnp.exp(x)),
    "square roots": (lambda x: jnp.sqrt(x) * jnp.sqrt(x), lambda x: x),
    "acos": (lambda x: x + 0 * jnp.arccos(x), lambda x: x),
    "asin": (lambda x: x + 0 * jnp.arcsin(x), lambda x: x),
    "logarithms": (lambda x: jnp.log(x) - jnp.log(x), lambda x: 0 * x),
    "no denominator": (lambda x: jax.lax.rem(x, x), lambda x: 0 * x),
}


@pytest.mark.long
@pytest.mark.parametrize("what", UNDEFINED)
def test_what_is_no_number_somewhere_is_said_to_be_taken_elsewhere(what):
    assert any(one.startswith(what) for one in taken(*UNDEFINED[what]))


ASKED = {
    "square roots": (lambda x: jnp.where(jnp.isnan(jnp.sqrt(x)), 1.0, 0.0), lambda x: 0 * x),
    "acos": (lambda x: jnp.where(jnp.isfinite(jnp.arccos(x)), x, 0.0), lambda x: x),
    "format": (lambda x: 2 * x if x.dtype == jnp.float32 else x, lambda x: x),
    "epsilon": (lambda x: jnp.finfo(x.dtype).eps * x, lambda x: 2.0**-52 * x),
}


@pytest.mark.long
@pytest.mark.parametrize("what", ASKED)
def test_a_program_that_gives_another_number_where_it_asks_is_refuted_as_it_runs(what):
    one, other = ASKED[what]
    result = prove(one, shapes="x: T", equals=other).result
    assert result.verdict == "refuted"
    assert [entry["method"] for entry in result.evidence] == ["run"]


@pytest.mark.long
def test_of_what_is_seen_to_be_defined_nothing_is_said():
    norm = lambda x: x / jnp.sqrt(1 + jnp.sum(x * x))  # noqa: E731
    said = taken(norm, lambda x: x * jax.lax.rsqrt(1 + jnp.sum(x**2)))
    assert not any(one.startswith("square roots") for one in said)


@pytest.mark.long
def test_a_program_that_asks_for_its_format_is_proved_for_one():
    small = lambda x: x + 0 * x * jnp.finfo(x.dtype).eps  # noqa: E731
    assert any("float64" in said for said in taken(small, lambda x: x))
    assert not taken(lambda x: 0.1 * x + x, lambda x: x + 0.1 * x) - {
        "literals are the numbers that they mean: 0.1 is 1/10"
    }


def test_a_logarithm_has_to_be_the_problem_s():
    assert not succeeds(a_logarithm_of_the_proofs_own)
