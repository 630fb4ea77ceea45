"""The lines of a derivation of bounds: each an inequality with both of its sides, and the schema that makes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ...inequalities.certificate import (
    Combined,
    Concluded,
    Given,
    Induction,
    Majorised,
    Read,
    Rewritten,
    Squared,
)
from ...inequalities.check import Shown
from ...inequalities.schemas import (
    BY_SQUARES,
    CANCELLED,
    INDUCTION,
    SERIES,
    SQUARE,
    STATES,
    TRIANGLE,
    Fact,
    facts_of,
    ordered,
    schemas,
    schemas_of,
)
from ...inequalities.statements import Inequality, instance_beside
from ...inequalities.written import check_written
from ...language.claim import Claim
from ...search.all_sizes import Found
from ...search.session import EFFORT, resumed
from . import prover
from .document import Derivation, Formula, Section
from .expression import Addition, Entry, Function, Linear, Piece, Power, single
from .printing import TEXT, opening
from .replaying import session_of
from .terms import Scope, as_factor, positions_in
from .text import numbers
from .writer import MEASURES, Writer

WRITING = 10 * EFFORT
"""What writing a derivation down may take, which goes through many small steps."""
READABLE = 40
"""Of a longer sum on the way to a bound only the first terms are printed."""
LONGEST = 400
"""Nor is a sum of products printed that is longer."""
PRODUCTS = "a sum of products of what is ≥ 0"
REARRANGED = "rearranged"
MANY = 8
"""So many hypotheses are not told one by one in the idea."""
UNSAID = (INDUCTION, SERIES, STATES, SQUARE, CANCELLED)
"""The schemas that are no idea."""


def bounded(claim: Claim, proof: Found, before: Derivation) -> list[Section]:
    """What a written certificate of bounds shows, behind the derivation of the claim's equations.

    Args:
        claim: the claim.
        proof: its proof; checking its bounds begins a registry of the kernel.
        before: the equations, whose hypotheses get the formulas that bounds use; without any, what is given is said.
    """
    checked = check_written(proof.certificate.bounds)
    count = len(checked.shown.problem.goals)
    with resumed(session_of(proof.session, checked.equations)) as session:
        session.left = WRITING
        writer = Writer(claim, session, before)
        bounds = BoundWriter(writer, checked.shown)
        bounds.hypotheses(before)
        writer.definitions()
        writer.section("The bound" if count == 1 else "The bounds")
        bounds.idea()
        bounds.goals()
        writer.section("Result")
        if not before.lines:
            writer.assumptions(proof.axioms, proof.assumes)
        writer.result(count, "bound", bounds.given.values())
        return [section for section in writer.sections if section.lines]


@dataclass
class BoundWriter:
    """Writes what shows each goal of a certificate of bounds, in the order in which one rests on another."""

    writer: Writer
    shown: Shown
    given: dict[str, int] = field(default_factory=dict)
    """For each hypothesis by its name the line in which it is given."""
    lines: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """The lines that a fact stands in, or rests on if it has none of its own."""
    said: dict[tuple[Addition, ...], list[tuple[Formula, int]]] = field(default_factory=dict)
    """For both sides the formulas that a line has, and which."""
    lemmas: int = 0

    def hypotheses(self, before: Derivation) -> None:
        """What is given, with the hypotheses as they are used."""
        problem = self.shown.problem
        read: dict[str, list[Formula]] = {}
        used: dict[str, list[Formula]] = {}
        for name, one in zip(problem.names, problem.hypotheses, strict=True):
            formulas = read.setdefault(name, [])
            formula = self.formula(one, whole=True)
            if not _says(name, formula):
                formulas.append(formula)
            used.setdefault(name, []).extend([formula, self.formula(one)])
        if not before.lines:
            self.given = self.writer.given(read)
        lines = before.sections[0].lines if before.lines else []
        for n, line in enumerate(lines):
            if line.words in read:
                lines[n] = replace(line, formulas=tuple(read[line.words]))
                self.given[line.words] = line.number
        self.writer.section("Given")
        for name in read:
            if name not in self.given:
                self.given[name] = self.writer.write("hypothesis", *read[name], words=name)
            self._note(self.given[name], used[name])

    def idea(self) -> None:
        """In words by what the bounds are shown."""
        facts, problem = facts_of(self.shown), self.shown.problem
        inductions = [f for f in _inductions(facts, set()) if INDUCTION in schemas_of(f, problem)]
        ranged = [f for f in inductions if prover.ends(f.step.claims[0].when)[1] is not None]
        letters = list(dict.fromkeys(map(self._letter, ranged or inductions)))
        every = ordered([label for one in facts for label in schemas(one, problem)])
        lines = sorted(self.given[one] for one in every if one in self.given)
        used = [one for one in every if one not in self.given and one not in UNSAID]
        said = [f"the {one}" if one == TRIANGLE else one for one in used]
        said += [f"({numbers(lines)})" if len(lines) < MANY else "what is given"] if lines else []
        words = f"by induction on {_and(letters)}" if letters else ""
        if said:
            words += f"; the step{'s use' if letters[1:] else ' uses'} " if letters else "by "
            words += _and(said)
        if words:
            self.writer.write("the idea", words=f"B{words[1:]}.")

    def goals(self) -> None:
        """A line for each goal, the last of what shows it."""
        for fact in facts_of(self.shown):
            rests = self.line(fact)
            said = self.formula(fact.statement, whole=True)
            last = self.writer.sections[-1].lines
            if last and last[-1].formulas[-1:] == (self.formula(fact.statement),):
                last[-1] = replace(last[-1], formulas=(*last[-1].formulas[:-1], said))
            else:
                self.writer.write("the bound", said, rests_on=rests)

    def line(self, fact: Fact, said: str = "") -> tuple[int, ...]:
        """The lines to name where something rests on a fact, which are written if they are not yet.

        Args:
            fact: what is rested on.
            said: what it is: a start or a step of an induction; such facts have a line of their own.
        """
        if id(fact) not in self.lines:
            self.lines[id(fact)] = self._written(fact, said)
        elif said:
            return self._write(said, "", (self.formula(fact.statement),), self.lines[id(fact)])
        return self.lines[id(fact)]

    def _written(self, fact: Fact, said: str) -> tuple[int, ...]:
        step = fact.step
        if isinstance(step, Given):
            return (self.given[self.shown.problem.names[step.hypothesis]],)
        if isinstance(step, Induction):
            return self._induction(fact, step)
        reason, rests, by = self._reason(fact)
        formula = self.formula(fact.statement)
        nothing = _says_nothing(fact.statement) or formula.parts[0] == formula.parts[1]
        if not said and (not reason or nothing):
            return rests
        if said and reason == REARRANGED and not rests:
            reason = ""
        return self._write(said, reason, [*by, formula], rests)

    def _write(
        self, said: str, reason: str, formulas: Sequence[Formula], rests: tuple[int, ...]
    ) -> tuple[int, ...]:
        """A line, unless what it says has one."""
        writer, last = self.writer, self.writer.sections[-1].lines
        known = self._known(formulas[-1])
        if known and not said:
            return (known,)
        if said and last and known == last[-1].number:
            last[-1] = replace(last[-1], reason=f"{said}: {last[-1].reason}")
            return (known,)
        number = writer.write(": ".join(filter(None, [said, reason])), *formulas, rests_on=rests)
        self._note(number, formulas[-1:])
        return (number,)

    def _note(self, number: int, formulas: Sequence[Formula]) -> None:
        for one in formulas:
            self.said.setdefault(one.parts, []).append((one, number))

    def _known(self, one: Formula) -> int:
        """A line that says this, perhaps of more places; 0 if there is none."""
        return next((n for f, n in self.said.get(one.parts, ()) if _within(one, f)), 0)

    def _reason(self, fact: Fact) -> tuple[str, tuple[int, ...], list[Formula]]:
        """How a fact follows, from which lines, and what is ≥ 0; no reason for parts of bounds that need no line."""
        step, schemas = fact.step, ", ".join(ordered([*schemas_of(fact, self.shown.problem)]))
        if isinstance(step, Concluded):
            return self._concluded(fact)
        if isinstance(step, Rewritten) and isinstance(fact.rests[0].step, Combined):
            most = fact.rests[0]
            by = self._products(most, fact)
            return PRODUCTS, self._of([*most.rests, *fact.rests[1:]]), by
        rests = self._of(fact.rests)
        match step:
            case Majorised():
                return schemas, rests, []
            case Squared():  # the square that is ≥ 0 stands before what it shows
                squares = [one for one in fact.rests if isinstance(one.step, Combined)]
                gap = squares[-1] if squares else None
                if gap is None or _says_nothing(gap.statement):
                    return BY_SQUARES, rests, []
                by = self._products(gap, fact) or [self.formula(gap.statement)]
                return BY_SQUARES, self._of([*fact.rests, *gap.rests]), by
            case Rewritten():
                defined = self._defined(fact.statement)
                own = "by definition" if defined else REARRANGED
                if isinstance(fact.rests[0].step, Read) and fact.rests[0].step.how == "square":
                    own = "both sides squared"
                return schemas or own, tuple(sorted({*rests, *defined})), []
        return "", rests, []

    def _concluded(self, fact: Fact) -> tuple[str, tuple[int, ...], list[Formula]]:
        """Why the right side may be larger, and by what; where it is equal, why the left side is at most that."""
        most, gap, *signs = fact.rests
        own, *_ = self._reason(most) if isinstance(most.step, Majorised) else ("",)
        pieces = gap.step.pieces if isinstance(gap.step, Combined) else ()
        if not gap.statement.right.parts:
            if own and id(most) not in self.lines:
                return own, self._of([*most.rests, *signs]), []
            return REARRANGED, self._of(fact.rests), []
        rests, by = self._of(fact.rests), self._products(gap, fact)
        if own or not isinstance(most.step, Majorised):
            return f"the right side grows by {PRODUCTS}", rests, by
        if [(p.factor, len(p.uses), p.squares, p.monomial.factors) for p in pieces] == [
            (1, 1, (), ())
        ]:
            return REARRANGED, rests, []
        if not fact.statement.left.parts:
            return PRODUCTS, rests, by
        return f"right − left is {PRODUCTS}", rests, by

    def _products(self, gap: Fact, fact: Fact) -> list[Formula]:
        """0 ≤ the pieces as they stand, if they can be read and say it otherwise than the fact; none with sums."""
        pieces = gap.step.pieces if isinstance(gap.step, Combined) else ()
        if not 0 < len(pieces) <= READABLE or any(piece.monomial.bound for piece in pieces):
            return []
        reader, scope = self.writer.reader, self._scope(fact.statement)
        found: list[Piece] = []
        for piece in pieces:
            (own,) = reader.addition([(piece.monomial, piece.factor)], scope).pieces
            more: list[Any] = []
            for use in piece.uses:
                parts, images = gap.known[use.fact].statement.right.parts.items(), dict(use.images)
                pairs = [(instance_beside(n, piece.monomial, images), c) for n, c in parts]
                more.append(as_factor(reader.addition(pairs, scope)))
            more += [Power(as_factor(reader.term(one, scope)), Linear(2)) for one in piece.squares]
            alone = own == Piece(Fraction(1)) and len(more) == 1 and isinstance(more[0], Addition)
            found += more[0].pieces if alone else [replace(own, over=(*own.over, *more))]
        said = Formula((Addition(), Addition(tuple(found))), sign="≤")
        plain = reader.term(fact.statement.right, scope).pieces
        readable = len(found) > 1 and len(TEXT.addition(said.parts[1])) <= LONGEST
        return [said] if readable and set(found) != {*plain} else []

    def _of(self, facts: Sequence[Fact]) -> tuple[int, ...]:
        return tuple(sorted({number for one in facts for number in self.line(one)}))

    def _defined(self, one: Inequality) -> set[int]:
        """The lines that define the states of an inequality."""
        names = {f.name for side in (one.left, one.right) for m in side.parts for f in m.factors}
        defined_as, states = self.writer.defined_as, self.writer.reader.states
        return {
            self.writer.defined[defined_as[states[name]]]
            for name in names & states.keys()
            if states[name] in defined_as
        }

    def _induction(self, fact: Fact, step: Induction) -> tuple[int, ...]:
        """A lemma with all that is shown together, its start and its step; what it needs besides comes before."""
        together = [one for one in fact.known if one.step is step]
        for one in _inductions([end for own in together for end in own.rests], set()):
            if one in fact.known and one not in together:
                self.line(one)
        self.lemmas += 1
        letter = self._letter(fact)
        said = [self.formula(one.statement) for one in together]
        named = f"Bound {self.lemmas}, by induction on {letter}"
        if [*schemas_of(fact, self.shown.problem)] == [STATES]:
            return self._obvious(together, f"{named}: {STATES}", said)
        stated = self.writer.write(named, *said)
        self._note(stated, said)
        self._suppose(together, stated)
        for one in together:
            start, later = one.rests
            self.line(start, f"start, {letter} = 0")
            self.line(later, f"step from {letter} to {letter} + 1")
        return (stated,)

    def _suppose(self, together: Sequence[Fact], stated: int) -> None:
        """An induction's claims, and what it supposes, stand in this line."""
        for one in together:
            self.lines[id(one)] = (stated,)
            for other in one.rests[1].known:
                if other.step is None:
                    self.lines.setdefault(id(other), (stated,))

    def _obvious(
        self, together: Sequence[Fact], reason: str, said: Sequence[Formula]
    ) -> tuple[int, ...]:
        """One line for what starts ≥ 0 and stays so."""
        stated = self.writer.count + 1
        self._suppose(together, stated)
        rests = {*self._of([end for one in together for end in one.rests])} - {stated}
        self.writer.write(reason, *said, rests_on=tuple(sorted(rests)))
        self._note(stated, said)
        return (stated,)

    def _letter(self, fact: Fact) -> str:
        return self._scope(fact.step.claims[0].statement).letters[fact.step.claims[0].when]

    def _positions(self, one: Inequality) -> list[int]:
        """Those of states come first, as in their definitions."""
        states = self.writer.reader.states
        pairs = [*one.left.parts.items(), *one.right.parts.items()]
        parts = [m for m, _ in prover.opened(pairs, self.writer.session)]
        factors = sorted(f for m in parts for f in m.factors if f.name in states)
        factors.sort(key=lambda f: min(f.variables(), default=0) < 0)
        first = [v for f in factors for e in f.at for v in sorted(e.variables())]
        every = [*positions_in([one.left, one.right]), *one.ends]
        return [v for v in dict.fromkeys([*first, *every]) if v in every]

    def _scope(self, one: Inequality) -> Scope:
        return self.writer.reader.scope(self._positions(one))

    def formula(self, one: Inequality, whole: bool = False) -> Formula:
        """measure(left) ≤ right, for all positions; on the way to a goal long sums are cut."""
        scope, writer = self._scope(one), self.writer
        sides = []
        for side in (one.left, one.right):
            forms = [writer.reader.term(form, scope) for form in (writer.simplified(side), side)]
            sides.append(
                min(forms, key=lambda f: len(TEXT.addition(f))) if whole else _cut(forms[0])
            )
        left, right = sides
        if one.measure:
            left = single(Function(MEASURES[one.measure], left))
        over = scope.quantifiers([v for v in self._positions(one) if v not in one.ends])
        return Formula((left, right), over, "≤")


