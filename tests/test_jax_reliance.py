"""What the reader of programs relies on in JAX beyond its public interface: a release that changes it fails here."""

from __future__ import annotations

import jax
import jax.export
import jax.numpy as jnp
import pytest

from scanproof.proofs.interpret.programs import decisions
from scanproof.proofs.interpret.programs.reader import place

BROKEN = (
    f"jax {jax.__version__} no longer does this; proofs/interpret/programs must be mended for it"
)


def symbols():
    return jax.export.symbolic_shape("T, f", constraints=["T >= 1", "f >= 1"])


def jaxpr(function, *shapes):
    return jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct(s, jnp.float32) for s in shapes))


def test_a_scan_over_a_symbolic_length_stays_one_scan():
    T, f = symbols()
    traced = jaxpr(
        lambda X: jax.lax.scan(lambda s, x: (s + x, s), jnp.zeros(X.shape[1]), X), (T, f)
    )
    scans = [e for e in traced.jaxpr.eqns if e.primitive.name == "scan"]
    assert len(scans) == 1, BROKEN
    wanted = {"jaxpr", "length", "num_carry", "num_consts", "reverse"}
    assert wanted <= set(scans[0].params), BROKEN
    assert str(scans[0].params["length"]) == "T", BROKEN


@pytest.mark.parametrize(
    ("dimension", "text"),
    [
        (lambda T, f: 2 * T + f - 1, "f + 2*T - 1"),
        (lambda T, f: T // 2, "floordiv(T, 2)"),
        (lambda T, f: T % 64, "mod(T, 64)"),
        (lambda T, f: T * f, "T*f"),
    ],
)
def test_a_dimension_is_written_as_its_documentation_shows(dimension, text):
    assert str(dimension(*symbols())) == text, BROKEN


def test_dimensions_are_objects_whose_queries_can_be_noticed():
    T, f = symbols()
    kind = decisions.dimension_type()
    assert isinstance(T, kind), BROKEN
    assert kind.__eq__ is not object.__eq__, BROKEN
    assert f != T, BROKEN
    assert "__bool__" not in vars(kind), BROKEN


def test_an_equation_knows_its_line():
    T, f = symbols()
    traced = jaxpr(lambda X: jnp.sin(X), (T, f))
    assert "test_jax_reliance.py" in place(traced.jaxpr.eqns[0]), BROKEN


def test_a_release_without_these_dimensions_is_told_of(monkeypatch):
    from scanproof import UsageError

    monkeypatch.setattr(decisions, "MODULE", "jax._src.export.elsewhere")
    with pytest.raises(UsageError, match="keeps its symbolic dimensions elsewhere"):
        decisions.dimension_type()
