"""LaTeX: the story of one row as a fragment that any engine takes."""

from __future__ import annotations

import re
import unicodedata

from .story import Section, Story
from .words import one_line

ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: f"\\{c}" for c in "{}$&#_%"},
}
GREEK = re.compile(r"GREEK (SMALL|CAPITAL) LETTER (\w+)")
NO_COMMAND = set("Alpha Beta Epsilon Zeta Eta Iota Kappa Mu Nu Omicron Rho Tau Chi omicron".split())  # noqa: SIM905
SYMBOLS = {
    "−": "-",
    "×": r"\times",
    "·": r"\cdot",
    "⋅": r"\cdot",
    "∘": r"\circ",
    "∗": "*",
    "⊗": r"\otimes",
    "⊙": r"\odot",
    "⊕": r"\oplus",
    "≤": r"\le",
    "≥": r"\ge",
    "≠": r"\ne",
    "≈": r"\approx",
    "≡": r"\equiv",
    "∈": r"\in",
    "∉": r"\notin",
    "∀": r"\forall",
    "∃": r"\exists",
    "→": r"\to",
    "←": r"\leftarrow",
    "↦": r"\mapsto",
    "⇒": r"\Rightarrow",
    "∂": r"\partial",
    "∇": r"\nabla",
    "∑": r"\sum",
    "∏": r"\prod",
    "∫": r"\int",
    "∞": r"\infty",
    "√": r"\surd",
    "‖": r"\Vert",
    "∣": r"\vert",
    "|": r"\vert",
    "⟨": r"\langle",
    "⟩": r"\rangle",
    "<": "<",
    ">": ">",
    "½": r"\frac12",
    "¼": r"\frac14",
    "…": r"\dots",
    "⋯": r"\cdots",
    "′": "'",
    "ℓ": r"\ell",
    "ℝ": r"\mathbb{R}",
    "±": r"\pm",
    "∪": r"\cup",
    "∩": r"\cap",
    "⊂": r"\subset",
    "⊆": r"\subseteq",
    "ᵀ": r"^{\mathsf{T}}",
    "⊤": r"^{\mathsf{T}}",
}
ACCENTS = {"\u0303": "tilde", "\u0302": "hat", "\u0304": "bar", "\u0307": "dot", "\u0305": "bar"}
TEXT = {"–": "--", "—": "---", "“": "``", "”": "''", "‘": "`", "’": "'", "§": r"\S{}"}


def escaped(text: object) -> str:
    """The text as one line of LaTeX; letters and signs of mathematics become commands."""
    out: list[str] = []
    for character in unicodedata.normalize("NFC", one_line(text)):
        if character in ACCENTS and out:
            out[-1] = _accented(out[-1], character)
        else:
            out.append(_letter(character))
    return "".join(out)


def _accented(base: str, accent: str) -> str:
    return rf"\ensuremath{{\{ACCENTS[accent]}{{{base}}}}}"


def _letter(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    if character in TEXT:
        return TEXT[character]
    named = greek(character)
    if named is not None:
        return rf"\ensuremath{{\{named}}}"
    if character in SYMBOLS:
        return rf"\ensuremath{{{SYMBOLS[character]}}}"
    simple = unicodedata.normalize("NFKC", character)
    base, accent = (*unicodedata.normalize("NFD", character), "")[:2]
    if accent in ACCENTS:
        return _accented(base, accent)
    kind = unicodedata.decomposition(character).split(" ")[0]
    if kind in ("<super>", "<sub>"):
        return rf"\ensuremath{{{'^' if kind == '<super>' else '_'}{{{_bare(simple)}}}}}"
    return character


def greek(character: str) -> str | None:
    """The name of a Greek letter, if LaTeX has a command of that name."""
    found = GREEK.fullmatch(unicodedata.name(character, ""))
    if found is None:
        return None
    name = found[2].lower().replace("lamda", "lambda")
    name = name.capitalize() if found[1] == "CAPITAL" else name
    return None if name in NO_COMMAND else name


def _bare(text: str) -> str:
    return "".join(SYMBOLS.get(c, c) for c in text)


def as_latex(story: Story) -> str:
    """The story as a `description` list under a paragraph heading."""
    lines = [
        rf"\paragraph{{{escaped(story.id)}: {escaped(story.verdict)}}}",
        rf"\emph{{{escaped(story.place)}}}",
        r"\begin{description}",
    ]
    for section in story.sections:
        lines += [rf"\item[{escaped(section.heading)}]", *_section(section)]
    return "\n".join([*lines, r"\end{description}"]) + "\n"


def _section(section: Section) -> list[str]:
    if section.kind == "formula":
        return section.lines
    lines = [escaped(line) for line in section.lines]
    if section.kind == "quote":
        return [r"\begin{quote}", *lines, r"\end{quote}"]
    if section.kind == "code":
        return [
            r"\leavevmode\\",
            *(rf"\texttt{{{line}}}\\" for line in lines[:-1]),
            rf"\texttt{{{lines[-1]}}}",
        ]
    if section.kind == "list":
        return [r"\begin{itemize}", *(rf"  \item {{}}{line}" for line in lines), r"\end{itemize}"]
    return lines
