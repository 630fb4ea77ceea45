"""Programs of the field as people write them, in pairs that are equal, with bugs planted in them.

Every program is written here, from the definition that its file names; `python -m gallery` (in `tests/`, or
`make gallery`) tells how many of the pairs `prove` shows equal at all sizes, and that no planted bug is proved.
"""

from __future__ import annotations

from . import (
    attention,
    decays,
    delta,
    gates,
    learners,
    log_gates,
    parts,
    retention,
    rnn,
    state_space,
)
from .pair import Pair

FAMILIES = retention, gates, log_gates, decays, delta, attention, rnn, state_space, learners, parts
EVERY: tuple[Pair, ...] = tuple(pair for module in FAMILIES for pair in module.PAIRS)
"""All pairs."""


def by_name(name: str) -> Pair:
    """The pair of this name."""
    return next(pair for pair in EVERY if pair.name == name)
