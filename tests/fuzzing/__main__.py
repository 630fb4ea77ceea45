"""Run the fuzzer on all cores: `python -m fuzzing [seed]`; exits with 1 on a false accept."""

import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

from .counting import EVERY, counted
from .hostile import putting, steps, values
from .programs import programs
from .recursions import recursions
from .terms import FalseAccept, equations


def jax_programs(rng: random.Random, count: int) -> Counter:
    """Random JAX programs, read and run; JAX is imported by the workers that run them."""
    from .jax_programs import jax_programs

    return jax_programs(rng, count)


Run = Callable[[random.Random, int], Counter]
PLAN: dict[str, tuple[Run, int, int]] = {
    "equations of terms": (equations, 100, 1000),
    "claims about recursions": (recursions, 40, 300),
    "equations of arrays": (programs, 30, 100),
    "indices put for others": (putting, 10, 500),
    "values of terms": (values, 10, 500),
    "sums under random steps": (steps, 40, 50),
    "JAX programs": (jax_programs, 50, 200),
}
"""What is tried: the function, and how many batches of how many."""


def batch(what: str, seed: str) -> tuple[str, Counter, Counter, str | None]:
    """One batch: what was seen, which rules fired, and the first false accept."""
    run, _, size = PLAN[what]
    with counted() as fired:
        try:
            return what, run(random.Random(seed), size), fired, None
        except FalseAccept as error:
            return what, Counter(), fired, f"{what}, seed {seed!r}: {error}"


def table(title: str, rows: dict[str, int]) -> None:
    print(f"\n{title}")
    for name, number in rows.items():
        print(f"  {name:<44}{number:>12,}")


def main(base: str) -> int:
    jobs = [
        (what, f"{base} {what} {n}") for what, (_, count, _) in PLAN.items() for n in range(count)
    ]
    random.Random(base).shuffle(jobs)
    print(f"seed {base!r}: {len(jobs)} batches")
    began, done = time.monotonic(), 0
    seen: dict[str, Counter] = {what: Counter() for what in PLAN}
    fired: Counter = Counter()
    wrong: list[str] = []
    with ProcessPoolExecutor() as pool:
        for future in as_completed([pool.submit(batch, *job) for job in jobs]):
            what, found, rules, problem = future.result()
            seen[what] += found
            fired += rules
            done += 1
            if problem is not None:
                wrong.append(problem)
                print(f"\nFALSE ACCEPT\n{problem}", flush=True)
            if done % 20 == 0 or done == len(jobs):
                print(f"  {done}/{len(jobs)} batches, {time.monotonic() - began:.0f} s", flush=True)
    for what, found in seen.items():
        table(what, {_words(key): n for key, n in sorted(found.items(), key=str)})
    table("rules of the kernel", {name: fired[name] for name in EVERY})
    total = sum(n for what, found in seen.items() if "steps" not in what for n in found.values())
    idle = [name for name in EVERY if not fired[name]]
    print(
        f"\n{total:,} equations, {len(wrong)} false accepts, rules that never fired: {idle or 'none'}"
    )
    return 1 if wrong or idle else 0


def _words(key: object) -> str:
    if not isinstance(key, tuple):
        return str(key)
    *what, true, accepted = key if key[-1] != "no value" else (*key[:-1], None, None)
    if accepted is None:
        return ", ".join([*what, "no value"])
    return ", ".join([*what, "true" if true else "false", "accepted" if accepted else "refused"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "0"))
