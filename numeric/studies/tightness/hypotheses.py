"""A claim's conditions met by construction: caps are made tight, signs are taken, the rest is met by scaling inputs.

A condition that returns at_most(left, right) is read by what stands in it. Where `right` is a scalar symbol alone
(‖x_i‖ ≤ C) the symbol is a cap, and becomes the largest entry of `left`, so that no bound gains from room in it. Where
`left` is 0 besides, it is a sign. Any other inequality (m·b·C² ≤ 1) is met by a common factor of the inputs behind it.
Conditions that answer True or False can only be tried.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from scanproof.proofs.exact.instance import shapes
from scanproof.proofs.language.calls import call
from scanproof.proofs.language.claim import Claim
from scanproof.proofs.language.conditions import as_bounds
from scanproof.proofs.language.statements import AtMost

Values = dict[str, Any]
"""A claim's symbols as arrays of one backend."""
EXPONENTS = (0.0, *(s * k for k in range(1, 31) for s in (-1.0, 1.0)))
"""Powers of 2 that are tried as the common factor, the nearest to 1 first."""
HALVINGS = 30
SLACK = 1e-12
"""By how much, relatively, rounding may break an inequality."""


@dataclass(frozen=True)
class Inequality:
    """One at_most of a condition: which condition, and which of the several that it may return."""

    condition: Callable[..., Any]
    place: int

    @property
    def asks(self) -> set[str]:
        """The names of the values that the condition is about."""
        return set(inspect.signature(self.condition).parameters)

    def at(self, values: Mapping[str, Any]) -> AtMost:
        """The inequality at these values."""
        return _answers(self.condition, values)[self.place]


@dataclass(frozen=True)
class Hypotheses:
    """What the conditions of a claim ask of its symbols at one choice of sizes."""

    claim: Claim
    sizes: Mapping[str, int]
    caps: Mapping[str, list[Inequality]] = field(default_factory=dict)
    """Symbols that are set from others: the largest left side of these inequalities."""
    signs: frozenset[str] = frozenset()
    """Scalars that must not be negative."""
    others: tuple[Inequality, ...] = ()
    tried: tuple[Callable[..., Any], ...] = ()
    """Conditions on numbers that say True or False, and nothing of how they can be met."""

    @property
    def free(self) -> list[str]:
        """The symbols that are drawn."""
        return [name for name in self.claim.given if name not in self.caps]

    @property
    def scaled(self) -> set[str]:
        """The drawn symbols on which the inequalities that are met by scaling depend."""
        found = {name for one in self.others for name in one.asks}
        for _ in self.caps:
            found |= {n for cap in found & set(self.caps) for i in self.caps[cap] for n in i.asks}
        return found & set(self.free)

    def complete(self, drawn: Mapping[str, Any], xp: Any) -> Values:
        """All symbols from those that are drawn: the caps at their least values."""
        values = {**drawn, **{name: xp.asarray(1.0) for name in self.caps}}
        for _ in self.caps:  # a cap may be capped itself
            known = {**values, **self.sizes}
            for name, inequalities in self.caps.items():
                lefts = [xp.max(xp.asarray(i.at(known).left)) for i in inequalities]
                values[name] = reduce(xp.maximum, lefts)
        return {name: values[name] for name in self.claim.given}

    def room(self, drawn: Mapping[str, Any], xp: Any) -> Any:
        """The least of right − left over the inequalities that are met by scaling; not negative where all hold."""
        values = {**self.complete(drawn, xp), **self.sizes}
        gaps = []
        for one in self.others:
            said = one.at(values)
            left, right = xp.asarray(said.left), xp.asarray(said.right)
            gaps.append(xp.min(right - left + SLACK * (xp.abs(left) + xp.abs(right))))
        return reduce(xp.minimum, gaps)

    def shrunk(self, drawn: Values, exponent: Any) -> Values:
        """The inputs behind those inequalities, times 2^exponent."""
        factor = 2.0**exponent
        return {n: a * factor if n in self.scaled else a for n, a in drawn.items()}

    def fitted(self, drawn: Values) -> Values | None:
        """NumPy arrays scaled as little as the inequalities need; None where no factor was found."""
        if not self.others:
            return drawn

        def fits(exponent: float) -> bool:
            return bool(self.room(self.shrunk(drawn, exponent), np) >= 0)

        good = next((e for e in EXPONENTS if fits(e)), None)
        if good is None:
            return None
        bad = good - np.sign(good)
        for _ in range(HALVINGS if good else 0):
            middle = (good + bad) / 2
            good, bad = (middle, bad) if fits(middle) else (good, middle)
        return self.shrunk(drawn, good)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Whether NumPy arrays meet every condition, but for rounding."""
        known = {**values, **self.sizes}
        if not all(bool(call(condition, known)) for condition in self.tried):
            return False
        inequalities = [*self.others, *(i for cap in self.caps.values() for i in cap)]
        for said in (one.at(known) for one in inequalities):
            left, right = np.asarray(said.left), np.asarray(said.right)
            if np.any(left > right + SLACK * (np.abs(left) + np.abs(right))):
                return False
        return True


def hypotheses(claim: Claim, sizes: Mapping[str, int]) -> Hypotheses:
    """The conditions of a claim, sorted by running each once on numbers."""
    rng = np.random.default_rng(0)
    probe = {n: np.asarray(rng.uniform(0.1, 1.0, dims)) for n, dims in shapes(claim, sizes).items()}
    caps: dict[str, list[Inequality]] = {}
    signs, others, tried = set(), [], []
    for condition in claim.assuming.values():
        answers = _answers(condition, {**probe, **sizes})
        if not answers:
            tried.append(condition)
        for place, said in enumerate(answers):
            one = Inequality(condition, place)
            name = next((n for n in probe if said.right is probe[n] and not claim.given[n]), None)
            if name is None:
                others.append(one)
            elif isinstance(said.left, int | float) and said.left == 0:
                signs.add(name)
            else:
                caps.setdefault(name, []).append(one)
    return Hypotheses(claim, sizes, caps, frozenset(signs - set(caps)), tuple(others), tuple(tried))


def _answers(condition: Callable[..., Any], values: Mapping[str, Any]) -> list[AtMost]:
    """The inequalities that a condition returns; none if it returns True or False."""
    return as_bounds(call(condition, values)) or []
