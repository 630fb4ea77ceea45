"""Random recursions: their steps, their closed forms, twins that are defined otherwise; some of it is false.

A system has states S0, S1, …; each entry S[t] or S[t, i] is begun by a recipe and continued by another, which speaks
of the states at the time t. All may speak of a position p, which stays what it is. Outside 0 ≤ t ≤ N, 0 ≤ i, p < M a
state is any numbers at all: who unfolds it there proves what is false.
"""

import random
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from scanproof.proofs.kernel.index import position, size
from scanproof.proofs.kernel.induction import induction
from scanproof.proofs.kernel.recursion import Recursion, new_state
from scanproof.proofs.search.lemmas import show
from scanproof.proofs.search.proving import proving
from scanproof.proofs.search.session import current
from scanproof.proofs.search.unfolding import tactic

from .changes import changed, rearranged
from .recipes import (
    Lin,
    Recipe,
    at,
    entries,
    evaluated,
    fresh,
    lin,
    put_in,
    rebuilt,
    recipe,
    renamed,
)
from .terms import REFUSALS, FalseAccept, kernel_term

T, I, P = lin(0, t=1), lin(0, i=1), lin(0, p=1)


@dataclass(frozen=True)
class System:
    """States that a recursion defines, as recipes."""

    letter: str
    axes: tuple[int, ...]
    """For each state whether it has an axis."""
    first: tuple[Recipe, ...]
    step: tuple[Recipe, ...]

    def state(self, k: int, time: Lin = T, axis: Lin = I) -> Recipe:
        """An entry of a state at the position p."""
        return "entry", f"{self.letter}{k}", (time, *[axis] * self.axes[k], P)


def system(rng: random.Random, letter: str = "S", alone: bool = False) -> System:
    """A random system; each state a gate times itself plus an input, and without `alone` other things too."""
    axes = tuple(rng.choice((0, 1)) for _ in range(rng.choice((1, 1, 2, 3))))
    empty = System(letter, axes, (), ())
    step = []
    for k, axis in enumerate(axes):
        names = ["t", "t", "p", "N", "M", *["i"] * axis]
        new = ("mul", _gate(rng, axis), empty.state(k))
        for _ in range(rng.choice((0, 1, 1, 2))):
            new = "add", new, recipe(rng, names, rng.choice((0, 0, 1)))
        if not alone and rng.random() < 0.5:
            new = "add", new, _coupling(rng, empty, axis)
        step.append(new)
    first = [recipe(rng, ["p", "N", "M", *["i"] * a], 0) for a in axes]
    return replace(empty, first=tuple(first), step=tuple(step))


def _gate(rng: random.Random, axis: int) -> Recipe:
    """What a state is multiplied by in each step."""
    own = lin(0, i=1) if axis else P
    return rng.choice(
        (
            ("constant", Fraction(1)),
            ("constant", Fraction(1, 2)),
            ("entry", "Z", ()),
            ("entry", "X", (T,)),
            ("entry", "Y", (T, own)),
            ("add", ("constant", Fraction(1)), ("mul", ("entry", "Z", ()), ("entry", "X", (T,)))),
        )
    )


def _coupling(rng: random.Random, of: System, axis: int) -> Recipe:
    """What other states, or this one once more, bring to a state."""
    k = rng.randrange(len(of.axes))
    if (of.axes[k] and not axis) or rng.random() < 0.4:
        j = fresh()
        row = I if axis else P
        weight = "entry", "Y", (row, lin(0, **{j: 1}))
        other = of.state(k, axis=lin(0, **{j: 1}))
        return "sum", j, lin(0), lin(0, M=1), ("mul", weight, other)
    other = of.state(k)
    return other if rng.random() < 0.5 else ("mul", other, other)


class World:
    """The values of systems at given sizes, by running them."""

    def __init__(self, systems: list[System], n: int, m: int) -> None:
        self.systems = {s.letter: s for s in systems}
        self.n, self.m = n, m
        self._known: dict[Any, Any] = {}

    def __call__(self, name: str, spots: tuple[int, ...]) -> Any:
        found = self.systems.get(name[0])
        time, *places = spots or (0,)
        if found is None or not 0 <= time <= self.n or any(not 0 <= i < self.m for i in places):
            return entries(name, spots)
        if (name, spots) not in self._known:
            k = int(name[1:])
            axis = {"i": places[0]} if found.axes[k] else {}
            place = {"N": self.n, "M": self.m, "p": places[-1], "t": max(time - 1, 0), **axis}
            term = found.step[k] if time else found.first[k]
            # Whoever accepts a step that speaks of its own result has accepted what is false.
            self._known[name, spots] = entries(name, spots)
            self._known[name, spots] = evaluated(term, place, self)
        return self._known[name, spots]


