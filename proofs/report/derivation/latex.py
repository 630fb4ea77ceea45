"""Derivations as LaTeX: formulas that GitHub, too, renders, and a fragment that needs amsmath only."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ..latex import ACCENTS, SYMBOLS, escaped, greek
from .document import Derivation, Formula, Line
from .expression import Addition, Bracket, Entry, Function, Product, Range, single
from .printing import TEXT, Text, opening
from .text import CONVENTION, numbers

ROOM = 88
"""A formula that is longer than this in text is broken over lines."""


NAME = re.compile(r"([^\d_]+)_?(.*)")
"""A name and its index: W0, S_B."""


FENCES = {"abs": ("|", "|"), "norm": (r"\lVert", r"\rVert"), "opnorm": (r"\lVert", r"\rVert_2")}
"""How absolute values and norms are written."""


class Latex(Text):
    r"""\sum_{i < t} x_{i,a} \, y_{i}."""

    minus = "-"
    space = r" "

    def sign(self, sign: str) -> str:
        """A relation's sign."""
        return SYMBOLS.get(sign, sign)

    def letter(self, name: str) -> str:
        """A name, with its accents and its index below."""
        base, rest = NAME.findall(unicodedata.normalize("NFD", name))[0]
        accent = next((ACCENTS[c] for c in base if c in ACCENTS), None)
        plain = "".join(c for c in base if c not in ACCENTS).rstrip("′")
        named = greek(plain) if len(plain) == 1 else None
        shown = f"\\{named}" if named else plain if len(plain) == 1 else rf"\mathit{{{plain}}}"
        shown = rf"\{accent}{{{shown}}}" if accent else shown
        shown += "'" * name.count("′")
        return rf"{{{shown}}}_{{{rest}}}" if rest else shown

    def entry(self, f: Entry) -> str:
        """An array's entry, its time above and its indices below."""
        name = rf"\mathrm{{{f.name}}}" if f.name in ("left", "right") else self.letter(f.name)
        at = ",".join(map(self.linear, f.at))
        given = ",".join(map(self.linear, f.given))
        inside = r";\,".join(filter(None, [at, given]))
        time = "" if f.time is None else f"^{{({self.linear(f.time)})}}"
        if "_" in name and (time or inside):
            name = f"({name})"
        elif "'" in name:
            name = f"{{{name}}}"
        return f"{name}{time}_{{{inside}}}" if inside else f"{name}{time}"

    def function(self, name: str, of: str) -> str:
        """A function of a formula."""
        if name in FENCES:
            before, after = FENCES[name]
            return rf"\left{before} {of} \right{after}"
        shown = f"\\{name}" if name in ("exp", "log") else rf"\operatorname{{{name}}}"
        return rf"{shown}\left({of}\right)"

    def power(self, base: str, exponent: str, simple: bool) -> str:
        """A power."""
        return f"{{{base}}}^{{{exponent}}}"

    def product(self, f: Product, inside: str) -> str:
        """A running product."""
        return rf"\prod_{{{self.range_text(Range(f.letter, f.low, f.high))}}} {inside}"

    def bracket(self, f: Bracket) -> str:
        """A guard in brackets."""
        return rf"[{self.relations(f.relations)}]"

    def sum(self, ranges: Iterable[Range], inside: str) -> str:
        """A sum over ranges."""
        return "".join(rf"\sum_{{{self.range_text(r)}}} " for r in ranges) + inside

    def times(self, factors: list[str]) -> str:
        """A product of factors."""
        return r"\, ".join(factors)

    def fraction(self, top: str, low: str, simple: bool) -> str:
        """A fraction."""
        return rf"\frac{{{_bare(top)}}}{{{_bare(low)}}}"

    def parenthesised(self, text: str) -> str:
        """A formula in parentheses that grow with it."""
        return rf"\left({text}\right)"


LATEX = Latex()


