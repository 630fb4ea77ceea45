"""Programs of the field as people write them, in pairs that are equal, with bugs planted in them.

Every program is written here, from the definition that its file names; `python -m gallery` (in `tests/`, or
`make gallery`) tells how many of the pairs `prove` shows equal at all sizes, and that no planted bug is proved.
"""

from __future__ import annotations

from . import attention, delta, gates, learners, log_gates, parts, retention, rnn, state_space
from .pair import Pair

EVERY: tuple[Pair, ...] = tuple(
    pair
    for module in (retention, gates, log_gates, delta, attention, rnn, state_space, learners, parts)
    for pair in module.PAIRS
)
"""All pairs."""


def by_name(name: str) -> Pair:
    """The pair of this name."""
    return next(pair for pair in EVERY if pair.name == name)