SIZES = [(n, m) for n in (1, 2, 3, 4) for m in (1, 2, 3) if n + m < 7]


def agree(a: Recipe, b: Recipe, systems: list[System], ends: Lin, sizes=SIZES) -> bool | None:
    """Whether the two have one value at all 0 ≤ t ≤ ends, 0 ≤ i, p < M; None if they have none."""
    seen = False
    for n, m in sizes:
        world = World(systems, n, m)
        for t in range(at(ends, {"N": n, "M": m}) + 1):
            for i in range(m):
                for p in range(m):
                    place = {"N": n, "M": m, "t": t, "i": i, "p": p}
                    try:
                        if evaluated(a, place, world) != evaluated(b, place, world):
                            return False
                        seen = True
                    except ZeroDivisionError:
                        continue
    return True if seen else None


# The same in the kernel.


def declared(systems: list[System]) -> dict[str, Any]:
    """Sizes, positions t < N and i, p < M, and the systems' states, which are defined."""
    n, m = size("N", 1), size("M", 1)
    known: dict[str, Any] = {"N": n, "M": m, "t": position("t", 0, n)}
    known |= {"i": position("i", 0, m), "p": position("p", 0, m)}
    for one in systems:
        states = [
            new_state(f"{one.letter}{k}", [known["i"]] * axis, [known["p"]])
            for k, axis in enumerate(one.axes)
        ]
        known |= {f"{one.letter}{k}": state for k, state in enumerate(states)}
        first = [kernel_term(r, known, True) for r in one.first]
        step = [kernel_term(r, known, True) for r in one.step]
        current().add(Recursion(known["t"], states, first, step))
    return known


def by_induction(systems: list[System], claims: list[tuple[Recipe, Recipe]]) -> bool:
    """Whether all claims, each of a state at t, are shown together by induction over t."""
    with proving():
        try:
            known = declared(systems)
            when = position("t", 0, known["N"] + 1)
            known |= {"t": when, "i": position("i", 0, known["M"])}
            known |= {"p": position("p", 0, known["M"])}
            made = []
            for left, right in claims:
                ((factor,),) = [m.factors for m in kernel_term(left, known, False).parts]
                made.append((factor, kernel_term(right, known, True)))
            induction(when, made, tactic, current().lemmas)
        except REFUSALS:
            return False
        return True


def by_search(systems: list[System], left: Recipe, right: Recipe, to_the_end: bool) -> bool:
    """Whether an equation at a time t < N, or t ≤ N, is shown with whatever lemmas are guessed."""
    with proving():
        try:
            known = declared(systems)
            if to_the_end:
                known["t"] = position("t", 0, known["N"] + 1)
            show(kernel_term(left, known, False), kernel_term(right, known, False))
        except REFUSALS:
            return False
        return True


# Attempts: (what, accepted, true).

Attempt = tuple[str, bool, "bool | None"]
END, BEFORE = lin(0, N=1), lin(-1, N=1)


def unfolding(rng: random.Random) -> Attempt:
    """S[t + 1] is what the step makes of S[t], for t < N; also written with t for t + 1, and beyond the end."""
    one = system(rng)
    k = rng.randrange(len(one.axes))
    later = lin(rng.choice((1, 1, 1, 0, 2)), t=1)
    left, right = one.state(k, later), _maybe_changed(rearranged(one.step[k], rng), rng)
    accepted = by_search([one], left, right, False)
    return "unfolding", accepted, agree(left, right, [one], BEFORE)


def beginning(rng: random.Random) -> Attempt:
    """S[1] and S[2] by hand; with N ≥ 1 known, what S[2] is must be guarded by N ≥ 2."""
    one = system(rng)
    k, steps = rng.randrange(len(one.axes)), rng.choice((1, 2, 2))
    left, right = one.state(k, lin(steps)), one.step[k]
    for n in range(steps):
        right = put_in(right, "t", lin(steps - 1 - n))
        table = one.first if n == steps - 1 else one.step
        right = _with_states(right, one, table)
    if steps == 2 and rng.random() < 0.7:
        guard = "ge", lin(-2, N=1)
        left, right = ("mul", guard, left), ("mul", guard, right)
    right = _maybe_changed(right, rng)
    accepted = by_search([one], left, right, False)
    return "beginning", accepted, agree(left, right, [one], lin(0))


