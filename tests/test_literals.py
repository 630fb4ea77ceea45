"""Literals of programs are read as the numbers that they mean; a refutation does not hinge on how they are rounded."""

import math
import random
from fractions import Fraction

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from claims import decided
from command_line import Run

from scanproof import equal
from scanproof.proofs.decide.proving import prove
from scanproof.proofs.doors.infinities import Value
from scanproof.proofs.doors.jaxpr.literals import constant, literals
from scanproof.proofs.doors.meant import FORMATS, meant
from scanproof.proofs.doors.program import program
from scanproof.proofs.readings.floats import Floats
from scanproof.proofs.statement.nodes import Positions
from scanproof.proofs.statement.statement import every_node

ROUNDED = {
    "float64": float,
    "float32": lambda x: float(np.float32(x)),
    "float16": lambda x: float(np.float16(x)),
    "bfloat16": lambda x: float(ml_dtypes.bfloat16(x)),
}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.1, "1/10"),
        (-0.3, "-3/10"),
        (1e-6, "1/1000000"),
        (-1e30, "-1e+30"),
        (1.702, "851/500"),
        (1 / 3, "1/3"),
        (1 - 2 / 3, "1/3"),
        (0.1 + 0.2, "3/10"),
        (1 / 1536, "1/1536"),
        (2**-0.5, "1/√2"),
        (-math.sqrt(8), "-√8"),
        (math.sqrt(2 / 3), "√(2/3)"),
        (1536**-0.5, "1/√1536"),
        (1 / math.sqrt(7), "1/√7"),
        (math.pi, "π"),
        (-2 * math.pi, "-2 π"),
        (math.pi / 180, "π/180"),
        (2 / math.pi, "2/π"),
        (math.pi**2 / 6, "π^2/6"),
        (math.sqrt(2 / math.pi), "√(2/π)"),
        (-1 / math.sqrt(2 * math.pi), "-√(1/(2 π))"),
        (math.log(2 * math.pi), "log(2 π)"),
        (-math.log(10000) / 3, "-log 10000 / 3"),
        (math.log(500_000) / 64, "log 500000 / 64"),
        (-math.log(2 * math.pi) / 2, "-log(√(2 π))"),
        (ROUNDED["float32"](math.pi), "π"),
        (ROUNDED["float32"](1e-6), "1/1000000"),
        (ROUNDED["float32"](10.1), "101/10"),
        (ROUNDED["float32"](128**-0.5), "1/√128"),
        (ROUNDED["bfloat16"](1e-6), "1/1000000"),
    ],
)
def test_what_a_literal_in_double_precision_means(value, written):
    found = meant(value)
    assert str(found) == written
    assert found.understood
    assert not found.plain


@pytest.mark.parametrize(
    ("value", "dtype", "written"),
    [
        (1e-6, "float32", "1/1000000"),
        (10.1, "float32", "101/10"),
        (1 / 3, "float32", "1/3"),
        (2**-0.5, "float32", "1/√2"),
        (2 * math.pi, "float32", "2 π"),
        (3.1416, "float32", "3927/1250"),
        (9.01878, "float32", "450939/50000"),
        (8.0419, "float32", "80419/10000"),
        (3.14, "float16", "201/64"),
        (0.3, "float16", "3/10"),
        (1 / 3, "float16", "1/3"),
        (3**-0.5, "float16", "1/√3"),
        (0.1, "bfloat16", "1/10"),
        (0.15, "bfloat16", "3/20"),
        (2 / 3, "bfloat16", "2/3"),
        (2**-0.5, "bfloat16", "1/√2"),
        (19 / 32, "bfloat16", "19/32"),
    ],
)
def test_what_a_literal_in_a_narrow_format_means(value, dtype, written):
    found = meant(ROUNDED[dtype](value), dtype)
    assert str(found) == written


