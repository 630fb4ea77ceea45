"""A statement modulo primes: what it costs, and which sums are too long for whole numbers of 64 bits."""

import random

import numpy
import pytest
from claims import claim

from scanproof import equal, scan
from scanproof import numpy as np
from scanproof.proofs.check import beyond
from scanproof.proofs.check.instances.stated import stated
from scanproof.proofs.doors.record.claims import record
from scanproof.proofs.exact.meter import Meter, TooLong
from scanproof.proofs.readings.residues import PRIMES, Residues, identical

ENOUGH = 10**7


def stepped(A, state, x):
    state = A @ state + x
    return state, state


def states(A, v, X, T, d):
    found = scan(stepped, A, v, X).final_state
    return equal(found + A @ v, A @ v + found)


def test_whole_arrays_of_residues_cost_what_scalars_do_and_stop_at_as_many(monkeypatch):
    one = claim(states, {"A": "d d", "v": "d", "X": "T d"})
    spent = []
    for reader in (stated, lambda claim, sizes: None):
        monkeypatch.setattr(beyond, "stated", reader)
        meter = Meter(ENOUGH)
        sizes, tried = {"T": 20, "d": 9}, beyond.Tried(plain=beyond.OFTEN)
        with meter.at_most(ENOUGH):
            assert beyond._by_numbers(one, sizes, random.Random(0), meter, tried)
        spent.append(ENOUGH - meter.left)
    assert spent[0] == pytest.approx(spent[1], rel=0.1) and spent[0] > 20 * 81
    few = Meter(spent[0] - 1)
    with pytest.raises(TooLong), few.at_most(spent[0] - 1):
        identical(Residues(record(one)), {"T": 20, "d": 9}, random.Random(0), few)


@pytest.mark.parametrize("matrix", (True, False))
def test_sums_that_may_run_over_are_refused(matrix: bool):
    def body(u, v, n):
        found = u @ v if matrix else np.einsum("i,i->", u, v)
        return equal(found, found)

    residues = Residues(record(claim(body, {"u": "n", "v": "n"})))
    for n in (2**16 - 1, 2**16):
        every = {name: numpy.full(n, PRIMES[-1] - 1) for name in "uv"}
        found = residues.relations(PRIMES[-1], {"n": n}, every)
        if n < 2**16:
            assert next(found)[1] % PRIMES[-1] == n
        else:
            with pytest.raises(TooLong):
                next(found)
