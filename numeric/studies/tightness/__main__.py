"""`make tightness`, or `python -m scanproof.numeric.studies.tightness [ID …]`: exits 1 if a bound is violated."""

from __future__ import annotations

import argparse
import sys

from scanproof.constructs.errors import UsageError
from scanproof.proofs.decide.ledger import built_in

from .report import as_text, run


def main() -> int:
    """Print the table; the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m scanproof.numeric.studies.tightness",
        description="The largest left/right of every bound of the ledger, found by gradient ascent.",
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="rows or patterns; all if none")
    parser.add_argument("--sizes", type=int, default=4, metavar="N", help="sizes a claim [4]")
    parser.add_argument("--starts", type=int, default=20, metavar="N", help="starts a size [20]")
    parser.add_argument("--steps", type=int, default=200, metavar="N", help="steps a start [200]")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of all draws [0]")
    asked = parser.parse_args()
    ledger = built_in()
    try:
        lines = run(
            ledger,
            ledger.select(asked.ids),
            count=asked.sizes,
            starts=asked.starts,
            steps=asked.steps,
            seed=asked.seed,
            begin=lambda id: print(id, file=sys.stderr, flush=True),
        )
    except UsageError as error:
        print(f"tightness: {error}", file=sys.stderr)
        return 3
    print(as_text(lines), end="")
    return int(any(line.wrong for line in lines))


if __name__ == "__main__":
    sys.exit(main())
