"""Whether a neutral model's prediction is that of a learning rule: as polynomials, at random points, or up to rounding.

The candidate is read from few coefficients (`reading`) and then held against all of the prediction: as polynomials in
all data as far as the budget goes, and at random whole numbers beyond, where two different polynomials of degree D
agree with probability D/2^64 at most. Models are tried at one, two and three examples, or at the number that they are
for; and at random points for further numbers of examples, which the weights' hash draws.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from scanproof.constructs.layouts.families import FAMILIES
from scanproof.constructs.layouts.neutral import Model, sizes
from scanproof.constructs.tokens.encoding import TOKENISATIONS

from . import factor, polynomial
from .neutral_form import rounding
from .polynomial import BITS, RATIONAL, Coefficients, OverBudget, Symbols
from .reading import (
    first_order,
    flattened,
    on_line,
    ridged,
    rounded_step_sizes,
    start,
    step_sizes,
    with_momentum,
    without_targets,
)
from .rule import Rule, exact_prediction

EXAMPLES = (1, 2, 3)
"""n for models that take any number of examples."""
FURTHER, MOST_EXAMPLES = 3, 64
"""How many further n are tried at random points, and up to which; a large model's are fewer and smaller."""
FURTHER_COST = 2_000_000
"""Products of scalars in a prediction from the largest of them."""
POINTS = 2
"""Random points for an identity."""
NEAR_POINTS = 8
"""Points with coordinates between −1 and 1, scaled, for what holds up to rounding only."""
GRID = 1024
"""Their coordinates are multiples of 1/1024."""
LARGEST = 10_000_000
"""Products of scalars in a prediction that is read exactly; the largest take half a minute."""

UNKNOWN = "derived: the prediction is a polynomial that no such rule has"
UNDEFINED = "derived: for small n the prediction divides by 0, or by data"
MEASURED = "measured: the prediction is too large a polynomial to be derived"
"""How it was established that a model follows no rule, or that nothing was."""

Rules: TypeAlias = dict[int, Rule]
"""By the number of examples."""


class Recognition(NamedTuple):
    """A rule, and how it was established."""

    rules: Rules
    linear: bool
    """Whether it holds for targets Wᵀx_j only."""
    method: str
    deviation: float
    """Relative; 0 if the prediction is the rule's."""
    everywhere: tuple[int, ...]
    """n at which all coefficients were compared."""
    likely: tuple[int, ...]
    """n at which values at random points were."""

    @property
    def first(self) -> Rule:
        """At the least number of examples."""
        return self.rules[min(self.rules)]


class TooLarge(Exception):
    """A model that cannot be read exactly in a reasonable time."""


def numbers_of_examples(model: Model) -> tuple[int, ...]:
    """Those at which a model is looked at: `EXAMPLES`, or the one that the shapes of its tensors are for."""
    shapes = FAMILIES[model.family].shapes
    for field, letters in shapes.items():
        if "T" in letters.split():
            length = getattr(model.layers[0], field).shape[letters.split().index("T")]
            tokens = TOKENISATIONS[model.tokens]
            return tuple(n for n in range(1, length + 1) if tokens.length(n) == length)
    return EXAMPLES


def operations(model: Model, n: int) -> int:
    """Products of scalars in a prediction, about."""
    M = len(model.encode_bias)
    width = M**3 if model.family == "two-head" else M**2
    return TOKENISATIONS[model.tokens].length(n) * len(model.layers) * width


def recognise(model: Model, examples: tuple[int, ...] = ()) -> Recognition | None:
    """The rule that the model's prediction is, exactly or up to rounding; None if it is none that is known here.

    Args:
        model: in floats.
        examples: n, at which alone it is looked at; `EXAMPLES` and a few larger ones if none are given.

    Raises:
        TooLarge: if nothing can be said, because polynomials or the model itself are too large.
        DivisionByZero, ZeroDivisionError, NotPolynomial: if the prediction is not a polynomial (`NO_POLYNOMIAL`).
    """
    numbers = examples or numbers_of_examples(model)
    if operations(model, numbers[-1]) > LARGEST:
        raise TooLarge
    unknown, lines = False, functools.cache(functools.partial(_lines, model, numbers))
    # What is plain descent up to rounding is not taken for one with a matrix, whose entries are rounding.
    others = (
        *((kind, False) for kind in (_ridged, _weighted, _preconditioned, _further, _irrational)),
        (_plain, True),
    )
    for kinds in (((_plain, False),), others):
        tried = []
        for candidates, linear in kinds:
            try:
                read = lines(linear)
                for rules in [] if read is None else candidates(model, read):
                    found = _exactly(model, rules, linear, more=not examples)
                    if found is not None:
                        return found
                    if candidates is not _ridged:  # two numbers fit any two steps, up to rounding
                        tried += [(each, linear) for each in (*_from_zero(rules), rules)]
            except OverBudget:
                unknown = True
        for rules, linear in tried:
            found = _nearly(model, rules, linear, more=not examples)
            if found is not None:
                return found
    if unknown:
        raise TooLarge
    return None


