"""Derivations of the statements of a report: of a proof, of where a false claim breaks, or why there is neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...check.certificate import AllSizes
from ...decide import workers
from ...decide.certificates import Certificates
from ...language.claim import Claim
from ...language.source import Row
from ...search.all_sizes import find
from ..standing import statements
from ..words import Record, one_line, verdict_words
from .derive import breaking, derive
from .document import Derivation
from .latex import as_latex
from .markdown import as_markdown
from .replaying import replayed
from .text import as_text
from .text import one as one_of_text


@dataclass
class Rendering:
    """How a statement is proved for all sizes, or where it breaks, or why neither can be said."""

    proof: Derivation | None = None
    breaks: Derivation | None = None
    why: str = ""

    @property
    def derivation(self) -> Derivation | None:
        """The derivation of a proof, else that of where a false claim breaks."""
        return self.proof or self.breaks


def render(claim: Claim, statement: Record, certificates: Certificates | None = None) -> Rendering:
    """The derivation of one statement of a report, printed from its certificate if that is said to be there."""
    if statement["verdict"] == "refuted":
        return Rendering(breaks=breaking(claim, statement["counterexample"]))
    printed = certificates is None or statement["scope"] == "all-sizes"
    if statement["verdict"] != "proved" or not printed:
        return Rendering(why=one_line(statement["reason"] or verdict_words(statement)))
    if certificates is not None:
        return Rendering(_replayed(claim, certificates))
    proof = find(claim)
    if isinstance(proof, str):
        return Rendering(why=one_line(proof))
    return Rendering(derive(claim, proof))


def _replayed(claim: Claim, certificates: Certificates) -> Derivation:
    """The derivation that a certificate is.

    Raises:
        Refused: if the certificate does not show what it says.
        LookupError: if there is no proof for all sizes in it.
    """
    own = certificates.load(claim)
    every = [one for one in getattr(own, "by", ()) if isinstance(one, AllSizes)]
    return derive(claim, replayed(claim, every[0]))


def render_all(
    rows: Sequence[Row], report: Record, certificates: Certificates | None = None
) -> dict[str, Rendering]:
    """The derivations of all statements of these rows, by id, each made in a worker.

    Args:
        rows: those that the report is about.
        report: that of a check, as data.
        certificates: where those lie that derivations are printed from; where none are named each proof is found anew.
    """
    claims = [claim for row in rows for claim in (row.claim, *row.amendments)]
    every = [statement for record in report["claims"] for statement, _ in statements(record)]
    pairs = zip(claims, every, strict=True)
    tasks = [partial(render, *pair, certificates) for pair in pairs]
    found = [Rendering(why="no proof was found in time") for _ in tasks]
    for answer in workers.run(tasks):
        if not answer.missing:
            found[answer.index] = answer.value
    return {claim.id: one for claim, one in zip(claims, found, strict=True)}


def tell(
    rows: Sequence[Row],
    report: Record,
    ids: Sequence[str],
    *,
    seconds: float,
    jobs: int | None = None,
) -> None:
    """Put the derivations of some statements into the report, line by line; none that takes too long to find.

    Args:
        rows: those that the report is about.
        report: that of a check, as data.
        ids: the statements; those that are neither proved nor refuted have no derivation.
        seconds: that each may take.
        jobs: processes at once; as many as there are processors if not given.
    """
    claims = {claim.id: claim for row in rows for claim in (row.claim, *row.amendments)}
    every: list[Any] = [
        statement
        for record in report["claims"]
        for statement, _ in statements(record)
        if statement["id"] in ids and statement["verdict"] in ("proved", "refuted")
    ]
    tasks = [partial(_lines, claims[statement["id"]], statement) for statement in every]
    for answer in workers.run(tasks, jobs=jobs, time_limit=seconds):
        if not answer.missing and answer.value:
            every[answer.index]["derivation"] = answer.value


def _lines(claim: Claim, statement: Record) -> list[dict[str, Any]]:
    """The lines of a statement's derivation as the report has them; none if it cannot be written."""
    try:
        derivation = render(claim, statement).derivation
    except Exception:  # it adds to a verdict that stands without it
        return []
    lines = [] if derivation is None else derivation.lines
    return [{"text": one_line(" ".join(one_of_text(n))), "places": list(n.places)} for n in lines]


def appendix(claim: Claim, statement: Record, format: str) -> str:
    """What `scanproof show` prints below the story of a statement.

    Args:
        claim: the statement's claim.
        statement: its part of the report.
        format: "text", "markdown" or "latex".
    """
    found = derived(claim, statement)
    if found is None:
        return ""
    return "\n" + {"text": as_text, "markdown": as_markdown, "latex": as_latex}[format](found)


def derived(claim: Claim, statement: Record) -> Derivation | None:
    """The derivation of a statement of a report, found by a worker; None if there is none."""
    (answer,) = workers.run([partial(render, claim, statement)])
    return None if answer.missing else answer.value.derivation
