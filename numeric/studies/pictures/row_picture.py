"""From an id to a picture: a row's own, or that of its bound."""

from __future__ import annotations

from scanproof.constructs.errors import UsageError
from scanproof.proofs.language.source import Row

from ..tightness.report import with_bounds
from . import bounds, construction
from .hybrid import PICTURES
from .panel import Picture


def picture(row: Row, id: str) -> Picture:
    """The picture of a row, or of the statement with this id among its own and its amendments.

    A row without a picture of its own shows its first statement with a bound: as stated, else amended; and one without
    bounds its construction, if it runs.

    Raises:
        UsageError: if there is nothing to plot.
    """
    if id in PICTURES:
        return PICTURES[id](row)
    for claim in row.amendments:
        if claim.id == id:
            return bounds.picture(claim)
    for claim in (row.claim, *row.amendments):
        if with_bounds(claim):
            return bounds.picture(claim)
    if construction.drawable(row):
        return construction.picture(row)
    known = ", ".join(PICTURES)
    raise UsageError(
        f"plot {id}: this row has nothing to plot: neither it nor an amendment is a bound that depends on numbers, "
        "or a layer that runs by itself; "
        f"rows with a picture of their own: {known}."
    )
