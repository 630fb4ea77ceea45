"""Nodes that no claim's body records yet: each reading of them is what NumPy computes, at sizes 0 and 1 too."""

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from claims import claim

from scanproof import build, equal, gradient, iterate
from scanproof import numpy as ours
from scanproof.proofs.check.fidelity import disagreement
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.exact.enclosures import ArbField
from scanproof.proofs.exact.entries import arranged
from scanproof.proofs.exact.field import Field
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.exact.scalar import DivisionByZero, NotPolynomial
from scanproof.proofs.interpret.evaluate import (
    EXACT,
    FUNCTIONS,
    Evaluator,
    at_index,
    function_value,
)
from scanproof.proofs.interpret.session import session
from scanproof.proofs.readings import floats
from scanproof.proofs.readings.derivative import prepared, without_gradients
from scanproof.proofs.readings.exact import relations
from scanproof.proofs.readings.formulas.mathematics import latex
from scanproof.proofs.readings.functions import smooth
from scanproof.proofs.readings.problem import NoProblem, problem
from scanproof.proofs.readings.program import functions, program
from scanproof.proofs.readings.residues import PRIMES, Residues, identical
from scanproof.proofs.statement import binding, choices, making, nodes, placing
from scanproof.proofs.statement.errors import IllFormed
from scanproof.proofs.statement.formats import REAL, WHOLE, Format
from scanproof.proofs.statement.nodes import Input, Node
from scanproof.proofs.statement.reshaping import reshaped
from scanproof.proofs.statement.statement import Statement, relation
from scanproof.proofs.statement.text import text
from scanproof.proofs.statement.whole import Size, whole

N, M = (whole(Size(name, 0)) for name in "NM")
MATRIX, RIGHT = Input("L", (N, N)), Input("B", (N, M))
TABLE, PLACES = Input("A", (N, M)), Input("i", (M, 2), WHOLE)
EVERY_SIZE = [{"N": n, "M": m} for n, m in ((0, 0), (0, 1), (1, 0), (1, 1), (3, 2), (5, 3))]


def of_inputs(*inputs: Input, left: Node, right: Node | None = None) -> Statement:
    sizes = (Size("N", 0), Size("M", 0))
    said = relation("equal", left, left if right is None else right)
    return Statement("mine", sizes, inputs, (said,))


def shape_at(one: Input, sizes: dict[str, int]) -> tuple[int, ...]:
    return floats.Floats(sizes, {}).shape(one.lengths)


