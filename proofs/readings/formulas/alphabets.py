"""The signs of formulas, in Unicode for a terminal and in LaTeX; where which stands is for `formulas` to say."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..slices import Expression

WORDS = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
GREEK: dict[str, str] = dict(zip(WORDS.split(), "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
SQUARES = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Alphabet:
    """Unicode: Σ_{i < t} x_i yᵀ."""

    minus, at_most, at_least, unequal, dots, less = "−", "≤", "≥", "≠", "…", "<"
    gap, entrywise, over_entries = " ", " ⊙ ", " ⊘ "
    arrow, member, times, through, everything = "→", " ∈ ", "×", "..", ":"
    nabla, ell, ones, reals, integers = "∇", "ℓ", "𝟏", "ℝ", "ℤ"
    bars, rule, product_sign, sum_sign, maximum_sign = "‖", " | ", "∏", "Σ", "max"
    for_all = "for "

    def letter(self, name: str) -> str:
        """A name."""
        return GREEK.get(name, name)

    def bold(self, letter: str) -> str:
        """A letter that nothing else is called by."""
        return {"e": "𝐞", "I": "𝐈"}[letter]

    def words(self, text: str) -> str:
        """Words among formulas."""
        return text

    def size(self, text: str) -> int:
        """How many signs a formula has."""
        return len(text)

    def index(self, text: str) -> str:
        """What stands in a subscript or exponent, without brackets where it is one sign."""
        return text if len(text) == 1 else f"{{{text}}}"

    def sub(self, base: str, *places: str) -> str:
        """An entry, at places that are seldom more than letters."""
        return f"{base}_{self.index(', '.join(places))}"

    def sup(self, base: str, exponent: str) -> str:
        """A power."""
        return (
            base + exponent.translate(SQUARES)
            if exponent.isdigit()
            else f"{base}^{self.index(exponent)}"
        )

    def transposed(self, base: str) -> str:
        return f"{base}ᵀ"

    def inverse(self, base: str) -> str:
        return f"{base}⁻¹"

    def quotient(self, top: Expression, low: Expression) -> Expression:
        """A fraction."""
        simple = top[1] >= 2 and " " not in top[0]
        return f"{top[0] if simple else self.within(top, 3)}/{self.within(low, 4)}", 2.5

    def within(self, one: Expression, binds: float) -> str:
        """An operand of what binds so tightly."""
        return one[0] if one[1] >= binds else self.parenthesised(one[0])

    def parenthesised(self, text: str) -> str:
        return f"({text})"

    def bracketed(self, parts: Sequence[str]) -> str:
        """Parts one beside the other."""
        return f"[{' | '.join(parts)}]"

    def stacked(self, parts: Sequence[str]) -> str:
        """Parts one below the other."""
        return f"[{'; '.join(parts)}]"

    def call(self, name: str, inside: str) -> str:
        return f"{name}({inside})"

    def function(self, name: str) -> str:
        """The name of a function that has one."""
        return name

    def root(self, inside: Expression) -> str:
        return f"√{self.within(inside, 9)}"

    def norm(self, inside: str, under: str = "") -> str:
        return f"‖{inside}‖{'_' + under if under else ''}"

    def absolute(self, inside: str) -> str:
        return f"|{inside}|"

    def floor(self, inside: str) -> str:
        return f"⌊{inside}⌋"

    def ceil(self, inside: str) -> str:
        return f"⌈{inside}⌉"

    def truth(self, condition: str) -> str:
        """1 where a condition holds, else 0."""
        return f"[{condition}]"

    def running(self, sign: str, ranges: str, inside: str) -> str:
        """A sum or product over ranges."""
        return f"{sign}_{{{ranges}}} {inside}"


class Latex(Alphabet):
    r"""LaTeX: \sum_{i < t} x_i y^{\top}."""

    minus, at_most, at_least, unequal, dots = "-", r"\le", r"\ge", r"\ne", r"\dots"
    gap, entrywise, over_entries = r" \, ", r" \odot ", r" \oslash "
    arrow, member, times, through = r"\to", r" \in ", r" \times ", r" \ldotp\ldotp "
    nabla, ell, ones, reals, integers = (
        r"\nabla ",
        r"\ell",
        r"\mathbf{1}",
        r"\mathbb{R}",
        r"\mathbb{Z}",
    )
    rule, product_sign, sum_sign = r"\,\big|\, ", r"\prod", r"\sum"
    maximum_sign = r"\max"
    for_all = r"\text{for } "

    def letter(self, name: str) -> str:
        if name in GREEK:
            return f"\\{name}"
        plain = name.rstrip("′")
        if plain != name:
            return self.letter(plain) + "'" * (len(name) - len(plain))
        if name[0] == "\\" or len(name) == 1:
            return name
        return rf"\mathit{{{name.replace('_', chr(92) + '_')}}}"

    def bold(self, letter: str) -> str:
        return rf"\mathbf{{{letter}}}"

    def words(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def size(self, text: str) -> int:
        plain = re.sub(r"\\(left|right|operatorname|mathit|frac|,|[!;:])|[{}]", "", text)
        return len(re.sub(r"\\[A-Za-z]+", "x", plain))

    def index(self, text: str) -> str:
        return f"{{{text}}}"

    def sup(self, base: str, exponent: str) -> str:
        return f"{{{base}}}^{{{exponent}}}"

    def transposed(self, base: str) -> str:
        return rf"{{{base}}}^{{\top}}"

    def inverse(self, base: str) -> str:
        return f"{{{base}}}^{{-1}}"

    def quotient(self, top: Expression, low: Expression) -> Expression:
        return rf"\frac{{{top[0]}}}{{{low[0]}}}", 3.5

    def parenthesised(self, text: str) -> str:
        return rf"\left({text}\right)"

    def bracketed(self, parts: Sequence[str]) -> str:
        return rf"\left[{self.rule.join(parts)}\right]"

    def stacked(self, parts: Sequence[str]) -> str:
        inside = r";\, ".join(parts)
        return rf"\left[{inside}\right]"

    def call(self, name: str, inside: str) -> str:
        return rf"{name}\left({inside}\right)"

    def function(self, name: str) -> str:
        known = ("exp", "log", "sin", "cos", "tanh", "max", "arcsin", "arccos", "arctan")
        return f"\\{name}" if name in known else rf"\operatorname{{{name}}}"

    def root(self, inside: Expression) -> str:
        return rf"\sqrt{{{inside[0]}}}"

    def norm(self, inside: str, under: str = "") -> str:
        return rf"\left\lVert {inside} \right\rVert{'_' + under if under else ''}"

    def absolute(self, inside: str) -> str:
        return rf"\left\lvert {inside} \right\rvert"

    def floor(self, inside: str) -> str:
        return rf"\lfloor {inside} \rfloor"

    def ceil(self, inside: str) -> str:
        return rf"\lceil {inside} \rceil"


TEXT, LATEX = Alphabet(), Latex()
