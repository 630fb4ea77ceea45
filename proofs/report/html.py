"""Answers as HTML for notebooks: what a user or a source wrote is text in it, whatever it holds."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from .derivation.document import Derivation, Line
from .derivation.latex import formula
from .story import Section, Story
from .words import one_line

COLOURS = {"proved": "#1a7f37", "refuted": "#cf222e", "unknown": "#9a6700", "error": "#cf222e"}
"""Of verdicts, by their first word; others stand in the text's colour."""
INDEXED = re.compile(r"(\w[\w′]*|Σ)\[([^\[\]]*)\]")
"""An array's entry, or a sum with its ranges, in a formula in a line of text."""


def text(value: object) -> str:
    """A line of text; MathJax, which notebooks run, takes no dollar sign that has an element of its own."""
    return re.sub(r"[$\\]", r"<span>\g<0></span>", html.escape(one_line(value)))


def verdict(words: str) -> str:
    """A verdict, in bold and its colour."""
    colour = COLOURS.get(words.split()[0].rstrip("*,"))
    style = f' style="color: {colour}"' if colour else ""
    return f"<b{style}>{text(words)}</b>"


def line_formula(line: str) -> str:
    """A formula in a line of text, X[t, i] and Σ[j < f], with its indices below."""
    shown = INDEXED.sub(r"\1<sub>\2</sub>", text(line))
    return f"<div><i>{shown}</i></div>"


def block(lines: Sequence[str]) -> str:
    """Lines that keep their columns."""
    shown = "\n".join(map(text, lines))
    return f"<pre>{shown}</pre>"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    head = "".join(f"<th>{text(one)}</th>" for one in headers)
    lines = ["".join(f'<td style="text-align: left">{cell}</td>' for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def story(told: Story, derivation: Derivation | None = None) -> str:
    """The story of one row, and its derivation, if there is one."""
    parts = [f"<h4><code>{text(told.id)}</code>: {verdict(told.verdict)}</h4>"]
    parts += [f"<p>{text(told.place)}</p>"]
    for section in told.sections:
        parts += [f"<h5>{text(section.heading)}</h5>", _section(section)]
    if derivation is not None:
        parts.append("<h5>Derivation</h5>")
        for part in derivation.sections:
            parts.append(f"<p><b>{text(part.heading)}</b></p>")
            parts += map(_line, part.lines)
    return f"<div>{''.join(parts)}</div>"


def _section(section: Section) -> str:
    if section.kind == "code":
        return block(section.lines)
    if section.kind == "formula":  # an environment of LaTeX
        return f"<div>{html.escape(chr(10).join(section.lines))}</div>"
    if section.kind == "list":
        return f"<ul>{''.join(f'<li>{text(line)}</li>' for line in section.lines)}</ul>"
    tag = "blockquote" if section.kind == "quote" else "p"
    return "".join(f"<{tag}>{text(line)}</{tag}>" for line in section.lines)


def _line(line: Line) -> str:
    """A step: its number, its reason, and its formulas in LaTeX."""
    rests = f" ({', '.join(map(str, line.rests_on))})" if line.rests_on else ""
    words = f": {text(line.words)}" if line.words else ""
    shown = "".join(f"$$ {html.escape(formula(one))} $$" for one in line.formulas)
    return f"<div>({line.number}) <i>{text(line.reason)}</i>{rests}{words}{shown}</div>"
