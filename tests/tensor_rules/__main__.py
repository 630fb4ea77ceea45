"""`make tensor-rules`: each rule proved for all sizes, and its false variant refuted, in a table."""

import multiprocessing
import os
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor

from tabulate import tabulate

from .answers import BY_NAME, Answer, answer_to, warmed_up
from .rule import Rule

WIDTH = 60
"""Of a rule's name in the table."""


def main() -> int:
    """Print the table; 1 if a rule is refuted or a false variant is proved."""
    started = time.perf_counter()
    wanted = [name for name in BY_NAME if _is_asked_for(name)]
    jobs = [(name, variant) for name in wanted for variant in (False, True)]
    with ProcessPoolExecutor(
        os.cpu_count(), multiprocessing.get_context("spawn"), warmed_up
    ) as workers:
        found = dict(zip(jobs, workers.map(answer_to, jobs), strict=True))
    rows = [_row(BY_NAME[n], found[n, False], found[n, True]) for n in wanted]
    print(tabulate(rows, headers=["", "rule", "", "s", "false variant", "sizes"], floatfmt=".1f"))
    for (name, variant), one in found.items():
        if one.verdict != ("refuted" if variant else "proved"):
            print(f"{name}{', false variant' if variant else ''}: {one.verdict}; {one.reason}")
    verified = [n for n in wanted if BY_NAME[n].verified]
    print(f"\nTensorRight's rules: {_counted(verified, found)}")
    more = [n for n in wanted if not BY_NAME[n].verified]
    if more:
        print(f"Rules that it has and does not verify: {_counted(more, found)}")
    proofs = [found[n, False].seconds for n in wanted]
    print(
        f"{statistics.median(proofs):.2f} s of CPU time a proof past imports (median), {max(proofs):.1f} s at most; "
        f"{time.perf_counter() - started:.0f} s in all"
    )
    wrong = [n for n in wanted if found[n, False].verdict == "refuted"]
    wrong += [n for n in wanted if found[n, True].verdict in ("proved", "fixed sizes")]
    if wrong:
        print(f"WRONG: {', '.join(wrong)}")
    return int(bool(wrong))


def _is_asked_for(name: str) -> bool:
    """Whether the command line names this rule, or its folder; all of them if it names none."""
    return len(sys.argv) < 2 or any(name.startswith(given) for given in sys.argv[1:])


def _counted(names: Sequence[str], found: dict[tuple[str, bool], Answer]) -> str:
    proved = sum(found[n, False].verdict == "proved" for n in names)
    refuted = sum(found[n, True].verdict == "refuted" for n in names)
    return (
        f"{proved} of {len(names)} proved for all sizes; "
        f"{refuted} of {len(names)} false variants refuted"
    )


def _row(rule: Rule, right: Answer, false: Answer) -> list[object]:
    says = rule.says if len(rule.says) <= WIDTH else f"{rule.says[: WIDTH - 1]}…"
    return [rule.name, says, right.verdict, right.seconds, false.verdict, rule.conditions]


if __name__ == "__main__":
    sys.exit(main())