class _Lines(NamedTuple):
    """What a prediction along one feature says of its rule."""

    by_number: dict[int, list[Fraction]]
    """q by the number of examples; all of one length."""
    W0: np.ndarray
    linear: bool
    feature: int

    @property
    def first(self) -> list[Fraction]:
        """At the least number of examples."""
        return next(iter(self.by_number.values()))


def _plain(model: Model, lines: _Lines) -> Iterator[Rules]:
    """Gradient descents that the model may follow."""
    if lines.linear and len(lines.first) == 1:
        return
    trimmed = {n: _trimmed(q, rounding(model)) for n, q in lines.by_number.items()}
    every = lines.by_number
    for each in [every] if trimmed == every else [every, trimmed]:
        sizes_by_number = {n: step_sizes(q) for n, q in each.items()}
        for choice in range(min(map(len, sizes_by_number.values()))):
            yield {n: Rule(found[choice], lines.W0) for n, found in sizes_by_number.items()}


def _from_zero(rules: Rules) -> Iterator[Rules]:
    """The same from W0 = 0, of which rounding may leave something else."""
    if any(rule.step_sizes and rule.W0.any() for rule in rules.values()):
        yield {n: rule._replace(W0=0 * rule.W0) for n, rule in rules.items()}


def _trimmed(q: list[Fraction], close: Fraction) -> list[Fraction]:
    """q without last coefficients that rounding leaves beside the first one's powers."""
    steps = len(q) - 1
    while steps > 1 and abs(q[steps]) <= close * abs(q[1] / steps) ** steps:
        steps -= 1
    return q[: steps + 1]


def _preconditioned(model: Model, lines: _Lines) -> Iterator[Rules]:
    """A descent with a matrix."""
    first, steps = lines.first, len(lines.first) - 1
    M = first_order(model, min(lines.by_number), steps) if steps else None
    if M is None or (M[0, 0] * np.eye(len(M), dtype=int) == M).all():
        return
    every = lines.by_number.items()
    yield {n: Rule((q[1] / first[1],) * steps, lines.W0, M / steps) for n, q in every}


def _ridged(model: Model, lines: _Lines) -> Iterator[Rules]:
    """Equal steps with a ridge, which must be the same at every number of examples."""
    W0, found = lines.W0, {}
    feature = int(np.argmax([any(row) for row in W0.tolist()]))  # one that starts from a weight
    for n in lines.by_number:
        q, bare = on_line(model, n, feature), without_targets(model, n, feature)
        read = None if q is None or bare is None else ridged(q, bare)
        if q is None or read is None:
            return
        eta, ridge = read
        kept = (1 - eta * ridge) ** (len(q) - 1)
        if W0.any() and not kept:
            return
        found[n] = Rule((eta,) * (len(q) - 1), W0 / kept if W0.any() else W0, ridge=ridge)
    if len({rule.ridge for rule in found.values()}) == 1:
        yield found


def _weighted(model: Model, lines: _Lines) -> Iterator[Rules]:
    """Steps in which an example weighs less than the next one, by a factor that is the same at every n."""
    found, decays = {}, set()
    for n in lines.by_number:
        last, *before = (
            on_line(model, n, lines.feature, example=j) for j in range(n - 1, max(-1, n - 3), -1)
        )
        if last is None or len(last) == 1:
            return
        for q in before:
            if q is None or len(q) != len(last):
                return
            decays.add(q[1] / last[1])
        found[n] = step_sizes(last)[0]
    if len(decays) == 1 and decays != {1}:
        (decay,) = decays
        yield {n: Rule(sizes, lines.W0, decay=decay) for n, sizes in found.items()}


def _further(model: Model, lines: _Lines) -> Iterator[Rules]:
    """Momentum and GD++; a factor that depends on n is read for plain steps alone."""
    first, W0 = lines.first, lines.W0
    if any(q != first for q in lines.by_number.values()):
        return
    ball = with_momentum(first)
    if ball is not None:
        rule = Rule((ball[0],) * (len(first) - 1), W0, momentum=ball[1])
        yield dict.fromkeys(lines.by_number, rule)
    for each, gamma in flattened(first):
        yield dict.fromkeys(lines.by_number, Rule(each, W0, gamma=gamma))


def _irrational(model: Model, lines: _Lines) -> Iterator[Rules]:
    """Steps of sizes that are not rational, rounded: what no rule with fewer numbers is."""
    found = {}
    for n, q in lines.by_number.items():
        each = rounded_step_sizes(_trimmed(q, rounding(model)))
        if each is None:
            return
        found[n] = Rule(each, lines.W0)
    yield found


