"""Print how close a climb over inputs comes to the bound of each op."""

import argparse

from tabulate import tabulate

from .search import OPS, tightest

SMALL = 24, 3, 8
"""Tokens, the length of keys, tokens a chunk: those of `tightest`, if it is not told."""
DELTA = ((64, 4, 8), (256, 16, 32), (1024, 16, 32), (1024, 64, 64))
TURNS = 12

if __name__ == "__main__":
    argparse.ArgumentParser(
        prog="python -m scanproof.numeric.rounding",
        description="Print how close a climb over inputs comes to the bound of each op.",
    ).parse_args()
    found = [
        [lane, precision, *SMALL, tightest(lane, precision=precision).ratio]
        for precision in ("float32", "bfloat16")
        for lane in (*OPS, "delta")
    ]
    for T, N, C in DELTA:
        ratio = tightest("delta", sizes=(T, N, N), chunk=C, turns=TURNS).ratio
        found.append(["delta", "float32", T, N, C, ratio])
    names = "lane", "precision", "T", "N", "C", "largest error / bound found"
    print(tabulate(found, names, floatfmt=".3f"))
