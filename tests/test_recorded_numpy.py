"""NumPy's functions on recorded arrays: every reading of what they record is what NumPy computes."""

import random
from typing import Any

import numpy
import pytest
from claims import claim
from test_numpy import EVERYWHERE, NUMBERS, D, T

from scanproof import equal
from scanproof import numpy as np
from scanproof.proofs.check.fidelity import disagreement
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.exact.entries import arranged
from scanproof.proofs.exact.polynomials import RationalField
from scanproof.proofs.readings import exact, floats
from scanproof.proofs.readings.program import program
from scanproof.proofs.readings.residues import PRIMES, Residues, identical

SHAPES = {"A": "n d", "B": "d n", "S": "n n", "u": "n", "v": "d", "c": ""}
SIZES = {"n": T, "d": D}


@pytest.mark.parametrize("name", EVERYWHERE)
def test_every_reading_of_a_function_is_what_numpy_computes(name: str):
    function = EVERYWHERE[name]

    def body(A, B, S, u, v, c, n, d):
        found = function({"A": A, "B": B, "S": S, "u": u, "v": v, "c": c}, np, n, d)
        return equal(found, found)

    statement = record(claim(body, SHAPES, sizes={"n": (T,), "d": (D,)}))
    wanted = numpy.asarray(function(NUMBERS, numpy, T, D), dtype=float)
    inputs = {key: numpy.asarray(one, dtype=float) for key, one in NUMBERS.items()}
    names: dict[str, Any] = {}
    exec(program(statement), names)
    field = RationalField()
    fractions = {k: arranged(map(field.number, a.flat), a.shape) for k, a in NUMBERS.items()}
    found = {
        "floats": next(floats.relations(statement, SIZES, inputs))[1],
        "program": next(names["statement"](**SIZES, **inputs))[1],
        "fractions": next(exact.relations(statement, field, SIZES, fractions))[1],
    }
    for reading, value in found.items():
        value = numpy.asarray(value, dtype=float)
        assert value.shape == wanted.shape, reading
        assert numpy.allclose(value, wanted, rtol=1e-12, atol=1e-12), reading
    prime = PRIMES[-1]
    residues = {key: numpy.asarray(one, dtype=numpy.int64) % prime for key, one in NUMBERS.items()}
    scaled = numpy.rint(wanted * 60).astype(numpy.int64) % prime
    _, value, _ = next(Residues(statement).relations(prime, SIZES, residues))
    assert numpy.shape(value) == wanted.shape
    assert numpy.array_equal(value * 60 % prime, scaled)


def test_a_triangle_that_an_axis_repeats_is_counted_as_often():
    def body(A, n):
        return equal(np.tril(np.ones((3, n, n))).sum(axis=0) * A, 3 * np.tril(A))

    one = claim(body, {"A": "n n"}, sizes={"n": (2,)})
    assert disagreement(one, record(one)) is None
    assert identical(Residues(record(one)), {"n": 4}, random.Random(0))