@pytest.mark.parametrize("value", [0.0, 1.0, -0.5, 77 / 128, 12345 / 2**20, 2.0**-52, 3.0])
def test_small_binary_fractions_are_as_they_are(value):
    found = meant(value)
    assert found.plain
    assert found.is_exactly(value)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (math.e, "float64"),
        (math.pi**3, "float64"),
        (math.sqrt(math.e), "float64"),
        (0.70710678, "float64"),
        (0.7978845608, "float64"),
        (math.e, "float32"),
        (0.1234567, "float32"),
        (math.pi, "bfloat16"),
    ],
)
def test_what_is_not_understood_is_the_binary_number(value, dtype):
    value = ROUNDED[dtype](value)
    found = meant(value, dtype)
    assert found.is_exactly(value)
    assert not found.understood


@pytest.mark.parametrize("value", [123456789.0, 16777217.0, float(np.finfo(float).max)])
def test_whole_numbers_are_understood_as_they_are(value):
    assert meant(value).is_exactly(value)
    assert meant(value).understood


@pytest.mark.parametrize(
    ("table", "is_known"),
    [([0, 1, 2, 3], True), ([7, 4, 1], True), ([0, 1, 3], False), ([0.0, 1.0, 2.0], False)],
)
def test_whole_numbers_by_equal_steps_are_read_as_positions(table, is_known):
    array = np.array(table)
    read = constant(array, None, print)
    assert isinstance(read, Value)
    assert any(isinstance(node, Positions) for node in every_node([read.node])) == is_known
    np.testing.assert_array_equal(Floats({}, {})(read.node), array)


@pytest.mark.long
def test_what_a_literal_means_rounds_to_it():
    """Python's own formula in double precision may be off a few times; a narrower format is rounded to once."""
    rng = random.Random(7)
    makers = [
        lambda: rng.uniform(-2, 2),
        lambda: rng.randint(-99, 99) / rng.randint(1, 99),
        lambda: math.sqrt(rng.randint(1, 400) / rng.randint(1, 40)),
        lambda: round(rng.uniform(-1, 1), rng.randint(1, 6)) * 10.0 ** rng.randint(-3, 3),
        lambda: rng.randint(1, 2**12) / 2 ** rng.randint(0, 30),
    ]
    for dtype, rounded in ROUNDED.items():
        for _ in range(400):
            value = rounded(rng.choice(makers)())
            if not math.isfinite(value):
                continue
            found = meant(value, dtype)
            wide = Fraction(2) ** (1 - found.precision) * FORMATS[_name(found.precision)].off
            if found.log:
                assert math.isclose(math.log(found.number) / found.over, abs(value), rel_tol=1e-15)
                assert found.sign == math.copysign(1, value)
            elif found.root:
                size = abs(Fraction(value))
                assert (size * (1 - wide)) ** 2 <= found.number <= (size * (1 + wide)) ** 2
                assert found.sign == math.copysign(1, value)
            else:
                assert abs(found.number - Fraction(value)) <= wide * abs(Fraction(value))


def _name(precision):
    return next(name for name, form in FORMATS.items() if form.precision == precision)


@pytest.mark.long
def test_numbers_of_simple_expressions_are_recovered():
    for p in range(1, 40):
        for q in range(1, 40):
            fraction, square = meant(p / q), meant(math.sqrt(p / q))
            assert not fraction.root
            assert fraction.number == Fraction(p, q)
            assert square.number ** (1 if square.root else 2) == Fraction(p, q)
    for digits in range(1, 100_000, 997):
        assert meant(digits / 10**7).number == Fraction(digits, 10**7)


def test_a_jaxpr_s_literals_with_their_lines():
    def forward(x):
        def step(carry, row):
            return carry * 0.3 + row, None

        halved = x.astype(jnp.float32) * 0.1 + 0.5
        return jax.lax.scan(step, 0.0, halved.astype(float))[0] + jnp.asarray([0.7, 2.0])

    with jax.enable_x64(True):
        jaxpr = jax.make_jaxpr(forward)(jax.ShapeDtypeStruct((3,), float))
    found = {str(one.meant): one.place for one in literals(jaxpr)}
    assert set(found) == {"3/10", "1/10", "7/10"}
    assert "test_literals.py" in found["1/10"]


# Programs


def of(forward, specification, shapes="x: T"):
    return prove(forward, shapes=shapes, equals=specification)


