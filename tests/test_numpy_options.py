"""Every option of NumPy's functions that arrays of claims take means what it means in NumPy, or is refused."""

import ast
import inspect
import re
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanproof import gradient
from scanproof import numpy as np
from scanproof.constructs.arrays.masks import Mask
from scanproof.constructs.arrays.numpy_functions import NumPyFunctions, _names
from scanproof.constructs.arrays.protocols import within
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.exact.scalar import NotPolynomial
from scanproof.proofs.interpret.array import KernelArray, symbol
from scanproof.proofs.interpret.evaluate import Evaluator
from scanproof.proofs.interpret.namespace import Namespace as Kernel
from scanproof.proofs.interpret.questions import listening
from scanproof.proofs.interpret.size import Size
from scanproof.proofs.kernel.index import Index, size
from scanproof.proofs.search.proving import proving
from scanproof.proofs.statement.errors import IllFormed

N, D = 4, 3
DIMS = {
    "A": "nd",
    "B": "dn",
    "S": "nn",
    "K": "2nd",
    "o": "n1",
    "r": "1d",
    "u": "n",
    "v": "d",
    "c": "",
}
LENGTHS = {"n": N, "d": D, "1": 1, "2": 2}
VALUES = {
    name: (numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape) * 7 + 3 * k) % 11 - 4
    for k, (name, shape) in enumerate((n, tuple(LENGTHS[x] for x in d)) for n, d in DIMS.items())
}
CALLS = """
np.sum(K, axis=(0, 2)); np.sum(K, axis=-1, keepdims=True); np.sum(K, None); np.sum(K, axis=())
np.sum(c); np.mean(K, axis=(0, -1)); np.mean(A, axis=1, keepdims=True); np.mean(K, 1)
np.prod(A, axis=0); np.prod(K, axis=-1); np.prod(u); np.cumsum(K, axis=1); np.cumsum(u)
np.cumprod(A, axis=-2); np.diff(A, n=2, axis=0); np.diff(K, axis=-2); np.diff(A, 0)
np.diff(A, n=-1); np.diff(A, axis=2); np.diff(c); np.diff(u, prepend=0); np.trace(S); np.trace(S, 1)
np.trace(A); np.trace(S, offset=-1); np.diagonal(S); np.diagonal(A); np.diagonal(S, 1)
np.diagonal(S, axis1=1, axis2=0); np.diag(v); np.diag(v, 1); np.diag(S, k=1); np.dot(A, B)
np.dot(c, A); np.dot(u, A); np.dot(K, B); np.dot(A, K); np.matmul(K, B); np.matmul(u, K)
np.matmul(c, A); np.vdot(u, u); np.vdot(A, A); np.vecdot(A, v); np.vecdot(A, A, axis=0)
np.inner(K, A); np.inner(c, A); np.inner(A, u); np.outer(u, v); np.outer(A, v); np.kron(A, B)
np.kron(A, v); np.kron(u, v); np.tensordot(A, B); np.tensordot(A, B, axes=1); np.tensordot(A, B, 0)
np.tensordot(K, K, ([1, 2], [1, 2])); np.tensordot(A, A, axes=(0, 0))
np.tensordot(A, B, ([-1], [0])); np.tensordot(A, A, ([0, 0], [0, 1]))
np.tensordot(A, r, ([0], [0])); np.tensordot(o, r, 1); np.tensordot(A, A, ([0], [0, 1]))
np.tensordot(A, A, ([0], [5])); np.linalg.matrix_power(S, 0); np.linalg.matrix_power(S, n=3)
np.linalg.matrix_power(A, 0); np.linalg.matrix_power(A, 1); np.einsum("ii->i", S)
np.einsum("ii", S); np.einsum("ij->j", A); np.einsum("i,j", u, v); np.einsum("ji", A)
np.einsum("iij->j", S[:, :, None] * v); np.einsum("iji->j", S[:, None, :] * v[None, :, None])
np.einsum("iii->i", S[:, :, None] * u); np.einsum("ij,ij,ij->i", A, A, A)
np.einsum("a,b,c->abc", v, v, v); np.einsum("ij,ij->ij", A, o); np.einsum("ij,jk->ik", o, B)
np.einsum("ij,jk->ik", A, r); np.einsum("i,i->i", r[0][:1], v); np.einsum("...i,i->...", A, v)
np.einsum("ij->ijj", A); np.einsum("ij->ik", A); np.einsum(",ij->ij", c, A)
np.einsum("ij->ij", A, optimize=True); np.einsum("Aa", A); np.einsum("Ba,ab->", A, B)
np.einsum("ii,jj->ij", S, S); np.einsum("bij,bkj->bik", K, K); np.einsum("->", c)
np.einsum("ij,,j", A, c, v); np.einsum("ij, jk -> ik", A, B); np.transpose(K, (2, 0, 1))
np.transpose(K, axes=[1, -1, 0]); np.transpose(K, (0, 0, 1)); np.transpose(K, (0, 1))
np.transpose(K); np.matrix_transpose(K); np.swapaxes(K, 0, -1); np.swapaxes(K, axis1=-1, axis2=1)
np.swapaxes(K, 0, 3); np.swapaxes(K, -4, 0); np.moveaxis(K, 0, -1)
np.moveaxis(K, source=-1, destination=0); np.moveaxis(K, 0, 3); np.expand_dims(A, -1)
np.expand_dims(A, axis=1); np.expand_dims(A, 3); np.expand_dims(A, -4); np.squeeze(o)
np.squeeze(o, axis=-1); np.squeeze(A, 0); np.broadcast_to(v, (n, d))
np.broadcast_to(o, shape=(n, d)); np.broadcast_to(A, (3,)); np.broadcast_to(A, (n, 1))
np.broadcast_to(A, (1, d)); np.broadcast_to(A, ()); np.broadcast_to(c, (2, 2))
np.broadcast_to(v, (2, n, d)); np.ravel(u); np.ravel(A, "F"); np.flip(K, (0, 2))
np.flip(A, axis=-1); np.flip(K); np.roll(u, 1); np.roll(u, -1); np.roll(A, shift=1, axis=0)
np.roll(A, (1, 2), (0, 1)); np.roll(A, 1); np.pad(A, 1); np.pad(A, ((1, 2), (0, 1)))
np.pad(A, (1, 2)); np.pad(A, ((1,), (2,))); np.pad(A, pad_width=((1, 2),))
np.pad(A, 1, constant_values=5); np.pad(A, 1, mode="edge"); np.pad(A, (1, 2, 3)); np.pad(A, -1)
np.pad(A, 1, constant_values=c); np.pad(u, (2,)); np.pad(A, ((1, 2), 3)); np.triu(S, k=1)
np.triu(A, -1); np.triu(K); np.tril(K, 1); np.tril(S, k=-1); np.tril(u); np.triu(u, 1)
np.tri(n, k=-1); np.tri(n, n + 1, 1)
np.tri(n, d); np.vstack([A, v]); np.vstack([u, u]); np.hstack([A, o]); np.hstack([u, v])
np.column_stack([u, A]); np.append(u, v); np.append(A, A, axis=1); np.append(A, A); np.append(u, c)
np.stack([A, A], axis=-1); np.stack([u, v]); np.stack([A, A], axis=3); np.stack([A, A], axis=-4)
np.concatenate([A, A], axis=-1); np.concatenate([A, A], axis=None); np.concatenate([A, o])
np.concatenate([A, A], axis=2); np.concatenate([A, A], axis=-3); np.concatenate([c, c])
np.atleast_1d(c); np.atleast_2d(c); np.atleast_2d(v); np.array([A, A])
np.array([[u[0], 1], [2, v[0]]]); np.array(A, ndmin=3); np.copy(A); np.shape(A); np.ndim(K)
np.zeros((n, d)) + A; np.zeros(n); np.ones((n,), dtype=float); np.ones(n, dtype=int); np.eye(n)
np.eye(n, d); np.eye(n, k=1); np.full((n, d), c); np.full((n, d), v); np.full((n, 1), v)
np.full((1, d), A); np.full(n, fill_value=3); np.zeros_like(A); np.ones_like(A, dtype=float)
np.ones_like(A, shape=(2,)); np.full_like(A, 3); np.full_like(A, 0.5)
np.full_like(A, 2.5, dtype=float); np.full_like(u, c); np.arange(n); np.arange(1, n)
np.arange(1, n, step=1); np.arange(n)[::-1] * u; np.arange(n, dtype=float); np.arange(0.5)
np.where(np.arange(n) < 2, u, 0); np.where(np.tri(n), S, 0); np.where(np.eye(n) * 2, S, 0)
np.where(u, u, 0); np.where(np.arange(n) < 2); np.where(True, u, 0)
np.where(np.arange(n)[:, None] < 2, A, v); np.where(np.arange(n) < 2, np.arange(n) < 1, u)
np.add(u, 1); np.subtract(1, u); np.multiply(A, o); np.divide(u, 2); np.true_divide(u, 2)
np.negative(u); np.positive(u); np.power(u, 2); np.power(2, np.arange(n)); np.power(u, u)
np.square(A); np.reciprocal(u); np.floor_divide(u, 2); np.mod(u, 2)
np.add(u, u, where=np.arange(n) < 2); np.add.reduce(A); np.add.reduce(A, axis=None)
np.add.reduce(A, 1, keepdims=True); np.add.reduce(A, initial=3); np.subtract.outer(u, v)
np.empty_like(u) * 0 + 1; np.linalg.vecdot(A, v); np.linalg.outer(u, v)
np.greater(np.arange(n), 1) * u; np.greater_equal(np.arange(n), 1) * u; np.less(np.arange(n), 1) * u
np.less_equal(1, np.arange(n)) * u; np.logical_and(np.tri(n), np.eye(n)) + np.eye(n)
np.logical_or(np.tri(n), True) + True; np.logical_not(np.eye(n)) + True
np.logical_xor(np.tri(n), np.eye(n)) * S; np.logical_and(u, u); np.invert(np.eye(n))
np.invert(np.arange(n) < 1) + True; np.array([True, False]) + np.array([True, True])
np.full((2, 2), True) + True; np.stack([np.arange(n) < 1, np.arange(n) < 2]) + True
np.sum(np.arange(n) < 2, axis=0); np.mean(np.arange(n) < 2); np.cumsum(np.arange(n) < 2)
np.tril(np.arange(n)[:, None] > 0) + True; np.einsum("i,i", np.arange(n) < 2, np.arange(n) < 2)
np.einsum("i,i", np.arange(n) < 2, u); np.outer(np.arange(n) < 2, u)
(np.arange(n) < 1) + (np.arange(n) < 2); (np.arange(n) < 1) * (np.arange(n) < 2) + True
(np.arange(n) < 1) - (np.arange(n) < 2); (np.arange(n) < 1) + [True] * n
[True] * n + (np.arange(n) < 1); (np.arange(n) < 1)[::-1] + (np.arange(n) < 1)
np.diff(np.arange(n) < 1); (np.arange(n) < 1) @ u; u @ (np.arange(n) < 1)
(np.arange(n) < 1) / 2 - 1; ~(np.arange(n) < 1) * u; -(np.arange(n) < 1); ~np.tri(n); u[-2:]; u[:-1]
u[::2]; u[::-1]; u[1:10]; u[5]; u[-5]; A[0, -1]; A[..., 0]; K[0, ..., 1]; A[:, None, ::-1]
A[1:, ::-1]; u[2:0:-1]; A[[0, 1]]; u[np.arange(n) < 2]; u[1.0]; A + o; A * r; o * r; A + u; c @ A
K @ B; A @ K; np.linalg.norm(A, ord=1); np.expm1(u * 0); np.log1p(u * 0); np.tanh(u * 0)
np.sinh(u * 0); np.cosh(u * 0); np.linalg.norm(A * 0)
np.linalg.norm(A * 0, axis=1, keepdims=True); np.linalg.norm(A * 0, "fro", (0, 1))
np.reshape(A, (n * d,)); np.reshape(A, (d, n)); np.reshape(A, shape=(n, d)); np.vecdot(A, o)
"""
LINES = [one.strip() for line in CALLS.strip().splitlines() for one in line.split("; ")]
BY_FUNCTION: dict[str, list[str]] = {}
for _line in LINES:
    _called = re.match(r"np\.([\w.]+)\(", _line)
    BY_FUNCTION.setdefault(_called[1] if _called else "operators", []).append(_line)