def _inductions(facts: Sequence[Fact], met: set[int]) -> Iterator[Fact]:
    """The inductions that facts rest on, those first that others rest on."""
    for fact in facts:
        if id(fact) not in met:
            met.add(id(fact))
            yield from _inductions(fact.rests, met)
            if isinstance(fact.step, Induction):
                yield fact


def _cut(one: Addition) -> Addition:
    """The first terms of a long sum, also of one in brackets."""
    opened = opening(one)
    if opened is not None:
        head, inside = opened
        (p,) = head.pieces
        where = "inner_over" if p.ranges else "over"
        return Addition((replace(p, **{where: (*getattr(p, where), _cut(inside))}),))
    if len(one.pieces) <= READABLE:
        return one
    return Addition((*one.pieces[: READABLE // 3], *single(Entry("…")).pieces))


def _within(one: Formula, other: Formula) -> bool:
    """Whether all places of a formula are among those of another with the same sides."""
    ranges = {letter: q for q in other.over for letter in q.letters}
    for q in one.over:
        for letter in q.letters:
            wide = ranges.get(letter)
            if wide is None or wide.low != q.low:
                return False
            low, high = q.high, wide.high
            if high and not (low and low.terms == high.terms and low.const <= high.const):
                return False
    return True


def _says_nothing(one: Inequality) -> bool:
    """Whether it is that 0 is at most something measured, or one product, or a comparison of numbers."""
    if not one.left.parts and (one.measure or len(one.right.parts) < 2):
        return True
    return not any(m.factors for side in (one.left, one.right) for m in side.parts)


def _says(words: str, formula: Formula) -> bool:
    """Whether the words of a hypothesis say the formula already: u ≥ 0."""
    left, right = map(TEXT.addition, formula.parts)
    return not formula.over and words in (f"{left} ≤ {right}", f"{right} ≥ {left}")


def _and(words: Sequence[str]) -> str:
    """One, two and three."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
