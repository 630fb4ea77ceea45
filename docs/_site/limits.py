"""An argument about limits, line by line: what parameters would have to tend to, until two of these differ."""

from __future__ import annotations

from collections.abc import Iterator

from scanproof.proofs.report.markdown import SPECIAL
from scanproof.proofs.report.words import Record, limit_steps

from .typeset import typeset


def shown_by(statement: Record) -> str:
    """What refutes a statement, in a sentence."""
    if limit_steps(statement):
        return "The limits below, which it would have, contradict each other."
    return "The numbers below show it."


def argument(statement: Record, level: str) -> Iterator[str]:
    """The limits, each by its rule from those before; none where no limits are argued with."""
    steps = limit_steps(statement)
    if steps:
        yield from (f"{level} Why nothing comes near it", "")
        yield "Suppose that there are such parameters for every {math}`\\varepsilon`. Then, in the names of the reading"
        yield "above, as {math}`\\varepsilon \\to 0`, each by a rule of `proofs/check/limits.py`, the last to two:"
        yield from ("", *(f"{n}. {_typeset(step)}" for n, step in enumerate(steps, start=1)), "")


def _typeset(step: str) -> str:
    return typeset(step, lambda words: words.translate(SPECIAL))
