"""What a claim says, in symbols: its recorded statement as mathematics, or as LaTeX."""

from __future__ import annotations

import textwrap
from functools import partial
from typing import Any

from ..check.instances.stated import stated
from ..decide import workers
from ..doors.record.claims import limits
from ..doors.refused import Refused
from ..language.claim import Claim
from ..language.sizes import Sizes
from ..readings.formulas.mathematics import conventions, latex, mathematics
from ..statement.errors import IllFormed
from ..statement.statement import Statement
from .words import Record

ALONE = "It is recorded at numbers alone, of which these are the first that the verdict speaks of."


def in_symbols(claim: Claim, sizes: Sizes | None, form: str, width: int) -> list[str]:
    """The lines of the statement; at `sizes` where it is recorded at numbers alone, and none where it is not at all.

    Args:
        form: "latex", or whatever else for text.
        width: of the lines of text.
    """
    statement = _statement(claim, sizes)
    if statement is None:
        return []
    try:
        if form == "latex":
            return latex(statement).splitlines()
        lines = mathematics(statement, width)
    except IllFormed as error:
        return [f"It is not written in symbols: {error}."]
    notes = conventions(lines) + (f" {ALONE}" if statement.at else "")
    return [*lines, "", *textwrap.wrap(notes, width)]


def _statement(claim: Claim, sizes: Sizes | None) -> Statement | None:
    if claim.body is None:
        return None
    sizes = sizes or claim.every_size[0]
    found = stated(claim, sizes)
    if found is not None:
        return found.statement
    try:
        return limits(claim, sizes)
    except Refused:
        return None


def told(claim: Claim, statement: Record, form: str, width: int) -> list[str]:
    """The same by a worker, for a statement of a report, at sizes that its verdict speaks of; none of a mistake."""
    if statement["verdict"] == "error":
        return []
    task = partial(in_symbols, claim, sizes_told(statement), form, width)
    (answer,) = workers.run([task])
    return [] if answer.missing else answer.value


def sizes_told(statement: Record) -> Any:
    """Sizes that a verdict speaks of, for statements that are recorded at numbers alone."""
    shown = statement["counterexample"]
    if shown and shown["sizes"]:
        return shown["sizes"]
    return next((one for e in statement["evidence"] for one in e["sizes"] or () if one), None)
