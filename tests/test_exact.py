"""Exact scalars mean what numbers mean, in every field; recorded arithmetic replays to the same numbers."""

import math
import operator
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from scanproof.proofs.check.instances.recorded import RecordedField, in_order
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.expressions import ExpressionField, is_zero
from scanproof.proofs.exact.polynomials import FlintField, RationalField, SympyField, rational_root
from scanproof.proofs.exact.roots import RootsField
from scanproof.proofs.exact.scalar import DivisionByZero, NotPolynomial
from scanproof.proofs.language.numbers import enclosure, exceeds, is_nonzero

FIELDS = [FlintField, SympyField, RationalField, ExpressionField]
numbers = st.fractions(min_value=-3, max_value=3, max_denominator=4)


def field(make):
    return make() if make is RationalField else make(["a", "b"])


def number(scalar) -> Fraction:
    """A constant scalar of any field as a Fraction."""
    if hasattr(scalar, "num"):
        top, bottom = str(scalar.num), "1" if scalar.den is None else str(scalar.den)
        return Fraction(top) / Fraction(bottom)
    return Fraction(str(scalar))


def fractions(array: np.ndarray) -> np.ndarray:
    return np.vectorize(number, otypes=[object])(array)


def in_field(make, function, *arrays) -> np.ndarray:
    """What a function of arrays comes to in a field, where it is a number in every entry."""
    given = [np.array(one, dtype=object) for one in arrays]
    return fractions(exactly(field(make), function, *given))


def matrices(rows, columns):
    row = st.lists(numbers, min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


OPERATIONS = {
    "sum": lambda xp, a, b: a + b,
    "difference with a number": lambda xp, a, b: 2 - a,
    "product with a broadcast row": lambda xp, a, b: a * b[0],
    "matrix product": lambda xp, a, b: a @ b.T,
    "matrix times vector": lambda xp, a, b: a @ b[1],
    "vector times matrix": lambda xp, a, b: a[:, 0] @ b,
    "inner product": lambda xp, a, b: a[0] @ b[1],
    "division by a number": lambda xp, a, b: a / 3,
    "power": lambda xp, a, b: a**3,
    "sum of all": lambda xp, a, b: a.sum(),
    "sum along axis 0": lambda xp, a, b: a.sum(axis=0),
    "sum along axis 1": lambda xp, a, b: b.sum(axis=1),
    "outer product": lambda xp, a, b: a[0][:, None] * b[1][None, :],
    "stack": lambda xp, a, b: xp.stack([a, b], axis=1),
    "concat": lambda xp, a, b: xp.concat([a, b], axis=0),
    "reshape": lambda xp, a, b: xp.reshape(a, (3, 2)),
    "tril": lambda xp, a, b: xp.tril(a @ b.T),
    "eye": lambda xp, a, b: xp.eye(2) @ a,
    "zeros and ones": lambda xp, a, b: xp.zeros((2, 3)) + xp.ones((2, 3)) - a,
}


class _NumPy:
    """NumPy itself, on object arrays of Fractions."""

    stack = staticmethod(np.stack)
    concat = staticmethod(np.concatenate)
    reshape = staticmethod(np.reshape)
    tril = staticmethod(np.tril)
    eye = staticmethod(lambda n: np.eye(n, dtype=int).astype(object))
    zeros = staticmethod(lambda shape: np.zeros(shape, dtype=int).astype(object))
    ones = staticmethod(lambda shape: np.ones(shape, dtype=int).astype(object))


@pytest.mark.long
@pytest.mark.parametrize("make", FIELDS)
@settings(max_examples=6)
@given(a=matrices(2, 3), b=matrices(2, 3))
def test_an_operation_means_what_numpy_means(make, a, b):
    for name, operation in OPERATIONS.items():
        found = in_field(make, operation, a, b)
        expected = operation(_NumPy, np.array(a, dtype=object), np.array(b, dtype=object))
        assert found.shape == np.shape(expected), name
        assert np.array_equal(found, np.asarray(expected, dtype=object)), name


SHAPES = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((4, 1, 2, 3), (5, 3, 1))]


