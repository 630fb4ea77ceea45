"""The story of one row: what the source says, how it was read, the verdict, and what shows it.

A story is a list of sections, so that text, Markdown and LaTeX render the same one.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..language.claim import Claim, about
from ..language.sizes import by_name
from ..orders import orders
from .words import (
    Record,
    as_expected,
    at_sizes,
    caveats,
    first_difference,
    inputs,
    inputs_inline,
    limit_steps,
    mend,
    one_line,
    outcome,
    over_sizes,
    suffix,
    verdict_said,
)

WIDTH = 96
MARGIN = "    "


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    heading: str
    lines: list[str]
    kind: str = "prose"
    """ "quote" for the source's own words, "code" for what must keep its columns, "formula" for what is written in the
    story's format already, "list", or "prose"."""


@dataclass(frozen=True)
class Story:
    """A row's id, its verdict in words, its place in the source, and the sections."""

    id: str
    verdict: str
    place: str
    sections: list[Section]


def render(
    claim: Record,
    statement: Record,
    source: Record,
    *,
    written: str | None = None,
    body: str | None = None,
    files: Sequence[str] = (),
    symbols: Sequence[str] = (),
) -> Story:
    """The story of a statement (as stated or amended) of a claim in a report.

    Args:
        claim: the claim's record in the report.
        statement: `claim["as_stated"]` or one of `claim["amended"]`.
        source: the source's record, with its title.
        written: where the claim is written down, as file and line.
        body: where its body is, if that is the user's own, as `body_at` says.
        files: the user's files in which the command line finds the claim.
        symbols: the statement in symbols, as lines of the format that the story is told in.
    """
    amends = statement["id"] != claim["id"]
    arxiv = f" (arXiv {source['arxiv']})" if source["arxiv"] else ""
    where = f", {claim['where']}" if claim["where"] else ""
    place = f"{source['title']}{arxiv}{where}; {claim['kind']}"
    parts = _sections(claim, statement, amends, written, body, files, symbols)
    sections = [s for s in parts if s.lines]
    return Story(statement["id"], verdict_said(statement), one_line(place), sections)


def _sections(
    claim: Record,
    statement: Record,
    amends: bool,
    written: str | None,
    body: str | None,
    files: Sequence[str],
    symbols: Sequence[str],
) -> Iterator[Section]:
    yield Section("Written down in", [written] if written else [], "list")
    said = "The amended statement" if amends else "The claim, in our words"
    yield Section(said, [one_line(statement["statement"])], "quote")
    yield Section("Amends", [claim["id"]] if amends else [], "list")
    yield Section("In symbols", list(symbols), "formula")
    yield Section("How it is read", _present(statement["reading"]))
    yield Section("Hypotheses", [one_line(h) for h in statement["hypotheses"]], "list")
    yield Section("Verdict", [_verdict(claim, statement, amends)])
    yield Section("Counterexample", counterexample(statement["counterexample"]), "code")
    yield Section("Where the sides part", parting(statement["counterexample"]))
    redo = shlex.join(["scanproof", "show", *files, statement["id"], "--script"])
    yield Section("As a program", [redo] if statement["counterexample"] else [], "code")
    yield Section("Near misses", list(statement["near_misses"]), "list")
    mends = [mend(one) for one in statement.get("mends", ())]
    yield Section("Mends", mends, "list")
    if not amends:
        yield Section(
            "Amended statements", [_amendment(a, claim) for a in claim["amended"]], "list"
        )
        yield Section("No amendment", _present(claim["unmended"]))
        yield Section("Measured orders", [str(order) for order in orders(claim["id"])], "list")
    limits = [f"{n}. {step}" for n, step in enumerate(limit_steps(statement), start=1)]
    yield Section("Why nothing comes near it", limits, "list")
    yield Section("Evidence", [evidence(e) for e in statement["evidence"]], "list")
    alone = f"{body}: the claim's body, and no function that it calls"
    ran = [
        alone if body and statement["definitions"] == [body] else d
        for d in statement["definitions"]
    ]
    yield Section("Definitions", ran, "list")
    yield Section("Depends on", [] if amends else list(claim["depends_on"]), "list")


def _present(text: str | None) -> list[str]:
    return [one_line(part) for part in text.split("\n\n")] if text else []


