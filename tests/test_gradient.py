"""`gradient` (dual numbers) against sympy's derivatives, rule by rule, and the inverse by elimination."""

from fractions import Fraction

import numpy as np
import pytest
import sympy
from agreement import Draw, assert_agrees, bounds, wide
from loops import WIDE
from running_error import Bounded

from scanproof.constructs.arrays.array_api import namespace
from scanproof.constructs.arrays.gradient import gradient
from scanproof.constructs.arrays.inverse import inverse
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.exact.expressions import ExpressionField, is_zero
from scanproof.proofs.exact.polynomials import FlintField, RationalField


def row(w):
    """Constants (3,) in the arrays of `w`."""
    return namespace(w).asarray([2, -1, 3])


def grid(w):
    """Constants (2, 3)."""
    return namespace(w).asarray([[1, -2, 3], [4, 2, -1]])


def deep(w):
    """Constants (2, 3, 2): a batch of two matrices."""
    return namespace(w).asarray([[[1, 2], [0, -1], [3, 1]], [[2, -2], [1, 1], [0, 5]]])


def squares(array):
    return (array * array).sum()


VECTOR = {
    "negation": lambda w: squares(-w * row(w)),
    "number + w": lambda w: squares(2 + w),
    "w + number": lambda w: squares(w + 2),
    "w + array": lambda w: squares(w + row(w)),
    "array + w": lambda w: squares(row(w) + w),
    "w + w": lambda w: squares(w + w * w),
    "broadcast w + array": lambda w: squares(w + grid(w)),
    "broadcast w + w": lambda w: squares(w[:, None] + w[None, :] * row(w)),
    "number − w": lambda w: squares(1 - w),
    "w − array": lambda w: squares(w - row(w)),
    "array − w": lambda w: squares(row(w) - w),
    "number · w": lambda w: squares(3 * w),
    "w · array": lambda w: squares(w * row(w)),
    "array · w": lambda w: squares(row(w) * w),
    "w · w": lambda w: (w * w * w).sum(),
    "broadcast w · array": lambda w: squares(w * grid(w)),
    "broadcast w · w": lambda w: squares(w[:, None] * w[None, :] + row(w)),
    "w / number": lambda w: squares(w / 4),
    "number / w": lambda w: (1 / w).sum(),
    "w / array": lambda w: squares(w / row(w)),
    "array / w": lambda w: (row(w) / w).sum(),
    "w / w": lambda w: (w / (1 + w * w)).sum(),
    "broadcast array / w": lambda w: squares(grid(w) / w),
    "broadcast w / w": lambda w: squares(w[:, None] / w[None, :]),
    "w ** 0": lambda w: (w**0 * w).sum(),
    "w ** 1": lambda w: squares(w**1),
    "w ** 2": lambda w: (row(w) * w**2).sum(),
    "w ** 5": lambda w: (row(w) * w**5).sum(),
    "array @ w": lambda w: squares(grid(w) @ w),
    "vector @ w": lambda w: (row(w) @ w) * (row(w) @ w),
    "w @ vector": lambda w: (w @ row(w)) * (w @ row(w)),
    "w @ array": lambda w: squares(w @ grid(w).T),
    "w @ w": lambda w: (w @ w) * (w @ w),
    "w @ (w wᵀ)": lambda w: squares(w @ (w[:, None] * w[None, :])),
    "(w wᵀ) @ w": lambda w: squares((w[:, None] * w[None, :]) @ w),
    "w @ batch": lambda w: squares(w @ deep(w)),
    "batch @ w": lambda w: squares(deep(w).mT @ w),
    "index": lambda w: w[0] * w[-1] * w[1],
    "slice": lambda w: squares(w[1:] * w[:-1]),
    "reversed": lambda w: squares(w[::-1] * row(w)),
    "vector transposed": lambda w: squares(w.T * row(w)),
    "exp": lambda w: namespace(w).exp(w * row(w)).sum(),
    "log": lambda w: squares(namespace(w).log(w)),
    "log of a sum of exps": lambda w: namespace(w).log(namespace(w).exp(w).sum()),
    "reshape": lambda w: squares(namespace(w).reshape(w, (3, 1)) * grid(w).T),
}
MATRIX = {
    "transpose": lambda W: squares(W.T @ grid(W)),
    "transpose in place": lambda W: squares(W.mT * grid(W).T),
    "matrix @ W": lambda W: squares(grid(W).T @ W),
    "W @ matrix": lambda W: squares(W @ grid(W).T),
    "vector @ W": lambda W: squares(row(W)[:2] @ W),
    "W @ vector": lambda W: squares(W @ row(W)),
    "W @ batch": lambda W: squares(W @ deep(W)),
    "batch @ W": lambda W: squares(deep(W) @ W),
    "W @ Wᵀ": lambda W: squares(W @ W.T),
    "Wᵀ @ W": lambda W: squares(W.T @ W),
    "W @ row of W": lambda W: squares(W @ W[0]),
    "column of W @ W": lambda W: squares(W[:, 1] @ W),
    "sum": lambda W: W.sum() * W.sum(),
    "sum over rows": lambda W: squares(W.sum(axis=0)),
    "sum over columns": lambda W: squares(W.sum(axis=1)),
    "sum over the last axis": lambda W: squares(W.sum(axis=-1)),
    "entry": lambda W: W[0, 1] * W[1, 2],
    "column": lambda W: squares(W[:, 1]) * W[0, 0],
    "row without the first": lambda W: squares(W[0, 1:] * W[1, :-1]),
    "new axis": lambda W: squares(W[:, None] * W[None, :]),
    "softmax": lambda W: squares(
        namespace(W).exp(W) / namespace(W).exp(W).sum(axis=1)[:, None] - grid(W)
    ),
}
RULES = [(name, loss, (3,)) for name, loss in VECTOR.items()]
RULES += [(name, loss, (2, 3)) for name, loss in MATRIX.items()]
TRANSCENDENTAL = ("exp", "log", "log of a sum of exps", "softmax")