def _lines(model: Model, numbers: tuple[int, ...], linear: bool) -> _Lines | None:
    """Along the first feature that moves the prediction at all; None where it is no learner's."""
    found: dict[int, list[Fraction]] = {}
    feature = 0
    for n in numbers:
        q = on_line(model, n, feature, linear=linear)
        while q is not None and len(q) == 1 and not found and feature + 1 < sizes(model)[0]:
            feature += 1
            q = on_line(model, n, feature, linear=linear)
        if q is None or any(len(q) != len(other) for other in found.values()):
            return None
        found[n] = q
    W0 = start(model, numbers[0])
    return None if W0 is None else _Lines(found, W0, linear, feature)


def with_further(model: Model, rules: Rules, close: Fraction = factor.EXACTLY) -> Rules:
    """With the rules for more examples, if any number will do and it is known how the step size goes on.

    Args:
        model: in floats.
        rules: by n.
        close: as for `factor.of`.
    """
    first = rules[min(rules)]
    further = [] if len(rules) == 1 else further_examples(model)
    if not first.step_sizes:
        return {**rules, **dict.fromkeys(further, first)}
    by = factor.of(rules, close)
    total = by.at(min(rules))
    pole = math.inf if by.shift is None or by.shift > -1 else -by.shift
    found = {n: by.at(n) for n in further if n < pole}  # beyond, an earlier output divides by 0
    more = {
        n: first._replace(step_sizes=tuple(s * value / total for s in first.step_sizes))
        for n, value in found.items()
        if value is not None and total
    }
    return {**rules, **more}


