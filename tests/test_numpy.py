"""NumPy's functions on arrays of claims: what they mean, on numbers and for symbolic sizes, and what is refused."""

import contextlib
import operator
from fractions import Fraction
from typing import Any

import numpy
import pytest

from scanproof import _main, gradient, program
from scanproof import numpy as np
from scanproof.constructs.arrays.protocols import within
from scanproof.proofs.doors.record.exactly import exactly
from scanproof.proofs.doors.refused import Refused
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.exact.residues import PrimeField
from scanproof.proofs.interpret.array import KernelArray, symbol
from scanproof.proofs.interpret.evaluate import Evaluator
from scanproof.proofs.interpret.namespace import Namespace
from scanproof.proofs.interpret.questions import Unreadable, listening
from scanproof.proofs.interpret.size import Size
from scanproof.proofs.kernel.index import size
from scanproof.proofs.search.proving import proving

T, D = 4, 3
NUMBERS = {
    "A": numpy.arange(T * D).reshape(T, D) - 4,
    "B": numpy.arange(D * T).reshape(D, T) * 2 - 7,
    "S": numpy.arange(T * T).reshape(T, T) % 5,
    "u": numpy.array([2, -1, 3, 5]),
    "v": numpy.array([1, 4, -2]),
    "c": numpy.array(3),
}
EVERYWHERE: dict[str, Any] = {
    "outer": lambda a, np, n, d: np.outer(a["u"], a["v"]),
    "einsum of a product": lambda a, np, n, d: np.einsum("td,de->te", a["A"], a["B"]),
    "einsum of a transposed product": lambda a, np, n, d: np.einsum("td,sd->st", a["A"], a["A"]),
    "einsum of outer products": lambda a, np, n, d: np.einsum("ti,tj->tij", a["A"], a["S"]),
    "einsum of three": lambda a, np, n, d: np.einsum("td,d,t->", a["A"], a["v"], a["u"]),
    "einsum of a row for each": lambda a, np, n, d: np.einsum("td,td->t", a["A"], a["A"]),
    "einsum with two sums": lambda a, np, n, d: np.einsum("td,dt->", a["A"], a["B"]),
    "einsum of a diagonal": lambda a, np, n, d: np.einsum("tt->t", a["S"]),
    "einsum of a trace": lambda a, np, n, d: np.einsum("tt", a["S"]),
    "einsum without an arrow": lambda a, np, n, d: np.einsum("dt,td", a["B"], a["A"]),
    "einsum that only moves": lambda a, np, n, d: np.einsum("td->dt", a["A"]),
    "tril": lambda a, np, n, d: np.tril(a["S"]),
    "tril above": lambda a, np, n, d: np.tril(a["A"], 1),
    "strictly below": lambda a, np, n, d: np.tril(a["S"], -1),
    "triu": lambda a, np, n, d: np.triu(a["S"], 1),
    "tri": lambda a, np, n, d: np.tri(n) * a["S"],
    "eye": lambda a, np, n, d: np.eye(d) + a["v"],
    "zeros": lambda a, np, n, d: np.zeros((d, n)) @ a["A"] + 1,
    "ones": lambda a, np, n, d: np.ones(n) @ a["A"],
    "full": lambda a, np, n, d: np.full((n, d), 2.0) * a["A"],
    "zeros_like": lambda a, np, n, d: np.zeros_like(a["A"]) + a["v"],
    "cumsum": lambda a, np, n, d: np.cumsum(a["u"]),
    "cumsum of rows": lambda a, np, n, d: np.cumsum(a["A"], axis=0),
    "cumsum in rows": lambda a, np, n, d: a["A"].cumsum(axis=-1),
    "cumprod": lambda a, np, n, d: np.cumprod(a["u"]),
    "cumprod of rows": lambda a, np, n, d: np.cumprod(a["A"], axis=0),
    "prod": lambda a, np, n, d: np.prod(a["u"]) + a["A"].prod(axis=1),
    "sum of both axes": lambda a, np, n, d: np.sum(a["A"], axis=(0, 1)),
    "sum that keeps": lambda a, np, n, d: a["A"] * a["A"].sum(axis=1, keepdims=True),
    "mean": lambda a, np, n, d: np.mean(a["A"], axis=0) + a["A"].mean(),
    "trace": lambda a, np, n, d: np.trace(a["S"]) + np.linalg.trace(a["S"]),
    "diag": lambda a, np, n, d: np.diag(a["v"]) + np.diag(a["A"] @ a["B"])[0],
    "dot": lambda a, np, n, d: np.dot(a["A"], a["v"]) + a["u"].dot(a["u"]) + np.dot(a["c"], 2),
    "matmul": lambda a, np, n, d: np.matmul(a["A"], a["B"]),
    "inner": lambda a, np, n, d: np.inner(a["A"], a["A"]) + np.vdot(a["u"], a["u"]),
    "tensordot": lambda a, np, n, d: np.tensordot(a["A"], a["B"], 1),
    "tensordot of axes": lambda a, np, n, d: np.tensordot(a["A"], a["B"], ([0], [1])),
    "matrix_power": lambda a, np, n, d: np.linalg.matrix_power(a["S"], 3),
    "stack": lambda a, np, n, d: np.stack([a["u"], a["u"] + 1], axis=1),
    "concatenate": lambda a, np, n, d: np.concatenate([a["A"], a["v"][None]], axis=0),
    "vstack": lambda a, np, n, d: np.vstack([a["A"], a["v"]]),
    "hstack": lambda a, np, n, d: np.hstack([a["A"], a["u"][:, None]]),
    "column_stack": lambda a, np, n, d: np.column_stack([a["u"], a["A"]]),
    "array of arrays": lambda a, np, n, d: np.array([[a["u"][0], 2], [a["v"][1], a["c"]]]),
    "transpose": lambda a, np, n, d: np.transpose(a["A"][:, None], (2, 0, 1)) + a["A"].T[..., None],
    "swapaxes and moveaxis": lambda a, np, n, d: (
        np.swapaxes(a["A"], 0, 1) + np.moveaxis(a["A"], 0, 1)
    ),
    "expand_dims and squeeze": lambda a, np, n, d: np.squeeze(np.expand_dims(a["A"], 1)),
    "flip": lambda a, np, n, d: np.flip(a["A"], axis=0) + a["v"][::-1],
    "roll": lambda a, np, n, d: np.roll(a["u"], 1),
    "pad": lambda a, np, n, d: np.pad(a["A"], ((1, 0), (0, 2))),
    "diff": lambda a, np, n, d: np.diff(a["A"], axis=0),
    "broadcast_to": lambda a, np, n, d: np.broadcast_to(a["v"], (n, d)),
    "atleast_2d": lambda a, np, n, d: np.atleast_2d(a["u"]),
    "square and power": lambda a, np, n, d: np.square(a["u"]) + np.power(a["u"], 3) + a["u"] ** 2.0,
    "arithmetic": lambda a, np, n, d: np.subtract(np.add(a["u"], 1), np.multiply(a["u"], 2)) / 4,
    "negative": lambda a, np, n, d: np.negative(a["u"]) - np.positive(a["u"]),
    "a mask of positions": lambda a, np, n, d: np.where(
        np.arange(n)[:, None] >= np.arange(n)[None, :], a["S"], 7
    ),
    "a mask with an offset": lambda a, np, n, d: np.where(
        (np.arange(n)[:, None] > np.arange(d) + 1) & ~(np.arange(d) < 1), a["A"], 0
    ),
    "a mask from one or the other": lambda a, np, n, d: np.where(
        np.logical_or(np.arange(n) < 1, np.arange(n) >= n - 1), a["u"], -a["u"]
    ),
    "a sum of masks is a mask": lambda a, np, n, d: (
        ((np.arange(n) < 2) + (np.arange(n) < 3)) * a["u"]
    ),
    "a product of masks is a mask": lambda a, np, n, d: (
        ((np.arange(n) < 3) * (np.arange(n) > 0) + (np.arange(n) < 2)) * a["u"]
    ),
    "masks that differ": lambda a, np, n, d: (
        a["u"] * ((np.arange(n) < 3) ^ np.logical_xor(np.arange(n) < 2, np.arange(n) < 1))
    ),
    "a mask of masks": lambda a, np, n, d: (
        (np.where(np.arange(n) < 2, np.arange(n) < 1, np.arange(n) < 3) + (np.arange(n) < 1))
        * a["u"]
    ),
    "masks are counted": lambda a, np, n, d: (
        np.sum(np.arange(n)[:, None] >= np.arange(n), axis=1) * a["u"]
        + (np.arange(n) < 2).sum()
        + np.cumsum(np.arange(n) < 2)
    ),
    "numbers of a mask": lambda a, np, n, d: (
        (np.arange(n)[:, None] >= np.arange(n)).astype(float)
        @ (np.arange(n)[:, None] > np.arange(n)).astype(int)
    ),
    "a mask times a matrix": lambda a, np, n, d: (
        (np.arange(n)[:, None] >= np.arange(n)) @ a["A"]
        + a["u"] @ (np.arange(n)[:, None] >= np.arange(d))
    ),
    "a moved mask is one": lambda a, np, n, d: (
        (np.tril(np.arange(n)[:, None] >= np.arange(n)) + (np.arange(n) >= np.arange(n)[:, None]).T)
        * a["S"]
    ),
    "joined masks are one": lambda a, np, n, d: (
        np.sum(np.stack([np.arange(n) < 2, np.arange(n) < 1]) + (np.arange(n) < 1), axis=0) * a["u"]
    ),
    "a mask and a truth": lambda a, np, n, d: (((np.arange(n) < 2) + True) & True) * a["u"],
    "a mask among numbers": lambda a, np, n, d: (
        1 - (np.arange(n) < 2) + ((np.arange(n) < 2) + 1) / 2 - (np.arange(n) < 1) * 3
    ),
    "a mask in a product of three": lambda a, np, n, d: np.einsum(
        "ts,ts,sd->td",
        np.arange(n)[:, None] >= np.arange(n),
        np.arange(n)[:, None] > np.arange(n),
        a["A"],
    ),
    "numbers of triangles are no masks": lambda a, np, n, d: np.tri(n) + np.tri(n) + np.eye(n),
    "positions are numbers": lambda a, np, n, d: np.arange(1, n + 1) * a["u"] + np.arange(n),
    "a power of a position": lambda a, np, n, d: a["c"] ** np.arange(n) + 2 ** (np.arange(n) + 1),
    "a float that is its decimal": lambda a, np, n, d: 0.5 * a["u"] + numpy.array([0.25, 1, 2])[1],
}


