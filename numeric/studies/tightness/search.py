"""Gradient ascent on log(left / right) in JAX, over all inputs of a claim at once, from many starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scanproof.constructs.errors import UsageError
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.sizes import by_name
from scanproof.proofs.language.statements import AtMost

from ...jax_backend import jax, x64
from .drawing import ENTRIES, KINDS, SCALARS, draw
from .hypotheses import EXPONENTS, HALVINGS, Hypotheses, Values, hypotheses

RATE = 0.1
"""Adam's step at the start; it falls to 0 along a cosine."""
LEGS = 4
"""The ascent stops this often to look whether the inputs meet conditions that can only be tried."""


@dataclass(frozen=True)
class Found:
    """The largest left / right of one statement that was found, with the inputs that have it."""

    statement: int
    label: str
    ratio: float
    values: Values
    """All symbols, caps among them."""


def bounds(claim: Claim, sizes: Mapping[str, int], values: Values, xp: Any) -> list[AtMost]:
    """The statements left ≤ right of a claim on arrays of one backend."""
    known = {**values, **sizes, "xp": xp}
    return [s for s in claim.statements(known, claim.construct(known)) if isinstance(s, AtMost)]


def quotients(statement: AtMost, xp: Any) -> Any:
    """left / right in every entry; 0 where the right side is not positive and the left side not above it."""
    left, right = xp.broadcast_arrays(xp.asarray(statement.left), xp.asarray(statement.right))
    positive = right > 0
    return xp.where(
        positive, left / xp.where(positive, right, 1.0), xp.where(left > right, xp.inf, 0.0)
    )


def ratios(claim: Claim, sizes: Mapping[str, int], values: Values, xp: Any = np) -> Any:
    """The largest left / right of every statement left ≤ right, shape (statements,)."""
    return xp.stack([xp.max(quotients(s, xp)) for s in bounds(claim, sizes, values, xp)])