def further_examples(model: Model) -> list[int]:
    """Numbers of examples beyond `EXAMPLES`, drawn by the weights' hash."""
    least = EXAMPLES[-1] + 1
    each = max(1, operations(model, 2) - operations(model, 1))
    most = min(MOST_EXAMPLES, max(FURTHER_COST // each, least + FURTHER))
    while most >= least and operations(model, most) > LARGEST:
        most -= 1
    choices = range(least, most + 1)
    chance = random.Random(polynomial.source_of_chance(model).getrandbits(BITS))
    return sorted(chance.sample(choices, min(FURTHER, len(choices))))


def _exactly(model: Model, rules: Rules, linear: bool, *, more: bool) -> Recognition | None:
    """The rules, if the predictions are theirs as polynomials, or at random points; None if they are not."""
    every = with_further(model, rules) if more else rules
    chance, exact = polynomial.source_of_chance(model), polynomial.exact(model)
    for n, rule in every.items():
        for _ in range(POINTS):
            given = Symbols(n, *sizes(model), linear).random(chance)
            if any(a != b for a, b in zip(*_both(exact, rule, *given), strict=True)):
                return None
    proved, likely = [], []
    for n, rule in every.items():
        found = polynomials(model, rule, n, linear=linear) if n in rules else None
        if found is not None and any(off for off, _ in found):
            return None
        (likely if found is None else proved).append(n)
    said = [f"identity of polynomials in all data at n = {listed(proved)}"] if proved else []
    if likely:
        bits = _certainty(model, every, likely, linear)
        said.append(
            f"identity at {POINTS} random points at n = {listed(likely)}, chance of error < 2^-{bits}"
        )
    return Recognition(rules, linear, "; ".join(said), 0.0, tuple(proved), tuple(likely))


def _nearly(model: Model, rules: Rules, linear: bool, *, more: bool) -> Recognition | None:
    """The rules, if the predictions are theirs up to rounding, as coefficients or values at random points."""
    close = rounding(model)
    worst, proved, likely = Fraction(0), [], []
    for n, rule in (with_further(model, rules, close) if more else rules).items():
        found = polynomials(model, rule, n, linear=linear) if n in rules else None
        if found is not None:
            proved.append(n)
            targets = Symbols(n, *sizes(model), linear).targets
            deviations = [_of_coefficients(off, own, targets) for off, own in found]
        else:
            likely.append(n)
            deviations = _at_points(model, rule, n, linear)
        if max(deviations) > close:
            return None
        worst = max(worst, Fraction(max(deviations)))
    said = [f"all coefficients at n = {listed(proved)}"] if proved else []
    if likely:
        said.append(f"values at {NEAR_POINTS} random points at n = {listed(likely)}")
    how = " and ".join(said) + f", which deviate by {float(worst):.1e} (relative)"
    return Recognition(rules, linear, how, float(worst), tuple(proved), tuple(likely))


def polynomials(
    model: Model, rule: Rule, n: int, *, linear: bool = False
) -> list[tuple[Coefficients, Coefficients]] | None:
    """For each target the coefficients of prediction − rule, and of the rule, by exponents of `Symbols`.

    None if they cost too much.
    """
    field, (x, y) = Symbols(n, *sizes(model), linear).polynomials()
    found = polynomial.predicted(field, polynomial.exact(model, field), x, y)
    if field.is_spent:
        return None
    wanted = exact_prediction(field, rule, x, y)
    off = found - wanted
    if field.is_spent:
        return None
    return [
        (polynomial.by_exponents(a), polynomial.by_exponents(b))
        for a, b in zip(off, wanted, strict=True)
    ]


def _both(model: Model, rule: Rule, x: np.ndarray, y: np.ndarray) -> tuple[Any, Any]:
    """The prediction of an exact model, and the rule's."""
    return polynomial.predicted(RATIONAL, model, x, y), exact_prediction(RATIONAL, rule, x, y)


def _certainty(model: Model, rules: Rules, numbers: list[int], linear: bool) -> int:
    """b such that the predictions agree at all points, and yet differ, with a chance below 2^−b."""
    # Another example takes part in the same sums and products, and makes no degree smaller.
    largest = polynomial.degree(model, max(numbers), linear=linear)
    for n in numbers:
        largest = max(largest, (2 if linear else 1) * rules[n].degree)
    return math.floor(POINTS * (BITS - math.log2(largest)) - math.log2(len(numbers)))


def _of_coefficients(off: Coefficients, own: Coefficients, targets: int) -> Fraction | float:
    """The largest deviation relative to the rule's coefficient, or, if that is 0, to the largest that is like it.

    That is the largest of the same degree that has targets too, or none; of any degree if there is no such one; or of
    all. Infinite if there is none at all.

    Args:
        off: what the prediction has beside the rule's.
        own: the rule's.
        targets: how many symbols are those of targets; they are the first.
    """

    def kinds(powers: tuple[int, ...]) -> list[tuple[bool | None, int | None]]:
        """Classes of monomials that one belongs to, the narrowest first: whether it has targets, and its degree."""
        has = any(powers[:targets])
        return [(has, sum(powers)), (has, None), (None, None)]

    largest: dict[tuple[bool | None, int | None], Fraction] = {}
    for powers, value in own.items():
        for kind in kinds(powers):
            largest[kind] = max(abs(value), largest.get(kind, Fraction(0)))
    if off and not largest:
        return math.inf
    found = []
    for powers, value in off.items():
        like = next(largest[kind] for kind in kinds(powers) if kind in largest)
        found.append(abs(value / own.get(powers, like)))
    return max(found, default=Fraction(0))


def _at_points(model: Model, rule: Rule, n: int, linear: bool) -> list[Fraction | float]:
    """The largest deviation over the rule's largest prediction, for data with which the steps make a difference.

    Relative to what the targets contribute, and to what is there without them.
    """
    chance, exact = polynomial.source_of_chance(model), polynomial.exact(model)
    off, own = [Fraction(0)] * 2, [Fraction(0)] * 2
    for _ in range(NEAR_POINTS):
        x, y = _small_data(chance, model, rule, n, linear)
        (found, wanted), (bare, start) = _both(exact, rule, x, y), _both(exact, rule, x, y - y)
        for entries in zip(found, wanted, bare, start, strict=True):
            a, b, without, zero = map(polynomial.fraction, entries)
            gaps, parts = (without - zero, (a - b) - (without - zero)), (zero, b - zero)
            off = [max(most, abs(gap)) for most, gap in zip(off, gaps, strict=True)]
            own = [max(most, abs(part)) for most, part in zip(own, parts, strict=True)]
    if not any(own):
        return [math.inf if any(off) else Fraction(0)]
    return [gap / (size or max(own)) for gap, size in zip(off, own, strict=True)]


def point(model: Model, rule: Rule, n: int, linear: bool) -> tuple[np.ndarray, np.ndarray]:
    """Random data with which the rule's steps make a difference."""
    return _small_data(polynomial.source_of_chance(model), model, rule, n, linear)


def _small_data(
    chance: random.Random, model: Model, rule: Rule, n: int, linear: bool
) -> tuple[np.ndarray, np.ndarray]:
    """At random, of a scale for which a step is about as large as the weights."""
    symbols = Symbols(n, *sizes(model), linear)
    lively = max((abs(s) for s in rule.step_sizes), default=Fraction(1)) * n * symbols.d / 3
    bits = lively.numerator.bit_length() - lively.denominator.bit_length()
    scale = Fraction(2) ** (-bits // 2) / GRID
    return symbols.data(RATIONAL, [scale * chance.randint(-GRID, GRID) for _ in symbols.names])


def listed(numbers: list[int] | tuple[int, ...]) -> str:
    """1, 2, 3."""
    return ", ".join(map(str, numbers))