each_function = pytest.mark.parametrize("function", BY_FUNCTION)
NOT_CALLED = {
    "expm1": "one", "log1p": "one", "tanh": "one", "sinh": "one", "cosh": "one", "logaddexp": "one other",
    "linalg_norm": "array ord axis keepdims", "sqrt": "", "exp": "", "log": "", "abs": "",
}  # fmt: skip
"""Functions that numbers do not show; tests of exponentials and norms do."""
REFUSALS = (TypeError, ValueError, IndexError, AttributeError, ZeroDivisionError)
REFUSALS += (NotPolynomial, Refused, IllFormed)


def in_numpy(line: str) -> Any:
    """What NumPy makes of it; None if it raises."""
    known = {name: value.copy() for name, value in VALUES.items()}
    try:
        with numpy.errstate(all="ignore"):
            return numpy.asarray(eval(line, {"np": numpy, "n": N, "d": D, **known}), dtype=float)
    except Exception:
        return None


def at_numbers(line: str, values: dict[str, Any] = VALUES) -> Any:
    """What it comes to in fractions."""

    def computed(xp: Any, *arrays: Any) -> Any:
        known = dict(zip(values, arrays, strict=True))
        return _array(eval(line, {"np": np, "n": N, "d": D, **known}))

    return exactly(RationalField(), computed, *values.values())


