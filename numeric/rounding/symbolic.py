"""The bound for any T and C beside the one read from the program: `python -m scanproof.numeric.rounding.symbolic`.

The row `rounding.chunked-unit-gate` bounds the state of linear attention in n chunks of C tokens, whatever n and C are;
`linear` bounds the program that runs, at these numbers. What a run is off by is at most either.
"""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from tabulate import tabulate

from scanproof.proofs.claims.rounding.chunked import most_off

from ..ops.chunked import chunked
from .chunked import linear

UNIT = Fraction(1, 2**24)
"""u of float32."""
LEAST = Fraction(1, 2**126)
"""η of float32 where subnormal numbers are flushed to 0."""
SHAPES = ((64, 8), (256, 16), (1024, 32), (1024, 128), (4096, 64))


class Compared(NamedTuple):
    """Bounds of the last state's largest error over Σ_s |v_s| ⊗ |k_s| of its entry, in units of u, and a run."""

    symbolic: float
    """By the row, for all T and C."""
    numeric: float
    """Read from the program."""
    found: float
    """What a run in float32 was off by."""


def compared(T: int, C: int, seed: int = 0, D: int = 4, N: int = 4) -> Compared:
    """Both bounds of the chunked op's last state, and how far a float32 run of normal numbers is off.

    Args:
        T: tokens, a multiple of C.
        C: tokens a chunk.
        seed: of the numbers.
        D: the length of values.
        N: the length of keys.
    """
    rng = np.random.default_rng(seed)
    v, k, q = (rng.standard_normal((T, d)).astype(np.float32) for d in (D, N, N))
    exact = v.astype(np.float64).T @ k.astype(np.float64)
    sizes = np.abs(v.astype(np.float64)).T @ np.abs(k.astype(np.float64))
    run = np.asarray(chunked(v, k, q, chunk=C, precision="float32").final_state, np.float64)
    bound = linear(v, k, q, lane="chunked", chunk=C).final_state.bound
    once = 1 + UNIT
    most = np.vectorize(
        lambda size: float(
            most_off(Fraction(size), once**C, once ** (T // C), once, C, T // C, LEAST)
        )
    )(sizes)
    in_units = float(UNIT) * sizes
    return Compared(*(float((one / in_units).max()) for one in (most, bound, np.abs(run - exact))))


if __name__ == "__main__":
    argparse.ArgumentParser(
        prog="python -m scanproof.numeric.rounding.symbolic",
        description="Print the bound for all T and C beside the one read from the program, and a run.",
    ).parse_args()
    rows = [(T, C, C + T // C + 1, *compared(T, C)) for T, C in SHAPES]
    names = ("T", "C", "C + T/C + 1", "for all T and C", "of the program", "a run")
    print(tabulate(rows, names, tablefmt="github", floatfmt=".2f"))