def at_numbers(function: Any, field: Any = None) -> numpy.ndarray:
    """A function of the arrays by their names, in exact scalars."""

    def named(xp: Any, *arrays: Any) -> Any:
        return function(dict(zip(NUMBERS, arrays, strict=True)))

    return exactly(field or RationalField(), named, *NUMBERS.values())


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_function_means_what_it_means_in_numpy(name):
    expected = EVERYWHERE[name](NUMBERS, numpy, T, D)
    found = at_numbers(lambda a: EVERYWHERE[name](a, np, T, D))
    assert found.shape == numpy.shape(expected)
    assert found.astype(float).tolist() == numpy.asarray(expected, dtype=float).tolist()


@pytest.mark.parametrize("name", EVERYWHERE)
def test_it_means_the_same_for_symbolic_sizes(name):
    expected = EVERYWHERE[name](NUMBERS, numpy, T, D)
    with proving() as current:
        n, d = size("n", 3), size("d", 2)
        lengths = {T: n, D: d}
        sizes = {n.terms[0][0]: T, d.terms[0][0]: D}
        with within(Namespace()), listening():
            given = {k: symbol(k, [lengths[s] for s in a.shape]) for k, a in NUMBERS.items()}
            found = EVERYWHERE[name](given, np, Size(n), Size(d))
        assert isinstance(found, KernelArray)
        shape = tuple(e.const + sum(c * sizes[w] for w, c in e.terms) for e in found.dims)
        assert shape == numpy.shape(expected)
        evaluator = Evaluator(lambda k, i: int(NUMBERS[k][i]), current)
        for place in numpy.ndindex(shape):
            at = {**sizes, **{e.terms[0][0]: i for e, i in zip(found.at, place, strict=True)}}
            assert evaluator.value(found.term, at) == numpy.asarray(expected)[place]


