"""Markdown: the table of a report, and the story of one row."""

from __future__ import annotations

from collections.abc import Iterator

from .long_table import HEADERS, summary_line, what_fails_or_holds
from .standing import statements
from .story import Section, Story
from .words import Record, one_line, suffix, verdict_words

SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>|#"})


def escaped(text: object) -> str:
    """The text as one line in which nothing is taken for markup."""
    return one_line(text).translate(SPECIAL)


def code(text: object) -> str:
    """The text as a code span, whatever backticks it holds; it may stand in a table."""
    line = one_line(text)
    fence = "`"
    while fence in line:
        fence += "`"
    pad = " " if "`" in line else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", "\\|")


def grid(headers: list[str], rows: list[list[str]]) -> list[str]:
    """A table of cells that are Markdown already."""
    return [
        f"| {' | '.join(headers)} |",
        f"|{'---|' * len(headers)}",
        *(f"| {' | '.join(row)} |" for row in rows),
    ]


def block(lines: list[str]) -> list[str]:
    """The lines as they stand, in a fenced block."""
    fence = "```"
    while any(fence in line for line in lines):
        fence += "`"
    return [f"{fence}text", *lines, fence]


def titled(source: Record) -> str:
    """A source's title, and where it is."""
    return escaped(source["title"]) + (f" (arXiv {source['arxiv']})" if source["arxiv"] else "")


def report_table(report: Record) -> str:
    """The whole report: one row a claim, amendments below it."""
    lines = ["# Verdicts", "", escaped(summary_line(report)), ""]
    lines += grid(HEADERS, [row for claim in report["claims"] for row in _rows(claim)])
    return "\n".join(lines) + "\n"


def _rows(claim: Record) -> Iterator[list[str]]:
    for statement, amends in statements(claim):
        name = suffix(statement, claim) if amends else claim["id"]
        where = "" if amends else claim["where"]
        last = what_fails_or_holds(claim, statement, amends)
        yield [code(name), verdict_words(statement), escaped(where), escaped(last)]


def as_markdown(story: Story) -> str:
    """The story of one row."""
    lines = [f"# {code(story.id)}: {story.verdict}", "", escaped(story.place)]
    for section in story.sections:
        lines += ["", f"## {section.heading}", "", *_section(section)]
    return "\n".join(lines) + "\n"


def _section(section: Section) -> list[str]:
    if section.kind in ("code", "formula"):
        return block(section.lines)
    if section.kind == "quote":
        return [f"> {escaped(line)}" for line in section.lines]
    if section.kind == "list":
        return [f"- {escaped(line)}" for line in section.lines]
    return [escaped(line) for line in section.lines]