def _array(found: Any) -> Any:
    return found.held if isinstance(found, Mask) else found


@each_function
def test_a_call_is_numpy_s_or_refused(function: str):
    for line in BY_FUNCTION[function]:
        is_numpy_s_or_refused(line)


def is_numpy_s_or_refused(line: str) -> None:
    try:
        found = at_numbers(line)
    except REFUSALS:
        return
    expected = in_numpy(line)
    assert expected is not None, f"NumPy refuses {line}"
    entries = numpy.asarray(found).astype(float)
    assert entries.shape == expected.shape, line
    assert numpy.allclose(entries, expected), line


@each_function
def test_a_call_of_symbolic_sizes_is_numpy_s_or_refused(function: str):
    for line in BY_FUNCTION[function]:
        of_symbolic_sizes_is_numpy_s_or_refused(line)


def of_symbolic_sizes_is_numpy_s_or_refused(line: str) -> None:
    with proving() as current:
        sizes = {"n": size("n", 3), "d": size("d", 2)}
        numbers = {sizes["n"].terms[0][0]: N, sizes["d"].terms[0][0]: D}
        known = {
            name: [sizes[x] if x in sizes else Index(int(x)) for x in dims]
            for name, dims in DIMS.items()
        }
        try:
            with within(Kernel()), listening():
                arrays = {name: symbol(name, dims) for name, dims in known.items()}
                lengths = {name: Size(length) for name, length in sizes.items()}
                found = _array(eval(line, {"np": np, **lengths, **arrays}))
        except Exception:  # of all kinds: the kernel reads less
            return
        if not isinstance(found, KernelArray):
            return
        expected = in_numpy(line)
        assert expected is not None, f"NumPy refuses {line}"
        shape = tuple(e.const + sum(c * numbers[w] for w, c in e.terms) for e in found.dims)
        assert shape == expected.shape, line
        evaluator = Evaluator(lambda name, at: int(VALUES[name][at]), current)
        for place in numpy.ndindex(shape):
            spots = zip(found.at, place, strict=True)
            at = {**numbers, **{e.terms[0][0]: i for e, i in spots if e.terms}}
            value = float(evaluator.value(found.term, at))
            assert numpy.isclose(value, expected[place]), f"{line} at {place}"


