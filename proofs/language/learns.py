"""Bodies of claims that say of a construction that it is its learner, and nothing else."""

from __future__ import annotations

from typing import Any

from scanproof.constructs.constructions.construction import Construction

from .statements import Equal, equal


def learns(construction: Construction, p: Any, x: Any, y: Any, eta: Any) -> Equal:
    """What the construction predicts is what its learner does."""
    return equal(construction.predictions(p, x, y), construction.learned(x, y, eta))


def learns_from(construction: Construction, p: Any, x: Any, y: Any, W0: Any, eta: Any) -> Equal:
    """The same from initial weights W0."""
    return equal(construction.predictions(p, x, y, W0), construction.learned(x, y, eta, W0))


def learns_in_steps(
    construction: Construction, p: Any, x: Any, y: Any, W0: Any, eta: Any, L: Any
) -> Equal:
    """The same from W0, for L steps by L layers."""
    return equal(construction.predictions(p, x, y, W0, L), construction.learned(x, y, eta, W0, L))