REAL: dict[str, Any] = {
    "a ufunc of an array": lambda a: numpy.multiply(a["u"], 2) - numpy.square(a["u"]),
    "numbers of NumPy's before it": lambda a: numpy.array([1.0, 2.0, 3.0, 4.0]) - a["u"],
    "a product with NumPy's zeros": lambda a: numpy.zeros((2, T)) @ a["A"] + numpy.eye(2, D),
    "a function": lambda a: numpy.einsum("td,d->t", a["A"], a["v"]) + numpy.trace(a["S"]),
    "like": lambda a: numpy.ones((T, D), like=a["A"]) + a["A"],
    "a sum by reduce": lambda a: numpy.add.reduce(a["A"], axis=1) + numpy.multiply.reduce(a["u"]),
    "differences by outer": lambda a: numpy.subtract.outer(a["u"], a["v"]),
    "a method": lambda a: a["A"].mean(axis=0).astype(float).copy(),
    "concatenation": lambda a: numpy.concatenate((a["A"], numpy.zeros((1, D)))),
}


@pytest.mark.parametrize("name", REAL)
def test_numpy_itself_takes_arrays_of_claims(name):
    found = at_numbers(REAL[name])
    expected = REAL[name]({k: v.astype(float) for k, v in NUMBERS.items()})
    assert found.dtype == object and found.astype(float).tolist() == expected.tolist()