PROVED = {
    "1/√2": (lambda x: x * 2**-0.5, lambda x: x / jnp.sqrt(2.0)),
    "√(1/2)": (lambda x: x * 2**-0.5, lambda x: x * jnp.sqrt(0.5)),
    "√(2/3)": (lambda x: x * math.sqrt(2 / 3), lambda x: x * jnp.sqrt(2.0) / jnp.sqrt(3.0)),
    "rsqrt": (lambda x: x / math.sqrt(3), lambda x: x * jax.lax.rsqrt(3.0)),
    "√64": (lambda x: x / math.sqrt(64), lambda x: x / jnp.sqrt(64.0)),
    "1/10": (lambda x: x * 0.1, lambda x: x / 10),
    "1/3": (lambda x: x / 3, lambda x: x * (1 / 3)),
    "1e-6": (lambda x: x + 1e-6, lambda x: x + 1 / jnp.asarray(1000000.0)),
    "in single precision": (
        lambda x: x + jnp.float32(1e-6),
        lambda x: x + 1 / jnp.asarray(1000000.0),
    ),
    "in half precision": (lambda x: x.astype(jnp.bfloat16) * 0.1, lambda x: x / 10),
    "π": (lambda x: x * math.pi, lambda x: x * jnp.pi),
    "multiples and powers of π": (
        lambda x: jnp.sin(2 * math.pi * x) + x * math.pi**2,
        lambda x: jnp.sin(2 * x * math.pi) + math.pi * (math.pi * x),
    ),
    "an array of roots of π": (
        lambda x: jnp.sqrt(jnp.full_like(x, 2.0) * math.pi) @ x,
        lambda x: math.sqrt(2 * math.pi) * jnp.sum(x),
    ),
    "a root of 1/π": (
        lambda x: jax.nn.gelu(x),
        lambda x: x / 2 * (1 + jnp.tanh(jnp.sqrt(2 / jnp.pi) * (x + 0.044715 * x**3))),
    ),
    "1 over a root of 2π": (
        lambda x: jnp.exp(-(x**2) / 2) / jnp.sqrt(2 * jnp.pi),
        lambda x: (2 * math.pi) ** -0.5 * jnp.exp(-0.5 * x * x),
    ),
    "a logarithm of 2π": (
        lambda x: jax.scipy.stats.norm.logpdf(x),
        lambda x: -(x**2) / 2 - math.log(2 * math.pi) / 2,
    ),
    "e": (lambda x: x * math.e + 1, lambda x: 1 + x * math.e),
    "an array": (lambda x: x[:, None] * jnp.asarray([0.1, 0.5]), lambda x: _two(x / 10, x / 2)),
}


def _two(first, second):
    return jnp.stack([first, second], axis=1)


@pytest.mark.usefixtures("only_read")
@pytest.mark.long
@pytest.mark.parametrize("name", PROVED)
def test_what_is_meant_is_proved_for_all_sizes(name):
    found = of(*PROVED[name])
    assert (found.result.verdict, found.result.scope) == ("proved", "all-sizes"), (
        found.result.reason
    )


@pytest.mark.long
def test_a_proof_says_which_literals_it_reads_how():
    found = of(lambda x: x * 0.1, lambda x: x / 10)
    (told,) = found.literals
    assert str(told).startswith("the program computes with 0.1 (")
    assert "test_literals.py" in str(told)
    assert str(told).endswith(", read as 1/10")
    taken = "literals are the numbers that they mean: 0.1 is 1/10"
    entries = [e for e in found.result.evidence if e["scope"] in ("all-sizes", "fixed-size")]
    assert entries
    assert all(taken in entry["assumes"] for entry in entries)


@pytest.mark.long
@pytest.mark.parametrize(
    ("forward", "specification"),
    [
        (lambda x: x * x.shape[0] ** -0.5, lambda x: x / jnp.sqrt(x.shape[0])),
        (lambda x: x * x.shape[0] ** -0.5, lambda x: x / math.sqrt(x.shape[0])),
        (lambda x: x / math.sqrt(x.shape[0]), lambda x: x / jnp.sqrt(x.shape[0])),
    ],
)
def test_a_root_of_a_size_is_a_root_of_a_symbol_and_no_literal(forward, specification):
    found = of(forward, specification)
    assert (found.result.verdict, found.result.scope) == ("proved", "all-sizes")
    assert not found.literals