def each(rules):
    """A test for every rule."""
    parameters = [pytest.param(loss, shape, id=name) for name, loss, shape in rules]
    return pytest.mark.parametrize(("loss", "shape"), parameters)


def curvature(loss):
    """The gradient of a weighted sum of the gradient's entries."""

    def slope(w):
        first = gradient(loss, w)
        weights = namespace(first).asarray([2, -1, 3])
        return (first * weights).sum()

    return lambda w: gradient(slope, w)


def sympy_curvature(value, symbols):
    weights = np.broadcast_to([2, -1, 3], symbols.shape)
    slope = sum(c * sympy.diff(value, s) for c, s in zip(weights.flat, symbols.flat, strict=True))
    return derivatives(slope, symbols)


def derivatives(value, symbols):
    return [sympy.diff(value, s) for s in symbols.flat]


def symbolic(loss, shape):
    """The loss on an array of symbols, without dual numbers, and the symbols."""
    field, symbols = generators(ExpressionField, shape)
    return exactly(field, lambda xp, w: loss(w), symbols).item(), symbols


def generators(make, shape):
    """A field, and an array of its symbols."""
    field = make([f"w{i}" for i in range(int(np.prod(shape)))])
    return field, np.array(list(field.generators.values()), dtype=object).reshape(shape)


def at(expressions, symbols, point):
    """The expressions at a float point, in 40 digits."""
    known = {"mpf": WIDE.mpf, "exp": WIDE.exp, "log": WIDE.log}
    evaluate = sympy.lambdify(list(symbols.flat), expressions, [known, "mpmath"])
    return wide_reshaped(evaluate(*wide(point).flat), point.shape)


def wide_reshaped(numbers, shape):
    return np.array([WIDE.mpf(n) for n in numbers], dtype=object).reshape(shape)


@pytest.mark.long_cases(
    "[W @ W\\u1d40]",
    "[W @ matrix]",
    "[W\\u1d40 @ W]",
    "[broadcast w + w]",
    "[broadcast w \\xb7 w]",
    "[softmax]",
    "[transpose]",
    "[w @ (w w\\u1d40)]",
)
@each(RULES)
def test_gradient_follows_the_rule(loss, shape):
    value, symbols = symbolic(loss, shape)
    expected = derivatives(value, symbols)
    compute = lambda w: gradient(loss, w)  # noqa: E731
    for seed in range(8):
        point = Draw(seed).positive(*shape)
        assert_agrees(compute(point), at(expected, symbols, point), bounds(compute, (point,)))