EXPONENTIALS = {
    "tanh": lambda np, x: np.tanh(x),
    "sinh and cosh": lambda np, x: np.sinh(x) / np.cosh(x),
    "expm1": lambda np, x: np.expm1(x) + np.exp(x),
    "log1p": lambda np, x: np.log1p(np.square(x)),
    "logaddexp": lambda np, x: np.logaddexp(x, 2 * x),
    "sqrt": lambda np, x: np.sqrt(np.square(x) + 3.0),
    "norm": lambda np, x: np.linalg.norm(x, axis=1) + np.linalg.norm(x),
}


@pytest.mark.parametrize("name", EXPONENTIALS)
def test_a_function_made_of_exponentials_is_numpy_s(name):
    from scanproof.proofs.exact.enclosures import ArbField

    x = numpy.array([[0.5, -1.0], [2.0, 0.25]])
    given = numpy.array([[Fraction(entry) for entry in row] for row in x.tolist()])
    found = exactly(ArbField(), lambda xp, x: EXPONENTIALS[name](np, x), given)
    expected = EXPONENTIALS[name](numpy, x)
    assert numpy.allclose([float(e.mid()) for e in found.flat], expected.ravel())


def test_a_gradient_is_taken_through_numpy_s_functions():
    def loss(w, A, u, v):
        residual = np.einsum("td,d->t", A, w) - u
        outer = np.outer(w, w)
        more = np.sum(np.tril(outer)) + np.trace(outer) + np.dot(w, np.cumsum(w))
        joined = np.concatenate([w, 2 * w, v])
        return 0.5 * np.sum(np.square(residual)) + more + np.mean(joined * joined)

    x, h = numpy.array([1.0, 4.0, -2.0]), 1e-6
    found = at_numbers(lambda a: gradient(lambda w: loss(w, a["A"], a["u"], a["v"]), a["v"]))
    own = [NUMBERS[n].astype(float) for n in "Auv"]
    slopes = [(loss(x + h * e, *own) - loss(x - h * e, *own)) / (2 * h) for e in numpy.eye(3)]
    assert numpy.allclose(found.astype(float), slopes)


