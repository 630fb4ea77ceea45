"""Which conventions reproduce printed losses: all of `convention.every` are tried, and nothing else is assumed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from .convention import Convention, Printed, every
from .learners import ONE_STEP, ZERO, Learner

EXACT: dict[Learner, Callable[[Convention], Fraction]] = {
    ZERO: Convention.zero,
    ONE_STEP: Convention.one_step,
}
"""The predictor 0, and one step of gradient descent at the best rate."""


@dataclass(frozen=True)
class Match:
    """A convention under which printed losses are near the exact ones."""

    convention: Convention
    within_print: tuple[bool, ...]
    """For each loss whether ± and rounding reach to the exact one; else the sampling error of 10⁴ tasks does."""


def matches(losses: Sequence[tuple[Printed, Learner]], targets: bool) -> Iterator[Match]:
    """The conventions that reproduce every one of these losses, by their ± or by the sampling error.

    Args:
        losses: what is printed, and the learner that it is taken for.
        targets: whether there are as many targets as features, or one.
    """
    for convention in every(targets):
        exact = [EXACT[learner](convention) for _, learner in losses]
        near = [printed.within_print(e) for (printed, _), e in zip(losses, exact, strict=True)]
        if all(near) or _sampled(convention, losses, exact, near):
            yield Match(convention, tuple(near))


def alone(printed: Printed, learner: Learner, targets: bool) -> list[Convention]:
    """The conventions that reproduce one loss by its ± and rounding, whatever they make of others."""
    return [c for c in every(targets) if printed.within_print(EXACT[learner](c))]


def _sampled(
    convention: Convention,
    losses: Sequence[tuple[Printed, Learner]],
    exact: Iterable[Fraction],
    near: Iterable[bool],
) -> bool:
    """Whether all that is not within print is within sampling; the spread with the query among examples is unknown."""
    for (printed, learner), value, close in zip(losses, exact, near, strict=True):
        if close:
            continue
        # No error of 10⁴ tasks is as large as half the loss: what is further away needs no exact variance.
        if abs(printed.loss - value) > value / 2:
            return False
        if convention.with_query and learner is not ZERO:
            return False
        if not printed.within_sampling(value, convention.error(learner)):
            return False
    return True
