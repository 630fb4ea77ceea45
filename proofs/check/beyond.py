"""Evaluation beyond the evidence: a claim that holds is run at numbers far beyond those that show it.

It does not depend on noticing what a body queries of sizes. Both sides are evaluated at random points modulo a large
prime: first each size in turn is large while the others are least, up to some hundred or as far as the operations go,
at sizes that a hash of the claim's code chooses and at the numbers in that code; then several sizes at once. Where exp,
roots or norms occur, balls take the place of residues.

Where the kernel has proved the statement for all sizes a few choices are tried, and each size once far out, modulo one
prime.

What this can miss: a size that is not tried, and how far each goes depends on what it costs. If the sides differ at a
fraction q of the sizes that k choices are drawn from, all k agree with probability (1 − q)^k; that sides which differ
agree at a drawn point has a probability of at most degree / 2⁶¹, or (degree / 2³⁰)² where a statement is read as whole
arrays modulo two primes that are drawn, and degree / 2³⁰ modulo one.
"""

from __future__ import annotations

import inspect
import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from ..exact.enclosures import ArbField
from ..exact.engines import UnequalShapes
from ..exact.instance import Point, is_for, scalars, shapes
from ..exact.polynomials import RationalField
from ..exact.residues import PRIME, Meter, PrimeField, TooLong
from ..exact.scalar import DivisionByZero, NotPolynomial
from ..language.claim import Claim
from ..language.sizes import Sizes, by_name, grid
from ..language.statements import AtMost, Differs, Equal, Statement
from ..readings.residues import identical
from .instances.at_random import agree, drawn, overlap
from .instances.enclosed import BITS
from .instances.evaluate import evaluate
from .instances.hypotheses import meets_hypotheses
from .instances.points import candidates
from .instances.stated import stated
from .result import evidence
from .sizes_beyond import (
    DRAWN,
    FROM_CODE,
    GROWING,
    LARGEST,
    NEXT,
    SPELLED,
    beside,
    choices,
    nearby,
    next_sizes,
)
from .source import Source

ONE, ALL = 40_000, 195_000
"""Operations that one choice of sizes, and all together, may take."""
MIXED = 40_000
"""How many of them are kept for choices in which more than one size is beyond the least."""
CONDITIONS = 3
"""The number of choices at which it is seen whether small numbers meet the conditions."""
POINTS = 6
"""The most points for each choice of sizes: those that meet conditions, or until one shows that sides differ."""
PLAIN, OFTEN = 9, 5
"""Up to this size, and so often, the claim is run with plain fractions too, which a counterexample is made of."""
BOUNDED, CONDITIONED = 8, 9
"""At how many choices claims are tried whose points have to meet conditions, and up to which size on average."""
DEAR = 4_000_000
"""Operations that the sizes right after those of the evidence may take where no choice is affordable otherwise."""
FAR = (17, 100)
"""How far beyond the evidence each size is, by itself, where the statement is proved for all sizes."""
MORE_BITS = 16 * BITS
"""The precision of balls where those of `BITS` have no end."""
SMALLER = 2_000
"""How many smaller choices are looked through for the smallest at which a claim fails."""