def _verdict(claim: Record, statement: Record, amends: bool) -> str:
    text = verdict_said(statement) + ", as expected" * as_expected(statement)
    if statement["reason"]:
        text += f": {one_line(statement['reason'])}"
    if statement["verdict"] == "refuted" and claim["kind"] == "construction" and not amends:
        text += ". The printed construction fails; that does not say that no construction does it"
    return " ".join(f"{part.rstrip('.')}." for part in (text, *caveats(statement)))


def counterexample(found: Record | None) -> list[str]:
    """Sizes, inputs and both sides, to be redone by hand."""
    if found is None:
        return []
    sides = outcome(found)
    width = max(len(name) for name, _ in sides)
    part = [f"part: {found['part']}"] if "part" in found else []
    sizes = [at_sizes(found["sizes"])] if found["sizes"] else []
    compared = [f"{name + ':':{width + 1}} {value}" for name, value in sides]
    return [*part, *sizes, *inputs(found), *compared, *special(found)]


def special(found: Record) -> list[str]:
    """What is special about the inputs, if anything is."""
    return [f"only seen where {found['special']}"] if found.get("special") else []


def parting(found: Record | None) -> list[str]:
    """The first entry at which they differ; nothing where each side has one entry alone."""
    place = [] if found is None else first_difference(found)
    if found is None or not place or len(found["actual"]) == 1 == len(place):
        return []
    return [f"First at entry {place} of the two sides, counted from 0."]


def _amendment(amendment: Record, claim: Record) -> str:
    words = verdict_said(amendment)
    return f"{suffix(amendment, claim)} ({words}): {one_line(amendment['statement'])}"


def evidence(entry: Record) -> str:
    """One piece of evidence in words: how, by which engine, at which sizes, on which axioms."""
    if entry["method"] == "measurement":
        return f"measurement: {'; '.join(entry['figures'])}"
    engine = f" by {entry['engine']}" if entry["engine"] else ""
    axioms = f"; axioms: {', '.join(entry['axioms'])}" if entry["axioms"] else ""
    axioms += f"; where {', '.join(entry['assumes'])}" if "assumes" in entry else ""
    shown = f"; {inputs_inline(entry)}" if "inputs" in entry else ""
    sizes = _sampled(entry["sizes"]) if entry["scope"] == "sampled" else over_sizes(entry["sizes"])
    return f"{entry['method']}{engine}: {sizes}{shown}{axioms}"


FAR = 20
"""What was tried up to a size below this one alone is said apart."""


def _sampled(sizes: list[dict[str, int]]) -> str:
    """How many choices were tried, and how far they go; their list is in the report."""
    largest = {name: max(one[name] for one in sizes) for name in (sizes[0] if sizes else ())}
    up_to = ", ".join(f"{name} ≤ {value}" for name, value in largest.items())
    near = by_name({name: value for name, value in largest.items() if value < FAR})
    end = f"; not tried beyond {near}" if near else ""
    return f"{len(sizes)} choices of sizes, {up_to}{end}" if sizes else "at no sizes"


def as_text(story: Story, width: int = WIDTH) -> str:
    """The story for a terminal, at most `width` columns wide (and never more than 96) but for long words."""
    width = min(width, WIDTH)
    place = textwrap.wrap(story.place, width, break_on_hyphens=False, break_long_words=False)
    lines = [f"{story.id}: {story.verdict}", *place]
    for section in story.sections:
        lines += ["", section.heading]
        shown = _text_lines(section, width - len(MARGIN))
        lines += [(MARGIN + line).rstrip() for line in shown]
    return "\n".join(lines) + "\n"


def _text_lines(section: Section, room: int) -> list[str]:
    if section.kind == "formula":
        return section.lines
    hang = "  " if section.kind in ("list", "code") else ""
    wrap: Callable[[str], Sequence[str]] = lambda line: textwrap.wrap(  # noqa: E731
        line, room, subsequent_indent=hang, break_on_hyphens=False, break_long_words=False
    )
    return [part for line in section.lines for part in wrap(line)]


def written_at(claim: Claim) -> str | None:
    """Where a claim's body is written down, named relative to the package where it lies inside."""
    from ..decide.verdict import place

    body: Any = next(iter(about(claim.body)), claim.body)
    return place(body) if hasattr(body, "__code__") else None


def body_at(claim: Claim) -> str | None:
    """Where a claim's body is; None for a law of a layer, whose body is not the user's own."""
    return None if about(claim.body) else written_at(claim)
