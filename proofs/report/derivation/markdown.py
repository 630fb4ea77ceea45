"""Derivations as Markdown: formulas stand in `math` fences, which GitHub renders and in which nothing is markup."""

from __future__ import annotations

from ..markdown import code, escaped
from .document import Derivation, Line
from .latex import formula
from .text import numbers


def as_markdown(derivation: Derivation, level: int = 2, link: str = "") -> str:
    """The derivation, its sections as bold words.

    Args:
        derivation: what is printed.
        level: of the heading with the derivation's id; 0 for none.
        link: what leads from the page to the repository's root, for links to definitions.
    """
    lines = [f"{'#' * level} Derivation of {code(derivation.id)}", ""] if level else []
    for section in derivation.sections:
        lines += [f"**{escaped(section.heading)}**", ""]
        for line in section.lines:
            lines += [*line_as_markdown(line, link), ""]
    return "\n".join(lines)


def line_as_markdown(line: Line, link: str) -> list[str]:
    """One line: its number, its reason, and the formulas that it comes to."""
    said = f"({line.number}) *{escaped(line.reason)}*"
    if line.rests_on:
        said += f" ({numbers(line.rests_on)})"
    places = ", ".join(_place(one, link) for one in line.places)
    rest = ", ".join(filter(None, [escaped(line.words), places]))
    lines = [f"{said}: {rest}" if rest else said]
    for one in line.formulas:
        lines += ["", "```math", *formula(one).splitlines(), "```"]
    return lines


def _place(one: str, link: str) -> str:
    path, _, number = one.partition(":")
    return f"[{code(one)}]({link}{path}#L{number})" if link else code(one)