@pytest.mark.long
@pytest.mark.parametrize(("left", "right"), SHAPES, ids=str)
@given(data=st.data())
def test_a_product_of_fractions_is_numpy_s_and_of_fractions(left, right, data):
    values = st.one_of(st.integers(-9, 9).map(Fraction), st.fractions(max_denominator=10**20))
    a, b = (
        np.array(data.draw(st.lists(values, min_size=n, max_size=n)), dtype=object).reshape(shape)
        for shape, n in ((left, math.prod(left)), (right, math.prod(right)))
    )
    found = exactly(RationalField(), lambda xp, a, b: a @ b, a, b)
    assert found.shape == np.shape(np.matmul(a, b))
    assert (found == np.matmul(a, b)).all()
    assert all(type(entry) is Fraction for entry in found.flat)


def test_a_product_with_roots_among_its_fractions_is_sympy_s():
    def product(xp, x):
        row = xp.stack([xp.sqrt(xp.asarray(2)), xp.asarray(Fraction(1, 3))])
        return row @ x

    found = exactly(RootsField(), product, np.array([3, 6]))
    assert found.item() == 3 * sympy.sqrt(2) + 2


@pytest.mark.parametrize("make", FIELDS)
def test_an_empty_sum_is_the_field_s_zero(make):
    def empty(xp, rows, columns, none):
        return rows @ columns + xp.ones((2, 3)) * none.sum() + none @ none

    found = in_field(make, empty, np.zeros((2, 0)), np.zeros((0, 3)), np.zeros(0))
    assert np.array_equal(found, np.zeros((2, 3)))


@pytest.mark.parametrize("make", [FlintField, SympyField])
def test_fractions_of_polynomials_are_equal_by_value_not_by_form(make):
    made = make(["a", "b"])
    a, b, one = made.generators["a"], made.generators["b"], made.number(1)
    assert (a * a - b * b) / (a - b) == a + b
    assert one / a + one / b == (a + b) / (a * b)
    assert one / a != one / b


@pytest.mark.parametrize("make", [FlintField, SympyField])
def test_division_by_what_is_identically_zero_is_refused(make):
    a = make(["a"]).generators["a"]
    with pytest.raises(DivisionByZero):
        operator.truediv(a, a - a)


@pytest.mark.parametrize("make", [FlintField, SympyField])
@pytest.mark.parametrize("name", ["exp", "log", "abs", "sqrt"])
def test_what_is_not_polynomial_is_refused_by_polynomial_fields(make, name):
    made = make(["a"])
    with pytest.raises(NotPolynomial):
        getattr(made, name)(made.generators["a"])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda xp, x: xp.asarray(0.1), "Fraction"),
        (lambda xp, x: bool(x), "truth value"),
        (lambda xp, x: x == x, "equal"),
    ],
)
def test_a_function_in_exact_scalars_refuses_floats_truth_values_and_double_equals(wrong, words):
    with pytest.raises(TypeError, match=words):
        exactly(RationalField(), wrong, np.ones(1))


@pytest.mark.parametrize(
    ("text", "zero"),
    [
        ("exp(a + b) - exp(a)*exp(b)", True),
        ("exp(2*a) - exp(a)**2", True),
        ("exp(a/2)**2 - exp(a)", True),
        ("1/(1 + exp(-a)) + 1/(1 + exp(a)) - 1", True),
        ("exp(a*log(1 + exp(b)))*exp(a) - exp(a*(log(1 + exp(b)) + 1))", True),
        ("exp(a) - exp(b)", False),
        ("exp(a + b) - exp(a) - exp(b)", False),
        ("exp(a)*b - exp(b)*a", False),
        ("(exp(a) + b)**3 - exp(3*a) - 3*exp(2*a)*b - 3*exp(a)*b**2 - b**3", True),
        ("(a + sqrt(2))**2 - a**2 - 2*sqrt(2)*a - 2", True),
        ("(a + sqrt(2))**2 - a**2 - 2", False),
        ("sqrt(a)*exp(a) - exp(a)", False),
    ],
)
def test_identities_of_exponentials_are_seen_and_others_are_not(text, zero):
    import sympy

    assert is_zero(sympy.sympify(text)) is zero


@given(a=numbers, b=numbers.filter(bool))
def test_recorded_arithmetic_replays_to_the_same_number(a, b):
    def compute(x, y):
        return (x * x - y) / y + (-x) * (x + y)

    made = RecordedField()
    node = compute(made.number(a), made.number(b))
    values: dict[int, Fraction] = {}
    binary = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
    for step in in_order([node]):
        arguments = [values[id(x)] for x in step.arguments]
        if step.operation == "constant":
            values[id(step)] = step.value
        elif step.operation == "neg":
            values[id(step)] = -arguments[0]
        else:
            values[id(step)] = binary[step.operation](*arguments)
    assert values[id(node)] == compute(a, b)


