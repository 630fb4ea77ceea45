"""A derivation on a page: the idea in about ten lines, and every line of it, folded."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import replace

from scanproof.proofs.report.derivation.document import Derivation, Line, Section
from scanproof.proofs.report.derivation.latex import formula
from scanproof.proofs.report.derivation.markdown import line_as_markdown
from scanproof.proofs.report.markdown import escaped

SHORT = 10
"""The idea of a derivation is told in so many lines at most."""
GLANCE = 700
"""A formula of more characters in LaTeX is folded."""
STATED = ("Lemma", "Bound")
"""How lines begin that state what the next ones show."""
MANY = 16
"""A derivation of more lines is folded part by part."""


def derivation(found: Derivation) -> Iterator[str]:
    """The idea in about ten lines, then every line, folded: in a long derivation lemma by lemma."""
    told = [line for s in found.sections for line in s.lines if _tells(line)]
    if 0 < len(told) < len(found.lines):
        yield from ("The idea, by the numbers of the lines below:", "")
        for line in _idea(told):
            yield from (*_line(line, folds=False), "")
        if len(told) > SHORT:
            yield from (f"… and {len(told) - SHORT} more such lines.", "")
    parts = [part for section in found.sections for part in _parts(section)]
    steps: list[str] = []
    for title, lines in parts:
        inside = [text for line in lines for text in (*_line(line, folds=True), "")]
        if len(found.lines) > MANY and len(parts) > 1:
            numbers = f"({lines[0].number})" + (f" to ({lines[-1].number})" if lines[1:] else "")
            steps += folded(f"{html.escape(title)}, {numbers}", inside)
        else:
            steps += [f"**{escaped(title)}**", "", *inside]
    title = f"All {len(found.lines)} lines, with the equation after every step"
    yield from folded(title, steps)


def _idea(told: list[Line]) -> list[Line]:
    """The lines that tell most: how the statement comes out, and of the lemmas the shortest."""
    lemmas = [line for line in told if line.reason.startswith(STATED)]
    others = [line for line in told if line not in lemmas][:SHORT]
    short = sorted(lemmas, key=lambda line: sum(map(len, map(formula, line.formulas))))
    chosen = [*others, *short[: SHORT - len(others)]]
    return sorted(chosen, key=lambda line: line.number)


def _parts(section: Section) -> Iterator[tuple[str, list[Line]]]:
    """A section's lines under their title, not too many at once; of lemmas each with its proof."""
    found: list[tuple[str, list[Line]]] = []
    for line in section.lines:
        if not found or line.reason.startswith(STATED):
            found.append((section.heading, []))
        found[-1][1].append(line)
    for title, lines in found:
        name = lines[0].reason if lines[0].reason.startswith(STATED) else title
        yield from ((name, lines[k : k + MANY]) for k in range(0, len(lines), MANY))


def _line(line: Line, folds: bool) -> list[str]:
    """A line, in which a formula that is too long to be read at a glance is folded, or left to the line below."""
    long = [one for one in line.formulas if len(formula(one)) > GLANCE]
    if not long:
        return line_as_markdown(line, "source:")
    lines = line_as_markdown(replace(line, formulas=()), "source:")
    for one in line.formulas:
        inside = ["```math", *formula(one).splitlines(), "```"]
        terms = max(len(part.pieces) for part in one.parts)
        size = f"a sum of {terms} terms" if terms > 1 else "a long formula"
        if one not in long:
            lines += ["", *inside]
        elif folds:
            lines += ["", *folded(size, inside)]
        else:
            lines += ["", f"{size}, in line ({line.number}) below"]
    return lines


def _tells(line: Line) -> bool:
    """Whether a line is one of those that tell the idea: lemmas, both sides as read, and what comes of them."""
    telling = (
        "the idea",
        "Bound",
        "the bound",
        "rearranged",
        "Lemma",
        "the left side",
        "the right side",
        "both sides",
        "normal form:",
    )
    return line.reason.startswith((*telling, "what is left over", "bound", "witness", "result"))


def folded(title: str, lines: list[str]) -> Iterator[str]:
    yield from ("<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>", "")
