"""What a printed derivation says, computed: its formulas with numbers for inputs, without the kernel's terms."""

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.sizes import shape
from scanproof.proofs.report.derivation.document import Derivation, Formula, Quantifier
from scanproof.proofs.report.derivation.expression import (
    Addition,
    Bracket,
    Entry,
    Function,
    Linear,
    Piece,
    Power,
    Product,
    Range,
    Whole,
)
from scanproof.proofs.report.words import symbol

Letters = dict[str, int]
WIDE = 9
"""A sum over all whole numbers has its terms between these."""
SIGNS = {"=": int.__eq__, "≤": int.__le__, "<": int.__lt__}


class Values:
    """Values of the formulas of one derivation; states come from its definitions, sides from their first lines."""

    def __init__(self, claim: Claim, derivation: Derivation, sizes: Mapping[str, int]) -> None:
        self.derivation = derivation
        self.sizes = {symbol(name): value for name, value in sizes.items()}
        self.arrays: dict[str, dict[tuple[int, ...], Fraction]] = {}
        rng = random.Random(f"{claim.id} {sorted(sizes.items())}")
        for name, text in claim.given.items():
            places = itertools.product(*(range(n) for n in shape(text, sizes)))
            own = {at: Fraction(rng.randint(1, 50), rng.randint(1, 5)) for at in places}
            self.arrays[symbol(name)] = own
        self.defined: dict[str, list[tuple[Entry, Addition]]] = {}
        self.known: dict[Any, Fraction] = {}

    def wrong(self) -> list[str]:
        """The lines in which two parts of a formula differ, each with where they do."""
        found = []
        for line in self.derivation.lines:
            for formula in line.formulas if line.reason.startswith("definition of") else ():
                self._define(formula)
        for line in self.derivation.lines:
            if "as read" in line.reason or "side, in normal form" in line.reason:
                self._sides(line.formulas[0])
            for formula in line.formulas:
                if formula.sign != "=":
                    continue
                for letters in self.places(formula.over, {}):
                    values = {self.addition(part, letters) for part in formula.parts}
                    if len(values) > 1:
                        found.append(f"line {line.number} at {letters}")
        return found

    def _define(self, formula: Formula) -> None:
        head = formula.parts[0].pieces[0].over[0]
        self.defined.setdefault(head.name, []).append((head, formula.parts[1]))

    def _sides(self, formula: Formula) -> None:
        for side in (formula.parts[0], *formula.parts[2:]):
            head = side.pieces[0].over[0]
            self.defined[head.name] = [(head, formula.parts[1])]
            self.known = {key: value for key, value in self.known.items() if key[0] != head.name}

    def places(self, over: Sequence[Quantifier], letters: Letters) -> Iterator[Letters]:
        if not over:
            yield letters
            return
        one, *rest = over
        for values in itertools.product(
            range(self.linear(one.low, letters), self.linear(one.high, letters)),
            repeat=len(one.letters),
        ):
            yield from self.places(rest, {**letters, **dict(zip(one.letters, values, strict=True))})

    def linear(self, e: Linear, letters: Letters) -> int:
        return e.const + sum(c * {**self.sizes, **letters}[name] for name, c in e.terms)

    def addition(self, one: Addition, letters: Letters) -> Fraction:
        return sum((self.piece(p, letters) for p in one.pieces), Fraction(0))

    def piece(self, p: Piece, letters: Letters) -> Fraction:
        value = p.coefficient * self.quotient(p.over, p.under, letters)
        if not value or not p.ranges:
            return value
        inner = (
            self.quotient(p.inner_over, p.inner_under, place)
            for place in self.summed(p.ranges, letters)
        )
        return value * sum(inner, Fraction(0))

    def quotient(self, over: Sequence[Any], under: Sequence[Any], letters: Letters) -> Fraction:
        """What stands beside a bracket that is 0 need not have a value."""
        value = Fraction(1)
        for f in sorted(over, key=lambda f: not isinstance(f, Bracket)):
            value *= self.factor(f, letters)
            if not value:
                return value
        for f in under:
            value /= self.factor(f, letters)
        return value

    def summed(self, ranges: Sequence[Range], letters: Letters) -> Iterator[Letters]:
        if not ranges:
            yield letters
            return
        one, *rest = ranges
        if one.low is None or one.high is None:
            values = range(-WIDE, WIDE)
        else:
            values = range(self.linear(one.low, letters), self.linear(one.high, letters))
        for n in values:
            yield from self.summed(rest, {**letters, one.letter: n})

    def factor(self, f: Any, letters: Letters) -> Fraction:
        if isinstance(f, Addition):
            return self.addition(f, letters)
        if isinstance(f, Whole):
            return Fraction(self.linear(f.of, letters))
        if isinstance(f, Power):
            return self.factor(f.of, letters) ** self.linear(f.exponent, letters)
        if isinstance(f, Product):
            value = Fraction(1)
            for n in range(self.linear(f.low, letters), self.linear(f.high, letters)):
                value *= self.addition(f.of, {**letters, f.letter: n})
            return value
        if isinstance(f, Bracket):
            holds = (
                SIGNS[r.sign](self.linear(r.left, letters), self.linear(r.right, letters))
                for r in f.relations
            )
            return Fraction(all(holds))
        if isinstance(f, Function):
            inner = self.addition(f.of, letters)
            return 1 + inner + inner**2  # nothing is known of it but its name
        return self.entry(f, letters)

    def entry(self, f: Entry, letters: Letters) -> Fraction:
        at = tuple(self.linear(e, letters) for e in f.at)
        if f.name not in self.defined or (f.time is None and f.name not in ("left", "right")):
            # What stands outside an array must not matter: it is multiplied by 0.
            outside = Fraction(1009 + 7 * sum(n * 3**k for k, n in enumerate(at)), 5)
            return self.arrays[f.name].get(at, outside)
        time = None if f.time is None else self.linear(f.time, letters)
        given = tuple(self.linear(e, letters) for e in f.given)
        key = (f.name, time, at, given)
        if key not in self.known:
            head, body = self.defined[f.name][bool(time)]
            own = {} if not time or head.time is None else {head.time.terms[0][0]: time - 1}
            for e, value in zip((*head.at, *head.given), (*at, *given), strict=True):
                own[e.terms[0][0]] = value
            self.known[key] = self.addition(body, own)
        return self.known[key]
