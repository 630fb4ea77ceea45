"""What `prove` says of one pair of the gallery; a module of its own, since workers import it by its name."""

from __future__ import annotations

import time

from . import by_name


def judged(case: tuple[str, int | None]) -> tuple[str, int | None, str, float, str]:
    """A pair's name and a bug's number, or None for the pair itself; the verdict, seconds, and why."""
    from scanproof.proofs.decide.proving import prove

    name, bug = case
    pair = by_name(name)
    left, right = (pair.left, pair.right) if bug is None else pair.broken(pair.bugs[bug])
    begun = time.perf_counter()
    try:
        found = prove(left, shapes=pair.shapes, equals=right).result
    except Exception as error:  # a crash is one of the answers that are counted
        return name, bug, "crash", time.perf_counter() - begun, f"{type(error).__name__}: {error}"
    verdict = found.verdict
    if verdict == "proved" and found.scope != "all-sizes":
        verdict = "fixed"
    return name, bug, verdict, time.perf_counter() - begun, found.reason or ""
