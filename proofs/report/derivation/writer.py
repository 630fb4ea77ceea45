"""The lines of a derivation: what is given, definitions, lemmas by induction, and equations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar, cast

from ...decide.verdict import place
from ...interpret.claims import Part
from ...interpret.measured import AXES
from ...interpret.terms import substitute
from ...kernel import index
from ...kernel.errors import KernelError
from ...kernel.index import Index
from ...kernel.term import Factor, Monomial, Term
from ...kernel.theorem import Theorem
from ...language.claim import Claim
from ...language.sizes import names
from ...search.normal import simplified as without_needless
from ...search.session import Lemma, Proving
from ..words import Record, inputs_inline, is_collision, symbol
from . import prover
from .document import Derivation, Formula, Line, Quantifier, Section
from .expression import Addition, Entry, Function, single
from .names import named, role, said_shape, said_sizes, step_of
from .normal_forms import normal_form, simplified
from .reasons import Steps, because
from .reasons import steps as steps_between
from .terms import Induction, Reader, Scope, positions_in
from .text import numbers

Equation = tuple[Term, Term]
Made = TypeVar("Made")
FORMULA = 20_000
"""What bringing one formula to the form in which it is printed may take; nothing rests on that form."""
DEFINED = "definition of "
SIDES = ("left", "right")
MEASURES = {"norm": "norm", "absolute": "abs", "operator": "opnorm"}
"""Norms on paper: of all that the positions without a range run through."""


class Writer:
    """Writes the lines of one derivation."""

    def __init__(self, claim: Claim, session: Proving, before: Derivation | None = None) -> None:
        self.claim, self.session = claim, session
        lines = [] if before is None else before.lines
        self.known = {
            one.reason.removeprefix(DEFINED): one for one in lines if DEFINED in one.reason
        }
        """The lines before these in which states are defined, by what they are called."""
        taken = {symbol(one) for one in (*claim.given, *claim.ranges)} | self.known.keys()
        states = named(session, taken)
        self.reader = Reader(session, states, taken)
        self.sections: list[Section] = []
        self.count = len(lines)
        self.defined: dict[str, int] = {}
        """The line in which a state is defined."""
        self.shown: dict[Theorem, int] = {}
        """The line in which a lemma is stated."""
        self.claimed: dict[Formula, int] = {}
        self._definitions: dict[int, Term] = {}
        self.defined_as: dict[str, str] = {}
        """For each name on paper the state that is defined under it."""

    def section(self, heading: str) -> None:
        """Begin a section."""
        self.sections.append(Section(heading))

    def write(self, reason: str, *formulas: Formula, **more: Any) -> int:
        """Add a line, and give back its number."""
        self.count += 1
        self.sections[-1].lines.append(Line(self.count, reason, formulas, **more))
        return self.count

    def finished(self) -> Derivation:
        """The derivation, without sections that stayed empty."""
        return Derivation(self.claim.id, [s for s in self.sections if s.lines])

    def formed(self, make: Callable[..., Made], *given: Any) -> Made | None:
        """What a formula comes to, or None where that takes too long: then it is left as it is."""
        before, self.session.left = self.session.left, FORMULA
        try:
            return make(*given)
        except KernelError:
            return None
        finally:
            self.session.left = before

    def simplified(self, term: Term) -> Term:
        """The term as it is printed, or as it is where that takes too long."""
        return self.formed(simplified, term) or term

    # What is given.

    def given(self, read: Mapping[str, Sequence[Formula]] | None = None) -> dict[str, int]:
        """What is given; of conditions that are bounds also how they are read, which their names need not say.

        Returns:
            The line of each condition.
        """
        self.section("Given")
        claim = self.claim
        self.write("sizes", words=f"Whole numbers {said_sizes(claim)}.")
        arrays = [f"{symbol(name)} ({said_shape(text)})" for name, text in claim.given.items()]
        if arrays:
            self.write("inputs", words=f"Any numbers: {'; '.join(arrays)}.")
        if claim.parameters is not None:
            own = inspect.unwrap(claim.parameters)
            changed = (
                f" with the corrections {', '.join(claim.corrections)}" if claim.corrections else ""
            )
            lambda_ = own.__name__ == "<lambda>"
            what = "those of the claim" if lambda_ else f"{own.__name__}"
            self.write("parameters", words=f"{what}{changed}", places=(place(own),))
        read = read or {}
        every: list[str] = [*claim.hypotheses, *claim.assuming, *read]
        return {
            text: self.write("hypothesis", *read.get(text, ()), words=text)
            for text in dict.fromkeys(every)
        }

    def conditions(self, parts: Sequence[Part]) -> dict[str, list[Formula]]:
        """How conditions that are bounds are read, by their text."""
        found: dict[str, list[Formula]] = {}
        for part in parts:
            found.setdefault(part.condition, []).append(self._bound(part))
        return found

    def _bound(self, part: Part) -> Formula:
        """measure(left) ≤ right, for all positions."""
        outer = part.left.at[: part.left.ndim - AXES.get(part.measure, 0)]
        right = without_needless(part.right.entry(outer))
        positions = positions_in([part.left.term, right])
        scope = self.reader.scope(positions)
        left = self.reader.term(part.left.term, scope)
        if part.measure:
            left = single(Function(MEASURES[part.measure], left))
        axes = {v for e in outer for v in e.variables()}
        over = scope.quantifiers([v for v in positions if v in axes or not part.measure])
        return Formula((left, self.reader.term(right, scope)), over, "≤")

    # Definitions.

    def definitions(self) -> None:
        """Write a line for the definition of each recursion."""
        self.section("Definitions")
        for name in self._distinct():
            start, step = self._definition(name)
            function, shown = step_of(self.session, name), self.reader.states[name]
            if shown in self.known:
                self.defined[name] = self.known[shown].number
                continue
            self.defined[name] = self.write(
                f"{DEFINED}{shown}",
                start,
                step,
                places=() if function is None else (place(function),),
            )

    def _definition(self, name: str) -> tuple[Formula, Formula]:
        """What the state is at 0 and after a step."""
        recursion, k = self.session.recursions[name]
        state = recursion.states[k]
        at = (*state.at, *state.given)
        positions = [prover.number_of(v) for v in at]
        time = prover.number_of(recursion.time)
        scope = self.reader.scope([time, *positions])

        def formula(when: Index, term: Term, over: list[int]) -> Formula:
            left = self.reader.factor(Factor(name, (when, *at)), scope)
            right = self.reader.term(self._as_defined(term), scope)
            return Formula((left, right), scope.quantifiers(over))

        start = formula(Index(0), recursion.first[k], positions)
        return start, formula(recursion.time + 1, recursion.step[k], [time, *positions])

    def _as_defined(self, term: Term) -> Term:
        """A start or step as its definition has it; each is needed once for every name that states might have."""
        known = self._definitions.get(id(term))
        if known is None:
            known = self.formed(prover.as_defined, term, self.session) or term
            self._definitions[id(term)] = known
        return known

    def _distinct(self) -> list[str]:
        """The states that are not products, one for those of equal definitions: they get one name, too."""
        states = self.reader.states
        names = [n for n in self.session.recursions if n in states]
        for name in names:
            self._called_as_before(name)
        while True:
            known: dict[Any, str] = {}
            for name in names:
                recursion, k = self.session.recursions[name]
                own = {s.name: f"?{n}" for n, s in enumerate(recursion.states)}
                kept = {one: states[one] for one in own}
                states.update(own)
                key = (k, *self._definition(name))
                states.update(kept)
                known.setdefault(key, name)
                first = states[known[key]]
                if states[name] != first:
                    states[name] = first
                    break
            else:
                break
        return self._renamed(names)

    def _called_as_before(self, name: str) -> None:
        """A state that is defined before keeps its name."""
        own = self.reader.states[name]
        for shown, line in self.known.items():
            self.reader.states[name] = shown
            if self._definition(name) == line.formulas:
                return
        self.reader.states[name] = own

    def _renamed(self, names: Sequence[str]) -> list[str]:
        """The first state of each name, the names having as few primes as they can."""
        states, short = self.reader.states, {}
        for name in names:
            old = states[name]
            if old in self.known:
                short[old] = old
            if old not in short:
                base = old.rstrip("′")
                taken = {*self.reader.taken - {*states.values()}, *short.values(), *self.known}
                while base in taken:
                    base += "′"
                short[old] = base
        for name in names:
            states[name] = short[states[name]]
            self.defined_as.setdefault(states[name], name)
        return list(self.defined_as.values())

    # Lemmas.

    def lemmas(self, needed: Iterable[Theorem], proofs: bool = True) -> None:
        """The closed forms that interpretation used, and the lemmas that theorems rest on; with or without proofs."""
        self.section("Lemmas")
        wanted = set(needed)
        for lemma in self.session.inductions:
            if self.session.is_product(lemma.claims[0][0].name):
                continue  # one name for what another is in normal form
            if not wanted & set(lemma.rules) and not prover.is_closed_form(lemma, self.session):
                continue
            for (factor, right), rule in zip(lemma.claims, lemma.rules, strict=True):
                self._lemma(lemma, factor, right, rule, proofs)

    def _lemma(
        self, lemma: Lemma, factor: Factor, right: Term, rule: Theorem, proofs: bool
    ) -> None:
        when = prover.number_of(lemma.when)
        positions = [when, *positions_in([right], factor)]
        scope = self.reader.scope(positions)
        read = self.reader.factor(factor, scope)
        shown = self.reader.term(self.simplified(right), scope)
        claim = Formula((read, shown), scope.quantifiers(positions))
        if claim in self.claimed:
            self.shown[rule] = self.claimed[claim]
            return
        number = len(self.claimed) + 1
        stated = self.write(f"Lemma {number}, by induction on {scope.letters[when]}", claim)
        self.shown[rule] = self.claimed[claim] = stated
        if proofs:
            defined = self.defined[self.defined_as[self.reader.states[factor.name]]]
            one = Induction(lemma, factor, right, rule, scope, when, positions[1:], defined)
            self._start(one)
            self._step(one)

    def _start(self, one: Induction) -> None:
        zero = one.scope.at_zero(one.when)
        at_start = substitute(one.right, {one.lemma.when: Index(0)})
        value = self.formed(normal_form, at_start, self.session)
        parts = [self.reader.factor(one.factor, zero)]
        parts += [] if value is None else [self.reader.term(value, one.scope)]
        written = self.reader.term(self.simplified(one.right), zero)
        if written != parts[-1]:
            parts.append(written)
        self.write(
            f"start, {one.scope.letters[one.when]} = 0",
            Formula(tuple(parts), one.scope.quantifiers(one.positions)),
            rests_on=(one.defined,),
        )

    def _step(self, one: Induction) -> None:
        time = prover.before_last(one.lemma.when)
        now = prover.number_of(time)
        t = one.scope.letters[one.when]
        inner = one.scope.with_name_of(one.when, now)
        over = inner.quantifiers([now, *one.positions])
        after = one.factor.substitute({one.when: time + 1})
        head = self.reader.factor(after, inner)
        used = prover.resting(one.rule.used)
        by_definition = self.formed(prover.unfolded, after, self.session)
        by_hypothesis = by_definition and self.formed(
            prover.by_rules, by_definition, [*one.lemma.rules, *used], self.session
        )
        goal = substitute(one.right, {one.lemma.when: time + 1})
        forms = [
            None if form is None else self.reader.term(form, inner)
            for form in (by_definition, by_hypothesis, self.simplified(goal))
        ]
        steps = by_hypothesis and self.formed(
            steps_between, by_hypothesis, goal, self.session, {now}
        )
        reason, more = self._because(steps, splits=True)
        reasons = [
            f"step from {t} to {t} + 1: the definition",
            "the induction hypothesis",
            reason,
        ]
        rests = [(one.defined,), (self.shown[one.rule], *self._lines(used))]
        for n in range(3):
            form = forms[n]
            if form is None or (n and form == forms[n - 1]):
                continue
            on = rests[n] if n < 2 else (self.count, *sorted(more))
            self.write(reasons[n], Formula((head, form), over), rests_on=on)

    # Statements.

    def _sides(
        self, *terms: Term
    ) -> tuple[Scope, tuple[Quantifier, ...], tuple[Addition, Addition]]:
        """Letters for the positions of an equation, their ranges, and its sides by name: left[a, b], right[a, b]."""
        positions = positions_in(terms)
        scope = self.reader.scope(positions)
        over = scope.quantifiers(positions)
        at = tuple(scope.linear(index.variable(v)) for v in positions)
        left, right = (single(Entry(name, at)) for name in SIDES)
        return scope, over, (left, right)

    def statement(
        self, equation: Equation, label: str, used: Iterable[Any], recorded: Sequence[Term]
    ) -> None:
        """Both sides as they are read, their normal forms, and why they are equal.

        Args:
            equation: both sides, closed forms in place of states.
            label: the section's heading.
            used: what the proof rests on.
            recorded: both sides with the states that they mention.
        """
        self.section(label)
        scope, over, sides = self._sides(*equation)
        as_read = [self.reader.term(side, scope) for side in equation]
        if as_read[0] == as_read[1]:
            said = Formula((sides[0], as_read[0], sides[1]), over)
            self.write("both sides, as read, are the same", said, rests_on=self._closed(*recorded))
            return
        lines = [
            self.write(
                f"the {name} side, as read", Formula((side, term), over), rests_on=self._closed(own)
            )
            for name, side, term, own in zip(SIDES, sides, as_read, recorded, strict=True)
        ]
        normal = [self.formed(normal_form, side, self.session) or side for side in equation]
        forms = [self.reader.term(side, scope) for side in normal]
        rests = self._lines(prover.resting(used))
        for k, name in enumerate(SIDES):
            if forms[k] != as_read[k]:
                lines[k] = self.write(
                    f"normal form of the {name} side",
                    Formula((sides[k], forms[k]), over),
                    rests_on=(lines[k], *rests),
                )
        reason, more = "both sides have the same normal form", set()
        if forms[0] != forms[1]:
            steps = self.formed(steps_between, *equation, self.session)
            reason, more = self._because(steps)
        self.write(reason, Formula(sides, over), rests_on=(*lines, *sorted(more)))

    def _because(self, steps: Steps | None, splits: bool = False) -> tuple[str, set[int]]:
        """How the difference goes to 0, and the definitions that are used on the way."""
        rests = [] if steps is None else steps.rests_on
        used = [cast(Factor, rule.left).name for rule in rests if rule.name == "definition"]
        shown = [self.reader.states[n] for n in used if n in self.reader.states]
        said = "".join(f"the definition of {name}; " for name in dict.fromkeys(shown))
        if any(n not in self.reader.states for n in used):
            said += "the last factor of a product split off; "
        return said + because(steps, splits), {
            self.defined[self.defined_as[name]] for name in shown
        }

    def difference(self, equation: Equation, difference: Term, heading: str) -> None:
        """Both sides in normal form, and what is left between them."""
        self.section(heading)
        normal = [normal_form(side, self.session) for side in equation]
        scope, over, sides = self._sides(*normal, difference)
        lines = [
            self.write(
                f"the {name} side, in normal form",
                Formula((side, self.reader.term(form, scope)), over),
            )
            for name, side, form in zip(SIDES, sides, normal, strict=True)
        ]
        both = Addition((*sides[0].pieces, replace(sides[1].pieces[0], coefficient=Fraction(-1))))
        self.write(
            "what is left over: not 0, as the example shows",
            Formula((both, self.reader.term(difference, scope)), over),
            rests_on=tuple(lines),
        )

    def _closed(self, *terms: Term) -> tuple[int, ...]:
        """The lemmas that say what the states are which these terms mention."""
        names = {name for term in terms for name in prover.states_in(term, self.session)}
        rules = {self.session.closed[name][0] for name in names}
        return tuple(sorted({self.shown[rule] for rule in rules if rule in self.shown}))

    def _lines(self, rules: Iterable[Theorem]) -> tuple[int, ...]:
        closed = {rule for rule, _ in self.session.closed.values()}  # used wherever a state stood
        wanted = set(rules) - closed
        return tuple(sorted({self.shown[rule] for rule in wanted if rule in self.shown}))

    # The end.

    def denominators(self, theorems: Sequence[Theorem], rules: Sequence[Theorem]) -> None:
        """Write a line for each denominator that is taken not to be 0."""
        for one in prover.inverses(theorems, rules):
            arity, of = prover.inverse_named(one)
            of = list(of)
            scope = Scope(self.reader, {}, {})
            for k in range(1, arity + 1):
                scope.name(-k, self._role(-k, of))
            shown = self.reader.addition(of, scope, arity)
            self.write("a denominator, at all its indices", Formula((shown, Addition()), sign="≠"))

    def _role(self, v: int, of: Iterable[tuple[Monomial, Fraction]]) -> str:
        """What an index counts, by the axes of arrays in which it stands."""
        for m, _ in of:
            for f in m.factors:
                axes = self.claim.given.get(f.name, "").split()
                for e, axis in zip(f.at, axes, strict=False):
                    if e.coefficient(v):
                        return role(names([axis]))
        return "feature"

    def assumptions(self, axioms: Iterable[str], assumed: Iterable[str]) -> None:
        """The axioms that the proof rests on, and what it takes for granted."""
        for axiom in axioms:
            self.write("axiom", words=axiom)
        said = any(line.reason.startswith("a denominator") for line in self.sections[-1].lines)
        for text in () if said else assumed:
            self.write("assumed", words=text)

    def witness(self, evidence: Record) -> None:
        """Inputs at every size for which sides differ, or two with one statistic."""
        shows = "one statistic and two values" if is_collision(evidence) else "the sides differ"
        self.write("witness", words=f"At every size {shows} for {inputs_inline(evidence)}.")

    def result(self, count: int, what: str, given: Iterable[int]) -> None:
        """Write the last line: for which sizes and inputs the equations or bounds hold; `given` has the conditions."""
        if not count:
            return
        claim = self.claim
        named = ", ".join(symbol(name) for name in claim.given)
        every = f" and all {named}" if named else ""
        conditions = sorted(given)
        every += f" with ({numbers(conditions)})" if conditions else ""
        said = {1: f"the {what} holds", 2: f"both {what}s hold"}.get(
            count, f"all {count} {what}s hold"
        )
        self.write("result", words=f"For all {said_sizes(claim)}{every}, {said}. ∎")
