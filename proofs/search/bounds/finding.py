"""All bounds of a claim: looked for, checked, and written down with the equations proved that they use.

First come those of products, then those of layers by induction, then the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from ...inequalities.certificate import Certificate, Placed, Side
from ...inequalities.check import Shown, check
from ...inequalities.written import FORMAT
from ...interpret.bounds import Request
from ...kernel.errors import KernelError
from ...kernel.theorem import Theorem
from ..lemmas import show
from ..session import current, plainly
from .context import begun
from .goals import shown
from .layers import Timed, by_induction, timed
from .problems import goal_of
from .products import of_products
from .written import equations_to, steps_to


def bounded(request: Request) -> Shown:
    """What is found to show all the bounds that a claim says.

    A linear recurrence is looked at by its closed form first; then as what its step says, by induction.

    Raises:
        NotProved: if nothing is found.
        TooHard: if the kernel, or the search, gives up.
    """
    try:
        return check(request.problem, find(request), show)
    except KernelError:
        with plainly(current()):
            return check(request.problem, find(request, chained=True), show)


def _together(every: Mapping[int, Timed], chained: bool) -> list[list[int]]:
    """Which bounds are shown by one induction: those over the same length; if `chained`, that follow one another."""
    lengths = dict.fromkeys(one.length for one in every.values())
    if chained:
        return [list(run) for _, run in groupby(every, key=lambda k: every[k].length)]
    return [[k for k, one in every.items() if one.length == length] for length in lengths]


def written(request: Request, shown: Shown, rules: Iterable[Theorem]) -> dict[str, Any]:
    """The certificate, as `inequalities.written` says; `rules` are theorems about what is divided by."""
    return {
        "format": FORMAT,
        **request.data,
        "equations": equations_to(request.declared, request.spoken, shown, rules),
        "steps": steps_to(shown),
        "shown": list(shown.certificate.goals),
    }


def find(request: Request, chained: bool = False) -> Certificate:
    """A certificate for the problem that a claim's bounds are.

    Args:
        request: the problem.
        chained: whether a bound may rest on those that the claim says before it; inductions come in that order.

    Raises:
        NotProved: if none is found.
        TooHard: if the search gives up.
    """
    goals = list(map(goal_of, request.goals))
    context = begun(request.problem, request.given)
    book = context.known.book
    for one in of_products(goals, context.known, current()):
        *_, context = by_induction([one], context, shown)
    layered = {k: timed(goal, current()) for k, goal in enumerate(goals)}
    every = {k: one for k, one in layered.items() if one is not None}
    found: dict[int, int] = {}
    for own in _together(every, chained):
        kept, numbers, context = by_induction([every[k] for k in own], context, shown)
        for one, number in zip(kept, numbers, strict=True):
            k = next(k for k in own if every[k] is one)
            found[k] = book.add(Placed(number, one.back))
    for k, goal in enumerate(goals):
        if k not in found:
            found[k] = shown(goal, context)
            if chained:
                context = context.knowing(goal, found[k])
    said = [
        book.with_sides(found[k], Side(one.left), Side(one.right))
        for k, one in enumerate(request.problem.goals)
    ]
    return book.certificate(said)