REFUSED = {
    "a format of whole numbers": (lambda np, x, n: np.sum(x, dtype=int), "would cut off"),
    "a format by its code": (lambda np, x, n: x.astype("i8"), "would cut off"),
    "another order": (lambda np, x, n: np.ravel(x[:, None], order="F"), "another order"),
    "vdot of a matrix": (lambda np, x, n: np.vdot(x[:, None], x), "two vectors"),
    "two constants at the ends": (
        lambda np, x, n: np.pad(x, (1, 1), constant_values=(3, 5)),
        "one constant",
    ),
    "an axis that there is not": (lambda np, x, n: np.mean(x, axis=-2), "axis -2 of an array"),
    "a new axis too far": (lambda np, x, n: np.expand_dims(x, 4), "axis 4 of an array"),
    "an axis twice": (lambda np, x, n: np.sum(x[:, None], axis=(0, 0)), "names an axis twice"),
    "writing in place": (lambda np, x, n: operator.iadd(x, 1), "write a = a"),
    "an option of an operator": (
        lambda np, x, n: numpy.matmul(x[:, None], x[None], axes=[(0, 1), (0, 1), (0, 1)]),
        "axes",
    ),
    "an order": (lambda np, x, n: np.maximum(x, 0), "no.* order"),
    "a sort": (lambda np, x, n: np.sort(x), "without an order"),
    "a truth": (lambda np, x, n: np.allclose(x, x), "equal\\(left, right\\)"),
    "an inverse": (lambda np, x, n: np.linalg.inv(np.outer(x, x)), "row by row"),
    "an unknown one": (lambda np, x, n: np.sinc(x), "write it with"),
    "writing": (lambda np, x, n: x.__setitem__(0, 1), "np.stack"),
    "writing elsewhere": (lambda np, x, n: np.add(x, 1, out=x), "leave it out"),
    "comparing data": (lambda np, x, n: x > 0, "positions are compared"),
    "branching on data": (lambda np, x, n: np.where(x, x, 0), "a mask"),
    "joining data by a bit": (lambda np, x, n: x & x, "for masks"),
    "a difference of masks": (lambda np, x, n: (np.arange(n) < 1) - (np.arange(n) < 2), "astype"),
    "minus a mask": (lambda np, x, n: -(np.arange(n) < 1), "astype"),
    "a product of masks": (
        lambda np, x, n: (np.arange(n)[:, None] < 1) @ (np.arange(n)[None] < 1),
        "astype",
    ),
    "an outer product of masks": (
        lambda np, x, n: np.outer(np.arange(n) < 1, np.arange(n) < 1),
        "astype",
    ),
    "a difference along masks": (lambda np, x, n: np.diff(np.arange(n) < 1), "astype"),
    "ones like a mask": (lambda np, x, n: np.ones_like(np.arange(n) < 1), "astype"),
    "a bit of numbers": (lambda np, x, n: ~np.eye(n), "for masks"),
    "a bit of a mask and a number": (lambda np, x, n: (np.arange(n) < 1) & 1, "for masks"),
    "a list with a mask": (lambda np, x, n: np.array([np.arange(n) < 1, x]), "astype"),
    "a truth of a mask": (lambda np, x, n: bool(np.arange(n) < 1), "np.where"),
    "equal masks": (lambda np, x, n: (np.arange(n) < 1) == (np.arange(n) < 1), "\\^"),
    "a mask to a power": (lambda np, x, n: 2 ** (np.arange(n) < 1), "astype"),
    "half of what may be a whole number": (lambda np, x, n: np.full_like(x, 0.5), "np?.*full"),
    "one by a whole number": (lambda np, x, n: np.reciprocal(np.arange(1, n)), "1 / x"),
    "an axis too few": (lambda np, x, n: np.cumsum(np.outer(x, x)), "give axis="),
    "a broken power": (lambda np, x, n: x**0.5, "sqrt"),
    "0.1": (lambda np, x, n: 0.1 * x, r"write Fraction\(1, 10\)"),
    "an array of 1/3": (lambda np, x, n: x * numpy.array([1 / 3]), r"write Fraction\(1, 3\)"),
    "not a number": (lambda np, x, n: x * float("nan"), "got nan"),
    "too many letters": (lambda np, x, n: np.einsum("ij->i", x), "the arrays have \\[1\\]"),
    "unequal lengths": (lambda np, x, n: np.einsum("i,i->", x, x[1:]), "lengths"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_says_what_to_write(name):
    wrong, words = REFUSED[name]
    with pytest.raises((TypeError, ValueError, Refused), match=words):
        exactly(RationalField(), lambda xp, x: wrong(np, x, 2), numpy.array([2, 3]))


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_is_noted_though_it_is_caught(name):
    wrong, _ = REFUSED[name]
    with proving():
        x = symbol("x", [size("n", 3)])
        caught = contextlib.suppress(Exception)
        with within(Namespace()), pytest.raises(Unreadable), listening(), caught:
            wrong(np, x, x.shape[0])


def test_a_comparison_of_data_is_refused_at_numbers_too():
    with pytest.raises(TypeError, match="positions are compared"):
        exactly(RationalField(), lambda xp, x: x >= 1, numpy.array([1, 2]))


def test_positions_are_compared_in_residues_as_whole_numbers():
    found = exactly(
        PrimeField(), lambda xp: (xp.arange(3)[:, None] - 2 >= 0 * xp.arange(2)).astype(int)
    )
    assert [[int(e) for e in row] for row in found] == [[0, 0], [0, 0], [1, 1]]


def test_outside_of_a_claim_it_is_numpy_itself():
    assert type(np.zeros((2, 3))) is numpy.ndarray
    assert np.maximum(1, 2) == 2
    assert np.newaxis is None
    assert np.ndarray is numpy.ndarray
    assert np.linalg.norm(numpy.array([3.0, 4.0])) == 5


CLAIMS = """
from scanproof import Source, equal, scan
from scanproof import numpy as np
{imports}
mine = Source("mine", title="As one writes NumPy")


def step(_, S, token):
    k, v, q = token
    S = S + np.outer(v, k)
    return S, np.einsum("ij,j->i", S, q)


@mine.claim("mine.attention", says="masked", given={{"q": "T d", "k": "T d", "v": "T m"}})
def attention(q, k, v, T, m, d):
    i = np.arange(T)
    scores = np.where(i[:, None] {mask} i[None, :], q @ k.T, 0.0)
    return equal(scan(step, None, {zeros}, (k, v, q)).outputs, scores @ v)
"""


@pytest.mark.short("changes0")
@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "proved "),
        ({"mask": ">"}, "refuted"),
        ({"mask": "<="}, "refuted"),
        ({"zeros": "numpy.zeros((m, d))", "imports": "import numpy"}, "proved* "),
        ({"zeros": "numpy.ones((m, d), like=q)", "imports": "import numpy"}, "refuted"),
    ],
)
def test_a_claim_is_written_as_one_writes_numpy(tmp_path, capsys, changes, verdict):
    given = {"imports": "", "mask": ">=", "zeros": "np.zeros((m, d))", **changes}
    path = tmp_path / "claims.py"
    path.write_text(CLAIMS.format(**given), encoding="utf-8")
    _main.run(["check", str(path), "--jobs", "1"])
    assert f"mine.attention  {verdict}" in capsys.readouterr().out


@pytest.mark.long
def test_numpy_s_own_zeros_of_a_symbolic_size_says_what_to_import(tmp_path, capsys):
    given = {"imports": "import numpy", "mask": ">=", "zeros": "numpy.zeros((m, d))"}
    path = tmp_path / "claims.py"
    path.write_text(CLAIMS.format(**given), encoding="utf-8")
    _main.run(["show", str(path), "mine.attention"])
    assert "`from scanproof import numpy as np`" in " ".join(capsys.readouterr().out.split())


def test_a_jax_program_stands_beside_numpy():
    import jax.numpy as jnp

    doubled = program(lambda x: jnp.square(x) * 2)
    found = exactly(RationalField(), lambda xp, x: np.sum(doubled(x)), numpy.array([1, 3]))
    assert found.item() == 20


def test_an_axis_of_any_length_rolls_by_one_place_alone():
    assert exactly(RationalField(), lambda xp: xp.roll([1, 2], 3)).tolist() == [2, 1]
    with proving():
        x = symbol("x", [size("n", 3)])
        with pytest.raises(TypeError, match="may be shorter"):
            Namespace().roll(x, 2)
