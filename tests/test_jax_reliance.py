"""What the reader of programs relies on in JAX beyond its public interface: a release that changes it fails here."""

import jax
import jax.export
import jax.numpy as jnp
import pytest

from scanproof.numeric.rounding.parameters import INLINED, ScanParameters, parameters
from scanproof.proofs.doors.jaxpr import asked
from scanproof.proofs.doors.jaxpr.equations import place

BROKEN = f"jax {jax.__version__} no longer does this; proofs/doors/jaxpr must be mended for it"


def symbols():
    return jax.export.symbolic_shape("T, f", constraints=["T >= 1", "f >= 1"])


def jaxpr(function, *shapes):
    return jax.make_jaxpr(function)(*(jax.ShapeDtypeStruct(s, jnp.float32) for s in shapes))


def test_a_scan_over_a_symbolic_length_stays_one_scan():
    found, _ = scanned()
    assert str(found.length) == "T", BROKEN


def scanned():
    """The parameters of a scan backwards with two constants, two carries, three sequences and two outputs of a turn."""
    T, f = symbols()

    def program(X, w, v):
        def turn(carry, rows):
            x, (y, z) = rows
            return {"n": carry["n"] + w * x, "m": carry["m"] * v}, {"a": -y, "b": (x * z,)}

        start = {"n": jnp.zeros(X.shape[1]), "m": jnp.ones(X.shape[1])}
        return jax.lax.scan(turn, start, (X, (X + 1, X + 2)), reverse=True)

    traced = jaxpr(program, (T, f), (f,), (f,))
    (equation,) = (e for e in traced.jaxpr.eqns if e.primitive.name == "scan")
    return parameters(equation), equation


def test_a_scan_says_which_of_its_inputs_are_constants_carries_and_sequences():
    found, equation = scanned()
    assert isinstance(found, ScanParameters), BROKEN
    assert (found.consts, found.carries, found.reverse) == (2, 2, True), BROKEN
    constants, carries, sequences = found.parted([str(v.aval.shape) for v in equation.invars])
    assert (constants, carries, sequences) == (["(f,)"] * 2, ["(f,)"] * 2, ["(T, f)"] * 3), BROKEN
    assert [str(a.shape) for a in found.body.in_avals] == ["(f,)"] * 7, BROKEN
    assert len(found.body.out_avals) == len(equation.outvars) == 4, BROKEN


def test_a_scan_of_a_derivative_says_the_same_of_its_inputs():
    """Trees of inputs and outputs are then nested and filtered."""

    def loss(w, X):
        return jax.lax.scan(lambda s, x: (s * w + x, s), jnp.zeros(3), X)[1].sum()

    traced = jaxpr(jax.grad(loss), (3,), (5, 3))
    scans = [e for e in traced.jaxpr.eqns if e.primitive.name == "scan"]
    assert len(scans) == 2, BROKEN
    for equation in scans:
        found = parameters(equation)
        constants, carries, sequences = found.parted(equation.invars)
        assert all(v.aval.shape[0] == found.length == 5 for v in sequences), BROKEN
        outputs = equation.outvars[: found.carries]
        assert [v.aval for v in carries] == [v.aval for v in outputs], BROKEN
        assert [v.aval for v in constants] == list(found.body.in_avals)[: found.consts], BROKEN


@jax.custom_vjp
def own_slope(x):
    return jnp.sin(x)


own_slope.defvjp(lambda x: (jnp.sin(x), x), lambda kept, slope: (slope * kept,))


@jax.custom_jvp
def own_change(x):
    return jnp.sin(x)


own_change.defjvp(lambda given, change: (jnp.sin(given[0]), change[0]))


@pytest.mark.parametrize(
    "function", [jax.jit(jnp.sin), jax.checkpoint(jnp.sin), own_slope, own_change]
)
def test_a_call_holds_its_program_under_a_known_name(function):
    (equation,) = jaxpr(function, (3,)).jaxpr.eqns
    inner = equation.params[INLINED[equation.primitive.name]]
    assert inner.eqns[-1].primitive.name in ("sin", "jit"), BROKEN


@pytest.mark.long
def test_constants_of_a_program_become_its_first_inputs():
    """As the operator of an associative scan has them."""
    from jax._src.interpreters.partial_eval import convert_constvars_jaxpr

    numbers = jnp.arange(3.0)
    closed = jaxpr(lambda x: x + numbers, (3,))
    opened = convert_constvars_jaxpr(closed.jaxpr)
    assert [len(one) for one in (closed.consts, opened.constvars, opened.invars)] == [1, 0, 2]


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
    kind = asked.dimension_type()
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

    monkeypatch.setattr(asked, "MODULE", "jax._src.export.elsewhere")
    with pytest.raises(UsageError, match="keeps its symbolic dimensions elsewhere"):
        asked.dimension_type()
