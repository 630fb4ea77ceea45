"""Why two sums are equal, in words, from the rules that took their difference to 0."""

from __future__ import annotations

from .prover import Steps

WORDS = (
    ("clear", "a denominator is cleared", "{n} denominators are cleared"),
    ("cancel", "a factor is cancelled", "{n} factors are cancelled"),
    ("eliminate", "an index goes by an equation", "{n} indices go by equations"),
    ("count", "a sum of equal terms is counted", "{n} sums of equal terms are counted"),
    ("regroup", "a range is split or joined", "{n} ranges are split or joined"),
)


def because(steps: Steps | None) -> str:
    """One sentence: what is done to see it."""
    if steps is None:
        return "by the rules of sums, as the prover found"
    done = []
    for rule, one, many in WORDS:
        n = steps.counts[rule]
        if n:
            done.append(one if n == 1 else many.format(n=n))
    if steps.cases > 1:
        done.append(f"{steps.cases} cases are told apart")
    return "normal form" + (": " + ", ".join(done) if done else "")