@dataclass
class Tried:
    """What came of it."""

    held: list[dict[str, int]] = field(default_factory=list)
    undefined: list[dict[str, int]] = field(default_factory=list)
    """Where there was no value: a denominator is 0, or a root or logarithm is of a number that has none."""
    unread: list[tuple[dict[str, int], str]] = field(default_factory=list)
    """Where no arithmetic here has what the claim needs, and what that is."""
    unmet: list[dict[str, int]] = field(default_factory=list)
    """Where no inputs were found that meet the conditions."""
    raised: list[tuple[dict[str, int], str]] = field(default_factory=list)
    """Where the claim itself could not be run, and why."""
    unequal: str = ""
    """At the sizes at which it fails: that the two sides have different shapes."""
    listed: Sequence[Sizes] = ()
    """The choices that are the claim's own sizes."""
    outside: int = 0
    """How many choices the claim does not speak of."""
    dear: int = 0
    """How many took more operations than there were for them."""
    fails: dict[str, int] | None = None
    """The first at which a statement is false."""
    engine: str = "modular"
    plain: int = 0
    """How often plain fractions were run."""
    primes: int = 2
    """Modulo how many primes equations are run."""

    @property
    def was_run(self) -> bool:
        """Whether the claim was run at any choice, with whatever outcome."""
        return any((self.held, self.undefined, self.raised, self.unread, self.unmet))

    def evidence(self) -> dict[str, Any]:
        """The entry of the report's evidence: where the claim held, and what could not be tried."""
        notes = []
        if self.undefined:
            notes.append(f"{NO_VALUE} at {_listed(self.undefined)}")
        if self.outside and all(sizes in self.listed for sizes in self.held):
            notes.append(
                f"its conditions on sizes are met at none of {self.outside} larger choices"
            )
        for sizes, why in (*self.raised[:1], *self.unread[:1]):
            notes.append(f"it could not be run at {_listed([sizes])}: {why}")
        if self.unmet:
            notes.append(f"no inputs were found that meet the conditions at {_listed(self.unmet)}")
        entry = evidence("property-test", "sampled", self.held, self.engine)
        return {**entry, "assumes": notes} if notes else entry


NO_VALUE = (
    "there is no value (a denominator is 0, or a root or logarithm is of no number that has one)"
)


def from_some_size_on(undefined: Sequence[Sizes], held: Sequence[Sizes]) -> tuple[str, int] | None:
    """A size, and the least value from which on no choice that was tried had a value; None if none is seen.

    One choice may be a chance, or the one size at which a denominator is 0.
    """
    for name in undefined[0] if undefined else ():
        last = max((sizes[name] for sizes in held), default=0)
        beyond_all = [sizes[name] for sizes in undefined if sizes[name] > last]
        if len(beyond_all) > 1:
            return name, min(beyond_all)
    return None


def _listed(every: Sequence[Sizes]) -> str:
    texts = list(map(by_name, every))
    return "; ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")


def beyond(claim: Claim, left_out: Sequence[Sizes] = (), proved: bool = False) -> Tried:
    """The claim, which holds at the sizes of its evidence, at sizes beyond.

    Args:
        claim: the claim.
        left_out: those of its listed sizes at which no engine ran it; they are tried first.
        proved: whether its statement is proved for all sizes. A few choices are tried then: what they can show is a
            mistake in how the statement was read, since `fidelity` has held it to what the body computes.
    """
    source = Source(claim.functions)
    rng = random.Random(source.seed)
    every = list(choices(claim, source.numbers, rng))
    few = _few(every, rng) if claim.assuming or proved else []
    tried = Tried(listed=left_out, primes=1 if proved else 2)
    trial = _Trial(claim, tried, rng, Meter(ALL))
    trial.run([*((dict(sizes), "") for sizes in left_out), *few])
    hard = claim.assuming and tried.engine == "balls"  # to find points that meet the conditions
    if proved and not hard:
        far = {name: max(values) + rng.randint(*FAR) for name, values in claim.ranges.items()}
        trial.run([(beside(claim, name, n), name) for name, n in far.items()])
    elif not hard:
        trial.each_alone(source.numbers)
        trial.run([one for one in every if one not in few])
    if tried.dear and not tried.was_run:
        trial.meter = Meter(DEAR)
        trial.run([(sizes, name) for name, sizes in next_sizes(claim).items()], DEAR)
    if claim.assuming and tried.engine == "modular":  # residues have no order to meet conditions in
        tried.unmet += [sizes for sizes in tried.held[:CONDITIONS] if not _can_be_met(claim, sizes)]
    return tried


def _can_be_met(claim: Claim, sizes: Sizes) -> bool:
    with suppress(DivisionByZero, ZeroDivisionError, NotPolynomial):
        return any(meets_hypotheses(claim, sizes, one) for one in candidates(claim, sizes, 2))
    return False


