"""Why two sums are equal, in words, from the rules that took their difference to 0."""

from __future__ import annotations

from .normal_forms import Steps

WORDS = (
    ("clear", "a denominator cleared", "{n} denominators cleared"),
    ("cancel", "a factor cancelled", "{n} factors cancelled"),
    ("one_point", "an index put away by an equation", "{n} indices put away by equations"),
    ("count", "equal terms counted", "equal terms counted {n} times"),
    ("regroup", "a range split or joined", "{n} ranges split or joined"),
)


def because(steps: Steps | None, splits: bool = False) -> str:
    """One sentence: what is done to see it.

    Args:
        steps: how the difference of the two went to 0.
        splits: whether it is the step of an induction, where the sums of one side run one term further.
    """
    if steps is None:
        return "by the rules of sums, as the prover found"
    done = []
    for rule, one, many in WORDS:
        n = steps.counts[rule]
        if n:
            done.append(one if n == 1 else many.format(n=n))
    if steps.cases > 1:
        done.append(f"{steps.cases} cases told apart")
    last = splits and steps.counts["one_point"]
    return ("last terms split off; " if last else "") + ": ".join(
        filter(None, ["normal form", ", ".join(done)])
    )