WEIGHTS = 7


@each_function
def test_a_derivative_through_a_call_is_that_of_numpy_s_or_refused(function: str):
    for line in BY_FUNCTION[function]:
        names = {one.id for one in ast.walk(ast.parse(line)) if isinstance(one, ast.Name)}
        for name in sorted(names & {"A", "K", "S", "u", "c"}):
            has_a_derivative_that_is_numpy_s_or_refused(line, name)


def has_a_derivative_that_is_numpy_s_or_refused(line: str, name: str) -> None:
    def slopes_of(xp: Any, *arrays: Any) -> Any:
        known = dict(zip(VALUES, arrays, strict=True))

        def loss(x: Any) -> Any:
            found = _array(eval(line, {"np": np, "n": N, "d": D, **known, name: x}))
            count = int(numpy.prod(found.shape))
            return np.sum(found * xp.asarray((numpy.arange(count) % WEIGHTS).reshape(found.shape)))

        return gradient(loss, known[name])

    try:
        slopes = exactly(RationalField(), slopes_of, *VALUES.values()).astype(float)
    except REFUSALS:
        return

    def value(x: Any) -> float:
        floats = {key: one.astype(float) for key, one in VALUES.items()}
        found = numpy.asarray(eval(line, {"np": numpy, "n": N, "d": D, **floats, name: x}))
        return float((found.ravel() * (numpy.arange(found.size) % WEIGHTS)).sum())

    at, step = VALUES[name].astype(float), 2.0**-10
    for place in numpy.ndindex(at.shape):
        moved = numpy.zeros(at.shape)
        moved[place] = step
        found = (value(at + moved) - value(at - moved)) / (2 * step)
        # The difference quotient of a polynomial is off by step² times its third derivative.
        assert abs(found - slopes[place]) <= step * (1 + abs(slopes[place])), f"{line} by {name}"