def test_a_logarithm_of_a_whole_number_is_recognised():
    assert str(meant(math.log(3))) == "log 3"
    assert str(meant(-math.log(20))) == "-log 20"
    assert not meant(1.0986122).log
    assert not meant(0.69140625, "bfloat16").log
    assert not meant(float(np.float32(math.log(3))), "float32").log
    assert not meant(0.5).log


@pytest.mark.long
@pytest.mark.parametrize(
    ("forward", "specification"),
    [
        (lambda x: x * 0.3, lambda x: x / 3),
        (lambda x: x * 0.7071, lambda x: x / jnp.sqrt(2.0)),
        (lambda x: x + 1e-8, lambda x: x),
        (lambda x: x * jnp.float16(0.3), lambda x: x * 0.3),
        (lambda x: x * math.pi, lambda x: x * 3.1416),
        (lambda x: x * jnp.sqrt(2 / jnp.pi), lambda x: x * math.sqrt(2 * math.pi)),
        (lambda x: jnp.sin(2 * math.pi * x), lambda x: jnp.sin(math.pi * x)),
    ],
)
def test_a_true_mistake_is_refuted(forward, specification):
    found = of(forward, specification)
    assert found.result.verdict == "refuted"
    assert found.result.counterexample is not None


@pytest.mark.long
@pytest.mark.parametrize(
    ("forward", "specification", "literal"),
    [
        (lambda x: x * 0.70710678, lambda x: x / jnp.sqrt(2.0), "0.70710678"),
        (lambda x: x * 0.707107, lambda x: x / jnp.sqrt(2.0), "0.707107"),
        (lambda x: x * math.pi, lambda x: x * 3.14159265, "3.141592653589793"),
        (lambda x: (x * 0.33333333).sum(), lambda x: x.sum() / 3, "0.33333333"),
    ],
)
def test_what_hinges_on_rounding_is_unknown_with_the_literal(forward, specification, literal):
    found = of(forward, specification)
    assert found.result.verdict == "unknown"
    assert found.result.counterexample is None
    assert "up to rounding of the literal" in str(found.result.reason)
    assert f"{literal} (tests/test_literals.py:" in str(found.result.reason)


@pytest.mark.long
def test_a_mistake_beside_a_rounded_literal_is_refuted_where_it_shows():
    def forward(x):
        return x * 0.70710678 + jnp.where(jnp.arange(x.shape[0]) == 1, x**2 - x, 0)

    found = of(forward, lambda x: x / jnp.sqrt(2.0)).result
    assert found.verdict == "refuted"
    assert found.counterexample is not None and found.counterexample.sizes == {"T": 2}
    assert found.reason == "false at T=2"


def test_claims_read_literals_so_too():
    forward = program(lambda x: x * 0.1 + 3**-0.5)

    root = program(lambda x: jnp.sqrt(jnp.asarray(3.0)))

    def body(x):
        return equal(forward(x), x / 10 + 1 / root(x))

    found = decided(body, {"x": "T"})
    assert (found.verdict, found.scope) == ("proved", "all-sizes"), found.reason
    (kernel,) = (one for one in found.evidence if one["scope"] == "all-sizes")
    assert [one for one in kernel["assumes"] if one.endswith("is 1/√3")]


@pytest.mark.long
def test_the_command_says_what_a_refutation_hinges_on(run: Run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scaled.py").write_text(
        "import jax.numpy as jnp\n\n\ndef forward(x):\n    return x * 0.70710678\n\n\n"
        "def specification(x):\n    return x / jnp.sqrt(2.0)\n"
    )
    asked = ("prove", "scaled:forward", "--shapes", "x: T", "--equals", "scaled:specification")
    answer = run(*asked)
    assert answer.code == 0
    assert "unknown\n  up to rounding of the literal 0.70710678 (scaled.py:5" in answer.out
    assert run(*asked, "--strict").code == 2