@pytest.mark.short(4)
@each(RULES)
def test_gradient_of_a_gradient_follows_the_rule(loss, shape):
    point = Draw(1).positive(*shape)
    value, symbols = symbolic(loss, shape)
    exact = at(sympy_curvature(value, symbols), symbols, point)
    assert_agrees(curvature(loss)(point), exact, bounds(curvature(loss), (point,)))


@pytest.mark.short(4)
@each(rule for rule in RULES if rule[0] not in TRANSCENDENTAL)
def test_gradient_in_symbols_is_sympys_derivative(loss, shape):
    value, symbols = symbolic(loss, shape)
    field, array = generators(FlintField, shape)
    found = exactly(field, lambda xp, w: gradient(loss, w), array)
    for ratio, derivative in zip(found.flat, derivatives(value, symbols), strict=True):
        text = str(ratio).replace("^", "**")
        exact = sympy.parse_expr(text, local_dict={s.name: s for s in symbols.flat})
        assert is_zero(exact - derivative)


def test_gradient_of_a_loss_that_ignores_its_argument_is_zero():
    point = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(gradient(lambda w: grid(w).sum(), point), np.zeros((2, 3)))


def test_gradient_at_a_scalar_is_a_scalar():
    found = gradient(lambda t: t * t * t, np.asarray(2.0))
    assert found.shape == ()
    assert found == 12


def test_mixed_derivatives_by_two_matrices_keep_their_axes_apart():
    rng = np.random.default_rng(0)
    x, W = rng.integers(-3, 4, (2, 3)).astype(float), rng.integers(-3, 4, (3, 2)).astype(float)
    c = rng.integers(-3, 4, (3, 2)).astype(float)

    def by_x(x):
        return gradient(lambda x: (gradient(lambda W: squares(x @ W), W) * c).sum(), x)

    # d/dx of Σ c ∘ (2 xᵀ x W) is 2 x (W cᵀ + c Wᵀ).
    assert np.array_equal(by_x(x), 2 * x @ (W @ c.T + c @ W.T))


def test_a_function_that_gradient_does_not_know_is_named():
    with pytest.raises(AttributeError, match="a loss may not use 'arcsin'"):
        gradient(lambda W: namespace(W).arcsin(W).sum(), np.eye(2))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_inverse_times_the_matrix_is_the_identity_exactly(size):
    field, matrix = generators(FlintField, (size, size))
    gap = exactly(field, lambda xp, A: inverse(A) @ A - xp.eye(size), matrix)
    assert not any(entry for entry in gap.flat)


def test_inverse_of_a_matrix_that_starts_with_zero_divides_by_zero():
    swap = np.array([[0.0, 1.0], [1.0, 0.0]])
    with np.errstate(all="ignore"):
        assert not np.all(np.isfinite(inverse(swap)))


def test_rounding_bound_of_a_near_singular_inverse_is_wide():
    near = Bounded(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-12]]), np.zeros((2, 2)))
    assert inverse(near).error.max() > 1


@pytest.mark.parametrize(
    ("loss", "got"),
    [
        (lambda w: w * w, r"an array of shape \(3,\)"),
        (lambda w: (w * w)[:1], r"an array of shape \(1,\)"),
        (lambda w: row(w), r"an array of shape \(3,\)"),
        (lambda w: (w.sum(), w), "tuple"),
        (lambda w: None, "NoneType"),
    ],
    ids=["vector", "one entry", "constant vector", "tuple", "nothing"],
)
def test_a_loss_that_is_not_a_scalar_is_refused(loss, got):
    point = np.asarray([1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match=f"a loss that is one number, got {got}; sum its"):
        gradient(loss, point)
    with pytest.raises(TypeError, match=f"a loss that is one number, got {got}; sum its"):
        exactly(RationalField(), lambda xp, w: gradient(loss, w), point)


@pytest.mark.parametrize("constant", [3, Fraction(1, 2)])
def test_a_constant_loss_has_the_gradient_zero(constant):
    for field in (FlintField(["a"]), ExpressionField(["a"])):
        found = exactly(field, lambda xp, w: gradient(lambda v: constant, w), np.array([1, 2]))
        assert all(entry == field.number(0) for entry in found)
