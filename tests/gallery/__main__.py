"""`make gallery`: what `prove` says of every pair and of every planted bug."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter

from . import EVERY
from .judging import judged

PER_TASK = 30
"""A worker is replaced after so many proofs: JAX keeps what it traced."""


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each pair, and the counts; 1 if a pair is refuted or a bug is proved."""
    parser = argparse.ArgumentParser(prog="gallery", description=__doc__)
    parser.add_argument(
        "names", nargs="*", help="pairs whose name contains one of these; all by default"
    )
    parser.add_argument("--bugs", action="store_true", help="try the planted bugs, too")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args(arguments)
    chosen = [p for p in EVERY if not given.names or any(n in p.name for n in given.names)]
    cases: list[tuple[str, int | None]] = [(pair.name, None) for pair in chosen]
    if given.bugs:
        cases += [(pair.name, k) for pair in chosen for k in range(len(pair.bugs))]
    context = multiprocessing.get_context("spawn")
    true, planted, wrong, slowest = Counter(), Counter(), 0, 0.0
    with context.Pool(given.jobs, maxtasksperchild=PER_TASK) as pool:
        for name, bug, verdict, seconds, why in pool.imap(judged, cases):
            (true if bug is None else planted)[verdict] += 1
            bad = verdict == ("refuted" if bug is None else "proved") or verdict == "crash"
            wrong += bad
            slowest = max(slowest, seconds)
            what = name if bug is None else f"{name}, bug {bug + 1}"
            mark = "!" if bad else " "
            print(f"{mark} {verdict:<8} {seconds:6.1f} s  {what}", flush=True)
            if why and (bad or (bug is None and verdict != "proved")):
                print(f"             {why[:300]}", flush=True)
    counts = [("pairs", true), *([("planted bugs", planted)] if given.bugs else [])]
    for words, found in counts:
        print(f"{found.total()} {words}: " + ", ".join(f"{n} {v}" for v, n in found.most_common()))
    print(f"slowest {slowest:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
