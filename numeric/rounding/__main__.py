"""Print how close a climb over inputs comes to the bound of each op."""

import argparse

from tabulate import tabulate

from .search import OPS, tightest

if __name__ == "__main__":
    argparse.ArgumentParser(
        prog="python -m scanproof.numeric.rounding",
        description="Print how close a climb over inputs comes to the bound of each op.",
    ).parse_args()
    found = [
        [lane, precision, tightest(lane, precision=precision).ratio]
        for precision in ("float32", "bfloat16")
        for lane in (*OPS, "delta")
    ]
    print(tabulate(found, ("lane", "precision", "largest error / bound found"), floatfmt=".2f"))