@pytest.mark.long
@given(numbers)
def test_rational_root_is_the_root_or_none(value):
    root = rational_root(value)
    assert root is None or (root >= 0 and root * root == value)
    assert rational_root(value * value) == abs(value)


WITH_WHOLE_NUMBERS = {
    "number times array": (lambda xp, x: np.int64(2) * x, [2, 4]),
    "array times number": (lambda xp, x: x * np.int64(2), [2, 4]),
    "array of numbers less array": (lambda xp, x: np.asarray([3, 4]) - x, [2, 2]),
    "array less array of numbers": (lambda xp, x: x - np.asarray([3, 4]), [-2, -2]),
    "array to a power": (lambda xp, x: x ** np.int64(2), [1, 4]),
}


@pytest.mark.parametrize("make", FIELDS)
@pytest.mark.parametrize("name", WITH_WHOLE_NUMBERS)
def test_numpy_s_whole_numbers_are_exact(make, name):
    function, expected = WITH_WHOLE_NUMBERS[name]
    assert in_field(make, function, [1, 2]).tolist() == expected


@pytest.mark.parametrize("wrong", [np.float64(0.1), 1e-1, np.asarray([0.1, 1.0])])
@pytest.mark.parametrize("operation", [operator.mul, operator.add, operator.truediv])
def test_numpy_s_floats_are_refused_with_what_to_write(wrong, operation):
    for function in (lambda xp, x: operation(x, wrong), lambda xp, x: operation(wrong, x)):
        with pytest.raises(TypeError, match=r"exact arithmetic expects .* write Fraction\(1, 10\)"):
            exactly(RationalField(), function, np.array([1, 2]))


@pytest.mark.parametrize("make", FIELDS)
def test_a_float_is_taken_where_it_is_the_number_that_it_is_written_as(make):
    for half in (0.5, np.float64(0.5), np.float32(0.5), np.full(2, 0.5)):
        found = in_field(make, lambda xp, x, half=half: x * half, [1, 2])
        assert found.tolist() == [Fraction(1, 2), 1]
    for wrong in (1 / 3, 0.1 + 0.2, 1e-6, 2**0.5, float("inf"), float("nan"), 0.5j):
        with pytest.raises(TypeError, match="exact arithmetic expects"):
            in_field(make, lambda xp, x, wrong=wrong: x * wrong, [1, 2])


@pytest.mark.long_cases("[(sqrt(2) + sqrt(3))**2 - 5 - 2*sqrt(6)-0]")
@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("1/10**40", 1),
        ("-1/10**40", -1),
        ("sqrt(2) - 141421356/10**8", 1),
        ("(sqrt(2) + sqrt(3))**2 - 5 - 2*sqrt(6)", 0),
        ("log(2) - 1", -1),
        ("exp(-10**9)", 0),
        ("1 - 1/(1 + exp(-10**9))", 0),
        ("exp(10**9) - exp(10**9 - 1)", 1),
        ("exp(10**9)*(1 - 1/(1 + exp(-10**9)))", 0),  # it takes 10⁹ digits
        ("tanh(1) - erf(1)", -1),
        ("Abs(sin(4)) - cos(1)", 1),
        ("CRootOf(x**5 - x - 1, 0) - 1", 1),
        ("root(2, 3) - 2", -1),
        ("pi - 355/Integer(113)", -1),
    ],
)
def test_the_sign_of_a_constant_is_told_however_much_cancels(text, sign):
    number = sympy.sympify(text)
    assert (exceeds(number), exceeds(-number)) == (sign > 0, sign < 0)
    assert is_nonzero(number) == (sign != 0)


@pytest.mark.long
@settings(max_examples=20)
@given(st.lists(st.integers(-9, 9), min_size=3, max_size=5), st.integers(1, 9))
def test_a_ball_around_a_root_holds_that_root_and_no_other(coefficients, leading):
    roots = sympy.Poly([leading, *coefficients], sympy.Symbol("x")).real_roots()
    with flint.ctx.workprec(256):
        for root in set(roots):
            ball = enclosure(root)
            assert ball.rad() < 2.0**-150
            held = [other for other in set(roots) if ball.overlaps(in_digits(other))]
            assert held == [root]


def in_digits(number) -> flint.arb:
    return flint.arb(str(number.evalf(60))) + flint.arb(0, 2.0**-150)
