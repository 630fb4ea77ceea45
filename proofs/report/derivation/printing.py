"""Formulas as plain text. Other notations have the same signs, brackets and order, and parts that look otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

from .document import Quantifier
from .expression import (
    Addition,
    Bracket,
    Entry,
    Function,
    Linear,
    Piece,
    Power,
    Product,
    Range,
    Relation,
    Whole,
)

FENCES = {"abs": ("|", "|"), "norm": ("‖", "‖"), "opnorm": ("‖", "‖₂")}
"""How absolute values and norms are written."""
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Text:
    """Σ_{i < t} x[i, a] y[i]."""

    minus = "−"
    space = " "

    def terms(self, one: Addition) -> list[tuple[str, str]]:
        """The pieces of a sum, each with its sign."""
        if one.is_zero:
            return [("", "0")]
        found = []
        for n, p in enumerate(one.pieces):
            sign = self.minus if p.coefficient < 0 else "+" if n else ""
            found.append((sign, self.piece(p, len(one.pieces) > 1)))
        return found

    def addition(self, one: Addition) -> str:
        """A sum with the signs of its terms."""
        text = ""
        for n, (sign, piece) in enumerate(self.terms(one)):
            gap = "" if n == 0 else " "
            text += f"{gap}{sign}{gap}{piece}"
        return text

    def piece(self, p: Piece, among: bool) -> str:
        """A piece without its sign."""
        c = abs(p.coefficient)
        outside = self.quotient(c, p.over, p.under)
        if not p.ranges:
            return outside or "1"
        inside = self.quotient(Fraction(1), p.inner_over, p.inner_under) or "1"
        return self.space.join(filter(None, [outside, self.sum(p.ranges, inside)]))

    def quotient(self, c: Fraction, over: Iterable[Any], under: Iterable[Any]) -> str:
        """c · over / under; nothing for 1."""
        over, under = list(over), list(under)
        conditions = [f for f in over if isinstance(f, Bracket)]
        scalars = [f for f in over if self.is_scalar(f)]
        rest = [f for f in over if f not in conditions and f not in scalars]
        if not under and c.denominator == 1:
            scalars, rest, fraction = [], [*scalars, *rest], ""
            number = str(c) if c != 1 else ""
        else:
            top = [] if c.numerator == 1 and scalars else [str(c.numerator)]
            low = [] if c.denominator == 1 else [str(c.denominator)]
            if not scalars and not rest and c.numerator == 1:
                top = ["1"]
            fraction = self.fraction(
                self.times([*top, *map(self.factor, scalars)]),
                self.times([*low, *map(self.factor, under)]),
                len(low) + len(under) == 1 and (bool(low) or self.is_simple(under[0])),
            )
            number = ""
        every = [number, fraction, *map(self.bracket, joined(conditions)), *map(self.factor, rest)]
        return self.times([text for text in every if text])

    def is_scalar(self, f: Any) -> bool:
        """Whether it stands well above a fraction line."""
        base = f.of if isinstance(f, Power) else f
        return isinstance(base, Whole) or (
            isinstance(base, Entry) and not base.at and base.time is None
        )

    def is_simple(self, f: Any) -> bool:
        """Whether it needs no brackets below a slash."""
        return isinstance(f, Entry) or (isinstance(f, Whole) and self.is_letter(f.of))

    @staticmethod
    def is_letter(e: Linear) -> bool:
        """Whether a linear expression is one letter or one number."""
        return not e.terms or (not e.const and [c for _, c in e.terms] == [1])

    def factor(self, f: Any) -> str:
        """A factor of whatever kind."""
        if isinstance(f, Addition):
            return self.parenthesised(self.addition(f))
        if isinstance(f, Whole):
            text = self.linear(f.of)
            return text if self.is_letter(f.of) else self.parenthesised(text)
        if isinstance(f, Entry):
            return self.entry(f)
        if isinstance(f, Function):
            return self.function(f.name, self.addition(f.of))
        if isinstance(f, Power):
            base = self.factor(f.of)
            if isinstance(f.of, Power) or (isinstance(f.of, Entry) and (f.of.at or f.of.time)):
                base = self.parenthesised(base)
            return self.power(base, self.linear(f.exponent), self.is_letter(f.exponent))
        if isinstance(f, Product):
            lone = len(f.of.pieces) == 1 and f.of.pieces[0].coefficient > 0
            inside = self.addition(f.of)
            return self.product(f, inside if lone else self.parenthesised(inside))
        if isinstance(f, Bracket):
            return self.bracket(f)
        raise TypeError(f"no factor of a formula: {f!r}")

    def linear(self, e: Linear) -> str:
        """A linear expression in letters."""
        text = ""
        for name, c in e.terms:
            sign = self.minus if c < 0 else "+"
            size = "" if abs(c) == 1 else str(abs(c))
            gap = " " if text else ""
            shown = sign if text or c < 0 else ""
            text += f"{gap}{shown}{gap}{size}{self.letter(name)}"
        if e.const or not text:
            sign = self.minus if e.const < 0 else "+"
            text += (
                f" {sign} {abs(e.const)}"
                if text
                else f"{self.minus if e.const < 0 else ''}{abs(e.const)}"
            )
        return text

    def range_text(self, r: Range) -> str:
        """i < n, or 1 ≤ i ≤ n: where it starts at 0, that is not said."""
        if r.low is None or r.high is None:
            return self.letter(r.letter)
        low = "" if r.low == Linear() else f"{self.linear(r.low)} {self.sign('≤')} "
        return f"{low}{self.letter(r.letter)} {self.below(r.high)}"

    def below(self, high: Linear) -> str:
        """< n, or ≤ n for < n + 1."""
        if high.const > 0:
            return f"{self.sign('≤')} {self.linear(high.plus(-1))}"
        return f"{self.sign('<')} {self.linear(high)}"

    def quantifier(self, q: Quantifier) -> str:
        """The range of letters for which a formula holds."""
        names = ", ".join(map(self.letter, q.letters))
        if q.high is None:
            return f"{names} {self.sign('≥')} {self.linear(q.low)}"
        return f"{self.linear(q.low)} {self.sign('≤')} {names} {self.below(q.high)}"

    def relations(self, every: Iterable[Relation]) -> str:
        """0 ≤ i < n for 0 ≤ i and i < n."""
        chains: list[list[Relation]] = []
        for r in every:
            after = next((c for c in chains if c[-1].right == r.left and r.sign != "="), None)
            before = next((c for c in chains if c[0].left == r.right and r.sign != "="), None)
            if after is not None and after[-1].sign != "=":
                after.append(r)
            elif before is not None and before[0].sign != "=":
                before.insert(0, r)
            else:
                chains.append([r])
        return ", ".join(map(self._chain, chains))

    def _chain(self, chain: list[Relation]) -> str:
        links = (f" {self.sign(r.sign)} {self.linear(r.right)}" for r in chain)
        return self.linear(chain[0].left) + "".join(links)

    # How parts look, in plain text.

    def sign(self, sign: str) -> str:
        """A relation's sign."""
        return sign

    def letter(self, name: str) -> str:
        """A name."""
        return name

    def entry(self, f: Entry) -> str:
        """An array's entry, its indices in brackets."""
        at = ", ".join(map(self.linear, f.at))
        given = ", ".join(map(self.linear, f.given))
        inside = "; ".join(filter(None, [at, given]))
        time = "" if f.time is None else self.linear(f.time).replace(" ", "")
        time = f"_{time}" if len(time) == 1 else f"_{{{time}}}" if time else ""
        return f"{f.name}{time}[{inside}]" if inside else f"{f.name}{time}"

    def function(self, name: str, of: str) -> str:
        """A function of a formula."""
        before, after = FENCES.get(name, (f"{name}(", ")"))
        return f"{before}{of}{after}"

    def power(self, base: str, exponent: str, simple: bool) -> str:
        """A power."""
        if exponent.isdigit():
            return base + exponent.translate(SUPERSCRIPTS)
        return f"{base}^{exponent}" if simple else f"{base}^({exponent})"

    def product(self, f: Product, inside: str) -> str:
        """A running product."""
        shown = self.range_text(Range(f.letter, f.low, f.high))
        return f"∏_{{{shown}}} {inside}"

    def bracket(self, f: Bracket) -> str:
        """A guard in brackets."""
        return f"[{self.relations(f.relations)}]"

    def sum(self, ranges: Iterable[Range], inside: str) -> str:
        """A sum over ranges."""
        return f"Σ_{{{', '.join(map(self.range_text, ranges))}}} {inside}"

    def times(self, factors: list[str]) -> str:
        """A product of factors."""
        return " ".join(factors)

    def fraction(self, top: str, low: str, simple: bool) -> str:
        """A fraction."""
        return f"{top}/{low}" if simple else f"{top}/({low})" if low[0] != "(" else f"{top}/{low}"

    def parenthesised(self, text: str) -> str:
        """A formula in parentheses."""
        return f"({text})"


TEXT = Text()


def joined(brackets: Iterable[Bracket]) -> list[Bracket]:
    """[p] [q] as [p, q]."""
    relations = tuple(r for one in brackets for r in one.relations)
    return [Bracket(relations)] if relations else []


def opening(one: Addition) -> tuple[Addition, Addition] | None:
    """Of c (…) the part before the bracket and what stands in it, if the one piece of the sum ends in a bracket."""
    if len(one.pieces) != 1:
        return None
    p = one.pieces[0]
    where = "inner_over" if p.ranges else "over"
    factors = getattr(p, where)
    if not factors or not isinstance(factors[-1], Addition):
        return None
    head = replace(p, **{where: factors[:-1]})
    return Addition((head,)), factors[-1]