def numbers(statement: Statement, sizes: dict[str, int]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    found = {}
    for one in statement.inputs:
        low, high = (-1, 5) if one.format.is_whole else (1, 9)  # also what is no place
        found[one.name] = rng.integers(low, high, shape_at(one, sizes))
    return found


def in_field(
    statement: Statement, field: Field, sizes: dict[str, int], inputs: dict[str, Any]
) -> Any:
    """The left side in a field, of numbers or of its scalars."""
    given = {name: np.asarray(one, dtype=object) for name, one in inputs.items()}
    entries = {n: arranged(map(field.number, one.flat), one.shape) for n, one in given.items()}
    return next(relations(prepared(statement), field, sizes, entries))[1]


def formula(statement: Statement, sizes: dict[str, int], given: dict[str, Any]) -> np.ndarray:
    """The values of the left side's formulas of the kernel."""
    with session() as opened:
        found = problem(statement, opened)
        array = found.parts[0].left
        at = {e.terms[0][0]: sizes[name] for name, e in found.sizes.items()}

        def entry(name: str, place: tuple[Any, ...]) -> Any:
            inside = all(0 <= k < n for k, n in zip(place, given[name].shape, strict=True))
            return Fraction(int(given[name][place])) if inside else 1009 + 7 * sum(place)

        evaluator = Evaluator(entry, opened, function_value)
        values = np.empty([at_index(d, at) for d in array.dims])
        spots = [one.terms[0][0] for one in array.at]
        for place in np.ndindex(values.shape):
            where = {**at, **dict(zip(spots, place, strict=True))}
            values[place] = evaluator.value(array.entry(array.at), where)
        return values


def check(
    statement: Statement,
    wanted: Any,
    exact: bool = True,
    formulas: bool = True,
    every: Sequence[dict[str, int]] = EVERY_SIZE,
) -> None:
    """Hold the floats, printed program, fractions, formulas and residues of a statement to NumPy."""
    names: dict[str, Any] = {}
    exec(program(statement), names)
    assert latex(statement).count("{") == latex(statement).count("}")
    modular = Residues(statement) if exact else None
    for sizes in every:
        given = numbers(statement, sizes)
        own = np.asarray(wanted(**given), dtype=float)
        inputs = {name: one.astype(float) for name, one in given.items()}
        found = {
            "floats": next(floats.relations(statement, sizes, inputs))[1],
            "written out": next(floats.relations(prepared(statement), sizes, inputs))[1],
            "program": next(names["statement"](**sizes, **inputs))[1],
        }
        if exact:
            found["fractions"] = in_field(statement, RationalField(), sizes, given)
        for reading, value in found.items():
            value = np.asarray(value, dtype=float)
            assert value.shape == own.shape, (reading, sizes)
            assert np.allclose(value, own, rtol=1e-9, atol=1e-12), (reading, sizes)
        if formulas:
            value = formula(statement, sizes, given)
            assert value.shape == own.shape and np.allclose(value, own, rtol=1e-9), sizes
        if modular is not None:
            residues = {name: one.astype(np.int64) % PRIMES[-1] for name, one in given.items()}
            value = next(modular.relations(PRIMES[-1], sizes, residues))[1] % PRIMES[-1]
            exactly = found["fractions"]
            modulo = [
                Fraction(str(one)).numerator
                * pow(Fraction(str(one)).denominator, -1, PRIMES[-1])
                % PRIMES[-1]
                for one in exactly.flat
            ]
            assert [*np.asarray(value).flat] == modulo, sizes


def looked_up(A, i):
    found = np.zeros((*i.shape, *A.shape[1:]))
    for at in np.ndindex(i.shape):
        if 0 <= i[at] < len(A):
            found[at] = A[i[at]]
    return found


def test_entries_are_looked_up_at_places_and_are_0_where_there_is_none():
    check(of_inputs(TABLE, PLACES, left=making.lookup(TABLE, PLACES)), looked_up)


@pytest.mark.parametrize("function", ("add", "subtract", "multiply", "divide"))
@pytest.mark.parametrize("turned", (True, False))
def test_entries_looked_up_of_a_function_are_it_of_entries_and_what_has_no_such_axis(
    function: str, turned: bool
):
    sides = [TABLE, Input("r", (M,))]
    if turned and function != "divide":
        sides.reverse()
    of = making.entrywise(
        function, making.entrywise("subtract", sides[0], making.number(2)), sides[1]
    )
    if turned:
        of = making.reversed_along(of, [1])
    rng, sizes = np.random.default_rng(0), {"N": 4, "M": 3}
    arrays = {
        "A": rng.normal(size=(4, 3)),
        "r": rng.normal(size=3),
        "i": rng.integers(0, 4, (3, 2)),
    }
    found = placing.looked_up(of, PLACES)
    assert not isinstance(found, nodes.Lookup)
    wanted = floats.Floats(sizes, arrays)(making.lookup(of, PLACES))
    assert np.allclose(floats.Floats(sizes, arrays)(found), wanted, rtol=1e-12)


@pytest.mark.parametrize("lower", (True, False))
@pytest.mark.parametrize("unit", (True, False))
def test_triangular_systems_are_solved_whatever_the_other_triangle_holds(lower: bool, unit: bool):
    def solution(L, B):
        kept = np.tril(L) if lower else np.triu(L)
        kept = kept - np.diag(np.diag(kept)) + np.eye(len(L)) if unit else kept
        return np.linalg.solve(kept, B.astype(float))

    check(of_inputs(MATRIX, RIGHT, left=making.solved(MATRIX, RIGHT, lower, unit)), solution)


def test_a_system_in_a_build_is_solved_for_all_positions():
    position = binding.fresh(0, M)
    column = making.take(RIGHT, (whole(making.Axis(0)), whole(position)), (N,))
    scaled = making.entrywise("multiply", MATRIX, making.number(whole(position) + 1))
    built = binding.build(position, making.solved(scaled, column))

    def solution(L, B):
        found = [np.linalg.solve(np.tril(L) * (m + 1), B[:, m]) for m in range(B.shape[1])]
        return np.array(found).reshape(B.shape[::-1])

    check(of_inputs(MATRIX, RIGHT, left=built), solution)


def test_a_gradient_through_a_system_and_through_what_is_looked_up_is_that_of_differences():
    loss_of = making.entrywise
    (L,), (B,) = binding.placeholders([(N, N)]), binding.placeholders([(N, M)])

    def squares(node: Node) -> Node:
        return making.total(loss_of("multiply", node, node))

    for unit in (True, False):
        for lower in (True, False):
            at_matrix = binding.gradient(L, squares(making.solved(L, RIGHT, lower, unit)), MATRIX)
            at_right = binding.gradient(B, squares(making.solved(MATRIX, B, lower, unit)), RIGHT)
            for slope, name in ((at_matrix, "L"), (at_right, "B")):
                held_to_differences(of_inputs(MATRIX, RIGHT, left=slope), name)
    (A,) = binding.placeholders([(N, M)])
    slope = binding.gradient(A, squares(making.lookup(A, PLACES)), TABLE)
    held_to_differences(of_inputs(TABLE, PLACES, left=slope), "A")
    function = binding.gradient(
        A, making.total(loss_of("tanh", loss_of("multiply", A, loss_of("sin", A)))), TABLE
    )
    held_to_differences(of_inputs(TABLE, left=function), "A")


def held_to_differences(statement: Statement, moved: str) -> None:
    node = statement.relations[0].left
    assert isinstance(node, nodes.Gradient)
    for sizes in ({"N": 0, "M": 1}, {"N": 1, "M": 1}, {"N": 3, "M": 2}):
        rng = np.random.default_rng(0)
        given = {
            one.name: rng.integers(-1, 5, shape_at(one, sizes)).astype(float)
            if one.format.is_whole
            else rng.uniform(0.5, 1.5, shape_at(one, sizes))
            for one in statement.inputs
        }
        point = given[moved]

        def loss(value: Any, given: Any = given, sizes: Any = sizes) -> float:
            reading = floats.Floats(sizes, given)
            with reading.bound({node.point: value}):
                return float(reading(node.loss))

        wanted = np.zeros(point.shape)
        for place in np.ndindex(point.shape):
            step = np.zeros(point.shape)
            step[place] = 1e-5
            wanted[place] = (loss(point + step) - loss(point - step)) / 2e-5
        for one in (node, without_gradients(node)):
            found = floats.Floats(sizes, given)(one)
            assert found.shape == point.shape and np.allclose(found, wanted, 1e-5, 1e-5), sizes


NUMPYS = {
    **{name: getattr(np, name) for name in ("sin", "cos", "tanh", "floor", "ceil")},
    **{name: getattr(np, f"arc{name[1:]}") for name in ("atan", "asinh")},
    "acosh": lambda a: np.arccosh(a + 3),
    **{name: getattr(np, f"arc{name[1:]}") for name in ("asin", "acos", "atanh")},
    "erf": np.vectorize(math.erf, otypes=[float]),
    "relu": lambda a: a * (a > 0),
    "step": lambda a: 1.0 * (a > 0),
    "zero": lambda a: 1.0 * (a == 0),
    "softplus": lambda a: np.log1p(np.exp(a)),
}


@pytest.mark.parametrize("name", nodes.NAMED)
def test_functions_by_their_names_are_the_usual_ones(name: str):
    inside = name in ("asin", "acos", "atanh")
    scaled = making.entrywise("divide", TABLE, making.number(10 if inside else 2))
    shifted = making.entrywise("subtract", scaled, making.number(0 if inside else 2))
    moved = making.entrywise("add", shifted, making.number(3)) if name == "acosh" else shifted
    operand = (lambda A: A / 10) if inside else (lambda A: A / 2 - 2)
    statement = of_inputs(TABLE, left=making.entrywise(name, moved))
    formulas = name in FUNCTIONS or name in EXACT
    check(statement, lambda A: NUMPYS[name](operand(A)), exact=False, formulas=formulas)
    if name in ("floor", "ceil", "relu", "step", "zero"):
        value = in_field(statement, RationalField(), {"N": 2, "M": 1}, {"A": [[5], [3]]})
        wanted = NUMPYS[name](np.array([[0.5], [-0.5]]))
        assert np.array_equal(np.asarray(value, float), wanted)
    balls = in_field(statement, ArbField(), {"N": 2, "M": 1}, {"A": [[5], [3]]})
    wanted = NUMPYS[name](operand(np.array([[5.0], [3.0]])))
    for ball, number in zip(balls.flat, wanted.flat, strict=True):
        assert abs(float(ball) - number) < 1e-9


@pytest.mark.parametrize("name", ["maximum", "minimum"])
@pytest.mark.parametrize("turned", [False, True])
def test_an_extreme_keeps_the_digits_of_the_number_that_it_is(name: str, turned: bool):
    sign = 1 if name == "maximum" else -1
    near = making.number(Fraction(sign, 10**9))
    far = making.entrywise("multiply", TABLE, making.number(-sign))
    made = choices.greater if sign > 0 else choices.smaller
    found = made(*((far, near) if turned else (near, far)))
    left = making.entrywise("divide", found, near)
    check(of_inputs(TABLE, left=left), lambda A: np.ones(A.shape), exact=False)


def unknown(*laws: str, name: str = "phi") -> Node:
    """phi(A) − phi(−A)."""
    mirrored = making.entrywise("negative", TABLE)
    both = [making.opaque(name, laws, one) for one in (TABLE, mirrored)]
    return making.entrywise("subtract", *both)


def test_a_function_of_which_only_laws_are_known_has_these_and_no_others():
    nothing = making.full(making.number(0), (N, M))
    twice = making.entrywise("multiply", making.number(2), making.opaque("phi", ["odd"], TABLE))
    one = making.opaque("phi", (), TABLE)
    at_zero = making.opaque("phi", ["vanishing"], nothing, TABLE)
    rng, sizes = random.Random(0), {"N": 3, "M": 2}
    holds = {
        "an even one": (unknown("even"), nothing, True),
        "an odd one": (unknown("odd"), twice, True),
        "any": (unknown(), nothing, False),
        "any is not odd": (unknown(), making.entrywise("add", one, one), False),
        "two are one": (unknown(name="psi"), unknown(), False),
        "vanishing where all operands do": (at_zero, nothing, False),
        "equal operands": (
            making.opaque("f", (), making.entrywise("add", TABLE, TABLE), TABLE),
            making.opaque("f", (), making.entrywise("multiply", making.number(2), TABLE), TABLE),
            True,
        ),
    }
    for name, (left, right, wanted) in holds.items():
        statement = of_inputs(TABLE, left=left, right=right)
        assert identical(Residues(statement), sizes, rng) is wanted, name
        given = {"A": np.random.default_rng(0).normal(size=(3, 2))}
        _, a, b = next(floats.relations(statement, sizes, given))
        assert np.allclose(a, b) is wanted, name
        names: dict[str, Any] = {}
        exec(program(statement), names)
        stand_ins = {n: smooth(n, f.laws) for n, f in functions(statement.relations).items()}
        _, c, d = next(names["statement"](**sizes, **given, **stand_ins))
        assert np.allclose(a, c) and np.allclose(b, d), name


def test_a_function_with_a_meaning_is_not_unknown_and_one_without_laws_has_no_slope_or_value():
    with pytest.raises(IllFormed, match="relu has a meaning"):
        making.opaque("relu", (), TABLE)
    with pytest.raises(IllFormed, match="no law 'linear'"):
        making.opaque("phi", ("linear",), TABLE)
    statement = of_inputs(TABLE, left=unknown())
    with pytest.raises(NotPolynomial, match="phi, of which only laws are known"):
        in_field(statement, RationalField(), {"N": 1, "M": 1}, {"A": [[1]]})
    with session() as opened:
        assert opened.functions == set() and problem(statement, opened).parts
        assert opened.functions == {"phi"}
    with pytest.raises(IllFormed, match="phi stands for two functions"):
        program(of_inputs(TABLE, left=unknown(), right=unknown("odd")))
    with session() as opened, pytest.raises(NoProblem, match="the laws of phi"):
        problem(of_inputs(TABLE, left=unknown("odd")), opened)
    (A,) = binding.placeholders([(N, M)])
    slope = binding.gradient(A, making.total(making.opaque("phi", (), A)), TABLE)
    with pytest.raises(IllFormed, match="Opaque has no derivative"):
        program(of_inputs(TABLE, left=slope))


def test_a_format_is_printed_and_its_width_is_a_condition():
    bytes_, any_ = Input("b", (N,), Format("int", 8)), Input("x", (N,))
    total = making.entrywise("add", bytes_, any_)
    statement = of_inputs(bytes_, any_, left=nodes.Held(total, Format("int", 8)))
    said = text(statement)
    assert "input b (N,) int8" in said and "input x (N,)\n" in said
    assert "where a1 is a whole number from −128 to 127 in every entry" in said
    assert "where" not in text(of_inputs(bytes_, left=bytes_))
    sizes, given = (
        {"N": 4, "M": 0},
        {"b": np.array([1.0, 127, -128, 3]), "x": np.array([1.0, 1, 0, 0.5])},
    )
    wanted = [2, np.nan, -128, np.nan]
    names: dict[str, Any] = {}
    exec(program(statement), names)
    for _, found, _ in (
        next(floats.relations(statement, sizes, given)),
        next(names["statement"](**sizes, **given)),
    ):
        assert np.array_equal(found, wanted, equal_nan=True)
    for k, one in enumerate(wanted):
        fractions = {name: [Fraction(value[k])] for name, value in given.items()}
        sizes = {"N": 1, "M": 0}
        if math.isnan(one):
            with pytest.raises(DivisionByZero, match="no number of the format int8"):
                in_field(statement, RationalField(), sizes, fractions)
        else:
            assert float(in_field(statement, RationalField(), sizes, fractions)[0]) == one
    with session() as opened, pytest.raises(NoProblem, match="the format int8"):
        problem(statement, opened)


def test_what_is_looked_up_at_symbols_has_no_value():
    places = Input("i", (M,))
    statement = of_inputs(TABLE, places, left=making.lookup(TABLE, places))
    with pytest.raises(NotPolynomial, match="a place that is a symbol"):
        Residues(statement)
    balls = ArbField()
    given = {"A": [[1], [2]], "i": [balls.exp(balls.number(0))]}
    found = in_field(statement, balls, {"N": 2, "M": 1}, given)
    assert float(found[0, 0]) == 2
    with pytest.raises(NotPolynomial, match="a place that is a symbol"):
        third = balls.number(Fraction(1, 3)) * 3
        in_field(statement, balls, {"N": 2, "M": 1}, {**given, "i": [third]})


def test_conditions_of_a_system_are_on_its_diagonal_alone():
    said = text(of_inputs(MATRIX, RIGHT, left=making.solved(MATRIX, RIGHT)))
    assert "where L ≠ 0 on the diagonal" in said
    for matrix, unit in ((MATRIX, True), (making.identity(N), False)):
        # an identity's entries are 1 or 0: whether its diagonal is 1 is not looked into
        said = text(of_inputs(MATRIX, RIGHT, left=making.solved(matrix, RIGHT, unit=unit)))
        assert ("where" in said) is not unit


BODIES = {
    "slopes through prefixes in a build": (
        lambda A, S, u, c, xp, N, M: gradient(
            lambda w: build(xp, N, lambda i: (w[:i] ** 2).sum() * w[i]).sum(), u
        ),
        lambda A, S, u, c: [
            (u[:i] ** 2).sum() + 2 * u[i] * u[i + 1 :].sum() for i in range(len(u))
        ],
    ),
    "slopes of a product": (
        lambda A, S, u, c, xp, N, M: gradient(lambda w: ours.prod(w) / (1 + c * c), u),
        lambda A, S, u, c: [np.prod(np.delete(u, i)) / (1 + c * c) for i in range(len(u))],
    ),
    "slopes of a convolution": (
        lambda A, S, u, c, xp, N, M: gradient(
            lambda w: build(
                xp, N, lambda i: build(xp, i + 1, lambda j: w[j] * w[i - j]).sum() * c
            ).sum(),
            u,
        ),
        lambda A, S, u, c: [2 * c * u[: len(u) - i].sum() for i in range(len(u))],
    ),
    "powers of a matrix that depend on the position": (
        lambda A, S, u, c, xp, N, M: build(xp, N, lambda i: iterate(lambda x: x @ S, u, i)),
        lambda A, S, u, c: [u @ np.linalg.matrix_power(S, i) for i in range(len(u))],
    ),
    "both axes backwards": (
        lambda A, S, u, c, xp, N, M: build(
            xp, N, lambda i: build(xp, M, lambda j: A[i, j] * A[N - 1 - i, M - 1 - j])
        ),
        lambda A, S, u, c: A * A[::-1, ::-1],
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_every_reading_of_a_body_is_what_numpy_computes_from_size_1_on(name: str):
    body, wanted = BODIES[name]

    def twice(A, S, u, c, xp, N, M):
        found = body(A, S, u, c, xp, N, M)
        return equal(found, found)

    one = claim(twice, {"A": "N M", "S": "N N", "u": "N", "c": ""})
    assert disagreement(one, record(one)) is None
    every = [{"N": n, "M": m} for n, m in ((1, 1), (1, 2), (2, 1), (4, 3))]
    check(record(one), wanted, every=every)


LONG, WIDE = whole(Size("L", 1)), whole(Size("M", 1))
RESHAPED = [
    ((2 * LONG, 2), (LONG, 4)),
    ((LONG, 4), (2 * LONG, 2)),
    ((2 * LONG, WIDE), (LONG, 2 * WIDE)),
    ((LONG, 6, WIDE), (3 * LONG, 2 * WIDE)),
    ((WIDE, 2 * LONG, 2), (WIDE, LONG, 4)),
    ((6, LONG), (3, 2 * LONG)),
    ((4, 3 * LONG), (6, 2 * LONG)),
]


@pytest.mark.parametrize(("before", "after"), RESHAPED)
def test_axes_are_regrouped_with_their_entries_in_order(before, after):
    found = reshaped(nodes.Input("x", before, REAL), after)
    for sizes in ({"L": 1, "M": 2}, {"L": 3, "M": 1}):
        old, new = (tuple(map(floats.Floats(sizes, {}).whole, one)) for one in (before, after))
        array = np.arange(math.prod(old), dtype=float).reshape(old)
        assert np.array_equal(floats.Floats(sizes, {"x": array})(found), array.reshape(new))