def search(
    claim: Claim, sizes: Mapping[str, int], *, starts: int = 20, steps: int = 200, seed: int = 0
) -> list[Found]:
    """The largest ratio found of every statement left ≤ right of a claim.

    Args:
        claim: a claim whose body has such statements.
        sizes: its sizes.
        starts: how many inputs to begin from, for each statement.
        steps: steps of the ascent from each.
        seed: of the draws.

    Raises:
        UsageError: if JAX is missing, the claim has no such statement, or no inputs were found that meet its
            conditions.
    """
    of = hypotheses(claim, sizes)
    rng = np.random.default_rng([seed, *sizes.values()])
    drawn = [draw(rng, of, KINDS[i % len(KINDS)]) for i in range(starts)]
    begun = [inputs for inputs in drawn if inputs is not None]
    at = by_name(sizes)
    if not begun:
        raise UsageError(
            f"no inputs of claim {claim.id} at {at} meet its conditions in {starts} draws; write them with at_most(…), "
            "whose symbols are then set, and see that they can hold together."
        )
    statements = bounds(claim, sizes, of.complete(begun[0], np), np)
    if not statements:
        raise UsageError(f"claim {claim.id} has no statement at_most(left, right) at {at}.")
    found = _ascend(of, begun, len(statements), max(1, steps // LEGS))
    best: list[Found] = []
    for place, statement in enumerate(statements):
        every = [(float(ratios(claim, sizes, v)[place]), v) for v in found[place]]
        ratio, values = max(every, key=lambda pair: pair[0])
        best.append(Found(place, str(statement.label), ratio, values))
    return best


def _ascend(of: Hypotheses, begun: Sequence[Values], count: int, steps: int) -> list[list[Values]]:
    """For every statement the best inputs from every start, those of the start among them."""
    found = [[of.complete(drawn, np) for drawn in begun] for _ in range(count)]
    names = of.free
    if not names:
        return found
    signs = [{n: np.sign(d[n]) for n in names if d[n].shape == ()} for d in begun]
    with x64():
        leg = _leg(of, steps)
        target = np.repeat(np.arange(count), len(begun))
        every = [drawn for _ in range(count) for drawn in begun]
        sign = {n: np.asarray([s[n] for s in signs] * count) for n in (signs[0] if signs else {})}
        state = {n: np.stack([_raw(d[n]) for d in every]) for n in names}
        moments = {n: (np.zeros_like(a), np.zeros_like(a)) for n, a in state.items()}
        for number in range(LEGS):
            state, moments, best = leg(state, moments, sign, target, number * steps)
            for row, place in enumerate(target):
                drawn = {n: _value(np.asarray(best[n][row]), sign, n, row) for n in names}
                values = of.complete(drawn, np)
                if all(np.isfinite(a).all() for a in values.values()) and of.holds(values):
                    found[place].append(values)
    return found


def _raw(array: np.ndarray) -> np.ndarray:
    """What the ascent moves: an array itself, of a scalar the logarithm of its absolute value."""
    return np.log(np.abs(array)) if array.shape == () else array


def _value(raw: Any, sign: Mapping[str, Any], name: str, row: int) -> np.ndarray:
    return np.asarray(sign[name][row] * np.exp(raw) if name in sign else raw)


def _leg(of: Hypotheses, steps: int) -> Any:
    """Some steps of Adam from every start at once, compiled: (state, moments, signs, statement, steps done) -> …"""
    j = jax("tightness")
    xp, total = j.numpy, steps * LEGS
    lowest, highest = np.log(SCALARS)

    def values(raw: Values, sign: Values) -> Values:
        return {n: sign[n] * xp.exp(a) if n in sign else a for n, a in raw.items()}

    def height(raw: Values, sign: Values, target: Any) -> Any:
        ratio = ratios(of.claim, of.sizes, of.complete(values(raw, sign), xp), xp)[target]
        positive = ratio > 0
        return xp.where(positive, xp.log(xp.where(positive, ratio, 1.0)), -xp.inf)

    def allowed(raw: Values, sign: Values) -> Values:
        """The nearest inputs within limits, then scaled as the conditions need."""
        raw = {
            n: xp.clip(a, lowest, highest) if n in sign else xp.clip(a, -ENTRIES, ENTRIES)
            for n, a in raw.items()
        }
        if not of.others:
            return raw

        def fits(exponent: Any) -> Any:
            return of.room(of.shrunk(values(raw, sign), exponent), xp) >= 0

        tried = xp.asarray(EXPONENTS)
        good = tried[xp.argmax(j.vmap(fits)(tried))]

        def halve(_: Any, ends: Any) -> Any:
            good, bad = ends
            middle = (good + bad) / 2
            fine = fits(middle)
            return xp.where(fine, middle, good), xp.where(fine, bad, middle)

        good, _ = j.lax.fori_loop(0, HALVINGS, halve, (good, good - xp.sign(good)))
        scaled = of.shrunk(values(raw, sign), good)
        return {n: xp.log(xp.abs(a)) if n in sign else a for n, a in scaled.items()}

    def one(raw: Values, moments: Any, sign: Values, target: Any, done: Any) -> Any:
        def step(carry: Any, number: Any) -> Any:
            raw, moments, best, highest_yet = carry
            now, slope = j.value_and_grad(height)(raw, sign, target)
            better = now > highest_yet
            best = {n: xp.where(better, raw[n], best[n]) for n in raw}
            rate = RATE * 0.5 * (1 + xp.cos(xp.pi * number / total))
            moved, kept = {}, {}
            for n, a in raw.items():
                g = xp.nan_to_num(slope[n], nan=0.0, posinf=0.0, neginf=0.0)
                first = 0.9 * moments[n][0] + 0.1 * g
                second = 0.99 * moments[n][1] + 0.01 * g * g
                weight = number + 1.0
                rise = first / (1 - 0.9**weight)
                size = xp.sqrt(second / (1 - 0.99**weight))
                moved[n], kept[n] = a + rate * rise / (size + 1e-12), (first, second)
            return (allowed(moved, sign), kept, best, xp.where(better, now, highest_yet)), None

        numbers = done + xp.arange(steps)
        start = (raw, moments, raw, xp.asarray(-xp.inf))
        (raw, moments, best, reached), _ = j.lax.scan(step, start, numbers)
        last = height(raw, sign, target)
        best = {n: xp.where(last > reached, raw[n], best[n]) for n in raw}
        return raw, moments, best

    return j.jit(j.vmap(one, in_axes=(0, 0, 0, 0, None)))