def _few(
    every: list[tuple[dict[str, int], str]], rng: random.Random
) -> list[tuple[dict[str, int], str]]:
    """Some of the choices, for where points have to meet conditions."""
    near = [one for one in every if sum(one[0].values()) <= CONDITIONED * len(one[0])]
    first, rest = near[: BOUNDED // 2], near[BOUNDED // 2 :]
    kept = rng.sample(range(len(rest)), min(BOUNDED // 2, len(rest)))
    return [*first, *(rest[k] for k in sorted(kept))]


@dataclass
class _Trial:
    """A claim that is being tried, until it fails or the operations are spent."""

    claim: Claim
    tried: Tried
    rng: random.Random
    meter: Meter
    known: dict[tuple[int, ...], int] = field(default_factory=dict)
    """The operations that each choice took."""

    @property
    def over(self) -> bool:
        return self.tried.fails is not None or self.meter.left < 0

    def run(self, every: Sequence[tuple[dict[str, int], str]], limit: int = ONE) -> None:
        """Try choices of sizes in turn, each with the name of the size that is large in it."""
        too_large: dict[str, int] = {}
        for sizes, growing in every:
            total = sum(sizes.values())
            if total < too_large.get(growing, LARGEST**2) and self.cost(sizes, limit) is None:
                too_large[growing] = total
            if self.over:
                return

    def each_alone(self, numbers: set[int]) -> None:
        """Try each size beyond the evidence while all others are least, with equal shares of the operations."""
        for done, name in enumerate(self.claim.ranges):
            share = (self.meter.left - MIXED) // (len(self.claim.ranges) - done)
            if self.over or share <= 0:
                return
            self._grow(name, numbers, share)

    def _grow(self, name: str, numbers: set[int], share: int) -> None:
        most, end = max(self.claim.ranges[name]), self.meter.left - share
        spelled = [n for n in nearby(numbers) if n > most][:FROM_CODE]
        costs: dict[int, int] = {}
        too_long: dict[int, int] = {}  # with the operations that were too few

        def affordable(until: int, squared: bool = False) -> int:
            """How far what is left until then goes, if the cost grows with the size, or with its square."""
            if not costs:
                return SPELLED
            n, spare = max(costs), max(0, min(ONE, self.meter.left - until))
            cost = max(costs[n], 1)
            return math.isqrt(n * n * spare // cost) if squared else n * spare // cost

        def attempt(n: int, until: int) -> None:
            limit = min(ONE, self.meter.left - until)
            hopeless = any(m <= n and few >= limit for m, few in too_long.items())
            if n <= most or n in costs or limit <= 0 or hopeless or self.over:
                return
            cost = self.cost(beside(self.claim, name, n), limit)
            if cost is None:
                too_long[n] = limit
            else:
                costs[n] = cost

        for k in range(1, 1 + NEXT):
            attempt(most + k, end)
        until = end + share // 3
        for n in spelled:
            if n <= affordable(until):
                attempt(n, until)
        until = end + (self.meter.left - end) // 4
        for ends in GROWING:
            attempt(min(most + self.rng.randint(*ends), affordable(until, squared=True)), until)
        between = [most + self.rng.randint(low, high) for k, low, high in DRAWN for _ in range(k)]
        for n in (*spelled, *between):
            if n <= affordable(end):
                attempt(n, end)

    def cost(self, sizes: dict[str, int], limit: int) -> int | None:
        """The operations that these sizes took; None if they are more than the limit."""
        before, values = self.meter.left, tuple(sizes.values())
        if values in self.known:
            return self.known[values]
        if not is_for(self.claim, sizes):
            self.tried.outside += 1
            return self.known.setdefault(values, 0)
        try:
            holds = _at(self.claim, sizes, self.tried, self.rng, self.meter, limit)
        except TooLong:
            self.tried.dear += 1
            return None
        if not holds:
            self.tried.fails = dict(sizes)
        return self.known.setdefault(values, before - self.meter.left)


def smallest(claim: Claim, fails: Sizes) -> dict[str, int]:
    """The smallest sizes at which it is seen to fail, no larger than these in any."""
    ranges = {n: range(min(claim.ranges[n]), v + 1) for n, v in fails.items()}
    tried = Tried()
    trial = _Trial(claim, tried, random.Random(0), Meter(ALL))
    trial.run([(sizes, "") for sizes in itertools.islice(grid(ranges), SMALLER)])
    return tried.fails or dict(fails)


def _at(
    claim: Claim, sizes: Sizes, tried: Tried, rng: random.Random, meter: Meter, limit: int
) -> bool:
    """Whether nothing fails at these sizes; what was found is noted.

    Raises:
        TooLong: if it takes more operations than the limit, or if there are more inputs than operations for all sizes.
    """
    if sum(map(math.prod, shapes(claim, sizes).values())) > ALL:
        raise TooLong
    with meter.at_most(limit):
        if tried.engine == "modular":
            try:
                return _outcome(tried, sizes, lambda: _by_numbers(claim, sizes, rng, meter, tried))
            except NotPolynomial:
                tried.engine = "balls"
        try:
            return _outcome(tried, sizes, lambda: _by_balls(claim, sizes, rng, meter))
        except NotPolynomial as error:
            tried.unread.append((dict(sizes), str(error)))
            return True


def _outcome(tried: Tried, sizes: Sizes, run: Callable[[], bool | None]) -> bool:
    try:
        found = run()
    except (DivisionByZero, ZeroDivisionError):
        tried.undefined.append(dict(sizes))
        return True
    except (NotPolynomial, TooLong):
        raise
    except UnequalShapes as error:
        tried.unequal = str(error)
        return False
    except Exception as error:  # a claim's body is foreign code
        tried.raised.append((dict(sizes), f"{type(error).__name__}: {error}"))
        return True
    if found is not None:
        (tried.held if found else tried.unmet).append(dict(sizes))
        return True
    return False


def _by_numbers(
    claim: Claim, sizes: Sizes, rng: random.Random, meter: Meter, tried: Tried
) -> bool | None:
    """True, or None where sides differ that should not, or agree that should; False if no point meets conditions.

    Sides that agree at drawn points are identical, so they agree where conditions are met; that sides differ at drawn
    points says nothing of those that meet them.

    Raises:
        NotPolynomial: if something besides + − · / is needed, or a bound is to be judged.
    """
    own = stated(claim, sizes)
    if own is not None:
        meter.spend(own.effort)
    if own is not None and own.residues is not None:
        return identical(own.residues, sizes, rng, meter, tried.primes) or None
    field = PrimeField(meter)
    statements = _statements(claim, field, lambda: rng.randrange(PRIME), sizes)
    equations = [s for s in statements if isinstance(s, Equal)]
    if not all(map(agree, equations)):
        return None
    if len(equations) < len(statements):
        if _on_inputs(claim):
            return _differ_where_met(claim, sizes, field)
        if any(agree(s) for s in statements if isinstance(s, Differs)):
            return None
    return _holds_at_small_numbers(claim, sizes, rng, tried) or None


def _holds_at_small_numbers(claim: Claim, sizes: Sizes, rng: random.Random, tried: Tried) -> bool:
    """Whether equations hold at plain fractions, where sizes are small and few such were tried."""
    if max(sizes.values()) > PLAIN or tried.plain >= OFTEN:
        return True
    tried.plain += 1  # small numbers may agree by chance, residues hardly do: equations alone
    small = _statements(claim, RationalField(), lambda: rng.randint(1, 9), sizes)
    return all(agree(s) for s in small if isinstance(s, Equal))


def _statements(claim: Claim, field: Any, draw: Callable[[], int], sizes: Sizes) -> list[Statement]:
    statements = evaluate(claim, field, sizes, drawn(claim, field, sizes, draw))
    if not any(isinstance(s, Equal | Differs | AtMost) for s in statements):
        raise NotPolynomial("a map")
    if any(isinstance(s, AtMost) for s in statements):
        raise NotPolynomial("an order")
    return statements


def _on_inputs(claim: Claim) -> bool:
    """Whether a condition is on more than the sizes."""
    asked = [set(inspect.signature(c).parameters) for c in claim.assuming.values()]
    return not all(names <= set(claim.ranges) for names in asked)


def _differ_where_met(claim: Claim, sizes: Sizes, field: PrimeField) -> bool | None:
    """True if sides differ at a point that meets the conditions, None if at none; False if no point meets them."""
    points = list(itertools.islice(_meeting(claim, sizes), POINTS))
    for point in points:
        statements = evaluate(claim, field, sizes, scalars(claim, field, point))
        if not any(agree(s) for s in statements if isinstance(s, Differs)):
            return True
    return None if points else False


def _meeting(claim: Claim, sizes: Sizes) -> Iterator[Point]:
    """Small numbers that meet the conditions."""
    for point in candidates(claim, sizes, 1):
        if meets_hypotheses(claim, sizes, point):
            yield point


def _by_balls(claim: Claim, sizes: Sizes, rng: random.Random, meter: Meter) -> bool | None:
    """The same in balls, at points that meet the conditions; False if none was found that does.

    Raises:
        NotPolynomial: if there is nothing that balls decide, or they separate no sides that are said to differ.
    """
    import flint

    own = stated(claim, sizes)
    meter.spend(own.effort if own else 0)
    met, said, shown = False, set[int](), set[int]()  # of statements that sides differ
    for point in _points(claim, sizes, rng):
        with flint.ctx.workprec(BITS):
            field = ArbField(meter)
            try:
                found = _not_failing(claim, field, sizes, point)
            except DivisionByZero:  # or the errors of a recursion outgrew the digits
                flint.ctx.prec = MORE_BITS
                found = _not_failing(claim, field, sizes, point)
            if found is None:
                return None
            differing = {part: s for part, s in enumerate(found) if isinstance(s, Differs)}
            said |= differing.keys()
            shown |= {part for part, s in differing.items() if not overlap(s)}
            if field.compared and not claim.assuming:
                signed = {name: _signed(array, rng) for name, array in point.items()}
                with suppress(DivisionByZero, ZeroDivisionError):  # as a logarithm has no value
                    if _not_failing(claim, field, sizes, signed) is None:
                        return None
        met = True
        if said == shown and not claim.assuming:
            break
    if said != shown:
        raise NotPolynomial("sides that an enclosure does not tell apart")
    return met


def _not_failing(
    claim: Claim, field: ArbField, sizes: Sizes, point: Point
) -> list[Statement] | None:
    """The statements in balls; None if one fails.

    Raises:
        DivisionByZero: where an enclosure has no end.
    """
    statements = evaluate(claim, field, sizes, scalars(claim, field, point))
    if not any(isinstance(s, Equal | AtMost | Differs) for s in statements):
        raise NotPolynomial("a map")
    return statements if all(map(_may_hold, statements)) else None


def _signed(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """Numbers of either sign, up to 3 and not 0: clipping and the like show there."""
    out = np.empty(array.shape, dtype=object)
    for place in np.ndindex(array.shape):
        out[place] = Fraction(rng.randint(1, 96) * rng.choice((1, -1)), 32)
    return out


def _may_hold(statement: Statement) -> bool:
    """Whether no ball shows that it fails."""
    if not isinstance(statement, AtMost | Equal):
        return True
    pairs = list(zip(statement.left.flat, statement.right.flat, strict=True))
    if not all(ball.is_finite() for pair in pairs for ball in pair):
        raise DivisionByZero("an enclosure without end")
    if isinstance(statement, AtMost):
        return not any(a > b for a, b in pairs)
    return not any(a != b for a, b in pairs)


def _points(claim: Claim, sizes: Sizes, rng: random.Random) -> Iterator[Point]:
    if not claim.assuming:
        for _ in range(POINTS):
            yield {name: _entries(dims, rng) for name, dims in shapes(claim, sizes).items()}
        return
    yield from itertools.islice(_meeting(claim, sizes), POINTS)


def _entries(dims: tuple[int, ...], rng: random.Random) -> np.ndarray:
    out = np.empty(dims, dtype=object)
    for place in np.ndindex(dims):
        out[place] = Fraction(rng.randint(1, 64), 64)
    return out
