"""What is told of the statements of a report: a derivation, where one breaks, or why there is neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from ...decide import workers
from ...language.claim import Claim
from ...language.source import Row
from ..words import Record, one_line, verdict_words
from . import prover
from .derive import breaking, derive
from .document import Derivation
from .latex import as_latex
from .markdown import as_markdown
from .text import as_text


@dataclass
class Told:
    """What can be said of a statement: how it is proved for all sizes, or where it breaks, or why neither."""

    proof: Derivation | None = None
    breaks: Derivation | None = None
    why: str = ""


@dataclass
class Entry:
    """A row of the report with what is told of each of its statements, by id."""

    record: Record
    told: dict[str, Told] = field(default_factory=dict)


def tell(claim: Claim, statement: Record) -> Told:
    """The derivation of one statement of a report."""
    if statement["verdict"] == "refuted":
        return Told(breaks=breaking(claim, statement["counterexample"]))
    if statement["verdict"] != "proved":
        return Told(why=one_line(statement["reason"] or verdict_words(statement)))
    proof = prover.find(claim)
    if isinstance(proof, str):
        return Told(why=one_line(proof))
    return Told(derive(claim, proof))


def tell_all(rows: Sequence[Row], report: Record) -> list[Entry]:
    """The derivations of all rows, each made in a worker."""
    entries, tasks, places = [], [], []
    for row, record in zip(rows, report["claims"], strict=True):
        entries.append(Entry(record))
        statements = [record["as_stated"], *record["amended"]]
        for claim, statement in zip((row.claim, *row.amendments), statements, strict=True):
            tasks.append(partial(tell, claim, statement))
            places.append((entries[-1], claim.id))
    for answer in workers.run(tasks):
        entry, id = places[answer.index]
        late = Told(why="no proof was found in time")
        entry.told[id] = late if answer.timed_out or answer.ended else answer.value
    return entries


def appendix(claim: Claim, statement: Record, format: str) -> str:
    """What `scanproof show` prints below the story of a statement.

    Args:
        claim: the statement's claim.
        statement: its part of the report.
        format: "text", "markdown" or "latex".
    """
    (answer,) = workers.run([partial(tell, claim, statement)])
    told = Told() if answer.timed_out or answer.ended else answer.value
    found = told.proof or told.breaks
    if found is None:
        return ""
    return "\n" + {"text": as_text, "markdown": as_markdown, "latex": as_latex}[format](found)