def _bare(text: str) -> str:
    r"""What stands above or below a fraction line needs no brackets around all of it."""
    inside = text.removeprefix(r"\left(").removesuffix(r"\right)")
    whole = text == rf"\left({inside}\right)" and r"\left(" not in inside
    return inside if whole else text


def formula(f: Formula) -> str:
    """One formula as rows of an `aligned` environment, or as it stands if it is short."""
    parts = [LATEX.addition(part) for part in f.parts]
    sign = {"=": "=", "≠": r"\ne", "≤": r"\le"}[f.sign]
    over = r",\; ".join(map(LATEX.quantifier, f.over))
    tail = rf" \qquad ({over})" if over else ""
    short = f" {f.sign} ".join(map(TEXT.addition, f.parts))
    said = "; ".join(map(TEXT.quantifier, f.over))
    if len(short) + len(said) <= ROOM:
        return f" {sign} ".join(parts) + tail
    *rows, last = _left(f.parts[0])
    lead = ""
    if rows:
        rows, last, lead = [f"&{row}" for row in (*rows, last)], "", r"\quad "
    for n, part in enumerate(f.parts[1:]):
        first, *more = _rows(part)
        rows += [
            f"{'' if n else last} &{lead}{sign} {first}".strip(),
            *(f"&\\quad {row}" for row in more),
        ]
    if over:
        rows.append(rf"&\qquad ({over})")
    body = " \\\\\n".join(rows)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def _left(part: Addition) -> list[str]:
    """The first part, on as many rows as it takes if it is measured."""
    measured = part.pieces[0].over[-1] if part.pieces and part.pieces[0].over else None
    whole = len(TEXT.addition(part)) <= ROOM - 12 or part != single(measured)
    if whole or not isinstance(measured, Function):
        return [LATEX.addition(part)]
    before, after = FENCES[measured.name]
    rows = _pieces(measured.of)
    rows[0] = rf"\Bigl{before} {rows[0]}"
    rows[-1] += rf" \Bigr{after}"
    return rows


def _rows(part: Addition) -> list[str]:
    """A sum on as many rows as it takes."""
    if len(TEXT.addition(part)) <= ROOM - 12:
        return [LATEX.addition(part)]
    opened = opening(part)
    if opened is None:
        return _pieces(part)
    ((mark, head),) = LATEX.terms(opened[0])
    first, *more = _pieces(opened[1])
    rows = [rf"{mark}{head} \Bigl({first}", *more]
    rows[-1] += r" \Bigr)"
    return rows


def _pieces(part: Addition) -> list[str]:
    """As few rows as hold the pieces, each row short enough."""
    rows: list[str] = []
    length = 0
    for n, piece in enumerate(part.pieces):
        ((mark, text),) = LATEX.terms(Addition((piece,)))
        mark = mark or ("+" if n else "")
        size = len(TEXT.addition(Addition((piece,))))
        if rows and length + size <= ROOM - 12:
            rows[-1] += f" {mark} {text}"
            length += size
        else:
            rows.append(f"{mark} {text}".strip() if rows else f"{mark}{text}")
            length = size
    return rows


def reason(line: Line) -> str:
    """Why, as one line of LaTeX."""
    text = escaped(line.reason)
    if line.rests_on:
        text += f" ({numbers(line.rests_on)})"
    if line.places:
        text += ": " + ", ".join(rf"\texttt{{{escaped(one)}}}" for one in line.places)
    return text


def as_latex(derivation: Derivation) -> str:
    """The derivation as a fragment for a document that loads amsmath."""
    lines = [
        rf"\subsection*{{Derivation of {escaped(derivation.id)}}}",
        rf"\emph{{{escaped(CONVENTION)}}}",
    ]
    for section in derivation.sections:
        lines += ["", rf"\paragraph{{{escaped(section.heading)}}}"]
        for line in section.lines:
            lines += [
                "",
                rf"\noindent({line.number}) {escaped(line.words)} \emph{{{reason(line)}}}",
            ]
            for one in line.formulas:
                lines += [r"\[", formula(one), r"\]"]
    return "\n".join(lines) + "\n"
