"""The schemas, each with its side conditions; a certificate is gone through once, and nothing is tried."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass
from fractions import Fraction
from typing import Any

from ..kernel import index
from ..kernel.errors import KernelError
from ..kernel.index import Index, declared, facts, position_number, variable
from ..kernel.term import Term, body, function_of, made, one_factor
from ..kernel.theorem import Theorem
from . import certificate as steps
from .absolute import opened
from .certificate import Certificate, Side, Sign, Step, Timed
from .norms import majorised
from .signs import ABS, Signs, fits, gap, value
from .statements import (
    MALFORMED,
    Inequality,
    Problem,
    Refused,
    expect,
    is_same,
    product,
    same,
    total,
    with_scope,
)

Equate = Callable[[Term, Term], Theorem]
"""Proves with the kernel that two terms are equal, or raises KernelError; what it hands back is looked at."""
BITS = 20_000
"""No coefficient of an inequality is longer than this."""
_BY_THE_CHECK = object()


@dataclass(frozen=True, eq=False)
class Shown:
    """All goals of a problem hold if its hypotheses do."""

    problem: Problem
    certificate: Certificate
    hypotheses: tuple[frozenset[int], ...]
    """For each goal the hypotheses that it rests on, by number."""
    equations: tuple[Theorem, ...]
    """The theorems of the kernel that were used."""
    made: Mapping[int, Sequence[Inequality]]
    """By the `id` of a step what it shows."""
    supposed: Mapping[int, Sequence[Inequality]]
    """By the `id` of an induction its hypotheses."""
    key: InitVar[object] = None

    def __post_init__(self, key: object) -> None:
        expect(key is _BY_THE_CHECK, "theorems about inequalities are made by `check` only")


def check(problem: Problem, certificate: Certificate, equate: Equate) -> Shown:
    """What the certificate shows of the problem.

    Args:
        problem: what is to be shown; the certificate must be one of the same.
        certificate: the steps.
        equate: proves equations, with the kernel.

    Raises:
        Refused: if a step does not fit, or a goal is not what was shown.
        KernelError: if a term makes no sense, or an equation is not proved.
    """
    rules = Rules(problem, equate)
    try:
        expect(type(certificate) is Certificate, "no certificate")
        expect(certificate.problem == problem, "a certificate of another problem")
        for step in certificate.steps:
            rules.take(step)
        expect(len(certificate.goals) == len(problem.goals), "an inequality for each goal")
        for number, goal in zip(certificate.goals, problem.goals, strict=True):
            rules.expect_shown(number, goal, goal.variables)
        rests = tuple(rules.rests[number] for number in certificate.goals)
    except KernelError:
        raise
    except MALFORMED as error:
        raise Refused(f"no certificate: {type(error).__name__}: {error}") from error
    said = rests, tuple(rules.equations), rules.made, rules.supposed
    return Shown(problem, certificate, *said, _BY_THE_CHECK)


class Rules:
    """What is known at one place of a certificate, and how there comes to be more."""

    def __init__(self, problem: Problem, equate: Equate) -> None:
        self.problem, self.equate = problem, equate
        self.facts: list[Inequality] = []
        self.rests: list[frozenset[int]] = []
        """For each what hypotheses of the problem it rests on."""
        self.equations: list[Theorem] = []
        self.made: dict[int, Sequence[Inequality]] = {}
        self.supposed: dict[int, Sequence[Inequality]] = {}
        self.fixed: frozenset[int] = frozenset()
        """The times of inductions that are under way: their hypotheses hold at no other time."""
        self._asked: set[int] = set()

    def take(self, step: Any) -> None:
        """One step; what it shows is known from now on."""
        expect(type(step) in _SCHEMAS, "a step of no known schema")
        self._asked = set()
        new, more = _SCHEMAS[type(step)](self, step)
        for one in new:
            _expect_short(one)
        rests = more.union(*(self.rests[n] for n in self._asked))
        self.made[id(step)] = new
        self.facts += new
        self.rests += [rests] * len(new)

    def fact(self, number: int) -> Inequality:
        """The known inequality with this number; the step that asks rests on it."""
        known = type(number) is int and 0 <= number < len(self.facts)
        expect(known, "a step that names what is not known there")
        self._asked.add(number)
        return self.facts[number]

    def gap(self, number: int) -> Term:
        """T of what says 0 ≤ T; all that it holds for stands in its scope."""
        one = self.fact(number)
        return with_scope(gap(one), one.variables)

    def signs(self, signs: Iterable[Sign]) -> Signs:
        """What a step says is ≥ 0, each with the inequality that it rests on."""
        return Signs(signs, self.fact, self.fixed)

    def expect_shown(self, number: int, wanted: Inequality, over: frozenset[int]) -> None:
        """That an inequality is the one that is wanted, for all values of these variables: it speaks of no others."""
        found = self.fact(number)
        expect(is_same(found, wanted), "another inequality than the one that is to be shown")
        expect(found.variables <= over, "it is shown for values of other variables only")

    def equal(self, one: Term, other: Term) -> None:
        """That two terms have the same value, by the kernel, unless they are written alike."""
        if same(one, other):
            return
        found = self.equate(one, other)
        held = type(found) is Theorem and found.name == "equation"
        held = held and found.registry is index.current
        expect(held and type(found.left) is type(found.right) is Term, "no theorem of the kernel")
        left, right = found.left, found.right
        held = same(left, one) and same(right, other)  # type: ignore[arg-type]
        held = held and left.scope | right.scope <= one.scope | other.scope  # type: ignore[union-attr]
        expect(held, "an equation of other terms")
        self.equations.append(found)

    def opened(self, term: Term, how: int, signs: Signs) -> Term:
        """The term with its absolute values opened in the named way."""
        expect(type(how) is int and 0 <= how <= 2, "no way to open absolute values")
        return opened(term, signs, how == 2) if how else term

    # The schemas. Each returns the new inequalities, and which hypotheses they rest on besides those that it asked for.

    def given(self, step: steps.Given) -> Any:
        """A hypothesis of the problem."""
        number, every = step.hypothesis, self.problem.hypotheses
        expect(type(number) is int and 0 <= number < len(every), "a hypothesis that is not given")
        return [every[number]], frozenset((number,))

    def itself(self, step: steps.Itself) -> Any:
        """|T| is at most the factor that stands for it."""
        f = step.factor
        expect(function_of(f) == ABS, "no absolute value")
        right = Term({one_factor(f.name, *f.at): Fraction(1)}, f.variables())
        return [Inequality("absolute", (), Term(dict(body(f, 0)), right.scope), right)], frozenset()

    def read(self, step: steps.Read) -> Any:
        """What a known inequality says to be ≥ 0: its right side, or what its two sides leave."""
        one, how = self.fact(step.fact), step.how
        left, right = one.left, one.right
        allowed = {
            "right": bool(one.measure),
            "minus": one.measure in ("", "absolute"),
            "plus": one.measure == "absolute",
            "square": one.measure in ("absolute", "norm"),
        }
        expect(allowed.get(how, False), "a form that the measure does not allow")
        term = right
        if how in ("minus", "plus"):
            term = right - left if how == "minus" else right + left
        if how == "square":
            term = product(right, right) - _squared(left, one.ends)
        return [_at_least_0(with_scope(term, one.variables))], frozenset()

    def placed(self, step: steps.Placed) -> Any:
        """A known inequality with indices substituted for its variables."""
        one, images = self.fact(step.fact), dict(step.images)
        spoken = {v for e in images.values() for v in e.variables()}
        expect(min(spoken, default=1) > 0, "an index that is bound nowhere")
        expect(spoken.isdisjoint(one.ends), "an index speaks of an end")
        scope = spoken | one.variables - images.keys()
        if why := fits(one, step.images, self.fixed, facts(scope)):
            raise Refused(why)
        left, right = one.left.substitute(images), with_scope(one.right.substitute(images), scope)
        return [Inequality(one.measure, one.ends, left, right)], frozenset()

    def scaled(self, step: steps.Scaled) -> Any:
        """A multiple of a known inequality, by a factor that keeps the order."""
        one, c = self.fact(step.fact), step.by
        expect(c > 0 or (bool(one.measure) and c != 0), "a multiple that does not keep the order")
        new = Inequality(one.measure, one.ends, one.left * c, one.right * abs(c))
        return [new], frozenset()

    def rewritten(self, step: steps.Rewritten) -> Any:
        """A known inequality with equal sides in another form."""
        one, signs = self.fact(step.fact), self.signs(step.signs)
        left = self._side(one.left, step.left, signs)
        right = self._side(one.right, step.right, signs)
        right = with_scope(right, signs.spoken)
        return [Inequality(one.measure, one.ends, left, right)], frozenset()

    def _side(self, old: Term, side: Side | None, signs: Signs) -> Term:
        if side is None:
            return old
        was, now = (
            self.opened(term, how, signs)
            for term, how in ((old, side.was), (_whole(side.term), side.opened))
        )
        self.equal(was, now)
        return with_scope(_whole(side.term), was.scope | now.scope)

    def combined(self, step: steps.Combined) -> Any:
        """A sum of products of terms that are ≥ 0 is ≥ 0."""
        scope = Term({}, step.scope).scope
        return [_at_least_0(value(step.pieces, scope, self.signs(step.signs)))], frozenset()

    def majorised(self, step: steps.Majorised) -> Any:
        """A measured term is at most the sum of what bounds its monomials."""
        left, plans = _whole(step.left), step.plans
        expect(not step.measure or None not in plans, "a monomial that is not measured")
        most = majorised(left, step.ends, plans, self.signs(step.signs))
        return [Inequality(step.measure, step.ends, left, most)], frozenset()

    def concluded(self, step: steps.Concluded) -> Any:
        """A bound with a larger right side: what is added to it is ≥ 0."""
        one, rest, right = self.fact(step.most), self.gap(step.gap), _whole(step.right)
        gap = self.opened(right - one.right, step.opened, self.signs(step.signs))
        self.equal(gap, rest)
        right = with_scope(right, gap.scope | rest.scope)
        return [Inequality(one.measure, one.ends, one.left, right)], frozenset()

    def squared(self, step: steps.Squared) -> Any:
        """‖a + b‖ ≤ ρ + m, where ‖a‖² ≤ ρ² and ‖b‖ ≤ m."""
        root, square, one = self.gap(step.root), self.gap(step.square), self.fact(step.rest)
        expect(one.measure in ("absolute", "norm"), "squares of what is not a vector")
        moving = _whole(step.moving)
        rest = product(root, root) - _squared(moving, one.ends)
        rest = self.opened(rest, step.opened, self.signs(step.signs))
        self.equal(rest, square)
        right = with_scope(root + one.right, rest.scope | square.scope)
        return [Inequality(one.measure, one.ends, moving + one.left, right)], frozenset()

    def induction(self, step: steps.Induction) -> Any:
        """Inequalities for all times: they hold at the start, and at each next time if they hold at one."""
        time, claims, count = step.time, step.claims, len(self.facts)
        _expect_times(time, claims)
        spoken = self.fixed.union(*(c.statement.variables.union(c.statement.ends) for c in claims))
        expect(time not in spoken, "the time of an induction stands for something else")
        for one in claims:
            for term in (one.statement.left, one.statement.right):
                _whole(term)
        expect(len(claims) == len(step.start) == len(step.later), "a start and a step for each")
        overs = [one.statement.variables - {one.when} for one in claims]
        for one, n, over in zip(claims, step.start, overs, strict=True):
            self.expect_shown(n, _at(one, Index(0)), over)
        asked, fixed = self._asked, self.fixed
        self._asked, self.fixed = set(), fixed | {time}
        self.supposed[id(step)] = [_at(one, variable(time)) for one in claims]
        self.facts += self.supposed[id(step)]
        self.rests += [frozenset()] * len(claims)
        for inner in step.steps:
            self.take(inner)
        for one, n, over in zip(claims, step.later, overs, strict=True):
            self.expect_shown(n, _at(one, variable(time) + 1), over | {time})
        rests = frozenset().union(*(self.rests[n] for n in step.later))
        self.fixed, self._asked = fixed, asked
        del self.facts[count:], self.rests[count:]
        return [one.statement for one in claims], rests


_SCHEMAS: dict[type, Callable[[Rules, Any], Any]] = {
    kind: getattr(Rules, kind.__name__.lower()) for kind in Step
}
"""For each kind of step the method of its name."""


def _expect_short(one: Inequality) -> None:
    """That its numbers are not so long that nobody would wait for what is made of them."""
    for c in (*one.left.parts.values(), *one.right.parts.values()):
        expect(c.numerator.bit_length() + c.denominator.bit_length() <= BITS, "a number too long")


def _whole(term: Term) -> Term:
    """A term, as the kernel makes it."""
    expect(type(term) is Term, "no term")
    return Term(term.parts, term.scope)


def _at_least_0(term: Term) -> Inequality:
    return Inequality("", (), made([], frozenset()), term)


def _squared(term: Term, ends: Iterable[int]) -> Term:
    """Σ term² over the ends."""
    square = product(term, term)
    for end in ends:
        square = total(square, end)
    return square


def _at(one: Timed, time: Index) -> Inequality:
    """The inequality at a time."""
    of, images = one.statement, {one.when: time}
    return Inequality(of.measure, of.ends, of.left.substitute(images), of.right.substitute(images))


def _expect_times(time: int, claims: Iterable[Timed]) -> None:
    """That an induction's time runs from 0 to before a length, or on and on, and those of its claims to that length.

    No range in a claim speaks of its time.
    """
    now = variable(time)
    position_number(now)
    for one in claims:
        when = variable(one.when)
        position_number(when)
        ends = [g.substitute({time: when}) for g in declared(time)]
        ends[1:] = [g + 1 for g in ends[1:]]
        expect(declared(time)[:1] == (now,) and len(ends) <= 2, "a time that does not start at 0")
        expect(declared(one.when) == tuple(ends), "a time with another last one")
        of = one.statement
        others = of.variables.union(of.ends) - {one.when}
        expect(one.when not in of.ends and one.when in of.variables, "an inequality at no time")
        spoken = {v for w in others for g in declared(w) for v in g.variables()}
        expect(one.when not in spoken, "a range that speaks of the time of an induction")