def test_every_option_of_every_function_is_called():
    given: dict[str, set[str]] = {}
    for line in LINES:
        for call in (one for one in ast.walk(ast.parse(line)) if isinstance(one, ast.Call)):
            if isinstance(call.func, ast.Attribute):
                theirs = getattr(NumPyFunctions, call.func.attr, None)
                names = (
                    [*inspect.signature(theirs).parameters][1:]
                    if inspect.isfunction(theirs)
                    else []
                )
                own = given.setdefault(call.func.attr, set())
                own.update(names[: len(call.args)], (one.arg or "" for one in call.keywords))
    for name in _names(NumPyFunctions):
        function = getattr(NumPyFunctions, name)
        asked = {*inspect.signature(function).parameters} - {"self", "arrays"}
        missing = asked - given.get(name, set()) - {*NOT_CALLED.get(name, "").split()}
        known = {"concat": {"concatenate"}, "asarray": {"array"}}
        assert not missing or name in known, (name, missing)


@pytest.mark.long
@given(st.data())
def test_axes_and_lengths_of_any_number_are_numpy_s_or_refused(data: st.DataObject):
    lengths = st.integers(1, 3)
    one, other = (data.draw(st.lists(lengths, min_size=0, max_size=3)) for _ in range(2))
    axis = data.draw(st.integers(-4, 4))
    letters = data.draw(
        st.tuples(*(st.text("ijk", min_size=len(s), max_size=len(s)) for s in (one, other)))
    )
    output = data.draw(st.text("ijk", max_size=3))
    arrays = [
        numpy.random.default_rng(0).integers(-3, 4, shape) for shape in (tuple(one), tuple(other))
    ]
    for line in (
        "a + b", "a * b", "a @ b", f"np.einsum({f'{letters[0]},{letters[1]}->{output}'!r}, a, b)",
        f"np.einsum({','.join(letters)!r}, a, b)", "np.dot(a, b)", "np.inner(a, b)",
        f"np.tensordot(a, b, {abs(axis)})", f"np.sum(a, axis={axis})", f"np.flip(a, axis={axis})",
        f"np.concatenate([a, b], axis={axis})", f"np.stack([a, b], axis={axis})", f"np.diff(a, axis={axis})",
        f"np.roll(a, {axis}, axis=0)", f"np.roll(a, 1, axis={axis})", f"np.cumsum(a, axis={axis})",
        f"np.expand_dims(a, {axis})", f"np.squeeze(a, {axis})", f"np.moveaxis(a, {axis}, 0)",
        "np.broadcast_to(a, b.shape)", f"np.tril(a, {axis})", f"np.triu(a, {axis})", f"np.swapaxes(a, 0, {axis})",
        "np.where(np.tri(2), a, b)", "np.vstack([a, b])", "np.hstack([a, b])", "np.kron(a, b)", "np.outer(a, b)",
        f"a[{axis}]", f"a[{axis}:]", f"a[:{axis}]", f"a[..., {axis}:]", f"a[::{axis}]", f"np.mean(a, axis={axis})",
        f"np.prod(a, axis={axis})", f"np.pad(a, {axis})", "np.vecdot(a, b)",
    ):  # fmt: skip
        try:
            found = numpy.asarray(at_numbers(line, {"a": arrays[0], "b": arrays[1]}))
        except REFUSALS:
            continue
        expected = eval(line, {"np": numpy, "a": arrays[0], "b": arrays[1]})
        assert found.shape == numpy.shape(expected), line
        assert numpy.array_equal(found.astype(float), expected), line
