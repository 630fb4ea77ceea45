"""A derivation as HTML: the idea in about ten lines, and every line of it, folded.

A page's Markdown holds its place alone: Sphinx neither reads nor indexes its formulas, which are typeset at once.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping

from sphinx.errors import ExtensionError

from scanproof.proofs.report.derivation.document import Derivation, Formula, Line, Section
from scanproof.proofs.report.derivation.latex import formula
from scanproof.proofs.report.derivation.text import numbers
from scanproof.proofs.report.derivation.writer import DEFINED

from .folds import fold
from .node import display, render

SHORT = 10
"""The idea of a derivation is told in so many lines at most."""
GLANCE = 700
"""A formula of more characters in LaTeX is folded,"""
ROWS, LENGTH = 40, 12_000
"""and one of more rows, or of more LaTeX, in parts."""
STATED = ("Lemma", "Bound")
"""How lines begin that state what the next ones show."""
TYPESET = 24_000
"""What is longer and cannot be cut is shown as it is written in LaTeX; MathML is seven times as long."""
MANY, LONG = 16, 12_000
"""A derivation of more lines, or characters, is folded part by part."""
TEX = re.compile(r"<tex>(.*?)</tex>", re.DOTALL)
PLACE = re.compile(r'<div class="derivation" id="derivation-([^"]*)"></div>')


def place(id: str) -> list[str]:
    """Where a page has the derivation of a statement."""
    return [f'<div class="derivation" id="derivation-{id}"></div>', ""]


def typeset_all(derivations: Mapping[str, Derivation]) -> dict[str, str]:
    """Derivations by their statements' ids, with formulas as MathML.

    Raises:
        ExtensionError: if a formula cannot be parsed, with the statement and the formula.
    """
    texts = {id: derivation(one) for id, one in derivations.items()}
    places = {tex: id for id, text in texts.items() for tex in TEX.findall(text)}
    formulas = [(html.unescape(tex), True) for tex in places]
    shown = dict(zip(places, render(formulas)["formulas"], strict=True))
    for tex, one in shown.items():
        if "error" in one:
            raise ExtensionError(f"{places[tex]}: {one['error']}: in the formula {tex}")
    return {
        id: TEX.sub(lambda tex: display(shown[tex[1]]["html"]), text) for id, text in texts.items()
    }


def derivation(found: Derivation) -> str:
    """The idea in about ten lines, then every line, folded: in a long derivation lemma by lemma."""
    told = [line for s in found.sections for line in s.lines if _tells(line)]
    said = ""
    if 0 < len(told) < len(found.lines):
        said = "<p>The idea, by the numbers of the lines below:</p>\n"
        idea = _idea(found.lines)
        said += "".join(_line(line, folds=False) for line in idea)
        if left := sum(line not in idea for line in told):
            said += f"<p>… and {left} more such lines.</p>\n"
    parts = [part for section in found.sections for part in _parts(section)]
    long = len(found.lines) > MANY or sum(map(_size, (lines for _, lines in parts))) > LONG
    steps = ""
    for title, lines in parts:
        inside = "".join(lines.values())
        if long and len(parts) > 1:
            first, *_, last = *lines, *lines
            to = f" to ({last})" if last > first else ""
            steps += fold(f"{html.escape(title)}, ({first}){to}", inside)
        else:
            steps += f"<p><strong>{html.escape(title)}</strong></p>\n{inside}"
    return said + fold(f"All {len(found.lines)} lines, with the equation after every step", steps)


def _idea(lines: list[Line]) -> list[Line]:
    """The lines that tell most: how the statement comes out, the lemmas that this rests on, and the shortest others.

    The definitions of its states stand before them where there is room for all.
    """
    told = [line for line in lines if _tells(line)]
    lemmas = [line for line in told if line.reason.startswith(STATED)]
    others = [line for line in told if line not in lemmas][:SHORT]
    rest = {number for line in others for number in line.rests_on}
    ranked = sorted(lemmas, key=lambda line: (line.number not in rest, _weight(line)))
    defined = [line for line in lines if line.reason.startswith(DEFINED)]
    room = SHORT - len(others) - sum(line.number in rest for line in lemmas)
    defined = defined if len(defined) <= room else []
    chosen = [*others, *defined, *ranked[: SHORT - len(others) - len(defined)]]
    return sorted(chosen, key=lambda line: line.number)


def _weight(line: Line) -> int:
    return sum(map(len, map(formula, line.formulas)))


def _parts(section: Section) -> Iterator[tuple[str, dict[int, str]]]:
    """A section's lines by number under their title, not too much at once; of lemmas each with its proof."""
    title, lines = section.heading, dict[int, str]()
    for line in section.lines:
        text = _line(line, folds=True)
        stated = line.reason.startswith(STATED)
        if lines and (stated or len(lines) == MANY or len(text) + _size(lines) > LONG):
            yield title, lines
            lines = {}
        title = line.reason if stated else title
        lines[line.number] = text
    if lines:
        yield title, lines


def _size(lines: Mapping[int, str]) -> int:
    return sum(map(len, lines.values()))


def _line(line: Line, folds: bool) -> str:
    """A line: its number, its reason and on what it rests; what is too long to be read at a glance is folded."""
    said = f"({line.number}) <em>{html.escape(line.reason)}</em>"
    said += f" ({numbers(line.rests_on)})" if line.rests_on else ""
    rest = ", ".join(filter(None, [html.escape(line.words), *map(_definition, line.places)]))
    said = f"<p>{said}: {rest}</p>\n" if rest else f"<p>{said}</p>\n"
    return said + "".join(_formula(one, line, folds) for one in line.formulas)


def _definition(where: str) -> str:
    path, _, line = where.partition(":")
    return f'<a class="reference internal" href="../source/{path}.html#L-{line}"><code>{where}</code></a>'


def _formula(one: Formula, line: Line, folds: bool) -> str:
    """A formula; one that is too long is folded, or left to the line below."""
    latex = formula(one)
    if len(latex) <= GLANCE:
        return _tex(latex)
    terms = max(len(part.pieces) for part in one.parts)
    size = f"a sum of {terms} terms" if terms > 1 else "a long formula"
    if not folds:
        return f"<p>{size}, in line ({line.number}) below</p>\n"
    blocks = [(_tex if len(b) <= TYPESET else _as_text)(b) for b in _blocks(latex)]
    if len(blocks) == 1:
        return fold(size, blocks[0])
    parts = [fold(f"{size}, part {k} of {len(blocks)}", b) for k, b in enumerate(blocks, start=1)]
    return fold(size, "".join(parts))


def _as_text(latex: str) -> str:
    return f'<p>As it is written in LaTeX:</p>\n<pre class="latex">{html.escape(latex)}</pre>\n'


def _blocks(latex: str) -> list[str]:
    """An `aligned` formula of many or long rows as several."""
    first, *rows, last = latex.splitlines() if "\n" in latex else ("", latex, "")
    blocks: list[list[str]] = [[]]
    for row in rows:
        block = blocks[-1]
        if block and (len(block) == ROWS or len(row) + sum(map(len, block)) > LENGTH):
            blocks.append([])
        blocks[-1].append(row)
    return ["\n".join([first, *rows, last]) for rows in blocks] if len(blocks) > 1 else [latex]


def _tex(latex: str) -> str:
    return f"<tex>{html.escape(latex, quote=False)}</tex>"


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