def _with_states(r: Recipe, one: System, table: tuple[Recipe, ...]) -> Recipe:
    """The recipe with what a table says for states."""
    if r[0] == "entry" and r[1][0] == one.letter:
        k, (_, *places) = int(r[1][1:]), r[2]
        found = renamed(table[k])
        return put_in(found, "i", places[0]) if one.axes[k] else found
    return rebuilt(r, lambda p: _with_states(p, one, table))


def twins(rng: random.Random) -> Attempt:
    """Two systems, one of them rearranged and perhaps changed, are the same at all times."""
    one = system(rng)
    first, step = list(one.first), [renamed(rearranged(r, rng)) for r in one.step]
    k = rng.randrange(len(step))
    choice = rng.randrange(4)
    if choice == 0:
        first[k] = changed(first[k], rng)
    elif choice == 1:
        step[k] = changed(step[k], rng)
    other = System("R", one.axes, tuple(first), tuple(_spoken(r, "S", "R") for r in step))
    claims = [(one.state(n), other.state(n)) for n in range(len(one.axes))]
    if rng.random() < 0.3:
        left, right = claims[k]
        return (
            "twins",
            by_search([one, other], left, right, True),
            agree(left, right, [one, other], END),
        )
    accepted = by_induction([one, other], claims)
    found = [agree(left, right, [one, other], END) for left, right in claims]
    return "twins", accepted, None if None in found else all(found)


def _spoken(r: Recipe, old: str, new: str) -> Recipe:
    """The recipe with one system's states for another's."""
    if r[0] == "entry" and r[1][0] == old:
        return r[0], new + r[1][1:], r[2]
    return rebuilt(r, lambda p: _spoken(p, old, new))


def closed_forms(rng: random.Random) -> Attempt:
    """Π_{r<t} G(r) S[0] + Σ_{s<t} Π_{s<r<t} G(r) B(s), for a step G S + B; changed here or there."""
    one = replace(system(rng, alone=True))
    k = rng.randrange(len(one.axes))
    gate, *inputs = _linear(one.step[k], one.state(k))
    r, s = fresh("r"), fresh("s")
    decay = lambda low: ("product", r, low, T, put_in(gate, "t", lin(0, **{r: 1})))  # noqa: E731
    right: Recipe = "mul", decay(lin(0)), one.first[k]
    for term in inputs:
        moved = renamed(put_in(term, "t", lin(0, **{s: 1})))
        added = "sum", s, lin(0), T, ("mul", decay(lin(1, **{s: 1})), moved)
        right = "add", right, renamed(added)
    choice = rng.randrange(4)
    if choice == 0:
        first = tuple(changed(f, rng) if n == k else f for n, f in enumerate(one.first))
        one = replace(one, first=first)
    elif choice == 1:
        one = replace(
            one, step=tuple(changed(f, rng) if n == k else f for n, f in enumerate(one.step))
        )
    right = rearranged(right, rng) if rng.random() < 0.5 else right
    right = changed(right, rng) if choice == 2 else right
    left = one.state(k)
    accepted = by_induction([one], [(left, right)])
    return "closed forms", accepted, agree(left, right, [one], END)


def _linear(step: Recipe, state: Recipe) -> list[Recipe]:
    """The gate and the inputs of a step that `system` made with `alone`."""
    if step[0] == "add":
        return [*_linear(step[1], state), step[2]]
    return [step[1]]


def invariants(rng: random.Random) -> Attempt:
    """Something that is said to be so at all times, and mostly is not."""
    one = system(rng)
    k = rng.randrange(len(one.axes))
    right = rng.choice((one.first[k], recipe(rng, ["t", "p", "N"], 1), one.state(k, lin(1, t=1))))
    left = one.state(k)
    accepted = by_induction([one], [(left, right)])
    return "invariants", accepted, agree(left, right, [one], END)


def _maybe_changed(r: Recipe, rng: random.Random) -> Recipe:
    return changed(r, rng) if rng.random() < 0.4 else r


KINDS = (unfolding, beginning, twins, twins, closed_forms, closed_forms, invariants)


def recursions(rng: random.Random, count: int) -> Counter:
    """How many claims about recursions were true or false, accepted or not.

    Raises:
        FalseAccept: if one that is false was accepted.
    """
    seen: Counter = Counter()
    for _ in range(count):
        drawn = rng.getstate()
        what, accepted, true = rng.choice(KINDS)(rng)
        if true is None:
            seen[what, "no value"] += 1
            continue
        if accepted and not true:
            rng.setstate(drawn)
            raise FalseAccept(f"{what}: {drawn}")
        seen[what, true, accepted] += 1
    return seen
