"""Formulas in a line of text, as statements have them, to LaTeX: what can be read for certain, and nothing else.

A formula is read by a small grammar (relations, sums, products, powers, brackets that close). What is not in it stays
the text that it was: words, single numbers, “a” and “I” that may be words, and any bracket with words in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

TOKEN = re.compile(
    r"(?<=[⟨‖(])[A-Z](?=[a-z][,⟩‖_0-9])|[A-Z](?=[a-z][_0-9⟩‖^])"  # Bu is B times u where it stands so
    r"|[A-Za-z]{2,}(?:[-’'_][A-Za-z]+)*(?:[-’'_]\w+)*"  # a word, or a name in code
    r"|[A-Za-zͰ-Ͽϵℓℝℕℤ][̀-ͯ]*"  # a letter with its marks
    r"|\d+(?:\.\d+)?|\s+|.",
    re.DOTALL,
)
NAMES = [
    *("alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu"),
    *("nu", "xi", "omicron", "pi", "rho", "varsigma", "sigma", "tau", "upsilon", "varphi", "chi", "psi", "omega"),
]  # fmt: skip
GREEK = {
    **{chr(0x3B1 + n): f"\\{name}" for n, name in enumerate(NAMES)},
    **{"Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Π": r"\Pi", "Σ": r"\Sigma", "Φ": r"\Phi"},
    **{"Ψ": r"\Psi", "Ω": r"\Omega", "ℝ": r"\mathbb{R}", "ℕ": r"\mathbb{N}", "ℤ": r"\mathbb{Z}", "ℓ": r"\ell"},
}  # fmt: skip
MARKS = {"̂": r"\hat", "̃": r"\tilde", "̄": r"\bar", "̅": r"\bar", "̇": r"\dot"}
RAISED = {
    "ᵀ": r"\top", "²": "2", "³": "3", "⁰": "0", "¹": "1", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9",
    "⁻": "-", "⁺": "+", "ᵏ": "k", "ⁿ": "n", "ⁱ": "i", "ᵗ": "t", "ˡ": "l", "ᴷ": "K", "ᴺ": "N", "′": r"\prime",
}  # fmt: skip
NUMBERS = {"½": r"\tfrac{1}{2}", "¼": r"\tfrac{1}{4}", "∞": r"\infty"}
RELATIONS = {
    "=": "=", "≠": r"\ne", "≤": r"\le", "≥": r"\ge", "<": "<", ">": ">", "∈": r"\in", "∉": r"\notin", "≈": r"\approx",
    "→": r"\to", "←": r"\gets", "⟂": r"\perp", "∝": r"\propto",
}  # fmt: skip
ADDITIONS = {"+": "+", "−": "-", "±": r"\pm"}
PRODUCTS = {"·": r"\cdot", "/": "/", "×": r"\times", "∘": r"\circ", "⊗": r"\otimes", "⊙": r"\odot"}
LARGE = {"Σ": r"\sum", "Π": r"\prod", "∏": r"\prod", "∫": r"\int"}
BEFORE = {"∇": r"\nabla", "∂": r"\partial"}
CLOSED_BY = {"(": ")", "[": "]", "⟨": "⟩", "‖": "‖", "|": "|", "{": "}"}
BRACKETS = {
    "(": "(", ")": ")", "[": "[", "]": "]", "⟨": r"\langle ", "⟩": r"\rangle ", "{": r"\{", "}": r"\}",
}  # fmt: skip
FUNCTIONS = frozenset(
    (
        "diag",
        "tril",
        "exp",
        "log",
        "silu",
        "softmax",
        "sign",
        "tr",
        "softplus",
        "relu",
        "max",
        "min",
    )
)


class NoFormula(Exception):
    """What stands here is none."""


def typeset(text: str, words: Callable[[str], str]) -> str:
    """The text as Markdown, its formulas in `{math}` roles.

    Args:
        text: in one line.
        words: makes Markdown of what is no formula.
    """
    said = plain = ""
    for part, latex in pieces(text):
        if latex is None:
            plain += part
            continue
        said += (words(plain) if plain else "") + f"{{math}}`{latex}`"
        plain = ""
    return said + (words(plain) if plain else "")


def pieces(text: str) -> Iterator[tuple[str, str | None]]:
    """The text in parts, each with its LaTeX if it is a formula."""
    parts = unicodedata.normalize("NFD", text).replace("=\u0338", "≠").replace("∈\u0338", "∉")
    tokens = TOKEN.findall(parts)
    at = 0
    while at < len(tokens):
        latex, end = _formula_at(tokens, at) or (None, at + 1)
        yield unicodedata.normalize("NFC", "".join(tokens[at:end])), latex
        at = end


def _formula_at(tokens: list[str], at: int) -> tuple[str, int] | None:
    """The formula that begins here and where it ends, if a formula can begin and end there."""
    before = tokens[at - 1] if at else " "
    earlier = tokens[at - 2] if at > 1 else " "
    if tokens[at].isspace() or not (
        before.isspace() or before == "“" or (before == "(" and earlier.isspace())
    ):
        return None
    if tokens[at] == "A" and (at == 0 or earlier in ".:"):
        return None
    if re.match(r"a \w[\u0300-\u036f]* [a-z]{2}", "".join(tokens[at : at + 5])):
        return None  # an article: "a δ and"
    reader = _Reader(tokens, at)
    try:
        latex = reader.relation(outermost=True)
    except NoFormula:
        return None
    after = tokens[reader.at] if reader.at < len(tokens) else " "
    further = tokens[reader.at + 1] if reader.at + 1 < len(tokens) else " "
    ends = (
        after.isspace()
        or after == "”"
        or (after in ",;:.)" and (further.isspace() or further in ",;:.)”"))
    )
    text = tokens[at : reader.at]
    remark = before == "(" and len(text) == 1  # (b)
    return (latex, reader.at) if ends and not remark and _is_told(text) else None


def _is_told(text: list[str]) -> bool:
    """Whether these tokens are a formula for certain, and no number, word or mark of a list."""
    shown = [one for one in text if not one.isspace()]
    if len(shown) == 1:
        return shown[0][0] in GREEK or (shown[0][0].isalpha() and shown[0] != "a")
    if len(shown) == 3 and shown[0] == "(" and len(shown[1]) == 1:
        return False
    return any(not one.replace(".", "").isdecimal() and one not in "-/,:;" for one in shown)


class _Reader:
    """Reads a formula from tokens, from one on."""

    def __init__(self, tokens: list[str], at: int) -> None:
        self.tokens, self.at = tokens, at
        self.outside = True
        """Whether no bracket is open."""

    def peek(self, skip: bool = True) -> str:
        """The next token; after a space, if one may be skipped."""
        k = self.at
        if skip and k < len(self.tokens) and self.tokens[k].isspace():
            k += 1
        return self.tokens[k] if k < len(self.tokens) else ""

    def take(self) -> str:
        """The next token, a space before it skipped."""
        if self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        if self.at >= len(self.tokens):
            raise NoFormula
        self.at += 1
        return self.tokens[self.at - 1]

    def relation(self, outermost: bool = False) -> str:
        """Sums with relations between them."""
        said = self.sum()
        while self.peek() in RELATIONS:
            mark = self.at
            sign = RELATIONS[self.take()]
            try:
                said += f" {sign} {self.sum()}"
            except NoFormula:
                self.at = mark
                if outermost:
                    break
                raise
        return said

    def sum(self) -> str:
        """Products with signs between them."""
        said = f"{ADDITIONS[self.take()]} " if self.peek() in ADDITIONS else ""
        said += self.product()
        while self.peek() in ADDITIONS:
            mark = self.at
            sign = ADDITIONS[self.take()]
            try:
                said += f" {sign} {self.product()}"
            except NoFormula:
                self.at = mark
                break
        if self.tokens[self.at : self.at + 2] == [".", "."]:
            mark = self.at
            self.at += 2
            try:
                said += rf"\,..\,{self.sum()}"
            except NoFormula:
                self.at = mark
        return said

    def product(self) -> str:
        """Factors, side by side or with signs between them."""
        said = self.factor()
        while True:
            mark = self.at
            sign = PRODUCTS[self.take()] if self.peek() in PRODUCTS else ""
            if self.peek() == "mod":
                self.take()
                sign = r"\bmod"
            try:
                said += f" {sign} {self.factor()}" if sign else self._beside()
            except NoFormula:
                self.at = mark
                return said

    def _beside(self) -> str:
        """A factor without a sign before it: not a word, nor a number or an article after a space."""
        spaced = self.at < len(self.tokens) and self.tokens[self.at].isspace()
        following = self.peek()
        if spaced and (following in ("a", "") or following[0].isdecimal() or following in "|:"):
            raise NoFormula
        if spaced and following == "(" and not self._is_factor():
            raise NoFormula
        if following in ("|", "‖") and not self.outside:
            raise NoFormula  # it may close one
        return (r"\ " if spaced else " ") + self.factor()

    def _is_factor(self) -> bool:
        """Whether the bracket after a space holds neither a list nor one letter, as a remark in the text does."""
        depth, inside = 0, []
        for token in self.tokens[self.at + 1 :]:
            depth += (token in CLOSED_BY) - (token in CLOSED_BY.values())
            if depth == 0:
                break
            if token == "," and depth == 1:
                return False
            inside.append(token)
        return len(inside) > 2

    def factor(self) -> str:
        """An atom with what is raised or lowered at it."""
        return self.scripts(self.atom())

    def atom(self) -> str:
        """A letter, a number, something in brackets, a function, or an operator and what it is of."""
        token = self.take()
        if token in LARGE and (
            token not in "ΣΠ" or self.peek(skip=False) in ("_", " ", "‖", "|", "(")
        ):
            return f"{self.scripts(LARGE[token])} {self.product()}"
        if token in BEFORE:
            return f"{self.scripts(BEFORE[token])} {self.factor()}"
        if token in CLOSED_BY:
            return self.bracket(token)
        if token == "√":
            return rf"\sqrt{{{self.atom()}}}"
        if token in NUMBERS:
            return NUMBERS[token]
        if token[0].isdecimal():
            return token
        if token in FUNCTIONS:
            if self.peek(skip=False) not in ("(", "_"):
                raise NoFormula
            return rf"\operatorname{{{token}}}"
        if not self.outside and token in "*…":
            return {"*": r"\ast", "…": r"\dots"}[token]
        return self.letter(token)

    def letter(self, token: str) -> str:
        """A letter with its marks, and the digits that follow it as its subscript."""
        base, marks = token[0], token[1:]
        if not (
            base in GREEK or (base.isascii() and base.isalpha() and len(token) == 1 + len(marks))
        ):
            raise NoFormula
        if any(one not in MARKS for one in marks):
            raise NoFormula
        said = GREEK.get(base, base)
        for mark in marks:
            said = f"{MARKS[mark]}{{{said}}}"
        if self.peek(skip=False).isdecimal():
            if base == "S" or len(self.peek(skip=False)) > 1:
                raise NoFormula  # S5 and S6 are names
            said += f"_{{{self.take()}}}"
        return said

    def bracket(self, left: str) -> str:
        """What stands between brackets: a list of relations."""
        outside, self.outside = self.outside, False
        right = CLOSED_BY[left]
        said = self.list(right)
        if self.take() != right:
            raise NoFormula
        self.outside = outside
        if left in "‖|":
            name = "Vert" if left == "‖" else "vert"
            return rf"\l{name} {said} \r{name}"
        return BRACKETS[left] + said + BRACKETS[right]

    def list(self, right: str) -> str:
        """Relations with commas or semicolons between them, up to a bracket; rows of a matrix may have none."""
        parts = []
        while self.peek() != right:
            if self.peek() in (",", ";", ":"):
                parts.append({",": r",\;", ";": r";\;", ":": ":"}[self.take()])
            elif self.peek() == "":
                raise NoFormula
            else:
                parts.append(
                    ("\\;" if parts and parts[-1][0] not in ",;:" else "") + self.relation()
                )
        if not parts:
            raise NoFormula
        return "".join(parts)

    def scripts(self, base: str) -> str:
        """What is raised and lowered at an atom, nothing standing between."""
        low, high = "", ""
        while True:
            following = self.peek(skip=False)
            if following and following[0] in RAISED:
                high += RAISED[self.take()]
                high += " "
            elif following in ("'", "’") and not self._is_genitive():
                self.take()
                high += r"\prime "
            elif following == "_" and not low:
                self.take()
                low = self.script()
            elif following == "^":
                self.take()
                high += self.script()
            else:
                break
        # KaTeX takes one of each; a letter that has its digits below is put into a group.
        if low and base.endswith("}") and re.search(r"_\{\d+\}$", base):
            raise NoFormula
        return base + (f"_{{{low}}}" if low else "") + (f"^{{{high.strip()}}}" if high else "")

    def _is_genitive(self) -> bool:
        return self.at + 1 < len(self.tokens) and self.tokens[self.at + 1].startswith("s")

    def script(self) -> str:
        """What is raised or lowered by a sign: one letter or number, two letters, or what stands in brackets."""
        token = self.take()
        if token in ("{", "("):
            outside, self.outside = self.outside, False
            right = CLOSED_BY[token]
            said = self.list(right)
            self.take()
            self.outside = outside
            return said if token == "{" else f"({said})"
        if token[0].isdecimal():
            letter = self.peek(skip=False)
            further = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else ""
            if letter.isalpha() and letter.isascii() and further not in ("_", "("):
                raise NoFormula  # c_1k may be c_{1k}
        if token[0].isdecimal() or token in ("½", "∞", "*"):
            return {"½": "1/2", "∞": r"\infty", "*": r"\ast"}.get(token, token)
        if len(token) == 2 and token.isascii() and token.isalpha():
            return token
        if len(token) > 2 and token.isascii() and token.isalpha() and token.islower():
            return rf"\mathrm{{{token}}}"
        if token == "−" and self.peek(skip=False).isdecimal():
            return f"-{self.take()}"
        return self.letter(token)
